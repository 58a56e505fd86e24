import StreakCrypto
import StreakEngine
import StreakGames
import StreakLinks
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// What a member with a modified program does.
public enum Lie: String, CaseIterable, Sendable {
    /// Claims tips far beyond what anybody wrote, for every feed.
    case falseTips
    /// Names what it has but does not send it; takes rumours but does not pass them on.
    case withheldRuns
    /// Sends runs of others' feeds with a wrong chain, signature or content.
    case forgedRuns
    /// Sends ledger operations in others' names, and unreadable ones.
    case forgedOperations
    /// Announces a different digest every time, so that there always seems to be something new.
    case restlessDigests
    /// Writes as many valid records as it can.
    case recordFlood
    /// Comments on one result, and writes messages to a friend, as often as it can.
    case talkFlood
    /// Adds as many valid operations to the ledger as allowed.
    case operationFlood
    /// Forks its feed at one place in many ways, and shows each friend another branch.
    case forkedFeed
    /// Repeats old rumours again and again.
    case staleRumours
    /// Requests everything, all the time.
    case endlessQuestions
    /// Says that everybody's datagrams come from a stranger's address.
    case falseWitness
    /// Says every second, with another number, that it is found at a stranger's address.
    case strangersAddress
    /// Repeats all whereabouts that it was ever told, as if they were new.
    case replayedWhereabouts
    /// Passes on the newest whereabouts as if they were weeks old.
    case falseAges
    /// Makes up devices, and says where each is.
    case madeUpDevices
    /// Says that everybody is linked to it.
    case falsePresence
    /// Leaves old whereabouts and forged runs in the DHT, where everybody's notices are looked for.
    case forgedNotices

    /// Those about where devices are on the internet, and who is online.
    static let aboutAddresses: [Lie] = [
        .falseWitness, .strangersAddress, .replayedWhereabouts, .falseAges, .madeUpDevices, .falsePresence,
        .forgedNotices,
    ]
}

/// A member's device that runs a hostile program. It has all that the member had, opens links with anybody, and sends
/// anything. It cannot sign for others.
struct Liar: Sendable {
    private struct Conversation: Sendable {
        let key: AgreementPublicKey
        let handshakeHash: [UInt8]
        /// The branch of its feed that it shows to this friend.
        var fork: FeedReplica?
    }

    /// Somebody to lie to.
    struct Target: Sendable {
        let device: DeviceID
        let key: AgreementPublicKey
        let endpoint: Endpoint
    }

    let lies: Set<Lie>
    private let identity: DeviceIdentity
    private let group: GroupID
    private let targets: [Target]
    private let accessKeys: [AccessKey]
    private let store: StoreID
    private var ledger: Ledger?
    private var feeds: [FeedID: FeedReplica] = [:]
    private var ownFeed: FeedReplica
    private var links: Links
    private var entropy: SeededEntropy
    private var random: SimulatedRandom
    private var conversations: [LinkID: Conversation] = [:]
    private var nextAct: MonotonicInstant = .zero
    private var nextDial: MonotonicInstant = .zero
    private var writtenCount = 0
    /// What it was told of others, the oldest first.
    private(set) var told: [Whereabouts] = []
    private var nextWhereabouts: MonotonicInstant = .zero
    private var nextNotices: MonotonicInstant = .zero
    private var wall: WallTime = WallTime(milliseconds: 0)

    /// How often it acts on its own and dials peers without a link.
    private static let actInterval: Duration = .milliseconds(250)
    private static let dialInterval: Duration = .seconds(5)
    private static let noticeInterval: Duration = .seconds(60)
    private static let runsAtOnce = 8
    /// 29 days, in seconds.
    private static let falseAge: UInt32 = 2_505_600

    /// Takes over a member's device.
    ///
    /// - Parameter targets: the others.
    init(
        _ identity: DeviceIdentity, in group: GroupID, holding snapshot: Snapshot, lies: Set<Lie>,
        targets: [Target], seed: UInt64
    ) {
        self.identity = identity
        self.group = group
        self.lies = lies
        self.targets = targets
        store = snapshot.store
        links = Links(staticKey: identity.linkKey)
        entropy = SeededEntropy(seed: seed)
        random = SimulatedRandom(seed: seed)
        // A store's contents can be read; a key that cannot is left out.
        accessKeys = snapshot.accessKeys.filter { $0.group == group }.compactMap { try? AccessKey(rawBytes: $0.key) }
        for stored in snapshot.operations where stored.group == group {
            // As above, and all was inserted before.
            guard let operation = try? SignedOperation(decoding: stored.bytes) else { continue }
            if ledger == nil { ledger = try? Ledger(founding: operation) }
            _ = try? ledger?.insert(operation)
        }
        for run in snapshot.runs where run.group == group && run.branch == 0 {
            _ = feeds[run.run.feed, default: FeedReplica(run.run.feed, in: group)].restore(run)
        }
        let epoch = Epoch(counter: 1_000, nonce: random.next())
        ownFeed = FeedReplica(FeedID(device: identity.device, epoch: epoch), in: group)
        links.setKeys(linkKeys, for: .member)
    }

