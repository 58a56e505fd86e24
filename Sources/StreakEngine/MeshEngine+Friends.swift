import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
public import StreakWire

/// Finding the owner of a friend code and asking it (Protocol/friends.md).
extension MeshEngine {
    mutating func restoreFriends() {
        friends = FriendRequests(settings: settings)
        if let own = friends.own { friends.codes[identity.user] = own.code }
        refreshFriendKeys()
    }

    // MARK: Reading

    /// Wishes of this user that may be open at once.
    public static let maximumFriendRequests = FriendRequests.maximumSent

    /// Whether this node answers to its account's friend code.
    public var answersToCode: Bool { friends.own != nil }

    /// Requests of this user, by code.
    public var sentFriendRequests: [SentFriendRequest] {
        friends.sentInOrder.compactMap { code in
            guard let request = friends.sent[code] else { return nil }
            let owner = request.owner?.user
            let stage: SentFriendRequest.Stage =
                switch (request.stage, owner) {
                case (.declined, _): .declined
                case (.pending, let owner?): .pending(owner)
                case (.joining, let owner?): .joining(owner)
                case (.looking, _), (.pending, nil), (.joining, nil): .looking
                }
            return SentFriendRequest(code: code, askedAt: request.askedAt, endsAt: request.endsAt, stage: stage)
        }
    }

    /// Requests of others, oldest first.
    public var receivedFriendRequests: [ReceivedFriendRequest] {
        friends.received.keys.sorted().compactMap { user in
            friends.received[user].map { request in
                let stage: ReceivedFriendRequest.Stage =
                    switch request.decision {
                    case .none: .pending
                    case .declined: .declined
                    case .approved(let group, _): .approved(group)
                    }
                return ReceivedFriendRequest(
                    user: user, name: request.name, code: request.code, receivedAt: request.receivedAt, stage: stage)
            }
        }.sorted { ($0.receivedAt, $0.user) < ($1.receivedAt, $1.user) }
    }

    /// Users of whom no requests are taken.
    public var blockedUsers: [UserID] { friends.blocked.sorted() }

    /// A group that this user and one other have to themselves.
    public struct FriendGroup: Sendable {
        public let group: GroupID
        public let friend: UserID
        /// Whether it was founded for the two of them; else they happen to be the only ones left, or so far.
        public let isPair: Bool
    }

    /// In order of the groups' IDs.
    public var friendGroups: [FriendGroup] {
        groups.keys.compactMap { id in
            guard isCurrentMember(of: id), let state = groups[id]?.state, state.members.count == 2,
                let friend = state.members.first(where: { $0.user != identity.user })
            else { return nil }
            return FriendGroup(group: id, friend: friend.user, isPair: state.isPair)
        }
    }

    func friendGroup(with user: UserID) -> GroupID? { friendGroups.first { $0.friend == user }?.group }

    mutating func publish(_ event: FriendEvent) { publish(.friend(event)) }

    // MARK: Asking

    mutating func addFriend(_ keys: FriendCodeKeys, name: String, id: CommandID) {
        let code = keys.code
        func fail(_ failure: FriendFailure) -> CommandOutcome { .failed(.friend(failure)) }
        guard friends.codes[identity.user] != code else { return complete(id, fail(.ownCode)) }
        if let user = friends.codes.keys.sorted().first(where: { friends.codes[$0] == code }) {
            if let group = friendGroup(with: user) { return complete(id, fail(.alreadyFriend(group))) }
            if friends.blocked.contains(user) { return complete(id, fail(.blocked)) }
        }
        // One that was declined may be asked again.
        if let known = friends.sent[code], known.isOpen { return complete(id, fail(.alreadyAsked)) }
        guard friends.sent.count < FriendRequests.maximumSent else { return complete(id, fail(.tooManyRequests)) }
        let request = FriendRequest(name: name, code: code, askedAt: wall.seconds, identity: identity)
        friends.sent[code] = FriendRequests.Sent(
            keys: keys, name: request.name, askedAt: request.askedAt, nextAttempt: now)
        discovery.sources = discoverySources()
        keep(code, then: [.complete(id, .done)])
    }

    mutating func cancelFriend(_ code: FriendCode, id: CommandID) {
        guard friends.sent[code] != nil else { return complete(id, .failed(.friend(.unknownRequest))) }
        forget(code, then: [.complete(id, .done)])
    }

    /// Stores how a request stands.
    private mutating func keep(_ code: FriendCode, then work: [Deferred] = []) {
        storeSetting(FriendRequests.setting(code), friends.sent[code]?.encoded() ?? [], then: work)
    }

