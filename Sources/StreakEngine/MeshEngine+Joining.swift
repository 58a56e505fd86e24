import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// A join under way, on the newcomer's side.
struct JoinAttempt: Sendable {
    /// How long others are asked after one member has given a final refusal.
    static let secondOpinion: Duration = .seconds(2)

    enum Stage: Sendable, Equatable {
        case dialling
        /// Asked over this link.
        case asked(LinkID)
        /// Admitted over this link; the ledger is arriving.
        case welcomed(LinkID, accessKeys: [AccessKey])
        /// A member; the first exchange is under way.
        case syncing(LinkID)

        var link: LinkID? {
            switch self {
            case .dialling: nil
            case .asked(let link), .welcomed(let link, _), .syncing(let link): link
            }
        }
    }

    let command: CommandID
    let link: InviteLink
    var deadline: MonotonicInstant
    var stage: Stage = .dialling
    var ledger: Ledger?
    /// Bytes of it so far.
    var ledgerSize = 0
    /// What the last member that was asked had against it.
    var refusal: CommandFailure?
    var nextDial: MonotonicInstant
    var endpoints: [Endpoint]
    /// When each was dialled last.
    var dialledAt: [Endpoint: MonotonicInstant] = [:]
    /// When a member that was asked, or has begun to answer, counts as silent.
    var answerDue: MonotonicInstant

    /// How long a member that was asked may take to answer, and to go on with its answer.
    static let patience: Duration = .seconds(10)
    /// How long a dial is left alone before the same address is dialled again: as long as one lasts.
    static let dialPause: Duration = .seconds(5)

    /// When something is to be done about it.
    var nextDeadline: MonotonicInstant {
        switch stage {
        case .dialling: min(deadline, nextDial)
        case .asked, .welcomed: min(deadline, answerDue)
        case .syncing: deadline
        }
    }
}

/// Being admitted, and admitting.
extension MeshEngine {
    // MARK: The newcomer

    mutating func join(_ link: InviteLink, timeout: Duration, command: CommandID) {
        if isCurrentMember(of: link.group), isConfirmedMember(of: link.group, by: link.inviter) {
            return complete(command, .failed(.alreadyMember(link.group)))
        }
        guard !link.isExpired(at: wall.seconds) || isAwaitingApproval(under: link) else {
            return complete(command, .failed(.linkExpired))
        }
        joins[command] = JoinAttempt(
            command: command, link: link, deadline: now.advanced(by: timeout), nextDial: now,
            endpoints: link.addresses.flatMap { $0 }, answerDue: now)
        discovery.sources = discoverySources()
        discovery.callSoon(at: now)
        dialler.hurry(at: now)
        dialler.checkSoon()
        redialJoins()
    }

    /// Whether a device is a member by another one's word too: by this one's ledger alone it may have been let in by somebody
    /// who was removed, and nobody has told it yet.
    private func isConfirmedMember(of group: GroupID, by other: DeviceID) -> Bool {
        guard let state = groups[group]?.state, let me = state.member(identity.user) else { return false }
        // Whoever the owner let in, nobody else keeps out.
        if other == identity.device || me.admitter == state.owner || me.admitter == identity.user { return true }
        return state.devices.contains { device in
            (device.device == other || device.user != me.admitter)
                && told[CursorKey(group: group, peer: device.device)] != nil
        }
    }

    private mutating func redialJoins() {
        for id in joins.keys.sorted() {
            guard let attempt = joins[id], attempt.stage == .dialling, attempt.nextDial <= now else { continue }
            joins[id]?.nextDial = now.advanced(by: .seconds(2))
            for endpoint in attempt.endpoints { dialForJoining(id, at: endpoint) }
        }
    }

    /// Dials an address at which somebody of the group may admit this device.
    mutating func dialForJoining(_ id: CommandID, at endpoint: Endpoint) {
        guard let attempt = joins[id], attempt.stage == .dialling else { return }
        if !attempt.endpoints.contains(endpoint), attempt.endpoints.count < 64 { joins[id]?.endpoints.append(endpoint) }
        if let last = attempt.dialledAt[endpoint], now < last.advanced(by: JoinAttempt.dialPause) { return }
        joins[id]?.dialledAt[endpoint] = now
        let label = LinkKeyLabel.invite(attempt.link.group, OperationID(bytes: .zero))
        links.dial(
            peer: nil, key: Self.linkKey(of: attempt.link.secrets.presharedKey, label: label), to: endpoint,
            usesDatagrams: true, usesStreams: true, at: now, entropy: &entropy)
    }

