import StreakNode
import Testing

@testable import StreakWeb

@Suite struct PicturePageTests {
    @Test(
        arguments: [
            ("of=result&game=wordle&date=2026-11-20", ShareRequest.result(game: "wordle", date: "2026-11-20")),
            ("of=streak&game=wordle", .streak(game: "wordle")), ("of=streak", .streak(game: nil)),
            ("of=week&date=2026-11-20&group=g", .week(date: "2026-11-20", group: "g")),
            ("of=week&alone=1", .week(date: nil, group: nil, isAlone: true)),
            ("of=achievement&id=streak-master%2Fgold", .achievement("streak-master/gold")),
            ("of=nothing&game=mini", .result(game: "mini", date: nil)),
        ] as [(String, ShareRequest)])
    func `the address says what the picture is of`(query: String, wanted: ShareRequest) throws {
        let choice = PictureChoice(try #require(FormFields(parsing: query + "&look=dark&shape=square")))
        let style = PictureStyle(look: "dark", shape: "square")
        let request: ShareRequest =
            switch wanted {
            case .result(let game, let date, _): .result(game: game, date: date, picture: style)
            case .streak(let game, _): .streak(game: game, picture: style)
            case .week(let date, let group, let isAlone, _):
                .week(date: date, group: group, isAlone: isAlone, picture: style)
            case .achievement(let id, _): .achievement(id, picture: style)
            }
        #expect(choice.request == request)
        // Its own link leads to the same.
        let back = choice.href().split(separator: "?").last.map(String.init) ?? ""
        #expect(PictureChoice(try #require(FormFields(parsing: back))) == choice)
    }

    @Test func `the page shows the picture, its text, and what can be done with both`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let body = try await browser.get("/picture?of=week&shape=square").body
            #expect(body.contains("src=\"/picture/image.svg?of=week&amp;shape=square\" width=\"1080\" height=\"1080\""))
            #expect(body.contains("alt=\"\(page.node.name(1)), Wordle: 3 guesses\""))
            #expect(body.contains("download=\"streakmesh-wordle-2026-11-21.svg\""))
            #expect(body.contains("href=\"mailto:?subject=Wordle%3A%203%20guesses&amp;body=I%20solved%20it.%0AWordle"))
            #expect(body.contains("href=\"/picture?of=week&amp;look=dark&amp;shape=square\""))
            #expect(body.contains("Without the group"))
            #expect(try await browser.get("/picture?of=week&alone=1").body.contains("With the group"))
            let streak = try await browser.get("/picture?of=streak").body
            #expect(!streak.contains("the group</a>"))
        }
    }

    @Test func `the image is SVG under the same policy as the page`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let image = try await browser.get("/picture/image.svg?of=streak&look=dark")
            #expect(image.status == 200 && image.body.hasPrefix("<svg "))
            #expect(image.headers["content-type"] == "image/svg+xml; charset=utf-8")
            #expect(image.headers["content-security-policy"]?.contains("default-src 'none'") == true)
            #expect(image.headers["x-content-type-options"] == "nosniff")
        }
    }

    @Test(
        arguments: [
            ("/today", "/picture?of=result&amp;game="), ("/history", "/picture?of=result&amp;game="),
            ("/streaks", "/picture?of=streak&amp;game=wordle"), ("/streaks", "/picture?of=streak\""),
            ("/recap", "/picture?of=week\""), ("/achievements", "/picture?of=achievement&amp;id="),
        ])
    func `pages lead to pictures of what they show`(path: String, link: String) async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            #expect(try await browser.get(path).body.contains("href=\"\(link)"), "\(path)")
        }
    }

    @Test func `no page leads to a picture of another's play`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let body = try await browser.get("/streaks?member=\(FakeNode.user(0))").body
            #expect(body.contains("wordle") && !body.contains("/picture"))
        }
    }

    @Test(arguments: [
        SentForm(
            "/templates", "kind=solved&text=%7Bgame%7D%0D%0Awell",
            ShareTemplateRequest.change(kind: "solved", text: "{game}\nwell")),
        SentForm("/templates", "kind=solved&text=x&reset=1", ShareTemplateRequest.change(kind: "solved", text: nil)),
    ])
    func `a template is saved, or goes back`(form: SentForm) async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            #expect(try await browser.post(form.path, form.body).status == 303)
            #expect(page.node.changes.are([form.request]))
        }
    }

    @Test func `a refused template stays in its box, with the reason`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            page.node.refuse(with: .invalidTemplate(reason: "there is no {tier} here, only {game}"))
            let answer = try await browser.post("/templates", "kind=solved&text=mine+%7Btier%7D")
            #expect(answer.status == 422)
            #expect(answer.body.contains("mine {tier}</textarea>") && answer.body.contains("there is no {tier} here"))
        }
    }
}
