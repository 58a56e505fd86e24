import StreakWire

/// Computes the state that follows from a set of operations, in passes that depend only on earlier ones.
/// Protocol/membership.md §7.
///
/// Nothing may depend on the order of `nodes`, except that ancestors come first. It is a class so that closures need
/// not copy it, and lives for one resolution.
final class Resolver {
    /// An operation that ends the rights of an account's devices: a removal, a departure, a demotion, a transfer.
    struct Cutting {
        let node: LedgerNode
        /// The owner ranks above an admin, an admin above the account itself.
        let rank: Int
    }

    /// The time during which one account is owner.
    struct Tenure {
        let user: UserID
        /// The founding or the transfer that began it.
        let start: LedgerNode
        /// The transfer that ended it.
        var end: LedgerNode?
    }

    /// The counted removals of an account.
    struct Removals {
        /// Those by owner and admins.
        private(set) var strong: [Cutting] = []
        /// The account's own departures.
        private(set) var departures = NodeSet()

        mutating func add(_ cutting: Cutting) {
            if cutting.rank > ownRank { strong.append(cutting) } else { departures.insert(cutting.node) }
        }

        var all: [Cutting] { strong + departures.members.map { Cutting(node: $0, rank: ownRank) } }

        /// Removals that a place does not follow, and which therefore end it.
        func open(after grant: LedgerNode) -> [Cutting] {
            openStrong(after: grant)
                + departures.members(notBefore: grant).map { Cutting(node: $0, rank: ownRank) }
        }

        func openStrong(after grant: LedgerNode) -> [Cutting] {
            strong.filter { !$0.node.isAncestor(of: grant) }
        }

        /// Whether a place follows all of them.
        func areBefore(_ grant: LedgerNode) -> Bool {
            departures.isBefore(grant) && strong.allSatisfy { $0.node.isAncestor(of: grant) }
        }
    }

    /// The revocations of one invite.
    struct InviteEnds {
        /// By the owner and admins; they also affect operations that do not know of them.
        var strong = NodeSet()
        /// By the inviter.
        var own = NodeSet()
    }

    static let ownRank = 0
    static let adminRank = 1
    static let ownerRank = 2

    let nodes: [LedgerNode]
    let nodesByID: [OperationID: LedgerNode]
    let introductions: IntroductionIndex

    // Pass 0.
    var revocations: [DeviceOfUser: Revoked] = [:]
    /// By index of node: the revocation that makes it void.
    var revokedBy: [LedgerNode?] = []
    // Pass 1.
    var tenures: [Tenure] = []
    var tenuresByUser: [UserID: [Tenure]] = [:]
    /// Indices of the transfers that ended a tenure.
    var endingTransfers: Set<Int> = []
    /// An account's statements about heirs, and operations that end them.
    var heirStatements: [UserID: [LedgerNode]] = [:]
    // Pass 2.
    var namings: [UserID: [LedgerNode]] = [:]
    var powerCuttings: [UserID: Removals] = [:]
    private var namingSets: [UserID: NodeSet] = [:]
    private var powerLimits: [PowerLimit.Key: PowerLimit] = [:]
    // Pass 3.
    var removals: [UserID: Removals] = [:]
    // Pass 4.
    var spentClaims: SpentClaims
    /// Operations that give an account a place.
    var grants: [UserID: NodeSet] = [:]
    /// What may have given an account its place again, counted or not.
    var returnsByUser: [UserID: NodeSet] = [:]
    /// By index of the place: what removals keep of a device's chain; nil if only departures end the place.
    var placeCuts: [Int: [DeviceID: Kept?]] = [:]
    /// The first of each account that was never removed. At least this many are members.
    var steadyGrants = NodeSet()
    /// By invite.
    var admissions: [OperationID: NodeSet] = [:]
    var invites: [OperationID: LedgerNode] = [:]
    var inviteEnds: [OperationID: InviteEnds] = [:]
    var unkeptRevocations: [UnkeptLink: NodeSet] = [:]
    var requests: [LedgerNode] = []
    var titles: [LedgerNode] = []
    var settings: [LedgerNode] = []
    /// By index of node: the rank at which it counts.
    var ranks: [Int]
    /// By index of node; nil if it counts.
    var refusals: [Refusal?]

