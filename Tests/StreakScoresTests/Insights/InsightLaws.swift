import StreakGames
import StreakRandom
import StreakScores
import Testing

/// Laws for random histories. The argument is the seed.
@Suite struct InsightLaws {
    static let today = Fixture.today
    static let ann = Fixture.id("ann")
    static let ruleSets = [
        StreakRules(), StreakRules(usesFreezes: true), StreakRules(archiveDays: 7),
        StreakRules(usesFreezes: true, archiveDays: 3),
    ]

    /// All insights, for comparison.
    struct Told: Equatable {
        let streaks: [[GameStreak]]
        let overall: [PlayerInsights.OverallStreak]
        let achievements: AchievementSet
        let overview: Overview
        let bests: [PersonalBest]
        let recap: WeeklyRecap
        let experience: Experience
        let trend: [TrendPoint]
        let rounds: [PlayerInsights.RoundStreak]
        let days: [DayCount]

        init(_ insights: PlayerInsights) {
            let shown = [0, 1, 10, 40].map { today.adding(days: -$0) }
            let month = Fixture.last(30)
            streaks = shown.map { insights.streaks(on: $0) }
            overall = shown.map { insights.overallStreak(on: $0) }
            achievements = insights.achievements(on: today)
            overview = insights.overview(of: month)
            bests = insights.personalBests()
            recap = insights.weeklyRecap(on: today)
            experience = insights.experience()
            trend = insights.trend(over: month, by: .week)
            rounds = insights.roundStreaks(from: .earliest)
            days = insights.dayCounts(in: .everything)
        }
    }

    /// A puzzle's result may move to another day.
    private static func replace(_ score: DailyScore, _ index: inout ScoreIndex, _ cache: inout InsightCache) {
        let known = index.score(score.key, of: ann)?.day
        index.replace(score, of: ann)
        cache.resultChanged(in: score.game, of: ann, from: min(known ?? score.day, score.day))
    }

    @Test(arguments: 1...12) func `kept and changed equals computed from nothing`(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let rules = Self.ruleSets[Int(seed) % Self.ruleSets.count]
        var index = ScoreIndex()
        var cache = InsightCache(rules: rules)
        for (step, score) in Fixture.history(160, days: 60, &generator).enumerated() {
            if Int.random(in: 0...3, using: &generator) == 0,
                let gone = index.results(of: Self.ann).randomElement(using: &generator)
            {
                index.remove(gone.key, of: Self.ann)
                cache.resultChanged(in: gone.game, of: Self.ann, from: gone.day)
            }
            Self.replace(score, &index, &cache)
            guard step % 8 == 7 else { continue }
            let kept = Told(cache.insights(of: Self.ann, in: index, games: Fixture.game))
            let fresh = Told(PlayerInsights(of: Self.ann, in: index, rules: rules, games: Fixture.game))
            #expect(kept == fresh, "seed \(seed), step \(step)")
        }
        index.removeAll(of: Self.ann)
        cache.reset()
        #expect(cache.insights(of: Self.ann, in: index, games: Fixture.game).count == 0)
    }

    @Test(arguments: 1...12) func `without some results they are as if these did not exist`(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let rules = Self.ruleSets[Int(seed) % Self.ruleSets.count]
        var index = ScoreIndex()
        var cache = InsightCache(rules: rules)
        for (step, score) in Fixture.history(160, days: 12, &generator).enumerated() {
            Self.replace(score, &index, &cache)
            guard step % 8 == 7 else { continue }
            let results = index.results(of: Self.ann)
            let covered = results.filter { _ in Int.random(in: 0...4, using: &generator) == 0 }.map(\.key)
            // Whole and partial ones in any order, again and again.
            for leftOut in [covered, [], covered].drop(while: { _ in Bool.random(using: &generator) }) {
                var seen = index
                for key in leftOut { seen.remove(key, of: Self.ann) }
                let kept = Told(
                    cache.insights(of: Self.ann, leavingOut: leftOut, in: index, games: Fixture.game))
                let fresh = Told(PlayerInsights(of: Self.ann, in: seen, rules: rules, games: Fixture.game))
                #expect(kept == fresh, "seed \(seed), step \(step)")
            }
        }
    }

