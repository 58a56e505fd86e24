import StreakCrypto
import StreakGames
import StreakLinks
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire
import Synchronization

/// This node's copy of one group: its ledger, its members' records, and what they merge into.
struct GroupReplica: Sendable {
    let id: GroupID
    @Indirect private(set) var ledger: Ledger
    @Indirect var feeds: GroupFeeds
    @Indirect var merged = MergedRecords()
    /// Newest first.
    private(set) var accessKeys: [AccessKey]
    /// The epoch that this device writes; nil before its first record, or after another copy was found to continue the
    /// old one.
    var ownEpoch: Epoch?
    var clock = HybridClock()
    var wasReset = false
    /// Whether the merged state differs from what counts, as after a cut feed has grown.
    var isStale = false
    /// This node's own account, if its admission does not count. What it wrote is shown here all the same.
    private(set) var excludedUser: UserID?
    /// Records of each feed that are void, because their author has retracted them.
    var voids = Voids()
    /// Runs that are merged and shown although their predecessors are missing.
    @Indirect var ahead = AheadRuns()
    /// The time of the newest record of `ownEpoch`, once it has been looked up.
    var ownLatest: (epoch: Epoch, time: HybridTime)?
    /// Before this time, records for which the quarantine had no room are not searched again.
    var nextRefill = MonotonicInstant.zero
    /// How often everything was merged again. Each time reads every record.
    var rebuildCount = 0
    /// Before this time, what others send does not cause everything to be merged again.
    var nextRebuild = MonotonicInstant.zero
    /// The arrival of each device's newest ledger operation, and of everything.
    private var operationArrivals: [DeviceID: UInt64] = [:]
    private var digestCache = DigestCache()
    /// The cuts as of the last rebuild.
    private var knownCuts: [KnownCut] = []

    private struct KnownCut: Equatable, Sendable {
        let device: DeviceID
        /// The user to whom the device's records belong.
        let user: UserID
        let isCurrent: Bool
        let cuts: [DeviceCut]
        let erasedEpochs: [Epoch]

        /// Whether some of the device's records do not count.
        var cutsAnything: Bool { !isCurrent || !cuts.isEmpty || !erasedEpochs.isEmpty }
    }

    init(ledger: Ledger, accessKeys: [AccessKey]) {
        id = ledger.group
        self.ledger = ledger
        self.accessKeys = accessKeys
        feeds = GroupFeeds(group: ledger.group)
        knownCuts = currentCuts
        sortAccessKeys()
    }

    var state: GroupState { _read { yield ledger.state } }
    var handle: GroupHandle { GroupHandle(id) }

    /// Computed on first use after a change: O(feeds + operations).
    var digest: GroupDigest { summary.digest }

    /// How many records count; of a forked feed, those of its longest branch.
    var countingRecords: Int { summary.recordCount }

    private var summary: DigestCache.Summary {
        digestCache.summary {
            let tips = countingTips(changedSince: 0)
            let ledgerTips = ledger.countingTips.map { (device: $0.device, operation: $0.operation) }
            var longest: [FeedID: UInt64] = [:]
            for entry in tips { longest[entry.feed] = max(longest[entry.feed] ?? 0, entry.tip.number) }
            return DigestCache.Summary(
                digest: GroupFeeds.digest(group: id, ledger: ledgerTips, tips: tips),
                // A sum is the same in any order.
                recordCount: Int(clamping: longest.values.reduce(0, +)))
        }
    }

    /// A new cache instead of an emptied one: older copies of this value keep theirs.
    mutating func digestMoved() { digestCache = DigestCache() }

    /// The tips of all feeds, as far as they count under the cuts. Only feeds that changed after arrival `arrival`; all
    /// if it is 0.
    func countingTips(changedSince arrival: UInt64) -> [FeedTip] {
        let state = ledger.state
        return feeds.feeds.flatMap { feed -> [FeedTip] in
            guard arrival == 0 || feed.lastArrival > arrival else { return [] }
            switch state.feedLimit(device: feed.id.device, epoch: feed.id.epoch) {
            case .unlimited:
                return feed.tips.map { FeedTip(feed: feed.id, tip: $0) }
            case .through(let cut):
                return feeds.countingTips(of: feed.id, through: cut.tip).map { FeedTip(feed: feed.id, tip: $0) }
            case .nothing:
                return []
            }
        }
    }

