import StreakCrypto
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire
import Synchronization

/// This node's copy of one group: who is in, what they wrote, and what that comes to.
struct GroupReplica: Sendable {
    let id: GroupID
    private(set) var ledger: Ledger
    var feeds: GroupFeeds
    var merged = MergedRecords()
    /// Newest first.
    private(set) var accessKeys: [AccessKey]
    /// The epoch this device writes; nil until it writes, or after the old one was found to be continued elsewhere.
    var ownEpoch: Epoch?
    var clock = HybridClock()
    var wasReset = false
    /// Whether what is merged is not what counts, as after a cut feed has grown.
    var isStale = false
    /// Records of each feed that count for nothing, because their author has retracted them.
    var voids = Voids()
    /// Runs that are merged and shown, though what precedes them is not here yet.
    var ahead = AheadRuns()
    /// The time of the newest record of `ownEpoch`, once it was looked at.
    var ownLatest: (epoch: Epoch, time: HybridTime)?
    /// Before this, records for which the quarantine had no room are not gone through again.
    var nextRefill = MonotonicInstant.zero
    /// How often everything was merged anew, each time at the cost of a look at every record.
    var rebuildCount = 0
    /// The arrival of each device's newest ledger operation, and of everything.
    private var operationArrivals: [DeviceID: UInt64] = [:]
    private var digestCache = DigestCache()
    /// What counts of devices that were cut, as of the last rebuild.
    private var knownCuts: [KnownCut] = []

    private struct KnownCut: Equatable, Sendable {
        let device: DeviceID
        /// What it wrote is merged as this user's.
        let user: UserID
        let isCurrent: Bool
        let cuts: [DeviceCut]
        let erasedEpochs: [Epoch]
    }

    init(ledger: Ledger, accessKeys: [AccessKey]) {
        id = ledger.group
        self.ledger = ledger
        self.accessKeys = accessKeys
        feeds = GroupFeeds(group: ledger.group)
        knownCuts = currentCuts
        sortAccessKeys()
    }

    var state: GroupState { ledger.state }
    var handle: GroupHandle { GroupHandle(id) }

    /// Computed when asked for after a change: O(feeds + operations).
    var digest: GroupDigest { summary.digest }

    /// How many records count, of a forked feed those of its longest branch.
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

    /// A new cache, not an emptied one: copies of this value from before keep theirs.
    mutating func digestMoved() { digestCache = DigestCache() }

    /// The tips of all feeds as far as they count under the cuts: what lies past one is left out. Of feeds that changed
    /// after arrival `arrival` only; all where it is 0.
    func countingTips(changedSince arrival: UInt64) -> [FeedTip] {
        let state = ledger.state
        return feeds.feeds.flatMap { feed -> [FeedTip] in
            guard arrival == 0 || feed.lastArrival > arrival else { return [] }
            switch state.feedLimit(device: feed.id.device, epoch: feed.id.epoch) {
            case .unlimited:
                return feed.tips.map { FeedTip(feed: feed.id, tip: $0) }
            case .through(let cut):
                let end = Tip(number: cut.number, hash: cut.hash)
                if feed.contains(end) { return [FeedTip(feed: feed.id, tip: end)] }
                return feed.tips.filter { $0.number < cut.number }.map { FeedTip(feed: feed.id, tip: $0) }
            case .nothing:
                return []
            }
        }
    }

