import StreakGames
import StreakRandom
import StreakScores
import StreakWire
import Testing

@testable import StreakReplication

@Suite struct RecordPackingTests {
    /// A player's records of a few games over some years, with an occasional late paste, edit, withdrawal and rename.
    static func history(seed: UInt64, count: Int) -> RecordList {
        var numbers = SplitMix64(seed: seed)
        let games: [(id: String, epoch: Int?, isTimed: Bool)] = [
            ("wordle", -18_797, false), ("connections", -19_519, false), ("strands", -19_785, false),
            ("nyt-mini", nil, true), ("queens", -19_845, true), ("unknown-game", nil, false),
        ]
        var clock = HybridClock()
        var milliseconds: Int64 = 1_600_000_000_000
        var records: [[UInt8]] = []
        while records.count < count {
            milliseconds += Int64.random(in: 1...20_000_000, using: &numbers)
            let time = clock.next(wallMilliseconds: milliseconds)
            let game = games.randomElement(using: &numbers) ?? games[0]
            guard let id = GameID(game.id) else { continue }
            let day = PuzzleDay(
                daysSinceEpoch: Int(milliseconds / 86_400_000) - Int.random(in: 0...20, using: &numbers) / 18)
            let isKeyed = game.id == "unknown-game"
            let puzzle =
                game.epoch.map { $0 + day.daysSinceEpoch }
                ?? (isKeyed ? Int.random(in: 0...99_999, using: &numbers) : nil)
            let won = Int.random(in: 0...12, using: &numbers) > 0
            let score = DailyScore(
                game: id, day: day, puzzle: puzzle, isKeyedByPuzzle: isKeyed,
                score: won ? Int.random(in: 1...6, using: &numbers) : nil, maxAttempts: game.isTimed ? nil : 6,
                isCompleted: won, seconds: game.isTimed ? Int.random(in: 12...600, using: &numbers) : nil,
                gameName: isKeyed ? "Unknown" : nil, firstRecordedAt: time.milliseconds / 1_000)
            switch Int.random(in: 0...60, using: &numbers) {
            case 0:
                records.append(
                    Record(kind: .profile, time: time, subject: [], value: Profile(name: "Ännä").recordValue).encoded)
            case 1:
                records.append(
                    Record(kind: .dailyScore, time: time, subject: score.recordSubject, value: []).encoded)
            default:
                records.append(
                    Record(
                        kind: .dailyScore, time: time, subject: score.recordSubject,
                        value: score.recordValue(at: time)
                    ).encoded)
            }
        }
        return RecordList(records)
    }

    @Test(arguments: [UInt64](1...40)) func `what is packed comes out byte for byte`(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        let records = Self.history(seed: seed, count: Int.random(in: 1...400, using: &numbers))
        #expect(try RecordPacking.unpack(RecordPacking.pack(records), count: records.count) == records)
    }

    @Test func `four thousand results of a daily player take five bytes each, and a little`() throws {
        let records = Self.history(seed: 7, count: 4_096)
        let packed = RecordPacking.pack(records)
        #expect(try RecordPacking.unpack(packed, count: 4_096) == records)
        // Without the unknown game's numbers, names and ages it is 5. Rows take 34.
        #expect(packed.count < 4_096 * 13 / 2, "\(packed.count) bytes")
    }

    @Test func `results that all differ are carried too`() throws {
        var records: [[UInt8]] = []
        for number in 0..<200 {
            let day = PuzzleDay(daysSinceEpoch: 20_000 - number * 37)
            let score = DailyScore(
                game: try #require(GameID("game-\(number)")), day: day, puzzle: number % 3 == 0 ? nil : 1 << 40,
                isKeyedByPuzzle: number % 3 == 1, score: number * 1_000_003,
                maxAttempts: number % 2 == 0 ? nil : number,
                isCompleted: number % 5 != 0, seconds: number % 7 == 0 ? number : nil, hints: number % 11,
                mistakes: number % 13 == 0 ? 1 : nil, isHardMode: number % 2 == 0, gameName: "Name \(number)",
                firstRecordedAt: Int64(number) * -1_000_000_007, isEdited: number % 3 == 0)
            let time = HybridTime(rawValue: UInt64(200 - number) << 40 | UInt64(number))
            records.append(
                Record(
                    kind: .dailyScore, time: time, subject: score.recordSubject, value: score.recordValue(at: time)
                ).encoded)
        }
        let list = RecordList(records)
        #expect(try RecordPacking.unpack(RecordPacking.pack(list), count: list.count) == list)
    }

    @Test(arguments: [UInt64](1...10))
    func `packed bytes that are cut or altered never trap, and unpack to at most a run's size`(
        seed: UInt64
    ) {
        let records = Self.history(seed: seed, count: 20)
        let packed = RecordPacking.pack(records)
        var accepted = 0
        for index in packed.indices {
            #expect(throws: WireError.self) { try RecordPacking.unpack(Array(packed[..<index]), count: records.count) }
            for bit in 0..<8 {
                var altered = packed
                altered[index] ^= 1 << UInt8(bit)
                // Refused, or other records, which the chain hash reveals.
                guard let found = try? RecordPacking.unpack(altered, count: records.count) else { continue }
                accepted += 1
                #expect(found.count == records.count)
            }
        }
        #expect(accepted > 0)
    }

    @Test func `a small run that would unpack to megabytes is refused`() throws {
        var writer = WireWriter()
        writer.write(UInt8(1))
        writer.writeCount(1)
        writer.write(UInt8(0))
        writer.write(UInt8(1))
        writer.write(UInt8(128))
        writer.writeBlob(Array("wordle".utf8))
        writer.writeBlob([UInt8](repeating: 65, count: 1_200))
        IntegerColumn.write([UInt64](repeating: 1, count: 4_096), to: &writer)
        for _ in 0..<3 { IntegerColumn.write([UInt64](repeating: 2, count: 4_096), to: &writer) }
        IntegerColumn.write([UInt64](repeating: 0, count: 4_096), to: &writer)
        #expect(throws: WireError.limitExceeded(limit: 262_144, actual: 262_792)) {
            try RecordPacking.unpack(writer.bytes, count: 4_096)
        }
    }

    @Test func `portions are as many as needed, in order, and each fits a run`() throws {
        let history = Self.history(seed: 3, count: 9_000)
        #expect(Run.portions(of: history).map(\.count) == [4_096, 4_096, 808])
        let comments = (0..<120).map { number in
            Record(
                kind: .comment, time: HybridTime(rawValue: UInt64(number)), subject: [],
                value: [UInt8](repeating: UInt8(number), count: 1_300)
            ).encoded
        }
        let portions = Run.portions(of: RecordList(comments))
        #expect(portions.joined().map(Array.init) == comments)
        #expect(portions.allSatisfy { RecordPacking.pack($0).count <= ProtocolLimits.maximumRunSize })
        #expect(Run.portions(of: RecordList()).isEmpty)
    }

    @Test(
        arguments: [
            [5], [5, 5, 5, 5], [0, 1, 2, 3], [1 << 63, 0, .max], [7, 7, 7, 9, 9, 9, 1], [.max, .max, 0],
            Array(repeating: 3, count: 500) + [1 << 40],
        ] as [[UInt64]]) func `a column holds any numbers`(values: [UInt64]) throws
    {
        var writer = WireWriter()
        IntegerColumn.write(values, to: &writer)
        var reader = WireReader(writer.bytes)
        #expect(try IntegerColumn.read(values.count, from: &reader) == values)
        try reader.finish()
    }
}
