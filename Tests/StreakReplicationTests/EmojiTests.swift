import StreakReplication
import StreakWire
import Testing

/// What counts as one emoji (Protocol/records.md §3.6).
@Suite struct EmojiTests {
    @Test(arguments: [
        "👍", "❤️", "❤", "⭐", "✅", "©️", "1️⃣", "#️⃣", "🇩🇪", "👍🏽", "✌🏿", "👩‍🚀", "👨‍👩‍👧‍👦", "🧔‍♂️", "❤️‍🔥", "👁️‍🗨️",
        "🏳️‍🌈", "🏴‍☠️", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "👩🏽‍❤️‍💋‍👨🏽", "🫠", "🀄", "🃏", "☺️",
    ])
    func `a picture is an emoji, typed or read`(text: String) throws {
        #expect(Emoji(text)?.text == text)
        #expect(Emoji(typed: " \(text)\n")?.text == text)
    }

    @Test(arguments: [
        "", " ", "a", "1", "#", "Nice", "👍👍", "👍a", "a👍", "👍 ", "🇩", "🇩🇪🇫🇷", "🏽", "\u{200D}", "👍\u{200D}",
        "\u{FE0F}", "👍\u{301}", "<b>", "=", "→", "漢", "👍\u{202E}", "🏴\u{E0067}", "1\u{20E3}\u{20E3}",
        String(repeating: "👩\u{200D}", count: 9) + "👩",
    ])
    func `anything else is none`(text: String) {
        #expect(Emoji(text) == nil)
        #expect(Emoji(typed: text.isEmpty || text == "👍 " ? "x" : text) == nil)
    }

    @Test func `who types gets the blanks around an emoji taken off, and no symbol that is no picture`() {
        #expect(Emoji(typed: "👍 ")?.text == "👍")
        // A scissors outline that no font draws in colour: read from others, but not written.
        #expect(Emoji("✁") != nil)
        #expect(Emoji(typed: "✁") == nil)
    }

    @Test func `a comment is on one line, and as long as the limits say`() {
        #expect(ResultComment.written("  so\n\tclose\u{2028}today ") == "so close today")
        #expect(ResultComment.written(String(repeating: "x", count: 500)) != nil)
        #expect(ResultComment.written(String(repeating: "x", count: 501)) == nil)
        // 400 characters, 1,200 bytes.
        #expect(ResultComment.written(String(repeating: "漢", count: 400)) != nil)
        #expect(ResultComment.written(String(repeating: "漢", count: 401)) == nil)
        for text in ["", " \n", "a\u{7}b", "a\u{202E}b", String(repeating: " ", count: 100_000)] {
            #expect(ResultComment.written(text) == nil, "\(text.debugDescription.prefix(20))")
        }
    }

    @Test func `what others wrote is shown without what texts must not hold`() throws {
        let result = ResultName(
            owner: UserID(bytes: Bytes32(0, 0, 0, 1)), key: try DailyScoreKey.wordle())
        func shown(_ text: String) -> String { ResultComment(WritingID(rawValue: 1), on: result, text: text).shownText }
        #expect(shown("<b>so</b>\n close") == "<b>so</b> close")
        #expect(shown("a\u{202E}b\u{7}") == "ab")
        #expect(shown("\u{202E}") == "?")
        #expect(shown(String(repeating: "x", count: 1_200)).count == 500)
    }
}
