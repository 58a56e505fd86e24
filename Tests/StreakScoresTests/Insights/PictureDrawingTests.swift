import StreakGames
import Testing

@testable import StreakScores

/// Pictures as they are drawn: whole, bounded, without anything that acts or leads outside.
@Suite struct PictureDrawingTests {
    static let today = Fixture.today
    static let hostile =
        "</text><script>alert(1)</script><image href=\"http://e.vil/x\"/> url(#a) \u{202E}\u{0}\n&amp; '\" \u{600}<\u{301}"

    static func week(_ name: String, group: String?, _ podium: [GroupRecap.Place]) -> Picture {
        let insights = Fixture.insights(Fixture.wordles([0, 1, 2, 4], lost: [3]))
        let recap = insights.weeklyRecap(on: today)
        let days = (0..<7).map { Picture.Day(recap.span.from.adding(days: $0), isPlayed: $0 % 2 == 0) }
        return Picture(of: .week(Picture.Week(recap: recap, days: days, group: group, podium: podium)), player: name)
    }

    static func result(
        _ game: String = "Wordle", label: String = "3 guesses", _ occasion: ShareTemplate.Occasion = .solved,
        grid: String? = "🟨⬛⬛🟩⬛\n🟩🟩🟨⬛🟩\n🟩🟩🟩🟩🟩", streak: Int = 12, name: String = "Ada"
    ) -> Picture {
        Picture(
            of: .result(
                Picture.Result(
                    game: game, number: "#1,617", day: today, label: label, occasion: occasion,
                    grid: grid.flatMap { ShareGrid($0) }, streak: streak, cadence: .daily)), player: name)
    }

    static func streak(_ game: String?, count: Int = 41, name: String = "Ada") -> Picture {
        let days = (0..<7).map { Picture.Day(today.adding(days: $0 - 6), isPlayed: $0 != 2) }
        return Picture(
            of: .streak(
                Picture.Streak(
                    game: game, count: count, longest: 112, start: today.adding(days: 1 - min(count, 400)),
                    cadence: .daily, days: days)), player: name)
    }

    static func place(_ rank: Int, _ name: String, _ points: Int = 120) -> GroupRecap.Place {
        GroupRecap.Place(rank: rank, name: name, points: points)
    }

    static let named: [(name: String, picture: Picture)] = [
        ("result", result()),
        ("result-perfect", result(label: "1 guess", .perfect, grid: "🟩🟩🟩🟩🟩", streak: 1)),
        ("result-lost", result("Quordle", label: "X/9", .lost, grid: nil, streak: 0)),
        ("result-time", result("The Mini", label: "0:42", .personalBest, grid: nil)),
        ("result-solved", result("Worldle", label: "2 guesses", grid: nil, streak: 3)),
        ("result-connections", result("Connections", label: "2 mistakes", grid: "🟨🟨🟪🟨\n🟨🟨🟨🟨\n🟦🟩🟦🟦\n🟦🟦🟦🟦\n🟩🟩🟩🟩\n🟪🟪🟪🟪")),
        ("result-strands", result("Strands", label: "1 hint", grid: "🔵🔵💡🔵\n🟡🔵🔵")),
        (
            "result-long",
            result(
                "A game with a name that is far too long for any picture of it", label: "1,234,567 points",
                .personalBest)
        ),
        ("streak", streak("Wordle")), ("streak-all", streak(nil, count: 1_234)),
        ("streak-first", streak("The Mini", count: 1)),
        (
            "week",
            week("Ada", group: "Puzzle people", [place(1, "Béla", 163), place(2, "Ada", 151), place(3, "Chiyo", 98)])
        ),
        (
            "week-tied",
            week(
                "Ada", group: "Puzzle people",
                [
                    place(1, "Béla", 163), place(1, "Ada", 163), place(3, "Chiyo", 98),
                    place(3, "Dmitri Alexandrovich", 98),
                ])
        ),
        ("week-alone", week("Ada", group: nil, [])), ("week-one", week("Ada", group: "Two", [place(1, "Ada", 12)])),
        (
            "achievement",
            Picture(of: .achievement(TierUnlock(AchievementTier(.streakMaster, .gold), on: today)), player: "Ada")
        ),
        (
            "achievement-legendary",
            Picture(
                of: .achievement(TierUnlock(AchievementTier(.marathonRunner, .legendary), on: today)), player: "Ada")
        ),
        (
            "achievement-bronze",
            Picture(of: .achievement(TierUnlock(AchievementTier(.completionist, .bronze), on: today)), player: "Ada")
        ),
        ("hostile-result", result(hostile, label: hostile, name: hostile)),
        ("hostile-streak", streak(hostile, name: hostile)),
        ("hostile-week", week(hostile, group: hostile, [place(1, hostile), place(2, hostile), place(3, hostile)])),
        ("hostile-tied", week(hostile, group: hostile, (0..<200).map { _ in place(1, hostile, .max) })),
        (
            "hostile-grid",
            result(
                grid: Array(repeating: String(repeating: "🟩", count: 24), count: 24).joined(separator: "\n"),
                streak: .max, name: "")
        ),
        (
            "hostile-marks",
            result("a" + String(repeating: "\u{301}", count: 5_000), name: String(repeating: "👨‍👩‍👧", count: 50))
        ),
    ]

