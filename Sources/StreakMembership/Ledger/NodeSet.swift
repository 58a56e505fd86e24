import StreakWire

/// A set of operations with fast ancestry queries: whether any member is before or after an operation.
///
/// In each lane the members before an operation are a prefix, and those after it a suffix, because each operation's
/// predecessor in the lane is an ancestor. A query therefore costs O(lanes · log n).
struct NodeSet: Sendable {
    /// Members of each lane by rising position; lanes rising, none empty.
    private var lanes: [[LedgerNode]] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    init(_ nodes: [LedgerNode] = []) {
        for node in nodes { insert(node) }
    }

    mutating func insert(_ node: LedgerNode) {
        let index = Self.prefix(lanes) { $0[0].lane < node.lane }
        guard index < lanes.count, lanes[index][0].lane == node.lane else {
            lanes.insert([node], at: index)
            count += 1
            return
        }
        let place = Self.prefix(lanes[index]) { $0.position < node.position }
        guard place == lanes[index].count || lanes[index][place] !== node else { return }
        lanes[index].insert(node, at: place)
        count += 1
    }

    /// The length of the leading part of a list for which a condition holds. The condition must not hold after that
    /// part.
    private static func prefix<Element>(_ list: [Element], where isIn: (Element) -> Bool) -> Int {
        var (low, high) = (0, list.count)
        while low < high {
            let middle = (low + high) / 2
            if isIn(list[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Whether some member is an ancestor of an operation with this clock.
    func hasMember(within clock: [UInt16]) -> Bool {
        lanes.contains { $0[0].isWithin(clock) }
    }

    /// Whether some member is before an operation.
    func hasMember(before node: LedgerNode) -> Bool { hasMember(within: node.clock) }

    /// Whether some member is before an operation or equals it.
    func hasMember(upTo node: LedgerNode) -> Bool {
        lanes.contains { $0[0].isAncestorOrSame(of: node) }
    }

    /// Whether some member is after an operation.
    func hasMember(after node: LedgerNode) -> Bool {
        lanes.contains { node.isAncestor(of: $0[$0.count - 1]) }
    }

    /// Whether some member is concurrent with an operation: neither before nor after it, nor equal.
    func hasMember(concurrentWith node: LedgerNode) -> Bool {
        lanes.contains { lane in
            let earlier = Self.prefix(lane) { $0.isAncestorOrSame(of: node) }
            return earlier < lane.count && !node.isAncestor(of: lane[earlier])
        }
    }

    /// Whether all members are before an operation.
    func isBefore(_ node: LedgerNode) -> Bool {
        lanes.allSatisfy { $0[$0.count - 1].isAncestor(of: node) }
    }

    /// The number of members before an operation.
    func count(before node: LedgerNode) -> Int {
        lanes.reduce(0) { $0 + Self.prefix($1) { $0.isAncestor(of: node) } }
    }

    /// The first member, in `LedgerNode.inOrder`, that is before an operation; nil if there is none.
    func earliest(before node: LedgerNode) -> LedgerNode? {
        lanes.lazy.map { $0[0] }.filter { $0.isAncestor(of: node) }.min(by: LedgerNode.inOrder)
    }

    /// The first member, in `LedgerNode.inOrder`, that is before one operation and not before another.
    func earliest(before node: LedgerNode, andNotBefore other: LedgerNode) -> LedgerNode? {
        lanes.lazy.compactMap { lane -> LedgerNode? in
            let skipped = Self.prefix(lane) { $0.isAncestor(of: other) }
            return skipped < lane.count && lane[skipped].isAncestor(of: node) ? lane[skipped] : nil
        }.min(by: LedgerNode.inOrder)
    }

    /// The members that are not before an operation.
    func members(notBefore node: LedgerNode) -> [LedgerNode] {
        lanes.flatMap { lane in lane.dropFirst(Self.prefix(lane) { $0.isAncestor(of: node) }) }
    }

    /// The first member, in `LedgerNode.inOrder`, that is not after an operation.
    func earliest(notAfter node: LedgerNode) -> LedgerNode? {
        lanes.lazy.map { $0[0] }.filter { !node.isAncestor(of: $0) }.min(by: LedgerNode.inOrder)
    }

    /// The last member of each lane that is before an operation.
    func latest(before node: LedgerNode) -> [LedgerNode] {
        lanes.compactMap { lane in
            let count = Self.prefix(lane) { $0.isAncestor(of: node) }
            return count > 0 ? lane[count - 1] : nil
        }
    }

    /// The last member of each lane.
    var ends: [LedgerNode] { lanes.map { $0[$0.count - 1] } }

    /// All members, by lane.
    var members: [LedgerNode] { lanes.flatMap(\.self) }
}
