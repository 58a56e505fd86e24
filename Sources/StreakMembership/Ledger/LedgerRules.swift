import StreakWire
import Synchronization

/// How much a ledger takes. The defaults are the protocol's; a test sets others to reach them. None of it decides what an
/// operation amounts to.
struct LedgerRules: Sendable {
    var maximumBranchesOfGroup: Int?
    var maximumClockSize: Int?
    var budget = LedgerBudget()
    /// What has been verified by another ledger. A signature is true of bytes, so of an operation's name, for ever.
    var verified: VerifiedOperations?
}

/// Names of operations whose signatures and proofs are known to be good.
final class VerifiedOperations: Sendable {
    private let names = Mutex<Set<OperationID>>([])

    func contains(_ id: OperationID) -> Bool { names.withLock { $0.contains(id) } }

    func insert(_ id: OperationID) { names.withLock { _ = $0.insert(id) } }
}
