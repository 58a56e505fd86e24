import StreakGames
import StreakScores
import Testing

/// Short ways to import, for the tests of this folder.
enum Exchange {
    /// 2026-11-21, 12:00 UTC.
    static let now: Int64 = 1_795_262_400

    static func plan(
        _ text: String, dateOrder: DateOrder? = nil, game: Game? = nil, catalogue: Catalogue = .standard,
        existing: [DailyScore] = []
    ) throws(ImportFault) -> ImportPlan {
        try plan(Array(text.utf8), dateOrder: dateOrder, game: game, catalogue: catalogue, existing: existing)
    }

    static func plan(
        _ bytes: [UInt8], dateOrder: DateOrder? = nil, game: Game? = nil, catalogue: Catalogue = .standard,
        existing: [DailyScore] = []
    ) throws(ImportFault) -> ImportPlan {
        let recorded = Dictionary(existing.map { ($0.key, $0) }) { first, _ in first }
        let reader = ResultImport(catalogue: catalogue, now: now, dateOrder: dateOrder, game: game)
        return try reader.plan(bytes) { recorded[$0] }
    }

    /// "wordle 2024-03-09 #994 3/6 ✓ t42 h1 m2 *", as far as values exist.
    static func line(_ score: DailyScore) -> String {
        var words = [score.game.rawValue, score.day.description]
        if let puzzle = score.puzzle { words.append(score.isKeyedByPuzzle ? "##\(puzzle)" : "#\(puzzle)") }
        words.append("\(score.score.map(String.init) ?? "-")/\(score.maxAttempts.map(String.init) ?? "-")")
        words.append(score.isCompleted ? "✓" : "✗")
        if let seconds = score.seconds { words.append("t\(seconds)") }
        if let hints = score.hints { words.append("h\(hints)") }
        if let mistakes = score.mistakes { words.append("m\(mistakes)") }
        if score.isHardMode { words.append("*") }
        return words.joined(separator: " ")
    }
}

@Suite struct ResultImportTests {
    struct Table: Sendable, CustomTestStringConvertible {
        var name: String
        var text: String
        var expected: [String]
        var testDescription: String { name }
    }

