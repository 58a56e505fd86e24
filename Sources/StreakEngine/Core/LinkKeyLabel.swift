public import StreakCrypto
public import StreakLinks
public import StreakMembership
public import StreakWire

/// What a link key opens.
public enum LinkKeyLabel: Hashable, Sendable {
    /// The group's access key; `index` counts from the first one.
    case access(GroupID, index: Int)
    /// The pre-shared key of the invite that this operation made.
    case invite(GroupID, OperationID)
    /// The keys of this friend code. In that handshake the responder shows first who it is.
    case friendCode(FriendCode)

    /// Nil for a key that this engine did not make.
    init?(of key: LinkKey) {
        guard let label = key.label as? Self else { return nil }
        self = label
    }

    fileprivate var handshake: HandshakeKind {
        switch self {
        case .access: .member
        case .invite: .invite
        case .friendCode: .friend
        }
    }
}

extension LinkKey {
    public init(presharedKey: SymmetricKey, tagKey: SymmetricKey, label: LinkKeyLabel) {
        self.init(handshake: label.handshake, presharedKey: presharedKey, tagKey: tagKey, label: label)
    }
}
