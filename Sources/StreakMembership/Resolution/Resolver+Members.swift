import StreakWire

/// Pass 4: members, and everything else judged at an operation's parents.
extension Resolver {
    func resolveMembers() {
        give(nodes[0].user, by: nodes[0])
        titles.append(nodes[0])
        settings.append(nodes[0])
        for tenure in tenures.dropFirst() { give(tenure.user, by: tenure.start) }
        // The order does not matter: each account has its own list.
        for user in namings.keys.sorted() {
            for naming in namings[user] ?? [] { give(user, by: naming) }
        }
        collectStrongInviteRevocations()
        for node in nodes.dropFirst() where refusals[node.index] == nil {
            refusals[node.index] = judge(node)
        }
    }

    /// Invite revocations by the owner and admins affect concurrent admissions, so they are collected first.
    private func collectStrongInviteRevocations() {
        for node in nodes where refusals[node.index] == nil {
            guard case .revokeInvite(let invite) = node.body, ranks[node.index] >= Self.adminRank else { continue }
            inviteEnds[invite, default: InviteEnds()].strong.insert(node)
        }
    }

    /// Records that an operation gives an account a place. All removals are known by now.
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

    /// Why the author of an operation does not count as a member.
    private func membershipRefusal(of node: LedgerNode) -> Refusal? {
        guard ranks[node.index] < Self.adminRank else { return nil }
        guard let grants = grants[node.user] else { return .authorNotMember }
        // A later place in a lane has more ancestors, so fewer departures end it. With cuts that is not so: a later
        // place may come after a longer cut.
        let hasCuts = !(removals[node.user]?.strong.isEmpty ?? true)
        let known = hasCuts ? grants.members.filter { $0.isAncestor(of: node) } : grants.latest(before: node)
        for grant in known where removal(of: node, from: grant) == nil { return nil }
        guard let last = known.max(by: LedgerNode.inOrder), let removal = removal(of: node, from: last) else {
            return .authorNotMember
        }
        return .authorRemoved(by: removal.id)
    }

    /// The removal that makes a member's operation void.
    ///
    /// A departure voids only operations after it. If its cut applied, a member could undo admissions it once made, and
    /// a member's operation never undoes another account's.
    private func removal(of node: LedgerNode, from grant: LedgerNode) -> LedgerNode? {
        guard let removals = removals[node.user] else { return nil }
        if let kept = kept(by: removals, after: grant, for: node) {
            return isKept(node, by: kept) ? nil : kept.holding
        }
        return removals.departures.earliest(before: node, andNotBefore: grant)
    }

    /// What removals keep of a device's chain; nil if only departures end the place. All removals are known by now.
    private func kept(by removals: Removals, after grant: LedgerNode, for node: LedgerNode) -> Kept? {
        if let known = placeCuts[grant.index]?[node.device] { return known }
        let open = removals.openStrong(after: grant)
        let found = effective(open, for: node.device).map { holding in
            kept(node.device, by: open, holding: holding, returns: returns(of: node.user))
        }
        placeCuts[grant.index, default: [:]][node.device] = .some(found)
        return found
    }

    /// What may have given an account its place again. An admission is one whether or not it counts: that may depend on
    /// what is judged here.
    private func returns(of user: UserID) -> NodeSet {
        if let known = returnsByUser[user] { return known }
        let admissions = nodes.filter { node in
            guard case .admit(let claim) = node.body else { return false }
            return claim.certificate.user == user
        }
        let found = NodeSet(admissions + (namings[user] ?? []) + (tenuresByUser[user] ?? []).map(\.start))
        returnsByUser[user] = found
        return found
    }

    private func mayInvite(_ node: LedgerNode) -> Bool {
        let known = settings.filter { $0.isAncestor(of: node) }
        switch winner(known)?.groupSettings?.whoMayInvite ?? .everyone {
        case .everyone: return true
        case .admins: return ranks[node.index] >= Self.adminRank
        case .owner: return ranks[node.index] == Self.ownerRank
        }
    }

    /// The winner among last operations: of concurrent ones the higher rank, then the smaller hash.
    func winner(_ candidates: [LedgerNode]) -> LedgerNode? {
        var frontier: [LedgerNode] = []
        for candidate in candidates {
            frontier.removeAll { $0.isAncestor(of: candidate) }
            frontier.append(candidate)
        }
        // Everything follows the founding, so its rank does not matter.
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

    /// A removal that voids an admission: it is not an ancestor of the invite, and its author did not know of the
    /// admission.
    ///
    /// A departure voids no admission; it only ends the place. Otherwise a member could fork its chain, leave at a
    /// point before its return, and undo what others received meanwhile.
    private func removal(of user: UserID, voiding node: LedgerNode, under invite: LedgerNode) -> LedgerNode? {
        let voiding = removals[user]?.strong.map(\.node).filter {
            !$0.isAncestor(of: invite) && !node.isAncestor(of: $0)
        }
        return voiding?.min { $0.id < $1.id }
    }

    /// The link that a device signed in a certificate; nil for the certificate's own device, which signed none.
    struct UnkeptLink: Hashable {
        let device: DeviceOfUser
        let link: Bytes32?
    }

    /// A revocation of the newcomer's device, or of one in its certificate's chain by a link it does not keep, that is
    /// not an ancestor of the admission. Any such revocation suffices, so that a later one cannot restore the
    /// admission.
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

    /// Whether a removal ended the admission's place before the revocation was known.
    private func isSettled(_ revocation: LedgerNode, for admission: LedgerNode, of user: UserID) -> Bool {
        removals[user]?.strong.contains { settles(revocation, $0) && admission.isAncestor(of: $0.node) } ?? false
    }

    /// Whether the group is full, judged by an operation's ancestors.
    private func isFull(at node: LedgerNode) -> Bool {
        // A cheap test first: a flood of admissions must not cost a look at every member each.
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
    /// Whether this revocation keeps a certificate's link.
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
