import StreakCrypto
import StreakMembership
import StreakReplication
import StreakWire

/// A feed under construction. Runs can be taken from anywhere in it.
struct FeedBuilder {
    let group: GroupID
    let feed: FeedID
    let key: SigningSecretKey
    private(set) var records: [[UInt8]] = []
    /// The chain hash after 0, 1, 2 … records.
    private(set) var hashes: [ChainHash]

    init(group: GroupID = Cast.group, identity: DeviceIdentity, epoch: Epoch = Cast.epoch) {
        self.group = group
        feed = FeedID(device: identity.device, epoch: epoch)
        key = identity.signingKey
        hashes = [FeedChain.origin(of: feed, in: group)]
    }

    /// A feed that continues from this one's first `count` records.
    func branch(at count: Int) -> FeedBuilder {
        var copy = self
        copy.records = Array(records.prefix(count))
        copy.hashes = Array(hashes.prefix(count + 1))
        return copy
    }

    mutating func append(_ record: [UInt8]) {
        hashes.append(FeedChain.hash(after: hashes[hashes.count - 1], record: record[...]))
        records.append(record)
    }

    /// Profiles named by a letter and a number: small, distinct records.
    mutating func append(_ letter: String, count: Int) {
        for _ in 0..<count {
            let number = records.count + 1
            let time = HybridTime(milliseconds: Cast.now * 1_000 + Int64(number), counter: 0)
            let value = Profile(name: "\(letter)\(number)").recordValue
            append(Record(kind: .profile, time: time, subject: [], value: value).encoded)
        }
    }

    func tip(_ number: Int) -> Tip { Tip(number: UInt64(number), hash: hashes[number]) }

    func signature(at number: Int) -> Signature {
        key.signature(for: FeedChain.signedBytes(group: group, feed: feed, tip: tip(number)))
    }

    /// The records of the numbers in `range`, from 1.
    func run(_ range: ClosedRange<Int>) -> Run {
        Run(
            feed: feed, first: UInt64(range.lowerBound), before: hashes[range.lowerBound - 1],
            signature: signature(at: range.upperBound),
            records: RecordList(records[(range.lowerBound - 1)...(range.upperBound - 1)]))
    }
}

extension Run {
    var encoded: [UInt8] {
        var writer = WireWriter()
        encode(into: &writer)
        return writer.bytes
    }

    /// The same run with other fields and a new signature.
    func with(
        feed: FeedID? = nil, first: UInt64? = nil, before: ChainHash? = nil, signature: Signature? = nil,
        records: [[UInt8]]? = nil
    ) throws -> Run {
        Run(
            feed: feed ?? self.feed, first: first ?? self.first, before: before ?? self.before,
            signature: signature ?? self.signature, records: try records.map { RecordList($0) } ?? self.records())
    }

    /// The same run with its records packed by hand.
    func packed(as bytes: [UInt8], count: Int? = nil) -> Run {
        Run(
            feed: feed, first: first, before: before, signature: signature, packed: bytes, count: count ?? self.count)
    }
}

extension VectorFile {
    /// Hash chains with their signatures, and what a copy of a feed accepts.
    static func feeds() throws -> VectorFile {
        let ada = try Person("ada")
        var feed = FeedBuilder(identity: ada.identity)
        feed.append("a", count: 5)
        let signed = FeedChain.signedBytes(group: feed.group, feed: feed.feed, tip: feed.tip(5))
        let chain: JSON = [
            "group": .text(feed.group.description), "device": .text(feed.feed.device.description),
            "epoch": epoch(feed.feed.epoch), "origin": .text(feed.hashes[0].description),
            "records": .list(feed.records.map { .hex($0) }),
            "hashes": .list(feed.hashes.dropFirst().map { .text($0.description) }),
            "signedBytes": .hex(signed), "signature": .hex(feed.signature(at: 5).rawBytes),
        ]
        return VectorFile(
            name: "feeds",
            content: [
                "spec": "records.md §5–7", "chains": [chain], "receptions": .list(try receptions(ada)),
            ])
    }

