/// Keeps spreadsheets from running a cell as a formula, in a reversible way.
///
/// A spreadsheet treats a cell as a formula if it begins with `=`, `+`, `-` or `@`, their full-width forms, or a tab or
/// line end, after any quotation marks and blanks. The guard puts an apostrophe before such a cell. Inside a cell it
/// also puts one after each comma, semicolon, tab and line end that such a beginning follows, because a program with
/// another separator would begin a cell there. Reading removes exactly one apostrophe at each such place, so that every
/// text survives. After OWASP, "CSV Injection".
enum FormulaGuard {
    static func guarded(_ text: String) -> String {
        // Most cells are numbers, dates and plain names.
        guard text.utf8.contains(where: isSuspect) else { return text }
        return rewritten(text) { result, _ in result.append("'") }
    }

    static func unguarded(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "'")) else { return text }
        return rewritten(text) { _, run in
            if run.first == "'" { run.removeFirst() }
        }
    }

    /// Calls `change` at each place where a formula might begin, with the marks and blanks before it.
    private static func rewritten(
        _ text: String, change: (inout String.UnicodeScalarView, inout [Unicode.Scalar]) -> Void
    ) -> String {
        var result = String.UnicodeScalarView()
        var run: [Unicode.Scalar] = []
        var isStart = true
        for scalar in text.unicodeScalars {
            if isStart, scalar == "'" || scalar == "\"" || scalar == " " {
                run.append(scalar)
                continue
            }
            if isStart, isFormulaStart(scalar) { change(&result, &run) }
            result.append(contentsOf: run)
            run.removeAll(keepingCapacity: true)
            result.append(scalar)
            isStart = isSeparator(scalar)
        }
        result.append(contentsOf: run)
        return String(result)
    }

    private static func isSuspect(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0xEF, 9, 10, 13: true
        default: false
        }
    }

    private static func isFormulaStart(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "=", "+", "-", "@", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}", "\t", "\r", "\n": true
        default: false
        }
    }

    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case ",", ";", "\t", "\r", "\n": true
        default: false
        }
    }
}
