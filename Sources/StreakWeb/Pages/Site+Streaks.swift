import Hummingbird
import StreakGames
import StreakNode

/// Streaks of every game that was played.
struct StreaksView: Sendable {
    struct Line: Sendable {
        var icon: String
        var name: String
        var href: String
        /// “12 days”; “–” without one.
        var current: String
        var alive: Bool
        var note: String
        var atRisk: Bool
        var open: Bool
        var marks: [String]
        var playHref: String?
        /// Where it becomes a picture to send; nil for others' and for ended ones.
        var pictureHref: String?
    }

    struct Other: Sendable {
        var icon: String
        var name: String
        var href: String
    }

    var head: NumbersHead
    var figures: [FigureView]
    var atRisk: [Line]
    var hasAtRisk: Bool
    var lines: [Line]
    var hasLines: Bool
    /// Games without a result, the most popular first.
    var others: [Other]
    var othersTitle: String?
    var day: String
    var today: String
    var isToday: Bool
    /// Where days in a row over all games become a picture; nil for others', other days, and without any.
    var pictureHref: String?
}

extension StreaksView.Line {
    init(_ streak: StreakReport, game: GameReport?, href: String, isMine: Bool) {
        func counted(_ count: Int) -> String {
            let unit = streak.unit == "week" ? "week" : "day"
            return count == 1 ? "1 \(unit)" : "\(count) \(unit)s"
        }
        let last = streak.lastPlayed.flatMap { PuzzleDay($0) }.map { "last played \($0.longText)" }
        let start = streak.start.flatMap { PuzzleDay($0) }.map { "since \($0.longText)" }
        self.init(
            icon: streak.icon, name: streak.gameName, href: href,
            current: streak.current > 0 ? counted(streak.current) : "–", alive: streak.current > 0,
            note: ["best \(counted(streak.longest))", streak.current > 0 ? start : last].compactMap(\.self)
                .joined(separator: ", "),
            atRisk: streak.atRisk, open: streak.open && !streak.atRisk,
            marks: [
                streak.frozen > 0 ? "\(streak.frozen) frozen" : nil,
                streak.freezes > 0 ? streak.freezes == 1 ? "1 freeze" : "\(streak.freezes) freezes" : nil,
            ].compactMap(\.self), playHref: game?.webURL,
            pictureHref: isMine && streak.current > 0
                ? PictureChoice(.streak).with { $0.game = streak.game }.href() : nil)
    }
}

extension Site {
    func showStreaks(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        let (group, member) = (visit.fields["group"], visit.fields["member"])
        let report = try await node.call(
            StreaksRequest.show(date: visit.fields["date"], group: group, member: member))
        let lines = try await lines(report, group: group, member: member)
        let played = Set(report.streaks.map(\.game))
        let others = member == nil ? try await catalogue().games.filter { !played.contains($0.id) } : []
        let isToday = report.date == today.description
        let dayTitle = PuzzleDay(report.date)?.weekdayText ?? report.date
        func run(_ term: String, _ run: DayRunReport) -> FigureView {
            FigureView(
                term: term, value: run.current == 1 ? "1 day" : "\(run.current) days",
                note:
                    "best \(run.longest)\(run.start.flatMap { PuzzleDay($0) }.map { ", since \($0.shortText)" } ?? "")")
        }
        let atRisk = lines.filter(\.atRisk)
        let view = StreaksView(
            head: NumbersHead(
                .streaks, of: report.name, note: isToday ? "Today, \(dayTitle)" : dayTitle, fields: visit.fields),
            figures: [
                run("Solved in a row", report.overall), run("Played in a row", report.active),
                FigureView(term: "Alive", value: String(lines.count { $0.alive }), note: "of \(lines.count) games"),
                FigureView(
                    term: "At risk", value: String(atRisk.count), note: atRisk.isEmpty ? "nothing" : "until played"),
            ], atRisk: atRisk, hasAtRisk: !atRisk.isEmpty && member == nil && isToday, lines: lines,
            hasLines: !lines.isEmpty,
            others: others.map {
                StreaksView.Other(icon: $0.icon, name: $0.name, href: PageLink("/game").adding("id", $0.id).text)
            },
            othersTitle: others.isEmpty
                ? nil : others.count == 1 ? "1 game without a result" : "\(others.count) games without a result",
            day: report.date, today: today.description, isToday: isToday,
            pictureHref: isToday && member == nil && report.overall.current > 0
                ? PictureChoice(.streak).href() : nil)
        return page(.numbers, "streaks", title: view.head.heading, view, frame, visit)
    }

    private func lines(_ report: StreaksReport, group: String?, member: String?) async throws -> [StreaksView.Line] {
        let games = Dictionary(try await catalogue().games.map { ($0.id, $0) }) { first, _ in first }
        return report.streaks.map { streak in
            StreaksView.Line(
                streak, game: games[streak.game],
                href: PageLink("/numbers").adding("group", group).adding("member", member).adding("game", streak.game)
                    .adding("range", "all").text, isMine: member == nil)
        }
    }

