import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

extension EngineCore {
    /// Keeps a group's access key; true if it was new.
    @discardableResult
    mutating func addAccessKey(_ key: AccessKey, to group: GroupID, change: inout DurableChange) -> Bool {
        guard groups[group]?.add(key) ?? false else { return false }
        change.accessKeys.append(StoredAccessKey(group: group, key: key.key.rawBytes()))
        return true
    }

    /// Deletes everything about a group, and tells nobody.
    mutating func forget(_ group: GroupID, then work: [Work]) {
        var change = DurableChange()
        drop(group, change: &change)
        persist(change, then: work)
    }

    /// The same as part of a change.
    mutating func drop(_ group: GroupID, change: inout DurableChange) {
        groups[group] = nil
        if group == privateGroup { privateGroup = nil }
        places.lost.remove(group)
        places.farewells.remove(group)
        for link in sessions.keys { sessions[link]?.groups[group] = nil }
        keysAreStale = true
        post(.groupDropped(group))
        change.droppedGroups.append(group)
    }

    mutating func append(_ bodies: [OperationBody], to group: GroupID) throws(LedgerError) {
        var change = DurableChange()
        var added: [SignedOperation] = []
        for body in bodies {
            guard let operation = try groups[group]?.ledger.draft(body, by: identity, at: wall.seconds) else { return }
            added += try insert(operation, in: group, change: &change)
        }
        ledgerChanged(group, change: change, then: [.passOnOperations(group, added, except: nil)])
    }

    /// Founds a group; the caller stores it.
    mutating func startGroup(
        title: String, isPair: Bool = false, change: inout DurableChange
    ) throws(LedgerError) -> GroupID {
        let key = AccessKey.generate(from: &entropy)
        let founding = try Ledger.found(
            title: title, isPair: isPair, identity: identity, accessKey: key, at: wall.seconds, entropy: &entropy)
        try start(founding, accessKey: key, change: &change)
        return GroupID(bytes: founding.id.bytes)
    }

    /// Begins a group's copy with its founding operation.
    mutating func start(
        _ founding: SignedOperation, accessKey: AccessKey, change: inout DurableChange
    ) throws(LedgerError) {
        let ledger = try Ledger(founding: founding)
        hold(ledger, accessKeys: [accessKey])
        change.operations.append(
            StoredOperation(group: ledger.group, id: founding.id, bytes: founding.bytes, arrival: takeArrival()))
        change.accessKeys.append(StoredAccessKey(group: ledger.group, key: accessKey.key.rawBytes()))
    }

    /// Inserts an operation and notes what is to be stored.
    mutating func insert(
        _ operation: SignedOperation, in group: GroupID, change: inout DurableChange
    ) throws(LedgerError) -> [SignedOperation] {
        let arrival = journal.nextArrival
        guard let added = try groups[group]?.insert(operation, arrival: arrival), !added.isEmpty else { return [] }
        journal.nextArrival = arrival + 1
        for operation in added {
            accountWord.note(operation.operation.body)
            change.operations.append(
                StoredOperation(group: group, id: operation.id, bytes: operation.bytes, arrival: arrival))
        }
        return added
    }

    /// Applies the consequences of new operations, such as cuts, membership and whom to tell; then stores.
    mutating func ledgerChanged(_ group: GroupID, change: DurableChange, then work: [Work]) {
        var change = change
        let events = consequences(for: group, change: &change)
        keysAreStale = true
        persist(change, then: events + work)
    }

    /// What follows from a changed ledger, for this node's copy and for observers.
    mutating func consequences(for group: GroupID, change: inout DurableChange) -> [Work] {
        groups[group]?.sortAccessKeys()
        dropIdleOperations(of: group, change: &change)
        var events: [Work] = [.publish(.ledgerChanged(group))]
        if groups[group]?.takeChangedCuts() ?? false {
            let own = identity.device
            change.removedRuns += groups[group]?.eraseRecords(except: own) ?? []
            if let trimmed = groups[group]?.trimBranches() { change.append(trimmed) }
            rebuild(group, change: &change)
            events.append(.publish(.recordsReset(group)))
        }
        events += noteMembership(of: group, change: &change)
        return events + [.authorise(group), .digestMoved(group), .tellAccount(group)]
    }

    /// Removes idle operations, so that nobody can fill a disk with operations that do not count.
    private mutating func dropIdleOperations(of group: GroupID, change: inout DurableChange) {
        guard let ledger = groups[group]?.ledger, ledger.idleCount > GroupReplica.maximumIdleOperations else { return }
        let own = identity.device
        let dropped = groups[group]?.dropIdleOperations(keeping: own) ?? []
        let names = Set(dropped)
        change.operations.removeAll { names.contains(OperationKey(group: $0.group, id: $0.id)) }
        change.removedOperations += dropped
    }

    private mutating func rebuild(_ group: GroupID, change: inout DurableChange) {
        leaveOut(groups[group]?.rebuild(wall: wall) ?? [], change: &change)
    }

    /// Notes runs that do not fit. This device's own stay in the store, because there is no other copy to ask for.
    mutating func leaveOut(_ runs: [RunKey], change: inout DurableChange) {
        unfitRuns += runs
        change.removedRuns += runs.filter { $0.feed.device != identity.device }
    }

    /// Notes whether this device has lost or regained its place. If it has lost it, it deletes what others wrote.
    private mutating func noteMembership(of group: GroupID, change: inout DurableChange) -> [Work] {
        if isCurrentMember(of: group) {
            places.lost.remove(group)
            return []
        }
        // After leaving, the device counts as in until a member has heard so: nobody else may have what it holds.
        guard !places.farewells.contains(group), !places.lost.contains(group) else { return [] }
        return lose(group, change: &change)
    }

    /// Deletes other users' records of a group that this device is no longer in, and the cursors for it.
    mutating func lose(_ group: GroupID, change: inout DurableChange) -> [Work] {
        let standing = groups[group]?.state.device(identity.device)?.standing
        guard standing != nil || exclusion(from: group) != nil else { return [] }
        places.lost.insert(group)
        let user = identity.user
        let removed = groups[group]?.eraseRecords(ofAllBut: user) ?? []
        let gone = Set(removed)
        change.runs.removeAll { gone.contains($0.key) }
        change.removedRuns += removed
        let own = identity
        groups[group]?.noteExclusion(of: own)
        rebuild(group, change: &change)
        return [.groupLost(group), .publish(.recordsReset(group)), .publish(.lostGroup(group, standing))]
    }
}
