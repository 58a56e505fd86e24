public import StreakGames

/// Why a file of results cannot be imported at all. Nothing of it was planned.
public enum ImportFault: Error, Sendable, Hashable {
    /// The file is larger than `ResultImport.maximumFileSize`.
    case tooLarge
    /// The file has more than `ResultImport.maximumRows` rows.
    case tooManyRows
    /// There is nothing in it.
    case empty
    /// The file is neither UTF-8 nor UTF-16 with a byte order mark; it has to be saved as UTF-8.
    case notUTF8
    /// JSON that begins like an exported chat, but is not one of Telegram's.
    case notAChat
    /// No heading for one of these was found in the first line: CSV needs a game, a date or a number, and a result.
    case missingColumn(ResultColumn)
    /// The quotation that begins in the row at `line` never ends.
    case unclosedQuote(line: Int)
    /// What begins with `{` or `[` is not JSON, from this line on; in this result, where one has begun.
    case malformed(line: Int, element: Int? = nil)
    /// JSON, but neither an array of objects nor an object with such an array as its `results`.
    case noResults
    /// JSON whose `version` is not 1: a newer program wrote it.
    case unknownVersion
    /// The date in this line, say 03/04/2026, may be a day of March or of April, and no other line decides it. The
    /// caller can: `ResultImport.dateOrder`.
    case ambiguousDates(line: Int, element: Int? = nil)
    /// One line, or one result of a JSON document, writes the day first, the other the month. The caller can decide.
    case contradictoryDates(dayFirst: Int, monthFirst: Int, areElements: Bool = false)
}

/// Why a row was refused. The others stand.
public enum ImportRefusal: Error, Sendable, Hashable {
    /// A cell longer than `ResultImport.maximumCellSize`, or a game's name longer than 160 bytes.
    case tooLong
    /// The row does not say this.
    case missing(ResultColumn)
    /// The row's text for this cannot be read; its beginning.
    case unreadable(ResultColumn, String)
    /// No game of this name; `nearest` is the one most like it, if any.
    case unknownGame(String, nearest: GameID?)
    /// A value that this game cannot have, such as 7/6.
    case impossible(ResultColumn)
    /// The row says both this and its opposite, such as X/6 and completed.
    case contradictory(ResultColumn)
    /// The day has not begun anywhere.
    case future(PuzzleDay)
}
