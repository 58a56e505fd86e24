import StreakMembership
import StreakWire

/// Members whose friend codes are worked out one after another, in the background.
struct CodeQueue {
    private var users: [UserID] = []
    private var known: Set<UserID> = []

    /// The one that is being worked out.
    var current: UserID? { users.first }

    /// Adds users. Returns the one to begin with, if none is being worked out.
    mutating func add(_ others: [UserID]) -> UserID? {
        let isIdle = users.isEmpty
        for user in others where known.insert(user).inserted { users.append(user) }
        return isIdle ? current : nil
    }

    /// Removes a finished user. False if this queue did not ask for the code.
    mutating func finish(_ user: UserID) -> Bool {
        guard current == user else { return false }
        known.remove(users.removeFirst())
        return true
    }
}
