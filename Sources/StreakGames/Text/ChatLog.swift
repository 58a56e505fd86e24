/// An exported or copied chat, read message by message.
///
/// It reads exports of WhatsApp, Telegram and LINE, text copied from Discord and Slack, and plain "Anna: …" lines;
/// `ChatHeader` lists them. LINE writes a line for each day and below it `08:01⇥Anna⇥text`. It works on the bytes and
/// extracts a message only when asked.
public struct ChatLog: Sendable {
    /// Larger exports are refused, in UTF-8 bytes.
    public static let maximumSize = 64 << 20
    /// Messages of further senders are counted under "others".
    public static let maximumSenders = 1_024
    /// A longer message is cut; no share is longer. UTF-8 bytes.
    public static let maximumMessageSize = ShareReader.maximumLength

    public struct Message: Sendable, Equatable {
        /// `nil` for text before the first message.
        public var sender: String?
        /// The day it was sent; `nil` if the chat does not tell, or if day and month cannot be distinguished.
        public var day: PuzzleDay?
        /// Whether its date could be day first or month first, and nothing in the chat decides.
        var hasUndecidedDay: Bool
        /// Without the line ends around it.
        public var text: String
        /// The line it begins at, from 1.
        public var line: Int

        public init(
            sender: String? = nil, day: PuzzleDay? = nil, hasUndecidedDay: Bool = false, text: String, line: Int
        ) {
            (self.sender, self.day, self.hasUndecidedDay) = (sender, day, hasUndecidedDay)
            (self.text, self.line) = (text, line)
        }
    }

    public struct Sender: Sendable, Equatable {
        public var name: String
        public var messages: Int

        public init(name: String, messages: Int) { (self.name, self.messages) = (name, messages) }
    }

    /// The senders, those with the most messages first, then by name.
    public let senders: [Sender]
    /// How the file writes `12/11/2025`; nil if no date decides. Then days are unknown if both parts are below 13 and
    /// differ.
    public let dateOrder: DateOrder?
    /// The number of messages, without notices of the program.
    public let count: Int

    /// The form of lines that begin messages.
    private enum Form: Sendable {
        /// A date or time before or after a name.
        case dated
        /// LINE's `08:01⇥Anna⇥text`.
        case tabbed
        /// "Anna: …".
        case plain
    }

    private enum Source: Sendable {
        case lines([UInt8], Form)
        case messages([Message])
    }

    private let source: Source
    private let today: PuzzleDay?

    /// Reads the whole text once. `today` gives "Today at 08:01" a day; `order` overrides the order that the dates
    /// suggest.
    ///
    /// Throws `notAChat` if no line begins a message. O(n).
    public init(_ text: String, today: PuzzleDay? = nil, order: DateOrder? = nil) throws(ChatLogFault) {
        guard text.utf8.count <= Self.maximumSize else { throw .tooLong }
        let bytes = Array(text.utf8)
        self.today = today
        var survey = Survey()
        var lines = LineCursor(bytes: bytes)
        while let line = lines.next() { survey.add(line, in: bytes) }
        guard let form = survey.form else { throw .notAChat }
        let tally = survey.tally(of: form)
        source = .lines(bytes, form)
        senders = tally.ranked
        count = tally.count
        dateOrder = order ?? survey.order(of: form)
    }

    /// A chat exported message by message, all with their day.
    public init(_ messages: [Message]) {
        var tally = Tally()
        for message in messages { message.sender.map { tally.add($0) } }
        source = .messages(messages)
        senders = tally.ranked
        count = tally.count
        dateOrder = nil
        today = nil
    }

    /// In the order of the file, without notices of the program and blank messages.
    public var messages: Messages { Messages(self) }

    // MARK: Lines

    /// What the first pass collects.
    private struct Survey {
        private var dated = Tally()
        private var tabbed = Tally()
        private var plain = Tally()
        private var dates = DateEvidence()
        private var dateLines = DateEvidence()
        private var beginsPlain: Bool?

