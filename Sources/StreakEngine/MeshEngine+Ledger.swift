import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
public import StreakWire

/// Ledger operations: taken, told and passed on.
extension MeshEngine {
    /// Answers a request for operations. A current member gets all; a device that was removed, or let in for nothing, what did
    /// that and what led there; any other stranger nothing.
    mutating func answerOperations(known: [LedgerTip], group handle: GroupHandle, over link: LinkID) {
        guard let group = provenGroup(handle, over: link), let replica = groups[group],
            let key = sessions[link]?.key
        else { return }
        let operations: [SignedOperation]
        if let device = replica.state.device(linkKey: key), device.isCurrent {
            guard !isShutOut(device, of: group) else { return }
            operations = replica.ledger.operations(missingFrom: known)
        } else {
            guard let ending = replica.ending(of: key) else { return }
            let answered = sessions[link]?.groups[group]?.answeredRemovals ?? 0
            guard answered < PeerGroup.maximumAnsweredRemovals else { return }
            sessions[link]?.groups[group]?.answeredRemovals = answered + 1
            operations = replica.ledger.ancestry(of: ending)
        }
        sendOperations(operations, handle: handle, over: link)
    }

    /// Pushes fresh operations to everybody in the group.
    mutating func push(_ operations: [SignedOperation], in group: GroupID, except source: LinkID?) {
        guard let handle = groups[group]?.handle else { return }
        // A device that has just left still says so; one that this made a stranger is told in `refreshAuthorisation`.
        for link in sessions.keys where link != source && isPeerCurrent(link, in: group) {
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
        let events = lose(group, change: &change)
        refreshKeys()
        persist(change, then: events)
    }

    mutating func receivedOperations(
        _ encoded: [[UInt8]], isFinal: Bool, group handle: GroupHandle, over link: LinkID
    ) {
        if receivedOperationsOfDevice(encoded, isFinal: isFinal, handle: handle, over: link) { return }
        if receivedOperationsOfFriend(encoded, isFinal: isFinal, handle: handle, over: link) { return }
        if receivedOperationsWhileJoining(encoded, isFinal: isFinal, handle: handle, over: link) { return }
        guard let group = provenGroup(handle, over: link) else { return }
        if isFinal, farewells.contains(group), isPeerCurrent(link, in: group) { endFarewell(to: group) }
        let isMember = isPeerCurrent(link, in: group)
        if !isMember, groups[group]?.ledger.refusedCount ?? 0 >= Self.maximumRefusedOperations { return }
        var change = DurableChange()
        var added: [SignedOperation] = []
        let isAsked = sessions[link]?.groups[group]?.round?.stage == .awaitingOperations
        for bytes in encoded {
            do {
                let operation = try SignedOperation(decoding: bytes)
                guard isAsked || !isMember || takesPush(operation, in: group, over: link) else { continue }
                let news = try insert(operation, in: group, change: &change)
                added += news
                let isWaiting = !(groups[group]?.ledger.contains(operation.id) ?? true)
                if isWaiting || !news.isEmpty && !isMember { sessions[link]?.strangeOperationCount += 1 }
            } catch {
                // A member may have had to keep branches that need not be kept here, which costs no signature check.
                if !isMember || !Self.isOfTooMany(error) { sessions[link]?.strangeOperationCount += 1 }
                publish(.operationRefused(group))
            }
            // Each costs a signature check: whoever sends so many that nobody can use has to dial again.
            guard sessions[link]?.strangeOperationCount ?? 0 < PeerSession.maximumStrangeOperations else {
                links.close(link, at: now)
                break
            }
        }
        var work: [Deferred] = []
        if var round = sessions[link]?.groups[group]?.round, round.stage == .awaitingOperations, isFinal {
            round.stage = .storing
            round.receivedAnything = round.receivedAnything || !added.isEmpty
            sessions[link]?.groups[group]?.round = round
            work.append(.continueRound(link, group))
        } else if isMember {
            // A large ledger takes its time.
            sessions[link]?.groups[group]?.round?.deadline = now.advanced(by: SyncRound.patience)
        }
        if added.isEmpty {
            persist(change, then: work)
            return
        }
        let fresh = added
        work.append(.passOnOperations(group, fresh, except: link))
        ledgerChanged(group, change: change, then: work)
    }

    /// Whether an operation that nobody has asked for is looked at. What is too fast comes in a round.
    private mutating func takesPush(_ operation: SignedOperation, in group: GroupID, over link: LinkID) -> Bool {
        guard let ledger = groups[group]?.ledger, !ledger.contains(operation.id),
            let user = ledger.account(of: operation), user != identity.user,
            !pacing.takesPush(of: Pacing.Author(group: group, user: user), at: now)
        else { return true }
        if sessions[link]?.groups[group]?.resumption == nil {
            sessions[link]?.groups[group]?.resumption = (now.advanced(by: .seconds(1)), false)
        }
        return false
    }

    private static func isOfTooMany(_ error: any Error) -> Bool {
        if case .tooManyOperations? = error as? LedgerError { true } else { false }
    }

    /// Operations of a group that do not count beyond which nothing more is taken from anybody but members: whoever has an
    /// old access key could otherwise fill every disk, dialling again and again.
    static let maximumRefusedOperations = 2_048

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
        let events = consequences(for: group, change: &change)
        refreshKeys()
        persist(change, then: events + work)
    }

