import StreakReplication
import Testing

/// Names from outside follow the rule for names when displayed, whatever program made them.
@Suite struct ShownTextTests {
    @Test(arguments: [
        ("Ada", "Ada"), ("  Ada  ", "Ada"), ("A\u{202E}da", "Ada"), ("\u{1B}[31mAda", "[31mAda"), ("\n\t", "?"),
        ("", "?"),
        (String(repeating: "x", count: 41), String(repeating: "x", count: 40)), ("👩‍👩‍👧 Zoë", "👩‍👩‍👧 Zoë"),
    ]) func `a name is shown by the rule`(text: String, shown: String) {
        #expect(DisplayText.shown(text, maximumLength: 40) == shown)
    }

    @Test func `a name of one endless character is cut`() {
        let marks = "a" + String(repeating: "\u{301}", count: 10_000)
        #expect(DisplayText.shown("b" + marks, maximumLength: 40) == "b")
        #expect(DisplayText.shown(marks, maximumLength: 40) == "?")
    }

    @Test(arguments: [
        "\u{0}", "\u{7F}", "\u{85}", "\u{2028}", "\u{061C}", "\u{200E}", "\u{200F}", "\u{202A}", "\u{2069}", "\u{FFFB}",
    ])
    func `what steers is in no name`(scalar: String) {
        #expect(DisplayText.validated("a\(scalar)b", maximumLength: 40) == nil)
    }
}
