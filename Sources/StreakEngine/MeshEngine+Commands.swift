import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
public import StreakWire

/// What the user wants done.
extension MeshEngine {
    mutating func complete(_ id: CommandID, _ outcome: CommandOutcome) {
        if let code = friends.joins.removeValue(forKey: id) { return friendJoinEnded(code, outcome) }
        outputs.append(.complete(id, outcome))
    }

    mutating func handle(_ command: Command, id: CommandID) {
        switch command {
        case .foundGroup(let title):
            foundGroup(title: title, id: id)
        case .write(let writes):
            write(writes, id: id)
        case .retract:
            retract(id: id)
        case .invite(let group, let uses, let lifetime, let needsApproval):
            makeInvite(to: group, uses: uses, lifetime: lifetime, needsApproval: needsApproval, id: id)
        case .revokeInvite(let group, let invite):
            author(.revokeInvite(invite), in: group, id: id)
        case .leave(let group, let erasing):
            leave(group, erasing: erasing, id: id)
        case .join(let link, let timeout):
            guard link.purpose == .join else { return complete(id, .failed(.deviceRefused(.unknownLink))) }
            join(link, timeout: timeout, command: id)
        case .forgetGroup(let group):
            forget(group, then: [.complete(id, .done)])
        case .keepSetting(let name, let value):
            var change = DurableChange()
            change.settings[name] = value
            settings[name] = value
            persist(change, then: [.complete(id, .done)])
        case .dialEveryone:
            networkChanged()
            complete(id, .done)
        case .dialAddresses(let endpoints):
            dialler.add(named: endpoints, at: now)
            dialler.checkSoon()
            complete(id, .done)
        case .openPrivateGroup(let accountKey): openPrivateGroup(accountKey: accountKey, id: id)
        case .rename(let group, let title): author(.rename(title), in: group, id: id)
        case .changeSettings(let group, let settings): author(.settings(settings), in: group, id: id)
        case .setRole(let group, let user, let change): setRole(change, of: user, in: group, id: id)
        case .transfer(let group, let heir): transfer(group, to: heir, id: id)
        case .remove(let group, let user, let keepsOthers):
            remove(user, from: group, keepingOthersInvites: keepsOthers, id: id)
        case .annul(let group, let removal): annul(removal, in: group, id: id)
        case .admit(let group, let request): admit(request, to: group, id: id)
        case .denyRequest(let group, let request): deny(request, in: group, id: id)
        case .addDevice(let certificate): addDevice(certificate, id: id)
        case .revokeDevice(let device, let accountKey): revoke(device, accountKey: accountKey, id: id)
        case .linkDevice: linkDevice(id: id)
        case .requestDevice(let link, let timeout): requestDevice(link, timeout: timeout, id: id)
        case .setAnswersToCode(let keys): setAnswersToCode(keys, id: id)
        case .addFriend(let keys, let name): addFriend(keys, name: name, id: id)
        case .cancelFriend(let code): cancelFriend(code, id: id)
        case .approveFriend(let user, let name): approveFriend(user, name: name, id: id)
        case .declineFriend(let user): declineFriend(user, id: id)
        case .blockFriend(let user): setBlocked(user, to: true, id: id)
        case .unblockFriend(let user): setBlocked(user, to: false, id: id)
        case .acceptReturn(let group): acceptReturn(group, id: id)
        case .declineReturn(let group): declineReturn(group, id: id)
        }
    }

    /// Deletes all that is here of a group, and tells nobody.
    mutating func forget(_ group: GroupID, then work: [Deferred]) {
        var change = DurableChange()
        drop(group, change: &change)
        persist(change, then: work)
    }

    /// The same as part of a change.
    mutating func drop(_ group: GroupID, change: inout DurableChange) {
        groups[group] = nil
        lost.remove(group)
        farewells.remove(group)
        for key in told.keys.sorted() where key.group == group { told[key] = nil }
        for key in cursors.keys.sorted() where key.group == group { cursors[key] = nil }
        for link in sessions.keys { sessions[link]?.groups[group] = nil }
        refreshKeys()
        change.droppedGroups.append(group)
    }

