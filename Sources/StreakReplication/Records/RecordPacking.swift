import StreakGames
import StreakScores
import StreakWire

/// How the records of a run are written: one after the other unchanged, or in columns (Protocol/records.md §6.1).
///
/// Columns store once what results have in common (game, name, fields), and the other values field by field as
/// differences from a forecast for a daily player. Unpacking gives the same bytes back, so signatures, chains and
/// digests do not depend on it.
enum RecordPacking {
    private enum Form: UInt8 {
        case rows = 0
        case columns = 1
    }

    /// The largest size of one run's records after unpacking, in bytes.
    static let maximumUnpackedSize = 262_144

    /// The shorter of the two forms.
    static func pack(_ records: some Collection<ArraySlice<UInt8>>) -> [UInt8] {
        var rows = WireWriter(reserving: records.reduce(1) { $0 + $1.count + 2 })
        rows.write(Form.rows.rawValue)
        for record in records { rows.writeBlob(record) }
        // Fewer records have too little in common.
        guard records.count > 2 else { return rows.bytes }
        var table = ScoreTable()
        for record in records { table.append(record) }
        var columns = WireWriter(reserving: rows.bytes.count / 4)
        columns.write(Form.columns.rawValue)
        table.write(to: &columns)
        return columns.bytes.count < rows.bytes.count ? columns.bytes : rows.bytes
    }

    /// Reads exactly `count` records. Refuses columns before unpacking them if they would exceed `maximumUnpackedSize`.
    static func unpack(_ bytes: [UInt8], count: Int) throws(WireError) -> RecordList {
        var reader = WireReader(bytes)
        guard let form = Form(rawValue: try reader.readUInt8()) else { throw .invalidValue(field: "packing") }
        var records = RecordList()
        switch form {
        case .rows:
            records.reserveCapacity(count, byteCount: reader.remainingCount)
            for _ in 0..<count { records.append(try reader.readBlobSlice(maximum: ProtocolLimits.maximumRecordSize)) }
        case .columns:
            try ScoreTable.read(count, from: &reader, into: &records)
        }
        try reader.finish()
        return records
    }
}

/// Results field by field. Records of other kinds, and results not written as by this version, are stored unchanged
/// beside the columns.
///
/// The layout of `DailyScore+Record` is repeated here. A record only has to come back byte for byte, so game and name
/// stay bytes and only numbers are checked. Every start unpacks every result: packing and unpacking one takes 0.5 µs,
/// and a `DailyScore` in between would add 0.6 µs (100,000 results, release build).
private struct ScoreTable {
    /// What similar results have in common.
    fileprivate struct Shape: Hashable {
        var isNumbered: Bool
        var flags: UInt8
        var fields: UInt8
        var game: [UInt8]
        var name: [UInt8]

        /// Whether its results have a puzzle number, in the key or in the value.
        var hasNumber: Bool { isNumbered || fields & Field.puzzle != 0 }
    }

    private enum Field {
        static let day: UInt8 = 1
        static let puzzle: UInt8 = 2
        static let name: UInt8 = 128
        /// Fields written unchanged, in the order of their columns: score, maximum, seconds, hints, mistakes.
        static let plain: [UInt8] = [4, 8, 16, 32, 64]
    }

    /// Predicts a player's next result.
    private struct Forecast {
        var milliseconds: Int64 = 0
        var day: Int64 = 0
        /// The last number of each game with its day, by the index of the game's name; nil before the first.
        private var numbers: [(number: Int64, day: Int64)?] = []

        func number(ofGame game: Int, on day: Int64) -> Int64 {
            guard numbers.indices.contains(game), let last = numbers[game] else { return 0 }
            return last.number &+ day &- last.day
        }

        mutating func note(_ number: Int64, ofGame game: Int, on day: Int64) {
            while numbers.count <= game { numbers.append(nil) }
            numbers[game] = (number, day)
        }
    }

