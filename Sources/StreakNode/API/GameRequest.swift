import StreakScores

/// The games that exist.
public enum GamesRequest: NodeRequest {
    public typealias Report = GamesReport
    public static let name = RequestName.games

    /// Those whose name or ID holds `search`, of a category, or favourites only; nil asks for all.
    case list(search: String? = nil, category: String? = nil, favouritesOnly: Bool = false, group: String? = nil)
    /// Removes a custom game from a group. Results stay. Only the game's definer may do this.
    case remove(game: String, group: String?)
}

/// One game.
public enum GameRequest: NodeRequest {
    public typealias Report = GameReport
    public static let name = RequestName.game

    /// A custom game by ID, name or unique prefix of either, as its group has it.
    case show(game: String, group: String?)
    case setFavourite(game: String, isFavourite: Bool)
    /// Defines a custom game in a group, or with `id` changes one. Nil `group` is the active one. For a game to change
    /// that the active one does not have, it is the first that does.
    case define(GameForm, group: String?)
}

/// Tries a form's pattern on a text.
public enum PatternRequest: NodeRequest {
    public typealias Report = PatternReport
    public static let name = RequestName.pattern

    /// Stores nothing.
    case test(GameForm, text: String)
}

/// A custom game as typed into a form.
public struct GameForm: Codable, Sendable, Equatable {
    /// Of the game to change; nil for a new one.
    public var id: String?
    public var name: String
    /// One character.
    public var icon: String
    /// `lowerAttempts`, `lowerGuesses`, `lowerHints`, `lowerTimeSeconds`, `higherIsBetter`, `highScore` or `count`.
    public var model: String
    public var maximum: Int?
    public var best: Int?
    public var unit: String?
    /// `daily`, `weekly` or `unlimited`; nil is daily.
    public var cadence: String?
    /// `best`, `sum` or `latest`: what counts of several days; nil takes the model's.
    public var aggregation: String?
    public var pattern: String?

    public init(
        id: String? = nil, name: String, icon: String = "🎯", model: String, maximum: Int? = nil, best: Int? = nil,
        unit: String? = nil, cadence: String? = nil, aggregation: String? = nil, pattern: String? = nil
    ) {
        self.id = id
        self.name = name
        self.icon = icon
        self.model = model
        self.maximum = maximum
        self.best = best
        self.unit = unit
        self.cadence = cadence
        self.aggregation = aggregation
        self.pattern = pattern
    }
}

/// This user's results as a file.
public enum ExportRequest: NodeRequest {
    public typealias Report = ExportReport
    public static let name = RequestName.export

    /// `format` is `csv` or `json`. With `file`, an absolute path, the content goes to that new file.
    case export(format: String, game: String?, from: String?, to: String?, file: String? = nil)
}

/// Results from a file.
public enum ImportRequest: NodeRequest {
    public typealias Report = ImportReport
    public static let name = RequestName.load

    case load(ImportSource, ImportOptions)
    /// The shares of one sender of an exported chat; nil where only one person writes.
    case loadChat(ImportSource, sender: String?, ImportOptions)
}

/// Who writes in an exported chat, so that users can choose themselves.
public enum ChatRequest: NodeRequest {
    public typealias Report = ChatReport
    public static let name = RequestName.chat

    case inspect(ImportSource)
}

/// Where to read a file's bytes.
public enum ImportSource: Codable, Sendable, Equatable {
    case text(String)
    /// An absolute path on the node's machine.
    case file(path: String)

    /// Larger files are refused, in bytes.
    public static let maximumSize = ResultImport.maximumFileSize

    /// A file's bytes as text: UTF-8, or UTF-16 with its byte order mark. O(n).
    ///
    /// - Throws: `NodeFailure.importFailed` for any other encoding.
    public static func decoded(_ bytes: [UInt8]) throws(NodeFailure) -> String {
        do {
            return String(decoding: try FileText.utf8(bytes), as: UTF8.self)
        } catch {
            throw .importFailed(reason: error.sentence)
        }
    }
}

public struct ImportOptions: Codable, Sendable, Equatable {
    /// Nothing is stored.
    public var isPreview: Bool
    /// Whether results that are recorded with another value are replaced; otherwise they are reported and kept.
    public var replaces: Bool
    /// `day-first` or `month-first`, for dates such as 03/04/2026.
    public var dates: String?
    /// The game of a file that does not name one.
    public var game: String?
    /// Whether refused lines are left out; otherwise nothing of a file with such a line is stored.
    public var skipsBad: Bool

    public init(
        isPreview: Bool = false, replaces: Bool = false, dates: String? = nil, game: String? = nil,
        skipsBad: Bool = false
    ) {
        self.skipsBad = skipsBad
        self.isPreview = isPreview
        self.replaces = replaces
        self.dates = dates
        self.game = game
    }
}
