import ArgumentParser
import StreakWeb
import Testing

@testable import streakmesh

@Suite struct ArgumentsTests {
    @Test(
        arguments: [
            (["--data", "d", "--json", "whoami"], ["whoami", "--data", "d", "--json"]),
            (["--data=d", "group", "list"], ["group", "list", "--data=d"]),
            (["--data", "d", "help", "friend"], ["help", "friend"]),
            (["--json", "add", "--", "--json"], ["add", "--json", "--", "--json"]),
            (["add", "--json", "x"], ["add", "--json", "x"]), (["--json"], ["--json"]), (["--data"], ["--data"]),
            ([], []),
        ])
    func `options before the command reach it`(words: [String], normalised: [String]) {
        #expect(Arguments.normalised(words) == normalised)
    }

    @Test(
        arguments: [
            ("friend", ["approve", "block", "list (default)"]), ("invite", ["revoke", "create (default)", "--uses"]),
            ("games", ["favourite", "list (default)"]), ("requests", ["approve", "list (default)"]),
            ("clock", ["repair", "show (default)"]),
        ])
    func `the help of a command that stands for a subcommand names them all`(command: String, wanted: [String]) throws {
        for words in [[command, "--help"], [command, "-h"], ["--data", "d", command, "--help"]] {
            let help = Arguments.helpOfFamily(Arguments.normalised(words))
            for text in wanted { #expect(help?.contains(text) == true, "\(command) does not tell of \(text)") }
        }
        #expect(Arguments.helpOfFamily([command]) == nil)
    }

    @Test(arguments: [["--help"], ["add", "--help"], ["group", "--help"], ["friend", "list", "--help"], []])
    func `any other help is the parser's own`(words: [String]) {
        #expect(Arguments.helpOfFamily(words) == nil)
    }

    @Test(arguments: [
        (["--json", "x"], true), (["x", "--json"], true), (["x", "--", "--json"], false), (["x"], false),
    ])
    func `errors are JSON where that was asked for`(words: [String], wanted: Bool) {
        #expect(Arguments.wantJSON(words) == wanted)
    }

    @Test(
        arguments: [
            ("90s", 90), ("15m", 900), ("12h", 43_200), ("7d", 604_800), ("0s", 0), ("7", nil), ("d", nil), ("", nil),
            ("-1d", nil), ("1.5h", nil), ("99999999999999999999d", nil), ("999999999999d", 86_399_999_999_913_600),
        ] as [(String, Int64?)])
    func `durations are a number and a unit`(text: String, seconds: Int64?) {
        #expect(TypedValue.seconds(text) == seconds)
    }

    @Test(
        arguments: [
            ("0:42", 42), ("12:05", 725), ("1:02:03", 3_723), ("0:60", nil), ("1:5", nil), ("42", nil), (":42", nil),
            ("1:2:3:4", nil), ("99999:00", nil), ("-1:00", nil),
        ] as [(String, Int?)])
    func `solve times are minutes and seconds`(text: String, seconds: Int?) {
        #expect(TypedValue.solveTime(text) == seconds)
    }

    @Test(
        arguments: [("1", 1), ("20", 20), ("unlimited", 0), ("0", nil), ("-1", nil), ("many", nil)] as [(String, Int?)])
    func `a link is good for a number of friends or for any`(text: String, uses: Int?) {
        #expect(TypedValue.uses(text) == uses)
    }

    @Test(
        arguments: [("today", .days(0)), ("30d", .days(30)), ("all", .all), ("some", nil), ("d", nil)]
            as [(String, TypedValue.History?)])
    func `history is today's, some days' or all`(text: String, history: TypedValue.History?) {
        #expect(TypedValue.history(text) == history)
    }

    @Test(
        arguments: [
            ["up", "--listen", "127.0.0.1:0", "--web", "127.0.0.1:0", "--no-lan", "--peer", "a:1", "--peer", "b:2"],
            ["--data", "d", "--json", "up", "--no-web"], ["invite", "--uses", "3", "--expires", "2d", "--qr"],
            ["invite", "list"], ["invite", "revoke", "ab"], ["join", "streakmesh://join/x", "--timeout", "5s"],
            ["add", "Wordle", "1,981", "3/6", "--replace"], ["add", "--file", "f", "--date", "2026-11-21"],
            ["parse", "--lines"], ["record", "wordle", "--score", "3", "--fail", "--time", "0:42"],
            ["delete", "wordle", "--date", "2026-11-21"], ["board", "--range", "2026-11-01..2026-11-21", "--reveal"],
        ])
    func `the promised forms are understood`(words: [String]) throws {
        _ = try StreakMeshCommand.parseAsRoot(Arguments.normalised(words))
    }

    @Test(arguments: [
        ["bogus"], ["up", "--bogus"], ["init"], ["delete", "wordle"], ["record", "wordle", "--score", "x"],
    ])
    func `what is not understood ends in 64`(words: [String]) throws {
        let error = try #require(throws: (any Error).self) {
            _ = try StreakMeshCommand.parseAsRoot(Arguments.normalised(words))
        }
        #expect(StreakMeshCommand.exitCode(for: error) == .validationFailure)
    }

