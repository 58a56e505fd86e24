public import StreakCrypto
public import StreakWire

/// An account's secret in the form its user writes down: 56 symbols of Crockford's base32 in fourteen groups of four.
///
/// | bits | field |
/// |---|---|
/// | 256 | seed of the account's Ed25519 key |
/// | 24 | checksum: first bytes of keyed BLAKE2b-256 under `streakmesh/v1/recovery-key` of the seed |
///
/// Its holder can act as the account. `description` reveals nothing; only the page that shows the key may use `text`.
public struct RecoveryKey: Sendable, CustomStringConvertible, CustomReflectable {
    /// Symbols without the hyphens.
    static let symbolCount = 56
    private static let checksumSize = 3
    private static let checksumKey = Array("streakmesh/v1/recovery-key".utf8)
    /// Longer than a key with every blank and hyphen somebody may type.
    private static let maximumTextSize = 1_024

    public let accountKey: SigningSecretKey

    /// The account of this key.
    public var user: UserID { UserID(accountKey.publicKey) }

    public init(_ accountKey: SigningSecretKey) {
        self.accountKey = accountKey
    }

    /// Reads a key as typed: either case, O for 0, I and L for 1, hyphens and white space anywhere.
    public init(_ text: String) throws(RecoveryKeyError) {
        guard text.utf8.count <= Self.maximumTextSize else {
            throw .wrongLength(expected: Self.symbolCount, actual: text.unicodeScalars.count)
        }
        let symbols: [UInt8]
        do {
            symbols = try CrockfordBase32.symbols(text)
        } catch {
            throw .invalidCharacter(Character(error.scalar))
        }
        guard !symbols.isEmpty else { throw .empty }
        guard symbols.count == Self.symbolCount else {
            throw .wrongLength(expected: Self.symbolCount, actual: symbols.count)
        }
        // Eight symbols are five bytes.
        let bytes = stride(from: 0, to: symbols.count, by: 8).flatMap { start in
            let word = symbols[start..<(start + 8)].reduce(UInt64(0)) { $0 << 5 | UInt64($1) }
            return stride(from: UInt64(32), through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
        }
        let seed = Array(bytes.dropLast(Self.checksumSize))
        guard Self.checksum(seed) == Array(bytes.suffix(Self.checksumSize)),
            let key = try? SigningSecretKey(seed: seed)  // fails only if it is not thirty-two bytes
        else { throw .wrongChecksum }
        accountKey = key
    }

    /// `XXXX-XXXX-…`, fourteen groups. Show it, never log it.
    public func text() -> String {
        let seed = accountKey.seedBytes()
        let bytes = seed + Self.checksum(seed)
        let symbols = stride(from: 0, to: bytes.count, by: 5).flatMap { start in
            let word = bytes[start..<(start + 5)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return stride(from: UInt64(35), through: 0, by: -5).map { UInt8(truncatingIfNeeded: word >> $0) & 31 }
        }
        return CrockfordBase32.text(symbols)
    }

    /// One mistyped key in sixteen million passes.
    private static func checksum(_ seed: [UInt8]) -> [UInt8] {
        Array(Blake2b.keyedHash(seed, key: checksumKey).prefix(checksumSize))
    }

    /// Names only the account, so that the secret cannot reach a log by accident.
    public var description: String { "RecoveryKey(of: \(user))" }

    public var customMirror: Mirror { Mirror(self, children: ["user": user]) }
}

/// Why a text is not a recovery key. It reveals nothing of the text, except a character that no key contains.
public enum RecoveryKeyError: Error, Equatable, Sendable {
    /// Only blanks and hyphens.
    case empty
    /// Symbols are missing or too many; hyphens and white space are not counted.
    case wrongLength(expected: Int, actual: Int)
    /// U, a sign, or a letter of another script.
    case invalidCharacter(Character)
    /// The length is right, but at least one symbol is mistyped.
    case wrongChecksum
}
