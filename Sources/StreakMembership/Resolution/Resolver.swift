import StreakWire

/// Decides what a set of operations amounts to, in passes that each need only those before. Protocol/membership.md §7.
///
/// Nothing here may depend on the order of `nodes` but for ancestors coming first. A class, so that closures need not
/// copy it; it lives for one resolution.
final class Resolver {
    /// Something that ends what an account's devices may do: a removal, a departure, a demotion, a transfer.
    struct Cutting {
        let node: LedgerNode
        /// Owner over admin over the account itself.
        let rank: Int
    }

    /// The time of one owner.
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

        /// Those that a place does not come after: they end it.
        func open(after grant: LedgerNode) -> [Cutting] {
            openStrong(after: grant)
                + departures.members(notBefore: grant).map { Cutting(node: $0, rank: ownRank) }
        }

        func openStrong(after grant: LedgerNode) -> [Cutting] {
            strong.filter { !$0.node.isAncestor(of: grant) }
        }

        /// Whether a place comes after all of them.
        func areBefore(_ grant: LedgerNode) -> Bool {
            departures.isBefore(grant) && strong.allSatisfy { $0.node.isAncestor(of: grant) }
        }
    }

    /// What admins and members say of an invite's end.
    struct InviteEnds {
        /// By owner and admins: they reach what does not know of them.
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
    /// By index of node: the revocation that makes it count for nothing.
    var revokedBy: [LedgerNode?] = []
    // Pass 1.
    var tenures: [Tenure] = []
    var tenuresByUser: [UserID: [Tenure]] = [:]
    /// Indices of the transfers that ended a time.
    var endingTransfers: Set<Int> = []
    /// What an account says of heirs, or does to end them, by account.
    var heirWords: [UserID: [LedgerNode]] = [:]
    // Pass 2.
    var namings: [UserID: [LedgerNode]] = [:]
    var powerCuttings: [UserID: Removals] = [:]
    private var powerLimits: [PowerLimit.Key: PowerLimit] = [:]
    // Pass 3.
    var removals: [UserID: Removals] = [:]
    // Pass 4.
    var spentClaims: SpentClaims
    /// Operations that give an account a place.
    var grants: [UserID: NodeSet] = [:]
    /// The first found of each account that was never removed: so many are in at least.
    var steadyGrants = NodeSet()
    /// By invite.
    var admissions: [OperationID: NodeSet] = [:]
    var invites: [OperationID: LedgerNode] = [:]
    var inviteEnds: [OperationID: InviteEnds] = [:]
    var unkeptRevocations: [UnkeptLink: NodeSet] = [:]
    var requests: [LedgerNode] = []
    var titles: [LedgerNode] = []
    var settings: [LedgerNode] = []
    /// By index of node: what it counts as.
    var ranks: [Int]
    /// By index of node; nil where it counts.
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

    /// Whether an operation of a device is up to where `cutting` cuts that device. The cutting operation itself is.
    func isWithin(_ node: LedgerNode, _ cutting: LedgerNode) -> Bool {
        if node === cutting { return true }
        guard let last = lastOperation(of: node.device, in: cutting) else { return false }
        return node.isInChain(to: last)
    }

    /// The operation of a device that a cut names as its last. For the author's own device that is the one before it.
    func lastOperation(of device: DeviceID, in cutting: LedgerNode) -> LedgerNode? {
        guard let cut = cutting.body.cuts.first(where: { $0.device == device }), cut.lastOperation != .none else {
            return nil
        }
        return nodesByID[cut.lastOperation]
    }

    private func cutNumber(of device: DeviceID, in cutting: LedgerNode) -> UInt64 {
        lastOperation(of: device, in: cutting)?.number ?? 0
    }

    /// Of several cuts of one device the one that holds: higher rank, then longer chain, then what was signed for this group,
    /// then smaller hash.
    func effective(_ cuttings: [Cutting], for device: DeviceID) -> Cutting? {
        guard cuttings.count > 1 else { return cuttings.first }
        return cuttings.max { left, right in
            (left.rank, cutNumber(of: device, in: left.node), left.node.isOfThisGroup ? 1 : 0, right.node.id)
                < (right.rank, cutNumber(of: device, in: right.node), right.node.isOfThisGroup ? 1 : 0, left.node.id)
        }
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
        endPowersOfReturned(voidDepartures)
    }

    /// Lets void departures end powers where an admin removed the leaver that had come back, and did not know of the revocation.
    ///
    /// Whoever is removed by an admin would otherwise void its departure by its account key, be an admin again and protected. Of
    /// others than admins no word ends anybody's powers, so the removal's author is judged by all other ends.
    private func endPowersOfReturned(_ departures: [LedgerNode]) {
        guard !departures.isEmpty else { return }
        let leavers = Set(departures.map(\.user))
        var admissions: [UserID: NodeSet] = [:]
        var removes: [UserID: [LedgerNode]] = [:]
        for node in nodes {
            switch node.body {
            case .admit(let claim):
                // A copy of what the account signed before it left is no word of coming back.
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
        // By index of revocation: the last admissions before the removals made without knowing of it.
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
        // What was asked above is answered anew.
        powerLimits.removeAll()
    }

    private func cutPowers(of user: UserID, by node: LedgerNode, rank: Int) {
        powerCuttings[user, default: Removals()].add(Cutting(node: node, rank: rank))
    }

    /// An owner may not leave; nor is one who was made owner meanwhile taken to have left.
    func mayLeave(_ node: LedgerNode) -> Bool {
        !isOwner(node) && !(tenuresByUser[node.user]?.contains { isConcurrent($0.start, node) } ?? false)
    }

    func isConcurrent(_ left: LedgerNode, _ right: LedgerNode) -> Bool {
        left !== right && !left.isAncestor(of: right) && !right.isAncestor(of: left)
    }

    /// What of a device's chain the ends of powers leave an admin's, by a naming.
    private enum PowerLimit {
        struct Key: Hashable {
            let naming: Int
            let device: DeviceID
        }

        case everything
        case nothing
        /// Up to an operation.
        case upTo(LedgerNode)
        /// What is within this one, or is it.
        case within(LedgerNode)
    }

    /// Whether an operation is an admin's: by a naming among its ancestors that no owner's cut has ended for it.
    func isAdmin(_ node: LedgerNode) -> Bool {
        guard let own = namings[node.user] else { return false }
        return own.contains { naming in
            guard naming.isAncestor(of: node) else { return false }
            switch powerLimit(of: node, by: naming) {
            case .everything: return true
            case .nothing: return false
            case .upTo(let last): return node.isInChain(to: last)
            case .within(let cutting): return isWithin(node, cutting)
            }
        }
    }

    private func powerLimit(of node: LedgerNode, by naming: LedgerNode) -> PowerLimit {
        guard let cuttings = powerCuttings[node.user] else { return .everything }
        let key = PowerLimit.Key(naming: naming.index, device: node.device)
        if let known = powerLimits[key] { return known }
        let limit = limit(cuttings.open(after: naming), of: node.device)
        powerLimits[key] = limit
        return limit
    }

    /// What cuts leave. Where there are only departures, every one of them counts: whoever left could otherwise sign another
    /// with a longer cut, and have its powers back.
    private func limit(_ cuttings: [Cutting], of device: DeviceID) -> PowerLimit {
        guard let holding = effective(cuttings, for: device) else { return .everything }
        if holding.rank > Self.ownRank { return .within(holding.node) }
        var common: LedgerNode?
        for cutting in cuttings {
            guard let last = lastOperation(of: device, in: cutting.node) else { return .nothing }
            // What both chains have in common.
            var step = common ?? last
            while !step.isInChain(to: last) {
                guard let earlier = step.previous else { return .nothing }
                step = earlier
            }
            common = step
        }
        return common.map { .upTo($0) } ?? .nothing
    }

    /// What an operation counts as.
    func rank(of node: LedgerNode) -> Int {
        if isOwner(node) { return Self.ownerRank }
        return isAdmin(node) ? Self.adminRank : Self.ownRank
    }

    // MARK: Pass 3: removals

    private func resolveRemovals() {
        for node in nodes {
            if let revoked = revocation(of: node) {
                // The account key's own word holds whichever device passes it on.
                if node.body.kind != .revokeDevice { refusals[node.index] = .authorRevoked(by: revoked.id) }
                continue
            }
            _ = judgeRemoval(node)
        }
        restoreWhatRemovalsLeave()
    }

    /// Notes a removal that counts, and gives back what it is.
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

    /// What a removal, or what ended powers, leaves to who was removed no revocation takes away that the remover did
    /// not know of. By its account key it could otherwise throw out all whom it once admitted.
    ///
    /// Each cut walks the chain that it leaves once for each revocation, and stops where another one has been: O(operations).
    private func restoreWhatRemovalsLeave() {
        var void: [UserID: [RestorableChain]] = [:]
        for node in nodes {
            // Who was owner is trusted with more: the passes before needed its word.
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

    /// What one revocation makes void of one device's operations.
    private struct RestorableChain {
        let device: DeviceID
        let revocation: LedgerNode
        /// Whether a removal counts that was made without knowing of the revocation.
        var isSettled = false
        /// Indices of operations that a cut has reached.
        var reached: Set<Int> = []

        init(_ device: DeviceID, _ revocation: LedgerNode) {
            self.device = device
            self.revocation = revocation
        }
    }

    /// Makes void no longer what a cut leaves, and gives back the removals that count thereby.
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

    /// Makes one operation void no longer; the removal if it is one that counts thereby.
    private func restore(_ node: LedgerNode, in chain: RestorableChain) -> (user: UserID, cutting: Cutting)? {
        guard node.device == chain.device, revokedBy[node.index] === chain.revocation else { return nil }
        revokedBy[node.index] = nil
        refusals[node.index] = nil
        guard let removal = judgeRemoval(node), removal.cutting.rank > Self.ownRank else { return nil }
        return removal
    }

    /// Whether a cut by owner or admin was made without knowing of a revocation.
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

    /// Whether the account is owner or admin at an admin's operation, or made so concurrently.
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
    /// Whom a transfer makes owner.
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

    /// Whether this is not the account's word for every group.
    var isOfThisGroup: Bool {
        guard case .revokeDevice(let revocation) = body else { return true }
        return revocation.scope == .group
    }

    /// Whom a removal removes.
    var target: UserID? {
        guard case .remove(let removal) = body else { return nil }
        return removal.user
    }
}
