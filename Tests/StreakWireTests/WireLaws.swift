import StreakRandom
import StreakWire
import Testing

extension SplitMix64 {
    /// Numbers of every size, small ones as often as large ones.
    mutating func anySize() -> UInt64 { next() >> UInt64.random(in: 0...63, using: &self) }
}

struct WireLaws {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `varints come back as they were`(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        for _ in 0..<500 {
            let value = numbers.anySize()
            let signed = Int64(bitPattern: numbers.next()) >> Int64(numbers.next() % 64)
            var writer = WireWriter()
            writer.writeVarint(value)
            writer.writeSignedVarint(signed)
            var reader = WireReader(writer.bytes)
            #expect(try reader.readVarint() == value)
            #expect(try reader.readSignedVarint() == signed)
            try reader.finish()
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `any bytes read as a varint are the ones it is written with`(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0...11, using: &numbers)).map { _ -> UInt8 in
                Bool.random(using: &numbers)
                    ? UInt8.random(in: 0x80...0xFF, using: &numbers) : .random(in: 0...3, using: &numbers)
            }
            var reader = WireReader(bytes)
            guard let value = try? reader.readVarint() else { continue }  // refused bytes make no claim
            var writer = WireWriter()
            writer.writeVarint(value)
            #expect(writer.bytes == Array(bytes.prefix(reader.consumedCount)))
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `fields come back in their order`(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        let words = (0..<6).map { _ in numbers.next() }
        let blob = (0..<Int.random(in: 0...300, using: &numbers)).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
        let text = String(blob.map { Character(Unicode.Scalar($0)) })
        let epoch = Epoch(counter: UInt32(truncatingIfNeeded: words[0]), nonce: words[1])
        let endpoint = Endpoint(address: Bytes16(words[2], words[3]), port: UInt16(truncatingIfNeeded: words[4]))
        let device = DeviceID(bytes: Bytes32(words[0], words[1], words[2], words[3]))
        var writer = WireWriter()
        writer.write(UInt8(truncatingIfNeeded: words[5]))
        writer.write(UInt16(truncatingIfNeeded: words[5]))
        writer.write(UInt32(truncatingIfNeeded: words[5]))
        writer.write(words[5])
        writer.write(device)
        writer.write(epoch)
        writer.write(endpoint)
        writer.writeBlob(blob)
        writer.writeText(text)
        writer.writeRaw(blob)
        var reader = WireReader(writer.bytes)
        #expect(try reader.readUInt8() == UInt8(truncatingIfNeeded: words[5]))
        #expect(try reader.readUInt16() == UInt16(truncatingIfNeeded: words[5]))
        #expect(try reader.readUInt32() == UInt32(truncatingIfNeeded: words[5]))
        #expect(try reader.readUInt64() == words[5])
        #expect(try reader.readIdentifier(DeviceID.self) == device)
        #expect(try reader.readEpoch() == epoch)
        #expect(try reader.readEndpoint() == endpoint)
        #expect(try reader.readBlob(maximum: 300) == blob)
        #expect(try reader.readText(maximum: 600) == text)
        #expect(try reader.readTail(maximum: 300) == blob)
        try reader.finish()
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `no bytes and no order of reads trap`(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        for _ in 0..<200 {
            let bytes = (0..<Int.random(in: 0...60, using: &numbers)).map { _ in
                UInt8(truncatingIfNeeded: numbers.next())
            }
            var reader = WireReader(bytes[...])
            for _ in 0..<12 {
                let before = reader.consumedCount
                do throws(WireError) {
                    try Self.read(&reader, choice: Int.random(in: 0..<15, using: &numbers))
                } catch {
                    // A refused read may have taken the fields before the one at fault, never more than there is.
                    #expect(reader.consumedCount >= before)
                }
                #expect(reader.consumedCount + reader.remainingCount == bytes.count)
            }
        }
    }

    private static func read(_ reader: inout WireReader, choice: Int) throws(WireError) {
        switch choice {
        case 0: _ = try reader.readUInt8()
        case 1: _ = try reader.readUInt16()
        case 2: _ = try reader.readUInt32()
        case 3: _ = try reader.readUInt64()
        case 4: _ = try reader.readVarint()
        case 5: _ = try reader.readSignedVarint()
        case 6: _ = try reader.readCount(maximum: 5)
        case 7: _ = try reader.readBlob(maximum: .max)
        case 8: _ = try reader.readText(maximum: 20)
        case 9: _ = try reader.readFlag(field: "flag")
        case 10: _ = try reader.readBytes16()
        case 11: _ = try reader.readBytes32()
        case 12: _ = try reader.readEpoch()
        case 13: _ = try reader.readEndpoint()
        default: _ = try reader.readVarint(maximum: 1_000)
        }
    }

    @Test func `a length is judged before anything is allocated`() {
        var writer = WireWriter()
        writer.writeVarint(.max)
        var limited = WireReader(writer.bytes)
        #expect(throws: WireError.limitExceeded(limit: 100, actual: .max)) { try limited.readBlob(maximum: 100) }
        writer = WireWriter()
        writer.writeVarint(UInt64(Int.max))
        var unlimited = WireReader(writer.bytes)
        #expect(throws: WireError.truncated(needed: .max, available: 0)) { try unlimited.readBlob(maximum: .max) }
    }

    @Test func `a tail is bounded and nothing may follow a message that has none`() {
        var reader = WireReader([1, 2, 3])
        #expect(throws: WireError.limitExceeded(limit: 2, actual: 3)) { try reader.readTail(maximum: 2) }
        #expect(throws: WireError.trailingBytes(count: 3)) { try reader.finish() }
    }
}
