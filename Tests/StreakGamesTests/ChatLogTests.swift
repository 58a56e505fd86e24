import StreakGames
import Testing

@Suite struct ChatLogTests {
    struct Export: Sendable, CustomTestStringConvertible {
        let name: String
        let text: String
        /// `sender | day | first line of the text`
        let messages: [String]
        var order: DateOrder?
        var testDescription: String { name }
    }

    static let exports: [Export] = [
        Export(
            name: "WhatsApp, iOS",
            text: "[12/11/2025, 08:01:22] Wordlers: \u{200E}Messages are end-to-end encrypted.\r\n"
                + "[12/11/2025, 08:01:22] Anna: Wordle 1,607 3/6\r\n\r\n⬛🟨⬛⬛⬛\r\n🟩🟩🟩🟩🟩\r\n"
                + "\u{200E}[13/11/2025, 09:00:00] Ben B.: \u{200E}image omitted\r\n"
                + "[13/11/2025, 09:00:01] ~\u{A0}Cem: nice: really\r\n",
            messages: [
                "Wordlers|2025-11-12|\u{200E}Messages are end-to-end encrypted.", "Anna|2025-11-12|Wordle 1,607 3/6",
                "Ben B.|2025-11-13|\u{200E}image omitted", "Cem|2025-11-13|nice: really",
            ], order: .dayFirst),
        Export(
            name: "WhatsApp, iOS, US",
            text: "[11/12/25, 8:01:22\u{202F}AM] Anna: one\n[11/13/25, 12:00:00\u{202F}PM] Anna: two",
            messages: ["Anna|2025-11-12|one", "Anna|2025-11-13|two"], order: .monthFirst),
        Export(
            name: "WhatsApp, Android",
            text: "12/11/25, 08:01 - Messages and calls are end-to-end encrypted.\n"
                + "12/11/25, 08:02 - Anna: one\nstill one\n\n12/11/25, 08:03 - Ben joined using a link\n"
                + "13/11/25, 08:04 - +49 170 1234567: two",
            messages: ["Anna|2025-11-12|one", "+49 170 1234567|2025-11-13|two"], order: .dayFirst),
        Export(
            name: "WhatsApp, Android, German", text: "12.11.25, 08:01 - Anna: one\n01.12.25, 08:01 - Anna: two",
            messages: ["Anna|2025-11-12|one", "Anna|2025-12-01|two"], order: .dayFirst),
        Export(
            name: "WhatsApp, Android, US with AM",
            text: "1/2/25, 8:01 AM - Anna: one\n1/13/25, 9:10 p. m. - Ben: two",
            messages: ["Anna|2025-01-02|one", "Ben|2025-01-13|two"], order: .monthFirst),
        Export(
            name: "ISO dates", text: "2025-11-12, 08:01 - Anna: one\n[2025-11-13, 08:01:02] Ben: two",
            messages: ["Anna|2025-11-12|one", "Ben|2025-11-13|two"]),
        Export(
            name: "order by running forwards",
            text: "1/3/25, 08:01 - Anna: one\n2/3/25, 08:01 - Anna: two\n1/4/25, 08:01 - Anna: three",
            messages: ["Anna|2025-03-01|one", "Anna|2025-03-02|two", "Anna|2025-04-01|three"], order: .dayFirst),
        Export(
            name: "order unknown", text: "1/3/25, 08:01 - Anna: one\n3/3/25, 08:01 - Anna: two",
            messages: ["Anna|–|one", "Anna|2025-03-03|two"]),
        Export(
            name: "Telegram", text: "Anna B, [12.11.2025 08:01]\nWordle 1,607 3/6\n⬛\n\nBen, [13.11.25 9:15]\nhi",
            messages: ["Anna B|2025-11-12|Wordle 1,607 3/6", "Ben|2025-11-13|hi"], order: .dayFirst),
        Export(
            name: "Discord",
            text:
                "Anna — Today at 08:01\nWordle 1,607 3/6\nBen — Yesterday at 8:01 AM\nhi\nanna_2 — 13/11/2025 08:01\nyo",
            messages: ["Anna|2025-11-21|Wordle 1,607 3/6", "Ben|2025-11-20|hi", "anna_2|2025-11-13|yo"],
            order: .dayFirst),
        Export(
            name: "Discord export", text: "[12/11/2025 08:01] anna\nWordle 1,607 3/6\n\n[13/11/2025 08:01] ben\nhi\n",
            messages: ["anna|2025-11-12|Wordle 1,607 3/6", "ben|2025-11-13|hi"], order: .dayFirst),
        Export(
            name: "WhatsApp, Chinese",
            text: "[2025/11/12 上午8:01:22] 小安: Wordle 1,607 3/6\n[2025/11/13 下午12:00:00] Ben: two\n"
                + "2025/11/14 晚上9:10 - Cem: three",
            messages: ["小安|2025-11-12|Wordle 1,607 3/6", "Ben|2025-11-13|two", "Cem|2025-11-14|three"]),
        Export(
            name: "WhatsApp, Korean", text: "[2025. 11. 12. 오전 8:01:22] 안나: one\n[2025. 11. 13. 오후 1:01:22] Ben: two",
            messages: ["안나|2025-11-12|one", "Ben|2025-11-13|two"]),
        Export(
            name: "LINE",
            text: "[LINE] Chat history with Wordlers\r\nSaved on: 2025/11/20 09:10\r\n\r\n2025/11/12(Wed)\r\n"
                + "08:01\tAnna\tWordle 1,607 3/6\r\n08:02\tBen joined the group.\r\n"
                + "08:03\tBen\t\"two\r\nlines\"\r\n\r\n2025/11/13(木)\r\n午後01:10\tAnna: B.\t\"quoted\"",
            messages: [
                "–|–|[LINE] Chat history with Wordlers", "Anna|2025-11-12|Wordle 1,607 3/6", "Ben|2025-11-12|two",
                "Anna: B.|2025-11-13|quoted",
            ]),
        Export(
            name: "LINE, day and month",
            text: "Wed, 11/12/2025\n8:01 AM\tAnna\tone\nThu, 11/13/2025\n8:01 PM\tBen\ttwo",
            messages: ["Anna|2025-11-12|one", "Ben|2025-11-13|two"], order: .monthFirst),
        Export(
            name: "times only", text: "[08:01] Anna: one\n[08:02] Ben: two\nmore",
            messages: ["Anna|–|one", "Ben|–|two"]),
        Export(
            name: "names only",
            text: "Anna: Octordle #12\nScore: 61\nhttps://example.org\nBen: hi\nWordle: fun\nBen: bye",
            messages: ["Anna|–|Octordle #12", "Ben|–|hi", "Ben|–|bye"]),
        Export(
            name: "text before the first message", text: "🟩🟩🟩🟩🟩\n12/13/25, 08:01 - Anna: one",
            messages: ["–|–|🟩🟩🟩🟩🟩", "Anna|2025-12-13|one"], order: .monthFirst),
        Export(
            name: "direction marks", text: "\u{FEFF}\u{200F}[12/11/2025, 08:01:22] \u{202A}דנה\u{202C}: שלום\n",
            messages: ["דנה|–|שלום"]),
        Export(
            name: "Arabic digits", text: "[٢٥/١١/٢٠٢٥, ٨:٠١:٢٢] ليلى: مرحبا", messages: ["ليلى|2025-11-25|مرحبا"],
            order: .dayFirst),
        Export(
            name: "a share is no header",
            text: "13/12/25, 08:01 - Anna: Betweenle 391 - 3/5:\n\nQueens #714 – 0:10\n[Bracket City]\nMarch 3, 2026",
            messages: ["Anna|2025-12-13|Betweenle 391 - 3/5:"], order: .dayFirst),
    ]

