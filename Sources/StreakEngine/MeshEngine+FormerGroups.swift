import StreakCrypto
import StreakMembership
import StreakReplication
import StreakWire

/// Groups in which devices of this account kept what is private before they moved. They are kept for those of the devices that
/// have not moved yet, to be found there and told where to go.
extension MeshEngine {
    static func formerSetting(_ group: GroupID) -> String {
        "former-private-" + group.bytes.array.prefix(16).hexadecimal
    }

    mutating func setFormer(_ isFormer: Bool, _ group: GroupID, change: inout DurableChange) {
        guard isFormer != formerPrivateGroups.contains(group) else { return }
        let name = Self.formerSetting(group)
        settings[name] = isFormer ? [1] : nil
        change.settings[name] = isFormer ? [1] : []
        if isFormer {
            formerPrivateGroups.insert(group)
        } else {
            formerPrivateGroups.remove(group)
            growingFormerGroups.remove(group)
        }
    }

    /// Whether a store says of a group that it is or was the private one.
    func isMarkedPrivate(_ group: GroupID) -> Bool {
        group == privateGroup || settings[Self.formerSetting(group)] != nil
    }

    mutating func restoreFormerPrivateGroups() {
        formerPrivateGroups = Set(groups.keys.filter { settings[Self.formerSetting($0)] != nil && $0 != privateGroup })
        growingFormerGroups = formerPrivateGroups
    }

    /// Notes that devices which have not moved yet have written into a former group.
    mutating func noteGrowth(_ event: EngineEvent) {
        switch event {
        case .recordsMerged(let group, _), .recordsReset(let group):
            if formerPrivateGroups.contains(group) { growingFormerGroups.insert(group) }
        case .ledgerChanged:
            moves.reviewsFormerGroups = true
        default: break
        }
    }

    /// Takes over what has come into former groups.
    mutating func carryOver() {
        guard !growingFormerGroups.isEmpty, let privateGroup, isCurrentMember(of: privateGroup) else { return }
        var change = DurableChange()
        var work: [Deferred] = []
        for group in growingFormerGroups.sorted() {
            // A given-up device would otherwise write on in everybody's name.
            let trusted = Set(
                (groups[group]?.state.devices ?? []).filter { !isShutOut($0, of: group) }.map(\.device))
            work += carry(from: group, to: privateGroup, change: &change) { trusted.contains($0.device) }
        }
        growingFormerGroups = []
        if !change.isEmpty { persist(change, then: work) }
    }

    /// Gives up the former groups in which there is nobody left to be told where to go.
    mutating func dropFormerGroups() {
        guard moves.reviewsFormerGroups, !moves.isUnderWay, growingFormerGroups.isEmpty, let privateGroup,
            isCurrentMember(of: privateGroup)
        else { return }
        moves.reviewsFormerGroups = false
        let done = formerPrivateGroups.sorted().filter { isDone(with: $0, since: privateGroup) }
        guard !done.isEmpty else { return }
        var change = DurableChange()
        for group in done {
            setFormer(false, group, change: &change)
            drop(group, change: &change)
        }
        // A move may have waited for that.
        moves.resume(at: now)
        persist(change, then: done.map { .publish(.formerGroupDropped($0)) })
    }

    /// Whether a group is of no use any more once the account keeps to `present`: every other device that may have anything of it
    /// is in there, too, and has said that it keeps to it, so has taken along all that it had; and the words that the group
    /// holds stand there as well.
    func isDone(with group: GroupID, since present: GroupID) -> Bool {
        guard let old = groups[group], let new = groups[present] else { return false }
        let state = new.state
        let isNobodyLeft = old.state.devices.allSatisfy { device in
            !device.isCurrent || device.device == identity.device || isForeign(device)
                || moves.named[device.device] == present && state.isCurrentMember(device: device.device)
        }
        let user = identity.user
        let known = Set(new.ledger.revocations(of: user).map(\.cut.device))
        return isNobodyLeft && old.ledger.revocations(of: user).allSatisfy { known.contains($0.cut.device) }
    }
}
