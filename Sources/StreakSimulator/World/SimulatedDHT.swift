import StreakEngine
import StreakLinks
import StreakMembership
import StreakWire

/// The public BitTorrent network as the nodes see it: slow, forgetful, and sometimes not there.
public struct SimulatedDHT: Sendable {
    /// How well it works.
    public enum State: Sendable {
        /// No node of it answers: what is asked ends after 15 s.
        case cut
        /// Answers come after 0.5 to 15 s, one in ten is lost, and items are kept for two hours.
        case ordinary
        /// All that answer are liars: they say that they store, and hand out bytes of their own, or what was there long ago.
        case liars
    }

    struct Item: Sendable {
        let value: [UInt8]
        let sequence: Int64
        let end: MonotonicInstant
    }

    /// How long the nodes keep an item (BEP 44).
    static let lifetime: Duration = .seconds(7_200)
    /// After what time a search ends where nodes are silent.
    static let patience: Duration = .seconds(15)

    var state = State.cut
    /// All that was ever put, oldest first: liars forget nothing.
    private(set) var items: [Bytes32: [Item]] = [:]
    private(set) var putCount = 0
    private(set) var getCount = 0

    mutating func put(_ notice: Notice, at now: MonotonicInstant) {
        putCount += 1
        let item = Item(value: notice.value, sequence: notice.sequence, end: now.advanced(by: Self.lifetime))
        items[notice.key, default: []].append(item)
    }

    mutating func countGet() { getCount += 1 }

    /// What honest nodes hold under a key.
    func newest(_ key: Bytes32, at now: MonotonicInstant) -> [UInt8]? {
        items[key]?.filter { $0.end > now }.max { $0.sequence < $1.sequence }?.value
    }
}

extension Simulation {
    mutating func put(_ notice: Notice, from index: Int) {
        let life = nodes[index].life
        switch network.dht.state {
        case .cut: queue.add(.putFailed(at: index, life: life), at: now.advanced(by: SimulatedDHT.patience))
        case .ordinary: network.dht.put(notice, at: now)
        case .liars: network.dht.put(notice, at: now)
        }
    }

    mutating func get(_ key: Bytes32, for index: Int) {
        network.dht.countGet()
        let life = nodes[index].life
        let end = now.advanced(by: SimulatedDHT.patience)
        switch network.dht.state {
        case .cut: break
        case .ordinary:
            guard let value = network.dht.newest(key, at: now), !random.happens(with: 0.1) else { break }
            let delay = random.duration(from: .milliseconds(500), to: SimulatedDHT.patience)
            queue.add(.noticeFound(value, key, at: index, life: life), at: now.advanced(by: delay))
        case .liars:
            let old = network.dht.items[key]?.first?.value
            let noise = (0..<Notice.valueSize).map { _ in UInt8(random.number(below: 256)) }
            for value in [noise, old, old.map { $0.dropLast() + [0] }].compactMap(\.self) {
                queue.add(.noticeFound(value, key, at: index, life: life), at: now.advanced(by: .seconds(1)))
            }
        }
        queue.add(.noticeSearched(key, at: index, life: life), at: end)
    }
}
