import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// Being asked for friendship, and deciding.
extension MeshEngine {
    /// Tells links who may dial under this account's code, and what they see.
    mutating func refreshFriendKeys() {
        links.setKeys(friends.own.map { [Self.linkKey(of: $0)] } ?? [], for: .friend)
        links.friendCredential = identity.certificate.encoded()
        discovery.sources = discoverySources()
    }

    mutating func setAnswersToCode(_ keys: FriendCodeKeys?, id: CommandID) {
        friends.own = keys
        if let keys { friends.keep(keys.code, of: identity.user) }
        refreshFriendKeys()
        var writer = WireWriter()
        keys?.write(to: &writer)
        storeSetting(FriendRequests.ownSetting, writer.bytes, then: [.complete(id, .done)])
    }

    mutating func receivedFriendMessage(_ message: FriendMessage, over link: LinkID) {
        switch message {
        case .deviceRequested(let proof): receivedDeviceRequest(proof, over: link)
        case .deviceCertified(let certificate, let groups):
            receivedDeviceCertificate(certificate, groups: groups, over: link)
        case .deviceRefused(let reason): receivedDeviceRefusal(reason, over: link)
        case .friendRequested(let bytes): receivedFriendRequest(bytes, over: link)
        case .friendAnswered(let bytes): receivedFriendAnswer(bytes, over: link)
        }
    }

    private mutating func receivedFriendRequest(_ bytes: [UInt8], over link: LinkID) {
        guard let session = sessions[link], let code = friends.own?.code else { return }
        let isUnderCode = session.label == .friendCode(code) && !session.isInitiator
        guard isUnderCode || !sharedGroups(on: link).isEmpty, takeRequest(of: link),
            let request = try? FriendRequest(decoding: bytes),  // hostile: no answer
            request.certificate.linkKey == session.key, request.code == code
        else { return }
        if isUnderCode { welcomeBack(request.certificate, over: link) }
        guard friendGroup(with: request.certificate.user) == nil else { return }
        take(request, over: link)
    }

    /// A device of somebody this account shares groups with: new after a recovery, or it has lost the group of the two.
    /// The account key has signed for it and is no member less than before, so it needs no admission.
    private mutating func welcomeBack(_ certificate: DeviceCertificate, over link: LinkID) {
        guard certificate.user != identity.user, !isRevokedAnywhere(certificate) else { return }
        let pair = friendGroup(with: certificate.user)
        for group in groups.keys where !isPrivate(group) && isCurrentMember(of: group) {
            guard let replica = groups[group], replica.state.isMember(certificate.user) else { continue }
            let known = replica.state.device(certificate.device)
            let isNew = known == nil && certificate.isIssuedByAccount
            guard isNew || known?.isCurrent ?? false && group == pair else { continue }
            send(.welcome(group: group, accessKeys: replica.accessKeys.map { $0.key.rawBytes() }), over: link)
            sendOperations(replica.ledger.servedOperations, handle: replica.handle, over: link)
        }
    }

    /// Notes a request and answers it. Whoever is blocked gets the answer of one who has to wait.
    mutating func take(_ request: FriendRequest, over link: LinkID) {
        let user = request.certificate.user
        guard user != identity.user else { return }
        guard !friends.blocked.contains(user) else { return reply(.pending, over: link) }
        guard var known = friends.received[user] else { return takeNew(request, over: link) }
        switch known.decision {
        case .approved(let group, let text):
            if isUsable(text, in: group) { return reply(.accepted(link: text), over: link) }
            known.decision = .none
        case .declined:
            if request.askedAt <= known.askedAt { return reply(.declined, over: link) }
            known.decision = .none
        case .none:
            if known.linkKey == request.certificate.linkKey, known.name == request.name {
                return reply(.pending, over: link)
            }
        }
        guard friends.admitted.take(at: now) else { return reply(.pending, over: link) }
        let isAskedAnew = friends.received[user]?.decision != FriendRequests.Decision.none
        known.name = request.name
        known.linkKey = request.certificate.linkKey
        known.askedAt = max(known.askedAt, request.askedAt)
        friends.received[user] = known
        keepReceived(user, then: isAskedAnew ? [.publish(.friend(.requestReceived(user)))] : [])
        reply(.pending, over: link)
    }

    private mutating func takeNew(_ request: FriendRequest, over link: LinkID) {
        reply(.pending, over: link)
        let pending = friends.received.values.count { $0.decision == .none } + friends.derivations.requestCount
        guard !friends.derivations.hasRequest(of: request.certificate.user), pending < FriendRequests.maximumPending,
            friends.admitted.take(at: now)
        else { return }
        // One who is not noted now repeats it.
        _ = useCode(of: request.certificate.user, for: .request(request))
    }

