import StreakCrypto
import StreakGames
import StreakLinks
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire
import Testing

@testable import StreakEngine

/// A clock that is wrong: who finds out, and how its user gets out of it.
struct EngineClockTests {
    private static let years: Int64 = 4 * 365 * 86_400_000

    private func score(_ value: Int, day: Int = 20_778) throws -> RecordDraft {
        .score(
            DailyScore(
                game: try #require(GameID("wordle")), day: PuzzleDay(daysSinceEpoch: day), score: value,
                isCompleted: true, firstRecordedAt: (EngineNetwork.wall + Self.years) / 1_000))
    }

    private func scores(at index: Int, in party: EngineNetwork) -> [Int] {
        party.nodes[index].engine.mergedRecords(of: party.group).compactMap {
            try? DailyScore(subject: $0.key.subject, value: $0.value, time: $0.time)
        }.compactMap(\.score).sorted()
    }

    private func write(_ drafts: [RecordDraft], by index: Int, in party: inout EngineNetwork) {
        let outcome = party.command(.write([(group: party.group, drafts: drafts)]), at: index)
        #expect(outcome == .done)
    }

    @Test func `what was written in the year 2030 is retracted, written again, and seen by all`() throws {
        var party = try EngineNetwork.friends(3)
        write([try score(3)], by: 2, in: &party)
        party.run(for: .seconds(2))
        party.nodes[2].clockLead = Self.years
        write([try score(4), try score(5, day: 20_779)], by: 2, in: &party)
        write([.value(Profile(name: "Eve"))], by: 2, in: &party)
        party.run(for: .seconds(5))
        #expect(scores(at: 0, in: party) == [3] && scores(at: 2, in: party) == [4, 5])
        party.nodes[2].clockLead = 0
        // At the next keepalive.
        party.run(for: .seconds(200))
        #expect(scores(at: 2, in: party) == [3], "as the others see it")
        #expect(party.nodes[2].engine.waitingRecords(of: party.group) == (3, 3))
        #expect(party.nodes[0].engine.waitingRecords(of: party.group) == (0, 3))
        #expect(party.command(.retract, at: 2) == .retracted(records: 3))
        party.run(for: .seconds(5))
        #expect(party.digests().count == 1)
        for index in 0...2 {
            #expect(scores(at: index, in: party) == [4, 5])
            #expect(party.names(index).contains("Eve"))
            #expect(party.nodes[index].engine.waitingRecords(of: party.group) == (0, 0))
            let first = party.nodes[index].engine.mergedRecords(of: party.group).compactMap {
                try? DailyScore(subject: $0.key.subject, value: $0.value, time: $0.time)
            }.map(\.firstRecordedAt).max()
            #expect(try #require(first) <= party.wall(2).seconds)
        }
        #expect(party.command(.retract, at: 2) == .retracted(records: 0))
        // In the year 2030, and for nodes that merge in another order.
        for index in 0...2 { party.nodes[index].clockLead = Self.years + 86_400_000 }
        party.run(for: .seconds(5))
        for index in 0...2 {
            #expect(scores(at: index, in: party) == [4, 5])
            var rebuilt = try #require(party.nodes[index].engine.core.groups[party.group])
            #expect(rebuilt.rebuild(wall: party.wall(index)).isEmpty)
            #expect(rebuilt.merged.all == party.nodes[0].engine.mergedRecords(of: party.group))
        }
    }

    @Test func `a retraction that comes before what it voids voids it all the same`() throws {
        var party = try EngineNetwork.friends(3)
        party.nodes[2].clockLead = Self.years
        write([try score(4)], by: 2, in: &party)
        party.run(for: .seconds(2))
        party.partition([[0, 2], [1]])
        party.nodes[2].clockLead = 0
        #expect(party.command(.retract, at: 2) == .retracted(records: 1))
        party.run(for: .seconds(5))
        let feeds = try #require(party.nodes[0].engine.core.groups[party.group]?.feeds.feeds)
        #expect(feeds.count == 2)
        var replica = try #require(party.nodes[1].engine.core.groups[party.group])
        let pieces = feeds.sorted { $0.id.epoch > $1.id.epoch }.flatMap(\.storedRuns)
        for stored in pieces { _ = try replica.receive(stored.run, arrival: 99, wall: party.wall(1)) }
        #expect(replica.rebuildIfStale(wall: party.wall(1)).isEmpty)
        #expect(replica.merged.all == party.nodes[0].engine.mergedRecords(of: party.group))
        // When its day comes, what is void stays void.
        _ = replica.releaseQuarantined(
            at: .zero, wall: WallTime(milliseconds: EngineNetwork.wall + Self.years + 86_400_000))
        #expect(replica.merged.all == party.nodes[0].engine.mergedRecords(of: party.group))
    }

