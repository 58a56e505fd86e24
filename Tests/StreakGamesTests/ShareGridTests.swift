import Testing

@testable import StreakGames

@Suite struct ShareGridTests {
    /// A grid as letters: `.` is a gap, capitals are round.
    static func letters(_ grid: ShareGrid?) -> [String]? {
        let names: [ShareGrid.Colour: String] = [
            .green: "g", .yellow: "y", .orange: "o", .red: "r", .purple: "p", .blue: "b", .brown: "n", .black: "k",
            .white: "w",
        ]
        return grid?.rows.map { row in
            row.map { mark in
                mark.flatMap { mark in names[mark.colour].map { mark.isRound ? $0.uppercased() : $0 } } ?? "."
            }
            .joined()
        }
    }

    @Test(
        arguments: [
            ("Wordle 1,617 3/6\n\n🟨⬛⬛🟩⬛\n🟩🟩🟨⬜🟩\n🟩🟩🟩🟩🟩", ["ykkgk", "ggywg", "ggggg"]),
            ("Connections\nPuzzle #1\n🟨🟨🟨🟨\r\n🟦🟦🟦🟦\r\n🟪🟪🟪🟪", ["yyyy", "bbbb", "pppp"]),
            ("Strands #100\n“Pie”\n🔵🔵🟡🔵\n💡🔵", ["BBYB", "YB"]),
            ("a\n⬛🟩 🟩⬛\n🟩🟩 🟩🟩", ["kg.gk", "gg.gg"]), ("◼️◻️▪︎\n🟥🟧🟫", ["kwk", "ron"]),
            // Text and marks on one line are no row; neither are keycaps, which carry numbers.
            ("score 🟩🟩🟩\n3️⃣5️⃣\n🟩🟥🟩", ["grg"]), ("won 🟩\n🟩", nil), ("Mini 0:42", nil), ("", nil),
            (" \n\u{FE0F}\n", nil),
        ] as [(String, [String]?)])
    func `rows are the lines of marks`(text: String, rows: [String]?) {
        #expect(Self.letters(ShareGrid(text)) == rows)
    }

    @Test func `what is too large to look at is no grid`() {
        let row = String(repeating: "🟩", count: 24)
        let most = Array(repeating: row, count: 24).joined(separator: "\n")
        #expect(ShareGrid(most)?.width == 24)
        #expect(ShareGrid(most + "\n🟩") == nil)
        #expect(ShareGrid(row + "🟩\n" + row) == nil)
        #expect(ShareGrid(String(repeating: "🟩", count: 60_000)) == nil)
    }
}
