import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// Anti-entropy: digests say whether two copies of a group differ, tips say where, and runs bring what is missing
/// (Protocol/sync.md §4). It knows how the copies at the ends of every link compare.
struct Sync: Sendable {
    /// Last digest and record count each member reported, also while it is away; in memory only.
    private var lastReported: [CopyKey: ReportedState] = [:]
    /// Groups whose digest is to be told over every link soon, and when.
    private var announcements: [GroupID: MonotonicInstant] = [:]
    /// Groups that have changed, and when to look for links over which the peer does not know that yet.
    private var comparisons: [GroupID: MonotonicInstant] = [:]
    /// The state of each group on each link.
    var peers = SyncPeers()

    struct CopyKey: Hashable, Comparable, Sendable {
        let group: GroupID
        let peer: DeviceID
        static func < (left: CopyKey, right: CopyKey) -> Bool {
            (left.group, left.peer) < (right.group, right.peer)
        }
    }

    /// What a member reported about its copy of a group.
    private struct ReportedState: Sendable {
        let digest: GroupDigest
        let recordCount: UInt64
    }

    /// How long to wait before telling a digest, so that a burst of changes costs one message.
    static let announcementDelay: Duration = .milliseconds(20)

    /// How long after a change to look for links over which the peer does not know of it, and how long a difference may
    /// last while nothing is in progress.
    static let comparisonDelay: Duration = .milliseconds(800)

    // MARK: Reading

    /// The devices that have reported what they hold of a group.
    func tellers(of group: GroupID) -> Set<DeviceID> {
        Set(lastReported.keys.lazy.filter { $0.group == group }.map(\.peer))
    }

    /// How far this device has come in fetching a group: the records that count here, and how many there will be by
    /// what members report. Nil if nothing is being fetched.
    func progress(of group: GroupID, core: EngineCore) -> (held: Int, total: Int)? {
        guard let replica = core.groups[group] else { return nil }
        let counts = core.sessions.keys.compactMap { link -> UInt64? in
            guard let session = core.sessions[link], let peer = peers[link, group],
                peer.round?.feedTips.isEmpty == false || peer.resumption != nil,
                let device = core.deviceID(of: session.key)
            else { return nil }
            return lastReported[CopyKey(group: group, peer: device)]?.recordCount
        }
        guard let most = counts.max() else { return nil }
        let held = replica.countingRecords
        // Each may lack something that the other has.
        return (held, max(held, Int(clamping: min(most, UInt64(Int32.max)))))
    }

    /// How many records of a group a device lacks, by its last report, also while it is away: 0 if it has all; nil if
    /// it has reported nothing since this node started. With a forked feed this is an estimate.
    func behind(_ device: DeviceID, in group: GroupID, core: EngineCore) -> Int? {
        guard let replica = core.groups[group], let state = lastReported[CopyKey(group: group, peer: device)] else {
            return nil
        }
        if state.digest == replica.digest { return 0 }
        return max(0, replica.countingRecords - Int(clamping: state.recordCount))
    }

    /// When the next thing is due.
    var nextDeadline: MonotonicInstant? {
        // A minimum is the same in any order.
        [announcements.values.min(), comparisons.values.min(), peers.deadline].compactMap(\.self).min()
    }

    // MARK: Links and groups

    /// Both ends of a link have proven to know a group.
    mutating func opened(_ group: GroupID, over link: LinkID) {
        if peers[link, group] == nil { peers[link, group] = SyncPeer() }
    }

    mutating func closed(_ link: LinkID, of key: AgreementPublicKey, core: inout EngineCore) {
        let closed = peers.removeAll(on: link)
        for group in closed.keys.sorted() {
            guard let round = closed[group]?.round else { continue }
            // Otherwise a peer could begin as many exchanges as it makes links.
            if !round.receivedAnything, let user = core.groups[group]?.state.device(linkKey: key)?.user {
                _ = core.charge(.fruitlessRounds, to: .account(user))
            }
            if let device = core.deviceID(of: key) { core.publish(.syncEnded(group, device)) }
            roundEnded(of: group, core: &core)
        }
    }

