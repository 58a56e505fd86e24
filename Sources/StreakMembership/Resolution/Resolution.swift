import StreakWire

/// A resolved ledger. A class, because it is handed on often and holds much.
final class Resolution: Sendable {
    let state: GroupState
    /// By index of node; nil if it counts.
    let refusals: [Refusal?]
    /// The number of operations that do not count.
    let refusedCount: Int
    /// The ends of the chains of operations that count, rising.
    let countingTips: [LedgerTip]
    /// By index of node: whether the operation does not count and nothing relevant follows it.
    let isIdle: [Bool]

    init(nodes: [LedgerNode], byID nodesByID: [OperationID: LedgerNode], introductions: IntroductionIndex) {
        let resolver = Resolver(nodes: nodes, byID: nodesByID, introductions: introductions)
        resolver.resolve()
        refusals = resolver.refusals
        refusedCount = refusals.count { $0 != nil }
        state = resolver.state()
        countingTips = resolver.countingTips()
        isIdle = resolver.idle()
    }
}

/// Combines the results of the passes.
extension Resolver {
    func state() -> GroupState {
        let tenure = tenures[tenures.count - 1]
        let heir = heirNamings(during: tenure).min { $0.id < $1.id }?.namedHeir
        let devices = devices()
        let current = Dictionary(grouping: devices.filter(\.isCurrent), by: \.user)
        var members: [GroupState.Member] = []
        var removed: [GroupState.FormerMember] = []
        for user in grants.keys.sorted() {
            if let place = place(of: user) {
                members.append(member(user, by: admission(of: user) ?? place, owner: tenure.user, current[user] ?? []))
            } else if let former = formerMember(user) {
                removed.append(former)
            }
        }
        let isMember = Set(members.map(\.user))
        return GroupState(
            group: GroupID(bytes: nodes[0].id.bytes), title: winner(titles)?.title ?? "", isPair: nodes[0].body.isPair,
            owner: tenure.user, heir: heir, takenFrom: previousOwner(takenOverBy: tenure),
            settings: winner(settings)?.groupSettings ?? GroupSettings(), members: members, removedUsers: removed,
            devices: devices, invites: inviteStates(), requests: requestStates(isMember),
            accessKeyHashes: accessKeyHashes(), erasedUsers: erasedUsers())
    }

    /// The owner whose tenure an heir's transfer to itself ended.
    private func previousOwner(takenOverBy tenure: Tenure) -> UserID? {
        guard tenure.start.user == tenure.user, let previous = tenures.dropLast().last else { return nil }
        return previous.user == tenure.user ? nil : previous.user
    }

    func countingTips() -> [LedgerTip] {
        var covered = [Bool](repeating: false, count: nodes.count)
        var tips: [LedgerTip] = []
        for node in nodes.reversed() where refusals[node.index] == nil {
            if !covered[node.index] { tips.append(node.tip) }
            var step = node.previous
            while let current = step, !covered[current.index] {
                covered[current.index] = true
                step = current.previous
            }
        }
        return tips.sorted()
    }

    /// The idle operations: without them the state would be the same. Protocol/membership.md §8.
    func idle() -> [Bool] {
        var isIdle = [Bool](repeating: false, count: nodes.count)
        guard refusals.contains(where: { $0 != nil }) else { return isIdle }
        isIdle = nodes.map { refusals[$0.index] != nil && !isReadWithoutCounting($0) }
        for node in nodes.reversed() where !isIdle[node.index] {
            for parent in node.signed.operation.parents {
                if let index = nodesByID[parent]?.index { isIdle[index] = false }
            }
        }
        return isIdle
    }

    /// Whether the passes look at an operation although it does not count, because it concerns devices, membership, or
    /// an owner's heirs.
    private func isReadWithoutCounting(_ node: LedgerNode) -> Bool {
        switch node.body {
        case .found, .admit, .addDevice, .revokeDevice, .transfer, .remove, .leave: true
        case .invite, .revokeInvite, .request, .setRole, .rename, .settings: tenuresByUser[node.user] != nil
        }
    }

    // MARK: Members

    /// The latest operation that a current membership depends on; nil for a non-member.
    private func place(of user: UserID) -> LedgerNode? {
        let standing = grants[user]?.ends.filter { removals[user]?.areBefore($0) ?? true }
        return standing?.max(by: LedgerNode.inOrder)
    }