    /// Whether a peer with this tip has something that counts and is missing here.
    func lacks(_ entry: FeedTip) -> Bool {
        switch state.feedLimit(device: entry.feed.device, epoch: entry.feed.epoch) {
        case .nothing:
            return false
        case .through(let cut) where feeds.holds(cut.tip, of: entry.feed):
            return false
        case .through, .unlimited:
            return !(feeds[entry.feed]?.contains(entry.tip) ?? (entry.tip.number == 0))
        }
    }

    // MARK: Ledger

    private var currentCuts: [KnownCut] {
        state.devices.map { device in
            KnownCut(
                device: device.device, user: device.user, isCurrent: device.isCurrent,
                cuts: (device.cut.map { [$0] } ?? []) + device.earlierCuts, erasedEpochs: device.erasedEpochs)
        }
    }

    /// Whether the ledger's cuts have changed since the last call, or a device no longer counts at all. A new device
    /// without a cut does not affect what is merged.
    mutating func takeChangedCuts() -> Bool {
        let cuts = currentCuts
        defer { knownCuts = cuts }
        // Both ascend by device.
        var rest = cuts[...]
        for known in knownCuts {
            while let next = rest.first, next.device < known.device {
                if next.cutsAnything { return true }
                rest.removeFirst()
            }
            guard rest.popFirst() == known else { return true }
        }
        return rest.contains(where: \.cutsAnything)
    }

    /// Inserts a ledger operation. Returns all operations that are now part of the ledger, including formerly pending
    /// ones.
    ///
    /// - Parameter withinLimits: see `Ledger.insert`.
    mutating func insert(
        _ operation: SignedOperation, arrival: UInt64, withinLimits: Bool = true
    ) throws(LedgerError) -> [SignedOperation] {
        let insertion: LedgerInsertion
        do {
            insertion = try ledger.insert(operation, withinLimits: withinLimits)
        } catch LedgerError.tooManyPending {
            // Somebody filled the list of pending operations. Honest peers will send theirs again.
            ledger.discardPending()
            insertion = try ledger.insert(operation, withinLimits: withinLimits)
        }
        guard case .added(let added) = insertion else { return [] }
        for operation in added { operationArrivals[operation.operation.author] = arrival }
        if !added.isEmpty { digestMoved() }
        return added
    }

    /// Notes when an operation arrived that the ledger holds already.
    mutating func noteArrival(_ arrival: UInt64, of operation: SignedOperation) {
        operationArrivals[operation.operation.author] = arrival
    }

    /// Idle operations that are kept until the next start.
    static let maximumIdleOperations = 256

    /// Removes idle operations, and returns which. The resolved state stays the same.
    mutating func dropIdleOperations(keeping own: DeviceID) -> [OperationKey] {
        ledger.dropIdle(keeping: own).map { OperationKey(group: id, id: $0) }
    }

    /// Notes whether this node's admission does not count.
    mutating func noteExclusion(of own: DeviceIdentity) {
        excludedUser = ledger.exclusion(of: own.linkKey.publicKey) == nil ? nil : own.user
    }

    /// Adds an access key; false if it is known.
    mutating func add(_ key: AccessKey) -> Bool {
        guard !accessKeys.contains(key) else { return false }
        accessKeys.insert(key, at: 0)
        sortAccessKeys()
        return true
    }

    /// Sorts the keys into the ledger's order, newest first, because the order of arrival means nothing. Keys that no
    /// counting operation names come last, as after an annulled removal.
    mutating func sortAccessKeys() {
        guard accessKeys.count > 1 else { return }
        var rank: [Bytes32: Int] = [:]
        for (index, hash) in state.accessKeyHashes.enumerated() { rank[hash] = index }
        let ranked = accessKeys.map { ($0, rank[$0.hash] ?? -1) }
        accessKeys = ranked.sorted { ($0.1, $0.0.hash) > ($1.1, $1.0.hash) }.map(\.0)
    }

    /// The first access key, which every member has had.
    var foundingKey: AccessKey? {
        state.accessKeyHashes.first.flatMap { hash in accessKeys.first { $0.hash == hash } }
    }

    /// Hashes in the ledger whose access keys are not here, oldest first.
    var missingAccessKeys: [Bytes32] {
        let held = Set(accessKeys.map(\.hash))
        return state.accessKeyHashes.filter { !held.contains($0) }
    }

