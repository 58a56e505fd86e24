import StreakCrypto
import StreakScores
public import StreakWire

/// What a record is about, within a group: the key of the last-writer-wins map.
public struct RecordKey: Hashable, Comparable, Sendable {
    public let user: UserID
    public let kind: UInt8
    public let subject: [UInt8]

    public init(user: UserID, kind: UInt8, subject: [UInt8]) {
        self.user = user
        self.kind = kind
        self.subject = subject
    }

    public static func < (left: RecordKey, right: RecordKey) -> Bool {
        if left.user != right.user { return left.user < right.user }
        if left.kind != right.kind { return left.kind < right.kind }
        return left.subject.lexicographicallyPrecedes(right.subject)
    }
}

/// A key's winning value; empty where the subject is withdrawn.
public struct MergedRecord: Hashable, Sendable {
    public let key: RecordKey
    public let value: [UInt8]
    public let time: HybridTime

    public init(key: RecordKey, value: [UInt8], time: HybridTime) {
        self.key = key
        self.value = value
        self.time = time
    }
}

/// The last-writer-wins map of a group: for every key the record with the largest (time, device, record hash), or the
/// best of those that contend (Protocol/records.md §8).
///
/// The outcome does not depend on the order in which records come, nor on how often. Records whose time lies more than
/// ten minutes ahead are held back until their time has come.
public struct MergedRecords: Sendable {
    /// Results, which are nearly all there is.
    private var scores: [UserID: UserScores] = [:]
    private var devices = DeviceTable()
    /// Everything else, and results whose subject does not read as one.
    private var others: [RecordKey: RankedRecord] = [:]
    private var quarantine: Quarantine

    public init() { self.init(quarantineCapacity: Quarantine.defaultCapacity) }

    /// - Parameter quarantineCapacity: see `Quarantine`.
    init(quarantineCapacity: Int) { quarantine = Quarantine(capacity: quarantineCapacity) }

    /// How many records are held until their time comes. O(n).
    public var quarantinedCount: Int { quarantine.count }

    /// How many keys hold a value.
    public var count: Int {
        scores.values.reduce(others.values.count { !$0.value.isEmpty }) { $0 + $1.valueCount }
    }

    /// For how many keys several records contend: each takes more room than one result.
    var contestCount: Int { scores.values.reduce(0) { $0 + $1.contestCount } }

    /// How many of them are a device's. O(n).
    public func quarantinedCount(of device: DeviceID) -> Int { quarantine.count(of: device) }

    /// When the next quarantined record that is held may be merged, in wall-clock milliseconds.
    public var nextRelease: Int64? { quarantine.nextRelease }

    /// When the first record may be merged for which the quarantine had no room, in wall-clock milliseconds; nil where
    /// there was room for all.
    public var firstOmitted: Int64? { quarantine.firstOmitted }

    /// The devices of such records, whose records have to be merged again, all of them; nothing that stands changes by it.
    public mutating func takeOmissions() -> Set<DeviceID> { quarantine.takeOmissions() }

    // MARK: Merging

    /// Merges records of one device in turn and has `clock` take note of their times. Returns the new values of keys, which
    /// for a key that several of them are about is more than one. O(log n) each. What is no record is passed over.
    public mutating func merge(
        _ records: some Sequence<ArraySlice<UInt8>>, user: UserID, device: DeviceID, wallMilliseconds: Int64,
        clock: inout HybridClock
    ) -> [MergedRecord] {
        var changes: [MergedRecord] = []
        mergeEach(records, user: user, device: device, wallMilliseconds: wallMilliseconds, clock: &clock) { change in
            changes.append(change.told(of: user))
        }
        return changes
    }

    /// As `merge`, for records that nobody needs to be told of.
    public mutating func restore(
        _ records: some Sequence<ArraySlice<UInt8>>, user: UserID, device: DeviceID, wallMilliseconds: Int64,
        clock: inout HybridClock
    ) {
        mergeEach(records, user: user, device: device, wallMilliseconds: wallMilliseconds, clock: &clock) { _ in }
    }

