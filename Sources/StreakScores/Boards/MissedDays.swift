import StreakGames

/// Which puzzles of one game a player missed, and what that counts.
///
/// Only final days (weeks of a weekly game) from the player's admission on count, and only for players with a result in
/// the game. Games without a daily puzzle have no missed days.
struct MissedDays {
    struct Total {
        /// Days or weeks.
        var days = 0
        /// What they add to a sum of raw results, and to the number of results.
        var value = 0
        var counted = 0
    }

    private let game: Game
    private let axis: Streak.Axis
    private let lastFinalDay: PuzzleDay
    private let rule: MissedDay
    /// Used without a maximum: the worst solve of anybody on the board, by period from `firstPeriod` on; −1 if there is
    /// none.
    private var worst: [Int] = []
    private var firstPeriod = 0

    /// `nil` if missed days do not count.
    init?(index: ScoreIndex, query: BoardQuery, lastFinalDay: PuzzleDay, game: Game, players: [Player]) {
        guard query.rules.missedDay != .nothing, query.metric == .points, !query.isDayView,
            game.cadence != .unlimited, game.model != .highScore, game.model != .count
        else { return nil }
        self.game = game
        self.lastFinalDay = lastFinalDay
        axis = Streak.Axis(isNumbered: false, cadence: game.cadence)
        rule = query.rules.missedDay
        let span = DaySpan(from: query.from, to: min(query.to, lastFinalDay))
        guard rule == .worstPlusOne, maximum == nil, game.model.isLowerBetter, span.from <= span.to else { return }
        firstPeriod = period(of: span.from)
        worst = Array(repeating: -1, count: period(of: span.to) - firstPeriod + 1)
        for player in players where !player.isHidden {
            for shelf in index.shelves(of: player.id, game: game.id) {
                for entry in shelf.history.slice(span) {
                    guard let value = entry.result.value(in: game) else { continue }
                    let place = axis.period(of: entry.day) - firstPeriod
                    worst[place] = max(worst[place], value)
                }
            }
        }
    }

    /// The puzzles that `player` missed within `span`. `history` has the player's results in the game.
    func missed(by player: Player, _ history: History, over span: DaySpan) -> Total {
        var total = Total()
        guard let begun = history.entries.first?.puzzleDay else { return total }
        // Without a known admission, a player misses nothing before the first result.
        let first = max(span.from, player.memberSince ?? begun, game.epoch?.day ?? .earliest)
        var last = min(span.to, lastFinalDay)
        // A week can be missed only when it is over.
        if game.cadence == .weekly, last.weekday != 7 { last = last.adding(days: -last.weekday) }
        guard first <= last else { return total }
        var next = period(of: first)
        let week = game.cadence == .weekly ? first.startOfWeek : first
        for entry in history.slice(DaySpan(from: week, to: last)) {
            let played = axis.period(of: entry.day)
            if played > next { add(next..<played, to: &total) }
            next = max(next, played + 1)
        }
        let end = period(of: last) + 1
        if end > next { add(next..<end, to: &total) }
        return total
    }

    private func add(_ missed: Range<Int>, to total: inout Total) {
        total.days += missed.count
        guard rule == .worstPlusOne else { return }
        if !game.model.isLowerBetter {
            total.counted += missed.count
        } else if let maximum {
            total.counted += missed.count
            total.value &+= missed.count * (maximum + 1)
        } else {
            for period in missed {
                let place = period - firstPeriod
                guard worst.indices ~= place, worst[place] >= 0 else { continue }
                total.counted += 1
                total.value += worst[place] + 1
            }
        }
    }

    private var maximum: Int? {
        RawResult(score: nil, maxAttempts: nil, seconds: nil, hints: nil, isCompleted: false).maximum(in: game)
    }

    private func period(of day: PuzzleDay) -> Int {
        axis.period(of: Int32(truncatingIfNeeded: day.daysSinceEpoch))
    }
}
