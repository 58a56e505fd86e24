import StreakGames
import StreakReplication
import StreakScores
import StreakWire

/// Results of a daily player, packed by hand.
enum PackedResults {
    /// Six weeks of two games, sometimes a third, and sometimes a name: enough for every form of a column.
    static var records: [[UInt8]] {
        var records: [[UInt8]] = []
        for day in 0..<42 {
            let date = PuzzleDay(daysSinceEpoch: 20_700 + day)
            let start = (Int64(20_700 + day) * 86_400 + 28_800 + Int64(day * day % 97) * 61) * 1_000
            let wordle = DailyScore(
                game: GameID(literal: "wordle"), day: date, puzzle: 1_903 + day, score: 2 + day * 7 % 5, maxAttempts: 6,
                firstRecordedAt: start / 1_000)
            append(wordle, at: start + 250, to: &records)
            if day % 10 == 9 { continue }
            let queens = DailyScore(
                game: GameID(literal: "linkedin-queens"), day: date, puzzle: 857 + day, isKeyedByPuzzle: true,
                seconds: day == 20 ? 90_000 : 40 + day * 13 % 60, hints: 0, mistakes: day % 3 / 2,
                firstRecordedAt: start / 1_000 + 90)
            append(queens, at: start + 90_000, to: &records)
            guard day % 14 == 3 else { continue }
            let quiz = DailyScore(
                game: GameID(literal: "custom-0f3a"), day: date, score: 1_000 + day, gameName: "Pub quiz 🧩",
                firstRecordedAt: start / 1_000 - 3_600)
            append(quiz, at: start + 95_000, to: &records)
            records.append(
                Record(
                    kind: .profile, time: HybridTime(milliseconds: start + 96_000, counter: 1), subject: [],
                    value: Profile(name: "Ada \(day)").recordValue
                ).encoded)
        }
        return records
    }

    private static func append(_ score: DailyScore, at milliseconds: Int64, to records: inout [[UInt8]]) {
        let time = HybridTime(milliseconds: milliseconds, counter: 0)
        records.append(
            Record(
                kind: .dailyScore, time: time, subject: score.recordSubject, value: score.recordValue(at: time)
            ).encoded)
    }

    /// Every record as a blob.
    static func rows(_ records: [[UInt8]]) -> [UInt8] {
        var writer = WireWriter()
        writer.write(UInt8(0))
        for record in records { writer.writeBlob(record) }
        return writer.bytes
    }

    /// Columns of one shape (a `wordle` result of a day with a score). The thirteen columns after the shape are
    /// constant, except for the given ones.
    struct Columns {
        var shapes: [UInt8] = [1, 0, 1, 4, 6] + Array("wordle".utf8)
        var shape: [UInt8] = [0, 1]
        /// 2026-11-21T12:00:00Z, less 0.
        var time: [UInt8] = [0] + varint(UInt64(Cast.now) * 2_000)
        var counter: [UInt8] = [0, 0]
        var day: [UInt8] = [0] + varint(20_778 * 2)
        var score: [UInt8] = [0, 4]
        var age: [UInt8] = [0, 0]

        var bytes: [UInt8] { [1] + shapes + shape + time + counter + day + score + age }
    }
}

extension VectorFile {
    /// Runs as bytes with their contents.
    static func runs() throws -> VectorFile {
        let ada = try Person("ada")
        var names = FeedBuilder(identity: ada.identity)
        names.append("a", count: 3)
        var results = FeedBuilder(identity: ada.identity)
        for record in PackedResults.records { results.append(record) }
        let all = results.run(1...results.records.count)
        let valid: [(String, Run)] = [
            ("one record", names.run(1...1)), ("two records", names.run(2...3)),
            ("six weeks of results and names, as columns", all),
            ("the same as rows", all.packed(as: PackedResults.rows(results.records))),
            ("three results from the middle", results.run(40...42)),
        ]
        return VectorFile(
            name: "runs",
            content: [
                "spec": "records.md §6", "decoder": "run",
                "valid": .list(
                    try valid.map { name, run in
                        [
                            "name": .text(name), "group": .text(Cast.group.description), "hex": .hex(run.encoded),
                            "records": .list(try run.records().map { .hex(Array($0)) }),
                        ]
                    }),
                "unpacked": .list(try unpacked()),
                "invalid": .list(invalidRuns(names.run(1...1).encoded, names.run(2...3).encoded)),
                "invalidPacked": .list(invalidPackings(names.records[0])),
            ])
    }

    private static func invalidRuns(_ one: [UInt8], _ many: [UInt8]) -> [JSON] {
        // device 32, epoch 12, first 1, before 32, signature 64, count, size.
        let firstAt = 44
        let countAt = 141
        return [
            refused("nothing", [], "truncated"),
            refused("the signature is cut off", Array(one.prefix(100)), "truncated"),
            refused("the first record has number 0", replacing(one, at: firstAt, by: 0), "invalid-value: first"),
            refused(
                "the first record is past the end of any feed",
                Array(one.prefix(firstAt)) + [0x81, 0x80, 0x40] + one.dropFirst(firstAt + 1), "limit-exceeded"),
            refused(
                "the last record is past the end of any feed",
                Array(many.prefix(firstAt)) + [0x80, 0x80, 0x40] + many.dropFirst(firstAt + 1),
                "invalid-value: count"),
            refused("no record", replacing(one, at: countAt, by: 0), "invalid-value: count"),
            refused(
                "4,097 records", Array(one.prefix(countAt)) + [0x81, 0x20] + one.dropFirst(countAt + 1),
                "limit-exceeded"),
            refused(
                "59,393 packed bytes", Array(one.prefix(countAt + 1)) + varint(59_393), zeros: 59_393, "limit-exceeded"),
            refused("the packed records are cut off", Array(one.dropLast()), "truncated"),
            refused("a byte more", one + [0], "trailing-bytes"),
        ]
    }

