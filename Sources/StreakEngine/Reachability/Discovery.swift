import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// When this node calls out on the local networks, and what it has heard there.
struct Discovery: Sendable {
    /// A key that a slot may be made with, and what it stands for.
    struct Source: Sendable, Equatable {
        let group: GroupID
        /// The invite under which a newcomer asks; nil for an access key.
        let invite: OperationID?
        let key: SymmetricKey
        /// The key of a link to who is heard under this one; nil for an invite.
        var linkKey: LinkKey?
        /// Whether a slot of every call is made with it. Of the others some are, by turns.
        var isCalled = false
        /// Whether a slot of some calls is.
        var isCalledInTurn = false
        /// How many hours the clock of who calls under it may be wrong, either way.
        var toleratedHours = Beacon.toleratedHours
        /// The friend code that the key is of, this account's or another one; group and invite say nothing then.
        var code: FriendCode?
    }

    /// At start, on waking and after a change of address, then after these delays.
    static let delays: [Duration] = [.zero, .seconds(5), .seconds(15), .seconds(60), .seconds(300)]
    /// Dead invites of one group whose holders are told so.
    static let maximumDeadInvites = 32
    /// How many hours the clock of a newcomer, and of who calls under an old key, may be wrong, either way. Every hour costs
    /// a hash for every stranger's packet.
    static let fewToleratedHours: Int64 = 2
    /// Nonces remembered, so that a replayed beacon gets no answer.
    static let maximumNonces = 4_096

    /// Whether beacons are read, and sent to an address.
    private(set) var isStarted = false
    /// Whether the local networks are called, too.
    private(set) var callsNetworks = false
    private(set) var port: UInt16 = 0
    private var calls: [MonotonicInstant] = []
    /// Slots filled with old keys so far.
    private var turn = 0
    /// Slots filled with newest keys so far, where there are more of those than slots.
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

    /// The keys of the next call: those of invites, the newest of every group, and in the slots that are left older ones;
    /// by turns where they are too many.
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

    /// Reads a beacon made with any of our keys by a clock at most 36 hours off. Nil for all else, and for a beacon
    /// heard before.
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
