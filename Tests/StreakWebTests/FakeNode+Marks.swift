import Foundation
import Synchronization

@testable import StreakNode

/// Suffixes for every text in a report that a page may show, one after the other.
final class Marks: Sendable {
    private let texts: [String]
    private let count = Mutex(0)

    init(_ texts: [String]) { self.texts = texts }

    private func next() -> String {
        count.withLock { count in
            count += 1
            return texts[count % texts.count]
        }
    }

    /// Skips one, so that repeated requests get other suffixes.
    func skip() { _ = next() }

    /// Values that nobody writes: words of the program that pages compare or parse, IDs, days, times.
    private static let keys: Set = [
        "id", "user", "device", "group", "groups", "game", "role", "state", "via", "model", "category", "kind",
        "aggregation",
        "cadence", "tier", "step", "link", "digest", "svg", "invites", "missedDay", "atRisk", "nearest", "excluded",
        "unit",
        "delta", "published", "places", "code", "friendCode", "reason", "origin", "period", "how", "standing", "quiet",
        "window", "file", "cause", "path",
    ]

    func marked<Report: Codable>(_ report: Report) throws -> Report {
        let document = try JSONSerialization.jsonObject(with: JSONEncoder().encode(report), options: .fragmentsAllowed)
        let data = try JSONSerialization.data(withJSONObject: changed(document, ""), options: .fragmentsAllowed)
        return try JSONDecoder().decode(Report.self, from: data)
    }

    private func changed(_ value: Any, _ key: String) -> Any {
        switch value {
        case let object as [String: Any]:
            Dictionary(
                uniqueKeysWithValues: object.sorted { $0.key < $1.key }.map { ($0.key, changed($0.value, $0.key)) })
        case let list as [Any]: list.map { changed($0, key) }
        case let text as String: Self.keys.contains(key) || Self.isMeasure(text) ? text : text + next()
        default: value
        }
    }

    /// `2026-11-21`, `2026-W47`, `18:30`, `a1b2c3`.
    private static func isMeasure(_ text: String) -> Bool {
        guard text.utf8.count <= 64, text.utf8.first.map({ 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }) ?? false else {
            return false
        }
        return text.wholeMatch(
            of: /[0-9]{4}-(W[0-9]{2}|[0-9]{2}(-[0-9]{2}(T[0-9:]+Z)?)?)|[0-9]{2}:[0-9]{2}|[0-9a-f]{4,64}/)
            != nil
    }
}
