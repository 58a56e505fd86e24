import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// Starting from what a store holds.
extension EngineCore {
    /// - Parameter ledgers: ledgers whose operations need not be checked again.
    mutating func restore(_ snapshot: Snapshot, ledgers: [GroupID: Ledger]) {
        var keys: [GroupID: [AccessKey]] = [:]
        for stored in snapshot.accessKeys {
            guard let key = try? AccessKey(rawBytes: stored.key) else { continue }  // the schema demands 32 bytes
            keys[stored.group, default: []].insert(key, at: 0)
        }
        // Nothing fits a group without its founding operation, which may lie behind others.
        for stored in snapshot.operations where groups[stored.group] == nil {
            // Most are no founding operation. Where that does not read, the group is left out.
            guard
                let ledger = ledgers[stored.group]
                    ?? (try? SignedOperation(decoding: stored.bytes)).flatMap({ try? Ledger(founding: $0) }),
                ledger.group == stored.group
            else { continue }
            hold(ledger, accessKeys: keys[stored.group] ?? [])
        }
        for stored in snapshot.operations {
            guard let operation = try? SignedOperation(decoding: stored.bytes) else { continue }  // fetched again
            if ledgers[stored.group] != nil {
                groups[stored.group]?.noteArrival(stored.arrival, of: operation)
            } else {
                let added = try? groups[stored.group]?.insert(  // fetched again
                    operation, arrival: stored.arrival, withinLimits: false)
                for operation in added ?? [] { accountWord.note(operation.operation.body) }
            }
        }
        for stored in snapshot.runs where !(groups[stored.group]?.restore(stored) ?? false) {
            unfitRuns.append(stored.key)
        }
        let own = identity
        for group in groups.keys {
            journal.startChange.removedOperations += groups[group]?.dropIdleOperations(keeping: own.device) ?? []
            // What names the later keys, and cuts, was not known yet when the group was held.
            groups[group]?.sortAccessKeys()
            _ = groups[group]?.takeChangedCuts()
            groups[group]?.noteExclusion(of: own)
            unfitRuns += groups[group]?.rebuild(wall: wall) ?? []
        }
        // Peers will send them again, perhaps packed differently.
        // Own records have no other copy to ask for, and nothing of a group fits without its founding operation.
        journal.startChange.removedRuns = unfitRuns.filter {
            groups[$0.group] != nil && $0.feed.device != identity.device
        }
    }

    /// Restores this device's place in the groups. Groups that wait for the user's decision were taken out before.
    mutating func restorePlaces(_ snapshot: Snapshot) {
        restoreOwnEpochs(snapshot)
        for group in groups.keys {
            if local[Farewell.self, group] != nil {
                places.farewells.insert(group)
            } else if !isCurrentMember(of: group) {
                places.lost.insert(group)
            }
        }
        // A device that has lost a group fetches all of it when it is in again.
        for cursor in local.all(Cursor.self) where places.lost.contains(cursor.group) {
            journal.startChange.local[Cursor.self, cursor.group, cursor.peer] = nil
        }
    }

    /// Continues the epochs of before. Exception: the store may be a copy, or has lost a part of one. Then others may
    /// have seen more of the epoch than is here.
    private mutating func restoreOwnEpochs(_ snapshot: Snapshot) {
        var change = DurableChange()
        for own in local.all(OwnEpoch.self).sorted(by: { $0.group < $1.group }) {
            let lost = unfitRuns.contains {
                $0.group == own.group && $0.feed == FeedID(device: identity.device, epoch: own.epoch)
            }
            if snapshot.mayBeCopy || lost {
                _ = openEpoch(in: own.group, after: own.epoch.counter, change: &change)
            } else {
                groups[own.group]?.ownEpoch = own.epoch
            }
        }
        journal.startChange.append(change)
        if snapshot.mayBeCopy { journal.startChange.settings[Self.epochsRenewedSetting] = [1] }
    }
}