    @Test(arguments: exports)
    func `an export is read`(export: Export) throws {
        let log = try ChatLog(export.text, today: PuzzleDay("2025-11-21"))
        let messages = log.messages.map { message in
            let first = message.text.split(whereSeparator: \.isNewline).first ?? ""
            return "\(message.sender ?? "–")|\(message.day.map { "\($0)" } ?? "–")|\(first)"
        }
        #expect(messages == export.messages)
        #expect(log.dateOrder == export.order)
        #expect(log.senders.map(\.messages).reduce(0, +) == log.count)
    }

    @Test func `a message keeps its lines and knows where it began`() throws {
        let log = try ChatLog("12/11/25, 08:01 - Anna: one\n two\n\nthree\n\n13/11/25, 08:02 - Ben: four")
        #expect(log.messages.map(\.text) == ["one\n two\n\nthree", "four"])
        #expect(log.messages.map(\.line) == [1, 6])
    }

    @Test func `senders are counted, most messages first`() throws {
        let log = try ChatLog("[08:01] Ben: a\n[08:01] Anna: b\n[08:01] Zoe: c\n[08:01] Zoe: d")
        #expect(log.senders.map { "\($0.name) \($0.messages)" } == ["Zoe 2", "Anna 1", "Ben 1"])
        #expect(log.count == 4)
    }

