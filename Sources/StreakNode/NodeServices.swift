import StreakEngine
import StreakLinks
import StreakMembership
import StreakReplication
import StreakStorage
import StreakWire

/// What a node does for its user, service by service; and which of them hears what the engine tells.
///
/// A service has state of its own, which no other sees. All read the core, and have the loop carry out commands.
final class NodeServices {
    private let core: NodeCore

    let people: People
    let results: Results
    let games: Games
    let groups: Groups
    let friends: Friends
    let account: OwnAccount
    let boards: Boards
    let reminders: Reminders
    let health: Health
    let guest: Guest

    init(core: NodeCore, loop: NodeLoop, store: Store, folder: DataFolder) {
        self.core = core
        people = People(core: core, loop: loop)
        results = Results(core: core, loop: loop)
        games = Games(core: core, loop: loop)
        groups = Groups(core: core, loop: loop, people: people, results: results)
        friends = Friends(core: core, loop: loop, people: people, groups: groups)
        account = OwnAccount(core: core, loop: loop, store: store, folder: folder)
        boards = Boards(core: core, loop: loop, people: people)
        reminders = Reminders(core: core, loop: loop)
        health = Health(core: core, loop: loop, folder: folder)
        guest = Guest(core: core, loop: loop, folder: folder)
    }

    /// Takes in what a store held.
    ///
    /// - Parameter damaged: Places of it that were set aside.
    func begin(damaged: Int, lostChanges: Int) {
        health.found(damaged: damaged, lostChanges: lostChanges)
        rebuildViews()
        results.reviewAll()
    }

    func rebuildViews() {
        core.rebuildViews()
        for group in core.engine.groupIDs { results.compareAll(of: group) }
    }

    private func rebuildView(of group: GroupID) {
        core.rebuildView(of: group)
        results.compareAll(of: group)
    }
}

extension NodeServices: LoopFollower {
    func observe(_ event: EngineEvent) {
        switch event {
        case .recordsMerged(let group, let records): recordsMerged(records, in: group)
        case .recordsReset(let group): rebuildView(of: group)
        case .ledgerChanged(let group):
            if core.views[group] == nil { rebuildView(of: group) }
            core.followLedger(of: group)
            results.review(group)
            account.tellShutOutMachines(in: group)
            core.publish(.groupsChanged)
        case .digestChanged(let group, let digest): tell(digest, of: group)
        case .linkOpened(let device, let via, _):
            core.publish(.peer(device: device.description, state: "linked", via: via.word))
        case .linkClosed(let device):
            core.publish(.peer(device: device.description, state: "away", via: nil))
        case .presenceChanged(let group):
            if !core.engine.isPrivate(group) { core.publish(.groupsChanged) }
        case .clockHeard: health.noteClock()
        case .syncEnded(let group, _):
            health.noteSync()
            if let digest = core.engine.digest(of: group) { tell(digest, of: group) }
        case .epochReplaced:
            core.publish(
                .notice("This device’s history went on elsewhere; a new chapter was begun and nothing is lost."))
        case .lostGroup(let group, _):
            rebuildView(of: group)
            groups.tellLoss(of: group)
        case .friend(let event): friends.observe(event)
        case .runRefused(_, let error): health.noteRefusal(of: error)
        case .operationRefused: health.noteRefusalOfOperation()
        case .dropped(let reason): health.noteRefusal(of: reason)
        case .messageRefused(let error): health.noteRefusal(of: error)
        case .overBudget(let work): health.noteRefusal(of: work)
        case .syncBegan: break
        }
    }

    private func recordsMerged(_ records: [MergedRecord], in group: GroupID) {
        if core.views[group] == nil { rebuildView(of: group) }
        let isOwn = group == core.privateGroup
        for record in records {
            if isOwn { results.noteDifference(record, in: group) }
            core.apply(record, in: group)
            if isOwn { results.tellDifference(record) }
        }
        if records.contains(where: { $0.key.kind == RecordKind.gameDefinition.rawValue }) { core.followCustomGames() }
        results.compare(records, of: group)
    }

    private func tell(_ digest: GroupDigest, of group: GroupID) {
        guard !core.engine.isPrivate(group) else { return }
        core.publish(.changed(group: group.description, digest: digest.description))
    }

    func codeArrived(_ code: FriendCode?, of user: UserID) { people.codeArrived(code, of: user) }

    func writeNoted() -> Bool { friends.introduceToNewGroups() || results.writeNoted() }

    func remind() {
        if !guest.isPlaying { reminders.remind() }
    }

    var nextReminder: MonotonicInstant? { guest.isPlaying ? nil : reminders.next }

    func restarted(damaged: Int) {
        health.tell(damaged: damaged)
        results.forget()
        friends.forget()
        rebuildViews()
    }
}