    /// Whether a peer that has this tip has something that counts and is missing here.
    func lacks(_ entry: FeedTip) -> Bool {
        let feed = feeds[entry.feed]
        switch state.feedLimit(device: entry.feed.device, epoch: entry.feed.epoch) {
        case .nothing:
            return false
        case .through(let cut) where feed?.contains(Tip(number: cut.number, hash: cut.hash)) ?? false:
            return false
        case .through, .unlimited:
            return !(feed?.contains(entry.tip) ?? (entry.tip.number == 0))
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

    /// Whether the ledger cuts or restores feeds otherwise than at the last call, or a device no longer counts at all. A
    /// new device without a cut changes nothing that is merged.
    mutating func takeChangedCuts() -> Bool {
        let cuts = currentCuts
        defer { knownCuts = cuts }
        return knownCuts.contains { !cuts.contains($0) }
            || cuts.contains { cut in
                !knownCuts.contains(cut) && (!cut.isCurrent || !cut.cuts.isEmpty || !cut.erasedEpochs.isEmpty)
            }
    }

    /// Takes a ledger operation. Returns the operations that are now part of the ledger, formerly pending ones among them.
    ///
    /// - Parameter withinLimits: see `Ledger.insert`.
    mutating func insert(
        _ operation: SignedOperation, arrival: UInt64, withinLimits: Bool = true
    ) throws(LedgerError) -> [SignedOperation] {
        let insertion: LedgerInsertion
        do {
            insertion = try ledger.insert(operation, withinLimits: withinLimits)
        } catch LedgerError.tooManyPending {
            // Somebody filled the waiting room. What honest peers put there comes again.
            ledger.discardPending()
            insertion = try ledger.insert(operation, withinLimits: withinLimits)
        }
        guard case .added(let added) = insertion else { return [] }
        for operation in added { operationArrivals[operation.operation.author] = arrival }
        if !added.isEmpty { digestMoved() }
        return added
    }

    /// Takes a key; false for a known one.
    mutating func add(_ key: AccessKey) -> Bool {
        guard !accessKeys.contains(key) else { return false }
        accessKeys.insert(key, at: 0)
        sortAccessKeys()
        return true
    }

    /// Brings the keys into the ledger's order, newest first: the order in which they came says nothing. Last stand those
    /// that no counting operation names, as after a removal that was annulled.
    mutating func sortAccessKeys() {
        guard accessKeys.count > 1 else { return }
        var rank: [Bytes32: Int] = [:]
        for (index, hash) in state.accessKeyHashes.enumerated() { rank[hash] = index }
        let ranked = accessKeys.map { ($0, rank[$0.hash] ?? -1) }
        accessKeys = ranked.sorted { ($0.1, $0.0.hash) > ($1.1, $1.0.hash) }.map(\.0)
    }

    /// The hashes in the ledger of keys that are not here, oldest first.
    var missingAccessKeys: [Bytes32] {
        let held = Set(accessKeys.map(\.hash))
        return state.accessKeyHashes.filter { !held.contains($0) }
    }

    /// As many tips as one message holds; what is not named is simply sent.
    var namedTips: [LedgerTip] { Array(ledger.tips.prefix(LinkMessage.maximumTips)) }

    func operationTips(changedSince arrival: UInt64) -> [LedgerTip] {
        ledger.tips.filter { arrival == 0 || operationArrivals[$0.device, default: 0] > arrival }
    }

    // MARK: Records

    /// Verifies a run and merges what is new of it; of a cut feed that is left to `rebuildIfStale`, after the last run.
    mutating func receive(
        _ run: Run, arrival: UInt64, wall: WallTime
    ) throws(ReplicationError) -> (reception: FeedReplica.Reception, merged: [MergedRecord]) {
        guard let device = state.device(run.feed.device) else { throw .unknownAuthor(run.feed.device) }
        let limit = state.feedLimit(device: device.device, epoch: run.feed.epoch)
        switch limit {
        case .nothing: throw .pastCut
        case .through(let cut):
            try checkCut(cut, leaves: run)
        case .unlimited: break
        }
        let reception = try feeds.receive(run, arrival: arrival)
        if reception.isDuplicate { return (reception, []) }
        digestMoved()
        // What was in a branch that others pushed out counts no more.
        if !reception.removed.isEmpty { isStale = true }
        if case .through = limit {
            // Which branch counts is the cut's to say, so the feed is merged as a whole.
            isStale = true
            return (reception, [])
        }
        let merged = merge(reception.records, from: reception.firstNumber, of: run.feed, wall: wall)
        return (reception, merged)
    }

    /// Throws for what a cut leaves out: all that comes after it, and, once the feed is here up to the cut, every other
    /// history.
    private func checkCut(_ cut: FeedCut, leaves run: Run) throws(ReplicationError) {
        guard run.first <= cut.number else { throw .pastCut }
        guard let feed = feeds[run.feed], feed.contains(Tip(number: cut.number, hash: cut.hash)) else { return }
        let records: RecordList
        do { records = try run.records() } catch { throw .malformed(error) }
        let hash = FeedChain.hash(after: run.before, records: records)
        guard feed.contains(Tip(number: run.last, hash: hash)) else { throw .pastCut }
    }

    /// Runs that a peer lacks, up to about `maximumSize` packed bytes, and whether that is all. Of a cut feed what the cut
    /// leaves.
    ///
    /// - Parameter comparisons: see `FeedReplica.runs`.
    func runs(
        _ wanted: RunsWanted, maximumSize: Int, comparisons: inout Int
    ) -> (runs: [Run], isComplete: Bool) {
        guard let feed = feeds[wanted.feed] else { return ([], true) }
        let limit = state.feedLimit(device: wanted.feed.device, epoch: wanted.feed.epoch)
        if case .nothing = limit { return ([], true) }
        let (runs, isComplete) = feed.runs(wanted, maximumSize: maximumSize, comparisons: &comparisons)
        guard case .through(let cut) = limit else { return (runs, isComplete) }
        return (runs.compactMap { shortened($0, of: feed, to: cut) }, isComplete)
    }

    /// A run as far as a cut leaves it; nil where that is nothing. With the cut's own signature, where it is the device's;
    /// else nobody could verify less than the whole run.
    private func shortened(_ run: Run, of feed: FeedReplica, to cut: FeedCut) -> Run? {
        guard run.first <= cut.number else { return nil }
        guard run.last > cut.number else { return run }
        guard let records = try? run.records() else { return nil }  // was checked on arrival
        let kept = records.prefix(Int(cut.number - run.first) + 1)
        let end = Tip(number: cut.number, hash: FeedChain.hash(after: run.before, records: kept))
        guard end.hash == cut.hash else { return nil }
        guard let key = try? SigningPublicKey(rawBytes: run.feed.device.bytes.array),  // 32 bytes by its type
            key.isValid(cut.signature, for: FeedChain.signedBytes(group: id, feed: run.feed, tip: end))
        else { return run }
        let shorter = Run(feed: run.feed, first: run.first, before: run.before, signature: cut.signature, records: kept)
        return shorter.packed.count <= ProtocolLimits.maximumRunSize ? shorter : run
    }

    /// Whether merged records were taken back since the last call.
    mutating func takeReset() -> Bool {
        defer { wasReset = false }
        return wasReset
    }

    /// Deletes what the ledger says was erased, but for this node's own. Returns what the store has to remove.
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
        let foreign = feeds.feeds.map(\.id).filter { state.device($0.device)?.user != user }
        guard !foreign.isEmpty else { return [] }
        let keys = feeds.erase(foreign)
        digestMoved()
        return keys
    }

    /// Takes a run from this node's own store; false where it does not fit.
    ///
    /// What it holds was verified when it came, and its row's checksum says that it is still the same. Whether it unpacks
    /// shows when everything is merged.
    mutating func restore(_ stored: StoredRun) -> Bool { feeds.restore(stored) }

    /// Where a device's ledger chain and feeds end here: what a cut by this node accepts.
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

/// The digest of one state and its number of records, computed when first asked for.
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
