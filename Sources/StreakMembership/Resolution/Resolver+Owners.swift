import StreakWire

/// Pass 1: the owners and their tenures.
extension Resolver {
    func resolveOwners() {
        var tenure = Tenure(user: nodes[0].user, start: nodes[0])
        var transfers: [LedgerNode] = []
        for node in nodes where revocation(of: node) == nil {
            switch node.body {
            case .transfer(let transfer):
                if isKnown(transfer.newOwner, at: node) { transfers.append(node) }
            case .setRole:
                if node.namedHeir != nil || node.endsHeir { heirStatements[node.user, default: []].append(node) }
            case .remove:
                heirStatements[node.user, default: []].append(node)
            case .found, .invite, .revokeInvite, .request, .admit, .addDevice, .revokeDevice, .leave, .rename,
                .settings:
                break
            }
        }
        while let next = successor(of: tenure, among: transfers) {
            tenure.end = next.node
            note(tenure)
            tenure = Tenure(user: next.user, start: next.node)
        }
        note(tenure)
    }

    private func note(_ tenure: Tenure) {
        tenures.append(tenure)
        tenuresByUser[tenure.user, default: []].append(tenure)
        if let end = tenure.end { endingTransfers.insert(end.index) }
    }

    /// Whether an operation's ancestors publish a certificate of the account.
    func isKnown(_ user: UserID, at node: LedgerNode) -> Bool { introductions.isKnown(user, within: node.clock) }

    private func successor(
        of tenure: Tenure, among transfers: [LedgerNode]
    ) -> (node: LedgerNode, user: UserID)? {
        let within = transfers.filter { tenure.start.isAncestor(of: $0) }
        guard !within.isEmpty else { return nil }
        let taken = takeovers(in: tenure, among: within)
        // What an owner signs after getting the group back from an heir belongs to the next tenure.
        let takenBy = Dictionary(grouping: taken, by: \.user).mapValues { NodeSet($0) }
        let givenBack = NodeSet(
            within.filter { transfer in
                transfer.newOwner == tenure.user && takenBy[transfer.user]?.hasMember(before: transfer) ?? false
            })
        let own = within.filter { $0.user == tenure.user && !givenBack.hasMember(before: $0) }
        if let first = first(of: own), let user = first.newOwner { return (first, user) }
        return first(of: taken).map { ($0, $0.user) }
    }

    /// Transfers of heirs to themselves that follow a naming in force.
    private func takeovers(in tenure: Tenure, among within: [LedgerNode]) -> [LedgerNode] {
        let words = HeirStatements(tenure, heirStatements[tenure.user] ?? [])
        let standing = Dictionary(grouping: words.standing(), by: \.namedHeir).mapValues { NodeSet($0) }
        let backs = Dictionary(grouping: within.filter { $0.newOwner == tenure.user }, by: \.user)
            .mapValues { NodeSet($0) }
        var judged: [[Bool]: NodeSet] = [:]
        return within.filter { transfer in
            let heir = transfer.user
            guard heir != tenure.user, transfer.newOwner == heir, words.names(heir) else { return false }
            // After getting the group back, an owner's statements about heirs apply to the new tenure.
            let isLeftOut = words.isAfterHandBack(by: backs[heir], of: transfer)
            guard isLeftOut.contains(true) else { return standing[heir]?.hasMember(before: transfer) ?? false }
            let found = judged[isLeftOut] ?? NodeSet(words.standing(leavingOut: isLeftOut))
            judged[isLeftOut] = found
            return found.members.contains { $0.namedHeir == heir && $0.isAncestor(of: transfer) }
        }
    }

    /// The transfer before all others; of several concurrent ones, the smallest hash.
    private func first(of transfers: [LedgerNode]) -> LedgerNode? {
        let all = NodeSet(transfers)
        return transfers.filter { !all.hasMember(before: $0) }.min { $0.id < $1.id }
    }

    /// The namings of heirs in force during a tenure.
    func heirNamings(during tenure: Tenure) -> [LedgerNode] {
        HeirStatements(tenure, heirStatements[tenure.user] ?? []).standing()
    }

    /// Whether an operation was made as owner.
    func isOwner(_ node: LedgerNode) -> Bool {
        tenuresByUser[node.user]?.contains { tenure in
            guard tenure.start.isAncestorOrSame(of: node) else { return false }
            return tenure.end.map { isWithin(node, $0) } ?? true
        } ?? false
    }
}

/// An owner's statements about heirs during one tenure.
private struct HeirStatements {
    /// Statements about heirs, and removals, by rising hash.
    private let all: [LedgerNode]
    private let heirs: Set<UserID>

    init(_ tenure: Resolver.Tenure, _ words: [LedgerNode]) {
        all = words.filter { tenure.start.isAncestor(of: $0) }.sorted { $0.id < $1.id }
        heirs = Set(all.compactMap(\.namedHeir))
    }

    func names(_ user: UserID) -> Bool { heirs.contains(user) }

    /// For each statement, whether it follows a hand-back that follows a takeover.
    func isAfterHandBack(by backs: NodeSet?, of takeover: LedgerNode) -> [Bool] {
        guard let backs, backs.hasMember(after: takeover) else { return all.map { _ in false } }
        return all.map { word in backs.latest(before: word).contains { takeover.isAncestor(of: $0) } }
    }

    /// The namings that no other statement about heirs and no removal of the heir supersedes.
    func standing(leavingOut isLeftOut: [Bool] = []) -> [LedgerNode] {
        let counted = zip(all.indices, all).filter { !(isLeftOut.indices.contains($0.0) && isLeftOut[$0.0]) }.map(\.1)
        let words = counted.filter { $0.namedHeir != nil || $0.endsHeir }
        let removed = Dictionary(grouping: counted.filter { $0.target != nil }, by: \.target)
        return words.filter { naming in
            guard let heir = naming.namedHeir else { return false }
            let isOvertaken = words.contains { word in
                guard word !== naming, word.namedHeir != heir else { return false }
                return naming.isAncestor(of: word) || !word.isAncestor(of: naming) && word.id < naming.id
            }
            let isRemoved = removed[heir]?.contains { !$0.isAncestor(of: naming) } ?? false
            return !isOvertaken && !isRemoved
        }
    }
}