    /// The attempt that a link was opened for by this side.
    func joinAttempt(under session: PeerSession) -> CommandID? {
        guard case .invite(let group, OperationID(bytes: .zero)) = session.label else { return nil }
        return joins.keys.sorted().first { joins[$0]?.link.group == group }
    }

    /// The handshake of a link as proofs of joining name it: 64 bytes.
    static func binding(of session: PeerSession) -> [UInt8] { Blake2b.hash(session.handshakeHash, size: 64) }

    mutating func askToJoin(_ id: CommandID, over session: PeerSession) {
        guard let attempt = joins[id], attempt.stage == .dialling else { return links.close(session.link, at: now) }
        joins[id]?.stage = .asked(session.link)
        joins[id]?.answerDue = now.advanced(by: JoinAttempt.patience)
        guard attempt.link.purpose == .join else { return askToBeCertified(attempt, over: session) }
        let proof = JoinProof(
            inviteKey: attempt.link.secrets.inviteKey, group: attempt.link.group, identity: identity,
            handshakeHash: Self.binding(of: session))
        var writer = WireWriter()
        proof.write(to: &writer)
        send(.joinRequested(certificate: identity.certificate.encoded(), proof: writer.bytes), over: session.link)
    }

    mutating func receivedWelcome(_ group: GroupID, accessKeys: [[UInt8]], over link: LinkID) {
        if receivedWelcomeOfDevice(group, accessKeys: accessKeys, over: link) { return }
        if receivedWelcomeOfFriend(group, accessKeys: accessKeys, over: link) { return }
        guard let id = joins.keys.sorted().first(where: { joins[$0]?.stage == .asked(link) }),
            joins[id]?.link.group == group
        else { return }
        let keys = accessKeys.compactMap { try? AccessKey(rawBytes: $0) }  // each has 32 bytes as decoded
        joins[id]?.stage = .welcomed(link, accessKeys: keys)
        joins[id]?.answerDue = now.advanced(by: JoinAttempt.patience)
        joins[id]?.ledger = nil
        joins[id]?.ledgerSize = 0
    }

    mutating func receivedJoinRefusal(_ reason: JoinRefusal, over link: LinkID) {
        guard let id = joins.keys.sorted().first(where: { joins[$0]?.stage == .asked(link) }) else { return }
        links.close(link, at: now)
        switch reason {
        case .unknownInvite, .groupFull, .other:
            // This member may not have heard of the invite yet, or of a place that came free: others are asked, and
            // this one again.
            askOthers(id, because: .joinRefused(reason), for: nil)
        case .awaitingApproval:
            keepWaiting(true, under: joins[id]?.link)
            askOthers(id, because: .joinRefused(reason), for: JoinAttempt.secondOpinion)
        case .usedUp, .expired, .revoked, .removed, .invalidProof, .denied:
            askOthers(id, because: .joinRefused(reason), for: JoinAttempt.secondOpinion)
        }
    }

    /// The setting that says that a wish to join by a link was noted: then the answer is asked for after the link's own
    /// end too.
    private static func waitingSetting(_ link: InviteLink) -> String {
        "waiting-" + link.group.bytes.array.prefix(16).hexadecimal
    }

    private func isAwaitingApproval(under link: InviteLink) -> Bool { settings[Self.waitingSetting(link)] != nil }

    private mutating func keepWaiting(_ isWaiting: Bool, under link: InviteLink?) {
        guard let link, isAwaitingApproval(under: link) != isWaiting else { return }
        let name = Self.waitingSetting(link)
        settings[name] = isWaiting ? [1] : nil
        var change = DurableChange()
        change.settings[name] = isWaiting ? [1] : []
        persist(change)
    }

    /// Goes on asking: whoever holds the invite's PSK can answer, a former member too, and one answer is one opinion. Where
    /// every honest member would say the same, the others get `limit` to say so.
    mutating func askOthers(_ id: CommandID, because refusal: CommandFailure, for limit: Duration?) {
        guard var attempt = joins[id] else { return }
        attempt.refusal = refusal
        attempt.stage = .dialling
        attempt.ledger = nil
        attempt.ledgerSize = 0
        attempt.nextDial = now.advanced(by: .seconds(2))
        if let limit { attempt.deadline = min(attempt.deadline, now.advanced(by: limit)) }
        joins[id] = attempt
    }

