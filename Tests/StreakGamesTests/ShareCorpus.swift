import Foundation
import StreakGames
import Testing

/// One line of `Fixtures/share-texts.jsonl` or `more-shares.jsonl`: a pasted text and what must be read from it.
struct ShareSample: Sendable, CustomTestStringConvertible {
    struct Expected: Sendable, Equatable, CustomStringConvertible {
        var game: String
        var puzzle: Int?
        var score: Int?
        var maxAttempts: Int?
        var isCompleted: Bool
        var seconds: Int?
        var hints: Int?
        var date: String?

        var description: String {
            let numbers = [puzzle, score, maxAttempts, seconds, hints].map { $0.map { "\($0)" } ?? "–" }
            return "\(game) #\(numbers[0]) \(numbers[1])/\(numbers[2]) \(isCompleted ? "won" : "lost") "
                + "\(numbers[3]) s, \(numbers[4]) hints, \(date ?? "–")"
        }
    }

    let id: String
    let game: String?
    let text: String
    /// Empty if the text must be refused.
    let expected: [Expected]

    var testDescription: String { id }

    static let all = samples(in: "share-texts")
    /// More shares of the same games, written from knowledge of the formats.
    static let more = samples(in: "more-shares")

    static let shares = all.filter { !$0.expected.isEmpty } + more
    static let refusals = all.filter { $0.expected.isEmpty }

    /// A corpus, read from beside this file; empty lines are skipped.
    private static func samples(in name: String) -> [ShareSample] { lines(in: name).compactMap { sample($0) } }

    /// How many lines a corpus has, those that are no sample too.
    static func lineCount(in name: String) -> Int { lines(in: name).count }

    private static func lines(in name: String) -> [Data] {
        let here = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        let file = here.appendingPathComponent("Fixtures/\(name).jsonl")
        let data = FileManager.default.contents(atPath: file.path) ?? Data()
        return data.split(separator: UInt8(ascii: "\n")).map { Data($0) }
    }

    private static func sample(_ line: Data) -> ShareSample? {
        // A line that is not JSON means a broken corpus; the count test notices.
        guard let object = try? JSONSerialization.jsonObject(with: line) as? [String: Any],
            let id = object["id"] as? String, let text = text(object["text"])
        else { return nil }
        var expected: [Expected] = []
        if let all = object["expectedAll"] as? [[String: Any]] {
            expected = all.compactMap(result)
        } else if let one = object["expected"] as? [String: Any] {
            expected = [one].compactMap(result)
        }
        return ShareSample(id: id, game: object["game"] as? String, text: text, expected: expected)
    }

    private static func text(_ value: Any?) -> String? {
        if let text = value as? String { return text }
        guard let recipe = value as? [String: Any], let unit = recipe["repeat"] as? String,
            let times = recipe["times"] as? Int
        else { return nil }
        let prefix = recipe["prefix"] as? String ?? ""
        return prefix + String(repeating: unit, count: times) + (recipe["suffix"] as? String ?? "")
    }

    private static func result(_ object: [String: Any]) -> Expected? {
        guard let game = object["game"] as? String, let isCompleted = object["completed"] as? Bool else { return nil }
        return Expected(
            game: game, puzzle: object["puzzle"] as? Int, score: object["score"] as? Int,
            maxAttempts: object["maxAttempts"] as? Int, isCompleted: isCompleted,
            seconds: object["timeSeconds"] as? Int, hints: object["hints"] as? Int, date: object["date"] as? String)
    }
}

extension ShareSample.Expected {
    init(_ share: Share) {
        self.init(
            game: share.game.rawValue, puzzle: share.puzzle, score: share.score, maxAttempts: share.maxAttempts,
            isCompleted: share.isCompleted, seconds: share.seconds, hints: share.hints,
            date: share.day.map { "\($0)" })
    }
}
