import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine

/// The machine that passes fresh records on, alone.
struct RumoursTests {
    @Test func `a fresh run is stored, merged and passed on; what is here already is charged`() throws {
        var rumours = Rumours()
        var bench = try MachineBench()
        let (group, link) = (bench.group, bench.links[0])
        let run = Forged.run(by: bench.friends[0], in: group)
        rumours.receivedRumour(run, of: group, over: link, core: &bench.core)
        #expect(bench.changes.flatMap(\.runs).map(\.run) == [run])
        _ = bench.posted()
        let isPassedOn = bench.store().contains {
            if case .pushRun(group, run, except: link) = $0 { true } else { false }
        }
        #expect(isPassedOn)
        bench.core.outputs = []
        rumours.receivedRumour(run, of: group, over: bench.links[1], core: &bench.core)
        #expect(bench.changes.isEmpty && Told(bench.posted()) == Told(acknowledged: 1))
        let payer = PeerAbuseBudget.Payer.account(bench.friends[1].user)
        let rest = ChargedWork.redundantRecords.burst - run.count
        let isPaid = [rest, 1].map { bench.core.charge(.redundantRecords, $0, to: payer) }
        #expect(isPaid == [true, false], "it had paid for what it repeated")
    }

    /// Nobody else hears that it is here before the disk has answered: not even who repeats it.
    @Test func `what arrives is shown before it is stored, in its order; peers hear of it then`() throws {
        var rumours = Rumours()
        var bench = try MachineBench()
        let (group, link) = (bench.group, bench.links[0])
        let before = bench.core.journal.storedArrival
        rumours.receivedRumour(
            Forged.run(by: bench.friends[0], in: group), of: group, over: link, core: &bench.core)
        let first = Told(bench.posted())
        #expect(first == Told(shown: 1, digests: 1))
        rumours.receivedRumour(
            Forged.run(by: bench.friends[0], in: group), of: group, over: bench.links[1], core: &bench.core)
        #expect(Told(bench.posted()) == Told())
        #expect(bench.core.journal.storedArrival == before)
        // The disk has not answered yet: what comes now waits its turn.
        rumours.receivedRumour(
            Forged.run(by: bench.friends[1], in: group), of: group, over: link, core: &bench.core)
        let second = Told(bench.posted())
        #expect(second == Told())
        let changes = bench.core.outputs.compactMap { if case .persist(_, let id) = $0 { id } else { nil } }
        #expect(changes.count == 2)
        bench.core.stored(changes[0])
        #expect(Told(bench.posted()) == Told(moved: 1, acknowledged: 2, passedOn: 1))
        bench.core.stored(changes[1])
        #expect(Told(bench.posted()) == Told(shown: 1, moved: 1, acknowledged: 1, passedOn: 1))
        #expect(bench.core.journal.storedArrival > before)
    }

    /// Who was told what: own watchers of records and of the digest, and peers.
    fileprivate struct Told: Equatable {
        var shown = 0
        var digests = 0
        var moved = 0
        var acknowledged = 0
        var passedOn = 0
    }

    @Test func `a run with a gap before it begins a round, a forged one does not`() throws {
        var rumours = Rumours()
        var bench = try MachineBench()
        let (group, link) = (bench.group, bench.links[0])
        let run = Forged.run(by: bench.friends[0], in: group)
        let later = Run(
            feed: run.feed, first: 9, before: run.before, signature: run.signature, packed: run.packed,
            count: run.count)
        rumours.receivedRumour(later, of: group, over: link, core: &bench.core)
        guard case .startRound(group, link)? = bench.posted().first else {
            Issue.record("nobody fetches what is missing")
            return
        }
        let forged = Run(
            feed: run.feed, first: 1, before: run.before,
            signature: Forged.run(by: bench.friends[1], in: group).signature,
            packed: run.packed, count: run.count)
        rumours.receivedRumour(forged, of: group, over: link, core: &bench.core)
        #expect(bench.posted().isEmpty && bench.events == [.runRefused(group, .invalidSignature)])
    }

    @Test func `what is never acknowledged is repeated so often, and then its link is named`() {
        var deliveries = Deliveries()
        let (link, group) = (LinkID(3), GroupID(bytes: Bytes32(1, 2, 3, 4)))
        let delivery = Deliveries.Delivery(
            group: group, message: [1], attempts: 1, interval: Deliveries.fastInterval)
        let isStarted = deliveries.start(Deliveries.Key(name: 7, link: link), delivery, due: .zero)
        #expect(isStarted)
        var repeated = 0
        var abandoned: [LinkID] = []
        while let due = deliveries.nextDeadline {
            let turn = deliveries.due(at: due)
            repeated += turn.again.count
            abandoned += turn.abandoned.map(\.0)
        }
        #expect(repeated == Deliveries.maximumAttempts - 1 && abandoned == [link])
    }

    @Test func `an author over its pace is fetched in its turn`() throws {
        var rumours = Rumours()
        var pace = RecordPace()
        (pace.burst, pace.rate) = (2, 1)
        var bench = try MachineBench(recordPace: pace)
        let (group, link) = (bench.group, bench.links[0])
        let author = PeerAbuseBudget.Payer.author(bench.friends[0].user, group)
        bench.core.budget.chargeRecords(10, to: author, at: bench.core.now)
        rumours.receivedRumour(
            Forged.run(by: bench.friends[0], in: group), of: group, over: link, core: &bench.core)
        guard case .resumeRound(group, link, let turn)? = bench.posted().first else {
            Issue.record("forgotten")
            return
        }
        #expect(turn > bench.core.now && bench.changes.isEmpty && bench.events == [.overBudget(.newRecords)])
    }

    @Test func `what does not fit a datagram is announced by digest`() throws {
        var rumours = Rumours()
        var bench = try MachineBench()
        let long = Run(
            feed: Forged.run(by: bench.friends[0], in: bench.group).feed, first: 1, before: .init(bytes: .zero),
            signature: Forged.run(by: bench.friends[0], in: bench.group).signature,
            packed: [UInt8](repeating: 0, count: ProtocolLimits.maximumRumourRecordSize + 1), count: 1)
        rumours.push(long, in: bench.group, except: bench.links[0], presence: nil, core: &bench.core)
        guard case .announceSoon(bench.group, except: bench.links[0])? = bench.posted().first else {
            Issue.record("nobody hears of it")
            return
        }
        // If nobody else is there, nothing is sent.
        bench.core.sessions[bench.links[1]]?.groups = [:]
        rumours.push(long, in: bench.group, except: bench.links[0], presence: nil, core: &bench.core)
        #expect(bench.posted().isEmpty)
    }
}

extension RumoursTests.Told {
    fileprivate init(_ posted: [Work]) {
        for work in posted {
            if case .publish(.recordsMerged) = work { shown += 1 }
            if case .publish(.digestChanged) = work { digests += 1 }
            if case .digestMoved = work { moved += 1 }
            if case .acknowledgeRumour = work { acknowledged += 1 }
            if case .pushRun = work { passedOn += 1 }
        }
    }
}
