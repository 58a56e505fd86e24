import StreakLinks
import StreakMembership
import StreakWire

/// A ledger that arrives after a welcome. It counts only once it has been checked as a whole.
struct LedgerIntake: Sendable {
    /// How much memory one sender's ledgers may take on this device, in bytes.
    static let maximumSize = 64 << 20

    let group: GroupID
    /// Newest first, as in welcomes.
    let accessKeys: [AccessKey]
    private(set) var ledger: Ledger?
    var size = 0
    var isComplete = false
    /// When it is given up, unless more of it arrives: for ledgers that nobody here has asked for.
    var due = MonotonicInstant.zero

    init(group: GroupID, accessKeys: [[UInt8]]) {
        self.group = group
        self.accessKeys = accessKeys.compactMap { try? AccessKey(rawBytes: $0) }  // each has 32 bytes as decoded
    }

    /// - Parameter otherSize: what other ledgers of the sender take up already.
    /// - Throws: `tooLarge` for what no group can hold, or the sender may not hold here.
    mutating func append(_ encoded: [[UInt8]], beside otherSize: Int = 0) throws(LedgerError) {
        for bytes in encoded {
            size += bytes.count
            guard size + otherSize <= Self.maximumSize else { throw .tooLarge(size: size + otherSize) }
            let operation: SignedOperation
            do { operation = try SignedOperation(decoding: bytes) } catch { throw .malformed(error) }
            if ledger == nil {
                guard operation.id.bytes == group.bytes else { throw .notFounding }
                ledger = try Ledger(founding: operation)
            } else {
                // Accounts' shares depend on the order of arrival, so only the size of the whole is checked.
                _ = try ledger?.insert(operation, withinLimits: false)
                if let ledger, ledger.isTooLarge { throw .tooLarge(size: ledger.weight) }
            }
        }
    }

    /// The received keys that the ledger names.
    var namedKeys: [AccessKey] {
        let hashes = ledger?.state.accessKeyHashes ?? []
        return accessKeys.filter { hashes.contains($0.hash) }
    }
}
