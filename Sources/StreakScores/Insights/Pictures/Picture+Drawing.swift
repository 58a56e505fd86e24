import StreakGames

extension Picture {
    /// The picture as an SVG document that stands alone. At most 64 KiB.
    public func svg(look: Look, shape: Shape) -> String {
        var sketch = PictureSketch(Palette(look), shape)
        sketch.drawPaper()
        sketch.drawPlayer(player)
        switch subject {
        case .result(let result): sketch.draw(result)
        case .streak(let streak): sketch.draw(streak)
        case .week(let week): sketch.draw(week)
        case .achievement(let unlock): sketch.draw(unlock)
        }
        return sketch.canvas.document(title: title, description: description)
    }
}

/// The colours of a look, those of the page.
struct Palette {
    let paper, panel, ink, soft, accent, tint, tintInk, onAccent, line, edge: String
    private let isDark: Bool

    let flame = "#ee6a2c"
    let glow = "#ffc450"
    let gold = "#e3b23c"
    let silver = "#b9bfc6"
    let bronze = "#cd8d5b"
    let medalInk = "#2b2314"

    init(_ look: Picture.Look) {
        switch look {
        case .light:
            isDark = false
            (paper, panel, line, edge) = ("#f6f4ef", "#fffefb", "#e2ddd2", "#8d8779")
            (ink, soft) = ("#1d1c19", "#615c52")
            (accent, onAccent, tint, tintInk) = ("#176a4d", "#ffffff", "#e3f0e9", "#12543d")
        case .dark:
            isDark = true
            (paper, panel, line, edge) = ("#141512", "#1d1f1b", "#33372f", "#858b7d")
            (ink, soft) = ("#f0efe8", "#a9ab9f")
            (accent, onAccent, tint, tintInk) = ("#6fd3a7", "#0c2a1e", "#1f3a2e", "#a5e8cb")
        }
    }

    func colour(_ colour: ShareGrid.Colour) -> String {
        switch colour {
        case .green: "#3fa363"
        case .yellow: "#e3b93f"
        case .orange: "#e88c3a"
        case .red: "#d9573f"
        case .purple: "#9470cb"
        case .blue: "#4f8bdc"
        case .brown: "#8d654a"
        case .black: isDark ? "#41463d" : "#6d685e"
        case .white: isDark ? "#cfcec5" : "#e3ded2"
        }
    }

    func medal(_ rank: Int) -> String { rank == 1 ? gold : rank == 2 ? silver : bronze }

    func colour(_ tier: Tier) -> String {
        switch tier {
        case .bronze: bronze
        case .silver: silver
        case .gold: gold
        case .diamond: "#7cc4ea"
        case .legendary: "#b48be8"
        }
    }
}

/// Where things stand, and how each kind is drawn: words on one side, a panel on the other.
struct PictureSketch {
    var canvas: PictureCanvas
    private let palette: Palette
    private let shape: Picture.Shape
    /// For words.
    private let lead: Box
    private let panel: Box
    /// The line on which the player's name stands.
    private let foot: Double

    private static let flame: StaticString = """
        M52 0C56 24 90 44 90 80C90 104 72 120 50 120\
        C28 120 10 104 10 80C10 62 19 50 29 36C30 48 35 55 42 57C38 38 41 17 52 0Z
        """
    private static let glow: StaticString =
        "M51 58C54 72 70 79 70 97C70 110 61 117 50 117C39 117 30 110 30 97C30 84 46 75 51 58Z"
    /// In a box of 100 by 100.
    private static let check: StaticString = "M18 52L42 76L84 26"

    /// The corners of a regular star around 0, the outer and the inner ones in turn. Constants, since there are no
    /// sines here without a library.
    private static let star: [PictureCanvas.Point] = [
        (0, -1), (0.588, -0.809), (0.951, -0.309), (0.951, 0.309), (0.588, 0.809), (0, 1), (-0.588, 0.809),
        (-0.951, 0.309), (-0.951, -0.309), (-0.588, -0.809),
    ]

