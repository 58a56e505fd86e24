import StreakCrypto
import StreakWire

@testable import StreakMembership

/// Laws for arbitrary operations. Each returns the violations it found.
struct ResolverLaws {
    let seed: UInt64
    private let original: RandomLedger
    private var random: RandomLedger

    init(seed: UInt64, isSecondEdition: Bool = true) throws {
        self.seed = seed
        original = try RandomLedger(seed: seed, isSecondEdition: isSecondEdition)
        random = original
    }

    /// The violated laws of one graph, as text.
    static func violations(seed: UInt64, isSecondEdition: Bool = true) throws -> [String] {
        var laws = try ResolverLaws(seed: seed, isSecondEdition: isSecondEdition)
        var found = try laws.orderOfArrival() + laws.shape() + laws.clocks()
        for _ in 0..<2 { found += try laws.additionsWithoutPower() }
        found += try laws.additionsOfAdmin()
        for _ in 0..<2 { found += try laws.additionsPastCut() }
        found += try laws.copiesOfOldClaims()
        return found.map { "\($0); STREAKMESH_SEED=\(seed)" }
    }

    // MARK: One state

    /// One set of operations gives one state, in any order of arrival and with repetitions.
    private mutating func orderOfArrival() throws -> [String] {
        let ledger = original.ledger
        let operations = ledger.allOperations
        var found: [String] = []
        for _ in 0..<3 {
            var copy = try original.fresh()
            for operation in operations.dropFirst().shuffled(using: &random.generator) {
                _ = try copy.insert(operation)
                guard Int.random(in: 0..<4, using: &random.generator) == 0,
                    let known = operations.randomElement(using: &random.generator),
                    copy.contains(known.id)
                else { continue }
                if try copy.insert(known) != .duplicate { found.append("an operation was taken twice") }
            }
            if copy.pendingCount > 0 { found.append("operations wait though all are there") }
            if copy.state != ledger.state { found.append("another order of arrival gives another state") }
            if copy.tips != ledger.tips || copy.heads != ledger.heads { found.append("another order gives other tips") }
            if copy.countingTips != ledger.countingTips { found.append("another order gives other counting tips") }
            if copy.allOperations != operations { found.append("another order gives another order of operations") }
            for operation in operations where copy.refusal(of: operation.id) != ledger.refusal(of: operation.id) {
                found.append("another order refuses \(operation.operation.body.kind) for another reason")
            }
        }
        return found
    }

    /// There is one owner, who is a member; lists are sorted; every current device is a member's.
    private func shape() -> [String] {
        let state = original.ledger.state
        var found: [String] = []
        if state.members.filter({ $0.role == .owner }).map(\.user) != [state.owner] { found.append("not one owner") }
        if state.members.map(\.user) != state.members.map(\.user).sorted() { found.append("members out of order") }
        if state.devices.map(\.device) != state.devices.map(\.device).sorted() { found.append("devices out of order") }
        for device in state.devices where device.isCurrent && !state.isMember(device.user) {
            found.append("a current device of a user who is not a member")
        }
        for former in state.removedUsers where state.isMember(former.user) { found.append("in and out at once") }
        return found
    }

    /// Other times in all operations, with the same names, give the same state except for the displayed times.
    private func clocks() throws -> [String] {
        var copy = try original.fresh()
        for (index, signed) in original.ledger.allOperations.enumerated().dropFirst() {
            let operation = signed.operation
            let late = LedgerOperation(
                group: operation.group, author: operation.author, number: operation.number,
                previous: operation.previous, parents: operation.parents,
                time: index.isMultiple(of: 2) ? .min : Int64(index) &* 86_400_000, body: operation.body)
            let other = SignedOperation(id: signed.id, operation: late, bytes: signed.bytes)
            _ = try copy.insert(other)
        }
        let (before, after) = (original.ledger.state, copy.state)
        let isSame =
            ResolverLaws.people(before) == ResolverLaws.people(after) && before.devices == after.devices
            && before.invites == after.invites && before.requests == after.requests && before.title == after.title
            && before.settings == after.settings && before.heir == after.heir && before.owner == after.owner
            && before.removedUsers == after.removedUsers && before.erasedUsers == after.erasedUsers
            && before.accessKeyHashes == after.accessKeyHashes
        return isSame ? [] : ["a clock decided something"]
    }