    static func epoch(_ epoch: Epoch) -> JSON {
        ["counter": .number(Int(epoch.counter)), "nonce": .text(String(epoch.nonce, radix: 16))]
    }

    private static func reception(
        _ name: String, _ feed: FeedBuilder, _ steps: [(Run, String)], tips: [Tip]
    ) -> JSON {
        [
            "name": .text(name), "group": .text(feed.group.description),
            "steps": .list(steps.map { ["run": .hex($0.0.encoded), "outcome": .text($0.1)] }),
            "tips": .list(
                tips.sorted().map { ["number": .number(Int($0.number)), "hash": .text($0.hash.description)] }),
        ]
    }

    private static func receptions(_ ada: Person) throws -> [JSON] {
        let ben = try Person("ben")
        var feed = FeedBuilder(identity: ada.identity)
        feed.append("a", count: 6)
        var other = feed.branch(at: 3)
        other.append("b", count: 4)
        let otherGroup = GroupID(bytes: Bytes32(digest: Person.seed("another group")))
        var foreign = FeedBuilder(group: otherGroup, identity: ada.identity)
        foreign.append("a", count: 2)
        let stolen = FeedID(device: ben.device, epoch: Cast.epoch)
        let first = feed.run(1...2)
        let flipped = try Signature(rawBytes: flipping(first.signature.rawBytes, at: 0))
        let altered = try first.with(records: [feed.records[0], feed.records[2]])
        let origin = feed.hashes[0]
        return [
            reception(
                "any packing, in order", feed,
                [(feed.run(1...1), "new: 1"), (feed.run(2...4), "new: 3"), (feed.run(5...6), "new: 2")],
                tips: [feed.tip(6)]),
            reception(
                "overlapping and repeated", feed,
                [
                    (feed.run(1...3), "new: 3"), (feed.run(1...3), "new: 0"), (feed.run(2...5), "new: 2"),
                    (feed.run(1...4), "new: 0"), (feed.run(1...6), "new: 1"),
                ], tips: [feed.tip(6)]),
            reception(
                "a gap names what is held", feed,
                [(feed.run(3...4), "gap: 0"), (feed.run(1...2), "new: 2"), (feed.run(5...6), "gap: 2")],
                tips: [feed.tip(2)]),
            reception(
                "a fork keeps both branches", feed,
                [(feed.run(1...6), "new: 6"), (other.run(4...7), "new: 4"), (other.run(1...7), "new: 0")],
                tips: [feed.tip(6), other.tip(7)]),
            reception(
                "a fork in the other order", feed,
                [(other.run(1...7), "new: 7"), (feed.run(1...4), "new: 4"), (feed.run(5...6), "new: 2")],
                tips: [feed.tip(6), other.tip(7)]),
            reception(
                "a false chain hash before the first record", feed,
                [
                    (try first.with(before: feed.hashes[1]), "different-history"), (first, "new: 2"),
                    (try feed.run(3...4).with(before: origin), "different-history"),
                ], tips: [feed.tip(2)]),
            reception(
                "a signature with one bit turned over", feed,
                [(try first.with(signature: flipped), "invalid-signature")], tips: []),
            reception("a record put in place of another", feed, [(altered, "invalid-signature")], tips: []),
            reception(
                "replayed from another group", feed,
                [
                    (foreign.run(1...2), "different-history"),
                    (try foreign.run(1...2).with(before: origin), "invalid-signature"),
                ], tips: []),
            reception(
                "under the name of another device", feed,
                [
                    (try first.with(feed: stolen), "different-history"),
                    (
                        try first.with(feed: stolen, before: FeedChain.origin(of: stolen, in: feed.group)),
                        "invalid-signature"
                    ),
                ], tips: []),
            reception(
                "a run that holds what is no record", feed,
                [(try first.with(records: [feed.records[0], [1, 2]]), "malformed: truncated")], tips: []),
            try packings(ada), tenBranches(feed),
        ]
    }