    init(_ palette: Palette, _ shape: Picture.Shape) {
        self.palette = palette
        self.shape = shape
        canvas = PictureCanvas(width: shape.width, height: shape.height)
        switch shape {
        case .wide:
            lead = Box(x: 72, y: 146, width: 500, height: 330)
            panel = Box(x: 620, y: 64, width: 516, height: 502)
            foot = 552
        case .square:
            lead = Box(x: 72, y: 160, width: 936, height: 250)
            panel = Box(x: 72, y: 440, width: 936, height: 504)
            foot = 1_010
        }
    }

    private var isWide: Bool { shape == .wide }

    // MARK: What all pictures have

    mutating func drawPaper() {
        canvas.rectangle(Box(x: 0, y: 0, width: canvas.width, height: canvas.height), .fill(palette.paper))
        let reach = min(canvas.height * 0.62, 480)
        canvas.circle(x: canvas.width - reach * 0.1, y: reach * 0.05, radius: reach, .fill(palette.tint))
        canvas.circle(
            x: reach * 0.1, y: canvas.height + reach * 0.25, radius: reach * 0.5, .fill(palette.tint, opacity: 0.6))
        canvas.rectangle(panel, .edge(palette.line, width: 2, fill: palette.panel), radius: 36)
        drawBrand(x: lead.x, y: isWide ? 64 : 72)
    }

    private mutating func drawBrand(x: Double, y: Double) {
        let size = 44.0
        canvas.rectangle(Box(x: x, y: y, width: size, height: size), .fill(palette.accent), radius: 12)
        let unit = size / 32
        func at(_ column: Double, _ row: Double) -> PictureCanvas.Point { (x + column * unit, y + row * unit) }
        canvas.polygon([at(9, 21), at(16, 11), at(23, 21)], .edge(palette.onAccent, width: 1.8 * unit))
        for (column, row, radius) in [(16, 10.5, 4), (9, 21.5, 3.2), (23, 21.5, 3.2)] as [(Double, Double, Double)] {
            let point = at(column, row)
            canvas.circle(x: point.x, y: point.y, radius: radius * unit, .fill(palette.onAccent))
        }
        canvas.text("StreakMesh", x: x + size + 14, y: y + 32, size: 28, palette.ink, .medium, room: 400)
    }

    mutating func drawPlayer(_ name: String) {
        guard !name.isEmpty else { return }
        let room = isWide ? lead.width : lead.width * 0.5
        canvas.circle(x: lead.x + 24, y: foot - 10, radius: 24, .fill(palette.accent))
        canvas.text(
            String(name.prefix(1)).uppercased(), x: lead.x + 24, y: foot - 0.5, size: 26, palette.onAccent, .medium,
            anchor: .middle, room: 40)
        canvas.text(name, x: lead.x + 62, y: foot, size: 30, palette.ink, .medium, room: room - 62)
    }

    /// A flame with a few words, at the end of the words, or at the foot.
    private mutating func drawFlame(beside text: String) {
        let width = FittedText(text, size: 28, .medium, room: 400).width + 100
        let box =
            isWide
            ? Box(x: lead.x, y: 440, width: width, height: 56)
            : Box(x: lead.x + lead.width - width, y: foot - 38, width: width, height: 56)
        canvas.rectangle(box, .fill(palette.tint), radius: 28)
        drawFlame(x: box.x + 22, y: box.y + 8, height: 38)
        canvas.text(text, x: box.x + 66, y: box.y + 38, size: 28, palette.tintInk, .medium, room: 400)
    }

    private mutating func drawFlame(x: Double, y: Double, height: Double) {
        let scale = height / 120
        canvas.shape(Self.flame, x: x, y: y, scale: scale, .fill(palette.flame))
        canvas.shape(Self.glow, x: x, y: y, scale: scale, .fill(palette.glow))
    }