    /// The operation that ended a device's place, or makes its admission count for nothing. Nil if the device is
    /// current, or was never admitted.
    func ending(of linkKey: AgreementPublicKey) -> OperationID? {
        switch state.device(linkKey: linkKey)?.standing {
        case .removed(let by), .revoked(let by): by
        case .current: nil
        case nil: ledger.exclusion(of: linkKey)
        }
    }

    /// The tips to name, so that others do not send what is here.
    var namedTips: [LedgerTip] { ledger.namedTips }

    func operationTips(changedSince arrival: UInt64) -> [LedgerTip] {
        ledger.servedTips.filter { arrival == 0 || operationArrivals[$0.device, default: 0] > arrival }
    }

    // MARK: Records

    /// Verifies a run and merges what is new in it. Runs of a cut feed are merged by `rebuildIfStale`, after the last
    /// one.
    ///
    /// - Parameter pieces: see `FeedReplica.receive`.
    mutating func receive(
        _ run: Run, behind pieces: [Run] = [], arrival: UInt64, wall: WallTime
    ) throws(ReplicationError) -> (reception: FeedReplica.Reception, merged: [MergedRecord]) {
        guard state.device(run.feed.device) != nil else { throw .unknownAuthor(run.feed.device) }
        let cut = try cut(of: run.feed)
        if let cut { try checkCut(cut, leaves: run, from: (pieces.first ?? run).first) }
        let reception = try feeds.receive(run, behind: pieces, through: cut?.tip, arrival: arrival)
        if reception.isDuplicate { return (reception, []) }
        digestMoved()
        // Another branch was given up, and its records no longer count.
        if !reception.removed.isEmpty { isStale = true }
        if cut != nil {
            // The cut decides which branch counts, so the feed is merged as a whole.
            isStale = true
            return (reception, [])
        }
        let merged = merge(reception.records, from: reception.firstNumber, of: run.feed, wall: wall)
        return (reception, merged)
    }

    /// Where a feed is cut; nil if it is not. Throws if nothing of the feed counts.
    private func cut(of feed: FeedID) throws(ReplicationError) -> FeedCut? {
        switch state.feedLimit(device: feed.device, epoch: feed.epoch) {
        case .nothing: throw .pastCut
        case .through(let cut): cut
        case .unlimited: nil
        }
    }

    /// Throws for records that cannot count under a cut: all after it, and, once the cut is held, all on other
    /// branches.
    private func checkCut(_ cut: FeedCut, leaves run: Run, from first: UInt64) throws(ReplicationError) {
        guard first <= cut.number else { throw .pastCut }
        guard feeds.holds(cut.tip, of: run.feed), let feed = feeds[run.feed] else { return }
        let records: RecordList
        do { records = try run.records() } catch { throw .malformed(error) }
        let hash = FeedChain.hash(after: run.before, records: records)
        guard feed.contains(Tip(number: run.last, hash: hash)) else { throw .pastCut }
    }

    /// Looks at a run without a signature; it is stored once the run that covers it comes. True if it brought the
    /// backfill to a cut further back.
    mutating func noteBackfill(_ piece: Run) throws(ReplicationError) -> Bool {
        guard feeds[piece.feed] != nil, let cut = try cut(of: piece.feed) else { return false }
        var outcome: Result<Bool, ReplicationError> = .success(false)
        feeds.modify(piece.feed) { feed in
            outcome = Result { () throws(ReplicationError) in try feed.noteBackfill(piece, to: cut.tip) }
        }
        return try outcome.get()
    }

    /// What to ask a peer for that claims a feed's cut: see `FeedReplica.backfillRequest`. Nil for any other claim.
    mutating func backfillRequest(for claimed: FeedTip) -> RunsWanted? {
        guard feeds[claimed.feed] != nil,
            case .through(let cut) = state.feedLimit(device: claimed.feed.device, epoch: claimed.feed.epoch),
            cut.tip == claimed.tip
        else { return nil }
        return feeds.modify(claimed.feed) { $0.backfillRequest(to: cut.tip) }
    }

    /// See `FeedReplica.cancelBackfill`.
    mutating func cancelBackfill(of feed: FeedID) {
        guard feeds[feed] != nil else { return }
        feeds.modify(feed) { $0.cancelBackfill() }
    }

