import StreakWire
import Synchronization

/// Limits of a ledger. The defaults are the protocol's; tests set smaller ones. None of them changes what an operation
/// means.
struct LedgerRules: Sendable {
    var maximumBranchesOfGroup: Int?
    var maximumClockSize: Int?
    var budget = LedgerBudget()
    /// Operations verified by another ledger. A signature covers the bytes, and so does the name, so this stays true.
    var verified: VerifiedOperations?
}

/// Names of operations whose signatures and proofs are valid.
final class VerifiedOperations: Sendable {
    private let names = Mutex<Set<OperationID>>([])

    func contains(_ id: OperationID) -> Bool { names.withLock { $0.contains(id) } }

    func insert(_ id: OperationID) { names.withLock { _ = $0.insert(id) } }
}
