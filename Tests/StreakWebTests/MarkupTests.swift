import Foundation
import StreakNode
import Synchronization
import Testing

@testable import StreakWeb

/// Nothing that anybody wrote is ever markup, on any page: judged by what a browser makes of the page.
@Suite struct MarkupTests {
    /// One of each class that Unicode joins to its neighbours, and nothing.
    private static let neighbours = [
        "", "\u{600}", "\u{110BD}", "\u{D4E}", "\u{301}", "\u{903}", "\u{200D}", "\u{FE0F}", "\u{E0100}", "\u{E0067}",
        "\u{1F3FB}",
    ]

    /// Every character that is special in HTML, before, behind and between all neighbours.
    static let hostile = neighbours.map { near in
        "\(near)<zq zq=1>\(near)<\(near)zq>\(near)\"\(near) zq=1 \(near)'\(near) zq=2 \(near)>\(near)<!--\(near)-->\(near)"
            + "</textarea>\(near)</title>\(near)</svg>\(near)<form action=zq>\(near)&\(near)lt;zq\(near)`"
    }.joined(separator: " ")

    @Test(arguments: PageTests.pages)
    func `whatever friends write, a page has the same elements`(path: String) async throws {
        let (harmless, attacked) = (Collected(), Collected())
        for (pages, mark) in [(harmless, " zz"), (attacked, " " + Self.hostile)] {
            try await withPage(.full, mark: mark) { page in
                let browser = try await page.signedIn()
                for path in [path, path + (path.contains("?") ? "&" : "?") + "fragment=board"] {
                    pages.add(try await browser.get(path))
                }
            }
        }
        for (plain, page) in zip(harmless.answers, attacked.answers) {
            #expect(plain.status == page.status)
            let (expected, found) = (MarkupTokens(plain.body), MarkupTokens(page.body))
            #expect(found.faults == [])
            #expect(expected.faults == [])
            #expect(Self.difference(expected.elements, found.elements) == nil)
        }
    }

    @Test(arguments: [
        "q", "game", "group", "user", "member", "region", "metric", "range", "id", "link", "date", "text",
    ])
    func `whatever an address or a form says, it is not markup`(field: String) async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let value = Self.hostile.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let paths = Set(PageTests.pages.map { $0.prefix { $0 != "?" } }).sorted()
            var answers: [Answer] = []
            for path in paths { answers.append(try await browser.get("\(path)?\(field)=\(value)")) }
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

    private static func difference(_ expected: [MarkupTokens.Element], _ found: [MarkupTokens.Element]) -> String? {
        for (left, right) in zip(expected, found) where left != right { return "\(left) became \(right)" }
        return expected.count == found.count ? nil : "\(expected.count) elements became \(found.count)"
    }
}

/// Answers, in the order in which they came.
private final class Collected: Sendable {
    private let state = Mutex<[Answer]>([])
    var answers: [Answer] { state.withLock(\.self) }
    func add(_ answer: Answer) { state.withLock { $0.append(answer) } }
}
