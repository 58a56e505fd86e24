import StreakWire

/// The tags of recently answered messages 1, so that a replayed one gets no answer.
///
/// A convenience, not a defence: a restarted node has forgotten them, and a replayed message opens only a provisional
/// session.
struct SpentTags: Sendable {
    static let maximumCount = 4_096

    private var tags: Set<Bytes16> = []
    private var order = Fifo<Bytes16>()

    func contains(_ tag: Bytes16) -> Bool { tags.contains(tag) }

    /// Inserts a tag and drops the oldest if there are too many.
    mutating func insert(_ tag: Bytes16) {
        guard tags.insert(tag).inserted else { return }
        order.append(tag)
        if order.count > Self.maximumCount, let oldest = order.popFirst() { tags.remove(oldest) }
    }
}
