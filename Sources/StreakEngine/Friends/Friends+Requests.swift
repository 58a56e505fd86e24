import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// Receiving friend requests, and deciding about them.
extension Friends {
    /// Tells `Links` who may dial under this account's code, and what they see.
    mutating func refreshFriendKeys(core: inout EngineCore) {
        core.links.setKeys(requests.own.map { [Self.linkKey(of: $0)] } ?? [], for: .friend)
        core.links.friendCredential = core.identity.certificate.encoded()
        core.keysAreStale = true
    }

    mutating func setAnswersToCode(_ keys: FriendCodeKeys?, id: CommandID, core: inout EngineCore) {
        requests.own = keys
        if let keys { requests.cacheCode(keys.code, of: core.identity.user) }
        refreshFriendKeys(core: &core)
        var writer = WireWriter()
        keys?.write(to: &writer)
        core.storeSetting(FriendRequests.ownSetting, writer.bytes, then: [.complete(id, .done)])
    }

    mutating func receivedFriendRequest(_ bytes: [UInt8], over link: LinkID, core: inout EngineCore) {
        guard let session = core.sessions[link], let code = requests.own?.code else { return }
        guard session.isUnderFriendCode || !core.groups(on: link, allowing: .friendship).isEmpty,
            let request = try? FriendRequest(decoding: bytes),  // hostile: no answer
            request.certificate.linkKey == session.key, request.code == code
        else { return }
        if session.isUnderFriendCode { welcomeBack(request.certificate, over: link, core: &core) }
        guard core.pair(with: request.certificate.user) == nil else { return }
        takeRequest(request, over: link, core: &core)
    }

    /// A friend's device that has lost the group of the two, or is new after a recovery. The account key certified it
    /// and the account is still a member, so it needs no admission.
    mutating func welcomeBack(_ certificate: DeviceCertificate, over link: LinkID, core: inout EngineCore) {
        guard certificate.user != core.identity.user, !core.isRevokedAnywhere(certificate) else { return }
        let pair = core.pair(with: certificate.user)
        for group in core.groups.keys where !core.isPrivate(group) && core.isCurrentMember(of: group) {
            guard let replica = core.groups[group], replica.state.isMember(certificate.user) else { continue }
            let known = replica.state.device(certificate.device)
            let isNew = known == nil && certificate.isIssuedByAccount
            guard isNew || known?.isCurrent ?? false && group == pair else { continue }
            guard core.charge(.ledgerCopies, over: link) else { return }
            core.send(.welcome(group: group, accessKeys: replica.accessKeys.map { $0.key.rawBytes() }), over: link)
            core.sendOperations(replica.ledger.servedOperations, handle: replica.handle, over: link)
        }
    }

    /// Records a request and answers it. A blocked asker gets the answer of one who has to wait.
    mutating func takeRequest(_ request: FriendRequest, over link: LinkID, core: inout EngineCore) {
        let user = request.certificate.user
        guard user != core.identity.user else { return }
        guard !requests.blocked.contains(user) else { return reply(.pending, over: link, core: &core) }
        guard var known = requests.received[user] else { return takeNew(request, over: link, core: &core) }
        switch known.decision {
        case .approved(let group, let text):
            if isUsable(text, in: group, core: core) { return reply(.accepted(link: text), over: link, core: &core) }
            known.decision = .none
        case .declined:
            if request.askedAt <= known.askedAt { return reply(.declined, over: link, core: &core) }
            known.decision = .none
        case .none:
            if known.linkKey == request.certificate.linkKey, known.name == request.name {
                return reply(.pending, over: link, core: &core)
            }
        }
        guard core.charge(.friendRequests, to: .everybody) else { return reply(.pending, over: link, core: &core) }
        let isAskedAnew = requests.received[user]?.decision != FriendRequests.Decision.none
        known.name = request.name
        known.linkKey = request.certificate.linkKey
        known.askedAt = max(known.askedAt, request.askedAt)
        requests.received[user] = known
        keepReceived(user, then: isAskedAnew ? [.publish(.friend(.requestReceived(user)))] : [], core: &core)
        reply(.pending, over: link, core: &core)
    }

    mutating func takeNew(_ request: FriendRequest, over link: LinkID, core: inout EngineCore) {
        reply(.pending, over: link, core: &core)
        let pending = requests.received.values.count { $0.decision == .none } + requests.derivations.requestCount
        guard !requests.derivations.hasRequest(of: request.certificate.user), pending < FriendRequests.maximumPending,
            core.charge(.friendRequests, to: .everybody)
        else { return }
        // A request that is not recorded now is repeated by its asker.
        _ = useCode(of: request.certificate.user, for: .request(request), core: &core)
    }

