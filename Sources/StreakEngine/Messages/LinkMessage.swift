package import StreakMembership
package import StreakReplication
package import StreakWire

/// Names a group on a link whose two devices have both proven to know it: the first eight bytes of its ID.
package struct GroupHandle: Hashable, Comparable, Sendable {
    package let value: UInt64

    package init(_ group: GroupID) { value = group.bytes.w0 }
    package init(value: UInt64) { self.value = value }

    package static func < (left: GroupHandle, right: GroupHandle) -> Bool { left.value < right.value }
}

/// What two devices say to each other on a link (Protocol/sync.md §2). Every message starts with the protocol version
/// and its kind; fields that a later version appends are ignored.
package enum LinkMessage: Equatable, Sendable {
    /// Opens a conversation: the sender's store, and a proof for each access key that it holds.
    case hello(store: StoreID, proofs: [Bytes16])
    /// The digest of the sender's copy of a group, how many records count in it, and the sender's clock, in Unix
    /// seconds.
    case digest(GroupHandle, GroupDigest, arrival: UInt64, count: UInt64, clock: UInt64)
    /// Asks for tips: those changed since `arrival` in the store `store`, or all if the peer has another store.
    case tipsRequested(GroupHandle, store: StoreID, arrival: UInt64)
    /// The answer, in one or several messages; the last has `isFinal`.
    case tips(GroupHandle, TipsMessage)
    /// Asks for ledger operations: of each named device those after a number; of all other devices everything.
    case operationsRequested(GroupHandle, known: [LedgerTip])
    /// Ledger operations, parents first.
    case operations(GroupHandle, [[UInt8]], isFinal: Bool)
    /// Asks for runs of feeds that the sender lacks.
    case runsRequested(GroupHandle, [RunsWanted])
    /// The answer. `isFinal` ends it; `isComplete` says that nothing was left out.
    case runs(GroupHandle, [Run], isFinal: Bool, isComplete: Bool)
    /// A fresh record, to be passed on.
    case rumour(GroupHandle, Run)
    /// A rumour was received; named by the first eight bytes of the chain hash after it.
    case rumourAcknowledged(UInt64)
    /// A newcomer asks to be admitted: certificate and proof, as StreakMembership encodes them.
    case joinRequested(certificate: [UInt8], proof: [UInt8])
    /// The newcomer is admitted; the ledger's operations follow.
    case welcome(group: GroupID, accessKeys: [[UInt8]])
    /// The newcomer is not admitted.
    case joinRefused(JoinRefusal)
    /// Asks for the access keys that have these hashes.
    case accessKeysRequested(GroupHandle, [Bytes32])
    /// The answer, with those that the sender has.
    case accessKeys(GroupHandle, [[UInt8]])
    /// A message for linking devices or making friends.
    case friend(FriendMessage)
    /// Which devices of a group the sender reaches, as far as that has changed since its last such message.
    case presence(GroupHandle, [PresenceEntry])
    /// Where devices are found on the internet.
    case whereabouts([ToldWhereabouts])
    /// From which endpoint the receiver's datagrams come.
    case seenAt(Endpoint)
}

/// Where a device was found so many seconds ago: `Whereabouts`, as it was signed.
package struct ToldWhereabouts: Equatable, Sendable {
    /// Some more than those of this version have.
    static let maximumSize = 227

    package let age: UInt32
    package let bytes: [UInt8]

    package init(age: UInt32, bytes: [UInt8]) {
        self.age = age
        self.bytes = bytes
    }
}

package struct TipsMessage: Equatable, Sendable {
    package var arrival: UInt64
    package var isFinal: Bool
    package var operations: [LedgerTip]
    package var feeds: [FeedTip]

    package init(arrival: UInt64, isFinal: Bool, operations: [LedgerTip], feeds: [FeedTip]) {
        self.arrival = arrival
        self.isFinal = isFinal
        self.operations = operations
        self.feeds = feeds
    }
}

/// Why a newcomer is not admitted. The raw values are the protocol's.
public enum JoinRefusal: UInt8, Error, Sendable, CaseIterable {
    case unknownInvite = 1
    case usedUp = 2
    case expired = 3
    case revoked = 4
    case removed = 5
    case invalidProof = 6
    case groupFull = 7
    /// The request is recorded; the owner or an admin has to approve it. Asking again brings the answer.
    case awaitingApproval = 8
    /// The user of the asked node has said no.
    case denied = 9
    case other = 255
}

extension LinkMessage {
    /// Entries of one message: enough for any group in a few messages, and too few to do harm.
    static let maximumProofs = 512
    static let maximumTips = 600
    static let maximumOperations = 256
    static let maximumRuns = 512
    static let maximumPresenceEntries = 600
    static let maximumWhereabouts = 64
    /// The size of one message, in bytes; a longer one is split.
    static let preferredSize = 48_000
    static let maximumSize = 60_000

