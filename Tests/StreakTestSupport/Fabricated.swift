/// A value of any type, with one text wherever it holds a text; lists hold two of each, nothing that may be missing is, and
/// numbers are 1.
public struct Fabricated: Decoder {
    public enum Failure: Error {
        /// An enum whose case is not among the words.
        case noCase(String)
    }

    fileprivate let text: String
    /// The cases of enums, from the outside in. Each enum takes the first that it has.
    fileprivate let words: ArraySlice<String>
    /// Texts of keys that decide what is shown at all.
    fileprivate let fixed: [String: String]

    public var codingPath: [any CodingKey] { [] }
    public var userInfo: [CodingUserInfoKey: Any] { [:] }

    public static func value<Value: Decodable>(
        _ type: Value.Type, text: String, cases words: [String] = [], fixed: [String: String] = [:]
    ) throws -> Value {
        try Fabricated(text: text, words: words[...], fixed: fixed).make(type)
    }

    fileprivate func make<Value: Decodable>(_ type: Value.Type, for key: String = "") throws -> Value {
        if let text = (fixed[key] ?? text) as? Value { return text }
        if let yes = true as? Value { return yes }
        if let number = (type as? any FixedWidthInteger.Type)?.init(1) as? Value { return number }
        if let number = 1.0 as? Value { return number }
        do {
            return try Value(from: self)
        } catch {
            // An enum of words has none like the text.
            guard let first = Self.first(of: type) as? Value else { throw error }
            return first
        }
    }

    private static func first(of type: Any.Type) -> Any? {
        func first<Listed: CaseIterable>(_ type: Listed.Type) -> Any? { type.allCases.first }
        guard let listed = type as? any CaseIterable.Type else { return nil }
        return first(listed)
    }

    public func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Keys<Key>(decoder: self))
    }

    public func unkeyedContainer() throws -> any UnkeyedDecodingContainer { Items(decoder: self) }

    public func singleValueContainer() throws -> any SingleValueDecodingContainer { Single(decoder: self) }

    fileprivate var inner: Fabricated { Fabricated(text: text, words: words.dropFirst(), fixed: fixed) }
}

private struct Keys<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: Fabricated
    var codingPath: [any CodingKey] { [] }
    /// The case of an enum; the only key of a dictionary.
    var allKeys: [Key] {
        (decoder.words + [decoder.text]).compactMap { Key(stringValue: $0) }.prefix(1).map(\.self)
    }

    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) throws -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try decoder.make(type, for: key.stringValue)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        KeyedDecodingContainer(Keys<Nested>(decoder: decoder.inner))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { Items(decoder: decoder) }
    func superDecoder() throws -> any Decoder { decoder }
    func superDecoder(forKey key: Key) throws -> any Decoder { decoder }
}

private struct Items: UnkeyedDecodingContainer {
    let decoder: Fabricated
    var codingPath: [any CodingKey] { [] }
    var count: Int? { 2 }
    var isAtEnd: Bool { currentIndex == 2 }
    private(set) var currentIndex = 0

    init(decoder: Fabricated) { self.decoder = decoder }

    mutating func decodeNil() throws -> Bool { false }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        currentIndex += 1
        return try decoder.make(type)
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        currentIndex += 1
        return KeyedDecodingContainer(Keys<Nested>(decoder: decoder))
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        currentIndex += 1
        return Items(decoder: decoder)
    }

    mutating func superDecoder() throws -> any Decoder { decoder }
}

private struct Single: SingleValueDecodingContainer {
    let decoder: Fabricated
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.make(type) }
}
