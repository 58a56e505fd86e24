import Logging
import StreakNode
import Testing

@testable import StreakWeb

let quietLogger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

@Suite struct SignInTests {
    @Test func `a sign-in link works once`() async throws {
        try await withPage { page in
            #expect(page.address.signIn.hasPrefix("\(page.address.url)/sign-in?token="))
            let path = String(page.address.signIn.dropFirst(page.address.url.count))
            let first = try await page.stranger.get(path)
            #expect(first.status == 303)
            #expect(first.headers["location"] == "/today")
            let cookie = try #require(first.headers["set-cookie"])
            #expect(cookie.hasPrefix("streakmesh_\(page.port)="))
            #expect(cookie.contains("HttpOnly"))
            #expect(cookie.contains("SameSite=Strict"))
            #expect(cookie.contains("Path=/"))
            #expect(try await page.stranger.get(path).status == 401)
        }
    }

    @Test func `a signed-in browser stays signed in and can sign out`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            #expect(try await browser.get("/today").status == 200)
            #expect(try await browser.get("/today").status == 200)
            #expect(try await browser.post("/sign-out", "").status == 303)
            #expect(try await browser.get("/today").status == 401)
        }
    }

    @Test func `further links can be made, each for one browser`() async throws {
        try await withPage { page in
            let first = try await page.signedIn()
            let second = try await page.signedIn()
            #expect(first.cookie != second.cookie)
            #expect(try await first.get("/api/v1/whoami").status == 200)
            #expect(try await second.get("/api/v1/whoami").status == 200)
        }
    }

    @Test(arguments: [
        "/", "/today", "/board?range=today", "/friends", "/history", "/invite", "/profile", "/events", "/api/v1/whoami",
        "/api/v1/board", "/assets/app.js", "/nowhere", "/sign-in", "/sign-in?token=0", "/sign-in?token=",
    ])
    func `a stranger is told how to sign in and nothing else`(path: String) async throws {
        try await withPage { page in
            for cookie in [nil, "streakmesh_\(page.port)=0", "streakmesh_\(page.port)="] {
                var stranger = page.stranger
                stranger.cookie = cookie
                let answer = try await stranger.get(path)
                #expect(answer.status == 401)
                #expect(answer.body.contains("sign-in link"))
                #expect(!answer.body.contains("Ben"))
            }
            #expect(page.node.asked.isEmpty)
        }
    }

    @Test(arguments: ["//evil.example/", "https://evil.example/", "/\\evil.example", "javascript:alert(1)", ""])
    func `a sign-in link leads nowhere else`(target: String) async throws {
        try await withPage { page in
            let path = String(page.address.signIn.dropFirst(page.address.url.count))
            let answer = try await page.stranger.get("\(path)&to=\(target.replacing("\\", with: "%5C"))")
            #expect(answer.headers["location"] == "/today")
        }
    }

    @Test func `a browser that fetches ahead or only asks for the head does not use a link up`() async throws {
        try await withPage { page in
            let path = String(page.address.signIn.dropFirst(page.address.url.count))
            let ahead = try await page.stranger.send("GET", path, headers: ["Sec-Purpose": "prefetch"])
            #expect(ahead.status == 401)
            #expect(try await page.stranger.send("HEAD", path).status == 401)
            #expect(try await page.stranger.get(path).status == 303)
        }
    }
}

