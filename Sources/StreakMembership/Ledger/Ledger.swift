public import StreakWire
import Synchronization

/// How far one branch of a device's ledger chain goes.
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

/// What became of an operation offered to a ledger.
public enum LedgerInsertion: Sendable, Equatable {
    /// In, with those that had waited for it; ancestors first.
    case added([SignedOperation])
    /// It was in, or waiting, already.
    case duplicate
    /// It waits for these, which are neither in nor waiting. Empty if all that is missing waits itself.
    case pending(missing: [OperationID])
}

/// A group's signed operations and what they amount to.
///
/// A value: a copy goes its own way. What is in never depends on the order of arrival, but for what exceeds the limits
/// (`tooManyPending`, and what an account may reach only by flooding the group or forking its chains: `Ledger+Limits`).
public struct Ledger: Sendable {
    /// Operations that may wait for ancestors.
    public static let maximumPending = 1_024
    /// The founding operation's ID.
    public let group: GroupID

    /// In order of arrival, so ancestors first.
    private(set) var nodes: [LedgerNode]
    private(set) var nodeByID: [OperationID: LedgerNode]
    private(set) var nodesByDevice: [DeviceID: [LedgerNode]]
    /// The last of every lane.
    private(set) var laneEnds: [LedgerNode]
    private(set) var branchCounts: [DeviceID: Int]
    /// What the operations of each account take up.
    private(set) var usage = LedgerUsage()
    /// Of all operations' clocks.
    private var clockSize = 0
    private var headIDs: Set<OperationID>
    /// Who published a device's certificate, or an account's.
    private(set) var introductions: IntroductionIndex
    var pendingOperations: PendingOperations
    var refusedForks = RefusedForks()
    private var cache = ResolutionCache()
    /// Set before anything is inserted, if at all.
    var rules = LedgerRules()

    /// Begins with the founding operation.
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

    /// Takes an operation, and those that waited for it. O(parents · devices) each, and about 50 µs a signature.
    ///
    /// Those that waited and turn out invalid are dropped without a word, with what waited for them.
    ///
    /// - Parameter withinLimits: false for a ledger that somebody else has judged already, as one from the store: what
    ///   exceeds the limits of a device comes before what rests on it.
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

