public import StreakGames

/// A group's ISO week: the winners, the climbers, the best result.
public struct GroupRecap: Hashable, Sendable {
    public struct Winner: Hashable, Sendable {
        public var player: PlayerID
        public var name: String
        public var points: Int
    }

    /// One of the first three ranks.
    public struct Place: Hashable, Sendable {
        public var rank: Int
        public var name: String
        public var points: Int

        public init(rank: Int, name: String, points: Int) {
            self.rank = rank
            self.name = name
            self.points = points
        }
    }

    /// Ranks gained since the week before.
    public struct Climb: Hashable, Sendable {
        public var player: PlayerID
        public var name: String
        public var from: Int
        public var to: Int
        public var places: Int { from - to }
    }

    /// The result with the largest lead in points over the group's mean for the same puzzle.
    public struct BestResult: Hashable, Sendable {
        public var player: PlayerID
        public var name: String
        public var score: DailyScore
        public var points: Int
        /// The mean of all points for that puzzle, including this one's.
        public var groupMean: Average
    }

    public var week: ISOWeek
    public var span: DaySpan
    /// Everybody with the first rank, in board order; empty for a week without results.
    public var winners: [Winner]
    /// Everybody with points and a rank from one to three, in board order.
    public var podium: [Place]
    /// Everybody with the largest gain; empty if nobody climbed.
    public var climbers: [Climb]
    /// `nil` if no puzzle was played by two members.
    public var best: BestResult?
    /// Results that the spoiler guard leaves out.
    public var coveredCount: Int

    /// The recap as text to share; `nil` for a week without results.
    public func text(group: String, games: (GameID) -> Game?) -> String? {
        guard let winner = winners.first else { return nil }
        let names = winners.map { ShareTemplate.bounded($0.name) }.joined(separator: ", ")
        var lines = ["📅 \(ShareTemplate.bounded(group)): week \(week.week) of \(week.year)"]
        lines.append("🏆 \(names): \(Scoring.totalLabel(winner.points))")
        if let climb = climbers.first {
            let names = climbers.map { ShareTemplate.bounded($0.name) }.joined(separator: ", ")
            lines.append("🧗 \(names): up \(climb.places) \(climb.places == 1 ? "place" : "places")")
        }
        if let best {
            let game = games(best.score.game) ?? Scoring.unknownGame(best.score.game, name: best.score.gameName)
            lines.append(
                "⭐ \(ShareTemplate.bounded(best.name)): \(Scoring.label(for: best.score, in: game)) in "
                    + "\(ShareTemplate.bounded(game.name)) (\(best.score.day))")
        }
        return lines.joined(separator: "\n")
    }
}

extension ScoreIndex {
    /// The recap of the week of `query.from`, as the viewer may see it. If the week is not over, its current state.
    ///
    /// The ranks are those of the week's board over all games, with the query's players, spoiler guard and day. Hidden
    /// players are left out.
    public func groupRecap(_ query: BoardQuery, players: [Player], games: (GameID) -> Game?) -> GroupRecap {
        let monday = query.from.startOfWeek
        var week = query
        week.from = monday
        week.to = monday.adding(days: 6)
        week.game = nil
        week.metric = .points
        week.limit = players.count
        week.offset = 0
        var before = week
        before.from = monday.adding(days: -7)
        before.to = monday.adding(days: -1)
        let board = board(week, players: players, games: games)
        let rowsBefore = self.board(before, players: players, games: games).rows
        let listed = Set(board.rows.map(\.player))
        let finder = BestOfWeek(index: self, query: week)
        return GroupRecap(
            week: monday.isoWeek, span: DaySpan(from: week.from, to: week.to),
            winners: board.rows.filter { $0.rank == 1 && $0.value > 0 }
                .map { GroupRecap.Winner(player: $0.player, name: $0.name, points: $0.value) },
            podium: board.rows.compactMap { row in
                guard let rank = row.rank, rank <= 3, row.value > 0 else { return nil }
                return GroupRecap.Place(rank: rank, name: row.name, points: row.value)
            },
            climbers: Self.climbers(of: board.rows, since: rowsBefore),
            best: finder.best(of: players.filter { listed.contains($0.id) }, games: games),
            coveredCount: board.coveredCount)
    }