    private mutating func foundGroup(title: String, id: CommandID) {
        var change = DurableChange()
        let group: GroupID
        do {
            group = try startGroup(title: title, change: &change)
        } catch {
            return complete(id, .failed(.notAllowed(error)))
        }
        ledgerChanged(group, change: change, then: [.complete(id, .group(group))])
    }

    /// Makes an operation of this device, if it would count, and tells everybody.
    /// - Parameter accessKey: the new key whose hash the operation names.
    @discardableResult
    mutating func author(
        _ body: OperationBody, in group: GroupID, settings: [String: [UInt8]] = [:], accessKey: AccessKey? = nil,
        id: CommandID, outcome: ((OperationID) -> CommandOutcome)? = nil
    ) -> Bool {
        guard let replica = groups[group] else {
            complete(id, .failed(.unknownGroup))
            return false
        }
        do {
            let operation = try replica.ledger.draft(body, by: identity, at: wall.seconds)
            var change = DurableChange()
            change.settings = settings
            let added = try insert(operation, in: group, change: &change)
            if let accessKey { keep(accessKey, in: group, change: &change) }
            ledgerChanged(
                group, change: change,
                then: [.complete(id, outcome?(operation.id) ?? .done), .passOnOperations(group, added, except: nil)])
            return true
        } catch {
            complete(id, .failed(.notAllowed(error)))
            return false
        }
    }

    mutating func makeInvite(
        to group: GroupID, uses: UInt32, lifetime: Int64, needsApproval: Bool = false,
        purpose: InviteLink.Purpose = .join, id: CommandID
    ) {
        guard let replica = groups[group] else { return complete(id, .failed(.unknownGroup)) }
        let secrets = InviteSecrets.generate(from: &entropy)
        let expiresAt = wall.seconds + lifetime
        let link = InviteLink(
            seed: secrets.seed, group: group, expiresAt: expiresAt, title: replica.state.title,
            addresses: inviteAddresses(of: group), identity: identity, purpose: purpose)
        let setting = Self.inviteSetting(secrets)
        settings[setting] = Array(link.text.utf8)
        author(
            .invite(secrets.terms(maximumUses: uses, expiresAt: expiresAt, needsApproval: needsApproval)), in: group,
            settings: [setting: Array(link.text.utf8)], id: id
        ) { .invite($0, link: link.text) }
    }

    /// Where the inviter keeps a link, so that it can be shown again.
    static func inviteSetting(_ secrets: InviteSecrets) -> String {
        inviteSetting(publicKey: secrets.inviteKey.publicKey)
    }

    private static func inviteSetting(publicKey: SigningPublicKey) -> String {
        "invite-" + publicKey.rawBytes.prefix(16).hexadecimal
    }

    /// The link of an invite whose link this node keeps; nil for others'.
    public func link(ofInvite id: OperationID, in group: GroupID) -> String? {
        guard let invite = groups[group]?.state.invite(id) else { return nil }
        return settings[Self.inviteSetting(publicKey: invite.publicKey)].map { String(decoding: $0, as: UTF8.self) }
    }

    /// This node's own addresses, then those of other members as far as they are of a local network: addresses that are
    /// known on the internet belong to their users and are not passed on.
    func inviteAddresses(of group: GroupID) -> [[Endpoint]] {
        var sets = ownEndpoints.isEmpty ? [] : [ownEndpoints]
        let linked = Set(links(sharing: group).compactMap { sessions[$0].flatMap { deviceID(of: $0.key) } })
        let devices = groups[group]?.state.devices.filter { $0.isCurrent && $0.device != identity.device } ?? []
        let ordered = devices.map(\.device).sorted {
            (linked.contains($0) ? 0 : 1, $0) < (linked.contains($1) ? 0 : 1, $1)
        }
        for device in ordered {
            let local = (dialler.addresses[device] ?? []).map(\.endpoint).filter(\.isLocal).filter { !$0.isLinkLocal }
            if !local.isEmpty { sets.append(Array(local.prefix(2))) }
        }
        return sets
    }

