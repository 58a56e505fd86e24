import StreakCrypto
public import StreakWire

/// One device's numbered records in a group, in one epoch.
public struct FeedID: Hashable, Comparable, Sendable {
    public let device: DeviceID
    public let epoch: Epoch

    public init(device: DeviceID, epoch: Epoch) {
        self.device = device
        self.epoch = epoch
    }

    public static func < (left: FeedID, right: FeedID) -> Bool {
        (left.device, left.epoch) < (right.device, right.epoch)
    }
}

/// How far a feed goes: the number of its last record (0 before the first) and the chain hash after it.
public struct Tip: Hashable, Comparable, Sendable {
    public let number: UInt64
    public let hash: ChainHash

    public init(number: UInt64, hash: ChainHash) {
        self.number = number
        self.hash = hash
    }

    public static func < (left: Tip, right: Tip) -> Bool { (left.number, left.hash) < (right.number, right.hash) }
}

/// The hash chain of a feed: h₀ = H(context ‖ group ‖ device ‖ epoch), hₙ = H(hₙ₋₁ ‖ H(recordₙ)), H = BLAKE2b-256
/// (Protocol/records.md §5).
public enum FeedChain {
    private static let context = Array("streakmesh/v1/chain".utf8) + [0]

    /// The hash before a feed's first record.
    public static func origin(of feed: FeedID, in group: GroupID) -> ChainHash {
        var writer = WireWriter(reserving: 128)
        writer.writeRaw(context)
        writer.write(group)
        writer.write(feed.device)
        writer.write(feed.epoch)
        return hash(writer.bytes)
    }

    /// The hash after `record`, whose bytes follow the record that `previous` is the hash of.
    public static func hash(after previous: ChainHash, record: ArraySlice<UInt8>) -> ChainHash {
        let before = previous.bytes
        let after = Blake2b.words(after: (before.w0, before.w1, before.w2, before.w3), message: record)
        return ChainHash(bytes: Bytes32(after.0, after.1, after.2, after.3))
    }

    /// The hash after `records`.
    public static func hash(after previous: ChainHash, records: some Sequence<ArraySlice<UInt8>>) -> ChainHash {
        records.reduce(previous) { hash(after: $0, record: $1) }
    }

    /// What the signature at a tip covers (Protocol/records.md §5).
    public static func signedBytes(group: GroupID, feed: FeedID, tip: Tip) -> [UInt8] {
        var writer = WireWriter(reserving: 160)
        writer.writeRaw(SigningContext.feed.prefix)
        writer.write(group)
        writer.write(feed.device)
        writer.write(feed.epoch)
        writer.write(tip.number)
        writer.write(tip.hash)
        return writer.bytes
    }

    private static func hash(_ bytes: [UInt8]) -> ChainHash {
        guard let hash = Bytes32(Blake2b.hash(bytes)) else { preconditionFailure("BLAKE2b-256 gives 32 bytes") }
        return ChainHash(bytes: hash)
    }
}