    /// Takes the ledger that follows a welcome. False where these operations are not that.
    mutating func receivedOperationsWhileJoining(
        _ encoded: [[UInt8]], isFinal: Bool, handle: GroupHandle, over link: LinkID
    ) -> Bool {
        guard
            let id = joins.keys.sorted().first(where: {
                if case .welcomed(link, _) = joins[$0]?.stage { true } else { false }
            }), var attempt = joins[id], case .welcomed(_, let keys) = attempt.stage,
            GroupHandle(attempt.link.group) == handle
        else { return false }
        do {
            for bytes in encoded {
                attempt.ledgerSize += bytes.count
                guard attempt.ledgerSize <= LedgerIntake.maximumSize else {
                    throw LedgerError.tooLarge(size: attempt.ledgerSize)
                }
                let operation = try SignedOperation(decoding: bytes)
                if attempt.ledger == nil {
                    guard operation.id.bytes == attempt.link.group.bytes else { throw LedgerError.notFounding }
                    attempt.ledger = try Ledger(founding: operation)
                } else {
                    _ = try attempt.ledger?.insert(operation, withinLimits: false)
                }
            }
        } catch {
            links.close(link, at: now)
            var failure = CommandFailure.ledgerRejected
            if case .tooLarge? = error as? LedgerError { failure = .ledgerTooLarge }
            askOthers(id, because: failure, for: JoinAttempt.secondOpinion)
            return true
        }
        attempt.answerDue = now.advanced(by: JoinAttempt.patience)
        joins[id] = attempt
        if isFinal { enter(id, ledger: attempt.ledger, keys: keys, over: link) }
        return true
    }

    /// Becomes a member, if the ledger shows what the link promised.
    private mutating func enter(_ id: CommandID, ledger: Ledger?, keys: [AccessKey], over link: LinkID) {
        guard let attempt = joins[id], var ledger, let session = sessions[link] else { return }
        var own: [SignedOperation] = []
        do {
            guard let responder = ledger.state.device(linkKey: session.key) else {
                throw InvitationError.responderNotMember
            }
            if let introduction = try introduction(into: ledger) {
                _ = try ledger.insert(introduction)
                own = [introduction]
            }
            try ledger.verifyInvitation(
                link: attempt.link, admittedBy: responder.device, admitting: identity.device)
            guard keys.contains(where: { ledger.state.accessKeyHashes.contains($0.hash) }) else {
                throw InvitationError.otherGroup(ledger.group)
            }
            // Who asked to be a friend by code is let into a group of the two, and into no other.
            if let code = friends.joins[id], let owner = friends.sent[code]?.owner?.user {
                guard Set(ledger.state.members.map(\.user)) == [owner, identity.user] else {
                    throw InvitationError.otherGroup(ledger.group)
                }
            }
        } catch {
            links.close(link, at: now)
            return askOthers(id, because: .ledgerRejected, for: JoinAttempt.secondOpinion)
        }
        let known = keys.filter { ledger.state.accessKeyHashes.contains($0.hash) }
        var change = DurableChange()
        forgetReturn(ledger.group, change: &change)
        if groups[ledger.group] == nil {
            groups[ledger.group] = GroupReplica(ledger: ledger, accessKeys: known)
            for operation in ledger.allOperations {
                change.operations.append(
                    StoredOperation(
                        group: ledger.group, id: operation.id, bytes: operation.bytes, arrival: takeArrival()))
            }
        } else {
            reenter(ledger, accessKeys: known, change: &change)
        }
        change.accessKeys = known.reversed().map { StoredAccessKey(group: ledger.group, key: $0.key.rawBytes()) }
        // The link may break before anybody's address is known by it.
        for endpoint in attempt.link.addresses.first ?? [] {
            dialler.sighted(attempt.link.inviter, at: endpoint, now: now)
            change.addresses.append(
                RememberedAddress(device: attempt.link.inviter, endpoint: endpoint, lastAnswered: 0))
        }
        joins[id]?.stage = .syncing(link)
        keepWaiting(false, under: attempt.link)
        // Whoever is linked already may be in it too.
        refreshKeys()
        for other in sessions.keys { recogniseGroups(on: other) }
        let work: [Deferred] = sessions.keys.map { .greet($0) }
        ledgerChanged(
            ledger.group, change: change,
            then: work + (own.isEmpty ? [] : [.passOnOperations(ledger.group, own, except: nil)]))
    }

    /// The operation by which a device that its account's own key certified publishes itself where the account is in
    /// already, as after the loss of all other devices; nil where none is needed.
    private func introduction(into ledger: Ledger) throws(LedgerError) -> SignedOperation? {
        let state = ledger.state
        guard state.isMember(identity.user), state.device(identity.device) == nil else { return nil }
        return try ledger.draft(.addDevice(identity.certificate), by: identity, at: wall.seconds)
    }

