#if os(Linux)
    import Foundation
    import StreakTestSupport
    import Testing

    /// Two friends behind routers that let nobody in who is not expected, and no third one: with the real program, the real helper and a
    /// DHT of real nodes.
    @Suite(
        .serialized,
        .enabled(
            if: canTryHelper && DHTCluster.isAvailable, "needs the helper program, python3-libtorrent, Linux and root"))
    struct HomesTests {
        private static let port: UInt16 = 7_420
        /// For what waits for the DHT: a node looks there 20 and 60 seconds after it has lost everybody.
        private static let patience: Duration = .seconds(180)

        private struct TwoHomes {
            let network: ManyHomes
            let cluster: DHTCluster
            let ada: Friend
            let ben: Friend

            init(in lab: Lab) async throws {
                let port = HomesTests.port
                network = try await ManyHomes(
                    in: lab, [(.keeping, 1), (.steady(inside: port, outside: 41_234), 1)], dhtNodes: 12)
                cluster = try await DHTCluster(in: lab, at: network.dhtHosts)
                ada = network.person("Ada", home: 0)
                ben = network.person("Ben", home: 1)
                for friend in [ada, ben] { try await friend.ask("init", "--name", friend.name) }
                try await cluster.settled()
            }

            func start(_ friend: Friend) async throws -> RunningNode {
                try await friend.start("--dht", cluster.bootstrap, listen: "0.0.0.0:\(HomesTests.port)")
            }

            /// Has a friend's node run until its note, with what is new, lies in the DHT.
            func leaveNote(_ friend: Friend) async throws {
                let node = try await start(friend)
                try await friend.lab.eventually("a note is left", limit: HomesTests.patience) {
                    try await friend.ask("status")["internet"]["dht"]["published"].text != nil
                }
                #expect(try await node.stop() == 0)
            }

            /// What one node knows of the other friend.
            func knows(_ friend: Friend, of other: Friend) async throws -> JSONValue {
                try await friend.ask("members")["members"].items.first { $0["name"].text == other.name } ?? .null
            }
        }

        @Test(.timeLimit(.minutes(15)))
        func `friends meet, meet again and leave each other letters by the DHT alone, and do without it`()
            async throws
        {
            try await Lab.open { lab in
                let homes = try await TwoHomes(in: lab)
                try await Self.joinByOldAddresses(homes, in: lab)
                try await Self.meetAgain(homes, in: lab)
                try await Self.readLetters(homes, in: lab)
                try await Self.doWithoutDHT(homes, in: lab)
            }
        }

        private static func joinByOldAddresses(_ homes: TwoHomes, in lab: Lab) async throws {
            let (ada, ben) = (homes.ada, homes.ben)
            let nodes = [try await homes.start(ada), try await homes.start(ben)]
            // Nodes of the DHT say where they see it: no friend is there to do so.
            try await lab.eventually("Ada’s node knows where it is seen", limit: HomesTests.patience) {
                try await ada.ask("internet")["reach"].text == "steady"
            }
            try await ada.ask("group", "create", "Breakfast club")
            let link = try #require(try await ada.ask("invite")["link"].text)
            try await homes.network.changeAddresses()
            #expect(try await ben.ask("join", link, "--timeout", "4m", limit: .seconds(250))["members"].integer == 2)
            try await lab.agreement(of: [ada, ben])
            for node in nodes { #expect(try await node.stop() == 0) }
        }

        private static func meetAgain(_ homes: TwoHomes, in lab: Lab) async throws {
            let (ada, ben) = (homes.ada, homes.ben)
            try await homes.network.changeAddresses()
            try await ada.ask("add", input: ShareTexts.wordle(1_351, guesses: 3))
            let nodes = [try await homes.start(ada), try await homes.start(ben)]
            try await lab.eventually("they are linked again", limit: patience) {
                try await homes.knows(ben, of: ada)["path"].text == "punched"
            }
            try await lab.agreement(of: [ada, ben])
            for node in nodes { #expect(try await node.stop() == 0) }
        }

        private static func readLetters(_ homes: TwoHomes, in lab: Lab) async throws {
            let (ada, ben) = (homes.ada, homes.ben)
            try await ada.ask("add", input: ShareTexts.mini("3/1/2025", time: "0:42"))
            try await homes.leaveNote(ada)
            var node = try await homes.start(ben)
            try await lab.eventually("Ben’s board has what Ada left", limit: patience) {
                try await ben.board("--game", "nyt-mini").map { $0["name"].text } == ["Ada"]
            }
            #expect(try await homes.knows(ben, of: ada)["toldInNote"].bool == true)
            #expect(try await node.stop() == 0)

            try await ada.ask("internet", "--letters", "off")
            try await ada.ask("add", input: ShareTexts.connections(629))
            try await homes.leaveNote(ada)
            node = try await homes.start(ben)
            try await lab.eventually("Ben’s node has read Ada’s new note", limit: patience) {
                try await homes.knows(ben, of: ada)["toldInNote"].bool == true
            }
            #expect(try await ben.board("--game", "connections").isEmpty)
            #expect(try await node.stop() == 0)
        }

        private static func doWithoutDHT(_ homes: TwoHomes, in lab: Lab) async throws {
            let (ada, ben) = (homes.ada, homes.ben)
            try await homes.network.setDHT(isCut: true)
            let benNode = try await homes.start(ben)
            var report = JSONValue.null
            try await lab.eventually("the doctor sees that the DHT does not answer", limit: patience) {
                report = try await ben.run("doctor").json
                return report["findings"].items.contains { $0["cause"].text == "dht-unreachable" }
            }
            #expect(report["cause"].text != nil, "a friend is missing: \(report)")
            // Both remember where the other was.
            let adaNode = try await homes.start(ada)
            try await lab.agreement(of: [ada, ben], limit: .seconds(60))
            #expect(try await ben.board("--game", "connections").map { $0["name"].text } == ["Ada"])
            for node in [adaNode, benNode] { #expect(try await node.stop() == 0) }
        }
    }

    /// The program alone in a folder, as in the archive without the helper.
    @Suite struct WithoutHelperTests {
        @Test(.timeLimit(.minutes(5)))
        func `without the helper friends meet all the same, and the program says what is missing`() async throws {
            try await Lab.open { lab in
                let program = "\(lab.folder)/alone/streakmesh"
                try FileManager.default.createDirectory(
                    atPath: "\(lab.folder)/alone", withIntermediateDirectories: true)
                try FileManager.default.copyItem(atPath: BuiltProgram.path, toPath: program)
                let (ada, ben) = (lab.person("Ada", program: program), lab.person("Ben", program: program))
                for friend in [ada, ben] { try await friend.ask("init", "--name", friend.name) }
                let nodes = [try await ada.start(), try await ben.start()]
                try await ada.ask("group", "create", "Breakfast club")
                try await ben.ask("join", try #require(try await ada.ask("invite")["link"].text))
                try await ada.ask("add", input: ShareTexts.wordle(1_351, guesses: 3))
                try await lab.agreement(of: [ada, ben])

                let report = try await ada.ask("internet")
                #expect(report["helper"].text == "missing")
                #expect(report["dht"]["state"].text == "idle")
                let doctor = try await ada.run("doctor").json
                let missing = doctor["findings"].items.first { $0["cause"].text == "helper-missing" }
                #expect(missing?["advice"].text == "Install the package streakmesh-internet.", "\(doctor)")
                for node in nodes { #expect(try await node.stop() == 0) }
            }
        }
    }
#endif
