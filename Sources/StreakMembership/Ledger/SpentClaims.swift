import StreakWire

/// Which claims an account has spent by leaving.
///
/// A claim is signed on one handshake. While the invite lives, anybody who kept a claim could admit an account again
/// after it has left. Hence a departure spends all earlier claims of its account. It does so whether or not it counts,
/// because what an operation may do depends only on its ancestors. Protocol/membership.md §7.
struct SpentClaims {
    private struct Key: Hashable {
        let device: DeviceID
        let handshakeHash: [UInt8]
        /// The account whose departures these are.
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

    /// The departure before an operation that spends the operation's claim; nil if the claim is valid.
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
    /// The claim in a `request` or an `admit`.
    var joinClaim: JoinClaim? {
        switch self {
        case .request(let claim), .admit(let claim): claim
        case .found, .invite, .revokeInvite, .addDevice, .revokeDevice, .setRole, .transfer, .remove, .leave, .rename,
            .settings:
            nil
        }
    }
}
