import StreakGames

/// Reads a board, or the same board of another day, from an index.
struct BoardReader {
    let index: ScoreIndex
    let query: BoardQuery
    let games: (GameID) -> Game?
    /// Results of later days may be covered.
    private let lastOpenDay: PuzzleDay
    let lastFinalDay: PuzzleDay
    private let guardsSpoilers: Bool
    private let viewerShelves: [Int: History]
    /// By game slot: the game, and its rank in the order of IDs. Empty on the page of one game.
    private let catalogue: [(game: Game, place: Int)]
    private let missedDays: MissedDays?

    init(index: ScoreIndex, query: BoardQuery, players: [Player], games: @escaping (GameID) -> Game?) {
        self.index = index
        self.query = query
        self.games = games
        lastFinalDay = query.lastFinalDay
        guardsSpoilers = query.guardsSpoilers && !query.reveals
        lastOpenDay = guardsSpoilers ? lastFinalDay : .latest
        var shelves: [Int: History] = [:]
        if guardsSpoilers {
            for shelf in index.shelves(of: query.viewer, game: query.game) { shelves[shelf.game] = shelf.history }
        }
        viewerShelves = shelves
        if let id = query.game {
            catalogue = []
            let game = games(id) ?? Scoring.unknownGame(id)
            missedDays = MissedDays(
                index: index, query: query, lastFinalDay: lastFinalDay, game: game, players: players)
        } else {
            var places = Array(repeating: 0, count: index.gameIDs.count)
            let order = index.gameIDs.indices.sorted { index.gameIDs[$0] < index.gameIDs[$1] }
            for (place, slot) in order.enumerated() { places[slot] = place }
            catalogue = zip(index.gameIDs, places).map { id, place in (games(id) ?? Scoring.unknownGame(id), place) }
            missedDays = nil
        }
    }

    /// Tallies over `span`, in board order, of the players who belong on the board.
    func standings(of players: [Player], over span: DaySpan) -> [Tally] {
        var tallies: [Tally] = []
        for player in players {
            let tally = tally(of: player, over: span)
            if isListed(tally) { tallies.append(tally) }
        }
        return tallies.sorted(by: Tally.isListedBefore)
    }

    /// A player's tally over `span`, whether or not the player is listed.
    func tally(of player: Player, over span: DaySpan) -> Tally {
        var tally = Tally(player: player)
        let end = min(span.to, query.today)
        let recent = DaySpan(from: end.adding(days: -29), to: end)
        // Activity considers every game: somebody who plays another game is still active.
        let all = index.shelves(of: player.id, game: nil)
        tally.isActive =
            all.indices.contains { all[$0].history.hasEntries(in: recent) } || wasSeen(player, all, in: recent)
        if let id = query.game {
            let shelves = index.shelves(of: player.id, game: id)
            if let first = shelves.indices.first { addOnly(shelves[first], over: span, to: &tally) }
        } else {
            addAll(all, over: span, to: &tally)
            addExtraCoins(over: span, to: &tally)
        }
        if query.metric == .streak { measureStreak(of: player, on: end, into: &tally) }
        place(&tally)
        return tally
    }

    private func isListed(_ tally: Tally) -> Bool {
        if tally.order != nil || tally.coveredCount > 0 { return true }
        // A board of streaks, logs or coins does not list a zero.
        return query.metric == .points && tally.isActive
    }

    private func wasSeen(_ player: Player, _ shelves: ArraySlice<ScoreIndex.Shelf>, in recent: DaySpan) -> Bool {
        guard let lastSeen = player.lastSeen, lastSeen >= recent.from, lastSeen <= recent.to else { return false }
        let known = DaySpan(from: .earliest, to: recent.to)
        return shelves.indices.contains { shelves[$0].history.hasEntries(in: known) }
    }

    func game(of slot: Int) -> Game {
        if !catalogue.isEmpty { return catalogue[slot].game }
        let id = index.gameIDs[slot]
        return games(id) ?? Scoring.unknownGame(id)
    }

    // MARK: All games

    private func addAll(_ shelves: ArraySlice<ScoreIndex.Shelf>, over span: DaySpan, to tally: inout Tally) {
        var totals: [(place: Int, total: GameTotal)] = []
        totals.reserveCapacity(shelves.count)
        for position in shelves.indices {
            let slot = shelves[position].game
            let sums = sums(of: shelves[position], over: span, in: catalogue[slot].game, to: &tally)
            guard sums.count > 0 else { continue }
            let value =
                switch query.metric {
                case .streak: 0
                case .logs: Int(sums.count)
                case .coins: Int(sums.completed) * 10 + Int(sums.points)
                case .points: Int(sums.points)
                }
            tally.value += value
            totals.append((catalogue[slot].place, GameTotal(game: index.gameIDs[slot], value: value)))
        }
        if query.metric != .streak { tally.perGame = totals.sorted { $0.place < $1.place }.map(\.total) }
    }