    private var shapes: [Shape] = []
    private var slots: [Shape: UInt64] = [:]
    private var games = GameNames()
    /// 0 for a record beside the columns, otherwise the index of its shape plus 1.
    private var kinds: [UInt64] = []
    private var times: [UInt64] = []
    private var counters: [UInt64] = []
    private var days: [UInt64] = []
    private var numbers: [UInt64] = []
    private var plain: [[UInt64]] = Field.plain.map { _ in [] }
    private var ages: [UInt64] = []
    private var others: [ArraySlice<UInt8>] = []
    private var forecast = Forecast()

    /// Shapes with the same game name share their numbers.
    private struct GameNames {
        private var positions: [[UInt8]: Int] = [:]
        /// For each shape, the index of its game name.
        private(set) var ofShape: [Int] = []

        mutating func append(_ shape: Shape) {
            let position = positions[shape.game] ?? positions.count
            positions[shape.game] = position
            ofShape.append(position)
        }
    }

    // MARK: Writing

    /// The parts of one result.
    fileprivate struct Row {
        var shape: Shape
        var time: HybridTime
        var day: Int64
        var number: Int64
        var plain: [UInt64]
        var age: Int64
    }

    mutating func append(_ record: ArraySlice<UInt8>) {
        guard let row = try? Self.row(of: record) else {  // of another kind, or not written as by this version
            kinds.append(0)
            others.append(record)
            return
        }
        let slot = slots[row.shape] ?? UInt64(shapes.count + 1)
        if slots[row.shape] == nil {
            shapes.append(row.shape)
            games.append(row.shape)
            slots[row.shape] = slot
        }
        kinds.append(slot)
        times.append(IntegerColumn.zigzag(row.time.milliseconds &- forecast.milliseconds))
        counters.append(row.time.rawValue & 0xFFFF)
        days.append(IntegerColumn.zigzag(row.day &- forecast.day))
        if row.shape.hasNumber {
            let game = games.ofShape[Int(slot) - 1]
            numbers.append(IntegerColumn.zigzag(row.number &- forecast.number(ofGame: game, on: row.day)))
            forecast.note(row.number, ofGame: game, on: row.day)
        }
        var values = row.plain.makeIterator()
        for (column, bit) in Field.plain.enumerated() where row.shape.fields & bit != 0 {
            plain[column].append(values.next() ?? 0)
        }
        ages.append(IntegerColumn.zigzag(row.age))
        forecast.milliseconds = row.time.milliseconds
        forecast.day = row.day
    }

    private static func row(of record: ArraySlice<UInt8>) throws(WireError) -> Row {
        var reader = WireReader(record)
        guard try reader.readUInt8() == RecordKind.dailyScore.rawValue else { throw .invalidValue(field: "kind") }
        let time = HybridTime(rawValue: try reader.readUInt64())
        var subject = WireReader(try reader.readBlobSlice(maximum: Record.maximumSubjectSize))
        var value = WireReader(try reader.readBlobSlice(maximum: Record.maximumValueSize))
        try reader.finish()

        let axis = try subject.readUInt8()
        let key = try subject.readVarint(maximum: DailyScore.maximumNumber)
        let game = try subject.readRaw(subject.remainingCount)
        let flags = try value.readUInt8()
        let fields = try value.readUInt8()
        let isNumbered = axis == 1
        // A number in the key requires a day in the value; a day in the key excludes one.
        guard axis < 2, isNumbered == (fields & Field.day != 0), !isNumbered || fields & Field.puzzle == 0 else {
            throw .invalidValue(field: "axis")
        }
        let printedDay = isNumbered ? try value.readVarint(maximum: DailyScore.maximumNumber) : key
        guard let day = PuzzleDay(yyyymmdd: Int(printedDay)) else { throw .invalidValue(field: "day") }
        let number =
            isNumbered ? key : fields & Field.puzzle != 0 ? try value.readVarint(maximum: DailyScore.maximumNumber) : 0
        var plain: [UInt64] = []
        for bit in Field.plain where fields & bit != 0 {
            plain.append(try value.readVarint(maximum: DailyScore.maximumNumber))
        }
        let name = fields & Field.name != 0 ? try value.readBlob(maximum: Record.maximumValueSize) : []
        let age = try value.readSignedVarint()
        try value.finish()
        return Row(
            shape: Shape(isNumbered: isNumbered, flags: flags, fields: fields, game: game, name: name), time: time,
            day: Int64(day.daysSinceEpoch), number: Int64(number), plain: plain, age: age)
    }

