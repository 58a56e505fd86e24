/// How a game's raw result is read and ordered.
public enum ScoringModel: String, Sendable, Codable, Hashable, CaseIterable {
    /// Tries used of a maximum.
    case lowerAttempts
    /// Guesses used, usually without a maximum.
    case lowerGuesses
    /// Hints used.
    case lowerHints
    /// Solve time in whole seconds.
    case lowerTimeSeconds
    /// Points, stars or correct answers.
    case higherIsBetter
    /// Points of a custom game. The best result of a day counts.
    case highScore
    /// How many times something was done on a day.
    case count

    /// Whether 2 beats 3.
    public var isLowerBetter: Bool {
        switch self {
        case .lowerAttempts, .lowerGuesses, .lowerHints, .lowerTimeSeconds: true
        case .higherIsBetter, .highScore, .count: false
        }
    }
}

/// A puzzle number whose day is known. Every other day follows by counting.
public struct PuzzleEpoch: Sendable, Hashable {
    public let number: Int
    public let day: PuzzleDay

    public init(number: Int, day: PuzzleDay) {
        self.number = number
        self.day = day
    }
}

/// A daily puzzle, or one variant of it that has its own results.
public struct Game: Sendable, Hashable, Identifiable {
    /// How often a new puzzle appears.
    public enum Cadence: String, Sendable, Codable, Hashable, CaseIterable {
        case daily, weekly
        /// Playable any number of times; a share contains neither number nor day.
        case unlimited
    }

    /// What kind of puzzle it is, for filters.
    public enum Category: String, Sendable, Codable, Hashable, CaseIterable {
        case word, meaning, logic, number, geography, screen, music, picture, knowledge
        /// Defined by a member of a group.
        case custom
    }

    public let id: GameID
    public let name: String
    public let model: ScoringModel
    /// The M of "3/M", if the game has a fixed one.
    public let maxAttempts: Int?
    /// The best possible raw result, if the model has one: Wordle 1, Strands 0, Connections 4, Quordle 10.
    public let best: Int?
    /// `nil` if puzzle numbers cannot be converted to days.
    public let epoch: PuzzleEpoch?
    public let cadence: Cadence
    /// The game's web address, with scheme.
    public let url: String
    public let category: Category
    /// One emoji for the game.
    public let emoji: String
    /// Popular: shown first.
    public let isFavourite: Bool
    /// The game that this is a difficulty or a mode of.
    public let variantOf: GameID?
    /// Printed after a value of a custom game, for example "pts".
    public let unit: String?
    /// How several results in a range combine; `nil` for built-in games, whose points are added.
    public let aggregation: RangeAggregation?

    public init(
        id: GameID, name: String, model: ScoringModel, maxAttempts: Int? = nil, best: Int? = nil,
        epoch: PuzzleEpoch? = nil, cadence: Cadence = .daily, url: String = "", category: Category = .word,
        emoji: String = "🧩", isFavourite: Bool = false, variantOf: GameID? = nil,
        unit: String? = nil, aggregation: RangeAggregation? = nil
    ) {
        self.id = id
        self.name = name
        self.model = model
        self.maxAttempts = maxAttempts
        self.best = best
        self.epoch = epoch
        self.cadence = cadence
        self.url = url
        self.category = category
        self.emoji = emoji
        self.isFavourite = isFavourite
        self.variantOf = variantOf
        self.unit = unit
        self.aggregation = aggregation
    }

    /// The day of a puzzle number; `nil` without an epoch, for a negative number, and beyond the year 2100.
    public func day(ofPuzzle number: Int) -> PuzzleDay? {
        guard let epoch, number >= 0 else { return nil }
        let (offset, overflow) = number.subtractingReportingOverflow(epoch.number)
        guard !overflow else { return nil }
        let (days, overflowed) = epoch.day.daysSinceEpoch.addingReportingOverflow(offset)
        guard !overflowed, days <= Self.lastPuzzleDay.daysSinceEpoch else { return nil }
        return PuzzleDay(daysSinceEpoch: days)
    }

    /// The puzzle number of a day; `nil` without an epoch and before the first puzzle.
    public func puzzle(on day: PuzzleDay) -> Int? {
        guard let epoch else { return nil }
        let number = epoch.number + epoch.day.days(until: day)
        return number >= epoch.number ? number : nil
    }

    /// Puzzle numbers of later days are refused as impossible. 2100-12-31.
    static let lastPuzzleDay = PuzzleDay(daysSinceEpoch: 47_846)
}