    /// The sums of a span of one history: stored sums for days on which nothing can be covered, single results for the
    /// others.
    private func sums(
        of shelf: ScoreIndex.Shelf, over span: DaySpan, in game: Game, to tally: inout Tally
    ) -> Sums {
        var sums = Sums()
        var unread: DaySpan? = span
        let isScored = shelf.history.game.isScored(like: game)
        let last = tally.player.id == query.viewer ? span.to : min(span.to, lastOpenDay)
        if isScored, span.from <= last {
            let kept = shelf.history.sums(DaySpan(from: span.from, to: last))
            if !leavesOutLate || kept.late == 0 {
                sums = kept
                unread = last < span.to ? DaySpan(from: last.adding(days: 1), to: span.to) : nil
            }
        }
        if let unread {
            var (days, plays) = (DayTotal(of: game), Plays(of: game))
            for entry in shelf.history.slice(unread) where isCounted(entry, shelf, model: game.model, &tally) {
                let alone = isScored ? entry.points : Scoring.cachedPoints(for: entry.result, in: game)
                let points = days.share(of: alone, on: entry.day)
                sums.add(entry, points: points, played: plays.share(on: entry.day))
            }
        }
        tally.played += Int(sums.played)
        tally.isLate = tally.isLate || sums.late > 0
        tally.isEdited = tally.isEdited || sums.edited > 0
        return sums
    }

    private var leavesOutLate: Bool { query.rules.streaks.archiveDays != nil }

    /// Whether an entry counts. Notes covered ones.
    private func isCounted(
        _ entry: Entry, _ shelf: ScoreIndex.Shelf, model: ScoringModel, _ tally: inout Tally
    ) -> Bool {
        guard query.rules.streaks.counts(entry) else { return false }
        guard isCovered(entry, of: tally.player.id, gameSlot: shelf.game, model: model) else { return true }
        tally.coveredCount += 1
        return false
    }

    private func isCovered(_ entry: Entry, of player: PlayerID, gameSlot: Int, model: ScoringModel) -> Bool {
        guard guardsSpoilers, player != query.viewer, entry.day > lastFinalDay.daysSinceEpoch else { return false }
        guard model.isOfPuzzles else { return false }
        return !(viewerShelves[gameSlot]?.holds(puzzleOf: entry) ?? false)
    }

    func isCovered(_ entry: Entry, of player: PlayerID, in shelf: ScoreIndex.Shelf) -> Bool {
        isCovered(entry, of: player, gameSlot: shelf.game, model: game(of: shelf.game).model)
    }

    /// Whether an entry is not left out as archive play.
    func counts(_ entry: Entry) -> Bool { query.rules.streaks.counts(entry) }

    private func addExtraCoins(over span: DaySpan, to tally: inout Tally) {
        guard query.metric == .coins, let dated = query.extraCoins[tally.player.id] else { return }
        // Coins for a covered result would reveal it.
        let end = tally.coveredCount > 0 ? min(span.to, lastFinalDay) : span.to
        tally.extra = dated.total(in: DaySpan(from: span.from, to: end))
        tally.value += tally.extra
    }

    // MARK: One game

    private func addOnly(_ shelf: ScoreIndex.Shelf, over span: DaySpan, to tally: inout Tally) {
        let game = game(of: shelf.game)
        let player = tally.player.id
        let sums = sums(of: shelf, over: span, in: game, to: &tally)
        guard sums.count > 0 else { return }
        let shown = {
            let counted = shelf.history.slice(span).filter { entry in
                query.rules.streaks.counts(entry)
                    && !isCovered(entry, of: player, gameSlot: shelf.game, model: game.model)
            }
            return Entry.results(counted[...], in: game)
        }
        switch query.metric {
        case .streak: return
        case .logs: tally.value = Int(sums.count)
        case .coins: tally.value = Int(sums.completed) * 10 + Int(sums.points)
        case .points:
            // Nothing is covered or left out, so the stored sums are those of the row.
            let isKept = shelf.history.game.isScored(like: game) && shelf.history.sums(span) == sums
            let kept = isKept ? shelf.history.rawSums(span) : nil
            addPoints(sums, kept, shown, game, to: &tally)
            if !query.isDayView { average(sums, kept, shelf, over: span, shown, game, into: &tally) }
        }
        tally.perGame = [GameTotal(game: game.id, value: tally.value)]
    }

