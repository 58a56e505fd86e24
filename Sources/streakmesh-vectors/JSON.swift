import StreakWire

/// A JSON value whose objects keep their order, formatted so that changes affect few lines.
indirect enum JSON: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(Int)
    case text(String)
    case list([JSON])
    case object([Member])

    struct Member: Sendable, Equatable {
        let name: String
        let value: JSON
    }

    /// Bytes as lower-case hexadecimal digits.
    static func hex(_ bytes: some Sequence<UInt8>) -> JSON { .text(bytes.hexadecimal) }

    /// The value of an object's member; nil if there is none.
    subscript(name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The document, two spaces a level, with a final line feed. A value that fits into 120 characters is on one line.
    var document: String { rendered(indent: 0) + "\n" }

    private func rendered(indent: Int) -> String {
        let short = compact
        if short.utf8.count + indent <= 120 { return short }
        let outer = String(repeating: " ", count: indent)
        let inner = outer + "  "
        switch self {
        case .list(let items):
            let lines = items.map { inner + $0.rendered(indent: indent + 2) }
            return "[\n" + lines.joined(separator: ",\n") + "\n" + outer + "]"
        case .object(let members):
            let lines = members.map { inner + Self.quoted($0.name) + ": " + $0.value.rendered(indent: indent + 2) }
            return "{\n" + lines.joined(separator: ",\n") + "\n" + outer + "}"
        case .null, .bool, .number, .text:
            return short
        }
    }

    private var compact: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let value): String(value)
        case .text(let value): Self.quoted(value)
        case .list(let items): "[" + items.map(\.compact).joined(separator: ", ") + "]"
        case .object(let members):
            "{" + members.map { Self.quoted($0.name) + ": " + $0.value.compact }.joined(separator: ", ") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\u{0}"..<" ":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral value: String) { self = .text(value) }
    init(integerLiteral value: Int) { self = .number(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(arrayLiteral elements: JSON...) { self = .list(elements) }
    init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(elements.map { Member(name: $0.0, value: $0.1) })
    }
}
