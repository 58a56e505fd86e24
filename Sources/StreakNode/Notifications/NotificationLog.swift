import StreakGames
import StreakWire

/// What one machine has told its user, in the private group's setting `told/DEVICE`: a day and how many notifications
/// were shown on it, u64 each, then the IDs of the entries that they told of, u64 each, the oldest first.
///
/// Only that machine writes it, so nothing is lost when two have told something without knowing of each other.
struct NotificationLog: Equatable, Sendable {
    /// As many as fit into a setting.
    static let maximumCount = 128

    private(set) var day: PuzzleDay = .earliest
    private var count = 0
    private(set) var ids: [UInt64] = []

    init() {}

    /// Nil for the value of a later version.
    init?(value: [UInt8]) {
        var reader = WireReader(value)
        guard value.count % 8 == 0, value.count <= 8 * (Self.maximumCount + 2),
            let day = try? reader.readUInt64(),  // What does not read is of another version.
            let count = try? reader.readUInt64()  // as above
        else { return nil }
        self.day = PuzzleDay(daysSinceEpoch: Int(clamping: day))
        self.count = Int(min(count, UInt64(NotificationPlan.most)))
        while let id = try? reader.readUInt64() { ids.append(id) }  // until the end
    }

    var value: [UInt8] {
        var writer = WireWriter(reserving: 8 * (ids.count + 2))
        writer.write(UInt64(clamping: day.daysSinceEpoch))
        writer.write(UInt64(clamping: count))
        for id in ids { writer.write(id) }
        return writer.bytes
    }

    /// How many were shown on a day. For a machine further east the next day may have begun.
    func count(on today: PuzzleDay) -> Int { (0...1).contains(today.days(until: day)) ? count : 0 }

    /// The same after some more were shown.
    func adding(_ shown: [[ActivityEntry]], on today: PuzzleDay) -> NotificationLog {
        var log = self
        log.count = count(on: today) + shown.count
        if count(on: today) == 0 { log.day = today }
        log.ids = Array((ids + shown.joined().map(\.id)).suffix(Self.maximumCount))
        return log
    }
}