    /// Members, without displayed times and devices.
    private static func people(_ state: GroupState) -> [String] {
        state.members.map {
            "\($0.user) \($0.role) \($0.admittedBy) \($0.admitter) \($0.invite.map(\.description) ?? "")"
        }
    }

    /// Invites, without what an account's own admissions changed: the account may undo those by leaving.
    private static func invites(_ state: GroupState, butFor user: UserID) -> [String] {
        state.invites.map { "\($0.id) \($0.isRevoked) \($0.used) \($0.admitted.filter { $0 != user })" }
    }

    // MARK: What new operations may change

    private func wasOwner(_ index: Int) -> Bool {
        let user = RandomLedger.accounts[index].user
        return index == 0
            || random.operations.contains {
                $0.operation.body.kind == .transfer && random.ledger.refusal(of: $0.id) == nil
                    && LedgerLawNames.newOwner(of: $0) == user
            }
    }

    private func wasAdmin(_ index: Int) -> Bool {
        let user = RandomLedger.accounts[index].user
        return wasOwner(index)
            || random.operations.contains { operation in
                guard case .setRole(let change) = operation.operation.body else { return false }
                return change.user == user && change.change == .admin
                    && random.ledger.refusal(of: operation.id) == nil
            }
    }

    /// Whether an heir took the group over: the owner before may annul that at any time.
    private var hasHeirTakenOver: Bool {
        random.operations.contains { operation in
            LedgerLawNames.newOwner(of: operation) == random.ledger.user(of: operation.operation.author)
                && random.ledger.refusal(of: operation.id) == nil
        }
    }

    /// What an account can still do by the documents (Protocol/membership.md §9): the account key voids its own
    /// devices' work, a former owner signs a transfer with a smaller hash, an admin's departure voids its own acts.
    private func exempt(_ index: Int) -> Set<OperationBody.Kind> {
        var kinds: Set<OperationBody.Kind> = [.revokeDevice]
        if wasOwner(index) { kinds.insert(.transfer) }
        if wasAdmin(index) { kinds.insert(.leave) }
        return kinds
    }

    /// What of that remains for an account removed with an honest cut: nothing, except for a former owner, for an admin
    /// whose powers only its own departure had ended, and for a cut that keeps what the account had revoked, so that a
    /// longer revocation restores it.
    private func exemptPastCut(_ index: Int) -> Set<OperationBody.Kind> {
        let account = RandomLedger.accounts[index]
        let devices = account.devices.map(\.device)
        var kinds: Set<OperationBody.Kind> = wasOwner(index) ? [.revokeDevice, .transfer] : []
        for operation in random.ledger.allOperations.map(\.operation) {
            guard random.ledger.user(of: operation.author) != account.user else {
                if operation.body.kind == .leave, wasAdmin(index) { kinds.insert(.leave) }
                continue
            }
            let leavesRevoked = operation.body.cuts.contains {
                devices.contains($0.device) && hasRevoked(upTo: $0.lastOperation)
            }
            if leavesRevoked { kinds.insert(.revokeDevice) }
        }
        return kinds
    }

    private func hasRevoked(upTo last: OperationID) -> Bool {
        var step = random.ledger.operation(last)
        while let operation = step {
            if case .authorRevoked = random.ledger.refusal(of: operation.id) { return true }
            step = random.ledger.operation(operation.operation.previous)
        }
        return false
    }

    /// The ledger after an account has added anything it likes. This ledger is restored.
    private mutating func ledger(
        after count: Int, additionsBy index: Int, without excluded: Set<OperationBody.Kind>
    ) throws -> Ledger {
        let start = random
        for _ in 0..<count { try random.add(by: index, without: excluded) }
        defer {
            let generator = random.generator
            random = start
            random.generator = generator
        }
        return random.ledger
    }

