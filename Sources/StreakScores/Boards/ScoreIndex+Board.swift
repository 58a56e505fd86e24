public import StreakGames

extension ScoreIndex {
    /// Ranks `players`, as the viewer may see them.
    ///
    /// A player ID that occurs twice counts once. `games` returns the catalogue's or the group's game; an unknown one
    /// is scored by the attempts rule. The cost does not depend on the length of the range: for each player and game,
    /// two places in the history and a few results there.
    public func board(_ query: BoardQuery, players: [Player], games: (GameID) -> Game?) -> Board {
        withoutActuallyEscaping(games) { games in
            BoardAssembly(index: self, query: query, players: players, games: games).board()
        }
    }
}

/// Assembles a board from standings.
private struct BoardAssembly {
    let reader: BoardReader
    private var query: BoardQuery { reader.query }

    /// Everybody who may have a row, in order of IDs, including the viewer even if not listed.
    private let players: [Player]

    init(index: ScoreIndex, query: BoardQuery, players: [Player], games: @escaping (GameID) -> Game?) {
        self.players = Player.distinct(players).filter { $0.id == query.viewer || query.isInScope($0) }
        reader = BoardReader(index: index, query: query, players: self.players, games: games)
    }

    func board() -> Board {
        let visible = players.filter { !$0.isHidden && query.isInScope($0) }
        let span = DaySpan(from: query.from, to: query.to)
        let standings = reader.standings(of: visible, over: span)
        let ranks = Ranks(of: standings)
        let deltas = deltas(of: standings, ranks, visible)
        let puzzles = puzzleCount(visible, span)
        let offset = max(query.offset, 0)
        let end = offset.addingReportingOverflow(max(query.limit, 0))
        let page = offset..<max(offset, end.overflow ? .max : end.partialValue)
        func row(_ position: Int) -> BoardRow {
            var row = self.row(of: standings[position], puzzles: puzzles)
            row.rank = ranks.ranks[position]
            row.isTied = ranks.tied[position]
            row.delta = deltas[row.player]
            return row
        }
        let mine = standings.firstIndex { $0.player.id == query.viewer }
        return Board(
            query: query, rows: standings.indices.clamped(to: page).map(row), rankedCount: ranks.rankedCount,
            listedCount: standings.count, myRow: mine.map(row) ?? ownRow(span, puzzles),
            coveredCount: standings.reduce(0) { $0 + $1.coveredCount },
            podium: ranks.hasPodium ? [1, 0, 2].map(row) : [], myPosition: mine)
    }

    /// The row of a viewer who opted out or is not listed: with values but without a rank.
    private func ownRow(_ span: DaySpan, _ puzzles: Int) -> BoardRow? {
        guard let me = players.first(where: { $0.id == query.viewer }) else { return nil }
        var row = row(of: reader.tally(of: me, over: span), puzzles: puzzles)
        row.isPrivate = me.isHidden
        return row
    }

    /// Rank changes since the day before, on the same board with the same players.
    private func deltas(of standings: [Tally], _ ranks: Ranks, _ visible: [Player]) -> [PlayerID: RankDelta] {
        guard query.isDayView, query.from > .earliest else { return [:] }
        let eve = query.from.adding(days: -1)
        let before = reader.standings(of: visible, over: DaySpan(from: eve, to: eve))
        let ranksBefore = Ranks(of: before)
        var previous: [PlayerID: Int] = [:]
        var covered: Set<PlayerID> = []
        for (position, tally) in before.enumerated() {
            previous[tally.player.id] = ranksBefore.ranks[position]
            if tally.isCovered { covered.insert(tally.player.id) }
        }
        var deltas: [PlayerID: RankDelta] = [:]
        for (position, tally) in standings.enumerated() where !covered.contains(tally.player.id) {
            guard let rank = ranks.ranks[position] else { continue }
            deltas[tally.player.id] = RankDelta(previous: previous[tally.player.id], current: rank)
        }
        return deltas
    }

