import StreakGames

/// Reads one board, or the same board of another day, out of an index.
struct BoardReader {
    let index: ScoreIndex
    let query: BoardQuery
    let games: (GameID) -> Game?
    /// Days after this one may still be covered.
    private let lastFinalDay: PuzzleDay
    private let viewerShelves: [Int: History]

    init(index: ScoreIndex, query: BoardQuery, games: @escaping (GameID) -> Game?) {
        self.index = index
        self.query = query
        self.games = games
        lastFinalDay = query.now.map(PuzzleDay.lastFinal(at:)) ?? query.today.adding(days: -2)
        var shelves: [Int: History] = [:]
        if query.guardsSpoilers && !query.reveals {
            for shelf in index.shelves(of: query.viewer, game: query.game) { shelves[shelf.game] = shelf.history }
        }
        viewerShelves = shelves
    }

    /// Tallies over `span`, in board order, of those players who belong on the board.
    func standings(of players: [Player], over span: DaySpan) -> [Tally] {
        var tallies: [Tally] = []
        for player in players {
            let tally = tally(of: player, over: span)
            if isListed(tally) { tallies.append(tally) }
        }
        return tallies.sorted(by: Tally.isListedBefore)
    }

    /// What a player has over `span`, listed or not.
    func tally(of player: Player, over span: DaySpan) -> Tally {
        var tally = Tally(player: player)
        let end = min(span.to, query.today)
        let recent = DaySpan(from: end.adding(days: -29), to: end)
        // Activity looks at every game: somebody who plays another one is still around.
        let all = index.shelves(of: player.id, game: nil)
        tally.isActive = all.contains { !$0.history.slice(recent).isEmpty } || wasSeen(player, all, in: recent)
        for shelf in index.shelves(of: player.id, game: query.game) {
            add(shelf, over: span, to: &tally)
        }
        tally.perGame.sort { $0.game < $1.game }
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
        return shelves.contains { !$0.history.slice(DaySpan(from: .earliest, to: recent.to)).isEmpty }
    }

    // MARK: One game of one player

    private func add(_ shelf: ScoreIndex.Shelf, over span: DaySpan, to tally: inout Tally) {
        let game = game(of: shelf.game)
        let entries = shelf.history.slice(span)
        guard !entries.isEmpty else { return }
        var sums = GameSums()
        var last: Entry?
        for entry in entries {
            if isCovered(entry, of: tally.player.id, gameSlot: shelf.game, model: game.model) {
                tally.coveredCount += 1
                continue
            }
            sums.add(entry, in: game)
            last = entry
            tally.isLate = tally.isLate || entry.isLate
            tally.isEdited = tally.isEdited || entry.isEdited
        }
        guard let last else { return }
        tally.played += sums.count
        tally.averageSum += sums.averageSum
        tally.averageCount += sums.averageCount
        // Of several numbers played on one day the newest is the day's puzzle.
        if query.game != nil, sums.count == 1 || query.isDayView {
            tally.single = Tally.Single(entry: last, game: game)
        }
        let value = value(of: sums, last: last, in: game, tally: &tally)
        tally.value += value
        if query.metric != .streak { tally.perGame.append(GameTotal(game: game.id, value: value)) }
    }

    private func value(of sums: GameSums, last: Entry, in game: Game, tally: inout Tally) -> Int {
        switch query.metric {
        case .streak: return 0
        case .logs: return sums.count
        // The part of F3 that comes from results; tiers and event rewards are added by whoever knows them.
        case .coins: return sums.completed * 10 + sums.totalPoints
        case .points:
            guard query.game != nil else { return sums.totalPoints }
            if query.isDayView { return Scoring.points(for: last.result, in: game) }
            switch game.model {
            case .highScore: tally.customRaw = sums.largestRaw
            case .count: tally.customRaw = sums.rawPoints
            default: return sums.totalPoints
            }
            return tally.customRaw ?? 0
        }
    }

    private func isCovered(_ entry: Entry, of player: PlayerID, gameSlot: Int, model: ScoringModel) -> Bool {
        guard query.guardsSpoilers, !query.reveals, player != query.viewer, entry.puzzleDay > lastFinalDay else {
            return false
        }
        // A high score or a habit is no puzzle: knowing it spoils nothing.
        guard model != .highScore, model != .count else { return false }
        return !(viewerShelves[gameSlot]?.holds(puzzleOf: entry) ?? false)
    }

    private func measureStreak(of player: Player, on day: PuzzleDay, into tally: inout Tally) {
        let shelves = index.shelves(of: player.id, game: query.game)
        if query.game != nil {
            guard let shelf = shelves.first else { return }
            let game = game(of: shelf.game)
            tally.value = Streak.current(in: shelf.history, cadence: game.cadence, on: day) { entry in
                !isCovered(entry, of: player.id, gameSlot: shelf.game, model: game.model)
            }
        } else {
            let open = shelves.map { shelf in (shelf, game(of: shelf.game).model) }
            tally.value = Streak.overall(on: day) { current in
                open.contains { shelf, model in
                    shelf.history.slice(DaySpan(from: current, to: current)).contains { entry in
                        entry.isCompleted
                            && !isCovered(entry, of: player.id, gameSlot: shelf.game, model: model)
                    }
                }
            }
        }
    }

    /// Gives the tally its place if it earned one.
    private func place(_ tally: inout Tally) {
        if query.metric != .points {
            tally.order = tally.value > 0 ? RawOrder(total: tally.value) : nil
        } else if tally.played > 0 {
            // One game on one day ranks by what was really achieved: 31 s beats 59 s though both are 6 points.
            let single = query.isDayView ? tally.single : nil
            tally.order = single.map { RawOrder($0.entry.result, in: $0.game) } ?? RawOrder(total: tally.value)
        }
    }

    func game(of slot: Int) -> Game {
        let id = index.gameIDs[slot]
        return games(id) ?? Scoring.unknownGame(id)
    }
}

/// The sums over some results of one player in one game.
private struct GameSums {
    var count = 0
    var completed = 0
    var totalPoints = 0
    var rawPoints = 0
    var largestRaw = 0
    var averageSum = 0
    var averageCount = 0

    mutating func add(_ entry: Entry, in game: Game) {
        let result = entry.result
        let points = Scoring.points(for: result, in: game)
        count += 1
        completed += result.isCompleted ? 1 : 0
        totalPoints += Scoring.totalPoints(for: result, in: game)
        rawPoints += points
        largestRaw = max(largestRaw, points)
        if let value = result.value(in: game) {
            averageSum += value
            averageCount += 1
        } else if !result.isCompleted, let counted = Self.lossValue(result, in: game) {
            averageSum += counted
            averageCount += 1
        }
    }

    /// What a loss counts in a raw average: M + 1, or nothing achieved where more is better.
    private static func lossValue(_ result: RawResult, in game: Game) -> Int? {
        game.model.isLowerBetter ? result.maximum(in: game).map { $0 + 1 } : 0
    }
}