    /// The second byte of a message; 16 to 20 are `FriendMessage.Kind`.
    enum Kind: UInt8, CaseIterable {
        case hello = 1
        case digest = 2
        case tipsRequested = 3
        case tips = 4
        case operationsRequested = 5
        case operations = 6
        case runsRequested = 7
        case runs = 8
        case rumour = 9
        case rumourAcknowledged = 10
        case joinRequested = 11
        case welcome = 12
        case joinRefused = 13
        case accessKeysRequested = 14
        case accessKeys = 15
        case presence = 21
        case whereabouts = 25
        case seenAt = 26
    }

    /// Which of the two enumerations of kinds a message belongs to.
    enum AnyKind {
        case link(Kind)
        case friend(FriendMessage.Kind)

        var rawValue: UInt8 {
            switch self {
            case .link(let kind): kind.rawValue
            case .friend(let kind): kind.rawValue
            }
        }
    }

    var kind: AnyKind {
        switch self {
        case .hello: .link(.hello)
        case .digest: .link(.digest)
        case .tipsRequested: .link(.tipsRequested)
        case .tips: .link(.tips)
        case .operationsRequested: .link(.operationsRequested)
        case .operations: .link(.operations)
        case .runsRequested: .link(.runsRequested)
        case .runs: .link(.runs)
        case .rumour: .link(.rumour)
        case .rumourAcknowledged: .link(.rumourAcknowledged)
        case .joinRequested: .link(.joinRequested)
        case .welcome: .link(.welcome)
        case .joinRefused: .link(.joinRefused)
        case .accessKeysRequested: .link(.accessKeysRequested)
        case .accessKeys: .link(.accessKeys)
        case .friend(let message): .friend(message.kind)
        case .presence: .link(.presence)
        case .whereabouts: .link(.whereabouts)
        case .seenAt: .link(.seenAt)
        }
    }

    package var encoded: [UInt8] {
        var writer = WireWriter(reserving: 256)
        writer.write(ProtocolLimits.version)
        writer.write(kind.rawValue)
        encodeBody(into: &writer)
        return writer.bytes
    }

    private func encodeBody(into writer: inout WireWriter) {
        switch self {
        case .hello(let store, let proofs):
            writer.write(store.bytes)
            writer.writeCount(proofs.count)
            for proof in proofs { writer.write(proof) }
        case .digest(let group, let digest, let arrival, let count, let clock):
            writer.write(group.value)
            writer.write(digest.bytes)
            writer.writeVarint(arrival)
            writer.writeVarint(count)
            writer.writeVarint(clock)
        case .tipsRequested(let group, let store, let arrival):
            writer.write(group.value)
            writer.write(store.bytes)
            writer.writeVarint(arrival)
        case .tips(let group, let message):
            writer.write(group.value)
            writer.writeVarint(message.arrival)
            writer.write(UInt8(message.isFinal ? 1 : 0))
            writer.write(message.operations)
            writer.write(message.feeds)
        case .operationsRequested(let group, let known):
            writer.write(group.value)
            writer.write(known)
        case .operations(let group, let operations, let isFinal):
            writer.write(group.value)
            writer.write(UInt8(isFinal ? 1 : 0))
            writer.writeCount(operations.count)
            for operation in operations { writer.writeBlob(operation) }
        case .runsRequested(let group, let wanted):
            writer.write(group.value)
            writer.write(wanted)
        case .runs(let group, let runs, let isFinal, let isComplete):
            writer.write(group.value)
            writer.write(UInt8((isFinal ? 1 : 0) | (isComplete ? 2 : 0)))
            writer.writeCount(runs.count)
            for run in runs { run.encode(into: &writer) }
        case .rumour(let group, let run):
            writer.write(group.value)
            run.encode(into: &writer)
        case .rumourAcknowledged(let name):
            writer.write(name)
        case .joinRequested(let certificate, let proof):
            writer.writeBlob(certificate)
            writer.writeBlob(proof)
        case .welcome(let group, let accessKeys):
            writer.write(group)
            writer.writeCount(accessKeys.count)
            for key in accessKeys { writer.writeRaw(key) }
        case .joinRefused(let reason):
            writer.write(reason.rawValue)
        case .accessKeysRequested(let group, let hashes):
            writer.write(group.value)
            writer.writeCount(hashes.count)
            for hash in hashes { writer.write(hash) }
        case .accessKeys(let group, let keys):
            writer.write(group.value)
            writer.writeCount(keys.count)
            for key in keys { writer.writeRaw(key) }
        case .friend(let message):
            message.encode(into: &writer)
        case .presence(let group, let entries):
            writer.write(group.value)
            writer.write(entries)
        case .whereabouts(let told):
            writer.writeCount(told.count)
            for entry in told {
                writer.write(entry.age)
                writer.writeBlob(entry.bytes)
            }
        case .seenAt(let endpoint):
            writer.write(endpoint)
        }
    }

