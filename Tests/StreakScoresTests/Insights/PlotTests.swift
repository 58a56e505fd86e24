import StreakGames
import StreakScores
import Testing

@Suite struct PlotTests {
    static let today = Fixture.today

    static let plots: [Plot] = {
        let insights = Fixture.insights(
            Fixture.wordles([0, 1, 3, 8], lost: [2]) + [Fixture.solve(Fixture.mini, today, 42)])
        let month = Fixture.last(30)
        let trend = insights.trend(over: month, by: .day, game: Fixture.mini.id)
        return [
            Plot(insights.deepDive(into: Fixture.wordle)), Plot(insights.deepDive(into: Fixture.globle)),
            Plot(insights.playingHours(upTo: today, in: LocalCalendar(fixedOffset: 0))),
            Plot(insights.trend(over: month, by: .day), .points, title: "Points"),
            Plot(trend, .raw(Fixture.mini), title: "Mini"), Plot([], .played, title: "Nothing"),
            Plot(year: 2026, counts: insights.dayCounts(in: .everything), title: "2026"),
            Plot(year: 9_999, counts: [], title: "Never"),
            Plot(
                title: "<script>alert(1)</script>", description: "a & b \"c\" 'd' \u{0}\u{202E}",
                shape: .bars([.init(label: "</svg><img src=x onerror=y>", count: 3)])),
            Plot(
                title: "Odd", description: "",
                shape: .line(
                    [
                        .init(label: "a", value: .nan), .init(label: "b", value: .infinity),
                        .init(label: "c", value: -1e300),
                        .init(label: "d", value: 1e8),
                    ], unit: .clock, isArea: true)),
        ]
    }()

    /// The elements of a document in order if it is well-formed: all closed, all attributes quoted, no stray markup in
    /// texts.
    static func elements(of svg: String) -> [String]? {
        var found: [String] = []
        var open: [String] = []
        var rest = svg[...]
        while let start = rest.firstIndex(of: "<") {
            guard !rest[..<start].contains(">"), let end = rest[start...].firstIndex(of: ">") else { return nil }
            let tag = rest[rest.index(after: start)..<end]
            let quotes = tag.utf8.count(where: { $0 == UInt8(ascii: "\"") })
            guard quotes % 2 == 0, !tag.contains("<") else { return nil }
            let name = String(tag.drop { $0 == "/" }.prefix { $0.isLetter })
            if tag.hasPrefix("/") {
                guard open.popLast() == name else { return nil }
            } else {
                found.append(name)
                if !tag.hasSuffix("/") { open.append(name) }
            }
            rest = rest[rest.index(after: end)...]
        }
        return open.isEmpty ? found : nil
    }

    @Test(arguments: plots.indices) func `a plot is well-formed, named and described, without script or style`(
        _ position: Int
    ) {
        let svg = Self.plots[position].svg(id: "p\(position)")
        guard let elements = Self.elements(of: svg) else {
            Issue.record("not well-formed: \(svg.prefix(400))")
            return
        }
        #expect(elements.first == "svg" && Array(elements.dropFirst().prefix(2)) == ["title", "desc"])
        #expect(Set(elements).isSubset(of: ["svg", "title", "desc", "rect", "circle", "path", "text"]))
        #expect(svg.contains("role=\"img\" aria-labelledby=\"plot-p\(position)-title plot-p\(position)-desc\""))
        #expect(!svg.contains("style=") && !svg.contains("fill=") && !svg.contains("nan") && !svg.contains("inf"))
        #expect(!svg.unicodeScalars.contains("\u{0}") && !svg.unicodeScalars.contains("\u{202E}"))
    }

    @Test func `text is escaped, also what friends named`() {
        let svg = Self.plots[8].svg(id: "\"><script>")
        #expect(svg.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
        #expect(svg.contains("a &amp; b &quot;c&quot; &#39;d&#39;"))
        #expect(svg.contains("id=\"plot-script-title\""))
    }

    @Test(arguments: ["\u{600}", "\u{110BD}", "\u{301}", "\u{903}", "\u{200D}", "\u{FE0F}", "\u{E0067}"])
    func `no neighbour makes a name markup`(near: String) {
        let name = "\(near)<script\(near)>\(near)&\(near)\"\(near)"
        let svg = Plot(title: name, description: name, shape: .bars([.init(label: name, count: 1)])).svg(id: "p")
        let expected = "\(near)&lt;script\(near)&gt;\(near)&amp;\(near)&quot;\(near)"
        #expect(svg.utf8.split(separator: UInt8(ascii: "<")).allSatisfy { !$0.starts(with: "script".utf8) })
        // By bytes: as `Character`s, a text with such scalars contains only its own beginnings.
        #expect(Array(svg.utf8).firstRange(of: Array(expected.utf8)) != nil)
    }