    /// The m of "played n of m". For every game in view that anybody on the board has played, it is the number of days
    /// (weeks of a weekly game) in the range that have begun, or the number of different puzzles played, if larger.
    private func puzzleCount(_ players: [Player], _ span: DaySpan) -> Int {
        let count = reader.index.puzzleCount(players, span, game: query.game) { slot, atMost, seen in
            let game = reader.game(of: slot)
            let begun = begun(of: span, in: game)
            // A habit's logs are not puzzles, but its days are.
            if game.model == .count { return begun }
            if let atMost, atMost <= begun { return begun }
            return max(begun, seen())
        }
        guard count == 0, let id = query.game else { return count }
        return begun(of: span, in: reader.games(id) ?? Scoring.unknownGame(id))
    }

    private func begun(of span: DaySpan, in game: Game) -> Int {
        let end = min(span.to, query.today)
        guard span.from <= end else { return 0 }
        guard game.cadence == .weekly else { return span.from.days(until: end) + 1 }
        return span.from.startOfWeek.days(until: end.startOfWeek) / 7 + 1
    }

    private func row(of tally: Tally, puzzles: Int) -> BoardRow {
        let isMe = tally.player.id == query.viewer
        return BoardRow(
            rank: nil, isTied: false, player: tally.player.id, name: tally.player.name, isMe: isMe, value: tally.value,
            raw: raw(of: tally), label: label(of: tally), detail: detail(of: tally, puzzles: puzzles), delta: nil,
            isLate: tally.isLate, isEdited: tally.isEdited, isCovered: tally.isCovered,
            coveredCount: tally.coveredCount, isPrivate: false, played: tally.played, of: max(puzzles, tally.played),
            perGame: tally.perGame, extra: tally.extra)
    }

    private func raw(of tally: Tally) -> Int? {
        guard query.metric == .points else { return nil }
        if let custom = tally.customRaw { return custom }
        return tally.single.flatMap { $0.entry.result.value(in: $0.game) }
    }

    private func label(of tally: Tally) -> String {
        if tally.isCovered { return "covered" }
        guard tally.order != nil else { return "–" }
        if query.metric == .points, tally.customRaw != nil, let id = query.game {
            return Scoring.label(forPoints: tally.value, in: reader.games(id) ?? Scoring.unknownGame(id))
        }
        guard query.metric == .points, let single = tally.single else {
            return Scoring.label(tally.value, metric: query.metric)
        }
        if query.isDayView || tally.standsForSingle || !single.entry.isCompleted
            || single.entry.result.value(in: single.game) == nil
        {
            return Scoring.label(for: single.entry.result, in: single.game)
        }
        let maximum = single.entry.result.maximum(in: single.game)
        return Scoring.label(forPoints: tally.value, in: single.game, maximum: maximum)
    }

    private func detail(of tally: Tally, puzzles: Int) -> String? {
        guard query.metric == .points, !query.isDayView, tally.played > 0 else { return nil }
        let played = "played \(tally.played) of \(max(puzzles, tally.played))"
        return query.game == nil ? played : "average \(tally.average ?? "–"), \(played)"
    }
}

extension BoardQuery {
    /// Later days may still get results and be covered.
    var lastFinalDay: PuzzleDay { now.map(PuzzleDay.lastFinal(at:)) ?? today.adding(days: -2) }

    func isInScope(_ player: Player) -> Bool {
        if let only, !only.contains(player.id) { return false }
        guard let region else { return true }
        return player.region.map { NameOrder.key(for: $0) == NameOrder.key(for: region) } ?? false
    }
}

extension Player {
    /// Each player ID once. If two players have one ID, the hidden one wins, then the smaller name, whatever their
    /// order.
    static func distinct(_ players: [Player]) -> [Player] {
        var byID: [PlayerID: Player] = [:]
        for player in players {
            if let known = byID[player.id] {
                let isPreferred = known.isHidden == player.isHidden ? player.name < known.name : player.isHidden
                if !isPreferred { continue }
            }
            byID[player.id] = player
        }
        return byID.keys.sorted().compactMap { byID[$0] }
    }
}
