import CQREncode

/// A QR symbol of a text, for a terminal or a page.
///
/// Error correction has the lowest level: a screen is neither scratched nor dirty, and a smaller symbol has larger
/// modules. A `streakmesh:` link is written in capitals, which it allows, because a symbol of capitals and digits is a
/// third smaller (ISO/IEC 18004 §7.4.4, alphanumeric mode).
public struct QRCode: Sendable, Equatable {
    /// Modules along one side, 21…177.
    public let size: Int
    /// The modules, row by row, true where dark.
    private let modules: [Bool]

    /// Fails if the text is empty, has a NUL, or is too long for a symbol (4,296 capitals, 2,953 bytes).
    public init?(text: String) {
        self.init(text: text, inCapitals: text.lowercased().hasPrefix("streakmesh:"))
    }

    /// As `init(text:)`. `inCapitals` writes A–Z for a–z if that makes the whole text alphanumeric.
    public init?(text: String, inCapitals: Bool) {
        guard !text.isEmpty, text.utf8.count <= 4_296, !text.utf8.contains(0) else { return nil }
        let capitals = text.uppercased()
        let isAlphanumeric = inCapitals && capitals.utf8.allSatisfy(Self.isAlphanumeric)
        // The library chooses the alphanumeric mode by itself if all characters allow it. QR_MODE_8 only means “not
        // Kanji”.
        let encoded = unsafe QRcode_encodeString(isAlphanumeric ? capitals : text, 0, QR_ECLEVEL_L, QR_MODE_8, 1)
        guard let symbol = unsafe encoded else { return nil }
        defer { unsafe QRcode_free(symbol) }
        let width = unsafe Int(symbol.pointee.width)
        guard width > 0, let data = unsafe symbol.pointee.data else { return nil }
        size = width
        modules = (0..<width * width).map { unsafe data[$0] & 1 == 1 }
    }

    /// The characters of the alphanumeric mode, in one byte each.
    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        default: " $%*+-./:".utf8.contains(byte)
        }
    }

    /// The module at a place; light outside the symbol.
    private func isDark(_ column: Int, _ row: Int) -> Bool {
        guard (0..<size).contains(column), (0..<size).contains(row) else { return false }
        return modules[row * size + column]
    }

    /// Black on white.
    private static let terminalColours = "\u{1B}[38;5;16;48;5;231m"

    /// The symbol in Unicode half blocks, two rows to a line, with a quiet zone of two modules.
    ///
    /// Every line sets and resets its colours (black on white), so that the symbol is readable on dark and light
    /// terminals.
    public var terminalText: String {
        var text = ""
        for row in stride(from: -2, to: size + 2, by: 2) {
            text += Self.terminalColours
            for column in -2..<size + 2 {
                switch (isDark(column, row), isDark(column, row + 1)) {
                case (true, true): text += "█"
                case (true, false): text += "▀"
                case (false, true): text += "▄"
                case (false, false): text += " "
                }
            }
            text += "\u{1B}[0m\n"
        }
        return text
    }

    /// The dark modules as the data of one SVG path, one unit to a module, with a quiet zone of four modules.
    var path: String {
        var path = ""
        for row in 0..<size {
            var column = 0
            while column < size {
                let start = column
                while isDark(column, row) { column += 1 }
                if column > start {
                    path += "M\(start + 4) \(row + 4)h\(column - start)v1h-\(column - start)z"
                } else {
                    column += 1
                }
            }
        }
        return path
    }

    /// The width of `path` with its quiet zones, in modules.
    var widthWithQuietZone: Int { size + 8 }

    /// The symbol as an SVG document, black on white in every colour scheme.
    public func svg() -> String {
        let width = widthWithQuietZone
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(width)" shape-rendering="crispEdges">\
            <rect width="\(width)" height="\(width)" fill="#fff"/><path d="\(path)" fill="#000"/></svg>
            """
    }
}
