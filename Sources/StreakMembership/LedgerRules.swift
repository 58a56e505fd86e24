import StreakWire
import Synchronization

/// Rules that tests of the resolver's laws break on purpose, to see that the laws notice. The defaults are the
/// protocol's, and nothing but those tests sets others.
struct LedgerRules: Sendable {
    /// A demotion reaches only what has it as an ancestor, so that old parents bring old powers back.
    var judgesDemotionsAtParents = false
    /// A member's revocation of its own invite voids admissions whose authors did not know of it.
    var memberRevocationsReachConcurrentAdmissions = false
    /// Of admissions beyond an invite's uses those that arrived later are void.
    var countsUsesByArrival = false
    /// A claim lets its account in again after it has left.
    var admitsSpentClaims = false
    /// Other limits than the protocol's, so that a test reaches them.
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
