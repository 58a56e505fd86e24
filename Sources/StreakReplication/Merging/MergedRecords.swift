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

/// A key's winning value; empty if the subject is withdrawn.
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
/// ten minutes ahead are held back until their time has come. Choices of an event that has begun take no part.
public struct MergedRecords: Sendable {
    /// Results, which are nearly all records.
    private var scores: [UserID: UserScores] = [:]
    private var devices = DeviceTable()
    /// All other records, and results with an unreadable subject.
    private var others: [RecordKey: RankedRecord] = [:]
    private var quarantine: Quarantine

    public init() { self.init(quarantineCapacity: Quarantine.defaultCapacity) }

    /// - Parameter quarantineCapacity: see `Quarantine`.
    init(quarantineCapacity: Int) { quarantine = Quarantine(capacity: quarantineCapacity) }

    /// How many records are held until their time comes. O(n).
    public var quarantinedCount: Int { quarantine.count }

    /// The number of keys that have a value.
    public var count: Int {
        scores.values.reduce(others.values.count { !$0.value.isEmpty }) { $0 + $1.valueCount }
    }

    /// The number of keys for which several records contend. Each takes more memory than one result.
    var contestCount: Int { scores.values.reduce(0) { $0 + $1.contestCount } }

    /// How many of a device's records are held. O(n).
    public func quarantinedCount(of device: DeviceID) -> Int { quarantine.count(of: device) }

    /// When the next held record may be merged, in wall-clock milliseconds.
    public var nextRelease: Int64? { quarantine.nextRelease }

    /// When the first record may be merged that did not fit into the quarantine, in wall-clock milliseconds; nil if all
    /// fit.
    public var firstOmitted: Int64? { quarantine.firstOmitted }

    /// Returns and forgets the devices of omitted records. All records of these devices must be merged again, which
    /// does not change merged ones.
    public mutating func takeOmissions() -> Set<DeviceID> { quarantine.takeOmissions() }

    // MARK: Merging

    /// Merges records of one device in order, and lets `clock` witness their times. Returns the keys' new values; a key
    /// can occur several times. O(log n) each. Skips bytes that are not a record.
    public mutating func merge(
        _ records: some Sequence<ArraySlice<UInt8>>, user: UserID, device: DeviceID, wallMilliseconds: Int64,
        clock: inout HybridClock
    ) -> [MergedRecord] {
        var changes: [MergedRecord] = []
        mergeEach(records, user: user, device: device, wallMilliseconds: wallMilliseconds, clock: &clock) {
            if let change = $1.change($0, of: user) { changes.append(change) }
        }
        return changes
    }

    /// As `merge`, without reporting new values.
    public mutating func restore(
        _ records: some Sequence<ArraySlice<UInt8>>, user: UserID, device: DeviceID, wallMilliseconds: Int64,
        clock: inout HybridClock
    ) {
        mergeEach(records, user: user, device: device, wallMilliseconds: wallMilliseconds, clock: &clock) { _, _ in }
    }

    private mutating func mergeEach(
        _ records: some Sequence<ArraySlice<UInt8>>, user: UserID, device: DeviceID, wallMilliseconds: Int64,
        clock: inout HybridClock, merged: (RecordView, Outcome) -> Void
    ) {
        withWriter(device, of: user) { store, writer in
            for bytes in records {
                guard let record = try? RecordView(decoding: bytes) else { continue }  // was checked on arrival
                clock.witness(record.time, wallMilliseconds: wallMilliseconds)
                merged(record, store.merge(record, of: &writer, wallMilliseconds: wallMilliseconds))
            }
        }
    }

    /// The effect of a record on its key.
    private enum Outcome {
        /// The value before still wins.
        case nothing
        /// The record wins.
        case stands
        /// The value changes, but to another than the record's.
        case moved(value: [UInt8], time: HybridTime)

        func change(_ record: RecordView, of user: UserID) -> MergedRecord? {
            func merged(_ value: [UInt8], _ time: HybridTime) -> MergedRecord {
                MergedRecord(
                    key: RecordKey(user: user, kind: record.kind, subject: Array(record.subject)), value: value,
                    time: time)
            }
            return switch self {
            case .nothing: nil
            case .stands: merged(Array(record.value), record.time)
            case .moved(let value, let time): merged(value, time)
            }
        }
    }

