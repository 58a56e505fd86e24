import Foundation
import StreakGames
import StreakScores

/// Measures computations on results: share texts, boards, streaks, achievements. All in this process.
struct NumbersBench {
    /// A file of JSON lines with a `text` each; nil skips the shares.
    let shares: String?

    private static let people = 50
    private static let games = 10
    private static let days = 2_000

    func run() throws {
        if let shares { try measureShares(shares) }
        measureRecords()
    }

    // MARK: Shares

    private struct Line: Decodable {
        var text: String
    }

    private func measureShares(_ path: String) throws {
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        // Texts that are only described are left to the tests.
        let texts = lines.compactMap { try? JSONDecoder().decode(Line.self, from: Data($0.utf8)).text }
        let reader = ShareReader()
        for text in texts { _ = reader.read(text) }
        var total = 0
        var worst = [Double](repeating: .infinity, count: texts.count)
        let rounds = 20
        let start = ContinuousClock.now
        for _ in 0..<rounds {
            for (number, text) in texts.enumerated() {
                let begun = ContinuousClock.now
                total += reader.read(text).shares.count
                // The best of all rounds, to exclude other work of the machine.
                worst[number] = min(worst[number], begun.duration(to: .now).milliseconds * 1_000)
            }
        }
        let seconds = start.duration(to: .now).milliseconds / 1_000
        Figure.show("share texts parsed", Double(rounds * texts.count) / seconds, "/s", target: "–")
        Figure.show("shares found in them, each round", Double(total / rounds), "", target: "–")
        Figure.show("worst single parse of a share text", worst.max() ?? 0, "µs", target: "–")
        let junk = String(repeating: "🟩⬛ Wordle 1,2,3 \u{200D}\u{0301}", count: 40_000)
        let begun = ContinuousClock.now
        _ = reader.read(junk)
        Figure.show("parse of 1 MiB of junk", begun.duration(to: .now).milliseconds, "ms", target: "≤ 50")
    }

    // MARK: Records

    private struct Measured {
        var first: Double
        var changed: Double
    }

    /// A million results: 50 people, ten games, two thousand days; one in fifty is missing, one in ten is a loss.
    private func measureRecords() {
        let today = PuzzleDay(daysSinceEpoch: 20_000)
        let ids = Catalogue.standard.games.filter { $0.cadence == .daily }.prefix(Self.games).map(\.id)
        let players = (0..<Self.people).map {
            Player(id: PlayerID([UInt8($0)]), name: "Player \($0)", lastSeen: today, memberSince: .earliest)
        }
        let before = Memory.residentBytes
        var index = ScoreIndex()
        let start = ContinuousClock.now
        for (number, player) in players.enumerated() {
            for (column, id) in ids.enumerated() {
                for day in 0..<Self.days where (day * 31 + number * 7 + column) % 50 != 0 {
                    index.replace(Self.score(id, today.adding(days: -day), day + number + column), of: player.id)
                }
            }
        }
        let filled = start.duration(to: .now).milliseconds / 1_000
        Figure.show("results indexed", Double(index.count) / filled / 1_000, "thousand/s", target: "–")
        let indexed = Memory.residentBytes
        measureBoards(&index, players, today: today, game: ids[0])
        var cache = InsightCache()
        measureInsights(&cache, &index, players, today: today, game: ids[0])
        Figure.show(
            "memory of the index, each result", Double(indexed - before) / Double(index.count), "B",
            target: "–")
        Figure.show("memory of all insights", Double(Memory.residentBytes - indexed) / 1e6, "MB", target: "–")
    }

    private static func score(_ game: GameID, _ day: PuzzleDay, _ seed: Int) -> DailyScore {
        DailyScore(
            game: game, day: day, score: seed % 6 + 1, maxAttempts: 6, isCompleted: seed % 10 != 0,
            firstRecordedAt: Int64(day.daysSinceEpoch) * 86_400)
    }

    /// A board's first time or its time after one change, whichever is slower, for every range and metric.
    private func measureBoards(_ index: inout ScoreIndex, _ players: [Player], today: PuzzleDay, game: GameID) {
        let spans: [(String, PuzzleDay)] = [
            ("day", today), ("30 days", today.adding(days: -29)), ("all time", today.adding(days: -Self.days)),
        ]
        for metric in BoardMetric.allCases {
            for (name, from) in spans {
                for single in [nil, game] {
                    var query = BoardQuery(
                        from: from, to: today, game: single, metric: metric, viewer: players[0].id, today: today,
                        now: Int64(today.daysSinceEpoch) * 86_400 + 40_000)
                    query.rules.missedDay = .worstPlusOne
                    let first = Self.time { _ = index.board(query, players: players) { Catalogue.standard[$0] } }
                    index.replace(Self.score(game, today, 3), of: players[1].id)
                    let changed = Self.time { _ = index.board(query, players: players) { Catalogue.standard[$0] } }
                    let subject = single == nil ? "all games" : "one game"
                    let board = "board, \(metric.rawValue), \(name), \(subject)"
                    Figure.show(board, first, "ms", target: "< 10")
                    Figure.show("\(board), after a change", changed, "ms", target: "< 10")
                }
            }
        }
    }

    private func measureInsights(
        _ cache: inout InsightCache, _ index: inout ScoreIndex, _ players: [Player], today: PuzzleDay, game: GameID
    ) {
        var worst = [String: Measured]()
        let tasks: [(String, (PlayerInsights) -> Void)] = [
            ("streaks of a player", { _ = $0.streaks(on: today) }),
            ("achievements of a player", { _ = $0.achievements(on: today) }),
        ]
        for (name, task) in tasks {
            cache.reset()
            for player in players {
                let first = Self.time {
                    task(cache.insights(of: player.id, in: index) { Catalogue.standard[$0] })
                }
                // The first change makes what later ones begin from.
                for score in [6, 5] {
                    task(cache.insights(of: player.id, in: index) { Catalogue.standard[$0] })
                    index.replace(Self.score(game, today, score), of: player.id)
                    cache.resultChanged(in: game, of: player.id, from: today)
                }
                let changed = Self.time {
                    task(cache.insights(of: player.id, in: index) { Catalogue.standard[$0] })
                }
                let known = worst[name] ?? Measured(first: 0, changed: 0)
                worst[name] = Measured(first: max(known.first, first), changed: max(known.changed, changed))
            }
            guard let measured = worst[name] else { continue }
            Figure.show("\(name), worst of \(players.count)", measured.first, "ms", target: "< 10")
            Figure.show("\(name) after a change, worst of \(players.count)", measured.changed, "ms", target: "< 10")
        }
    }

    private static func time(_ body: () -> Void) -> Double {
        let start = ContinuousClock.now
        body()
        return start.duration(to: .now).milliseconds
    }
}

/// This process's resident memory; 0 if the kernel does not tell.
enum Memory {
    static var residentBytes: Int {
        // Only Linux has this file.
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
        let fields = text.split(separator: " ")
        return fields.count > 1 ? (Int(fields[1]) ?? 0) * 4_096 : 0
    }
}
