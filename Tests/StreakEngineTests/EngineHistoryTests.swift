import StreakCrypto
import StreakGames
import StreakLinks
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire
import Testing

@testable import StreakEngine

/// How histories of years reach a newcomer: the newest records first, from several peers at once, no author too fast.
struct EngineHistoryTests {
    /// Makes an engine write `count` results, as an import does.
    private func importHistory(_ count: Int, at index: Int, in party: inout EngineNetwork) throws {
        let game = try #require(GameID("wordle"))
        let drafts = (0..<count).map { number in
            RecordDraft.score(
                DailyScore(
                    game: game, day: PuzzleDay(daysSinceEpoch: 20_700 - count + number), puzzle: number,
                    score: number % 7,
                    isCompleted: true, firstRecordedAt: EngineNetwork.wall / 1_000))
        }
        let outcome = party.command(.write([(group: party.group, drafts: drafts)]), at: index)
        #expect(outcome == .done)
    }

    private func addNewcomer(to party: inout EngineNetwork) -> Int {
        let entropy = SeededEntropy(seed: 4_242)
        var own = entropy
        let account = SigningSecretKey.generate(from: &own)
        party.add(DeviceIdentity.create(accountKey: account, from: &own), entropy: own)
        return party.nodes.count - 1
    }

    private func newestDay(at index: Int, in party: EngineNetwork) -> Int? {
        party.nodes[index].engine.mergedRecords(of: party.group).compactMap {
            try? DailyScore(subject: $0.key.subject, value: $0.value, time: $0.time)
        }.map(\.day.daysSinceEpoch).max()
    }

    @Test func `a newcomer sees the newest results before anything of the history is stored`() throws {
        var party = try EngineNetwork.friends(2)
        for index in 0...1 { try importHistory(9_000, at: index, in: &party) }
        party.run(for: .seconds(5)) { $0.digests().count == 1 }
        let newcomer = addNewcomer(to: &party)
        party.begin(.join(try party.invite(by: 0), timeout: .seconds(60)), at: newcomer)
        party.run(for: .seconds(60)) { !$0.nodes[newcomer].engine.mergedRecords(of: $0.group).isEmpty }
        let group = party.group
        #expect(party.nodes[newcomer].engine.recordCount(of: group) == 0, "nothing is stored yet")
        #expect(newestDay(at: newcomer, in: party) == 20_699)
        let progress = try #require(party.nodes[newcomer].engine.progress(of: group))
        #expect(progress.held == 0 && progress.total == 18_000)
        party.run(for: .seconds(60)) { $0.digests().count == 1 }
        #expect(party.nodes[newcomer].engine.recordCount(of: group) == 18_000)
        #expect(party.nodes[newcomer].engine.mergedRecords(of: group).count == 18_000)
        party.run(for: .seconds(5))
        #expect(party.nodes[newcomer].engine.progress(of: group) == nil)
        #expect(party.nodes[newcomer].engine.core.groups[group]?.ahead.isEmpty ?? false)
        var rebuilt = try #require(party.nodes[newcomer].engine.core.groups[group])
        #expect(rebuilt.rebuild(wall: party.wall(newcomer)).isEmpty)
        #expect(rebuilt.merged.all == party.nodes[0].engine.mergedRecords(of: group))
    }

    @Test func `records ahead of a gap that nobody closes are taken back`() throws {
        var party = try EngineNetwork.friends(2)
        try importHistory(9_000, at: 0, in: &party)
        party.run(for: .seconds(5)) { $0.digests().count == 1 }
        let newcomer = addNewcomer(to: &party)
        party.begin(.join(try party.invite(by: 0), timeout: .seconds(60)), at: newcomer)
        party.run(for: .seconds(60)) { !$0.nodes[newcomer].engine.mergedRecords(of: $0.group).isEmpty }
        let group = party.group
        #expect(party.nodes[newcomer].engine.recordCount(of: group) == 0)
        party.partition([[0, 1], [newcomer]])
        party.run(for: .seconds(300))
        #expect(party.nodes[newcomer].engine.mergedRecords(of: group).isEmpty)
        let resets = party.nodes[newcomer].events.count { if case .recordsReset = $0 { true } else { false } }
        #expect(resets == 1)
        party.partition([[0, 1, newcomer]])
        party.run(for: .seconds(600)) { $0.digests().count == 1 }
        #expect(party.nodes[newcomer].engine.mergedRecords(of: group).count == 9_000)
    }

