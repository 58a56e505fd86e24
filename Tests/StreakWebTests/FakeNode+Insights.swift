@testable import StreakNode

/// The fake node's answers about numbers.
extension FakeNode {
    var hasNothing: Bool { scenario == .silent || scenario == .lonely }

    func gameName(_ id: String) -> String {
        scenario == .hostile ? Self.script : games.first { $0.id == id }?.name ?? id
    }

    /// Nil for other requests.
    func insight(_ request: any NodeRequest) throws -> (any Sendable)? {
        switch request {
        case StatisticsRequest.show(let game, let range, _, _, let member, _) as StatisticsRequest:
            if let game, !games.contains(where: { $0.id == game }) {
                throw NodeFailure.unknownGame(game, suggestions: [])
            }
            return statistics(game, range: range ?? "30d", member: member)
        case StreaksRequest.show(let date, _, let member) as StreaksRequest:
            return streaks(on: date ?? "2026-11-21", member: member)
        case AchievementsRequest.show(_, let member) as AchievementsRequest:
            return achievements(isFresh: member == nil, member: member)
        case is AchievementsRequest: return achievements(isFresh: false, member: nil)
        case RecapRequest.show(let date, _) as RecapRequest: return recap(date ?? "2026-11-21")
        case VersusRequest.show(let user, let game, _, _, let group, _) as VersusRequest:
            return versus(user, game: game, group: group ?? Self.group)
        case ChampionsRequest.show(let period, let game, let group) as ChampionsRequest:
            return champions(period, game: game, group: group ?? Self.group)
        case PlayerRequest.show(let user, _) as PlayerRequest: return player(user)
        case let request as EventRequest: return try event(request)
        case let request as ShareRequest: return share(request)
        case is ShareTemplateRequest: return templates
        default: return nil
        }
    }

    private func share(_ request: ShareRequest) -> ShareReport {
        let isSquare = request.picture?.shape == "square"
        let title = scenario == .hostile ? Self.script : "Wordle: 3 guesses"
        return ShareReport(
            text: "I solved it.\n\(title)", title: title, description: "\(name(1)), \(title)",
            fileName: "streakmesh-wordle-2026-11-21",
            picture: request.picture.map { _ in
                PictureReport(
                    svg: "<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>", width: isSquare ? 1_080 : 1_200,
                    height: isSquare ? 1_080 : 630)
            })
    }

    private var templates: ShareTemplatesReport {
        ShareTemplatesReport(
            templates: ["unlock", "solved"].map { kind in
                ShareTemplatesReport.Template(
                    kind: kind, text: scenario == .hostile ? Self.script : "{game}: {result}", own: kind == "solved",
                    placeholders: ["game", "result"],
                    example: scenario == .hostile ? Self.script : "Wordle: 3 guesses")
            })
    }

    private func subject(_ member: String?) -> String { member == nil ? name(1) : name(0) }

    private func count(_ game: String, _ count: Int) -> GameCountReport {
        GameCountReport(game: game, gameName: gameName(game), count: count)
    }

    private func statistics(_ game: String?, range: String, member: String?) -> StatisticsReport {
        let isAll = range == "all"
        var report = StatisticsReport(
            name: subject(member), coveredCount: member == nil ? 0 : 2, from: isAll ? "2021-06-19" : "2026-10-23",
            to: "2026-11-21", game: game, gameName: game.map(gameName), played: 0, completed: 0, activeDays: 0,
            activeStreaks: 0, secondsPlayed: 0, perGame: [], personalBests: [], step: "day", trend: [], deepDives: [],
            plots: [])
        guard !hasNothing else { return report }
        (report.played, report.completed, report.completionRate, report.consistency) = (1_284, 1_190, 93, 97)
        (report.activeDays, report.activeStreaks) = (29, 4)
        (report.longestCurrent, report.longestStreak) = (count("wordle", 41), count("connections", 112))
        report.mostPlayed = count("wordle", 512)
        report.best = result("mini", day: "2026-11-20")
        (report.busiestDay, report.busiestCount, report.secondsPlayed) = ("2026-11-02", 14, 116_100)
        report.perGame = [count("wordle", 512), count("connections", 301), count("mini", 288), count("strands", 183)]
        report.personalBests = ["wordle", "mini", "spellingbee"].enumerated().map { index, id in
            PersonalBestReport(
                game: id, gameName: gameName(id), icon: "🟩", label: ["1 guess", "0:21", "212 pts"][index],
                day: "2026-0\(index + 3)-14", timesBeaten: index)
        }
        if let game {
            report.deepDives = [
                DeepDiveReport(
                    game: game, gameName: gameName(game), played: 512, completed: 500, distribution: [],
                    average: 3.8, averageLabel: "3.8", best: 1, bestLabel: "1 guess", failRate: 2)
            ]
            report.plots.append(Drawing.bars("\(gameName(game)): results", [3, 31, 118, 204, 110, 34, 12]))
        }
        report.plots.append(Drawing.line(game == nil ? "Points" : "\(gameName(game ?? "")): trend"))
        report.plots.append(Drawing.calendar("2026"))
        return report
    }

