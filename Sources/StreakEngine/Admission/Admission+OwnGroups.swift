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

    /// Hands the account's other machines the groups that they are in by the ledgers here and have proven no key of.
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
        let lacking = core.groups.keys.filter { group in
            session.groups[group] == nil && !core.isPrivate(group) && core.isCurrentMember(of: group)
                && core.groups[group]?.state.isCurrentMember(device: machine.device) ?? false
        }
        let payer = PeerAbuseBudget.Payer.device(machine.device)
        let offered = session.offeredGroups
        var underWay = offered.filter { session.groups[$0.key] == nil && $0.value.underWayUntil > core.now }
            .map(\.value.underWayUntil)
        // What was handed over before comes last: there may be a reason why it is not taken.
        for group in lacking.filter({ offered[$0] == nil }) + lacking.filter({ offered[$0]?.again != nil }) {
            let last = offered[group]
            if let again = last?.again, again > core.now { continue }
            guard underWay.count < Self.maximumUnderWay else { return underWay.min() }
            guard core.budget.charge(.handedGroups, to: payer, at: core.now) else {
                let turn = core.budget.nextTurn(of: .handedGroups, for: payer, at: core.now)
                return max(turn, core.now.advanced(by: .seconds(1)))
            }
            let offer = OfferedGroup(at: core.now, count: (last?.count ?? 0) + 1)
            underWay.append(offer.underWayUntil)
            core.sessions[link]?.offeredGroups[group] = offer
            handOver(group, over: link, core: &core)
            // It may have heard this device's proofs before this device was in the group.
            core.post(.greet(link))
        }
        return lacking.compactMap { core.sessions[link]?.offeredGroups[$0]?.again }.min()
    }

    /// Whether to receive a group that another machine of this account hands over, with so many arriving over the link.
    func mayReceive(_ arriving: Int, from machine: DeviceCertificate, core: inout EngineCore) -> Bool {
        arriving < Self.maximumUnderWay
            && core.groups.keys.count { !isOfThief($0, core: core) } + arriving < FriendMessage.maximumGroups
            && core.charge(.receivedGroups, to: .device(machine.device))
    }

    /// Whether the account is in a group by a machine that it has shut out since. Such groups take no room from those of
    /// honest machines.
    func isOfThief(_ group: GroupID, core: EngineCore) -> Bool {
        guard core.hasShutOut, let replica = core.groups[group],
            let admission = replica.state.member(core.identity.user)?.admittedBy,
            let bringer = replica.ledger.operation(admission)?.operation.body.introducedCertificate
        else { return false }
        return core.isGivenUp(bringer)
    }

    /// Enters a group that another machine of this account has handed over, if its ledger shows both machines.
    mutating func takeOver(_ intake: LedgerIntake, from machine: DeviceCertificate, core: inout EngineCore) {
        let keys = intake.namedKeys
        guard let ledger = intake.ledger, core.groups[ledger.group] == nil, !keys.isEmpty,
            ledger.state.isCurrentMember(device: machine.device),
            let own = ledger.state.device(core.identity.device), own.isCurrent,
            // Any machine of the account can certify another one once more, so the chain may be another than its own.
            own.user == core.identity.user, own.linkKey == core.identity.linkKey.publicKey
        else { return core.publish(.operationRefused(intake.group)) }
        var change = DurableChange()
        store(ledger, accessKeys: keys, change: &change, core: &core)
        begin(ledger, accessKeys: keys, change: &change, core: &core)
        entered(ledger.group, change: change, core: &core, then: [.publish(.friend(.brought(ledger.group)))])
    }
}
