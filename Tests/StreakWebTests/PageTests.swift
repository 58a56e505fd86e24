import Foundation
import NIOCore
import NIOEmbedded
import NIOPosix
import StreakNode
import Testing

@testable import StreakWeb

@Suite struct PageTests {
    static let pages = [
        "/today", "/board?range=today", "/board?range=today&game=wordle", "/board?range=today&game=strands",
        "/board?range=7d", "/board?range=week&date=2026-11-02", "/board?range=month", "/board?range=year",
        "/board?range=all",
        "/board?from=2026-11-01&to=2026-11-21", "/board?range=today&game=wordle&reveal=1", "/games", "/games?q=word",
        "/player?user=\(FakeNode.user(0))", "/player?user=nobody", "/history", "/history?month=2024-02&date=2024-02-29",
        "/history?month=nonsense&game=wordle", "/record", "/record?game=wordle&date=2026-11-20&score=3&edit=1",
        "/friends",
        "/invite", "/join", "/profile", "/friends/codes", "/group", "/leave", "/privacy", "/guest", "/recovery",
        "/devices", "/backup", "/share?game=quordle&date=2026-11-20", "/group?group=\(FakeNode.user(51))",
        "/player?user=\(FakeNode.user(61))", "/numbers", "/numbers?game=wordle&range=all", "/numbers?range=7d",
        "/numbers?from=2026-11-01&to=2026-11-21", "/numbers?member=\(FakeNode.user(0))&group=\(FakeNode.group)",
        "/numbers?game=nothing", "/streaks", "/streaks?date=2026-11-02", "/achievements", "/recap",
        "/picture?of=week&look=dark", "/templates",
        "/recap?date=2026-11-10", "/champions", "/champions?period=month&game=wordle", "/games?favourites=1",
        "/event", "/event?date=2026-11-12",
        "/games?category=custom", "/games?q=nothing+like+it", "/game?id=wordle", "/game?id=\(FakeNode.customGame)",
        "/game?id=nothing", "/games/define", "/games/define?id=\(FakeNode.customGame)", "/exchange", "/reminders",
        "/notifications", "/rules",
        "/result?game=wordle&user=\(FakeNode.user(0))", "/result?game=strands&user=\(FakeNode.user(0))",
        "/result?game=wordle", "/messages", "/messages?user=\(FakeNode.user(0))", "/messages?user=\(FakeNode.user(5))",
        "/activity",
        "/activity?group=\(FakeNode.group)",
        "/board?range=365d&scope=all&region=FR", "/board?range=365d&offset=100",
    ]

    @Test(arguments: [FakeNode.Scenario.full, .silent, .lonely, .hostile, .outsider, .unconfirmed, .guest])
    func `every page is whole, with and without data`(scenario: FakeNode.Scenario) async throws {
        try await withPage(scenario) { page in
            let browser = try await page.signedIn()
            for (path, answer) in zip(Self.pages, try await browser.get(all: Self.pages)) {
                let isAllowed =
                    [200, 303, 404, 409].contains(answer.status) || scenario == .guest && answer.status == 403
                #expect(isAllowed, "\(path): \(answer.status)")
                guard answer.status != 303 else { continue }
                #expect(answer.body.hasPrefix("<!doctype html>"), "\(path)")
                #expect(answer.body.hasSuffix("</html>\n"), "\(path)")
                #expect(answer.body.contains("<h1"), "\(path)")
                #expect(!answer.body.contains("{{"), "\(path)")
                #expect(!answer.body.contains("Optional("), "\(path)")
                let fragment = try await browser.get(path + (path.contains("?") ? "&" : "?") + "fragment=board")
                #expect(!fragment.body.contains("<html"), "\(path)")
                #expect(fragment.body.contains("id=\"chip\""), "\(path)")
                #expect(fragment.body.contains("id=\"bell\"") == (scenario != .guest), "\(path)")
            }
        }
    }

    @Test func `a machine that is shut out says so, shows what it keeps, and offers nothing that would be refused`()
        async throws
    {
        try await withPage(.shutOut) { page in
            let browser = try await page.signedIn()
            for path in Self.pages {
                let answer = try await browser.get(path)
                guard path == "/today" || path.hasPrefix("/history") else {
                    guard answer.status != 404 else { continue }
                    #expect(answer.status == 303 && answer.headers["location"] == "/today", "\(path)")
                    continue
                }
                #expect(answer.body.contains("This machine was shut out of your account."), "\(path)")
                let parts = answer.body.components(separatedBy: "action=\"").dropFirst()
                let forms = Set(parts.map { $0.prefix { $0 != "\"" } })
                #expect(forms.isSubset(of: ["/history", "/export", "/sign-out"]), "\(path): \(forms)")
                let links = answer.body.components(separatedBy: "<a ").dropFirst().compactMap {
                    $0.components(separatedBy: "href=\"").dropFirst().first?.prefix { $0 != "\"" && $0 != "?" }
                }
                #expect(Set(links).isSubset(of: ["#main", "/today", "/history", "/profile#connection"]), "\(links)")
            }
            let today = try await browser.get("/today").body
            #expect(today.contains("action=\"/export\"") && today.contains("streakmesh up --data FOLDER"))
            #expect(!today.contains("No friends yet") && !today.contains("until then"))
            #expect(try await browser.get("/export?format=csv").status == 200)
            let refused = try await browser.post("/add", "text=Wordle+1%2C617+3%2F6")
            #expect(refused.status == 303 && refused.headers["location"] == "/today")
        }
    }

