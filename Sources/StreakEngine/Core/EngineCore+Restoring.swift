import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// Starting from what a store holds.
extension EngineCore {
    /// - Parameter ledgers: of groups whose operations need not be checked again.
    mutating func restore(_ snapshot: Snapshot, ledgers: [GroupID: Ledger]) {
        var keys: [GroupID: [AccessKey]] = [:]
        for stored in snapshot.accessKeys {
            guard let key = try? AccessKey(rawBytes: stored.key) else { continue }  // the schema demands 32 bytes
            keys[stored.group, default: []].insert(key, at: 0)
        }
        for stored in snapshot.operations {
            guard let operation = try? SignedOperation(decoding: stored.bytes) else { continue }  // fetched again
            if let ledger = ledgers[stored.group] {
                if groups[stored.group] == nil {
                    groups[stored.group] = GroupReplica(ledger: ledger, accessKeys: keys[stored.group] ?? [])
                }
                groups[stored.group]?.noteArrival(stored.arrival, of: operation)
            } else if groups[stored.group] == nil {
                // Else it is fetched again.
                guard let ledger = try? Ledger(founding: operation), ledger.group == stored.group else { continue }
                groups[stored.group] = GroupReplica(ledger: ledger, accessKeys: keys[stored.group] ?? [])
            } else {
                _ = try? groups[stored.group]?.insert(  // fetched again
                    operation, arrival: stored.arrival, withinLimits: false)
            }
        }
        for stored in snapshot.runs where !(groups[stored.group]?.restore(stored) ?? false) {
            unfitRuns.append(stored.key)
        }
        let own = identity
        for group in groups.keys {
            journal.startChange.removedOperations += groups[group]?.dropIdleOperations(keeping: own.device) ?? []
            groups[group]?.noteExclusion(of: own)
            unfitRuns += groups[group]?.rebuild(wall: wall) ?? []
        }
        // They come again from peers, packed otherwise perhaps.
        // Own records have no other copy that could be asked for, and without its founding nothing of a group fits.
        journal.startChange.removedRuns = unfitRuns.filter {
            groups[$0.group] != nil && $0.feed.device != identity.device
        }
    }

    /// Goes on with this device's place in the groups that are left once those are taken out that wait for the user's word.
    mutating func restorePlaces(_ snapshot: Snapshot) {
        restoreOwnEpochs(snapshot)
        for group in groups.keys {
            if settings[Self.farewellSetting(group)] != nil {
                places.farewells.insert(group)
            } else if !isCurrentMember(of: group) {
                places.lost.insert(group)
            }
        }
    }

    /// Goes on writing the epochs of before, but where the store may be a copy or has lost some of one: others may have
    /// seen more of it than is here.
    private mutating func restoreOwnEpochs(_ snapshot: Snapshot) {
        var change = DurableChange()
        for own in snapshot.ownEpochs {
            let lost = unfitRuns.contains {
                $0.group == own.group && $0.feed == FeedID(device: identity.device, epoch: own.epoch)
            }
            if snapshot.mayBeCopy || lost {
                _ = openEpoch(in: own.group, after: own.epoch.counter, change: &change)
            } else {
                groups[own.group]?.ownEpoch = own.epoch
            }
        }
        journal.startChange.ownEpochs = change.ownEpochs
        if snapshot.mayBeCopy { journal.startChange.settings[Self.epochsRenewedSetting] = [1] }
    }
}
