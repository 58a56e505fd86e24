/// The columns of a file of results, in the order in which they are written.
public enum ResultColumn: Int, CaseIterable, Sendable, Hashable {
    case date, game, score, maxAttempts, completed
    case seconds, hints, mistakes, hardMode, puzzle
    /// Whether the result is identified by its number. Only this program writes this column. A row that has it is taken
    /// literally; in other rows, missing values are filled in from the catalogue.
    case keyedByPuzzle
    case name, firstRecordedAt, edited

    /// The heading in CSV and the key in JSON.
    public var title: String { Self.titles[rawValue] }

    private static let titles = allCases.map { "\($0)" }

    /// Headings with only one meaning.
    private static let synonyms: [String: ResultColumn] = {
        let words: [(ResultColumn, [String])] = [
            (.date, ["date", "day", "puzzledate", "playedon", "dateplayed", "datum", "fecha"]),
            (.game, ["game", "gameid", "gamename", "puzzlename", "spiel", "juego", "jeu"]),
            (.score, ["score", "guesses", "result", "attempts", "tries", "points", "value", "numguesses"]),
            (.maxAttempts, ["maxattempts", "max", "maximum", "maxguesses", "maxtries", "of", "outof"]),
            (.completed, ["completed", "won", "solved", "win", "success", "finished", "complete"]),
            (.seconds, ["seconds", "time", "duration", "solvetime", "timeseconds"]),
            (.hints, ["hints", "hintsused"]),
            (.mistakes, ["mistakes", "errors"]),
            (.hardMode, ["hardmode", "hard"]),
            (.puzzle, ["puzzlenumber", "number", "puzzleno", "puzzleid", "no"]),
            (.keyedByPuzzle, ["keyedbypuzzle"]),
            (.firstRecordedAt, ["firstrecordedat"]),
            (.edited, ["edited"]),
        ]
        var table: [String: ResultColumn] = [:]
        for (column, names) in words {
            for name in names { table[name] = column }
        }
        return table
    }()

    /// The column of each heading. If several headings mean one column, the first counts.
    ///
    /// "Puzzle" and "Name" mean the game if no other heading does; otherwise the number, and the game's name as its
    /// player saw it.
    static func columns(forHeadings headings: [String]) -> [ResultColumn?] {
        let words = headings.map { $0.trimmed == "#" ? "number" : GameNames.folded($0) }
        var taken: Set<ResultColumn> = []
        var columns: [ResultColumn?] = words.map { word in
            guard let column = synonyms[word], taken.insert(column).inserted else { return nil }
            return column
        }
        for (word, second) in [("name", ResultColumn.name), ("puzzle", .puzzle)] {
            guard let position = words.firstIndex(of: word) else { continue }
            let column = taken.contains(.game) ? second : .game
            if taken.insert(column).inserted { columns[position] = column }
        }
        return columns
    }
}

/// One result as a file states it: a text for each column, empty if not stated.
struct ResultRow {
    /// The line where the row begins, from 1.
    var line = 0
    /// The position of the result in a JSON document, from 1. All results may be on one line.
    var element: Int?
    /// Why these cells cannot contain a result.
    var fault: ImportRefusal?
    private var cells = [String](repeating: "", count: ResultColumn.allCases.count)

    /// Without blanks around it, except for a name.
    subscript(column: ResultColumn) -> String {
        get { column == .name ? cells[column.rawValue] : cells[column.rawValue].trimmed }
        set { cells[column.rawValue] = newValue }
    }

    mutating func clear(line: Int, element: Int? = nil) {
        self.line = line
        self.element = element
        fault = nil
        for position in cells.indices { cells[position] = "" }
    }
}

extension String {
    /// Without blanks at its ends.
    var trimmed: String {
        let bytes = utf8
        // Nearly every cell has no blanks, and classifying characters is slow.
        guard let first = bytes.first, let last = bytes.last else { return "" }
        if 0x21...0x7E ~= first, 0x21...0x7E ~= last { return self }
        let scalars = unicodeScalars
        guard let start = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let end = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[start...end])
    }
}