    /// Keeps a request for its user to decide, now that the asker's code can be shown.
    mutating func keep(_ request: FriendRequest, from code: FriendCode) {
        let user = request.certificate.user
        guard friends.received[user] == nil, !friends.blocked.contains(user), friendGroup(with: user) == nil,
            makeRoomForReceived()
        else { return }
        friends.received[user] = FriendRequests.Received(
            name: request.name, code: code, linkKey: request.certificate.linkKey, askedAt: request.askedAt,
            receivedAt: wall.seconds)
        keepReceived(user, then: [.publish(.friend(.requestReceived(user)))])
    }

    /// The oldest that was declined gives way.
    private mutating func makeRoomForReceived() -> Bool {
        guard friends.received.count >= FriendRequests.maximumReceived else { return true }
        let declined = friends.received.keys.filter { friends.received[$0]?.decision == .declined }
        let dated = declined.map { (friends.received[$0]?.receivedAt ?? 0, $0) }
        guard let oldest = dated.min(by: { $0 < $1 }) else { return false }
        friends.received[oldest.1] = nil
        keepReceived(oldest.1)
        return true
    }

    func isUsable(_ text: String, in group: GroupID) -> Bool {
        guard isCurrentMember(of: group), let link = try? InviteLink(parsing: text),  // was made here
            let invite = groups[group]?.state.invite(publicKey: link.secrets.inviteKey.publicKey)
        else { return false }
        return invite.isLive(at: wall.seconds)
    }

    private mutating func reply(_ answer: FriendAnswer, over link: LinkID) {
        var writer = WireWriter()
        answer.write(to: &writer)
        send(.friend(.friendAnswered(writer.bytes)), over: link)
    }

    private mutating func keepReceived(_ user: UserID, then work: [Deferred] = []) {
        friends.needsReview = true
        let value = friends.received[user]?.encoded(of: user) ?? []
        storeSetting(FriendRequests.setting(FriendRequests.receivedPrefix, user), value, then: work)
    }

    // MARK: Deciding

    mutating func approveFriend(_ user: UserID, name: String, id: CommandID) {
        guard var request = friends.received[user] else {
            return complete(id, .failed(.friend(.unknownRequest)))
        }
        if case .approved(let group, let text) = request.decision, isUsable(text, in: group) {
            return complete(id, .group(group))
        }
        if let group = friendGroup(with: user) { return complete(id, .failed(.friend(.alreadyFriend(group)))) }
        // The asker was asked, too, and said yes first: this device is joining its group.
        if case .joining? = friends.sent[request.code]?.stage { return complete(id, .done) }
        var change = DurableChange()
        let group: GroupID
        let text: String
        do {
            group = try startGroup(title: Self.pairTitle(name, request.name), isPair: true, change: &change)
            text = try inviteFriend(into: group, change: &change)
        } catch {
            return complete(id, .failed(.notAllowed(error)))
        }
        request.decision = .approved(group, link: text)
        friends.received[user] = request
        friends.keep(request.code, of: user)
        let setting = FriendRequests.setting(FriendRequests.receivedPrefix, user)
        change.settings[setting] = request.encoded(of: user)
        settings[setting] = change.settings[setting]
        ledgerChanged(group, change: change, then: [.complete(id, .group(group)), .answerFriend(user)])
    }

    /// Founds a group; the caller stores it.
    mutating func startGroup(
        title: String, isPair: Bool = false, change: inout DurableChange
    ) throws(LedgerError) -> GroupID {
        let key = AccessKey.generate(from: &entropy)
        let founding = try Ledger.found(
            title: title, isPair: isPair, identity: identity, accessKey: key, at: wall.seconds, entropy: &entropy)
        try start(founding, accessKey: key, change: &change)
        return GroupID(bytes: founding.id.bytes)
    }

    /// Begins a group's copy with its founding operation.
    mutating func start(
        _ founding: SignedOperation, accessKey: AccessKey, change: inout DurableChange
    ) throws(LedgerError) {
        let ledger = try Ledger(founding: founding)
        groups[ledger.group] = GroupReplica(ledger: ledger, accessKeys: [accessKey])
        change.operations.append(
            StoredOperation(group: ledger.group, id: founding.id, bytes: founding.bytes, arrival: takeArrival()))
        change.accessKeys.append(StoredAccessKey(group: ledger.group, key: accessKey.key.rawBytes()))
    }

