public import StreakWire

/// Why no port is open. Of several reasons, the one that comes last in this list is reported.
public enum MappingFinding: String, CaseIterable, Comparable, Sendable {
    /// There is no default route of this address family, so there is no router to ask.
    case noGateway = "no-gateway"
    /// The default route leads through a VPN, whose other end is not this home's router.
    case vpn
    /// The router answers none of the protocols that were tried.
    case noAnswer = "no-answer"
    /// The router speaks one of the protocols and cannot do what was asked.
    case unsupported
    /// The router says that the request is malformed.
    case misunderstood
    /// The router has no room for another mapping, or none for this machine.
    case exhausted
    /// The router says that it has no network now.
    case offline
    /// Every outside port that was asked for is taken.
    case portTaken = "port-taken"
    /// The router could open it, but its settings forbid it.
    case refused
    /// The router that answered sees another address of this machine: there is a router in between.
    case secondRouter = "second-router"
    /// The router itself has no address on the internet, or another than this machine is seen at: there is a router beyond it.
    case carrierNAT = "carrier-nat"

    public static func < (left: MappingFinding, right: MappingFinding) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// The outcome of an attempt by UPnP.
public enum UPnPOutcome: Hashable, Sendable {
    /// The lease is nil where the router gives permanent mappings only.
    case mapped(outside: Endpoint, hasTCP: Bool, lease: Duration?)
    case failed(MappingFinding)
}
