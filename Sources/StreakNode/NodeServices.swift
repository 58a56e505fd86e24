import StreakEngine
import StreakLinks
import StreakMembership
import StreakReplication
import StreakStorage
import StreakWire

/// What a node does for its user, service by service, and which service hears which event of the engine.
///
/// Each service keeps its state private. All of them read the core, and make the loop carry out commands.
final class NodeServices {
    private let core: NodeCore

    let people: People
    let results: Results
    let games: Games
    let groups: Groups
    let friends: Friends
    let account: OwnAccount
    let shutOutMachines: ShutOutMachines
    let boards: Boards
    let talk: Talk
    let messages: Messages
    let challenges: Challenges
    let events: Events
    let activity: Activity
    let reminders: Reminders
    let notifications: Notifications
    let health: Health
    let doctor: Doctor
    let guest: Guest
    let internet: Internet

    init(core: NodeCore, loop: NodeLoop, store: Store, folder: DataFolder) {
        self.core = core
        people = People(core: core, loop: loop)
        results = Results(core: core, loop: loop)
        games = Games(core: core, loop: loop)
        groups = Groups(core: core, loop: loop, people: people, results: results)
        friends = Friends(core: core, loop: loop, people: people, groups: groups)
        account = OwnAccount(core: core, loop: loop, store: store, folder: folder)
        shutOutMachines = ShutOutMachines(core: core, loop: loop, folder: folder)
        boards = Boards(core: core, loop: loop, people: people)
        talk = Talk(core: core, loop: loop, people: people)
        messages = Messages(core: core, loop: loop, people: people)
        challenges = Challenges(core: core, loop: loop, people: people)
        events = Events(core: core, loop: loop, boards: boards)
        activity = Activity(core: core, loop: loop, boards: boards)
        reminders = Reminders(core: core, loop: loop)
        notifications = Notifications(core: core, loop: loop, activity: activity, reminders: reminders)
        guest = Guest(core: core, loop: loop, folder: folder)
        internet = Internet(core: core, loop: loop)
        health = Health(core: core, loop: loop, internet: internet, folder: folder)
        doctor = Doctor(core: core, loop: loop, folder: folder, people: people, health: health, internet: internet)
    }

    /// Loads what a store held.
    ///
    /// - Parameter damaged: the number of places in the store that were set aside.
    func begin(damaged: Int, lostChanges: Int) {
        health.damageFoundAtStart(setAside: damaged, lostChanges: lostChanges)
        rebuildViews()
        results.reviewAll()
        shutOutMachines.review()
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
            shutOutMachines.review()
            groups.dropped.review()
            core.publish(.groupsChanged)
        case .digestChanged(let group, let digest): publishChange(digest, of: group)
        case .linkOpened(let device, let via, _):
            core.publish(.peer(device: device.description, state: "linked", via: via.word))
        case .linkClosed(let device):
            core.publish(.peer(device: device.description, state: "away", via: nil))
        case .presenceChanged(let group):
            if !core.engine.isPrivate(group) { core.publish(.groupsChanged) }
        case .clockHeard: health.noteClock()
        case .syncEnded(let group, _):
            health.noteSync()
            if let digest = core.engine.digest(of: group) { publishChange(digest, of: group) }
        case .epochReplaced:
            core.publish(
                .notice(
                    "Another copy of this machine’s data was used. This machine begins a new history; nothing is lost.")
            )
        case .lostGroup(let group, _):
            rebuildView(of: group)
            groups.tellLoss(of: group)
        case .friend(let event): friends.observe(event)
        case .runRefused(_, let error): health.noteRefusal(of: error)
        case .operationRefused: health.noteRefusalOfOperation()
        case .dropped(let reason): health.noteRefusal(of: reason)
        case .messageRefused(let error): health.noteRefusal(of: error)
        case .overBudget(let work): health.noteRefusal(of: work)
        case .whereaboutsChanged: internet.noteSeen()
        case .syncBegan: break
        }
    }

    private func recordsMerged(_ records: [MergedRecord], in group: GroupID) {
        if core.views[group] == nil { rebuildView(of: group) }
        let isOwn = group == core.privateGroup
        if isOwn {
            for record in records {
                results.noteDifference(record, in: group)
                core.apply([record], in: group)
                results.tellDifference(record)
            }
        } else {
            core.apply(records, in: group)
        }
        if records.contains(where: { $0.key.kind == RecordKind.gameDefinition.rawValue }) { core.followCustomGames() }
        results.compare(records, of: group)
        if isOwn {
            notifications.showWritten()
            groups.dropped.review()
        }
    }

    private func publishChange(_ digest: GroupDigest, of group: GroupID) {
        guard !core.engine.isPrivate(group) else { return }
        core.publish(.changed(group: group.description, digest: digest.description))
    }

    func put(_ notice: Notice) { internet.put(notice) }

    func look(for key: Bytes32) { internet.look(for: key) }

    func codeArrived(_ code: FriendCode?, of user: UserID) { people.codeArrived(code, of: user) }

    func writeNoted() -> Bool {
        groups.dropped.writeNoted() || shutOutMachines.writeNoted() || friends.agree()
            || friends.introduceToNewGroups() || results.writeNoted()
    }

    func followTime() {
        people.followNames()
        if !guest.isPlaying {
            reminders.remind()
            notifications.follow()
        }
        internet.deadlineReached()
    }

    var nextDeadline: MonotonicInstant? {
        let own = guest.isPlaying ? [] : [reminders.next, notifications.next]
        return (own + [internet.nextDeadline, shutOutMachines.nextDeadline]).compactMap(\.self).min()
    }

    func networkOpened() { internet.opened() }

    func networkClosed() async { await internet.closed() }

    func takes(_ input: NetworkInput) -> Bool { internet.takes(input) }

    func restarted(damaged: Int) {
        health.reportDamage(setAside: damaged)
        results.forget()
        friends.forget()
        groups.dropped.review()
        shutOutMachines.review()
        notifications.forget()
        internet.engineRestarted()
        rebuildViews()
    }
}
