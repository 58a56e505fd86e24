public import StreakCrypto
public import StreakWire

/// Consecutive records of one feed with the signature at their end: the unit that is stored and sent. The sender alone
/// decides how it packs records into runs.
///
/// Layout (Protocol/records.md §6): device 32 · epoch 12 · first varint · hash before 32 · signature 64 · count varint ·
/// packed records, a blob · nothing after.
public struct Run: Hashable, Sendable {
    public let feed: FeedID
    /// The number of the first record; numbers start at 1.
    public let first: UInt64
    /// The chain hash before the first record.
    public let before: ChainHash
    /// By the feed's device, over the chain at the last record.
    public let signature: Signature
    /// The records, as rows or columns (§6.1).
    public let packed: [UInt8]
    public let count: Int

    /// Whether this is the beginning that a branch shares with another, up to where they part; it has no signature
    /// there. It stays in its store; a run of the other branch covers it.
    public var isUnsigned: Bool { signature == .none }

    /// The number of the last record.
    public var last: UInt64 { first + UInt64(count) - 1 }

    /// The most records of one run.
    public static let maximumCount = 4_096

    /// Packs records that are known to be well formed.
    public init(
        feed: FeedID, first: UInt64, before: ChainHash, signature: Signature,
        records: some Collection<ArraySlice<UInt8>>
    ) {
        self.init(
            feed: feed, first: first, before: before, signature: signature, packed: RecordPacking.pack(records),
            count: records.count)
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

    /// The records in portions that fit a run each, as large as possible.
    public static func portions(of records: RecordList) -> [RecordList] {
        var portions: [RecordList] = []
        var rest = records[...]
        while !rest.isEmpty {
            var count = min(rest.count, maximumCount)
            var size = rest.prefix(count).reduce(0) { $0 + $1.count }
            while size > RecordPacking.maximumUnpackedSize {
                count -= 1
                size -= rest[rest.startIndex + count].count
            }
            // The rows of half a dozen records always fit, so this ends.
            while RecordPacking.pack(rest.prefix(count)).count > ProtocolLimits.maximumRunSize {
                count = (count + 1) / 2
            }
            portions.append(RecordList(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return portions
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
        packed = try reader.readBlob(maximum: ProtocolLimits.maximumRunSize)
    }

    public func encode(into writer: inout WireWriter) {
        writer.write(feed.device)
        writer.write(feed.epoch)
        writer.writeVarint(first)
        writer.write(before)
        writer.writeRaw(signature.rawBytes)
        writer.writeCount(count)
        writer.writeBlob(packed)
    }

    /// The bytes of each record. Throws for a run from outside that contains anything else.
    public func records() throws(WireError) -> RecordList { try RecordPacking.unpack(packed, count: count) }
}

extension Signature {
    /// Sixty-four zeros, which no key produces as a signature.
    static let none = {
        guard let none = try? Signature(rawBytes: [UInt8](repeating: 0, count: Signature.byteCount)) else {
            preconditionFailure("a signature has \(Signature.byteCount) bytes")
        }
        return none
    }()
}
