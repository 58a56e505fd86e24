import StreakNode
import Testing

@testable import StreakWeb

@Suite struct ExchangePageTests {
    private static let table = "text=date%2Cgame%2Cscore%0A2026-11-20%2Cwordle%2C3&kind=table"
    private static let source = ImportSource.text("date,game,score\n2026-11-20,wordle,3")

    private static func multipart(_ file: String, kind: String = "table") -> String {
        let parts = [("kind", kind), ("text", ""), ("dates", "day-first"), ("game", "")].map { name, value in
            "--XyZ\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
        }
        return parts.joined()
            + "--XyZ\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\nContent-Type: text/csv\r\n\r\n"
            + "\(file)\r\n--XyZ--\r\n"
    }

    private static func upload(_ browser: LocalBrowser, _ body: String, to path: String = "/import/look") async throws
        -> Answer
    {
        try await browser.send(
            "POST", path, body: body,
            headers: [
                "Content-Type": "multipart/form-data; boundary=XyZ", "Origin": "http://127.0.0.1:\(browser.port)",
            ])
    }

    @Test func `an export is a file, of the game and days asked for`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let csv = try await browser.get("/export?format=csv&game=wordle&from=2026-11-01&to=2026-11-21")
            #expect(csv.headers["content-type"] == "text/csv; charset=utf-8")
            #expect(csv.headers["content-disposition"] == "attachment; filename=\"streakmesh-2026-11-21.csv\"")
            #expect(csv.body.hasPrefix("date,game,score\r\n"))
            #expect(
                page.node.asked.contains(
                    ExportRequest.export(format: "csv", game: "wordle", from: "2026-11-01", to: "2026-11-21")))
            #expect(
                try await browser.get("/export?format=json").headers["content-type"]?.hasPrefix("application/json")
                    == true)
            #expect(try await page.stranger.get("/export?format=csv").status == 401)
        }
    }

    @Test func `a pasted table is looked at, then imported as it was shown`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let look = try await browser.post("/import/look", Self.table)
            for text in [
                "<dd>1,204</dd>", "Leave out refused lines, import 1,204 results", "Line 7",
                "Nothing is imported while a line is refused", "1 read with the game’s own maximum", "6, not 8.",
                "Line 12", "7 of 6 attempts",
                "… and 1,202 more", "1 recorded with another value", "2 refused",
            ] {
                #expect(look.body.contains(text), "\(text)")
            }
            #expect(page.node.changes.isEmpty)
            // The button says that lines are left out. Without that choice nothing is stored, and the page is shown
            // again.
            let held = try await browser.post("/import", "")
            #expect(held.status == 200 && held.body.contains("name=\"bad\" value=\"skip\""))
            let done = try await browser.post("/import", "bad=skip")
            #expect(done.headers["location"] == "/history")
            #expect(
                page.node.changes.are([
                    ImportRequest.load(Self.source, ImportOptions()),
                    ImportRequest.load(Self.source, ImportOptions(skipsBad: true)),
                ]))
            #expect(
                try await browser.get("/history").body.contains(
                    "Imported 1,204 results, skipped 81. Shared with Sunday puzzlers."))
            // It works only once.
            let again = try await browser.post("/import", "")
            #expect(again.status == 422)
            #expect(again.body.contains("There is nothing to import."))
        }
    }

    @Test func `a file arrives whole, with quotes, line breaks and a byte order mark`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let file = "date,game\r\n\"a \"\"b\"\"\r\n--Xy\",é=&%\r\n"
            let look = try await Self.upload(browser, Self.multipart("\u{FEFF}" + file))
            #expect(look.status == 200)
            #expect(
                page.node.asked.contains(
                    ImportRequest.load(.text(file), ImportOptions(isPreview: true, dates: "day-first"))))
        }
    }

    @Test(arguments: [
        ("date,game\n2026-11-20,wordle", "import 1,204 results"),
        ("date,game\n2026-11-20,fine", "Import 1,204 results"), ("[1.1.26] Ada: Wordle", "Which of them are you?"),
        ("Wordle 1,617 3/6", "<textarea id=\"text\" name=\"text\""),
    ])
    func `a dropped file is shown for what it is, and nothing is stored`(file: String, shown: String) async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let answer = try await Self.upload(browser, Self.multipart(file, kind: "any"))
            #expect(answer.status == 200)
            #expect(answer.body.contains(shown))
            #expect(page.node.changes.isEmpty)
        }
    }

    @Test func `a dropped file of no kind says so`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let answer = try await Self.upload(browser, Self.multipart("garbage", kind: "any"))
            #expect(answer.status == 422)
            #expect(answer.body.contains("No column of it is a date."))
        }
    }

    @Test func `conflicts are replaced only where that is chosen`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            _ = try await browser.post("/import/look", Self.table)
            let look = try await browser.post("/import/look", "replace=on")
            #expect(look.body.contains("Other values replace what is recorded."))
            _ = try await browser.post("/import/look", "replace=off")
            _ = try await browser.post("/import/look", "replace=on")
            _ = try await browser.post("/import", "bad=skip")
            #expect(
                page.node.changes.are([
                    ImportRequest.load(Self.source, ImportOptions(replaces: true, skipsBad: true))
                ]))
        }
    }

    @Test func `in a chat of several one says who one is`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let look = try await Self.upload(browser, Self.multipart("[1.1.26] Ada: Wordle", kind: "chat"))
            #expect(look.body.contains("Which of them are you?"))
            #expect(look.body.contains("311 results in 600 messages"))
            let mine = try await browser.post("/import/look", "sender=Ben")
            #expect(mine.body.contains("import 1,204 results"))
            _ = try await browser.post("/import", "bad=skip")
            #expect(
                page.node.changes.are([
                    ImportRequest.loadChat(
                        .text("[1.1.26] Ada: Wordle"), sender: "Ben",
                        ImportOptions(dates: "day-first", skipsBad: true))
                ]))
        }
    }

    @Test(arguments: ["chat", "table"], ["day-first", "month-first"])
    func `what the dates of a file mean is asked, and the file is not sent again`(kind: String, order: String)
        async throws
    {
        try await withPage { page in
            let browser = try await page.signedIn()
            let text = "[03/04/2026, 08:01] Ada: Absurdle 4/∞"
            let look = try await browser.post(
                "/import/look", "kind=\(kind)&sender=Ada&text=%5B03/04/2026,%2008:01%5D%20Ada:%20Absurdle%204/%E2%88%9E"
            )
            #expect(look.status == 200)
            #expect(look.body.contains("Which comes first in its dates?") && look.body.contains("line 1,002"))
            let decided = try await browser.post("/import/look", "order=\(order)")
            #expect(decided.body.contains("import 1,204 results"))
            _ = try await browser.post("/import", "bad=skip")
            let options = ImportOptions(dates: order, skipsBad: true)
            #expect(
                page.node.changes.are([
                    kind == "chat"
                        ? ImportRequest.loadChat(.text(text), sender: "Ada", options) : .load(.text(text), options)
                ]))
        }
    }

    @Test func `a file of one browser is not another's, and is forgotten when asked`() async throws {
        try await withPage { page in
            let (one, other) = (try await page.signedIn(), try await page.signedIn())
            _ = try await one.post("/import/look", Self.table)
            #expect(try await other.post("/import", "").status == 422)
            #expect(try await one.post("/import/forget", "").headers["location"] == "/exchange")
            #expect(try await one.post("/import", "").status == 422)
            #expect(page.node.changes.isEmpty)
        }
    }

    @Test func `what cannot be read is said, and the text stays`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let wrong = try await browser.post("/import/look", "text=garbage%3C%2Ftextarea%3E&kind=table")
            #expect(wrong.status == 422)
            #expect(wrong.body.contains("No column of it is a date."))
            #expect(wrong.body.contains("garbage&lt;/textarea&gt;"))
            #expect(try await browser.post("/import/look", "text=&kind=table").status == 422)
        }
    }

    @Test func `forms with files are read only where files are taken`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            #expect(try await Self.upload(browser, Self.multipart("a"), to: "/reminders").status == 415)
            #expect(try await Self.upload(browser, "--XyZ\r\nnonsense").status == 400)
            let large = String(repeating: "a", count: WebLimit.bodySize + 1)
            #expect(try await browser.post("/reminders", "on=\(large)").status == 413)
            #expect(try await Self.upload(browser, Self.multipart(large)).status == 200)
            #expect(!page.node.asked.contains { $0 is ReminderRequest })
        }
    }

    @Test(arguments: [
        ("multipart/form-data; boundary=abc", "abc"), ("Multipart/Form-Data; Boundary=\"a b\"", "a b"),
        ("multipart/form-data", nil), ("multipart/form-data; boundary=", nil),
        ("application/x-www-form-urlencoded; boundary=a", nil),
        ("multipart/form-data; boundary=\(String(repeating: "a", count: 71))", nil),
    ])
    func `boundaries are read`(type: String, boundary: String?) {
        #expect(MultipartForm.boundary(ofContentType: type) == boundary)
    }

    @Test(arguments: [
        "", "--b", "--b--", "--b\r\n", "--b\r\n\r\n--b--", "--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--",
        "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx", "x--b\r\n", "--b\r\nname=\"a\"\r\n\r\nx\r\n--b--",
    ])
    func `a broken form with files is refused, not trapped on`(text: String) {
        let fields = try? MultipartForm.fields(of: Array(text.utf8), boundary: "b")  // a fault is expected
        #expect(fields?.isEmpty ?? true)
    }

    @Test func `a file that is no text is refused`() {
        let head = Array("--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n".utf8)
        let reason =
            "The file is neither UTF-8 nor, with a byte order mark, UTF-16. Save it as UTF-8, in Excel as “CSV UTF-8”."
        for bytes in [[0xC3], [0xFF, 0xFE, 0x41], [0x41, 0, 0x42, 0]] as [[UInt8]] {
            #expect(throws: MultipartForm.Fault.notText(.importFailed(reason: reason))) {
                try MultipartForm.fields(of: head + bytes + Array("\r\n--b--".utf8), boundary: "b")
            }
        }
    }

    @Test(
        arguments: [
            [0x65, 0xC3, 0xA9], [0xEF, 0xBB, 0xBF, 0x65, 0xC3, 0xA9], [0xFF, 0xFE, 0x65, 0, 0xE9, 0],
            [0xFE, 0xFF, 0, 0x65, 0, 0xE9],
        ] as [[UInt8]])
    func `a file is read in the encodings that spreadsheets write`(bytes: [UInt8]) throws {
        let head = Array("--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n".utf8)
        let fields = try MultipartForm.fields(of: head + bytes + Array("\r\n--b--".utf8), boundary: "b")
        #expect(fields.map(\.value) == ["eé"])
    }
}
