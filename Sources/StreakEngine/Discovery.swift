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
    /// Beacons looked at.
    static let beacons = TokenBucket.Limit(burst: 200, interval: .milliseconds(20))
    /// Of those, what one source address may take up.
    static let beaconsOfSource = TokenBucket.Limit(burst: 40, interval: .milliseconds(100))
    static let maximumSources = 1_024
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
    private var perSource = SourceLimiter(Discovery.beaconsOfSource, maximumSources: Discovery.maximumSources)
    private var all = TokenBucket(Discovery.beacons)

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
        _ bytes: [UInt8], from endpoint: Endpoint, at now: MonotonicInstant, wall: WallTime
    ) -> (source: Source, hourKey: [UInt8], content: Beacon.Content)? {
        guard bytes.count == Beacon.size, perSource.take(endpoint, at: now), all.take(at: now),
            let nonce = Bytes16(bytes.prefix(16))
        else { return nil }
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
}

extension MeshEngine {
    /// The beacon keys of this node's groups, and of the invites under which newcomers may ask.
    func discoverySources() -> [Discovery.Source] {
        var sources: [Discovery.Source] = []
        for id in groups.keys {
            guard let group = groups[id], listens(in: id) else { continue }
            // Who has lost a group is silent, and hears if somebody calls who thinks otherwise.
            let calls = takesPart(in: id)
            for (index, (key, linkKey)) in zip(group.accessKeys, linkKeys(of: id)).enumerated() {
                sources.append(
                    .init(
                        group: id, invite: nil, key: key.beaconKey, linkKey: linkKey, isCalled: calls && index == 0,
                        isCalledInTurn: calls && index > 0,
                        toleratedHours: index == 0 ? Beacon.toleratedHours : Discovery.fewToleratedHours))
            }
            guard calls else { continue }
            for invite in group.state.answered(group.state.invites.filter { $0.isLive(at: wall.seconds) }) {
                sources.append(
                    .init(
                        group: id, invite: invite.id, key: Self.beaconKey(of: invite.presharedKey),
                        toleratedHours: Discovery.fewToleratedHours))
            }
        }
        for id in joins.keys.sorted() {
            guard let attempt = joins[id] else { continue }
            let key = Self.beaconKey(of: attempt.link.secrets.presharedKey)
            sources.append(.init(group: attempt.link.group, invite: nil, key: key, isCalled: true))
        }
        return sources + friendSources()
    }

    static func beaconKey(of presharedKey: SymmetricKey) -> SymmetricKey {
        Blake2b.derive(context: "streakmesh/v1/beacon-key", from: presharedKey)
    }

    /// Calls out where it is time to.
    mutating func announcePresence() {
        if discovery.isDue(at: now) { call(nil) }
    }

    /// Calls the local networks, or an address: who is there may be a member of whom this device has not heard yet, and
    /// whom it cannot dial.
    mutating func call(_ target: Endpoint?) {
        guard discovery.isStarted else { return }
        let hour = Beacon.hour(of: wall)
        let content = Beacon.Content(kind: .query, port: discovery.port, linkKey: identity.linkKey.publicKey)
        // A newcomer asks under its invite, a member under its access keys; a member never calls under an invite.
        let slots = discovery.takeCalledSources().map {
            (hourKey: Beacon.hourKey($0.key, hour: hour), content: content)
        }
        guard !slots.isEmpty else { return }
        outputs.append(.sendBeacon(Beacon.make(slots, entropy: &entropy), to: target))
    }

    private mutating func answerBeacon(hourKey: [UInt8], to target: Endpoint) {
        let reply = Beacon.Content(kind: .answer, port: discovery.port, linkKey: identity.linkKey.publicKey)
        outputs.append(.sendBeacon(Beacon.make([(hourKey, reply)], entropy: &entropy), to: target))
    }

    /// Whether this node is one of about `wantedLinks` of those online that answer, once it has links enough of its own.
    private mutating func isChosenToAnswer(in group: GroupID) -> Bool {
        guard links(sharing: group).count >= Dialler.wantedLinks else { return false }
        return randomNumber(below: max(1, presence[group]?.count ?? 0)) < Dialler.wantedLinks
    }

    private func isCurrent(_ linkKey: AgreementPublicKey, in group: GroupID) -> Bool {
        groups[group]?.state.device(linkKey: linkKey)?.isCurrent ?? false
    }

    /// Takes in a beacon. False where the bytes are none of ours.
    mutating func handleBeacon(_ bytes: [UInt8], from endpoint: Endpoint) -> Bool {
        guard discovery.isStarted,
            let (source, hourKey, content) = discovery.read(bytes, from: endpoint, at: now, wall: wall)
        else { return false }
        guard content.linkKey != identity.linkKey.publicKey else { return true }
        let target = Endpoint(address: endpoint.address, port: content.port, scope: endpoint.scope)
        if let code = source.code {
            handleFriendBeacon(content, under: code, hourKey: hourKey, from: target)
        } else if let attempt = joins.keys.sorted().first(where: { joins[$0]?.link.group == source.group }),
            content.kind == .answer
        {
            dialForJoining(attempt, at: target)
        } else if source.invite != nil, content.kind == .query {
            answerBeacon(hourKey: hourKey, to: target)
        } else if let linkKey = source.linkKey {
            if links.link(to: content.linkKey) == nil {
                dialSighted(content.linkKey, in: source.group, under: linkKey, at: target)
                // Where there was no room for it: it may have room, and some of many are enough to tell.
                if content.kind == .query, isCurrent(content.linkKey, in: source.group),
                    isChosenToAnswer(in: source.group)
                {
                    answerBeacon(hourKey: hourKey, to: target)
                }
            } else if content.kind == .query, isCurrent(content.linkKey, in: source.group) {
                // Perhaps it has just started anew, and this side has not noticed yet: let it dial.
                answerBeacon(hourKey: hourKey, to: target)
            }
        }
        return true
    }
}
