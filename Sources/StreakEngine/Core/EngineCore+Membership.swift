import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

extension EngineCore {
    mutating func foundGroup(title: String, id: CommandID) {
        var change = DurableChange()
        let group: GroupID
        do {
            group = try startGroup(title: title, change: &change)
        } catch {
            return complete(id, .failed(.notAllowed(error)))
        }
        ledgerChanged(group, change: change, then: [.complete(id, .group(group))])
    }

    /// Signs and publishes an operation of this device, if it would count.
    /// - Parameter accessKey: the new key whose hash the operation names.
    @discardableResult
    mutating func author(
        _ body: OperationBody, in group: GroupID, with change: DurableChange = DurableChange(),
        accessKey: AccessKey? = nil, id: CommandID, outcome: ((OperationID) -> CommandOutcome)? = nil
    ) -> Bool {
        guard let replica = groups[group] else {
            complete(id, .failed(.unknownGroup))
            return false
        }
        do {
            let operation = try replica.ledger.draft(body, by: identity, at: wall.seconds)
            var change = change
            let added = try insert(operation, in: group, change: &change)
            if let accessKey { addAccessKey(accessKey, to: group, change: &change) }
            ledgerChanged(
                group, change: change,
                then: [.complete(id, outcome?(operation.id) ?? .done), .passOnOperations(group, added, except: nil)])
            return true
        } catch {
            complete(id, .failed(.notAllowed(error)))
            return false
        }
    }

    mutating func makeInvite(
        to group: GroupID, uses: UInt32, lifetime: Int64, needsApproval: Bool = false,
        purpose: InviteLink.Purpose = .join, addresses: [[Endpoint]], id: CommandID
    ) {
        guard let replica = groups[group] else { return complete(id, .failed(.unknownGroup)) }
        let secrets = InviteSecrets.generate(from: &entropy)
        let expiresAt = wall.seconds + lifetime
        let link = InviteLink(
            seed: secrets.seed, group: group, expiresAt: expiresAt, title: replica.state.title,
            addresses: addresses, identity: identity, purpose: purpose)
        var change = DurableChange()
        change.local.keep(KeptInvite(link))
        author(
            .invite(secrets.terms(maximumUses: uses, expiresAt: expiresAt, needsApproval: needsApproval)), in: group,
            with: change, id: id
        ) { .invite($0, link: link.text) }
    }

    /// The link of an invite, if this node keeps it; nil for the invites of others.
    func link(ofInvite id: OperationID, in group: GroupID) -> String? {
        guard let invite = groups[group]?.state.invite(id) else { return nil }
        return local[KeptInvite.self, group, invite.publicKey.rawBytes]?.text
    }

    mutating func leave(_ group: GroupID, erasing: Bool, id: CommandID) {
        guard let replica = groups[group] else { return complete(id, .failed(.unknownGroup)) }
        let state = replica.state
        guard let me = state.device(identity.device), me.isCurrent else { return complete(id, .failed(.notMember)) }
        let cuts = state.devices.filter { $0.user == me.user && $0.isCurrent }.map { replica.cut(of: $0.device) }
        let departure = Departure(erases: erasing, cuts: DeviceCut.fitting(cuts))
        var change = DurableChange()
        change.local.keep(Farewell(group: group))
        places.farewells.insert(group)
        guard author(.leave(departure), in: group, with: change, id: id) else {
            places.farewells.remove(group)
            return
        }
        // Waits until the departure is on disk.
        persist(DurableChange(), then: [.sayFarewell(group)])
    }

    /// Tells a member that this device has left, and asks for operations: an answer shows that the member heard it.
    mutating func sayFarewell(to group: GroupID, over link: LinkID) {
        guard let replica = groups[group], access(of: link, in: group).contains(.farewell),
            case .removed(let by)? = replica.state.device(identity.device)?.standing
        else { return }
        sendOperations(replica.ledger.ancestry(of: by), handle: replica.handle, over: link)
        send(.operationsRequested(replica.handle, known: replica.namedTips), over: link)
    }

    /// A member has answered, so it knows that this device has left.
    mutating func endFarewell(to group: GroupID) {
        guard places.farewells.remove(group) != nil else { return }
        var change = DurableChange()
        change.local[Farewell.self, group] = nil
        let events = lose(group, change: &change)
        keysAreStale = true
        persist(change, then: events)
    }

