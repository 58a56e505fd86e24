import StreakGames
import StreakScores

/// A player's results that are news, in the order of their recording, and what is told of each.
struct PlayerNews {
    enum Told {
        /// Told with others of its sitting; the same, and this user may not see it yet.
        case plain, covered
        /// A new personal best; one that beat this user's.
        case best, beaten
    }

    /// What is looked at often, apart from the results, which are large.
    struct Mark {
        /// Unix seconds.
        let time: Int64
        let day: PuzzleDay
        /// By its number here.
        fileprivate let game: Int
        fileprivate(set) var told = Told.plain
    }

    private(set) var results: [DailyScore]
    private(set) var marks: [Mark] = []
    private(set) var keys: Set<ScoreKey>
    private var games: [GameID: Int] = [:]

    /// - Parameter results: in order.
    init(_ results: [DailyScore]) {
        self.results = results
        keys = Set(results.lazy.map(\.key))
        marks.reserveCapacity(results.count)
        for result in results { marks.append(mark(of: result)) }
    }

    private mutating func mark(of result: DailyScore) -> Mark {
        let game = games[result.game] ?? games.count
        games[result.game] = game
        return Mark(time: ActivityFeed.time(of: result), day: result.day, game: game)
    }

    static func isBefore(_ left: DailyScore, _ right: DailyScore) -> Bool {
        let (first, second) = (ActivityFeed.time(of: left), ActivityFeed.time(of: right))
        return first == second ? left.key < right.key : first < second
    }

    /// Puts others in place of some results. What is told of those is not known yet.
    mutating func replace(_ old: Set<ScoreKey>, with others: [DailyScore]) {
        for place in results.indices.reversed() where old.contains(results[place].key) {
            results.remove(at: place)
            marks.remove(at: place)
        }
        keys.subtract(old)
        keys.formUnion(others.map(\.key))
        for other in others {
            let place = results.lastIndex { Self.isBefore($0, other) }.map { $0 + 1 } ?? 0
            results.insert(other, at: place)
            marks.insert(mark(of: other), at: place)
        }
    }

    /// - Parameter games: only results in these; nil is all.
    mutating func classify(in games: Set<GameID>?, _ tell: (DailyScore) -> Told) {
        var isChosen = [Bool](repeating: games == nil, count: self.games.count)
        for game in games ?? [] { if let number = self.games[game] { isChosen[number] = true } }
        for place in marks.indices where isChosen[marks[place].game] { marks[place].told = tell(results[place]) }
    }

    // MARK: What is told together

    struct Telling {
        /// Of the result; for a sitting, of its last.
        let place: Int
        var count = 1
    }

    /// - Parameters:
    ///   - pause: results of one sitting follow one another within this time, in seconds.
    ///   - mostAlone: more results of one sitting than this are told as one.
    func sittings(pause: Int64, mostAlone: Int) -> [Telling] {
        var tellings: [Telling] = []
        func end(_ sitting: inout [Int]) {
            if sitting.count > mostAlone, let last = sitting.last {
                tellings.append(Telling(place: last, count: sitting.count))
            } else {
                tellings += sitting.map { Telling(place: $0) }
            }
            sitting.removeAll(keepingCapacity: true)
        }
        func add(_ place: Int, to sitting: inout [Int]) {
            if let last = sitting.last, marks[place].time - marks[last].time > pause { end(&sitting) }
            sitting.append(place)
        }
        // Apart, so that what is covered changes nothing of what is shown: no count, no time.
        var (plain, covered): ([Int], [Int]) = ([], [])
        for place in marks.indices {
            switch marks[place].told {
            case .beaten, .best: tellings.append(Telling(place: place))
            case .plain: add(place, to: &plain)
            case .covered: add(place, to: &covered)
            }
        }
        end(&plain)
        end(&covered)
        return tellings
    }

    // MARK: Days

    /// When the last of a day's news was recorded, for each day of a span. Nobody reaches anything on a day to come.
    struct DayTimes {
        let first: PuzzleDay
        private var times: [Int64]

        fileprivate init(from first: PuzzleDay, to last: PuzzleDay) {
            self.first = first
            times = [Int64](repeating: .min, count: first.days(until: last) + 1)
        }

        fileprivate mutating func note(_ time: Int64, on day: PuzzleDay) {
            let place = first.days(until: day)
            if times.indices.contains(place) { times[place] = max(times[place], time) }
        }

        subscript(_ day: PuzzleDay) -> Int64? {
            let place = first.days(until: day)
            return times.indices.contains(place) && times[place] > .min ? times[place] : nil
        }

        /// The days with news, ascending.
        var days: [PuzzleDay] { times.indices.filter { times[$0] > .min }.map { first.adding(days: $0) } }
    }

    /// The times of what is not covered.
    func times(from first: PuzzleDay, to last: PuzzleDay) -> DayTimes {
        var times = DayTimes(from: first, to: last)
        for mark in marks where mark.told != .covered { times.note(mark.time, on: mark.day) }
        return times
    }
}