    private static func climbers(of rows: [BoardRow], since before: [BoardRow]) -> [GroupRecap.Climb] {
        var ranks: [PlayerID: Int] = [:]
        for row in before { ranks[row.player] = row.rank }
        let climbs = rows.compactMap { row -> GroupRecap.Climb? in
            guard let to = row.rank, let from = ranks[row.player], from > to else { return nil }
            return GroupRecap.Climb(player: row.player, name: row.name, from: from, to: to)
        }
        let most = climbs.map(\.places).max() ?? 0
        return climbs.filter { $0.places == most }
    }
}

/// Finds the result with the largest lead over others of the same puzzle.
private struct BestOfWeek {
    private struct Candidate {
        let player: Player
        let score: DailyScore
        let points: Int
    }

    let index: ScoreIndex
    let query: BoardQuery

    func best(of players: [Player], games: (GameID) -> Game?) -> GroupRecap.BestResult? {
        let candidates = candidates(of: players, games: games)
        var means: [ScoreKey: Average] = [:]
        for candidate in candidates { means[candidate.score.key, default: Average()].add(candidate.points) }
        var best: (candidate: Candidate, mean: Average)?
        for candidate in candidates {
            // A single result equals the mean and has no lead.
            guard let mean = means[candidate.score.key], candidate.score.isCompleted,
                candidate.points * mean.count > mean.sum
            else { continue }
            if let known = best, !isBetter((candidate, mean), than: known) { continue }
            best = (candidate, mean)
        }
        return best.map { candidate, mean in
            GroupRecap.BestResult(
                player: candidate.player.id, name: candidate.player.name, score: candidate.score,
                points: candidate.points, groupMean: mean)
        }
    }

    private func isBetter(_ left: (Candidate, Average), than right: (Candidate, Average)) -> Bool {
        // Compares the leads by cross product, without rounding.
        let leftLead = (left.0.points * left.1.count - left.1.sum) * right.1.count
        let rightLead = (right.0.points * right.1.count - right.1.sum) * left.1.count
        if leftLead != rightLead { return leftLead > rightLead }
        if left.0.score.day != right.0.score.day { return left.0.score.day < right.0.score.day }
        if left.0.score.key != right.0.score.key { return left.0.score.key < right.0.score.key }
        return left.0.player.id < right.0.player.id
    }

    private func candidates(of players: [Player], games: (GameID) -> Game?) -> [Candidate] {
        var candidates: [Candidate] = []
        let guarded = SpoilerScreen(index: index, query: query)
        var seen: Set<PlayerID> = []
        for player in players where !player.isHidden && seen.insert(player.id).inserted {
            for shelf in index.shelves(of: player.id, game: nil) {
                let id = index.gameIDs[shelf.game]
                let game = games(id) ?? Scoring.unknownGame(id)
                let entries = shelf.history.slice(DaySpan(from: query.from, to: query.to))
                for entry in Entry.results(entries, in: game)
                where query.rules.streaks.counts(entry) && !guarded.covers(entry, of: player.id, in: game) {
                    candidates.append(
                        Candidate(
                            player: player, score: entry.score(game: id, gameName: nil),
                            points: Scoring.totalPoints(for: entry.result, in: game)))
                }
            }
        }
        return candidates
    }
}

/// Which results are still covered for the viewer.
private struct SpoilerScreen {
    private let query: BoardQuery
    private let lastFinalDay: PuzzleDay
    private let own: [GameID: History]

    init(index: ScoreIndex, query: BoardQuery) {
        self.query = query
        lastFinalDay = query.now.map(PuzzleDay.lastFinal(at:)) ?? query.today.adding(days: -2)
        var own: [GameID: History] = [:]
        for shelf in index.shelves(of: query.viewer, game: nil) { own[index.gameIDs[shelf.game]] = shelf.history }
        self.own = own
    }

    func covers(_ entry: Entry, of player: PlayerID, in game: Game) -> Bool {
        guard query.guardsSpoilers, !query.reveals, player != query.viewer, entry.puzzleDay > lastFinalDay,
            game.model != .highScore, game.model != .count
        else { return false }
        return !(own[game.id]?.holds(puzzleOf: entry) ?? false)
    }
}
