import StreakNode

/// A drawing of the node's, for the `plot` template: the only markup that a page takes over as it is.
struct PlotView: Sendable, Equatable {
    struct Fact: Sendable, Equatable {
        var term: String
        var text: String
    }

    var title: String
    /// What the drawing says; nil where the facts say it.
    var note: String?
    /// Nil where the drawing holds anything but shapes and texts; its note then stands alone.
    var svg: String?
    /// A year by days: scrolls sideways where it has no room.
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

    /// Whether a text is SVG of the elements and attributes that `Plot` writes, and of nothing else.
    static func isDrawing(_ svg: String) -> Bool {
        guard svg.utf8.starts(with: "<svg ".utf8), svg.utf8.count <= 1 << 20 else { return false }
        // By bytes, as a browser reads it: with its neighbours `<` may be another `Character`.
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
