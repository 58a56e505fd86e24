#if os(Linux)
    import Foundation
    import StreakTestSupport
    import Testing

    /// Two friends behind routers that let nobody in who is not expected. Two others have open ports, and are the
    /// witnesses that say where the friends are seen. No DHT.
    @Suite(.serialized, .enabled(if: HomeNetwork.hasPortMapper, "needs miniupnpd, Linux and root"))
    struct RoutersTests {
        private static let port: UInt16 = 7_440

        @Test(
            .timeLimit(.minutes(10)),
            arguments: [
                (.taking, .taking), (.refusing, .steady(inside: port, outside: 41_234)), (.behindAnother, .keeping),
                (.behindAnother, .behindAnother),
            ] as [(ManyHomes.Router, ManyHomes.Router)])
        func `behind these routers two friends meet, and go on without the others`(
            first: ManyHomes.Router, second: ManyHomes.Router
        ) async throws {
            try await Lab.open { lab in
                let network = try await ManyHomes(in: lab, [(first, 1), (second, 1), (.opening, 1), (.opening, 1)])
                try await network.widen()
                let friends = ["Ada", "Ben", "Cleo", "Dan"].enumerated().map { network.person($1, home: $0) }
                var nodes: [RunningNode] = []
                for (home, friend) in friends.enumerated() {
                    if home > 1 { try await network.startPortMapper(home: home) }
                    try await friend.ask("init", "--name", friend.name)
                    nodes.append(try await friend.start("--internet", "on", listen: "0.0.0.0:\(Self.port)"))
                }
                let (ada, ben, cleo, dan) = (friends[0], friends[1], friends[2], friends[3])
                for friend in [cleo, dan] {
                    try await lab.eventually("\(friend.name)’s port is open") {
                        try await friend.ask("internet")["reach"].text == "mapped"
                    }
                }
                try await cleo.ask("group", "create", "Breakfast club")
                let link = try #require(try await cleo.ask("invite", "--uses", "3")["link"].text)
                for friend in [ada, ben, dan] { try await friend.ask("join", link) }
                for (friend, other) in [(ada, ben), (ben, ada)] {
                    var members: [JSONValue] = []
                    do {
                        try await lab.eventually("\(friend.name) reaches \(other.name)", limit: .seconds(120)) {
                            members = try await friend.ask("members")["members"].items
                            return members.first { $0["name"].text == other.name }?["path"].text == "punched"
                        }
                    } catch {
                        throw TestFailure("\(error): \(members) \(try await friend.ask("status")["internet"])")
                    }
                }
                let dead = try await network.deadCount(ofHome: 0) + network.deadCount(ofHome: 1)
                #expect(dead > 0, "no knock died on its way")
                for node in nodes[2...] { #expect(try await node.stop() == 0) }
                try await ada.ask("add", input: ShareTexts.wordle(1_351, guesses: 3))
                try await lab.eventually("Ben’s board has what Ada added") {
                    try await ben.board("--game", "wordle").map { $0["name"].text } == ["Ada"]
                }
            }
        }

        @Test(.timeLimit(.minutes(10)))
        func `a name that somebody advertises leads friends in, also after its address has changed`() async throws {
            try await Lab.open { lab in
                // Ada's router forwards a port, and says nothing of it. Ben's and Dan's lets nobody in, and shows everybody another
                // port. Dan's node knows Ada's name alone, which leads nowhere when it starts.
                let network = try await ManyHomes(
                    in: lab, [(.keeping, 1), (.changing, 2), (.opening, 1)], dhtNodes: 1)
                try await network.forward(port: Self.port, home: 0)
                try await network.startPortMapper(home: 2)
                let names = try await network.startNameServer()
                let friends =
                    ["Ada", "Ben", "Cleo"].enumerated().map { network.person($1, home: $0) }
                    + [network.person("Dan", home: 1, host: 1)]
                let (ada, ben, cleo, dan) = (friends[0], friends[1], friends[2], friends[3])
                for friend in friends { try await friend.ask("init", "--name", friend.name) }
                let early = try await dan.start(
                    "--internet", "off", "--peer", "ada.example:\(Self.port)", listen: "0.0.0.0:\(Self.port)")
                try names.read("ada.example \(network.address(ofHome: 0))\n")
                try await names.says("1 names")
                func startAda() async throws -> RunningNode {
                    try await ada.start(
                        "--internet", "on", "--advertise", "ada.example:\(Self.port)", listen: "0.0.0.0:\(Self.port)")
                }
                func expectNamed() async throws {
                    let address = "\(network.address(ofHome: 0)):\(Self.port)"
                    try await lab.eventually("Ada tells where her name leads") {
                        let outside = try await ada.ask("status")["internet"]["outside"].items
                        return outside.contains { ($0["endpoint"].text, $0["source"].text) == (address, "named") }
                    }
                    try await lab.eventually("Ben reaches Ada there", limit: .seconds(120)) {
                        try await ben.ask("members")["members"].items
                            .first { $0["name"].text == "Ada" }?["path"].text == "named"
                    }
                }
                var first = try await startAda()
                let others = [
                    try await ben.start("--internet", "on", listen: "0.0.0.0:\(Self.port)"),
                    try await cleo.start("--internet", "on", listen: "0.0.0.0:\(Self.port)"),
                ]
                try await lab.eventually("Cleo’s port is open") {
                    try await cleo.ask("internet")["reach"].text == "mapped"
                }
                try await cleo.ask("group", "create", "Breakfast club")
                let link = try #require(try await cleo.ask("invite", "--uses", "3")["link"].text)
                for friend in [ada, ben, dan] { try await friend.ask("join", link) }
                try await expectNamed()
                try await network.addAddress(home: 1, host: 1)
                try await lab.eventually("Dan’s node looks the name up again, and reaches Ada", limit: .seconds(120)) {
                    try await dan.ask("members")["members"].items
                        .first { $0["name"].text == "Ada" }?["path"].text == "named"
                }
                #expect(try await first.stop() == 0)
                try await network.changeAddress(ofHome: 0)
                try names.read("ada.example \(network.address(ofHome: 0))\n")
                try await names.says("2 names")
                first = try await startAda()
                try await expectNamed()
                withExtendedLifetime((first, others, early)) {}
            }
        }
    }
#endif