    mutating func forget(_ code: FriendCode, then work: [Deferred] = []) {
        friends.sent[code] = nil
        for id in friends.joins.keys.sorted() where friends.joins[id] == code {
            friends.joins[id] = nil
            joins[id] = nil
        }
        discovery.sources = discoverySources()
        keep(code, then: work)
    }

    mutating func storeSetting(_ name: String, _ value: [UInt8], then work: [Deferred] = []) {
        settings[name] = value.isEmpty ? nil : value
        var change = DurableChange()
        change.settings[name] = value
        persist(change, then: work)
    }

    // MARK: Looking

    /// Everything about friends that is due: requests repeated or given up, members compared, who has come.
    mutating func pursueFriends() {
        if friends.needsReview { noteNewFriends() }
        forgetOldRequests()
        defer { compareMembers() }
        let isAnyDue = friends.sent.values.contains {
            $0.endsAt <= wall.seconds || $0.isOpen && min($0.nextAttempt, $0.nextCall ?? $0.nextAttempt) <= now
        }
        guard isAnyDue else { return }
        for code in friends.sentInOrder {
            guard let request = friends.sent[code] else { continue }
            if request.endsAt <= wall.seconds {
                forget(code, then: request.isOpen ? [.publish(.friend(.expired(code)))] : [])
            } else if dialler.isStarted, request.isOpen, request.nextAttempt <= now {
                let pauses = FriendRequests.pauses
                let pause = pauses[min(request.attempts, pauses.count - 1)]
                friends.sent[code]?.attempts += 1
                // Two who ask each other would else take each other's links away, again and again.
                let jitter = randomNumber(below: Int(pause.nanoseconds / 4_000_000))
                friends.sent[code]?.nextAttempt = now.advanced(by: pause + .milliseconds(jitter))
                if !isPairOffered(by: request.owner) { attempt(code) }
            } else if dialler.isStarted, request.isOpen, let call = request.nextCall, call <= now {
                callForFriend(code, repeated: request.repeatedCalls + 1)
            }
        }
    }

    /// When something about friends is due next.
    var nextFriendDeadline: MonotonicInstant? { dialler.isStarted ? friends.nextDeadline : nil }

    /// The network changed: looks again at once.
    mutating func hurryFriends() {
        for code in friends.sentInOrder {
            friends.sent[code]?.attempts = 0
            friends.sent[code]?.nextAttempt = now
        }
    }

    private mutating func attempt(_ code: FriendCode) {
        guard let request = friends.sent[code] else { return }
        if case .joining(let text) = request.stage { return joinFriend(code, link: text) }
        if let session = sessions.keys.compactMap({ sessions[$0] }).first(where: {
            $0.label == .friendCode(code) && $0.isInitiator && $0.key == request.owner?.linkKey
        }) {
            return askForFriendship(over: session)
        }
        callForFriend(code, repeated: 0)
        for endpoint in request.endpoints + dialler.namedEndpoints { dialFriend(code, at: endpoint) }
        askMember(code)
    }

    func statement(of request: FriendRequests.Sent) -> FriendRequest {
        FriendRequest(name: request.name, code: request.keys.code, askedAt: request.askedAt, identity: identity)
    }

    /// Asks the local networks for the owner of a code, under a key that is nobody's: whoever hears it must not learn
    /// who asks, the owner neither.
    private mutating func callForFriend(_ code: FriendCode, repeated count: Int) {
        guard discovery.callsNetworks, let keys = friends.sent[code]?.keys else { return }
        let pauses = FriendRequests.callPauses
        friends.sent[code]?.repeatedCalls = count
        friends.sent[code]?.nextCall = count < pauses.count ? now.advanced(by: pauses[count]) : nil
        let hourKey = Beacon.hourKey(keys.beaconKey, hour: Beacon.hour(of: wall))
        let slot = (hourKey: hourKey, content: anonymousContent(.query))
        outputs.append(.sendBeacon(Beacon.make([slot], entropy: &entropy), to: nil))
    }

    private mutating func anonymousContent(_ kind: Beacon.Kind) -> Beacon.Content {
        let nobody = AgreementSecretKey.generate(from: &entropy).publicKey
        return Beacon.Content(kind: kind, port: discovery.port, linkKey: nobody)
    }

