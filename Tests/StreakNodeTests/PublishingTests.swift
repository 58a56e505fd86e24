import StreakEngine
import StreakWire
import Testing

@testable import StreakNode

/// Which groups get which results. Each group is checked by its own board.
@Suite(.timeLimit(.minutes(10))) struct PublishingTests {
    private static let wordle = "Wordle 1,700 3/6"

    /// The titles of the groups on whose boards the user has a result.
    private static func groupsWithResults(_ node: MeshNode) async throws -> Set<String> {
        var found: Set<String> = []
        for title in ["Red", "Blue"] where try await node.board(of: title).rows.contains(where: { $0.played > 0 }) {
            found.insert(title)
        }
        return found
    }

    private static func withGroups(_ body: @Sendable (MeshNode) async throws -> Void) async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Red"))
            _ = try await node.group(.create(title: "Blue"))
            try await body(node)
        }
    }

    @Test(
        arguments: [(nil, ["Red", "Blue"]), ([], []), (["Red"], ["Red"]), (["red", "Blue"], ["Red", "Blue"])]
            as [([String]?, Set<String>)])
    func `a new result goes to the chosen groups`(chosen: [String]?, expected: Set<String>) async throws {
        try await Self.withGroups { node in
            let report = try await node.add(Self.wordle, to: chosen)
            #expect(report.published.count == expected.count)
            #expect(try await Self.groupsWithResults(node) == expected)
            #expect(try await node.results().first?.groups.count == expected.count)
        }
    }

    @Test func `a preview names the groups that share each game, and stores nothing`() async throws {
        try await Self.withGroups { node in
            let change = PrivacyChange(unshare: ["wordle"])
            _ = try await node.call(PrivacyRequest.change(group: "Blue", change))
            let groups = try await node.call(GroupListRequest.all).groups
            let (red, blue) = (groups.first { $0.title == "Red" }?.id, groups.first { $0.title == "Blue" }?.id)
            let preview = ScoreRequest.preview(
                text: "\(Self.wordle)\n\nConnections\nPuzzle #500\n🟨🟨🟨🟨\n🟩🟩🟩🟩\n🟦🟦🟦🟦\n🟪🟪🟪🟪", date: nil)
            let report = try await node.call(preview)
            #expect(report.added.map(\.game) == ["wordle", "connections"])
            #expect(
                report.added.map { Set($0.groups) } == [
                    Set([red].compactMap(\.self)), Set([red, blue].compactMap(\.self)),
                ])
            #expect(report.published.count == 2)
            #expect(try await node.results().isEmpty)
            let added = try await node.call(
                ScoreRequest.add(text: Self.wordle, date: nil, replace: false, groups: nil))
            #expect(added.added.first?.groups == report.added.first?.groups)
            // A recorded result goes to no further group by itself.
            let again = try await node.call(ScoreRequest.preview(text: Self.wordle, date: nil))
            #expect(again.published.isEmpty)
        }
    }

    @Test(
        arguments: [
            (["Blue"], [[], ["Blue"]]), (["Red"], [["Red"], ["Red"]]), (["Red", "Blue"], [["Red"], ["Red", "Blue"]]),
            ([], [[], []]), (nil, [["Red"], ["Red", "Blue"]]),
        ] as [([String]?, [Set<String>])])
    func `of chosen groups every result of a paste goes to those that share its game`(
        chosen: [String]?, expected: [Set<String>]
    ) async throws {
        try await Self.withGroups { node in
            let change = PrivacyChange(unshare: ["wordle"])
            _ = try await node.call(PrivacyRequest.change(group: "Blue", change))
            let groups = try await node.call(GroupListRequest.all).groups
            let text = "\(Self.wordle)\n\nConnections\nPuzzle #500\n🟨🟨🟨🟨\n🟩🟩🟩🟩\n🟦🟦🟦🟦\n🟪🟪🟪🟪"
            let request = ScoreRequest.add(
                text: text, date: nil, replace: false, groups: chosen, sharingOnly: chosen != nil)
            let report = try await node.call(request)
            #expect(report.added.map(\.game) == ["wordle", "connections"])
            let titles = report.added.map { result in
                Set(groups.filter { result.groups.contains($0.id) }.map(\.title))
            }
            #expect(titles == expected)
        }
    }

    @Test func `what was kept private is published by pasting it again with a group, or by publish`() async throws {
        try await Self.withGroups { node in
            try await node.add(Self.wordle, to: [])
            try await node.add(Self.wordle)
            #expect(try await Self.groupsWithResults(node).isEmpty)
            let again = try await node.add(Self.wordle, to: ["Red"])
            #expect(again.added.first?.unchanged == true)
            #expect(try await Self.groupsWithResults(node) == ["Red"])
            let day = try #require(try await node.results().first?.day)
            let request = ScoreRequest.publish(game: "wordle", date: day, puzzle: nil, groups: nil)
            #expect(try await node.call(request).published.count == 1)
            #expect(try await Self.groupsWithResults(node) == ["Red", "Blue"])
            #expect(try await node.call(request).published.isEmpty)
        }
    }

    @Test func `a change goes where the result stands, and a private result stays private`() async throws {
        try await Self.withGroups { node in
            try await node.add(Self.wordle, to: ["Red"])
            try await node.add("Wordle 1,700 5/6", replace: true)
            #expect(try await Self.groupsWithResults(node) == ["Red"])
            #expect(try await node.board(of: "Red").rows.first?.value == 2)
        }
    }

    @Test func `a withdrawal tells no group what it never had`() async throws {
        try await Self.withGroups { node in
            try await node.add(Self.wordle, to: ["Red"])
            let day = try #require(try await node.results().first?.day)
            let before = try await node.status().groups
            let report = try await node.call(
                ScoreRequest.delete(game: "wordle", date: day, puzzle: nil))
            #expect(report.published.count == 1)
            let after = try await node.status().groups
            for (old, new) in zip(before, after) {
                #expect(new.records - old.records == (old.title == "Red" ? 1 : 0), "\(old.title)")
            }
            #expect(try await node.results().isEmpty)
        }
    }

    @Test func `undoing a publication leaves the result private`() async throws {
        try await NodeParty.alone { node, party in
            _ = try await node.group(.create(title: "Red"))
            try await node.add(Self.wordle, to: [])
            try await node.add(Self.wordle, to: ["Red"])
            _ = try await node.call(UndoRequest.last)
            #expect(try await node.board(of: "Red").rows.allSatisfy { $0.played == 0 })
            #expect(try await node.results().count == 1)
            // A restart compares what the group lacks with what is private.
            await node.close()
            let again = try await party.open("Ada")
            #expect(try await again.results().count == 1)
            await again.close()
        }
    }

    @Test func `history that is published later leaves out what was kept private`() async throws {
        try await Self.withGroups { node in
            try await node.add(Self.wordle, to: [])
            try await node.add("Wordle 1,701 4/6")
            _ = try await node.privacy(.stopSharing(group: "Red"))
            try await node.add("Wordle 1,702 4/6")
            let stopped = try await node.privacy(.show(group: "Red"))
            #expect((stopped.sharing, stopped.published, stopped.heldBack) == (false, 1, 1))
            let resumed = try await node.privacy(.resumeSharing(group: "Red", history: nil))
            #expect((resumed.sharing, resumed.published, resumed.heldBack) == (true, 2, 0))
        }
    }
}

