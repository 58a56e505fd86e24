import Foundation

@testable import StreakNode

/// Every text of a report with something at its end, wherever a page may show it.
enum Mark {
    /// What is no text of anybody's: words of the program that a page compares or reads, IDs, days, times.
    private static let keys: Set = [
        "id", "user", "device", "group", "groups", "game", "role", "state", "via", "model", "category", "kind",
        "aggregation",
        "cadence", "tier", "step", "link", "digest", "svg", "invites", "missedDay", "atRisk", "nearest", "excluded",
        "unit",
        "delta", "published", "places", "reason", "origin", "period", "how", "standing", "quiet", "window", "file",
    ]

    static func marked<Report: Codable>(_ report: Report, with mark: String) throws -> Report {
        let document = try JSONSerialization.jsonObject(with: JSONEncoder().encode(report), options: .fragmentsAllowed)
        let data = try JSONSerialization.data(withJSONObject: changed(document, "", mark), options: .fragmentsAllowed)
        return try JSONDecoder().decode(Report.self, from: data)
    }

    private static func changed(_ value: Any, _ key: String, _ mark: String) -> Any {
        switch value {
        case let object as [String: Any]:
            Dictionary(uniqueKeysWithValues: object.map { ($0.key, changed($0.value, $0.key, mark)) })
        case let list as [Any]: list.map { changed($0, key, mark) }
        case let text as String: keys.contains(key) || isMeasure(text) ? text : text + mark
        default: value
        }
    }

    /// `2026-11-21`, `2026-W47`, `18:30`, `a1b2c3`.
    private static func isMeasure(_ text: String) -> Bool {
        text.wholeMatch(of: /[0-9]{4}-(W[0-9]{2}|[0-9]{2}(-[0-9]{2}(T[0-9:]+Z)?)?)|[0-9]{2}:[0-9]{2}|[0-9a-f]{4,64}/)
            != nil
    }
}
