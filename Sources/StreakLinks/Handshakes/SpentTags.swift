import StreakWire

/// The tags of the messages 1 last answered, so that one who sends them again gets no answer.
///
/// A convenience, not a defence: a node that was restarted remembers none, and what an old message opens stays
/// provisional for ever.
struct SpentTags: Sendable {
    static let maximumCount = 4_096

    private var tags: Set<Bytes16> = []
    private var order = Fifo<Bytes16>()

    func contains(_ tag: Bytes16) -> Bool { tags.contains(tag) }

    /// The oldest one gives way.
    mutating func insert(_ tag: Bytes16) {
        guard tags.insert(tag).inserted else { return }
        order.append(tag)
        if order.count > Self.maximumCount, let oldest = order.popFirst() { tags.remove(oldest) }
    }
}