    private var linkKeys: [LinkKey] {
        accessKeys.enumerated().map { index, key in
            LinkKey(
                presharedKey: key.linkPresharedKey, tagKey: key.tagKey,
                label: .access(group, index: accessKeys.count - 1 - index))
        }
    }

    private var handle: GroupHandle { GroupHandle(group) }

    var nextDeadline: MonotonicInstant? {
        [links.nextDeadline, nextAct, nextDial].compactMap { $0 }.min()
    }

    mutating func handle(_ input: LinkInput, at now: MonotonicInstant, wallTime: WallTime) -> [EngineOutput] {
        wall = wallTime
        links.handle(input, at: now, entropy: &entropy)
        if nextDial <= now {
            nextDial = now.advanced(by: Self.dialInterval)
            dial(at: now)
        }
        if nextAct <= now {
            nextAct = now.advanced(by: Self.actInterval)
            for link in conversations.keys.sorted() { act(over: link, at: now) }
        }
        if nextWhereabouts <= now {
            nextWhereabouts = now.advanced(by: .seconds(1))
            for link in conversations.keys.sorted() { lieAboutAddresses(over: link, at: now) }
        }
        var outputs: [EngineOutput] = []
        if lies.contains(.forgedNotices), nextNotices <= now {
            nextNotices = now.advanced(by: Self.noticeInterval)
            outputs += forgedNotices()
        }
        while true {
            let (more, events) = links.drain()
            outputs += more.map { .link($0) }
            if events.isEmpty { return outputs }
            for event in events { process(event, at: now) }
        }
    }

    private mutating func dial(at now: MonotonicInstant) {
        guard let key = linkKeys.first else { return }
        for target in targets where links.link(to: target.key) == nil {
            links.dial(peer: target.key, key: key, to: target.endpoint, at: now, entropy: &entropy)
        }
    }

    private mutating func process(_ event: LinkEvent, at now: MonotonicInstant) {
        switch event {
        case .opened(let link, let peer, _, let hash, _, _):
            conversations[link] = Conversation(key: peer, handshakeHash: hash)
            let proofs = accessKeys.map { key in
                Bytes16(
                    Blake2b.keyedHash(hash + identity.linkKey.publicKey.rawBytes, key: key.groupProofKey, size: 16))
                    ?? .zero
            }
            say(.hello(store: store, proofs: proofs), over: link, at: now)
            sayDigest(over: link, at: now)
        case .closed(let link, _):
            conversations[link] = nil
        case .messageReceived(let link, let bytes, _):
            // Honest nodes send only readable messages.
            if let message = try? LinkMessage(decoding: bytes) { answer(message, over: link, at: now) }
        case .pathChanged, .keepaliveReceived, .responderShown, .dialFailed, .dropped:
            break
        }
    }

    private mutating func say(
        _ message: LinkMessage, over link: LinkID, as urgency: Urgency = .reliable, at now: MonotonicInstant
    ) {
        // A message that is too long is not sent.
        links.send(message.encoded, over: link, as: urgency, at: now)
    }

    // MARK: Answering

    private mutating func answer(_ message: LinkMessage, over link: LinkID, at now: MonotonicInstant) {
        switch message {
        case .tipsRequested:
            say(.tips(handle, tips(shownOver: link)), over: link, at: now)
        case .operationsRequested(_, let known):
            let missing = ledger?.operations(missingFrom: known) ?? []
            say(.operations(handle, missing.map(\.bytes), isFinal: true), over: link, at: now)
        case .runsRequested(_, let wanted):
            var answer: [Run] = []
            if !lies.contains(.withheldRuns) {
                for want in wanted.prefix(64) { answer += runs(want, shownOver: link) }
            }
            say(.runs(handle, Array(answer.prefix(16)), isFinal: true, isComplete: true), over: link, at: now)
        case .rumour(_, let run):
            // It claims to have the run, so that the sender believes that it passes it on.
            guard let records = try? run.records() else { return }  // honest nodes send readable records
            let name = FeedChain.hash(after: run.before, records: records).bytes.w0
            say(.rumourAcknowledged(name), over: link, as: .rumour, at: now)
            _ = try? feeds[run.feed, default: FeedReplica(run.feed, in: group)].receive(run, arrival: 1)
        case .hello, .digest, .tips, .operations, .runs, .rumourAcknowledged, .joinRequested, .welcome,
            .joinRefused, .accessKeysRequested, .accessKeys, .friend, .presence, .seenAt:
            break
        case .whereabouts(let entries):
            // Honest nodes pass on only what they could read.
            let fresh = entries.compactMap { try? Whereabouts(decoding: $0.bytes) }
            told += fresh.filter { !told.contains($0) }
        }
    }

