/// Faults of a share whose game was recognised.
enum ShareFault: Error, Equatable {
    case impossibleScore, unfinished, missingScore, impossibleDate, numberTooLarge, notTheDailyPuzzle

    func reason(_ game: GameID) -> RefusalReason {
        switch self {
        case .impossibleScore: .impossibleScore(game)
        case .unfinished: .unfinished(game)
        case .missingScore: .missingScore(game)
        case .impossibleDate: .impossibleDate(game)
        case .numberTooLarge: .numberTooLarge(game)
        case .notTheDailyPuzzle: .notTheDailyPuzzle(game)
        }
    }
}

/// Reads numbers, times, dates and fractions at a position of folded text.
///
/// Every method either consumes what it describes or leaves `position` alone and returns `nil`.
struct TextScanner {
    let text: [Unicode.Scalar]
    var position: Int
    /// One past the last scalar that this scanner may read.
    let end: Int

    init(_ text: [Unicode.Scalar], from position: Int, to end: Int) {
        self.text = text
        self.position = position
        self.end = end
    }

    var current: Unicode.Scalar? { position < end ? text[position] : nil }
    var previous: Unicode.Scalar? { position > 0 ? text[position - 1] : nil }

    /// Whether a minus or plus precedes this place and belongs to what follows. No game prints a signed result. A dash
    /// between two words or numbers is not a sign.
    var isSigned: Bool {
        guard previous == "-" || previous == "+" else { return false }
        return position < 2 || !text[position - 2].isWordPart
    }

    func peek(_ distance: Int) -> Unicode.Scalar? {
        let index = position + distance
        return index >= 0 && index < end ? text[index] : nil
    }

    mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard current == scalar else { return false }
        position += 1
        return true
    }

    mutating func skip(_ literal: [Unicode.Scalar]) -> Bool {
        guard literal.count <= end - position else { return false }
        for (offset, scalar) in literal.enumerated() where text[position + offset] != scalar { return false }
        position += literal.count
        return true
    }

    /// Skips spaces, and at most `lines` line ends.
    mutating func skipBlanks(lines: Int = 0) {
        var remaining = lines
        while let scalar = current {
            if scalar == "\n" {
                guard remaining > 0 else { return }
                remaining -= 1
            } else if scalar != " " {
                return
            }
            position += 1
        }
    }

    // MARK: Numbers

    enum Number: Equatable {
        case value(Int)
        /// More than 15 digits. No game prints such a number.
        case tooLarge
    }

    /// A whole number with or without grouping marks: `1234`, `1,234`, `1.234`, `1'234`, `1 234`.
    ///
    /// In a puzzle number, a blank before three digits and a slash ends it: "583 900/50,000".
    mutating func number(isPuzzle: Bool = false) -> Number? {
        guard current?.digit != nil, previous?.digit == nil else { return nil }
        var value = 0
        var digits = 0
        while let digit = current?.digit {
            digits += 1
            if digits <= 15 { value = value * 10 + digit }
            position += 1
        }
        guard digits <= 3 else { return digits <= 15 ? .value(value) : .tooLarge }
        while digits <= 15, let mark = current, mark == "," || mark == "." || mark == "'" || mark == " ",
            let hundreds = peek(1)?.digit, let tens = peek(2)?.digit, let ones = peek(3)?.digit, peek(4)?.digit == nil
        {
            if isPuzzle, mark == " ", peek(4) == "/" { break }
            value = value * 1_000 + hundreds * 100 + tens * 10 + ones
            digits += 3
            position += 4
        }
        return digits <= 15 ? .value(value) : .tooLarge
    }

    /// Digits without grouping marks, at most `maximum` of them.
    mutating func plainDigits(atMost maximum: Int) -> Int? {
        var value = 0
        var digits = 0
        let start = position
        while let digit = current?.digit {
            digits += 1
            guard digits <= maximum else {
                position = start
                return nil
            }
            value = value * 10 + digit
            position += 1
        }
        return digits == 0 ? nil : value
    }

    // MARK: Times

    /// The times a puzzle can take: from 0:01 to 99:59:59.
    private static let possibleTimes = 1..<100 * 3_600

    /// `m:ss`, `h:mm:ss`, either with hundredths, or `6m 13s`, in seconds. Throws for `1:75` and for a time of zero.
    mutating func time() throws(ShareFault) -> Int? {
        let start = position
        guard previous?.digit == nil, previous != ":", !isSigned, let first = plainDigits(atMost: 4) else { return nil }
        if current == ":" {
            return try clockTime(first, from: start)
        }
        var seconds = 0
        var value = first
        var units = 0
        for (unit, factor) in Self.timeUnits {
            let before = position
            skipBlanks()
            if current == unit, peek(1).map({ !$0.isWordPart }) ?? true {
                position += 1
                units += 1
                seconds += value * factor
                let after = position
                skipBlanks()
                guard let next = plainDigits(atMost: 4) else {
                    position = after
                    break
                }
                value = next
            } else {
                position = before
            }
        }
        guard units > 0 else {
            position = start
            return nil
        }
        guard Self.possibleTimes ~= seconds else { throw .impossibleScore }
        return seconds
    }

    private static let timeUnits: [(Unicode.Scalar, Int)] = [("h", 3_600), ("m", 60), ("s", 1)]

    private mutating func clockTime(_ first: Int, from start: Int) throws(ShareFault) -> Int? {
        var parts = [first]
        while parts.count < 3, current == ":", peek(1)?.digit != nil, peek(2)?.digit != nil, peek(3)?.digit == nil {
            position += 1
            parts.append(plainDigits(atMost: 2) ?? 0)
        }
        guard parts.count > 1, !(current == ":" && peek(1)?.digit != nil) else {
            position = start
            return nil
        }
        if current == ".", peek(1)?.digit != nil {
            position += 1
            while current?.digit != nil { position += 1 }  // hundredths are cut off
        }
        guard !isTimeOfDay else {
            position = start
            return nil
        }
        guard parts.dropFirst().allSatisfy({ $0 < 60 }) else { throw .impossibleScore }
        let seconds = parts.reduce(0) { $0 * 60 + $1 }
        guard Self.possibleTimes ~= seconds else { throw .impossibleScore }
        return seconds
    }

    /// Whether "AM" or "PM" follows: then it is when a message was sent, not how long a puzzle took.
    private var isTimeOfDay: Bool {
        let distance = current == " " ? 1 : 0
        guard peek(distance) == "a" || peek(distance) == "p", peek(distance + 1) == "m" else { return false }
        return !(peek(distance + 2)?.isWordPart ?? false)
    }

    // MARK: Fractions

    /// A number as emoji: `3️⃣`, `1️⃣0️⃣`, `🔟`.
    mutating func keys() -> Int? {
        if skip("🔟") { return 10 }
        let start = position
        var value = 0
        while position - start < 4, let digit = current?.keycap {
            value = value * 10 + digit
            position += 1
        }
        return position == start ? nil : value
    }

    enum Tries: Equatable {
        case count(Int)
        case lost
    }

    struct Fraction: Equatable {
        var tries: Tries
        /// `nil` for ∞.
        var maximum: Int?
        /// A `*` after it: played in hard mode.
        var isStarred = false
    }

    /// `3/6`, `X/6`, `-/6`, `💀/6`, `1,234 / 5,000`, `9/∞`.
    mutating func fraction() throws(ShareFault) -> Fraction? {
        let start = position
        guard let scalar = current, !(previous?.isWordPart ?? false) || !scalar.isWordPart, !isSigned || scalar == "-"
        else { return nil }
        var tries = Tries.lost
        switch scalar {
        case "x", "×", "х", "-", "💀", "☠", "😔", "❌", "✖", "✗", "✕", "🟥": position += 1
        case "🎯":
            tries = .count(1)
            position += 1
        default:
            guard previous != "/", previous != "&", let number = keys().map(Number.value) ?? number() else {
                return nil
            }
            guard case .value(let count) = number else {
                skipBlanks()
                if current == "/" { throw .numberTooLarge }
                position = start
                return nil
            }
            tries = .count(count)
        }
        skipBlanks()
        guard skip("/") else {
            position = start
            return nil
        }
        skipBlanks()
        if skip("∞") { return Fraction(tries: tries) }
        guard case .value(let maximum) = keys().map(Number.value) ?? number(), current != "/" else {
            position = start
            return nil
        }
        let isStarred = current == "*"
        return Fraction(tries: tries, maximum: maximum, isStarred: isStarred)
    }
}
