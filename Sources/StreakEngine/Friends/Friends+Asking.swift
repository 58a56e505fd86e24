import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// Finding the owner of a code, and handling the answer.
extension Friends {
    /// A link was opened under a friend code: asks the other side, if it owns a code that this node looks for.
    mutating func linkOpened(_ link: LinkID, core: inout EngineCore) {
        guard let session = core.sessions[link] else { return }
        askForFriendship(over: session, core: &core)
    }

    /// The owner of a code, found before, who is at the other end of a link under a friend code. Either side may have
    /// opened it: of two who look for each other at once, usually one link is left.
    func ownerAsked(over session: PeerSession, core: EngineCore) -> (code: FriendCode, owner: DeviceCertificate)? {
        guard session.isUnderFriendCode else { return nil }
        return requests.sentInOrder.lazy.compactMap { code in requests.sent[code]?.owner.map { (code, $0) } }
            .first { $0.1.linkKey == session.key && !core.isRevokedAnywhere($0.1) }
    }

    /// A device that answered a dial under a code has shown its certificate. Only the code's owner learns who asks.
    mutating func credentialShown(
        _ credential: [UInt8], of peer: AgreementPublicKey, under key: LinkKey, dial: DialID, core: inout EngineCore
    ) {
        guard case .friendCode(let code)? = LinkKeyLabel(of: key), let request = requests.sent[code], request.isOpen,
            let certificate = try? DeviceCertificate(decoding: credential),  // hostile, or of a later version
            certificate.linkKey == peer, mayDeriveCode(of: certificate.user, dial: dial, core: &core),
            certificate.isValid(),
            useCode(of: certificate.user, for: .verification(dial, certificate, code), core: &core)
        else { return core.links.refuse(dial, at: core.now) }
    }

    /// Whether to work out the code of a user who answered. Anybody who knows the code can answer, under any number of
    /// names.
    private func mayDeriveCode(of user: UserID, dial: DialID, core: inout EngineCore) -> Bool {
        guard requests.codes[user] == nil else { return true }
        return core.links.endpoint(of: dial).map { core.charge(.codeClaims, to: .source($0)) } ?? false
    }

    /// Continues or ends a dial, once it is known whether the device that answered belongs to the owner of the code.
    mutating func verifyOwner(
        _ certificate: DeviceCertificate, under code: FriendCode, isOwner: Bool, dial: DialID, core: inout EngineCore
    ) {
        guard isOwner, requests.sent[code]?.isOpen ?? false else { return core.links.refuse(dial, at: core.now) }
        guard certificate.user != core.identity.user else {
            core.links.refuse(dial, at: core.now)
            return forgetRequest(code, then: [.publish(.friend(.failed(code, .ownCode)))], core: &core)
        }
        if let failure = failure(with: certificate.user, core: core) {
            core.links.refuse(dial, at: core.now)
            return forgetRequest(code, then: [.publish(.friend(.failed(code, failure)))], core: &core)
        }
        requests.sent[code]?.owner = certificate
        core.links.approve(dial, peer: certificate.linkKey, at: core.now, entropy: &core.entropy)
    }

    /// A reason not to ask a user; nil if there is none.
    func failure(with user: UserID, core: EngineCore) -> FriendFailure? {
        if let group = core.pair(with: user) { return .alreadyFriend(group) }
        return requests.blocked.contains(user) ? .blocked : nil
    }

    mutating func askForFriendship(over session: PeerSession, core: inout EngineCore) {
        guard let (code, owner) = ownerAsked(over: session, core: core), let request = requests.sent[code],
            request.isOpen
        else { return }
        core.post(.ownerAsked(session.link, owner))
        core.send(.friend(.friendRequested(statement(of: request, core: core).bytes)), over: session.link)
    }

    mutating func receivedFriendAnswer(_ bytes: [UInt8], over link: LinkID, core: inout EngineCore) {
        var reader = WireReader(bytes)
        guard let (code, owner) = askedOwner(over: link, core: core),
            // Otherwise hostile, or of a later version.
            let answer = try? FriendAnswer(from: &reader), (try? reader.finish()) != nil
        else { return }
        takeAnswer(answer, to: code, from: owner, core: &core)
    }

