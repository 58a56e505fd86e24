import StreakLinks
import StreakMembership
public import StreakWire

/// Reading what single operations say of themselves.
extension MeshEngine {
    /// Whose operation this is, and when its device made it by its own clock, in seconds since 1970; nil for one that is
    /// not here. O(1).
    public func origin(of operation: OperationID, in group: GroupID) -> (user: UserID, time: Int64)? {
        guard let ledger = groups[group]?.ledger, let signed = ledger.operation(operation),
            let user = ledger.user(of: signed.operation.author)
        else { return nil }
        return (user, signed.operation.time)
    }

    /// Whether an operation is here and counts.
    public func counts(_ operation: OperationID, in group: GroupID) -> Bool {
        guard let ledger = groups[group]?.ledger, ledger.contains(operation) else { return false }
        return ledger.refusal(of: operation) == nil
    }
}
