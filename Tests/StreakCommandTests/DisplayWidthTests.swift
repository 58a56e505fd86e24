import Testing

@testable import streakmesh

@Suite struct DisplayWidthTests {
    @Test(
        arguments: [
            ("", 0), ("Ada", 3), ("Zoë", 3), ("Zoe\u{308}", 3), ("日本", 4), ("한글", 4), ("ｱ", 1), ("Ａ", 2), ("🥇", 2),
            ("👩‍👩‍👧", 2), ("🇫🇷", 2), ("1️⃣", 2), ("❤️", 2), ("👍🏽", 2), ("↑2", 2), ("=", 1), ("a\u{200B}b", 2),
        ])
    func `characters fill the columns a terminal gives them`(text: String, width: Int) {
        #expect(text.displayWidth == width)
    }

    @Test(
        arguments: [
            ("Ada\u{1B}[31m", "Ada[31m"), ("a\u{202E}b\u{2066}c", "abc"), ("one\ntwo\r\u{7}", "onetwo"), ("👩‍👧", "👩‍👧"),
        ])
    func `a name cannot steer the terminal`(text: String, shown: String) {
        #expect(text.printable == shown)
    }

    @Test(arguments: [("Ada", 3, "Ada"), ("Adam", 3, "Ad…"), ("日本語", 4, "日…"), ("日本語", 5, "日本…"), ("", 0, "")])
    func `a long text is cut at a whole character`(text: String, width: Int, shown: String) {
        #expect(text.truncated(toWidth: width) == shown)
    }
}

@Suite struct TextTableTests {
    private var table: TextTable {
        var table = TextTable([.right, .left, .left, .right])
        table.addRow(.init("1"), .init("日本"), .init(""), .init("3 guesses"))
        table.addRow(.init("=2"), .init("Zoë"), .init(""), .init("4"))
        return table
    }

    @Test func `columns line up behind wide characters, and empty ones are left out`() {
        #expect(table.lines(usingColour: false) == [" 1  日本  3 guesses", "=2  Zoë           4"])
    }

    @Test func `a column that has only a title is left out`() {
        var table = TextTable([.left, .right, .left])
        table.addHeader("member", "devices", "code")
        table.addRow(.init("Ada"), .init(""), .init("7"))
        #expect(table.lines(usingColour: false) == ["member  code", "Ada     7"])
    }

    @Test func `no line ends in a space`() {
        var table = TextTable([.left, .left])
        table.addRow(.init("Ada"), .init("you"))
        table.addRow(.init("Chloë"), .init(""))
        #expect(table.lines(usingColour: false) == ["Ada    you", "Chloë"])
    }

    @Test func `colours change nothing but colours`() {
        var table = TextTable([.left, .left])
        table.addRow(.init("Ada", .bold), .init("you", .dim))
        #expect(
            table.lines(usingColour: true).map { $0.shown(styled: true) } == [
                "\u{1B}[1mAda\u{1B}[0m  \u{1B}[2myou\u{1B}[0m"
            ])
    }
}
