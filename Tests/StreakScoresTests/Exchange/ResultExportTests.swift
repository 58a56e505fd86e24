import StreakGames
import StreakScores
import Testing

@Suite struct ResultExportTests {
    static let result = DailyScore(
        game: GameID(literal: "wordle"), day: Fixture.day("2024-03-09"), puzzle: 994, score: 3, maxAttempts: 6,
        isHardMode: true, gameName: "Wordle", firstRecordedAt: 1_710_000_000, updatedAt: 1_710_000_007)

    @Test func `CSV has a heading, CRLF and a cell for each fact`() {
        #expect(
            String(decoding: ResultExport.csv([Self.result]), as: UTF8.self)
                == "date,game,score,maxAttempts,completed,seconds,hints,mistakes,hardMode,puzzle,keyedByPuzzle,name,"
                + "firstRecordedAt,edited\r\n2024-03-09,wordle,3,6,true,,,,true,994,false,Wordle,1710000000,false\r\n"
        )
    }

    @Test func `JSON leaves out what is not known`() {
        #expect(
            String(decoding: ResultExport.json([Self.result]), as: UTF8.self)
                == "{\"version\":1,\"results\":[\n{\"date\":\"2024-03-09\",\"game\":\"wordle\",\"score\":3,"
                + "\"maxAttempts\":6,\"completed\":true,\"hardMode\":true,\"puzzle\":994,\"keyedByPuzzle\":false,"
                + "\"name\":\"Wordle\",\"firstRecordedAt\":1710000000,\"edited\":false}\n]}\n")
    }

    struct Cell: Sendable, CustomTestStringConvertible {
        var name: String
        var written: String
        var testDescription: String { name }
        init(_ name: String, _ written: String) { (self.name, self.written) = (name, written) }
    }

    static let cells = [
        Cell("=cmd|' /C calc'!A0", "\"'=cmd|' /C calc'!A0\""), Cell("+1", "\"'+1\""), Cell("-1", "\"'-1\""),
        Cell("@SUM(A1)", "\"'@SUM(A1)\""), Cell("＝1", "\"'＝1\""), Cell("  =1", "\"'  =1\""),
        Cell("\t=1", "\"'\t'=1\""), Cell("a;=1", "\"a;'=1\""), Cell("a,\"=1\"", "\"a,'\"\"=1\"\"\""),
        Cell("a\r\n@b", "\"a\r'\n'@b\""), Cell("'=1", "\"''=1\""), Cell("'twas", "'twas"), Cell("a=b-c", "a=b-c"),
        Cell("say \"hi\"", "\"say \"\"hi\"\"\""), Cell(" blank ", "\" blank \""), Cell("a;b", "\"a;b\""),
        Cell("é-🇮🇹", "é-🇮🇹"),
    ]

    @Test(arguments: cells)
    func `a cell runs no formula and is read back`(cell: Cell) throws {
        var result = Self.result
        result.gameName = cell.name
        let bytes = ResultExport.csv([result])
        #expect(
            String(decoding: bytes, as: UTF8.self).hasSuffix(
                ",994,false,\(cell.written),1710000000,false\r\n"))
        #expect(try Exchange.plan(bytes).accepted.map(\.gameName) == [cell.name])
    }
}