    /// The author of records to merge, and where their results go.
    private struct Writer {
        let user: UserID
        let device: DeviceID
        /// Index in the table of devices.
        let position: UInt32
        var scores: UserScores
    }

    /// Runs `work` with a user's results taken out of the table, so that they are changed in place and looked up once
    /// for a whole history.
    private mutating func withWriter<Result>(
        _ device: DeviceID, of user: UserID, _ work: (inout MergedRecords, inout Writer) -> Result
    ) -> Result {
        var writer = Writer(
            user: user, device: device, position: devices.position(of: device),
            scores: scores.removeValue(forKey: user) ?? UserScores())
        defer { if !writer.scores.isEmpty { scores[user] = writer.scores } }
        return work(&self, &writer)
    }

    private mutating func merge(
        _ record: RecordView, of writer: inout Writer, wallMilliseconds: Int64
    ) -> Outcome {
        guard record.time.milliseconds - HybridClock.maximumLead <= wallMilliseconds else {
            quarantine.insert(record, user: writer.user, device: writer.device)
            return .nothing
        }
        writer.scores.latest = max(writer.scores.latest, record.time)
        if record.kind == RecordKind.dailyScore.rawValue, let subject = DailyScoreSubject(record.subject) {
            return merge(record, as: subject, of: &writer)
        }
        if record.kind == EventChoice.kind, EventChoice.isTooLate(subject: record.subject, time: record.time) {
            return .nothing
        }
        let key = RecordKey(user: writer.user, kind: record.kind, subject: Array(record.subject))
        let new = RankedRecord(record, device: writer.position)
        if let current = others[key], !new.beats(current, in: devices) { return .nothing }
        others[key] = new
        return .stands
    }

    private func merge(
        _ record: RecordView, as subject: DailyScoreSubject, of writer: inout Writer
    ) -> Outcome {
        let (device, position) = (writer.device, writer.position)
        return writer.scores.withSeries(of: subject.game) { series in
            let place = series.place(of: subject.key)
            if place.isTaken {
                if series.isContested(at: place) || DailyScore.mayContend(record.value) {
                    let new = RankedRecord(record, device: position)
                    guard let best = series.contest(at: place, with: new, devices: devices) else { return .nothing }
                    return .moved(value: best.value, time: best.time)
                }
                let current = series.stamp(at: place)
                guard record.time >= current.time else { return .nothing }
                if record.time == current.time {
                    let other = devices[current.device]
                    guard device >= other else { return .nothing }
                    // The winning record itself may come again. Only a lying device, or one that wrote in two epochs at
                    // once, has two different ones.
                    if device == other, Bytes32(hashing: record.bytes) <= series.recordHash(at: place) {
                        return .nothing
                    }
                }
            }
            series.set(
                subject.key, at: place, stamp: .init(time: record.time, device: position), value: record.value,
                hash: record.hasTail ? Bytes32(hashing: record.bytes) : nil)
            return .stands
        }
    }

    /// Merges the held records whose time has come, in an order that is the same everywhere. O(log n) each; those that
    /// stay cost nothing.
    public mutating func release(wallMilliseconds: Int64) -> [MergedRecord] {
        var changes: [MergedRecord] = []
        while let due = quarantine.popDue(wallMilliseconds: wallMilliseconds) {
            // It was read on arrival.
            guard let record = try? RecordView(decoding: due.bytes[...]) else { continue }
            let outcome = withWriter(due.device, of: due.user) { store, writer in
                store.merge(record, of: &writer, wallMilliseconds: wallMilliseconds)
            }
            if let change = outcome.change(record, of: due.user) { changes.append(change) }
        }
        return changes
    }

    // MARK: Reading

    /// When a user last wrote: the latest time of any merged record, whether or not it won. Nil for none.
    public func latest(of user: UserID) -> HybridTime? { scores[user]?.latest }

