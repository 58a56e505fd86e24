import StreakGames

/// Writes the SVG of a picture. It stands alone: no script, no style sheet, no reference to anything outside.
///
/// Every text is escaped and bounded; colours and shapes are constants of this module.
struct PictureCanvas {
    /// What people have: no font travels with a picture.
    private static let fonts =
        "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', Ubuntu, Cantarell, Arial, sans-serif"

    typealias Point = (x: Double, y: Double)

    private var body = ""
    let width: Double
    let height: Double

    init(width: Int, height: Int) { (self.width, self.height) = (Double(width), Double(height)) }

    /// The whole document. `title` and `description` are what a screen reader says.
    func document(title: String, description: String) -> String {
        let (wide, high) = (SVGDocument.number(width), SVGDocument.number(height))
        var text = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(wide)\" height=\"\(high)\""
        text += " viewBox=\"0 0 \(wide) \(high)\" role=\"img\" aria-labelledby=\"title desc\""
        text += " font-family=\"\(Self.fonts)\">\n"
        text += "<title id=\"title\">\(SVGDocument.escaped(title))</title>\n"
        text += "<desc id=\"desc\">\(SVGDocument.escaped(description))</desc>\n"
        return text + body + "</svg>\n"
    }

    // MARK: Shapes

    mutating func rectangle(_ box: Box, _ paint: Paint, radius: Double = 0) {
        body += "<rect x=\"\(SVGDocument.number(box.x))\" y=\"\(SVGDocument.number(box.y))\""
        body += " width=\"\(SVGDocument.number(box.width))\" height=\"\(SVGDocument.number(box.height))\""
        if radius > 0 { body += " rx=\"\(SVGDocument.number(radius))\"" }
        body += "\(paint.text)/>\n"
    }

    mutating func circle(x: Double, y: Double, radius: Double, _ paint: Paint) {
        body += "<circle cx=\"\(SVGDocument.number(x))\" cy=\"\(SVGDocument.number(y))\""
        body += " r=\"\(SVGDocument.number(radius))\"\(paint.text)/>\n"
    }

    /// A shape through points.
    mutating func polygon(_ points: [Point], _ paint: Paint) {
        let steps = points.enumerated().map { index, point in
            "\(index == 0 ? "M" : "L")\(SVGDocument.number(point.x)) \(SVGDocument.number(point.y))"
        }
        body += "<path d=\"\(steps.joined(separator: " ")) Z\"\(paint.text)/>\n"
    }

    /// A constant shape, drawn in a box of 100 by 120, put at a place and made larger.
    mutating func shape(_ path: StaticString, x: Double, y: Double, scale: Double, _ paint: Paint) {
        let place = "translate(\(SVGDocument.number(x)) \(SVGDocument.number(y))) scale(\(Self.factor(scale)))"
        body += "<path transform=\"\(place)\" d=\"\(path)\"\(paint.text)/>\n"
    }

    /// Three decimals.
    private static func factor(_ value: Double) -> String {
        guard value.isFinite, value > 0, value < 1_000 else { return "1" }
        let thousandths = Int((value * 1_000).rounded())
        let rest = String(thousandths % 1_000)
        return "\(thousandths / 1_000).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
    }

    // MARK: Text

    enum Weight: Int {
        case normal = 400
        case medium = 600
        case bold = 800

        /// How much wider it is.
        var width: Double {
            switch self {
            case .normal: 1
            case .medium: 1.06
            case .bold: 1.12
            }
        }
    }

    /// A line of text that is not wider than `room`: smaller, down to seven tenths of `size`, and then cut. Returns the
    /// width that it takes, as far as one can tell without its font.
    @discardableResult
    mutating func text(
        _ text: String, x: Double, y: Double, size: Double, _ colour: String, _ weight: Weight = .normal,
        anchor: SVGDocument.Anchor = .start, room: Double
    ) -> Double {
        let fitted = FittedText(text, size: size, weight, room: room)
        let shown = size * fitted.scale
        body += "<text x=\"\(SVGDocument.number(x))\" y=\"\(SVGDocument.number(y))\" fill=\"\(colour)\""
        body += " font-size=\"\(SVGDocument.number(shown))\" font-weight=\"\(weight.rawValue)\""
        // Large letters stand too far apart.
        if size > 60 { body += " letter-spacing=\"-\(SVGDocument.number(shown * 0.02))\"" }
        body += " text-anchor=\"\(anchor.rawValue)\">\(SVGDocument.escaped(fitted.text))</text>\n"
        return fitted.width
    }
}

/// A place and size.
struct Box {
    var x: Double
    var y: Double
    var width: Double
    var height: Double

    var middle: Double { x + width / 2 }
    var centre: Double { y + height / 2 }
}

/// How a shape is filled, and its edge drawn.
struct Paint {
    var fill: String?
    var edge: String?
    var edgeWidth = 0.0
    var opacity = 1.0

    static func fill(_ colour: String, opacity: Double = 1) -> Paint { Paint(fill: colour, opacity: opacity) }

    static func edge(_ colour: String, width: Double, fill: String? = nil) -> Paint {
        Paint(fill: fill, edge: colour, edgeWidth: width)
    }

    fileprivate var text: String {
        var text = " fill=\"\(fill ?? "none")\""
        if let edge {
            text += " stroke=\"\(edge)\" stroke-width=\"\(SVGDocument.number(edgeWidth))\""
            text += " stroke-linecap=\"round\" stroke-linejoin=\"round\""
        }
        if opacity < 1 { text += " opacity=\"0.\(Int((max(opacity, 0) * 10).rounded()))\"" }
        return text
    }
}

/// A text cut to a width. Fonts differ, so that widths are guesses, on the wide side.
struct FittedText {
    /// What is left of it.
    let text: String
    /// The share of the wished size, 0.7 to 1.
    let scale: Double
    let width: Double

    private static let least = 0.7

    init(_ text: String, size: Double, _ weight: PictureCanvas.Weight = .normal, room: Double) {
        let size = size * weight.width
        // More than anything that is drawn, and few enough to measure.
        let line = String(String.UnicodeScalarView(text.unicodeScalars.prefix(200))).inert
        let whole = Self.width(of: line) * size
        guard whole > room, room > 0 else {
            (self.text, scale, width) = (line, 1, whole)
            return
        }
        let scale = max(Self.least, room / whole)
        var kept = line
        if whole * scale > room + 0.5 {
            kept = ""
            var taken = Self.width(of: "…")
            for character in line {
                taken += Self.width(of: String(character))
                guard taken * size * scale <= room else { break }
                kept.append(character)
            }
            while kept.last == " " { kept.removeLast() }
            kept += "…"
        }
        (self.text, self.scale, width) = (kept, scale, Self.width(of: kept) * size * scale)
    }

    /// In units of the font's size.
    private static func width(of text: String) -> Double {
        text.unicodeScalars.reduce(0) { $0 + width(of: $1) }
    }

    private static func width(of scalar: Unicode.Scalar) -> Double {
        switch scalar.value {
        case 0x300...0x36F, 0xFE00...0xFE0F, 0x200B...0x200D: 0
        case 0x20, 0x2E, 0x2C, 0x3A, 0x27, 0x69, 0x6A, 0x6C, 0x49, 0x7C, 0x21: 0.31
        case 0x66, 0x72, 0x74, 0x28, 0x29, 0x2D, 0x2F: 0.40
        case 0x4D, 0x57, 0x6D, 0x77, 0x25, 0x40: 0.93
        case 0x41...0x5A: 0.69
        case 0..<0x1100: 0.59
        default: 1.05
        }
    }
}
