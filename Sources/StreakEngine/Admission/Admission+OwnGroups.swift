import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// Every machine of an account is in all its groups (Protocol/friends.md §8).
extension Admission {
    /// The machine of this account at the other end of a link, if it has proven the private group and no ledger here
    /// says that it is revoked.
    func ownMachine(over link: LinkID, core: EngineCore) -> DeviceCertificate? {
        guard let group = core.privateGroup, core.access(of: link, in: group).contains(.records),
            let key = core.sessions[link]?.key
        else { return nil }
        return core.groups[group]?.state.device(linkKey: key)?.certificate
    }

    /// Groups that are on their way on a link. The next one waits until the machine has proven a key of one of them, so
    /// that a link that breaks has cost few of those that may be handed over.
    private static let maximumUnderWay = 8
    /// How long one counts as being on its way. The machine may not take it, and does not say so.
    private static let patience: Duration = .seconds(30)

    /// Hands the account's other machines the groups that they are in by the ledgers here and have proven no key of,
    /// each once on a link.
    mutating func offerGroups(core: inout EngineCore) {
        nextOffer = nil
        for link in core.sessions.keys {
            guard let machine = ownMachine(over: link, core: core),
                let turn = offerGroups(to: machine, over: link, core: &core)
            else { continue }
            nextOffer = min(nextOffer ?? turn, turn)
        }
    }

    /// Returns when to go on; nil if no group waits.
    private func offerGroups(
        to machine: DeviceCertificate, over link: LinkID, core: inout EngineCore
    ) -> MonotonicInstant? {
        guard let session = core.sessions[link] else { return nil }
        var underWay = session.offeredGroups.filter { session.groups[$0.key] == nil }.map {
            $0.value.advanced(by: Self.patience)
        }.filter { $0 > core.now }
        for group in core.groups.keys
        where session.groups[group] == nil && session.offeredGroups[group] == nil && !core.isPrivate(group) {
            guard core.isCurrentMember(of: group),
                core.groups[group]?.state.isCurrentMember(device: machine.device) ?? false
            else { continue }
            guard underWay.count < Self.maximumUnderWay else { return underWay.min() }
            let turn = core.budget.nextTurn(of: .handedGroups, for: .device(machine.device), at: core.now)
            guard turn <= core.now, core.charge(.handedGroups, to: .device(machine.device)) else { return turn }
            underWay.append(core.now.advanced(by: Self.patience))
            core.sessions[link]?.offeredGroups[group] = core.now
            handOver(group, over: link, core: &core)
            // It may have heard this device's proofs before this device was in the group.
            core.post(.greet(link))
        }
        return nil
    }

    /// Whether to receive a group that another machine of this account hands over, with so many arriving over the link.
    func mayReceive(_ arriving: Int, from machine: DeviceCertificate, core: inout EngineCore) -> Bool {
        arriving < Self.maximumUnderWay && core.groups.count + arriving < FriendMessage.maximumGroups
            && core.charge(.receivedGroups, to: .device(machine.device))
    }

    /// Enters a group that another machine of this account has handed over, if its ledger shows both machines.
    mutating func takeOver(_ intake: LedgerIntake, from machine: DeviceCertificate, core: inout EngineCore) {
        let keys = intake.namedKeys
        guard let ledger = intake.ledger, core.groups[ledger.group] == nil, !keys.isEmpty,
            ledger.state.isCurrentMember(device: machine.device),
            let own = ledger.state.device(core.identity.device), own.isCurrent,
            own.certificate == core.identity.certificate
        else { return core.publish(.operationRefused(intake.group)) }
        var change = DurableChange()
        store(ledger, accessKeys: keys, change: &change, core: &core)
        begin(ledger, accessKeys: keys, change: &change, core: &core)
        entered(ledger.group, change: change, core: &core, then: [.publish(.friend(.brought(ledger.group)))])
    }
}
