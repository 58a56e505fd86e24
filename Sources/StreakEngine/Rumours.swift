import StreakReplication
import StreakWire

/// Fresh runs on their way: who still has to acknowledge which, and when it is sent again.
///
/// Retries after 20 ms, ten times, then after 100 ms, ten times, on a LAN; elsewhere after 1.5 round trips but at least
/// 150 ms. What is still unacknowledged then is left to the digests (design: "Rumours").
struct Rumours: Sendable {
    /// The first eight bytes of the chain hash after the run.
    typealias Name = UInt64

    struct Delivery: Sendable {
        let group: GroupID
        let message: [UInt8]
        var attempts: Int
        var interval: Duration
        var due: MonotonicInstant
    }

    struct Key: Hashable, Comparable, Sendable {
        let name: Name
        let link: LinkID
        static func < (left: Key, right: Key) -> Bool { (left.link, left.name) < (right.link, right.name) }
    }

    /// Attempts in all.
    static let maximumAttempts = 20
    static let fastAttempts = 10
    static let fastInterval: Duration = .milliseconds(20)
    static let slowInterval: Duration = .milliseconds(100)
    static let minimumInternetInterval: Duration = .milliseconds(150)
    /// Deliveries under way; more are left to the digests.
    static let maximumDeliveries = 8_192
    /// How many links a received rumour is passed on to.
    static let fanout = 3
    /// Links to peers beyond the LAN that a rumour of ours goes to at once.
    static let activeView = 8

    private(set) var deliveries: [Key: Delivery] = [:]

    var nextDeadline: MonotonicInstant? { deliveries.values.map(\.due).min() }

    static func name(of tip: ChainHash) -> Name { tip.bytes.w0 }

    mutating func start(_ key: Key, _ delivery: Delivery) {
        guard deliveries.count < Self.maximumDeliveries else { return }
        deliveries[key] = delivery
    }

    mutating func acknowledged(_ key: Key) { deliveries[key] = nil }

    mutating func linkClosed(_ link: LinkID) {
        for key in deliveries.keys.sorted() where key.link == link { deliveries[key] = nil }
    }

    /// What is to be sent again now, and the links that were given up, with their group.
    mutating func due(at now: MonotonicInstant) -> (again: [(LinkID, [UInt8])], abandoned: [(LinkID, GroupID)]) {
        var again: [(LinkID, [UInt8])] = []
        var abandoned: [(LinkID, GroupID)] = []
        for key in deliveries.keys.sorted() {
            guard var delivery = deliveries[key], delivery.due <= now else { continue }
            guard delivery.attempts < Self.maximumAttempts else {
                deliveries[key] = nil
                abandoned.append((key.link, delivery.group))
                continue
            }
            delivery.attempts += 1
            if delivery.attempts > Self.fastAttempts { delivery.interval = max(delivery.interval, Self.slowInterval) }
            delivery.due = now.advanced(by: delivery.interval)
            deliveries[key] = delivery
            again.append((key.link, delivery.message))
        }
        return (again, abandoned)
    }
}
