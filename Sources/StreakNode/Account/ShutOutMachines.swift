import StreakEngine
import StreakMembership
import StreakReplication
import StreakStorage
import StreakWire

/// Machines that the account has shut out, and that are still in some group: this machine was not in it then.
final class ShutOutMachines {
    private let core: NodeCore
    private let loop: NodeLoop
    private let folder: DataFolder
    private var isStale = true
    /// What was done, or said to the user, in this run.
    private var handled: [GroupID: Set<DeviceID>] = [:]

    init(core: NodeCore, loop: NodeLoop, folder: DataFolder) {
        (self.core, self.loop, self.folder) = (core, loop, folder)
    }

    /// A ledger has changed.
    func review() { isStale = true }

    /// Shuts such machines out where they still are, if the account's secret is here. If not, tells the user. Once for
    /// each group in a run: a group may be too full to hear of it.
    func writeNoted() -> Bool {
        guard isStale else { return false }
        isStale = false
        // A secret that cannot be read is as good as none: the user is told what to do.
        let key = core.strayMachines.isEmpty ? nil : try? Account.secret(in: folder, of: core.identity.user)
        var wrote = false
        for (device, groups) in core.strayMachines {
            let new = groups.filter { handled[$0, default: []].insert(device).inserted }
            guard !new.isEmpty else { continue }
            if let key {
                loop.post(.revokeDevice(device, accountKey: key))
                wrote = true
            }
            for title in new.map(core.title) {
                let place = "A machine you shut out was still in “\(title)”"
                core.publish(
                    .notice(
                        key == nil
                            ? "\(place): `streakmesh device revoke \(device.description.prefix(8))` shuts it out there, too."
                            : "\(place). It is shut out there now, too."))
            }
        }
        return wrote
    }
}

extension NodeCore {
    /// This user's machines that are shut out, and the groups of this user that they are still in, in the order of the
    /// groups' titles.
    var strayMachines: [(device: DeviceID, groups: [GroupID])] {
        guard engine.hasShutOut, !engine.isShutOut else { return [] }
        var found: [DeviceID: [GroupID]] = [:]
        for group in memberGroups {
            for device in engine.state(of: group)?.devices ?? []
            where device.isCurrent && engine.isGivenUp(device.certificate) {
                found[device.device, default: []].append(group)
            }
        }
        return found.sorted { $0.key < $1.key }.map { (device: $0.key, groups: $0.value) }
    }
}
