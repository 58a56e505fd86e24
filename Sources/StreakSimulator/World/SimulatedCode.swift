import StreakCrypto
import StreakMembership
import StreakWire

/// Friend codes that cost nothing, in place of slow hashes: a thousand nodes look for each other in no time. Everything
/// that is keyed by a code is real.
enum SimulatedCode {
    private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

    /// The code of an account: eleven symbols of its key, and the checksum symbol that fits.
    static func code(of user: UserID) -> FriendCode {
        let data = String(user.bytes.array.prefix(11).map { digits[Int($0 & 31)] })
        guard let code = digits.lazy.compactMap({ FriendCode(data + String($0)) }).first else {
            preconditionFailure("one of thirty-two checksums fits")
        }
        return code
    }

    /// What the code opens.
    static func keys(of user: UserID) -> FriendCodeKeys {
        let code = code(of: user)
        var writer = WireWriter()
        writer.writeText(code.description)
        writer.writeRaw(Blake2b.hash(Array(code.description.utf8), size: 32))
        var reader = WireReader(writer.bytes)
        // A code and thirty-two bytes always read.
        guard let keys = try? FriendCodeKeys(from: &reader) else {
            preconditionFailure("a code and thirty-two bytes are keys")
        }
        return keys
    }
}