    static let tables = [
        Table(
            name: "the five columns", text: "date,game,score,maxAttempts,completed\n2024-03-09,wordle,3,6,true\n",
            expected: ["wordle 2024-03-09 3/6 ✓"]),
        Table(
            name: "byte order mark, CRLF, blank lines, no line end at the end",
            text: "\u{FEFF}\r\nDate,Game,Score\r\n\r\n2024-03-09,Wordle,3\r\n,,\r\n  \r\n2024-03-10,Wordle,4",
            expected: ["wordle 2024-03-09 3/6 ✓", "wordle 2024-03-10 4/6 ✓"]),
        Table(
            name: "CR alone", text: "date,game,score\r2024-03-09,wordle,3\r2024-03-10,wordle,4\r",
            expected: ["wordle 2024-03-09 3/6 ✓", "wordle 2024-03-10 4/6 ✓"]),
        Table(
            name: "semicolons, another order, words of others",
            text: "Won;Guesses;Puzzle;Puzzle Date\nyes;3/6;WORDLE;09.03.2024\nno;;Wordle;10.3.2024\n",
            expected: ["wordle 2024-03-09 3/6 ✓", "wordle 2024-03-10 -/6 ✗"]),
        Table(
            name: "tabs", text: "day\tname\tresult\n20240309\tcemantix\t25\n2024/3/10\tCÉMANTIX \tX\n",
            expected: ["cemantix 2024-03-09 25/- ✓", "cemantix 2024-03-10 -/- ✗"]),
        Table(
            name: "Excel's separator line", text: "sep=;\r\ndate;game;score\r\n2024-03-09;wordle;3\r\n",
            expected: ["wordle 2024-03-09 3/6 ✓"]),
        Table(
            name: "quotes, separators and line ends in cells",
            text: "date,\"notes\",game,score\n2024-03-09,\"a, \"\"b\"\"\n2024-01-01,wordle,1\",  \"wordle\",3\n",
            expected: ["wordle 2024-03-09 3/6 ✓"]),
        Table(
            name: "losses in many words",
            text: "date,game,score,solved\n2024-03-01,wordle,X/6,\n2024-03-02,wordle,x,0\n2024-03-03,wordle,DNF,\n"
                + "2024-03-04,wordle,6,No\n2024-03-05,wordle,,failed\n2024-03-06,wordle,X/6*,\n"
                + "2024-03-07,betweenle,0/5,\n",
            expected: (1...5).map { "wordle 2024-03-0\($0) -/6 ✗" } + ["betweenle 2024-03-07 -/5 ✗"]),
        Table(
            name: "the day that is written, whatever the time and its zone",
            text: "date,game,score\n2024-03-01T08:00:00Z,wordle,3\n2024-03-02T23:30:00.123+02:00,wordle,3\n"
                + "2024-03-03 23:30:00 -0800,wordle,3\n2024-03-04 11:59 PM,wordle,3\n2024-03-05T08:00Z,wordle,3\n"
                + "3/6/2024 8:00:00 a.m.,wordle,3\n3/13/2024,wordle,3\n2024-03-08 08:00:00 UTC,wordle,3\n"
                + "2024-03-09T080000Z,wordle,3\n",
            expected: [1, 2, 3, 4, 5, 6, 13, 8, 9].map { "wordle 2024-03-\($0 < 10 ? "0" : "")\($0) 3/6 ✓" }),
        Table(
            name: "months in letters",
            text: "date;game;score\nMar 1, 2024;wordle;3\n2 Mar 2024;wordle;3\nMarch 3, 2024;wordle;3\n"
                + "4 march 2024;wordle;3\n5-Mar-2024;wordle;3\nWed, 6 Mar 2024 08:00:00 GMT;wordle;3\n"
                + "Thursday, March 7th, 2024;wordle;3\n8 mars 2024;wordle;3\n9. März 2024;wordle;3\n",
            expected: (1...9).map { "wordle 2024-03-0\($0) 3/6 ✓" }),
        Table(
            name: "times",
            text: "date,game,time\n2024-03-09,nyt-mini,0:42\n2024-03-10,NYT Mini Crossword,1:02:03\n"
                + "2024-03-11,nyt-mini,75\n",
            expected: [
                "nyt-mini 2024-03-09 42/- ✓ t42", "nyt-mini 2024-03-10 3723/- ✓ t3723",
                "nyt-mini 2024-03-11 75/- ✓ t75",
            ]),
        Table(
            name: "times as scores", text: "date,game,score\n2025-03-09,Queens,1:15\n",
            expected: ["linkedin-queens 2025-03-09 75/- ✓ t75"]),
        Table(
            name: "hints", text: "date,game,score\n2024-03-09,strands,2\n",
            expected: ["strands 2024-03-09 2/10 ✓ h2"]),
        Table(
            name: "the number decides the day",
            text: "date,game,#,score\n2024-12-24,wordle,\"#1,000\",4\n,wordle,994,3\n",
            expected: ["wordle 2024-03-15 #1000 4/6 ✓", "wordle 2024-03-09 #994 3/6 ✓"]),
        Table(
            name: "a number without a day is the key",
            text: "date,game,puzzle,score\n2024-03-09,dordle,100,5\n2024-03-09,dordle,101,6\n",
            expected: ["dordle 2024-03-09 ##100 5/14 ✓", "dordle 2024-03-09 ##101 6/14 ✓"]),
        Table(
            name: "numbers of tables that know no whole ones", text: "date,game,score\n2024-03-09,thrice,\"12.0\"\n",
            expected: ["thrice 2024-03-09 12/- ✓"]),
        Table(
            name: "day before month, decided by the last row",
            text: "date,game,score\n03/04/2024,wordle,3\n4-4-2024,wordle,5\n31/03/2024,wordle,4\n",
            expected: ["wordle 2024-04-03 3/6 ✓", "wordle 2024-04-04 5/6 ✓", "wordle 2024-03-31 4/6 ✓"]),
        Table(
            name: "month before day", text: "date,game,score\n03/04/2024,wordle,3\n03/31/2024 09:15,wordle,4\n",
            expected: ["wordle 2024-03-04 3/6 ✓", "wordle 2024-03-31 4/6 ✓"]),
        Table(
            name: "either order", text: "date,game,score\n03/03/2024,wordle,3\n",
            expected: ["wordle 2024-03-03 3/6 ✓"]),
        Table(
            name: "numbers spare the question of the order",
            text: "date,game,puzzle number,score\n03/04/2024,wordle,994,3\n", expected: ["wordle 2024-03-09 #994 3/6 ✓"]
        ),
        Table(
            name: "maxima that are printed",
            text: "date,game,score\n2024-03-09,bandle,2/5\n2024-03-09,timeguessr,\"44,489/50,000\"\n",
            expected: ["bandle 2024-03-09 2/5 ✓", "timeguessr 2024-03-09 44489/50000 ✓"]),
        Table(
            name: "completed without a number", text: "date,game,score,completed\n2024-03-09,wordle,,yes\n",
            expected: ["wordle 2024-03-09 -/6 ✓"]),
        Table(
            name: "JSON, with more in it",
            text: """
                { "app": {"a": [1, {"b": null}]}, "results": [
                  {"game": "W\\u006Frdle", "score": 3, "date": "2024-03-09", "grid": ["\\ud83d\\ude00"], "hardMode": true}
                ], "version": 1 }
                """, expected: ["wordle 2024-03-09 3/6 ✓ *"]),
        Table(
            name: "JSON, an array alone", text: "[{\"game\":\"wordle\",\"day\":\"2024-03-09\",\"score\":3},{}]",
            expected: ["wordle 2024-03-09 3/6 ✓"]),
        Table(
            name: "JSON without a version",
            text: "{\"results\": [{\"game\": \"Wordle\", \"date\": \"Mar 9, 2024\", \"completed\": false}]}",
            expected: ["wordle 2024-03-09 -/6 ✗"]),
        Table(
            name: "the JSON of our own command",
            text: """
                {"results":[{"completed":true,"day":"2024-03-09","edited":true,"game":"wordle","gameName":"Wordle",
                "groups":["g"],"label":"3 guesses","late":false,"maxAttempts":6,"points":4,"puzzle":994,"replaced":false,
                "score":3,"unchanged":false},{"completed":true,"day":"2024-03-09","edited":false,"game":"spelling-bee",
                "gameName":"Spelling Bee","groups":[],"label":"played","points":0}]}
                """, expected: ["wordle 2024-03-09 #994 3/6 ✓", "spelling-bee 2024-03-09 -/- ✓"]),
    ]