    /// An account without power cannot take anybody's place, role or invite, whatever parents it claims.
    private mutating func additionsWithoutPower() throws -> [String] {
        let index = Int.random(in: 0..<12, using: &random.generator)
        let user = RandomLedger.accounts[index].user
        let before = random.ledger.state
        guard !before.isAtLeastAdmin(user), before.heir != user, !(wasOwner(index) && hasHeirTakenOver) else {
            return []
        }
        let after = try ledger(after: 8, additionsBy: index, without: exempt(index)).state
        var found = Self.differencesOfGroup(before, after)
        for member in before.members where member.user != user && after.role(of: member.user) != member.role {
            found.append("a member without power changed another's role or place")
        }
        for invite in before.invites where invite.inviter != user {
            guard let now = after.invite(invite.id) else {
                found.append("a member without power voided another's invite")
                continue
            }
            if now.isRevoked != invite.isRevoked { found.append("a member without power revoked another's invite") }
            if !Set(now.admitted).union([user]).isSuperset(of: invite.admitted) {
                found.append("a member without power voided an admission")
            }
        }
        for former in before.removedUsers where former.user != user && !after.isMember(former.user) {
            if !after.removedUsers.contains(former) { found.append("a member without power changed another's removal") }
        }
        if after.accessKeyHashes != before.accessKeyHashes { found.append("a member without power made an access key") }
        for device in before.devices where device.user != user && before.isMember(device.user) {
            if after.device(device.device).map({ Self.isSame($0, device) }) != true {
                found.append("a member without power changed another's device")
            }
        }
        return found.map { "\($0) (account \(index))" }
    }

    private static func differencesOfGroup(_ before: GroupState, _ after: GroupState) -> [String] {
        var found: [String] = []
        if before.owner != after.owner { found.append("the owner changed") }
        if before.heir != after.heir { found.append("the heir changed") }
        if before.title != after.title { found.append("the title changed") }
        if before.settings != after.settings { found.append("the settings changed") }
        return found
    }

    /// Whether nothing has changed about a device, except perhaps who else has published its certificate.
    private static func isSame(_ left: GroupState.Device, _ right: GroupState.Device) -> Bool {
        left.user == right.user && left.standing == right.standing && left.cut == right.cut
            && left.earlierCuts == right.earlierCuts && left.erasedEpochs == right.erasedEpochs
    }

    /// An account that has left comes back with a claim that it signs again, but not with a copy of an earlier one.
    private mutating func copiesOfOldClaims() throws -> [String] {
        let start = random
        defer {
            let generator = random.generator
            random = start
            random.generator = generator
        }
        let left = random.ledger.state.removedUsers.filter(\.hasLeft).map(\.user)
        guard let user = left.randomElement(using: &random.generator) else { return [] }
        let departures = random.ledger.nodes.filter { $0.user == user && $0.body.kind == .leave }
        let old = random.ledger.nodes.filter { node in
            node.body.joinClaim?.certificate.user == user && departures.contains { node.isAncestor(of: $0) }
        }
        for node in old {
            // The owner itself copies it, after all known operations. Only the strangest graphs have too many parents.
            guard let claim = node.body.joinClaim, random.ledger.heads.count < LedgerOperation.maximumParents,
                let device = random.ledger.state.member(random.ledger.state.owner)?.devices.first,
                let owner = RandomLedger.accounts.flatMap(\.devices).first(where: { $0.device == device })
            else { continue }
            // A device that has used up its numbers, or belongs to two accounts, adds nothing.
            _ = try? random.add(.admit(claim), by: owner)
        }
        return random.ledger.state.isMember(user) ? ["a copy of an old claim let somebody in who had left"] : []
    }

    /// An admin's operations change no owner, heir or admin.
    private mutating func additionsOfAdmin() throws -> [String] {
        let before = random.ledger.state
        let admins = before.members.filter { $0.role == .admin && $0.user != before.heir }.map(\.user)
        guard let admin = admins.randomElement(using: &random.generator),
            let index = RandomLedger.accounts.firstIndex(where: { $0.user == admin }),
            !(wasOwner(index) && hasHeirTakenOver)
        else { return [] }
        let ledger = try ledger(after: 10, additionsBy: index, without: exempt(index))
        let after = ledger.state
        var found: [String] = []
        if before.owner != after.owner { found.append("an admin changed the owner") }
        if before.heir != after.heir { found.append("an admin changed the heir") }
        for member in before.members where member.role >= .admin && after.role(of: member.user) != member.role {
            if member.role == .admin, Self.hasClaimedAnew(member.user, in: ledger) { continue }
            found.append("an admin changed an admin")
        }
        for member in after.members where member.role >= .admin && before.role(of: member.user) != member.role {
            found.append("an admin made an admin")
        }
        return found.map { "\($0) (account \(index))" }
    }

