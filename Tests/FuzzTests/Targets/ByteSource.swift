/// Numbers, choices and pieces, taken off the front of what a fuzzer gives; zeros once it is used up.
struct ByteSource {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isEmpty: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func flag() -> Bool { byte() & 1 == 1 }

    /// A number below `count`, which is at most 256.
    mutating func choice(of count: Int) -> Int { Int(byte()) % max(1, count) }

    mutating func element<Element>(of list: [Element]) -> Element? {
        list.isEmpty ? nil : list[choice(of: list.count)]
    }

    /// Big-endian, of two bytes.
    mutating func short() -> UInt16 { UInt16(byte()) << 8 | UInt16(byte()) }

    /// Big-endian, of eight bytes.
    mutating func number() -> UInt64 { (0..<8).reduce(0) { value, _ in value << 8 | UInt64(byte()) } }

    /// As many bytes as two bytes before them say, as far as there are any.
    mutating func piece() -> [UInt8] { take(Int(short())) }

    mutating func take(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func remainder() -> [UInt8] { take(rest.count) }

    mutating func text() -> String { String(decoding: piece(), as: UTF8.self) }
}