    private mutating func tips(shownOver link: LinkID) -> TipsMessage {
        var tips = feeds.keys.sorted().compactMap { feed in
            feeds[feed].map { FeedTip(feed: feed, tip: $0.mainTip) }
        }
        let own = conversations[link]?.fork ?? ownFeed
        if own.mainTip.number > 0 { tips.append(FeedTip(feed: own.id, tip: own.mainTip)) }
        if lies.contains(.falseTips) {
            tips = tips.map { entry in
                let number = min(entry.tip.number + 1 + UInt64(random.number(below: 100_000)), 1 << 20)
                return FeedTip(feed: entry.feed, tip: Tip(number: number, hash: ChainHash(bytes: noise())))
            }
        }
        return TipsMessage(
            arrival: 1 + random.next() % 1_000, isFinal: true, operations: ledger?.tips ?? [],
            feeds: Array(tips.prefix(256)))
    }

    private mutating func runs(_ wanted: RunsWanted, shownOver link: LinkID) -> [Run] {
        let own = conversations[link]?.fork ?? ownFeed
        let feed = wanted.feed == own.id ? own : feeds[wanted.feed]
        var comparisons = 64
        let honest = feed?.runs(wanted, maximumSize: 16_000, comparisons: &comparisons).runs ?? []
        return lies.contains(.forgedRuns) ? honest.map { forged($0) } : honest
    }

    // MARK: Acting

    private mutating func act(over link: LinkID, at now: MonotonicInstant) {
        if lies.contains(.restlessDigests) || lies.contains(.falseTips) || lies.contains(.forkedFeed) {
            sayDigest(over: link, at: now)
        }
        if lies.contains(.forgedRuns) { sendForgedRumours(over: link, at: now) }
        if lies.contains(.forgedOperations) { sendForgedOperations(over: link, at: now) }
        if lies.contains(.recordFlood) { floodRecords(over: link, at: now) }
        if lies.contains(.talkFlood) { floodTalk(over: link, at: now) }
        if lies.contains(.operationFlood) { floodOperations(over: link, at: now) }
        if lies.contains(.forkedFeed) { fork(over: link, at: now) }
        if lies.contains(.staleRumours) {
            for run in someRuns() { say(.rumour(handle, run), over: link, as: .rumour, at: now) }
        }
        if lies.contains(.endlessQuestions) {
            say(.operationsRequested(handle, known: []), over: link, at: now)
            say(.tipsRequested(handle, store: StoreID(bytes: .zero), arrival: 0), over: link, at: now)
            let everything = feeds.keys.sorted().prefix(64).map { RunsWanted(feed: $0, held: []) }
            say(.runsRequested(handle, Array(everything)), over: link, at: now)
        }
    }

    private mutating func sayDigest(over link: LinkID, at now: MonotonicInstant) {
        let digest = GroupDigest(bytes: Bytes16(random.next(), random.next()))
        say(
            .digest(
                handle, digest, arrival: 1 + random.next() % 1_000, count: random.next() % 1_000,
                clock: UInt64(clamping: wall.seconds)), over: link, at: now)
    }

    private mutating func lieAboutAddresses(over link: LinkID, at now: MonotonicInstant) {
        if lies.contains(.falseWitness) { say(.seenAt(Internet.victim), over: link, at: now) }
        if lies.contains(.strangersAddress) {
            let whereabouts = Whereabouts(
                number: UInt64(clamping: wall.milliseconds), isSteady: true, isAlwaysOn: true,
                entries: [Whereabouts.Entry(source: .named, endpoint: Internet.victim)], identity: identity)
            say(.whereabouts([ToldWhereabouts(age: 0, bytes: whereabouts.bytes)]), over: link, at: now)
        }
        if lies.contains(.replayedWhereabouts), !told.isEmpty {
            let some = (0..<Self.runsAtOnce).map { _ in told[random.number(below: told.count)] }
            say(.whereabouts(some.map { ToldWhereabouts(age: 0, bytes: $0.bytes) }), over: link, at: now)
        }
        if lies.contains(.falseAges) {
            let newest = targets.compactMap { self.newest(of: $0.device) }
            say(
                .whereabouts(newest.map { ToldWhereabouts(age: Self.falseAge, bytes: $0.bytes) }), over: link, at: now)
        }
        if lies.contains(.madeUpDevices) {
            // More than anybody reads: 0.6 a second, after the first 512.
            say(.whereabouts([ToldWhereabouts(age: 0, bytes: madeUpDevice().bytes)]), over: link, at: now)
        }
        if lies.contains(.falsePresence) {
            let entries = targets.map { PresenceEntry(device: DeviceHandle($0.device), hops: 1) }
            say(.presence(handle, entries), over: link, at: now)
        }
    }