    /// Comes back into a group that this device was in before: its old epochs stay cut, a new one begins.
    private mutating func reenter(_ ledger: Ledger, accessKeys: [AccessKey], change: inout DurableChange) {
        let wasIn = isCurrentMember(of: ledger.group) && ledger.state == groups[ledger.group]?.state
        for operation in ledger.allOperations {
            // This device's own copy may hold operations that make some of these void, but none that refuse them.
            _ = try? insert(operation, in: ledger.group, change: &change)
        }
        for key in accessKeys.reversed() { _ = groups[ledger.group]?.add(key) }
        if wasIn { return }
        let counter = groups[ledger.group]?.ownEpoch?.counter ?? 0
        groups[ledger.group]?.ownEpoch = nil
        _ = openEpoch(in: ledger.group, after: counter, change: &change)
        farewells.remove(ledger.group)
        settings[Self.farewellSetting(ledger.group)] = nil
        change.settings[Self.farewellSetting(ledger.group)] = []
    }

    /// Completes the joins of a group whose first exchange has ended.
    mutating func completeJoins(of group: GroupID, over link: LinkID) {
        for id in joins.keys.sorted() where joins[id]?.stage == .syncing(link) && joins[id]?.link.group == group {
            finishJoin(id, .group(group))
        }
    }

    mutating func finishJoin(_ id: CommandID, _ outcome: CommandOutcome) {
        joins[id] = nil
        discovery.sources = discoverySources()
        complete(id, outcome)
    }

    /// Until when a ledger that has begun to come is waited for, where the overdue part of it is on its way: over a slow
    /// link one message takes longer than anybody's patience.
    private func laterAnswer(to attempt: JoinAttempt) -> MonotonicInstant? {
        guard case .welcomed(let link, _) = attempt.stage, attempt.answerDue <= now,
            let heard = links.pathSummary(link)?.lastHeard
        else { return nil }
        let due = heard.advanced(by: JoinAttempt.patience)
        return due > now ? due : nil
    }

    mutating func endOverdueJoins() {
        redialJoins()
        for id in joins.keys.sorted() {
            guard let attempt = joins[id] else { continue }
            if attempt.deadline <= now {
                // Who is in stays in: only the first exchange was slow.
                if case .syncing = attempt.stage {
                    finishJoin(id, .group(attempt.link.group))
                } else {
                    let isMember = isCurrentMember(of: attempt.link.group)
                    let failure = isMember ? .alreadyMember(attempt.link.group) : attempt.refusal ?? .nobodyReachable
                    finishJoin(id, .failed(failure))
                }
            } else if let due = laterAnswer(to: attempt) {
                joins[id]?.answerDue = due
            } else if let link = attempt.stage.link, attempt.stage != .syncing(link), attempt.answerDue <= now {
                joins[id]?.stage = .dialling
                joins[id]?.nextDial = now.advanced(by: .milliseconds(200))
                links.close(link, at: now)
            } else if let link = attempt.stage.link, sessions[link] == nil {
                if case .syncing = attempt.stage {
                    finishJoin(id, .group(attempt.link.group))
                } else {
                    joins[id]?.stage = .dialling
                    joins[id]?.nextDial = now.advanced(by: .milliseconds(200))
                }
            }
        }
    }

    // MARK: The admitting member

    mutating func receivedJoinRequest(certificate: [UInt8], proof: [UInt8], over link: LinkID) {
        guard let session = sessions[link], case .invite(let group, let invite) = session.label,
            let replica = groups[group], isCurrentMember(of: group)
        else { return }
        // The private group takes devices, and nobody else.
        guard !isPrivate(group) else { return refuseJoin(.unknownInvite, over: link) }
        let claim: JoinClaim
        do {
            var reader = WireReader(proof)
            claim = JoinClaim(
                invite: invite, certificate: try DeviceCertificate(decoding: certificate),
                proof: try JoinProof(from: &reader))
            try reader.finish()
        } catch {
            return refuseJoin(.invalidProof, over: link)
        }
        guard claim.proof.handshakeHash == Self.binding(of: session), claim.certificate.linkKey == session.key else {
            return refuseJoin(.invalidProof, over: link)
        }
        if let device = replica.state.device(linkKey: session.key), device.isCurrent,
            device.device == claim.certificate.device
        {
            // The welcome of an earlier attempt was lost, or a wish was granted meanwhile. The handshake has proven the link
            // key, so this is the member.
            return welcome(to: group, over: link)
        }
        if isOwnNewDevice(claim, of: replica) { return welcome(to: group, over: link) }
        answer(claim, in: group, over: link)
    }

