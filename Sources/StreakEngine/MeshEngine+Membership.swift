import StreakCrypto
import StreakLinks
public import StreakMembership
import StreakReplication
public import StreakWire

/// Who is in, who may what, and under which access keys: the commands that make ledger operations.
extension MeshEngine {
    mutating func setRole(_ change: RoleChange.Change, of user: UserID, in group: GroupID, id: CommandID) {
        // A demotion cuts what the devices may do as an admin; their records are nobody's business.
        let cuts = change == .member ? groups[group]?.ledger.cuts(of: user) { _ in [] } : []
        author(.setRole(RoleChange(user: user, change: change, cuts: cuts ?? [])), in: group, id: id)
    }

    mutating func transfer(_ group: GroupID, to heir: UserID, id: CommandID) {
        let owner = groups[group]?.state.owner
        let cuts = owner.flatMap { groups[group]?.ledger.cuts(of: $0) { _ in [] } }
        author(.transfer(Transfer(newOwner: heir, cuts: cuts ?? [])), in: group, id: id)
    }

    // MARK: Removing

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
    public func invitesEnding(with user: UserID, in group: GroupID) -> [GroupState.Invite] {
        (groups[group]?.state.invites ?? []).filter { invite in
            (invite.inviter == user || invite.admitted.contains(user)) && invite.isLive(at: wall.seconds - 86_400)
        }
    }

    /// Demotes the author of a removal with a cut before it.
    mutating func annul(_ removal: OperationID, in group: GroupID, id: CommandID) {
        guard let replica = groups[group] else { return complete(id, .failed(.unknownGroup)) }
        guard let operation = replica.ledger.operation(removal)?.operation, case .remove = operation.body,
            let user = replica.ledger.user(of: operation.author)
        else { return complete(id, .failed(.notAllowed(.refused(.targetNotMember)))) }
        let cuts = replica.ledger.cuts(of: user) { _ in [] }.map { cut in
            guard cut.device == operation.author else { return cut }
            return DeviceCut(device: cut.device, lastOperation: operation.previous, feeds: [])
        }
        author(.setRole(RoleChange(user: user, change: .member, cuts: cuts)), in: group, id: id)
    }

    // MARK: Devices

    /// Notes the operation that publishes a device of this account in a group, if one is needed.
    mutating func publishDevice(
        _ certificate: DeviceCertificate, in group: GroupID, change: inout DurableChange
    ) throws(LedgerError) -> [SignedOperation] {
        guard let replica = groups[group], replica.state.device(certificate.device) == nil else { return [] }
        let operation = try replica.ledger.draft(.addDevice(certificate), by: identity, at: wall.seconds)
        return try insert(operation, in: group, change: &change)
    }

    mutating func addDevice(_ certificate: DeviceCertificate, id: CommandID) {
        guard certificate.user == identity.user, certificate.isValid() else {
            return complete(id, .failed(.notAllowed(.invalidCertificate)))
        }
        changeEverywhere(id) { engine, group, change throws(LedgerError) in
            guard engine.groups[group]?.state.isMember(certificate.user) ?? false else { return [] }
            return try engine.publishDevice(certificate, in: group, change: &change)
        }
    }

    /// Makes operations in every group in one transaction: all of them, or none where one of them would not count.
    mutating func changeEverywhere(
        _ id: CommandID,
        _ make: (inout MeshEngine, GroupID, inout DurableChange) throws(LedgerError) -> [SignedOperation]
    ) {
        let before = self
        var change = DurableChange()
        var work: [Deferred] = []
        for group in groups.keys {
            do {
                let added = try make(&self, group, &change)
                guard !added.isEmpty else { continue }
                work += consequences(for: group, change: &change)
                work.append(.passOnOperations(group, added, except: nil))
            } catch {
                self = before
                return complete(id, .failed(.notAllowed(error)))
            }
        }
        refreshKeys()
        persist(change, then: [.complete(id, .done)] + work)
    }

    // MARK: Requests

    /// Who waits for owner or an admin of a group to let them in.
    public func openRequests(in group: GroupID) -> [GroupState.Request] { groups[group]?.state.requests ?? [] }

    /// Whether somebody on this node has turned an account down that asks under this invite, with whatever device. It can still
    /// be let in; a new invite makes a new request.
    public func isDenied(_ claim: JoinClaim, in group: GroupID) -> Bool {
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
