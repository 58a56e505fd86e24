import StreakCrypto
public import StreakGames
public import StreakScores
public import StreakWire

/// What the owner or an admin wants a group to play for in a week: a record of kind `event` (Protocol/records.md
/// §3.11).
///
/// Subject: year u16 · ISO week u8. Value: rule u8 · game, a blob ≤ 40, empty for none · tail, ignored. A withdrawal
/// leaves the week to chance again.
public struct EventChoice: RecordValue {
    public static let kind = RecordKind.event.rawValue

    /// The first day of the week.
    public let monday: PuzzleDay
    public let plan: EventPlan

    /// - Parameter day: any day of the week.
    public init(weekOf day: PuzzleDay, _ plan: EventPlan) { (monday, self.plan) = (day.startOfWeek, plan) }

    public init(subject: [UInt8], value: [UInt8]) throws(WireError) {
        monday = try Self.monday(ofSubject: subject[...])
        var reader = WireReader(value)
        guard let rule = EventPlan.Rule(rawValue: try reader.readUInt8()) else { throw .invalidValue(field: "rule") }
        let name = try reader.readBlob(maximum: GameID.maximumLength)
        var game: GameID?
        if !name.isEmpty {
            game = String(validating: name, as: UTF8.self).flatMap { GameID($0) }
            if game == nil { throw .invalidValue(field: "game") }
        }
        guard let plan = EventPlan(rule, game: game) else { throw .invalidValue(field: "game") }
        self.plan = plan
    }

    public var recordSubject: [UInt8] { Self.recordSubject(of: monday) }

    public var recordValue: [UInt8] {
        var writer = WireWriter(reserving: 48)
        writer.write(plan.rule.rawValue)
        writer.writeText(plan.game?.rawValue ?? "")
        return writer.bytes
    }

    /// The subject under which a user chooses for a week, and takes the choice back.
    public static func recordSubject(of monday: PuzzleDay) -> [UInt8] {
        let week = monday.isoWeek
        var writer = WireWriter(reserving: 3)
        writer.write(UInt16(week.year))
        writer.write(UInt8(week.week))
        return writer.bytes
    }

    /// The first day of the week that a subject names.
    static func monday(ofSubject subject: ArraySlice<UInt8>) throws(WireError) -> PuzzleDay {
        var reader = WireReader(subject)
        let (year, week) = (Int(try reader.readUInt16()), Int(try reader.readUInt8()))
        guard let monday = PuzzleDay.monday(ofWeek: week, in: year) else { throw .invalidValue(field: "week") }
        guard reader.remainingCount == 0 else { throw .trailingBytes(count: reader.remainingCount) }
        return monday
    }

    /// Whether a record about a week comes after the week has begun. Such a record takes no part in merging, so that it
    /// cannot undo what its user chose in time.
    static func isTooLate(subject: ArraySlice<UInt8>, time: HybridTime) -> Bool {
        // A subject that names no week is never shown, whatever its value.
        guard let monday = try? monday(ofSubject: subject) else { return false }
        return time.milliseconds >= WeeklyEvent.start(of: monday) * 1_000
    }
}

extension EventPlan {
    private static let context = Array("streakmesh/v1/event".utf8) + [0]

    /// What chance gives a group for a week: the same on all nodes.
    public static func drawn(for group: GroupID, weekOf day: PuzzleDay) -> EventPlan {
        let hash = Blake2b.hash(context + group.bytes.array + EventChoice.recordSubject(of: day.startOfWeek))
        return drawn[Int(hash.first ?? 0) % drawn.count]
    }
}