    func write(to writer: inout WireWriter) {
        writer.writeCount(shapes.count)
        for shape in shapes {
            writer.write(shape.isNumbered ? 1 : 0 as UInt8)
            writer.write(shape.flags)
            writer.write(shape.fields)
            writer.writeBlob(shape.game)
            if shape.fields & Field.name != 0 { writer.writeBlob(shape.name) }
        }
        for column in [kinds, times, counters, days, numbers] + plain + [ages] {
            IntegerColumn.write(column, to: &writer)
        }
        for record in others { writer.writeBlob(record) }
    }

    // MARK: Reading

    static func read(
        _ count: Int, from reader: inout WireReader, into records: inout RecordList
    ) throws(WireError) {
        let shapes = try readShapes(atMost: count, from: &reader)
        var games = GameNames()
        for shape in shapes { games.append(shape) }
        let kinds = try IntegerColumn.read(count, from: &reader)
        var uses = [Int](repeating: 0, count: shapes.count + 1)
        for kind in kinds {
            guard kind <= UInt64(shapes.count) else { throw .invalidValue(field: "shape") }
            uses[Int(kind)] += 1
        }
        func occurrences(where matches: (Shape) -> Bool) -> Int {
            shapes.indices.reduce(0) { $0 + (matches(shapes[$1]) ? uses[$1 + 1] : 0) }
        }
        let scoreCount = count - uses[0]
        var times = try IntegerColumn.read(scoreCount, from: &reader).makeIterator()
        var counters = try IntegerColumn.read(scoreCount, from: &reader).makeIterator()
        var days = try IntegerColumn.read(scoreCount, from: &reader).makeIterator()
        var numbers = try IntegerColumn.read(occurrences(where: \.hasNumber), from: &reader).makeIterator()
        var plain: [IndexingIterator<[UInt64]>] = []
        for bit in Field.plain {
            let length = occurrences { $0.fields & bit != 0 }
            plain.append(try IntegerColumn.read(length, from: &reader).makeIterator())
        }
        var ages = try IntegerColumn.read(scoreCount, from: &reader).makeIterator()

        var forecast = Forecast()
        var values: [UInt64] = []
        for kind in kinds {
            if kind == 0 {
                records.append(try reader.readBlobSlice(maximum: ProtocolLimits.maximumRecordSize))
            } else {
                let shape = shapes[Int(kind) - 1]
                let milliseconds = forecast.milliseconds &+ IntegerColumn.unzigzag(times.next() ?? 0)
                let counter = counters.next() ?? 0
                let day = forecast.day &+ IntegerColumn.unzigzag(days.next() ?? 0)
                guard (0..<1 << 48).contains(milliseconds), counter <= 0xFFFF else {
                    throw .invalidValue(field: "time")
                }
                var number: Int64 = 0
                if shape.hasNumber {
                    let residual = IntegerColumn.unzigzag(numbers.next() ?? 0)
                    let game = games.ofShape[Int(kind) - 1]
                    number = forecast.number(ofGame: game, on: day) &+ residual
                    forecast.note(number, ofGame: game, on: day)
                }
                values.removeAll(keepingCapacity: true)
                for (column, bit) in Field.plain.enumerated() where shape.fields & bit != 0 {
                    values.append(plain[column].next() ?? 0)
                }
                forecast.milliseconds = milliseconds
                forecast.day = day
                let time = HybridTime(rawValue: UInt64(milliseconds) << 16 | counter)
                try check(day: day, number: number, plain: values)
                records.append { bytes in
                    shape.write(
                        time: time, day: day, number: number, plain: values,
                        age: IntegerColumn.unzigzag(ages.next() ?? 0), to: &bytes)
                }
            }
            guard records.byteCount <= RecordPacking.maximumUnpackedSize else {
                throw .limitExceeded(limit: RecordPacking.maximumUnpackedSize, actual: UInt64(records.byteCount))
            }
        }
    }

