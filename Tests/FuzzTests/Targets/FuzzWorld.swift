import StreakCrypto
import StreakGames
import StreakReplication
import StreakScores
import StreakWire

@testable import StreakEngine
@testable import StreakLinks
@testable import StreakMembership
@testable import StreakSimulator

/// An engine with its store, a friend who plays fair, and that friend's device gone bad: it holds every key and signs
/// whatever it likes.
struct FuzzWorld: Sendable {
    static let wall: Int64 = 1_795_000_000_000
    static let home = Endpoint(ipv4: 0x0A00_0001, port: 7_420)
    static let abroad = Endpoint(ipv4: 0x0A00_0002, port: 7_420)

    var engine: MeshEngine
    var store = SimulatedStore(id: StoreID(bytes: Bytes16(7, 1)))
    /// The other engine, as long as both still play fair.
    private var friend: MeshEngine
    private var friendStore = SimulatedStore(id: StoreID(bytes: Bytes16(7, 2)))
    private var isFair = true

    private(set) var group = GroupID(bytes: .zero)
    private var inviteText = ""
    private var hostile: Links
    private var entropy = SeededEntropy(seed: 12)
    private var feed: FeedReplica?
    private var ledger: Ledger?
    private var now = MonotonicInstant.zero
    private var wall = FuzzWorld.wall {
        didSet { latestWall = max(latestWall, wall) }
    }
    /// What is far ahead of the clock is not shown until its time: a clock that was set back hides what it showed.
    private var latestWall = FuzzWorld.wall
    private var lastCommand: UInt64 = 0
    private var outcomes: [CommandID: CommandOutcome] = [:]
    /// Transactions that are on disk and not yet reported; reported at once unless `withholds`.
    private var unreported: [ChangeID] = []
    private var withholds = false
    private var streams: [StreamID] = []
    private var lastStream: UInt64 = 0
    private var queue: [(input: EngineInput, isForFriend: Bool)] = []

    /// Both are members, and the bad device has its link. Made once.
    static let ready = Result { try FuzzWorld() }

    // MARK: How it begins

    private init() throws {
        var entropy = SeededEntropy(seed: 21)
        let accounts = (0..<2).map { _ in SigningSecretKey.generate(from: &entropy) }
        let identities = accounts.map { DeviceIdentity.create(accountKey: $0, from: &entropy) }
        func engine(_ index: Int) -> MeshEngine {
            MeshEngine(
                snapshot: Snapshot(store: StoreID(bytes: Bytes16(7, UInt64(index) + 1))), identity: identities[index],
                entropy: SeededEntropy(seed: UInt64(30 + index)), wallTime: WallTime(milliseconds: Self.wall))
        }
        self.engine = engine(0)
        friend = engine(1)
        hostile = Links(staticKey: identities[1].linkKey)
        give(.listening(port: 7_420, addresses: [Self.home], usesDiscovery: true))
        give(.listening(port: 7_420, addresses: [Self.abroad], usesDiscovery: true), toFriend: true)
        try makeGroups(of: accounts[0])
        isFair = false
        try turnBad(identities[1])
    }

    private mutating func makeGroups(of account: SigningSecretKey) throws {
        guard case .group? = command(.openPrivateGroup(accountKey: account)) else { throw Self.failure(1) }
        _ = command(.setAnswersToCode(SimulatedCode.keys(of: engine.identity.user)))
        guard case .group(let group)? = command(.foundGroup(title: "Friends")),
            case .invite(_, let text)? = command(.invite(group, uses: 0, lifetime: 86_400))
        else { throw Self.failure(2) }
        (self.group, inviteText) = (group, text)
        let link = try InviteLink(parsing: text)
        lastCommand += 1
        give(.command(CommandID(number: lastCommand), .join(link, timeout: .seconds(30))), toFriend: true)
        pass(.seconds(10))
        guard outcomes[CommandID(number: lastCommand)] == .group(group) else { throw Self.failure(3) }
        _ = command(.write([(group: group, drafts: [.value(Profile(name: "Ada"))] + (1...3).map(Self.score))]))
        pass(.seconds(20))
        guard engine.digest(of: group) == friend.digest(of: group) else { throw Self.failure(4) }
    }

