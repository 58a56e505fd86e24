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

    /// Makes an operation of this device, if it would count, and tells everybody.
    /// - Parameter accessKey: the new key whose hash the operation names.
    @discardableResult
    mutating func author(
        _ body: OperationBody, in group: GroupID, settings: [String: [UInt8]] = [:], accessKey: AccessKey? = nil,
        id: CommandID, outcome: ((OperationID) -> CommandOutcome)? = nil
    ) -> Bool {
        guard let replica = groups[group] else {
            complete(id, .failed(.unknownGroup))
            return false
        }
        do {
            let operation = try replica.ledger.draft(body, by: identity, at: wall.seconds)
            var change = DurableChange()
            change.settings = settings
            let added = try insert(operation, in: group, change: &change)
            if let accessKey { keep(accessKey, in: group, change: &change) }
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
        let setting = Self.inviteSetting(secrets)
        settings[setting] = Array(link.text.utf8)
        author(
            .invite(secrets.terms(maximumUses: uses, expiresAt: expiresAt, needsApproval: needsApproval)), in: group,
            settings: [setting: Array(link.text.utf8)], id: id
        ) { .invite($0, link: link.text) }
    }

    /// Where the inviter keeps a link, so that it can be shown again.
    static func inviteSetting(_ secrets: InviteSecrets) -> String {
        inviteSetting(publicKey: secrets.inviteKey.publicKey)
    }

    private static func inviteSetting(publicKey: SigningPublicKey) -> String {
        "invite-" + publicKey.rawBytes.prefix(16).hexadecimal
    }

    /// The link of an invite whose link this node keeps; nil for others'.
    func link(ofInvite id: OperationID, in group: GroupID) -> String? {
        guard let invite = groups[group]?.state.invite(id) else { return nil }
        return settings[Self.inviteSetting(publicKey: invite.publicKey)].map { String(decoding: $0, as: UTF8.self) }
    }

    mutating func leave(_ group: GroupID, erasing: Bool, id: CommandID) {
        guard let replica = groups[group] else { return complete(id, .failed(.unknownGroup)) }
        let state = replica.state
        guard let me = state.device(identity.device), me.isCurrent else { return complete(id, .failed(.notMember)) }
        let cuts = state.devices.filter { $0.user == me.user && $0.isCurrent }.map { replica.cut(of: $0.device) }
        let departure = Departure(erases: erasing, cuts: DeviceCut.fitting(cuts))
        let setting = Self.farewellSetting(group)
        places.farewells.insert(group)
        guard author(.leave(departure), in: group, settings: [setting: [1]], id: id) else {
            places.farewells.remove(group)
            return
        }
        settings[setting] = [1]
        // Waits for the departure to be on disk.
        persist(DurableChange(), then: [.sayFarewell(group)])
    }

    /// The setting that says that nobody has heard yet of this device's leaving.
    static func farewellSetting(_ group: GroupID) -> String { "farewell-" + group.bytes.array.prefix(16).hexadecimal }

    /// Tells a member that this device has left, and asks what it knows, so that its answer shows that it heard.
    mutating func sayFarewell(to group: GroupID, over link: LinkID) {
        guard let replica = groups[group], access(of: link, in: group).contains(.farewell),
            case .removed(let by)? = replica.state.device(identity.device)?.standing
        else { return }
        sendOperations(replica.ledger.ancestry(of: by), handle: replica.handle, over: link)
        send(.operationsRequested(replica.handle, known: replica.namedTips), over: link)
    }

    /// A member has answered: the group goes on without this device.
    mutating func endFarewell(to group: GroupID) {
        guard places.farewells.remove(group) != nil else { return }
        var change = DurableChange()
        change.settings[Self.farewellSetting(group)] = []
        settings[Self.farewellSetting(group)] = nil
        let events = lose(group, change: &change)
        keysAreStale = true
        persist(change, then: events)
    }

    mutating func setRole(_ change: RoleChange.Change, of user: UserID, in group: GroupID, id: CommandID) {
        // A demotion cuts what the devices may do as an admin; their records are nobody's business.
        let cuts = change == .member ? groups[group]?.ledger.cuts(of: user) { _ in [] } : []
        author(.setRole(RoleChange(user: user, change: change, cuts: cuts ?? [])), in: group, id: id)
    }

    mutating func transfer(_ group: GroupID, to heir: UserID, id: CommandID) {
        let state = groups[group]?.state
        // What a transfer ends is a time of the owner, or, where it undoes a takeover, the author's own.
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
        keep(key, in: group, change: &change)
        ledgerChanged(
            group, change: change,
            then: [.complete(id, .done), .passOnOperations(group, added, except: nil)])
    }

    /// The live invites that a member made, or by which it was let in: by the same link it could come back as somebody else.
    /// One that has expired by this clock may not have by who answers.
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

    /// Who waits for owner or an admin of a group to let them in.
    func openRequests(in group: GroupID) -> [GroupState.Request] { groups[group]?.state.requests ?? [] }

    /// Whether somebody on this node has turned an account down that asks under this invite, with whatever device. It can still
    /// be let in; a new invite makes a new request.
    func isDenied(_ claim: JoinClaim, in group: GroupID) -> Bool {
        settings[Self.denialSetting(claim, in: group)] != nil
    }

    /// The name of the setting that keeps a refusal: all names cut short, so that it fits.
    private static func denialSetting(_ claim: JoinClaim, in group: GroupID) -> String {
        let names = [group.bytes, claim.certificate.user.bytes, claim.invite.bytes]
        return (["denied"] + names.map { $0.array.prefix(8).hexadecimal }).joined(separator: "-")
    }

    mutating func admit(_ request: OperationID, to group: GroupID, id: CommandID) {
        guard let open = openRequests(in: group).first(where: { $0.id == request }) else {
            return complete(id, .failed(groups[group] == nil ? .unknownGroup : .unknownRequest))
        }
        let setting = Self.denialSetting(open.claim, in: group)
        settings[setting] = nil
        author(.admit(open.claim), in: group, settings: [setting: []], id: id)
    }

    mutating func deny(_ request: OperationID, in group: GroupID, id: CommandID) {
        guard let state = groups[group]?.state else { return complete(id, .failed(.unknownGroup)) }
        guard let open = state.requests.first(where: { $0.id == request }) else {
            return complete(id, .failed(.unknownRequest))
        }
        guard let role = state.role(of: identity.user), role != .member, isCurrentMember(of: group) else {
            return complete(id, .failed(.notAllowed(.refused(.needsAdmin))))
        }
        let setting = Self.denialSetting(open.claim, in: group)
        settings[setting] = [1]
        var change = DurableChange()
        change.settings[setting] = [1]
        persist(change, then: [.publish(.ledgerChanged(group)), .complete(id, .done)])
    }
}
