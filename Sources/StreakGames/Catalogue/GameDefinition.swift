/// What of a member's results over several days counts.
public enum RangeAggregation: String, Sendable, Codable, Hashable, CaseIterable {
    case best, sum, latest
}

/// A game that a member defined for a group: a block puzzle's mode, a habit, a puzzle nobody listed.
///
/// A value of this type is always valid; every limit is a constant here, so that codecs and forms can repeat them.
public struct GameDefinition: Sendable, Hashable, Identifiable {
    /// Grapheme clusters of a name, after blanks around it are removed.
    public static let maximumNameLength = 40
    /// UTF-8 bytes of a name: one grapheme cluster may be a megabyte of combining marks.
    public static let maximumNameSize = 240
    /// UTF-8 bytes of an icon; the longest emoji sequences take 35.
    public static let maximumIconSize = 48
    /// Grapheme clusters of a unit such as "pts".
    public static let maximumUnitLength = 12
    /// UTF-8 bytes of a unit.
    public static let maximumUnitSize = 64
    /// The highest score, maximum or best value; fits 32 bits.
    public static let maximumScore = 1_000_000_000
    /// Definitions that one reader accepts; further ones are ignored.
    public static let maximumCount = 256

    /// Begins with `custom-`; chosen once by the author and never changed.
    public let id: GameID
    public let name: String
    /// One grapheme cluster.
    public let icon: String
    public let model: ScoringModel
    /// The M of "3/M".
    public let maximum: Int?
    /// The best raw result there is, where lower is better.
    public let best: Int?
    /// Printed behind a value, for example "pts" or "km".
    public let unit: String?
    public let cadence: Game.Cadence
    public let aggregation: RangeAggregation
    /// How its share reads; `nil` where results are typed in.
    public let pattern: CustomPattern?

    /// Blanks around name, icon and unit are removed; an empty unit or pattern is none.
    ///
    /// `aggregation` is by default the best for `highScore` and the sum for all other models.
    public init(
        id: GameID, name: String, icon: String, model: ScoringModel, maximum: Int? = nil, best: Int? = nil,
        unit: String? = nil, cadence: Game.Cadence = .daily, aggregation: RangeAggregation? = nil,
        pattern: String? = nil
    ) throws(GameDefinitionFault) {
        guard id.isCustom else { throw .notACustomID }
        self.id = id
        self.name = try Self.label(name, Self.maximumNameLength, Self.maximumNameSize, .nameTooLong, .nameNotText)
        guard !self.name.isEmpty else { throw .nameEmpty }
        self.icon = try Self.label(icon, 1, Self.maximumIconSize, .iconNotOne, .iconNotOne)
        guard !self.icon.isEmpty else { throw .iconNotOne }
        self.unit = try unit.flatMap { text throws(GameDefinitionFault) in
            let text = try Self.label(text, Self.maximumUnitLength, Self.maximumUnitSize, .unitTooLong, .unitNotText)
            return text.isEmpty ? nil : text
        }
        if let maximum {
            guard model != .count, model != .lowerTimeSeconds else { throw .maximumWithoutUse }
            guard 1...Self.maximumScore ~= maximum else { throw .maximumOutOfRange }
        }
        if let best {
            guard model.isLowerBetter else { throw .bestWithoutUse }
            guard 0...(maximum ?? Self.maximumScore) ~= best else { throw .bestOutOfRange }
        }
        self.model = model
        self.maximum = maximum
        self.best = best
        self.cadence = cadence
        self.aggregation = aggregation ?? (model == .highScore ? .best : .sum)
        self.pattern = try Self.pattern(pattern, for: model)
    }

    /// The game as boards and streaks see it.
    public var game: Game {
        Game(
            id: id, name: name, model: model, maxAttempts: maximum, best: best, cadence: cadence, category: .custom,
            emoji: icon, unit: unit, aggregation: aggregation)
    }