    @Test(
        arguments: [
            (FakeNode.Scenario.full, "3 new things", "3"), (.silent, "Nothing new", nil),
            (.hostile, "12345 new things", "99+"),
        ] as [(FakeNode.Scenario, String, String?)])
    func `the bell says how much is new, to eyes and to screen readers`(
        scenario: FakeNode.Scenario, text: String, count: String?
    ) async throws {
        try await withPage(scenario) { page in
            let browser = try await page.signedIn()
            for path in ["/today", "/today?fragment=board"] {
                let body = try await browser.get(path).body
                let start = try #require(body.firstRange(of: "<a class=\"round bell\""))
                let end = try #require(body[start.upperBound...].firstRange(of: "</a>"))
                let bell = body[start.lowerBound..<end.lowerBound]
                #expect(bell.contains("<span class=\"visually-hidden\">\(text)</span>"))
                #expect(bell.contains("data-said=\"\(text)\"") && bell.contains("href=\"/activity\""))
                let shown = count.map { "<span class=\"count\" aria-hidden=\"true\">\($0)</span>" }
                #expect(shown.map { bell.contains($0) } ?? !bell.contains("class=\"count\""))
            }
        }
    }

    @Test func `every kind of notification has its switch`() async throws {
        try await withPage { page in
            let body = try await page.signedIn().get("/notifications").body
            for kind in ["challenge", "message", "answer", "beaten", "ending", "started"] {
                #expect(body.contains("name=\"kind-\(kind)\" value=\"1\" checked"))
            }
            #expect(body.contains("name=\"kind-climbed\" value=\"1\">"))
            #expect(body.contains("name=\"quietFrom\" value=\"22:00\"") && body.contains("2 of 3 today"))
        }
    }

