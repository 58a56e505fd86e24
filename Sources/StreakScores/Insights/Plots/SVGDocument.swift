import StreakGames

/// Writes the few SVG elements that plots need. Every text is escaped, and no attribute can carry a style or a script.
struct SVGDocument {
    /// The longest text in characters. Longer ones are cut.
    static let maximumTextLength = 500

    private var body = ""
    private let width: Int
    private let height: Int

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The document: an image for screen readers, with a title and a description. `id` makes the IDs of those two
    /// unique on a page; only letters, digits and `-` of it are used.
    func text(id: String, title: String, description: String, cssClass: String) -> String {
        let name = "plot-" + id.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }.prefix(64)
        var text = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"\(cssClass)\" viewBox=\"0 0 \(width) \(height)\""
        text += " role=\"img\" aria-labelledby=\"\(name)-title \(name)-desc\">\n"
        text += "<title id=\"\(name)-title\">\(Self.escaped(title))</title>\n"
        text += "<desc id=\"\(name)-desc\">\(Self.escaped(description))</desc>\n"
        return text + body + "</svg>\n"
    }

    /// A rectangle. A pointer resting on it shows `tip`.
    mutating func rectangle(
        _ cssClass: String, x: Double, y: Double, width: Double, height: Double, tip: String? = nil
    ) {
        let attributes = position(x, y) + " width=\"\(Self.number(width))\" height=\"\(Self.number(height))\""
        close("<rect class=\"\(cssClass)\" \(attributes)", "rect", tip)
    }

    mutating func circle(_ cssClass: String, x: Double, y: Double, radius: Double, tip: String? = nil) {
        let centre = "cx=\"\(Self.number(x))\" cy=\"\(Self.number(y))\" r=\"\(Self.number(radius))\""
        close("<circle class=\"\(cssClass)\" \(centre)", "circle", tip)
    }

    enum Anchor: String { case start, middle, end }

    mutating func text(_ text: String, _ cssClass: String, x: Double, y: Double, anchor: Anchor = .start) {
        let attributes = "\(position(x, y)) text-anchor=\"\(anchor.rawValue)\""
        body += "<text class=\"\(cssClass)\" \(attributes)>\(Self.escaped(text))</text>\n"
    }

    /// A line through `points`; `isClosed` makes it an area.
    mutating func path(_ cssClass: String, _ points: [(x: Double, y: Double)], isClosed: Bool = false) {
        guard !points.isEmpty else { return }
        let steps = points.enumerated().map { index, point in
            "\(index == 0 ? "M" : "L")\(Self.number(point.x)) \(Self.number(point.y))"
        }
        body += "<path class=\"\(cssClass)\" d=\"\(steps.joined(separator: " "))\(isClosed ? " Z" : "")\"/>\n"
    }

    private mutating func close(_ opening: String, _ element: String, _ tip: String?) {
        guard let tip else {
            body += opening + "/>\n"
            return
        }
        body += "\(opening)><title>\(Self.escaped(tip))</title></\(element)>\n"
    }

    private func position(_ x: Double, _ y: Double) -> String {
        "x=\"\(Self.number(x))\" y=\"\(Self.number(y))\""
    }

    /// One decimal, independent of the locale. NaN and infinity become 0.
    static func number(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e9 else { return "0" }
        let tenths = Int((value * 10).rounded())
        let sign = tenths < 0 ? "-" : ""
        let size = abs(tenths)
        return size % 10 == 0 ? "\(sign)\(size / 10)" : "\(sign)\(size / 10).\(size % 10)"
    }

    /// Escaped for both XML and HTML, on one line.
    static func escaped(_ text: String) -> String {
        let line = text.unicodeScalars.prefix(maximumTextLength).map { $0 == "\t" || $0 == "\n" ? " " : $0 }
        return String(String.UnicodeScalarView(line)).inert.escapedAsMarkup
    }
}