    private mutating func madeUpDevice() -> Whereabouts {
        let account = SigningSecretKey.generate(from: &entropy)
        return Whereabouts(
            number: UInt64(clamping: wall.milliseconds), isSteady: true, isAlwaysOn: true,
            entries: [Whereabouts.Entry(source: .named, endpoint: Internet.victim)],
            identity: .create(accountKey: account, from: &entropy))
    }

    private func newest(of device: DeviceID) -> Whereabouts? {
        told.filter { $0.device == device }.max { $0.number < $1.number }
    }

    /// One under each device's name: who has the group's key can put it there.
    private mutating func forgedNotices() -> [EngineOutput] {
        guard let key = accessKeys.last else { return [] }
        let day = wall.seconds / 86_400
        return (targets.map(\.device) + [identity.device]).map { device in
            var writer = WireWriter()
            for run in someRuns().prefix(2) {
                var part = WireWriter()
                forged(run).encode(into: &part)
                let isRoom = writer.bytes.count + part.bytes.count <= Notice.maximumLetterSize
                if isRoom { writer.writeRaw(part.bytes) }
            }
            let old = told.first { $0.device == device }
            let content = Notice.Content(whereabouts: old, letter: writer.bytes)
            return .putNotice(
                RendezvousKey(of: key).place(of: device, day: day)
                    .notice(of: content, sequence: wall.seconds, entropy: &entropy))
        }
    }

    private mutating func noise() -> Bytes32 { Bytes32(random.next(), random.next(), random.next(), random.next()) }

    private mutating func someRuns() -> [Run] {
        let all = feeds.keys.sorted().flatMap { feeds[$0]?.storedRuns ?? [] }
        guard !all.isEmpty else { return [] }
        return (0..<Self.runsAtOnce).map { _ in all[random.number(below: all.count)].run }
    }

    /// A run with one thing its author did not write: sometimes its start, sometimes its content, sometimes the record
    /// after it.
    private mutating func forged(_ run: Run) -> Run {
        let records = someRecords(2)
        let hash = ChainHash(bytes: noise())
        switch random.number(below: 3) {
        case 0: return Run(feed: run.feed, first: run.first, before: hash, signature: run.signature, records: records)
        case 1:
            return Run(feed: run.feed, first: run.first, before: run.before, signature: run.signature, records: records)
        default:
            // Signed, but not by the feed's device.
            let after = feeds[run.feed]?.mainTip ?? Tip(number: run.last, hash: hash)
            let end = Tip(number: after.number + 2, hash: FeedChain.hash(after: after.hash, records: records))
            let signature = identity.signingKey.signature(
                for: FeedChain.signedBytes(group: group, feed: run.feed, tip: end))
            return Run(
                feed: run.feed, first: after.number + 1, before: after.hash, signature: signature, records: records)
        }
    }

    private mutating func someRecords(_ count: Int) -> RecordList {
        guard let game = GameID("wordle"), let day = PuzzleDay(yyyymmdd: 20_261_121) else { return RecordList() }
        var records = RecordList()
        for _ in 0..<count {
            writtenCount += 1
            let score = DailyScore(
                game: game, day: day, puzzle: 900_000_000 + writtenCount, isKeyedByPuzzle: true, score: 1,
                firstRecordedAt: 1_795_000_000)
            let time = HybridTime(
                milliseconds: wall.milliseconds, counter: UInt16(truncatingIfNeeded: writtenCount))
            records.append(RecordDraft.score(score).record(at: time).encoded)
        }
        return records
    }

    private mutating func sendForgedRumours(over link: LinkID, at now: MonotonicInstant) {
        for run in someRuns() { say(.rumour(handle, forged(run)), over: link, as: .rumour, at: now) }
    }

