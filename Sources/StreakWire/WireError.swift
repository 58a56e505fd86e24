/// Why bytes were refused by the codec. Nothing is changed by a refused decode; the caller drops the datagram,
/// closes the link or rejects the record the bytes came in.
public enum WireError: Error, Equatable, Sendable {
    /// The input ended before the field did.
    case truncated(needed: Int, available: Int)
    /// Bytes follow where the message had to end.
    case trailingBytes(count: Int)
    /// A varint was not in its shortest form, or did not fit 64 bits.
    case nonMinimalVarint
    /// A length or a count exceeds the limit of its field. Checked before anything is allocated.
    case limitExceeded(limit: Int, actual: UInt64)
    /// A text field is not valid UTF-8.
    case invalidText
    /// A discriminator names nothing that this version knows.
    case unknownKind(UInt8)
    /// A field holds a value that its type does not allow.
    case invalidValue(field: String)
    /// The leading version is not one this implementation speaks.
    case unsupportedVersion(UInt8)
}