    private static func check(day: Int64, number: Int64, plain: [UInt64]) throws(WireError) {
        let (earliest, latest) = (PuzzleDay.earliest.daysSinceEpoch, PuzzleDay.latest.daysSinceEpoch)
        guard Int64(earliest)...Int64(latest) ~= day, number >= 0 else { throw .invalidValue(field: "day") }
        // No result has larger numbers, and as rows they would take more space than in the columns.
        guard UInt64(number) <= DailyScore.maximumNumber, plain.allSatisfy({ $0 <= DailyScore.maximumNumber }) else {
            throw .invalidValue(field: "number")
        }
    }

    private static func readShapes(
        atMost count: Int, from reader: inout WireReader
    ) throws(WireError) -> [Shape] {
        var shapes: [Shape] = []
        for _ in 0..<(try reader.readCount(maximum: count)) {
            let isNumbered = try reader.readFlag(field: "axis")
            let flags = try reader.readUInt8()
            let fields = try reader.readUInt8()
            guard isNumbered == (fields & Field.day != 0), !isNumbered || fields & Field.puzzle == 0 else {
                throw .invalidValue(field: "fields")
            }
            let game = try reader.readBlob(maximum: Record.maximumSubjectSize)
            let name = fields & Field.name != 0 ? try reader.readBlob(maximum: Record.maximumValueSize) : []
            shapes.append(Shape(isNumbered: isNumbered, flags: flags, fields: fields, game: game, name: name))
        }
        return shapes
    }
}

extension ScoreTable.Shape {
    /// Writes a record's bytes. The chain hash shows whether its author signed them.
    fileprivate func write(
        time: HybridTime, day: Int64, number: Int64, plain: [UInt64], age: Int64, to bytes: inout [UInt8]
    ) {
        let printedDay = UInt64(PuzzleDay(daysSinceEpoch: Int(day)).yyyymmdd)
        let key = isNumbered ? UInt64(number) : printedDay
        let beside: UInt64? = isNumbered ? printedDay : hasNumber ? UInt64(number) : nil
        let hasName = fields & 128 != 0
        let signedAge = IntegerColumn.zigzag(age)
        let subjectCount = 1 + WireWriter.varintCount(key) + game.count
        var valueCount = 2 + WireWriter.varintCount(signedAge)
        if let beside { valueCount += WireWriter.varintCount(beside) }
        for number in plain { valueCount += WireWriter.varintCount(number) }
        if hasName { valueCount += WireWriter.varintCount(UInt64(name.count)) + name.count }

        bytes.append(RecordKind.dailyScore.rawValue)
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: time.rawValue >> UInt64(shift)))
        }
        bytes.appendVarint(UInt64(subjectCount))
        bytes.append(isNumbered ? 1 : 0)
        bytes.appendVarint(key)
        bytes.append(contentsOf: game)
        bytes.appendVarint(UInt64(valueCount))
        bytes.append(flags)
        bytes.append(fields)
        if let beside { bytes.appendVarint(beside) }
        for number in plain { bytes.appendVarint(number) }
        if hasName {
            bytes.appendVarint(UInt64(name.count))
            bytes.append(contentsOf: name)
        }
        bytes.appendVarint(signedAge)
    }
}
