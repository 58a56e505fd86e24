import StreakGames

/// The layout of each chart. Lengths are in units of the image's own box, which is 640 wide.
extension Plot {
    private static let width = 640

    func barsSVG(_ bars: [Bar], id: String) -> String {
        let line = 24.0
        // Seven units for each character, so that long labels fit.
        let left = max(72, 8 + 7 * Double(bars.map(\.label.count).max() ?? 0))
        let right = 48.0
        var svg = SVGDocument(width: Self.width, height: Int(line) * max(bars.count, 1))
        let most = max(bars.map(\.count).max() ?? 0, 1)
        let room = Double(Self.width) - left - right
        for (index, bar) in bars.enumerated() {
            let top = Double(index) * line
            let length = room * Double(bar.count) / Double(most)
            svg.text(bar.label, "plot-label", x: left - 8, y: top + 16, anchor: .end)
            // A bar of zero is drawn as a thin line, to keep the row visible.
            svg.rectangle(
                Self.barClass(bar), x: left, y: top + 3, width: max(length, 1), height: line - 6,
                tip: "\(bar.label): \(bar.count)")
            svg.text("\(bar.count)", "plot-value", x: left + length + 6, y: top + 16)
        }
        return svg.text(id: id, title: title, description: description, cssClass: "plot plot-bars")
    }

    func columnsSVG(_ bars: [Bar], id: String) -> String {
        let height = 160.0
        let foot = 20.0
        var svg = SVGDocument(width: Self.width, height: Int(height + foot))
        let most = max(bars.map(\.count).max() ?? 0, 1)
        let step = Double(Self.width) / Double(max(bars.count, 1))
        for (index, bar) in bars.enumerated() {
            let size = (height - 8) * Double(bar.count) / Double(most)
            let x = Double(index) * step
            svg.rectangle(
                Self.barClass(bar), x: x + step * 0.1, y: height - max(size, 1), width: step * 0.8,
                height: max(size, 1), tip: "\(bar.label): \(bar.count)")
            // Skips labels that would overlap.
            let every = max(1, Int((28 / step).rounded(.up)))
            if index % every == 0 {
                svg.text(bar.label, "plot-label", x: x + step / 2, y: height + 15, anchor: .middle)
            }
        }
        return svg.text(id: id, title: title, description: description, cssClass: "plot plot-columns")
    }

    private static func barClass(_ bar: Bar) -> String {
        switch bar.mark {
        case .none: "plot-bar"
        case .loss: "plot-bar plot-bar-loss"
        case .marked: "plot-bar plot-bar-marked"
        }
    }

    func lineSVG(_ points: [Point], unit: Unit, isArea: Bool, id: String) -> String {
        let frame = LineFrame(points: points, unit: unit, startsAtZero: isArea, width: Double(Self.width))
        var svg = SVGDocument(width: Self.width, height: Int(frame.height))
        for tick in frame.ticks {
            let y = frame.y(tick)
            svg.path("plot-grid", [(frame.left, y), (frame.right, y)])
            svg.text(Self.label(tick, unit), "plot-label", x: frame.left - 6, y: y + 4, anchor: .end)
        }
        for run in frame.runs(of: points) {
            if isArea, let first = run.first, let last = run.last {
                let base = frame.y(frame.low)
                svg.path("plot-area", [(first.x, base)] + run + [(last.x, base)], isClosed: true)
            }
            svg.path("plot-line", run)
        }
        // Dots make single points visible. Hundreds of them would only thicken the line.
        if points.count <= 62 {
            for (index, point) in points.enumerated() {
                guard let value = point.value, value.isFinite else { continue }
                let tip = "\(point.label): \(Self.label(value, unit))"
                svg.circle("plot-dot", x: frame.x(index), y: frame.y(value), radius: 3, tip: tip)
            }
        }
        if let first = points.first {
            svg.text(first.label, "plot-label", x: frame.left, y: frame.height - 5)
        }
        if points.count > 1, let last = points.last {
            svg.text(last.label, "plot-label", x: frame.right, y: frame.height - 5, anchor: .end)
        }
        return svg.text(id: id, title: title, description: description, cssClass: "plot plot-lines")
    }