    package init(decoding bytes: [UInt8]) throws(WireError) {
        guard bytes.count <= Self.maximumSize else {
            throw .limitExceeded(limit: Self.maximumSize, actual: UInt64(bytes.count))
        }
        var reader = WireReader(bytes)
        let version = try reader.readUInt8()
        guard version == ProtocolLimits.version else { throw .unsupportedVersion(version) }
        let kind = try reader.readUInt8()
        if let kind = Kind(rawValue: kind) {
            self = try Self.decode(kind, &reader)
        } else if let kind = FriendMessage.Kind(rawValue: kind) {
            self = .friend(try FriendMessage(kind, from: &reader))
        } else {
            throw .unknownKind(kind)
        }
        _ = try reader.readTail(maximum: ProtocolLimits.maximumTailSize)
    }

    private static func decode(_ kind: Kind, _ reader: inout WireReader) throws(WireError) -> LinkMessage {
        switch kind {
        case .hello:
            let store = StoreID(bytes: try reader.readBytes16())
            var proofs: [Bytes16] = []
            for _ in 0..<(try reader.readCount(maximum: maximumProofs)) { proofs.append(try reader.readBytes16()) }
            return .hello(store: store, proofs: proofs)
        case .digest:
            let group = try reader.readHandle()
            let digest = GroupDigest(bytes: try reader.readBytes16())
            let arrival = try reader.readVarint()
            let count = try reader.readVarint()
            return .digest(group, digest, arrival: arrival, count: count, clock: try reader.readVarint())
        case .tipsRequested:
            let group = try reader.readHandle()
            let store = StoreID(bytes: try reader.readBytes16())
            return .tipsRequested(group, store: store, arrival: try reader.readVarint())
        case .tips:
            let group = try reader.readHandle()
            let arrival = try reader.readVarint()
            let isFinal = try reader.readFlag(field: "final")
            let operations = try reader.readLedgerTips()
            let feeds = try reader.readFeedTips()
            return .tips(
                group, TipsMessage(arrival: arrival, isFinal: isFinal, operations: operations, feeds: feeds))
        case .operationsRequested:
            let group = try reader.readHandle()
            return .operationsRequested(group, known: try reader.readLedgerTips())
        case .operations:
            let group = try reader.readHandle()
            let isFinal = try reader.readFlag(field: "final")
            var operations: [[UInt8]] = []
            for _ in 0..<(try reader.readCount(maximum: maximumOperations)) {
                operations.append(try reader.readBlob(maximum: ProtocolLimits.maximumOperationSize))
            }
            return .operations(group, operations, isFinal: isFinal)
        case .runsRequested:
            let group = try reader.readHandle()
            return .runsRequested(group, try reader.readRunsWanted())
        case .runs:
            let group = try reader.readHandle()
            let flags = try reader.readUInt8()
            guard flags < 4 else { throw .invalidValue(field: "flags") }
            var runs: [Run] = []
            for _ in 0..<(try reader.readCount(maximum: maximumRuns)) { runs.append(try Run(from: &reader)) }
            return .runs(group, runs, isFinal: flags & 1 != 0, isComplete: flags & 2 != 0)
        case .rumour:
            let group = try reader.readHandle()
            return .rumour(group, try Run(from: &reader))
        case .rumourAcknowledged:
            return .rumourAcknowledged(try reader.readUInt64())
        case .joinRequested:
            let certificate = try reader.readBlob(maximum: 4_096)
            return .joinRequested(certificate: certificate, proof: try reader.readBlob(maximum: 4_096))
        case .welcome:
            let group: GroupID = try reader.readIdentifier()
            return .welcome(group: group, accessKeys: try reader.readAccessKeys())
        case .joinRefused:
            return .joinRefused(JoinRefusal(rawValue: try reader.readUInt8()) ?? .other)
        case .accessKeysRequested:
            let group = try reader.readHandle()
            var hashes: [Bytes32] = []
            for _ in 0..<(try reader.readCount(maximum: maximumProofs)) { hashes.append(try reader.readBytes32()) }
            return .accessKeysRequested(group, hashes)
        case .accessKeys:
            let group = try reader.readHandle()
            return .accessKeys(group, try reader.readAccessKeys())
        case .presence:
            let group = try reader.readHandle()
            return .presence(group, try reader.readPresence())
        case .whereabouts:
            var told: [ToldWhereabouts] = []
            for _ in 0..<(try reader.readCount(maximum: maximumWhereabouts)) {
                let age = try reader.readUInt32()
                told.append(ToldWhereabouts(age: age, bytes: try reader.readBlob(maximum: ToldWhereabouts.maximumSize)))
            }
            return .whereabouts(told)
        case .seenAt:
            return .seenAt(try reader.readEndpoint())
        }
    }
}