    /// A star with its centre at a place.
    private mutating func drawStar(x: Double, y: Double, radius: Double, _ colour: String) {
        var points: [PictureCanvas.Point] = []
        for (index, corner) in Self.star.enumerated() {
            let reach = index.isMultiple(of: 2) ? radius : radius * 0.46
            points.append((x + corner.x * reach, y + corner.y * reach))
        }
        canvas.polygon(points, .edge(colour, width: radius * 0.14, fill: colour))
    }

    // MARK: A result

    mutating func draw(_ result: Picture.Result) {
        let (x, y) = (lead.x, lead.y)
        canvas.text(result.game, x: x, y: y + 56, size: 62, palette.ink, .bold, room: lead.width)
        let about = [result.number, BoardRange.date(result.day)].compactMap(\.self).joined(separator: " · ")
        canvas.text(about, x: x, y: y + 102, size: 28, palette.soft, room: lead.width)
        let size = isWide ? 92.0 : 104.0
        let width = canvas.text(
            result.label, x: x, y: y + (isWide ? 210 : 226), size: size, palette.accent, .bold,
            room: isWide ? lead.width : lead.width * 0.66)
        if let note = result.note {
            let place = isWide ? (x: x + 2, y: y + 264) : (x: x + width + 36, y: y + 224)
            canvas.text(
                note, x: place.x, y: place.y, size: 32, palette.ink, .medium, room: x + lead.width - place.x)
        }
        if result.streak > 1 { drawFlame(beside: result.cadence.inARow(result.streak)) }
        if let grid = result.grid { draw(grid) } else { drawEmblem(result) }
    }

    private mutating func draw(_ grid: ShareGrid) {
        let inset = 40.0
        // Columns and rows with the gaps between them, an eighth of a mark each.
        let (columns, rows) = (Double(grid.width) * 1.12 - 0.12, Double(grid.rows.count) * 1.12 - 0.12)
        let (wide, high) = ((panel.width - 2 * inset) / columns, (panel.height - 2 * inset) / rows)
        let size = min(wide, high, isWide ? 88 : 120)
        let left = panel.middle - columns * size / 2
        let top = panel.centre - rows * size / 2
        for (row, marks) in grid.rows.enumerated() {
            for (column, mark) in marks.enumerated() {
                guard let mark else { continue }
                let (x, y) = (left + Double(column) * size * 1.12, top + Double(row) * size * 1.12)
                let paint = Paint.fill(palette.colour(mark.colour))
                if mark.isRound {
                    canvas.circle(x: x + size / 2, y: y + size / 2, radius: size / 2, paint)
                } else {
                    canvas.rectangle(Box(x: x, y: y, width: size, height: size), paint, radius: size * 0.16)
                }
            }
        }
    }

    /// For a game whose share has no grid.
    private mutating func drawEmblem(_ result: Picture.Result) {
        let (x, y) = (panel.middle, panel.centre)
        switch result.occasion {
        case .perfect, .personalBest, .unlock:
            canvas.circle(x: x, y: y, radius: 170, .fill(palette.tint))
            drawStar(x: x, y: y + 8, radius: 112, palette.gold)
        case .solved:
            canvas.circle(x: x, y: y, radius: 170, .fill(palette.tint))
            canvas.shape(
                Self.check, x: x - 105, y: y - 106, scale: 2.1, .edge(palette.accent, width: 13))
        case .lost:
            canvas.circle(x: x, y: y, radius: 140, .edge(palette.line, width: 26))
            canvas.rectangle(Box(x: x - 62, y: y - 13, width: 124, height: 26), .fill(palette.soft), radius: 13)
        }
    }

    // MARK: A streak

