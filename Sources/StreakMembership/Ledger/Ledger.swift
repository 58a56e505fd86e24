public import StreakWire
import Synchronization

/// The end of one branch of a device's ledger chain.
public struct LedgerTip: Hashable, Comparable, Sendable {
    public let device: DeviceID
    public let number: UInt64
    public let operation: OperationID

    public init(device: DeviceID, number: UInt64, operation: OperationID) {
        self.device = device
        self.number = number
        self.operation = operation
    }

    public static func < (left: Self, right: Self) -> Bool {
        (left.device, left.number, left.operation) < (right.device, right.number, right.operation)
    }
}

/// The result of offering an operation to a ledger.
public enum LedgerInsertion: Sendable, Equatable {
    /// Accepted, together with operations that waited for it; ancestors first.
    case added([SignedOperation])
    /// Already accepted or waiting.
    case duplicate
    /// Waits for these ancestors, which are neither accepted nor waiting. Empty if all missing ancestors are waiting
    /// themselves.
    case pending(missing: [OperationID])
}

/// A group's signed operations and the state that follows from them.
///
/// A value type: copies are independent. Which operations it contains does not depend on the order of arrival, except
/// for those beyond a limit (`tooManyPending`, and the limits in `Ledger+Limits` that only a flooding or forking
/// account reaches).
public struct Ledger: Sendable {
    /// Operations that may wait for ancestors.
    public static let maximumPending = 1_024
    /// The founding operation's ID.
    public let group: GroupID

    /// In order of arrival, so ancestors first.
    private(set) var nodes: [LedgerNode]
    private(set) var nodeByID: [OperationID: LedgerNode]
    private(set) var nodesByDevice: [DeviceID: [LedgerNode]]
    /// The last operation of every lane.
    private(set) var laneEnds: [LedgerNode]
    private(set) var branchCounts: [DeviceID: Int]
    /// How much space the operations of each account take.
    private(set) var usage = LedgerUsage()
    /// The size of all operations' clocks together.
    private var clockSize = 0
    private var headIDs: Set<OperationID>
    /// Which operations published a certificate, by device and by account.
    private(set) var introductions: IntroductionIndex
    var pendingOperations: PendingOperations
    var refusedForks = RefusedForks()
    private var cache = ResolutionCache()
    /// Set before the first insertion, if at all.
    var rules = LedgerRules()

    /// Starts a ledger with its founding operation.
    ///
    /// - Throws: `notFounding`, `invalidSignature`, `invalidCertificate`.
    public init(founding: SignedOperation) throws(LedgerError) {
        guard case .found(let body) = founding.operation.body else { throw .notFounding }
        guard founding.hasValidSignature() else { throw .invalidSignature }
        guard body.certificate.device == founding.operation.author, body.certificate.isValid() else {
            throw .invalidCertificate
        }
        group = GroupID(bytes: founding.id.bytes)
        let node = LedgerNode(
            signed: founding, index: 0, lane: 0, position: 1, clock: [], depth: 0, previous: nil, laneOrigin: nil,
            user: body.certificate.user)
        nodes = [node]
        nodeByID = [node.id: node]
        nodesByDevice = [node.device: [node]]
        laneEnds = [node]
        branchCounts = [node.device: 1]
        headIDs = [node.id]
        introductions = IntroductionIndex()
        introductions.add(node)
        usage.add(node)
        pendingOperations = PendingOperations()
    }

    // MARK: Inserting

    /// Inserts an operation and those that waited for it. O(parents · devices) each, and about 50 µs a signature.
    ///
    /// Waiting operations that turn out to be invalid are dropped silently, with those that waited for them.
    ///
    /// - Parameter withinLimits: false for a ledger that was already checked, such as one from the store: there,
    ///   operations beyond a device's limits come before those that need them.
    public mutating func insert(
        _ operation: SignedOperation, withinLimits: Bool = true
    ) throws(LedgerError) -> LedgerInsertion {
        if nodeByID[operation.id] != nil { return .duplicate }
        if pendingOperations.contains(operation.id) {
            noteNeeds(of: operation)
            return .duplicate
        }
        try checkAlone(operation, withinLimits: withinLimits)
        let missing = operation.operation.parents.filter { nodeByID[$0] == nil }
        guard missing.isEmpty else {
            guard pendingOperations.count < Self.maximumPending else { throw .tooManyPending }
            pendingOperations.add(operation, waitingFor: missing)
            noteNeeds(of: operation)
            return .pending(missing: missing.filter { !pendingOperations.contains($0) })
        }
        do {
            try append(operation, withinLimits: withinLimits)
        } catch {
            pendingOperations.drop(dependingOn: operation.id)
            throw error
        }
        return .added([operation] + appendPending(after: operation.id, withinLimits: withinLimits))
    }

