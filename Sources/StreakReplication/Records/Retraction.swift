public import StreakWire

/// A user's statement that records which a device dated by a wrong clock are void. Their content is written again in a
/// new epoch.
///
/// A record of kind `retraction` (Protocol/records.md §3.5). Subject: device 32 · epoch 12. Value: first varint · last
/// varint · tail. It names records of its user's own devices; retractions themselves are never void.
public struct Retraction: RecordValue {
    public static let kind = RecordKind.retraction.rawValue

    public let feed: FeedID
    /// The numbers of the void records, at least 1.
    public let numbers: ClosedRange<UInt64>

    public init(feed: FeedID, numbers: ClosedRange<UInt64>) {
        self.feed = feed
        self.numbers = numbers
    }

    /// Reads a merged record. Throws if the bytes are not a retraction; such a record is carried and voids nothing.
    public init(subject: [UInt8], value: [UInt8]) throws(WireError) {
        var subject = WireReader(subject)
        feed = FeedID(device: try subject.readIdentifier(), epoch: try subject.readEpoch())
        guard subject.remainingCount == 0 else { throw .trailingBytes(count: subject.remainingCount) }
        var value = WireReader(value)
        let first = try value.readVarint(maximum: ProtocolLimits.maximumFeedLength)
        let last = try value.readVarint(maximum: ProtocolLimits.maximumFeedLength)
        guard 1 <= first, first <= last else { throw .invalidValue(field: "numbers") }
        numbers = first...last
    }

    public var recordSubject: [UInt8] {
        var writer = WireWriter(reserving: 44)
        writer.write(feed.device)
        writer.write(feed.epoch)
        return writer.bytes
    }

    public var recordValue: [UInt8] {
        var writer = WireWriter(reserving: 8)
        writer.writeVarint(numbers.lowerBound)
        writer.writeVarint(numbers.upperBound)
        return writer.bytes
    }
}

/// The records that a group's retractions make void.
public struct Voids: Hashable, Sendable {
    private var numbers: [FeedID: ClosedRange<UInt64>] = [:]

    /// No void records.
    public init() {}

    /// - Parameters:
    ///   - records: the winning records of kind `retraction`.
    ///   - owner: returns a device's user; a retraction counts only for its own user's devices.
    public init(_ records: [MergedRecord], owner: (DeviceID) -> UserID?) {
        for record in records {
            // A value that is not a retraction of this version, or a withdrawn one, voids nothing.
            guard let retraction = try? Retraction(subject: record.key.subject, value: record.value),
                owner(retraction.feed.device) == record.key.user
            else { continue }
            numbers[retraction.feed] = retraction.numbers
        }
    }

    /// The numbers of a feed's void records.
    public subscript(feed: FeedID) -> ClosedRange<UInt64>? { numbers[feed] }

    /// The records that are not void, of consecutive ones starting at number `first`; nil if all count.
    public func counting(
        _ records: some Collection<ArraySlice<UInt8>>, from first: UInt64, of feed: FeedID
    ) -> [ArraySlice<UInt8>]? {
        guard let void = numbers[feed], !records.isEmpty, void.overlaps(first...(first + UInt64(records.count) - 1))
        else { return nil }
        // A retraction is never void, so what is void does not depend on itself.
        return zip(first..., records).filter { number, record in
            !void.contains(number) || record.first == RecordKind.retraction.rawValue
        }.map(\.1)
    }
}