    /// What follows from a ledger that has changed, for this node's copy and for whoever watches.
    mutating func consequences(for group: GroupID, change: inout DurableChange) -> [Deferred] {
        groups[group]?.sortAccessKeys()
        dropIdleOperations(of: group, change: &change)
        friends.needsReview = true
        var events: [Deferred] = [.publish(.ledgerChanged(group))]
        if groups[group]?.takeChangedCuts() ?? false {
            let own = identity.device
            change.removedRuns += groups[group]?.eraseRecords(except: own) ?? []
            if let trimmed = groups[group]?.trimBranches() { change.append(trimmed) }
            rebuild(group, change: &change)
            events.append(.publish(.recordsReset(group)))
        }
        events += noteMembership(of: group, change: &change)
        return events + [.authorise(group), .digestMoved(group), .publishRevocations(group)]
    }

    /// Lets nobody fill this disk, or anybody's, with what counts for nothing.
    private mutating func dropIdleOperations(of group: GroupID, change: inout DurableChange) {
        guard let ledger = groups[group]?.ledger, ledger.idleCount > GroupReplica.maximumIdleOperations else { return }
        let own = identity.device
        let dropped = groups[group]?.dropIdleOperations(keeping: own) ?? []
        let names = Set(dropped)
        change.operations.removeAll { names.contains(OperationKey(group: $0.group, id: $0.id)) }
        change.removedOperations += dropped
    }

    /// The operation because of which nobody who counts has let this device into a group.
    public func exclusion(from group: GroupID) -> OperationID? {
        groups[group]?.ledger.exclusion(of: identity.linkKey.publicKey)
    }

    private mutating func rebuild(_ group: GroupID, change: inout DurableChange) {
        leaveOut(groups[group]?.rebuild(wall: wall) ?? [], change: &change)
    }

    /// Notes runs that were found unfit. Own ones stay in the store: they have no other copy that could be asked for.
    mutating func leaveOut(_ runs: [RunKey], change: inout DurableChange) {
        unfitRuns += runs
        change.removedRuns += runs.filter { $0.feed.device != identity.device }
    }

    // MARK: Losing a group

    /// Notes whether this device has lost or regained its place. Whoever has lost it deletes what others wrote.
    private mutating func noteMembership(of group: GroupID, change: inout DurableChange) -> [Deferred] {
        if isCurrentMember(of: group) {
            lost.remove(group)
            return []
        }
        // Who has left is in until somebody has heard it: what is here has nobody else to be asked for.
        guard !farewells.contains(group), !lost.contains(group) else { return [] }
        return lose(group, change: &change)
    }

    /// Deletes other users' records of a group that this device is in no more, and forgets how far it had caught up.
    private mutating func lose(_ group: GroupID, change: inout DurableChange) -> [Deferred] {
        let standing = groups[group]?.state.device(identity.device)?.standing
        guard standing != nil || exclusion(from: group) != nil else { return [] }
        lost.insert(group)
        let user = identity.user
        let removed = groups[group]?.eraseRecords(ofAllBut: user) ?? []
        let gone = Set(removed)
        change.runs.removeAll { gone.contains($0.key) }
        change.removedRuns += removed
        let own = identity
        groups[group]?.noteExclusion(of: own)
        rebuild(group, change: &change)
        for key in cursors.keys.sorted() where key.group == group {
            let none = Cursor(group: group, peer: key.peer, store: StoreID(bytes: .zero), arrival: 0)
            cursors[key] = none
            change.cursors.append(none)
        }
        return [.publish(.recordsReset(group)), .publish(.lostGroup(group, standing))]
    }
}
