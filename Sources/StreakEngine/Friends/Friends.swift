import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// Friends by code: finding the owner of a code, asking them, being asked, and deciding (Protocol/friends.md).
struct Friends: Sendable {
    var requests: FriendRequests
    /// Groups in which this user goes by an alias. Their members are not asked to be friends, because a request names
    /// its asker.
    var aliasGroups: Set<GroupID> = []

    init(core: inout EngineCore) {
        requests = FriendRequests(settings: core.settings, rows: core.local)
        if let own = requests.own { requests.codes[core.identity.user] = own.code }
        refreshFriendKeys(core: &core)
    }

    // MARK: Reading

    /// Whether this node answers to its account's friend code.
    var answersToCode: Bool { requests.own != nil }

    /// Requests of this user, by code.
    var sentFriendRequests: [SentFriendRequest] {
        requests.sentInOrder.compactMap { code in
            guard let request = requests.sent[code] else { return nil }
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
    var receivedFriendRequests: [ReceivedFriendRequest] {
        requests.received.keys.sorted().compactMap { user in
            requests.received[user].map { request in
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

    /// Users whose requests this node ignores.
    var blockedUsers: [UserID] { requests.blocked.sorted() }

    // MARK: Asking

    mutating func addFriend(_ keys: FriendCodeKeys, name: String, id: CommandID, core: inout EngineCore) {
        let code = keys.code
        func fail(_ failure: FriendFailure) -> CommandOutcome { .failed(.friend(failure)) }
        guard requests.codes[core.identity.user] != code else { return core.complete(id, fail(.ownCode)) }
        if let user = requests.codes.keys.sorted().first(where: { requests.codes[$0] == code }) {
            if let group = core.pair(with: user) { return core.complete(id, fail(.alreadyFriend(group))) }
            if requests.blocked.contains(user) { return core.complete(id, fail(.blocked)) }
        }
        // A declined one may be asked again.
        if let known = requests.sent[code], known.isOpen { return core.complete(id, fail(.alreadyAsked)) }
        guard requests.sent.count < FriendRequests.maximumSent else { return core.complete(id, fail(.tooManyRequests)) }
        let request = FriendRequest(name: name, code: code, askedAt: core.wall.seconds, identity: core.identity)
        requests.sent[code] = FriendRequests.Sent(
            keys: keys, name: request.name, askedAt: request.askedAt, nextAttempt: core.now)
        core.keysAreStale = true
        store(code, then: [.complete(id, .done)], core: &core)
    }

    mutating func cancelFriend(_ code: FriendCode, id: CommandID, core: inout EngineCore) {
        guard requests.sent[code] != nil else { return core.complete(id, .failed(.friend(.unknownRequest))) }
        forgetRequest(code, then: [.complete(id, .done)], core: &core)
    }

    /// Stores the state of a request.
    mutating func store(_ code: FriendCode, then work: [Work] = [], core: inout EngineCore) {
        var change = DurableChange()
        change.local[FriendRequests.Sent.self, code] = requests.sent[code]
        core.persist(change, then: work)
    }

    mutating func forgetRequest(_ code: FriendCode, then work: [Work] = [], core: inout EngineCore) {
        requests.sent[code] = nil
        for id in requests.joins.keys.sorted() where requests.joins[id] == code {
            requests.joins[id] = nil
            core.post(.cancelJoin(id))
        }
        core.keysAreStale = true
        store(code, then: work, core: &core)
    }

    /// Does everything about friends that is due: repeats or gives up requests, compares members' codes, notices new
    /// friends.
    ///
    /// - Parameter offeredPairs: users whose group with this user waits for a decision. Until then there is no reason
    ///   to ask them.
    mutating func runTimers(offeredPairs: Set<UserID>, core: inout EngineCore) {
        if requests.needsReview { noteNewFriends(core: &core) }
        forgetOldRequests(core: &core)
        defer { compareMembers(core: &core) }
        let isAnyDue = requests.sent.values.contains {
            $0.endsAt <= core.wall.seconds
                || $0.isOpen && min($0.nextAttempt, $0.nextCall ?? $0.nextAttempt) <= core.now
        }
        guard isAnyDue else { return }
        for code in requests.sentInOrder {
            guard let request = requests.sent[code] else { continue }
            if request.endsAt <= core.wall.seconds {
                forgetRequest(code, then: request.isOpen ? [.publish(.friend(.expired(code)))] : [], core: &core)
            } else if core.network.isStarted, request.isOpen, request.nextAttempt <= core.now {
                let pauses = FriendRequests.pauses
                let pause = pauses[min(request.attempts, pauses.count - 1)]
                requests.sent[code]?.attempts += 1
                // Without jitter, two who ask each other could close each other's links again and again.
                let jitter = core.randomNumber(below: Int(pause.nanoseconds / 4_000_000))
                requests.sent[code]?.nextAttempt = core.now.advanced(by: pause + .milliseconds(jitter))
                if !(request.owner.map { offeredPairs.contains($0.user) } ?? false) { attempt(code, core: &core) }
            } else if core.network.isStarted, request.isOpen, let call = request.nextCall, call <= core.now {
                callForFriend(code, repeated: request.repeatedCalls + 1, core: &core)
            }
        }
    }

    /// When the next thing about friends is due, once the node receives packets.
    var nextDeadline: MonotonicInstant? { requests.nextDeadline }

    /// A ledger has changed, so somebody may have become a friend.
    mutating func ledgerChanged() { requests.needsReview = true }

    /// The user has declined to come back into a group with a friend, so this node asks the friend no longer.
    mutating func returnDeclined(by friend: UserID, core: inout EngineCore) {
        for code in requests.sentInOrder where requests.sent[code]?.owner?.user == friend {
            forgetRequest(code, core: &core)
        }
    }

    /// The network has changed: looks again at once.
    mutating func lookAgain(core: EngineCore) {
        for code in requests.sentInOrder {
            requests.sent[code]?.attempts = 0
            requests.sent[code]?.nextAttempt = core.now
        }
    }

    mutating func attempt(_ code: FriendCode, core: inout EngineCore) {
        guard let request = requests.sent[code] else { return }
        if case .joining(let text) = request.stage { return joinFriend(code, link: text, core: &core) }
        if let session = core.sessions.keys.compactMap({ core.sessions[$0] }).first(where: {
            ownerAsked(over: $0, core: core)?.code == code
        }) {
            return askForFriendship(over: session, core: &core)
        }
        callForFriend(code, repeated: 0, core: &core)
        for endpoint in request.endpoints + core.network.namedEndpoints { dialFriend(code, at: endpoint, core: &core) }
        askMember(code, core: &core)
    }

    func statement(of request: FriendRequests.Sent, core: EngineCore) -> FriendRequest {
        FriendRequest(name: request.name, code: request.keys.code, askedAt: request.askedAt, identity: core.identity)
    }

    /// Calls on the local networks for the owner of a code, under a key that belongs to nobody: not even the owner may
    /// learn from the call who asks.
    mutating func callForFriend(_ code: FriendCode, repeated count: Int, core: inout EngineCore) {
        guard core.network.callsNetworks, let keys = requests.sent[code]?.keys else { return }
        let pauses = FriendRequests.callPauses
        requests.sent[code]?.repeatedCalls = count
        requests.sent[code]?.nextCall = count < pauses.count ? core.now.advanced(by: pauses[count]) : nil
        let hourKey = Beacon.hourKey(keys.beaconKey, hour: Beacon.hour(of: core.wall))
        let slot = (hourKey: hourKey, content: anonymousContent(.query, core: &core))
        core.outputs.append(.sendBeacon(Beacon.make([slot], entropy: &core.entropy), to: nil))
    }

    mutating func anonymousContent(_ kind: Beacon.Kind, core: inout EngineCore) -> Beacon.Content {
        let nobody = AgreementSecretKey.generate(from: &core.entropy).publicKey
        return Beacon.Content(kind: kind, port: core.network.port, linkKey: nobody)
    }

    /// A beacon under a friend code: this account's code, or one that this node looks for.
    mutating func handleFriendBeacon(
        _ content: Beacon.Content, under code: FriendCode, hourKey: [UInt8], from target: Endpoint,
        core: inout EngineCore
    ) {
        if requests.sent[code] != nil {
            if content.kind == .answer {
                requests.sent[code]?.nextCall = nil
                dialFriend(code, at: target, core: &core)
            }
        } else if requests.own?.code == code, content.kind == .query {
            let slot = (hourKey: hourKey, content: anonymousContent(.answer, core: &core))
            core.outputs.append(.sendBeacon(Beacon.make([slot], entropy: &core.entropy), to: target))
        }
    }

    /// The keys for reading beacons about friend codes.
    var beaconSources: [Discovery.Source] {
        let keys = (requests.own.map { [$0] } ?? []) + requests.sentInOrder.compactMap { requests.sent[$0]?.keys }
        return keys.map {
            Discovery.Source(
                group: GroupID(bytes: .zero), invite: nil, key: $0.beaconKey,
                toleratedHours: Discovery.fewToleratedHours, code: $0.code)
        }
    }

    mutating func dialFriend(_ code: FriendCode, at endpoint: Endpoint, core: inout EngineCore) {
        guard let request = requests.sent[code], request.stage == .looking || request.stage == .pending else { return }
        if let last = request.dialledAt[endpoint], core.now < last.advanced(by: FriendRequests.dialPause) { return }
        if !request.endpoints.contains(endpoint) {
            requests.sent[code]?.endpoints.append(endpoint)
            let surplus = requests.sent[code]?.endpoints.prefix(max(0, request.endpoints.count + 1 - 8)) ?? []
            for old in surplus { requests.sent[code]?.dialledAt[old] = nil }
            requests.sent[code]?.endpoints.removeFirst(surplus.count)
        }
        requests.sent[code]?.dialledAt[endpoint] = core.now
        core.links.dial(
            peer: nil, key: Self.linkKey(of: request.keys), to: endpoint, at: core.now, entropy: &core.entropy)
    }

    static func linkKey(of keys: FriendCodeKeys) -> LinkKey {
        LinkKey(presharedKey: keys.presharedKey, tagKey: keys.tagKey, label: .friendCode(keys.code))
    }
}
