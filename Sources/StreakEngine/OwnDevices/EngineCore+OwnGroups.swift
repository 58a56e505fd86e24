import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

extension EngineCore {
    /// Publishes the account's machines in a group that lacks some; in every group, if the news is in the private group.
    mutating func publishOwnDevices(in group: GroupID) {
        guard let privateGroup, isCurrentMember(of: privateGroup), let known = groups[privateGroup]?.state.devices,
            known.count > 1
        else { return }
        let machines = known.filter { $0.isCurrent && !isForeign($0) }
        for target in isPrivate(group) ? groups.keys : [group] where !isPrivate(target) && isCurrentMember(of: target) {
            for machine in machines where groups[target]?.state.device(machine.device) == nil {
                // A group that accepts no further devices remains without this one.
                try? append([.addDevice(machine.certificate)], to: target)
            }
        }
    }

    /// Hands over no group in which the other machine's place is not on disk yet.
    mutating func offerGroupsOnceStored() { persist(DurableChange(), then: [.offerGroups]) }
}
