import StreakWire

/// Pass 4: members, and whatever else is judged at an operation's parents.
extension Resolver {
    func resolveMembers() {
        give(nodes[0].user, by: nodes[0])
        titles.append(nodes[0])
        settings.append(nodes[0])
        for tenure in tenures.dropFirst() { give(tenure.user, by: tenure.start) }
        // Sorted for form's sake: each account's list is its own.
        for user in namings.keys.sorted() {
            for naming in namings[user] ?? [] { give(user, by: naming) }
        }
        collectStrongInviteRevocations()
        for node in nodes.dropFirst() where refusals[node.index] == nil {
            refusals[node.index] = judge(node)
        }
    }

    /// Revocations by owner and admins reach admissions made concurrently, so they have to be known before.
    private func collectStrongInviteRevocations() {
        for node in nodes where refusals[node.index] == nil {
            guard case .revokeInvite(let invite) = node.body, ranks[node.index] >= Self.adminRank else { continue }
            inviteEnds[invite, default: InviteEnds()].strong.insert(node)
        }
    }

    /// Gives an account a place. The removals are all known by now.
    private func give(_ user: UserID, by grant: LedgerNode) {
        if grants[user] == nil, removals[user] == nil { steadyGrants.insert(grant) }
        grants[user, default: NodeSet()].insert(grant)
    }

    private func judge(_ node: LedgerNode) -> Refusal? {
        // Pass 3 has judged these.
        if node.body.kind == .leave || node.body.kind == .remove { return nil }
        if let refusal = membershipRefusal(of: node) { return refusal }
        let rank = ranks[node.index]
        switch node.body {
        case .invite:
            guard mayInvite(node) else { return .invitingNotAllowed }
            invites[node.id] = node
        case .revokeInvite(let id):
            guard rank < Self.adminRank else { return nil }
            guard let invite = invites[id] else { return .unknownInvite }
            guard invite.user == node.user else { return .notOwnInvite }
            inviteEnds[id, default: InviteEnds()].own.insert(node)
        case .request(let claim):
            if let refusal = refusal(of: claim, in: node) { return refusal }
            requests.append(node)
        case .admit(let claim):
            if let refusal = refusal(of: claim, in: node) { return refusal }
            admissions[claim.invite, default: NodeSet()].insert(node)
            give(claim.certificate.user, by: node)
        case .setRole(let change):
            guard rank == Self.ownerRank else { return .needsOwner }
            guard change.user != node.user || change.change == .noHeir else { return .targetIsAuthor }
            guard isKnown(change.user, at: node) else { return .targetNotMember }
        case .transfer:
            guard endingTransfers.contains(node.index) else { return .transferDoesNotStand }
        case .rename:
            guard rank >= Self.adminRank else { return .needsAdmin }
            titles.append(node)
        case .settings:
            guard rank >= Self.adminRank else { return .needsAdmin }
            settings.append(node)
        case .found, .addDevice, .revokeDevice, .leave, .remove:
            break
        }
        return nil
    }

    /// Why an operation is no member's.
    private func membershipRefusal(of node: LedgerNode) -> Refusal? {
        guard ranks[node.index] < Self.adminRank else { return nil }
        guard let grants = grants[node.user] else { return .authorNotMember }
        // What later places of a lane come after is more, so departures end fewer of them. Of cuts a longer one may be among
        // those that a later place comes after.
        let hasCuts = !(removals[node.user]?.strong.isEmpty ?? true)
        let known = hasCuts ? grants.members.filter { $0.isAncestor(of: node) } : grants.latest(before: node)
        for grant in known where removal(of: node, from: grant) == nil { return nil }
        guard let last = known.max(by: LedgerNode.inOrder), let removal = removal(of: node, from: last) else {
            return .authorNotMember
        }
        return .authorRemoved(by: removal.id)
    }

    /// Which of the removals that end a member's place makes its operation void.
    ///
    /// A departure voids what comes after it and nothing else: by the cut of its own departure a member could undo the
    /// admissions it once made, and a member's operation never undoes another account's.
    private func removal(of node: LedgerNode, from grant: LedgerNode) -> LedgerNode? {
        guard let removals = removals[node.user] else { return nil }
        if let cutting = effective(removals.openStrong(after: grant), for: node.device) {
            return isWithin(node, cutting.node) ? nil : cutting.node
        }
        return removals.departures.earliest(before: node, andNotBefore: grant)
    }

    private func mayInvite(_ node: LedgerNode) -> Bool {
        let known = settings.filter { $0.isAncestor(of: node) }
        switch winner(known)?.groupSettings?.whoMayInvite ?? .everyone {
        case .everyone: return true
        case .admins: return ranks[node.index] >= Self.adminRank
        case .owner: return ranks[node.index] == Self.ownerRank
        }
    }

    /// The last word: of several concurrent ones the higher rank's, then the smaller hash.
    func winner(_ candidates: [LedgerNode]) -> LedgerNode? {
        var frontier: [LedgerNode] = []
        for candidate in candidates {
            frontier.removeAll { $0.isAncestor(of: candidate) }
            frontier.append(candidate)
        }
        // The founding has everybody after it, so its own rank never matters.
        return frontier.min { (-ranks[$0.index], $0.id) < (-ranks[$1.index], $1.id) }
    }

    // MARK: Admissions

