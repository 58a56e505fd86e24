import StreakCrypto
import StreakEngine
import StreakLinks
import StreakMembership
import StreakReplication
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
        /// It is well, but its nodes hand out all that was ever put under a key.
        case crowded

        /// Whether its nodes say truly from where they are asked.
        var isHonest: Bool {
            switch self {
            case .ordinary, .crowded: true
            case .cut, .liars: false
            }
        }
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
    private var items: [Bytes32: [Item]] = [:]
    private(set) var putCount = 0
    private(set) var getCount = 0

    mutating func put(_ notice: Notice, at now: MonotonicInstant) {
        putCount += 1
        let item = Item(value: notice.value, sequence: notice.sequence, end: now.advanced(by: Self.lifetime))
        items[notice.key, default: []].append(item)
    }

    /// All that was put under a key, oldest first.
    func all(_ key: Bytes32) -> [[UInt8]] { items[key]?.map(\.value) ?? [] }

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
        case .ordinary, .liars, .crowded: network.dht.put(notice, at: now)
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
        case .crowded:
            for value in network.dht.all(key) {
                queue.add(.noticeFound(value, key, at: index, life: life), at: now.advanced(by: .seconds(1)))
            }
        case .liars:
            let old = network.dht.all(key).first
            let noise = (0..<Notice.valueSize).map { _ in UInt8(random.number(below: 256)) }
            for value in [noise, old, old.map { $0.dropLast() + [0] }].compactMap(\.self) {
                queue.add(.noticeFound(value, key, at: index, life: life), at: now.advanced(by: .seconds(1)))
            }
        }
        queue.add(.noticeSearched(key, at: index, life: life), at: end)
    }

    mutating func crowdNewcomers(_ count: Int) {
        guard let link = ground.invite else { return fail("no invite", .story) }
        var entropy = SeededEntropy(seed: random.next())
        let key = RendezvousKey(ofInvite: link.secrets.presharedKey)
        let place = key.place(of: DeviceID(bytes: .zero), day: Self.firstWallTime / 86_400_000)
        for number in 0..<count {
            let account = SigningSecretKey.generate(from: &entropy)
            let whereabouts = Whereabouts(
                number: UInt64(number), isSteady: true, isAlwaysOn: false,
                entries: [Whereabouts.Entry(source: .named, endpoint: Internet.victim)],
                identity: DeviceIdentity.create(accountKey: account, from: &entropy))
            let content = Notice.Content(whereabouts: whereabouts)
            network.dht.put(place.notice(of: content, sequence: Int64(number), entropy: &entropy), at: now)
        }
    }

    /// Looks with the access keys in a former member's copy of its disk.
    mutating func expectNothingLeft(for node: Int) {
        let keys = (nodes[node].backup ?? nodes[node].store).snapshot.accessKeys.compactMap {
            try? AccessKey(rawBytes: $0.key)
        }
        guard !keys.isEmpty else { return fail("node \(node) has no access key", .story) }
        let today = wallTime(of: node).seconds / 86_400
        for other in nodes.indices where other != node {
            for place in keys.flatMap({ key in
                [today, today + 1].map { RendezvousKey(of: key).place(of: nodes[other].identity.device, day: $0) }
            }) where network.dht.newest(place.key, at: now) != nil {
                fail("node \(node) still finds what node \(other) has left", .engine)
            }
        }
    }
}