    /// This device does not have a group any longer.
    mutating func groupDropped(_ group: GroupID) {
        for key in lastReported.keys.sorted() where key.group == group { lastReported[key] = nil }
        peers.removeAll(of: group)
    }

    /// What others wrote in a group is deleted here. If this device comes in again, it has to fetch everything.
    mutating func groupLost(_ group: GroupID, core: inout EngineCore) {
        var change = DurableChange()
        for cursor in core.local.all(Cursor.self) where cursor.group == group {
            change.local[Cursor.self, group, cursor.peer] = nil
        }
        core.persist(change)
    }

    /// A group has changed: soon looks for links over which the peer does not know that yet.
    mutating func changed(_ group: GroupID, core: EngineCore) {
        if comparisons[group] == nil { comparisons[group] = core.now.advanced(by: Self.comparisonDelay) }
    }

    /// Does what is due.
    mutating func runTimers(core: inout EngineCore) {
        for group in announcements.keys.sorted() where announcements[group].map({ $0 <= core.now }) ?? false {
            announcements[group] = nil
            tellDigest(of: group, except: nil, core: &core)
        }
        for group in comparisons.keys.sorted() where comparisons[group].map({ $0 <= core.now }) ?? false {
            comparisons[group] = nil
            for link in core.links(of: group, allowing: .records) {
                settleDifference(in: group, over: link, core: &core)
            }
        }
        for link in peers.due(at: core.now) {
            for group in peers.groups(on: link) {
                endOverdueRound(of: group, over: link, core: &core)
                resumeRound(of: group, over: link, core: &core)
                guard let due = peers[link, group]?.comparison, due <= core.now else { continue }
                settleDifference(in: group, over: link, core: &core)
            }
        }
        peers.refresh()
    }

    // MARK: Telling

    /// Keeps the digest of a peer that may not hear ours yet, until it may.
    mutating func keepDigest(_ digest: GroupDigest, arrival: UInt64, of group: GroupID, over link: LinkID) {
        peers[link, group]?.digest = digest
        peers[link, group]?.arrival = arrival
    }

    mutating func sendDigest(of group: GroupID, over link: LinkID, core: inout EngineCore) {
        guard let replica = core.groups[group] else { return }
        let count = UInt64(replica.countingRecords)
        let clock = UInt64(clamping: core.wall.seconds)
        peers[link, group]?.announced = replica.digest
        core.send(
            .digest(replica.handle, replica.digest, arrival: core.journal.storedArrival, count: count, clock: clock),
            over: link)
    }

    /// Keeps what a member reports about its copy and its clock.
    mutating func digestReported(
        _ digest: GroupDigest, count: UInt64, clock: UInt64, of group: GroupID, over link: LinkID,
        core: inout EngineCore
    ) {
        guard let session = core.sessions[link],
            core.access(of: link, in: group).contains(.ledger),
            let device = core.groups[group]?.state.device(linkKey: session.key)
        else { return }
        lastReported[CopyKey(group: group, peer: device.device)] = ReportedState(digest: digest, recordCount: count)
        core.sessions[link]?.clock = PeerClock(seconds: Int64(clamping: clock), at: core.now)
        if session.clock == nil { core.publish(.clockHeard(device.device)) }
    }

    func tellable(_ group: GroupID, except source: LinkID?, core: EngineCore) -> [LinkID] {
        core.links(of: group, allowing: .records).filter { $0 != source }
    }

    mutating func tellDigest(of group: GroupID, except source: LinkID?, core: inout EngineCore) {
        for link in tellable(group, except: source, core: core) { sendDigest(of: group, over: link, core: &core) }
    }

    // MARK: Differences

