import Foundation
import StreakTestSupport
import Testing

/// Friends write to each other.
@Suite struct MessageTests {
    /// Makes two friends exchange codes. Their nodes run, and are linked or know each other's address.
    private static func befriend(_ asker: Friend, _ friend: Friend, in lab: Lab) async throws {
        let code = try #require(try await friend.ask("friend", "code")["code"].text)
        try await asker.ask("friend", "add", code)
        try await lab.eventually("\(friend.name) is asked") {
            try await friend.ask("friend", "list")["received"].items.contains { $0["name"].text == asker.name }
        }
        try await friend.ask("friend", "approve", asker.name)
        for (each, other) in [(asker, friend), (friend, asker)] {
            try await lab.eventually("\(each.name) can write to \(other.name)") {
                try await each.ask("message", "list")["friends"].items.contains { $0["name"].text == other.name }
            }
        }
    }

    /// What a friend's node says that the friend and another one wrote.
    private static func texts(_ friend: Friend, with other: String) async throws -> [String] {
        try await friend.ask("message", "show", other)["messages"].items.map { $0["text"].text ?? "" }
    }

    @Test(.timeLimit(.minutes(10)))
    func `friends write, change and delete, also while one is away, and a third friend sees nothing of it`()
        async throws
    {
        try await Lab.open { lab in
            let (ada, bela, chloe) = (
                try await lab.friend("Ada"), try await lab.friend("Béla"), try await lab.friend("Chloë")
            )
            let (adaNode, belaNode) = (try await ada.start(), try await bela.start(page: true))
            let chloeNode = try await chloe.start("--peer", belaNode.address, page: true)
            try await ada.ask("group", "create", "Breakfast club")
            let link = try #require(try await ada.ask("invite", "--uses", "2")["link"].text)
            for friend in [bela, chloe] { try await friend.ask("join", link) }
            // Chloë is a friend of both, by code, too.
            for (asker, friend) in [(ada, bela), (ada, chloe), (bela, chloe)] {
                try await Self.befriend(asker, friend, in: lab)
            }

            try await ada.ask("message", "send", "Béla", "Secret <b>plan</b> one")
            let sent = try await ada.ask("message", "send", "Béla", "Secret plan two")
            let ids = sent["messages"].items.compactMap { $0["id"].text }
            try #require(ids.count == 2)
            let written = ["Secret <b>plan</b> one", "Secret plan two"]
            try await lab.eventually("Béla has both") { try await Self.texts(bela, with: "Ada") == written }
            #expect(try await bela.ask("message", "list")["friends"][0]["fresh"].integer == 2)
            try await Self.expectNews(at: bela, belaNode, of: ada, in: lab)

            // Béla is away while Ada thinks again.
            #expect(try await belaNode.stop() == 0)
            try await ada.ask("message", "edit", String(ids[0].prefix(8)), "Secret plan, changed")
            try await ada.ask("message", "delete", ids[1])
            try await ada.ask("message", "send", "Béla", "Secret plan three")
            let again = try await bela.start()
            let left = ["Secret plan, changed", "Secret plan three"]
            try await lab.eventually("Béla has what is left") { try await Self.texts(bela, with: "Ada") == left }
            let conversation = try await bela.ask("message", "show", "Ada")["messages"].items
            #expect(conversation.map { $0["edited"].bool } == [true, false])
            #expect(conversation.map { $0["fresh"].bool } == [false, true])
            // Only who wrote a message may change it.
            #expect(try await bela.run("message", "delete", ids[0]).errorCode == "unknownMessage")

            // Now Ada is away. Béla's machine has it all, and his answer waits for her.
            #expect(try await adaNode.stop() == 0)
            try await bela.ask("message", "send", "Ada", "Secret answer")
            #expect(try await Self.texts(bela, with: "Ada") == left + ["Secret answer"])
            let adaAgain = try await ada.start()
            try await lab.eventually("Ada has the answer") {
                try await Self.texts(ada, with: "Béla") == left + ["Secret answer"]
            }

            try await lab.agreement(of: [ada, bela, chloe])
            try await Self.expectNothing(at: chloe, chloeNode, friends: [ada, bela], in: lab)
            withExtendedLifetime((again, adaAgain)) {}
        }
    }

