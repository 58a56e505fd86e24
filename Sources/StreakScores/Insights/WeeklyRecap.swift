public import StreakGames

/// A player's ISO week.
public struct WeeklyRecap: Hashable, Sendable {
    /// Monday to Sunday, even before the week is over: tomorrow's results count as on the week's board.
    public var span: DaySpan
    public var week: ISOWeek
    public var played: Int
    public var completed: Int
    public var points: Int
    public var activeDays: Int
    /// Over games with a streak alive at the end of the span; a count of 0 if there is none.
    public var averageStreak: Average
    /// The longest streak ever, up to then.
    public var longestStreak: GameCount?
    public var best: DailyScore?

    public var completionRate: Proportion { Proportion(completed, of: played) }
    /// Active days ÷ 7, even before the week is over.
    public var consistency: Proportion { Proportion(activeDays, of: 7) }

    /// The recap as text to share; `nil` for a week without results.
    ///
    /// `name` is the name on the board; `games` returns the games.
    public func text(name: String, games: (GameID) -> Game?) -> String? {
        guard played > 0 else { return nil }
        var lines = ["📅 \(ShareTemplate.bounded(name)): week \(week.week) of \(week.year)"]
        lines.append(
            "\(played) \(played == 1 ? "result" : "results"), \(completed) solved (\(completionRate.label)), "
                + Scoring.totalLabel(points))
        lines.append("Played on \(activeDays) of 7 days")
        if averageStreak.count > 0 {
            lines.append(
                averageStreak.count == 1
                    ? "1 streak alive, now at \(averageStreak.sum)"
                    : "\(averageStreak.count) streaks alive, on average \(averageStreak.label)")
        }
        if let longestStreak {
            let game = games(longestStreak.game)?.name ?? longestStreak.game.rawValue
            lines.append("Longest streak ever: \(longestStreak.count) (\(ShareTemplate.bounded(game)))")
        }
        return lines.joined(separator: "\n")
    }
}

extension PlayerInsights {
    /// The recap of the week of `day`, with the streaks on `day`.
    public func weeklyRecap(on day: PuzzleDay) -> WeeklyRecap {
        let span = DaySpan(from: day.startOfWeek, to: day.startOfWeek.adding(days: 6))
        let overview = overview(of: span)
        var average = Average()
        for streak in streaks(on: day) where streak.isAlive { average.add(streak.current) }
        let points = chronicles.reduce(0) { sum, chronicle in
            sum + chronicle.points(in: span)
        }
        return WeeklyRecap(
            span: span, week: day.isoWeek, played: overview.played, completed: overview.completed, points: points,
            activeDays: overview.activeDays, averageStreak: average, longestStreak: overview.longestStreak,
            best: overview.best)
    }
}
