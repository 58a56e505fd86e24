/// Writes the fixed codec of Protocol/README.md §2: fields in order, integers big-endian, lengths as minimal varints.
public struct WireWriter: Sendable {
    /// What has been written so far.
    public private(set) var bytes: [UInt8] = []

    public init(reserving capacity: Int = 128) {
        bytes.reserveCapacity(capacity)
    }

    public mutating func write(_ value: UInt8) {
        bytes.append(value)
    }

    public mutating func write(_ value: UInt16) {
        bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        bytes.append(UInt8(truncatingIfNeeded: value))
    }

    public mutating func write(_ value: UInt32) {
        write(UInt16(truncatingIfNeeded: value >> 16))
        write(UInt16(truncatingIfNeeded: value))
    }

    public mutating func write(_ value: UInt64) {
        write(UInt32(truncatingIfNeeded: value >> 32))
        write(UInt32(truncatingIfNeeded: value))
    }

    /// Writes a varint (`appendVarint`).
    public mutating func writeVarint(_ value: UInt64) { bytes.appendVarint(value) }

    /// Writes a signed number as the varint of its zigzag form (0, −1, 1, −2 … become 0, 1, 2, 3 …).
    public mutating func writeSignedVarint(_ value: Int64) {
        writeVarint(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    }

    /// How many bytes `writeVarint` takes for `value`.
    public static func varintCount(_ value: UInt64) -> Int { max(1, (70 - value.leadingZeroBitCount) / 7) }

    /// Writes a count or a length.
    public mutating func writeCount(_ count: Int) {
        precondition(count >= 0, "a count is never negative")
        writeVarint(UInt64(count))
    }

    public mutating func write(_ value: Bytes32) {
        write(value.w0)
        write(value.w1)
        write(value.w2)
        write(value.w3)
    }

    public mutating func write(_ value: Bytes16) {
        write(value.w0)
        write(value.w1)
    }

    public mutating func write(_ identifier: some Identifier32) {
        write(identifier.bytes)
    }

    /// Writes bytes whose number the reader knows.
    public mutating func writeRaw(_ raw: some Sequence<UInt8>) {
        bytes.append(contentsOf: raw)
    }

    /// Writes a length, then the bytes.
    public mutating func writeBlob(_ blob: some Collection<UInt8>) {
        writeCount(blob.count)
        bytes.append(contentsOf: blob)
    }

    /// Writes text as a blob of UTF-8.
    public mutating func writeText(_ text: String) {
        writeBlob(Array(text.utf8))
    }

    /// Writes one byte telling whether a value follows, then the value.
    public mutating func writeOptional<Value>(_ value: Value?, _ body: (inout WireWriter, Value) -> Void) {
        guard let value else { return write(UInt8(0)) }
        write(UInt8(1))
        body(&self, value)
    }
}

extension [UInt8] {
    /// Appends seven bits a byte, least significant first, the top bit set on all but the last (LEB128), in the shortest
    /// form.
    public mutating func appendVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }
}