    func calendarSVG(year: Int, counts: [DayCount], id: String) -> String {
        let cell = 11.0
        let top = 16.0
        let left = 30.0
        var svg = SVGDocument(width: Self.width, height: Int(top + cell * 7) + 2)
        guard let newYear = PuzzleDay(year: year, month: 1, day: 1),
            let end = PuzzleDay(year: year, month: 12, day: 31)
        else { return svg.text(id: id, title: title, description: description, cssClass: "plot plot-calendar") }
        var known: [PuzzleDay: Int] = [:]
        for item in counts where item.day >= newYear && item.day <= end { known[item.day, default: 0] += item.count }
        let most = max(known.values.max() ?? 0, 1)
        for (row, name) in [(0, "Mon"), (2, "Wed"), (4, "Fri")] {
            svg.text(name, "plot-label", x: left - 4, y: top + (Double(row) + 0.85) * cell, anchor: .end)
        }
        for offset in 0...newYear.days(until: end) {
            let day = newYear.adding(days: offset)
            let column = (offset + newYear.weekday - 1) / 7
            let x = left + Double(column) * cell
            if day.day == 1 { svg.text(Self.months[day.month - 1], "plot-label", x: x, y: top - 5) }
            let count = known[day] ?? 0
            let level = count <= 0 ? 0 : 1 + min((count - 1) * 4 / most, 3)
            svg.rectangle(
                "plot-cell plot-level-\(level)", x: x, y: top + Double(day.weekday - 1) * cell, width: cell - 2,
                height: cell - 2, tip: count > 0 ? "\(day): \(count)" : nil)
        }
        return svg.text(id: id, title: title, description: description, cssClass: "plot plot-calendar")
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}

/// Maps the values of a line to the image.
private struct LineFrame {
    let height = 200.0
    let left = 56.0
    let right: Double
    let low: Double
    let high: Double
    /// Round values between `low` and `high`.
    let ticks: [Double]
    private let top = 10.0
    private let bottom = 172.0
    private let count: Int

    init(points: [Plot.Point], unit: Plot.Unit, startsAtZero: Bool, width: Double) {
        let known = points.compactMap(\.value).filter { $0.isFinite && abs($0) < 1e9 }
        var least = startsAtZero ? min(known.min() ?? 0, 0) : known.min() ?? 0
        var most = max(known.max() ?? 1, least)
        if least == most {
            // Equal values are drawn in the middle, on an axis that shows their size.
            let margin = unit == .clock ? 5.0 : 1
            (least, most) = (least >= margin ? least - margin : min(least, 0), most + margin)
        }
        let step = Self.step(for: most - least, unit)
        low = (least / step).rounded(.down) * step
        high = max((most / step).rounded(.up) * step, low + step)
        // Only a few: the step is at least a fifth of the span.
        ticks = (0...Int(((high - low) / step).rounded())).map { [low] in low + Double($0) * step }
        right = width - 8
        count = points.count
    }

    /// A round step, so that at most seven lines are drawn: 1, 2 or 5 times a power of ten; for seconds, a round time.
    private static func step(for span: Double, _ unit: Plot.Unit) -> Double {
        if unit == .clock, let step = [5.0, 10, 15, 30, 60, 120, 300, 600, 900, 1_800].first(where: { span <= $0 * 5 })
        {
            return step
        }
        var size =
            switch unit {
            case .count: 1.0
            case .number: 0.1
            case .clock: 3_600.0
            }
        while true {
            for factor in [1.0, 2, 5] where span <= size * factor * 5 { return size * factor }
            size *= 10
        }
    }

    func x(_ index: Int) -> Double {
        count < 2 ? (left + right) / 2 : left + (right - left) * Double(index) / Double(count - 1)
    }

    func y(_ value: Double) -> Double {
        bottom - (bottom - top) * (min(max(value, low), high) - low) / (high - low)
    }

    /// The stretches without a gap.
    func runs(of points: [Plot.Point]) -> [[(x: Double, y: Double)]] {
        var runs: [[(x: Double, y: Double)]] = []
        var isOpen = false
        for (index, point) in points.enumerated() {
            guard let value = point.value, value.isFinite else {
                isOpen = false
                continue
            }
            if !isOpen { runs.append([]) }
            isOpen = true
            runs[runs.count - 1].append((x(index), y(value)))
        }
        return runs
    }
}
