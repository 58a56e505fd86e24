import StreakWire

/// Records whose time lies more than ten minutes ahead, held until it has come (Protocol/records.md §8).
///
/// A member can date any number of records ahead. Those that are due first are held; of the rest it is only known whose they
/// are and when the first is due. Then, but once a minute at the most, their holder goes through what it has of these
/// devices again. So a million of them take the room of a few thousand, and a look at one feed a minute.
struct Quarantine: Sendable {
    struct Entry: Hashable, Comparable, Sendable {
        var bytes: [UInt8]
        var time: HybridTime
        var user: UserID
        var device: DeviceID

        /// The wall-clock milliseconds from which it may be merged.
        var release: Int64 { Quarantine.release(of: time) }

        static func < (left: Entry, right: Entry) -> Bool {
            if left.time != right.time { return left.time < right.time }
            if left.device != right.device { return left.device < right.device }
            return left.bytes.lexicographicallyPrecedes(right.bytes)
        }
    }

    /// At most 27 MB with records of the largest size, 2 MB with results. Honest devices whose clock is wrong have a few.
    static let defaultCapacity = 8_192

    /// How many records are held once there were twice as many; in between all of them are.
    private let capacity: Int
    /// All are released before `firstOmitted`. A record that came twice may stand here twice: merging it again is nothing.
    private var waiting = MinimumHeap<Entry>()
    /// When the first of those that found no room may be merged, in wall-clock milliseconds; nil where all did.
    private(set) var firstOmitted: Int64?
    /// Whose those are.
    private var omittedDevices: Set<DeviceID> = []

    init(capacity: Int) { self.capacity = capacity }

    static func release(of time: HybridTime) -> Int64 { time.milliseconds - HybridClock.maximumLead }

    /// How many different records are held. O(n).
    var count: Int { Set(waiting.elements).count }

    /// How many different records are held of one device. O(n).
    func count(of device: DeviceID) -> Int { Set(waiting.elements.filter { $0.device == device }).count }

    /// When the next of the records that are held may be merged.
    var nextRelease: Int64? { waiting.first?.release }

    /// Forgets that there was no room for some, and tells whose they are: their devices' records are to come again.
    mutating func takeOmissions() -> Set<DeviceID> {
        defer { omittedDevices = [] }
        firstOmitted = nil
        return omittedDevices
    }

    /// Holds a record, if it is among the first that are due. O(log n) amortised.
    mutating func insert(_ record: RecordView, user: UserID, device: DeviceID) {
        if let firstOmitted, Self.release(of: record.time) >= firstOmitted {
            omittedDevices.insert(device)
            return
        }
        waiting.insert(Entry(bytes: Array(record.bytes), time: record.time, user: user, device: device))
        if waiting.count > 2 * capacity { omitLast() }
    }

    private mutating func omitLast() {
        // Sorted, so that the set's order does not show.
        let distinct = Set(waiting.elements).sorted()
        guard distinct.count > capacity else {
            waiting = MinimumHeap(sorted: distinct)
            return
        }
        // Records of one millisecond are held together or not at all.
        let end = distinct[capacity].release
        firstOmitted = end
        let held = distinct.prefix { $0.release < end }
        for entry in distinct[held.count...] { omittedDevices.insert(entry.device) }
        waiting = MinimumHeap(sorted: Array(held))
    }

    /// Takes out the first record that is due; nil where none is. O(log n).
    mutating func popDue(wallMilliseconds: Int64) -> Entry? {
        guard let first = waiting.first, first.release <= wallMilliseconds else { return nil }
        return waiting.popFirst()
    }
}

/// A binary heap whose first element is the least.
struct MinimumHeap<Element: Comparable & Sendable>: Sendable {
    /// In no particular order but for the first.
    private(set) var elements: [Element] = []

    init() {}

    /// Takes elements that already stand in order.
    init(sorted elements: [Element]) { self.elements = elements }

    var count: Int { elements.count }
    var first: Element? { elements.first }

    /// O(log n).
    mutating func insert(_ element: Element) {
        elements.append(element)
        var index = elements.count - 1
        while index > 0, elements[index] < elements[(index - 1) / 2] {
            elements.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// O(log n).
    mutating func popFirst() -> Element? {
        guard let last = elements.popLast() else { return nil }
        guard let first = elements.first else { return last }
        elements[0] = last
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < elements.count && elements[child] < elements[least] {
                least = child
            }
            guard least != index else { return first }
            elements.swapAt(index, least)
            index = least
        }
    }
}