/// Stopping to share, and games that a group does not get.
@Suite(.timeLimit(.minutes(10))) struct SharingTests {
    @Test func `who stops sharing publishes nothing new, and reads on`() async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Red"))
            try await node.add("Wordle 1,700 3/6")
            _ = try await node.privacy(.stopSharing(group: nil))
            let before = try await node.status().groups[0]
            #expect(!before.sharing)
            try await node.add("Wordle 1,701 3/6")
            try await node.add("Wordle 1,700 2/6", replace: true)
            _ = try await node.call(ProfileRequest.rename(name: "Adele"))
            let after = try await node.status().groups[0]
            #expect(after.digest == before.digest)
            #expect(try await node.members().first?.name == "Ada")
            await #expect(throws: NodeFailure.sharingStopped(title: "Red")) {
                try await node.add("Wordle 1,702 3/6", to: ["Red"])
            }
            // Edited results are corrected. Of the others, only those within the chosen history are published.
            let resumed = try await node.privacy(.resumeSharing(group: nil, history: 0))
            #expect((resumed.published, resumed.name) == (1, "Adele"))
            #expect(try await node.board().rows.first?.value == 5)
            #expect(try await node.results().count == 2)
        }
    }

    @Test func `a group does not get games that are not shared with it`() async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Red"))
            let changed = try await node.privacy(.change(group: nil, PrivacyChange(unshare: ["wordle"])))
            #expect(changed.unshared == ["wordle"])
            #expect(try await node.add("Wordle 1,700 3/6").published.isEmpty)
            #expect(try await node.add("Nerdle 1,300 3/6").published.count == 1)
            let again = try await node.privacy(.change(group: nil, PrivacyChange(share: ["wordle"])))
            #expect(again.unshared.isEmpty)
            #expect(try await node.add("Wordle 1,701 3/6").published.count == 1)
        }
    }

    @Test func `an unknown group or game changes nothing`() async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Red"))
            await #expect(throws: NodeFailure.unknownGroup("Green")) {
                try await node.add("Wordle 1,700 3/6", to: ["Red", "Green"])
            }
            #expect(try await node.results().isEmpty)
        }
    }
}
