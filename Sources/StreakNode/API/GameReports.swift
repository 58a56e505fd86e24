/// What is told of custom games, files and chats: keys are a contract (docs/cli.md), additions only.

public struct PatternReport: Codable, Sendable, Equatable {
    public var matched: Bool
    public var score: Int?
    public var puzzle: Int?
    public var maxAttempts: Int?
    public var seconds: Int?
    public var hints: Int?
    public var completed: Bool?
    /// A sentence where it did not match.
    public var message: String?
}

public struct ExportReport: Codable, Sendable, Equatable {
    public var format: String
    public var count: Int
    /// The file's content; nil where it went to a file.
    public var content: String?
    public var file: String?
}

public struct RefusedLine: Codable, Sendable, Equatable {
    public var line: Int
    /// Which result of a JSON document, counted from 1: all may stand on one line.
    public var element: Int?
    /// A stable word: `unknownGame`, `impossible`, `future`, `conflict`, `maximum`, …
    public var reason: String
    /// A plain sentence for people.
    public var message: String
}

public struct ImportReport: Codable, Sendable, Equatable {
    /// Results that are stored, or in a preview would be; replacements included. None, where a line is refused and the
    /// request does not say to leave such lines out.
    public var imported: Int
    /// What would be imported without the lines that are refused.
    public var importable: Int
    /// Recorded already: with the same value, or with another one that was left.
    public var skipped: Int
    /// Of `imported`, those that replaced another value.
    public var replaced: Int
    /// The first thousand.
    public var refused: [RefusedLine]
    public var refusedCount: Int
    /// Recorded already with another value, and left; the first thousand.
    public var conflicts: [RefusedLine]
    public var conflictCount: Int
    /// Read with another maximum than the line says, for the game has its own; the first thousand.
    public var adjusted: [RefusedLine] = []
    public var adjustedCount = 0
    public var preview: Bool
    /// The first twenty of what is or would be imported.
    public var sample: [ResultReport]
    /// The groups that the results were published in.
    public var published: [String]
}

public struct ChatReport: Codable, Sendable, Equatable {
    public struct Sender: Codable, Sendable, Equatable {
        public var name: String
        public var messages: Int
        public var shares: Int
    }

    public var senders: [Sender]
}
