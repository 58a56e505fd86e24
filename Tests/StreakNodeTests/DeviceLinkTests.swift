import StreakEngine
import StreakGames
import StreakReplication
import StreakScores
import StreakStorage
import StreakWire
import Testing

@testable import StreakNode

/// Several machines of one account.
@Suite(.timeLimit(.minutes(10))) struct DeviceLinkTests {
    @Test func `a second machine sees private results, and friends don't`() async throws {
        let party = try NodeParty()
        let (user, link) = try await party.running("Ada", "Ben") { nodes in
            let (ada, ben) = (nodes[0], nodes[1])
            _ = try await ada.group(.create(title: "Red"))
            try await ben.join(try await ada.invite().link)
            try await ada.add("Wordle 1,700 3/6")
            try await ada.add("Wordle 1,701 2/6", to: [])
            let link = try await ada.call(DeviceLinkRequest.make).link
            let laptop = try await party.link("Laptop", by: link)
            let ada1 = try await ada.call(ProfileRequest.whoami)
            #expect((laptop.user, laptop.friendCode) == (ada1.user, ada1.friendCode))
            #expect(laptop.device != ada1.device)
            #expect(laptop.recoveryConfirmed)
            return (ada1.user, link)
        }
        try await party.running("Ada", "Ben", "Laptop") { nodes in
            let (ada, ben, laptop) = (nodes[0], nodes[1], nodes[2])
            try await laptop.until { try await $0.results().count == 2 }
            let me = try await laptop.call(ProfileRequest.whoami)
            #expect((me.user, me.name) == (user, "Ada"))
            try await laptop.add("Wordle 1,702 5/6", to: [])
            try await laptop.add("Wordle 1,703 4/6")
            try await ada.until { try await $0.results().count == 4 }
            // One person in the group, with any number of machines.
            #expect(try await ben.members().count == 2)
            for node in nodes { try await node.until { try await $0.status().groups[0].online == 2 } }
            try await ben.until { try await $0.status().groups[0].digest == ada.status().groups[0].digest }
            #expect(await ben.privateScores(of: user) == 2)
            await #expect(throws: NodeFailure.deviceLink(.usedUp)) {
                try await party.link("Third", by: link)
            }
            #expect(!party.dataFolder("Third").hasAccount)
        }
    }

    @Test func `what one machine founds or joins is on the other, and friends know its user by name`() async throws {
        let party = try NodeParty()
        try await party.running("Ada") { nodes in
            try await party.link("Laptop", to: nodes[0])
        }
        try await party.running("Ada", "Ben", "Laptop") { nodes in
            let (ada, ben, laptop) = (nodes[0], nodes[1], nodes[2])
            try await laptop.dial(ada)
            _ = try await ada.group(.create(title: "Red"))
            try await ben.join(try await ada.invite().link)
            _ = try await ben.group(.create(title: "Blue"))
            try await laptop.join(try await ben.invite().link)
            for node in nodes {
                try await node.until { node in
                    let groups = try await node.status().groups
                    return Set(groups.map(\.title)) == ["Red", "Blue"] && groups.allSatisfy { $0.members == 2 }
                }
            }
            try await ada.add("Wordle 1,700 3/6", to: ["Red", "Blue"])
            for node in nodes {
                for group in ["Red", "Blue"] {
                    try await node.until { node in
                        let rows = try await node.call(BoardRequest(group: group, game: "Wordle", range: "all")).rows
                        return rows.first { $0.raw == 3 }?.name == "Ada"
                    }
                }
            }
        }
    }

    @Test(arguments: [true, false])
    func `a group of nobody else that one machine leaves is gone on the other, and stays gone`(
        isApart: Bool
    ) async throws {
        let party = try NodeParty()
        try await party.running("Ada") { nodes in
            try await party.link("Laptop", to: nodes[0])
        }
        @Sendable func titles(_ node: MeshNode) async throws -> Set<String> {
            Set(try await node.call(GroupListRequest.all).groups.map(\.title))
        }
        try await party.running("Ada", "Laptop") { nodes in
            for title in ["Red", "Blue"] { _ = try await nodes[0].group(.create(title: title)) }
            try await nodes[1].until { try await titles($0) == ["Red", "Blue"] }
            if !isApart { _ = try await nodes[0].group(.leave(group: "Red", erasing: false)) }
        }
        if isApart {
            try await party.running("Ada") { _ = try await $0[0].group(.leave(group: "Red", erasing: false)) }
        }
        try await party.running("Ada", "Laptop") { nodes in
            // The laptop may have brought the old group back before it heard.
            for node in nodes { try await node.until { try await titles($0) == ["Blue"] } }
            _ = try await nodes[1].group(.create(title: "Green"))
            for node in nodes { try await node.until { try await titles($0) == ["Blue", "Green"] } }
        }
    }

    /// Whether both the own results and the group's board have this high score.
    private static func shows(_ score: Int, on node: MeshNode) async throws -> Bool {
        let scores = try await node.results().map(\.score)
        let request = BoardRequest(game: "Blocks", range: "today")
        let raw = try await node.call(request).rows.first?.raw
        return scores == [score] && raw == score
    }

    @Test func `of two machines' high scores of a day the better stands, in either order, until one is edited`()
        async throws
    {
        let party = try NodeParty()
        try await party.running("Ada") { nodes in
            _ = try await nodes[0].group(.create(title: "Red"))
            let form = GameForm(name: "Blocks", model: "highScore")
            _ = try await nodes[0].call(GameRequest.define(form, group: nil))
            try await party.link("Laptop", to: nodes[0])
        }
        // Without knowing of each other, the better one first.
        @Sendable func record(_ score: Int, on node: MeshNode, replace: Bool = false) async throws {
            let request = ScoreRequest.record(
                game: "Blocks", score: score, isCompleted: true, seconds: nil, date: nil, groups: nil, replace: replace)
            _ = try await node.call(request)
        }
        try await party.running("Ada", "Laptop") { nodes in
            try await nodes[1].until { node in
                let games = try await node.call(
                    GamesRequest.list(search: nil, category: "custom", favouritesOnly: false, group: nil))
                return games.games.count == 1
            }
        }
        for (name, score) in [("Ada", 900), ("Laptop", 700)] {
            try await party.running(name) { try await record(score, on: $0[0]) }
        }
        try await party.running("Ada", "Laptop") { nodes in
            for node in nodes {
                try await node.until { try await Self.shows(900, on: $0) }
            }
            try await record(500, on: nodes[1], replace: true)
            for node in nodes {
                try await node.until { try await Self.shows(500, on: $0) }
            }
        }
    }

    /// What a machine does with a high score that the group lacks, as far as the machine knows.
    enum Publication: CaseIterable {
        case publish, sameAgain
    }

    @Test(arguments: Publication.allCases)
    func `a machine that has not heard of a better high score publishes its own without ending that one`(
        way: Publication
    ) async throws {
        let party = try NodeParty()
        let day = try await party.running("Ada") { nodes in
            _ = try await nodes[0].group(.create(title: "Red"))
            let form = GameForm(name: "Blocks", model: "highScore")
            _ = try await nodes[0].call(GameRequest.define(form, group: nil))
            try await party.link("Laptop", to: nodes[0])
            return SystemClock().today.description
        }
        @Sendable func record(_ score: Int, on node: MeshNode, to groups: [String]?) async throws {
            let request = ScoreRequest.record(
                game: "Blocks", score: score, isCompleted: true, seconds: nil, date: day, groups: groups, replace: false
            )
            _ = try await node.call(request)
        }
        try await party.running("Ada", "Laptop") { nodes in
            try await nodes[1].until { node in
                let games = try await node.call(
                    GamesRequest.list(search: nil, category: "custom", favouritesOnly: false, group: nil))
                return games.games.count == 1
            }
        }
        try await party.running("Ada") { try await record(200, on: $0[0], to: nil) }
        try await party.running("Laptop") { nodes in
            try await record(100, on: nodes[0], to: [])
            switch way {
            case .publish:
                let request = ScoreRequest.publish(game: "Blocks", date: day, puzzle: nil, groups: ["Red"])
                let report = try await nodes[0].call(request)
                #expect(report.published.count == 1)
            case .sameAgain: try await record(100, on: nodes[0], to: ["Red"])
            }
        }
        try await party.running("Ada", "Laptop") { nodes in
            let (ada, laptop) = (nodes[0], nodes[1])
            try await ada.until { try await $0.status().groups[0].digest == laptop.status().groups[0].digest }
            #expect(try await Self.shows(200, on: ada))
            #expect(await ada.publishedScores() == [200])
        }
    }

    @Test func `a link that is none, or of another kind, is refused and leaves nothing behind`() async throws {
        let party = try NodeParty()
        try await party.running("Ada") { nodes in
            _ = try await nodes[0].group(.create(title: "Red"))
            let invite = try await nodes[0].invite().link
            await #expect(throws: NodeFailure.linkForGroup) {
                try await party.link("new", by: invite)
            }
            await #expect(throws: NodeFailure.deviceLink(.malformed)) {
                try await party.link("new", by: "streakmesh://other/abc")
            }
            let link = try await nodes[0].call(DeviceLinkRequest.make).link
            await #expect(throws: NodeFailure.linkDamaged) {
                try await party.link("new", by: String(link.dropLast()))
            }
            // A QR code has it in capitals; a part of it is enough to recognise it.
            for text in [link, link.uppercased(), " \(link.prefix(30))"] {
                await #expect(throws: NodeFailure.linkForDevice) { try await nodes[0].join(text) }
                await #expect(throws: NodeFailure.linkForDevice) {
                    try await nodes[0].call(LinkRequest.inspect(link: text))
                }
            }
            await #expect(throws: NodeFailure.linkMalformed) { try await nodes[0].join("streakmesh://") }
            #expect(!party.dataFolder("new").hasAccount)
        }
    }
}

extension MeshNode {
    /// This user's scores in the shared groups.
    fileprivate func publishedScores() -> [Int] {
        core.memberGroups.flatMap { views[$0]?.index.results(of: me) ?? [] }.compactMap(\.score)
    }
}
