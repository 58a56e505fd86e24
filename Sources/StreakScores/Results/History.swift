import StreakGames

/// A player's results in one game, in order of days, with the sums that boards use.
///
/// The sums follow the rules of `game`. For other rules, callers add up the entries.
struct History: Sendable {
    private(set) var entries: [Entry] = []
    private var rules: GameRules
    private var blocks: [Block] = []
    private var marks: [BlockMarks] = []
    private var total = Sums()
    private var rawTotal = RawSums()
    /// Results identified by their number, in order of numbers.
    private var numbered: [Numbered] = []
    /// For a game whose points a day are capped: what each day has earned.
    private var earned: [Int32: Earned] = [:]
    /// The names that records give the game; an entry refers to its index plus one.
    private var names: [String] = []

    /// The sum of what a day's results would add alone, and how many there are.
    private struct Earned {
        var points = 0
        var results = 0
    }

    private struct Numbered {
        var puzzle: Int32
        var day: Int32
    }

    init(rules: GameRules) {
        self.rules = rules
    }

    /// The game whose rules the points and sums follow.
    var game: Game { rules.game }

    var hasNumbered: Bool { !numbered.isEmpty }

    /// The first and the last day with a result; `nil` without any.
    var bounds: DaySpan? {
        guard let first = entries.first, let last = entries.last else { return nil }
        return DaySpan(from: first.puzzleDay, to: last.puzzleDay)
    }

    // MARK: Changes

    /// Reserves memory for this many results.
    mutating func reserveCapacity(_ count: Int) { entries.reserveCapacity(count) }

    /// Stores a result, and replaces the one with the same key. Returns whether the key is new. O(log n) at the end of
    /// the history, O(n) elsewhere.
    mutating func replace(_ entry: Entry) -> Bool {
        var entry = entry
        entry.points = Scoring.cachedPoints(for: entry.result, in: game)
        let position = entry.position
        var isNew = true
        if entry.isKeyedByPuzzle {
            let place = place(ofNumber: position.puzzle)
            if place < numbered.count, numbered[place].puzzle == position.puzzle {
                isNew = false
                let day = numbered[place].day
                if day != position.day {
                    numbered[place].day = position.day
                    removeEntry(at: lowerBound(Entry.Position(day: day, puzzle: position.puzzle)))
                }
            } else {
                numbered.makeRoom()
                numbered.insert(Numbered(puzzle: position.puzzle, day: position.day), at: place)
            }
        }
        if let last = entries.last, last.position < position {
            insertEntry(entry, at: entries.count)
            return isNew
        }
        let index = lowerBound(position)
        if index < entries.count, entries[index].position == position {
            exchangeEntry(at: index, for: entry)
            return false
        }
        insertEntry(entry, at: index)
        return isNew
    }

    /// Stores a result with the name that its record gives the game.
    mutating func replace(_ score: DailyScore) -> Bool {
        replace(Entry(score, name: slot(ofName: score.gameName)))
    }

    /// Removes a result and returns it.
    mutating func remove(_ axis: ScoreKey.Axis) -> Entry? {
        guard let index = index(of: axis) else { return nil }
        let entry = entries[index]
        if entry.isKeyedByPuzzle { numbered.remove(at: place(ofNumber: entry.position.puzzle)) }
        removeEntry(at: index)
        return entry
    }

    /// Recomputes the sums by other rules. O(n).
    mutating func follow(_ rules: GameRules) {
        let isSame = game.isScored(like: rules.game)
        self.rules = rules
        guard !isSame else { return }
        let old = entries
        (entries, blocks, marks, total, rawTotal, earned) = ([], [], [], Sums(), RawSums(), [:])
        entries.reserveCapacity(old.count)
        for var entry in old {
            entry.points = Scoring.cachedPoints(for: entry.result, in: game)
            insertEntry(entry, at: entries.count)
        }
    }

    private mutating func insertEntry(_ entry: Entry, at index: Int) {
        let number = Block.number(of: entry.day)
        let place = blockIndex(notBefore: number)
        if place == blocks.count || blocks[place].number != number {
            let before = place < blocks.count ? blocks[place].before : total
            let rawBefore = place < blocks.count ? blocks[place].rawBefore : rawTotal
            blocks.makeRoom()
            blocks.insert(
                Block(number: number, start: Int32(index), before: before, rawBefore: rawBefore), at: place)
            marks.makeRoom()
            marks.insert(BlockMarks(block: number), at: place)
        }
        entries.makeRoom()
        entries.insert(entry, at: index)
        marks[place].insert(entry)
        apply(change(adding: entry), after: place)
    }

