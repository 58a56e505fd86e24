import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// Coming in: joining a group, linking a machine, coming back, and admitting others. Every ledger from outside arrives
/// here, and counts only once it has been checked as a whole.
struct Admission: Sendable {
    var joins: [CommandID: JoinAttempt] = [:]
    /// Machines being linked here, by the command that started it.
    var deviceIntakes: [CommandID: DeviceIntake] = [:]
    /// Groups of this account that friends know. The user has not decided yet whether to come back into them.
    var returns: [GroupID: HeldReturn] = [:]
    /// Owners of friend codes asked over these links.
    var askedFriends: [LinkID: DeviceCertificate] = [:]
    /// Ledgers of this account's groups that arrive from them, or from the account's other machines.
    var offeredLedgers: [LinkID: [GroupHandle: LedgerIntake]] = [:]
    /// When to go on handing groups to the account's other machines; nil if none waits.
    var nextOffer: MonotonicInstant?

    init(core: inout EngineCore) { restoreReturns(core: &core) }

    var nextDeadline: MonotonicInstant? {
        [joins.values.map(\.nextDeadline).min(), nextOffer, offersStallAt].compactMap { $0 }.min()
    }
    /// Links over which this device joins.
    var joiningLinks: Set<LinkID> { Set(joins.values.compactMap(\.stage.link)) }
    var isJoining: Bool { !joins.isEmpty }
    /// The commands that have reached nobody yet, with their links.
    var joining: [(id: CommandID, link: InviteLink)] {
        joins.keys.sorted().compactMap { id in
            guard let attempt = joins[id], attempt.stage == .dialling, attempt.link.purpose == .join else { return nil }
            return (id, attempt.link)
        }
    }

    /// The beacon sources under which members are looked for.
    var beaconSources: [Discovery.Source] {
        joins.keys.sorted().compactMap { joins[$0]?.link }.map {
            Discovery.Source(
                group: $0.group, invite: nil, key: Discovery.beaconKey(of: $0.secrets.presharedKey), isCalled: true)
        }
    }

    // MARK: Joining

    /// How long a device asks for admission where it is a member already, as far as it and others know.
    private static let memberPatience: Duration = .seconds(3)

    /// Begins to join.
    ///
    /// - Parameters:
    ///   - pair: who must be alone in the group, if it is to be a group of two.
    ///   - tellers: devices that have reported what they hold of the group.
    mutating func join(
        _ link: InviteLink, timeout: Duration, pair: UserID? = nil, tellers: Set<DeviceID>, command: CommandID,
        core: inout EngineCore
    ) {
        var timeout = timeout
        if core.isCurrentMember(of: link.group) {
            if link.inviter == core.identity.device {
                return core.complete(command, .failed(.alreadyMember(link.group)))
            }
            // It may be out and not have heard so, as may all with whom it exchanges records. So it asks like anybody.
            if !tellers.isEmpty { timeout = min(timeout, Self.memberPatience) }
        }
        guard !link.isExpired(at: core.wall.seconds) || isAwaitingApproval(under: link, core: core) else {
            return core.complete(command, .failed(.linkExpired))
        }
        joins[command] = JoinAttempt(
            command: command, link: link, pair: pair, deadline: core.now.advanced(by: timeout), nextDial: core.now,
            endpoints: link.addresses.flatMap { $0 }, answerDue: core.now)
        core.keysAreStale = true
        core.post(.lookForMembers)
        redialJoins(core: &core)
    }

    private mutating func redialJoins(core: inout EngineCore) {
        for id in joins.keys.sorted() {
            guard let attempt = joins[id], attempt.stage == .dialling, attempt.nextDial <= core.now else { continue }
            joins[id]?.nextDial = core.now.advanced(by: .seconds(2))
            for endpoint in attempt.endpoints { dialForJoining(id, at: endpoint, core: &core) }
        }
    }