    /// The latest operation that gave an account a place, without admissions that did not know of a departure.
    private func latestGrant(of user: UserID) -> LedgerNode? {
        let departures = removals[user]?.departures ?? NodeSet()
        return grants[user]?.members.filter { !departures.hasMember(concurrentWith: $0) }.max(by: LedgerNode.inOrder)
    }

    /// The removals that keep an account out; empty for a member.
    private func standingRemovals(of user: UserID) -> [Cutting] {
        guard let removals = removals[user] else { return [] }
        guard let grant = place(of: user) ?? latestGrant(of: user) else { return removals.all }
        return removals.open(after: grant)
    }

    /// The founding or the latest admission that a current membership depends on. A promotion or transfer is used only
    /// if no admission counts.
    private func admission(of user: UserID) -> LedgerNode? {
        let standing = grants[user]?.members.filter { grant in
            [.found, .admit].contains(grant.body.kind) && removals[user]?.areBefore(grant) ?? true
        }
        return standing?.max(by: LedgerNode.inOrder)
    }

    private func member(
        _ user: UserID, by place: LedgerNode, owner: UserID, _ devices: [GroupState.Device]
    ) -> GroupState.Member {
        let isAdmin = (namings[user] ?? []).contains { naming in
            powerCuttings[user]?.areBefore(naming) ?? true
        }
        var invite: OperationID?
        if case .admit(let claim) = place.body { invite = claim.invite }
        return GroupState.Member(
            user: user, role: user == owner ? .owner : isAdmin ? .admin : .member, admittedBy: place.id,
            admittedAt: place.signed.operation.time, admitter: place.user, invite: invite,
            devices: devices.map(\.device))
    }

    private func formerMember(_ user: UserID) -> GroupState.FormerMember? {
        let holding = standingRemovals(of: user).min { (-$0.rank, $0.node.id) < (-$1.rank, $1.node.id) }
        return holding.map {
            GroupState.FormerMember(user: user, removedBy: $0.node.id, hasLeft: $0.node.body.kind == .leave)
        }
    }

    private func erasedUsers() -> [UserID] {
        removals.keys.sorted().filter { user in
            grants[user] != nil && removals[user]?.departures.members.contains { $0.erases } ?? false
        }
    }

    // MARK: Devices

    private func devices() -> [GroupState.Device] {
        var all: [DeviceID: GroupState.Device] = [:]
        for user in grants.keys.sorted() {
            let published = Dictionary(grouping: introductions.byUser[user] ?? [], by: \.certificate.device)
            let open = standingRemovals(of: user)
            // The account key founds the private group, but is not a machine.
            for id in published.keys.sorted() where id != user.asDevice {
                let device = device(of: user, published[id] ?? [], removedBy: open)
                // Only a lying device belongs to two accounts.
                if let device, all[id].map({ !$0.isCurrent && device.isCurrent }) ?? true { all[id] = device }
            }
        }
        return all.keys.sorted().compactMap { all[$0] }
    }

    private func device(
        of user: UserID, _ published: [IntroductionIndex.Introduction], removedBy open: [Cutting]
    ) -> GroupState.Device? {
        let sound = published.filter { revocation(breaking: $0.certificate) == nil }
        let candidates = sound.isEmpty ? published : sound
        guard let latest = candidates.max(by: { LedgerNode.inOrder($0.node, $1.node) }) else { return nil }
        let id = latest.certificate.device
        var standing = GroupState.Standing.current
        var cut: DeviceCut?
        if let removal = effective(open, for: id) {
            standing = .removed(by: removal.node.id)
            cut = open.contains { $0.node.erases } ? nil : removal.node.cut(of: id)
        }
        if let revoked = ownRevocation(of: id, user: user) {
            let own = revoked.cut(of: id)
            cut = standing == .current ? own : cut.flatMap { $0.limited(by: own) }
            standing = .revoked(by: revoked.id)
        } else if sound.isEmpty,
            let breaking = published.compactMap({ revocation(breaking: $0.certificate) }).min(by: { $0.id < $1.id })
        {
            cut = nil
            standing = .revoked(by: breaking.id)
        }
        let all = removals[user]?.all ?? []
        let isOpen = Set(open.map(\.node.index))
        let earlier = all.filter { !isOpen.contains($0.node.index) && $0.node.cut(of: id) != nil }
        let byPrecedence = earlier.sorted { left, right in
            effective([left, right], for: id)?.node === left.node && left.node !== right.node
        }
        let erased = all.filter(\.node.erases).flatMap { $0.node.cut(of: id)?.feeds ?? [] }
        return GroupState.Device(
            device: id, user: user, linkKey: latest.certificate.linkKey, certificate: latest.certificate,
            introducedBy: latest.node.id, standing: standing, cut: cut,
            earlierCuts: byPrecedence.compactMap { $0.node.cut(of: id) },
            erasedEpochs: Set(erased.map(\.epoch)).sorted())
    }

