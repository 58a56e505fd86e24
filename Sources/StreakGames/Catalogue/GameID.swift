/// The stable ID of a game, used in records, commands and addresses.
///
/// 1–40 bytes of `a`–`z`, `0`–`9` and `-`. A published ID never changes and is never reused.
public struct GameID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The longest ID in bytes.
    public static let maximumLength = 40

    public let rawValue: String

    /// Returns `nil` unless `rawValue` is 1–40 bytes of `[a-z0-9-]`.
    public init?(rawValue: String) {
        guard Self.isValid(rawValue.utf8) else { return nil }
        self.rawValue = rawValue
    }

    /// Returns `nil` unless `text` is 1–40 bytes of `[a-z0-9-]`.
    public init?(_ text: String) {
        self.init(rawValue: text)
    }

    /// An ID in the source code. A malformed one is a programming error and traps.
    public init(literal: StaticString) {
        let text = literal.description
        precondition(Self.isValid(text.utf8), "malformed game ID in program text: \(text)")
        self.rawValue = text
    }

    public var description: String { rawValue }

    public static func < (left: GameID, right: GameID) -> Bool {
        left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
    }

    private static func isValid(_ bytes: String.UTF8View) -> Bool {
        var count = 0
        for byte in bytes {
            count += 1
            guard count <= maximumLength else { return false }
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                continue
            default: return false
            }
        }
        return count > 0
    }
}

extension GameID: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let id = GameID(rawValue: text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a game ID")
        }
        self = id
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
