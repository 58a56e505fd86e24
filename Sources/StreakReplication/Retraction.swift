public import StreakWire

/// What a user says of records that one of its devices dated by a wrong clock: they count for nothing. What they said is
/// written anew, in a new epoch.
///
/// A record of kind `retraction` (Protocol/records.md §3.5). Subject: device 32 · epoch 12. Value: first varint · last
/// varint · tail. It names records of its user's own devices; retractions themselves are never void.
public struct Retraction: Hashable, Sendable {
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
