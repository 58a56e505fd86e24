import StreakGames
import StreakScores
import Testing

@Suite struct AchievementTests {
    static let today = Fixture.today

    static func days(_ count: Int) -> [PuzzleDay] { (0..<count).map { today.adding(days: -$0) } }

    @Test func `forty-nine tiers of ten achievements, each worth its coins`() {
        #expect(Achievement.allCases.count == 10)
        #expect(AchievementTier.all.count == 49 && Set(AchievementTier.all).count == 49)
        #expect(Tier.allCases.map(\.coins) == [50, 100, 200, 400, 800])
        #expect(AchievementTier.all == AchievementTier.all.sorted())
        for tier in AchievementTier.all { #expect(AchievementTier(tier.text) == tier) }
        #expect(AchievementTier("completionist/legendary") == nil && AchievementTier("") == nil)
    }

    @Test(arguments: [
        (Achievement.streakMaster, [3, 7, 14, 30, 60]), (.gameCollector, [10, 25, 50, 100, 250]),
        (.perfectionist, [5, 15, 30, 75, 150]), (.dailyDevotee, [3, 7, 14, 30, 60]),
        (.varietyPlayer, [3, 5, 8, 12, 16]), (.speedDemon, [1, 5, 10, 25, 50]),
        (.marathonRunner, [7, 30, 60, 120, 365]), (.personalBest, [1, 3, 5, 10, 20]),
        (.socialPlayer, [1, 3, 5, 10, 15]),
        (.completionist, [3, 5, 7, 9]),
    ]) func `thresholds`(_ achievement: Achievement, _ thresholds: [Int]) {
        #expect(achievement.thresholds == thresholds)
    }

    /// Results that reach exactly `value`.
    static func results(_ achievement: Achievement, _ value: Int) -> [DailyScore] {
        switch achievement {
        case .streakMaster, .perfectionist, .gameCollector, .dailyDevotee, .marathonRunner:
            return days(value).map { Fixture.solve(Fixture.wordle, $0, 3) }
        case .varietyPlayer:
            return (0..<value).map { DailyScore(game: GameID("game-\($0)") ?? Fixture.wordle.id, day: today, score: 3) }
        case .speedDemon:
            return days(value).map { Fixture.solve(Fixture.strands, $0, 0) }
        case .personalBest:
            // Newest first: each day is one second quicker than the day before.
            return days(value + 1).enumerated().map { Fixture.solve(Fixture.mini, $0.element, 100 + $0.offset) }
        case .socialPlayer, .completionist:
            return []
        }
    }

    @Test(arguments: Achievement.allCases.filter { $0 != .socialPlayer && $0 != .completionist })
    func `each tier begins exactly at its threshold`(_ achievement: Achievement) {
        for (tier, threshold) in zip(Tier.allCases, achievement.thresholds) {
            let reached = Fixture.insights(Self.results(achievement, threshold)).achievements(on: Self.today)
            #expect(reached[achievement].tier == tier)
            let missed = Fixture.insights(Self.results(achievement, threshold - 1)).achievements(on: Self.today)
            #expect(missed[achievement].tier.map { $0 < tier } ?? true)
            #expect(missed[achievement].label == "\(threshold - 1)/\(threshold)")
        }
    }

    @Test func `friends count from the day they were gained`() {
        let gained = [5, 1, 9].map { Self.today.adding(days: -$0) }
        let social = Fixture.insights([]).achievements(on: Self.today, friends: gained)[.socialPlayer]
        #expect(social.unlocks.map(\.day) == [Self.today.adding(days: -9), Self.today.adding(days: -1)])
        #expect(social.label == "3/5")
    }

    @Test func `completionist counts achievements at gold`() {
        // 50 days: streak, collector, perfectionist and devotee reach gold; active days do not.
        let set = Fixture.insights(Fixture.wordles(Array(0..<50))).achievements(on: Self.today)
        #expect(set[.completionist].value == 4 && set[.completionist].tier == .bronze)
        // The third gold is the thirtieth solve.
        #expect(set[.completionist].unlocks.first?.day == Self.today.adding(days: -20))
        #expect(set[.completionist].label == "4/5")
    }

    @Test func `progress at the top`() {
        let set = Fixture.insights(Fixture.wordles(Array(0..<260))).achievements(on: Self.today)
        #expect(set[.gameCollector].label == "250 (max)" && set[.gameCollector].fraction == 1)
        #expect(set[.gameCollector].value == 260)
        #expect(set[.gameCollector].unlocks.map(\.day).last == Self.today.adding(days: -10))
    }

    @Test func `devotee: tier of the best run, bar of the current one, any result`() {
        let results = Fixture.wordles([0, 10, 11, 12, 13, 14, 15, 16], lost: [1, 9])
        let devotee = Fixture.insights(results).achievements(on: Self.today)[.dailyDevotee]
        #expect(devotee.tier == .silver && devotee.value == 2 && devotee.label == "2/14")
    }

    @Test func `variety: modes are one game`() {
        let pips = ["pips-easy", "pips-medium", "pips-hard"].compactMap {
            Catalogue.standard[GameID($0) ?? Fixture.wordle.id]
        }
        #expect(pips.count == 3)
        let index = Fixture.index(pips.map { ("ann", Fixture.solve($0, Self.today, 60)) })
        let insights = PlayerInsights(of: Fixture.id("ann"), in: index) { Catalogue.standard[$0] }
        #expect(insights.achievements(on: Self.today)[.varietyPlayer].value == 1)
    }

    @Test(arguments: [
        (Fixture.wordle, 1, true), (Fixture.wordle, 2, false), (Fixture.wordle, 0, false), (Fixture.strands, 0, true),
        (Fixture.connections, 4, true), (Fixture.quordle, 10, true), (Fixture.octordle, 36, true),
        (Fixture.travle, 0, true),
        (Fixture.mini, 29, true), (Fixture.mini, 30, false), (Fixture.waffle, 5, true), (Fixture.waffle, 4, false),
        (Fixture.bee, 500, false), (Fixture.blocks, 1_000_000, false), (Fixture.habit, 9, false),
        (Fixture.heardle, 1, true),
    ]) func `the best possible result`(_ game: Game, _ score: Int, _ isPerfect: Bool) {
        #expect(Scoring.isPerfect(Fixture.solve(game, Self.today, score), in: game) == isPerfect)
        let set = Fixture.insights([Fixture.solve(game, Self.today, score)]).achievements(on: Self.today)
        #expect(set[.speedDemon].value == (isPerfect ? 1 : 0))
    }

    @Test func `a loss is never the best`() {
        #expect(!Scoring.isPerfect(Fixture.loss(Fixture.mini, Self.today), in: Fixture.mini))
        #expect(!Scoring.isPerfect(Fixture.solve(Fixture.mini, Self.today, nil), in: Fixture.mini))
    }

    @Test(arguments: [
        (Fixture.wordle, [4, 4, 3, 5, 2], 2), (Fixture.mini, [60, 59, 61, 58], 2),
        (Fixture.bee, [10, 10, 20, 15, 30], 2),
        (Fixture.blocks, [100, 50, 101], 1), (Fixture.wordle, [3], 0),
    ]) func `the own record beaten, per model`(_ game: Game, _ scores: [Int], _ beaten: Int) {
        let results = scores.enumerated().map {
            Fixture.solve(game, Self.today.adding(days: $0.offset - scores.count), $0.element)
        }
        let insights = Fixture.insights(results)
        #expect(insights.achievements(on: Self.today)[.personalBest].value == beaten)
        #expect(insights.personalBests().first?.timesBeaten == beaten)
    }

    @Test func `a late paste moves the day of a tier`() {
        let before = Fixture.insights(Fixture.wordles([0, 1, 3])).achievements(on: Self.today)
        let after = Fixture.insights(Fixture.wordles([0, 1, 3, 2])).achievements(on: Self.today)
        #expect(before[.streakMaster].tier == nil)
        #expect(after[.streakMaster].unlocks.first?.day == Self.today.adding(days: -1))
    }

    @Test func `deleting takes tiers back, regaining is not celebrated twice`() {
        var index = Fixture.index(Fixture.wordles([0, 1, 2]).map { ("ann", $0) })
        var cache = InsightCache()
        let full = cache.insights(of: Fixture.id("ann"), in: index, games: Fixture.game).achievements(on: Self.today)
        #expect(full[.streakMaster].tier == .bronze)
        let celebrated = Set(full.unlocks.map(\.reached))
        let gone = Fixture.wordles([1])[0]
        index.remove(gone.key, of: Fixture.id("ann"))
        cache.resultChanged(in: gone.game, of: Fixture.id("ann"), from: gone.day)
        let less = cache.insights(of: Fixture.id("ann"), in: index, games: Fixture.game)
        #expect(less.achievements(on: Self.today)[.streakMaster].tier == nil)
        index.replace(gone, of: Fixture.id("ann"))
        cache.resultChanged(in: gone.game, of: Fixture.id("ann"), from: gone.day)
        let again = cache.insights(of: Fixture.id("ann"), in: index, games: Fixture.game).achievements(on: Self.today)
        #expect(again == full && again.uncelebrated(celebrated).isEmpty)
    }

    @Test func `what is new since a day`() {
        let set = Fixture.insights(Fixture.wordles(Array(0..<7))).achievements(on: Self.today)
        let streaks = set.uncelebrated([]).filter { $0.reached.achievement == .streakMaster }
        #expect(streaks.map(\.reached.tier) == [.bronze, .silver])
        let recent = set.uncelebrated([AchievementTier(.marathonRunner, .bronze)], since: Self.today)
        #expect(recent.map(\.reached.text) == ["streak-master/silver", "daily-devotee/silver"])
    }

    @Test func `overview`() {
        let overview = Fixture.insights(Fixture.wordles(Array(0..<9))).achievements(on: Self.today).overview()
        // Streak Master and Daily Devotee silver, Perfectionist and Marathon Runner bronze.
        #expect(overview.unlocked == 4 && overview.total == 10 && overview.highest == [2, 2, 0, 0, 0])
        #expect(overview.latest.count == 5 && overview.latest.first?.day == Self.today.adding(days: -2))
        // 9/10 results, then 9/14 twice, then 9/15.
        #expect(overview.nearest.map(\.achievement) == [.gameCollector, .streakMaster, .dailyDevotee])
        let empty = Fixture.insights([]).achievements(on: Self.today).overview()
        #expect(empty.unlocked == 0 && empty.latest.isEmpty && empty.nearest.count == 3)
    }

    @Test(arguments: [
        (0, 1), (99, 1), (100, 2), (399, 2), (400, 3), (2_500, 6), (240_099, 49), (240_100, 50), (-5, 1),

        (999_998_000_000_999, 3_162_275),
    ])
    func `levels`(_ coins: Int, _ level: Int) {
        let experience = Experience(coins: coins)
        #expect(experience.level == level)
        #expect(experience.floor <= experience.coins && experience.coins < experience.ceiling)
        #expect(Experience(coins: experience.ceiling).level == level + 1)
        #expect(Experience(coins: .max).level == 3_162_278)
    }

    @Test func `ten coins a completed result and its points, losses nothing`() {
        // 3/6 is 4 points.
        let insights = Fixture.insights(Fixture.wordles([0, 1], lost: [2]))
        #expect(insights.resultCoins() == 28)
        #expect(insights.resultCoins(through: Self.today.adding(days: -1)) == 14)
        // Tiers give coins for two things only: a devotee's bronze for three days in a row.
        #expect(insights.experience(rewards: DatedCoins([.init(day: Self.today, coins: 250)])).coins == 28 + 50 + 250)
    }

    @Test func `coins of a range`() {
        let coins = DatedCoins([
            .init(day: Self.today, coins: 50), .init(day: Self.today.adding(days: -3), coins: 100),
            .init(day: Self.today, coins: 7), .init(day: .earliest, coins: -4), .init(day: .latest, coins: 1),
        ])
        #expect(coins.total == 158)
        #expect(coins.total(in: DaySpan(from: Self.today, to: Self.today)) == 57)
        #expect(coins.total(in: DaySpan(from: Self.today.adding(days: -3), to: Self.today.adding(days: -1))) == 100)
        #expect(coins.total(in: DaySpan(from: .earliest, to: .latest)) == 158)
        #expect(coins.total(in: DaySpan(from: Self.today, to: Self.today.adding(days: -1))) == 0)
        #expect(coins.merged(with: coins).total == 316 && DatedCoins.none.total == 0)
        #expect(
            DatedCoins([.init(day: .latest, coins: .max), .init(day: .latest, coins: .max)]).total == 2_000_000_000)
    }
}
