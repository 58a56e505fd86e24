import StreakGames

/// Converts a row's texts into a result.
struct ResultRowReader {
    /// A valid row whose day may not be known yet.
    struct Draft {
        /// Its day counts only if `date` is `nil`.
        var result: DailyScore
        var game: Game
        /// The date, unless the puzzle's number gives the day.
        var date: PrintedDate?
        /// The row comes from an export, which states everything.
        var isLiteral: Bool
        /// The row states whether hard mode was on.
        var statesHardMode: Bool
        /// The row's maximum, if it differs from the game's, which is used.
        var printedMaximum: Int?
    }

    let names: GameNames
    /// The game of files without a game column.
    let game: Game?
    /// Unix seconds.
    let now: Int64

    func draft(_ row: ResultRow) throws(ImportRefusal) -> Draft {
        if let fault = row.fault { throw fault }
        let keyed = try truth(.keyedByPuzzle, in: row)
        let game = try game(of: row, isLiteral: keyed != nil)
        let puzzle = try number(.puzzle, in: row)
        let name = row[.name]
        guard name.utf8.count <= ResultLimits.maximumNameSize else { throw .tooLong }
        var result = DailyScore(
            game: game.id, day: .earliest, puzzle: puzzle, hints: try number(.hints, in: row),
            mistakes: try number(.mistakes, in: row), isHardMode: try truth(.hardMode, in: row) ?? false,
            gameName: name.isEmpty ? nil : name, firstRecordedAt: try moment(.firstRecordedAt, in: row) ?? now,
            isEdited: try truth(.edited, in: row) ?? false)
        try readOutcome(of: row, in: game, into: &result)
        var date: PrintedDate?
        var printedMaximum: Int?
        if let keyed {
            result.isKeyedByPuzzle = keyed
            date = try printedDate(row)
        } else {
            if let day = puzzle.flatMap({ game.day(ofPuzzle: $0) }) {
                result.day = day
            } else {
                date = try printedDate(row)
                result.isKeyedByPuzzle = puzzle != nil
            }
            printedMaximum = try complete(&result, in: game)
        }
        let isKnown = names.game(game.id.rawValue) != nil || self.game?.id == game.id
        if let column = ResultLimits.violation(by: result, in: isKnown ? game : nil) { throw .impossible(column) }
        return Draft(
            result: result, game: game, date: date, isLiteral: keyed != nil, statesHardMode: !row[.hardMode].isEmpty,
            printedMaximum: printedMaximum)
    }

    // MARK: What was played

    private func game(of row: ResultRow, isLiteral: Bool) throws(ImportRefusal) -> Game {
        let text = row[.game]
        if text.isEmpty {
            guard let game else { throw .missing(.game) }
            return game
        }
        if let game = names.game(text) { return game }
        // A group's game that was removed, or a game of a newer version. Its results were exported with its name.
        if isLiteral, let id = GameID(text), !row[.name].isEmpty {
            return Scoring.unknownGame(id, name: row[.name])
        }
        throw .unknownGame(Self.excerpt(text), nearest: nil)
    }

    private func printedDate(_ row: ResultRow) throws(ImportRefusal) -> PrintedDate {
        let text = row[.date]
        guard !text.isEmpty else { throw .missing(.date) }
        guard let date = PrintedDate(text) else { throw .unreadable(.date, Self.excerpt(text)) }
        return date
    }

    /// Unix seconds, not in the future.
    private func moment(_ column: ResultColumn, in row: ResultRow) throws(ImportRefusal) -> Int64? {
        guard let moment = try number(column, in: row) else { return nil }
        // One day of tolerance: the exporting machine's clock may have been ahead.
        guard moment - 86_400 <= now else { throw .impossible(column) }
        return Int64(moment)
    }

    // MARK: How it ended

