/// A text that a player shares, with placeholders.
///
/// The owner edits templates; values may come from friends. Both are bounded, and values are never parsed for
/// placeholders.
public struct ShareTemplate: Hashable, Sendable {
    /// The event that the text is about.
    public enum Occasion: String, Sendable, Hashable, CaseIterable {
        case unlock, personalBest = "personal-best", perfect, solved, lost

        /// The placeholders that a template of this kind may use.
        public var placeholders: [Placeholder] {
            switch self {
            case .unlock: [.achievement, .tier, .emoji, .name, .day, .value]
            case .personalBest, .perfect, .solved, .lost:
                [.game, .emoji, .result, .number, .day, .name, .streak, .link]
            }
        }

        /// `isToday`: the result is from today.
        fileprivate func standardText(isToday: Bool) -> String {
            let of = isToday ? "today's {game} {number}" : "{game} {number} of {day}"
            return switch self {
            case .unlock: "{emoji} Just unlocked {achievement} ({tier}): {value}!\nCan you beat that?"
            case .personalBest:
                "{emoji} New personal best in {game}\(isToday ? "" : " on {day}"): {result}!\nThink you can beat it?"
            case .perfect: "⭐⭐⭐ Perfect: {result} in {game} {number}\(isToday ? "" : " on {day}")!"
            case .solved: "{emoji} Solved \(of) with {result}!\nCan you do better?"
            case .lost: "{emoji} No luck with \(of): {result}.\nCan you do better?"
            }
        }
    }

    /// A placeholder in a template, written `{name}`.
    public enum Placeholder: String, Sendable, Hashable, CaseIterable {
        case achievement, tier, value, emoji, name, day, game, result, number, streak, link
    }

    /// Why a template is refused.
    public enum Refusal: Error, Hashable, Sendable {
        /// Only white space.
        case empty
        /// More than `maximumLength` characters or `maximumSize` bytes.
        case tooLong
        /// A placeholder that this kind of template does not have.
        case unknownPlaceholder(String)
    }

    /// The longest template in characters. Enough for any message service.
    public static let maximumLength = 500
    /// The longest template in bytes of UTF-8, so that a setting holds it.
    public static let maximumSize = 1_300
    /// The longest value in characters. Longer ones are cut.
    public static let maximumValueLength = 80

    public let occasion: Occasion
    public let text: String

    /// The default template. For a result of another day it names the day.
    public static func standard(_ occasion: Occasion, isToday: Bool = true) -> ShareTemplate {
        ShareTemplate(checked: occasion, occasion.standardText(isToday: isToday))
    }

    public init(_ occasion: Occasion, _ text: String) throws(Refusal) {
        // Bytes first, because counting the characters of a hostile text is itself work.
        guard text.utf8.count <= Self.maximumSize, text.count <= Self.maximumLength else { throw .tooLong }
        guard text.contains(where: { !$0.isWhitespace }) else { throw .empty }
        for part in Self.parts(of: text) {
            if case .name(let name) = part {
                guard let placeholder = Placeholder(rawValue: name), occasion.placeholders.contains(placeholder) else {
                    throw .unknownPlaceholder(name)
                }
            }
        }
        self.init(checked: occasion, text)
    }

    private init(checked occasion: Occasion, _ text: String) {
        self.occasion = occasion
        self.text = text
    }

    /// The template with its values. Placeholders without a value vanish, with the space before them.
    public func filled(_ values: [Placeholder: String]) -> String {
        var filled = ""
        for part in Self.parts(of: text) {
            switch part {
            case .text(let text):
                filled += text
            case .name(let name):
                let value = Placeholder(rawValue: name).flatMap { values[$0] }.map { Self.bounded($0) } ?? ""
                if value.isEmpty, filled.last == " " { filled.removeLast() }
                filled += value
            }
        }
        return filled
    }

    /// One line of at most `maximumValueLength` characters.
    static func bounded(_ value: String) -> String {
        var kept = String.UnicodeScalarView()
        var length = 0
        for scalar in value.unicodeScalars {
            // Scalars, because one character can be a thousand combining marks.
            guard length < maximumValueLength else { break }
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: kept.append(" ")
            default:
                // Embeddings and overrides would reverse the rest of the message.
                if (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value) { continue }
                kept.append(scalar)
            }
            length += 1
        }
        return String(kept)
    }

    private enum Part {
        case text(String)
        case name(String)
    }

    /// `{` lower-case letters `}` is a placeholder; any other brace is text.
    private static func parts(of text: String) -> [Part] {
        var parts: [Part] = []
        var literal = ""
        var rest = Substring(text)
        while let open = rest.firstIndex(of: "{") {
            let inside = rest[rest.index(after: open)...]
            let name = inside.prefix { $0.isASCII && $0.isLowercase }
            guard !name.isEmpty, name.endIndex < rest.endIndex, rest[name.endIndex] == "}" else {
                literal += rest[...open]
                rest = inside
                continue
            }
            literal += rest[..<open]
            if !literal.isEmpty { parts.append(.text(literal)) }
            literal = ""
            parts.append(.name(String(name)))
            rest = rest[rest.index(after: name.endIndex)...]
        }
        literal += rest
        if !literal.isEmpty { parts.append(.text(literal)) }
        return parts
    }
}
