import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakNode

/// Messages between two friends.
@Suite(.timeLimit(.minutes(10))) struct MessageTests {
    private static func ask(_ node: MeshNode, _ request: MessageRequest) async throws -> MessagesReport {
        try await node.call(request)
    }

    private static func texts(_ node: MeshNode, of friend: String) async throws -> [String] {
        try await ask(node, .show(user: friend)).messages.map(\.text)
    }

    /// Ada and Ben, who have exchanged codes.
    private static func pair(
        lead: (@Sendable () -> Duration)? = nil, walls: [String: @Sendable () -> Int64] = [:],
        _ body: @Sendable (MeshNode, MeshNode) async throws -> Void
    ) async throws {
        try await NodeParty().running(["Ada", "Ben"], usesLAN: true, lead: lead, walls: walls) { nodes in
            let (ada, ben) = (nodes[0], nodes[1])
            let code = try await ada.call(FriendshipRequest.list).code
            _ = try await ben.call(FriendshipRequest.add(code: code))
            try await ada.until { try await $0.call(FriendshipRequest.list).received.count == 1 }
            _ = try await ada.call(FriendshipRequest.approve(user: "Ben"))
            for (node, friend) in [(ada, "Ben"), (ben, "Ada")] {
                try await node.until { node in
                    let friends = try await node.call(FriendshipRequest.list).friends
                    return friends.map(\.name) == [friend]
                }
            }
            try await body(ada, ben)
        }
    }

    @Test func `friends write, change and delete, and see what is new`() async throws {
        try await Self.pair { ada, ben in
            #expect(try await Self.ask(ada, .list).friends.map(\.name) == ["Ben"])
            let sent = try await Self.ask(ada, .write(user: "Ben", text: " Again\n<b>tomorrow</b>? "))
            #expect(sent.messages.map(\.text) == ["Again <b>tomorrow</b>?"] && sent.messages[0].me)
            #expect(!sent.messages[0].fresh && sent.friend?.fresh == 0)
            try await ben.until { try await Self.ask($0, .list).friends[0].fresh == 1 }
            let seen = try await Self.ask(ben, .look(user: "Ada"))
            #expect(
                seen.messages.map(\.fresh) == [true] && !seen.messages[0].me
                    && seen.friend?.last?.text == sent.messages[0].text)
            #expect(try await Self.ask(ben, .list).friends[0].fresh == 0)
            await ben.rebuildViews()
            #expect(try await Self.ask(ben, .list).friends[0].fresh == 0)
            // The IDs in reports are the same for both, but only the author may use them.
            let id = sent.messages[0].id
            #expect(seen.messages[0].id == id)
            await #expect(throws: NodeFailure.unknownMessage(id)) {
                try await Self.ask(ben, .edit(message: id, text: "x"))
            }
            await #expect(throws: NodeFailure.unknownMessage(id)) { try await Self.ask(ben, .delete(message: id)) }
            _ = try await Self.ask(ada, .edit(message: String(id.prefix(6)), text: "Again tonight?"))
            try await ben.until { try await Self.texts($0, of: "Ada") == ["Again tonight?"] }
            #expect(try await Self.ask(ben, .show(user: "Ada")).messages.map(\.edited) == [true])
            _ = try await Self.ask(ben, .write(user: "Ada", text: "Yes"))
            try await ada.until { try await Self.texts($0, of: "Ben") == ["Again tonight?", "Yes"] }
            _ = try await Self.ask(ada, .delete(message: id))
            try await ben.until { try await Self.texts($0, of: "Ada") == ["Yes"] }
        }
    }

    @Test func `a message can be written before the friend’s name is in the group of the two`() async throws {
        try await NodeParty().running(["Ada", "Ben"], usesLAN: true) { nodes in
            let (ada, ben) = (nodes[0], nodes[1])
            _ = try await ada.group(.create(title: "Family"))
            try await ben.join(try await ada.invite().link)
            for (node, friend) in [(ada, "Ben"), (ben, "Ada")] {
                try await node.until { try await $0.members().contains { $0.name == friend } }
            }
            _ = try await ben.call(FriendshipRequest.add(code: try await ada.call(FriendshipRequest.list).code))
            try await ada.until { try await $0.call(FriendshipRequest.list).received.count == 1 }
            _ = try await ada.call(FriendshipRequest.approve(user: "Ben"))
            for node in [ada, ben] { try await node.until { try await !Self.ask($0, .list).friends.isEmpty } }
            _ = try await Self.ask(ada, .write(user: "Ben", text: "There you are"))
            try await ben.until { try await Self.texts($0, of: "Ada") == ["There you are"] }
        }
    }

    @Test func `an alias in another group leads nobody to the messages with whom it stands for`() async throws {
        try await Self.pair { ada, ben in
            _ = try await ada.group(.create(title: "Red"))
            try await ben.join(try await ada.invite().link)
            let alias = try await ben.privacy(.change(group: "Red", PrivacyChange(anonymous: true))).name
            try await ada.until { try await $0.members().contains { $0.name == alias && $0.anonymous } }
            await #expect(throws: NodeFailure.noPair(name: alias)) { try await Self.ask(ada, .show(user: alias)) }
            let id = try #require(try await ada.members().first { $0.name == alias }?.user)
            await #expect(throws: NodeFailure.noPair(name: alias)) { try await Self.ask(ada, .show(user: id)) }
            #expect(try await Self.texts(ada, of: "Ben").isEmpty)
        }
    }

    /// The next notice.
    private static func next(_ events: AsyncStream<NodeEvent>) async -> String? {
        for await case .notice(let text) in events { return text }
        return nil
    }

    /// Told at any hour, by a command that does nothing, and nothing of the week: that depends on the day of the test.
    private static let always = NotificationChange(
        off: ["started", "ending", "climbed"], quiet: "", desktop: false, command: "true")

    @Test func `a message is told once, never in its words, and counts for the bell until it is read`() async throws {
        let lead = SettableClock(0)
        try await Self.pair(lead: { .milliseconds(lead.milliseconds) }) { ada, ben in
            _ = try await ben.call(NotificationRequest.change(Self.always))
            try await ben.until { try await $0.call(FeedRequest.look(group: nil)).fresh == 0 }
            let events = ben.events()
            _ = try await Self.ask(ada, .write(user: "Ben", text: "Again tomorrow?"))
            #expect(await Self.next(events) == "Ada wrote to you.")
            let first = try await ben.call(NotificationRequest.show)
            #expect(first.fresh == 1 && first.shownToday == 1 && first.notices.first?.kind == "message")

            // More of the same sitting is the same news.
            _ = try await Self.ask(ada, .write(user: "Ben", text: "Or the day after tomorrow?"))
            try await ben.until {
                try await $0.call(NotificationRequest.show).notices.first?.text == "Ada wrote you 2 messages."
            }
            lead.set(3)
            await ben.process()
            let second = try await ben.call(NotificationRequest.show)
            #expect(second.fresh == 1 && second.shownToday == 1)
            let feed = try await ben.call(FeedRequest.show(group: nil))
            #expect(!feed.entries.contains { $0.text.contains("tomorrow") })
            #expect(!second.notices.contains { $0.text.contains("tomorrow") })
            // The author has no news of it.
            #expect(!(try await ada.call(FeedRequest.show(group: nil)).entries.contains { $0.kind == "message" }))

            // What is read is no news any more; what comes after it is news again.
            _ = try await Self.ask(ben, .look(user: "Ada"))
            let read = try await ben.call(NotificationRequest.show)
            #expect(read.fresh == 0 && !read.notices.contains { $0.kind == "message" })
            let last = try await Self.ask(ada, .write(user: "Ben", text: "Well?"))
            #expect(await Self.next(events) == "Ada wrote to you.")
            #expect(try await ben.call(NotificationRequest.show).fresh == 1)
            let id = try #require(last.messages.last?.id)
            _ = try await Self.ask(ada, .delete(message: id))
            try await ben.until { try await $0.call(NotificationRequest.show).fresh == 0 }
        }
    }

    @Test func `what a friend writes after a pause is told again, and nothing of who is muted or switched off`()
        async throws
    {
        let clock = SettableClock(1_795_262_400)
        let wall: @Sendable () -> Int64 = { clock.milliseconds }
        try await Self.pair(walls: ["Ada": wall, "Ben": wall]) { ada, ben in
            @Sendable func news() async throws -> [String] {
                try await ben.call(NotificationRequest.show).notices.filter { $0.kind == "message" }.map(\.text)
            }
            for (minute, texts) in [
                (0, ["Ada wrote to you."]), (30, ["Ada wrote you 2 messages."]),
                (61, ["Ada wrote to you.", "Ada wrote you 2 messages."]),
            ] {
                clock.set(1_795_262_400 + 60 * Int64(minute))
                _ = try await Self.ask(ada, .write(user: "Ben", text: "At \(minute)"))
                try await ben.until { _ in try await news() == texts }
            }
            let group = try await Self.ask(ben, .list).friends[0].group
            _ = try await ben.call(MuteRequest.mute(user: "Ada", group: group))
            #expect(try await news().isEmpty)
            _ = try await ben.call(MuteRequest.unmute(user: "Ada", group: group))
            #expect(try await news().count == 2)
            clock.set(1_795_262_400 + 31 * 86_400)
            #expect(try await news().isEmpty)
        }
    }

    @Test func `who is muted is not heard, and a third member ends it`() async throws {
        try await Self.pair { ada, ben in
            _ = try await Self.ask(ada, .write(user: "Ben", text: "Hello"))
            try await ben.until { try await Self.texts($0, of: "Ada") == ["Hello"] }
            let group = try await Self.ask(ben, .list).friends[0].group
            _ = try await ben.call(MuteRequest.mute(user: "Ada", group: group))
            let quiet = try await Self.ask(ben, .show(user: "Ada"))
            #expect(quiet.messages.isEmpty && quiet.muted && quiet.friend?.fresh == 0 && quiet.friend?.last == nil)
            _ = try await ben.call(MuteRequest.unmute(user: "Ada", group: group))
            #expect(try await Self.texts(ben, of: "Ada") == ["Hello"])
            try await NodeParty().running("Cleo") { nodes in
                let link = try await ada.call(
                    InviteRequest.create(group: group, uses: 1, lifetime: 3_600, needsApproval: false)
                ).link
                try await nodes[0].join(link)
                #expect(try await Self.ask(nodes[0], .list).friends.isEmpty)
                try await ada.until { try await Self.ask($0, .list).friends.isEmpty }
                await #expect(throws: NodeFailure.noPair(name: "Ben")) { try await Self.ask(ada, .show(user: "Ben")) }
            }
        }
    }

    @Test(arguments: ["", " \n ", String(repeating: "x", count: 501), "a\u{202E}b"])
    func `a message is neither empty nor too long`(text: String) async throws {
        try await NodeParty.alone { node, _ in
            await #expect(throws: NodeFailure.invalidMessage(limit: 500)) {
                try await Self.ask(node, .write(user: "Ben", text: text))
            }
            await #expect(throws: NodeFailure.invalidMessage(limit: 500)) {
                try await Self.ask(node, .edit(message: "abcd", text: text))
            }
        }
    }

    @Test func `in an ordinary group of two there are no messages`() async throws {
        try await NodeParty().running("Ada", "Ben") { nodes in
            _ = try await nodes[0].group(.create(title: "Red"))
            try await nodes[1].join(try await nodes[0].invite().link)
            try await nodes[0].until { try await $0.members().map(\.name).sorted() == ["Ada", "Ben"] }
            #expect(try await Self.ask(nodes[0], .list).friends.isEmpty)
            await #expect(throws: NodeFailure.noPair(name: "Ben")) {
                try await Self.ask(nodes[0], .write(user: "Ben", text: "x"))
            }
            #expect(try await nodes[0].call(PlayerRequest.show(user: "Ben", group: nil)).correspondent == nil)
        }
    }
}
