import Hummingbird
import StreakGames
import StreakNode

/// A page that needs a group while there is none.
struct NoGroupView: Sendable {
    var needsGroup = true
    var lonelyText: String
}

extension Site {
    func showBoard(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        if let left = frame.groups.first(where: { $0.id == visit.fields["group"] && !$0.isCurrent }) {
            return .seeOther(PageLink("/group").adding("group", left.id).text)
        }
        guard let group = frame.group(visit.fields) else {
            return page(.board, "board", title: "Boards", NoGroupView(lonelyText: frame.lonelyText), frame, visit)
        }
        // The URL holds the state. An address without it redirects to the board shown last.
        guard visit.fields["range"] != nil || visit.fields["from"] != nil else {
            return .seeOther(Self.remembered(visit, group: group).href)
        }
        var selection = BoardSelection(visit.fields)
        selection.group = group
        let report = try await node.call(selection.request)
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
        // The URL wins over what was remembered.
        if let game = visit.fields["game"] { selection.game = game == "all" ? nil : game }
        if let date = visit.fields["date"] { selection.date = date }
        if let metric = visit.fields["metric"] { selection.metric = metric }
        selection.reveal = visit.fields.isSet("reveal")
        return selection
    }
}
