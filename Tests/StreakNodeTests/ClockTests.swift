import StreakEngine
import Testing

@testable import StreakNode

/// Clocks that were wrong, as a user meets them.
@Suite(.timeLimit(.minutes(10))) struct ClockTests {
    private static let today: Int64 = 1_795_262_400
    private static let years: Int64 = 4 * 31_536_000

    private static func withNode(
        _ body: @Sendable (MeshNode, SettableClock) async throws -> Void
    ) async throws {
        let party = try NodeParty()
        try party.makeAccount("Ada")
        let clock = SettableClock(today)
        var configuration = NodeConfiguration(
            listen: "127.0.0.1:0", usesNetwork: false, usesLAN: false, peers: [])
        configuration.wall = { clock.milliseconds }
        let node = try await MeshNode(opening: party.dataFolder("Ada"), configuration: configuration)
        do { try await body(node, clock) } catch {
            await node.close()
            throw error
        }
        await node.close()
    }

    @Test func `what was written in 2030 counts again after a repair, in every group and once`() async throws {
        try await Self.withNode { node, clock in
            _ = try await node.group(.create(title: "Family"))
            clock.set(Self.today + Self.years)
            try await node.add("Wordle 1,618 4/6")
            #expect(try await node.results().count == 1)
            clock.set(Self.today)
            // Anything at all lets the node look at its clock.
            _ = try await node.call(.profile(.rename(name: "Ada L.")), returning: ProfileReport.self)
            #expect(try await node.results().isEmpty)
            let before = try await node.status().clock
            #expect(before.state == "unknown" && before.ownWaiting > 0 && before.waiting == 0)
            let repaired = try await node.call(.network(.repairClock(isForced: false)), returning: ClockReport.self)
            #expect(repaired.ownWaiting == 0)
            #expect(try #require(repaired.repaired) >= 2, "in the private group and in the other")
            let results = try await node.results()
            #expect(results.map(\.game) == ["wordle"])
            #expect(results.first?.groups.count == 1)
            let again = try await node.call(.network(.repairClock(isForced: false)), returning: ClockReport.self)
            #expect(again.repaired == 0)
        }
    }

    @Test(arguments: [
        (0, "0 seconds"), (1, "1 second"), (-59, "59 seconds"), (60, "1 minute"), (7_199, "1 hour"),
        (-172_800, "2 days"), (4 * 31_536_000, "4 years"),
    ])
    func `a difference of clocks reads like one`(seconds: Int, text: String) {
        #expect(ClockReport.length(seconds) == text)
    }

    @Test func `two whose clocks differ see it in each other`() async throws {
        let party = try NodeParty()
        try await party.running("Ada", "Ben") { nodes in
            _ = try await nodes[0].group(.create(title: "Family"))
            try await nodes[1].join(try await nodes[0].invite().link)
            try await nodes[1].until { try await $0.status().clock.state == "right" }
            #expect(try await nodes[0].call(.network(.clock), returning: ClockReport.self).others.isEmpty)
        }
    }
}
