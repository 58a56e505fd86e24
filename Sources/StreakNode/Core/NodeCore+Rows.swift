import StreakEngine
import StreakMembership
import StreakReplication
import StreakWire

/// How this user's place in a group ended, as far as this machine has noted it.
struct NotedEnding: LocalRow {
    let group: GroupID
    /// What ended it.
    let operation: OperationID
    /// When this machine heard of it: Unix seconds.
    let notedAt: Int64
    /// Whether the user has taken the group off the list since.
    let isDismissed: Bool

    static var shape: RowShape<Self> {
        RowShape(.endings, Self.init, \.group, \.operation, \.notedAt, \.isDismissed)
    }
}

/// A user's friend code, which is slow to compute.
struct KnownCode: LocalRow {
    let user: UserID
    let code: FriendCode

    static var shape: RowShape<Self> { RowShape(.friendCodes, Self.init, \.user, \.code) }
}

extension NodeCore {
    /// What notes how a place ended; when that was noted first stays.
    func note(_ ending: GroupEnding, of group: GroupID, isDismissed: Bool = false) -> Command {
        let known = engine.local[NotedEnding.self, group].flatMap { $0.operation == ending.operation ? $0 : nil }
        var rows = LocalRows()
        rows.keep(
            NotedEnding(
                group: group, operation: ending.operation, notedAt: known?.notedAt ?? clock.wallTime.seconds,
                isDismissed: isDismissed))
        return .keepRows(rows)
    }
}
