import StreakLinks
import StreakMembership
import StreakWire

/// Devices that are expected: their whereabouts have just come, so both sides dial at about the same time. This side's knocks
/// keep its own router open for them until then (Protocol/reachability.md §4).
struct WarmDevices: Sendable {
    struct Warm: Sendable {
        /// When it is no longer expected.
        let end: MonotonicInstant
        /// When it is dialled next.
        fileprivate(set) var due: MonotonicInstant
        /// Knocks so far; the dial at the beginning is the first.
        fileprivate(set) var count = 0

        var manner: DialManner {
            count == 0 ? .quiet : .knock(isFull: count.isMultiple(of: WarmDevices.knocksToAFullOne))
        }

        /// Full messages that this dial sends to each endpoint at most.
        var messages: Int {
            switch manner {
            case .plain, .quiet: WarmDevices.datagramsOfADial
            case .knock(let isFull): isFull ? 1 : 0
            }
        }

        /// The number that chooses the key. It changes slowly, so that both sides use the same key several times.
        var attempt: Int { count / WarmDevices.knocksToAFullOne }
    }

    static let maximumCount = 32
    static let maximumEndpoints = 4
    static let lifetime: Duration = .seconds(900)
    /// Linux forgets a flow that nobody has answered after 30 s.
    static let interval: Duration = .seconds(20)
    static let knocksToAFullOne = 4
    /// Older whereabouts cause no dial: a device that is online tells new ones every 30 min.
    static let maximumAge: Duration = .seconds(35 * 60)
    /// Datagrams that a first dial sends at most in its five seconds.
    static let datagramsOfADial = 5
    /// How long to wait with a device for which the budget of dials was used up.
    private static let pause: Duration = .seconds(1)

    private var warm: [DeviceID: Warm] = [:]

    subscript(device: DeviceID) -> Warm? { warm[device] }

    var nextDeadline: MonotonicInstant? { warm.values.lazy.map { min($0.due, $0.end) }.min() }

    /// Expects a device from now on. If there are too many, the one that would end soonest makes room.
    mutating func expect(_ device: DeviceID, at now: MonotonicInstant) {
        warm[device] = Warm(end: now.advanced(by: Self.lifetime), due: now)
        guard warm.count > Self.maximumCount else { return }
        // The device decides between equal ones, so the order of the table does not matter.
        let soonest = warm.filter { $0.key != device }.min { ($0.value.end, $0.key) < ($1.value.end, $1.key) }
        if let soonest { warm[soonest.key] = nil }
    }

    mutating func end(_ device: DeviceID) { warm[device] = nil }

    mutating func endAll() { warm = [:] }

    /// The devices to dial now, in order. Devices that are no longer expected are removed.
    mutating func due(at now: MonotonicInstant) -> [DeviceID] {
        warm = warm.filter { $0.value.end > now }
        return warm.filter { $0.value.due <= now }.keys.sorted()
    }

    /// Whether a device was dialled, or could not be.
    mutating func dialled(_ device: DeviceID, _ isDialled: Bool, at now: MonotonicInstant) {
        warm[device]?.due = now.advanced(by: isDialled ? Self.interval : Self.pause)
        if isDialled { warm[device]?.count += 1 }
    }
}

extension Whereabouts {
    /// Where to dial the device: addresses that are sure to lead there first.
    var dialled: ArraySlice<Entry> {
        func rank(_ entry: Entry) -> Int {
            if entry.endpoint.ipv4 == nil { return 0 }
            switch entry.source {
            case .mapped: return 1
            case .named: return 2
            case .ipv6, .seen: return 3
            }
        }
        return entries.sorted { (rank($0), $0) < (rank($1), $1) }.prefix(WarmDevices.maximumEndpoints)
    }
}
