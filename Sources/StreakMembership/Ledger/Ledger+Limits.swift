public import StreakWire

/// What a ledger takes of an account, however many devices and branches it makes. Protocol/membership.md §3.
///
/// These limits depend on what has come before, so two nodes may keep different operations of who exceeds them, and never of
/// anybody else: what another account's operation rests on is taken beyond them, up to `LedgerBudget.whole`.
extension Ledger {
    /// Branches of one device's chain. An honest device has one, a restored one a few.
    public static let maximumBranches = 64
    /// Branches of all devices together beyond which only who is in begins another, and only its first. Each operation keeps a
    /// number of two bytes for each branch, so at that many as much as the longest operation takes.
    public static let maximumBranchesOfGroup = 4_096
    /// Numbers that all operations together may keep of the branches before them: 256 MiB. Nothing goes beyond, needed or not:
    /// whoever shows a newcomer its ledger could otherwise fill its memory.
    public static let maximumClockSize = 1 << 27
    /// Operations of one device, all branches of a forked chain together.
    public static let maximumOperationsOfForkedDevice = 8_000

    /// Throws `tooManyOperations` for what only an account that floods the group or forks its chains can sign, unless it is
    /// needed.
    mutating func checkLimits(of signed: SignedOperation) throws(LedgerError) {
        let operation = signed.operation
        let user = account(of: signed)
        // Whether it ends a place takes the whole ledger to say, and is asked last: a flood of such operations would have all
        // resolved for each.
        if isWhole(recentState), isWhole(state), isPlain(user, state), !endsPlace(operation, by: user) {
            throw .tooManyOperations(operation.author)
        }
        let isFull = nodesByDevice[operation.author]?.count ?? 0 >= Self.maximumOperationsOfForkedDevice
        let isExcess =
            isFull || !isContinuation(operation) && !mayBranch(operation.author) || publishesTooMany(operation)
        let isRefused =
            isExcess || isSpent(user, device: operation.author, recentState) && !endsPlace(operation, by: user)
        guard isRefused, !isNeeded(signed) else { return }
        // What is known of who is in may be newer than that, and is dear to ask for.
        guard isExcess || isSpent(user, device: operation.author, state) else { return }
        refusedForks.add(signed, parents: operation.parents.filter { !contains($0) })
        pendingOperations.drop(dependingOn: signed.id)
        throw .tooManyOperations(operation.author)
    }

    private var budget: LedgerBudget { rules.budget }

    /// The account that will be charged; nil for a device that nobody has certified here yet.
    public func account(of signed: SignedOperation) -> UserID? {
        let operation = signed.operation
        if let node = nodesByDevice[operation.author]?.first { return node.user }
        if let user = introductions.user(of: operation.author) { return user }
        guard case .addDevice(let certificate) = operation.body else { return nil }
        return certificate.user
    }

    /// Whether nothing more fits in of those who are neither owner nor admin.
    private func isWhole(_ state: GroupState) -> Bool {
        usage.total >= budget.whole && weightOfPlainAccounts(state) >= budget.whole
    }

    /// Whether a member leaves, or gives up a device of its account. Nobody's flood keeps anybody in, or a stolen device good. Each
    /// ends a place or a device that came within the limits, so this comes to an end, too.
    private func endsPlace(_ operation: LedgerOperation, by user: UserID?) -> Bool {
        guard let user, [.leave, .revokeDevice].contains(operation.body.kind) else { return false }
        let state = state
        guard state.isCurrentMember(device: operation.author) else { return false }
        guard case .revokeDevice(let revocation) = operation.body else { return true }
        return state.device(revocation.cut.device).map { $0.isCurrent && $0.user == user } ?? false
    }

    /// Whether an account has used up what it may fill.
    private func isSpent(_ user: UserID?, device: DeviceID, _ state: GroupState) -> Bool {
        guard let user, let used = usage.byUser[user] else { return false }
        let isPlain = isPlain(user, state)
        if isPlain, used >= budget.share, usage.total >= budget.ofAll, weightOfPlainAccounts(state) >= budget.ofAll {
            return true
        }
        guard used >= budget.ofStranger else { return false }
        let limit = !isPlain ? budget.ofAdmin : hadPlace(user, state) ? budget.ofMember : budget.ofStranger
        return used >= limit && usage.byDevice[device] ?? 0 >= min(limit, budget.ofDevice)
    }

    private func isPlain(_ user: UserID?, _ state: GroupState) -> Bool {
        !(user.map { state.isAtLeastAdmin($0) } ?? false)
    }

    private func hadPlace(_ user: UserID, _ state: GroupState) -> Bool {
        state.isMember(user) || state.removedUsers.contains { $0.user == user }
    }

    private func weightOfPlainAccounts(_ state: GroupState) -> Int {
        let admins = state.members.filter { $0.role >= .admin }
        return usage.total - admins.reduce(0) { $0 + (usage.byUser[$1.user] ?? 0) }
    }

    /// Whether an operation would give an account more devices than it may ever have.
    private func publishesTooMany(_ operation: LedgerOperation) -> Bool {
        guard let certificate = operation.body.introducedCertificate,
            let published = introductions.byUser[certificate.user], published.count >= budget.devices
        else { return false }
        let alike = published.filter { $0.certificate.isIssuedByAccount == certificate.isIssuedByAccount }
        let devices = Set(alike.map(\.certificate.device))
        return devices.count >= budget.devices && !devices.contains(certificate.device)
    }

    /// Whether a device may begin another branch.
    private func mayBranch(_ device: DeviceID) -> Bool {
        let own = branchCounts[device] ?? 0
        if laneEnds.count < rules.maximumBranchesOfGroup ?? Self.maximumBranchesOfGroup {
            return own < Self.maximumBranches
        }
        return own == 0 && state.isCurrentMember(device: device)
    }

    /// Whether an operation follows the end of a branch that is in.
    private func isContinuation(_ operation: LedgerOperation) -> Bool {
        nodeByID[operation.previous].map { laneEnds[$0.lane] === $0 } ?? false
    }

    // MARK: Needed

    /// Whether another account's operation rests on this one. If it was refused, that would be, too, and two nodes that
    /// keep different branches would never again agree.
    private func isNeeded(_ signed: SignedOperation) -> Bool {
        if refusedForks.isNeeded(signed.id) { return true }
        return pendingOperations.dependants(of: signed.id).contains {
            mayRest($0, onForksOf: signed.operation.author)
        }
    }

    /// Whether the author is of another account that has, or had, a place: anybody else's word would lift the limits.
    private func mayRest(_ signed: SignedOperation, onForksOf forger: DeviceID) -> Bool {
        guard let user = user(of: signed.operation.author), user != self.user(of: forger) else { return false }
        return recentState.device(signed.operation.author) != nil || state.device(signed.operation.author) != nil
    }

    /// Notes which refused operations another account's waiting one rests on, so that they are taken when they come again.
    mutating func noteNeeds(of signed: SignedOperation) {
        guard !refusedForks.isEmpty else { return }
        var awaited = pendingOperations.missingParents(of: signed.id)
        var seen = Set(awaited)
        while let next = awaited.popLast() {
            if let forger = refusedForks.author(of: next), mayRest(signed, onForksOf: forger) {
                refusedForks.need(next)
            }
            for parent in pendingOperations.missingParents(of: next) + refusedForks.parents(of: next)
            where seen.insert(parent).inserted {
                awaited.append(parent)
            }
        }
    }
}
