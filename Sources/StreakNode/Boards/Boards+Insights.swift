import StreakEngine
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// Numbers about a player and a group: statistics, streaks, achievements, recaps.
extension Boards {
    // MARK: Whose numbers

    /// A player, as seen by one group's records. The private group holds all of this user's own results.
    struct InsightSubject {
        var user: UserID
        var group: GroupID
        var insights: PlayerInsights
        var name: String
        /// Results left out because this user may not see them yet.
        var coveredCount = 0
    }

    func subject(_ member: String?, in selector: String?) async throws -> InsightSubject {
        guard let member else { return try ownSubject(in: selector.map { try core.group($0) }) }
        let group = try core.group(selector)
        let user = try await people.member(member, of: group)
        return subject(user, in: group)
    }

    /// This user, as seen by a group; nil is the private group.
    func ownSubject(in group: GroupID? = nil) throws -> InsightSubject {
        guard let group = group ?? core.privateGroup else { throw NodeFailure.noGroup() }
        return InsightSubject(
            user: core.identity.user, group: group, insights: core.insights(of: core.me, in: group),
            name: core.ownName)
    }

    /// What this user may see of a member. Covered results are left out of the numbers.
    func subject(_ user: UserID, in group: GroupID) -> InsightSubject {
        let covered = core.spoilerGuard(in: group).covered(of: user)
        return InsightSubject(
            user: user, group: group,
            insights: core.insights(of: PlayerID(user.bytes.array), leavingOut: covered, in: group),
            name: core.name(of: user, in: group), coveredCount: covered.count)
    }

    private func shownDay(_ text: String?) throws -> PuzzleDay {
        min(try core.day(text) ?? core.clock.today, core.clock.today)
    }

    private func report(_ count: GameCount, in group: GroupID) -> GameCountReport {
        GameCountReport(game: count.game.rawValue, gameName: gameName(count.game, in: group), count: count.count)
    }

    private func gameName(_ id: GameID, in group: GroupID) -> String { core.namedGame(id, in: group).name }

    // MARK: Statistics

    func statistics(
        game selector: String?, range: String?, date: String?, _ subject: InsightSubject, drawn: Bool
    ) throws -> StatisticsReport {
        let group = subject.group
        let game = try selector.map { try core.game($0) }
        let range = try self.range(range ?? "30d")
        let insights = subject.insights
        let known = insights.span(ofFamilyOf: game)
        let span = range.span(around: try shownDay(date), today: core.clock.today, known: known)
        let overview = insights.overview(of: span, game: game?.id)
        let step = TrendStep(fitting: span)
        let trend = insights.trend(over: span, by: step, game: game?.id)
        let family = game.map { insights.deepDives(intoFamilyOf: $0, among: core.games(in: group), over: span) } ?? []
        let dives = family.filter { $0.played > 0 || $0.game.id == game?.id }
        let bests = insights.personalBests().filter { game == nil || $0.game.id == game?.id }
        return StatisticsReport(
            name: subject.name, coveredCount: subject.coveredCount, from: span.from.description,
            to: span.to.description, game: game?.id.rawValue, gameName: game?.name,
            played: overview.played, completed: overview.completed, completionRate: overview.completionRate.percent,
            consistency: overview.consistency.percent, activeDays: overview.activeDays,
            activeStreaks: overview.activeStreaks,
            longestCurrent: overview.longestCurrent.map {
                report(GameCount(game: $0.game, count: $0.current), in: group)
            },
            longestStreak: overview.longestStreak.map { report($0, in: group) },
            mostPlayed: overview.mostPlayed.map { report($0, in: group) },
            best: overview.best.map { core.resultReport($0) }, busiestDay: overview.busiest?.day.description,
            busiestCount: overview.busiest?.count, secondsPlayed: insights.secondsPlayed(in: span, game: game?.id),
            perGame: overview.perGame.map { report($0, in: group) },
            personalBests: bests.map { best in
                PersonalBestReport(
                    game: best.game.id.rawValue, gameName: best.game.name, icon: best.game.emoji, label: best.label,
                    day: best.score.day.description, timesBeaten: best.timesBeaten)
            },
            step: step.rawValue,
            trend: trend.map { point in
                TrendPointReport(
                    start: point.start.description, played: point.played, completed: point.completed,
                    points: point.points, average: game == nil ? nil : point.raw.value)
            },
            deepDives: dives.map(report(of:)),
            plots: drawn ? plots(dives, trend: trend, game: game, insights, until: span.to) : [])
    }