    private func streaks(on date: String, member: String?) -> StreaksReport {
        let run = DayRunReport(current: 41, longest: 112, start: "2026-10-12", last: "2026-11-21")
        let none = DayRunReport(current: 0, longest: 0)
        func streak(
            _ game: String, _ current: Int, _ longest: Int, atRisk: Bool = false, open: Bool = false, frozen: Int = 0,
            freezes: Int = 0, unit: String = "day"
        ) -> StreakReport {
            StreakReport(
                game: game, gameName: gameName(game), icon: games.first { $0.id == game }?.icon ?? "🧩",
                current: current,
                longest: longest, start: current > 0 ? "2026-10-12" : nil, lastPlayed: "2026-11-20", freezes: freezes,
                frozen: frozen, open: open || atRisk, atRisk: atRisk, unit: unit)
        }
        let streaks =
            hasNothing
            ? []
            : [
                streak("wordle", 41, 112, frozen: 1, freezes: 2), streak("mini", 23, 60, atRisk: true),
                streak("connections", 6, 112, atRisk: true), streak("worldle", 3, 3, open: true, unit: "week"),
                streak("strands", 1, 18), streak("quordle", 0, 7),
            ]
        return StreaksReport(
            name: subject(member), date: date, overall: hasNothing ? none : run, active: hasNothing ? none : run,
            streaks: streaks, atRisk: streaks.filter(\.atRisk).map(\.game))
    }

    private func unlock(_ title: String, _ tier: String, _ icon: String, _ day: String) -> TierUnlockReport {
        TierUnlockReport(
            achievement: title, tier: tier, title: scenario == .hostile ? Self.script : "\(title), \(tier)", icon: icon,
            day: day, text: "\(icon) I reached \(scenario == .hostile ? Self.script : title) on StreakMesh!")
    }

    private func achievements(isFresh: Bool, member: String?) -> AchievementsReport {
        let all: [(String, String, String, Int, String, Double, String?)] = [
            ("streak-master", "Streak Master", "🔥", 112, "112 (max)", 1, "legendary"),
            ("game-collector", "Game Collector", "📚", 1_284, "250 (max)", 1, "legendary"),
            ("daily-devotee", "Daily Devotee", "📆", 41, "41/60", 0.68, "diamond"),
            ("variety-player", "Variety Player", "🎲", 9, "9/12", 0.75, "gold"),
            ("speed-demon", "Speed Demon", "⚡", 3, "3/5", 0.6, "bronze"),
            ("social-player", "Social Player", "👥", 0, "0/1", 0, nil),
        ]
        let icons = ["bronze": "🥉", "gold": "🥇", "diamond": "💎", "legendary": "👑"]
        let items = all.map { id, title, icon, value, progress, fraction, tier in
            AchievementReport(
                id: id, title: scenario == .hostile ? Self.script : title, icon: icon, value: hasNothing ? 0 : value,
                progress: hasNothing ? "0/3" : progress, fraction: hasNothing ? 0 : fraction,
                tier: hasNothing ? nil : tier, tierIcon: hasNothing ? nil : tier.flatMap { icons[$0] },
                unlocks: hasNothing ? [] : tier.map { [unlock(title, $0, icons[$0] ?? "", "2026-10-02")] } ?? [])
        }
        let latest = hasNothing ? [] : [unlock("Daily Devotee", "diamond", "💎", "2026-11-10")]
        return AchievementsReport(
            name: subject(member), level: hasNothing ? 1 : 14, coins: hasNothing ? 0 : 17_420,
            levelFloor: hasNothing ? 0 : 16_900, levelCeiling: hasNothing ? 100 : 19_600, unlocked: hasNothing ? 0 : 5,
            total: 10, achievements: items, latest: latest, nearest: ["variety-player", "daily-devotee"],
            fresh: isFresh
                ? scenario == .unconfirmed ? Array(repeating: latest, count: 5).flatMap(\.self) : latest : [],
            badges: hasNothing ? 0 : 2)
    }

