import StreakNode

/// A drawing from the node, for the `plot` template. It is the only markup that a page includes unescaped.
struct PlotView: Sendable, Equatable {
    struct Fact: Sendable, Equatable {
        var term: String
        var text: String
    }

    var title: String
    /// The drawing in words; nil if the facts say it.
    var note: String?
    /// Nil if the drawing holds anything but shapes and texts. Then only the note is shown.
    var svg: String?
    /// A year by days, which scrolls sideways on narrow screens.
    var isCalendar: Bool
    var facts: [Fact]

    init(_ plot: PlotReport, facts: [Fact] = []) {
        title = plot.title
        svg = Self.isDrawing(plot.svg) ? plot.svg : nil
        note = facts.isEmpty || svg == nil ? plot.description : nil
        isCalendar = plot.svg.contains("plot-calendar")
        self.facts = facts
    }

    private static let elements: Set<Substring> = ["svg", "title", "desc", "rect", "circle", "path", "text"]
    private static let attributes: Set<Substring> = [
        "xmlns", "class", "viewBox", "role", "aria-labelledby", "id", "x", "y", "width", "height", "cx", "cy", "r", "d",
        "text-anchor",
    ]

    /// Whether a text is SVG with only the elements and attributes that `Plot` writes.
    static func isDrawing(_ svg: String) -> Bool {
        guard svg.utf8.starts(with: "<svg ".utf8), svg.utf8.count <= 1 << 20 else { return false }
        // By bytes, as a browser reads it: a combining character after `<` would make another `Character`.
        return svg.utf8.split(separator: UInt8(ascii: "<")).allSatisfy { piece in
            guard let end = piece.firstIndex(of: UInt8(ascii: ">")), piece[..<end].allSatisfy({ 0x20..<0x7F ~= $0 })
            else { return false }
            var tag = Substring(piece[..<end])
            if tag.first == "/" { return elements.contains(tag.dropFirst()) }
            if tag.last == "/" { tag.removeLast() }
            let name = tag.prefix { $0 != " " }
            return elements.contains(name) && isPlain(attributes: tag.dropFirst(name.count))
        }
    }

    private static func isPlain(attributes text: Substring) -> Bool {
        // Names and values alternate: ` class="`, `plot`, ` x="`, `1`, and nothing at the end.
        let pieces = text.split(separator: "\"", omittingEmptySubsequences: false)
        guard pieces.count % 2 == 1, pieces.last?.allSatisfy({ $0 == " " }) ?? true else { return false }
        return stride(from: 0, to: pieces.count - 1, by: 2).allSatisfy { index in
            let name = pieces[index].drop { $0 == " " }
            return name.last == "=" && attributes.contains(name.dropLast())
        }
    }
}