    // MARK: Invites, requests, keys

    private func inviteStates() -> [GroupState.Invite] {
        invites.keys.sorted().compactMap { id in
            guard let node = invites[id], case .invite(let terms) = node.body else { return nil }
            let admitted = admissions[id]?.members ?? []
            return GroupState.Invite(
                id: id, author: node.device, inviter: node.user, terms: terms, used: admitted.count,
                isRevoked: inviteEnds[id] != nil,
                admitted: Set(admitted.compactMap { $0.body.introducedCertificate?.user }).sorted())
        }
    }

    /// The latest request of each account that may still be admitted: it is not a member, has not left since, was not
    /// removed after the invite was made, and the invite is live.
    private func requestStates(_ isMember: Set<UserID>) -> [GroupState.Request] {
        var latest: [UserID: (node: LedgerNode, claim: JoinClaim)] = [:]
        for node in requests {
            guard case .request(let claim) = node.body else { continue }
            let user = claim.certificate.user
            guard !isMember.contains(user), inviteEnds[claim.invite] == nil,
                !spentClaims.hasLeft(user, since: node), let invite = invites[claim.invite],
                removals[user]?.strong.allSatisfy({ $0.node.isAncestor(of: invite) }) ?? true
            else { continue }
            if latest[user].map({ LedgerNode.inOrder($0.node, node) }) ?? true { latest[user] = (node, claim) }
        }
        return latest.values.map { GroupState.Request(id: $0.node.id, claim: $0.claim, responder: $0.node.user) }
            .sorted { $0.id < $1.id }
    }

    private func accessKeyHashes() -> [Bytes32] {
        let named = nodes.filter { refusals[$0.index] == nil && $0.accessKeyHash != nil }
        var hashes: [Bytes32] = []
        var seen: Set<Bytes32> = []
        var revoking: [UserID: Int] = [:]
        for node in named.sorted(by: LedgerNode.inOrder) {
            if node.body.kind == .revokeDevice {
                guard revoking[node.user, default: 0] < ProtocolLimits.maximumKeysOfRevocations else { continue }
                revoking[node.user, default: 0] += 1
            }
            if let hash = node.accessKeyHash, seen.insert(hash).inserted { hashes.append(hash) }
        }
        return hashes
    }
}

extension LedgerNode {
    fileprivate var erases: Bool {
        guard case .leave(let departure) = body else { return false }
        return departure.erases
    }

    fileprivate func cut(of device: DeviceID) -> DeviceCut? { body.cuts.first { $0.device == device } }

    fileprivate var accessKeyHash: Bytes32? {
        switch body {
        case .found(let founding): founding.accessKeyHash
        case .remove(let removal): removal.accessKeyHash
        case .revokeDevice(let revocation): revocation.accessKeyHash
        case .invite, .revokeInvite, .request, .admit, .addDevice, .setRole, .transfer, .leave, .rename, .settings: nil
        }
    }
}

extension DeviceCut {
    /// What both cuts keep.
    fileprivate func limited(by other: DeviceCut?) -> DeviceCut? {
        guard let other else { return nil }
        let both = feeds.compactMap { feed in
            other.feeds.first { $0.epoch == feed.epoch }.map { $0.number < feed.number ? $0 : feed }
        }
        return DeviceCut(device: device, lastOperation: lastOperation, feeds: both)
    }
}

extension OperationBody {
    fileprivate var isPair: Bool {
        guard case .found(let founding) = self else { return false }
        return founding.isPair
    }
}