    @Test(arguments: 1...12) func `a round streak is told on the day on which the streak has that length`(
        _ seed: UInt64
    ) {
        var generator = SplitMix64(seed: seed)
        let rules = Self.ruleSets[Int(seed) % Self.ruleSets.count]
        var results: [DailyScore] = []
        for back in 0..<130 where Int.random(in: 0...40, using: &generator) > 0 {
            let day = Self.today.adding(days: -back)
            let isLost = Int.random(in: 0...50, using: &generator) == 0
            results.append(isLost ? Fixture.loss(Fixture.wordle, day) : Fixture.solve(Fixture.wordle, day, 3))
        }
        let insights = Fixture.insights(results, rules: rules)
        let won = Set(results.filter(\.isCompleted).map(\.day))
        let expected = (0..<130).map { Self.today.adding(days: -$0) }.filter { won.contains($0) }.compactMap { day in
            let streak = insights.streak(in: Fixture.wordle, on: day)
            return [7, 30, 100, 365].contains(streak.current) ? "\(day) \(streak.current)" : nil
        }
        let told = insights.roundStreaks(from: .earliest).map { "\($0.day) \($0.length)" }
        #expect(Set(told) == Set(expected) && told.count == expected.count, "seed \(seed)")
        #expect(seed > 1 || !expected.isEmpty)
        let later = insights.roundStreaks(from: Self.today.adding(days: -20)).map(\.day)
        #expect(later.allSatisfy { $0 >= Self.today.adding(days: -20) })
    }

    @Test(arguments: 1...8) func `nothing depends on the order of arrival`(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var seen: Set<ScoreKey> = []
        let results = Fixture.history(150, days: 50, &generator).filter { seen.insert($0.key).inserted }
        let rules = Self.ruleSets[Int(seed) % Self.ruleSets.count]
        let one = Fixture.insights(results, rules: rules)
        let other = Fixture.insights(results.shuffled(using: &generator), rules: rules)
        #expect(Told(one) == Told(other), "seed \(seed)")
    }

    @Test(arguments: 1...8) func `a past day knows only what lies before it`(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let rules = Self.ruleSets[Int(seed) % Self.ruleSets.count]
        let index = Fixture.index(Fixture.history(250, days: 40, &generator).map { ("ann", $0) })
        let results = index.results(of: Self.ann)
        let all = PlayerInsights(of: Self.ann, in: index, rules: rules, games: Fixture.game)
        for daysAgo in 0..<40 {
            let day = Self.today.adding(days: -daysAgo)
            let known = Fixture.insights(results.filter { $0.day <= day }, rules: rules)
            #expect(all.streaks(on: day) == known.streaks(on: day), "seed \(seed), \(day)")
            #expect(all.overallStreak(on: day) == known.overallStreak(on: day), "seed \(seed), \(day)")
        }
    }

    @Test(arguments: 1...8) func `the streak is the run a reader counts by hand`(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let index = Fixture.index(Fixture.history(250, days: 30, &generator).map { ("ann", $0) })
        let insights = PlayerInsights(of: Self.ann, in: index, games: Fixture.game)
        let solved = Set(index.results(of: Self.ann, game: Fixture.wordle.id).filter(\.isCompleted).map(\.day))
        let lost = Set(index.results(of: Self.ann, game: Fixture.wordle.id).filter { !$0.isCompleted }.map(\.day))
        for daysAgo in 0..<30 {
            let shown = Self.today.adding(days: -daysAgo)
            var day = solved.contains(shown) || lost.contains(shown) ? shown : shown.adding(days: -1)
            var length = 0
            while solved.contains(day) {
                length += 1
                day = day.adding(days: -1)
            }
            #expect(insights.streak(in: Fixture.wordle, on: shown).current == length, "seed \(seed), \(shown)")
        }
    }

    @Test(arguments: 1...8) func `the board shows the same streaks`(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let index = Fixture.index(Fixture.history(250, days: 30, &generator).map { ("ann", $0) })
        let rules = Self.ruleSets[Int(seed) % Self.ruleSets.count]
        let insights = PlayerInsights(of: Self.ann, in: index, rules: rules, games: Fixture.game)
        for daysAgo in [0, 1, 5, 20] {
            let day = Self.today.adding(days: -daysAgo)
            for game in [nil] + Fixture.all.map(Optional.some) {
                let query = BoardQuery(
                    from: day, to: day, game: game?.id, metric: .streak, viewer: Self.ann, today: Self.today,
                    rules: BoardRules(streaks: rules))
                let board = index.board(query, players: [Fixture.player("ann")], games: Fixture.game)
                let told =
                    game.map { insights.streak(in: $0, on: day).current } ?? insights.overallStreak(on: day).current
                #expect(board.myRow?.value == told, "seed \(seed), \(day), \(game?.name ?? "all")")
            }
        }
    }

