public import StreakCrypto
public import StreakWire

/// The secret by which members of a group recognise and reach each other. It decides who can open a link; the ledger
/// decides what may be sent over it.
///
/// | derivation | keyed BLAKE2b-256 under the key, of the text |
/// |---|---|
/// | hash | `streakmesh/v1/access-key-hash` |
/// | PSK of a link's handshake | `streakmesh/v1/link-psk` |
/// | key of handshake tags | `streakmesh/v1/tag-key` |
/// | key of LAN beacons | `streakmesh/v1/beacon-key` |
/// | key that proves a further shared group over a link | `streakmesh/v1/group-proof-key` |
public struct AccessKey: Sendable, Equatable {
    public static let byteCount = SymmetricKey.byteCount

    public let key: SymmetricKey
    /// Identifies the key in the ledger without revealing it.
    public let hash: Bytes32
    public let linkPresharedKey: SymmetricKey
    public let tagKey: SymmetricKey
    public let beaconKey: SymmetricKey
    public let groupProofKey: SymmetricKey

    public init(_ key: SymmetricKey) {
        self.key = key
        hash = Self.hash(of: key)
        linkPresharedKey = Blake2b.derive(context: "streakmesh/v1/link-psk", from: key)
        tagKey = Blake2b.derive(context: "streakmesh/v1/tag-key", from: key)
        beaconKey = Blake2b.derive(context: "streakmesh/v1/beacon-key", from: key)
        groupProofKey = Blake2b.derive(context: "streakmesh/v1/group-proof-key", from: key)
    }

    /// The hash alone, without the four keys that are derived.
    public static func hash(of key: SymmetricKey) -> Bytes32 {
        Bytes32(digest: Blake2b.keyedHash(Array("streakmesh/v1/access-key-hash".utf8), key: key))
    }

    /// Reads 32 bytes, as a member sends them over a link.
    ///
    /// - Throws: `wrongLength`.
    public init(rawBytes: some Collection<UInt8>) throws(CryptoError) {
        self.init(try SymmetricKey(rawBytes: rawBytes))
    }

    public static func generate(from entropy: inout some EntropySource) -> AccessKey {
        AccessKey(SymmetricKey.generate(from: &entropy))
    }

    public static func == (left: Self, right: Self) -> Bool { left.key == right.key }
}