    /// Dials an address at which somebody of the group may admit this device.
    mutating func dialForJoining(_ id: CommandID, at endpoint: Endpoint, core: inout EngineCore) {
        guard let attempt = joins[id], attempt.stage == .dialling else { return }
        if !attempt.endpoints.contains(endpoint), attempt.endpoints.count < 64 { joins[id]?.endpoints.append(endpoint) }
        if let last = attempt.dialledAt[endpoint], core.now < last.advanced(by: JoinAttempt.dialPause) { return }
        joins[id]?.dialledAt[endpoint] = core.now
        let label = LinkKeyLabel.invite(attempt.link.group, OperationID(bytes: .zero))
        core.links.dial(
            peer: nil, key: EngineCore.linkKey(of: attempt.link.secrets.presharedKey, label: label), to: endpoint,
            usesDatagrams: true, usesStreams: true, at: core.now, entropy: &core.entropy)
    }

    /// Dials an address at which there may be a member of any group that this device joins.
    mutating func dialForJoining(at endpoint: Endpoint, core: inout EngineCore) {
        for id in joins.keys.sorted() { dialForJoining(id, at: endpoint, core: &core) }
    }

    /// Somebody of a group has answered at an address.
    mutating func memberSighted(of group: GroupID, at endpoint: Endpoint, core: inout EngineCore) {
        guard let id = joins.keys.sorted().first(where: { joins[$0]?.link.group == group }) else { return }
        dialForJoining(id, at: endpoint, core: &core)
    }

    /// Ends a join that nobody waits for any longer.
    mutating func cancel(_ id: CommandID) { joins[id] = nil }

    /// Asks to be admitted, if the link was opened for that. False if it was not.
    mutating func linkOpened(_ link: LinkID, core: inout EngineCore) -> Bool {
        guard let session = core.sessions[link], let attempt = joinAttempt(under: session, core: core) else {
            return false
        }
        askToJoin(attempt, over: session, core: &core)
        return true
    }

    /// The attempt that a link was opened for by this side.
    func joinAttempt(under session: PeerSession, core: EngineCore) -> CommandID? {
        guard case .invite(let group, OperationID(bytes: .zero)) = session.label else { return nil }
        return joins.keys.sorted().first { joins[$0]?.link.group == group }
    }

    /// The handshake of a link as proofs of joining name it: 64 bytes.
    static func binding(of session: PeerSession) -> [UInt8] { Blake2b.hash(session.handshakeHash, size: 64) }

    mutating func askToJoin(_ id: CommandID, over session: PeerSession, core: inout EngineCore) {
        guard let attempt = joins[id], attempt.stage == .dialling else {
            return core.links.close(session.link, at: core.now)
        }
        joins[id]?.stage = .asked(session.link)
        joins[id]?.answerDue = core.now.advanced(by: JoinAttempt.patience)
        guard attempt.link.purpose == .join else { return askToBeCertified(attempt, over: session, core: &core) }
        let proof = JoinProof(
            inviteKey: attempt.link.secrets.inviteKey, group: attempt.link.group, identity: core.identity,
            handshakeHash: Self.binding(of: session))
        var writer = WireWriter()
        proof.write(to: &writer)
        core.send(
            .joinRequested(certificate: core.identity.certificate.encoded(), proof: writer.bytes), over: session.link)
    }

    mutating func receivedWelcome(_ group: GroupID, accessKeys: [[UInt8]], over link: LinkID, core: inout EngineCore) {
        if receivedWelcomeOfDevice(group, accessKeys: accessKeys, over: link, core: &core) { return }
        guard
            let id = joins.keys.sorted().first(where: {
                joins[$0]?.stage == .asked(link) && joins[$0]?.link.group == group
            })
        else { return receivedOffer(of: group, accessKeys: accessKeys, over: link, core: &core) }
        joins[id]?.stage = .welcomed(link)
        joins[id]?.answerDue = core.now.advanced(by: JoinAttempt.patience)
        joins[id]?.intake = LedgerIntake(group: group, accessKeys: accessKeys)
    }

