import StreakCrypto
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// One thing that happened in a group.
struct ActivityEntry: Hashable, Sendable {
    enum Kind: String, Sendable, CaseIterable {
        /// One result; several of one sitting; one that beat all earlier ones of its player; one that beat this user's,
        /// after it.
        case result, results, best, beaten
        /// A tier of an achievement; a round number.
        case unlock, milestone
        case joined, left, removed
        /// A weekly event began; it ends soon; somebody won one; somebody was the champion of a week or month; this
        /// user has a better rank than the week before.
        case event, eventEnding, eventWon, champion, climbed
        /// What somebody said about this user's result.
        case reaction, comment
        /// What a friend wrote to this user and the user has not read; several of one sitting.
        case message
        /// A challenge, what was said to it, and how it ended.
        case challenge, accepted, declined, outcome
    }

    let kind: Kind
    /// Nil for what the group did.
    let user: UserID?
    /// Unix seconds.
    let at: Int64
    /// The result that it is about: the last one of a sitting. And how many results or messages there are.
    var result: DailyScore?
    var count = 1
    /// Words of the kind: a tier, a round number, an emoji, a comment, all that stands behind the name.
    var words = ""
    var icon = ""
    /// Whether this user may not see the result yet.
    var isCovered = false
    /// As what this user is told of it at once; nil if only the feed has it.
    var notification: NotificationKind?
    /// Names it, the same on all machines and in all groups that have it.
    let id: UInt64

    /// - Parameter person: the bytes that stand for the user in all groups where they are shown as the same person.
    init(_ kind: Kind, _ user: UserID?, person: [UInt8], at: Int64, about: [UInt8]) {
        (self.kind, self.user, self.at) = (kind, user, at)
        let named = Array(kind.rawValue.utf8) + [0] + person + about
        id = Blake2b.hash(named).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Whether it is shown yet. Nothing compares the time of an operation with a clock, so who came or went at a time to
    /// come would be news until then.
    ///
    /// - Parameter now: Unix seconds. Another machine's clock may be a minute ahead.
    func isDue(at now: Int64) -> Bool {
        ![.joined, .left, .removed].contains(kind) || at <= now + 60
    }

    /// Whose result it is about, and which.
    var resultName: ResultName? {
        guard let user, let result else { return nil }
        return ResultName(owner: user, key: result.key)
    }

    /// Newest first; of one second, in an order that is the same everywhere.
    static func isBefore(_ left: Self, _ right: Self) -> Bool { (right.at, left.id) < (left.at, right.id) }
}

/// What happened in one group during the last thirty days, as one user may see it: derived from the group's records and
/// ledger and from the day, and never stored.
struct ActivityFeed {
    /// A member whose results are shown.
    struct Player {
        let member: GroupActivity.Member
        /// The results that this user may not see yet, and everything about the others.
        let covered: [ScoreKey]
        let insights: PlayerInsights

        var user: UserID { member.user }
        var id: PlayerID { PlayerID(member.user.bytes.array) }
    }

    /// Somebody who came or went.
    struct Passage {
        let kind: ActivityEntry.Kind
        let user: UserID
        let person: [UInt8]
        let at: Int64
        var words = ""
    }

    static let days = 30
    /// A result that was recorded later than this after its day is none of the news.
    private static let latestRecording: Int64 = 7 * 86_400
    /// Results of one sitting follow one another within this time, in seconds. So do messages.
    static let pause: Int64 = 30 * 60
    /// More results of one sitting than this are one entry, and more achievements reached at a time.
    private static let mostAlone = 3
    private static let counts = [100, 500, 1_000]
    private static let levelStep = 5
    /// The most results of one player: a hundred games a day. More are none of a person, and each costs all members
    /// time.
    static let mostNews = 3_000
    /// The most reactions and comments of one member, for the same reason.
    static let mostWords = 300

    let group: GroupID
    let me: UserID
    let today: PuzzleDay
    let index: ScoreIndex
    let talk: GroupTalk
    let game: (GameID) -> Game
    let isCovered: (DailyScore, UserID) -> Bool
    /// Whether another group has told of a result already.
    var isTold: (DailyScore) -> Bool

    /// The first second of the feed.
    private var start: Int64 { Self.start(on: today) }

    /// The first second of the feed that is shown on a day.
    static func start(on today: PuzzleDay) -> Int64 { Int64(today.adding(days: -days).daysSinceEpoch) * 86_400 }

    /// When a result was recorded: never after the record that says so.
    static func time(of result: DailyScore) -> Int64 { min(result.firstRecordedAt, result.updatedAt) }

    // MARK: Results

    /// A player's results that are news, in the order of their recording, and how many more there may be until the oldest
    /// are dropped.
    func news(of player: Player) -> (news: PlayerNews, room: Int) {
        // Those of earlier days were recorded too late, or are too old.
        let first = today.adding(days: -Self.days - 8)
        var news: [DailyScore] = []
        let days = DaySpan(from: first, to: .latest)
        index.forEachResult(of: player.id, in: days) { result in
            if isNews(result) { news.append(result) }
        }
        news.sort(by: PlayerNews.isBefore)
        let newest = news.suffix(Self.mostNews)
        return (PlayerNews(newest.filter { !isTold($0) }), Self.mostNews - newest.count)
    }

