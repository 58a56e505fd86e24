/// The elements of a page as a browser finds them: the states of the HTML standard's tokeniser that matter for what is
/// markup and what is not (13.2.5), over scalars.
struct MarkupTokens {
    struct Element: Equatable, CustomStringConvertible {
        var name: String
        var attributes: [(name: String, value: String)]

        static func == (left: Element, right: Element) -> Bool { left.description == right.description }

        /// With the values that decide what the page does; what is only shown may differ.
        var description: String {
            let deciding: Set = ["action", "method", "formaction", "type", "src", "rel", "target"]
            let shown = attributes.map { deciding.contains($0.name) ? "\($0.name)=\($0.value)" : $0.name }
            return "<\(name) \(shown.joined(separator: " "))>"
        }
    }

    private(set) var elements: [Element] = []
    /// Comments other than the doctype, and tags whose attributes are not written as all of ours are.
    private(set) var faults: [String] = []
    private var rest: ArraySlice<Unicode.Scalar>

    init(_ page: String) {
        rest = Array(page.unicodeScalars)[...]
        while let scalar = rest.popFirst() {
            if scalar == "<" { readTag() }
        }
    }

    private mutating func readTag() {
        guard let next = rest.first else { return }
        if next == "!" || next == "?" {
            let text = take { $0 != ">" }
            if text.lowercased() != "!doctype html" { faults.append("<\(text)") }
            return
        }
        let isEnd = next == "/"
        if isEnd { rest.removeFirst() }
        guard rest.first?.isLetter ?? false else {
            if isEnd { faults.append("</") }
            return
        }
        let name = take { !$0.isBlank && $0 != "/" && $0 != ">" }.lowercased()
        let attributes = readAttributes(of: name)
        elements.append(Element(name: isEnd ? "/\(name)" : name, attributes: attributes))
        // The content of these is text up to their own end tag.
        if !isEnd, ["title", "textarea", "script", "style"].contains(name), !isInDrawing { skipText(of: name) }
    }

    /// Within SVG a title is an element like others.
    private var isInDrawing: Bool {
        elements.reduce(0) { $0 + ($1.name == "svg" ? 1 : $1.name == "/svg" ? -1 : 0) } > 0
    }

    private mutating func readAttributes(of element: String) -> [(name: String, value: String)] {
        var attributes: [(name: String, value: String)] = []
        while true {
            _ = take { $0.isBlank || $0 == "/" }
            guard let next = rest.first else {
                faults.append("<\(element) does not end")
                return attributes
            }
            if next == ">" {
                rest.removeFirst()
                return attributes
            }
            let name = take { !$0.isBlank && $0 != "/" && $0 != ">" && $0 != "=" }.lowercased()
            var value = ""
            if rest.first == "=" {
                rest.removeFirst()
                if let quote = rest.first, quote == "\"" || quote == "'" {
                    rest.removeFirst()
                    value = take { $0 != quote }
                    if rest.isEmpty { faults.append("\(name) of <\(element) does not end") }
                    rest = rest.dropFirst()
                } else {
                    value = take { !$0.isBlank && $0 != ">" }
                    faults.append("\(name) of <\(element) has no quotes")
                }
            }
            if attributes.contains(where: { $0.name == name }) { faults.append("\(name) of <\(element) twice") }
            attributes.append((name, value))
        }
    }

    private mutating func skipText(of element: String) {
        let end = "</\(element)".unicodeScalars.map { String($0) }
        while !rest.isEmpty {
            let start = rest.prefix(end.count).map { $0.properties.lowercaseMapping }
            if start == end { return }
            rest.removeFirst()
        }
        faults.append("<\(element)> does not end")
    }

    private mutating func take(while isTaken: (Unicode.Scalar) -> Bool) -> String {
        let taken = rest.prefix(while: isTaken)
        rest = rest.dropFirst(taken.count)
        return String(String.UnicodeScalarView(taken))
    }
}

extension Unicode.Scalar {
    fileprivate var isLetter: Bool { ("a"..."z").contains(self) || ("A"..."Z").contains(self) }
    fileprivate var isBlank: Bool { self == " " || self == "\n" || self == "\t" || self == "\r" || self == "\u{C}" }
}