    /// Which eight of ten branches are kept depends only on their hashes.
    private static func tenBranches(_ trunk: FeedBuilder) -> JSON {
        let branches = (0..<10).map { index in
            var branch = trunk.branch(at: 2)
            branch.append("b\(index)-", count: 2)
            return branch
        }
        func comesBefore(_ left: FeedBuilder, _ right: FeedBuilder) -> Bool { left.hashes[3] < right.hashes[3] }
        var held: [FeedBuilder] = []
        let steps = branches.map { branch -> (Run, String) in
            held = Array((held + [branch]).sorted(by: comesBefore).prefix(FeedReplica.maximumBranches))
            let isKept = held.contains { $0.hashes == branch.hashes }
            let isFirst = branch.hashes == branches[0].hashes
            let run = isFirst ? branch.run(1...4) : branch.run(3...4)
            return (run, isKept ? "new: \(run.count)" : "limit-reached")
        }
        return reception("of ten branches eight stay", trunk, steps, tips: held.map { $0.tip(4) })
    }

    /// One feed of results, packed as rows and columns in turn, with the state at the beginning of a run.
    private static func packings(_ ada: Person) throws -> JSON {
        var feed = FeedBuilder(identity: ada.identity)
        for record in PackedResults.records { feed.append(record) }
        let count = feed.records.count
        let columns = feed.run(1...count)
        let rows = columns.packed(as: PackedResults.rows(feed.records))
        let unknown = columns.packed(as: [2] + columns.packed.dropFirst())
        return reception(
            "one feed as columns and as rows", feed,
            [
                (feed.run(1...3), "new: 3"), (unknown, "malformed: invalid-value: packing"),
                (columns, "new: \(count - 3)"), (rows, "new: 0"),
            ], tips: [feed.tip(count)])
    }

    /// Digests of groups.
    static func digests() throws -> VectorFile {
        let people = try ["ada", "ben"].map { try Person($0) }
        let operations = people.map { person in
            (device: person.device, operation: OperationID(bytes: Bytes32(digest: Person.seed("\(person.name) last"))))
        }
        var tips: [FeedTip] = []
        for (person, count) in zip(people, [3, 200]) {
            var feed = FeedBuilder(identity: person.identity)
            feed.append("x", count: count)
            tips.append(FeedTip(feed: feed.feed, tip: feed.tip(count)))
        }
        var fork = FeedBuilder(identity: people[0].identity)
        fork.append("y", count: 3)
        let forked = tips + [FeedTip(feed: fork.feed, tip: fork.tip(3))]
        func entry(
            _ name: String, _ ledger: [(device: DeviceID, operation: OperationID)], _ tips: [FeedTip]
        ) -> JSON {
            [
                "name": .text(name), "group": .text(Cast.group.description),
                "ledger": .list(
                    ledger.map {
                        ["device": .text($0.device.description), "operation": .text($0.operation.description)]
                    }),
                "tips": .list(
                    tips.map {
                        [
                            "device": .text($0.feed.device.description), "epoch": epoch($0.feed.epoch),
                            "number": .number(Int($0.tip.number)), "hash": .text($0.tip.hash.description),
                        ]
                    }),
                "digest": .text(GroupFeeds.digest(group: Cast.group, ledger: ledger, tips: tips).description),
            ]
        }
        return VectorFile(
            name: "digests",
            content: [
                "spec": "sync.md §3",
                "sets": [
                    entry("a ledger and no record", Array(operations.prefix(1)), []),
                    entry("two members, two feeds", operations, tips),
                    entry("a forked feed", operations, forked),
                    entry(
                        "a forked ledger chain",
                        operations + [(people[0].device, OperationID(bytes: Bytes32(digest: Person.seed("fork"))))],
                        tips),
                ],
            ])
    }
}
