import StreakMembership
import StreakWire

/// Members whose friend codes are worked out one after another, beside everything else.
struct CodeQueue {
    private var users: [UserID] = []

    /// The one that is worked out.
    var current: UserID? { users.first }

    /// Returns whom to begin with, where none is worked out yet.
    mutating func add(_ others: [UserID]) -> UserID? {
        let isIdle = users.isEmpty
        for user in others where !users.contains(user) { users.append(user) }
        return isIdle ? current : nil
    }

    /// Takes out who is done. Returns false where the code was not asked for here.
    mutating func finish(_ user: UserID) -> Bool {
        guard current == user else { return false }
        users.removeFirst()
        return true
    }
}