    private mutating func removeEntry(at index: Int) {
        let entry = entries.remove(at: index)
        let place = blockIndex(notBefore: Block.number(of: entry.day))
        apply(change(removing: entry), after: place)
        guard entryRange(ofBlock: place).isEmpty else {
            unmark(entry, at: index, in: place)
            return
        }
        blocks.remove(at: place)
        marks.remove(at: place)
    }

    private mutating func exchangeEntry(at index: Int, for entry: Entry) {
        let place = blockIndex(notBefore: Block.number(of: entry.day))
        apply(change(removing: entries[index]), after: place)
        apply(change(adding: entry), after: place)
        let old = entries[index]
        entries[index] = entry
        if entry.isCompleted { marks[place].insert(entry) } else { unmark(old, at: index, in: place) }
    }

    /// Removes an entry that was at `index` from its block's marks. O(1) in a block of usual size; O(log n) each when a
    /// crowded day is emptied.
    private mutating func unmark(_ entry: Entry, at index: Int, in place: Int) {
        let range = entryRange(ofBlock: place)
        guard range.count > BlockMarks.mostUnscattered else { return remark(place) }
        // Crowded blocks were scattered before, and stay so.
        if !entry.isKeyedByPuzzle, self.entry(.day(entry.puzzleDay)) == nil { marks[place].removeDated(entry.day) }
        guard entry.isCompleted else { return }
        let start = entries.partitioningIndex(in: range) { $0.day >= entry.day }
        let end = entries.partitioningIndex(in: start..<range.upperBound) { $0.day > entry.day }
        if !entries.contains(near: index, in: start..<end, where: { $0.isCompleted }) {
            marks[place].removeCompleted(entry.day)
        }
    }

    private mutating func remark(_ place: Int) {
        var marks = BlockMarks(block: blocks[place].number)
        for entry in entries[entryRange(ofBlock: place)] { marks.insert(entry) }
        self.marks[place] = marks
    }

    private mutating func apply(_ change: Change, after place: Int) {
        total += change.sums
        rawTotal += change.raw
        for later in blocks.indices.dropFirst(place + 1) {
            blocks[later].start &+= change.sums.count
            blocks[later].before += change.sums
            blocks[later].rawBefore += change.raw
        }
    }

    /// What adding or removing one entry changes in all later sums.
    private struct Change {
        var sums = Sums()
        var raw = RawSums()
    }

    private mutating func change(adding entry: Entry) -> Change {
        var change = Change()
        let gain = earn(Earned(points: Int(entry.points), results: 1), on: entry.day)
        change.sums.add(entry, points: 0, played: gain.played)
        change.sums.points = gain.points
        change.raw.add(entry, in: game, played: gain.played)
        return change
    }

    private mutating func change(removing entry: Entry) -> Change {
        var (change, added) = (Change(), Change())
        let loss = earn(Earned(points: -Int(entry.points), results: -1), on: entry.day)
        added.sums.add(entry, points: 0, played: -loss.played)
        added.raw.add(entry, in: game, played: -loss.played)
        change.sums -= added.sums
        change.sums.points = loss.points
        change.raw -= added.raw
        return change
    }

    /// Adds to or subtracts from a day; returns the change of its total and of the number of plays.
    private mutating func earn(_ more: Earned, on day: Int32) -> (points: Int32, played: Int32) {
        guard DayTotal.caps(game.model) else { return (Int32(more.points), Int32(more.results)) }
        let before = earned[day] ?? Earned()
        let after = Earned(points: before.points + more.points, results: before.results + more.results)
        earned[day] = after.results == 0 ? nil : after
        let points = Int32(min(after.points, DayTotal.most) - min(before.points, DayTotal.most))
        guard game.model == .count else { return (points, Int32(more.results)) }
        return (points, Int32(min(after.results, 1) - min(before.results, 1)))
    }

    // MARK: Entries

    func entry(_ axis: ScoreKey.Axis) -> Entry? {
        index(of: axis).map { entries[$0] }
    }

    /// The results in a span of days, both inclusive. O(log n).
    func slice(_ span: DaySpan) -> ArraySlice<Entry> {
        guard span.from <= span.to, let last = entries.last else { return [] }
        let start = lowerBound(.unnumbered(on: span.from))
        if last.day <= span.to.daysSinceEpoch { return entries[start...] }
        // One past the last day, as a raw day: the latest day has no successor.
        let next = Entry.Position(day: Int32(truncatingIfNeeded: span.to.daysSinceEpoch + 1), puzzle: .min)
        return entries[start..<lowerBound(next)]
    }

    /// Whether there is a result within a span of days.
    func hasEntries(in span: DaySpan) -> Bool {
        guard let first = entries.first, let last = entries.last else { return false }
        let (from, to) = (span.from.daysSinceEpoch, span.to.daysSinceEpoch)
        guard first.day <= to, last.day >= from else { return false }
        return first.day >= from || last.day <= to || !slice(span).isEmpty
    }

