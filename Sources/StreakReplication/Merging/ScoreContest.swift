import StreakScores
import StreakWire

/// A record in the form that merging compares.
struct RankedRecord: Sendable {
    var time: HybridTime
    /// The writer's index in the group's table of devices.
    var device: UInt32
    var hash: Bytes32
    var value: [UInt8]

    init(time: HybridTime, device: UInt32, hash: Bytes32, value: [UInt8]) {
        self.time = time
        self.device = device
        self.hash = hash
        self.value = value
    }

    init(_ record: RecordView, device: UInt32) {
        self.init(
            time: record.time, device: device, hash: Bytes32(hashing: record.bytes), value: Array(record.value))
    }

    func beats(_ other: RankedRecord, in devices: DeviceTable) -> Bool {
        if time != other.time { return time > other.time }
        if device != other.device { return devices[device] > devices[other.device] }
        return hash > other.hash
    }

    func isSame(as other: RankedRecord) -> Bool {
        (time, device, hash) == (other.time, other.device, other.hash)
    }
}

/// Chooses among several records for one result. The choice depends only on which records there are, not on the order of
/// their arrival (Protocol/records.md §8).
///
/// Needed only if several records take part. A single one takes 43 bytes like any result. Two take about 330 for their
/// key, and 64 take between 70 and 115 each, depending on whether their scores rise or fall (100,000 records, release
/// build).
public struct ScoreContest: Sendable {
    /// The most contenders for one result. If there are more, only the latest ones take part. This bounds the work,
    /// however many records somebody writes.
    public static let maximumContenders = 64

    private struct Entry: Sendable {
        /// Its value is left out if a later contender is worth as much. The later one is never removed before this one, so
        /// this one cannot win, and only its place in the order matters.
        var record: RankedRecord
        var worth: Int
    }

    /// The participants, earliest first.
    private var entries: [Entry] = []
    /// Whether the first entry is a settling record. All others are contenders.
    private var beginsSettled = false

    /// - Parameter standing: the winner before a second record took part.
    init(_ standing: RankedRecord, of subject: [UInt8], devices: DeviceTable) {
        insert(standing, of: subject, devices: devices)
    }

    /// Whether several records take part.
    var isOpen: Bool { entries.count > 1 }

    private var firstContender: Int { beginsSettled ? 1 : 0 }

    mutating func insert(_ record: RankedRecord, of subject: [UInt8], devices: DeviceTable) {
        let place = entries.firstIndex { !record.beats($0.record, in: devices) } ?? entries.endIndex
        if entries.indices ~= place, entries[place].record.isSame(as: record) { return }
        guard place >= firstContender else { return }  // already settled
        let standing = DailyScore.standing(subject: subject, value: record.value, time: record.time)
        var entry = Entry(record: record, worth: standing.worth)
        guard standing.contends else {
            entries.replaceSubrange(..<place, with: CollectionOfOne(entry))
            beginsSettled = true
            return
        }
        for index in firstContender..<place where entries[index].worth <= entry.worth {
            entries[index].record.value = []
        }
        if entries[place...].contains(where: { $0.worth >= entry.worth }) { entry.record.value = [] }
        entries.insert(entry, at: place)
        if entries.count - firstContender > Self.maximumContenders { entries.remove(at: firstContender) }
    }

    /// The best one; of equals, the latest.
    var winner: RankedRecord {
        var best = entries[0]
        for entry in entries where entry.worth >= best.worth { best = entry }
        return best.record
    }
}