    @Test(arguments: tables)
    func `tables of others are read`(table: Table) throws {
        let plan = try Exchange.plan(table.text)
        #expect(plan.accepted.map(Exchange.line) == table.expected)
        let strays = table.name.hasPrefix("losses") || table.name.hasSuffix("an array alone") ? 1 : 0
        #expect(plan.refusedCount == strays, "\(plan.refused)")
    }

    struct BadRow: Sendable, CustomTestStringConvertible {
        var row: String
        var reason: ImportRefusal
        var testDescription: String { row }
        init(_ row: String, _ reason: ImportRefusal) { (self.row, self.reason) = (row, reason) }
    }

    static let wordle = GameID(literal: "wordle")

    static let badRows = [
        BadRow("2024-03-09,wordle,7/6,,", .impossible(.score)),
        BadRow("2024-03-09,wordle,7,,", .impossible(.score)),
        BadRow("2024-03-09,wordle,0,,", .impossible(.score)),
        BadRow("2024-03-09,wordle,7/8,,", .impossible(.score)),
        BadRow("2024-03-09,wordle,3/6,8,", .contradictory(.maxAttempts)),
        BadRow("2024-03-09,wordle,X/6,,yes", .contradictory(.completed)),
        BadRow("2024-03-09,wordle,6/5,,", .contradictory(.score)),
        BadRow("2024-03-09,wordle,6,5,yes", .contradictory(.score)),
        BadRow("2024-03-09,nyt-mini,360000,,", .impossible(.score)),
        BadRow("2024-03-09,nyt-mini,1:75,,", .unreadable(.score, "1:75")),
        BadRow("2024-03-09,wordle,0:42,,", .unreadable(.score, "0:42")),
        BadRow("2024-03-09,wordle,-3,,", .unreadable(.score, "-3")),
        BadRow("2024-03-09,wordle,three,,", .unreadable(.score, "three")),
        BadRow("2024-03-09,wordle,2.5,,", .unreadable(.score, "2.5")),
        BadRow("2024-03-09,thrice,999999999999999,,", .impossible(.score)),
        BadRow("2024-03-09,thrice,99999999999999999999,,", .unreadable(.score, "99999999999999999999")),
        BadRow("2024-03-09,wordle,3/99999999999999999999,,", .unreadable(.score, "3/99999999999999999999")),
        BadRow("2024-03-09,wordle,=cmd|' /C calc'!A0,,", .unreadable(.score, "=cmd|' /C calc'!A0")),
        BadRow("2024-03-09,wordle,,,", .missing(.score)),
        BadRow("2024-03-09,wordle,3,,perhaps", .unreadable(.completed, "perhaps")),
        BadRow("2024-03-09,,3,,", .missing(.game)),
        BadRow("2024-03-09", .missing(.game)),
        BadRow(",wordle,3,,", .missing(.date)),
        BadRow("2024-02-30,wordle,3,,", .unreadable(.date, "2024-02-30")),
        BadRow("13/13/2024,wordle,3,,", .unreadable(.date, "13/13/2024")),
        BadRow("09.03.24,wordle,3,,", .unreadable(.date, "09.03.24")),
        BadRow("2024-03-09T23:30:00Q,wordle,3,,", .unreadable(.date, "2024-03-09T23:30:00Q")),
        BadRow("2024-03-09 at noon,wordle,3,,", .unreadable(.date, "2024-03-09 at noon")),
        BadRow("30 Feb 2024,wordle,3,,", .unreadable(.date, "30 Feb 2024")),
        BadRow("Oct 3,wordle,3,,", .unreadable(.date, "Oct 3")),
        BadRow("1999-01-01,wordle,3,,", .impossible(.date)),
        BadRow("2024-03-09,thrice,16,,", .impossible(.score)),
        BadRow("2024-03-09,maptap,5000,,", .impossible(.score)),
        BadRow("2024-03-09,timeguessr,50001,,", .impossible(.score)),
        BadRow("2024-03-09,betweenle,0,,yes", .impossible(.score)),
        BadRow("2026-11-23,wordle,3,,", .future(PuzzleDay(daysSinceEpoch: 20_780))),
        BadRow("2024-03-09,wordel,3,,", .unknownGame("wordel", nearest: wordle)),
        BadRow("2024-03-09,=HYPERLINK(1),3,,", .unknownGame("=HYPERLINK(1)", nearest: nil)),
        BadRow("2024-03-09,wordle,\(String(repeating: "9", count: 70_000)),,", .tooLong),
    ]