    /// Forms that our writers do not produce but every reader accepts.
    private static func unpacked() throws -> [JSON] {
        var columns = PackedResults.Columns()
        let one = columns.bytes
        columns.time = [1] + varint(UInt64(Cast.now) * 2_000 - 4) + [4, 0, 4, 4 | 2 << 4]
        columns.day = [2] + varint(20_778 * 2) + [1, 2, 2]
        let three = columns.bytes
        // Base 3, no bits, one exception: the second value is 3 + 1.
        columns.score = [1, 3, 0, 1, 1, 1]
        let patched = columns.bytes
        // Two bits a value, and two unused bits after the last.
        columns.score = [1, 3, 2, 0, 0b1111_1101]
        let padded = columns.bytes
        let run = FeedBuilder(identity: try Person("ada").identity)
        func entry(_ name: String, _ packed: [UInt8], count: Int) throws -> JSON {
            let run = Run(
                feed: run.feed, first: 1, before: run.hashes[0], signature: run.signature(at: 0), packed: packed,
                count: count)
            return [
                "name": .text(name), "packed": .hex(packed), "count": .number(count),
                "records": .list(try run.records().map { .hex(Array($0)) }),
            ]
        }
        return [
            try entry("a result as columns, all constant", one, count: 1),
            try entry("packed and repeated columns", three, count: 3),
            try entry("a column with an exception", patched, count: 3),
            try entry("bits that mean nothing", padded, count: 3),
        ]
    }

    /// Packed records, their claimed count, and the reason why unpacking refuses them.
    private static func invalidPackings(_ record: [UInt8]) -> [JSON] {
        func entry(_ name: String, _ packed: [UInt8], count: Int = 1, _ reason: String) -> JSON {
            ["name": .text(name), "packed": .hex(packed), "count": .number(count), "reason": .text(reason)]
        }
        func columns(_ name: String, count: Int = 1, _ reason: String, _ change: (inout PackedResults.Columns) -> Void)
            -> JSON
        {
            var columns = PackedResults.Columns()
            change(&columns)
            return entry(name, columns.bytes, count: count, reason)
        }
        let row = PackedResults.rows([record])
        return [
            entry("nothing", [], "truncated"), entry("form 2", [2], "invalid-value: packing"),
            entry("rows: a record is missing", row, count: 2, "truncated"),
            entry("rows: more records than were counted", row + row.dropFirst(), "trailing-bytes"),
            entry("rows: a record of 1,537 bytes", [0, 0x81, 0x0C], "limit-exceeded"),
            entry("columns: two shapes for one record", [1, 2], "limit-exceeded"),
            columns("columns: an axis of 2", "invalid-value: axis") { $0.shapes[1] = 2 },
            columns("columns: axis 0 with a day", "invalid-value: fields") { $0.shapes[3] = 5 },
            columns("columns: axis 1 without a day", "invalid-value: fields") { $0.shapes[1] = 1 },
            entry("columns: axis 1 with a number beside it", [1, 1, 1, 1, 3, 0], "invalid-value: fields"),
            entry("columns: a game of 97 bytes", [1, 1, 0, 1, 4, 97], "limit-exceeded"),
            columns("columns: a shape that is not there", "invalid-value: shape") { $0.shape = [0, 2] },
            columns("columns: a form of 3", "invalid-value: column") { $0.time[0] = 3 },
            columns("columns: a width of 65", "invalid-value: column") { $0.score = [1, 3, 65, 0] },
            columns("columns: exceptions of 64 bits", "invalid-value: column") { $0.score = [1, 3, 64, 1, 0, 1] },
            columns("columns: more exceptions than values", "limit-exceeded") { $0.score = [1, 3, 0, 2] },
            columns("columns: an exception after the last value", "invalid-value: column") {
                $0.score = [1, 3, 0, 1, 1, 1]
            },
            columns("columns: a value repeated no times", "invalid-value: column") { $0.score = [2, 4, 0] },
            columns("columns: a value repeated too often", "invalid-value: column") { $0.score = [2, 4, 2] },
            columns("columns: a column cut off", count: 3, "truncated") {
                $0.age = [1, 0, 7, 0, 1, 2]
            },
            columns("columns: the last column is missing", "truncated") { $0.age = [] },
            columns("columns: a time before 1970", "invalid-value: time") { $0.time = [0, 1] },
            columns("columns: a time of 49 bits", "invalid-value: time") { $0.time = [0] + varint(1 << 49) },
            columns("columns: a counter of 65,536", "invalid-value: time") { $0.counter = [0] + varint(65_536) },
            columns("columns: a day after 2200", "invalid-value: day") { $0.day = [0] + varint(90_000 * 2) },
            entry(
                "columns: a negative number",
                [1, 1, 0, 0, 2, 1, 97, 0, 1, 0, 0, 0, 0, 0] + varint(20_778 * 2) + [0, 1, 0, 0],
                "invalid-value: day"),
            columns("columns: a score above 2⁴⁰", "invalid-value: number") { $0.score = [0] + varint(1 << 40 + 1) },
            columns("columns: a byte more", "trailing-bytes") { $0.age += [0] },
            columns("columns: more than 262,144 bytes unpacked", count: 4_096, "limit-exceeded") {
                $0.shapes = [1, 0, 1, 132, 1, 97] + varint(100) + [UInt8](repeating: 97, count: 100)
                $0.day = [2] + varint(20_778 * 2) + [1, 0] + varint(4_095)
                $0.time = [2] + varint(UInt64(Cast.now) * 2_000) + [1, 0] + varint(4_095)
            },
        ]
    }
}