    init(nodes: [LedgerNode], byID nodesByID: [OperationID: LedgerNode], introductions: IntroductionIndex) {
        self.nodes = nodes
        self.nodesByID = nodesByID
        self.introductions = introductions
        spentClaims = SpentClaims(nodes)
        refusals = Array(repeating: nil, count: nodes.count)
        ranks = Array(repeating: Self.ownRank, count: nodes.count)
    }

    func resolve() {
        collectRevocations()
        resolveOwners()
        resolveAdmins()
        resolveRemovals()
        resolveMembers()
    }

    // MARK: Cuts

    /// Whether an operation of a device is within the cut that `cutting` makes of that device. The cutting operation
    /// itself is.
    func isWithin(_ node: LedgerNode, _ cutting: LedgerNode) -> Bool {
        if node === cutting { return true }
        guard let last = lastOperation(of: node.device, in: cutting) else { return false }
        return node.isInChain(to: last)
    }

    /// The last operation of a device that a cut keeps. For the author's own device it is the one before the cutting
    /// operation.
    func lastOperation(of device: DeviceID, in cutting: LedgerNode) -> LedgerNode? {
        guard let cut = cutting.body.cuts.first(where: { $0.device == device }), cut.lastOperation != .none else {
            return nil
        }
        return nodesByID[cut.lastOperation]
    }

    private func cutNumber(of device: DeviceID, in cutting: LedgerNode) -> UInt64 {
        lastOperation(of: device, in: cutting)?.number ?? 0
    }

    /// The cut in force, of several cuts of one device: higher rank, then longer chain, then one signed for this group,
    /// then smaller hash.
    func effective(_ cuttings: [Cutting], for device: DeviceID) -> Cutting? {
        guard cuttings.count > 1 else { return cuttings.first }
        return cuttings.max { left, right in
            (left.rank, cutNumber(of: device, in: left.node), left.node.isOfThisGroup ? 1 : 0, right.node.id)
                < (right.rank, cutNumber(of: device, in: right.node), right.node.isOfThisGroup ? 1 : 0, left.node.id)
        }
    }

    /// What cutting operations keep of a device's chain (Protocol/membership.md §7).
    struct Kept {
        /// The one that holds.
        let holding: LedgerNode
        /// The owner's and admins' that count beside it: those that its author knew, if they are of its rank, and those
        /// after which the account came back before it. What they voided stays void, though the one that holds keeps
        /// more of the chain.
        let others: [LedgerNode]
        /// The last operation of the chain that all of these keep; nil for none.
        let last: LedgerNode?
    }

    /// O(cuts · lanes of the returns), and only if there are several cuts.
    ///
    /// - Parameter returns: what gives the account its place again.
    func kept(
        _ device: DeviceID, by cuttings: [Cutting], holding: Cutting, returns: @autoclosure () -> NodeSet
    ) -> Kept {
        guard cuttings.count > 1 else { return Kept(holding: holding.node, others: [], last: nil) }
        // Of each lane the last one is after all that an earlier one is after.
        let known = NodeSet(returns().latest(before: holding.node))
        let others = cuttings.filter { cutting in
            cutting.rank > Self.ownRank
                && (known.hasMember(after: cutting.node)
                    || cutting.rank == holding.rank && cutting.node.isAncestor(of: holding.node))
        }.map(\.node)
        return Kept(holding: holding.node, others: others, last: commonPart(of: device, in: others))
    }

    func isKept(_ node: LedgerNode, by kept: Kept) -> Bool {
        guard isWithin(node, kept.holding) else { return false }
        if kept.others.isEmpty { return true }
        // A cutting operation is within itself, and only a transfer cuts its own author.
        if case .transfer = node.body { return kept.others.allSatisfy { isWithin(node, $0) } }
        return kept.last.map { node.isInChain(to: $0) } ?? false
    }

    /// The last operation of a device's chain that all these cuts keep; nil for none.
    private func commonPart(of device: DeviceID, in cuttings: [LedgerNode]) -> LedgerNode? {
        var common: LedgerNode?
        for cutting in cuttings {
            guard let last = lastOperation(of: device, in: cutting) else { return nil }
            // What both chains have in common.
            var step = common ?? last
            while !step.isInChain(to: last) {
                guard let earlier = step.previous else { return nil }
                step = earlier
            }
            common = step
        }
        return common
    }

    // MARK: Pass 2: admins

