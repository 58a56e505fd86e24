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
            (
                "with a pattern",
                try GameDefinition(
                    id: GameID(literal: "custom-blast"), name: "Block Blast", icon: "🧱", model: .highScore,
                    pattern: "Block Blast{any} Score: {score}/{max}")
            ),
        ]
        let subject = GameDefinition.recordSubject(of: games[0].1.id)
        let value = games[0].1.recordValue
        // Model, cadence, aggregation, fields; then the name after its size.
        let long = Array(value.prefix(4)) + varint(241)
        func entry(_ name: String, _ subject: [UInt8], _ value: [UInt8], _ reason: String) -> JSON {
            ["name": .text(name), "subject": .hex(subject), "value": .hex(value), "reason": .text(reason)]
        }
        return VectorFile(
            name: "game-definitions",
            content: [
                "spec": "records.md §3.3, patterns.md",
                "valid": .list(games.map { describe($0.0, $0.1, tail: []) }),
                "accepted": [describe("with a tail, carried along", games[0].1, tail: [1, 2, 3])],
                "invalid": .list(
                    [
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
                    ] + unusable(subject)),
                "groups": .list(try groups()),
                "foldings": .list(foldings.map { ["text": .text($0.0), "folded": .text($0.1)] }),
                "patterns": .list(
                    patterns.map { text, model, written in
                        [
                            "text": .text(text), "model": .text(model.rawValue),
                            "written": written.map { .text($0) } ?? .null,
                        ]
                    }),
            ])
    }

    /// Values with a valid layout but with fields that no program shows.
    private static func unusable(_ subject: [UInt8]) -> [JSON] {
        func value(
            _ model: UInt8 = 5, name: String = "Quiz", icon: String = "?", maximum: UInt64? = nil, best: UInt64? = nil,
            unit: String? = nil, pattern: String? = nil
        ) -> [UInt8] {
            var writer = WireWriter()
            for byte in [model, 0, 0] { writer.write(byte) }
            let fields = [maximum != nil, best != nil, unit != nil, pattern != nil].enumerated()
            writer.write(fields.reduce(0 as UInt8) { $0 | ($1.element ? 1 << UInt8($1.offset) : 0) })
            writer.writeText(name)
            writer.writeText(icon)
            for number in [maximum, best].compactMap(\.self) { writer.writeVarint(number) }
            for text in [unit, pattern].compactMap(\.self) { writer.writeText(text) }
            return writer.bytes
        }
        let values: [(String, [UInt8])] = [
            ("a name of blanks", value(name: " \u{3000}\n")), ("a name of 41 characters", value(name: "\(forty)x")),
            ("a line end within the name", value(name: "Pub\nquiz")),
            ("a turn of direction within the name", value(name: "Pub\u{202E}quiz")),
            ("no icon", value(icon: "")), ("an icon of two characters", value(icon: "ab")),
            ("a unit of 13 characters", value(unit: "abcdefghijklm")),
            ("a control in the unit", value(unit: "p\u{85}s")),
            ("a maximum of nothing", value(maximum: 0)), ("a maximum of a time", value(3, maximum: 9)),
            ("a maximum of a count", value(6, maximum: 9)), ("a best where more is better", value(best: 1)),
            ("a best above the maximum", value(0, maximum: 6, best: 7)),
            ("a pattern without a score", value(pattern: "Quiz {max}")),
        ]
        return values.map { name, value in
            [
                "name": .text(name), "subject": .hex(subject), "value": .hex(value),
                "reason": "invalid-value: definition",
            ]
        } + [
            [
                "name": "a game without a name of its own", "subject": .hex(Array("custom-".utf8)),
                "value": .hex(value()), "reason": "invalid-value: definition",
            ]
        ]
    }

    private typealias GameWord = (user: UserID, game: GameID, time: UInt64, name: String?)

    /// Whose statements count, and which games are listed (records.md §3.3).
    private static func groups() throws -> [JSON] {
        let (ada, ben, eve) = (try Person("ada").user, try Person("ben").user, try Person("eve").user)
        func id(_ number: Int, by user: UserID) throws -> GameID {
            let stem = GameDefinition.stem(of: "Quiz", tag: UInt16(number))
            guard let id = GameID.defined(by: user, stem: stem) else { throw VectorFailure(text: "no ID: \(stem)") }
            return id
        }
        let game = try id(0, by: ben)
        let many = try (0..<254).map {
            (user: eve, game: try id($0, by: eve), time: 5 as UInt64, name: "Eve") as GameWord
        }
        let few = try (0..<3).map { (user: ben, game: try id($0, by: ben), time: 6 as UInt64, name: "Ben") as GameWord }
        let sets: [(String, [UserID], [GameWord])] = [
            ("another member's word counts for nothing", [ada], [(ben, game, 1, "Ben"), (eve, game, 2, "Eve")]),
            ("an admin's does", [ada, eve], [(ben, game, 1, "Ben"), (eve, game, 2, "Eve")]),
            ("the definer's later one stands", [ada, eve], [(ben, game, 3, "Ben"), (eve, game, 2, "Eve")]),
            ("the owner withdraws it", [ada], [(ben, game, 1, "Ben"), (ada, game, 2, nil)]),
            ("what another member withdraws stays", [ada], [(ben, game, 1, "Ben"), (eve, game, 2, nil)]),
            ("of equally late ones the smaller user's", [ada], [(ben, game, 1, "Ben"), (ada, game, 1, "Ada")]),
            (
                "a game that nobody defined is the owner's alone", [ada],
                [(ada, GameID(literal: "custom-quiz"), 1, "Ada")]
            ),
            ("and no member's", [ada], [(ben, GameID(literal: "custom-quiz"), 1, "Ben")]),
            ("two hundred and fifty-four of one member leave room for another's", [ada], many + few),
        ]
        return try sets.map { name, admins, words in
            var games = GroupGames(admins: Set(admins))
            var records: [JSON] = []
            for word in words {
                let value = try word.name.map {
                    try GameDefinition(id: word.game, name: $0, icon: "🧩", model: .highScore).recordValue
                }
                let subject = GameDefinition.recordSubject(of: word.game)
                let key = RecordKey(user: word.user, kind: RecordKind.gameDefinition.rawValue, subject: subject)
                let time = HybridTime(rawValue: word.time)
                games.apply(MergedRecord(key: key, value: value ?? [], time: time))
                records.append([
                    "user": .text(word.user.description), "subject": .hex(subject), "value": .hex(value ?? []),
                    "time": .text(String(word.time)),
                ])
            }
            return [
                "name": .text(name), "admins": .list(admins.map { .text($0.description) }), "records": .list(records),
                "games": .list(games.definitions.map { ["game": .text($0.id.rawValue), "title": .text($0.name)] }),
            ]
        }
    }

    private static let forty = String(repeating: "0123456789", count: 4)

    /// Texts and their folded form by patterns.md §2.
    private static let foldings: [(String, String)] = [
        ("", ""), ("Über ŠÑandÿ", "uber Šnandÿ"), ("a\u{301}\u{FE0F}\u{200D}b", "ab"), ("x\r\ny\rz\u{85}", "x\ny\nz\n"),
        ("a\tb\u{A0}c\u{3000}d", "a b c d"), ("> one\n >two > three", " one\ntwo > three"),
        ("||spoiler|| a|b", "spoiler a|b"),
        ("1\u{FE0F}\u{20E3}x\u{20E3}", "\u{F0001}x"), ("\u{20E3}>a\n\u{20E3}>b", ">a\nb"),
        (":large_green_square::Green_square::green_square", "🟩:green_square::green_square"),
        (":ten::zero::no_such_name:", "🔟\u{F0000}:no_such_name:"), ("’‐⁄٣۴५،٫٪﹟", "'-/345,.%#"), ("▪▫◼◻🔳🔲", "⬛⬜⬛⬜⬛⬜"),
        ("Ａｂ｀！＼", "ab!"), ("a`b\\c\u{0}\u{7F}\u{1F}d", "abc d"), ("ª°º ß×İ", "ª°º ß×i"),
        ("Q &amp; A&#38;&LT;", "q &amp; a&#38;&lt;"),
    ]

    /// Patterns and their canonical form; nil if they are invalid (patterns.md §3).
    private static let patterns: [(String, ScoringModel, String?)] = [
        ("Quiz {score}", .highScore, "Quiz {score}"), ("  Quiz\n\t{SCORE}  ", .highScore, "Quiz {score}"),
        ("Quiz", .count, "Quiz"), ("Quiz", .highScore, nil), ("&amp; {score}", .highScore, "&amp; {score}"),
        ("Quiz {time}", .lowerTimeSeconds, "Quiz {time}"),
        ("Quiz {time}", .highScore, nil), ("Quiz {score}", .lowerTimeSeconds, "Quiz {score}"),
        ("{score} Quiz", .highScore, nil), ("Q {score}", .highScore, nil), (":x: {score}", .highScore, nil),
        ("Q\u{301} {score}", .highScore, nil), ("\u{200B} Quiz {score}", .highScore, "Quiz {score}"),
        (">> {score}", .highScore, nil), ("Quiz {score} {score}", .highScore, nil),
        ("Quiz {any} {any} {score}", .highScore, "Quiz {any} {any} {score}"), ("Quiz {score}{max}", .highScore, nil),
        ("Quiz {score}\u{200D}{max}", .highScore, nil), ("Quiz {score}/{max}", .highScore, "Quiz {score}/{max}"),
        ("Quiz {score} {any} ", .highScore, nil), ("Quiz {score", .highScore, nil), ("Quiz {points}", .highScore, nil),
        ("Quiz { score}", .highScore, nil), ("Quiz } {score}", .highScore, "Quiz } {score}"),
        ("Quiz {score}" + String(repeating: " ", count: 188), .highScore, "Quiz {score}"),
        ("Quiz {score}" + String(repeating: " ", count: 189), .highScore, nil),
        (
            "Quiz {score}" + String(repeating: " a {any}", count: 11) + " b", .highScore,
            "Quiz {score}" + String(repeating: " a {any}", count: 11) + " b"
        ),
        ("Quiz {score}" + String(repeating: " a {any}", count: 12) + " b", .highScore, nil),
    ]

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
            "pattern": game.pattern.map { .text($0.text) } ?? .null,
        ]
    }
}
