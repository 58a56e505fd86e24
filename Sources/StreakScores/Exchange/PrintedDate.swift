import StreakGames

/// A date as a file writes it.
enum PrintedDate: Equatable, CustomStringConvertible {
    /// `yyyy-MM-dd`, `yyyy/MM/dd`, `yyyy.MM.dd`, `yyyyMMdd`, `dd.MM.yyyy`, `Oct 3, 2026` or `3 October 2026`.
    case day(PuzzleDay)
    /// `03/04/2026` or `03-04-2026`.
    case ordered(first: Int, second: Int, year: Int)

    /// Returns `nil` if the text is not a date or the date does not exist. A time of day may follow, with or without a
    /// zone; the day is taken as written.
    init?(_ text: String) {
        guard text.utf8.count <= 80 else { return nil }
        let parts = WrittenMoment(text)
        guard parts.isWhole else { return nil }
        let found = parts.namesMonth ? PuzzleDay(namingMonth: parts.date).map { .day($0) } : Self.numeric(parts.date)
        guard let found else { return nil }
        self = found
    }

    private static func numeric(_ text: String) -> PrintedDate? {
        var numbers: [(value: Int, length: Int)] = [(0, 0)]
        var separators: [UInt8] = []
        for byte in text.utf8 {
            if 0x30...0x39 ~= byte {
                let last = numbers.count - 1
                guard numbers[last].length < 8 else { return nil }
                numbers[last] = (numbers[last].value * 10 + Int(byte - 0x30), numbers[last].length + 1)
            } else {
                separators.append(byte)
                numbers.append((0, 0))
                guard numbers.count <= 3 else { return nil }
            }
        }
        return date(numbers, separators)
    }

    private static func date(_ numbers: [(value: Int, length: Int)], _ separators: [UInt8]) -> PrintedDate? {
        if numbers.count == 1, numbers[0].length == 8 {
            return PuzzleDay(yyyymmdd: numbers[0].value).map { .day($0) }
        }
        guard numbers.count == 3, separators[0] == separators[1],
            [UInt8(ascii: "-"), UInt8(ascii: "/"), UInt8(ascii: ".")].contains(separators[0]),
            1...2 ~= numbers[1].length
        else { return nil }
        let (first, second, third) = (numbers[0], numbers[1], numbers[2])
        if first.length == 4, 1...2 ~= third.length {
            return PuzzleDay(year: first.value, month: second.value, day: third.value).map { .day($0) }
        }
        guard third.length == 4, 1...2 ~= first.length else { return nil }
        if separators[0] == UInt8(ascii: ".") {
            return PuzzleDay(year: third.value, month: second.value, day: first.value).map { .day($0) }
        }
        return .ordered(first: first.value, second: second.value, year: third.value)
    }

    /// The order that makes this a valid date, if only one does.
    var order: DateOrder? {
        guard case .ordered(let first, let second, _) = self else { return nil }
        if first > 12, second <= 12 { return .dayFirst }
        return second > 12 && first <= 12 ? .monthFirst : nil
    }

    /// Written day and month, or month and day.
    var isOrdered: Bool {
        if case .ordered = self { true } else { false }
    }

    /// Whether the order makes a difference.
    var isAmbiguous: Bool {
        guard case .ordered(let first, let second, _) = self else { return false }
        return first <= 12 && second <= 12 && first != second
    }

    func day(_ order: DateOrder) -> PuzzleDay? {
        switch self {
        case .day(let day): day
        case .ordered(let first, let second, let year):
            order == .dayFirst
                ? PuzzleDay(year: year, month: second, day: first) : PuzzleDay(year: year, month: first, day: second)
        }
    }

    var description: String {
        switch self {
        case .day(let day): day.description
        case .ordered(let first, let second, let year): "\(first)/\(second)/\(year)"
        }
    }
}

/// Splits a date from the time of day that may follow it.
private struct WrittenMoment {
    let date: String
    /// Whether the month is written in letters.
    let namesMonth: Bool
    /// Whether the date is followed by a time of day or nothing.
    let isWhole: Bool

    init(_ text: String) {
        let bytes = Array(text.utf8)
        let end = Self.endOfDate(bytes)
        var dateEnd = end
        while dateEnd > 0, [UInt8(ascii: " "), UInt8(ascii: ",")].contains(bytes[dateEnd - 1]) { dateEnd -= 1 }
        date = String(decoding: bytes[..<dateEnd], as: UTF8.self)
        namesMonth = bytes[..<dateEnd].contains { $0 > 0x7F || Self.isLetter($0) }
        isWhole = Self.isTime(String(decoding: bytes[end...], as: UTF8.self).lowercased().utf8)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
    private static func isLetter(_ byte: UInt8) -> Bool { 0x41...0x5A ~= byte & 0xDF }

    /// Before the first hour with its colon, else before the `T` or blank that follows only digits.
    private static func endOfDate(_ bytes: [UInt8]) -> Int {
        if let colon = bytes.firstIndex(of: UInt8(ascii: ":")) {
            var start = colon
            while start > 0, isDigit(bytes[start - 1]) { start -= 1 }
            guard start > 0 else { return bytes.count }
            return bytes[start - 1] & 0xDF == UInt8(ascii: "T") ? start - 1 : start
        }
        // Month names have at least three letters; T and Z stand alone.
        let isNamed = bytes.indices.contains { bytes[$0...].prefix(3).count { $0 > 0x7F || isLetter($0) } == 3 }
        guard !isNamed else { return bytes.count }
        return bytes.firstIndex { $0 == UInt8(ascii: " ") || $0 & 0xDF == UInt8(ascii: "T") } ?? bytes.count
    }

    /// `T08:00:00.000+02:00`, `8:00 pm`, `08.00 UTC` in lower case, or nothing.
    private static func isTime(_ text: String.UTF8View) -> Bool {
        var rest = text[...]
        func skip(_ words: [String]) -> Bool {
            while rest.first == UInt8(ascii: " ") { rest.removeFirst() }
            guard let word = words.first(where: { rest.starts(with: $0.utf8) }) else { return false }
            rest.removeFirst(word.utf8.count)
            return true
        }
        guard !rest.isEmpty else { return true }
        _ = skip(["t"])
        while let byte = rest.first, 0x30...0x3A ~= byte || byte == UInt8(ascii: ".") || byte == UInt8(ascii: " ") {
            rest.removeFirst()
        }
        _ = skip(["am", "pm", "a.m.", "p.m."])
        _ = skip(["z", "utc", "gmt"])
        if skip(["+", "-"]) {
            while let byte = rest.first, 0x30...0x3A ~= byte { rest.removeFirst() }
        }
        return rest.isEmpty
    }
}
