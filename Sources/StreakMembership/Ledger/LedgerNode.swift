import StreakWire

/// An operation in its place: never changes once its ancestors are there.
///
/// Ancestry is kept as one number a lane. A lane is a run of one device's operations, each naming the one before; a
/// device that forks its chain gets a lane a branch. Of each lane an operation's ancestors are a prefix, because each
/// operation has its predecessor as parent: so `clock[lane]`, the prefix's length, says it all, in O(1).
final class LedgerNode: Sendable {
    let signed: SignedOperation
    let index: Int
    let lane: Int
    /// In the lane, from 1.
    let position: Int
    /// Strict ancestors of each lane; lanes beyond the end: none.
    let clock: [UInt16]
    /// The longest way down to the founding operation.
    let depth: Int
    /// The author's previous operation.
    let previous: LedgerNode?
    /// The author's operation before the first of this lane; nil where the chain begins.
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

    /// Whether this is among the ancestors that a clock tells.
    func isWithin(_ clock: [UInt16]) -> Bool { lane < clock.count && Int(clock[lane]) >= position }

    func isAncestorOrSame(of other: LedgerNode) -> Bool {
        self === other || isAncestor(of: other)
    }

    /// Whether this is `end` or before it in its device's own chain. O(forks).
    func isInChain(to end: LedgerNode) -> Bool {
        guard device == end.device, number <= end.number else { return false }
        var step: LedgerNode? = end
        while let current = step, current.number >= number {
            if current.lane == lane { return position <= current.position }
            step = current.laneOrigin
        }
        return false
    }

    /// Ancestors first, then smaller hashes: one order for everybody.
    static func inOrder(_ left: LedgerNode, _ right: LedgerNode) -> Bool {
        (left.depth, left.id) < (right.depth, right.id)
    }
}
