public import StreakGames

/// Two players compared by the puzzles that both have played.
public struct HeadToHead: Sendable, Equatable {
    public enum Side: Sendable, Hashable { case first, second }

    /// A solve beats a loss, two losses tie, and of two solves the better raw result wins.
    public struct Record: Sendable, Hashable {
        public var firstWins = 0
        public var secondWins = 0
        public var ties = 0

        public init(firstWins: Int = 0, secondWins: Int = 0, ties: Int = 0) {
            self.firstWins = firstWins
            self.secondWins = secondWins
            self.ties = ties
        }

        /// Puzzles both have played.
        public var count: Int { firstWins + secondWins + ties }

        public func wins(of side: Side) -> Int { side == .first ? firstWins : secondWins }

        /// Wins of all comparisons, 0…100, rounded half up; `nil` below three puzzles, where it would be meaningless.
        public func percent(of side: Side) -> Int? {
            count < 3 ? nil : Proportion(wins(of: side), of: count).percent
        }

        fileprivate mutating func add(_ winner: Side?) {
            switch winner {
            case .first: firstWins += 1
            case .second: secondWins += 1
            case nil: ties += 1
            }
        }
    }

    public struct GameRecord: Sendable, Hashable {
        public var game: GameID
        public var record: Record
        /// Means of the compared raw results. A loss counts as one more than the maximum.
        public var firstAverage: Average
        public var secondAverage: Average
    }

    /// Wins in a row up to the latest comparison. Ties neither extend nor end it.
    public struct Run: Sendable, Hashable {
        public var side: Side
        public var length: Int

        public init(side: Side, length: Int) {
            self.side = side
            self.length = length
        }
    }

    /// The score at the end of a day.
    public struct Point: Sendable, Hashable {
        public var day: PuzzleDay
        public var record: Record
    }

    public var total = Record()
    /// Games that both have played, by game ID.
    public var games: [GameRecord] = []
    /// `nil` while nobody has won.
    public var currentRun: Run?
    /// One for each day with a comparison, ascending: for the chart.
    public var points: [Point] = []
    /// Puzzles left out because one of their results is covered.
    public var coveredCount = 0
}

extension ScoreIndex {
    /// Compares two players over the days and games of `query`, with its rules and spoiler guard. Its metric has no
    /// effect.
    ///
    /// If the rules count missed days, a final puzzle that only one has played counts as lost by the other, provided
    /// that the other plays the game and was a member by then. O(n log n) in the results of both.
    public func headToHead(
        _ first: Player, _ second: Player, query: BoardQuery, games: (GameID) -> Game?
    ) -> HeadToHead {
        withoutActuallyEscaping(games) { games in
            let reader = BoardReader(index: self, query: query, players: [], games: games)
            return Comparison(reader: reader, first: first, second: second).result()
        }
    }
}

extension ScoreIndex.Shelf {
    /// The shelf with comparable results. For a habit that is its days, because its logs have unique names.
    fileprivate func compared(in game: Game) -> ScoreIndex.Shelf {
        guard game.model == .count else { return self }
        var days = History(rules: GameRules(game))
        for entry in Entry.results(history.entries[...], in: game) { _ = days.replace(entry) }
        return ScoreIndex.Shelf(game: self.game, history: days)
    }
}

/// Collects a head-to-head.
private struct Comparison {
    let reader: BoardReader
    let first: Player
    let second: Player

    private struct Duel {
        var day: PuzzleDay
        var game: GameID
        var axis: ScoreKey.Axis
        var winner: HeadToHead.Side?
    }

    func result() -> HeadToHead {
        var result = HeadToHead()
        var duels: [Duel] = []
        guard first.id != second.id else { return result }
        for mine in reader.index.shelves(of: first.id, game: reader.query.game) {
            let id = reader.index.gameIDs[mine.game]
            guard let theirs = reader.index.shelves(of: second.id, game: id).first else { continue }
            compare(mine, theirs, in: reader.game(of: mine.game), &duels, &result)
        }
        result.games.sort { $0.game < $1.game }
        duels.sort { ($0.day, $0.game, $0.axis) < ($1.day, $1.game, $1.axis) }
        for duel in duels {
            result.total.add(duel.winner)
            if result.points.last?.day == duel.day { result.points.removeLast() }
            result.points.append(HeadToHead.Point(day: duel.day, record: result.total))
        }
        for winner in duels.reversed().compactMap(\.winner) {
            guard result.currentRun == nil || result.currentRun?.side == winner else { break }
            result.currentRun = HeadToHead.Run(side: winner, length: (result.currentRun?.length ?? 0) + 1)
        }
        return result
    }

    private func compare(
        _ mine: ScoreIndex.Shelf, _ theirs: ScoreIndex.Shelf, in game: Game, _ duels: inout [Duel],
        _ result: inout HeadToHead
    ) {
        let span = DaySpan(from: reader.query.from, to: reader.query.to)
        let (mine, theirs) = (mine.compared(in: game), theirs.compared(in: game))
        var record = HeadToHead.Record()
        var sums = (first: RawSums(), second: RawSums())
        for entry in mine.history.slice(span) {
            guard let other = theirs.history.entry(entry.axis) else {
                missed(entry, of: mine, by: second, theirs.history, game, winner: .first, &duels, &record)
                continue
            }
            let day = max(entry.puzzleDay, other.puzzleDay)
            guard day <= span.to, reader.counts(entry), reader.counts(other) else { continue }
            if reader.isCovered(entry, of: first.id, in: mine) || reader.isCovered(other, of: second.id, in: theirs) {
                result.coveredCount += 1
                continue
            }
            let (left, right) = (RawOrder(entry.result, in: game), RawOrder(other.result, in: game))
            let winner: HeadToHead.Side? = left < right ? .first : right < left ? .second : nil
            record.add(winner)
            sums.first.add(entry, in: game, played: 1)
            sums.second.add(other, in: game, played: 1)
            duels.append(Duel(day: day, game: game.id, axis: entry.axis, winner: winner))
        }
        for entry in theirs.history.slice(span) where mine.history.entry(entry.axis) == nil {
            missed(entry, of: theirs, by: first, mine.history, game, winner: .second, &duels, &record)
        }
        guard record.count > 0 else { return }
        result.games.append(
            HeadToHead.GameRecord(
                game: game.id, record: record,
                firstAverage: Average(sum: sums.first.value, count: sums.first.count),
                secondAverage: Average(sum: sums.second.value, count: sums.second.count)))
    }

    /// Records a puzzle that `loser` missed, if the group counts that.
    private func missed(
        _ entry: Entry, of shelf: ScoreIndex.Shelf, by loser: Player, _ played: History, _ game: Game,
        winner: HeadToHead.Side, _ duels: inout [Duel], _ record: inout HeadToHead.Record
    ) {
        let day = entry.puzzleDay
        guard reader.query.rules.missedDay != .nothing, game.model != .highScore, game.model != .count,
            game.cadence != .unlimited, day <= reader.lastFinalDay, reader.counts(entry),
            let begun = played.entries.first?.puzzleDay, day >= loser.memberSince ?? begun
        else { return }
        // A missed day is no better and no worse than a loss.
        let winner = entry.isCompleted ? winner : nil
        record.add(winner)
        duels.append(Duel(day: day, game: game.id, axis: entry.axis, winner: winner))
    }
}