    /// Acts when the two ends of a link are not known to be equal. It tells the peer our digest, if the peer was last
    /// told another; otherwise it asks the peer, if the peer reported another. An exchange that is in progress or put
    /// off will settle it.
    ///
    /// This depends only on the link's state. Whatever made the ends differ, each looks again while they do,
    /// `comparisonDelay` after the last time. The only exception is a pair of digests for which an exchange of all tips
    /// has brought nothing.
    mutating func settleDifference(in group: GroupID, over link: LinkID, core: inout EngineCore) {
        peers[link, group]?.comparison = nil
        guard let ours = core.groups[group]?.digest, let peer = peers[link, group],
            core.access(of: link, in: group).contains(.records), peer.round == nil, peer.resumption == nil
        else { return }
        if peer.announced != ours {
            sendDigest(of: group, over: link, core: &core)
            // The peer answers, or it is asked the next time.
            if peer.digest != ours { compareSoon(group, over: link, core: core) }
            return
        }
        guard let theirs = peer.digest, theirs != ours else { return }
        startRound(over: link, group: group, theirs: theirs, ours: ours, core: &core)
    }

    /// Starts a round, unless these two digests were compared completely. Waits if the peer has caused too many rounds in
    /// vain.
    private mutating func startRound(
        over link: LinkID, group: GroupID, theirs: GroupDigest, ours: GroupDigest, core: inout EngineCore
    ) {
        let settled = peers[link, group]?.settled.flatMap { $0.theirs == theirs && $0.ours == ours ? $0 : nil }
        if settled?.comparedAll ?? false { return }
        let turn = core.budget.nextTurn(of: .fruitlessRounds, for: core.payer(of: link), at: core.now)
        guard turn <= core.now else {
            peers[link, group]?.comparison = turn
            return
        }
        startRound(over: link, group: group, comparingAll: settled != nil, core: &core)
    }

    mutating func compareSoon(_ group: GroupID, over link: LinkID, core: EngineCore) {
        guard let peer = peers[link, group], peer.comparison == nil else { return }
        peers[link, group]?.comparison = core.now.advanced(by: Self.comparisonDelay)
    }

    /// Tells every link the group's digest soon, once for all changes until then.
    mutating func announceSoon(_ group: GroupID, except source: LinkID?, core: EngineCore) {
        guard !tellable(group, except: source, core: core).isEmpty, announcements[group] == nil else { return }
        announcements[group] = core.now.advanced(by: Self.announcementDelay)
    }

    mutating func receivedDigest(
        _ digest: GroupDigest, arrival: UInt64, of group: GroupID, over link: LinkID, core: inout EngineCore
    ) {
        guard var peer = peers[link, group], let replica = core.groups[group] else { return }
        let isFirst = peer.digest == nil
        peer.digest = digest
        peer.arrival = arrival
        peers[link, group] = peer
        // A peer that has just recognised the group on this link may have dropped what it was told before.
        if isFirst { sendDigest(of: group, over: link, core: &core) }
        guard digest != replica.digest else {
            if peer.round == nil {
                keepCursor(arrival, of: group, over: link, core: &core)
                core.post(.roundEnded(group, link))
            }
            // The peer was told another digest, and would ask for what is not there.
            if !isFirst, peer.announced != digest { sendDigest(of: group, over: link, core: &core) }
            return
        }
        startRound(over: link, group: group, theirs: digest, ours: replica.digest, core: &core)
    }

    /// Notes that everything of a peer's store up to `arrival` is here.
    mutating func keepCursor(_ arrival: UInt64, of group: GroupID, over link: LinkID, core: inout EngineCore) {
        // No honest store has a larger number, and no store can hold one.
        guard arrival <= UInt64(Int64.max), let session = core.sessions[link], let peerStore = session.store,
            let device = core.groups[group]?.state.device(linkKey: session.key)?.device
        else { return }
        let cursor = Cursor(group: group, peer: device, store: peerStore, arrival: arrival)
        guard core.local[Cursor.self, group, device] != cursor else { return }
        var change = DurableChange()
        change.local.keep(cursor)
        core.persist(change)
    }
}