extension WireWriter {
    fileprivate mutating func write(_ tips: [LedgerTip]) {
        writeCount(tips.count)
        for tip in tips {
            write(tip.device)
            writeVarint(tip.number)
            write(tip.operation)
        }
    }

    fileprivate mutating func write(_ tips: [FeedTip]) {
        writeCount(tips.count)
        for entry in tips {
            write(entry.feed.device)
            write(entry.feed.epoch)
            writeVarint(entry.tip.number)
            write(entry.tip.hash)
        }
    }
}

extension WireWriter {
    fileprivate mutating func write(_ entries: [PresenceEntry]) {
        writeCount(entries.count)
        for entry in entries {
            write(entry.device.value)
            write(entry.hops ?? 0)
        }
    }

    fileprivate mutating func write(_ wanted: [RunsWanted]) {
        writeCount(wanted.count)
        for entry in wanted {
            write(entry.feed.device)
            write(entry.feed.epoch)
            writeCount(entry.held.count)
            for tip in entry.held {
                writeVarint(tip.number)
                write(tip.hash)
            }
            writeVarint(entry.numbers?.lowerBound ?? 0)
            writeVarint(entry.numbers?.upperBound ?? 0)
        }
    }
}

extension WireReader {
    fileprivate mutating func readRunsWanted() throws(WireError) -> [RunsWanted] {
        var wanted: [RunsWanted] = []
        for _ in 0..<(try readCount(maximum: LinkMessage.maximumTips)) {
            let feed = FeedID(device: try readIdentifier(), epoch: try readEpoch())
            var held: [Tip] = []
            for _ in 0..<(try readCount(maximum: LinkMessage.maximumTips)) {
                let number = try readVarint(maximum: ProtocolLimits.maximumFeedLength)
                held.append(Tip(number: number, hash: try readIdentifier()))
            }
            let first = try readVarint(maximum: ProtocolLimits.maximumFeedLength)
            let last = try readVarint(maximum: ProtocolLimits.maximumFeedLength)
            guard first > 0 || last == 0, first <= last else { throw .invalidValue(field: "numbers") }
            wanted.append(RunsWanted(feed: feed, held: held, numbers: first == 0 ? nil : first...last))
        }
        return wanted
    }
}

extension WireReader {
    fileprivate mutating func readHandle() throws(WireError) -> GroupHandle { GroupHandle(value: try readUInt64()) }

    fileprivate mutating func readPresence() throws(WireError) -> [PresenceEntry] {
        var entries: [PresenceEntry] = []
        for _ in 0..<(try readCount(maximum: LinkMessage.maximumPresenceEntries)) {
            let device = DeviceHandle(value: try readUInt64())
            let hops = try readUInt8()
            guard hops <= Presence.maximumHops else { throw .invalidValue(field: "hops") }
            entries.append(PresenceEntry(device: device, hops: hops == 0 ? nil : hops))
        }
        return entries
    }

    fileprivate mutating func readAccessKeys() throws(WireError) -> [[UInt8]] {
        var keys: [[UInt8]] = []
        for _ in 0..<(try readCount(maximum: LinkMessage.maximumProofs)) { keys.append(try readRaw(32)) }
        return keys
    }

    fileprivate mutating func readLedgerTips() throws(WireError) -> [LedgerTip] {
        var tips: [LedgerTip] = []
        for _ in 0..<(try readCount(maximum: LinkMessage.maximumTips)) {
            let device: DeviceID = try readIdentifier()
            let number = try readVarint(maximum: ProtocolLimits.maximumOperationsPerDevice)
            tips.append(LedgerTip(device: device, number: number, operation: try readIdentifier()))
        }
        return tips
    }

    fileprivate mutating func readFeedTips() throws(WireError) -> [FeedTip] {
        var tips: [FeedTip] = []
        for _ in 0..<(try readCount(maximum: LinkMessage.maximumTips)) {
            let feed = FeedID(device: try readIdentifier(), epoch: try readEpoch())
            let number = try readVarint(maximum: ProtocolLimits.maximumFeedLength)
            tips.append(FeedTip(feed: feed, tip: Tip(number: number, hash: try readIdentifier())))
        }
        return tips
    }
}