    /// Whether the player has a result for the same puzzle as `entry`.
    ///
    /// A result identified by its day matches any puzzle of that day.
    func holds(puzzleOf entry: Entry) -> Bool {
        let day = entry.puzzleDay
        guard entry.isKeyedByPuzzle else { return !slice(DaySpan(from: day, to: day)).isEmpty }
        return self.day(ofNumber: entry.position.puzzle) != nil || self.entry(.day(day)) != nil
    }

    /// The name in the latest result that has one.
    var latestName: (day: Int32, name: String)? {
        guard !names.isEmpty, let entry = entries.last(where: { $0.name != 0 }) else { return nil }
        return (entry.day, names[Int(entry.name) - 1])
    }

    func restored(_ entry: Entry, game: GameID) -> DailyScore {
        entry.score(game: game, gameName: entry.name == 0 ? nil : names[Int(entry.name) - 1])
    }

    /// Where a result is among the entries.
    func index(of axis: ScoreKey.Axis) -> Int? {
        let position: Entry.Position
        switch axis {
        case .day(let day):
            position = .unnumbered(on: day)
        case .puzzle(let number):
            let packed = Entry.packed(number)
            guard let day = day(ofNumber: packed) else { return nil }
            position = Entry.Position(day: day, puzzle: packed)
        }
        let index = lowerBound(position)
        guard index < entries.count, entries[index].position == position else { return nil }
        return index
    }

    /// The first index whose entry is not before `position`.
    private func lowerBound(_ position: Entry.Position) -> Int {
        let number = Block.number(of: position.day)
        let place = blockIndex(notBefore: number)
        guard place < blocks.count else { return entries.count }
        let range = entryRange(ofBlock: place)
        guard blocks[place].number == number else { return range.lowerBound }
        return entries.partitioningIndex(in: range) { !($0.position < position) }
    }

    private func day(ofNumber puzzle: Int32) -> Int32? {
        let place = place(ofNumber: puzzle)
        return place < numbered.count && numbered[place].puzzle == puzzle ? numbered[place].day : nil
    }

    private func place(ofNumber puzzle: Int32) -> Int {
        guard let last = numbered.last, last.puzzle >= puzzle else { return numbered.count }
        return numbered.partitioningIndex(in: numbered.indices) { $0.puzzle >= puzzle }
    }

    /// 0 for no name, and after 255 different ones: names are a convenience, memory is limited.
    private mutating func slot(ofName name: String?) -> UInt8 {
        guard let name else { return 0 }
        if let slot = names.firstIndex(of: name) { return UInt8(slot + 1) }
        guard names.count < Int(UInt8.max) else { return 0 }
        names.append(name)
        return UInt8(names.count)
    }
}

// MARK: - Sums

extension History {
    /// The sums over a span, by the rules of `game`. O(log n).
    func sums(_ span: DaySpan) -> Sums {
        guard span.from <= span.to else { return Sums() }
        var sums = sums(before: Int32(truncatingIfNeeded: span.to.daysSinceEpoch + 1))
        sums -= self.sums(before: Int32(truncatingIfNeeded: span.from.daysSinceEpoch))
        return sums
    }

    /// The sums that only the game's own page shows. O(log n).
    func rawSums(_ span: DaySpan) -> RawSums {
        guard span.from <= span.to else { return RawSums() }
        var sums = rawSums(before: Int32(truncatingIfNeeded: span.to.daysSinceEpoch + 1))
        sums -= rawSums(before: Int32(truncatingIfNeeded: span.from.daysSinceEpoch))
        return sums
    }

    private func sums(before day: Int32) -> Sums {
        guard let first = entries.first, let last = entries.last, first.day < day else { return Sums() }
        guard last.day >= day else { return total }
        let place = blockIndex(notBefore: Block.number(of: day))
        var sums = blocks[place].before
        guard blocks[place].number == Block.number(of: day) else { return sums }
        var (days, plays) = (DayTotal(of: game), Plays(of: game))
        for entry in entries[entryRange(ofBlock: place)] {
            guard entry.day < day else { break }
            sums.add(entry, points: days.share(of: entry.points, on: entry.day), played: plays.share(on: entry.day))
        }
        return sums
    }

    private func rawSums(before day: Int32) -> RawSums {
        guard let first = entries.first, let last = entries.last, first.day < day else { return RawSums() }
        guard last.day >= day else { return rawTotal }
        let place = blockIndex(notBefore: Block.number(of: day))
        var sums = blocks[place].rawBefore
        guard blocks[place].number == Block.number(of: day) else { return sums }
        var plays = Plays(of: game)
        for entry in entries[entryRange(ofBlock: place)] {
            guard entry.day < day else { break }
            sums.add(entry, in: game, played: plays.share(on: entry.day))
        }
        return sums
    }

