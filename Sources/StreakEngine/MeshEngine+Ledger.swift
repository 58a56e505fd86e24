import StreakMembership
import StreakReplication
import StreakWire

/// Ledger operations: taken, told and passed on.
extension MeshEngine {
    /// Answers a request for operations. A current member gets all; a removed device what removed it and what led there;
    /// a stranger nothing.
    mutating func answerOperations(known: [LedgerTip], group handle: GroupHandle, over link: LinkID) {
        guard let group = provenGroup(handle, over: link), let replica = groups[group],
            let key = sessions[link]?.key, let device = replica.state.device(linkKey: key)
        else { return }
        let operations: [SignedOperation]
        switch device.standing {
        case .current: operations = replica.ledger.operations(missingFrom: known)
        case .removed(let by), .revoked(let by): operations = replica.ledger.ancestry(of: by)
        }
        sendOperations(operations, handle: handle, over: link)
    }

    mutating func sendOperations(_ operations: [SignedOperation], handle: GroupHandle, over link: LinkID) {
        var batch: [[UInt8]] = []
        var size = 0
        for operation in operations {
            if size + operation.bytes.count > LinkMessage.preferredSize || batch.count == LinkMessage.maximumOperations {
                send(.operations(handle, batch, isFinal: false), over: link)
                batch = []
                size = 0
            }
            batch.append(operation.bytes)
            size += operation.bytes.count
        }
        send(.operations(handle, batch, isFinal: true), over: link)
    }

    /// Pushes fresh operations to everybody in the group.
    mutating func push(_ operations: [SignedOperation], in group: GroupID, except source: LinkID?) {
        guard let handle = groups[group]?.handle else { return }
        for link in links(sharing: group) where link != source {
            send(.operations(handle, operations.map(\.bytes), isFinal: false), over: link)
        }
    }

    mutating func receivedOperations(
        _ encoded: [[UInt8]], isFinal: Bool, group handle: GroupHandle, over link: LinkID
    ) {
        if receivedOperationsWhileJoining(encoded, isFinal: isFinal, handle: handle, over: link) { return }
        guard let group = provenGroup(handle, over: link) else { return }
        var change = DurableChange()
        var added: [SignedOperation] = []
        for bytes in encoded {
            do {
                let operation = try SignedOperation(decoding: bytes)
                added += try insert(operation, in: group, change: &change)
            } catch {
                publish(.operationRefused(group))
            }
        }
        var work: [Deferred] = []
        if var round = sessions[link]?.groups[group]?.round, round.stage == .awaitingOperations, isFinal {
            round.stage = .storing
            round.receivedAnything = round.receivedAnything || !added.isEmpty
            sessions[link]?.groups[group]?.round = round
            work.append(.continueRound(link, group))
        }
        if added.isEmpty {
            persist(change, then: work)
            return
        }
        let fresh = added
        work.append(.passOnOperations(group, fresh, except: link))
        ledgerChanged(group, change: change, then: work)
    }

    /// Inserts an operation and notes what is to be stored.
    mutating func insert(
        _ operation: SignedOperation, in group: GroupID, change: inout DurableChange
    ) throws(LedgerError) -> [SignedOperation] {
        let arrival = nextArrival
        guard let added = try groups[group]?.insert(operation, arrival: arrival), !added.isEmpty else { return [] }
        nextArrival = arrival + 1
        for operation in added {
            change.operations.append(
                StoredOperation(group: group, id: operation.id, bytes: operation.bytes, arrival: arrival))
        }
        return added
    }

    /// Draws the consequences of new operations: what is cut, who is in, whom to tell; then stores.
    mutating func ledgerChanged(_ group: GroupID, change: DurableChange, then work: [Deferred]) {
        var change = change
        var events: [Deferred] = [.publish(.ledgerChanged(group))]
        if let replica = groups[group] {
            let state = replica.state
            let erased = state.devices.filter { state.isErased($0.user) && $0.device != identity.device }
            change.removedRuns += groups[group]?.eraseRecords(of: erased.map(\.device)) ?? []
            if state.devices.contains(where: { !$0.isCurrent || !$0.earlierCuts.isEmpty }) {
                groups[group]?.rebuild(wall: wall)
                events.append(.publish(.recordsReset(group)))
            }
        }
        refreshKeys()
        persist(change, then: events + [.authorise(group), .digestMoved(group)] + work)
    }
}
