/// The line that begins a message in an exported or copied chat.
///
/// | program | line |
/// |---|---|
/// | WhatsApp on iOS | `[12/11/2025, 08:01:22] Anna: text` |
/// | WhatsApp on iOS, Chinese | `[2025/11/12 上午8:01:22] Anna: text` |
/// | WhatsApp on Android | `12/11/25, 08:01 - Anna: text`; without a name it is a notice of the program |
/// | Telegram | `Anna, [12.11.2025 08:01]`, with the text below |
/// | Discord, Slack | `Anna — Today at 08:01`, `[12/11/2025 08:01] Anna`, with the text below |
/// | others | `[08:01] Anna: text` |
struct ChatHeader {
    enum Day: Equatable {
        case none, today, yesterday
        /// A date with the same order as in the rest of the file.
        case numeric(first: Int, second: Int, year: Int)
        case day(PuzzleDay)
    }

    /// `nil` for a notice of the program.
    var sender: String?
    var day: Day
    /// Written with dots, which only countries with the day first use.
    var isDotted = false
    /// Where the text begins, as a UTF-8 offset in the line.
    var textStart: Int

    /// How much of a line is read, in UTF-8 bytes.
    static let reach = 240
    /// The longest name, in Unicode scalars.
    static let longestName = 80

    /// `nil` if the line does not begin a message. `line` must have at most `reach` bytes.
    init?(_ line: String) {
        let text = PastedText(line)
        guard let header = Self.bracketed(text) ?? Self.dashed(text) ?? Self.telegram(text) ?? Self.discord(text)
        else { return nil }
        self = header
    }

    private init(sender: String?, _ stamp: Stamp, textStart: Int) {
        self.sender = sender
        day = stamp.day
        isDotted = stamp.isDotted
        self.textStart = textStart
    }

    // MARK: Shapes

    /// `[12/11/2025, 08:01:22] Anna: text`, `[12/11/2025 08:01] Anna`.
    private static func bracketed(_ text: PastedText) -> ChatHeader? {
        var scanner = TextScanner(text.scalars, from: 0, to: text.scalars.count)
        scanner.skipBlanks()
        guard scanner.skip("["), let stamp = stamp(&scanner), scanner.skip("]") else { return nil }
        scanner.skipBlanks()
        let start = scanner.position
        if let named = name(text, from: start) {
            return ChatHeader(sender: named.name, stamp, textStart: named.textStart)
        }
        // Without a colon the line contains only the name, and only after a date.
        guard stamp.day != .none, let sender = clean(text.sourceText(start..<text.scalars.count)) else { return nil }
        return ChatHeader(sender: sender, stamp, textStart: text.length)
    }

    /// `12/11/25, 08:01 - Anna: text`.
    private static func dashed(_ text: PastedText) -> ChatHeader? {
        var scanner = TextScanner(text.scalars, from: 0, to: text.scalars.count)
        guard let stamp = stamp(&scanner), stamp.day != .none else { return nil }
        scanner.skipBlanks()
        guard scanner.skip("-") else { return nil }
        scanner.skipBlanks()
        if let named = name(text, from: scanner.position) {
            return ChatHeader(sender: named.name, stamp, textStart: named.textStart)
        }
        return ChatHeader(sender: nil, stamp, textStart: text.length)
    }

    /// `Anna, [12.11.2025 08:01]`.
    private static func telegram(_ text: PastedText) -> ChatHeader? {
        guard let bracket = text.scalars.lastIndex(of: "["), bracket >= 3, text.scalars[bracket - 1] == " ",
            text.scalars[bracket - 2] == ","
        else { return nil }
        var scanner = TextScanner(text.scalars, from: bracket + 1, to: text.scalars.count)
        guard let stamp = stamp(&scanner), scanner.skip("]") else { return nil }
        scanner.skipBlanks()
        guard scanner.current == nil, let sender = clean(text.sourceText(0..<(bracket - 2))) else { return nil }
        return ChatHeader(sender: sender, stamp, textStart: text.length)
    }

