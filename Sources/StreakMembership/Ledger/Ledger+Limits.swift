public import StreakWire

/// What a ledger accepts from one account, however many devices and branches it makes. Protocol/membership.md §3.
///
/// These limits depend on the order of arrival. Two nodes may therefore keep different operations of an account that
/// exceeds them, but never of other accounts: an operation that another account's operation depends on is accepted
/// beyond the limits, as long as the ledger is not full.
extension Ledger {
    /// Branches of one device's chain. A device normally has one, after restores a few.
    public static let maximumBranches = 64
    /// Above this many branches of all devices together, only current members may begin another, and only their first.
    /// Each operation keeps two bytes for each branch, so at this number as much as the longest operation.
    public static let maximumBranchesOfGroup = 4_096
    /// The most numbers that all operations' clocks may hold together: 256 MiB. It is a hard limit, even for operations
    /// that others depend on: a responder could otherwise fill a newcomer's memory.
    public static let maximumClockSize = 1 << 27
    /// Operations of one device, with all branches of a forked chain.
    static let maximumOperationsOfForkedDevice = 8_000

    /// Throws `tooManyOperations` for operations that only a flooding or forking account can sign, unless another
    /// account's operation needs them.
    mutating func checkLimits(of signed: SignedOperation) throws(LedgerError) {
        let operation = signed.operation
        let user = account(of: signed)
        // `recentState` may be outdated, and `state` is costly to compute. `endsPlace` needs it for each operation.
        if isFull(for: user, recentState), isFull(for: user, state), !endsPlace(operation, by: user) {
            throw .tooManyOperations(operation.author)
        }
        let hasTooMany = nodesByDevice[operation.author]?.count ?? 0 >= Self.maximumOperationsOfForkedDevice
        let isExcess =
            hasTooMany || !isContinuation(operation) && !mayBranch(operation.author) || exceedsDevices(operation)
        let isRefused =
            isExcess || hasUsedUpBudget(user, device: operation.author, recentState) && !endsPlace(operation, by: user)
        guard isRefused, !isNeeded(signed) else { return }
        guard isExcess || hasUsedUpBudget(user, device: operation.author, state) else { return }
        refusedForks.add(signed, parents: operation.parents.filter { !contains($0) })
        pendingOperations.drop(dependingOn: signed.id)
        throw .tooManyOperations(operation.author)
    }

    /// Whether it weighs more than any ledger can that accepted its operations one by one: nobody adds any from the end
    /// of the owner on.
    public var isTooLarge: Bool {
        let largest = ProtocolLimits.maximumOperationSize + LedgerUsage.weightOfOperation + 2 * laneEnds.count
        return usage.total > budget.ofOwner.end + largest
    }

    private var budget: LedgerBudget { rules.budget }

    /// The account to charge; nil for a device that nobody has certified here yet.
    public func account(of signed: SignedOperation) -> UserID? {
        let operation = signed.operation
        if let node = nodesByDevice[operation.author]?.first { return node.user }
        if let user = introductions.user(of: operation.author) { return user }
        guard case .addDevice(let certificate) = operation.body else { return nil }
        return certificate.user
    }

    /// Whether the ledger is full for an account, even for operations that others depend on.
    private func isFull(for user: UserID?, _ state: GroupState) -> Bool {
        guard usage.total >= min(budget.whole, budget.ofPlain.end) else { return false }
        let share = budget.share(of: user.flatMap(state.role(of:)))
        return usage.total >= (written(by: user) < share.size ? share.end : min(share.end, budget.whole))
    }

    /// Whether an account has used up what it may write.
    private func hasUsedUpBudget(_ user: UserID?, device: DeviceID, _ state: GroupState) -> Bool {
        guard let user, written(by: user) >= budget.share(of: state.role(of: user)).size else { return false }
        let limit = hadPlace(user, state) ? budget.ofMember : budget.ofStranger
        return usage.total >= budget.ofAll
            || written(by: user) >= limit && usage.byDevice[device] ?? 0 >= min(limit, budget.ofDevice)
    }

    private func written(by user: UserID?) -> Int { user.flatMap { usage.byUser[$0] } ?? 0 }

    private func hadPlace(_ user: UserID, _ state: GroupState) -> Bool {
        state.isMember(user) || state.removedUsers.contains { $0.user == user }
    }

    /// Whether a member leaves or revokes a device. Both are accepted until only the owner may write, so that no flood of
    /// an account or a few keeps anybody in, or a stolen device valid. Each ends a place or device that came within the limits.
    private func endsPlace(_ operation: LedgerOperation, by user: UserID?) -> Bool {
        guard let user, [.leave, .revokeDevice].contains(operation.body.kind), usage.total < budget.ofAdmin.end else {
            return false
        }
        let state = state
        guard state.isCurrentMember(device: operation.author), let member = state.member(user) else { return false }
        if case .revokeDevice(let revocation) = operation.body {
            return state.device(revocation.cut.device).map { $0.isCurrent && $0.user == user } ?? false
        }
        // One that does not know of the place, on an old branch, would end nothing.
        guard member.role != .owner, let admission = nodeByID[member.admittedBy] else { return false }
        return operation.parents.contains { nodeByID[$0].map(admission.isAncestorOrSame(of:)) ?? true }
    }

    /// Whether an operation would give an account more devices than it may ever have.
    private func exceedsDevices(_ operation: LedgerOperation) -> Bool {
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

    /// Whether an operation continues a known branch at its end.
    private func isContinuation(_ operation: LedgerOperation) -> Bool {
        nodeByID[operation.previous].map { laneEnds[$0.lane] === $0 } ?? false
    }

    // MARK: Operations that others need

    /// Whether another account's operation depends on this one. If this one was refused, the other could never be
    /// accepted, and nodes that keep different branches would never agree.
    private func isNeeded(_ signed: SignedOperation) -> Bool {
        if refusedForks.isNeeded(signed.id) { return true }
        return pendingOperations.dependants(of: signed.id).contains {
            mayDepend($0, onForksOf: signed.operation.author)
        }
    }

    /// Whether the author belongs to another account that has, or had, a place. Anybody else could lift the limits for
    /// themselves.
    private func mayDepend(_ signed: SignedOperation, onForksOf forger: DeviceID) -> Bool {
        guard let user = user(of: signed.operation.author), user != self.user(of: forger) else { return false }
        return recentState.device(signed.operation.author) != nil || state.device(signed.operation.author) != nil
    }

    /// Remembers which refused operations another account's waiting operation depends on, so that they are accepted
    /// next time.
    mutating func noteNeeds(of signed: SignedOperation) {
        guard !refusedForks.isEmpty else { return }
        var awaited = pendingOperations.missingParents(of: signed.id)
        var seen = Set(awaited)
        while let next = awaited.popLast() {
            if let forger = refusedForks.author(of: next), mayDepend(signed, onForksOf: forger) {
                refusedForks.need(next)
            }
            for parent in pendingOperations.missingParents(of: next) + refusedForks.parents(of: next)
            where seen.insert(parent).inserted {
                awaited.append(parent)
            }
        }
    }
}
