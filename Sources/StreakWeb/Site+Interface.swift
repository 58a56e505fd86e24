import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import StreakNode

/// The JSON interface under `/api/v1` (docs/api.md): the node's reports as they are.
extension Site {
    func addInterface(to router: Router<WebContext>) {
        let api = router.group("api/v1")
        answer(api, "whoami", ProfileReport.self) { _ in .profile(.whoami) }
        answer(api, "groups", GroupListReport.self) { _ in .group(.list) }
        answer(api, "members", MembersReport.self) { .member(.list(group: $0["group"])) }
        answer(api, "invites", InviteListReport.self) { .invite(.list(group: $0["group"])) }
        answer(api, "status", StatusReport.self) { _ in .network(.status) }
        answer(api, "games", GamesReport.self) { _ in .score(.games) }
        answer(api, "results", ResultsReport.self) {
            .score(.results(game: $0["game"], from: $0["from"], to: $0["to"]))
        }
        answer(api, "board", BoardReport.self) {
            .board(
                BoardRequest(
                    group: $0["group"], game: $0["game"], range: $0["range"], date: $0["date"], metric: $0["metric"],
                    reveal: $0.isSet("reveal")))
        }
        addWrites(to: api)
    }

    private struct Paste: Decodable, Sendable {
        var text: String
        var date: String?
        var replace: Bool?
    }

    private struct Entry: Decodable, Sendable {
        var game: String
        var score: Int?
        var completed: Bool?
        var seconds: Int?
        var date: String?
    }

    private struct Withdrawal: Decodable, Sendable {
        var game: String
        var date: String
        var puzzle: Int?
    }

    private struct InviteOrder: Decodable, Sendable {
        var group: String?
        var uses: Int?
        /// Seconds.
        var lifetime: Int64?
    }

    private struct LinkOrder: Decodable, Sendable {
        var link: String
        var timeout: Int64?
        var history: Int?
    }

    private struct Title: Decodable, Sendable { var title: String }

    private struct Choice: Decodable, Sendable { var group: String }

    private struct Nothing: Decodable, Sendable {}

    private func addWrites(to api: RouterGroup<WebContext>) {
        carryOut(api, "add", AddReport.self) { (order: Paste) in
            .score(.add(text: order.text, date: order.date, replace: order.replace ?? false, groups: nil))
        }
        carryOut(api, "preview", AddReport.self) { (order: Paste) in
            .score(.preview(text: order.text, date: order.date))
        }
        carryOut(api, "record", AddReport.self) { (order: Entry) in
            .score(
                .record(
                    game: order.game, score: order.score, isCompleted: order.completed ?? true, seconds: order.seconds,
                    date: order.date, groups: nil))
        }
        carryOut(api, "delete", AddReport.self) { (order: Withdrawal) in
            .score(.delete(game: order.game, date: order.date, puzzle: order.puzzle))
        }
        carryOut(api, "undo", UndoReport.self) { (_: Nothing) in .score(.undo) }
        carryOut(api, "invite", InviteReport.self) { (order: InviteOrder) in
            .invite(
                .create(
                    group: order.group, uses: order.uses ?? 1, lifetime: order.lifetime ?? 7 * 86_400,
                    needsApproval: false))
        }
        carryOut(api, "inspect", InvitePreview.self) { (order: LinkOrder) in .invite(.inspect(link: order.link)) }
        carryOut(api, "join", JoinReport.self) { (order: LinkOrder) in
            .invite(.join(link: order.link, timeout: min(max(order.timeout ?? 30, 1), 300), history: order.history))
        }
        carryOut(api, "groups", GroupReport.self) { (order: Title) in .group(.create(title: order.title)) }
        carryOut(api, "groups/use", GroupReport.self) { (order: Choice) in .group(.use(group: order.group)) }
        carryOut(api, "sync", StatusReport.self) { (_: Nothing) in .network(.sync) }
    }

    /// A question: fields in the query, the report as JSON.
    private func answer<Report: Codable & Sendable>(
        _ api: RouterGroup<WebContext>, _ path: RouterPath, _ type: Report.Type,
        _ question: @escaping @Sendable (FormFields) -> NodeRequest
    ) {
        api.get(path) { request, _ in
            guard let fields = FormFields(parsing: request.uri.query ?? "") else { throw HTTPError(.badRequest) }
            return try Response.json(try await node.call(question(fields), returning: type))
        }
    }

    /// An order: a JSON document in, the report out.
    private func carryOut<Order: Decodable & Sendable, Report: Codable & Sendable>(
        _ api: RouterGroup<WebContext>, _ path: RouterPath, _ type: Report.Type,
        _ request: @escaping @Sendable (Order) -> NodeRequest
    ) {
        api.post(path) { incoming, _ in
            // A form of another page cannot send this type without asking first (Fetch Standard, CORS preflight).
            guard incoming.headers[.contentType]?.lowercased().hasPrefix("application/json") == true else {
                throw HTTPError(.unsupportedMediaType)
            }
            let body = try await incoming.body.collect(upTo: WebLimit.bodySize)
            let order: Order
            do {
                order = try JSONDecoder().decode(
                    Order.self, from: Data(body.readableBytes == 0 ? Array("{}".utf8) : Array(body.readableBytesView)))
            } catch {
                throw HTTPError(.badRequest)
            }
            return try Response.json(try await node.call(request(order), returning: type))
        }
    }
}