    private mutating func turnBad(_ identity: DeviceIdentity) throws {
        let known = friendStore.snapshot
        let operations = try known.operations.filter { $0.group == group }.map {
            try SignedOperation(decoding: $0.bytes)
        }
        guard let founding = operations.first, let raw = known.accessKeys.first(where: { $0.group == group })?.key
        else {
            throw Self.failure(5)
        }
        var ledger = try Ledger(founding: founding)
        for operation in operations.dropFirst() { _ = try ledger.insert(operation) }
        self.ledger = ledger
        feed = FeedReplica(
            FeedID(device: identity.device, epoch: Epoch(counter: 9, nonce: 5)), in: group)
        let key = try AccessKey(rawBytes: raw)
        hostile.dial(
            peer: engine.identity.linkKey.publicKey,
            key: LinkKey(presharedKey: key.linkPresharedKey, tagKey: key.tagKey, label: .access(group, index: 0)),
            to: Self.home, usesStreams: false, at: now, entropy: &entropy)
        exchange()
        guard hostile.liveLinks.first != nil, engine.core.sessions.count == 1 else { throw Self.failure(6) }
        let store = StoreID(bytes: Bytes16(6, 6))
        let binding = engine.core.sessions.keys.first.flatMap { engine.core.sessions[$0]?.handshakeHash } ?? []
        let proof = Blake2b.keyedHash(binding + identity.linkKey.publicKey.rawBytes, key: key.groupProofKey, size: 16)
        say(LinkMessage.hello(store: store, proofs: [Bytes16(proof) ?? .zero]).encoded)
        guard engine.core.sessions.values.contains(where: { $0.groups[group] != nil }) else { throw Self.failure(7) }
    }

    private static func failure(_ step: Int) -> FuzzFinding {
        FuzzFinding(description: "the two friends could not meet: step \(step)")
    }

    private static func score(_ puzzle: Int) -> RecordDraft {
        let game = Catalogue.standard.games[0].id
        let day = PuzzleDay(yyyymmdd: 20_260_101) ?? .earliest
        return .score(DailyScore(game: game, day: day, puzzle: puzzle, isKeyedByPuzzle: true, score: 3))
    }

    // MARK: What may happen

    mutating func step(_ source: inout ByteSource) {
        switch source.choice(of: 20) {
        case 0: say(source.piece())
        case 1, 2, 3:
            // A message about the group, of any kind.
            say([ProtocolLimits.version, source.byte()] + handle + source.piece())
        case 4: sayRecords(&source)
        case 5, 6: sayOperation(&source)
        case 7: seal(source.piece())
        case 8: give(.link(.datagramReceived(source.piece(), from: stranger(&source))))
        case 9: give(.beaconReceived(source.piece(), from: stranger(&source)))
        case 10: useStream(&source)
        case 11: pass(.milliseconds(Int(source.short())))
        case 12: pass(.seconds(Int(source.short())))
        case 13, 14: if let command = command(from: &source) { begin(command) }
        case 15: wall = Self.wall &+ Int64(Int32(truncatingIfNeeded: source.number())) * 1_000
        case 16:
            withholds = source.flag()
            if !withholds { report() }
        case 17:
            let user = source.flag() ? hostileUser : UserID(bytes: Bytes32(source.number(), 0, 0, 0))
            give(.codeDerived(user, source.flag() ? SimulatedCode.code(of: user) : nil))
        case 18: give(.networkChanged(addresses: [stranger(&source)]))
        default: restart()
        }
    }

    private var handle: [UInt8] { Array(group.bytes.array.prefix(8)) }
    private var hostileUser: UserID { friend.identity.user }

    private func stranger(_ source: inout ByteSource) -> Endpoint {
        [
            Self.abroad, Endpoint(ipv4: 0x0A00_0063, port: 1),
            Endpoint(address: Bytes16(0xFE80 << 48, 7), port: 9, scope: 2),
        ][
            source.choice(of: 3)]
    }

    private mutating func say(_ message: [UInt8]) {
        guard let link = hostile.liveLinks.first else { return }
        hostile.send(message, over: link, as: .reliable, at: now)
        exchange()
    }

    /// The plaintext of a packet on the open link.
    private mutating func seal(_ plaintext: [UInt8]) {
        guard let link = hostile.liveLinks.first, let index = hostile.links[link]?.datagrams?.current,
            let packet = hostile.sessions.seal(plaintext, under: index)
        else { return }
        give(.link(.datagramReceived(packet, from: Self.abroad)))
        exchange()
    }

    /// A run with the right chain and signature, of records with any content.
    private mutating func sayRecords(_ source: inout ByteSource) {
        var records: [[UInt8]] = []
        for _ in 0...source.choice(of: 4) {
            let kind = source.byte()
            let time = HybridTime(milliseconds: wall &+ Int64(Int8(bitPattern: source.byte())) * 60_000, counter: 0)
            var writer = WireWriter()
            writer.write(kind)
            writer.write(source.flag() ? time.rawValue : source.number())
            writer.writeBlob(source.piece())
            writer.writeBlob(source.piece())
            records.append(writer.bytes)
        }
        let forks = source.choice(of: 8) == 0
        var copy = feed
        guard let run = copy?.write(RecordList(records), key: friend.identity.signingKey, arrival: 1).run else {
            return
        }
        if !forks { feed = copy }
        let message: LinkMessage =
            source.flag()
            ? .rumour(GroupHandle(group), run)
            : .runs(GroupHandle(group), [run], isFinal: source.flag(), isComplete: source.flag())
        guard message.encoded.count <= 60_000 else { return }
        say(message.encoded)
    }

