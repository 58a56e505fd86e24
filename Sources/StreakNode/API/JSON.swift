import StreakGames

/// A JSON document whose keys keep their order and whose unknown values are written as `null`, never left out.
///
/// Everything that the command line and the page's interface answer is written here and nowhere else. Reports are
/// written in the order of their declared properties, which is the order of `docs/cli.md`. Characters that control a
/// terminal are escaped.
public indirect enum JSON: Equatable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// Finite.
    case number(Double)
    case string(String)
    case array([JSON])
    case object([Member])

    public struct Member: Equatable, Sendable {
        public var key: String
        public var value: JSON
    }

    /// An object from key and value pairs.
    public static func members(_ pairs: KeyValuePairs<String, JSON>) -> JSON {
        .object(pairs.map { Member(key: $0.key, value: $0.value) })
    }

    /// A text, or null.
    public static func optional(_ text: String?) -> JSON {
        text.map(JSON.string) ?? .null
    }

    /// The content of `value`: a report, or something made of texts, integers, truth values, lists and dictionaries.
    public init(reflecting value: Any) {
        switch value {
        case let value as String: self = .string(value)
        case let value as Bool: self = .bool(value)
        case let value as any FixedWidthInteger: self = .integer(Int64(clamping: value))
        case let value as Double: self = value.isFinite ? .number(value) : .null
        case let value as DeltaReport:
            self =
                switch value {
                case .places(let places): .integer(Int64(places))
                case .new: .string("new")
                }
        case let value as any RawRepresentable<String>: self = .string(value.rawValue)
        case let value as [String: Int]:
            self = .object(
                value.keys.sorted().map { Member(key: $0, value: value[$0].map { .integer(Int64($0)) } ?? .null) })
        default:
            let mirror = Mirror(reflecting: value)
            switch mirror.displayStyle {
            case .optional: self = mirror.children.first.map { JSON(reflecting: $0.value) } ?? .null
            case .collection, .set: self = .array(mirror.children.map { JSON(reflecting: $0.value) })
            case .enum: self = .string("\(value)")
            default:
                self = .object(mirror.children.map { Member(key: $0.label ?? "", value: JSON(reflecting: $0.value)) })
            }
        }
    }

    /// The document on one line.
    public var text: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .number(let value): text += String(value)
        case .string(let value): text += value.quotedAsJSON
        case .array(let values):
            text += "["
            for (position, value) in values.enumerated() {
                if position > 0 { text += "," }
                value.write(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (position, member) in members.enumerated() {
                if position > 0 { text += "," }
                text += member.key.quotedAsJSON
                text += ":"
                member.value.write(to: &text)
            }
            text += "}"
        }
    }
}
