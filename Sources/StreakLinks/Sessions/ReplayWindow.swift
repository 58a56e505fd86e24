/// Remembers which of the last 8,128 packet counters of a session were seen, in a bitmap that is never shifted (RFC
/// 6479).
struct ReplayWindow: Sendable, Equatable {
    /// How far behind the highest counter a packet may arrive.
    static let size: UInt64 = 8_128

    private static let wordCount: UInt64 = 128
    private var words = [UInt64](repeating: 0, count: Int(wordCount))
    /// The highest counter seen; nil before the first.
    private(set) var highest: UInt64?

    /// Whether this counter is neither repeated nor too old to tell. O(1).
    func accepts(_ counter: UInt64) -> Bool {
        guard let highest, counter <= highest else { return true }
        guard highest - counter < Self.size else { return false }
        return words[Int(counter >> 6 % Self.wordCount)] & (1 << (counter & 63)) == 0
    }

    /// Marks an authenticated counter as seen. O(1), or O(words) after a jump.
    ///
    /// - Returns: whether it is the highest so far.
    @discardableResult
    mutating func insert(_ counter: UInt64) -> Bool {
        let word = counter >> 6
        var isHighest = true
        if let highest {
            isHighest = counter > highest
            let top = highest >> 6
            if word > top {
                for step in 1...min(word - top, Self.wordCount) {
                    words[Int((top &+ step) % Self.wordCount)] = 0
                }
            }
        }
        if isHighest { highest = counter }
        words[Int(word % Self.wordCount)] |= 1 << (counter & 63)
        return isHighest
    }
}