    /// Gives up ninth branches of feeds that are no longer cut.
    mutating func trimBranches() -> DurableChange {
        var change = DurableChange()
        for feed in feeds.feeds where feed.isOverfull {
            if case .through = state.feedLimit(device: feed.id.device, epoch: feed.id.epoch) { continue }
            let moved = feeds.modify(feed.id) { $0.trim() }
            var part = DurableChange()
            part.removedRuns = moved.removed
            part.runs = moved.stored
            change.append(part)
        }
        if !change.isEmpty { digestMoved() }
        return change
    }

    /// Runs that a peer lacks, up to about `maximumSize` packed bytes, and whether they are complete. Of a cut feed,
    /// only what the cut keeps.
    ///
    /// - Parameter comparisons: see `FeedReplica.runs`.
    func runs(
        _ wanted: RunsWanted, maximumSize: Int, comparisons: inout Int
    ) -> (runs: [Run], isComplete: Bool) {
        guard let feed = feeds[wanted.feed] else { return ([], true) }
        switch state.feedLimit(device: wanted.feed.device, epoch: wanted.feed.epoch) {
        case .nothing: return ([], true)
        case .unlimited: return feed.runs(wanted, maximumSize: maximumSize, comparisons: &comparisons)
        case .through(let cut):
            return feed.runs(
                wanted, through: cut.tip, signature: cut.signature, maximumSize: maximumSize,
                comparisons: &comparisons)
        }
    }

    /// What a run takes in a message beside its records, in bytes: about as much.
    static let sizeBesideRecords = 160

    /// How much a peer is sent that asks for all that is here, in bytes: about as much. O(runs).
    var servedSize: Int {
        feeds.feeds.reduce(ledger.weight) { size, feed in
            feed.storedRuns.reduce(size) { $0 + $1.run.packed.count + Self.sizeBesideRecords }
        }
    }

    /// Whether merged records were taken back since the last call.
    mutating func takeReset() -> Bool {
        defer { wasReset = false }
        return wasReset
    }

    /// Deletes what the ledger says was erased, except this device's own. Returns what the store has to remove.
    mutating func eraseRecords(except own: DeviceID) -> [RunKey] {
        let state = state
        let erased = feeds.feeds.map(\.id).filter { feed in
            guard feed.device != own, let device = state.device(feed.device), state.isErased(device.user) else {
                return false
            }
            return state.feedLimit(device: feed.device, epoch: feed.epoch) == .nothing
        }
        guard !erased.isEmpty else { return [] }
        let keys = feeds.erase(erased)
        digestMoved()
        return keys
    }

    /// Deletes all that other accounts wrote. Returns what the store has to remove.
    mutating func eraseRecords(ofAllBut user: UserID) -> [RunKey] {
        let state = state
        let foreign = feeds.feeds.map(\.id).filter {
            (state.device($0.device)?.user ?? ledger.user(of: $0.device)) != user
        }
        guard !foreign.isEmpty else { return [] }
        let keys = feeds.erase(foreign)
        digestMoved()
        return keys
    }

    /// Restores a run from this node's own store; false if it does not fit.
    ///
    /// Its contents were verified when it came, and its row's checksum shows that it is unchanged. Whether it unpacks
    /// shows when everything is merged.
    mutating func restore(_ stored: StoredRun) -> Bool { feeds.restore(stored) }

    /// Where a device's ledger chain and feeds end here: what a cut by this node keeps.
    func cut(of device: DeviceID) -> DeviceCut {
        let last = ledger.longestTip(of: device)
        let ends = feeds.epochs(of: device).compactMap { epoch -> FeedCut? in
            guard let feed = feeds[FeedID(device: device, epoch: epoch)], let run = feed.lastRun else { return nil }
            return FeedCut(
                epoch: epoch, number: feed.mainTip.number, hash: feed.mainTip.hash, signature: run.signature)
        }
        return DeviceCut(device: device, lastOperation: last ?? OperationID(bytes: .zero), feeds: ends)
    }

    mutating func compact(_ feed: FeedID) -> (removed: [RunKey], added: StoredRun)? {
        feeds.modify(feed) { $0.compact() }
    }
}

extension FeedCut {
    fileprivate var tip: Tip { Tip(number: number, hash: hash) }
}

/// The digest of one state and its number of records, computed on first use.
private final class DigestCache: Sendable {
    struct Summary: Sendable {
        let digest: GroupDigest
        let recordCount: Int
    }

    private let value = Mutex<Summary?>(nil)

    func summary(orCompute compute: () -> Summary) -> Summary {
        value.withLock { cached in
            if let cached { return cached }
            let fresh = compute()
            cached = fresh
            return fresh
        }
    }
}
