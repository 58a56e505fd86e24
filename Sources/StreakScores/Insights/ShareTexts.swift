public import StreakGames

/// The values that a result or an unlock puts into a player's templates.
extension ShareTemplate {
    /// The text for a result. `streak`: the game's current one, left out below 2.
    public func text(for score: DailyScore, in game: Game, name: String = "", streak: Int = 0) -> String {
        filled([
            .game: game.name, .emoji: game.emoji, .result: Scoring.label(for: score, in: game),
            // The number of a log means nothing to people.
            .number: game.model == .count ? "" : score.puzzle.map { "#\($0)" } ?? "",
            .day: BoardRange.date(score.day), .name: name,
            .streak: streak > 1 ? "\(streak)" : "", .link: game.url,
        ])
    }

    /// The text about an invented result or tier, to show what a template makes.
    public func example(name: String) -> String {
        filled([
            .achievement: Achievement.streakMaster.title, .tier: Tier.gold.name, .value: "14 days in the best streak",
            .emoji: occasion == .unlock ? Achievement.streakMaster.emoji : "🟩", .name: name, .day: "20 Nov 2026",
            .game: "Wordle", .result: occasion == .lost ? "X/6" : occasion == .perfect ? "1 guess" : "3 guesses",
            .number: "#1616", .streak: "12", .link: "https://www.nytimes.com/games/wordle",
        ])
    }

    /// The text for a tier reached.
    public func text(for unlock: TierUnlock, name: String = "") -> String {
        let achievement = unlock.reached.achievement
        return filled([
            .achievement: achievement.title, .tier: unlock.reached.tier.name, .emoji: achievement.emoji, .name: name,
            .day: BoardRange.date(unlock.day), .value: unlock.reached.measure,
        ])
    }
}

extension AchievementTier {
    /// What it takes: “30 days in the best streak”.
    var measure: String {
        let position = tier.rawValue
        let value = position < achievement.thresholds.count ? achievement.thresholds[position] : achievement.mostNeeded
        return "\(value) \(achievement.unit(of: value))"
    }
}

extension PlayerInsights {
    /// The template for a result: a loss, a perfect one, a beaten record, or a solve.
    public func occasion(of score: DailyScore) -> ShareTemplate.Occasion {
        guard score.isCompleted else { return .lost }
        guard let chronicle = chronicle(of: score.game) else { return .solved }
        if Scoring.isPerfect(score, in: chronicle.game) { return .perfect }
        let order = RawOrder(score, in: chronicle.game)
        let earlier = chronicle.results(in: DaySpan(from: .earliest, to: score.day.adding(days: -1)))
            .filter { $0.isCompleted && $0.result.value(in: chronicle.game) != nil }
        let isRecord =
            score.day > .earliest && !earlier.isEmpty
            && earlier.allSatisfy { order < RawOrder($0.result, in: chronicle.game) }
        return isRecord ? .personalBest : .solved
    }
}
