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

    /// Hands the account's other machines the groups that they are in by the ledgers here and have proven no key of,
    /// each once on a link.
    mutating func offerGroups(core: inout EngineCore) {
        for link in core.sessions.keys {
            guard let machine = ownMachine(over: link, core: core), let session = core.sessions[link] else { continue }
            for group in core.groups.keys
            where session.groups[group] == nil && !session.offeredGroups.contains(group) && !core.isPrivate(group) {
                guard core.isCurrentMember(of: group),
                    core.groups[group]?.state.isCurrentMember(device: machine.device) ?? false,
                    core.charge(.handedGroups, over: link)
                else { continue }
                core.sessions[link]?.offeredGroups.insert(group)
                handOver(group, over: link, core: &core)
                // It may have heard this device's proofs before this device was in the group.
                core.post(.greet(link))
            }
        }
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