    @Test func `nobody retracts what another user wrote`() throws {
        var party = try EngineNetwork.friends(2)
        write([try score(4)], by: 1, in: &party)
        party.run(for: .seconds(2))
        let feed = try #require(party.nodes[0].engine.core.groups[party.group]?.feeds.feeds.first)
        write([.value(Retraction(feed: feed.id, numbers: 1...9))], by: 0, in: &party)
        party.run(for: .seconds(2))
        #expect(scores(at: 0, in: party) == [4] && scores(at: 1, in: party) == [4])
        var rebuilt = try #require(party.nodes[0].engine.core.groups[party.group])
        #expect(rebuilt.rebuild(wall: party.wall(0)).isEmpty)
        #expect(rebuilt.merged.all == party.nodes[1].engine.mergedRecords(of: party.group))
    }

    @Test func `a clock that was ahead begins a new epoch once it is right, and times rise in each`() throws {
        var party = try EngineNetwork.friends(2)
        party.nodes[1].clockLead = Self.years
        write([try score(4)], by: 1, in: &party)
        party.nodes[1].clockLead = 0
        write([try score(6)], by: 1, in: &party)
        party.run(for: .seconds(2))
        #expect(scores(at: 0, in: party) == [6])
        let feeds = try #require(party.nodes[0].engine.core.groups[party.group]?.feeds.feeds)
        #expect(feeds.count == 2)
        write([try score(5)], by: 1, in: &party)
        party.run(for: .seconds(2))
        #expect(party.nodes[0].engine.core.groups[party.group]?.feeds.feeds.count == 2, "and goes on in it")
        #expect(scores(at: 0, in: party) == [5])
        // What the wrong clock dated is void, and does not replace what was written since.
        #expect(party.command(.retract, at: 1) == .retracted(records: 0))
        party.run(for: .seconds(2))
        #expect(scores(at: 0, in: party) == [5] && scores(at: 1, in: party) == [5])
        #expect(party.nodes[0].engine.waitingRecords(of: party.group) == (0, 0))
    }

    @Test(
        arguments: [
            ([0, 0], nil), ([0, 900], nil), ([900, 900], 900), ([900, 900, 0], 900), ([-900, -880, -910, 5_000], -895),
            ([900, 900, 0, 0], nil), ([30, 40], nil), ([-70, 70], nil),
        ] as [([Int], Int?)])
    func `most clocks are right`(leads: [Int], off: Int?) {
        let members = leads.enumerated().map { index, lead in
            ClockComparison.Member(
                device: DeviceID(bytes: Bytes32(0, 0, 0, UInt64(index))), lead: .seconds(lead))
        }
        let comparison = ClockComparison(members) { UserID(bytes: $0.bytes) }
        #expect(comparison.different.count == leads.count { $0.magnitude > 60 })
        if let off {
            guard case .ownIsAhead(let lead) = comparison.verdict else {
                Issue.record("\(comparison.verdict)")
                return
            }
            let distance = lead.nanoseconds / 1_000_000_000 + Int64(off)
            #expect(distance.magnitude <= 20)
        } else {
            #expect(comparison.verdict == (comparison.different.isEmpty ? .agrees : .othersAreWrong))
        }
    }