    private mutating func mergeEach(
        _ records: some Sequence<ArraySlice<UInt8>>, user: UserID, device: DeviceID, wallMilliseconds: Int64,
        clock: inout HybridClock, changed: (Change) -> Void
    ) {
        for bytes in records {
            guard let record = try? RecordView(decoding: bytes) else { continue }  // was checked on arrival
            clock.witness(record.time, wallMilliseconds: wallMilliseconds)
            if let change = merge(record, user: user, device: device, wallMilliseconds: wallMilliseconds) {
                changed(change)
            }
        }
    }

    /// How a record changed what its key stands at.
    private struct Change {
        let record: RecordView
        /// What stands now, where it is not the record itself.
        var standing: (value: [UInt8], time: HybridTime)?

        func told(of user: UserID) -> MergedRecord {
            MergedRecord(
                key: RecordKey(user: user, kind: record.kind, subject: Array(record.subject)),
                value: standing?.value ?? Array(record.value), time: standing?.time ?? record.time)
        }
    }

    /// Merges one record. Nil where its key stands as before.
    private mutating func merge(
        _ record: RecordView, user: UserID, device: DeviceID, wallMilliseconds: Int64
    ) -> Change? {
        guard record.time.milliseconds - HybridClock.maximumLead <= wallMilliseconds else {
            quarantine.insert(record, user: user, device: device)
            return nil
        }
        if record.kind == RecordKind.dailyScore.rawValue, let subject = DailyScoreSubject(record.subject) {
            return merge(record, as: subject, user: user, device: device)
        }
        let key = RecordKey(user: user, kind: record.kind, subject: Array(record.subject))
        let position = devices.position(of: device)
        let new = RankedRecord(record, device: position)
        if let current = others[key], !new.beats(current, in: devices) { return nil }
        others[key] = new
        return Change(record: record)
    }

    private mutating func merge(
        _ record: RecordView, as subject: DailyScoreSubject, user: UserID, device: DeviceID
    ) -> Change? {
        let position = devices.position(of: device)
        let devices = devices
        return scores[user, default: UserScores()].withSeries(of: subject.game) { series in
            let place = series.place(of: subject.key)
            if place.isTaken {
                if series.isContested(at: place) || DailyScore.mayContend(record.value) {
                    let new = RankedRecord(record, device: position)
                    guard let best = series.contest(at: place, with: new, devices: devices) else { return nil }
                    return Change(record: record, standing: (best.value, best.time))
                }
                let current = series.stamp(at: place)
                guard record.time >= current.time else { return nil }
                if record.time == current.time {
                    let other = devices[current.device]
                    guard device >= other else { return nil }
                    // The record itself among them. Only a device that lies, or wrote in two epochs at once, has two.
                    if device == other, Bytes32(hashing: record.bytes) <= series.recordHash(at: place) { return nil }
                }
            }
            series.set(
                subject.key, at: place, stamp: .init(time: record.time, device: position), value: record.value,
                hash: record.tail.isEmpty ? nil : Bytes32(hashing: record.bytes))
            return Change(record: record)
        }
    }

    /// Merges the quarantined records whose time has come, in one order everywhere. O(log n) each, and for those that stay
    /// nothing.
    public mutating func release(wallMilliseconds: Int64) -> [MergedRecord] {
        var changes: [MergedRecord] = []
        while let due = quarantine.popDue(wallMilliseconds: wallMilliseconds) {
            // It was read when it came.
            guard let record = try? RecordView(decoding: due.bytes[...]) else { continue }
            let change = merge(record, user: due.user, device: due.device, wallMilliseconds: wallMilliseconds)
            if let change { changes.append(change.told(of: due.user)) }
        }
        return changes
    }

    // MARK: Reading

    /// The winning record of a key; its value is empty where it is withdrawn, nil where there never was one.
    public func record(_ key: RecordKey) -> MergedRecord? {
        if key.kind == RecordKind.dailyScore.rawValue, let subject = DailyScoreSubject(key.subject[...]) {
            guard let series = scores[key.user]?.series(of: subject.game) else { return nil }
            let place = series.place(of: subject.key)
            guard place.isTaken else { return nil }
            return MergedRecord(key: key, value: series.value(at: place), time: series.stamp(at: place).time)
        }
        return others[key].map { MergedRecord(key: key, value: $0.value, time: $0.time) }
    }