    @Test func `the order of dates can be given`() throws {
        let text = "1/3/25, 08:01 - Anna: one"
        #expect(try ChatLog(text, order: .monthFirst).messages.map(\.day) == [PuzzleDay("2025-01-03")])
        #expect(try ChatLog(text, order: .dayFirst).messages.map(\.day) == [PuzzleDay("2025-03-01")])
        #expect(try ChatLog(text).messages.map(\.day) == [nil])
    }

    @Test(arguments: ["9/3/26, 9:10 AM - Ada", "[9/3/26, 9:10:33 AM] Ada", "Ada, [9/3/26 9:10]"])
    func `a share whose day only the order of dates would tell asks for it`(head: String) throws {
        let separator = head.hasPrefix("Ada") ? "\n" : ": "
        let text = "\(head)\(separator)Wordle 1,500 3/6\n\n\(head)\(separator)Absurdle 4/∞\n"
        let undecided = try ChatLog(text).shares()
        #expect(undecided.undecidedLine == (head.hasPrefix("Ada") ? 4 : 3))
        #expect(undecided.shares.map(\.share.day) == [PuzzleDay("2025-07-28"), nil])
        for (order, day) in [(DateOrder.dayFirst, "2026-03-09"), (.monthFirst, "2026-09-03")] {
            let decided = try ChatLog(text, order: order).shares()
            #expect(decided.undecidedLine == nil && decided.shares.last?.share.day?.description == day)
        }
    }

    @Test func `a share is dated by its number, else as printed, else by its message`() throws {
        let log = try ChatLog(
            """
            13/11/25, 08:01 - Anna: Wordle 1,500 3/6
            13/11/25, 08:02 - Anna: I solved the 10/2/2025 New York Times Mini Crossword in 0:42!
            13/11/25, 08:03 - Anna: Absurdle 9/∞
            13/11/25, 08:03 - Ben: Absurdle 7/∞
            13/11/25, 08:04 - Anna: Wordle 1,600 7/6
            13/11/25, 08:04 - Anna: I love Wordle
            """)
        let mine = log.shares(of: "Anna")
        #expect(mine.shares.map { $0.share.day?.description } == ["2025-07-28", "2025-10-02", "2025-11-13"])
        #expect(mine.shares.map(\.line) == [1, 2, 3] && mine.shares.allSatisfy { $0.sender == "Anna" })
        #expect(mine.refusals.map(\.refusal.reason) == [.impossibleScore(GameID(literal: "wordle"))])
        #expect(mine.refusals.map(\.line) == [5])
        #expect(log.shares().shares.count == 4)
    }

