public import StreakGames

extension Scoring {
    /// The real result in words: "3 guesses", "+3", "1 hint", "0:42", "5 pts", "12 km", "X/6", "not solved".
    public static func label(for result: DailyScore, in game: Game) -> String {
        label(for: RawResult(result), in: game)
    }

    /// One result in a longer range, by its points: "3 guesses", "<1m", "5 pts".
    ///
    /// A scaled game (a maximum of 12 or more) and one without a maximum cannot be converted back, so they show points.
    /// `maximum` is the result's own if it differs from the game's.
    public static func label(forPoints points: Int, in game: Game, maximum: Int? = nil) -> String {
        let bounds = RawResult(score: nil, maxAttempts: maximum, seconds: nil, hints: nil, isCompleted: true)
        guard points > 0 else { return totalLabel(points) }
        switch game.model {
        case .lowerTimeSeconds:
            let buckets = ["≥3m", "<3m", "<2m30", "<2m", "<1m30", "<1m", "<30s"]
            return buckets[min(points, buckets.count) - 1]
        case .lowerAttempts, .lowerGuesses, .lowerHints:
            guard let maximum = bounds.maximum(in: game), maximum < scaledFrom, points <= maximum + 1 else {
                return totalLabel(points)
            }
            return counted(maximum - points + 1, in: game)
        case .higherIsBetter:
            return totalLabel(points)
        case .highScore, .count:
            // These points are the raw value.
            return counted(points, in: game)
        }
    }

    /// A sum of points: "42 pts", "1 pt", "12,345 pts".
    public static func totalLabel(_ points: Int) -> String {
        points == 1 ? "1 pt" : "\(points.grouped) pts"
    }

    /// A metric's value in words: "42 pts", "5 days", "1 log", "120 coins".
    public static func label(_ value: Int, metric: BoardMetric) -> String {
        switch metric {
        case .points: totalLabel(value)
        case .streak: value == 1 ? "1 day" : "\(value.grouped) days"
        case .logs: value == 1 ? "1 log" : "\(value.grouped) logs"
        case .coins: value == 1 ? "1 coin" : "\(value.grouped) coins"
        }
    }

    /// A duration as `m:ss`, from an hour on `h:mm:ss`.
    public static func clock(seconds: Int) -> String {
        let bounded = max(seconds, 0)
        let hours = bounded / 3600
        let minutes = bounded / 60 % 60
        let rest = padded(bounded % 60)
        return hours == 0 ? "\(minutes):\(rest)" : "\(hours):\(padded(minutes)):\(rest)"
    }

    static func label(for result: RawResult, in game: Game) -> String {
        guard result.isCompleted else { return lossLabel(for: result, in: game) }
        return result.value(in: game).map { counted($0, in: game) } ?? "completed"
    }

    /// A mean of raw results: "0:45" for times, else with one decimal, "3.5". Rounded half up; `nil` if the count is 0.
    static func averageLabel(sum: Int, count: Int, in game: Game) -> String? {
        guard count > 0, sum >= 0 else { return nil }
        if game.model == .lowerTimeSeconds { return clock(seconds: (sum + count / 2) / count) }
        return meanLabel(sum: sum, count: count)
    }

    /// A mean with one decimal, "3.5". Rounded half up; `nil` if the count is 0.
    static func meanLabel(sum: Int, count: Int) -> String? {
        guard count > 0, sum >= 0 else { return nil }
        let whole = sum / count
        let tenths = ((sum % count) * 10 + count / 2) / count
        return tenths == 10 ? "\((whole + 1).grouped).0" : "\(whole.grouped).\(tenths)"
    }

    private static func lossLabel(for result: RawResult, in game: Game) -> String {
        switch game.model {
        case .lowerAttempts, .lowerGuesses, .higherIsBetter:
            result.maximum(in: game).map { "X/\($0)" } ?? "not solved"
        case .lowerHints, .lowerTimeSeconds, .highScore, .count:
            "not solved"
        }
    }

    private static func counted(_ value: Int, in game: Game) -> String {
        if game.model == .lowerTimeSeconds { return clock(seconds: value) }
        if let unit = game.unit { return "\(value.grouped) \(unit)" }
        // If the best number of guesses is 0, the game counts guesses beyond the fewest possible, as Travle does.
        if game.model == .lowerGuesses, game.best == 0 { return "+\(value.grouped)" }
        let (one, many) =
            switch game.model {
            case .lowerAttempts, .lowerGuesses: ("guess", "guesses")
            case .lowerHints: ("hint", "hints")
            case .higherIsBetter, .highScore, .lowerTimeSeconds: ("pt", "pts")
            case .count: ("log", "logs")
            }
        return "\(value.grouped) \(value == 1 ? one : many)"
    }

    private static func padded(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}

extension Average {
    /// As a mean of a game's raw results: "0:45" for times, else "3.5"; `nil` if the count is 0.
    public func label(in game: Game) -> String? { Scoring.averageLabel(sum: sum, count: count, in: game) }
}
