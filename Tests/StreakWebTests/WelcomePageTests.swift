import Foundation
import StreakNode
import Testing

@testable import StreakWeb

/// The first page, before there is an account.
@Suite struct WelcomePageTests {
    @Test(arguments: ["/", "/today", "/board", "/friends", "/recovery", "/guest"])
    func `without an account every page leads to the first one, which still needs the sign-in link`(
        path: String
    ) async throws {
        try await withPage(.newcomer) { page in
            let browser = try await page.signedIn()
            let answer = try await browser.get(path == "/" ? "/today" : path)
            #expect(answer.status == 303)
            #expect(answer.headers["location"] == "/welcome")
            for address in [path, "/welcome"] { #expect(try await page.stranger.get(address).status == 401) }
            #expect(try await page.stranger.post("/welcome/new", "name=Eve").status == 401)
            #expect(page.node.accounts.isEmpty)
        }
    }

    @Test func `the first page offers a new account and every way back to one`() async throws {
        try await withPage(.newcomer) { page in
            let body = try await page.signedIn().get("/welcome").body
            for path in ["new", "link", "recover", "restore"] {
                #expect(body.contains("action=\"/welcome/\(path)\""), "\(path)")
            }
            // What is done on the internet is said where it can be refused.
            #expect(body.contains(InternetReport.explanation))
            for setting in InternetReport.settings { #expect(body.contains("value=\"\(setting)\"")) }
        }
    }

    @Test(arguments: [
        ("/welcome/new", "name=Ada", AccountOrigin.new(name: "Ada")),
        ("/welcome/new", "name=Ada&internet=off", .new(name: "Ada", internet: "off")),
        ("/welcome/link", "link=+streakmesh%3A%2F%2Fdevice%2FA%0A", .machine(link: "streakmesh://device/A")),
        ("/welcome/recover", "key=K7Q2&name=Ada", .recoveryKey("K7Q2", name: "Ada")),
        (
            "/welcome/restore", "file=%2Ftmp%2Fa.backup&passphrase=secret+words",
            .backup(file: "/tmp/a.backup", passphrase: "secret words")
        ),
    ])
    func `an account is made once, and the page goes on with it`(
        path: String, form: String, origin: AccountOrigin
    ) async throws {
        try await withPage(.newcomer) { page in
            let browser = try await page.signedIn()
            let made = try await browser.post(path, form)
            #expect(page.node.accounts == [origin])
            if case .new = origin {
                // It starts with the recovery key.
                #expect(made.status == 200)
                #expect(made.body.contains("Welcome, Ben."))
                #expect(made.body.contains("<li>K7Q2</li>"))
            } else {
                #expect(made.headers["location"] == "/today")
            }
            #expect(try await browser.get("/today").status == 200)
            #expect(try await browser.get("/welcome").headers["location"] == "/today")
            #expect(try await browser.post(path, form).status == 303)
            #expect(page.node.accounts == [origin])
        }
    }

    @Test(arguments: [
        ("/welcome/new", "name=", "That name cannot be used."),
        ("/welcome/link", "link=streakmesh%3A%2F%2Fjoin%2FA", "This is an invite to a group, not a link for a machine"),
        ("/welcome/link", "link=hello", "it begins with streakmesh://device/."),
        ("/welcome/restore", "file=&passphrase=x", "This backup cannot be opened: that is not a file name."),
    ])
    func `what could not be made says why, where it was asked`(path: String, form: String, text: String) async throws {
        try await withPage(.newcomer) { page in
            let answer = try await page.signedIn().post(path, form)
            #expect(answer.status == 422)
            #expect(answer.body.contains("role=\"alert\""))
            #expect(answer.body.contains(text))
            #expect(answer.body.contains("action=\"/welcome/new\""))
            #expect(page.node.accounts.isEmpty)
        }
    }

    @Test(arguments: [
        ("streakmesh://join/ABC", "Sunday puzzlers"),
        ("streakmesh://add?text=Wordle+1%2C617+3%2F6", "for Sunday puzzlers"), ("streakmesh://game/wordle", nil),
    ])
    func `a link opened before there is an account is shown when there is one, and nothing is done by itself`(
        link: String, text: String?
    ) async throws {
        let opening = PageLink("/open").adding("link", link).text
        let kept = PageLink("/welcome").adding("opened", link).text
        let sent = "&opened=" + PageLink.encode(link)
        for (path, form) in [("new", "name=Ada"), ("link", "link=streakmesh%3A%2F%2Fdevice%2FA")] {
            try await withPage(.newcomer) { page in
                let browser = try await page.signedIn()
                #expect(try await browser.get(opening).headers["location"] == kept)
                let field = "name=\"opened\" value=\"\(link)\""
                let welcome = try await browser.get(kept).body
                // In each of the four forms.
                #expect(welcome.components(separatedBy: field).count == 5)
                #expect(welcome.contains("you see what it leads to"))
                // It is still there after a mistake.
                let mistake = try await browser.post("/welcome/new", "name=\(sent)")
                #expect(mistake.status == 422 && mistake.body.contains(field))
                #expect(page.node.accounts.isEmpty && page.node.changes.isEmpty)
                let made = try await browser.post("/welcome/\(path)", form + sent)
                if path == "new" {
                    // The recovery key comes first, and leads on.
                    #expect(made.body.contains("href=\"\(opening)\"") && made.body.contains(field))
                    let confirmed = try await browser.post("/recovery/confirm", "key=\(FakeNode.key)" + sent)
                    #expect(confirmed.headers["location"] == opening)
                } else {
                    #expect(made.headers["location"] == opening)
                }
                #expect(try await browser.get(kept).headers["location"] == opening)
                let before = page.node.changes.count
                let shown = try await browser.get(opening)
                if let text { #expect(shown.status == 200 && shown.body.contains(text)) }
                #expect(page.node.changes.count == before)
            }
        }
    }

    @Test func `a device link opened before there is an account fills its form in, and is not opened again`()
        async throws
    {
        try await withPage(.newcomer) { page in
            let browser = try await page.signedIn()
            let link = PageLink("/open").adding("link", "streakmesh://device/A").text
            let kept = try #require(try await browser.get(link).headers["location"])
            let body = try await browser.get(kept).body
            #expect(body.contains(">streakmesh://device/A</textarea>") && body.contains("<details open>"))
            #expect(!body.contains("name=\"opened\""))
            #expect(page.node.accounts.isEmpty)
        }
    }

    @Test(arguments: ["https://example.org/", "//example.org", "nonsense", "streakmesh://format?now"])
    func `what leads nowhere is not kept`(link: String) async throws {
        try await withPage(.newcomer) { page in
            let browser = try await page.signedIn()
            #expect(!(try await browser.get(PageLink("/welcome").adding("opened", link).text).body.contains(link)))
            let form = "link=streakmesh%3A%2F%2Fdevice%2FA&opened=" + PageLink.encode(link)
            #expect(try await browser.post("/welcome/link", form).headers["location"] == "/today")
        }
    }

    @Test func `a node with an account has no first page`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            #expect(try await browser.get("/welcome").headers["location"] == "/today")
            #expect(try await browser.post("/welcome/new", "name=Eve").status == 303)
            #expect(page.node.accounts.isEmpty)
        }
    }
}

/// Links that open a page.
@Suite struct DeepLinkTests {
    @Test(arguments: [
        ("streakmesh://join/ABC", DeepLink.join), ("STREAKMESH://JOIN/ABC", .join),
        (" streakmesh://game/wordle\n", .game("wordle")), ("streakmesh://activity", .activity),
        ("streakmesh://add?text=Wordle%201%2C617%203%2F6", .add(text: "Wordle 1,617 3/6")),
        ("streakmesh://add?text=", .unknown), ("streakmesh://add", .unknown), ("streakmesh://game/", .unknown),
        ("streakmesh://add?text=%ff", .unknown), ("streakmesh://device/ABC", .device), ("streakmesh://", .unknown),
        ("streakmesh://format?now", .unknown),
    ])
    func `links are told apart`(text: String, link: DeepLink) {
        #expect(DeepLink(text) == link)
    }