    private func resolveAdmins() {
        var voidDepartures: [LedgerNode] = []
        for node in nodes {
            guard revocation(of: node) == nil else {
                if case .leave = node.body, mayLeave(node) { voidDepartures.append(node) }
                continue
            }
            switch node.body {
            case .setRole(let change):
                guard change.user != node.user, isOwner(node), isKnown(change.user, at: node) else { continue }
                if change.change == .admin { namings[change.user, default: []].append(node) }
                if change.change == .member { cutPowers(of: change.user, by: node, rank: Self.ownerRank) }
            case .remove(let removal):
                guard removal.user != node.user, isOwner(node) else { continue }
                cutPowers(of: removal.user, by: node, rank: Self.ownerRank)
            case .leave:
                if mayLeave(node) { cutPowers(of: node.user, by: node, rank: Self.ownRank) }
            case .found, .invite, .revokeInvite, .request, .admit, .addDevice, .revokeDevice, .transfer, .rename,
                .settings:
                break
            }
        }
        for tenure in tenures {
            guard let end = tenure.end else { continue }
            cutPowers(of: tenure.user, by: end, rank: Self.ownerRank)
        }
        endPowersOfReturnedMembers(voidDepartures)
    }

    /// Lets void departures end powers if the leaver came back and an admin, not knowing of the revocation, removed it.
    ///
    /// Otherwise a member removed by an admin could void its departure with its account key, and be a protected admin
    /// again. Only admins' statements end anybody's powers, so the removal's author is judged by all other ends.
    private func endPowersOfReturnedMembers(_ departures: [LedgerNode]) {
        guard !departures.isEmpty else { return }
        let leavers = Set(departures.map(\.user))
        var admissions: [UserID: NodeSet] = [:]
        var removes: [UserID: [LedgerNode]] = [:]
        for node in nodes {
            switch node.body {
            case .admit(let claim):
                // A copy of a claim signed before leaving is not a wish to come back.
                guard leavers.contains(claim.certificate.user),
                    spentClaims.departure(spending: claim, before: node) == nil
                else { continue }
                admissions[claim.certificate.user, default: NodeSet()].insert(node)
            case .remove(let removal):
                guard leavers.contains(removal.user), removal.user != node.user, isAdmin(node) else { continue }
                removes[removal.user, default: []].append(node)
            case .found, .invite, .revokeInvite, .request, .addDevice, .revokeDevice, .setRole, .transfer, .leave,
                .rename, .settings:
                break
            }
        }
        // By index of revocation: the last admissions before removals that did not know of it.
        var settled: [Int: NodeSet] = [:]
        for departure in departures {
            guard let revoked = revocation(of: departure), let admitted = admissions[departure.user] else { continue }
            var known = settled[revoked.index] ?? NodeSet()
            if settled[revoked.index] == nil {
                for remove in removes[departure.user] ?? [] where !revoked.isAncestor(of: remove) {
                    for admission in admitted.latest(before: remove) { known.insert(admission) }
                }
                settled[revoked.index] = known
            }
            if known.hasMember(after: departure) { cutPowers(of: departure.user, by: departure, rank: Self.ownRank) }
        }
        // The ends have changed, so cached answers are outdated.
        powerLimits.removeAll()
    }

    private func cutPowers(of user: UserID, by node: LedgerNode, rank: Int) {
        powerCuttings[user, default: Removals()].add(Cutting(node: node, rank: rank))
    }

    /// An owner may not leave. An account made owner concurrently does not count as having left.
    func mayLeave(_ node: LedgerNode) -> Bool {
        !isOwner(node) && !(tenuresByUser[node.user]?.contains { isConcurrent($0.start, node) } ?? false)
    }

    func isConcurrent(_ left: LedgerNode, _ right: LedgerNode) -> Bool {
        left !== right && !left.isAncestor(of: right) && !right.isAncestor(of: left)
    }

    /// How much of a device's chain counts as an admin's after its powers ended.
    private enum PowerLimit {
        struct Key: Hashable {
            let naming: Int
            let device: DeviceID
        }

        case everything
        case nothing
        /// Up to an operation in the chain.
        case upTo(LedgerNode)
        /// What cuts keep.
        case kept(Kept)
    }