    /// `Anna — Today at 08:01`, `Anna — 12/11/2025 08:01`.
    private static func discord(_ text: PastedText) -> ChatHeader? {
        let scalars = text.scalars
        guard scalars.count >= 8,
            let dash = scalars.indices.dropFirst(2).last(where: {
                scalars[$0] == "-" && scalars[$0 - 1] == " " && $0 + 1 < scalars.count && scalars[$0 + 1] == " "
            })
        else { return nil }
        var scanner = TextScanner(scalars, from: dash + 1, to: scalars.count)
        scanner.skipBlanks()
        guard let stamp = stamp(&scanner), stamp.day != .none else { return nil }
        scanner.skipBlanks()
        guard scanner.current == nil, let sender = clean(text.sourceText(0..<(dash - 1))) else { return nil }
        return ChatHeader(sender: sender, stamp, textStart: text.length)
    }

    // MARK: Tables

    /// Whether a text is only a time of day.
    static func isTime(_ text: String) -> Bool {
        let scalars = PastedText(text).scalars
        var scanner = TextScanner(scalars, from: 0, to: scalars.count)
        guard skipTime(&scanner) else { return false }
        scanner.skipBlanks()
        return scanner.current == nil
    }

    /// The day of a line with only a date, and perhaps its weekday: `2025/11/12(Wed)`, `Wed, 12/11/2025`.
    static func dateLine(_ text: String) -> (day: Day, isDotted: Bool)? {
        let scalars = PastedText(text).scalars
        var scanner = TextScanner(scalars, from: 0, to: scalars.count)
        skipWeekday(&scanner)
        guard let found = numericDay(&scanner) else { return nil }
        skipWeekday(&scanner)
        return scanner.current == nil ? found : nil
    }

    private static func skipWeekday(_ scanner: inout TextScanner) {
        let limit = scanner.position + longestWeekday
        while let scalar = scanner.current, scanner.position < limit {
            guard scalar.digit == nil, scalar.isWordPart || weekdayMarks.contains(scalar) else { break }
            scanner.position += 1
        }
    }

    private static let weekdayMarks: [Unicode.Scalar] = [" ", ",", ".", "(", ")"]
    /// The longest weekday with its comma or brackets, in Unicode scalars.
    private static let longestWeekday = 16

    // MARK: Parts

    /// The name up to a colon, and where the text after it begins.
    private static func name(_ text: PastedText, from start: Int) -> (name: String, textStart: Int)? {
        let limit = min(text.scalars.count, start + longestName)
        guard start < limit, let colon = text.scalars[start..<limit].firstIndex(of: ":") else { return nil }
        let next = colon + 1
        guard next == text.scalars.count || text.scalars[next] == " " else { return nil }
        guard let name = clean(text.sourceText(start..<colon)) else { return nil }
        return (name, next < text.scalars.count ? text.origins[next] : text.length)
    }

    /// Without invisible marks and the `~` before unknown contacts; `nil` if nothing remains.
    static func clean(_ name: String) -> String? {
        guard name.unicodeScalars.count <= longestName else { return nil }
        var scalars = name.unicodeScalars.filter { scalar in
            !(0x200E...0x200F ~= scalar.value || 0x202A...0x202E ~= scalar.value || 0x2066...0x2069 ~= scalar.value
                || scalar.value == 0xFEFF)
        }[...]
        while let first = scalars.first, first == "~" || first == "@" || first.properties.isWhitespace {
            scalars = scalars.dropFirst()
        }
        while let last = scalars.last, last.properties.isWhitespace { scalars = scalars.dropLast() }
        return scalars.isEmpty ? nil : String(String.UnicodeScalarView(scalars))
    }

    private struct Stamp {
        var day = Day.none
        var isDotted = false
    }

