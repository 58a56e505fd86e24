import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
public import StreakWire

/// A group into which this device may come back: a friend says so, and the group's ledger shows that this account was
/// in it.
public struct OfferedReturn: Sendable, Equatable {
    public let group: GroupID
    public let title: String
    /// The friend who offers it.
    public let friend: UserID
    public let memberCount: Int
    /// Seconds since 1970, by this node's clock.
    public let offeredAt: Int64
}

/// The ledger of such a group, kept apart from those of this device's groups. Until the user says yes, this device
/// publishes and asks nothing there.
struct HeldReturn: Sendable {
    static let maximumCount = 32

    let ledger: Ledger
    /// Newest first.
    let accessKeys: [AccessKey]
    let friend: UserID
    let offeredAt: Int64
    /// Of the ledger, in bytes.
    let size: Int

    /// What is kept of it beside the group's own ledger and keys.
    struct Row: LocalRow {
        let group: GroupID
        let friend: UserID
        let offeredAt: Int64

        static var shape: RowShape<Self> { RowShape(.returns, Self.init, \.group, \.friend, \.offeredAt) }
    }
}

extension Ledger {
    /// Whether a device of the account has signed something here itself: an operation, or a request to join. What
    /// others say about the account proves nothing.
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
