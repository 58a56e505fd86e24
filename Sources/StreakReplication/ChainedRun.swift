import StreakCrypto
import StreakWire

/// A run whose records read, with the chain hashes along it.
struct ChainedRun {
    let run: Run
    let records: RecordList
    /// The hash before the first record and after each.
    let hashes: [ChainHash]

    /// Throws `malformed` where the run does not unpack or a record does not decode.
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

    /// Throws `invalidSignature` where the feed's device has not signed this end of it.
    func checkSignature(in group: GroupID) throws(ReplicationError) {
        guard let key = try? SigningPublicKey(rawBytes: run.feed.device.bytes.array),  // 32 bytes by its type
            key.isValid(run.signature, for: FeedChain.signedBytes(group: group, feed: run.feed, tip: end))
        else { throw .invalidSignature }
    }
}