    private func isNews(_ result: DailyScore) -> Bool {
        let time = Self.time(of: result)
        return time >= start && time < result.day.endEverywhere + Self.latestRecording
    }

    /// Puts what a player's results are now in place of what they were.
    func replace(_ keys: Set<ScoreKey>, in news: inout PlayerNews, of player: Player) {
        news.replace(
            keys,
            with: keys.compactMap { index.score($0, of: player.id) }.filter { isNews($0) && !isTold($0) })
    }

    /// Finds out what to tell of each result.
    ///
    /// - Parameter games: only results in these; nil is all.
    func classify(_ news: inout PlayerNews, in games: Set<GameID>? = nil, of player: Player) {
        let bests = Set(
            player.insights.personalBests(in: games?.sorted()).filter { $0.timesBeaten > 0 }.map(\.score.key))
        news.classify(in: games) { result in
            if isCovered(result, player.user) { return .covered }
            if beaten(by: result, of: player) != nil { return .beaten }
            return bests.contains(result.key) ? .best : .plain
        }
    }

    /// The entries about a player's results.
    ///
    /// - Parameter known: entries of the same player that were made before.
    func entries(of player: Player, _ news: PlayerNews, _ known: inout KnownEntries) -> [ActivityEntry] {
        var entries: [ActivityEntry] = []
        for told in news.sittings(pause: Self.pause, mostAlone: Self.mostAlone) {
            let (result, mark) = (news.results[told.place], news.marks[told.place])
            entries.append(
                known.entry(.result(result.key, mark.told, count: told.count)) {
                    entry(of: result, mark.told, told.count, player)
                })
        }
        return entries
    }

    /// This user's result that another player's later one, not covered, has beaten. Habits have no better and worse.
    private func beaten(by result: DailyScore, of player: Player) -> DailyScore? {
        guard player.user != me, let mine = index.score(result.key, of: PlayerID(me.bytes.array)),
            Self.time(of: mine) <= Self.time(of: result)
        else { return nil }
        let game = game(result.game)
        guard game.model != .count, Scoring.isBetter(result, than: mine, in: game) else { return nil }
        return mine
    }

    private func entry(
        of result: DailyScore, _ told: PlayerNews.Told, _ count: Int, _ player: Player
    ) -> ActivityEntry {
        let kind: ActivityEntry.Kind =
            switch told {
            case .plain, .covered: count > 1 ? .results : .result
            case .best: .best
            case .beaten: .beaten
            }
        var entry = ActivityEntry(
            kind, player.user, person: player.member.person, at: Self.time(of: result),
            about: DailyScore.recordSubject(of: result.key))
        (entry.result, entry.count) = (result, count)
        entry.icon = game(result.game).emoji
        entry.isCovered = told == .covered
        if told == .beaten, let mine = beaten(by: result, of: player) {
            entry.words = Scoring.label(for: mine, in: game(mine.game))
            entry.notification = .beaten
        }
        return entry
    }

    // MARK: Tiers and round numbers

    /// Tiers and round numbers that a player reached on the days of the news, each at the last of that day's news. What
    /// covered results add to them is left out, so it does not show.
    func progress(of player: Player, _ news: PlayerNews, _ known: inout KnownEntries) -> [ActivityEntry] {
        let times = news.times(from: today.adding(days: -Self.days - 8), to: today.adding(days: 1))
        guard let first = times.days.first else { return [] }
        let achievements = player.insights.achievements(on: today, friends: player.member.friends)
        var entries: [ActivityEntry] = []
        func add(_ reached: Reached, on day: PuzzleDay) {
            if let at = times[day] { add(reached, at: at) }
        }
        func add(_ reached: Reached, at: Int64) {
            entries.append(
                known.entry(.reached(reached, at: at)) {
                    var entry = ActivityEntry(
                        reached.isTier ? .unlock : .milestone, player.user, person: player.member.person, at: at,
                        about: reached.about)
                    (entry.words, entry.icon) = (reached.words, reached.icon)
                    return entry
                })
        }
        // Of one achievement, the highest tier at a time. Many results at once, as of an import, reach a lot of them.
        var highest: [Int64: [Achievement: AchievementTier]] = [:]
        for unlock in achievements.unlocks {
            guard let at = times[unlock.day] else { continue }
            let reached = unlock.reached
            highest[at, default: [:]][reached.achievement] = max(
                reached, highest[at]?[reached.achievement] ?? reached)
        }
        for (at, tiers) in highest {
            let best = tiers.values.max { ($0.tier, $1) < ($1.tier, $0) }
            if tiers.count > Self.mostAlone, let best {
                add(.tiers(best, more: tiers.count - 1), at: at)
            } else {
                for tier in tiers.values { add(.tier(tier), at: at) }
            }
        }
        for number in Self.counts {
            guard let day = player.insights.day(ofResult: number) else { break }
            add(.results(number), on: day)
        }
        for streak in player.insights.roundStreaks(from: first) {
            let unit = streak.game.cadence == .weekly ? "weeks" : "days"
            add(.streak(streak.length, unit: unit, game: streak.game.name), on: streak.day)
        }
        let tiers = achievements.coins
        func level(_ last: PuzzleDay) -> Int {
            let span = DaySpan(from: .earliest, to: last)
            let coins =
                player.insights.resultCoins(through: last) + tiers.total(in: span)
                + player.member.rewards.total(in: span)
            return Experience(coins: coins).level / Self.levelStep
        }
        var latest: (day: PuzzleDay, level: Int)?
        for day in times.days {
            let before = day.adding(days: -1)
            let old = latest.flatMap { $0.day == before ? $0.level : nil } ?? level(before)
            let reached = level(day)
            if reached > old { add(.level(reached * Self.levelStep), on: day) }
            latest = (day, reached)
        }
        return entries
    }