    private static let forms = Picture.Look.allCases.flatMap { look in Picture.Shape.allCases.map { (look, $0) } }

    @Test(arguments: named.indices) func `a picture is well-formed, of its size, and stands alone`(_ index: Int) {
        let picture = Self.named[index].picture
        for (look, shape) in Self.forms {
            let svg = picture.svg(look: look, shape: shape)
            guard let elements = PlotTests.elements(of: svg) else {
                Issue.record("not well-formed: \(svg.prefix(400))")
                continue
            }
            #expect(Array(elements.prefix(3)) == ["svg", "title", "desc"])
            #expect(Set(elements).isSubset(of: ["svg", "title", "desc", "rect", "circle", "path", "text"]))
            #expect(
                svg.hasPrefix(
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(shape.width)\" height=\"\(shape.height)\""))
            #expect(svg.utf8.count <= 65_536, "\(svg.utf8.count)")
            #expect(!svg.contains("nan") && !svg.contains("inf\""))
            #expect(!svg.unicodeScalars.contains { $0.isSteering && $0 != "\n" })
        }
        #expect(picture.title.count <= 500 && picture.fileName.count <= 80)
        #expect(picture.fileName.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
    }

    /// Names and values of all attributes.
    private static func attributes(of svg: String) -> [(String, String)] {
        svg.matches(of: /([A-Za-z-]+)="([^"]*)"/).map { (String($0.output.1), String($0.output.2)) }
    }

    @Test(arguments: named.indices) func `nothing in a picture acts, or leads outside`(_ index: Int) {
        let allowed: Set<String> = [
            "xmlns", "width", "height", "viewBox", "role", "aria-labelledby", "font-family", "id", "x", "y", "rx", "cx",
            "cy", "r", "d", "fill", "stroke", "stroke-width", "stroke-linecap", "stroke-linejoin", "opacity",
            "transform", "font-size", "font-weight", "letter-spacing", "text-anchor",
        ]
        for (look, shape) in Self.forms {
            let svg = Self.named[index].picture.svg(look: look, shape: shape)
            for (name, value) in Self.attributes(of: svg) {
                #expect(allowed.contains(name), "\(name)")
                #expect(name == "xmlns" || !value.contains(":") && !value.contains("url"), "\(name)=\(value)")
            }
        }
    }

    @Test func `every look and shape is another picture`() {
        let all = Self.forms.map { Self.result().svg(look: $0, shape: $1) }
        #expect(Set(all).count == 4)
    }

    @Test func `a grid is drawn as shapes, one for each mark`() {
        func shapes(_ grid: String?) -> Int {
            let svg = Self.result(grid: grid).svg(look: .light, shape: .wide)
            return (PlotTests.elements(of: svg) ?? []).count { $0 == "rect" }
        }
        #expect(shapes("🟨⬛⬛🟩⬛\n🟩🟩🟩🟩🟩") - shapes("🔵🔵🔵🔵") == 10)
    }

    @Test func `the podium has its steps only if three hold the first three ranks`() {
        func heights(_ places: [GroupRecap.Place]) -> Bool {
            Self.week("Ada", group: "G", places).svg(look: .light, shape: .wide).contains("height=\"250\"")
        }
        #expect(heights([Self.place(1, "a"), Self.place(2, "b"), Self.place(3, "c")]))
        #expect(!heights([Self.place(1, "a"), Self.place(1, "b"), Self.place(3, "c")]))
        #expect(!heights([Self.place(1, "a"), Self.place(2, "b")]))
        #expect(!heights([Self.place(1, "a"), Self.place(2, "b"), Self.place(3, "c"), Self.place(3, "d")]))
    }

    @Test(
        arguments: [
            ("result", "Wordle: 3 guesses", "streakmesh-wordle-2026-11-21"),
            ("streak", "41 days in a row in Wordle", "streakmesh-wordle-streak"),
            ("streak-first", "1 day in a row in The Mini", "streakmesh-the-mini-streak"),
            ("streak-all", "1,234 days in a row", "streakmesh-streak"),
            ("week", "Week 47 of 2026", "streakmesh-week-2026-11-16"),
            ("achievement", "Streak Master: Gold", "streakmesh-streak-master-gold"),
        ])
    func `a picture has a title, a sentence and a name for its file`(name: String, title: String, file: String) throws {
        let picture = try #require(Self.named.first { $0.name == name }?.picture)
        #expect(picture.title == title && picture.fileName == file)
        #expect(picture.description.hasPrefix("Ada"))
    }

    @Test(
        arguments: [
            ("short", 20, 400, "short", 1), ("", 20, 400, "", 1), ("abcdefghij", 20, 100, "abcdefghij", 0.97),
            ("abcdefghijklmnopqrstuvwxyz", 20, 100, "abcdefghijkl…", 0.7), ("漢字漢字漢字漢字", 20, 60, "漢字漢…", 0.7),
        ] as [(String, Double, Double, String, Double)])
    func `a text fits its room: smaller, then cut`(
        text: String, size: Double, room: Double, shown: String, scale: Double
    ) {
        let fitted = FittedText(text, size: size, room: room)
        #expect(fitted.text == shown)
        #expect(abs(fitted.scale - scale) < 0.01, "\(fitted.scale)")
        #expect(fitted.width <= room + 1 || room <= 0)
    }
}
