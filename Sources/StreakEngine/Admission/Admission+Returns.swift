import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// After a recovery, coming back into groups of the account that a friend by code knows (Protocol/friends.md §4).
extension Admission {
    /// The groups into which this device may come back, in the order of their IDs.
    var offeredReturns: [OfferedReturn] {
        returns.keys.sorted().compactMap { group in
            returns[group].map {
                OfferedReturn(
                    group: group, title: $0.ledger.state.title, friend: $0.friend,
                    memberCount: $0.ledger.state.members.count, offeredAt: $0.offeredAt)
            }
        }
    }

    /// Restores the groups that wait for the user's decision from what a store holds.
    mutating func restoreReturns(core: inout EngineCore) {
        for row in core.local.all(HeldReturn.Row.self) {
            guard let replica = core.groups.removeValue(forKey: row.group) else { continue }
            let size = replica.ledger.allOperations.reduce(0) { $0 + $1.bytes.count }
            returns[row.group] = HeldReturn(
                ledger: replica.ledger, accessKeys: replica.accessKeys, friend: row.friend, offeredAt: row.offeredAt,
                size: size)
        }
    }

    /// Accepts a welcome to a group of this account for which this device sent no request to join. It comes from a friend
    /// whom this device asked by friend code, or from another machine of the account.
    mutating func receivedOffer(
        of group: GroupID, accessKeys: [[UInt8]], over link: LinkID, core: inout EngineCore
    ) {
        forgetStalledOffers(core: core)
        guard let offerer = offerer(over: link, core: core), core.groups[group] == nil,
            offeredLedgers[link]?[GroupHandle(group)] == nil
        else { return }
        if offerer.user == core.identity.user {
            guard mayReceive(offeredLedgers[link]?.count ?? 0, from: offerer, core: &core) else { return }
        } else {
            let arriving = offeredLedgers.values.reduce(0) { $0 + $1.count }
            guard returns[group] == nil, returns.count + arriving < HeldReturn.maximumCount else { return }
        }
        var intake = LedgerIntake(group: group, accessKeys: accessKeys)
        intake.due = core.now.advanced(by: Self.ledgerPatience)
        offeredLedgers[link, default: [:]][GroupHandle(group)] = intake
    }

    /// When the first ledger that others hand over is given up.
    var offersStallAt: MonotonicInstant? { offeredLedgers.values.lazy.flatMap { $0.values.lazy.map(\.due) }.min() }

    /// Forgets ledgers of which nothing has arrived for a while, and those whose links are gone.
    mutating func forgetStalledOffers(core: EngineCore) {
        offeredLedgers = offeredLedgers.compactMapValues { intakes in
            let live = intakes.filter { $0.value.due > core.now }
            return live.isEmpty ? nil : live
        }.filter { core.sessions[$0.key] != nil }
    }

