import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

extension Sync {
    /// Pushes fresh operations to every linked member of the group.
    mutating func passOn(
        _ operations: [SignedOperation], in group: GroupID, except source: LinkID?, core: inout EngineCore
    ) {
        guard let handle = core.groups[group]?.handle else { return }
        // A device that has just left still tells it. `Greeting.refreshAuthorisation` tells a device that this
        // operation removed.
        for link in core.links(of: group, allowing: .ledger) where link != source {
            core.send(.operations(handle, operations.map(\.bytes), isFinal: false), over: link)
        }
    }

    mutating func receivedOperations(
        _ encoded: [[UInt8]], isFinal: Bool, of group: GroupID, over link: LinkID, core: inout EngineCore
    ) {
        if isFinal, core.access(of: link, in: group).contains(.farewell) { core.endFarewell(to: group) }
        let isMember = core.access(of: link, in: group).contains(.ledger)
        var change = DurableChange()
        var added: [SignedOperation] = []
        let isAsked = peers[link, group]?.round?.stage == .awaitingOperations
        for bytes in encoded {
            var isStrange = false
            do {
                let operation = try SignedOperation(decoding: bytes)
                guard isAsked || !isMember || takesPush(operation, in: group, over: link, core: &core) else { continue }
                let news = try core.insert(operation, in: group, change: &change)
                added += news
                let isWaiting = !(core.groups[group]?.ledger.contains(operation.id) ?? true)
                isStrange = isWaiting || !news.isEmpty && !isMember
            } catch {
                // A member may have had to keep branches that this node need not. It costs no signature check.
                isStrange = !isMember || !Self.isOfTooMany(error)
                core.publish(.operationRefused(group))
            }
            guard !isStrange || core.charge(.strangeOperations, over: link) else { break }
        }
        var work: [Work] = []
        if var round = peers[link, group]?.round, round.stage == .awaitingOperations, isFinal {
            round.stage = .storing
            round.receivedAnything = round.receivedAnything || !added.isEmpty
            peers[link, group]?.round = round
            work.append(.continueRound(link, group))
        } else if isMember {
            // A large ledger takes its time.
            peers[link, group]?.round?.deadline = core.now.advanced(by: SyncRound.patience)
        }
        if added.isEmpty {
            core.persist(change, then: work)
            return
        }
        let fresh = added
        work.append(.passOnOperations(group, fresh, except: link))
        core.ledgerChanged(group, change: change, then: work)
    }

    /// Whether to look at an operation that nobody asked for. Those beyond the budget come in a round.
    private mutating func takesPush(
        _ operation: SignedOperation, in group: GroupID, over link: LinkID, core: inout EngineCore
    ) -> Bool {
        guard let ledger = core.groups[group]?.ledger, !ledger.contains(operation.id),
            let user = ledger.account(of: operation), user != core.identity.user,
            !core.charge(.pushedOperations, to: .author(user, group))
        else { return true }
        resumeLater(group, over: link, at: core.now.advanced(by: .seconds(1)))
        return false
    }

    private static func isOfTooMany(_ error: any Error) -> Bool {
        if case .tooManyOperations? = error as? LedgerError { true } else { false }
    }
}
