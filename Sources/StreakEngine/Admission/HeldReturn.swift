import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
public import StreakWire

/// A group of this account, by what a friend says and its ledger shows, into which this device may come back.
public struct OfferedReturn: Sendable, Equatable {
    public let group: GroupID
    public let title: String
    /// Whoever offers it.
    public let friend: UserID
    public let memberCount: Int
    /// Seconds since 1970, by this node's clock.
    public let offeredAt: Int64
}

/// The ledger of such a group, kept apart from those of this device's groups: nothing is published there, and nothing
/// is asked, before the user has said yes.
struct HeldReturn: Sendable {
    static let maximumCount = 32
    static let settingPrefix = "return-"

    let ledger: Ledger
    /// Newest first.
    let accessKeys: [AccessKey]
    let friend: UserID
    let offeredAt: Int64
    /// Of the ledger, in bytes.
    let size: Int

    static func setting(_ group: GroupID) -> String { settingPrefix + group.bytes.array.prefix(16).hexadecimal }

    var settingValue: [UInt8] {
        var writer = WireWriter()
        writer.write(ledger.group)
        writer.write(friend)
        writer.writeVarint(UInt64(max(0, offeredAt)))
        return writer.bytes
    }

    /// What a setting says: which group, who offered it, and when.
    static func read(_ value: [UInt8]) throws(WireError) -> (group: GroupID, friend: UserID, offeredAt: Int64) {
        var reader = WireReader(value)
        let group: GroupID = try reader.readIdentifier()
        let friend: UserID = try reader.readIdentifier()
        let offeredAt = Int64(try reader.readVarint(maximum: UInt64(Int64.max)))
        try reader.finish()
        return (group, friend, offeredAt)
    }
}

extension Ledger {
    /// Whether a device of an account has signed something here itself: an operation, or a wish to join. That others say
    /// so proves nothing.
    func holdsWord(of user: UserID) -> Bool {
        allOperations.contains { signed in
            switch signed.operation.body {
            case .admit(let claim), .request(let claim):
                guard claim.certificate.user == user, claim.certificate.isValid(),
                    let invite = state.invite(claim.invite)
                else { return false }
                return claim.proof.isValid(
                    inviteKey: invite.publicKey, group: group, certificate: claim.certificate)
            case .found, .invite, .revokeInvite, .addDevice, .revokeDevice, .setRole, .transfer, .remove, .leave,
                .rename,
                .settings:
                return self.user(of: signed.operation.author) == user
            }
        }
    }
}
