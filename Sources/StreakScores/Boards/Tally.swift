import StreakGames

/// One player's values for a board.
struct Tally {
    let player: Player
    /// Orders equal ranks: the folded name.
    let nameKey: [UInt8]
    var value = 0
    var played = 0
    var coveredCount = 0
    var isLate = false
    var isEdited = false
    var perGame: [GameTotal] = []
    /// The one result that the row represents, if it is only one.
    var single: Single?
    /// `single` is the best or latest of several, and the row ranks by it.
    var standsForSingle = false
    /// The sum of a custom game over a range.
    var customRaw: Int?
    /// Coins that do not come from a game.
    var extra = 0
    /// "0:45", "3.5", or for points "4.2 pts".
    var average: String?
    /// Whether there was a result or other activity within the last 30 days.
    var isActive = false
    /// The rank order; `nil` without a rank.
    var order: RawOrder?

    struct Single {
        var entry: Entry
        var game: Game
    }

    init(player: Player) {
        self.player = player
        nameKey = NameOrder.key(for: player.name)
    }

    /// Ranked players with the best first, then covered ones, then the others. Equals go by name, then ID.
    static func isListedBefore(_ left: Tally, _ right: Tally) -> Bool {
        if left.section != right.section { return left.section < right.section }
        if let first = left.order, let second = right.order, first != second { return first < second }
        if left.nameKey != right.nameKey { return left.nameKey.lexicographicallyPrecedes(right.nameKey) }
        return left.player.id < right.player.id
    }

    /// All results in view are covered.
    var isCovered: Bool { order == nil && coveredCount > 0 }

    private var section: Int {
        order != nil ? 0 : coveredCount > 0 ? 1 : 2
    }
}

/// The ranks of tallies in board order. Equals share a rank and the next one skips ("1, 2, 2, 4").
struct Ranks {
    /// `nil` for tallies without a rank.
    private(set) var ranks: [Int?] = []
    private(set) var tied: [Bool] = []
    private(set) var rankedCount = 0

    /// Whether exactly three have the ranks 1 to 3.
    var hasPodium: Bool { ranks.count { $0.map { $0 <= 3 } ?? false } == 3 }

    init(of sorted: [Tally]) {
        ranks.reserveCapacity(sorted.count)
        for (index, tally) in sorted.enumerated() {
            guard let order = tally.order else {
                ranks.append(nil)
                tied.append(false)
                continue
            }
            rankedCount += 1
            let sharesPrevious = index > 0 && sorted[index - 1].order == order
            ranks.append(sharesPrevious ? ranks[index - 1] : index + 1)
            tied.append(sharesPrevious)
            if sharesPrevious { tied[index - 1] = true }
        }
    }
}