    mutating func draw(_ streak: Picture.Streak) {
        let (x, y) = (lead.x, lead.y)
        let number = streak.count.grouped
        canvas.text(
            number, x: x, y: y + 118, size: 160, palette.accent, .bold, room: isWide ? lead.width : lead.width * 0.4)
        let unit = "\(streak.cadence.unit(streak.count)) in a row"
        let facts = [
            streak.start.map { "since \(BoardRange.date($0))" },
            streak.longest > streak.count ? "best \(streak.longest.grouped)" : nil,
        ].compactMap(\.self).joined(separator: " · ")
        canvas.text(unit, x: x, y: y + 182, size: 48, palette.ink, .bold, room: lead.width)
        canvas.text(
            streak.game ?? "with any puzzle", x: x, y: y + 234, size: 36, palette.ink, .medium,
            room: isWide ? lead.width : lead.width * 0.6)
        if isWide {
            canvas.text(facts, x: x, y: y + 282, size: 28, palette.soft, room: lead.width)
        } else {
            canvas.text(
                facts, x: x + lead.width, y: foot, size: 28, palette.soft, anchor: .end, room: lead.width * 0.46)
        }
        let height = 290.0
        drawFlame(x: panel.middle - height / 2.4, y: panel.y + 38, height: height)
        draw(streak.days, y: panel.y + panel.height - 86)
    }

    /// Days as discs, with the first letters of their names.
    private mutating func draw(_ days: [Picture.Day], y: Double) {
        let letters = ["M", "T", "W", "T", "F", "S", "S"]
        let step = min((panel.width - 60) / Double(max(days.count, 1)), 84)
        for (index, day) in days.enumerated() {
            let x = panel.middle + (Double(index) - Double(days.count - 1) / 2) * step
            let radius = step * 0.38
            let paint: Paint = day.isPlayed ? .fill(palette.accent) : .edge(palette.edge, width: 3)
            canvas.circle(x: x, y: y, radius: radius, paint)
            if day.isPlayed {
                let scale = radius / 62
                canvas.shape(
                    Self.check, x: x - 50 * scale, y: y - 51 * scale, scale: scale,
                    .edge(palette.onAccent, width: 14))
            }
            canvas.text(
                letters[(day.day.weekday + 6) % 7], x: x, y: y + radius + 32, size: 22, palette.soft, .medium,
                anchor: .middle, room: step)
        }
    }

    // MARK: A week

    mutating func draw(_ week: Picture.Week) {
        let (x, y) = (lead.x, lead.y)
        let recap = week.recap
        canvas.text("Week \(recap.week.week)", x: x, y: y + 56, size: 66, palette.ink, .bold, room: lead.width)
        let span = "\(BoardRange.date(recap.span.from)) – \(BoardRange.date(recap.span.to))"
        canvas.text(span, x: x, y: y + 104, size: 28, palette.soft, room: lead.width)
        let figures: [(String, String)] = [
            (recap.played.grouped, recap.played == 1 ? "puzzle" : "puzzles"), (recap.completionRate.label, "solved"),
            (recap.points.grouped, recap.points == 1 ? "point" : "points"), ("\(recap.activeDays) of 7", "days"),
        ]
        let columns = isWide ? 2 : 4
        let width = lead.width / Double(columns)
        for (index, figure) in figures.enumerated() {
            let left = x + Double(index % columns) * width
            let top = y + 188 + Double(index / columns) * 108
            canvas.text(figure.0, x: left, y: top, size: 56, palette.accent, .bold, room: width - 16)
            canvas.text(figure.1, x: left, y: top + 36, size: 26, palette.soft, room: width - 16)
        }
        if let group = week.group, !week.podium.isEmpty {
            canvas.text(
                group, x: panel.middle, y: panel.y + 66, size: 34, palette.ink, .bold, anchor: .middle,
                room: panel.width - 80)
            draw(week.podium)
        } else {
            drawFlame(x: panel.middle - 104, y: panel.y + 62, height: 250)
            draw(week.days, y: panel.y + panel.height - 96)
        }
    }

