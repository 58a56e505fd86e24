/// Reads the fixed codec of Protocol/README.md §2. Every length is checked against its limit and against what is left
/// before anything is allocated; a reader never traps on foreign bytes.
public struct WireReader: Sendable {
    private let bytes: ArraySlice<UInt8>
    private var position: Int
    private let end: Int

    public init(_ bytes: [UInt8]) { self.init(bytes[...]) }

    /// Reads a part of a larger buffer in place.
    public init(_ slice: ArraySlice<UInt8>) {
        bytes = slice
        position = slice.startIndex
        end = slice.endIndex
    }

    /// How many bytes are left.
    public var remainingCount: Int { end - position }

    /// How many bytes have been read.
    public var consumedCount: Int { position - bytes.startIndex }

    /// What was read between an earlier `consumedCount` and now, as received.
    public func consumed(since start: Int) -> [UInt8] {
        Array(bytes[max(bytes.startIndex, min(bytes.startIndex + start, position))..<position])
    }

    private func need(_ count: Int) throws(WireError) {
        guard count <= remainingCount else { throw .truncated(needed: count, available: remainingCount) }
    }

    public mutating func readUInt8() throws(WireError) -> UInt8 {
        try need(1)
        defer { position += 1 }
        return bytes[position]
    }

    public mutating func readUInt16() throws(WireError) -> UInt16 {
        try need(2)
        defer { position += 2 }
        return UInt16(bytes[position]) << 8 | UInt16(bytes[position + 1])
    }

    public mutating func readUInt32() throws(WireError) -> UInt32 {
        UInt32(try readUInt16()) << 16 | UInt32(try readUInt16())
    }

    public mutating func readUInt64() throws(WireError) -> UInt64 {
        try need(8)
        return UInt64(try readUInt32()) << 32 | UInt64(try readUInt32())
    }

    /// Reads a varint, refusing any but the shortest form.
    public mutating func readVarint() throws(WireError) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try readUInt8()
            if shift == 63, byte > 1 { throw .nonMinimalVarint }
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 {
                if byte == 0, shift > 0 { throw .nonMinimalVarint }
                return value
            }
            shift += 7
            if shift > 63 { throw .nonMinimalVarint }
        }
    }

    /// Reads a varint of at most `maximum`.
    public mutating func readVarint(maximum: UInt64) throws(WireError) -> UInt64 {
        let value = try readVarint()
        guard value <= maximum else { throw .limitExceeded(limit: Int(clamping: maximum), actual: value) }
        return value
    }

    public mutating func readSignedVarint() throws(WireError) -> Int64 {
        let raw = try readVarint()
        return Int64(bitPattern: raw >> 1) ^ -Int64(bitPattern: raw & 1)
    }

    /// Reads a count of at most `maximum`.
    public mutating func readCount(maximum: Int) throws(WireError) -> Int {
        let value = try readVarint()
        guard value <= UInt64(maximum) else { throw .limitExceeded(limit: maximum, actual: value) }
        return Int(value)
    }

    public mutating func readBytes32() throws(WireError) -> Bytes32 {
        try need(32)
        return Bytes32(try readUInt64(), try readUInt64(), try readUInt64(), try readUInt64())
    }

    public mutating func readBytes16() throws(WireError) -> Bytes16 {
        try need(16)
        return Bytes16(try readUInt64(), try readUInt64())
    }

    public mutating func readIdentifier<ID: Identifier32>(_ type: ID.Type = ID.self) throws(WireError) -> ID {
        ID(bytes: try readBytes32())
    }

    /// Reads exactly `count` bytes.
    public mutating func readRaw(_ count: Int) throws(WireError) -> [UInt8] { Array(try readSlice(count)) }

    /// Reads exactly `count` bytes in place: what is returned keeps the whole buffer alive.
    public mutating func readSlice(_ count: Int) throws(WireError) -> ArraySlice<UInt8> {
        precondition(count >= 0, "a count is never negative")
        try need(count)
        defer { position += count }
        return bytes[position..<(position + count)]
    }

    /// Reads a length of at most `maximum`, then that many bytes.
    public mutating func readBlob(maximum: Int) throws(WireError) -> [UInt8] {
        try readRaw(try readCount(maximum: maximum))
    }

    /// Reads a length of at most `maximum`, then that many bytes in place.
    public mutating func readBlobSlice(maximum: Int) throws(WireError) -> ArraySlice<UInt8> {
        try readSlice(try readCount(maximum: maximum))
    }

    /// Reads a blob of at most `maximum` bytes of valid UTF-8.
    public mutating func readText(maximum: Int) throws(WireError) -> String {
        let raw = try readBlobSlice(maximum: maximum)
        guard let text = String(validating: raw, as: UTF8.self) else { throw .invalidText }
        return text
    }

    /// Reads a byte that must be 0 or 1.
    public mutating func readFlag(field: String) throws(WireError) -> Bool {
        switch try readUInt8() {
        case 0: return false
        case 1: return true
        default: throw .invalidValue(field: field)
        }
    }

    /// Reads everything that is left: a message's verbatim tail.
    public mutating func readTail(maximum: Int) throws(WireError) -> [UInt8] {
        Array(try readTailSlice(maximum: maximum))
    }

    /// Reads a message's tail in place.
    public mutating func readTailSlice(maximum: Int) throws(WireError) -> ArraySlice<UInt8> {
        guard remainingCount <= maximum else { throw .limitExceeded(limit: maximum, actual: UInt64(remainingCount)) }
        return try readSlice(remainingCount)
    }

    /// Demands that nothing is left.
    public func finish() throws(WireError) {
        guard remainingCount == 0 else { throw .trailingBytes(count: remainingCount) }
    }
}