    @Test(arguments: ["Wordle 1,617 3/6", "http://example.com", "see streakmesh://join/A"])
    func `other texts are no links`(text: String) {
        #expect(DeepLink(text) == nil)
    }

    @Test(arguments: [
        ("see streakmesh://join/A you", "streakmesh://join/A you"),
        ("a STREAKMESH://DEVICE/A.", "STREAKMESH://DEVICE/A."),
        ("streakmesh://device/B or streakmesh://join/A", "streakmesh://device/B or streakmesh://join/A"),
        ("see streakmesh://game/wordle", nil), ("Wordle 1,617 3/6", nil),
        ("streakmesh://join/" + String(repeating: "A", count: 4_079), nil),
    ])
    func `a message is cut to its first link`(text: String, message: String?) {
        #expect(DeepLink.message(in: text) == message)
    }

    @Test func `a message with a link leads to what the link says, and one with a result does not`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            for path in ["/add", "/preview"] {
                let answer = try await browser.post(path, "text=hey+join+us+streakmesh%3A%2F%2Fjoin%2FABC+see+you")
                #expect(answer.status == 303)
                #expect(answer.headers["location"] == "/open?link=streakmesh%3A%2F%2Fjoin%2FABC%20see%20you")
                let result = try await browser.post(path, "text=Wordle+1%2C617+3%2F6+streakmesh%3A%2F%2Fjoin%2FABC")
                #expect(result.headers["location"]?.hasPrefix("/open") != true)
            }
        }
    }

    @Test(arguments: [
        ("streakmesh://join/ABC", 200, "Sunday puzzlers"),
        ("streakmesh://add?text=Wordle+1%2C617+3%2F6", 200, "for Sunday puzzlers"),
        ("streakmesh://device/ABC", 422, "makes a new machine one of yours"),
        ("streakmesh://format?now", 422, "does not know this kind of link"),
        ("nonsense", 422, "does not know this kind"), ("", 422, "does not know this kind"),
    ])
    func `a link opens a page, and nothing is stored or joined`(link: String, status: Int, text: String) async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let answer = try await browser.get(PageLink("/open").adding("link", link).text)
            #expect(answer.status == status)
            #expect(answer.body.contains(text))
            #expect(page.node.changes.isEmpty)
            #expect(try await page.stranger.get(PageLink("/open").adding("link", link).text).status == 401)
        }
    }

    @Test func `a link pasted as a text is opened, not recorded`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            for path in ["/add", "/preview"] {
                let answer = try await browser.post(path, "text=streakmesh%3A%2F%2Fgame%2Fwordle")
                #expect(answer.headers["location"] == "/open?link=streakmesh%3A%2F%2Fgame%2Fwordle")
            }
            #expect(
                try await browser.get("/open?link=streakmesh%3A%2F%2Fgame%2Fwordle").headers["location"]
                    == "/game?id=wordle")
            #expect(page.node.changes.isEmpty)
        }
    }
}
