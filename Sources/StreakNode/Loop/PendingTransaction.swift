import StreakEngine
import StreakReplication
import StreakStorage

/// Changes that the engine has asked for and that are not on disk yet. They are stored as one transaction.
struct PendingTransaction {
    private(set) var change = DurableChange()
    private(set) var ids: [ChangeID] = []
    /// Share texts to store in the same transaction.
    var texts: [ShareText] = []

    var isEmpty: Bool { ids.isEmpty }

    mutating func append(_ part: DurableChange, _ id: ChangeID) {
        change.append(part)
        ids.append(id)
    }

    /// Removes and returns everything, to be stored.
    mutating func takeAll() -> PendingTransaction {
        defer { self = PendingTransaction() }
        return self
    }

    /// Forgets the changes, which the store refused. The texts stay, because they belong to a command still to come.
    mutating func discardChanges() { (change, ids) = (DurableChange(), []) }
}
