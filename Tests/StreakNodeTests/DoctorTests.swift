import StreakEngine
import StreakInternet
import Testing

@testable import StreakNode

/// Which cause follows from what was seen.
@Suite struct ObservationsTests {
    typealias Friend = Observations.Friend

    /// A running node with two friends, one of them there, and nothing wrong.
    private static var well: Observations {
        var seen = Observations()
        seen.freeBytes = 1 << 30
        seen.addresses = ["192.0.2.7"]
        seen.clock = ClockReport(state: "right")
        seen.friends = [Friend(name: "Ben", isOnline: true), Friend(name: "Cleo", unheard: 7_200)]
        return seen
    }

    private static var alone: Observations {
        var seen = well
        seen.friends[0].isOnline = false
        return seen
    }

    /// The start, a change, and the cause that follows.
    static let cases: [(Observations, @Sendable (inout Observations) -> Void, DoctorCause?)] = [
        (well, { _ in }, nil),
        (well, { $0.friends = [] }, nil),
        (well, { $0.isRefusingChanges = true }, .diskFull),
        (well, { $0.freeBytes = 1_000 }, .diskFull),
        (well, { $0.freeBytes = nil }, nil),
        (well, { $0.damagedPlaces = 1 }, .damagedStore),
        (well, { $0.damage = ["One place was damaged."] }, .damagedStore),
        (well, { $0.isShutOut = true }, .machineShutOut),
        (well, { $0.isRunning = false }, .nodeStopped),
        (well, { $0.clock = ClockReport(state: "ahead") }, .clockWrong),
        (well, { $0.clock = ClockReport(state: "unknown") }, nil),
        (well, { $0.removedFrom = ["Family"] }, .removed),
        (well, { $0.notLetInto = ["Family"] }, .notLetIn),
        (well, { $0.page = ("http://127.0.0.1:1/", false) }, .pageUnreachable),
        (well, { $0.page = ("http://127.0.0.1:1/", true) }, nil),
        (well, { $0.addresses = [] }, nil),
        (well, { $0.newerPackets = 3 }, nil),
        (well, { $0.asked = $0.friends[0] }, nil),
        (well, { $0.asked = $0.friends[1] }, .friendUnheard),
        (well, { $0.withoutAlwaysOn = ["Family"] }, nil),
        (alone, { _ in }, .friendUnheard),
        (alone, { $0.addresses = [] }, .noNetwork),
        (alone, { $0.newerPackets = 1 }, .friendOlder),
        (alone, { $0.internet.setting = .off }, .internetOff),
        (alone, { $0.internet.setting = .lanOnly }, .internetOff),
        (alone, { $0.internet.finding = .noGateway }, .friendUnheard),
        (alone, { $0.internet.finding = .offline }, .noNetwork),
        (alone, { $0.internet.finding = .vpn }, .vpn),
        (alone, { $0.internet.finding = .noAnswer }, .routerRefuses),
        (alone, { $0.internet.finding = .unsupported }, .routerRefuses),
        (alone, { $0.internet.finding = .misunderstood }, .routerRefuses),
        (alone, { $0.internet.finding = .exhausted }, .routerRefuses),
        (alone, { $0.internet.finding = .portTaken }, .routerRefuses),
        (alone, { $0.internet.finding = .refused }, .routerRefuses),
        (alone, { $0.internet.finding = .secondRouter }, .secondRouter),
        (alone, { $0.internet.finding = .carrierNAT }, .carrierNAT),
        (alone, { ($0.internet.finding, $0.internet.isSeen) = (.refused, true) }, .friendUnheard),
        (alone, { ($0.internet.finding, $0.internet.reach) = (.refused, .changing) }, .changingPort),
        (alone, { ($0.internet.reach, $0.friends[1].isFoundNowhere) = (.changing, true) }, .bothChanging),
        (alone, { $0.friends[1].isFoundNowhere = true }, .friendUnheard),
        (alone, { $0.internet.isHelperMissing = true }, .friendUnheard),
        (alone, { $0.internet.isDHTFailing = true }, .dhtUnreachable),
        (alone, { ($0.internet.linkedBeyond, $0.internet.isDHTFailing) = (2, true) }, .udpBlocked),
        (alone, { ($0.internet.linkedBeyond, $0.internet.isHelperMissing) = (1, true) }, .udpBlocked),
        (alone, { $0.internet.linkedBeyond = 1 }, .friendUnheard),
        (
            alone, { ($0.internet.linkedBeyond, $0.internet.linkedByUDP, $0.internet.isDHTFailing) = (2, 1, true) },
            .dhtUnreachable
        ),
        (well, { ($0.internet.finding, $0.internet.isDHTFailing) = (.refused, true) }, nil),
        (alone, { ($0.damagedPlaces, $0.addresses) = (1, []) }, .damagedStore),
    ]