    /// The request that the device at the other end may answer as the owner of the code: it has shown that it is the
    /// owner's, or was asked as a member.
    func askedOwner(over link: LinkID, core: EngineCore) -> (code: FriendCode, owner: DeviceCertificate)? {
        guard let session = core.sessions[link] else { return nil }
        if let asked = ownerAsked(over: session, core: core) { return asked }
        guard let member = namedMember(at: link, core: core),
            let code = requests.sentInOrder.first(where: {
                (requests.sent[$0]?.owner?.user ?? requests.sent[$0]?.member) == member.user
            })
        else { return nil }
        return (code, member)
    }

    mutating func takeAnswer(
        _ answer: FriendAnswer, to code: FriendCode, from owner: DeviceCertificate, core: inout EngineCore
    ) {
        guard let request = requests.sent[code], request.isOpen, !requests.blocked.contains(owner.user) else { return }
        if case .joining = request.stage { return }
        switch answer {
        case .pending:
            guard request.stage != .pending || request.owner?.user != owner.user else { return }
            requests.sent[code]?.stage = .pending
            requests.sent[code]?.owner = owner
            store(code, then: [.publish(.friend(.ownerFound(code, owner.user)))], core: &core)
        case .declined:
            requests.sent[code]?.stage = .declined
            requests.sent[code]?.owner = owner
            store(code, then: [.publish(.friend(.declined(code)))], core: &core)
        case .accepted(let text):
            guard let link = try? InviteLink(parsing: text), link.inviter == owner.device,  // otherwise not the owner's
                !link.isExpired(at: core.wall.seconds), !hasSaidYes(to: owner.user, core: core)
            else { return }
            requests.sent[code]?.stage = .joining(link: text)
            requests.sent[code]?.owner = owner
            requests.sent[code]?.attempts = 1
            requests.sent[code]?.nextAttempt = core.now.advanced(by: FriendRequests.pauses[0])
            store(code, core: &core)
            joinFriend(code, link: text, core: &core)
        }
    }

    /// Whether both users have approved each other at once, and this side's group is the one to use: that of the
    /// smaller account.
    func hasSaidYes(to user: UserID, core: EngineCore) -> Bool {
        guard core.identity.user < user, case .approved(let group, let text)? = requests.received[user]?.decision else {
            return false
        }
        return isUsable(text, in: group, core: core)
    }

    mutating func joinFriend(_ code: FriendCode, link text: String, core: inout EngineCore) {
        guard !requests.joins.keys.sorted().contains(where: { requests.joins[$0] == code }) else { return }
        // It was read once before it was kept.
        guard let link = try? InviteLink(parsing: text) else { return lookAgain(code, core: &core) }
        let id = requests.newJoin(for: code)
        let near = core.sessions.keys.first { core.sessions[$0]?.key == requests.sent[code]?.owner?.linkKey }
        let known = near.flatMap { core.links.pathSummary($0)?.endpoint }.map { [$0] } ?? []
        let owner = requests.sent[code]?.owner?.user
        core.post(.join(link, id, pair: owner, at: known + (requests.sent[code]?.endpoints ?? [])))
    }

    /// A join that this engine began itself has ended.
    mutating func joinEnded(_ id: CommandID, _ outcome: CommandOutcome, core: inout EngineCore) {
        guard let code = requests.joins.removeValue(forKey: id) else { return }
        switch outcome {
        case .failed(.alreadyMember(let group))
        where requests.sent[code]?.owner.map({ core.pair(with: $0.user) }) != group:
            // The link leads into another group of the two users, so it does not answer the request.
            lookAgain(code, core: &core)
        case .group(let group), .failed(.alreadyMember(let group)):
            if let owner = requests.sent[code]?.owner?.user { requests.cacheCode(code, of: owner) }
            forgetRequest(code, then: [.publish(.friend(.accepted(code, group)))], core: &core)
        case .failed(.linkExpired), .failed(.joinRefused(.usedUp)), .failed(.joinRefused(.expired)),
            .failed(.joinRefused(.revoked)), .failed(.joinRefused(.removed)):
            lookAgain(code, core: &core)
        case .failed:
            // Nobody answered: the same link is tried again later.
            break
        case .done, .invite, .deviceLinked, .refusedBy, .retracted: break
        }
    }

    /// The link from the owner is useless now: asks for another.
    mutating func lookAgain(_ code: FriendCode, core: inout EngineCore) {
        guard requests.sent[code] != nil else { return }
        requests.sent[code]?.stage = .looking
        store(code, core: &core)
    }
}
