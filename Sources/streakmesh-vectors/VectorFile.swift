import StreakWire

/// One file of Protocol/vectors/v1.
struct VectorFile: Sendable {
    /// Without `.json`.
    let name: String
    let content: JSON

    /// Every file, by name. They depend only on this program's source.
    static func all() throws -> [VectorFile] {
        let files = [
            codec, try records(), try dailyScores(), try feeds(), try runs(), try digests(), try merges(), clocks,
            try keys(), try certificates(), try operations(), try ledgers(), try invites(), try joinProofs(),
            try messages(), try beacons(), try handshakes(), try friends(), try deviceLinks(), try gameDefinitions(),
            try retractions(), try talk(), try challenges(), try events(), try whereabouts(), try notices(),
        ]
        return files.sorted { $0.name < $1.name }
    }
}

/// Bytes that must be refused, and the reason.
func refused(_ name: String, _ bytes: [UInt8], _ reason: String) -> JSON {
    ["name": .text(name), "hex": .hex(bytes), "reason": .text(reason)]
}

/// Bytes that must be refused for their size: `bytes` followed by that many zero bytes.
func refused(_ name: String, _ bytes: [UInt8], zeros: Int, _ reason: String) -> JSON {
    ["name": .text(name), "hex": .hex(bytes), "zeros": .number(zeros), "reason": .text(reason)]
}

/// Bytes with one of them replaced.
func replacing(_ bytes: [UInt8], at index: Int, by byte: UInt8) -> [UInt8] {
    var copy = bytes
    copy[index] = byte
    return copy
}

/// Bytes with the lowest bit of one of them flipped; a negative index counts from the end.
func flipping(_ bytes: [UInt8], at index: Int) -> [UInt8] {
    let place = index < 0 ? bytes.count + index : index
    return replacing(bytes, at: place, by: bytes[place] ^ 1)
}

/// A varint's bytes.
func varint(_ value: UInt64) -> [UInt8] {
    var writer = WireWriter(reserving: 10)
    writer.writeVarint(value)
    return writer.bytes
}
