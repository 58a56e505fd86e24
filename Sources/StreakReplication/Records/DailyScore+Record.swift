import StreakGames
public import StreakScores
public import StreakWire

/// A result as a record of kind `dailyScore`.
///
/// Subject: axis u8 (0 day, 1 puzzle number) · varint (`yyyyMMdd` or the number) · game ID, the rest. Value: flags u8
/// (1 completed, 2 hard mode, 4 edited, 8 contends) · fields u8 (the present ones of: 1 day, 2 puzzle, 4 score, 8
/// maximum, 16 seconds, 32 hints, 64 mistakes, 128 game name) · the fields in this order, numbers as varints, the name
/// as a text ≤ 160 bytes · first recorded at, signed varint, seconds before the record's time · tail, carried.
extension DailyScore {
    private static let maximumNameSize = 160
    /// The largest number in a result or its key (Protocol/records.md §3.1).
    static let maximumNumber: UInt64 = 1 << 40
    private static let contendsFlag: UInt8 = 8

    /// The record's subject.
    public var recordSubject: [UInt8] { Self.recordSubject(of: key) }

    /// The subject under which the result of a key is recorded and withdrawn.
    public static func recordSubject(of key: ScoreKey) -> [UInt8] {
        var writer = WireWriter(reserving: 32)
        switch key.axis {
        case .day(let day):
            writer.write(UInt8(0))
            writer.writeVarint(UInt64(clamping: day.yyyymmdd))
        case .puzzle(let number):
            writer.write(UInt8(1))
            writer.writeVarint(UInt64(clamping: number))
        }
        writer.writeRaw(key.game.rawValue.utf8)
        return writer.bytes
    }

    /// The record's value, for a record written at `time`.
    public func recordValue(at time: HybridTime) -> [UInt8] {
        let name = gameName.map(Self.cut)
        var writer = WireWriter(reserving: 32)
        let flags: UInt8 = (isCompleted ? 1 : 0) | (isHardMode ? 2 : 0) | (isEdited ? 4 : 0)
        writer.write(flags | (contends ? Self.contendsFlag : 0))
        let numbers: [(bit: UInt8, value: Int?)] = [
            (1, isKeyedByPuzzle ? day.yyyymmdd : nil), (2, isKeyedByPuzzle ? nil : puzzle), (4, score),
            (8, maxAttempts), (16, seconds), (32, hints), (64, mistakes),
        ]
        var fields: UInt8 = name == nil ? 0 : 128
        for (bit, value) in numbers where value != nil { fields |= bit }
        writer.write(fields)
        for (_, value) in numbers {
            if let value { writer.writeVarint(min(UInt64(clamping: value), Self.maximumNumber)) }
        }
        if let name { writer.writeText(name) }
        let (age, overflowed) = (time.milliseconds / 1_000).subtractingReportingOverflow(firstRecordedAt)
        writer.writeSignedVarint(overflowed ? 0 : age)
        return writer.bytes
    }

    /// As many whole characters as fit, at most 40.
    private static func cut(_ name: String) -> String {
        var cut = name.prefix(40)
        while cut.utf8.count > maximumNameSize { cut.removeLast() }
        return String(cut)
    }

    /// Reads a merged record. Throws if the bytes are not a result; such a record is carried but not shown.
    public init(subject: [UInt8], value: [UInt8], time: HybridTime) throws(WireError) {
        try self.init(key: try Self.scoreKey(fromSubject: subject), value: value[...], time: time)
    }

    /// Reads the value of a merged record with this key. Throws if the bytes are not a result.
    public init(key: ScoreKey, value: ArraySlice<UInt8>, time: HybridTime) throws(WireError) {
        var reader = WireReader(value)
        let flags = try reader.readUInt8()
        let fields = try reader.readUInt8()
        func number(_ bit: UInt8) throws(WireError) -> Int? {
            fields & bit == 0 ? nil : Int(try reader.readVarint(maximum: Self.maximumNumber))
        }
        let printedDay = try number(1)
        let puzzle = try number(2)
        let score = try number(4)
        let maximum = try number(8)
        let seconds = try number(16)
        let hints = try number(32)
        let mistakes = try number(64)
        let name = fields & 128 == 0 ? nil : try reader.readText(maximum: Self.maximumNameSize)
        let age = try reader.readSignedVarint()
        let written = time.milliseconds / 1_000
        let (first, overflowed) = written.subtractingReportingOverflow(age)
        guard !overflowed else { throw .invalidValue(field: "firstRecordedAt") }
        let day: PuzzleDay
        let keyNumber: Int?
        switch key.axis {
        case .day(let keyDay):
            day = keyDay
            keyNumber = nil
        case .puzzle(let number):
            guard let printedDay, let recordDay = PuzzleDay(yyyymmdd: printedDay) else {
                throw .invalidValue(field: "day")
            }
            day = recordDay
            keyNumber = number
        }
        self.init(
            game: key.game, day: day, puzzle: keyNumber ?? puzzle, isKeyedByPuzzle: keyNumber != nil, score: score,
            maxAttempts: maximum, isCompleted: flags & 1 != 0, seconds: seconds, hints: hints, mistakes: mistakes,
            isHardMode: flags & 2 != 0, gameName: name, firstRecordedAt: first, isEdited: flags & 4 != 0,
            contends: flags & Self.contendsFlag != 0)
    }

    /// The worth of a record's value among others of its key, and whether it contends (Protocol/records.md §8).
    static func standing(subject: [UInt8], value: [UInt8], time: HybridTime) -> (worth: Int, contends: Bool) {
        // A withdrawal, or a value that is not a result of this version, settles and is worth less than any result.
        guard let score = try? DailyScore(subject: subject, value: value, time: time) else { return (-2, false) }
        guard score.isCompleted else { return (-1, score.contends) }
        return (score.score.map { $0 + 1 } ?? 0, score.contends)
    }

    /// The worth of a record among others of its key, and whether it contends (Protocol/records.md §8).
    public static func standing(of record: Record) -> (worth: Int, contends: Bool) {
        guard record.kind == RecordKind.dailyScore.rawValue else { return (-2, false) }
        return standing(subject: record.subject, value: record.value, time: record.time)
    }

    /// Whether a result's value may contend, judged by its flags alone.
    static func mayContend(_ value: ArraySlice<UInt8>) -> Bool { value.first.map(mayContend) ?? false }

    /// Whether a result with these flags may contend.
    static func mayContend(_ flags: UInt8) -> Bool { flags & contendsFlag != 0 }

    /// Reads the key in a record's subject.
    public static func scoreKey(fromSubject subject: [UInt8]) throws(WireError) -> ScoreKey {
        var reader = WireReader(subject)
        let axis = try reader.readUInt8()
        let number = try reader.readVarint(maximum: maximumNumber)
        let raw = try reader.readRaw(reader.remainingCount)
        guard let text = String(validating: raw, as: UTF8.self), let game = GameID(text) else {
            throw .invalidValue(field: "game")
        }
        guard axis < 2 else { throw .invalidValue(field: "axis") }
        guard let axis = Self.axis(axis, number: number) else { throw .invalidValue(field: "day") }
        return ScoreKey(game: game, axis: axis)
    }

    /// The key's axis for a number of at most `maximumNumber`; nil for an unknown axis or a number that is not a day.
    static func axis(_ axis: UInt8, number: UInt64) -> ScoreKey.Axis? {
        switch axis {
        case 0: PuzzleDay(yyyymmdd: Int(number)).map { .day($0) }
        case 1: .puzzle(Int(number))
        default: nil
        }
    }
}