    @Test(arguments: 1...8) func `a tier is reached on its day and not before`(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let rules = Self.ruleSets[Int(seed) % Self.ruleSets.count]
        let index = Fixture.index(Fixture.history(400, days: 80, &generator).map { ("ann", $0) })
        let results = index.results(of: Self.ann)
        let all = PlayerInsights(of: Self.ann, in: index, rules: rules, games: Fixture.game).achievements(
            on: Self.today)
        #expect(all.unlocks.count > 20)
        for unlock in all.unlocks {
            let then = Fixture.insights(results.filter { $0.day <= unlock.day }, rules: rules)
            let before = Fixture.insights(results.filter { $0.day < unlock.day }, rules: rules)
            #expect(then.achievements(on: unlock.day).unlocks.contains(unlock), "seed \(seed): \(unlock)")
            let reached = before.achievements(on: unlock.day).unlocks.map(\.reached)
            #expect(!reached.contains(unlock.reached), "seed \(seed): \(unlock)")
        }
    }

    @Test(arguments: 1...8) func `numbers played out of order reach a tier when the run is whole`(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let results = (1...40).map { number in
            let day = Self.today.adding(days: -60 + number + Int.random(in: 0...9, using: &generator))
            return Fixture.numbered(Fixture.heardle, number, day, 3)
        }.filter { _ in Int.random(in: 0...19, using: &generator) > 0 }
        let unlocks = Fixture.insights(results).achievements(on: Self.today)[.streakMaster].unlocks
        #expect(unlocks.count >= 2)
        for unlock in unlocks {
            let then = Fixture.insights(results.filter { $0.day <= unlock.day }).achievements(on: unlock.day)
            let before = Fixture.insights(results.filter { $0.day < unlock.day }).achievements(on: unlock.day)
            #expect(then[.streakMaster].unlocks.contains(unlock), "seed \(seed): \(unlock)")
            #expect(before[.streakMaster].tier ?? .bronze < unlock.reached.tier || before[.streakMaster].tier == nil)
        }
    }

    @Test(arguments: 1...8) func `coins of all days are the sum of their days`(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let insights = Fixture.insights(Fixture.history(200, days: 30, &generator))
        let days = (0..<30).map { Self.today.adding(days: -$0) }
        let earned =
            insights.resultCoins(through: Self.today) - insights.resultCoins(through: days[29].adding(days: -1))
        #expect(insights.resultCoins() == earned && earned > 0)
        let tiers = insights.achievements(on: Self.today)
        #expect(tiers.coins.total == tiers.unlocks.reduce(0) { $0 + $1.reached.tier.coins })
        #expect(tiers.coins.total == days.reduce(0) { $0 + tiers.coins.total(in: DaySpan(from: $1, to: $1)) })
        #expect(insights.experience().coins == insights.resultCoins() + tiers.coins.total)
    }

    @Test(arguments: 1...8) func `the overview is the sum of its parts`(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let insights = Fixture.insights(Fixture.history(200, days: 100, &generator))
        for days in [1, 7, 30, 90, 365] {
            let span = Fixture.last(days)
            let all = insights.overview(of: span)
            let parts = insights.games.map { insights.overview(of: span, game: $0.id) }
            #expect(all.played == parts.reduce(0) { $0 + $1.played })
            #expect(all.completed == parts.reduce(0) { $0 + $1.completed })
            #expect(all.activeStreaks == parts.reduce(0) { $0 + $1.activeStreaks })
            #expect(all.longestStreak?.count == parts.compactMap(\.longestStreak?.count).max())
            for step in TrendStep.allCases {
                let trend = insights.trend(over: span, by: step)
                #expect(trend.reduce(0) { $0 + $1.played } == all.played, "seed \(seed)")
                #expect(trend.reduce(0) { $0 + $1.activeDays } == all.activeDays, "seed \(seed)")
            }
            for game in Fixture.all {
                let dive = insights.deepDive(into: game, over: span)
                #expect(
                    dive.distribution.reduce(0) { $0 + $1.count } == dive.average.count + dive.played - dive.completed)
            }
        }
    }
}