    // MARK: People, and what they say

    /// Those who came and went.
    func entries(of passages: [Passage]) -> [ActivityEntry] {
        passages.filter { $0.at >= start }.map { passage in
            var entry = ActivityEntry(
                passage.kind, passage.user, person: passage.person, at: passage.at,
                about: group.bytes.array + Self.bytes(passage.at))
            entry.words = passage.words
            return entry
        }
    }

    /// A reaction or comment, and what it is about.
    private struct Word {
        enum Kind {
            case reaction(GroupTalk.Standing)
            case comment(GroupTalk.Said)
        }

        let kind: Kind
        let result: DailyScore
        /// Unix seconds.
        let at: Int64
        /// How many it stands for, all to one result; the last of them.
        var count = 1
    }

    /// What others say about this user's results that stand: of each the newest.
    ///
    /// - Parameter person: as in `ActivityEntry.init`; nil for those who are not heard.
    func talkEntries(person: (UserID) -> [UInt8]?) -> [ActivityEntry] {
        var words: [UserID: [Word]] = [:]
        for name in talk.results(of: me) {
            guard let result = index.score(name.key, of: PlayerID(me.bytes.array)) else { continue }
            func add(_ kind: Word.Kind, by user: UserID, at: Int64, count: Int = 1) {
                guard user != me, at >= start else { return }
                words[user, default: []].append(Word(kind: kind, result: result, at: at, count: count))
            }
            for reaction in talk.reactions(to: name) {
                add(.reaction(reaction), by: reaction.user, at: reaction.time.milliseconds / 1_000)
            }
            let shown = Dictionary(grouping: talk.comments(on: name).filter { !$0.isHidden }, by: \.author)
            for (author, said) in shown {
                for sitting in Self.sittings(of: said) {
                    let told = sitting.count > Self.mostAlone ? sitting.suffix(1) : sitting[...]
                    for one in told {
                        let count = told.count < sitting.count ? sitting.count : 1
                        add(.comment(one), by: author, at: one.writtenAt / 1_000, count: count)
                    }
                }
            }
        }
        return words.keys.sorted().flatMap { user -> [ActivityEntry] in
            guard let person = person(user) else { return [] }
            let newest = (words[user] ?? []).enumerated().sorted { left, right in
                (right.element.at, left.offset) < (left.element.at, right.offset)
            }
            return newest.prefix(Self.mostWords).map { entry(of: $0.element, by: user, person) }
        }
    }

    /// What one member said about one result, parted where a sitting ends, each in the order of writing.
    private static func sittings(of said: [GroupTalk.Said]) -> [[GroupTalk.Said]] {
        var sittings: [[GroupTalk.Said]] = []
        for one in said.sorted(by: { ($0.writtenAt, $0.comment.id) < ($1.writtenAt, $1.comment.id) }) {
            if let last = sittings.last?.last, one.writtenAt - last.writtenAt <= pause * 1_000 {
                sittings[sittings.count - 1].append(one)
            } else {
                sittings.append([one])
            }
        }
        return sittings
    }

    private func entry(of word: Word, by user: UserID, _ person: [UInt8]) -> ActivityEntry {
        let (kind, text, about): (ActivityEntry.Kind, String, [UInt8]) =
            switch word.kind {
            case .reaction(let reaction):
                (
                    .reaction, reaction.emoji.text,
                    DailyScore.recordSubject(of: word.result.key) + Array(reaction.emoji.text.utf8)
                )
            case .comment(let said):
                (.comment, said.comment.shownText, Self.bytes(Int64(bitPattern: said.comment.id.rawValue)))
            }
        var entry = ActivityEntry(kind, user, person: person, at: word.at, about: group.bytes.array + about)
        (entry.words, entry.icon, entry.result) = (text, game(word.result.game).emoji, word.result)
        entry.count = word.count
        return entry
    }

    private static func bytes(_ number: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> Int64(56 - 8 * $0)) }
    }
}