    @Test(
        arguments: [
            ("127.0.0.1:0", "127.0.0.1", 0), ("[::1]:7420", "::1", 7420), ("localhost:80", "localhost", 80),
        ])
    func `the page's address is a host and a port`(text: String, host: String, port: Int) throws {
        let command = try #require(try StreakMeshCommand.parseAsRoot(["up", "--web", text]) as? UpCommand)
        let configuration = try command.webConfiguration()
        #expect(configuration.host == host)
        #expect(configuration.port == port)
        #expect(configuration.isPortChosen)
    }

    @Test(arguments: [
        "127.0.0.1", ":7420", "127.0.0.1:70000", "127.0.0.1:", "", "127.0.0.1:+1", "::1:7420", "0.0.0.0:0",
        "192.168.1.20:7420", "[::]:7420", "example.org:80",
    ])
    func `a page that others could reach, and half an address, are refused`(text: String) throws {
        let command = try #require(try StreakMeshCommand.parseAsRoot(["up", "--web", text]) as? UpCommand)
        #expect(throws: CommandLineFailure.self) { try command.webConfiguration() }
    }

    @Test(arguments: [
        ["--listen", "foo"], ["--listen", "1.2.3.4"], ["--listen", "a:b"], ["--listen", ""], ["--peer", "a"],
        ["--peer", "a:0"], ["--peer", ":7"], ["--peer", "a:1", "--peer", "b:99999"], ["--web", "0.0.0.0:0"],
    ])
    func `addresses are looked over before anything starts`(options: [String]) throws {
        let command = try #require(try StreakMeshCommand.parseAsRoot(["up"] + options) as? UpCommand)
        let error = try #require(throws: CommandLineFailure.self) { try command.checkAddresses() }
        #expect(FailureNotice(error).exitCode == 64)
    }

    @Test(arguments: [[], ["--listen", ":7430"], ["--listen", "[::]:0", "--peer", "[fe80::1%eth0]:7430"]])
    func `usable addresses pass`(options: [String]) throws {
        let command = try #require(try StreakMeshCommand.parseAsRoot(["up"] + options) as? UpCommand)
        try command.checkAddresses()
    }

    @Test(
        arguments: [
            (["--json", "bord"], "bord", ["streakmesh board"]), (["foobarbaz", "--json"], "foobarbaz", []),
            (["statsu"], "statsu", ["streakmesh stats", "streakmesh status"]),
            (["group", "lst"], "group lst", ["streakmesh group list"]),
            (["invite", "revok", "--json"], "invite revok", ["streakmesh invite revoke"]),
        ] as [([String], String, [String])])
    func `an unknown command is named, with what may have been meant`(
        words: [String], name: String, suggestions: [String]
    ) throws {
        #expect(throws: CommandLineFailure.unknownCommand(name, suggestions: suggestions)) {
            try Arguments.checkCommand(Arguments.normalised(words))
        }
        #expect(FailureNotice(CommandLineFailure.unknownCommand(name, suggestions: suggestions)).exitCode == 64)
    }

    @Test(arguments: [("foobarbaz", "streakmesh help"), ("friend requests", "streakmesh help friend")])
    func `the help of the family is named where only the last word is none of its commands`(name: String, help: String)
    {
        let notice = FailureNotice(CommandLineFailure.unknownCommand(name, suggestions: []))
        #expect(notice.hint == "See `\(help)`.")
    }

    @Test(arguments: [
        [], ["--json"], ["--help"], ["help"], ["help", "board"], ["group", "help", "list"], ["add", "x"],
        ["invite", "--qr"], ["group", "use", "x"], ["completion", "bash"],
    ])
    func `known commands pass`(words: [String]) throws {
        try Arguments.checkCommand(Arguments.normalised(words))
    }

    @Test func `a score below zero is read, and left to the game to refuse`() throws {
        let command = try StreakMeshCommand.parseAsRoot(["record", "wordle", "--score", "-1"])
        #expect((command as? RecordCommand)?.score == -1)
    }

    @Test(arguments: [
        ("", "abc", 3), ("board", "board", 0), ("bord", "board", 1), ("baord", "board", 1), ("invit", "init", 1),
        ("kitten", "sitting", 3),
    ])
    func `spelling is told apart by single letters`(a: String, b: String, distance: Int) {
        #expect(Spelling.distance(a, b) == distance)
        #expect(Spelling.distance(b, a) == distance)
    }
}

/// How quickly a command begins.
@Suite struct CommandNameTests {
    private static func unnamed(_ command: any ParsableCommand.Type) -> [String] {
        (command.configuration.commandName == nil ? ["\(command)"] : [])
            + command.configuration.subcommands.flatMap(unnamed)
    }

    /// For one without, the parser has the runtime write the name of its type at every start of the program.
    @Test func `every command says its name`() {
        #expect(Self.unnamed(StreakMeshCommand.self) == [])
    }
}
