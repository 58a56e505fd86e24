import Logging
import StreakEngine
import StreakGames
import StreakLinks
import StreakMembership
import StreakReplication
import StreakScores
import StreakStorage
import StreakWire

/// This node's state: its links, what it has refused, and whether its clock and its disk are sound.
final class Health {
    let core: NodeCore
    let loop: NodeLoop
    private let internet: Internet
    private let folder: DataFolder
    /// The page's address, from the program that serves it.
    var pageAddress: String?
    /// What was found damaged on the disk.
    private(set) var damage = DamageReport()
    private var lastSync: Int64?
    /// Whether the user was told that this machine's clock is wrong.
    private var toldClock = false
    private var refusals = Refusals()

    init(core: NodeCore, loop: NodeLoop, internet: Internet, folder: DataFolder) {
        (self.core, self.loop, self.internet, self.folder) = (core, loop, internet, folder)
    }

    // MARK: What is noted

    /// Damage found at start. Damaged places are set aside, and friends are asked for what they hold of them.
    func damageFoundAtStart(setAside damaged: Int, lostChanges: Int) {
        (damage.setAside, damage.lostChanges) = (damaged, lostChanges)
    }

    /// Damage found while the node is open: the user is told.
    func reportDamage(setAside damaged: Int) {
        guard damaged > 0 else { return }
        damage.setAside += damaged
        core.publish(.notice(damage.sentences.joined(separator: " ")))
    }

    func noteSync() {
        lastSync = core.clock.wallTime.seconds
        noteClock()
    }

    /// Tells the user once that this machine's clock is wrong, and again if it was right in between.
    func noteClock() {
        let report = clockReport()
        let isWrong = report.isWrong
        if isWrong, !toldClock { core.publish(.notice(report.notice)) }
        toldClock = isWrong || (toldClock && report.state == "unknown")
    }

    func noteRefusal(of records: ReplicationError) { log(refusals.note(records)) }

    func noteRefusal(of packet: DropReason) { log(refusals.note(packet)) }

    func noteRefusal(of message: WireError) { log(refusals.note(message)) }

    func noteRefusalOfOperation() { log(refusals.noteOperation()) }

    func noteRefusal(of work: ChargedWork) { log(refusals.note(work)) }

    private func log(_ refusal: RefusalReport) {
        guard refusal.isLogged else { return }
        core.configuration.logger.debug("refused \(refusal.what): \(refusal.reason), \(refusal.count) so far")
    }

    // MARK: Status

    func status() -> StatusReport {
        let linked = core.engine.linkedDevices
        let groups = core.sharedGroups.map { group in
            let users = core.engine.state(of: group)?.members.map(\.user) ?? []
            return GroupStatus(
                id: group.description, title: core.title(of: group),
                digest: core.engine.digest(of: group)?.description ?? "",
                records: core.engine.countingRecordCount(of: group),
                members: users.count,
                online: core.engine.isMember(of: group) ? users.count { core.isShownOnline($0, in: group) } : 0,
                sharing: core.isSharing(in: group),
                total: core.engine.progress(of: group)?.total, role: core.roleWord(in: group))
        }
        return StatusReport(
            state: stateWord(linked), groups: groups, peers: linked.map(peerStatus), version: NodeVersion.current,
            running: core.isServing, listen: loop.address, web: pageAddress,
            lastSync: lastSync.map { Timestamp(seconds: $0).text }, recoveryConfirmed: !Account.hasSecret(in: folder),
            guest: core.configuration.isGuest ? core.ownName : nil, clock: clockReport(), internet: internet.report(),
            shutOut: core.engine.isShutOut, damage: damage.sentences.isEmpty ? nil : damage,
            differing: core.accountSettings.differences.count,
            strays: core.strayMachines.map {
                StrayMachineReport(device: $0.device.description, groups: $0.groups.map(core.title))
            }, refused: refusals.reports)
    }

    private func stateWord(_ linked: [MeshEngine.LinkedDevice]) -> String {
        if core.memberGroups.isEmpty { return "local only" }
        if linked.isEmpty { return "offline" }
        if linked.allSatisfy(isSilent) { return "silent" }
        return linked.allSatisfy { $0.syncing.isEmpty } ? "live" : "syncing"
    }

    /// How long after its expected time a device counts as silent. A lost datagram is asked for again within this time.
    private static let silenceTolerance: Duration = .seconds(5)

    /// Whether a linked device is silent although it should have said something. It may be gone; the link will notice
    /// after a while.
    private func isSilent(_ device: MeshEngine.LinkedDevice) -> Bool {
        device.nextExpected.advanced(by: Self.silenceTolerance) < core.clock.now
    }

    private func lastHeard(_ device: MeshEngine.LinkedDevice) -> String { core.timeText(of: device.lastHeard) }

    /// The status of a peer, in a group that may know who it is. A peer that is anonymous in every group is named as in
    /// the first of them, and nothing else reveals it.
    private func peerStatus(_ device: MeshEngine.LinkedDevice) -> PeerStatus {
        let known = device.groups.compactMap { group in
            core.engine.state(of: group)?.device(device.device).map { (group: group, user: $0.user) }
        }
        let isNamed = { (group: GroupID, user: UserID) in
            user == self.core.identity.user || !self.core.isAnonymous(user, in: group)
        }
        let state = isSilent(device) ? "silent" : "linked"
        guard let place = known.first(where: { isNamed($0.group, $0.user) }) ?? known.first else {
            return PeerStatus(
                device: device.device.description, user: nil, name: nil, state: state, via: device.via.word,
                address: device.endpoint.description, lastHeard: lastHeard(device), path: device.path.rawValue,
                since: core.timeText(of: device.openedAt))
        }
        let isHidden = !isNamed(place.group, place.user)
        let shown = core.shownID(of: place.user, in: place.group)
        return PeerStatus(
            device: isHidden ? shown : device.device.description, user: shown,
            name: core.name(of: place.user, in: place.group), state: state, via: device.via.word,
            address: isHidden ? nil : device.endpoint.description, lastHeard: lastHeard(device),
            path: device.path.rawValue, since: core.timeText(of: device.openedAt))
    }

    /// A device that has not answered within this time is not there: a handshake is repeated three times in it.
    private static let answerLimit: Duration = .seconds(2)

    /// Dials every known peer, and waits until this node has caught up with those that it reached.
    func synchronise() async throws -> StatusReport {
        guard core.isServing else { throw NodeFailure.nobodyReachable }
        // Friends' devices, and others of this user's.
        let hasOthers = core.ownGroups.contains { group in
            core.engine.isMember(of: group) && core.engine.state(of: group)?.devices.count { $0.isCurrent } ?? 0 > 1
        }
        guard hasOthers else { return status() }
        try await loop.execute(.dialEveryone)
        await loop.settle(waitingForLinks: Self.answerLimit)
        guard !core.engine.linkedDevices.isEmpty else { throw NodeFailure.nobodyReachable }
        return status()
    }
}