    /// This user's streaks that end unless their games are played today.
    func streaksAtRisk() async throws -> [StreaksView.Line] {
        let report = try await node.call(
            StreaksRequest.show(date: nil, group: nil))
        return try await lines(report, group: nil, member: nil).filter(\.atRisk)
    }

    // MARK: Achievements

    struct AchievementsView: Sendable {
        struct Unlock: Sendable {
            var icon: String
            var title: String
            var day: String
            /// A sentence to share.
            var text: String
            var pictureHref: String
        }

        struct Item: Sendable {
            var icon: String
            var title: String
            var tier: String?
            var progress: String
            /// Progress to the next tier, in hundredths.
            var hundredths: Int
            var isFull: Bool
            var unlocks: [Unlock]
            var hasUnlocks: Bool
        }

        var head: NumbersHead
        var level: Int
        var coins: String
        var nextText: String
        var span: Int
        var done: Int
        var figures: [FigureView]
        var fresh: [Unlock]
        var hasFresh: Bool
        var freshRest: String?
        /// “5 achievements reached”, if that is too many to show one by one.
        var freshSummary: String?
        var nearest: [Item]
        var hasNearest: Bool
        var items: [Item]
        var latest: [Unlock]
        var hasLatest: Bool
    }

    func showAchievements(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        let (group, member) = (visit.fields["group"], visit.fields["member"])
        let report = try await node.call(
            AchievementsRequest.show(group: group, member: member))
        let items = report.achievements.map { item in
            AchievementsView.Item(
                icon: item.tierIcon ?? item.icon, title: item.title, tier: item.tier, progress: item.progress,
                hundredths: Int((min(max(item.fraction.isFinite ? item.fraction : 0, 0), 1) * 100).rounded()),
                isFull: item.fraction >= 1, unlocks: item.unlocks.map(Self.unlock), hasUnlocks: !item.unlocks.isEmpty)
        }
        let byID = Dictionary(zip(report.achievements.map(\.id), items)) { first, _ in first }
        var tiers: [(icon: String, name: String, count: Int)] = []
        for item in report.achievements {
            guard let tier = item.tier else { continue }
            if let index = tiers.firstIndex(where: { $0.name == tier }) {
                tiers[index].count += 1
            } else {
                tiers.append((item.tierIcon ?? "", tier, 1))
            }
        }
        let fresh = member == nil ? Self.fresh(report) : (shown: [], rest: nil, summary: nil)
        let view = AchievementsView(
            head: NumbersHead(
                .achievements, of: report.name, note: "\(report.unlocked) of \(report.total) reached",
                fields: visit.fields),
            level: report.level, coins: ResultView.grouped(report.coins),
            nextText: "\(ResultView.grouped(report.levelCeiling - report.coins)) to level \(report.level + 1)",
            span: max(report.levelCeiling - report.levelFloor, 1),
            done: max(report.coins - report.levelFloor, 0),
            figures: tiers.map { FigureView(term: "\($0.icon) \($0.name.capitalizedFirst)", value: String($0.count)) }
                + (report.badges > 0 ? [FigureView(term: "🏅 Weekly events won", value: String(report.badges))] : []),
            fresh: fresh.shown, hasFresh: !fresh.shown.isEmpty, freshRest: fresh.rest, freshSummary: fresh.summary,
            nearest: report.nearest.compactMap { byID[$0] },
            hasNearest: !report.nearest.isEmpty, items: items, latest: report.latest.prefix(8).map(Self.unlock),
            hasLatest: !report.latest.isEmpty)
        return page(.numbers, "achievements", title: view.head.heading, view, frame, visit)
    }

    /// Achievements reached but not yet announced: the last three, and the number of others. An import may reach
    /// dozens.
    func freshUnlocks() async throws -> FreshUnlocks {
        Self.fresh(try await node.call(AchievementsRequest.show(group: nil)))
    }

    typealias FreshUnlocks = (shown: [AchievementsView.Unlock], rest: String?, summary: String?)

    private static func fresh(_ report: AchievementsReport) -> FreshUnlocks {
        let rest = report.fresh.count - 3
        return (
            report.fresh.suffix(3).reversed().map(unlock), rest > 0 ? "and \(rest) more" : nil,
            rest > 0 ? "\(report.fresh.count) achievements reached" : nil
        )
    }

    static func unlock(_ unlock: TierUnlockReport) -> AchievementsView.Unlock {
        AchievementsView.Unlock(
            icon: unlock.icon, title: unlock.title, day: PuzzleDay(unlock.day)?.longText ?? unlock.day,
            text: unlock.text,
            pictureHref: PictureChoice(.achievement).with {
                $0.achievement = "\(unlock.achievement)/\(unlock.tier.lowercased())"
            }.href())
    }

    static let numberForms: [Form] = [Form("/achievements/celebrate", Site.celebrate)]

    /// Marks announced achievements as seen, on every device.
    private func celebrate(_ visit: Visit) async throws -> Response {
        _ = try await node.call(AchievementsRequest.celebrate)
        return .seeOther(visit.back)
    }
}

extension String {
    /// The text with its first letter as a capital.
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
