import StreakEngine
import StreakReplication
import StreakStorage

/// Changes that the engine has asked for and that are not yet on disk: they are stored as one transaction.
struct PendingTransaction {
    private(set) var change = DurableChange()
    private(set) var ids: [ChangeID] = []
    /// Share texts to be kept in the same transaction.
    var texts: [ShareText] = []

    var isEmpty: Bool { ids.isEmpty }

    mutating func append(_ part: DurableChange, _ id: ChangeID) {
        change.append(part)
        ids.append(id)
    }

    /// All of it, to be stored.
    mutating func take() -> PendingTransaction {
        defer { self = PendingTransaction() }
        return self
    }

    /// Forgets the changes, which the store refused. The texts are of a command that is still to come.
    mutating func discardChanges() { (change, ids) = (DurableChange(), []) }
}
