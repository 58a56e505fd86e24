public import StreakCrypto
public import StreakWire

/// The keys derived from a friend code, for lookups and for the first handshake. Anybody who knows the code can derive
/// them; guessing costs one Argon2id per guess.
///
/// | derivation | of the root: Argon2id (interactive) of the code's twelve symbols without hyphens |
/// |---|---|
/// | salt | the first 16 bytes of BLAKE2b-256 of `streakmesh/v1/friend-code-keys` |
/// | PSK of the friend handshake | K(root, `streakmesh/v1/link-psk`) |
/// | key of handshake tags | K(root, `streakmesh/v1/tag-key`) |
/// | key of LAN beacons | K(root, `streakmesh/v1/beacon-key`) |
public struct FriendCodeKeys: Sendable, Equatable {
    public let code: FriendCode
    public let presharedKey: SymmetricKey
    public let tagKey: SymmetricKey
    public let beaconKey: SymmetricKey
    /// What the others are derived from. As secret as the code itself.
    public let root: SymmetricKey

    private static let salt = Array(Blake2b.hash(Array("streakmesh/v1/friend-code-keys".utf8)).prefix(16))

    /// Derives the keys. Takes about 60 ms and 64 MB, so do it once for each code, off any busy thread, and store the
    /// result with `write(to:)`.
    ///
    /// - Throws: `outOfMemory`.
    public init(of code: FriendCode) throws(CryptoError) {
        let symbols = code.description.utf8.filter { $0 != UInt8(ascii: "-") }
        let root = try Argon2id.derive(password: symbols, salt: Self.salt, size: 32, cost: .interactive)
        self.init(code: code, root: try SymmetricKey(rawBytes: root))
    }

    /// Takes a root as it is.
    public init(code: FriendCode, root: SymmetricKey) {
        self.code = code
        self.root = root
        presharedKey = Blake2b.derive(context: "streakmesh/v1/link-psk", from: root)
        tagKey = Blake2b.derive(context: "streakmesh/v1/tag-key", from: root)
        beaconKey = Blake2b.derive(context: "streakmesh/v1/beacon-key", from: root)
    }

    public static func == (left: Self, right: Self) -> Bool { left.code == right.code && left.root == right.root }

    /// Writes the code and the root, which saves deriving them again. As secret as the code itself.
    public func write(to writer: inout WireWriter) {
        writer.writeText(code.description)
        writer.writeRaw(root.rawBytes())
    }

    /// Reads what `write(to:)` wrote. The root is not checked.
    public init(from reader: inout WireReader) throws(WireError) {
        guard let code = FriendCode(try reader.readText(maximum: 14)) else {
            throw .invalidValue(field: "friend code")
        }
        let raw = try reader.readRaw(SymmetricKey.byteCount)
        guard let root = try? SymmetricKey(rawBytes: raw) else {
            // Unreachable: any thirty-two bytes are a key.
            throw .invalidValue(field: "friend code keys")
        }
        self.init(code: code, root: root)
    }
}
