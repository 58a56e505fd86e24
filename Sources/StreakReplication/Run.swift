public import StreakCrypto
public import StreakWire

/// Consecutive records of one feed with the signature at the end of them: the unit that is stored and sent. A run that
/// travels is also called a block; how records are packed into runs is nobody's business but the sender's.
///
/// Layout (Protocol/records.md §6): device 32 · epoch 12 · first varint · hash before 32 · signature 64 · count varint ·
/// records, each a blob · nothing after.
public struct Run: Hashable, Sendable {
    public let feed: FeedID
    /// The number of the first record; numbers start at 1.
    public let first: UInt64
    /// The chain hash before the first record.
    public let before: ChainHash
    /// By the feed's device, over the chain at the last record.
    public let signature: Signature
    /// The records as blobs, one after the other.
    public let packed: [UInt8]
    public let count: Int

    /// The number of the last record.
    public var last: UInt64 { first + UInt64(count) - 1 }

    /// The most records of one run.
    public static let maximumCount = 4_096

    /// Packs records that are known to be well formed.
    public init(feed: FeedID, first: UInt64, before: ChainHash, signature: Signature, records: [[UInt8]]) {
        var writer = WireWriter(reserving: records.reduce(0) { $0 + $1.count + 2 })
        for record in records { writer.writeBlob(record) }
        self.init(
            feed: feed, first: first, before: before, signature: signature, packed: writer.bytes, count: records.count)
    }

    /// Takes stored bytes that were checked when they arrived.
    public init(
        feed: FeedID, first: UInt64, before: ChainHash, signature: Signature, packed: [UInt8], count: Int
    ) {
        self.feed = feed
        self.first = first
        self.before = before
        self.signature = signature
        self.packed = packed
        self.count = count
    }

    public init(from reader: inout WireReader) throws(WireError) {
        feed = FeedID(device: try reader.readIdentifier(), epoch: try reader.readEpoch())
        first = try reader.readVarint(maximum: ProtocolLimits.maximumFeedLength)
        guard first > 0 else { throw .invalidValue(field: "first") }
        before = try reader.readIdentifier()
        do {
            signature = try Signature(rawBytes: try reader.readRaw(64))
        } catch let error as WireError {
            throw error
        } catch {
            throw .invalidValue(field: "signature")
        }
        count = try reader.readCount(maximum: Self.maximumCount)
        guard count > 0, first + UInt64(count) - 1 <= ProtocolLimits.maximumFeedLength else {
            throw .invalidValue(field: "count")
        }
        let start = reader.consumedCount
        for _ in 0..<count {
            _ = try reader.readBlob(maximum: ProtocolLimits.maximumRecordSize)
            guard reader.consumedCount - start <= ProtocolLimits.maximumRunSize else {
                throw .limitExceeded(
                    limit: ProtocolLimits.maximumRunSize, actual: UInt64(reader.consumedCount - start))
            }
        }
        packed = reader.consumed(since: start)
    }

    public func encode(into writer: inout WireWriter) {
        writer.write(feed.device)
        writer.write(feed.epoch)
        writer.writeVarint(first)
        writer.write(before)
        writer.writeRaw(signature.rawBytes)
        writer.writeCount(count)
        writer.writeRaw(packed)
    }

    /// The bytes of each record.
    public func records() throws(WireError) -> [[UInt8]] {
        var reader = WireReader(packed)
        var records: [[UInt8]] = []
        records.reserveCapacity(min(count, Self.maximumCount))
        while reader.remainingCount > 0 {
            records.append(try reader.readBlob(maximum: ProtocolLimits.maximumRecordSize))
        }
        guard records.count == count else { throw .invalidValue(field: "count") }
        return records
    }
}
