public import StreakGames
public import StreakScores
public import StreakWire

/// One user's winning results in one game, read without copying each.
public struct StandingResults: Sendable {
    public let user: UserID
    /// Nil if the bytes are not a game; such records are carried and not shown.
    public let game: GameID?
    private let series: ScoreSeries

    init(user: UserID, series: ScoreSeries) {
        self.user = user
        self.series = series
        game = String(validating: series.game, as: UTF8.self).flatMap { GameID($0) }
    }

    /// The number of keys, including those of withdrawn results.
    public var count: Int { series.count }

    /// Calls `body` with every readable result, by key; `updatedAt` is the record's time.
    public func forEach(_ body: (DailyScore) -> Void) {
        guard let game else { return }
        series.forEachInPlace { key, time, value in
            guard !value.isEmpty, let axis = DailyScore.axis(key.axis, number: key.number),
                // An unreadable value is from another version.
                var score = try? DailyScore(key: ScoreKey(game: game, axis: axis), value: value, time: time)
            else { return }
            score.updatedAt = time.milliseconds / 1_000
            body(score)
        }
    }

    /// Calls `body` with every winning record, by key.
    public func forEachRecord(_ body: (MergedRecord) -> Void) {
        series.forEach { key, stamp, value in
            let key = RecordKey(
                user: user, kind: RecordKind.dailyScore.rawValue, subject: series.subject(of: key))
            body(MergedRecord(key: key, value: value, time: stamp.time))
        }
    }
}
