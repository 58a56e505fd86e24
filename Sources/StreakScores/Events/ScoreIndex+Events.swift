public import StreakGames

extension ScoreIndex {
    /// How an event stands: a function of the standing results, of who the members are, and of what the viewer may see.
    ///
    /// Uses `viewer`, `today`, `now`, `guardsSpoilers` and `rules` of the query. Hidden players, and those who became
    /// members after the week, take no part. Reads only the week's results, except under the rule `newGames`.
    public func standings(
        of event: WeeklyEvent, _ query: BoardQuery, players: [Player], games: (GameID) -> Game?
    ) -> EventStandings {
        withoutActuallyEscaping(games) { games in
            EventReader(index: self, event: event, query: query, players: players, games: games).standings()
        }
    }
}

/// Reads an event's standings from an index.
private struct EventReader {
    private struct Account {
        var tally: Tally
        var results = 0
        var isCorrected = false
    }

    private let index: ScoreIndex
    private let event: WeeklyEvent
    private let players: [Player]
    private let board: BoardReader
    /// Under `newGames`: what somebody had played before the week. A game is named with its modes and difficulties.
    private var played: Set<GameID> = []

    init(
        index: ScoreIndex, event: WeeklyEvent, query: BoardQuery, players: [Player],
        games: @escaping (GameID) -> Game?
    ) {
        var query = query
        (query.from, query.to) = (event.span.from, event.span.to)
        (query.game, query.aggregation, query.metric) = (nil, nil, .points)
        (self.index, self.event) = (index, event)
        let lastDay = event.span.to
        self.players = Player.distinct(players).filter { ($0.memberSince ?? .earliest) <= lastDay }
        board = BoardReader(index: index, query: query, players: self.players, games: games)
        if event.plan.rule == .newGames { played = gamesBefore() }
    }

    private func root(of shelf: ScoreIndex.Shelf) -> GameID {
        let game = board.game(of: shelf.game)
        return game.variantOf ?? game.id
    }

    /// Only results that were first recorded before the week: a late paste takes nobody's points away.
    private func gamesBefore() -> Set<GameID> {
        var found: Set<GameID> = []
        let before = DaySpan(from: .earliest, to: event.monday.adding(days: -1))
        for player in players where !player.isHidden && (player.memberSince ?? .earliest) < event.monday {
            for shelf in index.shelves(of: player.id, game: nil) where !found.contains(root(of: shelf)) {
                if shelf.history.slice(before).contains(where: { $0.firstRecordedAt < event.start }) {
                    found.insert(root(of: shelf))
                }
            }
        }
        return found
    }

    func standings() -> EventStandings {
        let counted = players.filter { !$0.isHidden }.map(account).filter {
            $0.results > 0 || $0.tally.coveredCount > 0
        }
        let sorted = counted.sorted { Tally.isListedBefore($0.tally, $1.tally) }
        let ranks = Ranks(of: sorted.map(\.tally))
        let rows = sorted.enumerated().map { number, account in
            row(of: account, rank: ranks.ranks[number], isTied: ranks.tied[number])
        }
        return EventStandings(
            event: event, rows: rows, myRow: rows.first(where: \.isMe) ?? hiddenRow(), rankedCount: ranks.rankedCount,
            coveredCount: rows.reduce(0) { $0 + $1.coveredCount })
    }

    /// The row of a viewer who opted out: with a value, but without a rank.
    private func hiddenRow() -> EventStandings.Row? {
        guard let me = players.first(where: { $0.id == board.query.viewer && $0.isHidden }) else { return nil }
        var row = row(of: account(me), rank: nil, isTied: false)
        row.isPrivate = true
        return row.results > 0 ? row : nil
    }

    private func row(of account: Account, rank: Int?, isTied: Bool) -> EventStandings.Row {
        let player = account.tally.player
        return EventStandings.Row(
            rank: rank, isTied: isTied, player: player.id, name: player.name, isMe: player.id == board.query.viewer,
            value: account.tally.value, results: account.results, isCorrected: account.isCorrected,
            coveredCount: account.tally.coveredCount)
    }

    private func account(_ player: Player) -> Account {
        var account = Account(tally: Tally(player: player))
        var solved: Set<GameID> = []
        for shelf in index.shelves(of: player.id, game: nil) where takesPart(shelf) {
            let isSolved = add(shelf, to: &account)
            if isSolved { solved.insert(root(of: shelf)) }
        }
        if event.plan.rule == .mostGames { account.tally.value = solved.count }
        account.tally.order = account.tally.value > 0 ? RawOrder(total: account.tally.value) : nil
        return account
    }

    /// Which games take part is no secret, so this is asked before what is covered.
    private func takesPart(_ shelf: ScoreIndex.Shelf) -> Bool {
        switch event.plan.rule {
        case .points, .hardMode: event.plan.game.map { $0 == index.gameIDs[shelf.game] } ?? true
        case .double, .mostGames: true
        case .newGames: !played.contains(root(of: shelf))
        }
    }

    /// Adds what counts of one history, and says whether it holds a solved puzzle.
    private func add(_ shelf: ScoreIndex.Shelf, to account: inout Account) -> Bool {
        let game = board.game(of: shelf.game)
        let isScored = shelf.history.game.isScored(like: game)
        let factor = event.plan.rule == .double && event.plan.game == index.gameIDs[shelf.game] ? 2 : 1
        var days = DayTotal(of: game)
        var isSolved = false
        for entry in shelf.history.slice(event.span) where board.counts(entry) && entry.firstRecordedAt < event.end {
            // Whether a covered result is in hard mode or solved is covered, too.
            guard !board.isCovered(entry, of: account.tally.player.id, in: shelf) else {
                account.tally.coveredCount += 1
                continue
            }
            if event.plan.rule == .hardMode, !entry.flags.contains(.hardMode) { continue }
            let points = isScored ? entry.points : Scoring.cachedPoints(for: entry.result, in: game)
            account.tally.value += Int(days.share(of: points, on: entry.day)) * factor
            account.results += 1
            if entry.updatedAt >= event.end { account.isCorrected = true }
            if entry.isCompleted { isSolved = true }
        }
        return isSolved
    }
}
