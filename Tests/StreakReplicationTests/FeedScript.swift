import StreakCrypto
import StreakRandom
import StreakReplication
import StreakWire

/// The records of one device, to be packed into any runs.
struct FeedScript {
    static let group = GroupID(bytes: Bytes32(1, 2, 3, 4))
    static let otherGroup = GroupID(bytes: Bytes32(1, 2, 3, 5))
    static let start: Int64 = 1_795_262_400_000

    let group: GroupID
    let id: FeedID
    let key: SigningSecretKey
    private(set) var records: [[UInt8]] = []
    /// The chain hash after 0, 1, 2 … records.
    private(set) var hashes: [ChainHash]

    init(device: UInt64 = 1, epoch: UInt32 = 1, group: GroupID = FeedScript.group) {
        var entropy = SeededEntropy(seed: device)
        key = SigningSecretKey.generate(from: &entropy)
        self.group = group
        let device = DeviceID(bytes: Bytes32(key.publicKey.rawBytes) ?? .zero)
        id = FeedID(device: device, epoch: Epoch(counter: epoch, nonce: 7))
        hashes = [FeedChain.origin(of: id, in: group)]
    }

    /// The first `count` records, to be continued differently.
    func branch(at count: Int) -> FeedScript {
        var copy = self
        copy.records = Array(records.prefix(count))
        copy.hashes = Array(hashes.prefix(count + 1))
        return copy
    }

    mutating func append(_ record: [UInt8]) {
        hashes.append(FeedChain.hash(after: hashes[hashes.count - 1], record: record[...]))
        records.append(record)
    }

    mutating func append(_ label: String, count: Int) {
        for number in 0..<count {
            let time = HybridTime(milliseconds: Self.start + Int64(records.count), counter: 0)
            append(
                Record(kind: .profile, time: time, subject: [], value: Profile(name: "\(label)\(number)").recordValue)
                    .encoded)
        }
    }

    var tip: Tip { tip(records.count) }

    func tip(_ number: Int) -> Tip { Tip(number: UInt64(number), hash: hashes[number]) }

    func signature(at number: Int) -> Signature {
        key.signature(for: FeedChain.signedBytes(group: group, feed: id, tip: tip(number)))
    }

    func run(_ range: ClosedRange<Int>) -> Run {
        Run(
            feed: id, first: UInt64(range.lowerBound), before: hashes[range.lowerBound - 1],
            signature: signature(at: range.upperBound),
            records: RecordList(records[(range.lowerBound - 1)...(range.upperBound - 1)]))
    }

    /// All records in runs of random lengths.
    func packing(_ numbers: inout SplitMix64, longest: Int = 9) -> [Run] {
        var runs: [Run] = []
        var next = 1
        while next <= records.count {
            let end = min(records.count, next + Int.random(in: 0..<longest, using: &numbers))
            runs.append(run(next...end))
            next = end + 1
        }
        return runs
    }
}

extension FeedReplica {
    /// Every record of every branch, as a new peer would get them.
    var served: [[UInt8]] {
        runs(after: Tip(number: 0, hash: origin), maximumSize: .max).runs.flatMap {
            ((try? $0.records()) ?? RecordList()).map(Array.init)
        }
    }

    /// Its comparable state.
    var visible: [String] {
        tips.map { "\($0.number) \($0.hash)" } + storedRuns.map { "\($0.branch) \($0.run.first) \($0.run.last)" }
            + served.map(\.hexadecimal)
    }
}

extension Run {
    func with(
        feed: FeedID? = nil, before: ChainHash? = nil, signature: Signature? = nil, records: [[UInt8]]? = nil
    ) throws -> Run {
        Run(
            feed: feed ?? self.feed, first: first, before: before ?? self.before,
            signature: signature ?? self.signature, records: try records.map { RecordList($0) } ?? self.records())
    }
}

extension FeedReplica {
    /// What a node lacks that has the chain ending in `tip`.
    func runs(after tip: Tip, maximumSize: Int) -> (runs: [Run], isComplete: Bool) {
        var comparisons = Int.max
        return runs(RunsWanted(feed: id, held: [tip]), maximumSize: maximumSize, comparisons: &comparisons)
    }
}
