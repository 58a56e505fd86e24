/// The coloured marks that a game prints into its share text, row by row, to be drawn as shapes.
///
/// It says nothing but colours, as the share text does. The text may be anything that somebody pasted.
public struct ShareGrid: Hashable, Sendable {
    public enum Colour: Hashable, Sendable, CaseIterable {
        case green, yellow, orange, red, purple, blue, brown, black, white
    }

    /// One mark.
    public struct Mark: Hashable, Sendable {
        public var colour: Colour
        public var isRound: Bool
    }

    /// The most rows and columns. A larger grid would be too small to look at.
    public static let maximumSize = 24

    /// Each with one mark or more; nil is a gap.
    public let rows: [[Mark?]]
    /// The length of the longest row.
    public var width: Int { rows.map(\.count).max() ?? 0 }

    /// Reads the lines of a share text that consist of marks; nil if there are none, or too many.
    public init?(_ text: String) {
        var rows: [[Mark?]] = []
        for line in text.unicodeScalars.split(whereSeparator: { $0 == "\n" || $0 == "\r" }) {
            guard let row = Self.row(line) else { continue }
            guard row.count <= Self.maximumSize, rows.count < Self.maximumSize else { return nil }
            rows.append(row)
        }
        // One row of one mark is the word of a game for “won”, and no grid.
        guard rows.count > 1 || (rows.first?.count ?? 0) > 2 else { return nil }
        self.rows = rows
    }

    /// Nil for a line with anything but marks and blanks.
    private static func row(_ line: Substring.UnicodeScalarView) -> [Mark?]? {
        var row: [Mark?] = []
        for scalar in line {
            switch scalar {
            // Presentation selectors and joiners change nothing about a colour.
            case "\u{FE0E}", "\u{FE0F}", "\u{200D}", "\u{200B}", "\u{2060}": continue
            case " ", "\t", "\u{A0}", "\u{3000}": row.append(nil)
            default:
                guard let mark = marks[scalar] else { return nil }
                row.append(mark)
            }
            if row.count > maximumSize * 2 { break }
        }
        while row.last == .some(nil) { row.removeLast() }
        while row.first == .some(nil) { row.removeFirst() }
        return row.isEmpty ? nil : row
    }

    private static let marks: [Unicode.Scalar: Mark] = {
        let squares: [(Unicode.Scalar, Colour)] = [
            ("🟩", .green), ("🟨", .yellow), ("🟧", .orange), ("🟥", .red), ("🟪", .purple), ("🟦", .blue),
            ("🟫", .brown), ("⬛", .black), ("⬜", .white), ("◼", .black), ("◻", .white), ("▪", .black), ("▫", .white),
        ]
        let circles: [(Unicode.Scalar, Colour)] = [
            ("🟢", .green), ("🟡", .yellow), ("🟠", .orange), ("🔴", .red), ("🟣", .purple), ("🔵", .blue),
            ("🟤", .brown), ("⚫", .black), ("⚪", .white), ("💡", .yellow),
        ]
        var marks: [Unicode.Scalar: Mark] = [:]
        for (scalar, colour) in squares { marks[scalar] = Mark(colour: colour, isRound: false) }
        for (scalar, colour) in circles { marks[scalar] = Mark(colour: colour, isRound: true) }
        return marks
    }()
}
