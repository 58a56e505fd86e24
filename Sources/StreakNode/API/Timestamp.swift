public import StreakGames

/// An instant in UTC, to the second, as reports write it: `yyyy-MM-ddTHH:mm:ssZ`.
public struct Timestamp: Equatable, Comparable, Sendable {
    private static let secondsOfDay: Int64 = 86_400

    /// Seconds since 1970-01-01T00:00:00Z.
    public var seconds: Int64

    public init(seconds: Int64) { self.seconds = seconds }

    /// Reads `yyyy-MM-ddTHH:mm` with optional seconds, fraction and `Z`.
    public init?(_ text: String) {
        guard text.utf8.count <= 40, let day = PuzzleDay(String(text.prefix(10))) else { return nil }
        let rest = text.dropFirst(10)
        guard rest.first == "T" || rest.first == " " else { return nil }
        let fields = rest.dropFirst().prefix { $0.isASCII && ($0.isNumber || $0 == ":") }.split(separator: ":")
        guard (2...3).contains(fields.count) else { return nil }
        let numbers = fields.compactMap { Int64($0) }
        guard numbers.count == fields.count, (0...23).contains(numbers[0]), (0...59).contains(numbers[1]) else {
            return nil
        }
        let second = numbers.count == 3 ? min(numbers[2], 59) : 0
        seconds = Int64(day.daysSinceEpoch) * Self.secondsOfDay + numbers[0] * 3_600 + numbers[1] * 60 + second
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.seconds < right.seconds }

    /// The day, by UTC.
    public var day: PuzzleDay {
        let (days, rest) = seconds.quotientAndRemainder(dividingBy: Self.secondsOfDay)
        return PuzzleDay(daysSinceEpoch: Int(rest < 0 ? days - 1 : days))
    }

    /// Seconds since midnight, by UTC.
    public var secondOfDay: Int64 {
        let rest = seconds % Self.secondsOfDay
        return rest < 0 ? rest + Self.secondsOfDay : rest
    }

    public var text: String {
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let time = secondOfDay
        return "\(day)T\(two(time / 3_600)):\(two(time / 60 % 60)):\(two(time % 60))Z"
    }
}