    @Test func `what several peers have comes once`() throws {
        let party = try EngineNetwork.friends(5)
        let key = party.nodes[0].engine.identity.signingKey
        var feed = FeedReplica(FeedID(device: party.device(0), epoch: Epoch(counter: 9, nonce: 9)), in: party.group)
        let runs = (0..<24).map { number in
            feed.write(history(from: number * 500, count: 500), key: key, arrival: 1).run
        }
        func bytes(from peers: ClosedRange<Int>) throws -> Int {
            var party = party
            let (group, before) = (party.group, party.nodes[4].receivedByteCount)
            for index in peers {
                let wall = party.wall(index)
                try party.corrupt(index) { engine in
                    for run in runs { _ = try engine.core.groups[group]?.receive(run, arrival: 99, wall: wall) }
                }
            }
            // All tell at once.
            for index in peers { party.corrupt(index) { $0.sync.tellDigest(of: group, except: nil, core: &$0.core) } }
            for index in peers { party.begin(.keepSetting(name: "x", value: [1]), at: index) }
            party.run(for: .seconds(30)) { $0.nodes[4].engine.recordCount(of: group) == 12_000 }
            #expect(party.nodes[4].engine.mergedRecords(of: group).count == 12_000)
            return (party.nodes[4].receivedByteCount) - before
        }
        let (one, all) = (try bytes(from: 1...1), try bytes(from: 0...3))
        #expect(all < one * 5 / 4, "\(all) from four, \(one) from one")
    }

    private func history(from first: Int, count: Int) -> RecordList {
        RecordList(
            (first..<(first + count)).map { number in
                RecordDraft.withdrawnScore(Forged.key(number)).record(
                    at: HybridTime(milliseconds: EngineNetwork.wall, counter: 0)
                ).encoded
            })
    }

    @Test func `what is asked for is what nobody else was asked for`() throws {
        let device = DeviceID(bytes: Bytes32(1, 2, 3, 4))
        func feed(_ number: UInt32, claimed: UInt64, own: UInt64?) -> SyncPlan.Feed {
            let id = FeedID(device: device, epoch: Epoch(counter: number, nonce: 1))
            let hash = ChainHash(bytes: .zero)
            return SyncPlan.Feed(
                claimed: FeedTip(feed: id, tip: Tip(number: claimed, hash: hash)),
                held: own.map { [Tip(number: $0, hash: hash)] } ?? [], own: own)
        }
        let feeds = [feed(1, claimed: 200_000, own: 10), feed(2, claimed: 300, own: 0), feed(3, claimed: 5, own: nil)]
        var taken: [FeedID: [ClosedRange<UInt64>]] = [:]
        var asked: [[RunsWanted]] = []
        for _ in 0..<6 {
            let wanted = SyncPlan(feeds: feeds, ahead: AheadRuns(), taken: taken).next(limit: 64)
            asked.append(wanted)
            for part in wanted { if let numbers = part.numbers { taken[part.feed, default: []].append(numbers) } }
        }
        #expect(asked[0].map(\.numbers) == [11...(10 + SyncPlan.recordsPerRequest)])
        let parts = asked[..<5].flatMap { $0 }.compactMap(\.numbers)
        #expect(parts.reduce(0) { $0 + $1.count } == 199_990 + 300)
        #expect(asked[4].last?.numbers == nil, "another branch is asked for whole")
        // One branch cannot be divided.
        #expect(asked[5].map(\.numbers) == [nil])
        let rest = SyncPlan(feeds: Array(feeds.prefix(2)), ahead: AheadRuns(), taken: taken)
        #expect(rest.next(limit: 64).isEmpty)
        #expect(rest.next(limit: 64, repeating: true).map(\.numbers) == [11...(10 + SyncPlan.recordsPerRequest)])
        let plan = SyncPlan(feeds: feeds, ahead: AheadRuns(), taken: [:])
        #expect(plan.newest(except: []).map(\.numbers) == [199_489...200_000])
    }

    // MARK: Pace

    private static var slow: RecordPace {
        var pace = RecordPace()
        (pace.burst, pace.rate, pace.overdraft) = (1_000, 50, 0)
        return pace
    }

    @Test func `an author who brings too much is accepted at its pace, and completely in the end`() throws {
        var party = try EngineNetwork.friends(3, recordPace: Self.slow)
        let start = party.now
        try importHistory(9_000, at: 2, in: &party)
        party.write("Ada", by: 0)
        party.run(for: .seconds(10))
        for index in 0...1 {
            let held = party.nodes[index].engine.recordCount(of: party.group)
            let seconds = Int(start.duration(to: party.now).nanoseconds / 1_000_000_000)
            // An answer may overdraw it by one run.
            #expect(held < 1_000 + 50 * seconds + 4_096 + 2, "\(held) after \(seconds) s")
        }
        #expect(party.names(1).contains("Ada"), "others are not held up")
        let deadline = try #require(party.nodes[0].engine.nextDeadline)
        #expect(deadline > party.now)
        party.run(for: .seconds(600)) { $0.digests().count == 1 }
        #expect(party.digests().count == 1)
        #expect(party.nodes[0].engine.recordCount(of: party.group) == 9_001)
        #expect(start.duration(to: party.now) > .seconds((9_000 - 1_000 - 4_096) / 50))
    }

    @Test func `rumours of an author beyond its pace are neither kept nor acknowledged`() throws {
        var party = try EngineNetwork.friends(2, recordPace: Self.slow)
        party.write(puzzles: 1...1_400, by: 1)
        // Before anything is asked for.
        party.run(for: .milliseconds(5))
        let held = party.nodes[0].engine.recordCount(of: party.group)
        #expect((1_000..<1_150).contains(held), "\(held)")
        party.run(for: .seconds(60)) { $0.digests().count == 1 }
        #expect(party.nodes[0].engine.recordCount(of: party.group) == 1_400)
    }