    @Test(arguments: badRows)
    func `a bad row is refused by its line and the others stand`(bad: BadRow) throws {
        let plan = try Exchange.plan(
            "date,game,score,max,completed\n2024-01-01,wordle,3,6,true\n\(bad.row)\n2024-01-02,wordle,4,6,true\n")
        #expect(plan.accepted.count == 2)
        #expect(plan.refused == [ImportPlan.Refused(line: 3, reason: bad.reason)])
    }

    @Test func `a row of another maximum is taken with the game's own, and told of`() throws {
        let plan = try Exchange.plan(
            "date,game,score,max,completed\n2024-01-01,wordle,3,8,true\n2024-01-02,wordle,4/5,,\n2024-01-03,wordle,2,6,\n"
                + "2024-01-04,bandle,2,5,\n")
        #expect(plan.refused.isEmpty)
        #expect(plan.accepted.map(\.maxAttempts) == [6, 6, 6, 5])
        #expect(plan.adjusted.map(\.line) == [2, 3] && plan.adjusted.map(\.printed) == [8, 5])
        #expect(plan.adjustedCount == 2)
    }

    @Test func `results of JSON on one line are told apart by their place in it`() throws {
        let plan = try Exchange.plan(
            """
            [{"game":"wordle","date":"2024-01-01","score":3},{"game":"wordle","date":"2024-01-02","score":9},\
            {"game":"wordle","date":"2024-01-03","score":4,"maxAttempts":8},{"game":"nonesuch","date":"2024-01-03"}]
            """)
        #expect(plan.refused.map(\.element) == [2, 4] && plan.refused.map(\.line) == [1, 1])
        #expect(plan.adjusted.map(\.element) == [3])
        #expect(throws: ImportFault.malformed(line: 1, element: 2)) { try Exchange.plan("[{},{\"score\":]") }
        #expect(throws: ImportFault.ambiguousDates(line: 1, element: 2)) {
            try Exchange.plan(
                """
                [{"game":"wordle","date":"2024-01-01","score":3},{"game":"wordle","date":"03/04/2024","score":3}]
                """)
        }
    }

    @Test func `lines are counted through line ends in cells`() throws {
        let plan = try Exchange.plan("date,note,game,score\r\n1,\"a\r\nb\nc\rd\",wordle,3\r\n2,,wordle,3\r\n")
        #expect(plan.refused.map(\.line) == [2, 6])
    }

    struct BadFile: Sendable, CustomTestStringConvertible {
        var text: String
        var fault: ImportFault
        var testDescription: String { text }
        init(_ text: String, _ fault: ImportFault) { (self.text, self.fault) = (text, fault) }
    }

    static let badFiles = [
        BadFile("", .empty), BadFile("\u{FEFF} \r\n\n", .empty),
        BadFile("hello", .missingColumn(.game)),
        BadFile("2024-03-09,wordle,3\n", .missingColumn(.game)),
        BadFile("game,score\nwordle,3\n", .missingColumn(.date)),
        BadFile("date,game\n2024-03-09,wordle\n", .missingColumn(.score)),
        BadFile(
            "date,game,score\n2024-03-09,wordle,3\n2024-03-10,\"wordle,3\n2024-03-11,wordle,3\n",
            .unclosedQuote(line: 3)),
        BadFile("date,game,score\n03/03/2024,wordle,3\n03/04/2024,wordle,3\n", .ambiguousDates(line: 3)),
        BadFile(
            "date,game,score\n31/03/2024,wordle,3\n03/30/2024,wordle,3\n",
            .contradictoryDates(dayFirst: 2, monthFirst: 3)),
        BadFile("[1]", .noResults), BadFile("{", .cutOff(line: 1)), BadFile("[\n", .cutOff(line: 2)),
        BadFile("[{\"score\":3},", .cutOff(line: 1)), BadFile("[{},{\"sco", .cutOff(line: 1, element: 2)),
        BadFile("[{},{\"score\":3", .cutOff(line: 1, element: 2)),
        BadFile("{\"version\":1}", .noResults), BadFile("{\"results\":{}}", .noResults),
        BadFile("{\"messages\":[{\"type\":\"message\"}]}", .noResults), BadFile("[] x", .malformed(line: 1)),
        BadFile("{\"version\":2,\"results\":[]}", .unknownVersion),
        BadFile("{\"version\":1,\n\"results\":[]} x", .malformed(line: 2)),
        BadFile("{\"version\":1,\"results\":[{\"score\":03}]}", .malformed(line: 1, element: 1)),
        BadFile("{\"version\":1,\"results\":[{\"game\":\"\\ud800\"}]}", .malformed(line: 1, element: 1)),
        BadFile("{\"version\":1,\"results\":[{\"game\":\"a\nb\"}]}", .malformed(line: 1, element: 1)),
        BadFile("{\"version\":1,\"results\":[{}],\"results\":[]}", .malformed(line: 1)),
        BadFile("{\"x\":" + String(repeating: "[", count: 100_000), .malformed(line: 1)),
    ]

    @Test(arguments: badFiles)
    func `a bad file is refused as a whole`(bad: BadFile) {
        #expect(throws: bad.fault) { try Exchange.plan(bad.text) }
    }

    fileprivate static func utf16(_ text: String, bigEndian: Bool) -> [UInt8] {
        text.utf16.flatMap { unit in
            let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            return bigEndian ? bytes : bytes.reversed()
        }
    }

    /// Encodings in which programs save tables, and whether they are read.
    enum Encoding: CaseIterable {
        case utf8, utf8Marked, utf16Little, utf16Big
        case utf16LittleBare, utf16BigBare, halfUnit, halfPair, utf32, windows1252

        var isRead: Bool {
            switch self {
            case .utf8, .utf8Marked, .utf16Little, .utf16Big: true
            default: false
            }
        }

        func bytes(_ text: String) -> [UInt8] {
            let (little, big) = (
                ResultImportTests.utf16(text, bigEndian: false), ResultImportTests.utf16(text, bigEndian: true)
            )
            return switch self {
            case .utf8: Array(text.utf8)
            case .utf8Marked: [0xEF, 0xBB, 0xBF] + Array(text.utf8)
            case .utf16Little: [0xFF, 0xFE] + little
            case .utf16Big: [0xFE, 0xFF] + big
            case .utf16LittleBare: little
            case .utf16BigBare: big
            case .halfUnit: [0xFF, 0xFE] + little + [0]
            case .halfPair: [0xFF, 0xFE] + little + [0x3D, 0xD8]
            case .utf32: [0xFF, 0xFE, 0, 0] + text.unicodeScalars.flatMap { [UInt8($0.value & 0xFF), 0, 0, 0] }
            case .windows1252: text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
            }
        }
    }

    @Test(arguments: Encoding.allCases, ["\n", "\r\n", "\r"])
    func `tables come in the encodings that programs save, and others are refused`(
        _ encoding: Encoding, _ lineEnd: String
    ) throws {
        let text = "date,game,score,note\n2024-03-09,Cémantix,25,größer\n2024-03-10,wordle,3,\n"
        let bytes = encoding.bytes(text.replacing("\n", with: lineEnd))
        guard encoding.isRead else {
            #expect(throws: ImportFault.notUTF8) { try Exchange.plan(bytes) }
            return
        }
        let lines = try Exchange.plan(bytes).accepted.map(Exchange.line)
        #expect(lines == ["cemantix 2024-03-09 25/- ✓", "wordle 2024-03-10 3/6 ✓"])
    }

    @Test func `every row of a habit is a log, and the same table adds none`() throws {
        let catalogue = Catalogue(games: [Fixture.habit])
        let text = "date,game,score\n2024-03-09,habit,1\n2024-03-09,habit,1\n2024-03-10,habit,2\n"
        let plan = try Exchange.plan(text, catalogue: catalogue)
        #expect(plan.accepted.map(\.score) == [1, 1, 2])
        #expect(Set(plan.accepted.map(\.key)).count == 3)
        #expect(try Exchange.plan(text, catalogue: catalogue, existing: plan.accepted).duplicates == [2, 3, 4])
    }

    @Test func `a habit has no losses`() throws {
        let catalogue = Catalogue(games: [Fixture.habit])
        let plan = try Exchange.plan(
            "date,game,score,completed\n2024-03-09,habit,1,no\n2024-03-09,habit,1,yes\n", catalogue: catalogue)
        #expect(plan.refused == [.init(line: 2, reason: .impossible(.completed))] && plan.accepted.count == 1)
    }

    @Test(arguments: ["0", "0:00", "0:00:00"])
    func `no time at all is no result`(time: String) throws {
        let plan = try Exchange.plan("date,game,time\n2024-03-09,nyt-mini,\(time)\n")
        #expect(plan.accepted.isEmpty && plan.refused.map(\.reason) == [.impossible(.score)])
    }

    @Test func `no file is read beyond the limit`() {
        let large = [UInt8](repeating: 10, count: ResultImport.maximumFileSize + 1)
        #expect(throws: ImportFault.tooLarge) { try Exchange.plan(large) }
        let rows = String(repeating: "1,,\n", count: ResultImport.maximumRows + 1)
        #expect(throws: ImportFault.tooManyRows) { try Exchange.plan("date,game,score\n" + rows) }
    }

    @Test func `refusals beyond those a person reads are counted`() throws {
        let plan = try Exchange.plan("date,game,score\n" + String(repeating: "1,nothing,\n", count: 3_000))
        #expect(plan.refused.count == ResultImport.maximumRefusals)
        #expect(plan.refusedCount == 3_000)
    }

    @Test func `the caller decides what a date means`() throws {
        let text = "date,game,score\n03/04/2024,wordle,3\n03/30/2024,wordle,4\n"
        let plan = try Exchange.plan(text, dateOrder: .dayFirst)
        #expect(plan.accepted.map(Exchange.line) == ["wordle 2024-04-03 3/6 ✓"])
        #expect(plan.refused == [.init(line: 3, reason: .unreadable(.date, "3/30/2024"))])
        #expect(try Exchange.plan(text).accepted.first?.day.description == "2024-03-04")
    }

    @Test func `the caller names the game of a table without one`() throws {
        let plan = try Exchange.plan("Day,Guesses\n2024-03-09,3\n", game: Catalogue.standard[Self.wordle])
        #expect(plan.accepted.map(Exchange.line) == ["wordle 2024-03-09 3/6 ✓"])
    }

    @Test func `what a row does not say was first recorded now`() throws {
        let plan = try Exchange.plan(
            "date,game,score,firstRecordedAt\n2024-03-09,wordle,3,\n2024-03-10,wordle,3,1710000000\n")
        #expect(plan.accepted.map(\.firstRecordedAt) == [Exchange.now, 1_710_000_000])
        let ahead = try Exchange.plan("date,game,score,firstRecordedAt\n2024-03-10,wordle,3,1999999999\n")
        #expect(ahead.refused.map(\.reason) == [.impossible(.firstRecordedAt)])
    }

    @Test func `every game is found by its ID and by its name in any writing`() throws {
        for game in Catalogue.standard.games {
            for name in [game.id.rawValue, game.name, " " + game.name.uppercased() + "  "] {
                let plan = try Exchange.plan("date;game;completed\n2026-11-09;\"\(name)\";yes\n")
                #expect(plan.accepted.map(\.game) == [game.id], "\(name) \(plan.refused)")
            }
        }
    }

    @Test func `an unknown game is kept where its export names it, and nowhere else`() throws {
        let score = DailyScore(
            game: GameID(literal: "c-block"), day: Fixture.day("2024-03-09"), score: 4_200, gameName: "Block",
            firstRecordedAt: 5)
        let exported = ResultExport.csv([score])
        #expect(try Exchange.plan(exported).accepted == [score])
        let foreign = try Exchange.plan("date,game,score,name\n2024-03-09,c-block,4200,Block\n")
        #expect(foreign.refused.map(\.reason) == [.unknownGame("c-block", nearest: nil)])
    }
}