    private mutating func sendForgedOperations(over link: LinkID, at now: MonotonicInstant) {
        let all = ledger?.allOperations ?? []
        guard !all.isEmpty else { return }
        let forged = (0..<4).map { _ in
            var bytes = all[random.number(below: all.count)].bytes
            bytes[random.number(below: bytes.count)] ^= UInt8(1 + random.number(below: 255))
            return bytes
        }
        say(.operations(handle, forged + [[UInt8](repeating: 7, count: 100)], isFinal: false), over: link, at: now)
    }

    private mutating func floodRecords(over link: LinkID, at now: MonotonicInstant) {
        for _ in 0..<Self.runsAtOnce {
            let run = ownFeed.write(someRecords(4), key: identity.signingKey, arrival: 1).run
            say(.rumour(handle, run), over: link, as: .rumour, at: now)
        }
    }

    private mutating func floodTalk(over link: LinkID, at now: MonotonicInstant) {
        let result = ResultName(
            owner: identity.user, key: ScoreKey(game: GameID(literal: "wordle"), axis: .puzzle(1_981)))
        for _ in 0..<Self.runsAtOnce {
            var records = RecordList()
            for _ in 0..<3 {
                writtenCount += 1
                let id = WritingID(milliseconds: Int64(writtenCount), chance: 0)
                let text = String(repeating: "spam ", count: 20)
                let draft: RecordDraft =
                    writtenCount % 2 == 0
                    ? .value(ResultComment(id, on: result, text: text)) : .value(FriendMessage(id, text: text))
                let counter = UInt16(truncatingIfNeeded: writtenCount)
                let time = HybridTime(milliseconds: wall.milliseconds, counter: counter)
                records.append(draft.record(at: time).encoded)
            }
            let run = ownFeed.write(records, key: identity.signingKey, arrival: 1).run
            say(.rumour(handle, run), over: link, as: .rumour, at: now)
        }
    }

    /// The number of operations after which a flood ends: many, but still possible to simulate.
    private static let floodLength: UInt64 = 400

    /// Operations that take up space: invites that end immediately, as any member may make; and, at the end of its own
    /// chain, operations that do not count and its own certificate repeatedly.
    private mutating func floodOperations(over link: LinkID, at now: MonotonicInstant) {
        guard let known = ledger,
            known.tips.allSatisfy({ $0.device != identity.device || $0.number < Self.floodLength })
        else { return }
        var fresh: [SignedOperation] = surplusOperations(16)
        for _ in 0..<2 {
            guard
                // The size is right.
                let key = try? SigningSecretKey(seed: entropy.bytes(SigningSecretKey.seedByteCount)),
                let presharedKey = Bytes32(entropy.bytes(32)),
                let operation = try? known.draft(
                    .invite(
                        InviteTerms(
                            publicKey: key.publicKey, presharedKeyBytes: presharedKey, maximumUses: 1,
                            expiresAt: wall.seconds + 60, needsApproval: false)),
                    by: identity, at: wall.seconds)  // refused once there are too many
            else { break }
            _ = try? ledger?.insert(operation)  // it was just drafted for this ledger
            fresh.append(operation)
        }
        if !fresh.isEmpty { say(.operations(handle, fresh.map(\.bytes), isFinal: false), over: link, at: now) }
    }

    private mutating func surplusOperations(_ count: Int) -> [SignedOperation] {
        var fresh: [SignedOperation] = []
        for index in 0..<count {
            guard let known = ledger else { break }
            let own = known.tips.filter { $0.device == identity.device }.max()
            let title = String(repeating: "x", count: 230) + "\(random.next() % 1_000)"
            let operation = LedgerOperation(
                group: group, author: identity.device, number: (own?.number ?? 0) + 1,
                previous: own?.operation ?? .none,
                parents: own.map { [$0.operation] } ?? Array(known.heads.prefix(LedgerOperation.maximumParents)),
                time: wall.seconds, body: index % 2 == 0 ? .rename(title) : .addDevice(identity.certificate))
            // After a thousand operations its chain is full.
            guard let signed = try? SignedOperation(signing: operation, with: identity.signingKey),
                let added = try? ledger?.insert(signed, withinLimits: false), case .added = added
            else { break }
            fresh.append(signed)
        }
        return fresh
    }

    /// Forks at the beginning of its feed and writes something else, for this friend only.
    private mutating func fork(over link: LinkID, at now: MonotonicInstant) {
        let isNew = random.happens(with: 0.3)
        var feed = isNew ? nil : conversations[link]?.fork
        if feed == nil { feed = FeedReplica(ownFeed.id, in: group) }
        guard var feed else { return }
        let run = feed.write(someRecords(1), key: identity.signingKey, arrival: 1).run
        conversations[link]?.fork = feed
        say(.rumour(handle, run), over: link, as: .rumour, at: now)
    }
}