    /// How much memory ledgers take that others handed over without being asked, in bytes. Those of this device's groups
    /// count too, since they may have come that way.
    private func handedSize(core: EngineCore) -> Int {
        returns.values.reduce(0) { $0 + $1.size }
            + offeredLedgers.values.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.size } }
            + core.groups.keys.reduce(0) { $0 + (isOfThief($1, core: core) ? 0 : core.groups[$1]?.ledger.weight ?? 0) }
    }

    /// Accepts a ledger that follows such a welcome. False if none is expected.
    mutating func receivedOfferedOperations(
        _ encoded: [[UInt8]], isFinal: Bool, handle: GroupHandle, over link: LinkID, core: inout EngineCore
    ) -> Bool {
        guard var intake = offeredLedgers[link]?[handle], let offerer = offerer(over: link, core: core) else {
            return false
        }
        do {
            try intake.append(encoded, beside: handedSize(core: core) - intake.size)
            intake.due = core.now.advanced(by: Self.ledgerPatience)
            offeredLedgers[link]?[handle] = isFinal ? nil : intake
            guard isFinal else { return true }
            if offerer.user == core.identity.user {
                takeOver(intake, from: offerer, core: &core)
            } else {
                offer(intake, by: offerer, over: link, core: &core)
            }
        } catch {
            offeredLedgers[link]?[handle] = nil
            core.publish(.operationRefused(intake.group))
        }
        return true
    }

    /// Who may hand over groups of this account on a link: another machine of the account, or the owner of a code, if
    /// this device asked for it over this link.
    private func offerer(over link: LinkID, core: EngineCore) -> DeviceCertificate? {
        if let machine = ownMachine(over: link, core: core) { return machine }
        guard let owner = askedFriends[link], owner.linkKey == core.sessions[link]?.key else { return nil }
        return owner
    }

    /// Keeps a group for the user to decide about, if this account has signed something in its ledger itself.
    private mutating func offer(
        _ intake: LedgerIntake, by owner: DeviceCertificate, over link: LinkID, core: inout EngineCore
    ) {
        guard let ledger = intake.ledger, core.groups[ledger.group] == nil, returns[ledger.group] == nil,
            ledger.state.isMember(core.identity.user), ledger.holdsWord(of: core.identity.user),
            ledger.state.isCurrentMember(device: owner.device), !intake.namedKeys.isEmpty
        else { return core.publish(.operationRefused(intake.group)) }
        let group = ledger.group
        let held = HeldReturn(
            ledger: ledger, accessKeys: intake.namedKeys, friend: owner.user, offeredAt: core.wall.seconds,
            size: intake.size)
        returns[group] = held
        core.hear(ledger)
        var change = DurableChange()
        store(ledger, accessKeys: held.accessKeys, change: &change, core: &core)
        // Where to ask once the user has said yes: this device cannot find anybody in that group yet.
        if let endpoint = core.links.pathSummary(link)?.endpoint {
            let address = RememberedAddress(device: owner.device, endpoint: endpoint, lastAnswered: core.wall.seconds)
            core.post(.addressAnswered(address))
            change.addresses = [address]
        }
        change.local.keep(HeldReturn.Row(group: group, friend: held.friend, offeredAt: held.offeredAt))
        core.persist(change, then: [.publish(.friend(.returnOffered(group)))])
    }

    /// The users with whom this user has a group of two among those that wait for a decision.
    func offeredPairs(of user: UserID) -> Set<UserID> {
        Set(
            returns.values.lazy.map(\.friend).filter { friend in
                returns.values.contains { isPair($0, of: user, with: friend) }
            })
    }

    /// The owner of a friend code was asked over a link: it may know groups of this account.
    mutating func ownerAsked(_ owner: DeviceCertificate, over link: LinkID, core: EngineCore) {
        for known in askedFriends.keys.sorted() where core.sessions[known] == nil { askedFriends[known] = nil }
        askedFriends[link] = owner
    }

    private func isPair(_ held: HeldReturn, of user: UserID, with friend: UserID) -> Bool {
        Set(held.ledger.state.members.map(\.user)) == [user, friend]
    }

    /// Enters a group that was offered, and publishes this device there.
    mutating func acceptReturn(_ group: GroupID, id: CommandID, core: inout EngineCore) {
        guard let held = returns[group] else { return core.complete(id, .failed(.unknownGroup)) }
        let before = (self, core)
        var change = DurableChange()
        var own: [SignedOperation] = []
        do {
            let operation =
                held.ledger.state.isCurrentMember(device: core.identity.device)
                ? nil
                : try held.ledger.draft(.addDevice(core.identity.certificate), by: core.identity, at: core.wall.seconds)
            begin(held.ledger, accessKeys: held.accessKeys, change: &change, core: &core)
            if let operation { own = try core.insert(operation, in: group, change: &change) }
        } catch {
            (self, core) = before
            return core.complete(id, .failed(.notAllowed(error)))
        }
        entered(
            group, change: change, core: &core,
            then: [.complete(id, .group(group)), .publish(.friend(.returned(group)))]
                + (own.isEmpty ? [] : [.passOnOperations(group, own, except: nil)]))
    }

    /// Forgets a group that was offered. If somebody is alone with this user in it, forgets the friend request to them,
    /// too.
    mutating func declineReturn(_ group: GroupID, id: CommandID, core: inout EngineCore) {
        guard let held = returns[group] else { return core.complete(id, .failed(.unknownGroup)) }
        var change = DurableChange()
        forgetReturn(group, change: &change)
        change.droppedGroups = [group]
        if isPair(held, of: core.identity.user, with: held.friend) {
            core.post(.returnDeclined(friend: held.friend))
        }
        core.persist(change, then: [.complete(id, .done)])
    }

    /// The group waits no longer: the user decided, or joined it by an invite.
    mutating func forgetReturn(_ group: GroupID, change: inout DurableChange) {
        guard returns.removeValue(forKey: group) != nil else { return }
        change.local[HeldReturn.Row.self, group] = nil
    }
}
