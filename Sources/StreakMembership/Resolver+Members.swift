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
            guard case .revokeInvite(let invite) = node.body else { continue }
            guard
                ranks[node.index] >= Self.adminRank
                    || rules.memberRevocationsReachConcurrentAdmissions && node.user == nodesByID[invite]?.user
            else { continue }
            inviteRevocations[invite, default: []].append(node)
        }
    }

    /// Gives an account a place. The removals are all known by now.
    private func give(_ user: UserID, by grant: LedgerNode) {
        grants[user, default: []].append(grant)
        var (low, high) = (0, places[user]?.count ?? 0)
        while low < high {
            let middle = (low + high) / 2
            if let other = places[user]?[middle].grant, LedgerNode.inOrder(other, grant) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        places[user, default: []].insert(Place(grant: grant, open: openRemovals(of: user, after: grant)), at: low)
    }

    private func judge(_ node: LedgerNode) -> Refusal? {
        switch node.body {
        case .leave, .remove:
            // Pass 3 has judged it.
            return nil
        default:
            if let refusal = membershipRefusal(of: node) { return refusal }
        }
        let rank = ranks[node.index]
        switch node.body {
        case .invite:
            guard mayInvite(node) else { return .invitingNotAllowed }
            invites[node.id] = node
        case .revokeInvite(let id):
            guard rank < Self.adminRank else { return nil }
            guard let invite = invites[id] else { return .unknownInvite }
            guard invite.user == node.user else { return .notOwnInvite }
            inviteRevocations[id, default: []].append(node)
        case .request(let claim):
            if let refusal = refusal(of: claim, in: node) { return refusal }
            requests.append(node)
        case .admit(let claim):
            if let refusal = refusal(of: claim, in: node) { return refusal }
            admissions[claim.invite, default: []].append(node)
            give(claim.certificate.user, by: node)
        case .setRole(let change):
            guard rank == Self.ownerRank else { return .needsOwner }
            guard change.user != node.user || change.change == .noHeir else { return .targetIsAuthor }
            guard isKnown(change.user, at: node) else { return .targetNotMember }
        case .transfer:
            guard tenures.contains(where: { $0.end === node }) else { return .transferDoesNotStand }
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
        var refusal = Refusal.authorNotMember
        for place in places[node.user] ?? [] where place.grant.isAncestor(of: node) {
            guard let removal = removal(of: node, from: place.open) else { return nil }
            refusal = .authorRemoved(by: removal.id)
        }
        return refusal
    }

    /// Which of the removals that end a member's place makes its operation void.
    ///
    /// A departure voids what comes after it and nothing else: by the cut of its own departure a member could undo the
    /// admissions it once made, and a member's operation never undoes another account's.
    private func removal(of node: LedgerNode, from open: [Cutting]) -> LedgerNode? {
        if let cutting = effective(open, for: node.device), cutting.rank > Self.ownRank {
            return isWithin(node, cutting.node) ? nil : cutting.node
        }
        return open.map(\.node).filter { $0.isAncestor(of: node) }.min { $0.id < $1.id }
    }

    /// The counted removals of an account that a place does not come after: they end it.
    func openRemovals(of user: UserID, after grant: LedgerNode) -> [Cutting] {
        (removals[user] ?? []).filter { !$0.node.isAncestor(of: grant) }
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
            let used = (admissions[invite.id] ?? []).count { rules.countsUsesByArrival || $0.isAncestor(of: node) }
            guard used < Int(terms.maximumUses) else { return .inviteUsedUp(maximumUses: terms.maximumUses) }
        }
        let newcomer = claim.certificate.user
        if let removal = removal(of: newcomer, voiding: node, under: invite) {
            return .newcomerRemoved(by: removal.id)
        }
        if let revoked = revocation(ofNewcomer: claim.certificate, in: node) {
            return .certificateRevoked(by: revoked.id)
        }
        if isAdmission, grants.count >= ProtocolLimits.maximumMembers,
            !(grants[newcomer] ?? []).contains(where: { $0.isAncestor(of: node) })
        {
            guard memberCount(at: node) < ProtocolLimits.maximumMembers else { return .tooManyMembers }
        }
        return nil
    }

    private func revocation(of invite: LedgerNode, for node: LedgerNode) -> LedgerNode? {
        let revocations = (inviteRevocations[invite.id] ?? []).filter { revocation in
            let isStrong =
                ranks[revocation.index] >= Self.adminRank || rules.memberRevocationsReachConcurrentAdmissions
            return isStrong ? !node.isAncestor(of: revocation) : revocation.isAncestor(of: node)
        }
        return revocations.min { $0.id < $1.id }
    }

    /// A removal that the invite does not come after, and that was not made knowing of the admission.
    ///
    /// A departure voids no admission: it merely ends the place that one gave. Otherwise whoever forks its chain to leave
    /// before it came back would undo what others got from it meanwhile.
    private func removal(of user: UserID, voiding node: LedgerNode, under invite: LedgerNode) -> LedgerNode? {
        let voiding = (removals[user] ?? []).map(\.node).filter { removal in
            removal.body.kind == .remove && !removal.isAncestor(of: invite) && !node.isAncestor(of: removal)
        }
        return voiding.min { $0.id < $1.id }
    }

    /// A revocation of the newcomer's device, or of one its certificate leads through, that does not come after the
    /// admission. Any such: a further one, made later, brings no admission back.
    private func revocation(ofNewcomer certificate: DeviceCertificate, in node: LedgerNode) -> LedgerNode? {
        let devices = [certificate.device] + certificate.issuers
        let breaking = devices.flatMap { revocations[$0] ?? [] }.filter { revocation in
            revocation.user == certificate.user && !node.isAncestor(of: revocation)
                && !isSettled(revocation, for: node, of: certificate.user)
        }
        return breaking.min { $0.id < $1.id }
    }

    /// Whether a removal has ended the place that an admission gave before a revocation was known.
    private func isSettled(_ revocation: LedgerNode, for admission: LedgerNode, of user: UserID) -> Bool {
        (removals[user] ?? []).contains { settles(revocation, $0) && admission.isAncestor(of: $0.node) }
    }

    private func memberCount(at node: LedgerNode) -> Int {
        grants.keys.count { user in
            (grants[user] ?? []).contains { grant in
                grant.isAncestor(of: node)
                    && !openRemovals(of: user, after: grant).contains { $0.node.isAncestor(of: node) }
            }
        }
    }
}

extension LedgerNode {
    var groupSettings: GroupSettings? {
        switch body {
        case .found(let founding): founding.settings
        case .settings(let settings): settings
        default: nil
        }
    }

    var title: String? {
        switch body {
        case .found(let founding): founding.title
        case .rename(let title): title
        default: nil
        }
    }
}
