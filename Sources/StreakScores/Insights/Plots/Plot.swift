public import StreakGames

/// A chart as data, and as SVG for a page. It has only classes and no colours, so that the page's palette applies.
///
/// Classes: `plot` and its kind (`plot-bars`, `plot-columns`, `plot-lines`, `plot-calendar`) on the image; inside
/// `plot-bar`, `plot-bar-loss`, `plot-bar-marked`, `plot-line`, `plot-area`, `plot-dot`, `plot-grid`, `plot-cell` with
/// `plot-level-0`…`plot-level-4`; for texts `plot-label`, `plot-value`.
public struct Plot: Hashable, Sendable {
    /// The most bars, columns or points. Further ones are left out.
    public static let maximumItems = 1_200

    public struct Bar: Hashable, Sendable {
        public enum Mark: Hashable, Sendable { case none, loss, marked }

        public var label: String
        /// 0 or more.
        public var count: Int
        public var mark: Mark

        public init(label: String, count: Int, mark: Mark = .none) {
            self.label = label
            self.count = max(count, 0)
            self.mark = mark
        }
    }

    /// One point of a line. Without a value the line has a gap.
    public struct Point: Hashable, Sendable {
        public var label: String
        public var value: Double?

        public init(label: String, value: Double?) {
            self.label = label
            self.value = value
        }
    }

    /// How numbers along a line are written.
    public enum Unit: Hashable, Sendable {
        /// Whole numbers.
        case count
        /// With a decimal if it is not whole.
        case number
        /// Seconds, as 1:05.
        case clock
    }

    public enum Shape: Hashable, Sendable {
        /// Horizontal bars, one a row, for few categories.
        case bars([Bar])
        /// Vertical bars, for hours of a day.
        case columns([Bar])
        case line([Point], unit: Unit, isArea: Bool)
        /// A year of days by weeks, Monday on top; counts by day.
        case calendar(year: Int, counts: [DayCount])
    }

    public var title: String
    /// The chart in words, for screen readers.
    public var description: String
    public var shape: Shape

    public init(title: String, description: String, shape: Shape) {
        self.title = title
        self.description = description
        self.shape = shape
    }

    /// The chart as an SVG element. `id` distinguishes the charts of a page.
    public func svg(id: String) -> String {
        switch shape {
        case .bars(let bars): barsSVG(Array(bars.prefix(Self.maximumItems)), id: id)
        case .columns(let bars): columnsSVG(Array(bars.prefix(Self.maximumItems)), id: id)
        case .line(let points, let unit, let isArea):
            lineSVG(Array(points.prefix(Self.maximumItems)), unit: unit, isArea: isArea, id: id)
        case .calendar(let year, let counts): calendarSVG(year: year, counts: counts, id: id)
        }
    }
}

// MARK: Kinds of charts

extension Plot {
    /// The spread of results in one game.
    public init(_ dive: DeepDive) {
        let bars = dive.distribution.map { Bar(label: $0.label, count: $0.count, mark: $0.isLoss ? .loss : .none) }
        let spread = bars.filter { $0.count > 0 }.map { "\($0.label): \($0.count)" }.joined(separator: ", ")
        self.init(
            title: "\(dive.game.name): results",
            description: spread.isEmpty
                ? "No results yet."
                : "\(spread). Average \(dive.averageLabel), best \(dive.bestLabel), "
                    + "not solved \(dive.failRate.label).",
            shape: .bars(bars))
    }

    /// The hours in which a player plays, with the usual two marked.
    public init(_ hours: PlayingHours) {
        let window = hours.window
        let bars = hours.counts.enumerated().map { hour, count in
            let isInside = window.map { ($0.startHour..<$0.endHour).contains(hour) } ?? false
            return Bar(label: "\(hour)", count: count, mark: isInside ? .marked : .none)
        }
        self.init(
            title: "When you play",
            description: window.map {
                "Most often from \($0.startHour):00 to \($0.endHour):00: \($0.coverage.label) of \(hours.total) results."
            } ?? "Too few results to tell.", shape: .columns(bars))
    }

    /// What a trend shows.
    public enum Measure: Hashable, Sendable {
        case points, played
        /// The mean raw result of one game.
        case raw(Game)
    }

    /// A trend as a line.
    public init(_ trend: [TrendPoint], _ measure: Measure, title: String) {
        let points = trend.map { point -> Point in
            let value: Double? =
                switch measure {
                case .points: Double(point.points)
                case .played: Double(point.played)
                case .raw: point.raw.value
                }
            return Point(label: point.start.description, value: value)
        }
        var unit = Unit.count
        var isArea = true
        if case .raw(let game) = measure {
            isArea = false
            unit = game.model == .lowerTimeSeconds ? .clock : .number
        }
        let known = points.compactMap(\.value)
        let description: String
        if let first = points.first, let last = points.last, let least = known.min(), let most = known.max() {
            description =
                "From \(first.label) to \(last.label): lowest \(Self.label(least, unit)), highest "
                + "\(Self.label(most, unit))."
        } else {
            description = "No results yet."
        }
        self.init(title: title, description: description, shape: .line(points, unit: unit, isArea: isArea))
    }

    /// A year of results, day by day.
    public init(year: Int, counts: [DayCount], title: String) {
        let inside = counts.filter { $0.day.year == year }
        let total = inside.reduce(0) { $0 + $1.count }
        let days = inside.count { $0.count > 0 }
        self.init(
            title: title,
            description: "\(total == 1 ? "1 result" : "\(total.grouped) results") on "
                + "\(days == 1 ? "1 day" : "\(days) days") of \(year).",
            shape: .calendar(year: year, counts: inside))
    }

    static func label(_ value: Double, _ unit: Unit) -> String {
        switch unit {
        case .count, .number: SVGDocument.number(value)
        case .clock: value.isFinite && abs(value) < 1e9 ? Scoring.clock(seconds: Int(value.rounded())) : "–"
        }
    }
}
