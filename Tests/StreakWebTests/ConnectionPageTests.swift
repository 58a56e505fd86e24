import StreakNode
import Testing

@testable import StreakWeb

/// The page that says why a friend is not seen.
@Suite struct ConnectionPageTests {
    @Test func `the cause comes first, then what to do, then what was seen besides`() async throws {
        try await withPage(.full) { page in
            let body = try await page.signedIn().get("/connection").body
            let parts = [
                "Your router does not open a port", "Allow UPnP or PCP", "Look again", "Also seen",
                "Béla was last heard 3 days ago", "Also looked into", "The node is running.",
            ]
            var rest = body[...]
            for part in parts {
                let range = try #require(rest.firstRange(of: part), "\(part)")
                rest = rest[range.upperBound...]
            }
        }
    }

    @Test func `a machine that is always on is advised until that is dismissed`() async throws {
        try await withPage(.full) { page in
            let browser = try await page.signedIn()
            let body = try await browser.get("/today").body
            #expect(body.contains("has a machine that is always on.") && body.contains("streakmesh service install"))
            let answer = try await browser.post("/internet/advice", "")
            #expect(answer.status == 303)
            let change = page.node.changes.last as? InternetRequest
            #expect(change == .change(nil, advice: false))
        }
        try await withPage(.pair) { page in
            let body = try await page.signedIn().get("/today").body
            #expect(!body.contains("always on"))
        }
    }

    @Test func `where nobody is missing nothing is the cause`() async throws {
        try await withPage(.pair) { page in
            let body = try await page.signedIn().get("/connection").body
            #expect(body.contains("Nothing is wrong here"))
        }
    }
}
