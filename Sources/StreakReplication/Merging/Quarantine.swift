import StreakWire

/// Records that are dated more than ten minutes ahead, held until their time comes (Protocol/records.md §8).
///
/// A member can date any number of records ahead. Only those due first are held. Of the rest only the devices and the
/// first due time are stored. At that time, at most once a minute, the owner of this type goes through these devices'
/// records again. A million such records therefore take the memory of a few thousand, and one pass over a feed a
/// minute.
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

    /// At most 27 MB with records of the largest size, 2 MB with results. An honest device with a wrong clock has a
    /// few.
    static let defaultCapacity = 8_192

    /// How many records are kept when there are twice as many; in between all are held.
    private let capacity: Int
    /// All are due before `firstOmitted`. A record that came twice may be here twice; merging it again has no effect.
    private var waiting = MinimumHeap<Entry>()
    /// When the first omitted record may be merged, in wall-clock milliseconds; nil if none is omitted.
    private(set) var firstOmitted: Int64?
    /// The devices of omitted records.
    private var omittedDevices: Set<DeviceID> = []

    init(capacity: Int) { self.capacity = capacity }

    static func release(of time: HybridTime) -> Int64 { time.milliseconds - HybridClock.maximumLead }

    /// The number of distinct held records. O(n).
    var count: Int { Set(waiting.elements).count }

    /// The number of distinct held records of one device. O(n).
    func count(of device: DeviceID) -> Int { Set(waiting.elements.filter { $0.device == device }).count }

    /// When the next held record may be merged.
    var nextRelease: Int64? { waiting.first?.release }

    /// Forgets omitted records and returns their devices, whose records must be merged again.
    mutating func takeOmissions() -> Set<DeviceID> {
        defer { omittedDevices = [] }
        firstOmitted = nil
        return omittedDevices
    }

    /// Holds a record if it is among the first due. O(log n) amortised.
    mutating func insert(_ record: RecordView, user: UserID, device: DeviceID) {
        if let firstOmitted, Self.release(of: record.time) >= firstOmitted {
            omittedDevices.insert(device)
            return
        }
        waiting.insert(Entry(bytes: Array(record.bytes), time: record.time, user: user, device: device))
        if waiting.count > 2 * capacity { omitLast() }
    }

    private mutating func omitLast() {
        // Sorted, so that the set's order has no effect.
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

    /// Removes and returns the first due record; nil if none is due. O(log n).
    mutating func popDue(wallMilliseconds: Int64) -> Entry? {
        guard let first = waiting.first, first.release <= wallMilliseconds else { return nil }
        return waiting.popFirst()
    }
}

/// A binary heap whose first element is the smallest.
struct MinimumHeap<Element: Comparable & Sendable>: Sendable {
    /// The first is the smallest; the others are in no particular order.
    private(set) var elements: [Element] = []

    init() {}

    /// Takes elements that are already sorted.
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