@Suite struct RequestGuardTests {
    @Test(arguments: [
        "evil.example", "evil.example:80", "127.0.0.1", "localhost:1", "127.0.0.1.evil.example:80", "[::1]", "",
    ])
    func `another name for this machine is answered with nothing`(host: String) async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            for path in ["/today", "/assets/app.css", "/sign-in?token=0"] {
                let answer = try await browser.send("GET", path, host: host)
                #expect(answer.status == 421 || answer.status == 400)
                #expect(!answer.body.contains("Ben"))
            }
        }
    }

    @Test func `the names of this machine are answered`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            for name in ["127.0.0.1", "localhost", "[::1]", "LOCALHOST"] {
                #expect(try await browser.send("GET", "/today", host: "\(name):\(page.port)").status == 200)
            }
        }
    }

    @Test(arguments: [
        ["Origin": "http://evil.example"], ["Origin": "null"], ["Origin": "https://127.0.0.1:1"],
        ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"], ["Sec-Fetch-Site": "none"],
    ])
    func `a write from another page is refused and nothing happens`(headers: [String: String]) async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            for path in ["/add", "/rename", "/api/v1/add", "/groups/leave"] {
                let answer = try await browser.send("POST", path, body: "text=Wordle&name=Eve", headers: headers)
                #expect(answer.status == 403)
            }
            #expect(page.node.asked.isEmpty)
        }
    }

    @Test(arguments: [("cross-site", 401), ("same-site", 401), ("later", 401), ("none", 200), ("same-origin", 200)])
    func `a page on another port reads nothing with the user's cookie`(site: String, status: Int) async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            for path in ["/today", "/api/v1/status"] {
                #expect(try await browser.send("GET", path, headers: ["Sec-Fetch-Site": site]).status == status)
            }
            #expect(page.node.asked.isEmpty == (status == 401))
        }
    }

    @Test(arguments: [
        ["Origin": "null", "Sec-Fetch-Site": "same-origin"], ["Sec-Fetch-Site": "same-origin"], [:],
    ])
    func `a write from a page of ours is carried out`(headers: [String: String]) async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let answer = try await browser.send("POST", "/add", body: "text=Wordle+1%2C617+3%2F6", headers: headers)
            #expect(answer.status == 303)
        }
    }

    @Test(arguments: ["/today", "/nowhere", "/assets/app.css", "/assets/nothing", "/api/v1/status", "/sign-in"])
    func `every answer carries the protecting headers`(path: String) async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            for each in [browser, page.stranger] {
                let headers = try await each.get(path).headers
                let policy = try #require(headers["content-security-policy"])
                for part in [
                    "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
                    "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'",
                ] { #expect(policy.contains(part)) }
                #expect(!policy.contains("unsafe"))
                #expect(headers["x-content-type-options"] == "nosniff")
                #expect(headers["referrer-policy"] == "no-referrer")
                #expect(headers["cache-control"] == (path.hasSuffix(".css") ? "no-cache" : "no-store"))
            }
        }
    }

    @Test func `a body of more than 128 KiB is refused`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let body = "text=" + String(repeating: "a", count: WebLimit.bodySize)
            #expect(try await browser.post("/add", body).status == 413)
            #expect(
                !page.node.changes.contains { $0 is ScoreRequest })
        }
    }

    @Test(arguments: ["%", "text=%zz", "a=%ff", String(repeating: "a=1&", count: 65)])
    func `a form that cannot be read is refused`(body: String) async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            #expect(try await browser.post("/add", body).status == 400)
        }
    }
}

@Suite struct ListeningTests {
    private static func server(port: Int, isChosen: Bool, onReady: @escaping @Sendable (WebAddress) async -> Void)
        -> WebServer
    {
        WebServer(
            node: FakeNode(.full), events: { AsyncStream { $0.finish() } },
            configuration: WebConfiguration(port: port, isPortChosen: isChosen),
            entropy: { Array(repeating: 7, count: $0) }, now: { FakeNode.now }, logger: quietLogger, onReady: onReady)
    }

    @Test func `a chosen port that is taken is an error`() async throws {
        try await withPage { page in
            let server = Self.server(port: page.port, isChosen: true) { _ in Issue.record("it cannot be ready") }
            await #expect(throws: NodeFailure.self) { try await server.run() }
            #expect(server.mintSignInURL() == nil)
        }
    }

    @Test func `the default port moves on to a free one`() async throws {
        try await withPage { page in
            let (ready, announce) = AsyncStream.makeStream(of: WebAddress.self)
            let server = Self.server(port: page.port, isChosen: false) { announce.yield($0) }
            await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await server.run() }
                var iterator = ready.makeAsyncIterator()
                let address = await iterator.next()
                #expect(address != nil)
                #expect(address?.url != page.address.url)
                tasks.cancelAll()
                while let result = await tasks.nextResult() {
                    if case .failure(let error) = result { #expect(error is CancellationError) }
                }
            }
        }
    }
}