    /// The styles that can be exported or copied. `TEXT` is a message that Anna sent days after the puzzle.
    static let styles = [
        "[25/11/2025, 08:01:22] Anna: TEXT", "[11/25/25, 8:01:22\u{202F}AM] Anna: TEXT",
        "25/11/25, 08:01 - Anna: TEXT", "25.11.25, 08:01 - Anna: TEXT", "11/25/25, 8:01 AM - Anna: TEXT",
        "2025-11-25, 08:01 - Anna: TEXT", "Anna, [25.11.2025 08:01]\nTEXT", "Anna — Today at 08:01\nTEXT",
        "Anna — 25/11/2025 08:01\nTEXT", "[25/11/2025 08:01] Anna\nTEXT", "[08:01] Anna: TEXT", "Anna: TEXT",
        "[٢٥/١١/٢٠٢٥, ٨:٠١:٢٢] Anna: TEXT",
    ]

    @Test(arguments: styles)
    func `in every style of export a share is dated by its number`(style: String) throws {
        let shares = [
            "Wordle 1,607 3/6\n\n⬛🟨⬛⬛⬛\n🟩🟩🟩🟩🟩", "Connections\nPuzzle #881\n🟨🟨🟨🟨\n🟩🟩🟩🟩\n🟦🟦🟦🟦\n🟪🟪🟪🟪",
            "Queens #561 | 0:10",
        ]
        let chat = shares.map { style.replacing("TEXT", with: $0) }.joined(separator: "\n")
        for text in [chat, chat.replacing("\n", with: "\r\n")] {
            let log = try ChatLog(text, today: PuzzleDay("2025-11-25"))
            let found = log.shares(of: "Anna").shares
            #expect(found.map { "\($0.share.game)" } == ["wordle", "connections", "linkedin-queens"])
            #expect(found.map { $0.share.day?.description } == ["2025-11-12", "2025-11-08", "2025-11-12"])
        }
    }

    @Test(arguments: [
        "", "Wordle 1,607 3/6", "just chat", "Score: 61\nRank: Genius", "Connections: fun", "12/11/25 was great",
        "look: a colon", "see you at 08:01 - bring cake", "[]", "[12/11/2025", "—", "- Today at 08:01",
    ])
    func `what is no chat is refused`(text: String) {
        // One line "word: text" at the beginning is a name; a share's label is not.
        if text.hasPrefix("look") {
            #expect((try? ChatLog(text))?.count == 1)  // the only outcome besides a refusal
        } else {
            #expect(throws: ChatLogFault.notAChat) { try ChatLog(text) }
        }
    }

    @Test func `chats made to hurt are read within their bounds`() throws {
        let long = "[08:01] Anna: " + String(repeating: "🟩", count: 40_000)
        let cut = try #require(ChatLog(long).messages.first { _ in true })
        #expect(cut.text.utf8.count <= ChatLog.maximumMessageSize && cut.text.unicodeScalars.allSatisfy { $0 == "🟩" })
        let crowd = (0..<2_000).map { "[08:01] p\($0): hi" }.joined(separator: "\n")
        let log = try ChatLog(crowd)
        #expect(log.senders.count == ChatLog.maximumSenders + 1 && log.count == 2_000)
        #expect(log.senders.first?.name == "others" && log.senders.first?.messages == 2_000 - 1_024)
        for junk in ["[12/11/2025, ", "— ", "[", "1/1/1, 1:1 - ", "\u{202E}", "\r", "\0"] {
            let text = "[08:01] Anna: x\n" + String(repeating: junk, count: 20_000)
            #expect(try ChatLog(text).messages.reduce(0) { count, _ in count + 1 } >= 1)
        }
        let name = "[08:01] " + String(repeating: "x", count: 500) + ": hi"
        #expect(throws: ChatLogFault.notAChat) { try ChatLog(name) }
    }

    @Test func `every sample survives an export`() throws {
        let reader = ShareReader()
        for sample in ShareSample.shares where sample.expected.count == 1 && !sample.text.contains("[0") {
            let log = try ChatLog("13/11/25, 08:01 - Anna: \(sample.text)\n13/11/25, 08:02 - Ben: nice")
            var expected = sample.expected
            if expected[0].date == nil { expected[0].date = "2025-11-13" }
            let read = log.shares(of: "Anna", with: reader).shares.map { ShareSample.Expected($0.share) }
            #expect(read == expected, "\(sample.text)")
        }
    }
}
