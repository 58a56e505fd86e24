import StreakCrypto
import StreakScores
import StreakWire

/// The winning results of one user in one game, by day or number.
///
/// A group of friends may have a million results, so one takes 40 bytes here. They are in leaves of a few hundred. A
/// new day is appended, and a history read backwards moves at most a leaf for each result.
struct ScoreSeries: Sendable {
    /// A result's key within its user and game: the axis, then the day's or the puzzle's number.
    struct Key: Hashable, Comparable, Sendable {
        private let rawValue: UInt64

        private static let axisShift: UInt64 = 48

        /// Nil for an axis or number that no result has (Protocol/records.md §3.1).
        init?(axis: UInt8, number: UInt64) {
            guard axis < 2, number <= DailyScore.maximumNumber else { return nil }
            rawValue = UInt64(axis) << Self.axisShift | number
        }

        var axis: UInt8 { UInt8(truncatingIfNeeded: rawValue >> Self.axisShift) }
        var number: UInt64 { rawValue & (1 << Self.axisShift - 1) }

        static func < (left: Key, right: Key) -> Bool { left.rawValue < right.rawValue }
    }

    /// A winner without its value.
    struct Stamp: Sendable {
        var time: HybridTime
        /// The writer's index in the group's table of devices.
        var device: UInt32
    }

    private struct Entry: Sendable {
        var key: Key
        var stamp: Stamp
        var value: ShortBytes
    }

    /// The game's ID as in records.
    let game: [UInt8]
    private var leaves: [[Entry]] = []
    /// Values too long for an entry.
    private var longValues: [Key: [UInt8]] = [:]
    /// The record hashes of winners with a tail. All other hashes can be computed from the entry.
    private var hashes: [Key: Bytes32] = [:]
    /// Contests of keys with several records. A single contending record has only its entry.
    private var contests: [Key: ScoreContest] = [:]
    private(set) var count = 0

    private static let leafSize = 256

    init(game: [UInt8]) { self.game = game }

    /// The place of a key, or where it would be inserted.
    struct Place {
        fileprivate var leaf: Int
        fileprivate var index: Int
        fileprivate(set) var isTaken: Bool
    }

    /// O(log n).
    func place(of key: Key) -> Place {
        guard let last = leaves.last, let end = last.last else { return Place(leaf: 0, index: 0, isTaken: false) }
        if end.key < key { return Place(leaf: leaves.count - 1, index: last.count, isTaken: false) }
        let leaf = leaves.partitioningIndex { ($0.last?.key ?? key) >= key }
        let index = leaves[leaf].partitioningIndex { $0.key >= key }
        return Place(leaf: leaf, index: index, isTaken: leaves[leaf][index].key == key)
    }

    /// Requires a taken place.
    func stamp(at place: Place) -> Stamp { leaves[place.leaf][place.index].stamp }

    /// Requires a taken place.
    func value(at place: Place) -> [UInt8] { value(of: leaves[place.leaf][place.index]) }

    private func value(of entry: Entry) -> [UInt8] { entry.value.bytes ?? longValues[entry.key] ?? [] }

    /// The hash of the winning record at a taken place.
    func recordHash(at place: Place) -> Bytes32 {
        let entry = leaves[place.leaf][place.index]
        if let hash = hashes[entry.key] { return hash }
        let record = Record(
            kind: .dailyScore, time: entry.stamp.time, subject: subject(of: entry.key), value: value(of: entry))
        return Bytes32(hashing: record.encoded[...])
    }

    /// Whether the winner at a taken place contends, or several records do.
    func isContested(at place: Place) -> Bool {
        let entry = leaves[place.leaf][place.index]
        if let first = entry.value.first ?? longValues[entry.key]?.first, DailyScore.mayContend(first) { return true }
        return !contests.isEmpty && contests[entry.key] != nil
    }

    /// Adds a record to the contest for a taken place. Returns the new winner; nil if it is unchanged.
    mutating func contest(at place: Place, with record: RankedRecord, devices: DeviceTable) -> RankedRecord? {
        let key = leaves[place.leaf][place.index].key
        let subject = subject(of: key)
        // Taken out of the dictionary, so that it is changed in place.
        var contest =
            contests.removeValue(forKey: key)
            ?? ScoreContest(standing(at: place), of: subject, devices: devices)
        let before = contest.winner
        contest.insert(record, of: subject, devices: devices)
        let winner = contest.winner
        if contest.isOpen { contests[key] = contest }
        guard !winner.isSame(as: before) else { return nil }
        set(
            key, at: place, stamp: Stamp(time: winner.time, device: winner.device), value: winner.value[...],
            hash: nil)
        if recordHash(at: place) != winner.hash { hashes[key] = winner.hash }
        return winner
    }

    /// The winner at a taken place.
    private func standing(at place: Place) -> RankedRecord {
        let stamp = stamp(at: place)
        return RankedRecord(
            time: stamp.time, device: stamp.device, hash: recordHash(at: place), value: value(at: place))
    }

