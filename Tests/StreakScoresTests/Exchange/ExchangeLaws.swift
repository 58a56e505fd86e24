import StreakGames
import StreakRandom
import StreakScores
import Testing

/// Laws for all results and all bytes.
@Suite struct ExchangeLaws {
    static let seeds: [UInt64] = Array(1...12)

    /// Texts that break careless readers and writers.
    static let parts = [
        "=", "+", "-", "@", "'", "\"", ",", ";", "\t", "\r", "\n", "\r\n", " ", "\\", "\u{0}", "\u{7F}", "\u{2028}",
        "/", "a", "Z", "0", "é", "e\u{301}", "日本", "🟩", "👩‍👩‍👧", "\u{202E}", "\u{FEFF}", "＝", "\u{10FFFF}", "{", "]",
    ]

    static func results(_ count: Int, seed: UInt64) -> [DailyScore] {
        var generator = SplitMix64(seed: seed)
        var seen: Set<ScoreKey> = []
        var results: [DailyScore] = []
        while results.count < count {
            let result = result(&generator)
            if seen.insert(result.key).inserted { results.append(result) }
        }
        return results
    }

    static func result(_ generator: inout SplitMix64) -> DailyScore {
        let games = Catalogue.standard.games
        let known = games[Int.random(in: 0..<games.count, using: &generator)]
        let isUnknown = Int.random(in: 0..<10, using: &generator) == 0
        let game = isUnknown ? Scoring.unknownGame(GameID(literal: "gone-game")) : known
        let first = game.epoch?.day.daysSinceEpoch ?? 14_000
        let day = PuzzleDay(daysSinceEpoch: Int.random(in: first...20_778, using: &generator))
        let number = game.puzzle(on: day) ?? Int.random(in: 0...99_999, using: &generator)
        let puzzle = game.epoch == nil || game.puzzle(on: day) != nil ? maybe(number, &generator) : nil
        let isCompleted = Bool.random(using: &generator)
        let scores = game.scores()
        // A habit of a group that was removed: its logs have numbers that no puzzle has.
        let isLog = isUnknown && Bool.random(using: &generator)
        let log = (day.daysSinceEpoch & 0x7FFF) << 16 | Int.random(in: 0...65_535, using: &generator)
        let name = (0..<Int.random(in: 1...8, using: &generator)).map { _ in
            parts[Int.random(in: 0..<parts.count, using: &generator)]
        }.joined()
        return DailyScore(
            game: game.id, day: day, puzzle: isLog ? log : puzzle,
            isKeyedByPuzzle: isLog || puzzle != nil && Bool.random(using: &generator),
            score: maybe(Int.random(in: scores, using: &generator), &generator),
            maxAttempts: maybe(game.maxAttempts, &generator), isCompleted: isCompleted,
            seconds: maybe(Int.random(in: 0...359_999, using: &generator), &generator),
            hints: maybe(Int.random(in: 0...100, using: &generator), &generator),
            mistakes: maybe(Int.random(in: 0...100, using: &generator), &generator),
            isHardMode: Bool.random(using: &generator), gameName: isUnknown ? name : maybe(name, &generator),
            firstRecordedAt: Int64.random(in: 0...Exchange.now, using: &generator),
            isEdited: Bool.random(using: &generator))
    }

    static func maybe<Value>(_ value: Value?, _ generator: inout SplitMix64) -> Value? {
        Int.random(in: 0..<3, using: &generator) == 0 ? nil : value
    }

    @Test(arguments: seeds)
    func `importing an export gives the results back, whole and in order`(seed: UInt64) throws {
        let results = Self.results(200, seed: seed)
        for bytes in [ResultExport.csv(results), ResultExport.json(results)] {
            let plan = try Exchange.plan(bytes)
            #expect(plan.refused.isEmpty, "seed \(seed)")
            #expect(plan.accepted == results, "seed \(seed)")
            #expect(plan.duplicates.isEmpty && plan.conflicts.isEmpty, "seed \(seed)")
        }
    }