    /// Checks that need no ancestors.
    private mutating func checkAlone(_ signed: SignedOperation, withinLimits: Bool) throws(LedgerError) {
        if case .found = signed.operation.body { throw .notFounding }
        guard signed.operation.group == group else { throw .wrongGroup(signed.operation.group) }
        guard privateUser == nil || !signed.operation.body.changesMembers else { throw .privateGroup }
        // Before the signature check, because an honest peer may offer a forger's branches again and again.
        if withinLimits { try checkLimits(of: signed) }
        guard isVerified(signed) || signed.hasValidSignature() else { throw .invalidSignature }
    }

    private func isVerified(_ signed: SignedOperation) -> Bool { rules.verified?.contains(signed.id) ?? false }

    private mutating func appendPending(after id: OperationID, withinLimits: Bool) -> [SignedOperation] {
        var added: [SignedOperation] = []
        var ready = pendingOperations.released(by: id)
        while let next = ready.popLast() {
            do {
                try append(next, withinLimits: withinLimits)
                added.append(next)
                ready += pendingOperations.released(by: next.id)
            } catch {
                // The sender is unknown by now, and refusing it again costs no more than remembering it.
                pendingOperations.drop(dependingOn: next.id)
            }
        }
        return added
    }

    private mutating func append(
        _ signed: SignedOperation, withinLimits: Bool, isVerified: Bool = false
    ) throws(LedgerError) {
        if withinLimits { try checkLimits(of: signed) }
        let operation = signed.operation
        let parents = operation.parents.compactMap { nodeByID[$0] }
        let previous = nodeByID[operation.previous]
        if operation.number > 1 {
            guard let previous, previous.device == operation.author, previous.number + 1 == operation.number else {
                throw .brokenChain
            }
        }
        let (user, clock, depth) = try place(signed, parents: parents, isVerified: isVerified)
        guard clockSize + clock.count <= rules.maximumClockSize ?? Self.maximumClockSize else {
            throw .tooManyOperations(operation.author)
        }
        clockSize += clock.count

        let lane: Int
        if let previous, laneEnds[previous.lane] === previous { lane = previous.lane } else { lane = laneEnds.count }
        let isNewLane = lane == laneEnds.count
        let node = LedgerNode(
            signed: signed, index: nodes.count, lane: lane,
            position: isNewLane ? 1 : (previous?.position ?? 0) + 1, clock: clock, depth: depth,
            previous: previous, laneOrigin: isNewLane ? previous : previous?.laneOrigin, user: user)
        if isNewLane { laneEnds.append(node) } else { laneEnds[lane] = node }
        if isNewLane { branchCounts[node.device, default: 0] += 1 }
        refusedForks.remove(node.id)
        nodes.append(node)
        nodeByID[node.id] = node
        nodesByDevice[node.device, default: []].append(node)
        for parent in operation.parents { headIDs.remove(parent) }
        headIDs.insert(node.id)
        introductions.add(node)
        usage.add(node)
        // A new cache instead of an emptied one: older copies of this value keep theirs.
        cache = ResolutionCache(after: cache)
    }

    private func place(
        _ signed: SignedOperation, parents: [LedgerNode], isVerified: Bool
    ) throws(LedgerError) -> (user: UserID, clock: [UInt16], depth: Int) {
        let place = LedgerPlace(parents: parents, introductions: introductions)
        let user = try place.validate(
            signed, in: group, nodes: nodeByID, isVerified: isVerified || self.isVerified(signed))
        return (user, place.clock, place.depth)
    }

    /// Removes idle operations, except from one device's own chain. Returns the names of the removed ones.
    ///
    /// If an annulled removal makes some of them count again, their author still has them.
    public mutating func dropIdle(keeping own: DeviceID) -> [OperationID] {
        var isKept = resolution.isIdle.map { !$0 }
        for node in nodes.reversed() where node.device == own || isKept[node.index] {
            isKept[node.index] = true
            for parent in node.signed.operation.parents {
                if let index = nodeByID[parent]?.index { isKept[index] = true }
            }
        }
        let dropped = nodes.filter { !isKept[$0.index] }.map(\.id)
        // The founding operation was verified before and is always kept.
        guard !dropped.isEmpty, var rest = try? Ledger(founding: nodes[0].signed) else { return [] }
        rest.rules = rules
        rest.refusedForks = refusedForks
        for node in nodes.dropFirst() where isKept[node.index] {
            // Its ancestors are kept, and it was accepted before.
            try? rest.append(node.signed, withinLimits: false, isVerified: true)
        }
        self = rest
        return dropped
    }

    /// Forgets operations that wait for ancestors. Peers that have them will offer them again.
    public mutating func discardPending() {
        pendingOperations = PendingOperations()
    }

    // MARK: State

    /// The state that follows from all operations. O(operations) after a change, then O(1).
    public var state: GroupState { _read { yield resolution.state } }

    /// The state as last computed, which may lack recent operations. Cheap enough to use for each new operation.
    var recentState: GroupState { (cache.latest ?? resolution).state }

    var resolution: Resolution {
        cache.resolution { Resolution(nodes: nodes, byID: nodeByID, introductions: introductions) }
    }

