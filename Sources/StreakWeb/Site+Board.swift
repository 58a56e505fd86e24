import Hummingbird
import StreakGames
import StreakNode

/// A page that needs a group while there is none.
struct NoGroupView: Sendable {
    var needsGroup = true
}

extension Site {
    func showBoard(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        guard let group = frame.group(visit.fields) else {
            return page(.board, "board", title: "Boards", NoGroupView(), frame, visit)
        }
        // The state is in the URL: an address without it becomes one with what was looked at last (product-rules 41).
        guard visit.fields["range"] != nil || visit.fields["from"] != nil else {
            return .seeOther(Self.remembered(visit, group: group).href)
        }
        var selection = BoardSelection(visit.fields)
        selection.group = group
        let report = try await node.call(.board(selection.request), returning: BoardReport.self)
        let view = BoardView(report, selection: selection, catalogue: try await catalogue())
        var response = page(
            .board, "board", title: "\(view.heading), \(view.period)", view, frame, visit)
        if !visit.isFragment, let bound = address.value {
            let words = [selection.game ?? "", selection.isCustom ? "today" : selection.range, selection.metric ?? ""]
            response.setCookie(
                Cookie(
                    name: RequestGuard.viewCookie(port: bound.port),
                    value: words.map(PageLink.encode).joined(separator: ":"), maxAge: 180 * 86_400, path: "/",
                    httpOnly: true, sameSite: .strict))
        }
        return response
    }

    private static func remembered(_ visit: Visit, group: String) -> BoardSelection {
        func word(_ index: Int) -> String? {
            guard index < visit.remembered.count else { return nil }
            return FormFields(parsing: "word=\(visit.remembered[index])")?["word"]
        }
        var selection = BoardSelection(group: group, game: word(0), range: word(1) ?? "today")
        selection.metric = word(2)
        // What the URL says beats what was remembered.
        if let game = visit.fields["game"] { selection.game = game == "all" ? nil : game }
        if let date = visit.fields["date"] { selection.date = date }
        if let metric = visit.fields["metric"] { selection.metric = metric }
        selection.reveal = visit.fields.isSet("reveal")
        return selection
    }

    // MARK: All games

    struct GamesView: Sendable {
        struct Category: Sendable {
            var name: String
            var games: [Game]
        }

        struct Game: Sendable {
            var icon: String
            var name: String
            var boardHref: String
            var playHref: String?
            var favourite: Bool
        }

        var query: String
        var categories: [Category]
        var found: String
    }

    func showGames(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        let group = frame.group(visit.fields)
        let query = visit.fields["q"] ?? ""
        let wanted = query.lowercased().trimmingSpaces
        let games = try await catalogue().games.filter {
            wanted.isEmpty || $0.name.lowercased().contains(wanted) || $0.category.lowercased().contains(wanted)
        }
        var order: [String] = []
        var byCategory: [String: [GamesView.Game]] = [:]
        for game in games {
            let name = game.category.prefix(1).uppercased() + game.category.dropFirst()
            if byCategory[name] == nil { order.append(name) }
            byCategory[name, default: []].append(
                GamesView.Game(
                    icon: game.icon, name: game.name,
                    boardHref: BoardSelection(group: group, game: game.id).href, playHref: game.webURL,
                    favourite: game.favourite))
        }
        let view = GamesView(
            query: query, categories: order.map { GamesView.Category(name: $0, games: byCategory[$0] ?? []) },
            found: games.count == 1 ? "1 game" : "\(games.count) games")
        return page(.board, "games", title: "All games", view, frame, visit)
    }

    // MARK: One player

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
        var period: String
        var ranges: [TabView]
        var rank: String
        var label: String
        var ranked: Bool
        var lines: [Line]
        var hasLines: Bool
        var coveredNote: Bool
    }

    func showPlayer(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        guard let user = visit.fields["user"] else { return .seeOther("/friends") }
        var selection = BoardSelection(visit.fields)
        selection.group = frame.group(visit.fields)
        selection.game = nil
        let report = try await node.call(.board(selection.request), returning: BoardReport.self)
        let members = try await node.call(.member(.list(group: selection.group)), returning: MembersReport.self)
        let row = report.rows.first { $0.user == user } ?? report.mine.flatMap { $0.user == user ? $0 : nil }
        let member = members.members.first { $0.user == user }
        guard row != nil || member != nil else {
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
        let view = PlayerView(
            avatar: AvatarView(user: user, name: name), name: name, me: row?.me ?? member?.me ?? false,
            member: member.map { MemberView($0, group: selection.group ?? report.group, now: now()) },
            period: selection.periodText(
                from: report.from, to: report.to, today: PuzzleDay(report.today) ?? today),
            ranges: [("today", "Day"), ("7d", "7 days"), ("month", "Month"), ("all", "All time")].map { range in
                let link = PageLink("/player").adding("group", selection.group).adding("user", user)
                return TabView(
                    label: range.1, href: link.adding("range", range.0).adding("date", selection.date).text,
                    current: range.0 == selection.range)
            },
            rank: row?.rank.map(String.init) ?? "–", label: row.map { $0.covered ? "Covered" : $0.label } ?? "–",
            ranked: row?.rank != nil, lines: lines, hasLines: !lines.isEmpty, coveredNote: report.coveredCount > 0)
        return page(.friends, "player", title: name, view, frame, visit)
    }

    private static let nobody = FailureView(
        code: "unknownMember", message: "Nobody in this group has this ID.", hint: "Choose a name on the friends page.")
}