        mutating func add(_ line: Line, in bytes: [UInt8]) {
            if let header = ChatLog.header(line, in: bytes) {
                if let sender = header.sender { dated.add(sender) }
                dates.add(header.day, isDotted: header.isDotted)
            } else if let header = ChatLog.tabbedHeader(line, in: bytes) {
                if let sender = header.sender { tabbed.add(sender) }
            } else if let (day, isDotted) = ChatLog.dateLine(line, in: bytes) {
                dateLines.add(day, isDotted: isDotted)
            } else if dated.count == 0, let header = ChatLog.plainHeader(line, in: bytes) {
                plain.add(header.sender)
                beginsPlain = beginsPlain ?? true
            } else if line.start < line.end {
                beginsPlain = beginsPlain ?? false
            }
        }

        /// `nil` if no line begins a message. A single "Anna: …" in the middle of a text is not a chat.
        var form: Form? {
            if tabbed.count > dated.count { return .tabbed }
            if dated.count > 0 { return .dated }
            return plain.count > 0 && beginsPlain == true ? .plain : nil
        }

        func tally(of form: Form) -> Tally {
            switch form {
            case .dated: dated
            case .tabbed: tabbed
            case .plain: plain
            }
        }

        func order(of form: Form) -> DateOrder? { form == .tabbed ? dateLines.order : dates.order }
    }

    private struct Tally {
        private(set) var count = 0
        private var counts: [String: Int] = [:]

        mutating func add(_ sender: String) {
            count += 1
            let isKnown = counts[sender] != nil || counts.count < ChatLog.maximumSenders
            counts[isKnown ? sender : "others", default: 0] += 1
        }

        var ranked: [Sender] {
            counts.map { Sender(name: $0.key, messages: $0.value) }.sorted {
                $0.messages != $1.messages
                    ? $0.messages > $1.messages : $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
            }
        }
    }

