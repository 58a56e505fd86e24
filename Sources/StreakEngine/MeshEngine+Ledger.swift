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
            if size + operation.bytes.count > LinkMessage.preferredSize || batch.count == LinkMessage.maximumOperations
            {
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
        // A device that has just left still says so.
        for link in sessions.keys.sorted() where link != source && isPeerCurrent(link, in: group) {
            send(.operations(handle, operations.map(\.bytes), isFinal: false), over: link)
        }
    }

    // MARK: Leaving

    /// The setting that says that nobody has heard yet of this device's leaving.
    static func farewellSetting(_ group: GroupID) -> String { "farewell-" + group.bytes.array.prefix(16).hexadecimal }

    /// Tells a member that this device has left, and asks what it knows, so that its answer shows that it heard.
    mutating func sayFarewell(to group: GroupID, over link: LinkID) {
        guard let replica = groups[group], isPeerCurrent(link, in: group),
            case .removed(let by)? = replica.state.device(identity.device)?.standing
        else { return }
        sendOperations(replica.ledger.ancestry(of: by), handle: replica.handle, over: link)
        send(.operationsRequested(replica.handle, known: replica.namedTips), over: link)
    }

    /// A member has answered: the group goes on without this device.
    private mutating func endFarewell(to group: GroupID) {
        guard farewells.remove(group) != nil else { return }
        var change = DurableChange()
        change.settings[Self.farewellSetting(group)] = []
        settings[Self.farewellSetting(group)] = nil
        refreshKeys()
        persist(change)
    }

    mutating func receivedOperations(
        _ encoded: [[UInt8]], isFinal: Bool, group handle: GroupHandle, over link: LinkID
    ) {
        if receivedOperationsWhileJoining(encoded, isFinal: isFinal, handle: handle, over: link) { return }
        guard let group = provenGroup(handle, over: link) else { return }
        if isFinal, farewells.contains(group), isPeerCurrent(link, in: group) { endFarewell(to: group) }
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
        if groups[group]?.takeChangedCuts() ?? false {
            let own = identity.device
            change.removedRuns += groups[group]?.eraseRecords(except: own) ?? []
            groups[group]?.rebuild(wall: wall)
            events.append(.publish(.recordsReset(group)))
        }
        refreshKeys()
        persist(change, then: events + [.authorise(group), .digestMoved(group)] + work)
    }
}
