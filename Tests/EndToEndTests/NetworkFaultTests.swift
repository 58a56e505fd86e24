#if os(Linux)
    import StreakTestSupport
    import Testing

    /// Ten nodes on one network that loses, delays and parts: all agree in the end, and nothing is lost.
    @Suite(.serialized, .enabled(if: Lan.isAvailable, "needs Linux and root, and STREAKMESH_NETWORK_TESTS=1"))
    struct NetworkFaultTests {
        /// Ten friends on one hub, each with a running node and a line to it.
        private final class Village {
            let lab: Lab
            let lan: Lan
            let friends: [Friend]
            private(set) var nodes: [RunningNode] = []
            private(set) var lines: [ControlLine] = []
            /// How many each has confirmed.
            private(set) var confirmed: [Int]

            init(in lab: Lab, count: Int) async throws {
                self.lab = lab
                lan = try await Lan(in: lab, count: count)
                confirmed = Array(repeating: 0, count: count)
                var friends: [Friend] = []
                for (number, host) in lan.hosts.enumerated() {
                    friends.append(try await lab.friend("Friend \(number)", launcher: host.launcher))
                }
                self.friends = friends
                for friend in friends { nodes.append(try await friend.start(listen: "0.0.0.0:0", lan: true)) }
                try await friends[0].ask("group", "create", "Breakfast club")
                let link = try #require(try await friends[0].ask("invite", "--uses", "\(count)")["link"].text)
                for friend in friends.dropFirst() { try await friend.ask("join", link) }
                lines = try friends.map { try ControlLine(to: $0) }
                try await agreement()
            }

            /// Everybody plays the next puzzles, at the same time. One of the nodes may be killed meanwhile, as a power cut
            /// does, and is started again.
            func play(_ count: Int, killing victim: Int? = nil) async throws {
                let doomed = victim.map { nodes[$0] }
                let added = await withTaskGroup(of: (number: Int, count: Int).self) { group in
                    for (number, line) in lines.enumerated() {
                        let first = confirmed[number] + 1
                        group.addTask {
                            var added = 0
                            for puzzle in first..<(first + count) {
                                if number == victim, puzzle == first + count / 2 { await doomed?.kill() }
                                guard await line.add(ShareTexts.wordle(puzzle, guesses: number % 6 + 1)) else { break }
                                added += 1
                            }
                            return (number, added)
                        }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                for (number, count) in added { confirmed[number] += count }
                #expect(added.allSatisfy { $0.count == count || $0.number == victim })
                guard let victim else { return }
                nodes[victim] = try await friends[victim].start(listen: "0.0.0.0:0", lan: true)
                lines[victim] = try ControlLine(to: friends[victim])
            }

            /// Waits until all digests are equal, and all hold as many records.
            func agreement(limit: Duration = .seconds(120)) async throws {
                var states: Set<String> = []
                do {
                    try await lab.eventually("ten friends agree", limit: limit) {
                        states = []
                        for line in lines {
                            let group = await line.status()?["groups"][0]
                            states.insert("\(group?["digest"].text ?? "?") \(group?["records"].integer ?? -1)")
                        }
                        return states.count == 1
                    }
                } catch {
                    throw TestFailure("\(error) after \(confirmed): \(states)")
                }
            }

            /// Everything that was confirmed is on everybody's board.
            func expectNothingLost() async throws {
                let rows = try await friends[0].board("--game", "wordle")
                let played = Dictionary(
                    uniqueKeysWithValues: rows.map { ($0["name"].text ?? "", $0["played"].integer ?? 0) })
                for (number, friend) in friends.enumerated() {
                    #expect(played[friend.name] == confirmed[number], "\(friend.name)")
                }
                for friend in [friends[4], friends[9]] { #expect(try await friend.board("--game", "wordle") == rows) }
            }
        }

        @Test(.timeLimit(.minutes(15)))
        func `ten nodes agree under loss and delay, when a cable is out, and when each is killed`() async throws {
            try await Lab.open { lab in
                let village = try await Village(in: lab, count: 10)
                for percent in [20, 50] {
                    try await village.lan.setLoss(percent: percent)
                    try await village.play(3)
                    try await village.agreement()
                    #expect(try await village.lan.lostPacketCount(at: village.lan.hosts[3]) > 0, "nothing was lost")
                }
                try await village.lan.setLoss(percent: 0)

                // A cable is out while all record, until those who are left agree and go on.
                let alone = village.lan.hosts[7]
                try await village.lan.setCable(of: alone, isPlugged: false)
                try await village.play(3)
                for number in 0..<10 { try await village.play(2, killing: number) }
                try await village.lan.setCable(of: alone, isPlugged: true)
                try await village.agreement()

                // 40 ms from each to each, give or take 10.
                try await village.lan.slowDown(by: .milliseconds(20), jitter: .milliseconds(5))
                try await village.play(2)
                try await village.agreement()
                try await village.expectNothingLost()
            }
        }

        @Test(.timeLimit(.minutes(10)), arguments: Lan.Transport.allCases)
        func `one transport is enough when the other is blocked`(blocked: Lan.Transport) async throws {
            try await Lab.open { lab in
                let lan = try await Lan(in: lab, count: 3)
                try await lan.setLoss(percent: 100, of: [blocked])
                var friends: [Friend] = []
                for (name, host) in zip(["Ada", "Béla", "Chloë"], lan.hosts) {
                    friends.append(try await lab.friend(name, launcher: host.launcher))
                }
                var nodes: [RunningNode] = []
                for friend in friends { nodes.append(try await friend.start(listen: "0.0.0.0:0", lan: true)) }
                try await friends[0].ask("group", "create", "Breakfast club")
                let link = try #require(try await friends[0].ask("invite", "--uses", "2")["link"].text)
                for friend in friends.dropFirst() { try await friend.ask("join", link) }
                for (number, friend) in friends.enumerated() {
                    let shares = (1...200).map { ShareTexts.wordle($0, guesses: number + 2) }
                    try await friend.ask("add", input: shares.joined(separator: "\n\n"))
                }
                try await lab.agreement(of: friends, limit: .seconds(60))
                // Also for those who come back, by the addresses that they remember.
                try await nodes[2].stop()
                try await friends[0].ask("add", input: ShareTexts.connections(629))
                nodes[2] = try await friends[2].start(listen: "0.0.0.0:0", lan: true)
                try await lab.agreement(of: friends, limit: .seconds(60))
                let rows = try await friends[2].board()
                #expect(rows.compactMap { $0["played"].integer }.sorted() == [200, 200, 201])
                #expect(try await lan.lostPacketCount(at: lan.hosts[0]) > 0, "nothing was blocked")
            }
        }

        @Test(.timeLimit(.minutes(10)))
        func `a link goes on when one end moves to another address`() async throws {
            try await Lab.open { lab in
                let lan = try await Lan(in: lab, count: 2)
                let ada = try await lab.friend("Ada", launcher: lan.hosts[0].launcher)
                let bela = try await lab.friend("Béla", launcher: lan.hosts[1].launcher)
                let nodes = [
                    try await ada.start(listen: "0.0.0.0:0", lan: true),
                    try await bela.start(listen: "0.0.0.0:0", lan: true),
                ]
                try await ada.share(with: bela)
                try await lab.agreement(of: [ada, bela])
                let starts = nodes.map(\.events.count)

                let moved = try await lan.move(lan.hosts[1], to: "10.77.0.77")
                try await bela.ask("add", input: ShareTexts.wordle(1_350, guesses: 4))
                try await ada.ask("add", input: ShareTexts.wordle(1_351, guesses: 3))
                try await lab.agreement(of: [ada, bela])
                try await lab.eventually("Ada’s node knows where Béla’s is now") {
                    let peers = try await ada.ask("status")["peers"].items
                    return peers.contains { $0["address"].text?.hasPrefix(moved.address + ":") ?? false }
                }
                for (node, start) in zip(nodes, starts) {
                    let away = node.events.events(from: start).filter { $0["event"].text == "peer" }
                    #expect(away.allSatisfy { $0["state"].text != "away" }, "the link was given up: \(away)")
                }
            }
        }
    }
#endif
