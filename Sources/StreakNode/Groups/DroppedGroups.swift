import StreakEngine
import StreakMembership
import StreakReplication
import StreakWire

/// Groups that the user left while nobody else was in them. No operation says so, because there was nobody to tell: the
/// account's other machines learn it from a setting, and forget the group, too.
final class DroppedGroups {
    private let core: NodeCore
    private let loop: NodeLoop
    private var isStale = true

    init(core: NodeCore, loop: NodeLoop) { (self.core, self.loop) = (core, loop) }

    /// The account's settings have changed, or who is in a group.
    func review() { isStale = true }

    /// What other machines of the account have to be told when the user leaves a group that nobody else is in.
    func drafts(dropping group: GroupID) -> [RecordDraft] {
        let machines = core.privateGroup.flatMap { core.engine.state(of: $0)?.devices.count } ?? 0
        return machines > 1 ? [AccountSettings.draft(dropping: group, true)] : []
    }

    /// Forgets what was dropped elsewhere. Whom another machine has let in meanwhile keeps the group, and so does the
    /// user. Returns whether there was anything.
    func writeNoted() -> Bool {
        guard isStale, let privateGroup = core.privateGroup else { return false }
        isStale = false
        let settings = core.accountSettings
        let dropped = settings.hasDropped ? core.sharedGroups.filter(settings.isDropped) : []
        for group in dropped {
            if core.engine.state(of: group)?.members.map(\.user) == [core.identity.user] {
                loop.post(.forgetGroup(group))
                core.forgetView(of: group)
                core.publish(.groupsChanged)
            } else {
                loop.post(.write([(privateGroup, [AccountSettings.draft(dropping: group, false)])]))
                guard core.engine.isMember(of: group) else { continue }
                core.publish(
                    .notice(
                        "“\(core.title(of: group))” stays on your list: one of your machines let somebody in before it knew "
                            + "that you had left. Leave it again if you want to."))
            }
        }
        return !dropped.isEmpty
    }
}
