import StreakEngine
import StreakMembership
import StreakWire

/// Groups that this user, or this device, is in no more. They are told of until the user has
/// taken them off the list.
extension MeshNode {
    /// How a place in a group ended.
    struct GroupEnding {
        /// `left` or `removed`; `revoked` where this device alone has lost its place; `notLetIn` where who let it in could not.
        let word: String
        /// What ended it.
        let operation: OperationID
    }

    /// Nil where this device is in, or where nothing here says why it is not.
    func ending(of group: GroupID) -> GroupEnding? {
        guard !engine.isMember(of: group), let state = engine.state(of: group) else { return nil }
        if case .revoked(let operation) = state.device(identity.device)?.standing {
            return GroupEnding(word: "revoked", operation: operation)
        }
        if let operation = engine.exclusion(from: group) { return GroupEnding(word: "notLetIn", operation: operation) }
        guard state.role(of: identity.user) == nil,
            let former = state.removedUsers.first(where: { $0.user == identity.user })
        else { return nil }
        return GroupEnding(word: former.hasLeft ? "left" : "removed", operation: former.removedBy)
    }

    /// When a place in a group ended, by the clock of who ended it; nil where it has not.
    func endingText(of group: GroupID) -> String? {
        ending(of: group).flatMap { engine.origin(of: $0.operation, in: group) }.map {
            Timestamp(seconds: $0.time).text
        }
    }

    private static func dismissalSetting(of group: GroupID) -> String { "ended-" + group.description.prefix(48) }

    /// Whether the user has taken the group off the list since it ended. A place that is given anew and ends again is
    /// told of again.
    func isDismissed(_ group: GroupID) -> Bool {
        guard !engine.isMember(of: group), let dismissed = engine.setting(Self.dismissalSetting(of: group)) else {
            return false
        }
        return dismissed == ending(of: group)?.operation.bytes.array
    }

    /// Takes a group that has ended for this user off the list. Its ledger stays, for whoever has yet to hear of it.
    func dismiss(_ group: GroupID, _ ending: GroupEnding) async throws -> GroupReport {
        var report = groupReport(group)
        try await execute(
            .keepSetting(name: Self.dismissalSetting(of: group), value: ending.operation.bytes.array))
        report.dismissed = true
        inbox.publish(.groupsChanged)
        return report
    }
}