    /// Whether an operation counts as an admin's: some naming among its ancestors was not ended by an owner's cut.
    func isAdmin(_ node: LedgerNode) -> Bool {
        guard let own = namings[node.user] else { return false }
        // The fewest ends follow the last one.
        return own.reversed().contains { naming in
            guard naming.isAncestor(of: node) else { return false }
            switch powerLimit(of: node, by: naming) {
            case .everything: return true
            case .nothing: return false
            case .upTo(let last): return node.isInChain(to: last)
            case .kept(let kept): return isKept(node, by: kept)
            }
        }
    }

    private func powerLimit(of node: LedgerNode, by naming: LedgerNode) -> PowerLimit {
        guard let cuttings = powerCuttings[node.user] else { return .everything }
        let key = PowerLimit.Key(naming: naming.index, device: node.device)
        if let known = powerLimits[key] { return known }
        let limit = limit(cuttings.open(after: naming), of: node.device, returns: returnsAsAdmin(of: node.user))
        powerLimits[key] = limit
        return limit
    }

    private func returnsAsAdmin(of user: UserID) -> NodeSet {
        let own = namings[user] ?? []
        if let known = namingSets[user], known.count == own.count { return known }
        let made = NodeSet(own)
        namingSets[user] = made
        return made
    }

    /// What the cuts keep. If all are departures, each one applies: a leaver could otherwise sign another with a longer
    /// cut and regain its powers.
    private func limit(
        _ cuttings: [Cutting], of device: DeviceID, returns: @autoclosure () -> NodeSet
    ) -> PowerLimit {
        guard let holding = effective(cuttings, for: device) else { return .everything }
        if holding.rank > Self.ownRank {
            return .kept(kept(device, by: cuttings, holding: holding, returns: returns()))
        }
        return commonPart(of: device, in: cuttings.map(\.node)).map { .upTo($0) } ?? .nothing
    }

    /// The rank at which an operation counts.
    func rank(of node: LedgerNode) -> Int {
        if isOwner(node) { return Self.ownerRank }
        return isAdmin(node) ? Self.adminRank : Self.ownRank
    }

    // MARK: Pass 3: removals

    private func resolveRemovals() {
        for node in nodes {
            if let revoked = revocation(of: node) {
                // A revocation is signed by the account key, so it counts whichever device passes it on.
                if node.body.kind != .revokeDevice { refusals[node.index] = .authorRevoked(by: revoked.id) }
                continue
            }
            _ = judgeRemoval(node)
        }
        restoreKeptByRemovals()
    }

    /// Records a removal that counts, and returns it.
    private func judgeRemoval(_ node: LedgerNode) -> (user: UserID, cutting: Cutting)? {
        switch node.body {
        case .remove(let removal):
            ranks[node.index] = rank(of: node)
            if let refusal = refusal(ofRemoving: removal.user, by: node) {
                refusals[node.index] = refusal
                return nil
            }
            return noteRemoval(of: removal.user, by: node, rank: ranks[node.index])
        case .leave:
            guard mayLeave(node) else {
                refusals[node.index] = .ownerCannotLeave
                return nil
            }
            return noteRemoval(of: node.user, by: node, rank: Self.ownRank)
        case .found, .invite, .revokeInvite, .request, .admit, .addDevice, .revokeDevice, .setRole, .transfer, .rename,
            .settings:
            ranks[node.index] = rank(of: node)
            return nil
        }
    }

    private func noteRemoval(
        of user: UserID, by node: LedgerNode, rank: Int
    ) -> (user: UserID, cutting: Cutting) {
        let cutting = Cutting(node: node, rank: rank)
        removals[user, default: Removals()].add(cutting)
        return (user, cutting)
    }

    /// A revocation does not void what a removal, or an end of powers, kept of the removed account, if its author did
    /// not know of the revocation. Otherwise a removed account could use its account key to expel everybody it once
    /// admitted.
    ///
    /// Each cut walks its chain once for each revocation and stops where another has been: O(operations).
    private func restoreKeptByRemovals() {
        var void: [UserID: [RestorableChain]] = [:]
        for node in nodes {
            // The passes before already relied on a former owner's operations.
            guard let revoked = revokedBy[node.index], tenuresByUser[node.user] == nil else { continue }
            let isKnown = void[node.user]?.contains { $0.device == node.device && $0.revocation === revoked } ?? false
            if !isKnown { void[node.user, default: []].append(RestorableChain(node.device, revoked)) }
        }
        var waiting = void.keys.sorted().flatMap { user in
            (removals[user]?.strong ?? []).map { (user: user, cutting: $0) }
        }
        while let next = waiting.popLast() {
            for index in (void[next.user] ?? []).indices {
                guard var chain = void[next.user]?[index], settles(chain.revocation, next.cutting) else { continue }
                if !chain.isSettled {
                    chain.isSettled = true
                    for cutting in powerCuttings[next.user]?.all ?? []
                    where !chain.revocation.isAncestor(of: cutting.node) {
                        waiting += restore(&chain, upTo: lastOperation(of: chain.device, in: cutting.node))
                        // A departure is within itself.
                        if let removal = restore(cutting.node, in: chain) { waiting.append(removal) }
                    }
                }
                waiting += restore(&chain, upTo: lastOperation(of: chain.device, in: next.cutting.node))
                void[next.user]?[index] = chain
            }
        }
    }