    /// Three steps if three players hold the first three ranks, else a list with medals.
    private mutating func draw(_ places: [GroupRecap.Place]) {
        let order = [2, 1, 3].compactMap { rank in places.first { $0.rank == rank } }
        guard places.map(\.rank) == [1, 2, 3], order.count == 3 else { return list(places) }
        let gap = 16.0
        let width = min((panel.width - 72 - 2 * gap) / 3, 230)
        let left = panel.middle - (width * 3 + gap * 2) / 2
        let floor = panel.y + panel.height - 36
        for (index, place) in order.enumerated() {
            let height = place.rank == 1 ? 250.0 : place.rank == 2 ? 180 : 130
            let step = Box(x: left + Double(index) * (width + gap), y: floor - height, width: width, height: height)
            canvas.rectangle(step, .fill(palette.medal(place.rank)), radius: 18)
            canvas.text(
                "\(place.rank)", x: step.middle, y: step.y + 66, size: 56, palette.medalInk, .bold, anchor: .middle,
                room: width)
            canvas.text(
                place.name, x: step.middle, y: step.y - 52, size: 30, palette.ink, .medium, anchor: .middle,
                room: width + gap - 8)
            canvas.text(
                Scoring.totalLabel(place.points), x: step.middle, y: step.y - 18, size: 24, palette.soft,
                anchor: .middle, room: width)
        }
    }

    private mutating func list(_ places: [GroupRecap.Place]) {
        let shown = places.prefix(4)
        let step = 88.0
        let top = panel.centre + 30 - step * Double(shown.count) / 2
        for (index, place) in shown.enumerated() {
            let y = top + Double(index) * step + step / 2
            canvas.circle(x: panel.x + 74, y: y, radius: 30, .fill(palette.medal(place.rank)))
            canvas.text(
                "\(place.rank)", x: panel.x + 74, y: y + 11, size: 32, palette.medalInk, .bold, anchor: .middle,
                room: 52)
            canvas.text(
                place.name, x: panel.x + 124, y: y + 12, size: 34, palette.ink, .medium, room: panel.width - 310)
            canvas.text(
                Scoring.totalLabel(place.points), x: panel.x + panel.width - 44, y: y + 11, size: 28, palette.soft,
                anchor: .end, room: 140)
        }
    }

    // MARK: An achievement

    mutating func draw(_ unlock: TierUnlock) {
        let (x, y) = (lead.x, lead.y)
        let reached = unlock.reached
        canvas.text("Achievement reached", x: x, y: y + 34, size: 28, palette.soft, room: lead.width)
        canvas.text(
            reached.achievement.title, x: x, y: y + 110, size: 68, palette.ink, .bold, room: lead.width)
        canvas.text(reached.tier.name, x: x, y: y + 176, size: 52, palette.accent, .bold, room: lead.width)
        canvas.text(
            reached.measure, x: x, y: y + 234, size: 32, palette.ink, .medium,
            room: lead.width)
        let day = BoardRange.date(unlock.day)
        if isWide {
            canvas.text(day, x: x, y: y + 280, size: 28, palette.soft, room: lead.width)
        } else {
            canvas.text(day, x: x + lead.width, y: foot, size: 28, palette.soft, anchor: .end, room: 300)
        }
        drawMedal(palette.colour(reached.tier))
    }

    private mutating func drawMedal(_ colour: String) {
        let (x, y) = (panel.middle, panel.centre + 62)
        let top = panel.centre - 196
        for (side, colour) in [(-1.0, palette.accent), (1.0, palette.tintInk)] {
            var ribbon: [PictureCanvas.Point] = []
            ribbon.append((x + side * 96, top))
            ribbon.append((x + side * 30, top))
            ribbon.append((x - side * 34, y - 70))
            ribbon.append((x + side * 40, y - 70))
            canvas.polygon(ribbon, .fill(colour))
        }
        canvas.circle(x: x, y: y, radius: 132, .fill(colour))
        canvas.circle(x: x, y: y, radius: 108, .edge(palette.panel, width: 6))
        drawStar(x: x, y: y + 4, radius: 66, palette.panel)
    }
}

extension Picture.Result {
    /// What was special about it.
    fileprivate var note: String? {
        switch occasion {
        case .perfect: "Perfect!"
        case .personalBest: "New personal best"
        case .solved: grid == nil ? nil : "Solved"
        case .lost: "Not this time"
        case .unlock: nil
        }
    }
}