    /// A cheap look at the bytes, so that headers are parsed on few lines.
    fileprivate static func header(_ line: Line, in bytes: [UInt8]) -> ChatHeader? {
        var hasDigit = false
        var hasMark = false
        for byte in bytes[line.start..<min(line.end, line.start + ChatHeader.reach)] {
            if UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || byte >= 0xD9 { hasDigit = true }
            if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "-") || byte == 0xE2 { hasMark = true }
        }
        guard hasDigit, hasMark else { return nil }
        return ChatHeader(head(of: line, in: bytes))
    }

    /// The first bytes of a line, cut between two scalars.
    private static func head(of line: Line, in bytes: [UInt8]) -> String {
        var end = min(line.end, line.start + ChatHeader.reach)
        while end < line.end, end > line.start, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return String(decoding: bytes[line.start..<end], as: UTF8.self)
    }

    fileprivate static func plainHeader(_ line: Line, in bytes: [UInt8]) -> (sender: String, textStart: Int)? {
        let head = bytes[line.start..<min(line.end, line.start + 120)]
        guard let colon = head.firstIndex(of: UInt8(ascii: ":")), colon > line.start,
            colon + 1 == line.end || bytes[colon + 1] == UInt8(ascii: " ")
        else { return nil }
        let name = String(decoding: bytes[line.start..<colon], as: UTF8.self)
        guard PlainName.isName(name), let sender = ChatHeader.clean(name) else { return nil }
        return (sender, colon + 1)
    }

    /// `08:01⇥Anna⇥text`; without a name it is a notice of the program.
    fileprivate static func tabbedHeader(_ line: Line, in bytes: [UInt8]) -> (sender: String?, textStart: Int)? {
        let tab = UInt8(ascii: "\t")
        guard let first = bytes[line.start..<min(line.end, line.start + 24)].firstIndex(of: tab), first > line.start,
            ChatHeader.isTime(String(decoding: bytes[line.start..<first], as: UTF8.self))
        else { return nil }
        let rest = bytes[(first + 1)..<min(line.end, first + 1 + ChatHeader.reach)]
        guard let second = rest.firstIndex(of: tab) else { return (nil, line.end) }
        return (ChatHeader.clean(String(decoding: rest[..<second], as: UTF8.self)), second + 1)
    }

    /// A line that begins a day.
    fileprivate static func dateLine(_ line: Line, in bytes: [UInt8]) -> (day: ChatHeader.Day, isDotted: Bool)? {
        let marks = bytes[line.start..<line.end].prefix(20)
        guard 8...40 ~= line.end - line.start,
            marks.contains(where: { UInt8(ascii: "-")...UInt8(ascii: "/") ~= $0 }),
            marks.contains(where: { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
        else { return nil }
        return ChatHeader.dateLine(head(of: line, in: bytes))
    }

    fileprivate func day(of day: ChatHeader.Day) -> PuzzleDay? {
        switch day {
        case .none: nil
        case .today: today
        case .yesterday: today?.adding(days: -1)
        case .day(let day): day
        case .numeric(let first, let second, let year):
            switch (dateOrder, first == second) {
            case (.dayFirst, _), (nil, true):
                PuzzleDay(year: year, month: second, day: first) ?? PuzzleDay(year: year, month: first, day: second)
            case (.monthFirst, _):
                PuzzleDay(year: year, month: first, day: second) ?? PuzzleDay(year: year, month: second, day: first)
            case (nil, false): nil
            }
        }
    }

    /// Whether a date is complete but could be either of two days.
    fileprivate func isUndecided(_ day: ChatHeader.Day) -> Bool {
        if case .numeric = day { self.day(of: day) == nil } else { false }
    }

    /// Walks through the messages.
    public struct Messages: Sequence, IteratorProtocol, Sendable {
        /// A line that begins a message or, with no sender, ends one.
        private struct Beginning {
            var sender: String?
            var day = ChatHeader.Day.none
            var textStart: Int
        }

        private let log: ChatLog
        private let bytes: [UInt8]
        private let form: Form
        private var lines: LineCursor
        private var pending: (message: Message, start: Int)?
        /// The day of the lines below, in chats that write it only once.
        private var day = ChatHeader.Day.none
        private var read: ArraySlice<Message> = []

        fileprivate init(_ log: ChatLog) {
            self.log = log
            switch log.source {
            case .lines(let bytes, let form):
                (self.bytes, self.form) = (bytes, form)
                pending = (Message(text: "", line: 1), 0)
            case .messages(let messages):
                (bytes, form, read) = ([], .plain, messages[...])
            }
            lines = LineCursor(bytes: bytes)
        }

        public mutating func next() -> Message? {
            if let message = read.popFirst() { return message }
            while let line = lines.next() {
                guard let beginning = beginning(in: line) else { continue }
                let finished = finish(upTo: line.start)
                pending = beginning.sender.map { sender in
                    let message = Message(
                        sender: sender, day: log.day(of: beginning.day),
                        hasUndecidedDay: log.isUndecided(beginning.day), text: "", line: line.number)
                    return (message, beginning.textStart)
                }
                if let finished { return finished }
            }
            let last = finish(upTo: bytes.count)
            pending = nil
            return last
        }

        private mutating func beginning(in line: Line) -> Beginning? {
            switch form {
            case .plain:
                return ChatLog.plainHeader(line, in: bytes).map {
                    Beginning(sender: $0.sender, textStart: $0.textStart)
                }
            case .tabbed:
                if let header = ChatLog.tabbedHeader(line, in: bytes) {
                    return Beginning(sender: header.sender, day: day, textStart: header.textStart)
                }
                guard let found = ChatLog.dateLine(line, in: bytes) else { return nil }
                day = found.day
                return Beginning(textStart: line.end)
            case .dated:
                return ChatLog.header(line, in: bytes).map {
                    Beginning(sender: $0.sender, day: $0.day, textStart: line.start + $0.textStart)
                }
            }
        }

        private func finish(upTo end: Int) -> Message? {
            guard let pending else { return nil }
            var (start, end) = (Swift.min(pending.start, end), end)
            while start < end, Self.isBlank(bytes[start]) { start += 1 }
            while end > start, Self.isBlank(bytes[end - 1]) { end -= 1 }
            if form == .tabbed, end - start >= 2, bytes[start] == UInt8(ascii: "\""), bytes[end - 1] == bytes[start] {
                // A message of several lines is in quotation marks.
                (start, end) = (start + 1, end - 1)
            }
            guard start < end else { return nil }
            if end - start > ChatLog.maximumMessageSize {
                end = start + ChatLog.maximumMessageSize
                while end > start, bytes[end] & 0xC0 == 0x80 { end -= 1 }
            }
            var message = pending.message
            message.text = String(decoding: bytes[start..<end], as: UTF8.self)
            return message
        }

        private static func isBlank(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
                || byte == UInt8(ascii: "\t")
        }
    }
}

/// Why a text was not read as a chat.
public enum ChatLogFault: Error, Sendable, Hashable {
    /// Larger than `ChatLog.maximumSize`.
    case tooLong
    /// No line begins a message. The text may still contain shares.
    case notAChat
}

// MARK: - Parts

/// A line without its end.
private struct Line {
    let start: Int
    let end: Int
    /// From 1.
    let number: Int
}

/// Splits bytes at `\n`, `\r\n` and `\r`.
private struct LineCursor: Sendable {
    let bytes: [UInt8]
    private var position = 0
    private var number = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func next() -> Line? {
        guard position < bytes.count else { return nil }
        number += 1
        let start = position
        while position < bytes.count, bytes[position] != 0x0A, bytes[position] != 0x0D { position += 1 }
        let line = Line(start: start, end: position, number: number)
        if position < bytes.count {
            let isPair = bytes[position] == 0x0D && position + 1 < bytes.count && bytes[position + 1] == 0x0A
            position += isPair ? 2 : 1
        }
        return line
    }
}

/// What a file's dates reveal about their order. Chats run forwards in time.
private struct DateEvidence {
    private var dayFirst = 0
    private var monthFirst = 0
    private var isDotted = false
    private var last: (dayFirst: PuzzleDay?, monthFirst: PuzzleDay?)
    private var backward = (dayFirst: 0, monthFirst: 0)

    mutating func add(_ day: ChatHeader.Day, isDotted dotted: Bool) {
        guard case .numeric(let first, let second, let year) = day else { return }
        isDotted = isDotted || dotted
        if first > 12 { dayFirst += 1 }
        if second > 12 { monthFirst += 1 }
        if let day = PuzzleDay(year: year, month: second, day: first) {
            if let last = last.dayFirst, day < last { backward.dayFirst += 1 }
            last.dayFirst = day
        }
        if let day = PuzzleDay(year: year, month: first, day: second) {
            if let last = last.monthFirst, day < last { backward.monthFirst += 1 }
            last.monthFirst = day
        }
    }

    var order: DateOrder? {
        if dayFirst != monthFirst { return dayFirst > monthFirst ? .dayFirst : .monthFirst }
        if isDotted { return .dayFirst }
        if backward.dayFirst != backward.monthFirst {
            return backward.dayFirst < backward.monthFirst ? .dayFirst : .monthFirst
        }
        return nil
    }
}

/// Distinguishes "Anna: …" from labels and titles of shares.
private enum PlainName {
    static func isName(_ text: String) -> Bool {
        let name = PastedText(text).scalars.filter { $0 != "*" && $0 != "~" }
        guard 1...30 ~= name.count, name.contains(where: \.isWordPart), name.filter({ $0 == " " }).count <= 2,
            !name.contains(where: { $0.digit != nil || $0 == "#" || $0 == "/" || $0 == "(" || $0 == "." })
        else { return false }
        return !others.contains(String(String.UnicodeScalarView(name)))
    }

    private static let labels = [
        "score", "rank", "words", "words found", "pangrams", "guesses", "found", "time", "tempo", "streak",
        "current streak", "win streak", "daily streak", "loss streak", "total score", "final score", "rarity", "total",
        "fill order", "wrong guesses", "peeks", "play here", "play at", "today's guesses", "average guesses",
        "mistakes", "hints", "hint", "http", "https", "note", "ps", "edit", "puzzle", "skill", "result", "results",
        "points", "best", "max", "average", "level", "accuracy", "date", "subject", "from", "to", "re",
    ]
    private static let others = Set(
        labels + Catalogue.standard.games.map { String(String.UnicodeScalarView(PastedText.folded($0.name))) })
}
