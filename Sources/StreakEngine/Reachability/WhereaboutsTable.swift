import StreakLinks
import StreakMembership
import StreakWire

/// The newest whereabouts of each of some devices.
struct WhereaboutsTable: Sendable {
    struct Held: Sendable {
        let whereabouts: Whereabouts
        /// Whether they came in a notice; false after a restart.
        let isOfNotice: Bool
        /// How old they were when they came: the least of what peers have said.
        fileprivate var ageThen: Duration
        fileprivate let heardAt: MonotonicInstant

        func age(at now: MonotonicInstant) -> Duration { ageThen + heardAt.duration(to: max(now, heardAt)) }
    }

    /// How many devices of its groups a node keeps whereabouts of, its own among them.
    static let maximumCount = 512
    /// How many it keeps of devices that no ledger here names yet.
    static let maximumUnknown = 64
    /// 30 days. After that nobody is found there.
    static let lifetime: Duration = .seconds(30 * 86_400)

    /// Ages that differ by less are the same: each way has its own delay.
    private static let leastDifference: Duration = .seconds(60)

    private var held: [DeviceID: Held] = [:]
    private let maximumCount: Int

    init(maximumCount: Int = maximumCount) { self.maximumCount = maximumCount }

    subscript(device: DeviceID) -> Held? { held[device] }

    var count: Int { held.count }

    /// In the order of the devices.
    var devices: [DeviceID] { held.keys.sorted() }

    func isNews(_ whereabouts: Whereabouts) -> Bool {
        held[whereabouts.device].map { $0.whereabouts.number < whereabouts.number } ?? true
    }

    /// Takes a smaller age of whereabouts that are held: a peer may have told a wrong one. A difference that is too small is
    /// no news. The age at which they came is what counts, and it can be halved 21 times at most; so a peer that repeats
    /// the same whereabouts for ever is soon ignored.
    ///
    /// - Returns: whether it was taken.
    mutating func rejuvenate(_ whereabouts: Whereabouts, age: Duration, at now: MonotonicInstant) -> Bool {
        guard let held = held[whereabouts.device], held.whereabouts == whereabouts else { return false }
        let ageThen = max(.zero, age - held.heardAt.duration(to: now))
        guard ageThen * 2 + Self.leastDifference < held.ageThen else { return false }
        self.held[whereabouts.device]?.ageThen = ageThen
        return true
    }

    /// Keeps whereabouts that are news. Where there are too many, the oldest go.
    mutating func take(
        _ whereabouts: Whereabouts, age: Duration, isOfNotice: Bool = false, at now: MonotonicInstant
    ) {
        held[whereabouts.device] = Held(
            whereabouts: whereabouts, isOfNotice: isOfNotice, ageThen: age, heardAt: now)
        while held.count > maximumCount {
            // Ages are compared with the device's name, so the order of the table does not matter.
            let oldest = held.max { ($0.value.age(at: now), $0.key) < ($1.value.age(at: now), $1.key) }
            if let oldest { held[oldest.key] = nil }
        }
    }

    mutating func remove(_ device: DeviceID) -> Held? { held.removeValue(forKey: device) }

    /// Keeps only those of some devices, and none that is too old.
    ///
    /// - Returns: whether any was removed.
    mutating func keep(at now: MonotonicInstant, where isKept: (DeviceID) -> Bool) -> Bool {
        let before = held.count
        held = held.filter { $0.value.age(at: now) <= Self.lifetime && isKept($0.key) }
        return held.count < before
    }

    /// Those of some devices as they are told, the newest first.
    func told(at now: MonotonicInstant, where isTold: (DeviceID) -> Bool) -> [ToldWhereabouts] {
        held.filter { $0.value.age(at: now) <= Self.lifetime && isTold($0.key) }
            .sorted { ($0.value.age(at: now), $0.key) < ($1.value.age(at: now), $1.key) }
            .map { Self.told($0.value, at: now) }
    }

    static func told(_ held: Held, at now: MonotonicInstant) -> ToldWhereabouts {
        ToldWhereabouts(
            age: UInt32(clamping: held.age(at: now).components.seconds), bytes: held.whereabouts.bytes)
    }

    // MARK: On disk

    /// The stored form: a count, then for each the time when it was made (this machine's clock, seconds since 1970) and a blob.
    func encoded(at now: MonotonicInstant, wall: WallTime) -> [UInt8] {
        var writer = WireWriter(reserving: 256)
        writer.writeCount(held.count)
        for device in devices {
            guard let entry = held[device] else { continue }
            writer.write(UInt64(bitPattern: wall.seconds - entry.age(at: now).components.seconds))
            writer.writeBlob(entry.whereabouts.bytes)
        }
        return writer.bytes
    }

    /// Reads the stored form, up to the first part that this version has not written.
    init(stored bytes: [UInt8], wall: WallTime) {
        self.init()
        var reader = WireReader(bytes)
        guard let count = try? reader.readCount(maximum: Self.maximumCount) else { return }  // as above
        for _ in 0..<count {
            // As above.
            guard let madeAt = try? reader.readUInt64(),
                let bytes = try? reader.readBlob(maximum: Whereabouts.maximumSize),
                let whereabouts = try? Whereabouts(decoding: bytes)
            else { return }
            let (age, isTooFar) = wall.seconds.subtractingReportingOverflow(Int64(bitPattern: madeAt))
            // A wrong clock dated it in the future: it counts as made now.
            guard !isTooFar, age <= Self.lifetime.components.seconds else { continue }
            take(whereabouts, age: .seconds(max(0, age)), at: .zero)
        }
    }
}
