public import StreakLinks
public import StreakMembership
import StreakReplication
public import StreakWire

/// How this node and a linked device reach each other.
public enum DevicePath: String, CaseIterable, Sendable {
    /// On the local network.
    case lan
    /// From one global IPv6 address to the other.
    case ipv6
    /// At a port that the router of one of the two has opened.
    case mapped
    /// Through routers that both sides' packets have opened.
    case punched
    /// At an address that a user has named.
    case named
}

/// Reading who is found where on the internet.
extension MeshEngine {
    public var internetSetting: InternetSetting { reachability.own.setting }

    /// What this device tells of itself, or would if it may: endpoints, each with how it knows of it.
    public var ownEndpoints: [Whereabouts.Entry] { reachability.own.content(reachability.witnesses).entries }

    /// How others reach this device from the internet.
    public var ownReach: OwnReach { reachability.reach(core: core) }

    /// Where witnesses see this device by IPv4; nil where they do not agree, or are too few.
    public var seenEndpoint: Endpoint? {
        if case .steady(let endpoint) = reachability.witnesses.judgement(ofIPv4: true) { endpoint } else { nil }
    }

    /// Whether peers are too few to say where this device is seen, so that others are worth asking.
    public var lacksWitnesses: Bool { reachability.witnesses.lacksPeers }

    /// The newest whereabouts of a device, this one among them, and how old they are at an instant; nil where none are held.
    public func whereabouts(of device: DeviceID, at instant: MonotonicInstant) -> (newest: Whereabouts, age: Duration)?
    {
        reachability.whereabouts[device].map { ($0.whereabouts, $0.age(at: instant)) }
    }

    /// How many devices this node holds whereabouts of, those that no ledger names among them.
    public var whereaboutsCount: Int { reachability.whereabouts.count + reachability.unknownWhereabouts.count }

    /// Whether a device is always on: it has said so within a day, or, for this one, it is.
    public func isAlwaysOn(_ device: DeviceID, at instant: MonotonicInstant, wall: WallTime) -> Bool {
        if device == core.identity.device { return reachability.own.isAlwaysOn(at: wall) }
        guard let (newest, age) = whereabouts(of: device, at: instant) else { return false }
        return newest.isAlwaysOn && age <= .seconds(86_400)
    }

    /// Whether the newest whereabouts of a device came in a notice.
    public func wasFoundByNotice(_ device: DeviceID) -> Bool { reachability.whereabouts[device]?.isOfNotice ?? false }

    /// Whether a device is looked for: it is warm, or this node knows an address to dial it at.
    public func isLookingFor(_ device: DeviceID) -> Bool {
        reachability.warm[device] != nil || !reachability.dialler.endpoints(of: device).isEmpty
    }

    /// Whether a device is expected, since its whereabouts have just come.
    public func isWarm(_ device: DeviceID) -> Bool { reachability.warm[device] != nil }
}

extension Reachability {
    func reach(core: EngineCore) -> OwnReach {
        if own.setting == .lanOnly { return .none }
        if own.found.contains(where: { $0.source == .mapped }) { return .mapped }
        let isOpen = core.network.ownEndpoints.contains { $0.ipv4 != nil && $0.mayBeTold }
        if isOpen || own.found.contains(where: { $0.source == .named }) { return .open }
        let judgements = [true, false].map { witnesses.judgement(ofIPv4: $0) }
        let isSteady = judgements.contains { if case .steady = $0 { true } else { false } }
        // A firewall in front of an IPv6 address keeps the port, as a steady router does.
        if isSteady || own.found.contains(where: { $0.source == .ipv6 }) { return .steady }
        return judgements.contains(.changing) ? .changing : .unknown
    }

    /// How the two ends of a link reach each other, by what both say of themselves.
    func path(of link: LinkID, to device: DeviceID, at endpoint: Endpoint, core: EngineCore) -> DevicePath {
        if endpoint.isLocal { return .lan }
        if core.network.namedEndpoints.contains(endpoint) { return .named }
        let entry = whereabouts[device]?.whereabouts.entries.first { $0.endpoint == endpoint }
        switch entry?.source {
        case .named: return .named
        case .mapped: return .mapped
        case .ipv6, .seen, nil: break
        }
        if endpoint.ipv4 == nil { return .ipv6 }
        // It has come in at this device's own port.
        let isComing = !(core.sessions[link]?.isInitiator ?? true)
        let isMapped = own.found.contains { $0.source == .mapped && $0.endpoint.ipv4 != nil }
        return isComing && isMapped ? .mapped : .punched
    }
}
