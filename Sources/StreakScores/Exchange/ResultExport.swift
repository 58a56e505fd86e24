import StreakGames

/// Writes results to files for spreadsheets, other programs and archives. `ResultImport` reads both formats back
/// unchanged.
///
/// The time of the last change is not exported: an import is a change of its own, and a file must not decide between
/// two devices.
public enum ResultExport {
    /// The version of the JSON form.
    public static let version = 1

    /// RFC 4180: UTF-8, CRLF, a heading of all `ResultColumn`s, empty cells for unknown values.
    ///
    /// Days are `yyyy-MM-dd`, durations are seconds, instants are Unix seconds, truth values are `true` and `false`.
    /// Cells that a spreadsheet would run as formulas get an apostrophe, see `FormulaGuard`.
    public static func csv(_ results: some Sequence<DailyScore>) -> [UInt8] {
        var bytes = Array(ResultColumn.allCases.map(\.title).joined(separator: ",").utf8)
        bytes.append(contentsOf: "\r\n".utf8)
        for result in results {
            for column in ResultColumn.allCases {
                if column.rawValue > 0 { bytes.append(UInt8(ascii: ",")) }
                append(cell(result.value(of: column)), to: &bytes)
            }
            bytes.append(contentsOf: "\r\n".utf8)
        }
        return bytes
    }

    /// `{"version":1,"results":[{"date":"2026-11-21","game":"wordle","score":3,…}]}`, one result a line, with the same
    /// keys as in CSV. Unknown values are left out.
    public static func json(_ results: some Sequence<DailyScore>) -> [UInt8] {
        var text = "{\"version\":\(version),\"results\":["
        var isFirst = true
        for result in results {
            text += isFirst ? "\n{" : ",\n{"
            isFirst = false
            for column in ResultColumn.allCases {
                guard let value = json(result.value(of: column)) else { continue }
                if column.rawValue > 0 { text += "," }
                text += "\"\(column.title)\":\(value)"
            }
            text += "}"
        }
        text += "\n]}\n"
        return Array(text.utf8)
    }

    private static func cell(_ value: DailyScore.Value) -> String {
        switch value {
        case .nothing: ""
        case .text(let text): text
        case .number(let number): "\(number)"
        case .truth(let truth): truth ? "true" : "false"
        }
    }

    private static func append(_ cell: String, to bytes: inout [UInt8]) {
        let guarded = FormulaGuard.guarded(cell)
        let needsQuotes =
            guarded != cell || guarded.utf8.first == UInt8(ascii: " ") || guarded.utf8.last == UInt8(ascii: " ")
            || guarded.utf8.contains {
                [UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: ";"), 9, 10, 13].contains($0)
            }
        guard needsQuotes else {
            bytes.append(contentsOf: guarded.utf8)
            return
        }
        bytes.append(UInt8(ascii: "\""))
        for byte in guarded.utf8 {
            if byte == UInt8(ascii: "\"") { bytes.append(byte) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func json(_ value: DailyScore.Value) -> String? {
        switch value {
        case .nothing: nil
        case .number(let number): "\(number)"
        case .truth(let truth): truth ? "true" : "false"
        case .text(let text): text.quotedAsJSON
        }
    }
}

extension DailyScore {
    fileprivate enum Value {
        case nothing
        case text(String)
        case number(Int64)
        case truth(Bool)

        init(_ number: Int?) { self = number.map { .number(Int64($0)) } ?? .nothing }
    }

    fileprivate func value(of column: ResultColumn) -> Value {
        switch column {
        case .date: .text(day.description)
        case .game: .text(game.rawValue)
        case .score: Value(score)
        case .maxAttempts: Value(maxAttempts)
        case .completed: .truth(isCompleted)
        case .seconds: Value(seconds)
        case .hints: Value(hints)
        case .mistakes: Value(mistakes)
        case .hardMode: .truth(isHardMode)
        case .puzzle: Value(puzzle)
        case .keyedByPuzzle: .truth(isKeyedByPuzzle)
        case .name: gameName.map { .text($0) } ?? .nothing
        case .firstRecordedAt: .number(firstRecordedAt)
        case .edited: .truth(isEdited)
        }
    }
}
