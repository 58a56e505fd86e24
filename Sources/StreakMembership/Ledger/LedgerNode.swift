import StreakWire

/// An operation with its place in the graph. Immutable once its ancestors are known.
///
/// Ancestry is stored as one number per lane. A lane is a run of one device's operations, each the parent of the next;
/// a forked chain has one lane per branch. Because every operation has its predecessor as a parent, its ancestors in
/// each lane are a prefix. `clock[lane]` is the length of that prefix, so ancestry is tested in O(1).
final class LedgerNode: Sendable {
    let signed: SignedOperation
    let index: Int
    let lane: Int
    /// Position in the lane, from 1.
    let position: Int
    /// How many strict ancestors each lane has; lanes beyond the end have none.
    let clock: [UInt16]
    /// The longest path to the founding operation.
    let depth: Int
    /// The author's previous operation.
    let previous: LedgerNode?
    /// The author's operation before this lane's first; nil if the chain begins here.
    let laneOrigin: LedgerNode?
    /// The account of the author's device, by the certificate published among the ancestors.
    let user: UserID

    init(
        signed: SignedOperation, index: Int, lane: Int, position: Int, clock: [UInt16], depth: Int,
        previous: LedgerNode?, laneOrigin: LedgerNode?, user: UserID
    ) {
        self.signed = signed
        self.index = index
        self.lane = lane
        self.position = position
        self.clock = clock
        self.depth = depth
        self.previous = previous
        self.laneOrigin = laneOrigin
        self.user = user
    }

    var id: OperationID { signed.id }
    var device: DeviceID { signed.operation.author }
    var number: UInt64 { signed.operation.number }
    var body: OperationBody { signed.operation.body }

    /// Whether this is a strict ancestor of `other`.
    func isAncestor(of other: LedgerNode) -> Bool { isWithin(other.clock) }

    /// Whether a clock includes this operation as an ancestor.
    func isWithin(_ clock: [UInt16]) -> Bool { lane < clock.count && Int(clock[lane]) >= position }

    func isAncestorOrSame(of other: LedgerNode) -> Bool {
        self === other || isAncestor(of: other)
    }

    /// Whether this is `end` or precedes it in its device's own chain. O(forks).
    func isInChain(to end: LedgerNode) -> Bool {
        guard device == end.device, number <= end.number else { return false }
        var step: LedgerNode? = end
        while let current = step, current.number >= number {
            if current.lane == lane { return position <= current.position }
            step = current.laneOrigin
        }
        return false
    }

    /// Ancestors first, then smaller hashes: a total order that is the same on every node.
    static func inOrder(_ left: LedgerNode, _ right: LedgerNode) -> Bool {
        (left.depth, left.id) < (right.depth, right.id)
    }
}
