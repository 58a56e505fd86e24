public import StreakCrypto
public import StreakWire

/// Twelve characters that name an account to people: 55 bits of a slow hash of the account key, and 5 bits of checksum,
/// in Crockford's base32, as `XXXX-XXXX-XXXX`.
///
/// To make an account with a given code costs 2⁵⁵ runs of Argon2id.
public struct FriendCode: Hashable, Sendable, CustomStringConvertible {
    /// Eleven symbols of five bits and their checksum symbol.
    private let symbols: [UInt8]

    private static let salt = Array(Blake2b.hash(Array("streakmesh/v1/friend-code".utf8)).prefix(16))

    /// The code of an account. About 60 ms and 64 MB (Argon2id, interactive cost).
    ///
    /// - Throws: `outOfMemory`.
    public init(of user: UserID) throws(CryptoError) {
        let hash = try Argon2id.derive(password: user.bytes.array, salt: Self.salt, size: 16, cost: .interactive)
        let bits = hash.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 9
        let data = (0..<11).map { UInt8(truncatingIfNeeded: bits >> UInt64((10 - $0) * 5)) & 31 }
        symbols = data + [Self.checksum(data)]
    }

    /// Reads a code as typed: either case, O for 0, I and L for 1, hyphens and blanks anywhere. Nil if it does not have
    /// twelve symbols or the checksum is wrong.
    public init?(_ text: String) {
        // A text with any other character is not a code.
        guard text.utf8.count <= 64, let symbols = try? CrockfordBase32.symbols(text),
            symbols.count == 12, Self.checksum(Array(symbols.prefix(11))) == symbols[11]
        else { return nil }
        self.symbols = symbols
    }

    /// One in 32 mistyped codes passes.
    private static func checksum(_ data: [UInt8]) -> UInt8 {
        Blake2b.hash(Array("streakmesh/v1/friend-code-checksum".utf8) + data)[0] & 31
    }

    /// `XXXX-XXXX-XXXX`.
    public var description: String { CrockfordBase32.text(symbols) }
}
