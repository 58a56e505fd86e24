public import StreakGames

/// A number for a game.
public struct GameCount: Hashable, Sendable {
    public var game: GameID
    public var count: Int

    public init(game: GameID, count: Int) {
        self.game = game
        self.count = count
    }
}

/// A number for a day.
public struct DayCount: Hashable, Sendable {
    public var day: PuzzleDay
    public var count: Int

    public init(day: PuzzleDay, count: Int) {
        self.day = day
        self.count = count
    }
}

/// A player's numbers over a span of days, for one game or all.
public struct Overview: Hashable, Sendable {
    public var span: DaySpan
    /// `nil`: all games.
    public var game: GameID?
    /// Streaks alive on the last day of the span.
    public var activeStreaks: Int
    /// The longest of those; `nil` without any.
    public var longestCurrent: GameStreak?
    /// The longest streak ever, up to the end of the span; `nil` without any.
    public var longestStreak: GameCount?
    public var played: Int
    public var completed: Int
    /// Days with at least one result.
    public var activeDays: Int
    /// Results by game, most played first, then by game ID.
    public var perGame: [GameCount]
    /// The result with the most points; for one game, the best raw result. Of equals, the earliest.
    public var best: DailyScore?
    /// The day with the most results; of equals, the first.
    public var busiest: DayCount?

    /// Completed results of all results.
    public var completionRate: Proportion { Proportion(completed, of: played) }
    /// Days with a result, of all days in the span.
    public var consistency: Proportion {
        Proportion(activeDays, of: max(span.from.days(until: span.to) + 1, 0))
    }
    public var mostPlayed: GameCount? { perGame.first }
}

/// A player's best result in a game.
public struct PersonalBest: Hashable, Sendable {
    public var game: Game
    public var score: DailyScore
    /// How often the player beat their own record.
    public var timesBeaten: Int
    /// "3 guesses", "0:42".
    public var label: String { Scoring.label(for: score, in: game) }
}

extension PlayerInsights {
    /// The overview of `span`; its last day is the shown day. O(results in the span + games).
    public func overview(of span: DaySpan, game: GameID? = nil) -> Overview {
        let chosen = chronicles(of: game)
        var overview = Overview(
            span: span, game: game, activeStreaks: 0, longestCurrent: nil, longestStreak: nil, played: 0, completed: 0,
            activeDays: 0, perGame: [], best: nil, busiest: nil)
        addStreaks(of: chosen, to: &overview)
        var best: Best?
        for chronicle in chosen {
            let entries = chronicle.entries(in: span)
            guard !entries.isEmpty else { continue }
            overview.perGame.append(GameCount(game: chronicle.game.id, count: entries.count))
            overview.played += entries.count
            overview.completed += entries.count { $0.isCompleted }
            for entry in chronicle.results(in: span) where entry.isCompleted {
                let candidate = Best(entry, in: chronicle.game, byRawResult: game != nil)
                if best.map({ candidate.isBetter(than: $0) }) ?? candidate.isWorthShowing { best = candidate }
            }
        }
        overview.perGame.sort { left, right in
            left.count == right.count ? left.game < right.game : left.count > right.count
        }
        overview.best = best.map { $0.entry.score(game: $0.game, gameName: nil) }
        addDays(of: chosen, everyGame: game == nil, to: &overview)
        return overview
    }

    private func addStreaks(of chosen: [GameChronicle], to overview: inout Overview) {
        for chronicle in chosen {
            let streak = chronicle.streak(on: overview.span.to)
            if streak.isAlive {
                overview.activeStreaks += 1
                if streak.current > overview.longestCurrent?.current ?? 0 { overview.longestCurrent = streak }
            }
            if streak.longest > overview.longestStreak?.count ?? 0 {
                overview.longestStreak = GameCount(game: streak.game, count: streak.longest)
            }
        }
    }

    private func addDays(of chosen: [GameChronicle], everyGame: Bool, to overview: inout Overview) {
        var counts: [(day: Int32, count: Int)] = []
        if everyGame {
            counts = days(in: overview.span).map { ($0.day, Int($0.played)) }
        } else {
            for entry in chosen.first?.entries(in: overview.span) ?? [] {
                if counts.last?.day == entry.day {
                    counts[counts.count - 1].count += 1
                } else {
                    counts.append((entry.day, 1))
                }
            }
        }
        overview.activeDays = counts.count
        for (day, count) in counts where count > overview.busiest?.count ?? 0 {
            overview.busiest = DayCount(day: PuzzleDay(daysSinceEpoch: Int(day)), count: count)
        }
    }

    /// A candidate for the best result of an overview.
    private struct Best {
        let entry: Entry
        let game: GameID
        private let order: RawOrder
        let isWorthShowing: Bool

        init(_ entry: Entry, in game: Game, byRawResult: Bool) {
            self.entry = entry
            self.game = game.id
            let points = Scoring.totalPoints(for: entry.result, in: game)
            order = byRawResult ? RawOrder(entry.result, in: game) : RawOrder(total: points)
            isWorthShowing = byRawResult || points > 0
        }

        func isBetter(than other: Best) -> Bool {
            if order != other.order { return order < other.order }
            // Games come in order of IDs and results in order of days, so the first of equals wins.
            return entry.day < other.entry.day
        }
    }

    /// The best result of each game that has one, in order of game IDs.
    ///
    /// - Parameter games: only of these, in their order; nil is all.
    public func personalBests(in games: [GameID]? = nil) -> [PersonalBest] {
        let chosen = games.map { $0.compactMap(chronicle(of:)) } ?? chronicles
        return chosen.compactMap { chronicle in
            chronicle.best.map { best in
                PersonalBest(
                    game: chronicle.game, score: best.score(game: chronicle.game.id, gameName: nil),
                    timesBeaten: chronicle.recordCount)
            }
        }
    }

    /// The number of results on each day of a span, without empty days: for a calendar.
    public func dayCounts(in span: DaySpan, game: GameID? = nil) -> [DayCount] {
        guard let game else {
            return days(in: span).map { DayCount(day: PuzzleDay(daysSinceEpoch: Int($0.day)), count: Int($0.played)) }
        }
        var counts: [DayCount] = []
        for entry in chronicle(of: game)?.entries(in: span) ?? [] {
            if counts.last?.day == entry.puzzleDay {
                counts[counts.count - 1].count += 1
            } else {
                counts.append(DayCount(day: entry.puzzleDay, count: 1))
            }
        }
        return counts
    }
}
