import Testing

@testable import StreakNode

/// Friends by code.
@Suite(.timeLimit(.minutes(10))) struct FriendTests {
    private static func friends(_ node: MeshNode, _ request: FriendshipRequest = .list) async throws -> FriendsReport {
        try await node.call(request)
    }

    @Test func `a code leads to a group of two, once its owner says yes`() async throws {
        let party = try NodeParty()
        try await party.running("Ada", "Ben", usesLAN: true) { nodes in
            let (ada, ben) = (nodes[0], nodes[1])
            let code = try await Self.friends(ada).code
            let asked = try await Self.friends(ben, .add(code: code.lowercased()))
            #expect(asked.sent.map(\.code) == [code])
            await #expect(throws: NodeFailure.friendAlreadyAsked) { try await Self.friends(ben, .add(code: code)) }
            try await ada.until { try await Self.friends($0).received.map(\.name) == ["Ben"] }
            #expect(try await Self.friends(ada).received[0].code == Self.friends(ben).code)
            try await ada.add("Wordle 1,700 3/6")
            _ = try await Self.friends(ada, .approve(user: "Ben"))
            try await ben.until { try await Self.friends($0).friends.map(\.name) == ["Ada"] }
            try await ada.until { try await Self.friends($0).friends.map(\.name) == ["Ben"] }
            try await ben.add("Wordle 1,701 4/6")
            try await ada.until { try await $0.board().rows.contains { $0.name == "Ben" && $0.played == 1 } }
            await #expect(throws: NodeFailure.alreadyFriends(title: "Ada & Ben")) {
                try await Self.friends(ben, .add(code: code))
            }
            #expect(try await Self.friends(ada, .block(user: "ben")).blocked.map(\.name) == ["Ben"])
            await #expect(throws: NodeFailure.alreadyBlocked("Ben")) {
                try await Self.friends(ada, .block(user: "Ben"))
            }
            #expect(try await Self.friends(ada, .unblock(user: "ben")).blocked.isEmpty)
            await #expect(throws: NodeFailure.notBlocked("Ben")) {
                try await Self.friends(ada, .unblock(user: "ben"))
            }
            await #expect(throws: NodeFailure.unknownFriend("Cy")) {
                try await Self.friends(ada, .block(user: "Cy"))
            }
            #expect(try await Self.friends(ben).alone.isEmpty)
            #expect(try await Self.friends(ada, .remove(user: "Ben")).friends.isEmpty)
            try await ben.until { try await Self.friends($0).friends.isEmpty }
            // The one who stays is told that they are alone, until they leave, too.
            let alone = try await Self.friends(ben).alone
            #expect(alone.map(\.name) == ["Ada"] && alone.map(\.title) == ["Ada & Ben"])
            _ = try await ben.group(.leave(group: alone[0].group, erasing: false))
            #expect(try await Self.friends(ben).alone.isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `two who have entered each other's codes are friends`(atOnce: Bool) async throws {
        let party = try NodeParty()
        try await party.running("Ada", "Ben", usesLAN: true) { nodes in
            let (ada, ben) = (nodes[0], nodes[1])
            let codes = (try await Self.friends(ada).code, try await Self.friends(ben).code)
            _ = try await Self.friends(ben, .add(code: codes.0))
            if !atOnce { try await ada.until { try await Self.friends($0).received.map(\.name) == ["Ben"] } }
            _ = try await Self.friends(ada, .add(code: codes.1))
            do {
                for (node, friend) in [(ada, "Ben"), (ben, "Ada")] {
                    try await node.until { node in
                        let report = try await Self.friends(node)
                        return report.friends.map(\.name) == [friend] && report.sent.isEmpty && report.received.isEmpty
                    }
                }
            } catch {
                let reports = (try await Self.friends(ada), try await Self.friends(ben))
                Issue.record("Ada has \(reports.0), Ben \(reports.1)")
                throw error
            }
            let groups = try await Self.friends(ada).friends.map(\.group)
            #expect(try await Self.friends(ben).friends.map(\.group) == groups)
        }
    }

    @Test func `whoever asked is named when their code is entered, however it is typed`() {
        func report(_ state: String) -> FriendsReport {
            let asker = ReceivedFriendReport(
                user: "ab", name: "Ben", code: "2V0K-WGSX-1QFB", state: state, asked: "2026-11-27T08:53:00Z")
            return FriendsReport(
                code: "7K2M-9QXD-R4TV", answering: true, friends: [], sent: [], received: [asker], blocked: [])
        }
        #expect(report("approved").asker(withCode: " 2v0kwgsx1qfb")?.name == "Ben")
        #expect(report("approved").asker(withCode: "7K2M-9QXD-R4TV") == nil)
        #expect(report("approved").asker(withCode: "x") == nil)
        #expect(report("pending").asker(withCode: "2V0K-WGSX-1QFB") == nil)
    }

    @Test(arguments: [true, false])
    func `the group of two is the active one only where there was none`(hasGroup: Bool) async throws {
        let party = try NodeParty()
        try await party.running("Ada", "Ben", usesLAN: true) { nodes in
            let (ada, ben) = (nodes[0], nodes[1])
            if hasGroup { _ = try await ada.group(.create(title: "Red")) }
            _ = try await Self.friends(ben, .add(code: try await Self.friends(ada).code))
            try await ada.until { try await Self.friends($0).received.map(\.name) == ["Ben"] }
            _ = try await Self.friends(ada, .approve(user: "Ben"))
            let active = try await ada.call(GroupListRequest.all).groups.filter(\.active).map(\.title)
            #expect(active == [hasGroup ? "Red" : "Ada & Ben"])
        }
    }

    @Test(arguments: [
        ("", "it is empty"), (" - ", "it is empty"), ("7K3M-9QXT", "it has 8 symbols instead of 12"),
        ("AAAA-BBBB-CCCC", "at least one of its symbols is mistyped"),
    ])
    func `what is no code is refused with its reason`(text: String, reason: String) async throws {
        _ = try await NodeParty.alone { node, _ in
            await #expect(throws: NodeFailure.invalidFriendCode(reason: reason)) {
                try await Self.friends(node, .add(code: text))
            }
        }
    }

    @Test func `each mistake has its own answer`() async throws {
        _ = try await NodeParty.alone { node, party in
            let own = try await Self.friends(node).code
            await #expect(throws: NodeFailure.ownFriendCode) { try await Self.friends(node, .add(code: own)) }
            await #expect(throws: NodeFailure.unknownReturn("Club")) {
                try await Self.friends(node, .rejoin(group: "Club"))
            }
            let ben = try party.makeAccount("Ben").friendCode
            #expect(try await Self.friends(node, .add(code: ben)).sent.map(\.state) == ["looking"])
            #expect(try await Self.friends(node, .cancel(code: ben)).sent.isEmpty)
            await #expect(throws: NodeFailure.unknownFriend("Ben")) {
                try await Self.friends(node, .approve(user: "Ben"))
            }
            await #expect(throws: NodeFailure.unknownFriend("Ben")) {
                try await Self.friends(node, .remove(user: "Ben"))
            }
            await #expect(throws: NodeFailure.unknownFriend("Ben")) {
                try await Self.friends(node, .unblock(user: "Ben"))
            }
        }
    }

    @Test func `answering is on until it is switched off, also after a restart`() async throws {
        _ = try await NodeParty.alone { node, party in
            #expect(try await Self.friends(node).answering)
            #expect(try await !Self.friends(node, .answer(false)).answering)
            await node.close()
            let again = try await party.open("Ada")
            #expect(try await !Self.friends(again).answering)
            #expect(try await Self.friends(again, .answer(true)).answering)
            await again.close()
        }
    }
}