    /// A date and a time, or one with "today at", or a time alone.
    private static func stamp(_ scanner: inout TextScanner) -> Stamp? {
        var stamp = Stamp()
        let start = scanner.position
        if let (day, isDotted) = numericDay(&scanner) {
            stamp = Stamp(day: day, isDotted: isDotted)
        } else if skipWord("today", &scanner) {
            stamp.day = .today
        } else if skipWord("yesterday", &scanner) {
            stamp.day = .yesterday
        }
        if stamp.day != .none {
            while scanner.skip(" ") || scanner.skip(",") {}
            if Self.joints.contains(where: { skipWord($0, &scanner) }) { scanner.skipBlanks() }
        }
        guard skipTime(&scanner) else {
            scanner.position = start
            return nil
        }
        return stamp
    }

    /// Words between a date and a time: "at", "um", "à", "às", "alle".
    private static let joints = ["at", "um", "a", "as", "alle"]

    private static func skipWord(_ word: String, _ scanner: inout TextScanner) -> Bool {
        let start = scanner.position
        guard scanner.skip(Array(word.unicodeScalars)), !(scanner.current?.isWordPart ?? false) else {
            scanner.position = start
            return false
        }
        return true
    }

    private static func numericDay(_ scanner: inout TextScanner) -> (day: Day, isDotted: Bool)? {
        let start = scanner.position
        guard let first = scanner.plainDigits(atMost: 4), let mark = scanner.current,
            mark == "/" || mark == "." || mark == "-", scanner.skip(mark)
        else {
            scanner.position = start
            return nil
        }
        scanner.skipBlanks()
        guard let second = scanner.plainDigits(atMost: 2), scanner.skip(mark) else {
            scanner.position = start
            return nil
        }
        scanner.skipBlanks()
        guard let third = scanner.plainDigits(atMost: 4), scanner.current?.digit == nil else {
            scanner.position = start
            return nil
        }
        if mark == "." { _ = scanner.skip(".") }  // "12. 11. 2025."
        if first > 99 {
            return PuzzleDay(year: first, month: second, day: third).map { (.day($0), false) }
        }
        let year = third < 100 ? 2_000 + third : third
        guard 1...31 ~= first, 1...31 ~= second, first <= 12 || second <= 12, 2_000...2_100 ~= year else {
            scanner.position = start
            return nil
        }
        return (.numeric(first: first, second: second, year: year), mark == ".")
    }

    /// Marks for the parts of the day, as East Asian formats put them before a time.
    private static let halves = [
        "上午", "下午", "凌晨", "清晨", "早上", "中午", "傍晚", "晚上", "半夜", "午前", "午後", "오전", "오후",
    ].map { Array($0.unicodeScalars) }

    /// `8:01`, `08:01:22`, `08.01`, `8:01 AM`, `8:01 p. m.`, `上午8:01`
    private static func skipTime(_ scanner: inout TextScanner) -> Bool {
        if halves.contains(where: { scanner.skip($0) }) { scanner.skipBlanks() }
        guard let hour = scanner.plainDigits(atMost: 2), hour < 25, let mark = scanner.current,
            mark == ":" || mark == "."
        else { return false }
        var parts = 0
        while parts < 2, scanner.current == mark, scanner.peek(1)?.digit != nil, scanner.peek(2)?.digit != nil {
            scanner.position += 3
            parts += 1
        }
        guard parts > 0, scanner.current?.digit == nil else { return false }
        let end = scanner.position
        scanner.skipBlanks()
        guard let half = scanner.current, half == "a" || half == "p" else {
            scanner.position = end
            return true
        }
        scanner.position += 1
        while scanner.skip(".") || scanner.skip(" ") {}
        if scanner.skip("m"), !(scanner.current?.isWordPart ?? false) {
            _ = scanner.skip(".")
        } else {
            scanner.position = end
        }
        return true
    }
}