@Suite struct ImportPlanTests {
    static let recorded = DailyScore(
        game: GameID(literal: "wordle"), day: Fixture.day("2024-03-09"), puzzle: 994, score: 3, maxAttempts: 6,
        gameName: "Wordle", firstRecordedAt: 77)

    @Test func `the same again is a duplicate, another value a conflict`() throws {
        let plan = try Exchange.plan(
            "date,game,score\n2024-03-09,wordle,3/6\n2024-03-09,wordle,4/6\n2024-03-10,wordle,5\n2024-03-10,wordle,5\n"
                + "2024-03-10,wordle,X\n", existing: [Self.recorded])
        #expect(plan.duplicates == [2, 5])
        #expect(plan.accepted.map(Exchange.line) == ["wordle 2024-03-10 5/6 ✓"])
        #expect(plan.conflicts.map(\.line) == [3, 6])
        #expect(plan.conflicts.first?.existing == Self.recorded)
        let replacement = try #require(plan.conflicts.first?.replacement)
        #expect((replacement.score, replacement.isEdited, replacement.firstRecordedAt) == (4, true, 77))
    }

    @Test func `what only one of two says is no conflict`() throws {
        var timed = Self.recorded
        timed.seconds = 99
        timed.isHardMode = true
        #expect(try Exchange.plan("date,game,score\n2024-03-09,wordle,3\n", existing: [timed]).duplicates == [2])
        let disagreeing = "date,game,score,time,hard mode\n2024-03-09,wordle,3,98,\n2024-03-09,wordle,3,99,no\n"
        #expect(try Exchange.plan(disagreeing, existing: [timed]).conflicts.map(\.line) == [2, 3])
    }

    @Test func `the better high score of a day stands`() throws {
        let catalogue = Catalogue(games: [Fixture.blocks])
        let text = "date,game,score\n2024-03-09,blocks,500\n2024-03-09,blocks,900\n2024-03-09,blocks,700\n"
        let plan = try Exchange.plan(text, catalogue: catalogue)
        #expect(plan.accepted.map(\.score) == [900])
        #expect(plan.duplicates == [3, 4])
        #expect(plan.conflicts.isEmpty)
        let lower = Fixture.solve(Fixture.blocks, Fixture.day("2024-03-09"), 600)
        #expect(try Exchange.plan(text, catalogue: catalogue, existing: [lower]).accepted.map(\.score) == [900])
        let higher = Fixture.solve(Fixture.blocks, Fixture.day("2024-03-09"), 901)
        let worse = try Exchange.plan(text, catalogue: catalogue, existing: [higher])
        #expect(worse.accepted.isEmpty)
        #expect(worse.duplicates == [2, 3, 4])
    }
}