    /// How a new ID begins, made from the name and a number that the author draws: "Block Blast", 48879 →
    /// `custom-block-blast-beef`. At most 24 bytes: sixteen more name the author.
    public static func stem(of name: String, tag: UInt16) -> String {
        var slug = ""
        for scalar in PastedText.folded(String(name.unicodeScalars.prefix(200))) where slug.utf8.count < 12 {
            if "a"..."z" ~= scalar || scalar.digit != nil {
                slug.unicodeScalars.append(scalar)
            } else if !slug.isEmpty, slug.last != "-" {
                slug += "-"
            }
        }
        if !slug.isEmpty, slug.last != "-" { slug += "-" }
        let digits = String(tag, radix: 16)
        return GameID.customPrefix + slug + String(repeating: "0", count: 4 - digits.count) + digits
    }

    private static func label(
        _ text: String, _ length: Int, _ size: Int, _ tooLong: GameDefinitionFault, _ notText: GameDefinitionFault
    ) throws(GameDefinitionFault) -> String {
        // Before any other work: trimming and counting walk the whole text.
        guard text.utf8.count <= size + 64 else { throw tooLong }
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        let label = String(scalars[first...last])
        guard label.utf8.count <= size, label.count <= length else { throw tooLong }
        // ZWJ and variation selectors belong to emoji.
        guard !label.unicodeScalars.contains(where: \.isSteering) else { throw notText }
        return label
    }

    private static func pattern(_ text: String?, for model: ScoringModel) throws(GameDefinitionFault)
        -> CustomPattern?
    {
        guard let text, text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else { return nil }
        let pattern: CustomPattern
        do throws(CustomPatternFault) {
            pattern = try CustomPattern(text)
        } catch {
            throw .pattern(error)
        }
        let hasValue = pattern.has(.score) || model == .lowerTimeSeconds && pattern.has(.time) || model == .count
        guard hasValue else { throw model == .lowerTimeSeconds ? .patternWithoutTime : .patternWithoutScore }
        return pattern
    }
}

extension GameID {
    /// What IDs of custom games begin with; no built-in game's does.
    public static let customPrefix = "custom-"

    /// Whether the game was defined by a member of a group.
    public var isCustom: Bool { rawValue.hasPrefix(Self.customPrefix) && rawValue.utf8.count > 7 }
}

/// Why a definition was not accepted; the description is a sentence for its author.
public enum GameDefinitionFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The ID does not begin with `custom-`, so it could stand for a built-in game.
    case notACustomID
    case nameEmpty
    case nameTooLong
    case nameNotText
    case iconNotOne
    case unitTooLong
    case unitNotText
    case maximumOutOfRange
    case maximumWithoutUse
    case bestOutOfRange
    case bestWithoutUse
    case pattern(CustomPatternFault)
    case patternWithoutScore
    case patternWithoutTime

    /// Whether the pattern is to be changed, and nothing else.
    public var isOfPattern: Bool {
        switch self {
        case .pattern, .patternWithoutScore, .patternWithoutTime: true
        case .notACustomID, .nameEmpty, .nameTooLong, .nameNotText, .iconNotOne, .unitTooLong, .unitNotText,
            .maximumOutOfRange, .maximumWithoutUse, .bestOutOfRange, .bestWithoutUse:
            false
        }
    }

    public var description: String {
        switch self {
        case .notACustomID: "The ID of a custom game begins with “\(GameID.customPrefix)”."
        case .nameEmpty: "The game needs a name."
        case .nameTooLong: "The name is longer than \(GameDefinition.maximumNameLength) characters."
        case .nameNotText: "The name holds control characters."
        case .iconNotOne: "The icon must be one character, such as an emoji."
        case .unitTooLong: "The unit is longer than \(GameDefinition.maximumUnitLength) characters."
        case .unitNotText: "The unit holds control characters."
        case .maximumOutOfRange: "The maximum must lie between 1 and 1,000,000,000."
        case .maximumWithoutUse: "A time or a count has no maximum."
        case .bestOutOfRange: "The best result must lie between 0 and the maximum."
        case .bestWithoutUse: "A best possible result is for games in which less is better."
        case .pattern(let fault): fault.description
        case .patternWithoutScore: "The pattern needs a {score}."
        case .patternWithoutTime: "The pattern needs a {time} or a {score} in seconds."
        }
    }
}