    private func player(_ user: String?) -> PlayerReport {
        let index = (0..<7).first { Self.user($0) == user } ?? 1
        let isMine = user == nil || index == 1
        let (achievements, streaks) = (
            achievements(isFresh: false, member: user), streaks(on: "2026-11-21", member: user)
        )
        let statistics = statistics(nil, range: "all", member: user)
        return PlayerReport(
            group: Self.group, title: title, user: user ?? Self.user(1), name: name(index), me: isMine, online: true,
            numbers: index == 6
                ? nil
                : PlayerReport.Numbers(
                    level: achievements.level, coins: achievements.coins, levelFloor: achievements.levelFloor,
                    levelCeiling: achievements.levelCeiling, badges: achievements.badges,
                    unlocked: achievements.unlocked, total: achievements.total, unlocks: achievements.latest,
                    played: statistics.played, completed: statistics.completed, games: statistics.perGame,
                    streaks: streaks.streaks.filter { $0.current > 0 }, overall: streaks.overall,
                    secondsPlayed: statistics.secondsPlayed,
                    bests: statistics.personalBests.enumerated().map { number, best in
                        PlayerReport.Best(
                            game: best.game, gameName: best.gameName, icon: best.icon, label: best.label,
                            day: best.day, timesBeaten: best.timesBeaten, rank: number + 1, of: number == 2 ? 5 : 1)
                    }, coveredCount: isMine ? 0 : 2),
            won: 2, lost: 1, drawn: 0, correspondent: isMine || scenario == .outsider ? nil : Self.user(index))
    }

    private func recap(_ date: String) -> RecapReport {
        var report = RecapReport(
            week: "2026-W47", from: date < "2026-11-16" ? "2026-11-09" : "2026-11-16",
            to: date < "2026-11-16" ? "2026-11-15" : "2026-11-22", played: 0, completed: 0, points: 0, activeDays: 0,
            winners: [], climbers: [], coveredCount: 0)
        if !groups.isEmpty { (report.group, report.groupTitle) = (Self.group, title) }
        guard !hasNothing else { return report }
        (report.played, report.completed, report.completionRate) = (38, 35, 92)
        (report.points, report.activeDays, report.averageStreak) = (163, 6, 6.5)
        (report.longestStreak, report.best) = (count("wordle", 41), result("mini", day: "2026-11-20"))
        report.text = "My week 47\n38 played, 92 % solved"
        report.winners = [
            .init(name: name(0), points: 181, me: false), .init(name: name(1), points: 181, me: true),
        ]
        report.climbers = [.init(name: name(6), from: 7, to: 3, me: false)]
        report.groupBest = .init(
            name: name(2), gameName: gameName("wordle"), label: "1 guess", day: "2026-11-18", me: false)
        (report.coveredCount, report.groupText) = (2, "Week 47: \(name(0)) and \(name(1))")
        return report
    }

    private func versus(_ user: String, game: String?, group: String) -> VersusReport {
        let index = (0..<7).first { Self.user($0) == user } ?? 5
        var report = VersusReport(
            group: group, title: title, user: user, name: index == 5 ? "Player#E5F6" : name(index), from: "2026-01-01",
            to: "2026-11-21", game: game, common: 0, wins: 0, losses: 0, ties: 0, run: 0, games: [], points: [],
            coveredCount: 0, plots: [])
        guard !hasNothing else { return report }
        (report.common, report.wins, report.losses, report.ties) = (214, 97, 88, 29)
        (report.myPercent, report.theirPercent, report.run, report.coveredCount) = (45, 41, -3, 1)
        report.games = [
            .init(
                game: "wordle", gameName: gameName("wordle"), icon: "🟩", wins: 60, losses: 41, ties: 22,
                myAverage: 3.5, myAverageLabel: "3.5", theirAverage: 3.9, theirAverageLabel: "3.9"),
            .init(
                game: "mini", gameName: gameName("mini"), icon: "⏱️", wins: 37, losses: 47, ties: 7, myAverage: 45,
                myAverageLabel: "0:45", theirAverage: 41, theirAverageLabel: "0:41"),
        ]
        report.points = [
            .init(day: "2026-11-20", wins: 96, losses: 88, ties: 29),
            .init(day: "2026-11-21", wins: 97, losses: 88, ties: 29),
        ]
        report.plots = [Drawing.line("Wins less losses")]
        return report
    }

