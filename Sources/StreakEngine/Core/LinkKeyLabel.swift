public import StreakCrypto
public import StreakLinks
public import StreakMembership
public import StreakWire

/// What a link key belongs to.
public enum LinkKeyLabel: Hashable, Sendable {
    /// The group's access key; `index` counts from its founding one.
    case access(GroupID, index: Int)
    /// The pre-shared key of the invite that this operation made.
    case invite(GroupID, OperationID)
    /// What this friend code opens: the handshake in which the responder shows who it is first.
    case friendCode(FriendCode)

    /// Nil for a key that is not of this engine's making.
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