    /// Why an operation does not count; nil if it counts or is not here.
    public func refusal(of id: OperationID) -> Refusal? {
        nodeByID[id].flatMap { resolution.refusals[$0.index] }
    }

    // MARK: Queries

    /// The number of operations.
    public var count: Int { nodes.count }

    /// What all operations weigh; see `LedgerUsage`. At least their bytes.
    public var weight: Int { usage.total }

    /// The number of operations that do not count.
    public var refusedCount: Int { resolution.refusedCount }

    /// The number of idle operations.
    public var idleCount: Int { resolution.isIdle.count { $0 } }

    public var pendingCount: Int { pendingOperations.count }

    public func operation(_ id: OperationID) -> SignedOperation? { nodeByID[id]?.signed }

    public func contains(_ id: OperationID) -> Bool { nodeByID[id] != nil }

    /// Operations that are no other operation's parent, rising.
    public var heads: [OperationID] { headIDs.sorted() }

    /// The end of every chain, rising by device. A forked chain has several.
    public var tips: [LedgerTip] { laneEnds.map(\.tip).sorted() }

    /// The last operation of every chain that others have to know, rising by device. A forked chain has several.
    public var servedTips: [LedgerTip] {
        let idle = resolution.isIdle
        return laneEnds.compactMap { end in
            var step: LedgerNode? = end
            while let node = step, idle[node.index] { step = node.previous.flatMap { $0.lane == end.lane ? $0 : nil } }
            return step?.tip
        }.sorted()
    }

    /// The tips to name when asking others for missing operations. A node that does not have the idle end of a chain
    /// knows what is before it.
    public var namedTips: [LedgerTip] { Set(tips + servedTips).sorted() }

    /// The last operation of every chain that counts, rising by device. A forked chain has several. The digest covers
    /// these.
    public var countingTips: [LedgerTip] { resolution.countingTips }

    /// A device's operations of all branches with a greater number, by rising number.
    public func operations(from device: DeviceID, after number: UInt64) -> [SignedOperation] {
        (nodesByDevice[device] ?? []).filter { $0.number > number }
            .sorted { ($0.number, $0.id) < ($1.number, $1.id) }.map(\.signed)
    }

    /// The operations that a node with these tips lacks, ancestors first, without idle ones.
    ///
    /// An unknown tip says nothing about what its owner has, because its branch may have forked anywhere. Then the
    /// whole chain is sent; the receiver skips what it has.
    public func operations(missingFrom tips: [LedgerTip]) -> [SignedOperation] {
        var known = [Bool](repeating: false, count: nodes.count)
        for tip in tips {
            var step = nodeByID[tip.operation]
            while let current = step, !known[current.index] {
                known[current.index] = true
                step = current.previous
            }
        }
        let idle = resolution.isIdle
        return nodes.filter { !known[$0.index] && !idle[$0.index] }.sorted(by: LedgerNode.inOrder).map(\.signed)
    }

    /// An operation and all its ancestors, ancestors first; empty if it is not here. A removed device gets nothing
    /// else.
    public func ancestry(of id: OperationID) -> [SignedOperation] {
        guard let node = nodeByID[id] else { return [] }
        return nodes.filter { $0.isAncestorOrSame(of: node) }.sorted(by: LedgerNode.inOrder).map(\.signed)
    }

    /// The operations for a newcomer: all except idle ones, ancestors first.
    public var servedOperations: [SignedOperation] { operations(missingFrom: []) }

    /// All operations, ancestors first, in a fixed order.
    public var allOperations: [SignedOperation] { nodes.sorted(by: LedgerNode.inOrder).map(\.signed) }

    /// The account of a device, by any certificate published in this ledger, whether or not it counts.
    public func user(of device: DeviceID) -> UserID? { introductions.user(of: device) }

    /// The end of a device's longest branch; of equally long ones, the smallest hash. Nil if it has no operations.
    public func longestTip(of device: DeviceID) -> OperationID? { chainEnd(of: device)?.id }

    /// The operation that a device's next one must follow: the end of its longest branch; of equally long ones, the
    /// smallest hash.
    func chainEnd(of device: DeviceID) -> LedgerNode? {
        nodesByDevice[device]?.min { ($1.number, $0.id) < ($0.number, $1.id) }
    }
}

extension LedgerNode {
    var tip: LedgerTip { LedgerTip(device: device, number: number, operation: id) }
}

/// The resolution of one set of operations, computed on first use.
private final class ResolutionCache: Sendable {
    private let value = Mutex<Resolution?>(nil)
    /// The resolution of an earlier set.
    private let earlier: Resolution?

    init(after cache: ResolutionCache? = nil) { earlier = cache?.latest }

    /// The newest computed resolution; nil if there is none.
    var latest: Resolution? { value.withLock { $0 } ?? earlier }

    func resolution(orCompute compute: () -> Resolution) -> Resolution {
        value.withLock { cached in
            if let cached { return cached }
            let fresh = compute()
            cached = fresh
            return fresh
        }
    }
}
