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

    @Test func `an invite that expires before it is stored is told all the same`() async throws {
        let clock = HastyClock(Self.today)
        try await NodeParty().running(["Ada"], walls: ["Ada": { clock.milliseconds }]) { nodes in
            _ = try await nodes[0].group(.create(title: "Family"))
            clock.hurry()
            let invite = try await nodes[0].call(
                InviteRequest.create(group: nil, uses: 1, lifetime: 1, needsApproval: false))
            #expect(!invite.link.isEmpty)
            #expect(try await nodes[0].call(InviteListRequest.list(group: nil)).invites.isEmpty)
        }
    }

    @Test func `what was written in 2030 counts again after a repair, in every group and once`() async throws {
        try await Self.withNode { node, clock in
            _ = try await node.group(.create(title: "Family"))
            clock.set(Self.today + Self.years)
            try await node.add("Wordle 1,618 4/6")
            #expect(try await node.results().count == 1)
            clock.set(Self.today)
            // Any request makes the node check its clock.
            _ = try await node.call(ProfileRequest.rename(name: "Ada L."))
            #expect(try await node.results().isEmpty)
            let before = try await node.status().clock
            #expect(before.state == "unknown" && before.ownWaiting > 0 && before.waiting == 0)
            let repaired = try await node.call(ClockRequest.repair(isForced: false))
            #expect(repaired.ownWaiting == 0)
            #expect(try #require(repaired.repaired) >= 2, "in the private group and in the other")
            let results = try await node.results()
            #expect(results.map(\.game) == ["wordle"])
            #expect(results.first?.groups.count == 1)
            let again = try await node.call(ClockRequest.repair(isForced: false))
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

    /// How far clocks are ahead, in seconds; what the first node is told about its own, and whose it reports as wrong.
    @Test(
        arguments: [
            ([0, 0], "right", nil, [:]), ([0, 330], "differs", nil, ["Ben": 330]),
            ([3_630, 0, 0], "ahead", 3_630, ["Ben": -3_630, "Cleo": -3_630]),
            ([-330, 0, 0], "behind", -330, ["Ben": 330, "Cleo": 330]), ([0, 0, 330], "right", nil, ["Cleo": 330]),
        ] as [([Int64], String, Int?, [String: Int])])
    func `whose clocks differ see it in each other, and nobody repairs by a clock that is ahead`(
        leads: [Int64], state: String, lead: Int?, others: [String: Int]
    ) async throws {
        let clock = SystemClock()
        let names = ["Ada", "Ben", "Cleo"]
        var walls: [String: @Sendable () -> Int64] = [:]
        for (name, lead) in zip(names, leads) { walls[name] = { clock.wallTime.milliseconds + lead * 1_000 } }
        try await NodeParty().running(Array(names.prefix(leads.count)), walls: walls) { nodes in
            let events = nodes[0].events()
            _ = try await nodes[0].group(.create(title: "Family"))
            let link = try await nodes[0].invite().link
            for node in nodes.dropFirst() { try await node.join(link) }
            // The difference between clocks changes without an event.
            while true {
                let report = try await nodes[0].status().clock
                if report.state == state, Set(report.others.map(\.name)) == Set(others.keys) { break }
                try Task.checkCancellation()
                await Task.yield()
            }
            let report = try await nodes[0].call(ClockRequest.show)
            #expect(Self.isNear(report.seconds, lead))
            for other in report.others { #expect(Self.isNear(other.seconds, others[other.name])) }
            if state == "ahead" {
                let refusal = await #expect(throws: NodeFailure.self) {
                    _ = try await nodes[0].call(ClockRequest.repair(isForced: false))
                }
                guard case .clockWrong(let seconds) = refusal else { throw NodeFailure.stopping }
                #expect(Self.isNear(seconds, lead))
            }
            let repaired = try await nodes[0].call(
                ClockRequest.repair(isForced: state == "ahead"))
            #expect(repaired.repaired == 0)
            if let words = ["ahead": "1 hour ahead of", "behind": "5 minutes behind"][state] {
                for await case .notice(let text) in events where text.contains("clock") {
                    #expect(text.contains(words), "\(text)")
                    break
                }
            }
            if leads == [0, 0, 330] {
                // Who goes by an alias is not told of: the device would tell who it is.
                let alias = try await nodes[2].privacy(.change(group: nil, PrivacyChange(anonymous: true))).name
                try await nodes[0].until { try await $0.members().contains { $0.name == alias } }
                #expect(try await nodes[0].status().clock.others.isEmpty)
            }
            await nodes[0].close()
            guard state == "right" || state == "differs" else { return }
            for await case .notice(let text) in events where text.contains("clock") {
                Issue.record("without a reason: \(text)")
            }
        }
    }

    /// Within the time that a message may take.
    private static func isNear(_ seconds: Int?, _ expected: Int?) -> Bool {
        guard let seconds, let expected else { return seconds == expected }
        return (seconds - expected).magnitude < 30
    }
}
