import Foundation
import StreakGames
import Testing

@testable import StreakNode
@testable import StreakWeb

/// Nothing that anybody wrote becomes markup, on any page, as a browser parses it.
@Suite struct MarkupTests {
    /// One of each class that Unicode joins to its neighbours, and nothing.
    private static let neighbours = [
        "", "\u{600}", "\u{110BD}", "\u{D4E}", "\u{301}", "\u{903}", "\u{200D}", "\u{FE0F}", "\u{E0100}", "\u{E0067}",
        "\u{1F3FB}",
    ]

    /// Every special character of HTML, before, after and between all neighbours.
    static let hostile = neighbours.map(attack).joined(separator: " ")

    private static func attack(_ near: String) -> String {
        "\(near)<zq zq=1>\(near)<\(near)zq>\(near)\"\(near) zq=1 \(near)'\(near) zq=2 \(near)>\(near)<!--\(near)-->\(near)"
            + "</textarea>\(near)</title>\(near)</svg>\(near)<form action=zq>\(near)&\(near)lt;zq\(near)`"
    }

    /// All scalars of these classes: Prepend, Extend, SpacingMark, ZWJ, tags, variation selectors.
    private static let joining: [Unicode.Scalar] = (Array(0...0x1FFFF) + Array(0xE0000...0xE01EF)).compactMap { value in
        guard let scalar = Unicode.Scalar(UInt32(value)), !scalar.isSteering else { return nil }
        let (behind, before) = ("<\(scalar)", "\(scalar)<")
        return behind.count == 1 || before.count == 1 ? scalar : nil
    }

    /// All of them beside every special character, in as many texts as pages can hold.
    private static let attacks: [String] = stride(from: 0, to: joining.count, by: 120).map { start in
        let part = joining[start..<min(start + 120, joining.count)]
        return " " + part.map { "\($0)<zq \($0)\"\($0)'\($0)>\($0)&\($0)" }.joined()
    }

    /// The scalars that precede an escaped character.
    private static func shown(in page: String) -> Set<UInt32> {
        var shown: Set<UInt32> = []
        var last: UInt32 = 0
        for scalar in page.unicodeScalars {
            if last >= 0x300, scalar == "&" { shown.insert(last) }
            last = scalar.value
        }
        return shown
    }

    private static func fragment(of path: String) -> String {
        path + (path.contains("?") ? "&" : "?") + "fragment=board"
    }

    /// Reports where a browser parses two pages differently.
    private static func compare(_ plain: Answer, _ page: Answer, _ what: String) {
        let (expected, found) = (MarkupTokens(plain.body), MarkupTokens(page.body))
        #expect(plain.status == page.status, "\(what)")
        #expect(expected.faults == [], "\(what)")
        #expect(found.faults == [], "\(what)")
        #expect(difference(expected.elements, found.elements) == nil, "\(what)")
    }

    private static func difference(_ expected: [MarkupTokens.Element], _ found: [MarkupTokens.Element]) -> String? {
        for (left, right) in zip(expected, found) where left != right { return "\(left) became \(right)" }
        return expected.count == found.count ? nil : "\(expected.count) elements became \(found.count)"
    }

