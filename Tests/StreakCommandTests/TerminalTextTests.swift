import Testing

@testable import StreakNode
@testable import StreakWeb
@testable import streakmesh

/// Nothing that friends wrote steers a terminal, whichever way it takes to it.
@Suite struct TerminalTextTests {
    static let hostile =
        "\u{1B}]0;owned\u{7}\u{1B}[31m\u{1B}[2J\u{9B}31m\u{85}\u{202E}\u{2066}\u{2028}\u{61C}\u{200E}\u{200F}\rA\u{7F}\u{0}"

    static func steering(_ text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.filter { scalar in
            scalar.properties.generalCategory == .control || (0x2028...0x202E).contains(scalar.value)
                || (0x2066...0x2069).contains(scalar.value) || [0x61C, 0x200E, 0x200F].contains(scalar.value)
        }
    }

    @Test func `a line keeps the program's own styles and nothing else that steers`() {
        let styled = TextStyle.allCases.map { $0.applied(to: "x").shown(styled: true) }
        #expect(styled == ["x"] + ["1", "2", "32", "31", "36"].map { "\u{1B}[\($0)mx\u{1B}[0m" })
        for style in TextStyle.allCases { #expect(style.applied(to: "x").shown(styled: false) == "x") }
        for isStyled in [true, false] {
            #expect(Self.steering(Self.hostile.shown(styled: isStyled)).isEmpty)
            #expect("\u{1B}[8mhidden\u{1B}[31mred\u{1B}[31".shown(styled: isStyled) == "[8mhidden[31mred[31")
            #expect("a\n\tb".shown(styled: isStyled) == "a\n\tb")
        }
    }

    @Test func `a file goes to another program as it is, and to a terminal without what steers`() {
        let content = "day,game\r\n\(Self.hostile)\n\tb\n"
        var terminal = Terminal(isInputInteractive: false, isOutputInteractive: false)
        #expect(terminal.written(content) == content)
        terminal.isOutputInteractive = true
        #expect(Self.steering(terminal.written(content).filter { $0 != "\n" && $0 != "\t" }).isEmpty)
    }

    @Test func `an error is one line of text, whatever a title holds`() {
        for failure in [
            NodeFailure.approvalNeeded(title: Self.hostile), .alreadyMember(title: Self.hostile),
            .notMember(title: Self.hostile), .unknownGroup(Self.hostile), .unknownMember(Self.hostile),
            .ambiguousGroup(Self.hostile, candidates: [Self.hostile]), .storageFailed(Self.hostile),
            .guestPlaying(name: Self.hostile), .sharingStopped(title: Self.hostile),
        ] {
            let notice = FailureNotice(failure)
            for line in notice.lines { #expect(Self.steering(line).isEmpty, "\(failure)") }
            #expect(Self.steering(notice.json.text).isEmpty)
        }
        #expect(FailureNotice(CommandLineFailure.usage(Self.hostile)).lines.allSatisfy { Self.steering($0).isEmpty })
    }

    @Test func `JSON holds a hostile text as it is, and nothing in it steers`() throws {
        let event = JSON(NodeEvent.notice(Self.hostile)).text
        #expect(Self.steering(event).isEmpty)
        let games = JSON(reflecting: [Self.hostile: 1]).text
        #expect(Self.steering(games).isEmpty)
    }
}
