import StreakEngine
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// What the nodes' users did and which confirmations they got, as an omniscient observer records it.
struct GroundTruth: Sendable {
    /// A result that one node writes repeatedly.
    struct Slot: Hashable, Comparable, Sendable {
        let node: Int
        let number: Int
        static func < (left: Self, right: Self) -> Bool { (left.node, left.number) < (right.node, right.number) }

        /// Different for every slot of every node.
        var key: ScoreKey { ScoreKey(game: Self.game, axis: .puzzle(1 + node * 100_000 + number)) }

        private static var game: GameID {
            guard let game = GameID("wordle") else { preconditionFailure("a game of the catalogue") }
            return game
        }

        func score(_ value: Int) -> DailyScore? {
            guard case .puzzle(let puzzle) = key.axis, let day = PuzzleDay(yyyymmdd: 20_261_121) else { return nil }
            return DailyScore(
                game: key.game, day: day, puzzle: puzzle, isKeyedByPuzzle: true, score: value,
                firstRecordedAt: 1_795_000_000)
        }
    }

    /// A value that was written; nil for a withdrawal.
    struct Write: Sendable {
        let value: Int?
        var isConfirmed = false
    }

    var group: GroupID?
    var invite: InviteLink?
    private(set) var histories: [Slot: [Write]] = [:]
    private var slotCounts: [Int: Int] = [:]
    private var slotsBySubject: [[UInt8]: Slot] = [:]
    private var commands: [CommandID: [(slot: Slot, index: Int)]] = [:]
    private var lastValue = 0
    /// What the users said about results.
    var talk = TalkTruth()
    /// Nodes whose user's records were erased.
    var erased: Set<Int> = []
    /// Names of what machines keep to their account.
    var keptPrivately: Set<String> = []
    /// For each node that was cut: how often each slot had been written by then.
    private var cuts: [Int: [Slot: Int]] = [:]

    /// The groups in which each node is or was.
    private var memberships: [Int: Set<GroupID>] = [:]

    mutating func join(_ node: Int, _ group: GroupID) { memberships[node, default: []].insert(group) }

    /// Whether two nodes are, or were, members of one group.
    func haveSharedGroup(_ first: Int, _ second: Int) -> Bool {
        !memberships[first, default: []].isDisjoint(with: memberships[second, default: []])
    }

    mutating func cut(_ node: Int) {
        cuts[node] = histories.filter { $0.key.node == node }.mapValues(\.count)
    }

    /// The next write of a node: usually a new result, sometimes another value or a withdrawal.
    mutating func draft(
        by node: Int, onlyNew: Bool, random: inout SimulatedRandom
    ) -> (slot: Slot, index: Int, draft: RecordDraft)? {
        let count = slotCounts[node, default: 0]
        let kind = random.number(below: 10)
        let isNew = count == 0 || onlyNew || kind < 7
        let slot = Slot(node: node, number: isNew ? count : random.number(below: count))
        if isNew {
            slotCounts[node] = count + 1
            slotsBySubject[DailyScore.recordSubject(of: slot.key)] = slot
        }
        let index = histories[slot, default: []].count
        if !isNew, kind == 9 {
            histories[slot, default: []].append(Write(value: nil))
            return (slot, index, .withdrawnScore(slot.key))
        }
        lastValue += 1
        histories[slot, default: []].append(Write(value: lastValue))
        return slot.score(lastValue).map { (slot, index, .score($0)) }
    }

    mutating func issued(_ command: CommandID, _ writes: [(slot: Slot, index: Int)]) { commands[command] = writes }

    /// Records the outcome of a command. Returns the results that it confirms.
    mutating func completed(_ command: CommandID, _ outcome: CommandOutcome) -> [Slot] {
        guard outcome == .done, let writes = commands.removeValue(forKey: command) else { return [] }
        for write in writes { histories[write.slot]?[write.index].isConfirmed = true }
        return writes.map(\.slot)
    }

    /// The number of confirmed writes.
    var confirmedCount: Int {
        histories.values.reduce(0) { $0 + $1.count(where: \.isConfirmed) }
    }

    /// The values that a slot may show: the last confirmed one, or one written later. Nil means "nothing".
    func allowedValues(of slot: Slot) -> [Int?] {
        let writes = histories[slot] ?? []
        if let cut = cuts[slot.node] {
            // The author of the cut may not know the last writes. Writes after the cut must not show anywhere.
            return [nil] + writes.prefix(cut[slot] ?? 0).map(\.value)
        }
        guard let last = writes.lastIndex(where: \.isConfirmed) else { return [nil] + writes.map(\.value) }
        return writes[last...].map(\.value)
    }

    var slots: [Slot] { histories.keys.sorted() }

    /// The slot for a record's subject; nil if no node ever wrote it.
    func slot(of subject: [UInt8]) -> Slot? { slotsBySubject[subject] }

    func isCut(_ node: Int) -> Bool { cuts[node] != nil }

    var cutNodes: [Int] { cuts.keys.sorted() }
}

extension Simulation {
    /// Writes one result as a node's user.
    mutating func write(by node: Int, count: Int = 1, onlyNew: Bool = false) {
        guard nodes[node].isHonest, let group = ground.group else { return }
        var writes: [(slot: GroundTruth.Slot, index: Int)] = []
        var drafts: [RecordDraft] = []
        for _ in 0..<count {
            // While liveness has a limit, only new results: an edit may overtake the value it edits, which then never shows.
            let onlyNew = onlyNew || liveness.limit != nil
            guard let (slot, index, draft) = ground.draft(by: node, onlyNew: onlyNew, random: &random) else { continue }
            // With two values for one slot in one command, the first would never be visible.
            guard !writes.contains(where: { $0.slot == slot }) else { continue }
            writes.append((slot, index))
            let subject = DailyScore.recordSubject(of: slot.key)
            visibility?.wrote(subject, at: node, now: now)
            liveness.wrote(subject, by: node, awaitedAt: activeMembers)
            drafts.append(draft)
        }
        let id = nextCommand()
        ground.issued(id, writes)
        give(.command(id, .write([(group: group, drafts: drafts)])), to: node)
    }
}
