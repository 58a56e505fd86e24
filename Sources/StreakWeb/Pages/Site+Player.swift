import Hummingbird
import StreakGames
import StreakNode

/// One player's page: place on the board, comparison with this user, and facts about the member.
extension Site {
    struct PlayerView: Sendable {
        struct Line: Sendable {
            var icon: String
            var name: String
            var points: String
            var href: String
        }

        var avatar: AvatarView
        var name: String
        var me: Bool
        var member: MemberView?
        var groupTitle: String
        var backTo: String
        var canPromote: Bool
        var canDemote: Bool
        var canRemove: Bool
        var hasActions: Bool
        /// Whether this viewer hears what the member says about results; nil for oneself.
        var hearing: Hearing?
        /// Nil for oneself, and for somebody who has left.
        var challenge: ChallengingView?
        var period: String
        var ranges: [TabView]
        var rank: String
        var label: String
        var ranked: Bool
        var lines: [Line]
        var hasLines: Bool
        var coveredNote: Bool
        var versus: VersusView?
        /// Nil for a member who is on no board, and for somebody who has left.
        var numbers: PlayerNumbersView?
        /// Where a challenge is made; nil for oneself and who has left.
        var challengeHref: String?
        /// Nil without a group of the two.
        var messageHref: String?
    }

    struct Hearing: Sendable {
        var isMuted: Bool
    }

    func showPlayer(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        guard let user = visit.fields["user"] else { return .seeOther("/friends") }
        var selection = BoardSelection(visit.fields)
        selection.group = frame.group(visit.fields)
        selection.game = nil
        let report = try await node.call(selection.request)
        let members = try await node.call(MemberRequest.list(group: selection.group))
        let row = report.rows.first { $0.user == user } ?? report.mine.flatMap { $0.user == user ? $0 : nil }
        let member = members.members.first { $0.user == user }
        guard row != nil || member != nil else {
            // A board over all groups links here, so the player may be in another group.
            for group in frame.current where group.id != report.group {
                let others = try await node.call(MemberRequest.list(group: group.id))
                guard others.group == group.id, others.members.contains(where: { $0.user == user }) else { continue }
                return .seeOther(PageLink("/player").adding("group", group.id).adding("user", user).text)
            }
            return page(.friends, "failure", title: "Nobody here", Self.nobody, frame, visit, status: .notFound)
        }
        let name = member?.name ?? row?.name ?? ""
        let games = try await catalogue().games
        let lines = (row?.perGame ?? [:]).sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { entry in
            let game = (report.games + games).first { $0.id == entry.key }
            return PlayerView.Line(
                icon: game?.icon ?? "🧩", name: game?.name ?? entry.key,
                points: entry.value == 1 ? "1 point" : "\(entry.value) points",
                href: selection.with { $0.game = entry.key }.href)
        }
        let mine = frame.groups.first { $0.id == report.group }
        let isOther = member?.me == false
        let canPromote = isOther && mine?.role == "owner" && member?.role == "member"
        let canDemote = isOther && mine?.role == "owner" && member?.role == "admin"
        let canRemove = isOther && (mine?.role == "owner" || mine?.role == "admin" && member?.role == "member")
        let player = member == nil ? nil : try await node.call(PlayerRequest.show(user: user, group: report.group))
        let view = PlayerView(
            avatar: AvatarView(user: user, name: name), name: name, me: row?.me ?? member?.me ?? false,
            member: member.map { MemberView($0, group: selection.group ?? report.group, now: now()) },
            groupTitle: report.title, backTo: visit.back, canPromote: canPromote, canDemote: canDemote,
            canRemove: canRemove, hasActions: canRemove,
            hearing: isOther ? try await hearing(of: user, report.group) : nil,
            challenge: member == nil ? nil : try await challenging(user, name, isOther, report.group, visit),
            period: selection.periodText(
                from: report.from, to: report.to, today: PuzzleDay(report.today) ?? today),
            ranges: [("today", "Day"), ("7d", "7 days"), ("month", "Month"), ("all", "All time")].map { range in
                let link = PageLink("/player").adding("group", selection.group).adding("user", user)
                return TabView(
                    label: range.1, href: link.adding("range", range.0).adding("date", selection.date).text,
                    current: range.0 == selection.range)
            },
            rank: row?.rank.map(String.init) ?? "–", label: row.map { $0.covered ? "Covered" : $0.label } ?? "–",
            ranked: row?.rank != nil, lines: lines, hasLines: !lines.isEmpty, coveredNote: report.coveredCount > 0,
            versus: isOther ? try await versus(user, selection) : nil,
            numbers: player.flatMap { player in
                player.numbers.map { PlayerNumbersView($0, of: player, games: report.games + games) }
            },
            challengeHref: isOther ? "#challenge" : nil,
            messageHref: player?.correspondent.map { PageLink("/messages").adding("user", $0).text })
        return page(.friends, "player", title: name, view, frame, visit)
    }

    private func hearing(of user: String, _ group: String) async throws -> Hearing {
        let muted = try await node.call(MuteRequest.list(group: group)).muted
        return Hearing(isMuted: muted.contains { $0.user == user })
    }

    private static let nobody = FailureView(
        code: "unknownMember", message: "Nobody in this group has this ID.", hint: "Choose a name on the friends page.")

    // MARK: Comparison

    /// This user compared with another member.
    struct VersusView: Sendable {
        struct Game: Sendable {
            var icon: String
            var name: String
            var wins: Int
            var losses: Int
            var ties: Int
            var averages: String?
        }

        var wins: Int
        var losses: Int
        var ties: Int
        var note: String
        var hasGames: Bool
        var games: [Game]
        var plots: [PlotView]
        var coveredText: String?
    }

    private func versus(_ user: String, _ selection: BoardSelection) async throws -> VersusView {
        let report = try await node.call(
            VersusRequest.show(
                user: user, game: nil, range: selection.range == "today" ? "all" : selection.range,
                date: selection.date, group: selection.group, plots: true))
        var parts = [
            report.common == 0
                ? "No puzzle that both of you have played yet."
                : report.common == 1
                    ? "1 puzzle that both have played." : "\(report.common) puzzles that both have played."
        ]
        if let mine = report.myPercent, let theirs = report.theirPercent {
            parts.append("You won \(mine) %, \(report.name) \(theirs) %.")
        }
        if report.run > 1 { parts.append("You have won the last \(report.run).") }
        if report.run < -1 { parts.append("\(report.name) has won the last \(-report.run).") }
        return VersusView(
            wins: report.wins, losses: report.losses, ties: report.ties, note: parts.joined(separator: " "),
            hasGames: !report.games.isEmpty,
            games: report.games.prefix(40).map { game in
                VersusView.Game(
                    icon: game.icon, name: game.gameName, wins: game.wins, losses: game.losses, ties: game.ties,
                    averages: game.myAverageLabel.map {
                        "on average \($0) against \(game.theirAverageLabel ?? "–")"
                    })
            }, plots: report.points.count > 1 ? report.plots.map { PlotView($0) } : [],
            coveredText: Self.coveredText(report.coveredCount))
    }
}