    private func report(of dive: DeepDive) -> DeepDiveReport {
        DeepDiveReport(
            game: dive.game.id.rawValue, gameName: dive.game.name, played: dive.played, completed: dive.completed,
            distribution: dive.distribution.map { BarReport(label: $0.label, count: $0.count, loss: $0.isLoss) },
            average: dive.average.tenths, averageLabel: dive.averageLabel,
            best: dive.bestValue, bestLabel: dive.bestLabel,
            failRate: dive.failRate.percent)
    }

    private func plots(
        _ dives: [DeepDive], trend: [TrendPoint], game: Game?, _ insights: PlayerInsights, until last: PuzzleDay
    ) -> [PlotReport] {
        var plots = dives.map(Plot.init)
        if let game {
            plots.append(Plot(trend, .raw(game), title: "\(game.name): trend"))
        } else {
            plots.append(Plot(trend, .points, title: "Points"))
        }
        let year = DaySpan(from: last.startOfYear, to: last)
        plots.append(
            Plot(year: last.year, counts: insights.dayCounts(in: year, game: game?.id), title: "\(last.year)"))
        return PlotReport.list(plots)
    }

    // MARK: Streaks

    func streaks(date: String?, _ subject: InsightSubject) throws -> StreaksReport {
        let group = subject.group
        let day = try shownDay(date)
        let insights = subject.insights
        let streaks = insights.streaks(on: day).sorted { left, right in
            (right.current, right.longest, left.game) < (left.current, left.longest, right.game)
        }
        return StreaksReport(
            name: subject.name, date: day.description, overall: report(insights.overallStreak(on: day)),
            active: report(insights.activeRun(on: day)),
            streaks: streaks.map { streak in
                let game = core.namedGame(streak.game, in: group)
                return StreakReport(
                    game: streak.game.rawValue, gameName: game.name, icon: game.emoji, current: streak.current,
                    longest: streak.longest, start: streak.start?.description,
                    lastPlayed: streak.lastPlayed?.description, freezes: streak.freezes, frozen: streak.frozen,
                    open: streak.isOpen, atRisk: streak.isAtRisk, unit: streak.cadence == .weekly ? "week" : "day")
            },
            atRisk: insights.atRisk(on: day).map(\.game.rawValue))
    }

    private func report(_ streak: PlayerInsights.OverallStreak) -> DayRunReport {
        DayRunReport(
            current: streak.current, longest: streak.longest, start: streak.start?.description,
            last: streak.last?.description)
    }

    // MARK: Achievements

    /// The day on which a user gained each friend: the first day on which both were in one group.
    func friendDays(of user: UserID, in groups: [GroupID]) -> [PuzzleDay] {
        var first: [UserID: Int64] = [:]
        for group in groups {
            guard let state = core.engine.state(of: group), let own = state.member(user) else { continue }
            for member in state.members where member.user != user {
                let since = max(member.admittedAt, own.admittedAt)
                first[member.user] = min(first[member.user] ?? since, since)
            }
        }
        return first.values.sorted().map { PuzzleDay(daysSinceEpoch: Int(clamping: $0 / 86_400)) }
    }

    private func friendDays(of subject: InsightSubject) -> [PuzzleDay] {
        friendDays(of: subject.user, in: subject.group == core.privateGroup ? core.memberGroups : [subject.group])
    }

    func achievementSet(of subject: InsightSubject) -> AchievementSet {
        subject.insights.achievements(on: core.clock.today, friends: friendDays(of: subject))
    }

    func achievements(of subject: InsightSubject) throws -> AchievementsReport {
        let friends = friendDays(of: subject)
        let set = achievementSet(of: subject)
        let groups = subject.group == core.privateGroup ? core.memberGroups : [subject.group]
        let rewards = eventCoins(of: subject.user, in: groups)
        let experience = subject.insights.experience(friends: friends, rewards: rewards)
        let overview = set.overview()
        let fresh = subject.group == core.privateGroup ? set.uncelebrated(celebrated) : []
        return AchievementsReport(
            name: subject.name, level: experience.level, coins: experience.coins, levelFloor: experience.floor,
            levelCeiling: experience.ceiling, unlocked: overview.unlocked, total: overview.total,
            achievements: set.progress.map { progress in
                AchievementReport(
                    id: progress.achievement.rawValue, title: progress.achievement.title,
                    icon: progress.achievement.emoji, value: progress.value, progress: progress.label,
                    fraction: progress.fraction, tier: progress.tier?.name, tierIcon: progress.tier?.emoji,
                    unlocks: progress.unlocks.map(report(of:)))
            },
            latest: overview.latest.map(report(of:)), nearest: overview.nearest.map(\.achievement.rawValue),
            fresh: fresh.map(report(of:)), badges: eventsWon(by: subject.user, in: groups))
    }