    /// The bell has what a friend wrote, and the page shows it; then the user has looked.
    private static func expectNews(at bela: Friend, _ node: RunningNode, of ada: Friend, in lab: Lab) async throws {
        let news = try await bela.ask("notices")["notices"].items
        #expect(news.count { $0["text"].text == "Ada wrote you 2 messages." && $0["seen"].bool == false } == 1)
        let (page, cookie) = try await WebPage.signIn(node, in: lab)
        let user = try #require(try await ada.ask("whoami")["user"].text)
        let shown = try await WebPage.answer(of: page, to: "GET", "/messages?user=\(user)", cookie: cookie, in: lab)
        #expect(shown.contains("Secret &lt;b&gt;plan&lt;/b&gt; one") && shown.contains("Secret plan two"))
        #expect(try await bela.ask("message", "list")["friends"][0]["fresh"].integer == 0)
        #expect(try await bela.ask("notices")["notices"].items.allSatisfy { $0["kind"].text != "message" })
    }

    /// Neither commands nor pages nor the interface show a third friend what the two wrote, or that they did.
    private static func expectNothing(
        at chloe: Friend, _ node: RunningNode, friends: [Friend], in lab: Lab
    ) async throws {
        let list = try await chloe.run("message", "list").output
        #expect(list.contains("Ada") && list.contains("Béla"))
        var answers = [list, try await chloe.run("feed").output, try await chloe.run("notices").output]
        let (page, cookie) = try await WebPage.signIn(node, in: lab)
        var paths = ["/messages", "/activity", "/today", "/api/v1/messages", "/api/v1/feed", "/api/v1/notifications"]
        for friend in friends {
            let shown = try await chloe.run("message", "show", friend.name)
            #expect(try shown.json["messages"].items.isEmpty, "\(shown)")
            answers.append(shown.output)
            let user = try #require(try await friend.ask("whoami")["user"].text)
            paths += ["/messages?user=\(user)", "/api/v1/messages?user=\(user)"]
        }
        for path in paths {
            let answer = try await WebPage.answer(of: page, to: "GET", path, cookie: cookie, in: lab)
            #expect(answer.contains(" 200 "), "\(path): \(answer.prefix(200))")
            answers.append(answer)
        }
        for answer in answers { #expect(!answer.contains("Secret") && !answer.contains("wrote"), "\(answer)") }
    }

    @Test(.timeLimit(.minutes(10)))
    func `two machines of one user tell of a message once, without its words, and reading it on one is enough`()
        async throws
    {
        try await Lab.open { lab in
            let (ada, bela) = (try await lab.friend("Ada"), try await lab.friend("Béla"))
            let belaNode = try await bela.start()
            let adaNode = try await ada.start("--peer", belaNode.address)
            try await Self.befriend(ada, bela, in: lab)
            let laptop = lab.person("Béla’s laptop")
            try await laptop.ask("device", "join", try #require(try await bela.ask("device", "link")["link"].text))
            let laptopNode = try await laptop.start()
            let told = "\(bela.folder)/told.txt"
            for machine in [bela, laptop] { try await machine.writeNotifications(to: told) }
            for (number, text) in ["Secret one", "Secret two"].enumerated() {
                try await ada.ask("message", "send", "Béla", text)
                for machine in [bela, laptop] {
                    try await lab.eventually("\(machine.name) knows that it was told") {
                        try await machine.ask("notifications")["shownToday"].integer == number + 1
                    }
                    try await lab.eventually("\(machine.name) has it") {
                        try await Self.texts(machine, with: "Ada").last == text
                    }
                }
                // Read on one machine, it is no news on the other.
                try await laptop.ask("message", "show", "Ada", "--seen")
                try await lab.eventually("the other machine has heard that it was read") {
                    let news = try await bela.ask("notices")["notices"].items
                    return news.allSatisfy { $0["kind"].text != "message" }
                }
            }
            try await lab.eventually("the command has run twice") {
                // There is no file before it has run.
                let text = try? String(contentsOfFile: told, encoding: .utf8)
                return (text ?? "").split(separator: "\n").count >= 2
            }
            #expect(
                try String(contentsOfFile: told, encoding: .utf8).split(separator: "\n").map(String.init)
                    == ["Ada wrote to you.", "Ada wrote to you."])

            // Who does not want to be told is not.
            try await bela.ask("notifications", "--off", "message")
            let choices = try await bela.ask("notifications")["kinds"].items
            #expect(choices.contains { $0["kind"].text == "message" && $0["on"].bool == false })
            withExtendedLifetime((adaNode, belaNode, laptopNode)) {}
        }
    }
}