    @Test func `a friend who counts as online and has long said nothing is said to be quiet`() {
        var seen = Self.well
        func friends() -> String? { seen.report().checks.first { $0.subject == "friends" }?.evidence }
        for (quiet, text) in [(nil, "."), (2, "."), (40, "; Ben was last heard 40 seconds ago.")] as [(Int64?, String)]
        {
            seen.friends[0].quiet = quiet
            #expect(friends() == "1 of 2 are online" + text)
        }
        seen.asked = seen.friends[1]
        #expect(friends() == "1 of 2 are online.")
    }

    @Test(arguments: cases.indices) func `the most certain cause is told`(index: Int) {
        let (start, change, cause) = Self.cases[index]
        var seen = start
        change(&seen)
        let report = seen.report()
        #expect(report.cause == cause)
        #expect(report.explained?.cause == cause)
        #expect(report.findings.map(\.cause) == report.findings.map(\.cause).sorted())
        #expect(report.findings.allSatisfy { !$0.meaning.isEmpty && !$0.advice.isEmpty && !$0.evidence.isEmpty })
    }

    @Test func `a network that is missing is told though nobody else is`() {
        var seen = Self.well
        seen.addresses = []
        #expect(seen.report().findings.map(\.cause).first == .noNetwork)
    }

    @Test func `what was seen of a friend is told in words`() {
        var seen = Self.alone
        seen.asked = Friend(name: "Ben", unheard: 3 * 86_400)
        #expect(seen.report().explained?.evidence == "Ben was last heard 3 days ago.")
        seen.asked = Friend(name: "Ben")
        #expect(seen.report().explained?.evidence == "Ben was last heard never, as far as this machine knows.")
    }

    @Test func `no cause has the words of another`() {
        let findings = DoctorCause.allCases.map { DoctorFinding($0, "") }
        #expect(Set(findings.map(\.meaning)).count == findings.count)
        #expect(findings.filter(\.cause.isFault).last?.cause == .pageUnreachable)
    }
}

/// The same asked of nodes.
@Suite(.timeLimit(.minutes(10))) struct DoctorTests {
    private static func look(_ node: MeshNode, for friend: String? = nil) async throws -> DoctorReport {
        try await node.call(DoctorRequest.look(friend: friend))
    }

    @Test func `a node that does not run is the cause, and everything stored is examined`() async throws {
        try await NodeParty.alone { node, _ in
            try await node.add("Wordle 1,618 4/6")
            let report = try await Self.look(node)
            #expect(report.cause == .nodeStopped)
            #expect(JSON(reflecting: report).text.hasPrefix("{\"cause\":\"node-not-running\","))
            #expect(report.checks.contains { $0.subject == "store" })
            await #expect(throws: NodeFailure.unknownFriend("Nobody")) { try await Self.look(node, for: "Nobody") }
        }
    }

    @Test func `a friend is there, and then is not`() async throws {
        let party = try NodeParty()
        try await party.running("Ada", "Ben") { nodes in
            _ = try await nodes[0].group(.create(title: "Family"))
            try await nodes[1].join(try await nodes[0].invite().link)
            // The name comes after the link.
            try await nodes[0].until { try await $0.members().contains { $0.name == "Ben" && $0.online } }
            #expect(try await Self.look(nodes[0], for: "Ben").cause == nil)
            await nodes[1].close()
            try await nodes[0].until { try await !$0.members().contains { !$0.me && $0.online } }
            let report = try await Self.look(nodes[0], for: "Ben")
            #expect(report.isSomebodyMissing)
            #expect(report.findings.contains { $0.cause == .friendUnheard && $0.evidence.hasPrefix("Ben ") })
        }
    }
}

extension DoctorReport {
    fileprivate var isSomebodyMissing: Bool { cause.map { !$0.isFault } ?? false }
}
