import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// Decides when this node sends beacons on the local networks, and reads those of others.
struct Discovery: Sendable {
    /// A key that a slot may be made with, and what it stands for.
    struct Source: Sendable, Equatable {
        let group: GroupID
        /// The invite under which a newcomer asks; nil for an access key.
        let invite: OperationID?
        let key: SymmetricKey
        /// The key for a link to a device whose beacon was made with this one; nil for an invite.
        var linkKey: LinkKey?
        /// Whether every beacon has a slot for it. Other keys get the slots that are left, in turn.
        var isCalled = false
        /// Whether it gets a slot in turn.
        var isCalledInTurn = false
        /// How many hours the sender's clock may be wrong, in either direction.
        var toleratedHours = Beacon.toleratedHours
        /// The friend code, of this account or another, from which the key comes. Group and invite mean nothing then.
        var code: FriendCode?
    }

    /// At start, on waking and after a change of address, then after these delays.
    static let delays: [Duration] = [.zero, .seconds(5), .seconds(15), .seconds(60), .seconds(300)]
    /// How many dead invites of one group are still answered, so that their holders hear that they are dead.
    static let maximumDeadInvites = 32
    /// How many hours the clock of a newcomer, or of a sender with an old key, may be wrong, in either direction. Every
    /// hour costs a hash for every stranger's packet.
    static let fewToleratedHours: Int64 = 2
    /// Nonces remembered, so that a replayed beacon gets no answer.
    static let maximumNonces = 4_096

    /// Whether beacons are read, and sent to an address.
    private(set) var isStarted = false
    /// Whether beacons are also sent to everybody on the local networks.
    private(set) var callsNetworks = false
    private(set) var port: UInt16 = 0
    private var calls: [MonotonicInstant] = []
    /// Slots filled with old keys so far.
    private var turn = 0
    /// Slots filled with newest keys so far, if there are more newest keys than slots.
    private var newestTurn = 0
    var sources: [Source] = [] { didSet { if sources != oldValue { hour = nil } } }
    private var hour: Int64?
    private var hourKeys: [(key: [UInt8], source: Int)] = []
    private var heard: Set<Bytes16> = []
    private var heardInOrder: [Bytes16] = []

    var nextDeadline: MonotonicInstant? { calls.first }

    mutating func start(port: UInt16, callingNetworks: Bool, at now: MonotonicInstant) {
        isStarted = true
        callsNetworks = callingNetworks
        self.port = port
        callSoon(at: now)
    }

    mutating func callSoon(at now: MonotonicInstant) {
        guard callsNetworks else { return }
        calls = Self.delays.map { now.advanced(by: $0) }
    }

    /// Whether it is time to call.
    mutating func isDue(at now: MonotonicInstant) -> Bool {
        guard let first = calls.first, first <= now else { return false }
        calls.removeAll { $0 <= now }
        return true
    }

    /// The keys of the next beacon: those of invites, then the newest of each group, then older ones in the slots that are
    /// left. If there are more keys than slots, they take turns.
    mutating func takeCalledSources() -> [Source] {
        let called = sources.filter(\.isCalled)
        let invites = called.filter { $0.linkKey == nil }.prefix(Beacon.slotCount)
        let newest = called.filter { $0.linkKey != nil }
        let places = min(Beacon.slotCount - invites.count, newest.count)
        let always = Array(invites) + (0..<places).map { newest[(newestTurn + $0) % newest.count] }
        newestTurn = places == newest.count ? 0 : (newestTurn + places) % newest.count
        let others = sources.filter(\.isCalledInTurn)
        let room = min(max(0, Beacon.slotCount - always.count), others.count)
        defer { turn = others.isEmpty ? 0 : (turn + room) % others.count }
        return always + (0..<room).map { others[(turn + $0) % others.count] }
    }

    /// Reads a beacon that was made with one of our keys, by a clock at most 36 hours off. Nil for anything else, and for a
    /// beacon heard before.
    mutating func read(
        _ bytes: [UInt8], wall: WallTime
    ) -> (source: Source, hourKey: [UInt8], content: Beacon.Content)? {
        guard bytes.count == Beacon.size, let nonce = Bytes16(bytes.prefix(16)) else { return nil }
        refreshHourKeys(wall)
        guard !heard.contains(nonce),
            let (index, content) = Beacon.open(bytes, hourKeys: hourKeys.lazy.map(\.key))
        else { return nil }
        heard.insert(nonce)
        heardInOrder.append(nonce)
        if heardInOrder.count > Self.maximumNonces { heard.remove(heardInOrder.removeFirst()) }
        return (sources[hourKeys[index].source], hourKeys[index].key, content)
    }

    private mutating func refreshHourKeys(_ wall: WallTime) {
        let current = Beacon.hour(of: wall)
        guard hour != current else { return }
        hour = current
        // The hours next to ours come first: nearly every beacon is found there.
        let offsets = (-Beacon.toleratedHours...Beacon.toleratedHours).sorted { (abs($0), $0) < (abs($1), $1) }
        hourKeys = offsets.flatMap { offset in
            sources.indices.filter { abs(offset) <= sources[$0].toleratedHours }
                .map { (Beacon.hourKey(sources[$0].key, hour: current + offset), $0) }
        }
    }

    static func beaconKey(of presharedKey: SymmetricKey) -> SymmetricKey {
        Blake2b.derive(context: "streakmesh/v1/beacon-key", from: presharedKey)
    }
}
