import Foundation
import StreakGames
import Testing

@Suite struct CatalogueTests {
    private let catalogue = Catalogue.standard

    @Test func `every game of the samples is listed once, and of every listed game there are three samples`() {
        let ids = catalogue.games.map(\.id.rawValue)
        #expect(Set(ids).count == ids.count)
        let sampled = Dictionary(grouping: ShareSample.more.flatMap(\.expected), by: \.game)
        for id in ids { #expect(sampled[id, default: []].count >= 3, "\(id)") }
        #expect(Set(ShareSample.shares.flatMap { $0.expected.map(\.game) }) == Set(ids))
    }

    @Test func `favourites come first`() throws {
        let firstOther = try #require(catalogue.games.firstIndex { !$0.isFavourite })
        #expect(!catalogue.games[firstOther...].contains { $0.isFavourite })
        #expect(catalogue.games.first?.id.rawValue == "wordle")
        #expect(firstOther == 18)
    }

    @Test(arguments: Catalogue.standard.games)
    func `an entry is consistent`(game: Game) {
        #expect(!game.name.isEmpty && !game.emoji.isEmpty)
        #expect(URL(string: game.url)?.host?.isEmpty == false)
        #expect(game.variantOf.map { catalogue[$0] != nil } ?? true)
        if let best = game.best {
            #expect(game.model.isLowerBetter && game.model != .lowerTimeSeconds)
            #expect(best <= game.maxAttempts ?? .max)
        }
        if let epoch = game.epoch {
            #expect(game.day(ofPuzzle: epoch.number) == epoch.day)
            #expect(game.day(ofPuzzle: epoch.number + 1_000) == epoch.day.adding(days: 1_000))
            #expect(game.puzzle(on: epoch.day.adding(days: 1_000)) == epoch.number + 1_000)
            #expect(game.puzzle(on: epoch.day.adding(days: -1)) == nil)
            #expect(game.day(ofPuzzle: -1) == nil)
            #expect(game.day(ofPuzzle: .max) == nil && game.day(ofPuzzle: .min) == nil)
            #expect(game.day(ofPuzzle: 30_000_000) == nil)
        }
    }

    @Test(arguments: [
        ("wordle", 1_907, "2026-09-08"), ("quordle", 1_082, "2025-01-10"), ("connections", 581, "2025-01-12"),
        ("strands", 744, "2026-03-17"), ("strands", 853, "2026-07-04"), ("pips-hard", 46, "2025-10-02"),
        ("linkedin-queens", 714, "2026-04-14"), ("linkedin-tango", 554, "2026-04-14"),
        ("linkedin-zip", 393, "2026-04-14"), ("linkedin-minisudoku", 246, "2026-04-14"),
        ("linkedin-patches", 28, "2026-04-14"), ("travle", 607, "2024-08-12"), ("tradle", 890, "2024-08-12"),
        ("worldle", 934, "2024-08-12"),
    ])
    func `puzzle numbers of shares posted together fall on one day`(id: String, number: Int, day: String) throws {
        let game = try #require(GameID(id).flatMap { catalogue[$0] })
        #expect(game.day(ofPuzzle: number)?.description == day)
    }

    @Test func `the best results are those of the rules`() {
        let best = ["wordle": 1, "strands": 0, "connections": 4, "quordle": 10, "octordle": 36, "travle": 0]
        for (id, value) in best.sorted(by: { $0.key < $1.key }) {
            #expect(GameID(id).flatMap { catalogue[$0]?.best } == value)
        }
        #expect(GameID("nyt-mini").flatMap { catalogue[$0]?.best } == nil)
    }

    @Test(arguments: [
        ("wordle", ["wordle"]), ("WORDLE", ["wordle"]), ("Mini Sudoku", ["linkedin-minisudoku"]),
        ("pinp", ["linkedin-pinpoint"]), ("pips", ["pips-easy", "pips-medium", "pips-hard"]),
        ("LinkedIn Tango", ["linkedin-tango"]), ("nothing like it", []),
    ])
    func `games are found by what people type`(text: String, ids: [String]) {
        #expect(catalogue.games(matching: text).map(\.id.rawValue) == ids)
    }

    /// A member who names a habit “Wordle” cannot hide the real game from others.
    @Test(arguments: [
        ("wordle", ["wordle"]), ("Wordle", ["wordle"]), ("custom-wordle-1f", ["custom-wordle-1f"]),
        ("linkedin mini sudoku", ["linkedin-minisudoku"]), ("water", ["custom-water-2a", "custom-water-2b"]),
        ("custom-water", ["custom-water-2a", "custom-water-2b"]),
    ])
    func `an exact ID stands alone, and a game of the catalogue before others of its name`(
        text: String, ids: [String]
    ) {
        let own: [(StaticString, String)] = [
            ("custom-wordle-1f", "Wordle"), ("custom-mini-3", "LinkedIn Mini Sudoku"), ("custom-water-2a", "Water"),
            ("custom-water-2b", "water"),
        ]
        let custom = own.map { Game(id: GameID(literal: $0.0), name: $0.1, model: .count) }
        let all = Catalogue(games: catalogue.games + custom)
        #expect(all.games(matching: text).map(\.id.rawValue) == ids)
    }

    @Test(arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (-12_345_678, "−12,345,678")])
    func `large numbers are grouped`(number: Int, text: String) {
        #expect(number.grouped == text)
    }

    @Test(arguments: ["", "Wordle", "wordle ", "wörd", "a_b", String(repeating: "a", count: 41)])
    func `malformed game IDs are refused`(text: String) {
        #expect(GameID(text) == nil)
    }

    @Test func `a game ID is encoded as its text`() throws {
        let data = try JSONEncoder().encode([GameID(literal: "nyt-mini")])
        #expect(String(bytes: data, encoding: .utf8) == "[\"nyt-mini\"]")
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([GameID].self, from: Data("[\"A\"]".utf8)) }
    }
}
