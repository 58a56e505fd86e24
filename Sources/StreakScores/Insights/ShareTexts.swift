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

    /// The text for a tier reached.
    public func text(for unlock: TierUnlock, name: String = "") -> String {
        let achievement = unlock.reached.achievement
        let position = unlock.reached.tier.rawValue
        let value = position < achievement.thresholds.count ? achievement.thresholds[position] : achievement.mostNeeded
        return filled([
            .achievement: achievement.title, .tier: unlock.reached.tier.name, .emoji: achievement.emoji, .name: name,
            .day: BoardRange.date(unlock.day), .value: "\(value) \(achievement.unit)",
        ])
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