    @Test func `who is wrong is seen by all, and by itself`() throws {
        var party = try EngineNetwork.friends(3)
        party.nodes[2].clockLead = -3_600_000
        party.write("Ada", by: 0)
        party.write("Eve", by: 2)
        party.run(for: .seconds(10))
        func comparison(_ index: Int) -> ClockComparison {
            party.nodes[index].engine.compareClocks(at: party.now, wallTime: party.wall(index))
        }
        #expect(comparison(0).verdict == .othersAreWrong)
        #expect(comparison(0).different.map(\.device) == [party.device(2)])
        guard case .ownIsAhead(let lead) = comparison(2).verdict else {
            Issue.record("\(comparison(2))")
            return
        }
        #expect((lead.nanoseconds / 1_000_000_000 + 3_600).magnitude < 3)
        let user = party.user(0)
        #expect(ClockComparison([]) { _ in user }.verdict == .unknown)
        #expect(
            ClockComparison([.init(device: party.device(0), lead: .seconds(99))]) { _ in user }.verdict
                == .differs(by: .seconds(99)))
    }

    @Test func `one user's many devices are one voice about clocks`() {
        let members = (0..<6).map { index in
            ClockComparison.Member(
                device: DeviceID(bytes: Bytes32(0, 0, 0, UInt64(index))), lead: .seconds(index < 4 ? 900 : 0))
        }
        // Four of one user, and two of others.
        let comparison = ClockComparison(members) { device in
            UserID(bytes: Bytes32(0, 0, 0, max(3, device.bytes.w3)))
        }
        #expect(comparison.verdict == .othersAreWrong)
        #expect(comparison.different.count == 4)
        #expect(ClockComparison(members) { UserID(bytes: $0.bytes) }.verdict == .ownIsAhead(by: .seconds(-900)))
        // The first user has one clock that is right, and counts by that one. The second has only a wrong one.
        for leads in [[0, 900, 900], [900, 0, 900]] {
            let members = leads.enumerated().map { index, lead in
                ClockComparison.Member(
                    device: DeviceID(bytes: Bytes32(0, 0, 0, UInt64(index))), lead: .seconds(lead))
            }
            let comparison = ClockComparison(members) { UserID(bytes: Bytes32(0, 0, 0, $0.bytes.w3 / 2)) }
            #expect(comparison.verdict == .othersAreWrong)
        }
    }

    private func highScore(_ value: Int, contends: Bool = true) throws -> RecordDraft {
        .score(
            DailyScore(
                game: try #require(GameID("tetris")), day: PuzzleDay(daysSinceEpoch: 20_778), score: value,
                isCompleted: true, firstRecordedAt: EngineNetwork.wall / 1_000, isEdited: !contends, contends: contends)
        )
    }

    /// What was written before, during and after the time when the clock was ahead, and whether it contends.
    @Test(
        arguments: [
            ([], [(500, true), (300, true)], [], [500]),
            ([(700, true)], [(500, true), (300, true)], [], [700]),
            ([], [(500, true)], [(300, true)], [500]),
            ([], [(500, true)], [(300, false)], [300]),
            ([(700, true)], [(500, true), (100, false), (200, true)], [], [200]),
            ([(700, true)], [(100, false)], [(50, true)], [100]),
        ] as [([(Int, Bool)], [(Int, Bool)], [(Int, Bool)], [Int])])
    func `the best that its user saw stands again`(
        before: [(Int, Bool)], ahead: [(Int, Bool)], after: [(Int, Bool)], best: [Int]
    ) throws {
        var party = try EngineNetwork.friends(2)
        func writeAll(_ values: [(Int, Bool)]) throws {
            for (value, contends) in values {
                write([try highScore(value, contends: contends)], by: 1, in: &party)
                party.run(for: .milliseconds(10))
            }
        }
        try writeAll(before)
        party.nodes[1].clockLead = Self.years
        try writeAll(ahead)
        party.nodes[1].clockLead = 0
        try writeAll(after)
        party.run(for: .seconds(200))
        _ = party.command(.retract, at: 1)
        party.run(for: .seconds(5))
        #expect(scores(at: 0, in: party) == best && scores(at: 1, in: party) == best)
        #expect(party.digests().count == 1)
    }

    @Test func `a clock that jumps again and again does not use up all epochs, and its user is told`() throws {
        var party = EngineNetwork(accounts: [0])
        party.group = try party.found(by: 0)
        func epochs() -> Int { party.nodes[0].engine.core.groups[party.group]?.feeds.feeds.count ?? 0 }
        func jump(by lead: Int64, _ number: Int) throws -> [CommandOutcome?] {
            try [lead, 0].map { lead in
                party.nodes[0].clockLead = lead
                return party.command(.write([(group: party.group, drafts: [try score(number)])]), at: 0)
            }
        }
        /// As if that had happened many times before.
        func fill(to count: Int) throws {
            let (group, identity, first) = (party.group, party.nodes[0].engine.identity, epochs())
            try party.corrupt(0) { engine in
                for number in first..<count {
                    let epoch = Epoch(counter: 1_000 + UInt32(number), nonce: 1)
                    var feed = FeedReplica(FeedID(device: identity.device, epoch: epoch), in: group)
                    let record = RecordDraft.withdrawnScore(Forged.key(number)).record(
                        at: HybridTime(milliseconds: EngineNetwork.wall, counter: 0))
                    let run = feed.write(RecordList([record.encoded]), key: identity.signingKey, arrival: 1).run
                    _ = try engine.core.groups[group]?.receive(run, arrival: 99, wall: engine.core.wall)
                }
            }
        }
        #expect(try jump(by: 1_200_000, 0) == [.done, .done])
        #expect(epochs() == 2)
        try fill(to: 60)
        for number in 0..<20 { #expect(try jump(by: 1_200_000, number) == [.done, .done]) }
        #expect(epochs() == 64)
        // The more there are, the more is tolerated: a day, then a month.
        for (count, lead) in [(130, 7_200_000), (200, 2 * 86_400_000)] as [(Int, Int64)] {
            try fill(to: count)
            for number in 0..<3 { #expect(try jump(by: lead, number) == [.done, .done]) }
            #expect(epochs() == count)
        }
        try fill(to: 244)
        var last: [CommandOutcome?] = []
        for number in 0..<9 where last.last != .failed(.feedFull) {
            last = try jump(by: Self.years * Int64(1 + number), number)
        }
        #expect(last == [.done, .failed(.feedFull)])
        #expect(epochs() == ProtocolLimits.maximumEpochs - GroupReplica.reservedEpochs)
        // The epochs for the correction stay reserved.
        #expect(party.command(.retract, at: 0) == .retracted(records: 1))
        #expect(party.command(.write([(group: party.group, drafts: [try score(7)])]), at: 0) == .done)
        #expect(scores(at: 0, in: party) == [7])
    }
}
