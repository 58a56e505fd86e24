/// How a member's results over several days combine.
public enum RangeAggregation: String, Sendable, Codable, Hashable, CaseIterable {
    case best, sum, latest
}

/// A game that a member defined for a group: a mode of a puzzle, a habit, a puzzle that is not listed.
///
/// A value of this type is always valid. Every limit is a constant here, for codecs and forms to use.
public struct GameDefinition: Sendable, Hashable, Identifiable {
    /// The longest name, in grapheme clusters, without blanks around it.
    public static let maximumNameLength = 40
    /// The longest name, in UTF-8 bytes: one grapheme cluster can be a megabyte of combining marks.
    public static let maximumNameSize = 240
    /// The longest icon, in UTF-8 bytes; the longest emoji sequences take 35.
    public static let maximumIconSize = 48
    /// The longest unit, such as "pts", in grapheme clusters.
    static let maximumUnitLength = 12
    /// The longest unit, in UTF-8 bytes.
    public static let maximumUnitSize = 64
    /// The highest score, maximum or best value; fits 32 bits.
    public static let maximumScore = 1_000_000_000
    /// The most definitions that one reader accepts. Further ones are ignored.
    public static let maximumCount = 256

    /// Begins with `custom-`. The author chooses it once, and it never changes.
    public let id: GameID
    public let name: String
    /// One grapheme cluster.
    public let icon: String
    public let model: ScoringModel
    /// The M of "3/M".
    public let maximum: Int?
    /// The best possible raw result, if lower is better.
    public let best: Int?
    /// Printed after a value, for example "pts" or "km".
    public let unit: String?
    public let cadence: Game.Cadence
    public let aggregation: RangeAggregation
    /// The pattern of its share text; `nil` if results are typed in.
    public let pattern: CustomPattern?

    /// Removes blanks around name, icon and unit. An empty unit or pattern becomes `nil`.
    ///
    /// The default for `aggregation` is the best for `highScore` and the sum for all other models.
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

    /// The beginning of a new ID, made from the name and a number that the author draws: "Block Blast", 48879 →
    /// `custom-block-blast-beef`. At most 24 bytes; sixteen more identify the author.
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
        // Checked first: trimming and counting walk the whole text.
        guard text.utf8.count <= size + 64 else { throw tooLong }
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        let label = String(scalars[first...last])
        guard label.utf8.count <= size, label.count <= length else { throw tooLong }
        // ZWJ and variation selectors belong to emoji.
        guard !label.unicodeScalars.contains(where: { $0.isSteering && !$0.isDirectionMark }) else { throw notText }
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
    /// The prefix of custom games' IDs; no built-in game has it.
    static let customPrefix = "custom-"

    /// Whether the game was defined by a member of a group.
    public var isCustom: Bool { rawValue.hasPrefix(Self.customPrefix) && rawValue.utf8.count > 7 }
}

/// Why a definition was refused. The description is a sentence for its author.
public enum GameDefinitionFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The ID does not begin with `custom-`, so it could impersonate a built-in game.
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

    /// Whether only the pattern is at fault.
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
        case .nameNotText: "The name contains invisible control characters."
        case .iconNotOne: "The icon must be one character, such as an emoji."
        case .unitTooLong: "The unit is longer than \(GameDefinition.maximumUnitLength) characters."
        case .unitNotText: "The unit contains invisible control characters."
        case .maximumOutOfRange: "The maximum must be between 1 and 1,000,000,000."
        case .maximumWithoutUse: "A time or a count has no maximum."
        case .bestOutOfRange: "The best result must be between 0 and the maximum."
        case .bestWithoutUse: "Only a game in which less is better can have a best possible result."
        case .pattern(let fault): fault.description
        case .patternWithoutScore: "The pattern needs a {score}."
        case .patternWithoutTime: "The pattern needs a {time} or a {score} in seconds."
        }
    }
}
