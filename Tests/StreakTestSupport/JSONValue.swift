import Foundation

/// A JSON document, as tests look into it.
public enum JSONValue: Decodable, Hashable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case items([JSONValue])
    case members([String: JSONValue])

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {  // each form is tried, the last one throws
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .items(value)
        } else {
            self = .members(try container.decode([String: JSONValue].self))
        }
    }

    /// The document that a text holds.
    public init(parsing text: String) throws {
        self = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    }

    /// A member; null where there is none.
    public subscript(key: String) -> JSONValue {
        guard case .members(let members) = self else { return .null }
        return members[key] ?? .null
    }

    /// An item; null beyond the end.
    public subscript(position: Int) -> JSONValue {
        guard case .items(let items) = self, items.indices.contains(position) else { return .null }
        return items[position]
    }

    public var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    public var number: Double? {
        guard case .number(let number) = self else { return nil }
        return number
    }

    public var integer: Int? {
        guard case .number(let number) = self else { return nil }
        return Int(exactly: number)
    }

    public var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// The items of a list; none for anything else.
    public var items: [JSONValue] {
        guard case .items(let items) = self else { return [] }
        return items
    }

    /// The keys of an object; none for anything else.
    public var keys: Set<String> {
        guard case .members(let members) = self else { return [] }
        return Set(members.keys)
    }

    /// The object without some of its members.
    public func without(_ keys: String...) -> JSONValue {
        guard case .members(let members) = self else { return self }
        return .members(members.filter { !keys.contains($0.key) })
    }
}