    private mutating func leave(_ group: GroupID, erasing: Bool, id: CommandID) {
        guard let replica = groups[group] else { return complete(id, .failed(.unknownGroup)) }
        let state = replica.state
        guard let me = state.device(identity.device), me.isCurrent else { return complete(id, .failed(.notMember)) }
        let cuts = state.devices.filter { $0.user == me.user && $0.isCurrent }.map { replica.cut(of: $0.device) }
        let departure = Departure(erases: erasing, cuts: DeviceCut.fitting(cuts))
        let setting = Self.farewellSetting(group)
        farewells.insert(group)
        guard author(.leave(departure), in: group, settings: [setting: [1]], id: id) else {
            farewells.remove(group)
            return
        }
        settings[setting] = [1]
        // Waits for the departure to be on disk.
        persist(DurableChange(), then: [.sayFarewell(group)])
    }

    // MARK: Records

    /// Writes records into each group's own feed, all in one transaction, and pushes them.
    private mutating func write(_ writes: [(group: GroupID, drafts: [RecordDraft])], id: CommandID) {
        for (group, drafts) in writes {
            guard let replica = groups[group] else { return complete(id, .failed(.unknownGroup)) }
            guard isCurrentMember(of: group) else { return complete(id, .failed(.notMember)) }
            let held = replica.ownEpoch.flatMap {
                replica.feeds[FeedID(device: identity.device, epoch: $0)]?.mainTip.number
            }
            let (wall, device) = (wall, identity.device)
            guard UInt64(drafts.count) + (held ?? 0) <= ProtocolLimits.maximumFeedLength,
                groups[group]?.hasEpoch(wall: wall, device: device, reserve: GroupReplica.reservedEpochs) ?? false
            else { return complete(id, .failed(.feedFull)) }
        }
        var change = DurableChange()
        var work: [Deferred] = []
        for (group, drafts) in writes where !drafts.isEmpty {
            work += write(drafts, in: group, change: &change)
        }
        persist(change, then: [.complete(id, .done)] + work)
    }

    /// Writes records into a group's own feed. Returns what follows once they are on disk.
    mutating func write(_ drafts: [RecordDraft], in group: GroupID, change: inout DurableChange) -> [Deferred] {
        // The clock may have gone back, and then what was merged by it counts no more.
        leaveOut(groups[group]?.rebuildIfStale(wall: wall) ?? [], change: &change)
        let epoch = openEpoch(in: group, change: &change)
        var merged: [MergedRecord] = []
        var work: [Deferred] = []
        let records = groups[group]?.records(of: drafts, epoch: epoch, wall: wall) ?? RecordList()
        for portion in Run.portions(of: records) {
            let arrival = takeArrival()
            guard var replica = groups.removeValue(forKey: group) else { continue }
            let (stored, news) = replica.write(
                portion, identity: identity, epoch: epoch, arrival: arrival, wall: wall)
            groups[group] = replica
            change.runs.append(stored)
            merged += news
            work.append(.pushRun(group, stored.run))
        }
        compact(FeedID(device: identity.device, epoch: epoch), in: group, change: &change)
        leaveOut(groups[group]?.rebuildIfStale(wall: wall) ?? [], change: &change)
        work.insert(.publish(.recordsMerged(group, merged)), at: 0)
        if groups[group]?.takeReset() ?? false { work.insert(.publish(.recordsReset(group)), at: 0) }
        work.append(.digestMoved(group))
        return work
    }

    /// The epoch this device writes in a group; a new one where there is none that may be continued.
    mutating func openEpoch(in group: GroupID, after counter: UInt32 = 0, change: inout DurableChange) -> Epoch {
        let device = identity.device
        // A clock that was ahead wrote the epoch: times rise within one.
        if groups[group]?.ownEpochLeads(wall: wall, device: device) ?? false { groups[group]?.ownEpoch = nil }
        if let epoch = groups[group]?.ownEpoch { return epoch }
        let last = max(counter, groups[group]?.feeds.epochs(of: device).last?.counter ?? 0)
        let nonce = entropy.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let epoch = Epoch(counter: last &+ 1, nonce: nonce)
        groups[group]?.ownEpoch = epoch
        change.ownEpochs.append(OwnEpoch(group: group, epoch: epoch))
        return epoch
    }
}