    @Test func `a name or title is never markup`() async throws {
        try await withPage(.hostile) { page in
            let browser = try await page.signedIn()
            for (path, answer) in zip(Self.pages, try await browser.get(all: Self.pages)) {
                #expect(!answer.body.contains("<script>alert"), "\(path)")
                #expect(!answer.body.contains("<b>"), "\(path)")
                #expect(!answer.body.contains("href=\"javascript:"), "\(path)")
                if path.hasPrefix("/board?range=today") { #expect(answer.body.contains("&lt;script&gt;"), "\(path)") }
            }
        }
    }

    @Test func `what a form sends back is escaped`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let answer = try await browser.post("/add", "text=%3C%2Ftextarea%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E")
            #expect(answer.status == 422)
            #expect(!answer.body.contains("<script>alert"))
            #expect(answer.body.contains("&lt;/textarea&gt;&lt;script&gt;alert(1)"))
        }
    }

    @Test func `no template leaves a value as it is and none has a style or script of its own`() {
        for (name, source) in Templates.sources {
            let source = String(decoding: source, as: UTF8.self)
            // PlotView checks the one value that this template includes unescaped.
            let drawing = name == "plot" ? source.firstRange(of: "{{{.}}}") : nil
            let text = drawing.map { String(source[..<$0.lowerBound] + source[$0.upperBound...]) } ?? source
            for forbidden in [
                "{{{", "{{&", "{{=", "style=", "<style", "onclick", "CONTENT_TYPE", "http://", "https://",
            ] {
                #expect(!text.contains(forbidden), "\(name) has \(forbidden)")
            }
        }
    }

    @Test func `a failure shows neither paths nor secrets`() async throws {
        try await withPage(.failing) { page in
            let browser = try await page.signedIn()
            for path in ["/today", "/api/v1/board"] {
                let answer = try await browser.get(path)
                #expect(answer.status == 500)
                #expect(!answer.body.contains("/home"))
                #expect(answer.body.contains("storageFailed"))
            }
        }
    }

    @Test func `a bare board address becomes one with the remembered state, except the date`() async throws {
        try await withPage { page in
            var browser = try await page.signedIn()
            let bare = try await browser.get("/board")
            #expect(bare.status == 303)
            #expect(bare.headers["location"] == "/board?group=\(FakeNode.group)&range=today")
            let chosen = try await browser.get("/board?game=strands&range=7d&date=2026-11-10")
            let cookie = try #require(chosen.headers["set-cookie"]?.split(separator: ";").first)
            browser.cookie = "\(browser.cookie ?? ""); \(cookie)"
            let again = try await browser.get("/board")
            #expect(again.headers["location"] == "/board?group=\(FakeNode.group)&game=strands&range=7d")
        }
    }

    @Test func `today has no later day, yesterday has`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let today = try await browser.get("/board?range=today&game=wordle").body
            #expect(!today.contains("data-page=\"next\""))
            #expect(today.contains("date=2026-11-20"))
            let before = try await browser.get("/board?range=today&game=wordle&date=2026-11-20").body
            #expect(before.contains("data-page=\"next\""))
            #expect(before.contains("Yesterday, Friday 20 November"))
        }
    }

    @Test func `rows read as one sentence, the podium stands for three, covered rows tell nothing`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let wordle = try await browser.get("/board?range=today&game=wordle").body
            #expect(wordle.contains("aria-label=\"Rank 3, Ben, you, 4 guesses, up 2 places\""))
            #expect(wordle.contains("aria-label=\"Rank 4, Élodie, 5 guesses, new on the board, FR, posted later\""))
            #expect(wordle.contains("aria-label=\"Player#E5F6, result covered until you have played, alias\""))
            #expect(wordle.contains("class=\"podium\""))
            #expect(wordle.contains("1 result is covered"))
            let strands = try await browser.get("/board?range=today&game=strands").body
            #expect(!strands.contains("class=\"podium\""))
            #expect(strands.contains("Tied for rank 1, Ben, you, 0 hints, same rank as the day before"))
            #expect(strands.contains("<span class=\"rank\">=1</span>"))
        }
    }

    @Test func `a conflict is shown and replaced only when asked to`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let conflict = try await browser.post("/add", "text=Wordle+1%2C617+5%2F6")
            #expect(conflict.status == 422)
            #expect(conflict.body.contains("Replace it"))
            let replaced = try await browser.post("/add", "text=Wordle+1%2C617+5%2F6&replace=1")
            #expect(replaced.status == 303)
            #expect(
                page.node.asked.contains(
                    ScoreRequest.add(text: "Wordle 1,617 5/6", date: nil, replace: true, groups: nil)))
            #expect(try await browser.get("/today").body.contains("Recorded Wordle 1,617: 3 guesses."))
            let later = try await browser.get("/today").body
            #expect(!later.contains("Recorded Wordle 1,617: 3 guesses."))
        }
    }

    @Test func `a preview stores nothing`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let answer = try await browser.post("/preview", "text=Wordle+1%2C617+3%2F6&fragment=outcome")
            #expect(answer.status == 200)
            #expect(answer.body.contains("3 guesses"))
            #expect(answer.body.contains("for Sunday puzzlers, Office"))
            #expect(
                !page.node.changes.contains { $0 is ScoreRequest })
        }
    }

    @Test func `a link is shown before it is dialled`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let look = try await browser.post("/join/look", "link=streakmesh%3A%2F%2Fjoin%2FABC")
            let text = look.body.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(text.contains("Made on the machine <strong class=\"mono\">\(FakeNode.laptop.prefix(8))</strong>"))
            #expect(!page.node.asked.contains { $0 is JoinRequest })
            // Who is in by what this machine knows may be out, and comes in again by a new link.
            #expect(!look.body.contains("You are in this group already"))
            let again = try await browser.post("/join/look", "link=streakmesh%3A%2F%2Fjoin%2FMEMBER")
            for answer in [look, again] { #expect(answer.body.contains("data-busy=\"Joining…\"")) }
            #expect(again.body.contains("You are in this group already") && again.body.contains("Open the board"))
            let wrong = try await browser.post("/join/look", "link=nonsense")
            #expect(wrong.status == 422)
            #expect(wrong.body.contains("There is no StreakMesh invite in this."))
            let join = try await browser.post("/join", "link=streakmesh%3A%2F%2Fjoin%2FABC&history=all")
            #expect(join.status == 303)
            #expect(
                page.node.asked.contains(JoinRequest.join(link: "streakmesh://join/ABC", timeout: 120, history: nil)))
            let nobody = try await browser.post("/join", "link=nobody&history=today")
            #expect(nobody.status == 503)
            #expect(nobody.body.contains("Nobody in the group answered in time."))
        }
    }

    @Test func `deleting offers undo`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let answer = try await browser.post(
                "/delete", "game=wordle&day=2026-11-21&puzzle=1617&back=%2Fhistory%3Fmonth%3D2026-11")
            #expect(answer.headers["location"] == "/history?month=2026-11")
            #expect(page.node.asked.contains(ScoreRequest.delete(game: "wordle", date: "2026-11-21", puzzle: 1_617)))
            let history = try await browser.get("/history").body
            #expect(history.contains("action=\"/undo\""))
            #expect(try await browser.post("/undo", "").status == 303)
        }
    }

    @Test func `a form leads only to pages of its own`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let answer = try await browser.post("/sync", "back=https%3A%2F%2Fevil.example%2F")
            #expect(answer.headers["location"] == "/today")
        }
    }

    @Test func `forms lead back to whole pages, and a form's answer knows where to ask for what is new`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let part = try await browser.get("/player?user=\(FakeNode.user(3))&fragment=board&range=7d").body
            #expect(part.contains("name=\"back\" value=\"/player?user=\(FakeNode.user(3))&amp;range=7d\""))
            let answer = try await browser.post("/devices/link", "back=%2Fdevices").body
            #expect(answer.contains("<body data-address=\"/devices\">"))
            #expect(try await browser.get("/devices").body.contains("<body>"))
        }
    }

    @Test func `the JSON interface gives the reports and takes only JSON`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let board = try await browser.get("/api/v1/board?game=wordle&range=today")
            #expect(board.headers["content-type"] == "application/json; charset=utf-8")
            #expect(board.body.contains("\"delta\":2"))
            let unknown = try await browser.get("/api/v1/board?game=nothing")
            #expect(unknown.status == 404)
            #expect(unknown.body.contains("\"code\":\"unknownGame\""))
            let form = try await browser.post("/api/v1/add", "text=Wordle")
            #expect(form.status == 415)
            let json = try await browser.send(
                "POST", "/api/v1/add", body: #"{"text":"Wordle 1,617 3/6"}"#,
                headers: ["Content-Type": "application/json"])
            #expect(json.status == 200)
            #expect(json.body.contains("\"game\":\"wordle\""))
        }
    }
}

