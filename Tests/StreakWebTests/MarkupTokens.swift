/// The elements of a page as a browser finds them: the states of the HTML standard's tokeniser (13.2.5) that decide
/// what is markup. By bytes, because all special characters are ASCII.
struct MarkupTokens {
    struct Element: Equatable, CustomStringConvertible {
        var name: String
        var attributes: [(name: String, value: String)]

        static func == (left: Element, right: Element) -> Bool { left.description == right.description }

        /// Includes the values that affect behaviour. Displayed values may differ.
        var description: String {
            let deciding: Set = ["action", "method", "formaction", "type", "src", "rel", "target"]
            let shown = attributes.map { deciding.contains($0.name) ? "\($0.name)=\($0.value)" : $0.name }
            return "<\(name) \(shown.joined(separator: " "))>"
        }
    }

    private(set) var elements: [Element] = []
    /// Comments other than the doctype, and tags whose attributes are not written in our way.
    private(set) var faults: [String] = []
    private let bytes: [UInt8]
    private var place = 0
    /// Nesting in SVG, where a title is an ordinary element.
    private var drawings = 0

    init(_ page: String) {
        bytes = Array(page.utf8)
        while place < bytes.count {
            place += 1
            if bytes[place - 1] == Self.open { readTag() }
        }
    }

    private static let open = UInt8(ascii: "<")
    private static let close = UInt8(ascii: ">")
    private static let slash = UInt8(ascii: "/")
    private static let equals = UInt8(ascii: "=")

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func readTag() {
        guard let first = next else { return }
        if first == UInt8(ascii: "!") || first == UInt8(ascii: "?") {
            let text = take { $0 != Self.close }
            if text.lowercased() != "!doctype html" { faults.append("<\(text)") }
            return
        }
        let isEnd = first == Self.slash
        if isEnd { place += 1 }
        guard next.map({ 0x61...0x7A ~= $0 | 0x20 }) ?? false else {
            if isEnd { faults.append("</") }
            return
        }
        let name = take { !Self.isBlank($0) && $0 != Self.slash && $0 != Self.close }.lowercased()
        let attributes = readAttributes(of: name)
        elements.append(Element(name: isEnd ? "/\(name)" : name, attributes: attributes))
        if name == "svg" { drawings += isEnd ? -1 : 1 }
        // The content of these is text up to their end tag.
        if !isEnd, ["title", "textarea", "script", "style"].contains(name), drawings == 0 { skipText(of: name) }
    }

    private mutating func readAttributes(of element: String) -> [(name: String, value: String)] {
        var attributes: [(name: String, value: String)] = []
        while true {
            skip { Self.isBlank($0) || $0 == Self.slash }
            guard let first = next else {
                faults.append("<\(element) does not end")
                return attributes
            }
            if first == Self.close {
                place += 1
                return attributes
            }
            let name = take { !Self.isBlank($0) && $0 != Self.slash && $0 != Self.close && $0 != Self.equals }
                .lowercased()
            var value = ""
            if next == Self.equals {
                place += 1
                value = readValue(of: name, in: element)
            } else if name.isEmpty {
                place += 1
            }
            if attributes.contains(where: { $0.name == name }) { faults.append("\(name) of <\(element) twice") }
            attributes.append((name, value))
        }
    }

    private mutating func readValue(of name: String, in element: String) -> String {
        guard let quote = next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            faults.append("\(name) of <\(element) has no quotes")
            return take { !Self.isBlank($0) && $0 != Self.close }
        }
        place += 1
        let value = take { $0 != quote }
        if place == bytes.count { faults.append("\(name) of <\(element) does not end") }
        place += 1
        // Attributes are separated by blanks.
        if let after = next, !Self.isBlank(after), after != Self.close, after != Self.slash {
            faults.append("\(name) of <\(element) goes on behind its value")
        }
        return value
    }

    private mutating func skipText(of element: String) {
        let end = Array("</\(element)".utf8)
        while place < bytes.count {
            skip { $0 != Self.open }
            let start = bytes[place..<min(place + end.count, bytes.count)].map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
            if start == end { return }
            place += 1
        }
        faults.append("<\(element)> does not end")
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D || byte == 0x0C
    }

    private mutating func skip(while isSkipped: (UInt8) -> Bool) {
        while place < bytes.count, isSkipped(bytes[place]) { place += 1 }
    }

    private mutating func take(while isTaken: (UInt8) -> Bool) -> String {
        let start = place
        skip(while: isTaken)
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }
}
