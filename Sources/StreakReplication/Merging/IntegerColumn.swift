import StreakWire

/// Many integers with one meaning, written in the shortest of three forms (Protocol/records.md §6.2).
///
/// A column does not contain its count. An empty one has no bytes.
enum IntegerColumn {
    private enum Form: UInt8 {
        /// One value for all.
        case constant = 0
        /// A base, a width of 0–64 bits, exceptions, then every value minus the base in that many bits, the lowest
        /// first. An exception (its distance from the one before, and its bits above the width) keeps only its lower
        /// bits there.
        case packed = 1
        /// Values with their run lengths.
        case repeated = 2
    }

    static func write(_ values: [UInt64], to writer: inout WireWriter) {
        guard let first = values.first else { return }
        guard values.contains(where: { $0 != first }) else {
            writer.write(Form.constant.rawValue)
            writer.writeVarint(first)
            return
        }
        let (packed, repeated) = (bitPacked(values), repeated(values))
        writer.writeRaw(packed.count < repeated.count ? packed : repeated)
    }

    /// Reads `count` values. The caller has bounded the count.
    static func read(_ count: Int, from reader: inout WireReader) throws(WireError) -> [UInt64] {
        guard count > 0 else { return [] }
        guard let form = Form(rawValue: try reader.readUInt8()) else { throw .invalidValue(field: "column") }
        switch form {
        case .constant:
            return [UInt64](repeating: try reader.readVarint(), count: count)
        case .repeated:
            var values: [UInt64] = []
            values.reserveCapacity(count)
            while values.count < count {
                let value = try reader.readVarint()
                let length = try reader.readVarint()
                guard length > 0, length <= UInt64(count - values.count) else { throw .invalidValue(field: "column") }
                values.append(contentsOf: repeatElement(value, count: Int(length)))
            }
            return values
        case .packed:
            return try readBitPacked(count, from: &reader)
        }
    }

    /// A signed number as an unsigned one that is small if the number is near 0.
    static func zigzag(_ value: Int64) -> UInt64 { UInt64(bitPattern: (value << 1) ^ (value >> 63)) }

    static func unzigzag(_ value: UInt64) -> Int64 { Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1) }

    // MARK: Forms

    private static func repeated(_ values: [UInt64]) -> [UInt8] {
        var writer = WireWriter(reserving: 64)
        writer.write(Form.repeated.rawValue)
        var start = 0
        while start < values.count {
            let end = values[start...].firstIndex { $0 != values[start] } ?? values.count
            writer.writeVarint(values[start])
            writer.writeVarint(UInt64(end - start))
            start = end
        }
        return writer.bytes
    }

    /// Packed (Zukowski et al., "Super-Scalar RAM-CPU Cache Compression", 2006: patched frame of reference).
    private static func bitPacked(_ values: [UInt64]) -> [UInt8] {
        let base = values.min() ?? 0
        let width = bestWidth(of: values, above: base)
        var writer = WireWriter(reserving: values.count * width / 8 + 32)
        writer.write(Form.packed.rawValue)
        writer.writeVarint(base)
        writer.write(UInt8(width))
        let exceptions = values.indices.filter { width < 64 && (values[$0] - base) >> UInt64(width) > 0 }
        writer.writeCount(exceptions.count)
        var next = 0
        for index in exceptions {
            writer.writeVarint(UInt64(index - next))
            writer.writeVarint((values[index] - base) >> UInt64(width))
            next = index + 1
        }
        var held: UInt64 = 0
        var heldCount = 0
        for value in values {
            var rest = value - base
            var restCount = width
            while restCount > 0 {
                let taken = min(8 - heldCount, restCount)
                held |= (rest & (1 << UInt64(taken) - 1)) << UInt64(heldCount)
                rest >>= UInt64(taken)
                restCount -= taken
                heldCount += taken
                if heldCount == 8 {
                    writer.write(UInt8(held))
                    (held, heldCount) = (0, 0)
                }
            }
        }
        if heldCount > 0 { writer.write(UInt8(held)) }
        return writer.bytes
    }

    /// The width with about the smallest total size of packed values and exceptions.
    private static func bestWidth(of values: [UInt64], above base: UInt64) -> Int {
        var countOfLength = [Int](repeating: 0, count: 65)
        for value in values { countOfLength[64 - (value - base).leadingZeroBitCount] += 1 }
        func bits(_ width: Int) -> Int {
            let exceptions = ((width + 1)..<65).reduce(0) { sum, length in
                sum + countOfLength[length] * (8 + 8 * ((length - width + 6) / 7))
            }
            return values.count * width + exceptions
        }
        return (0...64).min { bits($0) < bits($1) } ?? 64
    }

    private static func readBitPacked(_ count: Int, from reader: inout WireReader) throws(WireError) -> [UInt64] {
        let base = try reader.readVarint()
        let width = Int(try reader.readUInt8())
        guard width <= 64 else { throw .invalidValue(field: "column") }
        var exceptions: [(index: Int, bits: UInt64)] = []
        var next = 0
        for _ in 0..<(try reader.readCount(maximum: count)) {
            let gap = try reader.readVarint(maximum: UInt64(count))
            let index = next + Int(gap)
            guard index < count, width < 64 else { throw .invalidValue(field: "column") }
            exceptions.append((index, try reader.readVarint()))
            next = index + 1
        }
        let bytes = try reader.readRaw((count * width + 7) / 8)
        var values: [UInt64] = []
        values.reserveCapacity(count)
        var position = 0
        for _ in 0..<count {
            var value: UInt64 = 0
            var taken = 0
            while taken < width {
                let offset = position & 7
                let length = min(8 - offset, width - taken)
                let bits = UInt64(bytes[position >> 3]) >> UInt64(offset) & (1 << UInt64(length) - 1)
                value |= bits << UInt64(taken)
                taken += length
                position += length
            }
            values.append(value &+ base)
        }
        for (index, bits) in exceptions { values[index] = values[index] &+ bits << UInt64(width) }
        return values
    }
}
