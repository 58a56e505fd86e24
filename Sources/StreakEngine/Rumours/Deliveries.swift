import StreakLinks
import StreakReplication
import StreakWire

/// Names a rumour: the first eight bytes of the chain hash after its run.
typealias RumourName = UInt64

/// Fresh runs on their way: who still has to acknowledge which, and when to send each again.
///
/// On a LAN it repeats after 20 ms, ten times, then after 100 ms, ten times. Elsewhere it repeats after 1.5 round
/// trips, but at least 150 ms. The digests take care of what is still unacknowledged then.
struct Deliveries: Sendable {
    typealias Name = RumourName

    struct Delivery: Sendable {
        let group: GroupID
        let message: [UInt8]
        var attempts: Int
        var interval: Duration
    }

    struct Key: Hashable, Comparable, Sendable {
        let name: Name
        let link: LinkID
        static func < (left: Key, right: Key) -> Bool { (left.link, left.name) < (right.link, right.name) }
    }

    /// Attempts in total.
    static let maximumAttempts = 20
    static let fastAttempts = 10
    static let fastInterval: Duration = .milliseconds(20)
    static let slowInterval: Duration = .milliseconds(100)
    static let minimumInternetInterval: Duration = .milliseconds(150)
    /// Deliveries in progress, in total and on one link. The digests take care of others.
    static let maximumDeliveries = 8_192
    static let maximumDeliveriesPerLink = 256

    private var deliveries: [Key: Delivery] = [:]
    private var deadlines = DeadlineQueue<Key>()
    private var counts: [LinkID: Int] = [:]

    var nextDeadline: MonotonicInstant? { deadlines.next }

    /// Nil for a run that does not decode.
    static func name(of run: Run) -> Name? {
        guard let records = try? run.records() else { return nil }  // its sender gets no acknowledgement
        return FeedChain.hash(after: run.before, records: records).bytes.w0
    }

    /// Waits for an acknowledgement. False if too many deliveries are in progress.
    mutating func start(_ key: Key, _ delivery: Delivery, due: MonotonicInstant) -> Bool {
        guard deliveries[key] == nil else { return true }
        guard deliveries.count < Self.maximumDeliveries, counts[key.link, default: 0] < Self.maximumDeliveriesPerLink
        else { return false }
        deliveries[key] = delivery
        deadlines.schedule(key, at: due)
        counts[key.link, default: 0] += 1
        return true
    }

    mutating func acknowledged(_ key: Key) {
        guard deliveries.removeValue(forKey: key) != nil else { return }
        deadlines.schedule(key, at: nil)
        counts[key.link, default: 1] -= 1
    }

    mutating func linkClosed(_ link: LinkID) {
        guard counts.removeValue(forKey: link) != nil else { return }
        for key in deliveries.keys.sorted() where key.link == link {
            deliveries[key] = nil
            deadlines.schedule(key, at: nil)
        }
    }

    /// Messages to send again now, and deliveries that were given up, by link and group.
    mutating func due(at now: MonotonicInstant) -> (again: [(LinkID, [UInt8])], abandoned: [(LinkID, GroupID)]) {
        var again: [(LinkID, [UInt8])] = []
        var abandoned: [(LinkID, GroupID)] = []
        while let key = deadlines.popDue(at: now) {
            guard var delivery = deliveries[key] else { continue }
            guard delivery.attempts < Self.maximumAttempts else {
                acknowledged(key)
                abandoned.append((key.link, delivery.group))
                continue
            }
            delivery.attempts += 1
            if delivery.attempts > Self.fastAttempts { delivery.interval = max(delivery.interval, Self.slowInterval) }
            deliveries[key] = delivery
            deadlines.schedule(key, at: now.advanced(by: delivery.interval))
            again.append((key.link, delivery.message))
        }
        return (again, abandoned)
    }
}