    mutating func receivedJoinRefusal(_ reason: JoinRefusal, over link: LinkID, core: inout EngineCore) {
        guard let id = joins.keys.sorted().first(where: { joins[$0]?.stage == .asked(link) }) else { return }
        core.links.close(link, at: core.now)
        switch reason {
        case .unknownInvite, .groupFull, .other:
            // This member may not have heard yet of the invite, or of a place that has become free. So others are
            // asked, and this one again.
            askOthers(id, because: .joinRefused(reason), for: nil, core: &core)
        case .awaitingApproval:
            keepWaiting(true, under: joins[id]?.link, core: &core)
            askOthers(id, because: .joinRefused(reason), for: JoinAttempt.secondOpinion, core: &core)
        case .usedUp, .expired, .revoked, .removed, .invalidProof, .denied:
            askOthers(id, because: .joinRefused(reason), for: JoinAttempt.secondOpinion, core: &core)
        }
    }

    private func isAwaitingApproval(under link: InviteLink, core: EngineCore) -> Bool {
        core.local[AwaitedApproval.self, link.group] != nil
    }

    private mutating func keepWaiting(_ isWaiting: Bool, under link: InviteLink?, core: inout EngineCore) {
        guard let link, isAwaitingApproval(under: link, core: core) != isWaiting else { return }
        var change = DurableChange()
        change.local[AwaitedApproval.self, link.group] = isWaiting ? AwaitedApproval(group: link.group) : nil
        core.persist(change)
    }

    /// Goes on asking. Anybody who holds the invite's PSK can answer, also a former member, so one answer is one
    /// opinion. If every honest member would say the same, the others get `limit` to say so.
    mutating func askOthers(
        _ id: CommandID, because refusal: CommandFailure, for limit: Duration?, core: inout EngineCore
    ) {
        guard var attempt = joins[id] else { return }
        attempt.refusal = refusal
        attempt.stage = .dialling
        attempt.intake = nil
        attempt.nextDial = core.now.advanced(by: .seconds(2))
        if let limit { attempt.deadline = min(attempt.deadline, core.now.advanced(by: limit)) }
        joins[id] = attempt
    }

    /// Accepts operations that follow a welcome. False if these do not.
    mutating func takesOperations(
        _ encoded: [[UInt8]], isFinal: Bool, handle: GroupHandle, over link: LinkID, core: inout EngineCore
    ) -> Bool {
        receivedOperationsOfDevice(encoded, isFinal: isFinal, handle: handle, over: link, core: &core)
            || receivedOfferedOperations(encoded, isFinal: isFinal, handle: handle, over: link, core: &core)
            || receivedOperationsWhileJoining(encoded, isFinal: isFinal, handle: handle, over: link, core: &core)
    }

    /// Accepts the ledger that follows a welcome. False if these operations do not belong to it.
    mutating func receivedOperationsWhileJoining(
        _ encoded: [[UInt8]], isFinal: Bool, handle: GroupHandle, over link: LinkID, core: inout EngineCore
    ) -> Bool {
        guard let id = joins.keys.sorted().first(where: { joins[$0]?.stage == .welcomed(link) }),
            var attempt = joins[id], GroupHandle(attempt.link.group) == handle, var intake = attempt.intake
        else { return false }
        do {
            try intake.append(encoded)
        } catch {
            core.links.close(link, at: core.now)
            var failure = CommandFailure.ledgerRejected
            if case .tooLarge = error { failure = .ledgerTooLarge }
            askOthers(id, because: failure, for: JoinAttempt.secondOpinion, core: &core)
            return true
        }
        attempt.intake = intake
        attempt.answerDue = core.now.advanced(by: JoinAttempt.patience)
        joins[id] = attempt
        if isFinal { enter(id, intake, over: link, core: &core) }
        return true
    }

