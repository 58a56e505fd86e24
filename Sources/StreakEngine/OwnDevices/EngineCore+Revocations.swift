import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

extension EngineCore {
    mutating func revoke(_ device: DeviceID, accountKey: SigningSecretKey, id: CommandID) {
        guard UserID(accountKey.publicKey) == identity.user, device != identity.device else {
            return complete(id, .failed(.notAllowed(.invalidRevocation)))
        }
        let member = groups.keys.filter { isCurrentMember(of: $0) }
        guard member.contains(where: { mayRevoke(device, in: $0) }) else {
            return complete(id, .failed(.notAllowed(.refused(.unknownDevice(device)))))
        }
        // Devices that it certified and that the account still uses stay valid, whichever group knows them. If it is
        // revoked already, only those that were kept then: it may have certified others since.
        let user = identity.user
        let kept = accountWord.revocations.keptLinks(of: device) ?? linksToKeep(revoking: device)
        var change = DurableChange()
        var work: [Work] = []
        var refused: [GroupID] = []
        var refusal: LedgerError?
        /// A group that accepts no further operations must not keep the others from shutting the device out.
        func attempt(
            in group: GroupID,
            _ make: (inout EngineCore, inout DurableChange) throws(LedgerError) -> [SignedOperation]
        ) {
            let before = (self, change)
            do {
                let added = try make(&self, &change)
                guard !added.isEmpty else { return }
                work += consequences(for: group, change: &change)
                work.append(.passOnOperations(group, added, except: nil))
            } catch {
                (self, change) = before
                refusal = error
                if refused.last != group { refused.append(group) }
            }
        }
        let others = member.filter { $0 != privateGroup }
        for group in member.filter({ $0 == privateGroup }) + others {
            attempt(in: group) { engine, change throws(LedgerError) in
                try engine.revokeHere(device, accountKey: accountKey, keeping: kept, in: group, change: &change)
            }
            guard group == privateGroup else { continue }
            // The account's other devices find it in the private group, and pass it on.
            attempt(in: group) { engine, change throws(LedgerError) in
                guard engine.groups[group]?.ledger.isRevokedEverywhere(device, of: user) == false else { return [] }
                let general = DeviceRevocation(
                    accountKey: accountKey, everywhere: device, keeping: kept, accessKeyHash: Bytes32.zero)
                return try engine.publishGeneral(general, in: group, change: &change)
            }
        }
        // Where the device is out everywhere else, only the groups that are too full are to be told of.
        if work.isEmpty, let refusal, !isShutOut(device) {
            return complete(id, .failed(.notAllowed(refusal)))
        }
        keysAreStale = true
        persist(change, then: [.complete(id, refused.isEmpty ? .done : .refusedBy(refused))] + work)
    }

    /// The links that a device signed and that lead to current devices. First those in the private group: a revocation
    /// keeps no more than 32, which that ledger cannot exceed, and in the others a thief may have published any number.
    private func linksToKeep(revoking device: DeviceID) -> [Bytes32] {
        let member = groups.keys.filter { isCurrentMember(of: $0) }
        let others = member.filter { $0 != privateGroup }
        return (member.filter { $0 == privateGroup } + others)
            .flatMap { groups[$0]?.ledger.keptLinks(revoking: device, of: identity.user) ?? [] }
    }

    /// Revokes a device in one group in which it counts, with a cut and a new access key for that group.
    mutating func revokeHere(
        _ device: DeviceID, accountKey: SigningSecretKey, keeping kept: [Bytes32], in group: GroupID,
        change: inout DurableChange
    ) throws(LedgerError) -> [SignedOperation] {
        guard mayRevoke(device, in: group), let replica = groups[group] else { return [] }
        let key = AccessKey.generate(from: &entropy)
        let cut = DeviceCut.fitting([replica.cut(of: device)])[0]
        let revocation = DeviceRevocation(
            accountKey: accountKey, group: group, cut: cut, keeping: kept, accessKeyHash: key.hash)
        let added = try publishRevocation(revocation, in: group, change: &change)
        addAccessKey(key, to: group, change: &change)
        return added
    }