    @Test func `a peer that answers with more than it was asked for is not taken at its word`() throws {
        var party = try EngineNetwork.friends(2, recordPace: Self.slow)
        var feed = FeedReplica(
            FeedID(device: party.device(1), epoch: Epoch(counter: 9, nonce: 9)), in: party.group)
        let key = party.nodes[1].engine.identity.signingKey
        let records = history(from: 0, count: 1_000)
        let group = party.group
        for _ in 0..<60 {
            let link = try #require(party.nodes[0].engine.core.sessions.keys.first)
            party.corrupt(0) { engine in
                var round = SyncRound(comparesAll: true, deadline: .zero)
                round.stage = .awaitingRuns
                engine.sync.peers[link, group]?.round = round
                let run = feed.write(records, key: key, arrival: 1).run
                engine.sync.receivedRuns(
                    [run], isFinal: false, isComplete: true, of: group, over: link, core: &engine.core)
            }
        }
        let held = party.nodes[0].engine.recordCount(of: party.group)
        // One run was on its way when the budget was used up.
        #expect((1_000...3_000).contains(held), "\(held)")
    }

    /// A digest that comes during a round is asked about after it, unless the peer is silent.
    @Test(arguments: [
        (Sync.RoundEnd.caughtUp, true), (.fruitless, true), (.deferred, true), (.unanswered, false),
    ])
    func `news told during an exchange begins another one, however that one ends`(
        end: Sync.RoundEnd, isFollowed: Bool
    ) throws {
        for isTold in [false, true] {
            var party = try EngineNetwork.friends(2)
            let group = party.group
            let now = party.now
            party.corrupt(0) { engine in
                for link in engine.core.links(of: group, allowing: .records) {
                    engine.sync.startRound(over: link, group: group, comparingAll: false, core: &engine.core)
                    engine.sync.peers[link, group]?.round?.wasRefused = end == .fruitless
                    if end == .deferred {
                        engine.sync.peers[link, group]?.round?.deferredUntil = now.advanced(by: .seconds(60))
                    }
                    // A digest that differs from this side's.
                    if isTold {
                        engine.sync.receivedDigest(
                            GroupDigest(bytes: Bytes16(1, 2)), arrival: 9, of: group, over: link, core: &engine.core)
                        let own = engine.digest(of: group)
                        engine.sync.peers[link, group]?.digest = own
                    }
                    engine.sync.endRound(over: link, group: group, as: end, core: &engine.core)
                }
            }
            let rounds = party.nodes[0].engine.core.links(of: group, allowing: .records).map { link in
                party.nodes[0].engine.sync.peers[link, group]?.round != nil
            }
            #expect(rounds == [isTold && isFollowed])
        }
    }

    @Test func `a record weighs what it takes in memory, however small it was packed`() {
        func list(_ kind: UInt8, size: Int, count: Int) -> RecordList {
            RecordList((0..<count).map { _ in [kind] + [UInt8](repeating: 0, count: size - 1) })
        }
        let result = RecordKind.dailyScore.rawValue
        #expect(PeerAbuseBudget.weight(of: list(result, size: 30, count: 1_000)) == 1_000)
        #expect(PeerAbuseBudget.weight(of: list(result, size: 1_290, count: 170)) == 170 * 21)
        #expect(PeerAbuseBudget.weight(of: list(200, size: 15, count: 1_000)) == 4_000)
        // What an author may bring at once: some 30 MB in memory, by what records of each sort take.
        #expect(RecordPace().burst * 350 / PeerAbuseBudget.weightOfOtherKinds <= 32 << 20)
        #expect(RecordPace().burst * PeerAbuseBudget.bytesPerRecord <= 8 << 20)
    }

    @Test func `one's own devices are not paced`() throws {
        var pacing = PeerAbuseBudget(pace: Self.slow)
        let author = PeerAbuseBudget.Payer.author(UserID(bytes: .zero), Forged.otherGroup)
        #expect(pacing.isReady(author, at: .zero))
        pacing.chargeRecords(1_200, to: author, at: .zero)
        #expect(!pacing.isReady(author, at: .zero) && !pacing.takesAnswer(of: author, at: .zero))
        #expect(pacing.nextRecords(of: author, at: .zero) == MonotonicInstant(nanoseconds: 5_001_000_000))
        let later = MonotonicInstant(nanoseconds: 5_001_000_000)
        #expect(pacing.isReady(author, at: later))
        pacing.chargeRecords(1, to: author, at: later)
        // Even after a year, only one burst has accumulated.
        let year = MonotonicInstant.zero.advanced(by: .seconds(31_512_000))
        pacing.chargeRecords(1_001, to: author, at: year)
        #expect(!pacing.isReady(author, at: year))
        var party = EngineNetwork(accounts: [0, 0])
        party.group = try party.found(by: 0)
        let own = FeedID(device: party.device(0), epoch: Epoch(counter: 1, nonce: 1))
        #expect(party.nodes[0].engine.core.pacedAuthor(of: own, in: party.group) == nil)
    }
}
