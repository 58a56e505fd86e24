import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine

/// A core for one machine to work on, without an engine. This device owns a group, and its friends are at the other
/// ends of sessions without a path, so messages to them wait there to be read.
struct MachineBench {
    var core: EngineCore
    let group: GroupID
    let friends: [DeviceIdentity]
    /// The links to friends.
    private(set) var links: [LinkID] = []
    private var entropy = SeededEntropy(seed: 31)

    init(friends count: Int = 2, recordPace: RecordPace = RecordPace()) throws {
        let own = Self.identity(300)
        core = EngineCore(
            snapshot: Snapshot(store: StoreID(bytes: Bytes16(3, 3))), identity: own, entropy: SeededEntropy(seed: 30),
            wallTime: WallTime(milliseconds: EngineNetwork.wall), linkLimits: LinkLimits(), recordPace: recordPace,
            ledgers: [:])
        var change = DurableChange()
        group = try core.startGroup(title: "Club", change: &change)
        friends = (0..<count).map { Self.identity(301 + UInt64($0)) }
        for friend in friends { try admit(friend) }
        for friend in friends { links.append(open(friend)) }
        core.outputs = []
    }

    static func identity(_ seed: UInt64) -> DeviceIdentity {
        var entropy = SeededEntropy(seed: seed)
        return DeviceIdentity.create(accountKey: .generate(from: &entropy), from: &entropy)
    }

    /// The claim that a newcomer signs for a new invite, on a handshake.
    mutating func claim(
        of newcomer: DeviceIdentity, in other: GroupID? = nil, on session: PeerSession? = nil
    ) throws -> JoinClaim {
        let group = other ?? group
        let secrets = InviteSecrets.generate(from: &entropy)
        let terms = secrets.terms(maximumUses: 1, expiresAt: core.wall.seconds + 600)
        let ledger = try #require(core.groups[group]?.ledger)
        let invite = try ledger.draft(.invite(terms), by: core.identity, at: core.wall.seconds)
        var change = DurableChange()
        _ = try core.insert(invite, in: group, change: &change)
        let handshake = session.map(Admission.binding) ?? [UInt8](repeating: 0, count: 64)
        let proof = JoinProof(
            inviteKey: secrets.inviteKey, group: group, identity: newcomer, handshakeHash: handshake)
        return JoinClaim(invite: invite.id, certificate: newcomer.certificate, proof: proof)
    }

    /// Makes somebody a member, of the friends' group if of no other one.
    mutating func admit(_ newcomer: DeviceIdentity, to other: GroupID? = nil) throws {
        let group = other ?? group
        let claim = try claim(of: newcomer, in: group)
        let ledger = try #require(core.groups[group]?.ledger)
        var change = DurableChange()
        _ = try core.insert(
            ledger.admission(of: claim, by: core.identity, at: core.wall.seconds), in: group, change: &change)
    }

    /// A link to somebody. By default it was opened under the group's access key, and both ends have proven to know the
    /// group.
    mutating func open(
        _ peer: DeviceIdentity, label: LinkKeyLabel? = nil, isInitiator: Bool = false, isProven: Bool = true
    ) -> LinkID {
        let link = LinkID(UInt64(core.sessions.count + 1))
        var session = PeerSession(
            link: link, key: peer.linkKey.publicKey, handshakeHash: [UInt8](repeating: UInt8(link.number), count: 32),
            label: label ?? .access(group, index: 0), isInitiator: isInitiator)
        if isProven { session.groups[group] = PeerGroup() }
        core.sessions[link] = session
        return link
    }

    /// Ends a link.
    mutating func close(_ link: LinkID) { core.sessions[link] = nil }

    /// Removes a friend.
    mutating func remove(_ friend: Int) throws {
        let ledger = try #require(core.groups[group]?.ledger)
        let removal = Removal(
            user: friends[friend].user, cuts: ledger.cuts(of: friends[friend].user) { _ in [] },
            accessKeyHash: AccessKey.generate(from: &entropy).hash)
        var change = DurableChange()
        _ = try core.insert(
            ledger.draft(.remove(removal), by: core.identity, at: core.wall.seconds), in: group, change: &change)
    }

    mutating func advance(by duration: Duration) { core.now = core.now.advanced(by: duration) }

    // MARK: What a machine did

    /// The messages sent over a link since the last call.
    mutating func said(over link: LinkID) -> [LinkMessage] {
        var messages: [LinkMessage] = []
        while let bytes = core.sessions[link]?.sending.next() {
            if let message = try? LinkMessage(decoding: bytes) { messages.append(message) }  // the tests count them
            core.sessions[link]?.sending.advance()
        }
        return messages
    }

    /// The work posted for others since the last call.
    mutating func posted() -> [Work] {
        var work: [Work] = []
        while let next = core.takePosted() { work.append(next) }
        return work
    }

    /// Stores what was put out, and returns the work posted by then.
    mutating func store() -> [Work] {
        for case .persist(_, let id) in core.outputs { core.stored(id) }
        core.outputs.removeAll { if case .persist = $0 { true } else { false } }
        return posted()
    }

    /// What is on its way to the disk.
    var changes: [DurableChange] {
        core.outputs.compactMap { if case .persist(let change, _) = $0 { change } else { nil } }
    }

    var outcomes: [CommandOutcome] {
        core.outputs.compactMap { if case .complete(_, let outcome) = $0 { outcome } else { nil } }
    }

    var events: [EngineEvent] {
        core.outputs.compactMap { if case .publish(let event) = $0 { event } else { nil } }
    }

    var handle: GroupHandle { GroupHandle(group) }
}
