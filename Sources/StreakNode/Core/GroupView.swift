import Dispatch
import Logging
import StreakEngine
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire
import Synchronization

/// What a group's merged records show: results, games, settings, and other records. It depends only on the standing
/// records, not on how they came about.
struct GroupView: Sendable {
    private(set) var index = ScoreIndex()
    /// Records that none of the indexes below reads as they arrive.
    private(set) var records = RecordTable()
    /// Those of members that can be shown, as shown.
    private(set) var profiles: [UserID: Profile] = [:]
    /// Only in the private group.
    private(set) var settings = AccountSettings()
    private(set) var games: GroupGames
    /// Reactions and comments.
    private(set) var talk: GroupTalk
    private(set) var challenges = GroupChallenges()
    /// Shown only in groups of two friends.
    private(set) var messages = GroupMessages()
    /// What is played for each week.
    private(set) var events: GroupEvents
    /// Which results have changed since the view was made, and how often that list was emptied.
    private(set) var changes: [ResultChange] = []
    private(set) var emptied = 0
    private var closedEvents = ClosedEvents()
    private var cache = InsightCache()
    /// Made once for each user, because each has a thousand results.
    private var players: [UserID: PlayerID] = [:]
    /// The custom games whose rules the index follows.
    private var followed: [GameID: Game] = [:]

    /// A result that was stored, replaced or removed.
    struct ResultChange {
        let user: UserID
        let key: ScoreKey
        /// The day on which it was, or on which it is, whichever is earlier.
        let day: PuzzleDay
    }

    private static let mostChanges = 4_096

    /// - Parameter admins: the group's admins, including the owner.
    init(admins: Set<UserID> = []) {
        games = GroupGames(admins: admins)
        talk = GroupTalk(admins: admins)
        events = GroupEvents(admins: admins)
    }

    /// Reads the standing records of a group.
    ///
    /// - Parameter forEach: calls its first argument with all results, and its second with every other record.
    init(
        admins: Set<UserID>,
        reading forEach: (_ results: (StandingResults) -> Void, _ other: (MergedRecord) -> Void) -> Void
    ) {
        self.init(admins: admins)
        var results: [StandingResults] = []
        var others: [MergedRecord] = []
        forEach({ results.append($0) }, { others.append($0) })
        for record in others { apply(record) }
        apply(results)
    }

    /// Everything about a player, but for some results, kept until the player's results or these change.
    mutating func insights(
        of player: PlayerID, leavingOut leftOut: [ScoreKey], rules: StreakRules, games: (GameID) -> Game?
    ) -> PlayerInsights {
        cache.rules = rules
        return cache.insights(of: player, leavingOut: leftOut, in: index, games: games)
    }

    mutating func follow(admins: Set<UserID>) {
        games.follow(admins: admins)
        talk.follow(admins: admins)
        events.follow(admins: admins)
    }

    /// What members earned in events that are over, kept until a result of their weeks changes.
    mutating func closedEvents(
        _ events: [WeeklyEvent], _ query: BoardQuery, players: [Player], games: (GameID) -> Game?
    ) -> [EventStandings] {
        closedEvents.follow(players: players, rules: query.rules)
        return events.map { event in
            closedEvents.standings(of: event) { index.standings(of: event, query, players: players, games: games) }
        }
    }

    /// Makes sums follow the rules of custom games, in whichever group these are defined.
    mutating func follow(_ games: [Game]) {
        let known = Set(games.map(\.id))
        for id in followed.keys.sorted() where !known.contains(id) {
            followed[id] = nil
            index.undefine(id)
            cache.reset()
            closedEvents.reset()
        }
        for game in games where followed[game.id] != game {
            followed[game.id] = game
            index.define(game)
            cache.reset()
            closedEvents.reset()
        }
    }

    /// Applies the new value of a key. A value that cannot be read replaces the one before and is not shown, like a
    /// withdrawal (Protocol/records.md §8).
    ///
    /// - Returns: whether it is more than a result of a game in the catalogue, a word or a setting.
    @discardableResult
    mutating func apply(_ record: MergedRecord) -> Bool {
        let user = record.key.user
        switch RecordKind(rawValue: record.key.kind) {
        case .dailyScore: return applyScore(record)
        case .setting: settings.apply(record)
        case .reaction, .comment, .hiding: talk.apply(record)
        case .challenge, .challengeAnswer: challenges.apply(record)
        case .message: messages.apply(record)
        case .gameDefinition:
            games.apply(record)
            return true
        case .event:
            events.apply(record)
            return true
        case .profile:
            records.apply(record)
            profiles[user] = records.value(Profile.self, subject: [], of: user)?.shown
            return true
        case .address, nil:
            records.apply(record)
            return true
        // The engine has applied it.
        case .retraction: return true
        }
        return false
    }

    /// The same for several. Returns whether it holds for any.
    mutating func apply(_ records: [MergedRecord]) -> Bool {
        var isAny = false
        for record in records { isAny = apply(record) || isAny }
        return isAny
    }

    /// Adds each user's standing results in each game to an empty view. It uses all processors, one user on each at a
    /// time: this is half of a start with a long history.
    mutating func apply(_ results: [StandingResults]) {
        let users = Dictionary(grouping: results, by: \.user).sorted { $0.key < $1.key }
        let made = Mutex([UserID: ScoreIndex]())
        DispatchQueue.concurrentPerform(iterations: users.count) { number in
            let (user, parts) = users[number]
            let player = PlayerID(user.bytes.array)
            var index = ScoreIndex()
            for part in parts {
                guard let game = part.game else { continue }
                index.replace(part.count, of: player, in: game) { part.forEach($0) }
            }
            made.withLock { $0[user] = index }
        }
        let indexes = made.withLock { $0 }
        for user in indexes.keys.sorted() {
            if let part = indexes[user] { index.adopt(part) }
        }
        cache.reset()
        closedEvents.reset()
    }

    private mutating func player(_ user: UserID) -> PlayerID {
        if let player = players[user] { return player }
        let player = PlayerID(user.bytes.array)
        players[user] = player
        return player
    }

    /// Returns whether it may bring the name of its game, because that is not in the catalogue.
    private mutating func applyScore(_ record: MergedRecord) -> Bool {
        // If the subject is not a result's, the record is never shown, whatever its value.
        guard let key = try? DailyScore.scoreKey(fromSubject: record.key.subject) else { return false }
        let player = player(record.key.user)
        let before = index.day(of: key, player)
        var now: PuzzleDay?
        // If the value cannot be read, it was withdrawn, or is of another version.
        if var score = try? DailyScore(key: key, value: record.value[...], time: record.time) {
            score.updatedAt = record.time.milliseconds / 1_000
            index.replace(score, of: player)
            now = score.day
        } else {
            index.remove(key, of: player)
        }
        if let before { closedEvents.resultChanged(on: before) }
        if let now { closedEvents.resultChanged(on: now) }
        if let day = before.map({ min($0, now ?? $0) }) ?? now {
            cache.resultChanged(in: key.game, of: player, from: day)
            note(ResultChange(user: record.key.user, key: key, day: day))
        }
        return Catalogue.standard[key.game] == nil
    }

    private mutating func note(_ change: ResultChange) {
        if changes.count == Self.mostChanges { (changes, emptied) = ([], emptied + 1) }
        changes.append(change)
    }
}
