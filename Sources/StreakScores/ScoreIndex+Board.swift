public import StreakGames

extension ScoreIndex {
    /// Ranks `players` as the viewer may see it.
    ///
    /// Players whose ID comes twice count once. `games` gives the catalogue's or the group's game; an unknown one is
    /// scored by the attempts rule. Cost: a binary search per player and game, and the results inside the range.
    /// Product rows D1–D10.
    public func board(_ query: BoardQuery, players: [Player], games: (GameID) -> Game?) -> Board {
        withoutActuallyEscaping(games) { games in
            BoardAssembly(reader: BoardReader(index: self, query: query, games: games)).board(of: players)
        }
    }
}

/// Puts a board together from standings.
private struct BoardAssembly {
    let reader: BoardReader
    private var query: BoardQuery { reader.query }

    init(reader: BoardReader) {
        self.reader = reader
    }

    func board(of players: [Player]) -> Board {
        let visible = distinct(players).filter { !$0.isHidden }
        let span = DaySpan(from: query.from, to: query.to)
        let standings = reader.standings(of: visible, over: span)
        let ranks = Ranks(of: standings)
        let deltas = deltas(of: standings, ranks, visible)
        let puzzles = puzzleCount(visible, span)
        let limit = max(query.limit, 0)
        var rows: [BoardRow] = []
        var myRow: BoardRow?
        for (position, tally) in standings.enumerated() {
            let isMe = tally.player.id == query.viewer
            guard position < limit || isMe else { continue }
            var row = row(of: tally, puzzles: puzzles)
            row.rank = ranks.ranks[position]
            row.isTied = ranks.tied[position]
            row.delta = deltas[tally.player.id]
            if position < limit { rows.append(row) }
            if isMe { myRow = row }
        }
        if myRow == nil { myRow = ownRow(among: players, span, puzzles) }
        return Board(
            query: query, rows: rows, rankedCount: ranks.rankedCount, listedCount: standings.count, myRow: myRow,
            coveredCount: standings.reduce(0) { $0 + $1.coveredCount })
    }

    /// The row of a viewer who opted out or is not listed: with values, without a rank.
    private func ownRow(among players: [Player], _ span: DaySpan, _ puzzles: Int) -> BoardRow? {
        guard let me = distinct(players).first(where: { $0.id == query.viewer }) else { return nil }
        var row = row(of: reader.tally(of: me, over: span), puzzles: puzzles)
        row.isPrivate = me.isHidden
        return row
    }

    /// One player per ID; of two that claim the same, the hidden one, then the smaller name, whatever their order.
    private func distinct(_ players: [Player]) -> [Player] {
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

    /// Rank changes since the day before, on the same board with the same players. Product rule 17.
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

    /// The m of "played n of m".
    private func puzzleCount(_ players: [Player], _ span: DaySpan) -> Int {
        guard let id = query.game else { return distinctPuzzles(players, span) }
        let end = min(span.to, query.today)
        guard span.from <= end else { return 0 }
        if reader.games(id)?.cadence == .weekly {
            return span.from.startOfWeek.days(until: end.startOfWeek) / 7 + 1
        }
        return span.from.days(until: end) + 1
    }

    /// Puzzles anyone has a result for. A mark per game and day: hashing a million keys would cost too much.
    private func distinctPuzzles(_ players: [Player], _ span: DaySpan) -> Int {
        guard span.from <= span.to else { return 0 }
        let first = span.from.daysSinceEpoch
        let words = span.from.days(until: span.to) / 64 + 1
        var days: [[UInt64]] = Array(repeating: [], count: reader.index.gameIDs.count)
        var numbers: [Set<Int32>] = Array(repeating: [], count: days.count)
        for player in players {
            for shelf in reader.index.shelves(of: player.id, game: nil) {
                for entry in shelf.history.slice(span) {
                    if entry.isKeyedByPuzzle {
                        numbers[shelf.game].insert(entry.position.puzzle)
                        continue
                    }
                    if days[shelf.game].isEmpty { days[shelf.game] = Array(repeating: 0, count: words) }
                    let offset = Int(entry.day) - first
                    days[shelf.game][offset / 64] |= 1 << UInt64(offset % 64)
                }
            }
        }
        let marked = days.reduce(0) { sum, marks in sum + marks.reduce(0) { $0 + $1.nonzeroBitCount } }
        return numbers.reduce(marked) { $0 + $1.count }
    }

    private func row(of tally: Tally, puzzles: Int) -> BoardRow {
        let isMe = tally.player.id == query.viewer
        return BoardRow(
            rank: nil, isTied: false, player: tally.player.id, name: tally.player.name, isMe: isMe, value: tally.value,
            raw: raw(of: tally), label: label(of: tally), detail: detail(of: tally, puzzles: puzzles), delta: nil,
            isLate: tally.isLate, isEdited: tally.isEdited, isCovered: tally.isCovered,
            coveredCount: tally.coveredCount, isPrivate: false, played: tally.played, of: max(puzzles, tally.played),
            perGame: tally.perGame)
    }

    private func raw(of tally: Tally) -> Int? {
        guard query.metric == .points else { return nil }
        if let custom = tally.customRaw { return custom }
        return tally.single.flatMap { $0.entry.result.value(in: $0.game) }
    }

    private func label(of tally: Tally) -> String {
        if tally.isCovered { return "covered" }
        guard tally.order != nil else { return "–" }
        guard query.metric == .points, let single = tally.single else {
            return Scoring.label(tally.value, metric: query.metric)
        }
        if query.isDayView || !single.entry.isCompleted || single.entry.result.value(in: single.game) == nil {
            return Scoring.label(for: single.entry.result, in: single.game)
        }
        let maximum = single.entry.result.maximum(in: single.game)
        return Scoring.label(forPoints: tally.value, in: single.game, maximum: maximum)
    }

    private func detail(of tally: Tally, puzzles: Int) -> String? {
        guard query.metric == .points, !query.isDayView, tally.played > 0 else { return nil }
        let played = "played \(tally.played) of \(max(puzzles, tally.played))"
        guard let id = query.game else { return played }
        let game = reader.games(id) ?? Scoring.unknownGame(id)
        let average = Scoring.averageLabel(sum: tally.averageSum, count: tally.averageCount, in: game) ?? "–"
        return "average \(average), \(played)"
    }
}
