import StreakCrypto
import StreakWire

/// A user's ID in a group where that user is anonymous. It differs between groups. Without the account's key, nobody
/// can tell that two of them belong to one person.
struct Pseudonym: Hashable, Sendable {
    let id: Bytes32

    private static let context = Array("streakmesh/v1/pseudonym".utf8)

    init(of user: UserID, in group: GroupID) {
        guard let id = Bytes32(Blake2b.hash(Self.context + group.bytes.array + user.bytes.array)) else {
            preconditionFailure("BLAKE2b-256 gives 32 bytes")
        }
        self.id = id
    }

    /// `Player#A1B2`, with this many digits.
    func alias(digits: Int = 4) -> String { "Player#" + start(digits) }

    /// The first hexadecimal digits, in capitals.
    func start(_ digits: Int) -> String { String(id.description.prefix(digits)).uppercased() }
}
