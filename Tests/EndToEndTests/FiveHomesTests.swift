#if os(Linux)
    import Foundation
    import StreakTestSupport
    import Testing

    /// The whole story: six friends in five homes, each behind another kind of router.
    @Suite(
        .serialized,
        .enabled(
            if: canTryHelper && DHTCluster.isAvailable && HomeNetwork.hasPortMapper,
            "needs the helper program, python3-libtorrent, miniupnpd, Linux and root"))
    struct FiveHomesTests {
        private static let steadyPort: UInt16 = 7_430

        private final class Story {
            let lab: Lab
            let network: ManyHomes
            let cluster: DHTCluster
            /// Ada's router opens ports; Ben and Bea share a LAN; Cleo's router keeps one port, Dan's changes it; Eve is reached by IPv6 alone.
            let names = ["Ada", "Ben", "Bea", "Cleo", "Dan", "Eve"]
            private let homes = [0, 1, 1, 2, 3, 4]
            private(set) var friends: [String: Friend] = [:]
            private var nodes: [String: RunningNode] = [:]
            private var lines: [String: ControlLine] = [:]
            private var day = 1_300

            init(in lab: Lab) async throws {
                self.lab = lab
                let port = FiveHomesTests.steadyPort
                network = try await ManyHomes(
                    in: lab,
                    [
                        (.opening, 1), (.keepingWithIPv6, 2), (.steady(inside: port, outside: 41_234), 1),
                        (.changing, 1),
                        (.changingWithIPv6, 1),
                    ], dhtNodes: 12)
                cluster = try await DHTCluster(in: lab, at: network.dhtHosts)
                try await network.startPortMapper(home: 0)
                for (index, name) in names.enumerated() {
                    let friend = network.person(name, home: homes[index], host: name == "Bea" ? 1 : 0)
                    try await friend.ask("init", "--name", name)
                    friends[name] = friend
                }
                try await cluster.settled()
            }

            subscript(name: String) -> Friend {
                get throws { try #require(friends[name]) }
            }

            func start(_ names: [String]) async throws {
                for name in names {
                    // Neighbours behind one router take different ports, so that it can keep both.
                    let port = FiveHomesTests.steadyPort + (name == "Bea" ? 1 : 0)
                    let friend = try self[name]
                    nodes[name] = try await friend.start(
                        "--dht", cluster.bootstrap, listen: "0.0.0.0:\(port)", lan: true)
                    lines[name] = try ControlLine(to: friend)
                }
            }

            func stop(_ names: [String]) async throws {
                for name in names {
                    lines[name] = nil
                    let code = try await nodes.removeValue(forKey: name)?.stop()
                    #expect(code == 0)
                }
            }

            /// What a friend's node says of itself, over a new line where it has closed the old one: it was silent for too long.
            func status(of name: String) async throws -> JSONValue? {
                if let status = await lines[name]?.status() { return status }
                lines[name] = try ControlLine(to: self[name])
                return await lines[name]?.status()
            }

            /// How one friend's node says that it reaches another friend's: a path, or by whom.
            func way(from name: String, to other: String) async throws -> String? {
                let members = try await self[name].ask("members")["members"].items
                let member = members.first { $0["name"].text == other }
                return member?["path"].text ?? member?["by"].text
            }

            func reaches(_ other: String, from name: String, by way: String) async throws {
                do {
                    try await lab.eventually("\(name) reaches \(other): \(way)", limit: .seconds(300)) {
                        try await self.way(from: name, to: other) == way
                    }
                } catch {
                    var reports: [String] = []
                    for each in [name, other] {
                        for command in ["internet", "members"] {
                            reports.append("\(each): \(try await self[each].run(command).output)")
                        }
                    }
                    throw TestFailure("\(error): \(reports.joined(separator: "\n"))")
                }
            }

            /// Waits until all of these have the same results, and returns how long that took.
            @discardableResult
            func agree(_ names: [String], limit: Duration) async throws -> Duration {
                let began = ContinuousClock.now
                var digests: [String: String] = [:]
                do {
                    try await lab.eventually("they agree", limit: limit) {
                        for name in names { digests[name] = try await status(of: name)?["groups"][0]["digest"].text }
                        return Set(digests.values).count == 1 && digests.count == names.count
                    }
                } catch {
                    var ways: [String] = []
                    for name in names { ways.append("\(name): \(try await self[name].run("status").output)") }
                    throw TestFailure("\(error): \(digests) \(ways.joined(separator: "\n"))")
                }
                return began.duration(to: .now)
            }

            /// Each of these records a result; returns the median of the times until all have it.
            func play(_ names: [String]) async throws -> Duration {
                var times: [Duration] = []
                for name in names {
                    day += 1
                    _ = try await status(of: name)
                    let isAdded = await lines[name]?.add(ShareTexts.wordle(day, guesses: 4))
                    #expect(isAdded == true)
                    times.append(try await agree(names, limit: .seconds(300)))
                }
                return times.sorted()[times.count / 2]
            }
        }

        @Test(.timeLimit(.minutes(20)))
        func `five homes meet by one link, and again after all addresses have changed`() async throws {
            try await Lab.open { lab in
                let story = try await Story(in: lab)
                try await story.start(story.names)
                try await Self.join(story)
                try await Self.meetAgain(story)

                // Without the DHT all meet through whom they remember.
                try await story.network.setDHT(isCut: true)
                try await story.stop(story.names)
                try await story.start(story.names)
                try await story.agree(story.names, limit: .seconds(300))
                #expect(try await story.play(story.names) <= .seconds(2))
                try await story.stop(story.names)
            }
        }

        private static func join(_ story: Story) async throws {
            let ada = try story["Ada"]
            try await story.lab.eventually("Ada’s port is open", limit: .seconds(300)) {
                try await ada.ask("internet")["reach"].text == "mapped"
            }
            try await ada.ask("group", "create", "Breakfast club")
            let link = try #require(try await ada.ask("invite", "--uses", "5")["link"].text)
            for name in story.names.dropFirst() { try await story[name].ask("join", link) }
            try await story.agree(story.names, limit: .seconds(300))
            let ways = [
                ("Dan", "Ada", "mapped"), ("Ben", "Cleo", "punched"), ("Ben", "Eve", "ipv6"),
            ]
            for (name, other, way) in ways {
                try await story.reaches(other, from: name, by: way)
            }
            #expect(try await story.play(story.names) <= .seconds(2))
        }

        private static func meetAgain(_ story: Story) async throws {
            // Home 1 is away. Dan reached all others by way of it.
            try await story.stop(["Ada"])
            #expect(try await story.play(["Ben", "Bea", "Cleo", "Eve"]) <= .seconds(2))
            try await story.stop(["Cleo", "Dan"])
            try await story.network.changeAddresses()
            try await story.start(["Ada", "Cleo", "Dan"])
            try await story.agree(story.names, limit: .seconds(480))
            #expect(try await story.play(story.names) <= .seconds(2))
        }
    }
#endif