    /// One device's operations that one revocation makes void.
    private struct RestorableChain {
        let device: DeviceID
        let revocation: LedgerNode
        /// Whether a removal counts whose author did not know of the revocation.
        var isSettled = false
        /// Indices of operations that a cut has reached.
        var reached: Set<Int> = []

        init(_ device: DeviceID, _ revocation: LedgerNode) {
            self.device = device
            self.revocation = revocation
        }
    }

    /// Restores what a cut keeps. Returns the removals that count as a result.
    private func restore(
        _ chain: inout RestorableChain, upTo last: LedgerNode?
    ) -> [(user: UserID, cutting: Cutting)] {
        var restored: [(user: UserID, cutting: Cutting)] = []
        var step = last
        while let node = step, chain.reached.insert(node.index).inserted {
            if let removal = restore(node, in: chain) { restored.append(removal) }
            step = node.previous
        }
        return restored
    }

    /// Restores one operation. Returns it if it is a removal that counts as a result.
    private func restore(_ node: LedgerNode, in chain: RestorableChain) -> (user: UserID, cutting: Cutting)? {
        guard node.device == chain.device, revokedBy[node.index] === chain.revocation else { return nil }
        revokedBy[node.index] = nil
        refusals[node.index] = nil
        guard let removal = judgeRemoval(node), removal.cutting.rank > Self.ownRank else { return nil }
        return removal
    }

    /// Whether a cut by the owner or an admin was made without knowing of a revocation.
    func settles(_ revocation: LedgerNode, _ cutting: Cutting) -> Bool {
        cutting.rank > Self.ownRank && !revocation.isAncestor(of: cutting.node)
    }

    private func refusal(ofRemoving user: UserID, by node: LedgerNode) -> Refusal? {
        guard user != node.user else { return .targetIsAuthor }
        switch ranks[node.index] {
        case Self.ownerRank: return nil
        case Self.adminRank: return isProtected(user, from: node) ? .targetIsProtected : nil
        default: return .needsAdmin
        }
    }

    /// Whether the account is owner or admin at an admin's operation, or became so concurrently.
    private func isProtected(_ user: UserID, from node: LedgerNode) -> Bool {
        let isOwner = tenuresByUser[user]?.contains { tenure in
            !node.isAncestor(of: tenure.start) && !(tenure.end.map { $0.isAncestor(of: node) } ?? false)
        }
        if isOwner ?? false { return true }
        let cuttings = powerCuttings[user] ?? Removals()
        return (namings[user] ?? []).contains { naming in
            !node.isAncestor(of: naming)
                && cuttings.departures.earliest(before: node, andNotBefore: naming) == nil
                && !cuttings.openStrong(after: naming).contains { $0.node.isAncestor(of: node) }
        }
    }
}

extension LedgerNode {
    /// The account that a transfer makes owner.
    var newOwner: UserID? {
        guard case .transfer(let transfer) = body else { return nil }
        return transfer.newOwner
    }

    var namedHeir: UserID? {
        guard case .setRole(let change) = body, change.change == .heir else { return nil }
        return change.user
    }

    var endsHeir: Bool {
        guard case .setRole(let change) = body else { return false }
        return change.change == .noHeir
    }

    /// Whether this is not a revocation for every group.
    var isOfThisGroup: Bool {
        guard case .revokeDevice(let revocation) = body else { return true }
        return revocation.scope == .group
    }

    /// The account that a removal removes.
    var target: UserID? {
        guard case .remove(let removal) = body else { return nil }
        return removal.user
    }
}