    private func report(of unlock: TierUnlock) -> TierUnlockReport {
        TierUnlockReport(
            achievement: unlock.reached.achievement.rawValue, tier: unlock.reached.tier.name,
            title: unlock.reached.title, icon: unlock.reached.tier.emoji, day: unlock.day.description,
            text: template(.unlock).text(for: unlock, name: core.ownName))
    }

    private static let celebratedSetting = "celebrated"

    /// Tiers that were shown once, on any of the user's devices.
    private var celebrated: Set<AchievementTier> {
        let words = (core.accountSettings.text(Self.celebratedSetting) ?? "").split(separator: " ")
        return Set(words.compactMap { AchievementTier(String($0)) })
    }

    func celebrate() async throws -> AchievementsReport {
        let subject = try await subject(nil, in: nil)
        let set = achievementSet(of: subject)
        let reached = Set(set.unlocks.map(\.reached)).union(celebrated)
        if reached != celebrated {
            let text = reached.sorted().map(\.text).joined(separator: " ")
            try await loop.storeLook([.setting(name: Self.celebratedSetting, value: Array(text.utf8))])
        }
        return try await achievements(of: self.subject(nil, in: nil))
    }

    /// Dated coins that tiers and events earned the members of a group, for boards of coins. Only by the group's
    /// records, and only by what this user may see: a tier could otherwise tell how a covered result went.
    ///
    /// - Parameter reveals: whether this user wants to see what is covered.
    func tierCoins(in group: GroupID, reveals: Bool) -> [PlayerID: DatedCoins] {
        var coins = eventCoins(in: group)
        for member in core.engine.state(of: group)?.members ?? [] {
            let player = PlayerID(member.user.bytes.array)
            let friends = friendDays(of: member.user, in: [group])
            let insights =
                reveals ? core.insights(of: player, in: group) : subject(member.user, in: group).insights
            let tiers = insights.achievements(on: core.clock.today, friends: friends).coins
            coins[player] = tiers.merged(with: coins[player] ?? .none)
        }
        return coins
    }

    // MARK: Recap

    /// A week: this user's, by all of their own results, and a group's.
    struct Week {
        var own: GroupID
        var mine: WeeklyRecap
        var group: GroupID?
        var ours: GroupRecap?
    }

    /// The week of a date. `selector` nil is the active group, if there is one; `isAlone` leaves it out.
    func week(date: String?, group selector: String?, isAlone: Bool = false) throws -> Week {
        let shown = try shownDay(date)
        let day = min(shown.startOfWeek.adding(days: 6), core.clock.today)
        guard let own = core.privateGroup else { throw NodeFailure.noGroup() }
        let group = isAlone ? nil : try selector.map { try core.group($0) } ?? core.activeGroup
        let ours = group.map { group -> GroupRecap in
            let query = boardQuery(DaySpan(from: day.startOfWeek, to: day), in: group)
            return index(of: group).groupRecap(query, players: players(of: group)) { core.knownGame($0, in: group) }
        }
        return Week(
            own: own, mine: core.insights(of: core.me, in: own).weeklyRecap(on: day), group: group, ours: ours)
    }

    func recap(date: String?, group selector: String?) throws -> RecapReport {
        let week = try week(date: date, group: selector)
        let (own, mine, group, ours) = (week.own, week.mine, week.group, week.ours)
        let title = group.map { core.title(of: $0) }
        let names = { (id: GameID) in self.core.namedGame(id, in: group ?? own) }
        return RecapReport(
            week: mine.week.text, from: mine.span.from.description,
            to: mine.span.to.description, played: mine.played, completed: mine.completed,
            completionRate: mine.completionRate.percent, points: mine.points, activeDays: mine.activeDays,
            averageStreak: mine.averageStreak.tenths, longestStreak: mine.longestStreak.map { report($0, in: own) },
            best: mine.best.map { core.resultReport($0) }, text: mine.text(name: core.ownName, games: names),
            group: group?.description, groupTitle: title,
            winners: ours?.winners.map {
                RecapReport.Winner(name: $0.name, points: $0.points, me: $0.player == core.me)
            } ?? [],
            climbers: ours?.climbers.map {
                RecapReport.Climber(name: $0.name, from: $0.from, to: $0.to, me: $0.player == core.me)
            } ?? [],
            groupBest: ours?.best.map { best in
                let game = names(best.score.game)
                return RecapReport.Best(
                    name: best.name, gameName: game.name, label: Scoring.label(for: best.score, in: game),
                    day: best.score.day.description, me: best.player == core.me)
            },
            coveredCount: ours?.coveredCount ?? 0, groupText: ours?.text(group: title ?? "", games: names))
    }

    // MARK: Two players, and who was first

