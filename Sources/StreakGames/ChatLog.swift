/// An exported or copied chat, read message by message.
///
/// Knows the exports of WhatsApp and Telegram, what Discord and Slack copy, and plain "Anna: …" lines; `ChatHeader`
/// lists them. Works on the bytes of the text: messages are cut out only when they are asked for.
public struct ChatLog: Sendable {
    /// Larger exports are refused. UTF-8 bytes.
    public static let maximumSize = 64 << 20
    /// Messages of further senders are kept under "others".
    public static let maximumSenders = 1_024
    /// A longer message is cut; no share is longer. UTF-8 bytes.
    public static let maximumMessageSize = ShareReader.maximumLength

    public struct Message: Sendable, Equatable {
        /// `nil` for text that stands before the first message.
        public var sender: String?
        /// The day it was sent; `nil` where the chat does not say, or day and month cannot be told apart.
        public var day: PuzzleDay?
        /// Without the line ends around it.
        public var text: String
        /// The line it begins at, from 1.
        public var line: Int

        public init(sender: String? = nil, day: PuzzleDay? = nil, text: String, line: Int) {
            (self.sender, self.day, self.text, self.line) = (sender, day, text, line)
        }
    }

    public struct Sender: Sendable, Equatable {
        public var name: String
        public var messages: Int

        public init(name: String, messages: Int) { (self.name, self.messages) = (name, messages) }
    }

    /// How the file writes `12/11/2025`.
    public enum DateOrder: String, Sendable, Hashable {
        case dayFirst, monthFirst
        /// No date of the file tells; days on which both parts are below 13 and differ are unknown.
        case undecided
    }

    /// Those who wrote, most messages first, then by name.
    public let senders: [Sender]
    public let dateOrder: DateOrder
    /// How many messages there are, notices of the program left out.
    public let count: Int

    private let bytes: [UInt8]
    private let isPlain: Bool
    private let today: PuzzleDay?

    /// Reads through the whole text once. `today` gives "Today at 08:01" a day; `order` overrides what the dates say.
    ///
    /// Throws `notAChat` where no line begins a message. O(n).
    public init(_ text: String, today: PuzzleDay? = nil, order: DateOrder? = nil) throws(ChatLogFault) {
        guard text.utf8.count <= Self.maximumSize else { throw .tooLong }
        bytes = Array(text.utf8)
        self.today = today
        var survey = Survey()
        var lines = LineCursor(bytes: bytes)
        while let line = lines.next() { survey.add(line, in: bytes) }
        isPlain = survey.dated.count == 0
        guard !isPlain || survey.isPlainChat else { throw .notAChat }
        let tally = isPlain ? survey.plain : survey.dated
        senders = tally.ranked
        count = tally.count
        dateOrder = order ?? survey.order
    }

    /// In the order of the file; notices of the program and blank messages are left out.
    public var messages: Messages { Messages(log: self, lines: LineCursor(bytes: bytes)) }

    // MARK: Lines

    /// What the first reading gathers.
    private struct Survey {
        var dated = Tally()
        var plain = Tally()
        var dates = DateEvidence()
        private var beginsPlain: Bool?

        mutating func add(_ line: Line, in bytes: [UInt8]) {
            if let header = ChatLog.header(line, in: bytes) {
                if let sender = header.sender { dated.add(sender) }
                dates.add(header)
            } else if dated.count == 0, let header = ChatLog.plainHeader(line, in: bytes) {
                plain.add(header.sender)
                beginsPlain = beginsPlain ?? true
            } else if line.start < line.end {
                beginsPlain = beginsPlain ?? false
            }
        }

        /// One "Anna: …" in the middle of a text is no chat.
        var isPlainChat: Bool { plain.count > 0 && beginsPlain == true }
        var order: DateOrder { dates.order }
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

    /// A quick look at the bytes spares most lines the reading of a header.
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

