/// Reports about custom games, files and chats. Their keys are a contract (docs/cli.md): only additions are allowed.

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
    /// The number of the result in a JSON document, from 1: all of them may be on one line.
    public var element: Int?
    /// A stable word: `unknownGame`, `impossible`, `future`, `conflict`, `maximum`, …
    public var reason: String
    /// A plain sentence for people.
    public var message: String
}

public struct ImportReport: Codable, Sendable, Equatable {
    /// Results that are stored, or would be in a preview, including replacements. 0 if a line is refused and the
    /// request does not say to leave such lines out.
    public var imported: Int
    /// How many would be imported without the refused lines.
    public var importable: Int
    /// Recorded already, with the same value or with another that was kept.
    public var skipped: Int
    /// Of `imported`, those that replaced another value.
    public var replaced: Int
    /// The first thousand.
    public var refused: [RefusedLine]
    public var refusedCount: Int
    /// Recorded already with another value, and left; the first thousand.
    public var conflicts: [RefusedLine]
    public var conflictCount: Int
    /// Read with a maximum other than the line's, because the game has its own; the first thousand.
    public var adjusted: [RefusedLine] = []
    public var adjustedCount = 0
    public var preview: Bool
    /// The first twenty results that are, or would be, imported.
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
