import StreakRandom
import StreakTestSupport
import Testing

/// What strangers and bad links come to.
@Suite struct HostileTests {
    @Test(.timeLimit(.minutes(10)))
    func `a link that lets nobody in says why`() async throws {
        try await Lab.open { lab in
            let (ada, bela, chloe) = (
                try await lab.friend("Ada"), try await lab.friend("Béla"), try await lab.friend("Chloë")
            )
            let (adaNode, belaNode) = (try await ada.start(), try await bela.start())
            try await ada.ask("group", "create", "Breakfast club")
            let short = try #require(try await ada.ask("invite", "--expires", "1s")["link"].text)
            let used = try #require(try await ada.ask("invite")["link"].text)
            try await bela.ask("join", used)
            let revoked = try await ada.ask("invite")
            let revokedLink = try #require(revoked["link"].text)
            try await ada.ask("invite", "revoke", try #require(revoked["id"].text))
            let good = try #require(try await ada.ask("invite")["link"].text)
            let chloeNode = try await chloe.start()

            func refusal(of link: String, at friend: Friend, exit: Int32, code: String) async throws {
                let result = try await friend.run("join", link, "--timeout", "5s")
                #expect(result.exitCode == exit, "\(code): \(result)")
                #expect(result.errorCode == code)
            }
            try await refusal(of: used, at: chloe, exit: 77, code: "linkUsedUp")
            try await refusal(of: revokedLink, at: chloe, exit: 77, code: "linkRevoked")
            try await refusal(of: good, at: bela, exit: 1, code: "alreadyMember")
            try await refusal(of: "https://example.org/", at: chloe, exit: 65, code: "linkMalformed")
            try await refusal(of: "streakmesh://join/", at: chloe, exit: 65, code: "linkMalformed")
            try await refusal(of: String(good.dropLast(3)), at: chloe, exit: 65, code: "linkDamaged")
            for place in stride(from: "streakmesh://join/".count, to: good.count, by: good.count / 4) {
                var letters = Array(good)
                letters[place] = letters[place] == "A" ? "B" : "A"
                let result = try await chloe.run("join", String(letters), "--timeout", "2s")
                #expect(result.exitCode == 65, "letter \(place): \(result)")
            }
            try await lab.eventually("the short link has expired") {
                let live = try await ada.ask("invite", "list")["invites"].items
                return !live.contains { $0["link"].text == short }
            }
            try await refusal(of: short, at: chloe, exit: 65, code: "linkExpired")
            // None of this let her in, and none of it keeps a good link from doing so.
            #expect(try await chloe.ask("group", "list")["groups"].items.isEmpty)
            #expect(try await ada.ask("members")["members"].items.count == 2)
            try await chloe.ask("join", good)
            try await lab.agreement(of: [ada, bela, chloe])
            withExtendedLifetime((adaNode, belaNode, chloeNode)) {}
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a link whose group is not reachable ends in 69`() async throws {
        try await Lab.open { lab in
            let (ada, bela) = (try await lab.friend("Ada"), try await lab.friend("Béla"))
            let node = try await ada.start()
            try await ada.ask("group", "create", "Breakfast club")
            let link = try #require(try await ada.ask("invite")["link"].text)
            await node.kill()
            let result = try await bela.run("join", link, "--timeout", "2s")
            #expect(result.exitCode == 69, "\(result)")
            #expect(result.errorCode == "nobodyReachable")
        }
    }

    #if os(Linux)
        @Test(.timeLimit(.minutes(10)))
        func `garbage by the thousand leaves a node serving and its memory flat`() async throws {
            try await Lab.open { lab in
                let (ada, bela) = (try await lab.friend("Ada"), try await lab.friend("Béla"))
                let (node, belaNode) = (try await ada.start(), try await bela.start())
                try await ada.share(with: bela)
                try await lab.agreement(of: [ada, bela])
                var random = SplitMix64(seed: 1)
                let stranger = try RawSocket(.datagram)
                try stranger.bind()

                // The first round fills what is kept for good, the second must add nothing.
                try await Self.bother(node, with: stranger, using: &random)
                let before = try node.residentMemory()
                try await Self.bother(node, with: stranger, using: &random)
                let grown = try node.residentMemory() - before
                #expect(grown < 8 << 20, "the node grew by \(grown) bytes")
                #expect(stranger.received() == nil, "a stranger got an answer")

                let start = belaNode.events.count
                try await ada.ask("add", input: ShareTexts.wordle(1_351, guesses: 3))
                try await belaNode.changed(from: start)
                try await lab.agreement(of: [ada, bela])
            }
        }

        /// 5,000 datagrams and 1,000 connections, of which 200 at a time stay open and say nothing or nonsense.
        private static func bother(
            _ node: RunningNode, with stranger: RawSocket, using random: inout SplitMix64
        ) async throws {
            for round in 0..<5 {
                for number in 0..<1_000 {
                    let size = Int.random(in: 0...1_400, using: &random)
                    var bytes = (0..<size).map { _ in UInt8.random(in: .min ... .max, using: &random) }
                    // Every kind of packet there is, and others.
                    if !bytes.isEmpty { bytes[0] = UInt8(number % 8) }
                    stranger.send(bytes, to: node.port)
                }
                var open: [RawSocket] = []
                for number in 0..<200 {
                    let connection = try RawSocket(.stream)
                    #expect(connection.connect(to: node.port))
                    if number % 2 == round % 2 { connection.send([UInt8](repeating: UInt8(number), count: number)) }
                    open.append(connection)
                }
                // The node answers its owner meanwhile.
                try await node.friend.ask("status")
                for connection in open { #expect(connection.received()?.isEmpty ?? true, "a stranger got an answer") }
            }
        }
    #endif
}
