import Foundation
import StreakTestSupport
import Testing

/// What a user is told outside of the page.
@Suite struct NotificationTests {
    @Test(.timeLimit(.minutes(10)))
    func `two machines of one user tell of a challenge once, by the user's command, and the page's bell counts it`()
        async throws
    {
        try await Lab.open { lab in
            let (ada, bela) = (try await lab.friend("Ada"), try await lab.friend("Béla"))
            let (adaNode, belaNode) = (try await ada.start(), try await bela.start(page: true))
            try await ada.share(with: bela)
            let laptop = lab.person("Béla’s laptop")
            try await laptop.ask("device", "join", try #require(try await bela.ask("device", "link")["link"].text))
            let laptopNode = try await laptop.start()
            let told = "\(bela.folder)/told.txt"
            for machine in [bela, laptop] { try await machine.writeNotifications(to: told) }
            let today = try #require(try await ada.ask("board")["today"].text)
            try await ada.ask("record", "wordle", "--score", "3", "--date", today)
            try await lab.agreement(of: [ada, bela, laptop])
            // What is covered is not counted and not told.
            let covered = try await bela.ask("notices")
            let kinds = covered["notices"].items.compactMap { $0["kind"].text }
            #expect(kinds.contains("joined") && Set(kinds).isDisjoint(with: ["result", "best", "unlock", "milestone"]))
            try await ada.ask("challenge", "make", "wordle", "--to", "Béla")

            for machine in [bela, laptop] {
                try await lab.eventually("both machines know that it was told") {
                    try await machine.ask("notifications")["shownToday"].integer == 1
                }
            }
            try await lab.eventually("the command has run") { FileManager.default.fileExists(atPath: told) }
            // Ada's answer to what Béla plays is not needed: a second notice shows that the first came once.
            try await bela.ask("record", "wordle", "--score", "4", "--date", today)
            for machine in [bela, laptop] {
                try await lab.eventually("the outcome was told, too") {
                    try await machine.ask("notifications")["shownToday"].integer == 2
                }
            }
            let expected = [
                "Ada challenged you to beat 3 guesses in Wordle.",
                "Ada won against you in Wordle: 3 guesses against 4 guesses.",
            ]
            try await lab.eventually("the command has run again") {
                try String(contentsOfFile: told, encoding: .utf8).split(separator: "\n").count >= 2
            }
            #expect(
                try String(contentsOfFile: told, encoding: .utf8).split(separator: "\n").map(String.init) == expected)

            let (page, cookie) = try await WebPage.signIn(belaNode, in: lab)
            let fresh = try #require(try await bela.ask("notifications")["fresh"].integer)
            #expect(fresh >= 2)
            let shown = try await WebPage.answer(of: page, to: "GET", "/today", cookie: cookie, in: lab)
            #expect(shown.contains("\(fresh) new things"))
            _ = try await WebPage.answer(of: page, to: "GET", "/activity", cookie: cookie, in: lab)
            let after = try await WebPage.answer(of: page, to: "GET", "/today", cookie: cookie, in: lab)
            #expect(after.contains("Nothing new"))
            try await lab.eventually("the other machine has heard that it was looked at") {
                try await laptop.ask("notifications")["fresh"].integer == 0
            }
            withExtendedLifetime((adaNode, belaNode, laptopNode)) {}
        }
    }
}