    /// Keeps a request for the user to decide, now that the asker's code can be shown.
    mutating func keepRequest(_ request: FriendRequest, from code: FriendCode, core: inout EngineCore) {
        let user = request.certificate.user
        guard requests.received[user] == nil, !requests.blocked.contains(user), core.pair(with: user) == nil,
            makeRoomForReceived(core: &core)
        else { return }
        requests.received[user] = FriendRequests.Received(
            user: user, name: request.name, code: code, linkKey: request.certificate.linkKey, askedAt: request.askedAt,
            receivedAt: core.wall.seconds)
        keepReceived(user, then: [.publish(.friend(.requestReceived(user)))], core: &core)
    }

    /// Makes room by forgetting the oldest declined request.
    mutating func makeRoomForReceived(core: inout EngineCore) -> Bool {
        guard requests.received.count >= FriendRequests.maximumReceived else { return true }
        let declined = requests.received.keys.filter { requests.received[$0]?.decision == .declined }
        let dated = declined.map { (requests.received[$0]?.receivedAt ?? 0, $0) }
        guard let oldest = dated.min(by: { $0 < $1 }) else { return false }
        requests.received[oldest.1] = nil
        keepReceived(oldest.1, core: &core)
        return true
    }

    func isUsable(_ text: String, in group: GroupID, core: EngineCore) -> Bool {
        guard core.isCurrentMember(of: group), let link = try? InviteLink(parsing: text),  // made here
            let invite = core.groups[group]?.state.invite(publicKey: link.secrets.inviteKey.publicKey)
        else { return false }
        return invite.isLive(at: core.wall.seconds)
    }

    mutating func reply(_ answer: FriendAnswer, over link: LinkID, core: inout EngineCore) {
        var writer = WireWriter()
        answer.write(to: &writer)
        core.send(.friend(.friendAnswered(writer.bytes)), over: link)
    }

    mutating func keepReceived(_ user: UserID, then work: [Work] = [], core: inout EngineCore) {
        requests.needsReview = true
        var change = DurableChange()
        change.local[FriendRequests.Received.self, user] = requests.received[user]
        core.persist(change, then: work)
    }

    mutating func approveFriend(_ user: UserID, name: String, id: CommandID, core: inout EngineCore) {
        guard var request = requests.received[user] else {
            return core.complete(id, .failed(.friend(.unknownRequest)))
        }
        if case .approved(let group, let text) = request.decision, isUsable(text, in: group, core: core) {
            return core.complete(id, .group(group))
        }
        if let group = core.pair(with: user) {
            return core.complete(id, .failed(.friend(.alreadyFriend(group))))
        }
        // This user asked, too, and the other said yes first: this device is joining their group.
        if case .joining? = requests.sent[request.code]?.stage { return core.complete(id, .done) }
        var change = DurableChange()
        let group: GroupID
        let text: String
        do {
            group = try core.startGroup(title: Self.pairTitle(name, request.name), isPair: true, change: &change)
            text = try inviteFriend(into: group, change: &change, core: &core)
        } catch {
            return core.complete(id, .failed(.notAllowed(error)))
        }
        request.decision = .approved(group, link: text)
        requests.received[user] = request
        requests.cacheCode(request.code, of: user)
        change.local.keep(request)
        core.ledgerChanged(group, change: change, then: [.complete(id, .group(group)), .answerFriend(user)])
    }

    mutating func inviteFriend(
        into group: GroupID, change: inout DurableChange, core: inout EngineCore
    ) throws(LedgerError) -> String {
        guard let replica = core.groups[group] else { throw .notFounding }
        let secrets = InviteSecrets.generate(from: &core.entropy)
        let expiresAt = core.wall.seconds + FriendRequests.inviteLifetime
        let link = InviteLink(
            seed: secrets.seed, group: group, expiresAt: expiresAt, title: replica.state.title,
            addresses: core.network.ownEndpoints.isEmpty ? [] : [core.network.ownEndpoints], identity: core.identity)
        let terms = secrets.terms(maximumUses: 1, expiresAt: expiresAt)
        let invite = try replica.ledger.draft(.invite(terms), by: core.identity, at: core.wall.seconds)
        _ = try core.insert(invite, in: group, change: &change)
        change.local.keep(KeptInvite(link))
        return link.text
    }