    /// An operation with the right place and signature, of any content.
    private mutating func sayOperation(_ source: inout ByteSource) {
        guard let ledger, let kind = OperationBody.Kind(rawValue: source.byte()) else { return }
        let own = ledger.operations(from: friend.identity.device, after: 0).last
        let rest = source.piece()
        let parents = Set(ledger.heads + (own.map { [$0.id] } ?? []))
        let operation = accepted {
            let identities = [engine.identity, friend.identity]
            var reader = WireReader(FuzzTarget.substituted(rest, of: identities, in: ledger))
            return try SignedOperation(
                signing: LedgerOperation(
                    group: group, author: friend.identity.device, number: (own?.operation.number ?? 0) + 1,
                    previous: own?.id ?? .none, parents: Array(parents.prefix(8)), time: wall / 1_000,
                    body: try OperationBody(kind, from: &reader)),
                with: friend.identity.signingKey)
        }
        guard let operation else { return }
        _ = accepted { try self.ledger?.insert(operation) }
        say(LinkMessage.operations(GroupHandle(group), [operation.bytes], isFinal: source.flag()).encoded)
    }

    private mutating func useStream(_ source: inout ByteSource) {
        switch source.choice(of: 3) {
        case 0:
            lastStream += 2
            streams.append(StreamID(lastStream))
            give(.link(.streamAccepted(StreamID(lastStream), from: stranger(&source))))
        case 1:
            guard let stream = source.element(of: streams) else { return }
            give(.link(.streamBytesReceived(stream, source.piece())))
        default:
            guard let stream = source.element(of: streams) else { return }
            give(.link(.streamClosed(stream)))
            streams.removeAll { $0 == stream }
        }
    }

    private func command(from source: inout ByteSource) -> Command? {
        let operation = ledger.flatMap { source.element(of: $0.allOperations)?.id } ?? .none
        let keys = SimulatedCode.keys(of: hostileUser)
        switch source.choice(of: 22) {
        case 0: return .foundGroup(title: source.text())
        case 1: return .write([(group: group, drafts: [.value(Profile(name: source.text()))])])
        case 2: return .write([(group: group, drafts: [Self.score(Int(source.short()))])])
        case 3: return .write([(group: group, drafts: [.setting(name: source.text(), value: source.piece())])])
        case 4:
            return .invite(
                group, uses: UInt32(source.byte()), lifetime: Int64(bitPattern: source.number()),
                needsApproval: source.flag())
        case 5: return .revokeInvite(group, operation)
        case 6: return .rename(group, title: source.text())
        case 7: return .changeSettings(group, GroupSettings(whoMayInvite: source.flag() ? .everyone : .owner))
        case 8: return RoleChange.Change(rawValue: source.byte()).map { .setRole(group, hostileUser, $0) }
        case 9: return .transfer(group, to: source.flag() ? hostileUser : engine.identity.user)
        case 10: return .remove(group, hostileUser)
        case 11: return .annul(group, removal: operation)
        case 12: return .admit(group, request: operation)
        case 13: return .denyRequest(group, request: operation)
        case 14: return .linkDevice
        case 15: return .addFriend(keys, name: source.text())
        case 16: return .cancelFriend(keys.code)
        case 17: return .approveFriend(hostileUser, name: source.text())
        case 18: return source.flag() ? .declineFriend(hostileUser) : .blockFriend(hostileUser, name: source.text())
        case 19: return accepted { try InviteLink(parsing: inviteText) }.map { .join($0, timeout: .seconds(5)) }
        case 20: return .dialAddresses([stranger(&source)])
        default: return .dialEveryone
        }
    }

    // MARK: What follows

    private mutating func begin(_ command: Command) {
        lastCommand += 1
        give(.command(CommandID(number: lastCommand), command))
    }

    private mutating func command(_ command: Command) -> CommandOutcome? {
        begin(command)
        return outcomes[CommandID(number: lastCommand)]
    }

    private mutating func report() {
        let changes = unreported
        unreported = []
        for change in changes { give(.changeStored(change)) }
    }

    /// What the process would be after a power cut: everything that was persisted, nothing else.
    private mutating func restart() {
        unreported = []
        streams = []
        var next = MeshEngine(
            snapshot: store.snapshot, identity: engine.identity, entropy: SeededEntropy(seed: 40 + lastCommand),
            wallTime: WallTime(milliseconds: wall))
        next.nextStream = engine.nextStream
        engine = next
        give(.listening(port: 7_420, addresses: [Self.home], usesDiscovery: true))
    }