    /// Calls `body` with every winning record: user by user, results game by game in the order of their days, then the
    /// others in the order of their keys. The same for whoever holds the same.
    public func forEach(_ body: (MergedRecord) -> Void) {
        var keys: [UserID: [RecordKey]] = [:]
        // In any order: they are sorted below.
        for key in others.keys { keys[key.user, default: []].append(key) }
        for user in Set(scores.keys).union(keys.keys).sorted() {
            for series in scores[user]?.sorted ?? [] {
                series.forEach { key, stamp, value in
                    let key = RecordKey(
                        user: user, kind: RecordKind.dailyScore.rawValue, subject: series.subject(of: key))
                    body(MergedRecord(key: key, value: value, time: stamp.time))
                }
            }
            for key in (keys[user] ?? []).sorted() {
                if let winner = others[key] { body(MergedRecord(key: key, value: winner.value, time: winner.time)) }
            }
        }
    }

    /// The winning records of a kind other than results, in the order of their keys. O(number of all that are no results).
    public func all(of kind: RecordKind) -> [MergedRecord] {
        others.keys.filter { $0.kind == kind.rawValue }.sorted().compactMap { key in
            others[key].map { MergedRecord(key: key, value: $0.value, time: $0.time) }
        }
    }

    /// Every winning record, in the order of `forEach`.
    public var all: [MergedRecord] {
        var all: [MergedRecord] = []
        forEach { all.append($0) }
        return all
    }
}

/// What a result's record is about, read in place: axis u8 · varint · game, the rest (Protocol/records.md §3.1).
struct DailyScoreSubject {
    let key: ScoreSeries.Key
    let game: ArraySlice<UInt8>

    /// Nil for bytes that are no result's subject, or would not be written back as they are.
    init?(_ bytes: ArraySlice<UInt8>) {
        var reader = WireReader(bytes)
        // What does not read is kept as it is, like records of kinds to come.
        guard let axis = try? reader.readUInt8(), let number = try? reader.readVarint(),
            let key = ScoreSeries.Key(axis: axis, number: number)
        else { return nil }
        self.key = key
        game = bytes.suffix(reader.remainingCount)
    }
}

/// All of one user's results.
private struct UserScores: Sendable {
    private var series: [ScoreSeries] = []
    private var positions: [[UInt8]: Int] = [:]
    /// The game of the last record.
    private var latest = 0

    /// In the order of their games.
    var sorted: [ScoreSeries] { series.sorted { $0.game.lexicographicallyPrecedes($1.game) } }

    var valueCount: Int { series.reduce(0) { $0 + $1.valueCount } }

    var contestCount: Int { series.reduce(0) { $0 + $1.contestCount } }

    func series(of game: ArraySlice<UInt8>) -> ScoreSeries? { positions[Array(game)].map { series[$0] } }

    mutating func withSeries<Outcome>(of game: ArraySlice<UInt8>, _ body: (inout ScoreSeries) -> Outcome) -> Outcome {
        latest = position(of: game)
        return body(&series[latest])
    }

    private mutating func position(of game: ArraySlice<UInt8>) -> Int {
        // A day's results follow one another in an order that people keep to, a game's history in that of its days.
        let next = latest + 1 < series.count ? latest + 1 : 0
        for guess in [next, latest] where series.indices.contains(guess) && series[guess].game[...] == game {
            return guess
        }
        let name = Array(game)
        if let position = positions[name] { return position }
        positions[name] = series.count
        series.append(ScoreSeries(game: name))
        return series.count - 1
    }
}

/// The devices whose records were merged, so that a result names its writer in four bytes.
struct DeviceTable: Sendable {
    private var devices: [DeviceID] = []
    private var positions: [DeviceID: UInt32] = [:]

    subscript(position: UInt32) -> DeviceID { devices[Int(position)] }

    mutating func position(of device: DeviceID) -> UInt32 {
        if let position = positions[device] { return position }
        let position = UInt32(devices.count)
        devices.append(device)
        positions[device] = position
        return position
    }
}

extension Bytes32 {
    /// The BLAKE2b-256 digest of `bytes`.
    init(hashing bytes: ArraySlice<UInt8>) {
        let words = Blake2b.words(bytes)
        self.init(words.0, words.1, words.2, words.3)
    }
}
