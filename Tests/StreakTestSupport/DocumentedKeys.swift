import Foundation

/// The JSON keys that docs/cli.md names for each command.
///
/// Its tables have the keys in their last column, as `a` `b:{c,d}` `e:[{f,g}]`. What stands in parentheses and after a
/// semicolon is prose.
public enum DocumentedKeys {
    /// What is said about a value.
    public indirect enum Shape: Sendable {
        case anything
        case object([String: Shape])
        case list(Shape)
    }

    /// What each row begins with, and its last column.
    private static let rows: Result<[(command: String, keys: String)], any Error> = Result {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/cli.md")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        return lines.filter { $0.hasPrefix("| `") }.compactMap { line in
            let cells = line.replacing("\\|", with: "¦").split(separator: "|")
            guard cells.count == 3, let command = spans(cells[0]).first else { return nil }
            return (command, String(cells[2].drop { $0 == " " }))
        }
    }

    /// The shape of what a command answers. `command` is how its row begins: “group create”. “The same” is that of the
    /// row above.
    public static func shape(of command: String) throws -> Shape {
        let rows = try rows.get()
        // Behind the words of a command come what it takes: “[TEXT]”, “FILE”, “--name”.
        let place = rows.firstIndex { row in
            row.command == command
                || row.command.hasPrefix(command + " ")
                    && row.command.dropFirst(command.count + 1).first?.isLowercase == false
        }
        guard let place, let row = rows[...place].last(where: { !$0.keys.hasPrefix("the same") }) else {
            throw TestFailure("docs/cli.md has no row for “\(command)”")
        }
        let words = row.keys.replacing(/\([^()]*\)/, with: "").split(separator: ";").first ?? ""
        var keys: [String: Shape] = [:]
        for span in spans(words) {
            var rest = Substring(span)
            keys.merge(members(&rest)) { first, _ in first }
        }
        return .object(keys)
    }

    /// How an answer differs from what is documented; empty if it does not.
    public static func differences(of answer: JSONValue, from shape: Shape, at path: String = "") -> [String] {
        switch shape {
        case .anything: []
        case .list(let element):
            answer.items.flatMap { differences(of: $0, from: element, at: path + "[]") }
        case .object(let members):
            answer == .null
                ? []
                : Set(members.keys).subtracting(answer.keys).sorted().map { "\(path).\($0) is only documented" }
                    + answer.keys.subtracting(members.keys).sorted().map { "\(path).\($0) is not documented" }
                    + members.sorted { $0.key < $1.key }.flatMap {
                        differences(of: answer[$0.key], from: $0.value, at: "\(path).\($0.key)")
                    }
        }
    }

    /// The texts between back quotes.
    private static func spans(_ text: some StringProtocol) -> [String] {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
    }

    private static func members(_ text: inout Substring) -> [String: Shape] {
        var members: [String: Shape] = [:]
        repeat {
            if text.first == "," { text.removeFirst() }
            let name = text.prefix { $0.isLetter }
            text.removeFirst(name.count)
            members[String(name)] = shape(&text)
        } while text.first == ","
        return members
    }

    private static func shape(_ text: inout Substring) -> Shape {
        if text.first == ":" { text.removeFirst() }
        switch text.first {
        case "{":
            text.removeFirst()
            let members = members(&text)
            text.removeFirst()
            return .object(members)
        case "[":
            text.removeFirst()
            let element = text.first == "{" ? shape(&text) : .anything
            text = text.drop { $0 != "]" }.dropFirst()
            return .list(element)
        default: return .anything
        }
    }
}
