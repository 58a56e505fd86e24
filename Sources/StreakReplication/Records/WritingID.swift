import StreakWire

/// Names something of one author, a comment or a challenge: the time of its first writing, as a hybrid time whose
/// counter is random.
public struct WritingID: Hashable, Comparable, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// - Parameter chance: tells apart what two machines of the author write in the same millisecond.
    public init(milliseconds: Int64, chance: UInt16) {
        self.init(rawValue: HybridTime(milliseconds: milliseconds, counter: chance).rawValue)
    }

    public static func < (left: WritingID, right: WritingID) -> Bool { left.rawValue < right.rawValue }

    /// When the author says that it was written, in milliseconds since 1970.
    public var milliseconds: Int64 { HybridTime(rawValue: rawValue).milliseconds }

    /// As the subject of a record.
    var bytes: [UInt8] {
        var writer = WireWriter(reserving: 8)
        writer.write(rawValue)
        return writer.bytes
    }

    /// Reads a subject that is an ID and nothing else.
    init(subject: [UInt8]) throws(WireError) {
        var reader = WireReader(subject)
        self.init(rawValue: try reader.readUInt64())
        guard reader.remainingCount == 0 else { throw .trailingBytes(count: reader.remainingCount) }
    }
}

extension [WritingID] {
    /// The index of an ID among rising ones, or where it would be. O(log n).
    private func place(of id: WritingID) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Adds an ID to rising ones.
    mutating func insertRising(_ id: WritingID) { insert(id, at: place(of: id)) }

    /// Removes an ID from rising ones.
    mutating func removeRising(_ id: WritingID) {
        let place = place(of: id)
        if place < count, self[place] == id { remove(at: place) }
    }
}