    fileprivate func day(of header: ChatHeader) -> PuzzleDay? {
        switch header.day {
        case .none: nil
        case .today: today
        case .yesterday: today?.adding(days: -1)
        case .day(let day): day
        case .numeric(let first, let second, let year):
            switch (dateOrder, first == second) {
            case (.dayFirst, _), (.undecided, true):
                PuzzleDay(year: year, month: second, day: first) ?? PuzzleDay(year: year, month: first, day: second)
            case (.monthFirst, _):
                PuzzleDay(year: year, month: first, day: second) ?? PuzzleDay(year: year, month: second, day: first)
            case (.undecided, false): nil
            }
        }
    }

    /// Walks through the messages.
    public struct Messages: Sequence, IteratorProtocol, Sendable {
        fileprivate let log: ChatLog
        fileprivate var lines: LineCursor
        private var pending: (sender: String?, day: PuzzleDay?, line: Int, start: Int)?
        private var isStarted = false

        fileprivate init(log: ChatLog, lines: LineCursor) {
            self.log = log
            self.lines = lines
        }

        public mutating func next() -> Message? {
            if !isStarted {
                isStarted = true
                pending = (nil, nil, 1, 0)
            }
            while let line = lines.next() {
                guard let begin = begin(of: line) else { continue }
                let finished = finish(upTo: line.start)
                pending = begin.sender.map { ($0, begin.day, line.number, begin.textStart) }
                if let finished { return finished }
            }
            let last = finish(upTo: log.bytes.count)
            pending = nil
            return last
        }

        private func begin(of line: Line) -> (sender: String?, day: PuzzleDay?, textStart: Int)? {
            if log.isPlain {
                return ChatLog.plainHeader(line, in: log.bytes).map { ($0.sender, nil, $0.textStart) }
            }
            guard let header = ChatLog.header(line, in: log.bytes) else { return nil }
            return (header.sender, log.day(of: header), line.start + header.textStart)
        }

        private func finish(upTo end: Int) -> Message? {
            guard let pending else { return nil }
            let bytes = log.bytes
            var (start, end) = (Swift.min(pending.start, end), end)
            while start < end, Self.isBlank(bytes[start]) { start += 1 }
            while end > start, Self.isBlank(bytes[end - 1]) { end -= 1 }
            guard start < end else { return nil }
            if end - start > ChatLog.maximumMessageSize {
                end = start + ChatLog.maximumMessageSize
                while end > start, bytes[end] & 0xC0 == 0x80 { end -= 1 }
            }
            let text = String(decoding: bytes[start..<end], as: UTF8.self)
            return Message(sender: pending.sender, day: pending.day, text: text, line: pending.line)
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
    /// No line begins a message; the text may still hold shares.
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

/// Cuts bytes at `\n`, `\r\n` and `\r`.
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

/// What the dates of a file say about their order. Chats run forwards in time.
private struct DateEvidence {
    private var dayFirst = 0
    private var monthFirst = 0
    private var isDotted = false
    private var last: (dayFirst: PuzzleDay?, monthFirst: PuzzleDay?)
    private var backward = (dayFirst: 0, monthFirst: 0)

    mutating func add(_ header: ChatHeader) {
        guard case .numeric(let first, let second, let year) = header.day else { return }
        isDotted = isDotted || header.isDotted
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

    var order: ChatLog.DateOrder {
        if dayFirst != monthFirst { return dayFirst > monthFirst ? .dayFirst : .monthFirst }
        if isDotted { return .dayFirst }
        if backward.dayFirst != backward.monthFirst {
            return backward.dayFirst < backward.monthFirst ? .dayFirst : .monthFirst
        }
        return .undecided
    }
}

/// Tells "Anna: …" from the labels and titles of shares.
private enum PlainName {
    static func isName(_ text: String) -> Bool {
        let name = PastedText.folded(text).filter { $0 != "*" && $0 != "~" }
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
