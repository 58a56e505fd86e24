import StreakCrypto
public import StreakWire

/// A feed's tip as one peer tells another.
public struct FeedTip: Hashable, Comparable, Sendable {
    public let feed: FeedID
    public let tip: Tip

    public init(feed: FeedID, tip: Tip) {
        self.feed = feed
        self.tip = tip
    }

    public static func < (left: FeedTip, right: FeedTip) -> Bool {
        (left.feed, left.tip) < (right.feed, right.tip)
    }
}

/// All feeds of a group that this node holds.
public struct GroupFeeds: Sendable {
    public let group: GroupID
    private var replicas: [FeedID: FeedReplica] = [:]
    private var order: [FeedID] = []
    private let cutTips = CutTipsCache()

    public init(group: GroupID) { self.group = group }

    /// The feeds in the order of their devices and epochs.
    public var feeds: [FeedReplica] { order.compactMap { replicas[$0] } }

    public subscript(feed: FeedID) -> FeedReplica? { replicas[feed] }

    /// The epochs held of one device, oldest first.
    public func epochs(of device: DeviceID) -> [Epoch] { order.filter { $0.device == device }.map(\.epoch) }

    /// How many records there are; of a forked feed, those of its longest branch.
    public var recordCount: Int { order.reduce(0) { $0 + Int(replicas[$1]?.tips.last?.number ?? 0) } }

    /// The end of every branch of every feed, sorted.
    public var tips: [FeedTip] { feeds.flatMap { feed in feed.tips.map { FeedTip(feed: feed.id, tip: $0) } } }

    /// The tips of a feed that count under a cut: see `FeedReplica.countingTips`. Empty if the feed is not here.
    public func countingTips(of feed: FeedID, through cut: Tip) -> [Tip] {
        replicas[feed].map { cutTips.tips(of: $0, through: cut) } ?? []
    }

    /// Whether a feed is here up to its cut.
    public func holds(_ cut: Tip, of feed: FeedID) -> Bool {
        replicas[feed] != nil && (cut.number == 0 || countingTips(of: feed, through: cut) == [cut])
    }

    /// Restores a run from this node's own store.
    public mutating func restore(_ stored: StoredRun) -> Bool {
        modify(stored.run.feed) { $0.restore(stored) }
    }

    /// Verifies a run and stores what is new in it: see `FeedReplica.receive`. If the first run of a feed fails,
    /// nothing of the feed is kept.
    public mutating func receive(
        _ run: Run, behind pieces: [Run] = [], through cut: Tip? = nil, arrival: UInt64
    ) throws(ReplicationError) -> FeedReplica.Reception {
        if replicas[run.feed] == nil, epochs(of: run.feed.device).count >= ProtocolLimits.maximumEpochs {
            throw .limitReached
        }
        let outcome = modify(run.feed) { replica -> Result<FeedReplica.Reception, ReplicationError> in
            do throws(ReplicationError) {
                return .success(try replica.receive(run, behind: pieces, through: cut, arrival: arrival))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    /// Verifies a run that leaves a gap after what is held of its feed. It is not stored here.
    public func verifyAhead(_ run: Run) throws(ReplicationError) -> AheadRun {
        if replicas[run.feed] == nil, epochs(of: run.feed.device).count >= ProtocolLimits.maximumEpochs {
            throw .limitReached
        }
        return try AheadRun(verifying: run, in: group)
    }

    /// Stores a run that `verifyAhead` accepted, once its predecessors are here; nil if it does not fit.
    public mutating func append(_ ahead: AheadRun, arrival: UInt64) -> StoredRun? {
        modify(ahead.run.feed) { $0.append(ahead, arrival: arrival) }
    }

    /// Changes one feed's copy; makes it if there is none. A copy without records is removed afterwards: otherwise
    /// refused runs would use up a device's epochs.
    @discardableResult
    public mutating func modify<Outcome>(_ id: FeedID, _ body: (inout FeedReplica) -> Outcome) -> Outcome {
        // Taken out meanwhile, so that the copy is changed in place.
        let held = replicas.removeValue(forKey: id)
        var replica = held ?? FeedReplica(id, in: group)
        let outcome = body(&replica)
        guard !replica.branches.isEmpty else {
            if held != nil { order.removeAll { $0 == id } }
            cutTips.forget(id)
            return outcome
        }
        replicas[id] = replica
        if held == nil { order.insert(id, at: order.firstIndex { id < $0 } ?? order.endIndex) }
        return outcome
    }

    /// Deletes feeds, and returns what the store has to remove.
    public mutating func erase(_ feeds: [FeedID]) -> [RunKey] {
        let erased = order.filter(feeds.contains)
        let keys = erased.flatMap { replicas[$0]?.storedRuns.map(\.key) ?? [] }
        for id in erased {
            replicas[id] = nil
            cutTips.forget(id)
        }
        order.removeAll(where: feeds.contains)
        return keys
    }

    /// The digest of a group (Protocol/sync.md §3): BLAKE2b-128 over the group ID, the last counting operation of every
    /// ledger chain by device and ID, and every counting tip by feed, number and hash.
    public static func digest(
        group: GroupID, ledger: [(device: DeviceID, operation: OperationID)], tips: [FeedTip]
    ) -> GroupDigest {
        var writer = WireWriter(reserving: 64 + ledger.count * 64 + tips.count * 88)
        writer.writeRaw(Array("streakmesh/v1/digest".utf8) + [0])
        writer.write(group)
        writer.writeCount(ledger.count)
        for entry in ledger.sorted(by: { ($0.device, $0.operation) < ($1.device, $1.operation) }) {
            writer.write(entry.device)
            writer.write(entry.operation)
        }
        writer.writeCount(tips.count)
        for entry in tips.sorted() {
            writer.write(entry.feed.device)
            writer.write(entry.feed.epoch)
            writer.writeVarint(entry.tip.number)
            writer.write(entry.tip.hash)
        }
        guard let bytes = Bytes16(Blake2b.hash(writer.bytes, size: 16)) else {
            preconditionFailure("BLAKE2b-128 gives 16 bytes")
        }
        return GroupDigest(bytes: bytes)
    }
}
