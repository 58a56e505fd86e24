/// A name made of 32 bytes. Conforming types differ so that a device can never be passed for a user.
public protocol Identifier32: Hashable, Comparable, Sendable, CustomStringConvertible {
    var bytes: Bytes32 { get }
    init(bytes: Bytes32)
}

extension Identifier32 {
    /// Takes exactly 32 bytes; nil for any other number.
    public init?(_ raw: some Collection<UInt8>) {
        guard let bytes = Bytes32(raw) else { return nil }
        self.init(bytes: bytes)
    }

    public var description: String { bytes.description }

    public static func < (left: Self, right: Self) -> Bool { left.bytes < right.bytes }
}

/// An account, named by its Ed25519 public key.
public struct UserID: Identifier32 {
    public let bytes: Bytes32
    public init(bytes: Bytes32) { self.bytes = bytes }
}

/// A device, named by its Ed25519 public key.
public struct DeviceID: Identifier32 {
    public let bytes: Bytes32
    public init(bytes: Bytes32) { self.bytes = bytes }
}

/// A group, named by the hash of its founding operation.
public struct GroupID: Identifier32 {
    public let bytes: Bytes32
    public init(bytes: Bytes32) { self.bytes = bytes }
}

/// A ledger operation, named by the hash of its signed bytes.
public struct OperationID: Identifier32 {
    public let bytes: Bytes32
    public init(bytes: Bytes32) { self.bytes = bytes }
}

/// The hash of a feed's chain after some record.
public struct ChainHash: Identifier32 {
    public let bytes: Bytes32
    public init(bytes: Bytes32) { self.bytes = bytes }
}

/// One store on one disk. A store that may be old or a copy takes a new one.
public struct StoreID: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let bytes: Bytes16
    public init(bytes: Bytes16) { self.bytes = bytes }
    public var description: String { bytes.description }
    public static func < (left: StoreID, right: StoreID) -> Bool { left.bytes < right.bytes }
}

/// Sixteen bytes that are equal on two nodes exactly when both hold the same ledger and records of a group.
public struct GroupDigest: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let bytes: Bytes16
    public init(bytes: Bytes16) { self.bytes = bytes }
    public var description: String { bytes.description }
    public static func < (left: GroupDigest, right: GroupDigest) -> Bool { left.bytes < right.bytes }
}

/// One uninterrupted life of a device's feed. A counter orders a device's epochs; 64 random bits keep two copies of one
/// store from ever opening the same one.
public struct Epoch: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let counter: UInt32
    public let nonce: UInt64

    public init(counter: UInt32, nonce: UInt64) {
        self.counter = counter
        self.nonce = nonce
    }

    public var description: String { "\(counter)-\(String(nonce, radix: 16))" }

    public static func < (left: Epoch, right: Epoch) -> Bool {
        (left.counter, left.nonce) < (right.counter, right.nonce)
    }
}

extension WireWriter {
    public mutating func write(_ epoch: Epoch) {
        write(epoch.counter)
        write(epoch.nonce)
    }
}

extension WireReader {
    public mutating func readEpoch() throws(WireError) -> Epoch {
        Epoch(counter: try readUInt32(), nonce: try readUInt64())
    }
}