    /// A beacon made under a friend code: this account's, or one that is looked for.
    mutating func handleFriendBeacon(
        _ content: Beacon.Content, under code: FriendCode, hourKey: [UInt8], from target: Endpoint
    ) {
        if friends.sent[code] != nil {
            if content.kind == .answer {
                friends.sent[code]?.nextCall = nil
                dialFriend(code, at: target)
            }
        } else if friends.own?.code == code, content.kind == .query {
            let slot = (hourKey: hourKey, content: anonymousContent(.answer))
            outputs.append(.sendBeacon(Beacon.make([slot], entropy: &entropy), to: target))
        }
    }

    /// The keys under which beacons about friend codes are read.
    func friendSources() -> [Discovery.Source] {
        let keys = (friends.own.map { [$0] } ?? []) + friends.sentInOrder.compactMap { friends.sent[$0]?.keys }
        return keys.map {
            Discovery.Source(
                group: GroupID(bytes: .zero), invite: nil, key: $0.beaconKey,
                toleratedHours: Discovery.fewToleratedHours, code: $0.code)
        }
    }

    private mutating func dialFriend(_ code: FriendCode, at endpoint: Endpoint) {
        guard let request = friends.sent[code], request.stage == .looking || request.stage == .pending else { return }
        if let last = request.dialledAt[endpoint], now < last.advanced(by: FriendRequests.dialPause) { return }
        if !request.endpoints.contains(endpoint) {
            friends.sent[code]?.endpoints.append(endpoint)
            let surplus = friends.sent[code]?.endpoints.prefix(max(0, request.endpoints.count + 1 - 8)) ?? []
            for old in surplus { friends.sent[code]?.dialledAt[old] = nil }
            friends.sent[code]?.endpoints.removeFirst(surplus.count)
        }
        friends.sent[code]?.dialledAt[endpoint] = now
        links.dial(peer: nil, key: Self.linkKey(of: request.keys), to: endpoint, at: now, entropy: &entropy)
    }

    static func linkKey(of keys: FriendCodeKeys) -> LinkKey {
        LinkKey(presharedKey: keys.presharedKey, tagKey: keys.tagKey, label: .friendCode(keys.code))
    }

    /// Whoever answered a dial under a code has shown who it is. Only the owner of the code hears who asks.
    mutating func judge(_ credential: [UInt8], of peer: AgreementPublicKey, under key: LinkKey, dial: DialID) {
        guard case .friendCode(let code)? = LinkKeyLabel(of: key), let request = friends.sent[code], request.isOpen,
            let certificate = try? DeviceCertificate(decoding: credential),  // hostile, or of a later version
            certificate.linkKey == peer, takeJudgement(of: certificate.user, dial: dial), certificate.isValid(),
            useCode(of: certificate.user, for: .judgement(dial, certificate, code))
        else { return links.refuse(dial, at: now) }
    }

    /// Whether who answered may be looked into: whoever knows the code can answer, under as many names as it likes.
    private mutating func takeJudgement(of user: UserID, dial: DialID) -> Bool {
        guard friends.codes[user] == nil else { return true }
        return links.endpoint(of: dial).map { friends.judged.take($0, at: now) } ?? false
    }

    /// Goes on with a dial, or ends it, once it is known whether its responder owns the code.
    mutating func judge(_ certificate: DeviceCertificate, under code: FriendCode, isOwner: Bool, dial: DialID) {
        guard isOwner, friends.sent[code]?.isOpen ?? false else { return links.refuse(dial, at: now) }
        guard certificate.user != identity.user else {
            links.refuse(dial, at: now)
            return forget(code, then: [.publish(.friend(.failed(code, .ownCode)))])
        }
        if let failure = failure(with: certificate.user) {
            links.refuse(dial, at: now)
            return forget(code, then: [.publish(.friend(.failed(code, failure)))])
        }
        friends.sent[code]?.owner = certificate
        links.approve(dial, peer: certificate.linkKey, at: now, entropy: &entropy)
    }

    /// What speaks against asking a user.
    func failure(with user: UserID) -> FriendFailure? {
        if let group = friendGroup(with: user) { return .alreadyFriend(group) }
        return friends.blocked.contains(user) ? .blocked : nil
    }

    mutating func askForFriendship(over session: PeerSession) {
        guard case .friendCode(let code) = session.label, let request = friends.sent[code], request.isOpen,
            let owner = request.owner, owner.linkKey == session.key
        else { return }
        for link in friends.owners.keys.sorted() where sessions[link] == nil { friends.owners[link] = nil }
        friends.owners[session.link] = owner
        send(.friend(.friendRequested(statement(of: request).bytes)), over: session.link)
    }

    // MARK: Answers

