import StreakEngine

/// Commands that the engine has not completed yet, and the callers that wait for each.
struct PendingCommands {
    typealias Waiter = CheckedContinuation<Result<CommandOutcome, NodeFailure>, Never>

    private var waiters: [CommandID: Waiter] = [:]
    private var nextNumber: UInt64 = 1

    mutating func takeID() -> CommandID {
        defer { nextNumber += 1 }
        return CommandID(number: nextNumber)
    }

    mutating func wait(_ waiter: Waiter, for id: CommandID) { waiters[id] = waiter }

    func isWaiting(for id: CommandID) -> Bool { waiters[id] != nil }

    mutating func complete(_ id: CommandID, _ outcome: CommandOutcome) {
        waiters.removeValue(forKey: id)?.resume(returning: .success(outcome))
    }

    /// Fails all waiting callers, in the order in which they asked.
    mutating func failAll(_ failure: NodeFailure) {
        for id in waiters.keys.sorted() { waiters.removeValue(forKey: id)?.resume(returning: .failure(failure)) }
    }
}