    /// Whether a newcomer is another device of a member, by the account key's own word: it needs no admission, publishes
    /// itself, and uses up no invite.
    private func isOwnNewDevice(_ claim: JoinClaim, of replica: GroupReplica) -> Bool {
        let certificate = claim.certificate
        guard certificate.isIssuedByAccount, certificate.isValid(), replica.state.isMember(certificate.user),
            !isPrivate(replica.id), !isRevokedAnywhere(certificate),
            replica.state.device(certificate.device) == nil, let invite = replica.state.invite(claim.invite)
        else { return false }
        return claim.proof.isValid(inviteKey: invite.publicKey, group: replica.id, certificate: certificate)
    }

    /// Whether a ledger held here says that the account has given up a certificate's device, or one that issued it and whose
    /// word it did not keep. Not every group of the account knows every device.
    func isRevokedAnywhere(_ certificate: DeviceCertificate) -> Bool {
        groups.keys.contains { groups[$0]?.ledger.isRevoked(certificate) ?? false }
    }

    /// Takes a newcomer in, or puts its wish down where owner or an admin is to decide.
    private mutating func answer(_ claim: JoinClaim, in group: GroupID, over link: LinkID) {
        guard let replica = groups[group] else { return }
        // The rest of the chain is for what only this device can do: a link passed around must not use it up.
        guard
            (replica.ledger.tips.filter { $0.device == identity.device }.map(\.number).max() ?? 0)
                < Self.maximumAdmittingNumber
        else { return refuseJoin(.other, over: link) }
        let needsApproval = replica.state.invite(claim.invite)?.needsApproval ?? false
        if needsApproval {
            let requests = replica.state.requests
            guard !isDenied(claim, in: group) else { return refuseJoin(.denied, over: link) }
            let asked = requests.first { $0.claim.certificate == claim.certificate && $0.claim.invite == claim.invite }
            if asked != nil { return refuseJoin(.awaitingApproval, over: link) }
            // Requests cost places in this device's own chain.
            guard requests.count < Self.maximumRequests else { return refuseJoin(.groupFull, over: link) }
        }
        do {
            let operation =
                needsApproval
                ? try replica.ledger.request(of: claim, by: identity, at: wall.seconds)
                : try replica.ledger.admission(of: claim, by: identity, at: wall.seconds)
            var change = DurableChange()
            let added = try insert(operation, in: group, change: &change)
            let answer: Deferred =
                needsApproval ? .refuseJoin(link, .awaitingApproval) : .welcome(link, group)
            ledgerChanged(group, change: change, then: [answer, .passOnOperations(group, added, except: link)])
        } catch {
            // The link by which somebody came in ends with the removal, which says more.
            let invite = replica.state.invite(claim.invite)
            let isRemoved = replica.state.removedUsers.contains { $0.user == claim.certificate.user && !$0.hasLeft }
            let cameBy = invite?.admitted.contains(claim.certificate.user) ?? false
            let refusal = JoinRefusal(error)
            refuseJoin(refusal == .revoked && isRemoved && cameBy ? .removed : refusal, over: link)
        }
    }

    /// Wishes of one group that may wait for an answer at a time.
    static let maximumRequests = 64
    /// From this number on a device's own chain takes no more newcomers in; another member does.
    static let maximumAdmittingNumber: UInt64 = 800

    mutating func refuseJoin(_ reason: JoinRefusal, over link: LinkID) {
        send(.joinRefused(reason), over: link)
    }

    /// Hands a newcomer the keys and the ledger.
    mutating func welcome(to group: GroupID, over link: LinkID) {
        guard let replica = groups[group] else { return }
        send(.welcome(group: group, accessKeys: replica.accessKeys.map { $0.key.rawBytes() }), over: link)
        sendOperations(replica.ledger.servedOperations, handle: replica.handle, over: link)
        greet(link)
    }
}

extension JoinRefusal {
    init(_ error: LedgerError) {
        guard case .refused(let refusal) = error else {
            if case .invalidProof = error { self = .invalidProof } else { self = .other }
            return
        }
        switch refusal {
        case .unknownInvite: self = .unknownInvite
        case .inviteRevoked: self = .revoked
        case .inviteUsedUp: self = .usedUp
        case .inviteExpired: self = .expired
        case .newcomerRemoved: self = .removed
        case .tooManyMembers: self = .groupFull
        case .authorNotMember, .authorRemoved, .authorRevoked, .needsOwner, .needsAdmin, .invitingNotAllowed,
            .targetIsProtected, .targetNotMember, .unknownDevice, .targetIsAuthor, .ownerCannotLeave,
            .transferDoesNotStand, .needsApproval, .notOwnInvite, .alreadyMember, .claimSpent, .certificateRevoked,
            .tooManyInvites, .invalidTitle, .invalidExpiry:
            self = .other
        }
    }
}
