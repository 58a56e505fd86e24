import StreakCrypto
import StreakWire

/// A run whose records decode, with the chain hashes along it.
struct ChainedRun {
    let run: Run
    let records: RecordList
    /// The hash before the first record and after each.
    let hashes: [ChainHash]

    /// Throws `malformed` if the run does not unpack or a record does not decode.
    init(_ run: Run) throws(ReplicationError) {
        self.run = run
        do { records = try run.records() } catch { throw .malformed(error) }
        var hashes = [run.before]
        hashes.reserveCapacity(records.count + 1)
        for record in records {
            do { _ = try RecordView(decoding: record) } catch { throw .malformed(error) }
            hashes.append(FeedChain.hash(after: hashes[hashes.count - 1], record: record))
        }
        self.hashes = hashes
    }

    var end: Tip { Tip(number: run.last, hash: hashes[records.count]) }
}

/// A run with the pieces before it that have no signature of their own: its signature covers them all.
struct ChainedRuns {
    /// The run is the last.
    let parts: [ChainedRun]
    /// The hash before the first record and after each.
    let hashes: [ChainHash]

    /// Throws `malformed` if one does not decode, `differentHistory` if they do not follow one another.
    init(_ run: Run, behind pieces: [Run]) throws(ReplicationError) {
        var parts: [ChainedRun] = []
        var hashes: [ChainHash] = []
        for run in pieces + [run] {
            let part = try ChainedRun(run)
            if let last = parts.last {
                guard run.first == last.run.last + 1, run.before == last.end.hash, run.feed == last.run.feed else {
                    throw .differentHistory
                }
            }
            hashes += parts.isEmpty ? part.hashes : Array(part.hashes.dropFirst())
            parts.append(part)
        }
        self.parts = parts
        self.hashes = hashes
    }

    var first: UInt64 { parts[0].run.first }
    var before: ChainHash { parts[0].run.before }
    var end: Tip { parts[parts.count - 1].end }
    var records: RecordList {
        guard parts.count > 1 else { return parts[0].records }
        var records = RecordList()
        for part in parts { records.append(contentsOf: part.records) }
        return records
    }

    /// The hash after record `number`, or right before the first; nil elsewhere.
    func hash(at number: UInt64) -> ChainHash? {
        number + 1 >= first && number <= end.number ? hashes[Int(number + 1 - first)] : nil
    }

    /// Throws `invalidSignature` if the feed's device has not signed this end of it.
    func checkSignature(in group: GroupID) throws(ReplicationError) {
        try parts[parts.count - 1].checkSignature(in: group)
    }
}

extension ChainedRun {
    /// Throws `invalidSignature` if the feed's device has not signed this end of it.
    func checkSignature(in group: GroupID) throws(ReplicationError) {
        guard let key = try? SigningPublicKey(rawBytes: run.feed.device.bytes.array),  // 32 bytes by its type
            key.isValid(run.signature, for: FeedChain.signedBytes(group: group, feed: run.feed, tip: end))
        else { throw .invalidSignature }
    }
}