    /// The number of keys for which several records contend.
    var contestCount: Int { contests.count }

    /// The subject of a record with this key.
    func subject(of key: Key) -> [UInt8] {
        var subject: [UInt8] = []
        subject.reserveCapacity(8 + game.count)
        subject.append(key.axis)
        subject.appendVarint(key.number)
        subject.append(contentsOf: game)
        return subject
    }

    /// Stores a result at the place of its key. O(log n) at the end, otherwise moves up to a leaf.
    ///
    /// - Parameter hash: the record's hash, if it cannot be computed.
    mutating func set(_ key: Key, at place: Place, stamp: Stamp, value: ArraySlice<UInt8>, hash: Bytes32?) {
        let short = ShortBytes(value)
        let entry = Entry(key: key, stamp: stamp, value: short ?? .elsewhere)
        if place.isTaken {
            longValues[key] = nil
            hashes[key] = nil
            leaves[place.leaf][place.index] = entry
        } else {
            insert(entry, at: place)
        }
        if short == nil { longValues[key] = Array(value) }
        if let hash { hashes[key] = hash }
    }

    private mutating func insert(_ entry: Entry, at place: Place) {
        count += 1
        guard !leaves.isEmpty else {
            leaves.append([entry])
            return
        }
        leaves[place.leaf].makeRoom()
        leaves[place.leaf].insert(entry, at: place.index)
        guard leaves[place.leaf].count > Self.leafSize else { return }
        // A series that grows at its end has full leaves.
        let isAppended = place.leaf == leaves.count - 1 && place.index == Self.leafSize
        let kept = isAppended ? Self.leafSize : Self.leafSize / 2
        let rest = Array(leaves[place.leaf][kept...])
        leaves[place.leaf].removeSubrange(kept...)
        leaves.insert(rest, at: place.leaf + 1)
    }

    /// Every winner, by key.
    func forEach(_ body: (Key, Stamp, [UInt8]) -> Void) {
        for leaf in leaves {
            for entry in leaf { body(entry.key, entry.stamp, value(of: entry)) }
        }
    }

    /// The same, with each value in a buffer that the next one reuses.
    func forEachInPlace(_ body: (Key, HybridTime, ArraySlice<UInt8>) -> Void) {
        var buffer: [UInt8] = []
        buffer.reserveCapacity(ShortBytes.maximumCount)
        for leaf in leaves {
            for entry in leaf {
                if entry.value.write(to: &buffer) {
                    body(entry.key, entry.stamp.time, buffer[...])
                } else {
                    body(entry.key, entry.stamp.time, (longValues[entry.key] ?? [])[...])
                }
            }
        }
    }

    /// The number of keys with a value.
    var valueCount: Int {
        leaves.reduce(0) { sum, leaf in sum + leaf.count { !$0.value.isEmpty } }
    }
}

/// Up to fifteen bytes, stored inline.
private struct ShortBytes: Sendable {
    private var high: UInt64 = 0
    /// The rest of the bytes. The lowest eight bits have their number.
    private var low: UInt64 = 0

    static let maximumCount = 15

    /// Marks bytes that are stored elsewhere because they do not fit.
    static var elsewhere: ShortBytes {
        var marker = ShortBytes()
        marker.low = 0xFF
        return marker
    }

    private init() {}

    /// Nil for more than fifteen bytes.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count <= Self.maximumCount else { return nil }
        for (index, byte) in bytes.enumerated() {
            if index < 8 {
                high |= UInt64(byte) << UInt64(56 - 8 * index)
            } else {
                low |= UInt64(byte) << UInt64(56 - 8 * (index - 8))
            }
        }
        low |= UInt64(bytes.count)
    }

    var isEmpty: Bool { low & 0xFF == 0 }

    /// Nil if empty, or if the bytes are stored elsewhere.
    var first: UInt8? { isEmpty || low & 0xFF == 0xFF ? nil : UInt8(truncatingIfNeeded: high >> 56) }

    /// Nil if the bytes are stored elsewhere.
    var bytes: [UInt8]? {
        var bytes: [UInt8] = []
        return write(to: &bytes) ? bytes : nil
    }

    /// Replaces the contents of `buffer` with these bytes. False if they are stored elsewhere.
    func write(to buffer: inout [UInt8]) -> Bool {
        let count = Int(low & 0xFF)
        guard count <= Self.maximumCount else { return false }
        buffer.removeAll(keepingCapacity: true)
        for index in 0..<count {
            let word = index < 8 ? high : low
            buffer.append(UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * (index & 7))))
        }
        return true
    }
}

extension Array {
    /// Grows by a quarter instead of doubling, because there are thousands of these and most grow by one a day.
    fileprivate mutating func makeRoom() {
        if count == capacity { reserveCapacity(count + count / 4 + 4) }
    }

    /// The first index for whose element `isSecond` is true; it must be true for all after that.
    fileprivate func partitioningIndex(where isSecond: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isSecond(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
