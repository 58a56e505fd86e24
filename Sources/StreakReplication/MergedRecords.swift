import StreakCrypto
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

/// The last-writer-wins map of a group: for every key the record with the largest (time, device, record hash).
///
/// The outcome does not depend on the order in which records come, nor on how often. Records whose time lies more than
/// ten minutes ahead are held back until their time has come.
public struct MergedRecords: Sendable {
    private struct Winner: Sendable {
        var time: HybridTime
        var device: DeviceID
        var hash: Bytes32
        var value: [UInt8]

        func beats(_ other: Winner) -> Bool {
            (time, device, hash) > (other.time, other.device, other.hash)
        }
    }

    private struct Quarantined: Hashable, Sendable {
        var record: Record
        var user: UserID
        var device: DeviceID
        var bytes: [UInt8]

        /// The wall-clock milliseconds from which it may be merged.
        var release: Int64 { record.time.milliseconds - HybridClock.maximumLead }
    }

    private var winners: [RecordKey: Winner] = [:]
    private var quarantine: Set<Quarantined> = []

    public init() {}

    /// How many records wait for their time.
    public var quarantinedCount: Int { quarantine.count }

    /// How many keys hold a value.
    public var count: Int { winners.values.count { !$0.value.isEmpty } }

    /// When the next quarantined record may be merged, in wall-clock milliseconds.
    public private(set) var nextRelease: Int64?

    /// Merges one record. Returns the key's new value, or nil where nothing changes.
    public mutating func merge(
        _ record: Record, bytes: [UInt8], user: UserID, device: DeviceID, wallMilliseconds: Int64
    ) -> MergedRecord? {
        let release = record.time.milliseconds - HybridClock.maximumLead
        guard release <= wallMilliseconds else {
            quarantine.insert(Quarantined(record: record, user: user, device: device, bytes: bytes))
            nextRelease = min(nextRelease ?? release, release)
            return nil
        }
        guard let hash = Bytes32(Blake2b.hash(bytes)) else { preconditionFailure("BLAKE2b-256 gives 32 bytes") }
        let key = RecordKey(user: user, kind: record.kind, subject: record.subject)
        let winner = Winner(time: record.time, device: device, hash: hash, value: record.value)
        if let current = winners[key], !winner.beats(current) { return nil }
        winners[key] = winner
        return MergedRecord(key: key, value: record.value, time: record.time)
    }

    /// Merges the quarantined records whose time has come.
    public mutating func release(wallMilliseconds: Int64) -> [MergedRecord] {
        guard let next = nextRelease, next <= wallMilliseconds else { return [] }
        // Sorted so that what is told comes in one order everywhere; the outcome needs no order.
        let due = quarantine.filter { $0.release <= wallMilliseconds }.sorted {
            ($0.record.time, $0.device) == ($1.record.time, $1.device)
                ? $0.bytes.lexicographicallyPrecedes($1.bytes)
                : ($0.record.time, $0.device) < ($1.record.time, $1.device)
        }
        quarantine.subtract(due)
        nextRelease = quarantine.map(\.release).min()
        return due.compactMap {
            merge($0.record, bytes: $0.bytes, user: $0.user, device: $0.device, wallMilliseconds: wallMilliseconds)
        }
    }

    /// The value of a key; nil where there is none, empty where it is withdrawn.
    public func value(of key: RecordKey) -> [UInt8]? { winners[key]?.value }

    /// When the winning record of a key was written.
    public func time(of key: RecordKey) -> HybridTime? { winners[key]?.time }

    /// Every winning record, in the order of its key.
    public var all: [MergedRecord] {
        winners.map { MergedRecord(key: $0.key, value: $0.value.value, time: $0.value.time) }.sorted { $0.key < $1.key }
    }
}