    mutating func setRole(_ change: RoleChange.Change, of user: UserID, in group: GroupID, id: CommandID) {
        // A demotion cuts what the devices may do as an admin; it does not affect their records.
        let cuts = change == .member ? groups[group]?.ledger.cuts(of: user) { _ in [] } : []
        author(.setRole(RoleChange(user: user, change: change, cuts: cuts ?? [])), in: group, id: id)
    }

    mutating func transfer(_ group: GroupID, to heir: UserID, id: CommandID) {
        let state = groups[group]?.state
        // A transfer ends a tenure of the owner; if it undoes a takeover, it is the author's own.
        let isTakingBack = heir == identity.user && state?.heir != heir && state?.takenFrom == heir
        let ending = isTakingBack ? heir : state?.owner
        let cuts = ending.flatMap { groups[group]?.ledger.cuts(of: $0) { _ in [] } }
        author(.transfer(Transfer(newOwner: heir, cuts: cuts ?? [])), in: group, id: id)
    }

    mutating func remove(
        _ user: UserID, from group: GroupID, keepingOthersInvites keepsOthers: Bool, id: CommandID
    ) {
        guard let replica = groups[group] else { return complete(id, .failed(.unknownGroup)) }
        let key = AccessKey.generate(from: &entropy)
        let cuts = replica.ledger.cuts(of: user) { replica.cut(of: $0).feeds }
        let removal = Removal(user: user, cuts: cuts, accessKeyHash: key.hash)
        let invites = invitesEnding(with: user, in: group).filter { !keepsOthers || $0.inviter == user }
        let before = self
        var change = DurableChange()
        var added: [SignedOperation] = []
        do {
            let bodies = [.remove(removal)] + invites.map { OperationBody.revokeInvite($0.id) }
            for body in bodies {
                guard let ledger = groups[group]?.ledger else { continue }
                added += try insert(ledger.draft(body, by: identity, at: wall.seconds), in: group, change: &change)
            }
        } catch {
            self = before
            return complete(id, .failed(.notAllowed(error)))
        }
        addAccessKey(key, to: group, change: &change)
        ledgerChanged(
            group, change: change,
            then: [.complete(id, .done), .passOnOperations(group, added, except: nil)])
    }

    /// The live invites that a member made, or by which it joined. By the same link it could come back as another
    /// account. An invite that has expired by this clock may still live by the clock of the member who answers.
    func invitesEnding(with user: UserID, in group: GroupID) -> [GroupState.Invite] {
        (groups[group]?.state.invites ?? []).filter { invite in
            (invite.inviter == user || invite.admitted.contains(user)) && invite.isLive(at: wall.seconds - 86_400)
        }
    }

    /// Demotes the author of a removal with a cut before it.
    mutating func annul(_ removal: OperationID, in group: GroupID, id: CommandID) {
        guard let replica = groups[group] else { return complete(id, .failed(.unknownGroup)) }
        guard let body = replica.ledger.annulment(of: removal) else {
            return complete(id, .failed(.notAllowed(.refused(.targetNotMember))))
        }
        author(body, in: group, id: id)
    }

    /// Newcomers to a group who wait for the owner or an admin to admit them.
    func openRequests(in group: GroupID) -> [GroupState.Request] { groups[group]?.state.requests ?? [] }

    /// Whether this node has turned down the account that asks under this invite, whatever its device. It can still be
    /// admitted; a new invite makes a new request.
    func isDenied(_ claim: JoinClaim, in group: GroupID) -> Bool {
        local[Denial.self, group, claim.certificate.user, claim.invite] != nil
    }

    mutating func admit(_ request: OperationID, to group: GroupID, id: CommandID) {
        guard let open = openRequests(in: group).first(where: { $0.id == request }) else {
            return complete(id, .failed(groups[group] == nil ? .unknownGroup : .unknownRequest))
        }
        var change = DurableChange()
        change.local[Denial.self, group, open.claim.certificate.user, open.claim.invite] = nil
        author(.admit(open.claim), in: group, with: change, id: id)
    }

    mutating func deny(_ request: OperationID, in group: GroupID, id: CommandID) {
        guard let state = groups[group]?.state else { return complete(id, .failed(.unknownGroup)) }
        guard let open = state.requests.first(where: { $0.id == request }) else {
            return complete(id, .failed(.unknownRequest))
        }
        guard let role = state.role(of: identity.user), role != .member, isCurrentMember(of: group) else {
            return complete(id, .failed(.notAllowed(.refused(.needsAdmin))))
        }
        var change = DurableChange()
        change.local.keep(Denial(group: group, user: open.claim.certificate.user, invite: open.claim.invite))
        persist(change, then: [.publish(.ledgerChanged(group)), .complete(id, .done)])
    }
}
