public import StreakGames

/// The champions of a week or month that is over.
public struct Champions: Sendable, Hashable {
    public enum Period: String, Sendable, Hashable, CaseIterable { case week, month }

    public struct Champion: Sendable, Hashable {
        public var player: PlayerID
        public var name: String
    }

    public var period: Period
    public var span: DaySpan
    /// All players with the first rank, in board order.
    public var winners: [Champion]
    /// Their points, or the best or latest value if a custom game ranks by that.
    public var value: Int
    /// Players with a result in the period.
    public var rankedCount: Int
}

/// How often a player was first, for the wall of champions.
public struct Wins: Sendable, Hashable {
    public var champion: Champions.Champion
    /// Periods with the first rank; a shared one counts.
    public var count: Int
    /// How many of the latest periods in a row; a period without results ends no run.
    public var current: Int
    public var longest: Int
    /// The first day of the latest period won.
    public var latest: PuzzleDay
}

extension Champions {
    /// Everybody who was ever first: who won most first, then by the longest run, then as boards list equals.
    ///
    /// - Parameter periods: newest first, as `ScoreIndex.champions` gives them.
    public static func wall(of periods: [Champions]) -> [Wins] {
        var wins: [PlayerID: Wins] = [:]
        /// The runs that reach to the period last looked at.
        var runs: [PlayerID: Int] = [:]
        for (number, period) in periods.reversed().enumerated() {
            let isLast = number == periods.count - 1
            let before = runs
            runs = [:]
            for winner in period.winners {
                let run = (before[winner.player] ?? 0) + 1
                runs[winner.player] = run
                var known =
                    wins[winner.player]
                    ?? Wins(champion: winner, count: 0, current: 0, longest: 0, latest: period.span.from)
                known.count += 1
                known.longest = max(known.longest, run)
                known.latest = period.span.from
                if isLast { known.current = run }
                wins[winner.player] = known
            }
        }
        return wins.values.sorted { left, right in
            if left.count != right.count { return left.count > right.count }
            if left.longest != right.longest { return left.longest > right.longest }
            let names = (NameOrder.key(for: left.champion.name), NameOrder.key(for: right.champion.name))
            if names.0 != names.1 { return names.0.lexicographicallyPrecedes(names.1) }
            return left.champion.player < right.champion.player
        }
    }
}

extension ScoreIndex {
    /// The champions of every week or month with a result, newest first, ranked as on the board of that week or month.
    ///
    /// Uses `game`, `aggregation`, `rules`, `region`, `only` and `now` of the query. A period is over when its last day
    /// is final, so nothing is covered. One pass over all results of these periods.
    ///
    /// - Parameter since: only periods that hold this day, or are later.
    public func champions(
        _ period: Champions.Period, query: BoardQuery, players: [Player], since: PuzzleDay = .earliest,
        games: (GameID) -> Game?
    ) -> [Champions] {
        guard var known = span, since <= known.to else { return [] }
        known.from = max(known.from, since)
        let lastFinal = query.lastFinalDay
        let calendar = Periods(period, known)
        var best: [[Candidate]] = Array(repeating: [], count: calendar.spans.count)
        for player in Player.distinct(players) where !player.isHidden && query.isInScope(player) {
            let places = places(of: player, query, calendar, games)
            for (number, place) in places.enumerated() {
                guard let place else { continue }
                best[number].append(Candidate(player: player, place: place))
            }
        }
        var found: [Champions] = []
        for (span, candidates) in zip(calendar.spans, best).reversed() where span.to <= lastFinal {
            guard let first = candidates.map(\.place.order).min() else { continue }
            let winners = candidates.filter { $0.place.order == first }
            found.append(
                Champions(
                    period: period, span: span, winners: Self.inBoardOrder(winners),
                    value: winners.first?.place.value ?? 0, rankedCount: candidates.count))
        }
        return found
    }

    private func places(
        of player: Player, _ query: BoardQuery, _ calendar: Periods, _ games: (GameID) -> Game?
    ) -> [Place?] {
        var places: [Place?] = Array(repeating: nil, count: calendar.spans.count)
        for shelf in shelves(of: player.id, game: query.game) {
            let id = gameIDs[shelf.game]
            let game = games(id) ?? Scoring.unknownGame(id)
            let isScored = shelf.history.game.isScored(like: game)
            let aggregation = query.game == nil ? nil : query.aggregation ?? Aggregation(of: game.model)
            let sumsRaw = aggregation == .sum && (game.model == .highScore || game.model == .count)
            var days = DayTotal(of: game)
            var entries = calendar.span.map(shelf.history.slice) ?? []
            if game.model == .count, aggregation == .best || aggregation == .latest {
                entries = Entry.results(entries.filter(query.rules.streaks.counts)[...], in: game)
            }
            for entry in entries where query.rules.streaks.counts(entry) {
                guard let number = calendar.number(of: entry.day) else { continue }
                switch aggregation {
                case .best, .latest:
                    let place = Place(entry, in: game)
                    if let known = places[number], aggregation == .best, known.order <= place.order { continue }
                    places[number] = place
                case .sum, nil:
                    let points =
                        sumsRaw
                        ? Scoring.points(for: entry.result, in: game)
                        : Int(
                            days.share(
                                of: isScored ? entry.points : Scoring.cachedPoints(for: entry.result, in: game),
                                on: entry.day))
                    places[number] = Place(total: (places[number]?.value ?? 0) &+ points)
                }
            }
        }
        return places
    }

    private static func inBoardOrder(_ winners: [Candidate]) -> [Champions.Champion] {
        let tallies = winners.map { Tally(player: $0.player) }.sorted(by: Tally.isListedBefore)
        return tallies.map { Champions.Champion(player: $0.player.id, name: $0.player.name) }
    }

    private struct Candidate {
        var player: Player
        var place: Place
    }

    private struct Place {
        var value: Int
        var order: RawOrder

        init(total: Int) {
            value = total
            order = RawOrder(total: total)
        }

        init(_ entry: Entry, in game: Game) {
            value = Scoring.points(for: entry.result, in: game)
            order = RawOrder(entry.result, in: game)
        }
    }

    /// The weeks or months in a span of days.
    private struct Periods {
        private(set) var spans: [DaySpan] = []
        private var numbers: [Int32] = []
        private let first: Int

        init(_ period: Champions.Period, _ known: DaySpan) {
            let range: BoardRange = period == .week ? .week : .month
            var day = known.from
            first = range.span(around: day, today: .latest).from.daysSinceEpoch
            while true {
                let span = range.span(around: day, today: .latest)
                numbers.append(
                    contentsOf: repeatElement(Int32(spans.count), count: span.from.days(until: span.to) + 1))
                spans.append(span)
                guard span.to < known.to else { return }
                day = span.to.adding(days: 1)
            }
        }

        /// All days of them.
        var span: DaySpan? {
            guard let first = spans.first, let last = spans.last else { return nil }
            return DaySpan(from: first.from, to: last.to)
        }

        func number(of day: Int32) -> Int? {
            let offset = Int(day) - first
            return numbers.indices ~= offset ? Int(numbers[offset]) : nil
        }
    }
}