    mutating func receivedFriendAnswer(_ bytes: [UInt8], over link: LinkID) {
        var reader = WireReader(bytes)
        guard let (code, owner) = askedOwner(over: link),
            // Else hostile, or of a later version.
            let answer = try? FriendAnswer(from: &reader), (try? reader.finish()) != nil
        else { return }
        take(answer, to: code, from: owner)
    }

    /// Which request the device at the other end may answer, as the owner of the code: that under whose code the link was
    /// opened, or one that it was asked as a member.
    private func askedOwner(over link: LinkID) -> (code: FriendCode, owner: DeviceCertificate)? {
        guard let session = sessions[link] else { return nil }
        if case .friendCode(let code) = session.label, session.isInitiator, let owner = friends.sent[code]?.owner,
            owner.linkKey == session.key
        {
            return (code, owner)
        }
        guard let member = namedMember(at: link),
            let code = friends.sentInOrder.first(where: {
                (friends.sent[$0]?.owner?.user ?? friends.sent[$0]?.member) == member.user
            })
        else { return nil }
        return (code, member)
    }

    mutating func take(_ answer: FriendAnswer, to code: FriendCode, from owner: DeviceCertificate) {
        guard let request = friends.sent[code], request.isOpen else { return }
        if case .joining = request.stage { return }
        switch answer {
        case .pending:
            guard request.stage != .pending || request.owner?.user != owner.user else { return }
            friends.sent[code]?.stage = .pending
            friends.sent[code]?.owner = owner
            keep(code, then: [.publish(.friend(.ownerFound(code, owner.user)))])
        case .declined:
            friends.sent[code]?.stage = .declined
            friends.sent[code]?.owner = owner
            keep(code, then: [.publish(.friend(.declined(code)))])
        case .accepted(let text):
            guard let link = try? InviteLink(parsing: text), link.inviter == owner.device,  // else not the owner's
                !link.isExpired(at: wall.seconds), !hasSaidYes(to: owner.user)
            else { return }
            friends.sent[code]?.stage = .joining(link: text)
            friends.sent[code]?.owner = owner
            friends.sent[code]?.attempts = 1
            friends.sent[code]?.nextAttempt = now.advanced(by: FriendRequests.pauses[0])
            keep(code)
            joinFriend(code, link: text)
        }
    }

    /// Whether both have said yes at once, and this side's group is the one: that of the smaller account.
    private func hasSaidYes(to user: UserID) -> Bool {
        guard identity.user < user, case .approved(let group, let text)? = friends.received[user]?.decision else {
            return false
        }
        return isUsable(text, in: group)
    }

    private mutating func joinFriend(_ code: FriendCode, link text: String) {
        guard !friends.joins.keys.sorted().contains(where: { friends.joins[$0] == code }) else { return }
        guard let link = try? InviteLink(parsing: text) else { return lookAgain(code) }  // was read before it was kept
        let id = friends.newJoin(for: code)
        let near = sessions.keys.first { sessions[$0]?.key == friends.sent[code]?.owner?.linkKey }
        join(link, timeout: .seconds(60), command: id)
        let known = near.flatMap { links.pathSummary($0)?.endpoint }.map { [$0] } ?? []
        for endpoint in known + (friends.sent[code]?.endpoints ?? []) { dialForJoining(id, at: endpoint) }
    }

    /// A join that this engine began by itself has ended.
    mutating func friendJoinEnded(_ code: FriendCode, _ outcome: CommandOutcome) {
        switch outcome {
        case .failed(.alreadyMember(let group))
        where friends.sent[code]?.owner.map({ friendGroup(with: $0.user) }) != group:
            // A link into another group of both: no answer to what was asked.
            lookAgain(code)
        case .group(let group), .failed(.alreadyMember(let group)):
            if let owner = friends.sent[code]?.owner?.user { friends.keep(code, of: owner) }
            forget(code, then: [.publish(.friend(.accepted(code, group)))])
        case .failed(.linkExpired), .failed(.joinRefused(.usedUp)), .failed(.joinRefused(.expired)),
            .failed(.joinRefused(.revoked)), .failed(.joinRefused(.removed)):
            lookAgain(code)
        case .failed:
            // Nobody was there: the same link again, later.
            break
        case .done, .invite, .deviceLinked, .refusedBy, .retracted: break
        }
    }

    /// The link that the owner gave is of no use any more: asks for another.
    private mutating func lookAgain(_ code: FriendCode) {
        guard friends.sent[code] != nil else { return }
        friends.sent[code]?.stage = .looking
        keep(code)
    }
}