    /// Becomes a member, if the ledger shows what the link promised.
    private mutating func enter(_ id: CommandID, _ intake: LedgerIntake, over link: LinkID, core: inout EngineCore) {
        guard let attempt = joins[id], var ledger = intake.ledger, let session = core.sessions[link] else { return }
        var own: [SignedOperation] = []
        do {
            guard let responder = ledger.state.device(linkKey: session.key) else {
                throw InvitationError.responderNotMember
            }
            if let introduction = try introduction(into: ledger, core: core) {
                _ = try ledger.insert(introduction)
                own = [introduction]
            }
            try ledger.verifyInvitation(
                link: attempt.link, admittedBy: responder.device, admitting: core.identity.device)
            guard !intake.namedKeys.isEmpty else {
                throw InvitationError.otherGroup(ledger.group)
            }
            // A friend request by code leads into a group of two, and into no other.
            if let owner = attempt.pair {
                guard Set(ledger.state.members.map(\.user)) == [owner, core.identity.user] else {
                    throw InvitationError.otherGroup(ledger.group)
                }
            }
        } catch {
            core.links.close(link, at: core.now)
            return askOthers(id, because: .ledgerRejected, for: JoinAttempt.secondOpinion, core: &core)
        }
        let known = intake.namedKeys
        var change = DurableChange()
        var wasIn = false
        if core.groups[ledger.group] == nil {
            store(ledger, accessKeys: known, change: &change, core: &core)
            begin(ledger, accessKeys: known, change: &change, core: &core)
        } else {
            forgetReturn(ledger.group, change: &change)
            wasIn = isIn(by: ledger, core: core)
            reenter(ledger, accessKeys: known, asNew: !wasIn, change: &change, core: &core)
            keep(known, of: ledger.group, change: &change)
        }
        // The link may break before it has told anybody's address.
        for endpoint in attempt.link.addresses.first ?? [] {
            core.post(.addressHeard(attempt.link.inviter, endpoint))
            change.addresses.append(
                RememberedAddress(device: attempt.link.inviter, endpoint: endpoint, lastAnswered: 0))
        }
        joins[id]?.stage = .syncing(link)
        keepWaiting(false, under: attempt.link, core: &core)
        // A device that is already linked may be a member, too.
        entered(
            ledger.group, change: change, core: &core,
            then: own.isEmpty ? [] : [.passOnOperations(ledger.group, own, except: nil)])
        if wasIn { finishJoin(id, .failed(.alreadyMember(ledger.group)), core: &core) }
    }

    /// Whether this device is in a group already, and by the same operations as a ledger says.
    private func isIn(by ledger: Ledger, core: EngineCore) -> Bool {
        guard core.isCurrentMember(of: ledger.group), let known = core.groups[ledger.group]?.state else { return false }
        let (user, device) = (core.identity.user, core.identity.device)
        return known.member(user)?.admittedBy == ledger.state.member(user)?.admittedBy
            && known.device(device)?.introducedBy == ledger.state.device(device)?.introducedBy
    }

    /// Keeps a ledger that has come whole, with its keys, newest first.
    func store(
        _ ledger: Ledger, accessKeys: [AccessKey], change: inout DurableChange, core: inout EngineCore
    ) {
        for operation in ledger.allOperations {
            change.operations.append(
                StoredOperation(
                    group: ledger.group, id: operation.id, bytes: operation.bytes, arrival: core.takeArrival()))
        }
        keep(accessKeys, of: ledger.group, change: &change)
    }

    private func keep(_ accessKeys: [AccessKey], of group: GroupID, change: inout DurableChange) {
        change.accessKeys = accessKeys.reversed().map { StoredAccessKey(group: group, key: $0.key.rawBytes()) }
    }

    /// Begins to be in a group whose ledger is stored, or is in `change`.
    mutating func begin(
        _ ledger: Ledger, accessKeys: [AccessKey], change: inout DurableChange, core: inout EngineCore
    ) {
        forgetReturn(ledger.group, change: &change)
        core.hold(ledger, accessKeys: accessKeys)
    }

    /// This device is in a group from now on: it tells everybody whom it is linked with.
    func entered(
        _ group: GroupID, change: DurableChange, core: inout EngineCore, then work: [Work]
    ) {
        core.keysAreStale = true
        core.post(.keysGained)
        core.ledgerChanged(group, change: change, then: core.sessions.keys.map { .greet($0) } + work)
    }