    /// Both names, each shortened so that the title fits, and without characters that a title may not contain.
    static func pairTitle(_ own: String, _ other: String) -> String {
        func part(_ name: String) -> String {
            let visible = name.unicodeScalars.filter { scalar in
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator: false
                default: true
                }
            }
            var result = ""
            var size = 0
            for character in String(String.UnicodeScalarView(visible)).prefix(28) {
                size += character.utf8.count
                guard size <= 110 else { break }
                result.append(character)
            }
            return result.isEmpty ? "?" : result
        }
        return part(own) + " & " + part(other)
    }

    /// Tells an asker that is still linked what the user decided.
    mutating func answerFriend(_ user: UserID, core: inout EngineCore) {
        guard let request = requests.received[user] else { return }
        let answer: FriendAnswer
        switch request.decision {
        case .none: return
        case .declined: answer = .declined
        case .approved(_, let text): answer = .accepted(link: text)
        }
        for link in core.sessions.keys where core.sessions[link]?.key == request.linkKey {
            reply(answer, over: link, core: &core)
        }
    }

    mutating func declineFriend(_ user: UserID, id: CommandID, core: inout EngineCore) {
        guard let request = requests.received[user] else { return core.complete(id, .failed(.friend(.unknownRequest))) }
        guard request.decision == .none || request.decision == .declined else {
            return core.complete(id, .failed(.friend(.unknownRequest)))
        }
        requests.received[user]?.decision = .declined
        keepReceived(user, then: [.complete(id, .done), .answerFriend(user)], core: &core)
    }

    mutating func block(_ user: UserID, name: String, id: CommandID, core: inout EngineCore) {
        guard user != core.identity.user else { return core.complete(id, .failed(.friend(.ownCode))) }
        guard requests.blocked.count < FriendRequests.maximumBlocked else {
            return core.complete(id, .failed(.friend(.tooManyRequests)))
        }
        requests.blocked.insert(user)
        // Who blocks somebody asks them no longer.
        for code in requests.sentInOrder
        where requests.sent[code]?.owner?.user == user || requests.sent[code]?.member == user {
            forgetRequest(code, core: &core)
        }
        var change = DurableChange()
        change.local.keep(BlockedUser(user: user, name: name))
        if requests.received[user]?.decision == FriendRequests.Decision.none
            || requests.received[user]?.decision == .declined
        {
            requests.received[user] = nil
            change.local[FriendRequests.Received.self, user] = nil
        }
        core.persist(change, then: [.complete(id, .done)])
    }

    mutating func unblock(_ user: UserID, id: CommandID, core: inout EngineCore) {
        requests.blocked.remove(user)
        var change = DurableChange()
        change.local[BlockedUser.self, user] = nil
        core.persist(change, then: [.complete(id, .done)])
    }

    /// Forgets the requests of both sides once the two are friends, however they became friends.
    mutating func noteNewFriends(core: inout EngineCore) {
        requests.needsReview = false
        for user in requests.received.keys.sorted() {
            guard let decision = requests.received[user]?.decision else { continue }
            if case .approved(let group, _) = decision, core.groups[group]?.state.isMember(user) ?? false {
                requests.received[user] = nil
                keepReceived(user, then: [.publish(.friend(.joined(user, group)))], core: &core)
            } else if core.pair(with: user) != nil {
                requests.received[user] = nil
                keepReceived(user, core: &core)
                // Both said yes at once, and the other's group is the one to use.
                if case .approved(let group, _) = decision,
                    core.groups[group]?.state.members.map(\.user) == [core.identity.user]
                {
                    core.forget(group, then: [.publish(.ledgerChanged(group))])
                }
            }
        }
        for code in requests.sentInOrder {
            // A join in progress ends by itself.
            guard let request = requests.sent[code], !requests.joins.values.contains(code) else { continue }
            let known = requests.codes.keys.filter { requests.codes[$0] == code }.sorted()
            let owners = request.owner.map { [$0.user] } ?? known
            guard request.isOpen, let group = owners.compactMap({ core.pair(with: $0) }).first else { continue }
            forgetRequest(code, then: [.publish(.friend(.accepted(code, group)))], core: &core)
        }
    }

    /// Forgets requests that were not decided for a month, and approved ones whose invite nobody has used. Runs once a
    /// minute.
    mutating func forgetOldRequests(core: inout EngineCore) {
        guard !requests.received.isEmpty else { return }
        if let last = requests.agesCheckedAt, last <= core.wall.seconds, core.wall.seconds < last + 60 { return }
        requests.agesCheckedAt = core.wall.seconds
        for user in requests.received.keys.sorted() {
            guard let request = requests.received[user] else { continue }
            let age = core.wall.seconds.subtractingReportingOverflow(request.receivedAt)
            guard age.overflow || age.partialValue.magnitude > UInt64(FriendRequests.receivedLifetime) else { continue }
            if case .approved(let group, let text) = request.decision, isUsable(text, in: group, core: core) {
                continue
            }
            requests.received[user] = nil
            keepReceived(user, core: &core)
        }
    }
}