@Suite struct EventStreamTests {
    @Test func `rapid changes are collected for 180 ms and told once`() async throws {
        let loop = NIOAsyncTestingEventLoop()
        let hub = ChangeHub(events: { AsyncStream { $0.finish() } }, eventLoop: loop)
        let (_, notices) = try #require(hub.open())
        for _ in 0..<50 { hub.note(.changed(group: "b", digest: "")) }
        hub.note(.changed(group: "a", digest: ""))
        await loop.advanceTime(by: .milliseconds(179))
        hub.note(.notice("first"))
        await loop.advanceTime(by: .milliseconds(1))
        hub.note(.changed(group: "c", digest: ""))
        hub.note(.groupsChanged)
        await loop.advanceTime(by: .milliseconds(180))
        hub.note(.notice("last"))
        var texts: [String] = []
        for await notice in notices {
            texts.append(notice.eventText)
            if texts.count == 4 { break }
        }
        #expect(
            texts == [
                "event: message\ndata: \"first\"\n\n", "event: change\ndata: [\"a\",\"b\"]\n\n",
                "event: change\ndata: []\n\n", "event: message\ndata: \"last\"\n\n",
            ])
        await loop.shutdownGracefully()
    }

    @Test func `changes are told, and the stream ends with the page`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let request =
                "GET /events HTTP/1.1\r\nHost: 127.0.0.1:\(page.port)\r\nCookie: \(browser.cookie ?? "")\r\n\r\n"
            var text = ""
            var told = false
            try await browser.exchange(request) { part in
                text += String(buffer: part)
                if text.contains("event: ready"), !told {
                    told = true
                    for _ in 0..<50 { page.tell(.changed(group: "abc", digest: "00")) }
                    page.tell(.notice("Ada\nsays: hello"))
                }
                if text.contains("event: change\n"), text.contains("event: message\n") { await page.stop() }
                return true
            }
            #expect(
                text.contains("content-type: text/event-stream") || text.contains("Content-Type: text/event-stream"))
            #expect(text.contains("event: change\ndata: [\"abc\"]\n\n"))
            #expect(text.contains("event: message\ndata: \"Ada\\nsays: hello\"\n\n"))
        }
    }

    @Test func `at most sixteen streams are open, and one that ends makes room`() async throws {
        let hub = ChangeHub(
            events: { AsyncStream { $0.finish() } }, eventLoop: MultiThreadedEventLoopGroup.singleton.any())
        let streams = (0..<WebLimit.eventStreams).compactMap { _ in hub.open() }
        #expect(streams.count == WebLimit.eventStreams)
        #expect(hub.open() == nil)
        hub.close(streams[0].id)
        #expect(hub.open() != nil)
    }
}
