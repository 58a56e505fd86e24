import Testing

@testable import StreakNode
@testable import StreakWeb

@Suite struct ShareChoiceTests {
    private static let office = FakeNode.user(50)
    private static let offered = "offered=\(FakeNode.group)%2C\(office)"

    @Test(arguments: [
        ("", [String]?.none), ("\(offered)&share-\(FakeNode.group)=1&share-\(office)=1", nil),
        ("\(offered)&share-\(office)=1", [office]), (offered, []), ("share-x=1", nil),
        ("\(offered)&share-x=1", []),
    ])
    func `all ticked is every group that shares the game, some are those, none is private`(
        form: String, groups: [String]?
    ) throws {
        let fields = try #require(FormFields(parsing: form))
        #expect(ShareChoice(fields).groups == groups)
    }

    @Test(arguments: [
        ("", [["a"]], [["a"]]), ("a,b", [["a"]], [["a"]]), ("b", [["a"]], [[]]),
        ("a,b", [["a"], ["a", "b"]], [["a"], ["a", "b"]]), ("b", [["a"], ["a", "b"]], [[], ["b"]]),
        ("a,b", [], []), ("c", [["a", "c"]], [["c"]]),
    ])
    func `a box that is ticked says nothing about a group that does not share the game`(
        ticked: String, sharing: [[String]], targets: [[String]]
    ) throws {
        let boxes = ticked.split(separator: ",").map { "&share-\($0)=1" }.joined()
        let fields = try #require(FormFields(parsing: ticked.isEmpty ? "" : "offered=a,b,c\(boxes)"))
        let results = sharing.map { groups in
            var result = FakeNode(.full).result("wordle", day: "2026-11-21")
            result.groups = groups
            return result
        }
        #expect(results.map { ShareChoice(fields).groups(of: $0) } == targets)
    }

    @Test func `a paste goes where it is meant to, and the page says where it went`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let paste = "text=Wordle+1%2C617+3%2F6&\(Self.offered)"
            _ = try await browser.post("/add", "\(paste)&share-\(Self.office)=1")
            #expect(
                page.node.asked.contains(
                    ScoreRequest.add(
                        text: "Wordle 1,617 3/6", date: nil, replace: false, groups: [Self.office],
                        sharingOnly: true)))
            #expect(try await browser.get("/today").body.contains("3 guesses. Shared with Office."))
            _ = try await browser.post("/add", paste)
            #expect(
                page.node.asked.contains(
                    ScoreRequest.add(text: "Wordle 1,617 3/6", date: nil, replace: false, groups: [], sharingOnly: true)
                ))
            #expect(try await browser.get("/today").body.contains("3 guesses. Nobody else gets it."))
            let preview = try await browser.post("/preview", "\(paste)&fragment=outcome")
            #expect(preview.body.contains("Nobody else will get it."))
        }
    }

    @Test func `a conflict keeps the choice of groups`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let form = "text=Wordle+1%2C617+5%2F6&\(Self.offered)&share-\(Self.office)=1"
            let body = try await browser.post("/add", form).body
            let refusal = try #require(body.split(separator: "class=\"refusal\"").last)
            #expect(refusal.contains("type=\"hidden\" name=\"share-\(Self.office)\""))
            #expect(!refusal.contains("type=\"hidden\" name=\"share-\(FakeNode.group)\""))
        }
    }

    @Test func `what nobody has is marked, and can be shared later`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let history = try await browser.get("/history").body
            #expect(history.contains("class=\"tag\">only you</span>"))
            #expect(history.contains("/share?game=quordle&amp;date=2026-11-20"))
            let share = try await browser.get("/share?game=quordle&date=2026-11-20").body
            #expect(share.contains("Nobody else has it so far."))
            _ = try await browser.post(
                "/share", "game=quordle&date=2026-11-20&\(Self.offered)&share-\(Self.office)=1")
            #expect(
                page.node.asked.contains(
                    ScoreRequest.publish(game: "quordle", date: "2026-11-20", puzzle: nil, groups: [Self.office])))
            #expect(try await browser.get("/history").body.contains("Shared with Office."))
            #expect(try await browser.get("/share?game=bandle&date=2026-11-20").status == 404)
        }
    }
}
