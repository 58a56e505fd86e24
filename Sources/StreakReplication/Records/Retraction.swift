public import StreakWire

/// What a user says of records that one of its devices dated by a wrong clock: they count for nothing. What they said is
/// written anew, in a new epoch.
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

    /// Reads a merged record. Throws where the bytes are no retraction; such a record is carried and voids nothing.
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

/// What the retractions of a group make void.
public struct Voids: Hashable, Sendable {
    private var numbers: [FeedID: ClosedRange<UInt64>] = [:]

    /// Nothing.
    public init() {}

    /// - Parameters:
    ///   - records: the winning records of kind `retraction`.
    ///   - owner: whose a device is; a retraction counts for its own user's only.
    public init(_ records: [MergedRecord], owner: (DeviceID) -> UserID?) {
        for record in records {
            // What is no retraction of this version, or was taken back, voids nothing.
            guard let retraction = try? Retraction(subject: record.key.subject, value: record.value),
                owner(retraction.feed.device) == record.key.user
            else { continue }
            numbers[retraction.feed] = retraction.numbers
        }
    }

    /// The numbers of a feed's void records.
    public subscript(feed: FeedID) -> ClosedRange<UInt64>? { numbers[feed] }

    /// What is not void of consecutive records, the first of which has the number `first`; nil where all of it counts.
    public func counting(
        _ records: some Collection<ArraySlice<UInt8>>, from first: UInt64, of feed: FeedID
    ) -> [ArraySlice<UInt8>]? {
        guard let void = numbers[feed], !records.isEmpty, void.overlaps(first...(first + UInt64(records.count) - 1))
        else { return nil }
        // A retraction is never void: so what is void does not depend on itself.
        return zip(first..., records).filter { number, record in
            !void.contains(number) || record.first == RecordKind.retraction.rawValue
        }.map(\.1)
    }
}
