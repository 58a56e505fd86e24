/// Hours in which nothing is shown: from the first minute after midnight until the second; over midnight if the second
/// is smaller.
struct QuietHours: Equatable, Sendable {
    let from: Int
    let to: Int

    /// From `22:00-08:00`; nil for anything else.
    init?(_ text: some StringProtocol) {
        let ends = Self.ends(text)
        guard ends.count == 2, let from = ends[0], let to = ends[1], from != to else { return nil }
        (self.from, self.to) = (from, to)
    }

    private static func ends(_ text: some StringProtocol) -> [Int?] {
        text.split(separator: "-", omittingEmptySubsequences: false).map { TimeOfDay.minute($0) }
    }

    var text: String { "\(TimeOfDay.text(from))-\(TimeOfDay.text(to))" }

    func contains(_ minute: Int) -> Bool {
        from < to ? (from..<to).contains(minute) : minute >= from || minute < to
    }

    /// Those that a user gives; nil for an empty text, which means none.
    ///
    /// - Throws: `NodeFailure.invalidTimes`.
    static func chosen(_ text: String) throws -> QuietHours? {
        guard !text.isEmpty else { return nil }
        guard let hours = QuietHours(text) else {
            throw NodeFailure.invalidTimes(
                name: "Quiet hours", text: text, example: "22:00-08:00", reason: fault(text))
        }
        return hours
    }

    /// Why a text cannot be read.
    private static func fault(_ text: String) -> String {
        let ends = ends(text)
        guard ends.count == 2 else { return "they are two times with a hyphen between" }
        guard ends[0] != nil, ends[1] != nil else { return "each end is a time of day from 00:00 to 23:59" }
        return "they begin and end at the same time"
    }
}
