import StreakTestSupport
import Testing

/// Friends react to results and comment on them.
@Suite struct TalkTests {
    @Test(.timeLimit(.minutes(10)))
    func `who follows the feed reads each entry once, as it comes, until the node stops`() async throws {
        try await Lab.open { lab in
            let (ada, bela) = (try await lab.friend("Ada"), try await lab.friend("Béla"))
            let (adaNode, belaNode) = (try await ada.start(), try await bela.start())
            try await ada.share(with: bela)
            for friend in [ada, bela] {
                try await friend.ask("add", input: ShareTexts.wordle(1_351, guesses: 3))
            }
            try await lab.agreement(of: [ada, bela])
            async let followed = ada.run("feed", "--follow", limit: .seconds(240))
            let texts = ["one", "two", "three", "four"]
            for text in texts {
                try await bela.ask("comment", "add", "Ada", "wordle", text)
                try await lab.agreement(of: [ada, bela])
            }
            #expect(try await adaNode.stop() == 0)
            let result = try await followed
            #expect(result.exitCode == 0, "\(result)")
            let lines = try result.output.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
            let said = lines.filter { $0["kind"].text == "comment" }.compactMap { $0["text"].text }
            // The fourth of a sitting makes one entry of them.
            let alone = texts.prefix(3).map { "said about your Wordle: “\($0)”" }
            #expect(said == alone + ["said 4 things about your Wordle, at last “four”"])
            #expect(Set(lines.compactMap { $0["id"].text }).count == lines.count)
            withExtendedLifetime(belaNode) {}
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `three friends talk about a result, also while one of them is away`() async throws {
        try await Lab.open { lab in
            let (ada, bela, chloe) = (
                try await lab.friend("Ada"), try await lab.friend("Béla"), try await lab.friend("Chloë")
            )
            let (adaNode, belaNode, chloeNode) = (
                try await ada.start(), try await bela.start(), try await chloe.start()
            )
            try await ada.ask("group", "create", "Breakfast club")
            let link = try #require(try await ada.ask("invite", "--uses", "2")["link"].text)
            for friend in [bela, chloe] { try await friend.ask("join", link) }
            for friend in [ada, bela, chloe] {
                try await friend.ask("add", input: ShareTexts.wordle(1_351, guesses: 3))
            }
            try await lab.agreement(of: [ada, bela, chloe])

            try await bela.ask("react", "Ada", "wordle", "🔥")
            try await chloe.ask("react", "Ada", "wordle", "🔥")
            let said = try await bela.ask("comment", "add", "Ada", "wordle", "How did you <b>see</b> that?")
            let id = try #require(said["comments"].items.first?["id"].text)
            try await lab.agreement(of: [ada, bela, chloe])
            let seen = try await ada.ask("comment", "list", "Ada", "wordle")
            #expect(seen["reactions"].items.map { $0["count"].integer } == [2])
            #expect(seen["comments"].items.map { $0["text"].text } == ["How did you <b>see</b> that?"])

            // Chloë is away while Béla changes his mind and Ada answers.
            #expect(try await chloeNode.stop() == 0)
            try await bela.ask("comment", "edit", String(id.prefix(8)), "Well done")
            try await bela.ask("react", "Ada", "wordle", "--none")
            try await ada.ask("comment", "add", "Ada", "wordle", "Luck")
            try await lab.agreement(of: [ada, bela])
            let again = try await chloe.start()
            try await lab.agreement(of: [ada, bela, chloe])
            let lists = [
                try await ada.ask("comment", "list", "Ada", "wordle"),
                try await bela.ask("comment", "list", "Ada", "wordle"),
                try await chloe.ask("comment", "list", "Ada", "wordle"),
            ]
            for list in lists {
                #expect(list["comments"].items.map { $0["text"].text } == ["Well done", "Luck"])
                #expect(list["comments"].items.map { $0["edited"].bool } == [true, false])
                #expect(list["reactions"].items.map { $0["count"].integer } == [1])
            }
            #expect(lists.map { $0["mine"].text } == [nil, nil, "🔥"])

            // It is news to Ada, until she has looked.
            let feed = try await ada.ask("feed")["entries"].items
            let news = feed.filter { $0["fresh"].bool == true }
            #expect(Set(news.map { $0["kind"].text ?? "" }).isSuperset(of: ["comment", "reaction", "joined"]))
            #expect(news.contains { $0["text"].text == "said about your Wordle: “Well done”" })
            #expect(try await ada.ask("feed", "--seen")["fresh"].integer == news.count)
            #expect(try await ada.ask("feed")["fresh"].integer == 0)

            // Ada hides it; Béla deletes it.
            try await ada.ask("comment", "hide", id)
            try await lab.agreement(of: [ada, bela, chloe])
            #expect(try await chloe.ask("comment", "list", "Ada", "wordle")["comments"].items.count == 1)
            try await bela.ask("comment", "delete", id)
            try await lab.agreement(of: [ada, bela, chloe])
            #expect(try await ada.ask("comment", "list", "Ada", "wordle")["comments"].items.count == 1)
            withExtendedLifetime((adaNode, belaNode, again)) {}
        }
    }
}
