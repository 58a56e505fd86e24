/// Thirty-two bytes held inline: keys, hashes and what is named by them. Ordered as the bytes are.
public struct Bytes32: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The bytes as four big-endian words.
    public let w0, w1, w2, w3: UInt64

    public static let zero = Bytes32(0, 0, 0, 0)

    public init(_ w0: UInt64, _ w1: UInt64, _ w2: UInt64, _ w3: UInt64) {
        self.w0 = w0
        self.w1 = w1
        self.w2 = w2
        self.w3 = w3
    }

    /// Takes exactly 32 bytes; nil for any other number.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        self.init(Array(bytes))
    }

    /// As for any collection; an array, which most callers have, is read without generic code.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.init(
            bigEndianWord(bytes, at: 0), bigEndianWord(bytes, at: 8), bigEndianWord(bytes, at: 16),
            bigEndianWord(bytes, at: 24))
    }

    public var array: [UInt8] { bigEndianBytes([w0, w1, w2, w3]) }

    /// Sixty-four lower-case hexadecimal digits.
    public var description: String { array.hexadecimal }

    public static func < (left: Bytes32, right: Bytes32) -> Bool {
        (left.w0, left.w1, left.w2, left.w3) < (right.w0, right.w1, right.w2, right.w3)
    }
}

/// Sixteen bytes held inline: digests, store IDs, short tags.
public struct Bytes16: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let w0, w1: UInt64

    public static let zero = Bytes16(0, 0)

    public init(_ w0: UInt64, _ w1: UInt64) {
        self.w0 = w0
        self.w1 = w1
    }

    /// Takes exactly 16 bytes; nil for any other number.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        let array = Array(bytes)
        self.init(bigEndianWord(array, at: 0), bigEndianWord(array, at: 8))
    }

    public var array: [UInt8] { bigEndianBytes([w0, w1]) }

    public var description: String { array.hexadecimal }

    public static func < (left: Bytes16, right: Bytes16) -> Bool {
        (left.w0, left.w1) < (right.w0, right.w1)
    }
}

private func bigEndianWord(_ bytes: [UInt8], at offset: Int) -> UInt64 {
    var word: UInt64 = 0
    for index in offset..<(offset + 8) { word = word << 8 | UInt64(bytes[index]) }
    return word
}

private func bigEndianBytes(_ words: [UInt64]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(words.count * 8)
    for word in words {
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
        }
    }
    return bytes
}

extension Sequence<UInt8> {
    /// Two lower-case hexadecimal digits a byte.
    public var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in self {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Reads hexadecimal digits of either case; nil for anything else.
    public init?(hexadecimal text: some StringProtocol) {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = nibble(digits[index]), let low = nibble(digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        self = bytes
    }
}

private func nibble(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
}
