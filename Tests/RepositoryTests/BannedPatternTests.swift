import Foundation
import Testing

/// Ways of writing that this project does without (docs/ARCHITECTURE.md says why of each).
@Suite struct BannedPatternTests {
    struct Ban: Sendable, CustomTestStringConvertible {
        var name: String
        var pattern: String
        /// Beginnings of paths that are searched.
        var folders = ["Sources/", "Tests/"]
        /// Files where it is right, with a reason beside it in the code.
        var exceptions: Set<String> = []
        /// Words in a comment on the line, or at most two lines above it, that allow it.
        var excuse: String?
        /// Something that the pattern must find, so that a ban cannot rot.
        var example: String

        var testDescription: String { name }
    }

    static let pureFolders = [
        "Sources/StreakCrypto/", "Sources/StreakWire/", "Sources/StreakGames/", "Sources/StreakScores/",
        "Sources/StreakReplication/", "Sources/StreakMembership/", "Sources/StreakLinks/", "Sources/StreakEngine/",
        "Sources/StreakInternet/",
    ]

    static let bans: [Ban] = [
        Ban(
            name: "waiting for time to pass", pattern: #"\b(Task\.sleep|Thread\.sleep|usleep|nanosleep|sleep)\s*\("#,
            exceptions: ["Sources/streakmesh/Service/ServiceNotifier.swift"],
            example: "try await Task.sleep(for: .seconds(1))"),
        Ban(name: "try!", pattern: #"\btry!"#, example: "let x = try! f()"),
        Ban(name: "as!", pattern: #"\bas!"#, example: "x as! Int"),
        Ban(name: "fatalError", pattern: #"\bfatalError\s*\("#, folders: ["Sources/"], example: "fatalError()"),
        Ban(
            name: "@unchecked Sendable", pattern: #"@unchecked\s+Sendable"#, folders: ["Sources/"],
            exceptions: ["Sources/StreakCrypto/SecretBytes.swift", "Sources/StreakCrypto/Blake2b.swift"],
            example: "final class A: @unchecked Sendable {}"),
        Ban(
            name: "nonisolated(unsafe)", pattern: #"nonisolated\(unsafe\)"#, folders: ["Sources/"],
            example: "nonisolated(unsafe) var x = 1"),
        Ban(
            name: "printing in a library", pattern: #"(^|[^.\w])(print|debugPrint|dump|NSLog)\s*\("#,
            folders: ["Sources/Streak"], example: "    print(x)"),
        Ban(
            name: "a shared instance", pattern: #"\bstatic\s+(let|var)\s+shared\b|\.shared\b"#,
            folders: ["Sources/Streak"],
            example: "URLSession.shared"),
        Ban(
            name: "a note to come back", pattern: #"\b(TO"# + #"DO|FIX"# + #"ME|XXX|HACK)\b"#,
            example: "// TO" + "DO: later"),
        Ban(
            name: "the wall clock or chance in the engine and below",
            pattern:
                #"\b(Date\(\)|ContinuousClock|SuspendingClock|SystemRandomNumberGenerator)|\.random\(in: [^)]*\)$"#,
            folders: pureFolders, example: "let now = ContinuousClock.now"),
        // The engine's groups, sessions, links and talks are in tables that keep their keys ascending; what is called sessions in
        // StreakLinks is a dictionary.
        Ban(
            name: "an order that differs from run to run",
            pattern:
                #"\bfor\s+(\w+|\([^)]*\))\s+in\s+(?!(core\.)?(groups|sessions|links|talks)\.(keys|values)\b)[\w.]+\.(keys|values)\s*(\{|where)"#,
            folders: pureFolders, excuse: "any order", example: "for key in table.keys {"),
        Ban(
            name: "an order of sessions that differs from run to run",
            pattern: #"\bfor\s+\w+\s+in\s+sessions\.keys\s*(\{|where)"#, folders: ["Sources/StreakLinks/"],
            excuse: "any order", example: "for index in sessions.keys {"),
        // The loop drives the engine, and `NodeServices` has the views follow it (docs/adr/0017).
        Ban(
            name: "a service that changes the core",
            pattern:
                #"\bcore\.(handle|closeLinks|restart|renewEpochs|noteAliases|rebuildViews?|apply|followLedger|followCustomGames)\("#,
            folders: [
                "Account", "Boards", "Friends", "Games", "Groups", "Guest", "Health", "Internet", "Notifications",
                "People", "Reminders", "Results",
            ].map { "Sources/StreakNode/\($0)/" },
            example: "core.handle(.deadlineReached)"),
        // The compiler keeps the body of what is public for other modules, and not of what is package.
        Ban(
            name: "what is said to be inlined and is not", pattern: #"@inlinable\s+package\b"#, folders: ["Sources/"],
            example: "    @inlinable package var count: Int { 0 }"),
        Ban(
            name: "an unstructured task in a library", pattern: #"(^|[^.\w])Task(\.detached)?\s*\{"#,
            folders: ["Sources/Streak"], example: "Task { await run() }"),
        Ban(
            name: "a row or rule of a table that is not in this repository",
            pattern: #"\b(product row|rule \d|acceptance criterion)|func `[A-Z]\d+ "#,
            example: "@Test func `E6 a plot is named`() {"),
        Ban(
            name: "a word that has to be read twice", pattern: #"\b([Aa]new|[Ww]hoever|[Ww]homever)\b"#,
            folders: [
                "Sources/StreakCrypto/", "Sources/StreakWire/", "Sources/StreakGames/", "Sources/StreakScores/",
                "Sources/StreakReplication/", "Sources/StreakMembership/", "Sources/StreakLinks/",
                "Sources/StreakEngine/Admission/", "Sources/StreakEngine/Core/", "Sources/StreakEngine/Friends/",
                "Sources/StreakEngine/Greeting/", "Sources/StreakEngine/Groups/", "Sources/StreakEngine/Messages/",
                "Sources/StreakEngine/Rumours/", "Sources/StreakEngine/Sync/", "Sources/StreakNode/",
                "Sources/StreakWeb/",
                "Sources/streakmesh/",
            ], example: "/// Merges everything anew."),
        // The package has no tables for these (docs/adr/0022-a-package-without-icu-data.md).
        Ban(
            name: "formatting for a region",
            pattern:
                #"\b(Locale|(Date|Number|ISO8601Date|DateComponents)Formatter|TimeZone|Calendar)\b|\.formatted\(|\blocalizedC"#,
            folders: ["Sources/"], example: "let zone = TimeZone.current"),
        Ban(
            name: "a path of somebody's machine",
            pattern: #"(^|[\s"'(=])/(wo"# + #"rk|home/(?!somebody)\w+|Users/\w+|opt/swift|tmp/mini)/"#,
            example: #""/home/ada/x""#),
    ]

    @Test(arguments: bans)
    func `a ban finds what it forbids`(ban: Ban) {
        #expect(Self.matches(ban.pattern, ban.example))
    }

    @Test(arguments: bans)
    func `nothing forbidden is written`(ban: Ban) throws {
        let own = "Tests/RepositoryTests/BannedPatternTests.swift"
        let expression = try NSRegularExpression(pattern: ban.pattern)
        for file in Repository.swiftFiles
        where file.path != own && !ban.exceptions.contains(file.path)
            && ban.folders.contains(where: file.path.hasPrefix)
        {
            // Comments may name it, except these four, which are found in comments above all.
            let isFree = ![
                "a note to come back", "a path of somebody's machine",
                "a row or rule of a table that is not in this repository", "a word that has to be read twice",
            ].contains(ban.name)
            for (number, line) in file.lines.enumerated() {
                let text = isFree ? file.code[number] : line
                if let excuse = ban.excuse {
                    let comments = file.lines[max(0, number - 2)...number].joined(separator: "\n").lowercased()
                    if comments.contains(excuse) { continue }
                }
                let range = NSRange(text.startIndex..., in: text)
                #expect(
                    expression.firstMatch(in: text, range: range) == nil,
                    "\(file.path):\(number + 1): \(ban.name): \(line.trimmingCharacters(in: .whitespaces))")
            }
        }
    }

    @Test func `code is what stands before a comment, not before an address`() {
        let lines = [#"let a = "https://b.c/d" // e"#, "// f", "    g / h //", #"i("\"//j") // k"#, ""]
        #expect(
            Repository.File(path: "A.swift", lines: lines).code
                == [#"let a = "https://b.c/d" "#, "", "    g / h ", #"i("\"//j") "#, ""])
    }

    @Test(arguments: Repository.swiftFiles)
    func `a file is small enough to be seen at a glance`(file: Repository.File) throws {
        #expect(file.lines.count <= 601, "\(file.path) has \(file.lines.count) lines")
        for function in try Self.functions(in: file) where function.length > 70 {
            // A switch is as long as its enum has cases; to cut it in two would hide a case that is forgotten.
            let end = function.line - 1 + function.length
            let switches = SwitchTests.lines(in: file.lines[(function.line - 1)..<end])
            guard function.length - switches > 70 else { continue }
            Issue.record("\(file.path):\(function.line): a function of \(function.length) lines")
        }
    }

    @Test(arguments: Repository.swiftFiles.filter { $0.path.hasPrefix("Sources/") })
    func `a swallowed error has its reason beside it`(file: Repository.File) {
        for (number, code) in file.code.enumerated()
        where code.contains("try?") && Self.matches(#"\btry\?"#, code) {
            let neighbours = file.lines[max(0, number - 3)...min(number + 1, file.lines.count - 1)]
            #expect(neighbours.contains { $0.contains("//") }, "\(file.path):\(number + 1): try? without a reason")
        }
    }

    /// Functions by their braces: from the line that says `func` or `init` to the brace at the same depth.
    private static func functions(in file: Repository.File) throws -> [(line: Int, length: Int)] {
        let beginning = try NSRegularExpression(pattern: #"^\s*([\w@()]+\s+)*(func\s|init[?(<]|deinit\s*\{)"#)
        let lines = file.lines
        var found: [(line: Int, length: Int)] = []
        for (number, line) in lines.enumerated() {
            let code = file.code[number]
            guard beginning.firstMatch(in: code, range: NSRange(code.startIndex..., in: code)) != nil else { continue }
            let indent = line.prefix { $0 == " " }.count
            let closing = String(repeating: " ", count: indent) + "}"
            let rest = lines[number...]
            guard let end = rest.firstIndex(of: closing) else { continue }
            // A requirement of a protocol has no body, and a body may end on the line where it begins.
            guard let opening = rest[..<end].firstIndex(where: { $0.contains("{") }), lines[opening].hasSuffix("{"),
                !lines[number..<opening].contains("")
            else { continue }
            found.append((number + 1, end - number + 1))
        }
        return found
    }

    private static func matches(_ pattern: String, _ text: String) -> Bool {
        text.range(of: pattern, options: .regularExpression) != nil
    }
}
