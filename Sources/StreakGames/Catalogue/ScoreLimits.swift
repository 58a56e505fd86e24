/// The results a game can have, whether pasted, typed in or imported.
///
/// A built-in game's limits are those of its share format, narrowed by the catalogue.
enum ScoreLimits {
    /// The scores that a solve may have, by built-in game.
    static let scores: [GameID: ClosedRange<Int>] = {
        var ranges: [GameID: ClosedRange<Int>] = [:]
        for format in ShareFormatTable.formats {
            guard let range = format.result.scores else { continue }
            for game in format.result.games(of: format.game) {
                let known = ranges[game] ?? range
                ranges[game] = min(known.lowerBound, range.lowerBound)...max(known.upperBound, range.upperBound)
            }
        }
        return ranges
    }()

    /// Games that print a loss as 0.
    static let lostWithNothing: Set<GameID> = Set(
        ShareFormatTable.formats.filter { format in
            if case .fraction(let fraction) = format.result { fraction.zero == .loss } else { false }
        }.map(\.game))
}

extension Game {
    /// 99:59:59.
    public static let longestTime = 359_999
    /// The highest printed number of a game whose numbers cannot be turned into days.
    static let highestNumber = 99_999
    /// The highest score of a built-in game whose format has no limit. No share text has more than eight digits.
    public static let highestScore = 10_000_000

    /// The possible raw results of a solve. `maximum` is the printed or stated one, the M of "3/M".
    public func scores(of maximum: Int? = nil) -> ClosedRange<Int> {
        let range =
            switch model {
            case .lowerTimeSeconds: 1...Self.longestTime
            case .highScore, .count: 0...GameDefinition.maximumScore
            case .lowerAttempts, .lowerGuesses, .lowerHints, .higherIsBetter:
                ScoreLimits.scores[id] ?? 0...(id.isCustom ? GameDefinition.maximumScore : Self.highestScore)
            }
        let least = max(range.lowerBound, model.isLowerBetter ? best ?? 0 : 0)
        let most = min(range.upperBound, maximum ?? maxAttempts ?? range.upperBound)
        return least...max(least, most)
    }

    /// Whether this game prints a loss as 0.
    public var isLostWithNothing: Bool { ScoreLimits.lostWithNothing.contains(id) }

    /// Whether this game can have a puzzle of this number.
    public func hasPuzzle(_ number: Int) -> Bool {
        guard let epoch else { return 0...Self.highestNumber ~= number }
        return number >= epoch.number && day(ofPuzzle: number) != nil
    }

    /// Whether this game can have a puzzle on a day: not before its first one, if that is known.
    public func hasPuzzle(on day: PuzzleDay) -> Bool { epoch.map { day >= $0.day } ?? true }
}

extension ResultFormat {
    /// The possible scores of a solve in this format; `nil` without limits.
    fileprivate var scores: ClosedRange<Int>? {
        switch self {
        case .printed(let range), .phrase(_, let range): range
        case .fraction(let format):
            (format.zero == .win ? 0 : 1)...(format.maxima.max() ?? format.mostPoints ?? Game.highestScore)
        case .row(let format): 1...format.width
        case .boards(let count, let highest): count...(count * highest)
        case .pairedBoards(_, let highest): 1...highest
        case .time, .pips, .murdle, .posterdle: 1...Game.longestTime
        case .connections: 4...7
        case .strands, .dailyTens: 0...10
        case .spellingBee: 0...5_000
        case .pinpoint: 1...5
        case .dordle: 2...14
        case .travle: 0...999
        case .globle: 1...300
        case .weaver: 1...200
        case .tusmo: 1...6
        case .minuteCryptic: 0...100
        case .notTheDailyPuzzle: nil
        }
    }

    /// The games of the results in a share of this format.
    fileprivate func games(of game: GameID) -> [GameID] {
        if case .pips = self { ResultReader.difficulties.map(\.game) } else { [game] }
    }
}
