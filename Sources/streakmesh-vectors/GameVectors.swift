import StreakGames
import StreakReplication
import StreakWire

extension VectorFile {
    /// Subjects and values of kind 4.
    static func gameDefinitions() throws -> VectorFile {
        let games: [(String, GameDefinition)] = [
            (
                "points, without more",
                try GameDefinition(id: GameID(literal: "custom-0f3a"), name: "Pub quiz", icon: "🧩", model: .highScore)
            ),
            (
                "tries of six, each week, the latest counting",
                try GameDefinition(
                    id: GameID(literal: "custom-tries"), name: "Zahlenrätsel", icon: "🔢", model: .lowerAttempts,
                    maximum: 6, best: 1, unit: "tries", cadence: .weekly, aggregation: .latest)
            ),
        ]
        let subject = GameDefinition.recordSubject(of: games[0].1.id)
        let value = games[0].1.recordValue
        // model, cadence, aggregation, fields, then the name with its size before it.
        let long = Array(value.prefix(4)) + varint(241)
        func entry(_ name: String, _ subject: [UInt8], _ value: [UInt8], _ reason: String) -> JSON {
            ["name": .text(name), "subject": .hex(subject), "value": .hex(value), "reason": .text(reason)]
        }
        return VectorFile(
            name: "game-definitions",
            content: [
                "spec": "records.md §3.3",
                "valid": .list(games.map { describe($0.0, $0.1, tail: []) }),
                "accepted": [describe("with a tail, carried along", games[0].1, tail: [1, 2, 3])],
                "invalid": [
                    entry("no game", [], value, "invalid-value: game"),
                    entry("a game with a capital", Array("custom-A".utf8), value, "invalid-value: game"),
                    entry("nothing", subject, [], "truncated"),
                    entry("model 7", subject, replacing(value, at: 0, by: 7), "invalid-value: model"),
                    entry("cadence 3", subject, replacing(value, at: 1, by: 3), "invalid-value: cadence"),
                    entry("aggregation 3", subject, replacing(value, at: 2, by: 3), "invalid-value: aggregation"),
                    entry("a name of 241 bytes", subject, long, "limit-exceeded"),
                    entry("a name that is no UTF-8", subject, replacing(value, at: 5, by: 0xFF), "invalid-text"),
                    entry("a maximum that is not there", subject, replacing(value, at: 3, by: 1), "truncated"),
                    entry(
                        "a maximum above a milliard", subject,
                        replacing(value, at: 3, by: 1) + varint(1_000_000_001), "limit-exceeded"),
                    entry("a game that everybody knows", Array("wordle".utf8), value, "invalid-value: definition"),
                ],
            ])
    }

    private static func describe(_ name: String, _ game: GameDefinition, tail: [UInt8]) -> JSON {
        [
            "name": .text(name), "subject": .hex(GameDefinition.recordSubject(of: game.id)),
            "value": .hex(game.recordValue + tail), "fields": fields(of: game),
        ]
    }

    static func fields(of game: GameDefinition) -> JSON {
        [
            "game": .text(game.id.rawValue), "title": .text(game.name), "icon": .text(game.icon),
            "model": .text(game.model.rawValue), "cadence": .text("\(game.cadence)"),
            "aggregation": .text(game.aggregation.rawValue), "maximum": game.maximum.map { .number($0) } ?? .null,
            "best": game.best.map { .number($0) } ?? .null, "unit": game.unit.map { .text($0) } ?? .null,
        ]
    }
}