    @Test func `the classes are those of Unicode`() {
        #expect(Self.joining.count > 2_000)
        let known = Set(Self.joining)
        for near in Self.neighbours { #expect(near.unicodeScalars.allSatisfy(known.contains), "\(near)") }
    }

    @Test(arguments: PageTests.pages)
    func `whatever friends write, a page has the same elements`(path: String) async throws {
        let paths = [path, Self.fragment(of: path)]
        let expected = try await withPage(.full, marks: [" zz"]) { page in
            try await page.signedIn().get(all: paths)
        }
        let all = Set(Self.joining.map(\.value))
        try await withPage(.full, marks: [" " + Self.hostile] + Self.attacks) { page in
            let browser = try await page.signedIn()
            for (plain, answer) in zip(expected, try await browser.get(all: paths)) {
                Self.compare(plain, answer, path)
            }
            // Each request shows other texts at a place, until all have been shown.
            var unseen = all
            for look in 0..<60 where !unseen.isEmpty {
                for answer in try await browser.get(all: Array(repeating: path, count: min(1 << look, 8))) {
                    Self.compare(expected[0], answer, path)
                    unseen.subtract(Self.shown(in: answer.body))
                }
                page.node.marks?.skip()
            }
            #expect(unseen.isEmpty, "such as \(unseen.min() ?? 0)")
        }
    }

    @Test(arguments: [
        FakeNode.Scenario.silent, .lonely, .outsider, .unconfirmed, .guest, .removed, .pair, .newcomer, .shutOut,
    ])
    func `pages have the same elements for every viewer, whatever friends write`(scenario: FakeNode.Scenario)
        async throws
    {
        let paths = PageTests.pages + ["/welcome", "/nothing-here"] + ["/numbers", "/friends"].map(Self.fragment)
        func pages(_ mark: String) async throws -> [Answer] {
            try await withPage(scenario, marks: [mark]) { page in
                try await page.signedIn().get(all: paths)
            }
        }
        let (plain, found) = (
            try await pages(" zz"), try await pages(" " + Self.attack("\u{600}") + Self.attack("\u{301}"))
        )
        for ((path, plain), page) in zip(zip(paths, plain), found) { Self.compare(plain, page, path) }
    }

    /// A value for every field of the page's forms, so that most are carried out.
    private static let fields =
        "text=Wordle+1%2C617+3%2F6&link=streakmesh%3A%2F%2Fjoin%2FA&name=Zo%C3%AB&title=Lunch&game=wordle&id=a1b2c3"
        + "&date=2026-11-20&score=3&code=7K2M-9QXD-R4TV&passphrase=long+enough&key=\(FakeNode.key)&model=highScore"
        + "&history=all&uses=1&expires=7d&pattern=x&file=copy&yes=1&confirm=1&user=\(FakeNode.user(0))"
        + "&group=\(FakeNode.group)&device=\(FakeNode.laptop)&request=77aa&invite=a1b2c3&region=FR&alias=Zo%C3%AB&emoji=%F0%9F%94%A5"

    @Test func `whatever friends write, what a form answers has the same elements`() async throws {
        let forms = Site.forms.map(\.path).filter { $0 != "/sign-out" }
        func answers(_ mark: String) async throws -> [(String, Answer)] {
            try await withPage(.full, marks: [mark]) { page in
                let browser = try await page.signedIn()
                var answers: [(String, Answer)] = []
                for form in forms {
                    let answer = try await browser.post(form, Self.fields)
                    answers.append((form, answer))
                    // The next page shows the outcome.
                    guard let next = answer.headers["location"], next.hasPrefix("/") else { continue }
                    answers.append(("\(form) to \(next)", try await browser.get(next)))
                }
                return answers
            }
        }
        let (plain, found) = (try await answers(" zz"), try await answers(" " + Self.hostile))
        #expect(plain.map(\.0) == found.map(\.0))
        #expect(found.count { !Self.shown(in: $0.1.body).isEmpty } > forms.count / 2)
        for ((form, plain), (_, page)) in zip(plain, found) { Self.compare(plain, page, form) }
    }

    @Test(arguments: [
        "q", "game", "group", "user", "member", "region", "metric", "range", "id", "link", "date", "text",
    ])
    func `whatever an address or a form says, it is not markup`(field: String) async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let value = Self.hostile.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let paths = Set(PageTests.pages.map { $0.prefix { $0 != "?" } }).sorted()
            var answers = try await browser.get(all: paths.map { "\($0)?\(field)=\(value)" })
            for form in Site.forms.map(\.path) where field == "text" || field == "link" {
                answers.append(try await browser.post(form, "\(field)=\(value)&name=\(value)&title=\(value)"))
            }
            for answer in answers {
                let page = MarkupTokens(answer.body)
                #expect(page.faults == [])
                let foreign = page.elements.filter { element in
                    element.name.contains("zq") || element.attributes.contains { $0.name.contains("zq") }
                }
                #expect(foreign.isEmpty)
            }
        }
    }

    /// Failures that contain others' titles, names or reasons.
    private static func failures(_ text: String) -> [NodeFailure] {
        [
            .unknownGroup(text), .ambiguousGroup(text, candidates: [text, text]), .notMember(title: text),
            .unknownMember(text), .ambiguousMember(text, candidates: [text]), .approvalNeeded(title: text),
            .alreadyFriends(title: text), .notAPair(title: text), .unknownFriend(text), .sharingStopped(title: text),
            .guestPlaying(name: text), .guestResultsKept(name: text, count: 2), .alreadyRole(name: text, role: "admin"),
            .ownerCannotLeave(title: text), .alreadyMember(title: text), .unknownGame(text, suggestions: [text]),
            .gameOfAnother(text), .invalidGame(reason: text), .importFailed(reason: text),
            .unknownSender(text, candidates: [text]), .noSuchResult(game: text, day: text),
            .noResultOfMember(name: text, game: text), .resultCovered(game: text), .unknownComment(text),
            .unknownChallenge(text), .challengeRefused(.played(name: text)),
            .invalidEvent(reason: text),
            .storageFailed(text),
            .invalidTimes(name: text, text: text, example: text, reason: text), .limitReached(what: text, limit: 1),
            .cannotListen(address: text, reason: text), .invalidRequest(text),
            .deviceLink(.expired(at: text, now: text)),
        ]
    }

    @Test func `whatever a failure names, it is not markup`() async throws {
        func answers(_ text: String) async throws -> [Answer] {
            try await withPage { page in
                let browser = try await page.signedIn()
                var answers: [Answer] = []
                for failure in Self.failures(text) {
                    page.node.refuse(with: failure)
                    answers.append(
                        try await browser.post("/join", "link=streakmesh%3A%2F%2Fjoin%2FA&history=all&yes=1"))
                    _ = try await browser.post("/group/rename", "title=Lunch")
                    answers.append(try await browser.get("/group"))
                }
                return answers
            }
        }
        let (plain, found) = (try await answers("zz"), try await answers(Self.hostile))
        #expect(found.count { !Self.shown(in: $0.body).isEmpty } > found.count / 2)
        for (plain, page) in zip(plain, found) { Self.compare(plain, page, "\(plain.body.count)") }
    }

    @Test func `every value within a tag stands in quotation marks`() throws {
        for (name, source) in Templates.sources {
            let page = MarkupTokens(String(decoding: source, as: UTF8.self))
            let bare = page.faults.filter { $0.contains("quotes") }
            #expect(bare == [], "\(name)")
        }
    }

    @Test(arguments: neighbours)
    func `a drawing with anything but shapes and texts is not taken over`(near: String) {
        let drawing = Drawing.bars("Wordle", [1, 2, 3]).svg
        #expect(PlotView.isDrawing(drawing))
        for foreign in [
            "\(near)<script>\(near)", "\(near)<a href=\"/\">\(near)</a>", "<rect\(near) onclick=\"x\"/>",
            "<rect class=\"a\(near)\" onload=\"b\"/>", "<rect class=\"a\"\(near)onload=\"b\"/>",
        ] {
            #expect(!PlotView.isDrawing(drawing.replacing("</svg>", with: "\(foreign)</svg>")), "\(foreign)")
        }
    }
}
