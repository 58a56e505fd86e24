import StreakEngine
import StreakLinks
import StreakMembership
import StreakReplication
import StreakStorage
import StreakWire

/// Machines that the account has shut out, and that are still in some group: this machine was not in it then.
final class ShutOutMachines {
    private let core: NodeCore
    private let loop: NodeLoop
    private let folder: DataFolder
    /// When to look. What the account says may arrive before what a group says of it.
    private var due: MonotonicInstant?
    /// What was done, or said to the user, in this run.
    private var handled: [GroupID: Set<DeviceID>] = [:]
    /// Shut out by this machine; the groups have not all accepted it yet.
    private var underWay: [(device: DeviceID, group: GroupID)] = []

    /// How long a machine has to seem to be in a group.
    private static let patience: Duration = .seconds(5)

    init(core: NodeCore, loop: NodeLoop, folder: DataFolder) {
        (self.core, self.loop, self.folder) = (core, loop, folder)
    }

    /// When a machine has to be dealt with; nil if none seems to be in a group.
    var nextDeadline: MonotonicInstant? { due }

    /// A ledger has changed.
    func review() {
        guard due == nil, core.engine.hasShutOut, !core.strayMachines.isEmpty || !underWay.isEmpty else { return }
        due = core.clock.now.advanced(by: Self.patience)
    }

    /// Shuts such machines out where they still are, if the account's secret is here. If not, tells the user. Once for
    /// each group in a run: a group may take no further changes.
    func writeNoted() -> Bool {
        guard let due, due <= core.clock.now else { return false }
        guard !core.engine.isExchanging else {
            self.due = core.clock.now.advanced(by: .seconds(1))
            return false
        }
        self.due = nil
        let strays = core.strayMachines
        let ended = underWay.filter { entry in
            !strays.contains { $0.device == entry.device && $0.groups.contains(entry.group) }
        }
        underWay = []
        for entry in ended {
            say("A machine that is shut out was still in “\(core.title(of: entry.group))”. It is out there now, too.")
        }
        // A secret that cannot be read is as good as none: the user is told what to do.
        let key = strays.isEmpty ? nil : try? Account.secret(in: folder, of: core.identity.user)
        var wrote = false
        for (device, groups) in strays {
            let new = groups.filter { handled[$0, default: []].insert(device).inserted }
            guard !new.isEmpty else { continue }
            if let key {
                underWay += new.map { (device, $0) }
                loop.post(.revokeDevice(device, accountKey: key))
                wrote = true
                continue
            }
            for title in new.map(core.title) {
                say(
                    "A machine that is shut out is still in “\(title)”: "
                        + "`streakmesh device revoke \(device.description.prefix(8))` shuts it out there, too.")
            }
        }
        return wrote
    }

    private func say(_ text: String) { core.publish(.notice(text)) }
}

extension NodeCore {
    /// This user's machines that are shut out, and the groups of this user that they are still in, in the order of the
    /// groups' titles.
    var strayMachines: [(device: DeviceID, groups: [GroupID])] {
        guard engine.hasShutOut, !engine.isShutOut else { return [] }
        var found: [DeviceID: [GroupID]] = [:]
        for group in memberGroups {
            for device in engine.state(of: group)?.devices ?? []
            where engine.isShutOut(device.device) && engine.isStillIn(device.device, group) {
                found[device.device, default: []].append(group)
            }
        }
        return found.sorted { $0.key < $1.key }.map { (device: $0.key, groups: $0.value) }
    }
}
