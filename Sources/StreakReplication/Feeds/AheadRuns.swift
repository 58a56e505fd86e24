public import StreakWire

/// A run that its author signed but that cannot be stored yet, because earlier records are missing here.
public struct AheadRun: Hashable, Sendable {
    public let run: Run
    /// The chain hash after its last record.
    public let after: ChainHash

    /// Verifies a run alone: its records decode, and the feed's device signed its end. So only the author can have
    /// written them, although their predecessors are not here.
    public init(verifying run: Run, in group: GroupID) throws(ReplicationError) {
        let chained = try ChainedRun(run)
        try chained.checkSignature(in: group)
        self.run = run
        after = chained.end.hash
    }
}

/// Runs of a group whose predecessors are missing: the newest of each feed, and those that several peers send at a
/// time.
///
/// They are in memory only, at most 4 MiB. If they are lost, they are fetched again.
public struct AheadRuns: Sendable {
    /// In packed bytes, with some bytes for each run itself.
    public static let maximumSize = 4 << 20
    private static let overhead = 256
    /// The most runs of one feed: enough for a full feed, in runs of the usual length.
    private static let maximumRuns = 256
    /// How many feeds are remembered for which a newest run came in vain. These are fetched from their beginning.
    private static let maximumFailures = 4_096
    /// How often the predecessors of a feed's newest run may fail to come.
    private static let patience = 2

    /// By the numbers of their first records.
    private var runs: [FeedID: [AheadRun]] = [:]
    private var failures: [FeedID: Int] = [:]
    public private(set) var size = 0

    public init() {}

    public var isEmpty: Bool { runs.isEmpty }

    /// The feeds with such runs, sorted.
    public var feeds: [FeedID] { runs.keys.sorted() }

    public subscript(feed: FeedID) -> [AheadRun] { runs[feed] ?? [] }

    /// Whether to ask for runs of a feed before their predecessors.
    public func trusts(_ feed: FeedID) -> Bool {
        failures[feed].map { $0 < Self.patience } ?? (failures.count < Self.maximumFailures)
    }

    /// Whether holding a run would bring anything new, and there is room. O(number of the feed's).
    public func takes(_ run: Run) -> Bool {
        guard size + Self.size(of: run) <= Self.maximumSize, self[run.feed].count < Self.maximumRuns, trusts(run.feed)
        else { return false }
        return !Self.gaps(in: run.first...run.last, between: self[run.feed].map(\.run.numbers)).isEmpty
    }

    /// Holds a run that `takes` accepts.
    public mutating func hold(_ ahead: AheadRun) {
        var held = self[ahead.run.feed]
        held.insert(ahead, at: held.firstIndex { $0.run.first > ahead.run.first } ?? held.endIndex)
        runs[ahead.run.feed] = held
        size += Self.size(of: ahead.run)
    }

    /// Takes out the first of a feed's runs, if it begins at or before the number after `number`.
    public mutating func popFirst(of feed: FeedID, from number: UInt64) -> AheadRun? {
        guard var held = runs[feed], let first = held.first, first.run.first <= number + 1 else { return nil }
        held.removeFirst()
        runs[feed] = held.isEmpty ? nil : held
        size -= Self.size(of: first.run)
        return first
    }

    private static func size(of run: Run) -> Int { run.packed.count + overhead }

    /// Drops everything, because the predecessors have not come. Returns whether there was anything.
    public mutating func drop() -> Bool {
        guard !runs.isEmpty else { return false }
        for feed in feeds { failures[feed, default: 0] += 1 }
        runs = [:]
        size = 0
        return true
    }

    /// The parts of `range` that none of `ranges` covers, in order.
    public static func gaps(
        in range: ClosedRange<UInt64>, between ranges: [ClosedRange<UInt64>]
    ) -> [ClosedRange<UInt64>] {
        var gaps: [ClosedRange<UInt64>] = []
        var next = range.lowerBound
        for taken in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where taken.upperBound >= next {
            guard taken.lowerBound <= range.upperBound else { break }
            if taken.lowerBound > next { gaps.append(next...(taken.lowerBound - 1)) }
            next = taken.upperBound + 1
        }
        if next <= range.upperBound { gaps.append(next...range.upperBound) }
        return gaps
    }
}

extension Run {
    /// The numbers of its records.
    public var numbers: ClosedRange<UInt64> { first...last }
}