    private mutating func pass(_ duration: Duration) {
        let end = now.advanced(by: duration)
        for _ in 0..<200 {
            let due = [engine.nextDeadline, isFair ? friend.nextDeadline : hostile.nextDeadline].compactMap(\.self)
                .min()
            guard let due, due <= end else { break }
            now = max(now, due)
            give(.deadlineReached)
            if isFair { give(.deadlineReached, toFriend: true) } else { exchange() }
        }
        now = end
    }

    /// Lets the bad device's links and the engine talk.
    private mutating func exchange() {
        for _ in 0..<20 {
            hostile.handle(.deadlineReached, at: now, entropy: &entropy)
            let outputs = hostile.drain().outputs
            if outputs.isEmpty { return }
            for case .sendDatagram(let bytes, _, _) in outputs {
                give(.link(.datagramReceived(bytes, from: Self.abroad)))
            }
        }
    }

    private mutating func give(_ input: EngineInput, toFriend: Bool = false) {
        queue.append((input, toFriend))
        guard queue.count == 1 else { return }
        var handled = 0
        while let (input, isForFriend) = queue.first {
            handled += 1
            let time = WallTime(milliseconds: wall &+ now.nanoseconds / 1_000_000)
            if handled <= 2_000 {
                let outputs =
                    isForFriend
                    ? friend.handle(input, at: now, wallTime: time) : engine.handle(input, at: now, wallTime: time)
                for output in outputs { perform(output, byFriend: isForFriend) }
            }
            queue.removeFirst()
        }
    }

    private mutating func perform(_ output: EngineOutput, byFriend: Bool) {
        switch output {
        case .link(.sendDatagram(let bytes, let target, _)):
            if isFair {
                guard target == (byFriend ? Self.home : Self.abroad) else { return }
                let source = byFriend ? Self.abroad : Self.home
                queue.append((.link(.datagramReceived(bytes, from: source)), !byFriend))
            } else if target == Self.abroad {
                hostile.handle(.datagramReceived(bytes, from: Self.home), at: now, entropy: &entropy)
            }
        case .link(.openStream(let id, _)):
            queue.append((.link(.streamFailed(id)), byFriend))
        case .link(.closeStream(let id)):
            streams.removeAll { $0 == id }
        case .link(.sendStream): break
        case .sendBeacon(let bytes, _):
            if isFair { queue.append((.beaconReceived(bytes, from: byFriend ? Self.abroad : Self.home), !byFriend)) }
        case .persist(let change, let id):
            if byFriend { friendStore.apply(change) } else { store.apply(change) }
            if withholds, !byFriend { unreported.append(id) } else { queue.append((.changeStored(id), byFriend)) }
        case .complete(let id, let outcome): outcomes[id] = outcome
        case .deriveCode(let user): queue.append((.codeDerived(user, SimulatedCode.code(of: user)), byFriend))
        case .getNotice(let key): queue.append((.noticeSearched(key), byFriend))
        case .putNotice, .publish: break
        }
    }

    // MARK: What must hold

    /// The engine is not stuck, has lost none of its own records, and is what a restart would make of its store.
    mutating func check() throws(FuzzFinding) {
        withholds = false
        report()
        wall = latestWall
        give(.deadlineReached)
        for _ in 0..<100 {
            guard let deadline = engine.nextDeadline, deadline <= now else { break }
            give(.deadlineReached)
        }
        try demand(engine.nextDeadline.map { $0 > now } ?? true, "the engine does not spin")
        let again = MeshEngine(
            snapshot: store.snapshot, identity: engine.identity, entropy: SeededEntropy(seed: 3),
            wallTime: WallTime(milliseconds: wall &+ now.nanoseconds / 1_000_000))
        try demand(again.runsLeftOut.isEmpty, "every stored run fits")
        try demand(again.groupIDs == engine.groupIDs, "a restart knows the same groups")
        for group in engine.groupIDs {
            try demand(again.digest(of: group) == engine.digest(of: group), "a restart changes no digest")
            try demand(
                again.mergedRecords(of: group) == engine.mergedRecords(of: group), "a restart shows the same records")
        }
        // An owner's records are cut off by nobody.
        guard engine.state(of: group)?.owner == engine.identity.user else { return }
        let own = engine.core.groups[group]?.feeds.feeds.filter { $0.id.device == engine.identity.device } ?? []
        try demand(own.reduce(0) { $0 + $1.mainTip.number } >= 4, "no record of one's own is lost")
    }
}
