/// Who may say a message. Whatever is not said by who may say it is dropped without a word.
enum MessageSender: Equatable, Sendable {
    /// Anybody at the other end of a link.
    case anybody
    /// Anybody, as far as its budget of requests goes: each is looked at in full.
    case asker
    /// Whom this device has asked, over this link: the machine that asked knows.
    case asked
    /// Who has proven to know the group. What it hears in turn is `Access`'s to say.
    case prover
    /// Who has proven to know the group; or whom this device has asked, before it can prove anything.
    case proverOrAsked
    /// To whom, and from whom, this may flow of the group.
    case allowed(Access)
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
        case .operations: .proverOrAsked
        case .runsRequested: .allowed(.records)
        case .runs: .allowed(.records)
        case .rumour: .allowed(.records)
        case .rumourAcknowledged: .asked
        case .joinRequested: .asker
        case .welcome: .asked
        case .joinRefused: .asked
        case .accessKeysRequested: .allowed(.accessKeys)
        case .accessKeys: .allowed(.accessKeys)
        case .presence: .prover
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

    /// The group that the message is about; nil where it is about none, or names it by more than a handle.
    var handle: GroupHandle? {
        switch self {
        case .digest(let handle, _, _, _, _), .tipsRequested(let handle, _, _), .tips(let handle, _),
            .operationsRequested(let handle, _), .operations(let handle, _, _), .runsRequested(let handle, _),
            .runs(let handle, _, _, _), .rumour(let handle, _), .accessKeysRequested(let handle, _),
            .accessKeys(let handle, _), .presence(let handle, _):
            handle
        case .hello, .rumourAcknowledged, .joinRequested, .welcome, .joinRefused, .friend: nil
        }
    }
}