    func versus(
        _ selector: String, game: String?, range: String?, date: String?, group groupSelector: String?, drawn: Bool
    ) async throws -> VersusReport {
        let group = try core.group(groupSelector)
        let user = try await people.member(selector, of: group)
        let game = try game.map { try core.game($0) }
        let range = try self.range(range ?? "all")
        let index = index(of: group)
        let span = range.span(around: try shownDay(date), today: core.clock.today, known: index.span(of: game?.id))
        let players = players(of: group)
        let theirs = PlayerID(user.bytes.array)
        guard let first = players.first(where: { $0.id == core.me }),
            let second = players.first(where: { $0.id == theirs })
        else { throw NodeFailure.unknownMember(selector) }
        var query = boardQuery(span, in: group)
        query.game = game?.id
        let found = index.headToHead(first, second, query: query) { core.knownGame($0, in: group) }
        let run = found.currentRun.map { $0.side == .first ? $0.length : -$0.length } ?? 0
        return VersusReport(
            group: group.description, title: core.title(of: group), user: core.shownID(of: user, in: group),
            name: second.name, from: span.from.description, to: span.to.description, game: game?.id.rawValue,
            common: found.total.count, wins: found.total.firstWins, losses: found.total.secondWins,
            ties: found.total.ties, myPercent: found.total.percent(of: .first),
            theirPercent: found.total.percent(of: .second), run: run,
            games: found.games.map { record in
                let game = core.namedGame(record.game, in: group)
                return VersusReport.Game(
                    game: game.id.rawValue, gameName: game.name, icon: game.emoji, wins: record.record.firstWins,
                    losses: record.record.secondWins, ties: record.record.ties,
                    myAverage: record.firstAverage.tenths, myAverageLabel: record.firstAverage.label(in: game),
                    theirAverage: record.secondAverage.tenths, theirAverageLabel: record.secondAverage.label(in: game))
            },
            points: found.points.map {
                VersusReport.Point(
                    day: $0.day.description, wins: $0.record.firstWins, losses: $0.record.secondWins,
                    ties: $0.record.ties)
            },
            coveredCount: found.coveredCount,
            plots: drawn ? PlotReport.list([Self.plot(found, against: second.name)]) : [])
    }

    /// How many more puzzles this user has won than the other player, over time.
    private static func plot(_ record: HeadToHead, against name: String) -> Plot {
        let points = record.points.suffix(Plot.maximumItems)
        return Plot(
            title: "Against \(name)",
            description: "How many more you have won than \(name): \(record.total.firstWins) won, "
                + "\(record.total.secondWins) lost, \(record.total.ties) tied.",
            shape: .line(
                points.map {
                    Plot.Point(label: $0.day.description, value: Double($0.record.firstWins - $0.record.secondWins))
                }, unit: .count, isArea: false))
    }

    func champions(_ word: String, game: String?, group selector: String?) throws -> ChampionsReport {
        let group = try core.group(selector)
        let period = try Argument.period(word)
        let game = try game.map { try core.game($0) }
        var query = boardQuery(DaySpan(from: core.clock.today, to: core.clock.today), in: group)
        query.game = game?.id
        query.aggregation = game?.rangeAggregation
        let found = index(of: group).champions(period, query: query, players: players(of: group)) {
            core.knownGame($0, in: group)
        }
        func winner(_ winner: Champions.Champion) -> ChampionsReport.Winner {
            ChampionsReport.Winner(
                user: UserID(winner.player.bytes).map { core.shownID(of: $0, in: group) } ?? "", name: winner.name,
                me: winner.player == core.me)
        }
        return ChampionsReport(
            group: group.description, title: core.title(of: group), period: word,
            game: game?.id.rawValue,
            champions: found.map { champions in
                ChampionsReport.Period(
                    period: period.text(champions.span.from), from: champions.span.from.description,
                    to: champions.span.to.description, winners: champions.winners.map(winner),
                    value: champions.value, ranked: champions.rankedCount)
            },
            wall: Champions.wall(of: found).map { wins in
                ChampionsReport.Wins(
                    winner: winner(wins.champion), count: wins.count, current: wins.current, longest: wins.longest,
                    latest: period.text(wins.latest))
            })
    }
}

extension PlotReport {
    static func list(_ plots: [Plot]) -> [PlotReport] {
        plots.enumerated().map { number, plot in
            PlotReport(title: plot.title, description: plot.description, svg: plot.svg(id: "plot-\(number)"))
        }
    }
}

extension Champions.Period {
    /// `2026-W47` or `2026-11`, for the period that begins on a day.
    fileprivate func text(_ first: PuzzleDay) -> String {
        switch self {
        case .week: first.isoWeek.text
        case .month: String(first.description.prefix(7))
        }
    }
}

extension ISOWeek {
    /// `2026-W47`
    var text: String { "\(year)-W\(week < 10 ? "0" : "")\(week)" }
}
