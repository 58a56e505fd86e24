import StreakEngine
import StreakGames
import StreakMembership
import StreakRandom
import StreakReplication
import StreakScores
import StreakWire
import Testing

@testable import StreakNode

/// What the feed tells (docs/cli.md, Together).
@Suite(.timeLimit(.minutes(5))) struct ActivityTests {
    private static let (ada, ben, eve) = (user(1), user(2), user(3))
    private static let today = PuzzleDay(daysSinceEpoch: 20_778)
    private static let group = GroupID(bytes: Bytes32(0, 0, 0, 9))
    private static let games = ["wordle", "connections", "strands", "nyt-mini", "octordle", "quordle"].compactMap {
        GameID($0)
    }

    private static func user(_ number: UInt64) -> UserID { UserID(bytes: Bytes32(0, 0, 0, number)) }

    /// Unix seconds of a time on a day so many days before today.
    private static func time(_ daysAgo: Int, _ hour: Int = 12, _ minute: Int = 0) -> Int64 {
        Int64(today.daysSinceEpoch - daysAgo) * 86_400 + Int64(hour * 3_600 + minute * 60)
    }

    private static func result(
        _ game: Int, daysAgo: Int = 0, score: Int = 4, at time: Int64, isCompleted: Bool = true
    ) -> DailyScore {
        DailyScore(
            game: games[game], day: today.adding(days: -daysAgo), score: score, maxAttempts: 6,
            isCompleted: isCompleted, firstRecordedAt: time, updatedAt: time)
    }

    private static func index(_ results: [(UserID, DailyScore)]) -> ScoreIndex {
        var index = ScoreIndex()
        for (user, result) in results { index.replace(result, of: PlayerID(user.bytes.array)) }
        return index
    }

    private static func feed(
        _ index: ScoreIndex, talk: GroupTalk = GroupTalk(), covered: Set<GameID> = []
    ) -> ActivityFeed {
        ActivityFeed(
            group: group, me: ada, today: today, index: index, talk: talk,
            game: { Catalogue.standard[$0] ?? Scoring.unknownGame($0) },
            isCovered: { result, owner in owner != ada && covered.contains(result.game) }, isTold: { _ in false })
    }

    private static func player(
        _ user: UserID, _ index: ScoreIndex, covered: Set<GameID> = []
    ) -> ActivityFeed.Player {
        let player = PlayerID(user.bytes.array)
        let hidden = index.results(of: player).filter { user != ada && covered.contains($0.game) }.map(\.key)
        return ActivityFeed.Player(
            member: GroupActivity.Member(user: user, person: user.bytes.array, friends: [], rewards: .none),
            covered: hidden,
            insights: PlayerInsights(of: player, in: index, leavingOut: hidden) { Catalogue.standard[$0] })
    }

    private static func entries(
        _ index: ScoreIndex, talk: GroupTalk = GroupTalk(), covered: Set<GameID> = []
    ) -> [ActivityEntry] {
        let feed = feed(index, talk: talk, covered: covered)
        let players = [ada, ben, eve].map { player($0, index, covered: covered) }
        func entries(of player: ActivityFeed.Player) -> [ActivityEntry] {
            var (news, _) = feed.news(of: player)
            feed.classify(&news, of: player)
            var known = KnownEntries()
            return feed.entries(of: player, news, &known) + feed.progress(of: player, news, &known)
        }
        return
            (players.flatMap(entries)
            + feed.talkEntries { $0 == eve ? nil : $0.bytes.array })
            .sorted(by: ActivityEntry.isBefore)
    }

    private static func kinds(_ results: [(UserID, DailyScore)], covered: Set<GameID> = []) -> [String] {
        entries(index(results), covered: covered).filter { $0.kind != .unlock && $0.kind != .milestone }
            .map { $0.count == 1 ? $0.kind.rawValue : "\($0.kind.rawValue) \($0.count)" }
    }

    @Test(arguments: [1, 4]) func `an edited result is told as it is now`(count: Int) throws {
        func index(_ score: Int) -> ScoreIndex {
            Self.index(
                (0..<count).map {
                    (Self.ben, Self.result($0, score: $0 == 0 ? score : 3, at: Self.time(0, 12, 9 - $0)))
                })
        }
        let edited = Self.result(0, score: 5, at: Self.time(0, 12, 9))
        let (before, after) = (index(4), index(5))
        let basis = MemberActivity.Basis(
            group: ActivityBasis(context: 0, emptied: 0, hour: 0, today: Self.today), rewards: .none, told: [])
        var activity = MemberActivity(
            basis, seen: 0, number: 1, of: Self.player(Self.ben, before), in: Self.feed(before))
        activity.follow(
            [GroupView.ResultChange(user: Self.ben, key: edited.key, day: edited.day)], next: 2,
            of: Self.player(Self.ben, after), in: Self.feed(after))
        let told = try #require(activity.entries.first { $0.result != nil })
        #expect(told.count == count && told.result?.score == 5)
    }

    @Test func `three results of a sitting stand alone, four are one entry, and a pause ends a sitting`() {
        func sitting(_ minutes: [Int]) -> [(UserID, DailyScore)] {
            minutes.enumerated().map { (Self.ben, Self.result($0, at: Self.time(0, 8, $1))) }
        }
        #expect(Self.kinds(sitting([0, 10, 20])) == ["result", "result", "result"])
        #expect(Self.kinds(sitting([0, 10, 20, 30])) == ["results 4"])
        #expect(Self.kinds(sitting([0, 10, 41, 50])) == ["result", "result", "result", "result"])
        #expect(
            Self.kinds(sitting([0, 10, 20, 30]) + [(Self.eve, Self.result(0, at: Self.time(0, 8, 15)))])
                == ["results 4", "result"])
    }

    @Test(arguments: [
        (1, ["Perfectionist: Bronze", "Speed Demon: Bronze", "Variety Player: Silver"]),
        (7, ["Perfectionist: Gold, and 6 more achievements"]),
    ])
    func `many achievements at once are one entry, and of one the highest tier is told`(days: Int, words: [String]) {
        let results = (0..<days).flatMap { daysAgo in
            Self.games.indices.map { (Self.ben, Self.result($0, daysAgo: daysAgo, score: 1, at: Self.time(0))) }
        }
        let reached = Self.entries(Self.index(results)).filter { $0.kind == .unlock }
        #expect(reached.map(\.words).sorted() == words)
        // Named by the best of them: not news again when one more comes.
        let more = (Self.ben, Self.result(0, daysAgo: 7, score: 1, at: Self.time(0)))
        let later = Self.entries(Self.index(results + [more])).filter { $0.kind == .unlock }
        #expect(days == 1 || later.map(\.id) == reached.map(\.id))
    }

    @Test func `what was recorded long after its day, or more than thirty days ago, is no news`() {
        func one(_ daysAgo: Int, at time: Int64) -> [String] {
            Self.kinds([(Self.ben, Self.result(0, daysAgo: daysAgo, at: time))])
        }
        #expect(one(29, at: Self.time(29)) == ["result"])
        #expect(one(31, at: Self.time(31)).isEmpty)
        // A day ends everywhere at noon of the next, by UTC.
        #expect(one(10, at: Self.time(2, 11, 59)) == ["result"])
        #expect(one(10, at: Self.time(2, 12)).isEmpty)
        #expect(one(400, at: Self.time(0)).isEmpty)
    }

    @Test func `of a flood of results the newest are news`() {
        let number = ActivityFeed.mostNews + 50
        let flood = (0..<number).compactMap { number -> (UserID, DailyScore)? in
            let time = Self.time(0) + Int64(number)
            return GameID("g\(number)").map { game in
                let result = DailyScore(
                    game: game, day: Self.today, score: 3, maxAttempts: 6, firstRecordedAt: time, updatedAt: time)
                return (Self.ben, result)
            }
        }
        let entries = Self.entries(Self.index(flood)).filter { $0.result != nil }
        #expect(entries.map(\.count) == [ActivityFeed.mostNews])
        #expect(entries.first?.result?.game == flood.last?.1.game)
    }

    /// One of a result every eight seconds are one sitting; one every 32 minutes are each by themselves.
    @Test(arguments: [1, 240] as [Int64]) func `of a flood of words the newest are told`(pause: Int64) {
        let mine = (0..<8).map { Self.result(0, daysAgo: $0, at: Self.time($0)) }
        var talk = GroupTalk()
        for number in 0..<400 {
            let id = WritingID(milliseconds: (Self.time(2) + Int64(number) * pause) * 1_000, chance: 0)
            let result = ResultName(owner: Self.ada, key: mine[number % 8].key)
            let comment = ResultComment(id, on: result, text: "\(number)")
            talk.apply(
                MergedRecord(
                    key: RecordKey(user: Self.ben, kind: ResultComment.kind, subject: comment.recordSubject),
                    value: comment.recordValue, time: HybridTime(milliseconds: id.milliseconds, counter: 0)))
        }
        let told = Self.entries(Self.index(mine.map { (Self.ada, $0) }), talk: talk).filter { $0.kind == .comment }
        let most = pause == 1 ? 8 : ActivityFeed.mostWords
        #expect(told.map(\.words) == (0..<400).suffix(most).reversed().map(String.init))
        #expect(told.allSatisfy { $0.count == (pause == 1 ? 50 : 1) })
    }

    @Test func `an operation that is dated ahead is shown when its time has come, and is one entry`() {
        func shown(at now: Int64) -> [ActivityEntry] {
            let times = [Self.time(1), Self.time(0), Self.time(-200), .max, .min]
            return Self.feed(ScoreIndex()).entries(
                of: times.map { ActivityFeed.Passage(kind: .left, user: Self.ben, person: [1], at: $0) }
            ).filter { $0.isDue(at: now) }
        }
        #expect(shown(at: Self.time(0) - 60).map(\.at) == [Self.time(1), Self.time(0)])
        #expect(shown(at: Self.time(0) - 61).map(\.at) == [Self.time(1)])
        #expect(shown(at: Self.time(0) + 1) == shown(at: Self.time(0)))
    }

    @Test func `a personal best is an entry of its own, and not while it is covered`() {
        let results = [
            (Self.ben, Self.result(0, daysAgo: 3, score: 5, at: Self.time(3))),
            (Self.ben, Self.result(0, score: 2, at: Self.time(0))),
        ]
        #expect(Self.kinds(results) == ["best", "result"])
        #expect(Self.kinds(results, covered: [Self.games[0]]) == ["result", "result"])
        let covered = Self.entries(Self.index(results), covered: [Self.games[0]])
        #expect(covered.allSatisfy { $0.isCovered && $0.kind == .result })
    }

    @Test(
        arguments: [
            (2, 13, "beaten"), (4, 13, "result"), (5, 13, "result"), (2, 11, "result"), (2, 12, "beaten"),
        ])
    func `a better result than one's own is told as that, if it came after`(score: Int, hour: Int, kind: String) {
        let mine = (Self.ada, Self.result(0, score: 4, at: Self.time(0, 12)))
        let theirs = (Self.ben, Self.result(0, score: score, at: Self.time(0, hour)))
        let found = Self.entries(Self.index([mine, theirs])).filter { $0.user == Self.ben && $0.result != nil }
        #expect(found.map(\.kind.rawValue) == [kind])
        #expect(found.map(\.notification) == [kind == "beaten" ? .beaten : nil])
        #expect(found.map(\.words) == [kind == "beaten" ? "4 guesses" : ""])
        let covered = Self.entries(Self.index([mine, theirs]), covered: [Self.games[0]])
        #expect(covered.filter { $0.user == Self.ben }.allSatisfy { $0.notification == nil && $0.kind == .result })
    }

    @Test func `a week of solving in a row is told on its last day`() throws {
        let week = (0..<7).map { (Self.ben, Self.result(0, daysAgo: $0, at: Self.time($0))) }
        let found = Self.entries(Self.index(week)).filter { $0.kind == .milestone && $0.words.contains("row") }
        let entry = try #require(found.first)
        #expect(found.count == 1 && entry.words == "7 days of Wordle in a row" && entry.at == Self.time(0))
        #expect(Self.entries(Self.index(Array(week.dropLast()))).allSatisfy { !$0.words.contains("row") })
    }

    @Test func `what others say about one's own results is told, and the words of the muted are not`() throws {
        let mine = ResultName(owner: Self.ada, key: Self.result(0, at: 0).key)
        let index = Self.index([(Self.ada, Self.result(0, at: Self.time(0)))])
        var talk = GroupTalk()
        func say(_ value: some RecordValue, _ user: UserID, _ time: Int64) {
            let content = RecordContent(value)
            talk.apply(
                MergedRecord(
                    key: RecordKey(user: user, kind: content.kind, subject: content.subject), value: content.value,
                    time: HybridTime(milliseconds: time * 1_000, counter: 0)))
        }
        let emoji = try #require(Emoji("🔥"))
        for user in [Self.ada, Self.ben, Self.eve] { say(Reaction(to: mine, emoji), user, Self.time(0, 13)) }
        let id = WritingID(milliseconds: Self.time(0, 14) * 1_000, chance: 0)
        say(ResultComment(id, on: mine, text: "so close"), Self.ben, Self.time(0, 14))
        say(ResultComment(id, on: ResultName(owner: Self.ben, key: mine.key), text: "x"), Self.ada, Self.time(0, 14))
        let said = Self.entries(index, talk: talk).filter { $0.kind == .reaction || $0.kind == .comment }
        #expect(said.map(\.words) == ["so close", "🔥"])
        #expect(said.allSatisfy { $0.user == Self.ben })
        // Many comments at once are one entry.
        for minute in 1...4 {
            let id = WritingID(milliseconds: Self.time(0, 15, minute) * 1_000, chance: 0)
            say(ResultComment(id, on: mine, text: "so close \(minute)"), Self.ben, Self.time(0, 15, minute))
        }
        let many = Self.entries(index, talk: talk).filter { $0.kind == .comment }
        #expect(many.map(\.words) == ["so close 4", "so close"] && many.map(\.count) == [4, 1])
        // With the result, all of it goes.
        #expect(Self.entries(ScoreIndex(), talk: talk).isEmpty)
    }

    private static func randomResults(_ chance: inout SplitMix64) throws -> [(UserID, DailyScore)] {
        var results: [(UserID, DailyScore)] = []
        for _ in 0..<150 {
            let daysAgo = Int.random(in: 0...40, using: &chance)
            let late = Int64.random(in: 0...(9 * 86_400), using: &chance)
            results.append(
                (
                    try #require([Self.ada, Self.ben, Self.eve].randomElement(using: &chance)),
                    Self.result(
                        .random(in: 0..<Self.games.count, using: &chance), daysAgo: daysAgo,
                        score: .random(in: 1...6, using: &chance), at: Self.time(daysAgo) + late,
                        isCompleted: Int.random(in: 0...4, using: &chance) > 0)
                ))
        }
        return results
    }

    @Test(arguments: 0..<12 as Range<UInt64>)
    func `what is covered changes nothing of what is shown`(seed: UInt64) throws {
        var chance = SplitMix64(seed: seed)
        let hidden = Self.games[1]
        // At most one of a key, so that leaving some out changes no other.
        var keys: Set<ResultName> = []
        let sitting = (0..<9).map { (Self.ben, Self.result($0 % 6, daysAgo: $0 / 6, at: Self.time(0, 8, $0))) }
        let results = (sitting + (try Self.randomResults(&chance))).filter { user, result in
            keys.insert(ResultName(owner: user, key: result.key)).inserted
        }
        let without = results.filter { user, result in user == Self.ada || result.game != hidden }
        let shown = Self.entries(Self.index(results), covered: [hidden]).filter { !$0.isCovered }
        #expect(shown == Self.entries(Self.index(without)))
        #expect(without.count < results.count && shown.contains { $0.kind == .results })
    }

    @Test(arguments: 0..<12 as Range<UInt64>)
    func `the feed is a function of the records and the day, in whatever order they came`(seed: UInt64) throws {
        var chance = SplitMix64(seed: seed)
        let results = try Self.randomResults(&chance)
        // As the merge does it: of one key the last one stands, and some are withdrawn.
        var standing: [ResultName: DailyScore] = [:]
        for (user, result) in results { standing[ResultName(owner: user, key: result.key)] = result }
        for name in standing.keys.sorted() where Int.random(in: 0...9, using: &chance) == 0 { standing[name] = nil }
        func made(_ order: [ResultName]) -> [ActivityEntry] {
            // Whatever stood before leaves no trace.
            var index = Self.index(results.shuffled(using: &chance))
            for (user, result) in results { index.remove(result.key, of: PlayerID(user.bytes.array)) }
            for name in order {
                if let result = standing[name] { index.replace(result, of: PlayerID(name.owner.bytes.array)) }
            }
            return Self.entries(index, covered: [Self.games[1]])
        }
        let names = standing.keys.sorted()
        let expected = made(names)
        #expect(expected.count > 20)
        #expect(Set(expected.map(\.id)).count == expected.count)
        for _ in 0..<3 { #expect(made(names.shuffled(using: &chance)) == expected) }
    }

    // MARK: What was looked at

    private static func entry(_ number: Int, at time: Int64) -> ActivityEntry {
        ActivityEntry(
            .result, ben, person: ben.bytes.array, at: time, about: [UInt8(number >> 8), UInt8(number & 255)])
    }

    @Test func `what was looked at is seen, and what arrives late is new all the same`() throws {
        let feed = (0..<5).map { Self.entry($0, at: 100 - Int64($0)) }
        let look = ActivityLook().looking(at: Set(feed.map(\.id)), of: feed)
        #expect(feed.allSatisfy(look.hasSeen))
        #expect(!look.hasSeen(Self.entry(99, at: 50)))
        #expect(ActivityLook(value: look.value) == look)
        #expect(ActivityLook().looking(at: [feed[1].id], of: feed).ids == [feed[1].id])
        for value in [[1], [UInt8](repeating: 0, count: 9), [UInt8](repeating: 0, count: 8 * 132)] {
            #expect(ActivityLook(value: value) == nil)
        }
    }

    @Test func `what two machines have seen apart from each other is seen on both`() {
        let feed = (0..<4).map { Self.entry($0, at: 100 - Int64($0)) }
        let machines = (1...2).map { DeviceID(bytes: Bytes32($0, 0, 0, 0)) }
        let drafts = machines.enumerated().flatMap { number, machine in
            let seen = Set(feed[(2 * number)..<(2 * number + 2)].map(\.id))
            return [
                AccountSettings.draft(stating: ActivityLook().looking(at: seen, of: feed), of: machine),
                AccountSettings.draft(readUntil: [20, 10][number], in: Self.group, on: machine),
            ]
        }
        var settings = AccountSettings()
        #expect(!feed.contains(where: settings.look.hasSeen) && settings.readUntil(in: Self.group) == .min)
        for draft in drafts {
            let record = draft.record(at: HybridTime(milliseconds: 1, counter: 0))
            settings.apply(
                MergedRecord(
                    key: RecordKey(user: Self.ada, kind: record.kind, subject: record.subject), value: record.value,
                    time: record.time))
        }
        #expect(feed.allSatisfy(settings.look.hasSeen) && settings.readUntil(in: Self.group) == 20)
    }

    @Test func `of very much the newest entries are kept one by one, and a moment stands for the others`() {
        let feed = (0..<400).map { Self.entry($0, at: 10_000 - Int64($0)) }
        let look = ActivityLook().looking(at: Set(feed.map(\.id)), of: feed)
        #expect(look.ids.count == ActivityLook.maximumCount && look.value.count <= Record.maximumValueSize)
        #expect(feed.allSatisfy(look.hasSeen))
        #expect(look.moment == 10_000 - Int64(ActivityLook.maximumCount))
    }

    @Test func `a friend's result is new until one looks, on all machines, and one's own never is`() async throws {
        let party = try NodeParty()
        try await party.running("Ada", "Bob") { nodes in
            let (ada, bob) = (nodes[0], nodes[1])
            _ = try await ada.group(.create(title: "Red"))
            try await bob.join(try await ada.invite().link)
            func record(_ node: MeshNode, _ game: String, _ score: Int) async throws {
                _ = try await node.call(
                    ScoreRequest.record(
                        game: game, score: score, isCompleted: true, seconds: nil, date: nil, groups: nil,
                        replace: false))
            }
            try await record(ada, "wordle", 3)
            try await record(bob, "wordle", 4)
            try await ada.until {
                try await $0.call(FeedRequest.show(group: nil)).entries.contains { $0.kind == "result" && !$0.me }
            }
            let feed = try await ada.call(FeedRequest.show(group: nil))
            let entry = try #require(feed.entries.first { $0.kind == "result" && !$0.me })
            #expect(entry.name == "Bob" && entry.text == "played Wordle: 4 guesses" && entry.fresh && !entry.covered)
            #expect(feed.entries.filter(\.me).allSatisfy { !$0.fresh })
            #expect(feed.entries.contains { $0.kind == "joined" && $0.name == "Bob" && $0.text == "joined" })
            #expect(feed.fresh == feed.entries.count { $0.fresh } && feed.fresh >= 2)
            #expect(try await ada.call(FeedRequest.look(group: nil)).fresh == 0)
            // A result that Ada has not played yet shows that it is there, and nothing more.
            try await record(bob, "strands", 2)
            try await ada.until { try await $0.call(FeedRequest.show(group: nil)).entries.contains(where: \.covered) }
            let covered = try #require(
                try await ada.call(FeedRequest.show(group: "Red")).entries.first(where: \.covered))
            #expect(covered.text == "played Strands, covered until you have" && covered.kind == "result")
            #expect(try await ada.call(FeedRequest.show(group: "Red")).fresh == 1)
        }
        let again = try await party.open("Ada")
        #expect(try await again.call(FeedRequest.show(group: nil)).fresh == 1)
        await again.close()
    }
}
