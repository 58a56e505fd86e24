/// Rows of cells in columns that line up, also with wide characters and emoji.
struct TextTable {
    enum Alignment {
        case left, right
    }

    struct Cell {
        var text: String
        var style: TextStyle

        init(_ text: String, _ style: TextStyle = .plain) {
            self.text = text.printable
            self.style = style
        }
    }

    private let alignments: [Alignment]
    private var header: [Cell]?
    private var rows: [[Cell]] = []

    /// The number of columns is that of `alignments`.
    init(_ alignments: [Alignment]) {
        self.alignments = alignments
    }

    mutating func addHeader(_ titles: String...) {
        header = titles.map { Cell($0, .dim) }
    }

    mutating func addRow(_ cells: Cell...) {
        rows.append(cells)
    }

    /// The lines of the table, without spaces at their ends. Columns that are empty in every row are left out, with
    /// their titles.
    func lines(usingColour: Bool) -> [String] {
        let lines = (header.map { [$0] } ?? []) + rows
        let widths = alignments.indices.map { column in
            lines.map { column < $0.count ? $0[column].text.displayWidth : 0 }.max() ?? 0
        }
        let columns = alignments.indices.filter { column in
            rows.contains { column < $0.count && !$0[column].text.isEmpty }
        }
        return lines.map { row in
            var line = ""
            var pending = 0
            for column in columns {
                let cell = column < row.count ? row[column] : Cell("")
                let padding = widths[column] - cell.text.displayWidth
                if alignments[column] == .right { pending += padding }
                if !cell.text.isEmpty {
                    line += String(repeating: " ", count: pending)
                    line += usingColour ? cell.style.applied(to: cell.text) : cell.text
                    pending = 0
                }
                if alignments[column] == .left { pending += padding }
                pending += 2
            }
            return line
        }
    }
}

/// How a text stands out on a terminal that shows colours. Nothing is said by colour alone.
enum TextStyle: CaseIterable {
    case plain, bold, dim, good, bad, notable

    /// The text between marks, which `String.shown` turns into control sequences. The marks are control characters, and
    /// `printable` takes these out of friends' texts.
    func applied(to text: String) -> String {
        guard let mark else { return text }
        return "\(mark)\(text)\(Self.end)"
    }

    /// What shows the style that a mark begins, or ends it; nil for any other character.
    static func sequence(of mark: Unicode.Scalar) -> String? {
        guard mark.value < 0x20 else { return nil }
        if mark == end { return "\u{1B}[0m" }
        return allCases.first { $0.mark == mark }?.code.map { "\u{1B}[\($0)m" }
    }

    private static let end: Unicode.Scalar = "\u{6}"

    private var mark: Unicode.Scalar? {
        switch self {
        case .plain: nil
        case .bold: "\u{1}"
        case .dim: "\u{2}"
        case .good: "\u{3}"
        case .bad: "\u{4}"
        case .notable: "\u{5}"
        }
    }

    /// The parameters of ECMA-48's “select graphic rendition”.
    private var code: String? {
        switch self {
        case .plain: nil
        case .bold: "1"
        case .dim: "2"
        case .good: "32"
        case .bad: "31"
        case .notable: "36"
        }
    }
}