    private func champions(_ period: String, game: String?, group: String) -> ChampionsReport {
        let periods = (0..<(hasNothing ? 0 : 6)).map { index in
            ChampionsReport.Period(
                period: period == "month" ? "2026-\(10 - index)" : "2026-W\(46 - index)",
                from: period == "month"
                    ? "2026-0\(9 - index)-01"
                    : "2026-\(index < 2 ? "11-0\(9 - index * 7)" : "10-\(26 - (index - 2) * 7)")",
                to: "2026-11-15",
                winners: (0..<(index == 1 ? 2 : 1)).map {
                    .init(user: Self.user(index + $0), name: name(index + $0), me: index + $0 == 1)
                }, value: 181 - index * 3, ranked: 7)
        }
        let wall = (0..<(hasNothing ? 0 : 3)).map { index in
            ChampionsReport.Wins(
                winner: .init(user: Self.user(index), name: name(index), me: index == 1), count: 5 - 2 * index,
                current: index == 0 ? 2 : 0, longest: 3 - index, latest: period == "month" ? "2026-09" : "2026-W46")
        }
        return ChampionsReport(
            group: group, title: title, period: period, game: game, champions: periods, wall: wall)
    }

    // MARK: Reminders

    func answer(_ request: ReminderRequest) -> RemindersReport {
        var report = RemindersReport(
            on: !hasNothing, smart: !hasNothing, time: "18:30", fixedTime: "20:00", desktop: false, excluded: [],
            hours: [], plots: [])
        if !hasNothing {
            (report.quiet, report.window, report.coverage) = ("22:00-08:00", "19:00-21:00", 46)
            (report.next, report.excluded) = ("2026-11-21T17:30:00Z", ["quordle"])
            report.text =
                "\(gameName("mini")) (23 days) and \(gameName("connections")) (6 days) end unless you play today."
            report.command = scenario == .hostile ? Self.script : nil
            report.plots = [Drawing.columns("When you play")]
        }
        if case .change(let change) = request { report.on = change.on ?? report.on }
        return report
    }

    func answer(_ request: NotificationRequest) -> NotificationsReport {
        let kinds = ["challenge", "message", "answer", "beaten", "ending", "climbed", "started"]
        return NotificationsReport(
            kinds: kinds.map { NotificationsReport.Kind(kind: $0, on: $0 != "climbed") }, quiet: "22:00-08:00",
            shownToday: 2, most: 3, desktop: true, command: scenario == .hostile ? Self.script : nil,
            reminders: !hasNothing, fresh: scenario == .hostile ? 12_345 : hasNothing ? 0 : 3,
            notices: hasNothing
                ? []
                : [
                    NoticeReport(
                        id: "3fa94c10", kind: "beaten", at: "2026-11-21T08:12:00Z",
                        text: "\(name(0)) beat your 3 guesses in Wordle with 2 guesses.", seen: false)
                ])
    }
}

/// Drawings as `Plot` makes them.
enum Drawing {
    private static func plot(_ title: String, _ note: String, _ kind: String, height: Int, _ body: String) -> PlotReport
    {
        let text = title.replacing("<", with: "&lt;").replacing(">", with: "&gt;").replacing("'", with: "&#39;")
        let svg =
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot \(kind)\" viewBox=\"0 0 640 \(height)\" role=\"img\" "
            + "aria-labelledby=\"plot-\(kind)-title plot-\(kind)-desc\">\n<title id=\"plot-\(kind)-title\">\(text)</title>\n"
            + "<desc id=\"plot-\(kind)-desc\">\(note)</desc>\n\(body)</svg>\n"
        return PlotReport(title: title, description: note, svg: svg)
    }