    private func readOutcome(
        of row: ResultRow, in game: Game, into result: inout DailyScore
    ) throws(ImportRefusal) {
        result.seconds = try timeOrNumber(.seconds, in: row)
        result.maxAttempts = try number(.maxAttempts, in: row)
        var won = try truth(.completed, in: row)
        var text = row[.score]
        if let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) {
            let printed = String(text[text.index(after: slash)...]).trimmed
            guard let most = Self.wholeNumber(printed) else { throw .unreadable(.score, Self.excerpt(text)) }
            guard result.maxAttempts ?? most == most else { throw .contradictory(.maxAttempts) }
            result.maxAttempts = most
            text = String(text[..<slash]).trimmed
        }
        if Self.losses.contains(text.lowercased()) {
            guard won != true else { throw .contradictory(.completed) }
            won = false
        } else if !text.isEmpty {
            let time = game.model == .lowerTimeSeconds ? Self.seconds(text) : nil
            guard let score = time ?? Self.wholeNumber(text) else { throw .unreadable(.score, Self.excerpt(text)) }
            result.score = score
            won = won ?? !(score == 0 && game.isLostWithNothing)
        }
        if won == nil {
            let isKnown =
                game.model == .lowerTimeSeconds && result.seconds != nil
                || game.model == .lowerHints && result.hints != nil
            guard isKnown else { throw .missing(.score) }
        }
        result.isCompleted = won ?? true
        if !result.isCompleted, result.score == 0, game.isLostWithNothing { result.score = nil }
    }

    /// Fills in values that people leave out and a paste would have recorded. Returns the row's maximum if the game's
    /// replaces it: other programs use other maxima, but the result is the same.
    private func complete(_ result: inout DailyScore, in game: Game) throws(ImportRefusal) -> Int? {
        let printed = result.maxAttempts
        if !Self.changingMaximum.contains(game.id) { result.maxAttempts = game.maxAttempts ?? printed }
        result.maxAttempts = result.maxAttempts ?? game.maxAttempts
        // Six of five is a loss, or none, though the game itself has six.
        if result.isCompleted, let printed, let score = result.score, score > printed,
            game.model == .lowerAttempts || game.model == .lowerGuesses, score <= result.maxAttempts ?? printed
        {
            throw .contradictory(.score)
        }
        result.gameName = game.name
        result.isEdited = false
        switch game.model {
        case .lowerTimeSeconds:
            guard result.score ?? result.seconds == result.seconds ?? result.score else {
                throw .contradictory(.seconds)
            }
            result.seconds = result.seconds ?? result.score
            result.score = result.seconds
        case .lowerHints:
            guard result.score ?? result.hints == result.hints ?? result.score else { throw .contradictory(.hints) }
            result.hints = result.hints ?? result.score
            result.score = result.hints
        case .lowerAttempts, .lowerGuesses, .higherIsBetter, .highScore, .count: break
        }
        // In a table, "6" beside "not solved" is the number of tries. A loss has no score.
        if !result.isCompleted { result.score = nil }
        return printed == result.maxAttempts ? nil : printed
    }

    /// Games that print a different maximum each day.
    private static let changingMaximum: Set<GameID> = [GameID(literal: "bandle")]

    private static let losses: Set<String> = [
        "x", "✗", "✘", "❌", "dnf", "fail", "failed", "loss", "lost", "lose", "unsolved", "not solved",
    ]

    // MARK: Cells

    private func truth(_ column: ResultColumn, in row: ResultRow) throws(ImportRefusal) -> Bool? {
        let text = row[column]
        switch text {
        case "": return nil
        case "true": return true
        case "false": return false
        default: break
        }
        let word = text.lowercased()
        if Self.affirmations.contains(word) { return true }
        if Self.denials.contains(word) { return false }
        throw .unreadable(column, Self.excerpt(text))
    }

    private static let affirmations: Set<String> = [
        "true", "yes", "y", "1", "1.0", "t", "won", "win", "solved", "completed", "✓", "✔", "✅", "wahr", "ja", "vrai",
        "oui", "sí", "si", "on",
    ]
    // Without "x", which means yes in some tables and a loss in others.
    private static let denials: Set<String> = [
        "false", "no", "n", "0", "0.0", "f", "lost", "loss", "failed", "fail", "dnf", "unsolved", "not solved", "❌",
        "falsch", "nein", "faux", "non", "off",
    ]

    private func number(_ column: ResultColumn, in row: ResultRow) throws(ImportRefusal) -> Int? {
        let text = row[column]
        guard !text.isEmpty else { return nil }
        guard let number = Self.wholeNumber(text) else { throw .unreadable(column, Self.excerpt(text)) }
        return number
    }

    private func timeOrNumber(_ column: ResultColumn, in row: ResultRow) throws(ImportRefusal) -> Int? {
        if let seconds = Self.seconds(row[column]) { return seconds }
        return try number(column, in: row)
    }

    /// `m:ss` or `h:mm:ss`.
    static func seconds(_ text: String) -> Int? {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard 2...3 ~= parts.count else { return nil }
        var seconds = 0
        for (index, part) in parts.enumerated() {
            guard 1...(index == 0 ? 4 : 2) ~= part.count, index == 0 || part.count == 2,
                part.allSatisfy({ 0x30...0x39 ~= $0 })
            else { return nil }
            let number = part.reduce(0) { $0 * 10 + Int($1 - 0x30) }
            guard index == 0 || number < 60 else { return nil }
            seconds = seconds * 60 + number
        }
        return seconds
    }

    /// Digits, also "#1,234" and "3.0", which some tables use for whole numbers. At most 15 digits.
    static func wholeNumber(_ text: String) -> Int? {
        var number = 0
        var digits = 0
        var sinceComma: Int?
        var isFraction = false
        for (index, byte) in text.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "#") where index == 0:
                continue
            case UInt8(ascii: "0") where isFraction:
                continue
            case UInt8(ascii: "0")...UInt8(ascii: "9") where !isFraction:
                digits += 1
                guard digits <= 15 else { return nil }
                number = number * 10 + Int(byte - UInt8(ascii: "0"))
                if let count = sinceComma { sinceComma = count + 1 }
            case UInt8(ascii: ",") where !isFraction && 1...3 ~= digits && sinceComma == nil || sinceComma == 3:
                sinceComma = 0
            case UInt8(ascii: ".") where !isFraction && digits > 0:
                isFraction = true
            default:
                return nil
            }
        }
        return digits > 0 && sinceComma ?? 3 == 3 ? number : nil
    }

    static func excerpt(_ text: String) -> String {
        String(text.unicodeScalars.prefix(40))
    }
}