    /// Whether an account left, claimed a place with a claim that it signed later, and then voided that departure.
    ///
    /// An admin who removed it without knowing of the revocation, and one who only pretends so, sign the same
    /// operations. The honest admin's removal must stand (Protocol/membership.md §9).
    private static func hasClaimedAnew(_ user: UserID, in ledger: Ledger) -> Bool {
        var spent = SpentClaims(ledger.nodes)
        return ledger.nodes.contains { admission in
            guard case .admit(let claim) = admission.body, claim.certificate.user == user,
                spent.departure(spending: claim, before: admission) == nil
            else { return false }
            return ledger.nodes.contains { departure in
                guard departure.user == user, departure.body.kind == .leave,
                    case .authorRevoked = ledger.refusal(of: departure.id)
                else { return false }
                return departure.isAncestor(of: admission)
            }
        }
    }

    /// After an honest cut nothing that the target adds changes anything.
    private mutating func additionsPastCut() throws -> [String] {
        let start = random
        defer {
            let generator = random.generator
            random = start
            random.generator = generator
        }
        let state = random.ledger.state
        let targets = state.members.filter { $0.role != .owner }.map(\.user)
        guard let target = targets.randomElement(using: &random.generator),
            let index = RandomLedger.accounts.firstIndex(where: { $0.user == target }),
            !(wasOwner(index) && hasHeirTakenOver)
        else { return [] }
        // An admin's removal of the heir does not end the heirship, which is the owner's decision.
        let mayBeAdmin = state.role(of: target) == .member && state.heir != target
        let removers = state.members.filter { $0.role == .owner || mayBeAdmin && $0.role == .admin }
        guard let remover = removers.randomElement(using: &random.generator), let device = remover.devices.first,
            let identity = RandomLedger.accounts.flatMap(\.devices).first(where: { $0.device == device })
        else { return [] }
        do {
            let removal = Removal(
                user: target, cuts: random.ledger.cuts(of: target) { _ in [] }, accessKeyHash: Bytes32(9, 9, 9, 9))
            let operation = try random.ledger.draft(.remove(removal), by: identity, at: TestGroup.now)
            _ = try random.ledger.insert(operation)
        } catch {
            return [
                "an honest \(remover.role) could not remove a \(state.role(of: target).map { "\($0)" } ?? ""): \(error)"
            ]
        }
        let before = random.ledger.state
        guard !before.isMember(target) else { return ["who was removed is still in (account \(index))"] }
        let after = try ledger(after: 10, additionsBy: index, without: exemptPastCut(index)).state
        var found = Self.differencesOfGroup(before, after)
        if Self.people(before) != Self.people(after) { found.append("what was added past a cut changed the members") }
        if Self.invites(before, butFor: target) != Self.invites(after, butFor: target) {
            found.append("what was added past a cut changed the invites")
        }
        if before.accessKeyHashes != after.accessKeyHashes { found.append("an access key was added past a cut") }
        let requests = { (state: GroupState) in state.requests.filter { $0.claim.certificate.user != target } }
        if requests(before) != requests(after) { found.append("what was added past a cut changed the requests") }
        // A certificate is signed by its own account, no matter who publishes it. So devices may be added, but none may
        // change.
        for device in before.devices where device.user != target {
            if after.device(device.device).map({ Self.isSame($0, device) }) != true {
                found.append("what was added past a cut changed another's device")
            }
        }
        let former = { (state: GroupState) in state.removedUsers.map(\.user).filter { $0 != target } }
        if former(before) != former(after) {
            found.append("what was added past a cut changed who was removed")
        }
        return found.map { "\($0) (account \(index), removed by \(remover.role))" }
    }
}

enum LedgerLawNames {
    static func newOwner(of operation: SignedOperation) -> UserID? {
        guard case .transfer(let transfer) = operation.operation.body else { return nil }
        return transfer.newOwner
    }
}
