import StreakGames
import StreakReplication
import StreakWire
import Testing

/// Whose definitions of a group's games count (Protocol/records.md §3.3).
@Suite struct GroupGamesTests {
    private static let (ada, ben, eve) = (user(1), user(2), user(3))

    private static func user(_ number: UInt64) -> UserID { UserID(bytes: Bytes32(0, 0, 0, number)) }

    private static func id(_ name: String, by user: UserID) throws -> GameID {
        try #require(GameID.defined(by: user, stem: GameDefinition.stem(of: name, tag: 0)))
    }

    private static func word(_ id: GameID, _ name: String?, by user: UserID, at milliseconds: Int64) throws
        -> MergedRecord
    {
        let definition = try name.map { try GameDefinition(id: id, name: $0, icon: "🧱", model: .highScore) }
        return MergedRecord(
            key: RecordKey(
                user: user, kind: RecordKind.gameDefinition.rawValue, subject: GameDefinition.recordSubject(of: id)),
            value: definition?.recordValue ?? [], time: HybridTime(milliseconds: milliseconds, counter: 0))
    }

    @Test func `another member's word about a game counts for nothing, an admin's does as long as they are one`() throws
    {
        let game = try Self.id("Blocks", by: Self.ben)
        #expect(game.isDefined(by: Self.ben) && !game.isDefined(by: Self.eve))
        var games = GroupGames(admins: [Self.ada])
        games.apply(try Self.word(game, "Blocks", by: Self.ben, at: 1))
        games.apply(try Self.word(game, "Eve’s", by: Self.eve, at: 2))
        #expect(games.definitions.map(\.name) == ["Blocks"])
        #expect(!games.mayDefine(game, Self.eve))
        games.follow(admins: [Self.ada, Self.eve])
        #expect(games.definitions.map(\.name) == ["Eve’s"])
        games.follow(admins: [Self.ada])
        #expect(games.definitions.map(\.name) == ["Blocks"])
        games.apply(try Self.word(game, nil, by: Self.ada, at: 3))
        #expect(games.definitions.isEmpty && games[game] == nil)
        games.apply(try Self.word(game, "Blocks 2", by: Self.ben, at: 4))
        #expect(games[game]?.name == "Blocks 2")
    }

    @Test func `however many games one member defines, nobody else's are crowded out`() throws {
        var games = GroupGames(admins: [Self.ada])
        let mine = try (0..<20).map { try Self.id("Zebra \($0)", by: Self.ben) }
        for id in mine { games.apply(try Self.word(id, id.rawValue, by: Self.ben, at: 1)) }
        for number in 0..<400 {
            let stem = GameDefinition.stem(of: "a", tag: UInt16(number))
            let id = try #require(GameID.defined(by: Self.eve, stem: stem))
            games.apply(try Self.word(id, id.rawValue, by: Self.eve, at: 2))
        }
        #expect(games.definitions.count == GameDefinition.maximumCount)
        #expect(Set(mine).isSubset(of: games.definitions.map(\.id)))
        #expect(games.hasRoom(for: Self.ben) && games.hasRoom(for: Self.ada) && !games.hasRoom(for: Self.eve))
    }

    @Test func `an ID has at most forty bytes and names its definer`() throws {
        for name in ["a very long name with many words in it", "🧱", "", "Läufe 🏃 am Abend!"] {
            let id = try Self.id(name, by: Self.ben)
            #expect(id.isCustom && id.rawValue.utf8.count <= 40 && id.isDefined(by: Self.ben))
            #expect(!id.isDefined(by: Self.ada))
        }
        #expect(!GameID(literal: "custom-0f3a").isDefined(by: Self.ben))
        #expect(!GameID(literal: "wordle").isDefined(by: Self.ben))
    }
}
