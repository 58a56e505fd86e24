import StreakGames
import StreakRandom
import Testing

@testable import StreakNode

/// What holds for the feed whatever members do: play, edit, delete, react, comment, challenge, rename, hide, leave.
@Suite(.timeLimit(.minutes(10))) struct ActivityLaws {
    private static let games = ["wordle", "connections", "strands", "nerdle"]
    private static let groups = ["Red", "Blue"]

    @Test(arguments: [1, 2] as [UInt64])
    func `the feed is the same as one that is made from nothing`(seed: UInt64) async throws {
        let party = try NodeParty()
        try await party.running("Ada", "Bob") { nodes in
            let (ada, bob) = (nodes[0], nodes[1])
            try await Self.found(by: ada, with: [bob])
            var (chance, kinds) = (SplitMix64(seed: seed), Set<String>())
            for step in 0..<100 {
                let node = Bool.random(using: &chance) ? ada : bob
                try await Self.act(node, &chance)
                try await (node === ada ? bob : ada).hasAll(of: node)
                for each in nodes {
                    #expect(await each.feedIsAsFromNothing(), "seed \(seed), step \(step)")
                    kinds.formUnion(try await each.call(FeedRequest.show(group: nil, limit: 500)).entries.map(\.kind))
                }
            }
            #expect(kinds.isSuperset(of: ["result", "joined", "challenge"]), "\(kinds)")
            #expect(!kinds.isDisjoint(with: ["reaction", "comment"]), "\(kinds)")
        }
    }

    @Test(arguments: [3, 4] as [UInt64])
    func `a user's machines tell the same, also after a removal and an erasure`(seed: UInt64) async throws {
        let party = try NodeParty()
        try party.makeAccount("Ada")
        try await party.running("Ada") { try await party.link("Laptop", to: $0[0]) }
        try await party.running("Ada", "Laptop", "Bob", "Eve") { nodes in
            let (ada, laptop, bob, eve) = (nodes[0], nodes[1], nodes[2], nodes[3])
            try await laptop.dial(ada)
            try await Self.found(by: ada, with: [bob, eve])
            try await laptop.hasAll(of: ada)
            var chance = SplitMix64(seed: seed)
            // Nobody waits for another, so each machine hears of things in an order of its own.
            for _ in 0..<60 { try await Self.act(nodes.randomElement(using: &chance) ?? ada, &chance) }
            for each in [laptop, bob, eve] { try await each.hasAll(of: ada) }
            try await Self.expectSame(ada, laptop, "seed \(seed)")
            let removed = try await bob.call(ProfileRequest.whoami).user
            for group in Self.groups {
                _ = try await ada.call(MemberRequest.remove(group: group, user: removed))
                _ = try await eve.group(.leave(group: group, erasing: true))
            }
            try await ada.until { try await $0.status().groups.allSatisfy { $0.members == 1 } }
            try await laptop.hasAll(of: ada)
            try await Self.expectSame(ada, laptop, "seed \(seed), alone again")
            let alone = try await laptop.call(FeedRequest.show(group: nil, limit: 500)).entries
            #expect(alone.allSatisfy { $0.me || ["left", "removed", "event", "eventEnding"].contains($0.kind) })
            #expect(Set(alone.map(\.kind)).isSuperset(of: ["left", "removed"]))
            for each in [ada, laptop] { #expect(await each.feedIsAsFromNothing()) }
        }
    }

    private static func found(by founder: MeshNode, with others: [MeshNode]) async throws {
        for title in groups {
            let group = try await founder.group(.create(title: title)).id
            let link = try await founder.call(
                InviteRequest.create(group: group, uses: 5, lifetime: 3_600, needsApproval: false)
            ).link
            for other in others { try await other.join(link) }
        }
    }

    private static func expectSame(_ one: MeshNode, _ other: MeshNode, _ note: Comment) async throws {
        for group in groups + [nil] {
            // People of one name are told apart by friend codes, which each machine works out in its own time.
            try await one.until { one in
                let mine = try await one.call(FeedRequest.show(group: group, limit: 500)).entries
                return try await other.call(FeedRequest.show(group: group, limit: 500)).entries == mine
            }
            let (mine, theirs) = (
                try await one.call(FeedRequest.show(group: group, limit: 500)).entries,
                try await other.call(FeedRequest.show(group: group, limit: 500)).entries
            )
            #expect(mine == theirs, note)
            #expect(!mine.isEmpty)
        }
    }

    /// One change. Some are refused, as a member's who may not make it: then it is a step without a change.
    private static func act(_ node: MeshNode, _ chance: inout SplitMix64) async throws {
        let group = groups.randomElement(using: &chance) ?? "Red"
        switch Int.random(in: 0...17, using: &chance) {
        case 0...6: try await play(node, group, &chance)
        case 7:
            guard let result = try await node.results().randomElement(using: &chance) else { return }
            _ = try await node.call(ScoreRequest.delete(game: result.game, date: result.day, puzzle: result.puzzle))
        case 8:
            let hidden = Bool.random(using: &chance)
            _ = try await node.privacy(.change(group: group, PrivacyChange(hidden: hidden)))
        case 9: _ = try await node.call(ProfileRequest.rename(name: "\(Int.random(in: 0...9, using: &chance))"))
        case 10:
            let guards = Bool.random(using: &chance)
            // Only the owner may.
            _ = try? await node.call(
                GroupSettingsRequest.change(group: group, GroupSettingsChange(spoilerGuard: guards)))
        case 11:
            // Only the owner and admins may.
            _ = try? await node.call(EventRequest.choose(rule: "most-games", game: nil, group: group))
        case 12: _ = try await node.call(FeedRequest.look(group: group))
        case 13...14: try await talk(node, group, &chance)
        case 15: try await challenge(node, group, &chance)
        default: try await answer(node, group, &chance)
        }
    }

    /// A result that is new, better or edited.
    private static func play(_ node: MeshNode, _ group: String, _ chance: inout SplitMix64) async throws {
        let today = try #require(PuzzleDay(try await node.board().today))
        let date = today.adding(days: -Int.random(in: 0...2, using: &chance)).description
        let score = Int.random(in: 4...6, using: &chance)
        let groups = Bool.random(using: &chance) ? nil : [group]
        _ = try await node.call(
            ScoreRequest.record(
                game: games.randomElement(using: &chance) ?? "wordle", score: score, isCompleted: true, seconds: nil,
                date: date, groups: groups, replace: true))
    }

    /// Words about the latest result of a game, somebody else's or one's own, if there is one that is not covered.
    private static func talk(_ node: MeshNode, _ group: String, _ chance: inout SplitMix64) async throws {
        let (members, choice) = (try await node.members(group), Int.random(in: 0...3, using: &chance))
        for game in games.shuffled(using: &chance) {
            guard let member = members.randomElement(using: &chance) else { return }
            let result = ResultReference(user: member.user, game: game, group: group)
            guard let talk = try? await node.call(TalkRequest.show(result)), !talk.covered else { continue }
            switch choice {
            case 0: _ = try await node.call(TalkRequest.comment(result, text: "close"))
            case 1, 2: _ = try await node.call(TalkRequest.react(result, emoji: choice == 1 ? "🔥" : nil))
            default:
                guard let said = talk.comments.first(where: \.me) else { continue }
                _ = try await node.call(TalkRequest.delete(comment: said.id, group: group))
            }
            return
        }
    }

    /// With any result that another member has not played, if there is one.
    private static func challenge(_ node: MeshNode, _ group: String, _ chance: inout SplitMix64) async throws {
        for result in try await node.results().shuffled(using: &chance) {
            let reference = ResultReference(game: result.game, date: result.day, puzzle: result.puzzle, group: group)
            if (try? await node.call(ChallengeRequest.make(reference))) != nil { return }
        }
    }

    /// To a challenge, which may be over by now, or one's own is withdrawn, which somebody may have met.
    private static func answer(_ node: MeshNode, _ group: String, _ chance: inout SplitMix64) async throws {
        let challenges = try await node.call(ChallengeRequest.list(group: group))
        if let waiting = challenges.waiting.randomElement(using: &chance) {
            _ = try? await node.call(
                ChallengeRequest.answer(
                    challenge: waiting.id, accepts: Bool.random(using: &chance), group: group))
        } else if let own = challenges.open.first(where: \.mayWithdraw) {
            _ = try? await node.call(ChallengeRequest.withdraw(challenge: own.id, group: group))
        }
    }
}

extension MeshNode {
    /// Whether the feeds that have grown so far are those of a node that has just started.
    fileprivate func feedIsAsFromNothing() -> Bool {
        let fresh = Activity(core: core, loop: loop, boards: services.boards)
        return (core.memberGroups.map { [$0] } + [core.memberGroups]).allSatisfy { groups in
            services.activity.items(of: groups) == fresh.items(of: groups)
        }
    }

    /// Waits until this node's groups are as another's are now.
    fileprivate func hasAll(of other: MeshNode) async throws {
        try await until { reader in
            let mine = try await reader.status().groups.map(\.digest).sorted()
            return try await other.status().groups.map(\.digest).sorted() == mine
        }
    }
}