    /// Whether a device is published in a group for this account, and a revocation by it would still change something
    /// there. A thief may have published it for another account, too: what it signs for this one ends all the same.
    private func mayRevoke(_ device: DeviceID, in group: GroupID) -> Bool {
        guard let ledger = groups[group]?.ledger else { return false }
        return ledger.isPublished(device, for: identity.user)
            && (isStillIn(device, group) || ledger.isRevokedOnlyEverywhere(device, of: identity.user))
    }

    /// Whether a group has a current device that this account could revoke there and has not.
    func isStillIn(_ device: DeviceID, _ group: GroupID) -> Bool {
        guard let replica = groups[group], replica.state.device(device)?.isCurrent ?? false else { return false }
        return replica.ledger.isPublished(device, for: identity.user)
            && !replica.ledger.hasRevoked(device, by: identity.user)
    }

    mutating func publishRevocation(
        _ revocation: DeviceRevocation, in group: GroupID, change: inout DurableChange
    ) throws(LedgerError) -> [SignedOperation] {
        guard let replica = groups[group] else { return [] }
        let operation = try replica.ledger.draft(.revokeDevice(revocation), by: identity, at: wall.seconds)
        return try insert(operation, in: group, change: &change)
    }

    /// Passes a revocation for every group on to a group that has none for the device. It comes with a new access key
    /// if the device may have had the old ones.
    mutating func publishGeneral(
        _ revocation: DeviceRevocation, in group: GroupID, change: inout DurableChange
    ) throws(LedgerError) -> [SignedOperation] {
        guard let state = groups[group]?.state, let last = state.accessKeyHashes.last else { return [] }
        guard state.isCurrentMember(device: revocation.cut.device) else {
            return try publishRevocation(revocation.naming(accessKeyHash: last), in: group, change: &change)
        }
        let key = AccessKey.generate(from: &entropy)
        let added = try publishRevocation(revocation.naming(accessKeyHash: key.hash), in: group, change: &change)
        addAccessKey(key, to: group, change: &change)
        return added
    }

    /// The revocations for every group that this account has made and this device knows: of each device one, and those
    /// that keep what the ones before them do not.
    var generalRevocations: [DeviceRevocation] {
        let words = privateGroup.flatMap { groups[$0]?.ledger.revocations(of: identity.user) } ?? []
        var known = KnownRevocations()
        return words.filter { word in
            guard word.scope == .everyGroup, known.lack(word) else { return false }
            known.insert(word)
            return true
        }
    }

    /// Tells a group which devices the account revoked elsewhere; tells every group, if the news is in the private
    /// group.
    ///
    /// Not if the device has signed operations there and none revokes it: a revocation for every group would keep none of
    /// them. Only a cut for that group, which needs the recovery key, can say what stays.
    mutating func tellRevocations(in group: GroupID) {
        guard let privateGroup, isCurrentMember(of: privateGroup) else { return }
        for target in isPrivate(group) ? groups.keys : [group] {
            var change = DurableChange()
            let added = publishRevocations(to: target, change: &change)
            guard !added.isEmpty else { continue }
            ledgerChanged(target, change: change, then: [.passOnOperations(target, added, except: nil)])
        }
    }

    /// The operations that tell one group; none if it knows.
    mutating func publishRevocations(to target: GroupID, change: inout DurableChange) -> [SignedOperation] {
        guard isCurrentMember(of: target), let ledger = groups[target]?.ledger else { return [] }
        let general = generalRevocations
        guard !general.isEmpty else { return [] }
        let known = KnownRevocations(ledger.revocations(of: identity.user))
        var added: [SignedOperation] = []
        for revocation in general where known.lack(revocation) {
            let device = revocation.cut.device
            guard known.keptLinks(of: device) != nil || ledger.longestTip(of: device) == nil else { continue }
            // A group whose ledger accepts no further operations of this device stays as it is.
            added += (try? publishGeneral(revocation, in: target, change: &change)) ?? []
        }
        return added
    }
}
