/// The bytes of consecutive records in one buffer.
///
/// A history of years passes through here record by record, so a record must not need an allocation.
public struct RecordList: Sendable {
    private var bytes: [UInt8] = []
    /// The end of each record.
    private var ends: [Int] = []

    public init() {}

    /// Copies records into a new buffer.
    public init(_ records: some Sequence<some Collection<UInt8>>) {
        for record in records { append(record) }
    }

    mutating func reserveCapacity(_ count: Int, byteCount: Int) {
        ends.reserveCapacity(ends.count + count)
        bytes.reserveCapacity(bytes.count + byteCount)
    }

    public mutating func append(_ record: some Collection<UInt8>) {
        bytes.append(contentsOf: record)
        ends.append(bytes.count)
    }

    public mutating func append(contentsOf records: some Sequence<some Collection<UInt8>>) {
        for record in records { append(record) }
    }

    /// Appends the record that `body` writes after the bytes it is given.
    mutating func append(writtenBy body: (inout [UInt8]) -> Void) {
        body(&bytes)
        ends.append(bytes.count)
    }

    /// The total size of all records in bytes.
    public var byteCount: Int { bytes.count }
}

extension RecordList: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { ends.count }

    public subscript(position: Int) -> ArraySlice<UInt8> {
        bytes[(position == 0 ? 0 : ends[position - 1])..<ends[position]]
    }
}

extension RecordList: Hashable {}