    private mutating func inviteFriend(
        into group: GroupID, change: inout DurableChange
    ) throws(LedgerError) -> String {
        guard let replica = groups[group] else { throw .notFounding }
        let secrets = InviteSecrets.generate(from: &entropy)
        let expiresAt = wall.seconds + FriendRequests.inviteLifetime
        let link = InviteLink(
            seed: secrets.seed, group: group, expiresAt: expiresAt, title: replica.state.title,
            addresses: inviteAddresses(of: group), identity: identity)
        let terms = secrets.terms(maximumUses: 1, expiresAt: expiresAt)
        let invite = try replica.ledger.draft(.invite(terms), by: identity, at: wall.seconds)
        _ = try insert(invite, in: group, change: &change)
        let setting = Self.inviteSetting(secrets)
        settings[setting] = Array(link.text.utf8)
        change.settings[setting] = settings[setting]
        return link.text
    }

    /// Both names, each cut so that the title is one; without what no title may hold.
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

    /// Tells an asker that is still there what was decided.
    mutating func answerFriend(_ user: UserID) {
        guard let request = friends.received[user] else { return }
        let answer: FriendAnswer
        switch request.decision {
        case .none: return
        case .declined: answer = .declined
        case .approved(_, let text): answer = .accepted(link: text)
        }
        for link in sessions.keys where sessions[link]?.key == request.linkKey { reply(answer, over: link) }
    }

    mutating func declineFriend(_ user: UserID, id: CommandID) {
        guard let request = friends.received[user] else { return complete(id, .failed(.friend(.unknownRequest))) }
        guard request.decision == .none || request.decision == .declined else {
            return complete(id, .failed(.friend(.unknownRequest)))
        }
        friends.received[user]?.decision = .declined
        keepReceived(user, then: [.complete(id, .done), .answerFriend(user)])
    }

    mutating func setBlocked(_ user: UserID, to isBlocked: Bool, id: CommandID) {
        guard user != identity.user else { return complete(id, .failed(.friend(.ownCode))) }
        if isBlocked {
            guard friends.blocked.count < FriendRequests.maximumBlocked else {
                return complete(id, .failed(.friend(.tooManyRequests)))
            }
            friends.blocked.insert(user)
            if friends.received[user]?.decision == FriendRequests.Decision.none
                || friends.received[user]?.decision == .declined
            {
                friends.received[user] = nil
                keepReceived(user)
            }
        } else {
            friends.blocked.remove(user)
        }
        storeSetting(
            FriendRequests.setting(FriendRequests.blockedPrefix, user), isBlocked ? user.bytes.array : [],
            then: [.complete(id, .done)])
    }

    /// Forgets requests, of either side, once the two are friends, be it this way or another.
    mutating func noteNewFriends() {
        friends.needsReview = false
        for user in friends.received.keys.sorted() {
            guard let decision = friends.received[user]?.decision else { continue }
            if case .approved(let group, _) = decision, groups[group]?.state.isMember(user) ?? false {
                friends.received[user] = nil
                keepReceived(user, then: [.publish(.friend(.joined(user, group)))])
            } else if friendGroup(with: user) != nil {
                friends.received[user] = nil
                keepReceived(user)
                // Both said yes at once, and theirs is the group.
                if case .approved(let group, _) = decision, groups[group]?.state.members.map(\.user) == [identity.user]
                {
                    forget(group, then: [.publish(.ledgerChanged(group))])
                }
            }
        }
        for code in friends.sentInOrder {
            // A join under way ends by itself.
            guard let request = friends.sent[code], !friends.joins.values.contains(code) else { continue }
            let known = friends.codes.keys.filter { friends.codes[$0] == code }.sorted()
            let owners = request.owner.map { [$0.user] } ?? known
            guard request.isOpen, let group = owners.compactMap({ friendGroup(with: $0) }).first else { continue }
            forget(code, then: [.publish(.friend(.accepted(code, group)))])
        }
    }

    /// Forgets requests that nobody has answered for a month, and approved ones whose invite nobody has used; once a minute.
    mutating func forgetOldRequests() {
        guard !friends.received.isEmpty else { return }
        if let last = friends.agesCheckedAt, last <= wall.seconds, wall.seconds < last + 60 { return }
        friends.agesCheckedAt = wall.seconds
        for user in friends.received.keys.sorted() {
            guard let request = friends.received[user] else { continue }
            let age = wall.seconds.subtractingReportingOverflow(request.receivedAt)
            guard age.overflow || age.partialValue.magnitude > UInt64(FriendRequests.receivedLifetime) else { continue }
            if case .approved(let group, let text) = request.decision, isUsable(text, in: group) { continue }
            friends.received[user] = nil
            keepReceived(user)
        }
    }
}