    /// A key's winning record. Its value is empty if it is withdrawn; nil if there never was one.
    public func record(_ key: RecordKey) -> MergedRecord? {
        if key.kind == RecordKind.dailyScore.rawValue, let subject = DailyScoreSubject(key.subject[...]) {
            guard let series = scores[key.user]?.series(of: subject.game) else { return nil }
            let place = series.place(of: subject.key)
            guard place.isTaken else { return nil }
            return MergedRecord(key: key, value: series.value(at: place), time: series.stamp(at: place).time)
        }
        return others[key].map { MergedRecord(key: key, value: $0.value, time: $0.time) }
    }

    /// The device that wrote a key's winning record; nil if there never was one.
    public func writer(of key: RecordKey) -> DeviceID? {
        if key.kind == RecordKind.dailyScore.rawValue, let subject = DailyScoreSubject(key.subject[...]) {
            guard let series = scores[key.user]?.series(of: subject.game) else { return nil }
            let place = series.place(of: subject.key)
            return place.isTaken ? devices[series.stamp(at: place).device] : nil
        }
        return others[key].map { devices[$0.device] }
    }

    /// Calls `results` with each user's results of each game, and `other` with every other winning record: user by
    /// user, results game by game, then the others in the order of their keys. Nodes with the same records get the same
    /// order.
    public func forEach(results: (StandingResults) -> Void, other: (MergedRecord) -> Void) {
        var keys: [UserID: [RecordKey]] = [:]
        // In any order: they are sorted below.
        for key in others.keys { keys[key.user, default: []].append(key) }
        for user in Set(scores.keys).union(keys.keys).sorted() {
            for series in scores[user]?.sorted ?? [] { results(StandingResults(user: user, series: series)) }
            for key in (keys[user] ?? []).sorted() {
                if let winner = others[key] { other(MergedRecord(key: key, value: winner.value, time: winner.time)) }
            }
        }
    }

    /// Calls `body` with every winning record, in the order of the other `forEach`; results by day.
    public func forEach(_ body: (MergedRecord) -> Void) { forEach(results: { $0.forEachRecord(body) }, other: body) }

    /// The winning records of a kind other than results, by key. O(number of all records that are not results).
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

/// A result's subject, read in place: axis u8 · varint · game, the rest (Protocol/records.md §3.1).
struct DailyScoreSubject {
    let key: ScoreSeries.Key
    let game: ArraySlice<UInt8>

    /// Nil if the bytes are not a result's subject, or not in its canonical form.
    init?(_ bytes: ArraySlice<UInt8>) {
        var reader = WireReader(bytes)
        // An unreadable subject is kept unchanged, like records of unknown kinds.
        guard let axis = try? reader.readUInt8(), let number = try? reader.readVarint(),
            let key = ScoreSeries.Key(axis: axis, number: number)
        else { return nil }
        self.key = key
        game = bytes.suffix(reader.remainingCount)
    }
}

/// All results of one user, and when the user last wrote anything.
private struct UserScores: Sendable {
    private var series: [ScoreSeries] = []
    private var positions: [[UInt8]: Int] = [:]
    /// The index of the last record's game.
    private var lastGame = 0
    var latest = HybridTime.zero

    /// By game.
    var sorted: [ScoreSeries] { series.sorted { $0.game.lexicographicallyPrecedes($1.game) } }

    var isEmpty: Bool { series.isEmpty && latest == .zero }

    var valueCount: Int { series.reduce(0) { $0 + $1.valueCount } }

    var contestCount: Int { series.reduce(0) { $0 + $1.contestCount } }

    func series(of game: ArraySlice<UInt8>) -> ScoreSeries? { positions[Array(game)].map { series[$0] } }

    mutating func withSeries<Outcome>(of game: ArraySlice<UInt8>, _ body: (inout ScoreSeries) -> Outcome) -> Outcome {
        lastGame = position(of: game)
        return body(&series[lastGame])
    }

    private mutating func position(of game: ArraySlice<UInt8>) -> Int {
        // People keep to an order when they record a day's games, and a history of one game goes by days. So try the
        // last and the next game first.
        let next = lastGame + 1 < series.count ? lastGame + 1 : 0
        for guess in [next, lastGame] where series.indices.contains(guess) && series[guess].game[...] == game {
            return guess
        }
        let name = Array(game)
        if let position = positions[name] { return position }
        positions[name] = series.count
        series.append(ScoreSeries(game: name))
        return series.count - 1
    }
}

/// The devices with merged records, so that a result refers to its writer in four bytes.
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