    private func refusal(of claim: JoinClaim, in node: LedgerNode) -> Refusal? {
        guard let invite = invites[claim.invite], case .invite(let terms) = invite.body else { return .unknownInvite }
        let isAdmission = node.body.kind == .admit
        if isAdmission, terms.needsApproval, ranks[node.index] < Self.adminRank { return .needsApproval }
        if let revocation = revocation(of: invite, for: node) { return .inviteRevoked(by: revocation.id) }
        if isAdmission, terms.maximumUses > 0 {
            let used = admissions[invite.id]?.count(before: node) ?? 0
            guard used < Int(terms.maximumUses) else { return .inviteUsedUp(maximumUses: terms.maximumUses) }
        }
        let newcomer = claim.certificate.user
        if let removal = removal(of: newcomer, voiding: node, under: invite) {
            return .newcomerRemoved(by: removal.id)
        }
        if let departure = spentClaims.departure(spending: claim, before: node) {
            return .claimSpent(by: departure.id)
        }
        if let revoked = revocation(ofNewcomer: claim.certificate, in: node) {
            return .certificateRevoked(by: revoked.id)
        }
        if isAdmission, grants.count >= ProtocolLimits.maximumMembers,
            !(grants[newcomer]?.hasMember(before: node) ?? false), isFull(at: node)
        {
            return .tooManyMembers
        }
        return nil
    }

    private func revocation(of invite: LedgerNode, for node: LedgerNode) -> LedgerNode? {
        guard let ends = inviteEnds[invite.id] else { return nil }
        let found = [ends.strong.earliest(notAfter: node), ends.own.earliest(before: node)]
        return found.compactMap(\.self).min(by: LedgerNode.inOrder)
    }

    /// A removal that the invite does not come after, and that was not made knowing of the admission.
    ///
    /// A departure voids no admission: it merely ends the place that one gave. Otherwise whoever forks its chain to leave
    /// before it came back would undo what others got from it meanwhile.
    private func removal(of user: UserID, voiding node: LedgerNode, under invite: LedgerNode) -> LedgerNode? {
        let voiding = removals[user]?.strong.map(\.node).filter {
            !$0.isAncestor(of: invite) && !node.isAncestor(of: $0)
        }
        return voiding?.min { $0.id < $1.id }
    }

    /// A link of a certificate after a device; none after the certificate's own.
    struct UnkeptLink: Hashable {
        let device: DeviceOfUser
        let link: Bytes32?
    }

    /// A revocation of the newcomer's device, or of one its certificate leads through by a link it does not keep, that does not
    /// come after the admission. Any such: a further one, made later, brings no admission back.
    private func revocation(ofNewcomer certificate: DeviceCertificate, in node: LedgerNode) -> LedgerNode? {
        var found: [LedgerNode] = []
        for device in [certificate.device] + certificate.issuers {
            let key = DeviceOfUser(device: device, user: certificate.user)
            guard revocations[key] != nil else { continue }
            let unkept = revocations(notKeeping: UnkeptLink(device: key, link: certificate.linkName(after: device)))
            guard removals[certificate.user]?.strong.isEmpty ?? true else {
                found += unkept.members.filter {
                    !node.isAncestor(of: $0) && !isSettled($0, for: node, of: certificate.user)
                }
                continue
            }
            if let first = unkept.earliest(notAfter: node) { found.append(first) }
        }
        return found.min(by: LedgerNode.inOrder)
    }

    private func revocations(notKeeping link: UnkeptLink) -> NodeSet {
        if let known = unkeptRevocations[link] { return known }
        let found = NodeSet((revocations[link.device]?.nodes ?? []).filter { !$0.keeps(link.link) })
        unkeptRevocations[link] = found
        return found
    }

    /// Whether a removal has ended the place that an admission gave before a revocation was known.
    private func isSettled(_ revocation: LedgerNode, for admission: LedgerNode, of user: UserID) -> Bool {
        removals[user]?.strong.contains { settles(revocation, $0) && admission.isAncestor(of: $0.node) } ?? false
    }

    /// Whether the group has as many members as it may have, by what is before an operation.
    private func isFull(at node: LedgerNode) -> Bool {
        // A flood of admissions shall not cost a look at everybody each.
        if steadyGrants.count(before: node) >= ProtocolLimits.maximumMembers { return true }
        let count = grants.keys.count { user in
            let known = grants[user]?.latest(before: node) ?? []
            guard let removals = removals[user] else { return !known.isEmpty }
            return known.contains { grant in
                removals.departures.earliest(before: node, andNotBefore: grant) == nil
                    && !removals.openStrong(after: grant).contains { $0.node.isAncestor(of: node) }
            }
        }
        return count >= ProtocolLimits.maximumMembers
    }
}

extension LedgerNode {
    /// Whether this revocation leaves a link of a certificate good.
    fileprivate func keeps(_ link: Bytes32?) -> Bool {
        guard let link, case .revokeDevice(let revocation) = body else { return false }
        return revocation.keptLinks.contains(link)
    }

    var groupSettings: GroupSettings? {
        switch body {
        case .found(let founding): founding.settings
        case .settings(let settings): settings
        case .invite, .revokeInvite, .request, .admit, .addDevice, .revokeDevice, .setRole, .transfer, .remove, .leave,
            .rename:
            nil
        }
    }

    var title: String? {
        switch body {
        case .found(let founding): founding.title
        case .rename(let title): title
        case .invite, .revokeInvite, .request, .admit, .addDevice, .revokeDevice, .setRole, .transfer, .remove, .leave,
            .settings:
            nil
        }
    }
}