    /// The days of a block with a completed result, from the lowest bit on.
    func completedDays(ofBlock number: Int32) -> UInt64 {
        let place = blockIndex(notBefore: number)
        guard place < blocks.count, blocks[place].number == number else { return 0 }
        return marks[place].completed
    }

    /// The data for counting puzzles, shared and not copied.
    struct Puzzles {
        let marks: [BlockMarks]
        let entries: [Entry]
        private let blocks: [Block]
        /// The smallest and the largest number of results identified by their number.
        let numbers: ClosedRange<Int32>?

        init(_ history: History) {
            (marks, entries, blocks) = (history.marks, history.entries, history.blocks)
            let bounds = (history.numbered.first?.puzzle, history.numbered.last?.puzzle)
            if case (let first?, let last?) = bounds { numbers = first...last } else { numbers = nil }
        }

        /// The places of the existing blocks among the `count` blocks from `number` on.
        func places(from number: Int, count: Int) -> Range<Int> {
            guard let first = marks.first, let last = marks.last else { return 0..<0 }
            if number <= Int(first.block), number + count > Int(last.block) { return marks.indices }
            let start = marks.partitioningIndex(in: marks.indices) { Int($0.block) >= number }
            return start..<marks.partitioningIndex(in: start..<marks.count) { Int($0.block) >= number + count }
        }

        func entries(ofBlock place: Int) -> ArraySlice<Entry> {
            let end = place + 1 < blocks.count ? Int(blocks[place + 1].start) : entries.count
            return entries[Int(blocks[place].start)..<end]
        }
    }

    var puzzles: Puzzles { Puzzles(self) }

    private func entryRange(ofBlock place: Int) -> Range<Int> {
        Int(blocks[place].start)..<(place + 1 < blocks.count ? Int(blocks[place + 1].start) : entries.count)
    }

    /// The first block at or after `number`. O(1) if no block is missing.
    private func blockIndex(notBefore number: Int32) -> Int {
        guard let first = blocks.first, let last = blocks.last, number <= last.number else { return blocks.count }
        guard number > first.number else { return 0 }
        // Numbers grow by at least one per block, so the block cannot be beyond this.
        let furthest = min(Int(number - first.number), blocks.count - 1)
        if blocks[furthest].number == number { return furthest }
        return blocks.partitioningIndex(in: 0..<furthest + 1) { $0.number >= number }
    }
}

// MARK: - Several groups

extension History {
    /// The results of both, each key once. If both have one, `Entry.stands(over:in:)` decides. O(n), and O(1) memory if
    /// both are the same.
    func united(with other: History) -> History {
        if isIdentical(to: other) { return self }
        var union = History(rules: rules)
        union.names = names
        var kept = entries.filter { mine in
            other.entry(mine.axis).map { !$0.stands(over: mine, in: game) } ?? true
        }
        for var theirs in other.entries {
            if let mine = entry(theirs.axis), !theirs.stands(over: mine, in: game) { continue }
            theirs.name = union.slot(ofName: theirs.name == 0 ? nil : other.names[Int(theirs.name) - 1])
            kept.append(theirs)
        }
        union.entries.reserveCapacity(kept.count)
        for entry in kept.sorted(by: { $0.position < $1.position }) { _ = union.replace(entry) }
        return union
    }

    private func isIdentical(to other: History) -> Bool {
        entries.count == other.entries.count && names == other.names
            && zip(entries, other.entries).allSatisfy { $0.isIdentical(to: $1) }
    }
}

extension Array {
    /// Grows by an eighth instead of doubling, because there are thousands of these and most grow by one a day.
    fileprivate mutating func makeRoom() {
        if count == capacity { reserveCapacity(count + count / 8 + 4) }
    }

    /// Whether `isWanted` is true anywhere in `range`. Tests the elements nearest to `index` first, so that testing at
    /// every removal of many costs O(n log n) in total, in any order.
    func contains(near index: Int, in range: Range<Int>, where isWanted: (Element) -> Bool) -> Bool {
        var (before, after) = (index - 1, index)
        while before >= range.lowerBound || after < range.upperBound {
            if after < range.upperBound, isWanted(self[after]) { return true }
            if before >= range.lowerBound, isWanted(self[before]) { return true }
            (before, after) = (before - 1, after + 1)
        }
        return false
    }
}

extension RandomAccessCollection where Index == Int {
    /// The first index of `range` for which `isSecond` is true; it must be true for all after that.
    func partitioningIndex(in range: Range<Int>, where isSecond: (Element) -> Bool) -> Int {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high {
            let middle = (low + high) / 2
            if isSecond(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