    private func addPoints(
        _ sums: Sums, _ kept: RawSums?, _ shown: () -> ArraySlice<Entry>, _ game: Game, to tally: inout Tally
    ) {
        let aggregation = query.isDayView ? nil : query.aggregation ?? Aggregation(of: game.model)
        tally.value = Int(sums.points)
        if aggregation == .sum, sums.played > 1, Aggregation(of: game.model) != nil, let kept {
            // Avoids reading years of logs one by one.
            (tally.value, tally.customRaw) = (kept.points, kept.points)
            return
        }
        if query.isDayView || sums.played == 1 || aggregation != nil {
            let entries = shown()
            guard let last = entries.last else { return }
            var single: Entry?
            // If several numbers were played on one day, the newest is the day's puzzle.
            let isSummed = aggregation == .sum && entries.count > 1
            if !isSummed, query.isDayView || sums.played == 1 || aggregation == .latest { single = last }
            if aggregation == .best {
                single = entries.min { RawOrder($0.result, in: game) < RawOrder($1.result, in: game) }
            }
            tally.single = single.map { Tally.Single(entry: $0, game: game) }
            if aggregation == .best || aggregation == .latest { tally.standsForSingle = true }
            if let single, query.isDayView || aggregation != nil, aggregation != .sum {
                tally.value = Scoring.points(for: single.result, in: game)
            } else if aggregation == .sum, game.model == .highScore || game.model == .count {
                tally.value = entries.reduce(0) { $0 &+ Scoring.points(for: $1.result, in: game) }
                tally.customRaw = tally.value
            }
        }
    }

    private func average(
        _ sums: Sums, _ kept: RawSums?, _ shelf: ScoreIndex.Shelf, over span: DaySpan,
        _ shown: () -> ArraySlice<Entry>, _ game: Game, into tally: inout Tally
    ) {
        let missed = missedDays?.missed(by: tally.player, shelf.history, over: span)
        if query.rules.missedDay == .zero, game.model != .highScore, game.model != .count {
            let label = Scoring.meanLabel(sum: Int(sums.points), count: Int(sums.played) + (missed?.days ?? 0))
            tally.average = label.map { "\($0) pts" }
            return
        }
        var raw = kept ?? RawSums()
        if kept == nil {
            for entry in shown() { raw.add(entry, in: game, played: 1) }
        }
        raw.value += missed?.value ?? 0
        raw.count += missed?.counted ?? 0
        tally.average = Scoring.averageLabel(sum: raw.value, count: raw.count, in: game)
    }

    // MARK: Streaks and places

    private func measureStreak(of player: Player, on day: PuzzleDay, into tally: inout Tally) {
        let shelves = index.shelves(of: player.id, game: query.game)
        if query.game != nil {
            guard let shelf = shelves.first else { return }
            let game = game(of: shelf.game)
            tally.value = Streak.current(
                in: shelf.history, of: game, on: day, rules: query.rules.streaks
            ) { entry in
                !isCovered(entry, of: player.id, gameSlot: shelf.game, model: game.model)
            }
            return
        }
        let lastPlainDay = player.id == query.viewer ? PuzzleDay.latest : lastOpenDay
        var block: (number: Int32, days: UInt64)?
        tally.value = Streak.overall(on: day) { current in
            guard !leavesOutLate, current <= lastPlainDay else {
                return shelves.indices.contains { holds(current, shelves[$0], of: player.id) }
            }
            let number = Block.number(of: Int32(truncatingIfNeeded: current.daysSinceEpoch))
            if block?.number != number {
                block = (number, shelves.indices.reduce(0) { $0 | shelves[$1].history.completedDays(ofBlock: number) })
            }
            return (block?.days ?? 0) >> UInt64(current.daysSinceEpoch & 63) & 1 == 1
        }
    }

    private func holds(_ day: PuzzleDay, _ shelf: ScoreIndex.Shelf, of player: PlayerID) -> Bool {
        shelf.history.slice(DaySpan(from: day, to: day)).contains { entry in
            entry.isCompleted && query.rules.streaks.counts(entry)
                && !isCovered(entry, of: player, gameSlot: shelf.game, model: catalogue[shelf.game].game.model)
        }
    }

    /// Gives the tally its rank order if it has earned one.
    private func place(_ tally: inout Tally) {
        if query.metric != .points {
            tally.order = tally.value > 0 ? RawOrder(total: tally.value) : nil
        } else if tally.played > 0 {
            // One game on one day ranks by the raw result: 31 s beats 59 s, though both give 6 points.
            let single = query.isDayView || tally.standsForSingle ? tally.single : nil
            tally.order = single.map { RawOrder($0.entry.result, in: $0.game) } ?? RawOrder(total: tally.value)
        }
    }
}