    @Test func `a bar a result, as long as its count`() {
        let plot = Plot(
            title: "t", description: "d",
            shape: .bars([.init(label: "1", count: 4), .init(label: "X", count: 2, mark: .loss)]))
        let svg = plot.svg(id: "a")
        #expect(
            svg.contains("<rect class=\"plot-bar\" x=\"72\" y=\"3\" width=\"520\" height=\"18\"><title>1: 4</title>"))
        #expect(svg.contains("<rect class=\"plot-bar plot-bar-loss\" x=\"72\" y=\"27\" width=\"260\""))
    }

    @Test func `a line has a gap where there is no average`() {
        let points = [1.0, 2, nil, 3, 4].enumerated().map { Plot.Point(label: "\($0.offset)", value: $0.element) }
        let svg = Plot(title: "t", description: "d", shape: .line(points, unit: .number, isArea: false)).svg(id: "a")
        #expect(svg.split(separator: "class=\"plot-line\"").count == 3)
        #expect(svg.split(separator: "<circle").count == 5)
    }

    @Test(arguments: [
        ([0, 3], Plot.Unit.count, ["0", "1", "2", "3"]), ([0, 0.5], .count, ["0", "1"]),
        ([2, 2.4], .number, ["2", "2.1", "2.2", "2.3", "2.4"]),
        ([0, 61], .clock, ["0:00", "0:15", "0:30", "0:45", "1:00", "1:15"]),
        ([0, 40_000], .clock, ["0:00", "5:00:00", "10:00:00", "15:00:00"]),
        ([7, 7], .count, ["6", "7", "8"]), ([3, 3], .number, ["2", "2.5", "3", "3.5", "4"]),
        ([0, 0], .count, ["0", "1"]),
        ([42, 42], .clock, ["0:35", "0:40", "0:45", "0:50"]),
    ]) func `a line is read against round numbers`(_ values: [Double], _ unit: Plot.Unit, _ ticks: [String]) {
        let points = values.map { Plot.Point(label: "day", value: $0) }
        let svg = Plot(title: "t", description: "d", shape: .line(points, unit: unit, isArea: false)).svg(id: "a")
        let labels = svg.split(separator: "\n").filter { $0.contains("x=\"50\"") && $0.contains("plot-label") }
        #expect(
            labels.map { $0.dropFirst().drop { $0 != ">" }.dropFirst().prefix { $0 != "<" } }.map(String.init) == ticks)
    }

    @Test(arguments: [(2026, 365), (2024, 366), (1900, 365), (2200, 365)]) func `a year has its days`(
        _ year: Int, _ days: Int
    ) {
        let counts = PuzzleDay(year: year, month: 12, day: 31).map { [DayCount(day: $0, count: 3)] } ?? []
        let svg = Plot(year: year, counts: counts + counts, title: "t").svg(id: "a")
        #expect(svg.split(separator: "class=\"plot-cell").count == days + 1)
        #expect(svg.contains("<title>\(year)-12-31: 6</title>"))
    }

    @Test func `the usual hours are marked`() {
        let plot = Plot(PlayingHours(counts: [0, 0, 0, 0, 0, 0, 0, 0, 5, 1]))
        #expect(plot.description == "Most often from 8:00 to 10:00: 100 % of 6 results.")
        #expect(plot.svg(id: "h").split(separator: "plot-bar-marked").count == 3)
        #expect(Plot(PlayingHours(counts: [])).description == "Too few results to tell.")
    }

    @Test func `a plot says in words what it shows`() {
        #expect(Self.plots[0].description == "3: 4, X: 1. Average 3.0, best 3 guesses, not solved 20 %.")
        #expect(Self.plots[1].description == "No results yet.")
        #expect(Self.plots[4].description == "From 2026-10-23 to 2026-11-21: lowest 0:42, highest 0:42.")
        #expect(Self.plots[6].description == "6 results on 5 days of 2026.")
        let once = Plot(year: 2026, counts: [DayCount(day: Self.today, count: 1)], title: "2026")
        #expect(once.description == "1 result on 1 day of 2026.")
    }

    @Test func `a hundred thousand bars draw no hundred thousand`() {
        let bars = (0..<100_000).map { Plot.Bar(label: "\($0)", count: $0) }
        let svg = Plot(title: "t", description: "d", shape: .columns(bars)).svg(id: "a")
        #expect(svg.split(separator: "<rect").count == Plot.maximumItems + 1)
    }
}
