import StreakReplication
import StreakWire

/// A node's disk, which survives a crash. Has the same contents as a real store.
struct SimulatedStore: Sendable {
    var id: StoreID
    /// Set if the store was restored or copied and knows it.
    var mayBeCopy = false
    private var nextArrival: UInt64 = 1
    private var operations: [StoredOperation] = []
    private var runs: [RunKey: StoredRun] = [:]
    private var accessKeys: [StoredAccessKey] = []
    private var addresses: [RememberedAddress] = []
    private var local = LocalRows()
    private var settings: [String: [UInt8]] = [:]

    /// The setting in which an engine notes that it has opened new epochs.
    private static let epochsRenewedSetting = "epochs-renewed"

    init(id: StoreID) { self.id = id }

    /// Applies a change completely.
    mutating func apply(_ change: DurableChange) {
        for operation in change.operations where !operations.contains(where: { $0.id == operation.id }) {
            operations.append(operation)
        }
        let removed = Set(change.removedOperations.map(\.id))
        if !removed.isEmpty { operations.removeAll { removed.contains($0.id) } }
        for key in change.removedRuns { runs[key] = nil }
        for run in change.runs { runs[run.key] = run }
        for key in change.accessKeys where !accessKeys.contains(key) { accessKeys.append(key) }
        for address in change.addresses {
            addresses.removeAll { $0.device == address.device && $0.endpoint == address.endpoint }
            addresses.append(address)
        }
        for name in change.settings.keys.sorted() {
            let value = change.settings[name] ?? []
            if name == Self.epochsRenewedSetting {
                if value == [1] { mayBeCopy = false }
            } else {
                settings[name] = value.isEmpty ? nil : value
            }
        }
        local.apply(change)
        for group in change.droppedGroups { drop(group) }
        let arrivals = change.operations.map(\.arrival) + change.runs.map(\.arrival)
        nextArrival = max(nextArrival, (arrivals.max() ?? 0) + 1)
    }

    private mutating func drop(_ group: GroupID) {
        operations.removeAll { $0.group == group }
        for key in runs.keys.sorted() where key.group == group { runs[key] = nil }
        accessKeys.removeAll { $0.group == group }
    }

    mutating func forgetAddresses() { addresses = [] }

    /// Loses each run for which `isLost` returns true, as if its page were unreadable.
    mutating func lose(where isLost: () -> Bool) {
        for key in runs.keys.sorted() where isLost() { runs[key] = nil }
    }

    /// What an engine starts from.
    var snapshot: Snapshot {
        var snapshot = Snapshot(store: id, nextArrival: nextArrival, mayBeCopy: mayBeCopy)
        // Operations with the same arrival keep the order in which they were written.
        snapshot.operations = operations.enumerated()
            .sorted { ($0.element.arrival, $0.offset) < ($1.element.arrival, $1.offset) }.map(\.element)
        snapshot.runs = runs.values.sorted { ($0.arrival, $0.key) < ($1.arrival, $1.key) }
        snapshot.accessKeys = accessKeys
        snapshot.addresses = addresses
        snapshot.local = local
        snapshot.settings = settings
        return snapshot
    }

    var runCount: Int { runs.count }

    /// The devices whose records of a group are here.
    func authors(in group: GroupID) -> Set<DeviceID> {
        Set(runs.keys.sorted().filter { $0.group == group }.map(\.feed.device))
    }
}
