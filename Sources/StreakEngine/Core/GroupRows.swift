import StreakCrypto
import StreakMembership
import StreakReplication
import StreakWire

/// The link of an invite that was made here, so that it can be shown again.
struct KeptInvite: LocalRow {
    let group: GroupID
    /// The public key of the invite.
    let invite: [UInt8]
    let text: String

    static var shape: RowShape<Self> {
        RowShape(.inviteLinks, Self.init(group:invite:text:), \.group, \.invite, \.text)
    }
}

extension KeptInvite {
    init(_ link: InviteLink) {
        self.init(group: link.group, invite: link.secrets.inviteKey.publicKey.rawBytes, text: link.text)
    }
}

/// Nobody has heard yet that this device has left a group.
struct Farewell: LocalRow {
    let group: GroupID

    static var shape: RowShape<Self> { RowShape(.farewells, Self.init, \.group) }
}

/// Somebody on this machine has turned an account down that asks under an invite, with whatever device.
struct Denial: LocalRow {
    let group: GroupID
    let user: UserID
    let invite: OperationID

    static var shape: RowShape<Self> { RowShape(.denials, Self.init, \.group, \.user, \.invite) }
}

/// A member has noted that this user wants to join the group. The answer may be asked for after the invite has expired.
struct AwaitedApproval: LocalRow {
    let group: GroupID

    static var shape: RowShape<Self> { RowShape(.awaitedApprovals, Self.init, \.group) }
}
