public import StreakGames

/// How long one point of a trend is.
public enum TrendStep: String, Sendable, Hashable, CaseIterable {
    case day, week, month

    /// The step that gives `span` a readable number of points.
    public init(fitting span: DaySpan) {
        switch span.from.days(until: span.to) {
        case ..<62: self = .day
        case ..<731: self = .week
        default: self = .month
        }
    }

    /// The first day of the step that contains `day`.
    public func start(of day: PuzzleDay) -> PuzzleDay {
        switch self {
        case .day: day
        case .week: day.startOfWeek
        case .month: day.startOfMonth
        }
    }

    func next(after start: PuzzleDay) -> PuzzleDay {
        switch self {
        case .day: start.adding(days: 1)
        case .week: start.adding(days: 7)
        case .month: start.adding(days: start.lengthOfMonth)
        }
    }
}

/// One point of a trend.
public struct TrendPoint: Hashable, Sendable {
    /// The first day of the step, even if the span begins later.
    public var start: PuzzleDay
    public var played = 0
    public var completed = 0
    /// Points towards totals.
    public var points = 0
    /// The mean raw result of completed puzzles, for a habit of its days. Meaningful for a single game only.
    public var raw = Average()
    /// Days with a result.
    public var activeDays = 0
}

extension PlayerInsights {
    /// The most points of a trend. A longer span shows its last ones.
    public static let maximumTrendPoints = 1_100

    /// One point for each step, including empty ones, from the start of `span` to its end. O(results in the span +
    /// steps).
    public func trend(over span: DaySpan, by step: TrendStep, game: GameID? = nil) -> [TrendPoint] {
        guard span.from <= span.to else { return [] }
        var points: [TrendPoint] = []
        var start = step.start(of: Self.firstShown(of: span, by: step))
        while start <= span.to {
            points.append(TrendPoint(start: start))
            let next = step.next(after: start)
            // The calendar ends in 2200.
            guard next > start else { break }
            start = next
        }
        points = points.suffix(Self.maximumTrendPoints)
        guard let first = points.first else { return [] }
        let shown = DaySpan(from: max(first.start, span.from), to: span.to)
        for chronicle in chronicles(of: game) {
            var cursor = 0
            var days = DayTotal(of: chronicle.game)
            for entry in chronicle.entries(in: shown) {
                let day = entry.puzzleDay
                while cursor + 1 < points.count, points[cursor + 1].start <= day { cursor += 1 }
                points[cursor].points += days.share(of: entry, in: chronicle.game)
                points[cursor].played += 1
                if entry.isCompleted { points[cursor].completed += 1 }
            }
            cursor = 0
            for entry in chronicle.results(in: shown) where entry.isCompleted {
                while cursor + 1 < points.count, points[cursor + 1].start <= entry.puzzleDay { cursor += 1 }
                if let value = entry.result.value(in: chronicle.game) { points[cursor].raw.add(value) }
            }
        }
        var cursor = 0
        for active in dayCounts(in: shown, game: game) {
            while cursor + 1 < points.count, points[cursor + 1].start <= active.day { cursor += 1 }
            points[cursor].activeDays += 1
        }
        return points
    }

    /// A day close enough to the end that the list of steps stays short.
    private static func firstShown(of span: DaySpan, by step: TrendStep) -> PuzzleDay {
        let longest =
            switch step {
            case .day: 1
            case .week: 7
            case .month: 31
            }
        return max(span.from, span.to.adding(days: -longest * maximumTrendPoints))
    }
}