    /// The operation by which a device publishes itself in a group that its account is in already, as after the loss of
    /// all other devices. The account key must have certified the device. Nil if no operation is needed.
    private func introduction(into ledger: Ledger, core: EngineCore) throws(LedgerError) -> SignedOperation? {
        let state = ledger.state
        guard state.isMember(core.identity.user), state.device(core.identity.device) == nil else { return nil }
        return try ledger.draft(.addDevice(core.identity.certificate), by: core.identity, at: core.wall.seconds)
    }

    /// Takes over the ledger of a group that this device knows. If it comes back, its old epochs stay cut, and a new one
    /// begins.
    private mutating func reenter(
        _ ledger: Ledger, accessKeys: [AccessKey], asNew: Bool, change: inout DurableChange, core: inout EngineCore
    ) {
        for operation in ledger.allOperations {
            // This device's copy may hold operations that make some of these void, but none that refuse them.
            _ = try? core.insert(operation, in: ledger.group, change: &change)
        }
        for key in accessKeys.reversed() { _ = core.groups[ledger.group]?.add(key) }
        guard asNew else { return }
        let counter = core.groups[ledger.group]?.ownEpoch?.counter ?? 0
        core.groups[ledger.group]?.ownEpoch = nil
        _ = core.openEpoch(in: ledger.group, after: counter, change: &change)
        core.places.farewells.remove(ledger.group)
        change.local[Farewell.self, ledger.group] = nil
    }

    /// Completes the joins of a group whose first exchange has ended.
    mutating func completeJoins(of group: GroupID, over link: LinkID, core: inout EngineCore) {
        for id in joins.keys.sorted() where joins[id]?.stage == .syncing(link) && joins[id]?.link.group == group {
            finishJoin(id, .group(group), core: &core)
        }
    }

    mutating func finishJoin(_ id: CommandID, _ outcome: CommandOutcome, core: inout EngineCore) {
        joins[id] = nil
        core.keysAreStale = true
        core.complete(id, outcome)
    }

    /// How long to wait for a ledger whose overdue part is already on its way. Over a slow link, one message takes
    /// longer than `patience`.
    private func laterAnswer(to attempt: JoinAttempt, core: EngineCore) -> MonotonicInstant? {
        guard case .welcomed(let link) = attempt.stage, attempt.answerDue <= core.now,
            let heard = core.links.pathSummary(link)?.lastHeard
        else { return nil }
        let due = heard.advanced(by: JoinAttempt.patience)
        return due > core.now ? due : nil
    }

    mutating func runTimers(core: inout EngineCore) {
        redialJoins(core: &core)
        if let nextOffer, nextOffer <= core.now {
            self.nextOffer = nil
            core.offerGroupsOnceStored()
        }
        if let offersStallAt, offersStallAt <= core.now { forgetStalledOffers(core: core) }
        for id in joins.keys.sorted() {
            guard let attempt = joins[id] else { continue }
            if attempt.deadline <= core.now {
                // This device is a member and stays one: only the first exchange was slow.
                if case .syncing = attempt.stage {
                    finishJoin(id, .group(attempt.link.group), core: &core)
                } else {
                    let isMember = core.isCurrentMember(of: attempt.link.group)
                    let failure = isMember ? .alreadyMember(attempt.link.group) : attempt.refusal ?? .nobodyReachable
                    finishJoin(id, .failed(failure), core: &core)
                }
            } else if let due = laterAnswer(to: attempt, core: core) {
                joins[id]?.answerDue = due
            } else if let link = attempt.stage.link, attempt.stage != .syncing(link), attempt.answerDue <= core.now {
                joins[id]?.stage = .dialling
                joins[id]?.nextDial = core.now.advanced(by: .milliseconds(200))
                core.links.close(link, at: core.now)
            } else if let link = attempt.stage.link, core.sessions[link] == nil {
                if case .syncing = attempt.stage {
                    finishJoin(id, .group(attempt.link.group), core: &core)
                } else {
                    joins[id]?.stage = .dialling
                    joins[id]?.nextDial = core.now.advanced(by: .milliseconds(200))
                }
            }
        }
    }
}
