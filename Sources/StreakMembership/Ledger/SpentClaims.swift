import StreakWire

/// Which claims to a place an account has given up by leaving.
///
/// A claim is signed on one handshake. Whoever still has it could otherwise, as long as the invite lives, let an account in
/// again that has left. So a departure spends all claims of the account that are before it, whether or not it counts: what an
/// operation may do depends on its ancestors only. Protocol/membership.md §7.
struct SpentClaims {
    private struct Key: Hashable {
        let device: DeviceID
        let handshakeHash: [UInt8]
        /// Whose departures are meant.
        let user: UserID

        init(_ claim: JoinClaim) {
            device = claim.certificate.device
            handshakeHash = claim.proof.handshakeHash
            user = claim.certificate.user
        }
    }

    private var claims: [Key: NodeSet] = [:]
    private var departures: [UserID: NodeSet] = [:]
    private var spending: [Key: NodeSet] = [:]

    init(_ nodes: [LedgerNode]) {
        for node in nodes {
            guard case .leave = node.body else { continue }
            departures[node.user, default: NodeSet()].insert(node)
        }
        guard !departures.isEmpty else { return }
        for node in nodes {
            guard let claim = node.body.joinClaim, departures[claim.certificate.user] != nil else { continue }
            claims[Key(claim), default: NodeSet()].insert(node)
        }
    }

    /// The departure before an operation that spends the claim in it; nil where the claim is good.
    mutating func departure(spending claim: JoinClaim, before node: LedgerNode) -> LedgerNode? {
        guard departures[claim.certificate.user] != nil else { return nil }
        let key = Key(claim)
        if spending[key] == nil {
            var found = NodeSet()
            for departure in departures[key.user]?.members ?? []
            where claims[key]?.hasMember(before: departure) ?? false {
                found.insert(departure)
            }
            spending[key] = found
        }
        return spending[key]?.earliest(before: node)
    }

    /// Whether an account has left after an operation.
    func hasLeft(_ user: UserID, since node: LedgerNode) -> Bool {
        departures[user]?.hasMember(after: node) ?? false
    }
}

extension OperationBody {
    /// What a `request` or an `admit` claims.
    var joinClaim: JoinClaim? {
        switch self {
        case .request(let claim), .admit(let claim): claim
        case .found, .invite, .revokeInvite, .addDevice, .revokeDevice, .setRole, .transfer, .remove, .leave, .rename,
            .settings:
            nil
        }
    }
}
