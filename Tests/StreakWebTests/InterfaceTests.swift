import Foundation
import NIOCore
import StreakGames
import Synchronization
import Testing

@testable import StreakNode
@testable import StreakWeb

/// The JSON interface (docs/api.md).
@Suite struct InterfaceTests {
    private static let lists: String = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        // A missing document lists nothing, and the test reports it.
        return (try? String(contentsOf: root.appendingPathComponent("docs/api.md"), encoding: .utf8)) ?? ""
    }()

    @Test func `docs api lists every address with all it takes, and no other`() {
        let documented = Self.lists.split(separator: "\n").filter { $0.contains("| `/api/v1/") }.map { line in
            line.split(separator: "|").prefix(3).map { $0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed() }
                .map { String($0) }
        }
        let routes = Site.interface.map { route in
            [route.method.rawValue, "`/api/v1/\(route.path)`", route.keys.map(\.text).joined(separator: " ")]
        }
        #expect(documented == routes)
        #expect(Set(routes).count == routes.count)
        for route in Site.interface { #expect(Set(route.keys.map(\.name)).count == route.keys.count, "\(route.path)") }
    }

    @Test(arguments: Site.interface.map { "\($0.method.rawValue) \($0.path)" })
    func `the control socket answers every request with its report, too`(address: String) async throws {
        let route = try #require(Site.interface.first { "\($0.method.rawValue) \($0.path)" == address })
        try await withPage(.unconfirmed) { page in
            _ = try await Self.send(route, Self.full(route), from: try await page.signedIn())
            let request = try #require(page.node.asked.first)
            let line = String(buffer: try await page.node.reply(to: request))
            #expect(line.hasPrefix("{\"ok\":"), "\(line.prefix(200))")
        }
    }

    @Test func `no address answers with a text that steers a terminal`() async throws {
        let hostile = "\u{1B}]0;owned\u{7}\u{1B}[2J\u{9B}31m\u{85}\u{202E}\u{2066}\u{2028}\rA\u{7F}\u{0}"
        try await withPage(.unconfirmed, marks: [hostile]) { page in
            let browser = try await page.signedIn()
            var marked = 0
            for route in Site.interface {
                let answer = try await Self.send(route, Self.full(route), from: browser)
                #expect(answer.status == 200, "\(route.path)")
                #expect(answer.body.unicodeScalars.filter(\.isSteering).isEmpty, "\(route.path)")
                if answer.body.contains("\\u001b") { marked += 1 }
            }
            #expect(marked > Site.interface.count / 2)
            page.node.refuse(with: .alreadyMember(title: hostile))
            for route in Site.interface where route.method == .post {
                let answer = try await Self.send(route, Self.full(route), from: browser)
                #expect(answer.body.unicodeScalars.filter(\.isSteering).isEmpty, "\(route.path)")
            }
        }
    }

    @Test(arguments: Site.interface.map { "\($0.method.rawValue) \($0.path)" })
    func `every address is answered by its report, and a stranger by none`(address: String) async throws {
        let route = try #require(Site.interface.first { "\($0.method.rawValue) \($0.path)" == address })
        try await withPage(.unconfirmed) { page in
            let browser = try await page.signedIn()
            let answer = try await Self.send(route, Self.full(route), from: browser)
            #expect(answer.status == 200, "\(answer.body)")
            #expect(answer.headers["content-type"] == "application/json; charset=utf-8")
            #expect(page.node.asked.count == 1)
            // The command line prints the same report with the same keys.
            let request = try #require(page.node.asked.first)
            let report = try page.node.report(on: request)
            #expect(answer.body == JSON(reflecting: report).text)
            #expect(page.node.asked.first?.isQuestion == (route.method == .get || Self.asking.contains(route.path)))
            #expect(try await Self.send(route, Self.full(route), from: page.stranger).status == 401)
            // With an unknown key, a missing one or one of another kind, the node is not asked.
            for document in Self.wrong(route) {
                let refused = try await Self.send(route, document, from: browser)
                #expect(refused.status == 422, "\(document)")
                #expect(refused.body.contains("\"invalidField\""))
            }
            #expect(page.node.asked.count == 1)
        }
    }

    /// POST addresses that change nothing.
    private static let asking: Set<String> = ["inspect", "preview", "games/test", "import/senders"]

    private static func value(_ key: InterfaceKey) -> String {
        let known = [
            "ending": "keep", "history": "30d", "groups": "all", "link": "streakmesh://join/A", "file": "a.backup",
            "format": "csv", "user": FakeNode.user(0), "game": "wordle", "date": "2026-11-20", "range": "7d",
            "text": "hello", "sender": "Ben", "key": FakeNode.key, "passphrase": "secret words",
        ]
        return switch key.kind {
        case .text: "\"\(known[key.name] ?? "Ada")\""
        case .number(let range): String(range.lowerBound)
        case .flag: "false"
        case .texts: "[\"Ada\",\"Ben\"]"
        }
    }

    private static func full(_ route: InterfaceRoute) -> [String: String] {
        var document = Dictionary(route.keys.map { ($0.name, value($0)) }) { first, _ in first }
        if route.path == "import" { document["preview"] = "false" }
        return document
    }

    private static func wrong(_ route: InterfaceRoute) -> [[String: String]] {
        var documents = [full(route).merging(["Group": "\"a\""]) { first, _ in first }]
        for key in route.keys {
            var document = full(route)
            if key.isRequired {
                document[key.name] = nil
                documents.append(document)
            }
            switch key.kind {
            case .text(let limit) where limit <= 4_096:
                document[key.name] = "\"\(String(repeating: "a", count: limit + 1))\""
            case .number(let range): document[key.name] = String(range.upperBound + 1)
            case .texts where route.method == .post: document[key.name] = "7"
            case .flag: document[key.name] = "\"perhaps\""
            default: continue
            }
            documents.append(document)
        }
        return documents
    }

    /// Values as in JSON; a query has them without quotes.
    private static func send(
        _ route: InterfaceRoute, _ document: [String: String], from browser: LocalBrowser
    ) async throws -> Answer {
        let fields = document.sorted { $0.key < $1.key }
        guard route.method == .post else {
            var link = PageLink("/api/v1/\(route.path)")
            for (name, value) in fields { link = link.adding(name, value.replacing("\"", with: "")) }
            return try await browser.get(link.text)
        }
        let body = "{" + fields.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
        return try await browser.send(
            "POST", "/api/v1/\(route.path)", body: body, headers: ["Content-Type": "application/json"])
    }

    /// The request that the page makes to the node.
    private static func request(
        _ method: InterfaceRoute.Method, _ path: String, _ text: String
    ) async throws -> [any NodeRequest] {
        let asked = Mutex<[any NodeRequest]>([])
        try await withPage { page in
            let browser = try await page.signedIn()
            _ =
                method == .get
                ? try await browser.get("/api/v1/\(path)\(text.isEmpty ? "" : "?\(text)")")
                : try await browser.send(
                    "POST", "/api/v1/\(path)", body: text, headers: ["Content-Type": "application/json"])
            asked.withLock { $0 = page.node.asked }
        }
        return asked.withLock { $0 }
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var method = InterfaceRoute.Method.post
        var path: String
        var text: String
        var request: any NodeRequest

        var testDescription: String { "\(path) \(text)" }
    }

    @Test(arguments: [
        Case(
            path: "add", text: #"{"text":"T"}"#,
            request: ScoreRequest.add(text: "T", date: nil, replace: false, groups: nil)),
        Case(
            path: "add", text: #"{"text":"T","groups":["Office"],"replace":true,"date":"2026-11-20"}"#,
            request: ScoreRequest.add(text: "T", date: "2026-11-20", replace: true, groups: ["Office"])),
        Case(
            path: "add", text: #"{"text":"T","private":true,"date":null}"#,
            request: ScoreRequest.add(text: "T", date: nil, replace: false, groups: [])),
        Case(
            path: "record", text: #"{"game":"mini","seconds":42}"#,
            request: ScoreRequest.record(
                game: "mini", score: nil, isCompleted: true, seconds: 42, date: nil, groups: nil, replace: false)),
        Case(
            path: "publish", text: #"{"game":"g","date":"2026-11-20","puzzle":1981}"#,
            request: ScoreRequest.publish(game: "g", date: "2026-11-20", puzzle: 1_981, groups: nil)),
        Case(
            method: .get, path: "board",
            text: "groups=all&region=FR&nearby=1&reveal=true&top=10&offset=5&range=2026-11-01..2026-11-21",
            request: BoardRequest(
                range: "2026-11-01..2026-11-21", reveal: true, everyGroup: true, region: "FR", nearby: true,
                limit: 10, offset: 5)),
        Case(path: "join", text: #"{"link":"L"}"#, request: JoinRequest.join(link: "L", timeout: 30, history: 0)),
        Case(
            path: "join", text: #"{"link":"L","history":"all","timeout":5}"#,
            request: JoinRequest.join(link: "L", timeout: 5, history: nil)),
        Case(
            path: "sharing/resume", text: #"{"group":"g","history":"7d"}"#,
            request: PrivacyRequest.resumeSharing(group: "g", history: 7)),
        Case(
            path: "invite", text: #"{"uses":0,"approval":true}"#,
            request: InviteRequest.create(group: nil, uses: 0, lifetime: 604_800, needsApproval: true)),
        Case(
            path: "guest/stop", text: #"{"ending":"export","file":"/tmp/g.json"}"#,
            request: GuestRequest.stop(.export(file: "/tmp/g.json"))),
        Case(
            path: "reminders", text: #"{"on":true,"exclude":["wordle"]}"#,
            request: ReminderRequest.change(ReminderChange(on: true, exclude: ["wordle"]))),
        Case(
            path: "notifications", text: #"{"off":["beaten"],"quiet":""}"#,
            request: NotificationRequest.change(NotificationChange(off: ["beaten"], quiet: ""))),
        Case(method: .get, path: "notifications", text: "", request: NotificationRequest.show),
        Case(
            path: "games/define", text: #"{"name":"Block","model":"highScore","group":"g"}"#,
            request: GameRequest.define(GameForm(name: "Block", model: "highScore"), group: "g")),
        Case(
            path: "import", text: #"{"text":"T","preview":true,"dates":"day-first"}"#,
            request: ImportRequest.load(.text("T"), ImportOptions(isPreview: true, dates: "day-first"))),
        Case(path: "undo", text: "", request: UndoRequest.last),
        Case(
            method: .get, path: "stats", text: "",
            request: StatisticsRequest.show(game: nil, range: nil, date: nil, group: nil)),
    ])
    func `an address asks what it says`(each: Case) async throws {
        #expect(try await Self.request(each.method, each.path, each.text).are([each.request]))
    }

    @Test(arguments: [
        ("add", #"{"text":"T","groups":["a"],"private":true}"#), ("add", #"{"text":{"a":1}}"#), ("add", "[]"),
        ("add", "7"),
        ("add", "{"), ("add", #"{"text":7}"#), ("add", #"{"text":null}"#), ("join", #"{"link":"L","history":"0d"}"#),
        ("join", #"{"link":"L","history":"-3d"}"#), ("guest/stop", #"{"ending":"export"}"#),
        ("guest/stop", #"{"ending":"burn"}"#), ("record", #"{"game":"g","score":1.5}"#),
        ("record", #"{"game":"g","score":99999999999999999999}"#), ("add?text=T", "{}"),
        ("add", String(repeating: "[", count: 10_000)),
    ])
    func `what makes no sense is refused before anything is asked`(path: String, text: String) async throws {
        #expect(try await Self.request(.post, path, text).isEmpty)
    }
}
