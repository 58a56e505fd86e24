import StreakEngine
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire
import Testing

@testable import StreakNode

/// What this user deletes and changes reaches every group that shows it, whatever happened in between.
@Suite(.timeLimit(.minutes(10))) struct OwnWordTests {
    private static func delete(_ day: String, on node: MeshNode) async throws -> AddReport {
        try await node.call(ScoreRequest.delete(game: "wordle", date: day, puzzle: nil))
    }

    private static func played(_ node: MeshNode) async throws -> [String: Int] {
        Dictionary(try await node.board().rows.map { ($0.name, $0.played) }) { $1 }
    }

    @Test func `what is deleted after leaving is gone when the user joins again`() async throws {
        try await NodeParty().running("Ada", "Bob") { nodes in
            let (ada, bob) = (nodes[0], nodes[1])
            _ = try await ada.group(.create(title: "Red"))
            try await bob.join(try await ada.invite().link)
            try await bob.add("Wordle 1,700 3/6")
            try await bob.add("Wordle 1,701 4/6")
            try await ada.until { try await Self.played($0)["Bob"] == 2 }
            _ = try await bob.group(.leave(group: "Red", erasing: false))
            let day = try #require(try await bob.results().first { $0.puzzle == 1_700 }?.day)
            _ = try await Self.delete(day, on: bob)
            try await bob.add("Wordle 1,701 5/6", replace: true)
            try await bob.join(try await ada.invite().link, history: 0)
            try await ada.until { try await Self.played($0)["Bob"] == 1 }
            try await bob.until { try await Self.played($0)["Bob"] == 1 }
            #expect(try await bob.results().map(\.score) == [5])
        }
    }

    /// - Parameter isStopped: whether the group gets nothing new. A deletion is not new.
    @Test(arguments: [false, true])
    func `the newer word of the private group reaches a shared one that shows an older`(isStopped: Bool) async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Red"))
            let shared: GroupID = try await node.group("Red")
            let own = try #require(await node.privateGroup)
            try await node.add("Wordle 1,700 3/6")
            try await node.add("Wordle 1,701 4/6")
            if isStopped { _ = try await node.privacy(.stopSharing(group: nil)) }
            let results = await node.ownScores()
            var edited = try #require(results.first { $0.puzzle == 1_701 })
            (edited.score, edited.isEdited) = (6, true)
            let gone = try #require(results.first { $0.puzzle == 1_700 }).key
            _ = try await node.execute(.write([(own, [.withdrawnScore(gone), .score(edited)])]))
            await node.rebuildViews()
            await node.process()
            #expect(await node.published(gone, in: shared) == nil)
            #expect(await node.published(edited.key, in: shared)?.score == (isStopped ? 4 : 6))
            let count = await node.engine.recordCount(of: shared)
            await node.rebuildViews()
            await node.process()
            #expect(await node.engine.recordCount(of: shared) == count)
        }
    }

    @Test func `nothing of one's own that a board shows is out of reach`() async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Red"))
            let shared: GroupID = try await node.group("Red")
            let own = try #require(await node.privateGroup)
            try await node.add("Wordle 1,700 3/6")
            let result = try #require(await node.ownScores().first)
            _ = try await node.execute(.write([(own, [.withdrawnScore(result.key)])]))
            #expect(try await node.results().isEmpty)
            #expect(await node.published(result.key, in: shared) != nil)
            #expect(try await Self.delete(result.day.description, on: node).published.count == 1)
            #expect(await node.published(result.key, in: shared) == nil)
        }
    }

    @Test func `a game that stays away keeps its edits away, and its deletions reach the group`() async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Red"))
            try await node.add("Wordle 1,700 3/6")
            try await node.add("Wordle 1,701 3/6")
            _ = try await node.privacy(.change(group: "Red", PrivacyChange(unshare: ["wordle"])))
            #expect(try await node.add("Wordle 1,700 6/6", replace: true).published.isEmpty)
            let shared: GroupID = try await node.group("Red")
            func scores() async -> [Int?] { await node.views[shared]?.index.results(of: node.me).map(\.score) ?? [] }
            #expect(await scores() == [3, 3])
            _ = try await node.call(UndoRequest.last)
            try await node.add("Wordle 1,700 5/6", replace: true)
            #expect(await scores() == [3, 3])
            let day = try #require(try await node.results().first { $0.puzzle == 1_701 }?.day)
            #expect(try await Self.delete(day, on: node).published.count == 1)
            #expect(await scores() == [3])
            _ = try await node.privacy(.change(group: "Red", PrivacyChange(share: ["wordle"])))
            #expect(await scores() == [5])
        }
    }

    @Test func `who stays because a removal is void has published all that was missed`() async throws {
        let party = try NodeParty()
        try await party.running("Ada", "Dov", "Eve") { nodes in
            let (ada, dov, eve) = (nodes[0], nodes[1], nodes[2])
            _ = try await ada.group(.create(title: "Red"))
            let link = try await ada.invite().link
            try await dov.join(link)
            try await eve.join(link)
            for number in 1_700...1_702 { try await dov.add("Wordle \(number) 3/6") }
            try await ada.until { try await Self.played($0)["Dov"] == 3 }
            _ = try await ada.call(MemberRequest.promote(group: nil, user: "Eve"))
            try await eve.until { try await $0.members().first { $0.me }?.role == "admin" }
            try await dov.until { try await $0.members().first { $0.name == "Eve" }?.role == "admin" }
        }
        try await party.running("Ada") { nodes in
            _ = try await nodes[0].call(MemberRequest.demote(group: nil, user: "Eve"))
        }
        try await party.running("Eve", "Dov") { nodes in
            let (eve, dov) = (nodes[0], nodes[1])
            try await dov.dial(eve)
            _ = try await eve.call(MemberRequest.remove(group: nil, user: "Dov"))
            try await dov.until { try await $0.status().groups.first?.role == "removed" }
            let day = try #require(try await dov.results().first { $0.puzzle == 1_700 }?.day)
            _ = try await Self.delete(day, on: dov)
            try await dov.add("Wordle 1,701 6/6", replace: true)
            try await dov.add("Wordle 1,703 2/6")
            try await dov.add("Wordle 1,704 2/6")
        }
        try await party.running("Ada", "Dov") { nodes in
            let (ada, dov) = (nodes[0], nodes[1])
            // Who counts as removed looks for nobody, and its port may be another one now.
            try await ada.dial(dov)
            try await dov.until { try await $0.status().groups.first?.role == "member" }
            try await dov.until { try await Self.played($0)["Dov"] == 4 }
            try await ada.until { try await Self.played($0)["Dov"] == 4 }
            #expect(try await dov.privacy(.show(group: nil)).heldBack == 0)
        }
    }

    // MARK: Several machines

    private static func second(of party: NodeParty) async throws {
        try await party.running("Ada") { nodes in
            _ = try await nodes[0].group(.create(title: "Red"))
            try await party.link("Laptop", to: nodes[0])
        }
        try await party.running("Ada", "Laptop") { nodes in
            try await nodes[1].until { try await $0.status().groups.count == 1 }
        }
    }

    private static func agree(_ left: MeshNode, _ right: MeshNode) async throws -> Bool {
        let digest = try await left.status().groups[0].digest
        return try await right.status().groups[0].digest == digest
    }

    @Test func `undo leaves alone what another machine has written since`() async throws {
        let party = try NodeParty()
        try await Self.second(of: party)
        try await party.running("Ada", "Laptop") { nodes in
            let (ada, laptop) = (nodes[0], nodes[1])
            try await ada.add("Wordle 1,700 3/6\n\nWordle 1,701 3/6")
            // Else the laptop would share in the group what it knows of its own, and so write both.
            try await laptop.until { node in
                guard try await node.results().count == 2 else { return false }
                return try await Self.agree(ada, node)
            }
            try await laptop.add("Wordle 1,700 5/6", replace: true)
            try await ada.until { node in
                guard try await node.results().contains(where: { $0.score == 5 }) else { return false }
                return try await Self.agree(laptop, node)
            }
            // It was changed by who knew what it was: there is nothing to ask.
            #expect(try await ada.status().differing == 0)
            let undone = try await ada.call(UndoRequest.last)
            #expect((undone.restoredCount, undone.withdrawnCount, undone.keptCount) == (0, 1, 1))
            #expect(try await ada.results().map(\.score) == [5])
        }
    }

    /// A machine that learns of a change in one group first may write the same into the others.
    @Test(arguments: [["Red"], ["private"], ["Red", "private"]])
    func `undo takes back what another machine has only written again`(rewritten: [String]) async throws {
        let party = try NodeParty()
        try await Self.second(of: party)
        try await party.running("Ada", "Laptop") { nodes in
            let (ada, laptop) = (nodes[0], nodes[1])
            try await ada.add("Wordle 1,700 3/6")
            try await laptop.until { node in
                guard try await node.results().count == 1 else { return false }
                return try await Self.agree(ada, node)
            }
            let shared: GroupID = try await ada.group("Red")
            let result = try #require(await laptop.ownScores().first)
            let own = try #require(await laptop.privateGroup)
            let groups = rewritten.map { $0 == "Red" ? shared : own }
            _ = try await laptop.execute(.write(groups.map { ($0, [.score(result)]) }))
            try await ada.until { node in
                for group in groups where await node.hasWritten(result.key, in: group) { return false }
                return true
            }
            let undone = try await ada.call(UndoRequest.last)
            #expect((undone.restoredCount, undone.withdrawnCount, undone.keptCount) == (0, 1, 0))
            #expect(try await ada.results().isEmpty)
            #expect(await ada.published(result.key, in: shared) == nil)
        }
    }

    @Test func `who recorded two values apart is asked once, on every machine, until one is recorded again`()
        async throws
    {
        let party = try NodeParty()
        try await Self.second(of: party)
        try await party.running("Ada") { nodes in _ = try await nodes[0].add("Wordle 1,700 3/6") }
        try await party.running("Laptop") { nodes in _ = try await nodes[0].add("Wordle 1,700 4/6") }
        try await party.running("Ada", "Laptop") { nodes in
            for node in nodes { try await node.until { try await $0.status().differing == 1 } }
            for node in nodes {
                let result = try #require(try await node.results().first)
                #expect((result.score, result.differs) == (4, "3 guesses"))
            }
            // Recording the standing value again settles it.
            #expect(try await nodes[0].add("Wordle 1,700 4/6").added.first?.unchanged == true)
            for node in nodes { try await node.until { try await $0.status().differing == 0 } }
            #expect(try await nodes[1].results().first?.differs == nil)
        }
    }
}

extension MeshNode {
    fileprivate func ownScores() -> [DailyScore] { core.ownResults() }

    /// Whether what a group holds of an own result was written here.
    fileprivate func hasWritten(_ score: ScoreKey, in group: GroupID) -> Bool {
        let key = RecordKey(
            user: core.identity.user, kind: RecordKind.dailyScore.rawValue, subject: DailyScore.recordSubject(of: score)
        )
        return engine.writer(of: key, in: group) == core.identity.device
    }
}
