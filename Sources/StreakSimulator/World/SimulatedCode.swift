import StreakCrypto
import StreakMembership
import StreakWire

/// Friend codes without slow hashes, so that a thousand nodes can look for each other quickly. Everything keyed by a
/// code is real.
enum SimulatedCode {
    private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

    /// The code of an account: eleven symbols from its key, and their checksum symbol.
    static func code(of user: UserID) -> FriendCode {
        let data = String(user.bytes.array.prefix(11).map { digits[Int($0 & 31)] })
        guard let code = digits.lazy.compactMap({ FriendCode(data + String($0)) }).first else {
            preconditionFailure("one of thirty-two checksums fits")
        }
        return code
    }

    /// The keys for an account's code.
    static func keys(of user: UserID) -> FriendCodeKeys {
        let code = code(of: user)
        var writer = WireWriter()
        writer.writeText(code.description)
        writer.writeRaw(Blake2b.hash(Array(code.description.utf8), size: 32))
        var reader = WireReader(writer.bytes)
        // A code and thirty-two bytes can always be read.
        guard let keys = try? FriendCodeKeys(from: &reader) else {
            preconditionFailure("a code and thirty-two bytes are keys")
        }
        return keys
    }
}
