internal import Foundation
internal import GRDB
internal import StreakCrypto
internal import StreakReplication
internal import StreakWire

// GRDB's own conversions trap on a value of another type, which a damaged file may hold; these give nil.
extension Row {
    func bytes(_ index: Int) -> [UInt8]? {
        let value: DatabaseValue = self[index]
        guard case .blob(let data) = value.storage else { return nil }
        return Array(data)
    }

    func integer(_ index: Int) -> Int64? {
        let value: DatabaseValue = self[index]
        guard case .int64(let number) = value.storage else { return nil }
        return number
    }

    func text(_ index: Int) -> String? {
        let value: DatabaseValue = self[index]
        guard case .string(let text) = value.storage else { return nil }
        return text
    }

    func identifier<ID: Identifier32>(_ index: Int) -> ID? {
        guard let bytes = bytes(index), bytes.count == 32 else { return nil }
        return ID(bytes: Bytes32(word(bytes, 0), word(bytes, 8), word(bytes, 16), word(bytes, 24)))
    }

    /// A counter and, in the next column, a nonce.
    func epoch(_ index: Int) -> Epoch? {
        guard let counter = integer(index).flatMap({ UInt32(exactly: $0) }), let nonce = integer(index + 1) else {
            return nil
        }
        return Epoch(counter: counter, nonce: UInt64(bitPattern: nonce))
    }

    func storeID(_ index: Int) -> StoreID? { bytes(index).flatMap { Bytes16($0) }.map { StoreID(bytes: $0) } }
}

/// A big-endian word. The generic initializers of `Bytes32` are not specialized across modules; over a hundred thousand
/// rows that was most of the time to start.
private func word(_ bytes: [UInt8], _ start: Int) -> UInt64 {
    var word: UInt64 = 0
    for index in start..<start + 8 { word = word << 8 | UInt64(bytes[index]) }
    return word
}

extension [UInt8] {
    /// As a column's value.
    var stored: Data { Data(self) }
}

extension Identifier32 {
    var stored: Data { bytes.array.stored }
}

/// Sixteen bytes of BLAKE2b over a whole row. They show when the disk returned a changed page.
enum RowChecksum {
    static func checksum(of run: StoredRun) -> [UInt8] { checksum(of: run, covering: run.after) }

    /// - Parameter after: nil for a row of a store's first version, which did not have it.
    static func checksum(of run: StoredRun, covering after: ChainHash?) -> [UInt8] {
        var writer = WireWriter(reserving: 256)
        writer.write(run.group)
        writer.write(run.run.feed.device)
        writer.write(run.run.feed.epoch)
        writer.write(run.branch)
        writer.write(run.run.first)
        writer.write(UInt64(truncatingIfNeeded: run.run.count))
        writer.write(run.run.before)
        writer.writeRaw(run.run.signature.rawBytes)
        writer.write(run.arrival)
        if let after { writer.write(after) }
        var hasher = Blake2bHasher(size: 16)
        hasher.update(writer.bytes)
        hasher.update(run.run.packed)
        return hasher.finalize()
    }

    static func checksum(of operation: StoredOperation) -> [UInt8] {
        var writer = WireWriter(reserving: 80)
        writer.write(operation.group)
        writer.write(operation.id)
        writer.write(operation.arrival)
        var hasher = Blake2bHasher(size: 16)
        hasher.update(writer.bytes)
        hasher.update(operation.bytes)
        return hasher.finalize()
    }
}
