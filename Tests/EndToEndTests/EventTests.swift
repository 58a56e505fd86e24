import StreakTestSupport
import Testing

/// A group plays for an event.
@Suite struct EventTests {
    @Test(.timeLimit(.minutes(10)))
    func `two nodes play for the same, stand the same, and follow the owner's choice`() async throws {
        try await Lab.open { lab in
            let (ada, bela) = (try await lab.friend("Ada"), try await lab.friend("Béla"))
            let (adaNode, belaNode) = (try await ada.start(), try await bela.start())
            try await ada.ask("group", "create", "Breakfast club")
            let link = try #require(try await ada.ask("invite")["link"].text)
            try await bela.ask("join", link)
            let today = try #require(try await ada.ask("board")["today"].text)
            for (friend, score) in [(ada, "3"), (bela, "5")] {
                try await friend.ask("record", "wordle", "--score", score, "--date", today)
            }
            try await lab.agreement(of: [ada, bela])

            // By UTC, today may be of another week than by the clock on the wall.
            var events = [try await ada.ask("event", "--week", today), try await bela.ask("event", "--week", today)]
            for key in ["week", "rule", "ends", "nextWeek"] {
                #expect(events[0][key].text != nil && events[0][key].text == events[1][key].text, "\(key)")
            }
            #expect(Self.rows(events[0]) == Self.rows(events[1]))

            // A member may not choose; the owner may, and Béla learns of it.
            let refused = try await bela.run("event", "set", "most-games")
            #expect(refused.exitCode == 77)
            let chosen = try await ada.ask("event", "set", "double", "wordle")
            #expect(chosen["next"]["rule"].text == "double" && chosen["next"]["chosenBy"].text == "Ada")
            try await lab.agreement(of: [ada, bela])
            events = [try await bela.ask("event"), try await ada.ask("event", "set", "--undo")]
            #expect(events[0]["next"]["name"].text == "Double Wordle")
            try await lab.agreement(of: [ada, bela])
            let next = try await bela.ask("event")["next"]
            #expect(next["chosenBy"].text == nil && next["rule"].text == events[1]["next"]["rule"].text)

            // It is an event of this week in both feeds.
            for friend in [ada, bela] {
                let feed = try await friend.ask("feed")["entries"].items
                #expect(feed.contains { $0["kind"].text == "event" })
            }
            withExtendedLifetime((adaNode, belaNode)) {}
        }
    }

    private static func rows(_ event: JSONValue) -> [String] {
        event["rows"].items.map {
            "\($0["rank"].integer ?? 0) \($0["name"].text ?? "") \($0["value"].integer ?? -1)"
        }
    }
}