    /// What can be judged without the ancestors.
    private mutating func checkAlone(_ signed: SignedOperation, withinLimits: Bool) throws(LedgerError) {
        if case .found = signed.operation.body { throw .notFounding }
        guard signed.operation.group == group else { throw .wrongGroup(signed.operation.group) }
        guard privateUser == nil || !signed.operation.body.changesMembers else { throw .privateGroup }
        // Before the signature, since an honest peer may offer a forger's branches again and again.
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
                // Whoever sent it is no longer known here, and refusing it again costs the same as remembering it.
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
        // A new box, not an emptied one: copies of this value from before keep theirs.
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

    /// Leaves out what is idle, but for one device's own chain, and gives back the names of what went.
    ///
    /// Where an annulled removal lets some of it count again, whoever signed it still has it.
    public mutating func dropIdle(keeping own: DeviceID) -> [OperationID] {
        var isKept = resolution.isIdle.map { !$0 }
        for node in nodes.reversed() where node.device == own || isKept[node.index] {
            isKept[node.index] = true
            for parent in node.signed.operation.parents {
                if let index = nodeByID[parent]?.index { isKept[index] = true }
            }
        }
        let dropped = nodes.filter { !isKept[$0.index] }.map(\.id)
        // The founding is always kept, and was looked at once.
        guard !dropped.isEmpty, var rest = try? Ledger(founding: nodes[0].signed) else { return [] }
        rest.rules = rules
        rest.refusedForks = refusedForks
        for node in nodes.dropFirst() where isKept[node.index] {
            // Its ancestors are kept with it, and it was taken once.
            try? rest.append(node.signed, withinLimits: false, isVerified: true)
        }
        self = rest
        return dropped
    }

    /// Forgets what waits for ancestors; whoever holds it will offer it again.
    public mutating func discardPending() {
        pendingOperations = PendingOperations()
    }

    // MARK: State

    /// What all operations amount to. O(operations) after a change, then O(1).
    public var state: GroupState { resolution.state }

    /// The state as it was computed last, perhaps before operations that have come since. What costs nothing to ask for each
    /// of them.
    var recentState: GroupState { (cache.latest ?? resolution).state }

    var resolution: Resolution {
        cache.resolution { Resolution(nodes: nodes, byID: nodeByID, introductions: introductions) }
    }

    /// Why an operation does not count; nil if it does, or is not in.
    public func refusal(of id: OperationID) -> Refusal? {
        nodeByID[id].flatMap { resolution.refusals[$0.index] }
    }

    // MARK: Queries

    /// How many operations are in.
    public var count: Int { nodes.count }

    /// How many of them do not count.
    public var refusedCount: Int { resolution.refusedCount }

    /// How many operations nobody has to know.
    public var idleCount: Int { resolution.isIdle.count { $0 } }

    public var pendingCount: Int { pendingOperations.count }

    public func operation(_ id: OperationID) -> SignedOperation? { nodeByID[id]?.signed }

    public func contains(_ id: OperationID) -> Bool { nodeByID[id] != nil }

    /// Operations that nobody's parents name, rising.
    public var heads: [OperationID] { headIDs.sorted() }

    /// The end of every chain, rising by device; a forked one has several.
    public var tips: [LedgerTip] { laneEnds.map(\.tip).sorted() }

    /// Of every chain the last operation that others have to know, rising by device; a forked one has several.
    public var servedTips: [LedgerTip] {
        let idle = resolution.isIdle
        return laneEnds.compactMap { end in
            var step: LedgerNode? = end
            while let node = step, idle[node.index] { step = node.previous.flatMap { $0.lane == end.lane ? $0 : nil } }
            return step?.tip
        }.sorted()
    }

    /// What to name where others are asked for what is lacking: whoever does not know the idle end of a chain knows what is
    /// before it.
    public var namedTips: [LedgerTip] { Set(tips + servedTips).sorted() }

    /// The last counting operation of every chain, rising by device; a forked one has several. What the digest is of.
    public var countingTips: [LedgerTip] { resolution.countingTips }

    /// A device's operations of all branches with a greater number, by rising number.
    public func operations(from device: DeviceID, after number: UInt64) -> [SignedOperation] {
        (nodesByDevice[device] ?? []).filter { $0.number > number }
            .sorted { ($0.number, $0.id) < ($1.number, $1.id) }.map(\.signed)
    }

    /// What somebody with these tips lacks, ancestors first; but for what is idle, which nobody has to know.
    ///
    /// A tip that is not in here says nothing of what its owner has: another branch of that chain may have parted anywhere,
    /// so the whole chain is sent. What its owner knows already costs it a look.
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

    /// An operation and all its ancestors, ancestors first; empty if it is not in. All that a removed device gets.
    public func ancestry(of id: OperationID) -> [SignedOperation] {
        guard let node = nodeByID[id] else { return [] }
        return nodes.filter { $0.isAncestorOrSame(of: node) }.sorted(by: LedgerNode.inOrder).map(\.signed)
    }

    /// What a newcomer is given: all but what is idle, ancestors first.
    public var servedOperations: [SignedOperation] { operations(missingFrom: []) }

    /// All operations, ancestors first, in one order for everybody.
    public var allOperations: [SignedOperation] { nodes.sorted(by: LedgerNode.inOrder).map(\.signed) }

    /// The account of a device, by any certificate published in this ledger, whether or not it counts.
    public func user(of device: DeviceID) -> UserID? { introductions.user(of: device) }

    /// The end of a device's longest branch, of several the one of smallest hash; nil where it has made nothing.
    public func longestTip(of device: DeviceID) -> OperationID? { chainEnd(of: device)?.id }

    /// What a device's next operation has to name: the longest branch's end, of several the one of smallest hash.
    func chainEnd(of device: DeviceID) -> LedgerNode? {
        nodesByDevice[device]?.min { ($1.number, $0.id) < ($0.number, $1.id) }
    }
}

extension LedgerNode {
    var tip: LedgerTip { LedgerTip(device: device, number: number, operation: id) }
}

/// The resolution of one set of operations, computed when first asked for.
private final class ResolutionCache: Sendable {
    private let value = Mutex<Resolution?>(nil)
    /// Of the set before, or of one before that.
    private let earlier: Resolution?

    init(after cache: ResolutionCache? = nil) { earlier = cache?.latest }

    /// The newest that was computed; nil where none was.
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
