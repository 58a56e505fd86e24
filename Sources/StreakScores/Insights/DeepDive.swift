public import StreakGames

/// One game in depth: the distribution, average and best of results.
public struct DeepDive: Hashable, Sendable {
    /// How many results have one value or are in one range.
    public struct Bar: Hashable, Sendable {
        /// "3", "X", "10–12", "<1m".
        public var label: String
        public var count: Int
        /// The bar of unsolved puzzles.
        public var isLoss: Bool
    }

    public var game: Game
    /// Results; for a habit its days, each with the number of its logs.
    public var played: Int
    public var completed: Int
    /// Every possible result of the game in order, losses last, including those with a count of 0.
    public var distribution: [Bar]
    /// The mean raw result of completed puzzles.
    public var average: Average
    public var best: DailyScore?

    public var failRate: Proportion { Proportion(played - completed, of: played) }
    /// "3.8", "1:02"; "–" of nothing.
    public var averageLabel: String {
        Scoring.averageLabel(sum: average.sum, count: average.count, in: game) ?? "–"
    }
    /// The raw result of `best`.
    public var bestValue: Int? { best.flatMap { RawResult($0).value(in: game) } }
    /// "3 guesses", "0:42"; "–" of nothing.
    public var bestLabel: String { best.map { Scoring.label(for: $0, in: game) } ?? "–" }
}

extension PlayerInsights {
    /// The deep dive into one game over `span`; empty if nothing was recorded. O(results in the span).
    public func deepDive(into game: Game, over span: DaySpan = .everything) -> DeepDive {
        var dive = DeepDive(
            game: game, played: 0, completed: 0, distribution: [], average: Average(), best: nil)
        var values: [Int] = []
        var bestEntry: Entry?
        for entry in chronicle(of: game.id)?.results(in: span) ?? [] {
            dive.played += 1
            guard entry.isCompleted else { continue }
            dive.completed += 1
            guard let value = entry.result.value(in: game) else { continue }
            dive.average.add(value)
            values.append(value)
            let isBetter = bestEntry.map { RawOrder(entry.result, in: game) < RawOrder($0.result, in: game) }
            if isBetter ?? true { bestEntry = entry }
        }
        dive.best = bestEntry.map { $0.score(game: game.id, gameName: nil) }
        dive.distribution = Distribution(game: game, values: values).bars(losses: dive.played - dive.completed)
        return dive
    }

    /// A deep dive for a game and each of its modes and difficulties (Pips: easy, medium, hard), of those in `games`
    /// and in that order.
    public func deepDives(intoFamilyOf game: Game, among games: [Game], over span: DaySpan = .everything) -> [DeepDive]
    {
        let root = game.variantOf ?? game.id
        return games.filter { ($0.variantOf ?? $0.id) == root }.map { deepDive(into: $0, over: span) }
    }
}

extension DaySpan {
    /// All possible days.
    public static let everything = DaySpan(from: .earliest, to: .latest)
}

/// Sorts raw results into bars that suit a game.
private struct Distribution {
    /// With more values than this, bars are ranges.
    private static let mostBars = 14

    let game: Game
    let values: [Int]

    func bars(losses: Int) -> [DeepDive.Bar] {
        var bars = game.model == .lowerTimeSeconds ? times() : numbers()
        // A game that can be lost always has a bar for losses; other games only if one occurred.
        let canBeLost = game.maxAttempts != nil && (game.model == .lowerAttempts || game.model == .lowerGuesses)
        if canBeLost || losses > 0 { bars.append(DeepDive.Bar(label: "X", count: losses, isLoss: true)) }
        return bars
    }

    private func times() -> [DeepDive.Bar] {
        var bars = ["<30s", "<1m", "<1m30", "<2m", "<2m30", "<3m", "≥3m"]
            .map { DeepDive.Bar(label: $0, count: 0, isLoss: false) }
        for value in values { bars[min(value / 30, bars.count - 1)].count += 1 }
        return bars
    }

    private func numbers() -> [DeepDive.Bar] {
        guard let (bounds, isLimited) = bounds else { return [] }
        let width = Self.width(of: bounds)
        // Ranges begin at round numbers.
        let first = bounds.lowerBound / width
        var bars = (first...bounds.upperBound / width).map { number in
            var (start, end) = (number * width, number * width + width - 1)
            if isLimited { (start, end) = (max(start, bounds.lowerBound), min(end, bounds.upperBound)) }
            let label = start == end ? start.grouped : "\(start.grouped)–\(end.grouped)"
            return DeepDive.Bar(label: label, count: 0, isLoss: false)
        }
        for value in values {
            bars[min(max(value, bounds.lowerBound), bounds.upperBound) / width - first].count += 1
        }
        return bars
    }

    /// 1, 2 or 5 times a power of ten, large enough for few bars.
    private static func width(of bounds: ClosedRange<Int>) -> Int {
        var size = 1
        while true {
            for width in [size, size * 2, size * 5]
            where bounds.upperBound / width - bounds.lowerBound / width < mostBars {
                return width
            }
            size *= 10
        }
    }

    /// The possible results if the game has limits, else those that occurred.
    private var bounds: (range: ClosedRange<Int>, isLimited: Bool)? {
        switch game.model {
        case .lowerAttempts, .lowerGuesses:
            let first = game.best ?? 1
            if let maximum = game.maxAttempts, maximum >= first { return (first...maximum, true) }
        case .lowerHints:
            if let maximum = game.maxAttempts { return (0...max(maximum, 0), true) }
        case .higherIsBetter:
            if let maximum = game.maxAttempts { return (0...max(maximum, 0), true) }
        case .lowerTimeSeconds, .highScore, .count:
            break
        }
        guard let least = values.min(), let most = values.max() else { return nil }
        return (least...most, false)
    }
}
