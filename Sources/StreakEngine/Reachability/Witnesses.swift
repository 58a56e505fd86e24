import StreakLinks
import StreakWire

/// What others say about where this device's datagrams come from. One alone may lie, or be on the same side of the router; two
/// of different providers and accounts that say the same are believed (Protocol/reachability.md §2).
struct Witnesses: Sendable {
    /// Who says something.
    enum Witness: Hashable, Sendable {
        case peer(LinkID)
        /// Somebody without a link, such as a node of a public network, at this address.
        case outside(Endpoint)
    }

    /// What the statements of one address family come to.
    enum Judgement: Equatable, Sendable {
        /// Too few say anything, or they do not agree.
        case unknown
        /// Every destination sees this device there.
        case steady(Endpoint)
        /// Its router uses another port for each destination. So what one of them sees is of no use to others.
        case changing
    }

    private struct Statement: Sendable {
        let witness: Witness
        let provider: Bytes16
        /// Nil for a witness outside.
        let account: UserID?
        let endpoint: Endpoint
        /// Nil while the peer's link is open: the peer tells when it sees another endpoint.
        var endsAt: MonotonicInstant?

        /// Whether nobody alone can have made both.
        func isIndependent(of other: Statement) -> Bool {
            provider != other.provider && (account == nil || account != other.account)
        }
    }

    /// How long a statement counts after its witness's last word. Witnesses outside are asked every ten minutes.
    static let patience: Duration = .seconds(900)
    /// Statements kept, the newest.
    static let maximumCount = 64

    /// In the order in which they were made.
    private var statements: [Statement] = []

    var nextDeadline: MonotonicInstant? { statements.lazy.compactMap(\.endsAt).min() }

    /// Whether linked peers are too few to be believed, so that others are worth asking.
    var lacksPeers: Bool {
        let peers = statements.filter { $0.endsAt == nil }
        return !peers.contains { one in peers.contains { $0.isIndependent(of: one) } }
    }

    /// - Parameters:
    ///   - account: Whose device the witness is; nil for one outside.
    ///   - source: The witness's own address.
    mutating func take(
        _ endpoint: Endpoint, from witness: Witness, of account: UserID? = nil, at source: Endpoint,
        now: MonotonicInstant
    ) {
        // A peer on the same network sees an inside address. An endpoint that others cannot dial is of no use.
        guard endpoint.mayBeTold, !source.isLocal else { return }
        let isPeer = if case .peer = witness { true } else { false }
        statements.removeAll { $0.witness == witness && ($0.endpoint.ipv4 != nil) == (endpoint.ipv4 != nil) }
        statements.append(
            Statement(
                witness: witness, provider: source.provider, account: account, endpoint: endpoint,
                endsAt: isPeer ? nil : now.advanced(by: Self.patience)))
        statements.removeFirst(max(0, statements.count - Self.maximumCount))
    }

    /// A peer's link has closed: what it said counts for a while.
    mutating func closed(_ link: LinkID, at now: MonotonicInstant) {
        for index in statements.indices where statements[index].witness == .peer(link) {
            statements[index].endsAt = now.advanced(by: Self.patience)
        }
    }

    /// Forgets statements that have expired.
    ///
    /// - Returns: whether there were any.
    mutating func expire(at now: MonotonicInstant) -> Bool {
        let before = statements.count
        statements.removeAll { $0.endsAt.map { $0 <= now } ?? false }
        return statements.count < before
    }

    func judgement(ofIPv4: Bool) -> Judgement {
        let told = statements.filter { ($0.endpoint.ipv4 != nil) == ofIPv4 }
        for newest in told.reversed()
        where told.contains(where: { $0.endpoint == newest.endpoint && $0.isIndependent(of: newest) }) {
            return .steady(newest.endpoint)
        }
        let isChanging = told.contains { one in
            told.contains { other in
                one.isIndependent(of: other) && one.endpoint.address == other.endpoint.address
                    && one.endpoint.port != other.endpoint.port
            }
        }
        return isChanging ? .changing : .unknown
    }
}
