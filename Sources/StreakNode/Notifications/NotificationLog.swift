import StreakGames
import StreakWire

/// What one machine has told its user, in the private group's setting `told/DEVICE`: a day, how many notifications were
/// shown on it, and a moment in Unix seconds, u64 each, then the IDs of the entries that they told of, u64 each, the
/// oldest first. All entries until the moment count as told.
///
/// Only that machine writes it, so nothing is lost when two have told something without knowing of each other.
struct NotificationLog: Equatable, Sendable {
    /// As many as fit into a setting.
    static let maximumCount = 127

    private(set) var day: PuzzleDay = .earliest
    private var count = 0
    private(set) var moment: Int64 = 0
    private(set) var ids: [UInt64] = []

    init() {}

    /// Nil for the value of a later version.
    init?(value: [UInt8]) {
        var reader = WireReader(value)
        guard value.count % 8 == 0, value.count <= 8 * (Self.maximumCount + 3),
            let day = try? reader.readUInt64(),  // What does not read is of another version.
            let count = try? reader.readUInt64(), let moment = try? reader.readUInt64()  // as above
        else { return nil }
        self.day = PuzzleDay(daysSinceEpoch: Int(clamping: day))
        self.count = Int(min(count, UInt64(NotificationPlan.most)))
        self.moment = Int64(clamping: moment)
        while let id = try? reader.readUInt64() { ids.append(id) }  // until the end
    }

    var value: [UInt8] {
        var writer = WireWriter(reserving: 8 * (ids.count + 3))
        writer.write(UInt64(clamping: day.daysSinceEpoch))
        writer.write(UInt64(clamping: count))
        writer.write(UInt64(clamping: moment))
        for id in ids { writer.write(id) }
        return writer.bytes
    }

    /// How many were shown on a day. For a machine further east the next day may have begun.
    func count(on today: PuzzleDay) -> Int { (0...1).contains(today.days(until: day)) ? count : 0 }

    /// Whether an entry was told of. A moment of a clock that was days ahead stands for nothing.
    ///
    /// - Parameter now: Unix seconds.
    func hasTold(_ entry: ActivityEntry, at now: Int64) -> Bool {
        entry.at <= moment && moment <= now + 86_400 || ids.contains(entry.id)
    }

    /// The same after all that was to tell was shown.
    ///
    /// - Parameter now: Unix seconds.
    func adding(_ shown: [[ActivityEntry]], on today: PuzzleDay, at now: Int64) -> NotificationLog {
        var log = self
        log.count = count(on: today) + shown.count
        if count(on: today) == 0 { log.day = today }
        log.ids = ids + shown.joined().map(\.id)
        // A moment stands for too many. None of them may be told again.
        if log.ids.count > Self.maximumCount {
            (log.moment, log.ids) = (shown.joined().map(\.at).reduce(now, max), [])
        }
        return log
    }
}
