import StreakTestSupport
import Testing

/// The main job: friends join by a link, paste what their games copied, and see the same board.
@Suite struct TwoFriendsTests {
    @Test(.timeLimit(.minutes(10)))
    func `two friends see the same board, live`() async throws {
        try await Lab.open { lab in
            let (ada, bela) = (try await lab.friend("Ada"), try await lab.friend("Béla"))
            let (adaNode, belaNode) = (try await ada.start(), try await bela.start())
            try await ada.ask("group", "create", "Breakfast club")
            let link = try #require(try await ada.ask("invite")["link"].text)
            let joined = try await bela.ask("join", link)
            #expect(joined["title"].text == "Breakfast club")
            #expect(joined["members"].integer == 2)

            let start = belaNode.events.count
            try await ada.ask("add", input: ShareTexts.wordle(1_351, guesses: 3))
            let event = try await belaNode.changed(from: start)
            #expect(event["group"] == joined["group"])
            try await ada.ask("add", input: ShareTexts.mini("3/1/2025", time: "0:42"))
            let chat = "morning all!\n" + ShareTexts.wordle(1_351, guesses: 5) + "\n\n" + ShareTexts.connections(629)
            #expect(try await bela.ask("add", input: chat)["added"].items.count == 2)

            let digest = try await lab.agreement(of: [ada, bela])
            let rows = try await ada.board()
            #expect(try await bela.board() == rows)
            #expect(
                rows.map { $0["name"].text } == ["Béla", "Ada"] || rows.map { $0["name"].text } == ["Ada", "Béla"])
            #expect(rows.map { $0["played"].integer } == [2, 2])
            let wordle = try await bela.board("--game", "wordle")
            #expect(wordle.map { $0["name"].text } == ["Ada", "Béla"])
            #expect(wordle.map { $0["label"].text } == ["3 guesses", "5 guesses"])
            #expect(wordle.map { $0["rank"].integer } == [1, 2])
            #expect(try await adaNode.stop() == 0)
            #expect(try await belaNode.stop() == 0)
            // What is on disk is what the nodes showed.
            #expect(try await bela.digest() == digest)
            #expect(try await bela.board() == rows)
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a friend joins through a third member while the inviter is down`() async throws {
        try await Lab.open { lab in
            let (ada, bela, chloe) = (
                try await lab.friend("Ada"), try await lab.friend("Béla"), try await lab.friend("Chloë")
            )
            let (adaNode, belaNode) = (try await ada.start(), try await bela.start())
            try await ada.ask("group", "create", "Breakfast club")
            let first = try #require(try await ada.ask("invite")["link"].text)
            try await bela.ask("join", first)
            try await ada.ask("add", input: ShareTexts.wordle(1_351, guesses: 3))
            try await lab.agreement(of: [ada, bela])

            let link = try #require(try await ada.ask("invite")["link"].text)
            try await lab.agreement(of: [ada, bela])
            await adaNode.kill()
            let chloeNode = try await chloe.start()
            #expect(try await chloe.ask("join", link)["members"].integer == 3)
            try await chloe.ask("add", input: ShareTexts.wordle(1_351, guesses: 4))
            try await lab.agreement(of: [bela, chloe])
            let rows = try await chloe.board()
            #expect(rows.map { $0["name"].text } == ["Ada", "Chloë"])

            // The inviter comes back and learns of the newcomer from those who admitted her.
            _ = try await ada.start()
            try await lab.agreement(of: [ada, bela, chloe])
            #expect(try await ada.board() == rows)
            #expect(try await ada.ask("members")["members"].items.count == 3)
            withExtendedLifetime((belaNode, chloeNode)) {}
        }
    }

    @Test(.timeLimit(.minutes(10)), arguments: ["remembered addresses", "--peer"])
    func `what was recorded while cut off from each other is merged`(way: String) async throws {
        try await Lab.open { lab in
            let (ada, bela) = (try await lab.friend("Ada"), try await lab.friend("Béla"))
            let (adaNode, belaNode) = (try await ada.start(), try await bela.start())
            try await ada.share(with: bela)
            try await ada.ask("add", input: ShareTexts.wordle(1_351, guesses: 3))
            for number in 1_349...1_351 {
                try await bela.ask("add", input: ShareTexts.wordle(number, guesses: 5))
            }
            let before = try await lab.agreement(of: [ada, bela])

            try await belaNode.stop()
            try await bela.ask("add", "--replace", input: ShareTexts.wordle(1_350, guesses: 2))
            try await bela.ask("delete", "wordle", "--date", "2025-03-01")
            try await bela.ask("add", input: ShareTexts.connections(629))
            try await ada.ask("add", input: ShareTexts.wordle(1_350, guesses: 6))
            try await ada.ask("add", "--replace", input: ShareTexts.wordle(1_351, guesses: 4))
            #expect(try await ada.digest() != before)
            #expect(try await bela.digest() != before)
            #expect(try await ada.digest() != bela.digest())

            if way == "--peer" {
                try await adaNode.stop()
                // Both at new ports: only the address on the command line is right.
                let moved = try await ada.start(listen: "127.0.0.1:\(freePort())")
                _ = try await bela.start("--peer", moved.address, listen: "127.0.0.1:\(freePort())")
            } else {
                _ = try await bela.start()
            }
            #expect(try await lab.agreement(of: [ada, bela]) != before)
            let rows = try await ada.board()
            #expect(try await bela.board() == rows)
            let wordle = try await bela.board("--game", "wordle")
            #expect(Set(wordle.map { "\($0["name"].text ?? "") \($0["played"].integer ?? 0)" }) == ["Ada 2", "Béla 2"])
            let results = try await bela.ask("results", "--game", "wordle")["results"].items
            #expect(results.map { $0["puzzle"].integer } == [1_350, 1_349])
            #expect(results.map { $0["score"].integer } == [2, 5])
        }
    }
}
