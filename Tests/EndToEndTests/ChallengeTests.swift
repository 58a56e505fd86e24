import StreakTestSupport
import Testing

/// Friends challenge each other.
@Suite struct ChallengeTests {
    @Test(.timeLimit(.minutes(10)))
    func `a challenge made on one page is accepted on another, and both learn who has won`() async throws {
        try await Lab.open { lab in
            let (ada, bela, chloe) = (
                try await lab.friend("Ada"), try await lab.friend("Béla"), try await lab.friend("Chloë")
            )
            let adaNode = try await ada.start(page: true)
            let belaNode = try await bela.start(page: true)
            let chloeNode = try await chloe.start()
            try await ada.ask("group", "create", "Breakfast club")
            let link = try #require(try await ada.ask("invite", "--uses", "2")["link"].text)
            for friend in [bela, chloe] { try await friend.ask("join", link) }
            let today = try #require(try await ada.ask("board")["today"].text)
            try await ada.ask("record", "wordle", "--score", "3", "--date", today)
            try await lab.agreement(of: [ada, bela, chloe])

            let (adaPage, adaCookie) = try await WebPage.signIn(adaNode, in: lab)
            let (belaPage, belaCookie) = try await WebPage.signIn(belaNode, in: lab)
            let user = try #require(try await bela.ask("whoami")["user"].text)
            let made = try await WebPage.answer(
                of: adaPage, to: "POST", "/challenge", form: "game=wordle&to=\(user)", cookie: adaCookie, in: lab)
            #expect(made.contains(" 303 "), "\(made.prefix(200))")
            try await lab.agreement(of: [ada, bela, chloe])

            // Béla sees the target and nothing else of the result; Chloë, who is not challenged, sees nothing of it.
            let waiting = try await bela.ask("challenge", "list")["waiting"].items
            #expect(waiting.map { $0["target"].text } == ["3 guesses"])
            #expect(try await bela.ask("comment", "list", "Ada", "wordle")["covered"].bool == true)
            let others = try await chloe.ask("challenge", "list")["open"].items
            #expect(others.count == 1 && others[0]["target"].text == nil)
            let feed = try await chloe.ask("feed")["entries"].items
            #expect(feed.contains { $0["text"].text == "challenged Béla in Wordle" })
            let shown = try await WebPage.answer(of: belaPage, to: "GET", "/challenges", cookie: belaCookie, in: lab)
            #expect(shown.contains("Ada challenges you") && shown.contains("to beat 3 guesses"))

            let id = try #require(waiting.first?["id"].text)
            let accepted = try await WebPage.answer(
                of: belaPage, to: "POST", "/challenge/accept", form: "id=\(id)", cookie: belaCookie, in: lab)
            #expect(accepted.contains(" 303 "), "\(accepted.prefix(200))")
            try await lab.agreement(of: [ada, bela, chloe])
            #expect(
                try await ada.ask("challenge", "list")["open"].items.first?["duels"].items.first?["accepted"].bool
                    == true)

            // Béla's result decides it; both are told, on the page, in the feed.
            try await bela.ask("record", "wordle", "--score", "2", "--date", today)
            try await lab.agreement(of: [ada, bela, chloe])
            try await Self.expectBothKnow(ada, bela)
            try await Self.expectCovered(for: chloe, on: today)
            for (page, cookie) in [(adaPage, adaCookie), (belaPage, belaCookie)] {
                let ended = try await WebPage.answer(of: page, to: "GET", "/challenges", cookie: cookie, in: lab)
                #expect(ended.contains("beaten it with 2 guesses"))
            }
            withExtendedLifetime((adaNode, belaNode, chloeNode)) {}
        }
    }

    /// Béla has beaten Ada's three guesses with two.
    private static func expectBothKnow(_ ada: Friend, _ bela: Friend) async throws {
        for friend in [ada, bela] {
            let report = try await friend.ask("challenge", "list")
            #expect(report["ended"].items.first?["duels"].items.first?["outcome"].text == "won")
            #expect(report["tallies"].items.map { $0["won"].integer } == [1, 0])
        }
        let adaFeed = try await ada.ask("feed")["entries"].items
        #expect(
            adaFeed.contains {
                $0["text"].text == "won against you in Wordle: 2 guesses against 3 guesses"
                    && $0["fresh"].bool == true
            })
        let belaFeed = try await bela.ask("feed")["entries"].items
        #expect(
            belaFeed.contains {
                $0["text"].text == "lost against you in Wordle: 3 guesses against 2 guesses"
                    && $0["fresh"].bool == true
            })
    }

    /// Chloë learns that it was met, and who has won once she has played.
    private static func expectCovered(for chloe: Friend, on today: String) async throws {
        let before = try await chloe.ask("challenge", "list")
        #expect(before["tallies"].items.isEmpty)
        #expect(before["ended"].items.first?["duels"].items.first?["covered"].bool == true)
        #expect(before["ended"].items.first?["duels"].items.first?["label"].text == nil)
        try await chloe.ask("record", "wordle", "--score", "5", "--date", today)
        let after = try await chloe.ask("challenge", "list")
        #expect(after["ended"].items.first?["duels"].items.first?["outcome"].text == "won")
    }
}
