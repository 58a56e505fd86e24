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

    /// An operation that gives an account a place, and the removals that it does not come after.
    struct Place {
        let grant: LedgerNode
        let open: [Cutting]
    }

    static let ownRank = 0
    static let adminRank = 1
    static let ownerRank = 2

    let nodes: [LedgerNode]
    let nodesByID: [OperationID: LedgerNode]
    let introductions: IntroductionIndex
    let rules: LedgerRules

    // Pass 0.
    var revocations: [DeviceID: [LedgerNode]] = [:]
    /// By index of node: the revocation that makes it count for nothing.
    var revokedBy: [LedgerNode?] = []
    // Pass 1.
    var tenures: [Tenure] = []
    var roleChanges: [LedgerNode] = []
    // Pass 2.
    var namings: [UserID: [LedgerNode]] = [:]
    var powerCuttings: [UserID: [Cutting]] = [:]
    // Pass 3.
    var removals: [UserID: [Cutting]] = [:]
    // Pass 4.
    /// Operations that give an account a place.
    var grants: [UserID: [LedgerNode]] = [:]
    /// The same with what ends each, in the one order for everybody.
    var places: [UserID: [Place]] = [:]
    /// By invite.
    var admissions: [OperationID: [LedgerNode]] = [:]
    var invites: [OperationID: LedgerNode] = [:]
    var inviteRevocations: [OperationID: [LedgerNode]] = [:]
    var requests: [LedgerNode] = []
    var titles: [LedgerNode] = []
    var settings: [LedgerNode] = []
    /// By index of node: what it counts as.
    var ranks: [Int]
    /// By index of node; nil where it counts.
    var refusals: [Refusal?]

    init(
        nodes: [LedgerNode], byID nodesByID: [OperationID: LedgerNode], introductions: IntroductionIndex,
        rules: LedgerRules
    ) {
        self.rules = rules
        self.nodes = nodes
        self.nodesByID = nodesByID
        self.introductions = introductions
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

    /// Of several cuts of one device the one that holds: higher rank, then longer chain, then smaller hash.
    func effective(_ cuttings: [Cutting], for device: DeviceID) -> Cutting? {
        guard cuttings.count > 1 else { return cuttings.first }
        return cuttings.max { left, right in
            (left.rank, cutNumber(of: device, in: left.node), right.node.id)
                < (right.rank, cutNumber(of: device, in: right.node), left.node.id)
        }
    }

    // MARK: Pass 0: revoked devices

    private func collectRevocations() {
        for node in nodes {
            guard case .revokeDevice(let revocation) = node.body else { continue }
            revocations[revocation.cut.device, default: []].append(node)
        }
        revokedBy = Array(repeating: nil, count: nodes.count)
        guard !revocations.isEmpty else { return }
        var known: [DeviceOfUser: DeviceStanding] = [:]
        for node in nodes {
            let key = DeviceOfUser(device: node.device, user: node.user)
            let standing = known[key] ?? standing(of: key)
            known[key] = standing
            revokedBy[node.index] = findRevocation(of: node, standing)
        }
    }

    private struct DeviceOfUser: Hashable {
        let device: DeviceID
        let user: UserID
    }

    /// What is the same for all operations of a device.
    private struct DeviceStanding {
        /// The revocation that holds, and the last operation it leaves.
        let revocation: LedgerNode?
        let last: LedgerNode?
        /// Its certificates, if any of them leads through a revoked device.
        let certificates: [IntroductionIndex.Introduction]
    }

    private func standing(of key: DeviceOfUser) -> DeviceStanding {
        let revocation = ownRevocation(of: key.device, user: key.user)
        let certificates = (introductions.byDevice[key.device] ?? []).filter { $0.certificate.user == key.user }
        let isTouched = certificates.contains { $0.certificate.issuers.contains { revocations[$0] != nil } }
        return DeviceStanding(
            revocation: revocation, last: revocation.flatMap { lastOperation(of: key.device, in: $0) },
            certificates: isTouched ? certificates : [])
    }

    /// The revocation that makes an operation count for nothing.
    func revocation(of node: LedgerNode) -> LedgerNode? { revokedBy[node.index] }

    private func findRevocation(of node: LedgerNode, _ standing: DeviceStanding) -> LedgerNode? {
        if let revocation = standing.revocation, node !== revocation,
            !(standing.last.map { node.isInChain(to: $0) } ?? false)
        {
            return revocation
        }
        // A founder, or a device that publishes itself, is certified by the account.
        var broken: LedgerNode?
        for introduction in standing.certificates where introduction.node.isAncestorOrSame(of: node) {
            guard let revoked = revocation(breaking: introduction) else { return nil }
            if broken.map({ revoked.id < $0.id }) ?? true { broken = revoked }
        }
        return broken
    }

    /// The revocation of a device itself that holds.
    func ownRevocation(of device: DeviceID, user: UserID) -> LedgerNode? {
        let cuttings = (revocations[device] ?? []).filter { $0.user == user }.map { Cutting(node: $0, rank: 0) }
        return effective(cuttings, for: device)?.node
    }

    /// A revocation of a device that a certificate leads through, unless the revoker knew of the certificate.
    func revocation(breaking introduction: IntroductionIndex.Introduction) -> LedgerNode? {
        for issuer in introduction.certificate.issuers {
            let revoked = (revocations[issuer] ?? []).filter { $0.user == introduction.certificate.user }
            if revoked.isEmpty || revoked.contains(where: { introduction.node.isAncestor(of: $0) }) { continue }
            return revoked.min { $0.id < $1.id }
        }
        return nil
    }

    // MARK: Pass 1: owners

    private func resolveOwners() {
        var tenure = Tenure(user: nodes[0].user, start: nodes[0])
        let transfers = nodes.filter { node in
            guard case .transfer(let transfer) = node.body else { return false }
            return revocation(of: node) == nil && isKnown(transfer.newOwner, at: node)
        }
        roleChanges = nodes.filter { node in
            guard case .setRole = node.body else { return false }
            return revocation(of: node) == nil
        }
        while let next = successor(of: tenure, among: transfers) {
            tenure.end = next.node
            tenures.append(tenure)
            tenure = Tenure(user: next.user, start: next.node)
        }
        tenures.append(tenure)
    }

    /// Whether a certificate of the account is published among an operation's ancestors.
    func isKnown(_ user: UserID, at node: LedgerNode) -> Bool {
        introductions.byUser[user]?.contains { $0.node.isAncestor(of: node) } ?? false
    }

    private func successor(
        of tenure: Tenure, among transfers: [LedgerNode]
    ) -> (node: LedgerNode, user: UserID)? {
        let within = transfers.filter { tenure.start.isAncestor(of: $0) }
        let taken = within.filter { transfer in
            guard transfer.user != tenure.user, transfer.newOwner == transfer.user else { return false }
            // What the owner says of heirs once it has the group back is about the time after.
            let backs = within.filter {
                $0.newOwner == tenure.user && $0.user == transfer.user && transfer.isAncestor(of: $0)
            }
            return heirNamings(during: tenure, leavingOutAfter: backs)
                .contains { $0.isAncestor(of: transfer) && $0.namedHeir == transfer.user }
        }
        // What an owner signs after an heir has handed the group back belongs to its next time.
        let givenBack = within.filter { transfer in
            transfer.newOwner == tenure.user
                && taken.contains { $0.user == transfer.user && $0.isAncestor(of: transfer) }
        }
        let own = within.filter { transfer in
            transfer.user == tenure.user && !givenBack.contains { $0.isAncestor(of: transfer) }
        }
        if let first = first(of: own), let user = first.newOwner { return (first, user) }
        return first(of: taken).map { ($0, $0.user) }
    }

    /// The one before all others; of several concurrent ones, the smallest hash.
    private func first(of transfers: [LedgerNode]) -> LedgerNode? {
        transfers.filter { node in !transfers.contains { $0.isAncestor(of: node) } }.min { $0.id < $1.id }
    }

    /// The namings of heirs that stand: not overtaken by another word of the owner about the heir, or about that user.
    func heirNamings(during tenure: Tenure, leavingOutAfter backs: [LedgerNode] = []) -> [LedgerNode] {
        func counts(_ node: LedgerNode) -> Bool {
            node.user == tenure.user && tenure.start.isAncestor(of: node) && !backs.contains { $0.isAncestor(of: node) }
        }
        let words = roleChanges.filter { counts($0) && ($0.namedHeir != nil || $0.endsHeir) }
        let removed = nodes.filter { node in
            guard case .remove = node.body else { return false }
            return counts(node) && revocation(of: node) == nil
        }
        return words.filter { naming in
            guard let heir = naming.namedHeir else { return false }
            let isOvertaken = words.contains { word in
                guard word !== naming, word.namedHeir != heir else { return false }
                return naming.isAncestor(of: word) || !word.isAncestor(of: naming) && word.id < naming.id
            }
            let isRemoved = removed.contains { $0.target == heir && !$0.isAncestor(of: naming) }
            return !isOvertaken && !isRemoved
        }
    }

    /// Whether an operation is an owner's.
    func isOwner(_ node: LedgerNode) -> Bool {
        tenures.contains { tenure in
            guard tenure.user == node.user, tenure.start.isAncestorOrSame(of: node) else { return false }
            return tenure.end.map { isWithin(node, $0) } ?? true
        }
    }

    // MARK: Pass 2: admins

    private func resolveAdmins() {
        for node in nodes where revocation(of: node) == nil || isAcknowledgedDeparture(node) {
            switch node.body {
            case .setRole(let change)
            where change.user != node.user && isOwner(node) && isKnown(change.user, at: node):
                if change.change == .admin { namings[change.user, default: []].append(node) }
                if change.change == .member {
                    powerCuttings[change.user, default: []].append(Cutting(node: node, rank: Self.ownerRank))
                }
            case .remove(let removal) where isOwner(node) && removal.user != node.user:
                powerCuttings[removal.user, default: []].append(Cutting(node: node, rank: Self.ownerRank))
            case .leave where mayLeave(node):
                powerCuttings[node.user, default: []].append(Cutting(node: node, rank: Self.ownRank))
            default:
                break
            }
        }
        for tenure in tenures {
            guard let end = tenure.end else { continue }
            powerCuttings[tenure.user, default: []].append(Cutting(node: end, rank: Self.ownerRank))
        }
    }

    /// Whether the leaver came back from a departure before it revoked the device that left: its powers stay ended, or
    /// they could be had back by the account key.
    private func isAcknowledgedDeparture(_ node: LedgerNode) -> Bool {
        guard case .leave = node.body, let revoked = revocation(of: node) else { return false }
        return nodes.contains { admission in
            guard case .admit(let claim) = admission.body, claim.certificate.user == node.user else { return false }
            return node.isAncestor(of: admission) && !revoked.isAncestor(of: admission)
        }
    }

    /// An owner may not leave; nor is one who was made owner meanwhile taken to have left.
    func mayLeave(_ node: LedgerNode) -> Bool {
        !isOwner(node) && !tenures.contains { $0.user == node.user && isConcurrent($0.start, node) }
    }

    func isConcurrent(_ left: LedgerNode, _ right: LedgerNode) -> Bool {
        left !== right && !left.isAncestor(of: right) && !right.isAncestor(of: left)
    }

    /// Whether an operation is an admin's: by a naming among its ancestors that no owner's cut has ended for it.
    func isAdmin(_ node: LedgerNode) -> Bool {
        guard let own = namings[node.user] else { return false }
        var cuttings = powerCuttings[node.user] ?? []
        if rules.judgesDemotionsAtParents { cuttings.removeAll { !$0.node.isAncestor(of: node) } }
        return own.contains { naming in
            guard naming.isAncestor(of: node) else { return false }
            return !hasEndedPower(cuttings.filter { !$0.node.isAncestor(of: naming) }, of: node)
        }
    }

    /// Whether cuts leave an operation no more than a member's. Where there are only departures, every one of them
    /// counts: whoever left could otherwise sign another with a longer cut, and have its powers back.
    private func hasEndedPower(_ cuttings: [Cutting], of node: LedgerNode) -> Bool {
        guard let cutting = effective(cuttings, for: node.device) else { return false }
        if cutting.rank > Self.ownRank { return !isWithin(node, cutting.node) }
        return cuttings.contains { !isWithin(node, $0.node) }
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
            judgeRemoval(node)
        }
        // A removal spared may spare further ones; each round spares at least one, so it ends.
        while spareWhatRemovalsLeave() {}
    }

    private func judgeRemoval(_ node: LedgerNode) {
        ranks[node.index] = rank(of: node)
        switch node.body {
        case .remove(let removal):
            if let refusal = refusal(ofRemoving: removal.user, by: node) {
                refusals[node.index] = refusal
            } else {
                removals[removal.user, default: []].append(Cutting(node: node, rank: ranks[node.index]))
            }
        case .leave:
            if mayLeave(node) {
                removals[node.user, default: []].append(Cutting(node: node, rank: Self.ownRank))
            } else {
                refusals[node.index] = .ownerCannotLeave
            }
        default:
            break
        }
    }

    /// What a removal, or an owner's cut of powers, leaves to who was removed no revocation takes away that the remover did
    /// not know of. By its account key it could otherwise throw out all whom it once admitted.
    private func spareWhatRemovalsLeave() -> Bool {
        var isAnySpared = false
        for node in nodes {
            // Who was owner is trusted with more: the passes before needed its word.
            guard let revoked = revokedBy[node.index], !tenures.contains(where: { $0.user == node.user }),
                let removals = removals[node.user], removals.contains(where: { settles(revoked, $0) }),
                (removals + (powerCuttings[node.user] ?? [])).contains(where: {
                    settles(revoked, $0) && isWithin(node, $0.node)
                })
            else { continue }
            revokedBy[node.index] = nil
            refusals[node.index] = nil
            judgeRemoval(node)
            isAnySpared = true
        }
        return isAnySpared
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
        let isOwner = tenures.contains { tenure in
            tenure.user == user && !node.isAncestor(of: tenure.start)
                && !(tenure.end.map { $0.isAncestor(of: node) } ?? false)
        }
        if isOwner { return true }
        let cuttings = powerCuttings[user] ?? []
        return (namings[user] ?? []).contains { naming in
            !node.isAncestor(of: naming)
                && !cuttings.contains { !$0.node.isAncestor(of: naming) && $0.node.isAncestor(of: node) }
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

    /// Whom a removal removes.
    var target: UserID? {
        guard case .remove(let removal) = body else { return nil }
        return removal.user
    }
}
