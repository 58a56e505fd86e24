import StreakGames

/// Whether 03/04/2026 is 3 April or 4 March.
public enum DateOrder: Sendable, Hashable {
    case dayFirst, monthFirst
}

/// A date as a file writes it.
enum PrintedDate: Equatable, CustomStringConvertible {
    /// `yyyy-MM-dd`, `yyyy/MM/dd`, `yyyy.MM.dd`, `yyyyMMdd` or `dd.MM.yyyy`.
    case day(PuzzleDay)
    /// `03/04/2026` or `03-04-2026`.
    case ordered(first: Int, second: Int, year: Int)

    /// Returns `nil` for what is no date or not in the calendar. A time of day without a zone may follow.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= 40 else { return nil }
        let end = bytes.firstIndex { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "T") } ?? bytes.count
        // A time with a zone is somebody else's day as likely as not.
        let isTime = bytes[end...].dropFirst().allSatisfy { 0x30...0x3A ~= $0 || $0 == UInt8(ascii: ".") }
        guard isTime else { return nil }
        var numbers: [(value: Int, length: Int)] = [(0, 0)]
        var separators: [UInt8] = []
        for byte in bytes[..<end] {
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
        guard let date = Self.date(numbers, separators) else { return nil }
        self = date
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

    /// Which order makes this a date, where only one can.
    var order: DateOrder? {
        guard case .ordered(let first, let second, _) = self else { return nil }
        if first > 12, second <= 12 { return .dayFirst }
        return second > 12 && first <= 12 ? .monthFirst : nil
    }

    /// Written day and month, or month and day.
    var isOrdered: Bool {
        if case .ordered = self { true } else { false }
    }

    /// The order makes a difference.
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