    @Test(arguments: seeds)
    func `importing an export again changes nothing`(seed: UInt64) throws {
        let results = Self.results(200, seed: seed)
        let once = ResultExport.csv(results)
        let plan = try Exchange.plan(once + once.split(separator: 10, maxSplits: 1)[1], existing: results)
        #expect(plan.accepted.isEmpty && plan.conflicts.isEmpty && plan.refused.isEmpty, "seed \(seed)")
        #expect(plan.duplicates.count == 400, "seed \(seed)")
    }

    @Test(arguments: seeds)
    func `no cell of an export begins a formula, whatever separates cells`(seed: UInt64) {
        let text = String(decoding: ResultExport.csv(Self.results(200, seed: seed)), as: UTF8.self)
        for cell in text.unicodeScalars.split(whereSeparator: { [",", ";", "\t", "\r", "\n"].contains($0) }) {
            let first = cell.first { $0 != "\"" && $0 != " " }
            let isFormula = first.map { ["=", "+", "-", "@", "＝", "＋", "－", "＠"].contains($0) } ?? false
            #expect(!isFormula, "seed \(seed): \(String(cell).debugDescription)")
        }
    }

    @Test(arguments: seeds)
    func `damaged files never stop the program`(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let results = Self.results(8, seed: seed)
        for bytes in [ResultExport.csv(results), ResultExport.json(results)] {
            for _ in 0..<40 {
                var damaged = bytes
                for _ in 0..<Int.random(in: 1...6, using: &generator) {
                    let position = Int.random(in: 0..<damaged.count, using: &generator)
                    switch Int.random(in: 0..<4, using: &generator) {
                    case 0: damaged[position] = UInt8.random(in: 0...255, using: &generator)
                    case 1: damaged.remove(at: position)
                    case 2:
                        damaged.insert(
                            contentsOf: Self.parts.randomElement(using: &generator)?.utf8 ?? "".utf8, at: position)
                    default: damaged.removeLast(min(position, 40))
                    }
                    if damaged.isEmpty { damaged = [0] }
                }
                // A fault is as good as a plan.
                let plan = try? Exchange.plan(damaged)
                #expect(plan.map { $0.accepted.count <= 60 } ?? true)
            }
        }
    }

    struct Junk: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var bytes: [UInt8]
        /// Quadratic work on this would not finish.
        static let size = 1 << 18
        init(_ name: String, _ bytes: [UInt8]) { (testDescription, self.bytes) = (name, bytes) }
        init(_ name: String, _ head: String, _ unit: String) {
            let units = Self.size / unit.utf8.count
            self.init(name, Array(head.utf8) + Array(repeatElement(Array(unit.utf8), count: units).joined()))
        }
    }

    static let head = "date,game,score\n"
    static let junk: [Junk] = {
        var generator = SplitMix64(seed: 9)
        let noise = (0..<Junk.size).map { _ in UInt8.random(in: 0...255, using: &generator) }
        return [
            Junk("noise", noise), Junk("noise below a heading", Array(head.utf8) + noise),
            Junk("NULs", head, "\0"),
            Junk("invalid UTF-8", Array(head.utf8) + [UInt8](repeating: 0xC3, count: Junk.size)),
            Junk("quotation marks", head, "\""), Junk("separators", head, ","), Junk("blanks and marks", head, "  \""),
            Junk("apostrophes", head, "'"), Junk("combining marks", head, "\u{301}"), Junk("digits", head, "9"),
            Junk("short rows", head, "=\n"), Junk("columns", "date,game,score", ",date"),
            Junk("rows of unknown games", head, "2024-01-01,wordlewordlewordle,1\n"),
            Junk("equal dates", head, "03/03/2024,wordle,1\n"),
            Junk("braces", "", "{"), Junk("JSON brackets", "{\"version\":1,\"results\":", "["),
            Junk("JSON digits", "{\"version\":", "1"), Junk("JSON escapes", "{\"", "\\u0041"),
            Junk("JSON objects", "{\"version\":1,\"results\":[{}", ",{}"),
        ]
    }()

    @Test(arguments: junk)
    func `a quarter of a megabyte of anything is answered`(junk: Junk) {
        // A fault is as good as a plan.
        let plan = try? Exchange.plan(junk.bytes)
        #expect(plan.map { $0.accepted.count <= 1 } ?? true)
    }
}