    static func bars(_ title: String, _ counts: [Int]) -> PlotReport {
        let body = counts.enumerated().map { index, count in
            let (y, width) = (index * 24, 520 * count / 204)
            let label = index == counts.count - 1 ? "X" : "\(index + 1)"
            return "<text class=\"plot-label\" x=\"64\" y=\"\(y + 16)\" text-anchor=\"end\">\(label)</text>\n"
                + "<rect class=\"plot-bar\(label == "X" ? " plot-bar-loss" : "")\" x=\"72\" y=\"\(y + 3)\" "
                + "width=\"\(max(width, 1))\" height=\"18\"><title>\(label): \(count)</title></rect>\n"
                + "<text class=\"plot-value\" x=\"\(78 + width)\" y=\"\(y + 16)\" text-anchor=\"start\">\(count)</text>\n"
        }
        return plot(
            title, "Average 3.8, best 1, not solved 2 %.", "plot-bars", height: 24 * counts.count, body.joined())
    }

    static func line(_ title: String) -> PlotReport {
        let points = (0..<30).map { (x: 56 + $0 * 19, y: 150 - ($0 * 37 % 90) - $0) }
        let steps = points.enumerated().map { "\($0.offset == 0 ? "M" : "L")\($0.element.x) \($0.element.y)" }
        var body = (0..<4).map { index in
            "<path class=\"plot-grid\" d=\"M56 \(172 - index * 54) L632 \(172 - index * 54)\"/>\n"
                + "<text class=\"plot-label\" x=\"50\" y=\"\(176 - index * 54)\" text-anchor=\"end\">\(index * 10)</text>\n"
        }.joined()
        body += "<path class=\"plot-area\" d=\"\(steps.joined(separator: " ")) L607 172 L56 172 Z\"/>\n"
        body += "<path class=\"plot-line\" d=\"\(steps.joined(separator: " "))\"/>\n"
        body += points.map { "<circle class=\"plot-dot\" cx=\"\($0.x)\" cy=\"\($0.y)\" r=\"3\"/>\n" }.joined()
        body += "<text class=\"plot-label\" x=\"56\" y=\"195\" text-anchor=\"start\">2026-10-23</text>\n"
        body += "<text class=\"plot-label\" x=\"632\" y=\"195\" text-anchor=\"end\">2026-11-21</text>\n"
        return plot(title, "From 2026-10-23 to 2026-11-21: lowest 4, highest 31.", "plot-lines", height: 200, body)
    }

    static func columns(_ title: String) -> PlotReport {
        let body = (0..<24).map { hour -> String in
            let size = hour == 19 || hour == 20 ? 140 : hour * 7 % 60 + 1
            let mark = hour == 19 || hour == 20 ? " plot-bar-marked" : ""
            let label =
                hour % 2 == 0
                ? "<text class=\"plot-label\" x=\"\(Double(hour) * 26.7 + 13)\" y=\"175\" text-anchor=\"middle\">\(hour)</text>\n"
                : ""
            return "<rect class=\"plot-bar\(mark)\" x=\"\(Double(hour) * 26.7 + 2)\" y=\"\(160 - size)\" width=\"21\" "
                + "height=\"\(size)\"/>\n" + label
        }
        return plot(title, "Most often from 19:00 to 21:00.", "plot-columns", height: 180, body.joined())
    }

    static func calendar(_ title: String) -> PlotReport {
        var body = ["Jan", "Mar", "May", "Jul", "Sep", "Nov"].enumerated().map { index, month in
            "<text class=\"plot-label\" x=\"\(30 + index * 98)\" y=\"11\" text-anchor=\"start\">\(month)</text>\n"
        }.joined()
        for day in 0..<325 {
            body +=
                "<rect class=\"plot-cell plot-level-\(day * day % 5)\" x=\"\(30 + day / 7 * 11)\" y=\"\(16 + day % 7 * 11)\" "
                + "width=\"9\" height=\"9\"><title>\(day)</title></rect>\n"
        }
        return plot(title, "1284 results on 320 days of 2026.", "plot-calendar", height: 96, body)
    }
}
