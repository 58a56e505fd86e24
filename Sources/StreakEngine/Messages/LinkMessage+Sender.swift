/// Who may send a message. From anybody else it is dropped silently.
enum MessageSender: Equatable, Sendable {
    /// Anybody at the other end of a link.
    case anybody
    /// Anybody, within the budget of requests: each is checked in full.
    case asker
    /// A device that this device has asked over this link. The machine that asked knows which.
    case asked
    /// The same, or another machine of this account, which hands over the account's groups unasked.
    case askedOrOwnMachine
    /// A device that has proven to know the group. What it may hear in return, `Access` says.
    case prover
    /// A device that has proven to know the group, or one of `askedOrOwnMachine` before it could prove anything.
    case proverAskedOrOwnMachine
    /// A device with which this may flow, by `Access`.
    case allowed(Access)
    /// To whom, and from whom, this may flow of any group.
    case allowedOfAny(Access)
}

extension LinkMessage.Kind {
    /// The second half of the security policy; `docs/security.md` quotes it.
    var sender: MessageSender {
        switch self {
        case .hello: .anybody
        case .digest: .prover
        case .tipsRequested: .allowed(.records)
        case .tips: .allowed(.records)
        case .operationsRequested: .prover
        case .operations: .proverAskedOrOwnMachine
        case .runsRequested: .allowed(.records)
        case .runs: .allowed(.records)
        case .rumour: .allowed(.records)
        case .rumourAcknowledged: .asked
        case .joinRequested: .asker
        case .welcome: .askedOrOwnMachine
        case .joinRefused: .asked
        case .accessKeysRequested: .allowed(.accessKeys)
        case .accessKeys: .allowed(.accessKeys)
        case .presence: .prover
        case .whereabouts: .allowedOfAny(.whereabouts)
        case .seenAt: .allowedOfAny(.whereabouts)
        }
    }
}

extension FriendMessage.Kind {
    var sender: MessageSender {
        switch self {
        case .deviceRequested: .asker
        case .deviceCertified: .asked
        case .deviceRefused: .asked
        case .friendRequested: .asker
        case .friendAnswered: .asked
        }
    }
}

extension LinkMessage {
    var sender: MessageSender {
        switch kind {
        case .link(let kind): kind.sender
        case .friend(let kind): kind.sender
        }
    }

    /// The group that the message is about; nil if it is about none, or names it by more than a handle.
    var handle: GroupHandle? {
        switch self {
        case .digest(let handle, _, _, _, _), .tipsRequested(let handle, _, _), .tips(let handle, _),
            .operationsRequested(let handle, _), .operations(let handle, _, _), .runsRequested(let handle, _),
            .runs(let handle, _, _, _), .rumour(let handle, _), .accessKeysRequested(let handle, _),
            .accessKeys(let handle, _), .presence(let handle, _):
            handle
        case .hello, .rumourAcknowledged, .joinRequested, .welcome, .joinRefused, .friend, .whereabouts, .seenAt: nil
        }
    }
}
