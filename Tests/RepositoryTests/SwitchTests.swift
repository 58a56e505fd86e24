import Testing

/// A new command, message, scenario step or failure that nobody handles must not compile: a switch over an enum of this
/// project names all its cases.
@Suite struct SwitchTests {
    /// Switches with `default:` whose cases are an enum's, by file and number: the enum is not ours, or open (an error, a status
    /// of HTTP, a category of Unicode).
    private static let foreign: [String: Int] = [
        "Sources/StreakEngine/Friends/Friends+Requests.swift": 1, "Sources/StreakReplication/Records/Profile.swift": 1,
        "Sources/StreakScores/Insights/ShareTemplate.swift": 1, "Sources/StreakStorage/StorageError.swift": 1,
        "Sources/StreakWeb/Server/RequestGuard.swift": 1,
        "Sources/streakmesh/Rendering/DisplayWidth.swift": 1, "Sources/StreakNode/API/JSON.swift": 1,
    ]

    @Test(arguments: Repository.swiftFiles.filter { $0.path.hasPrefix("Sources/") })
    func `a switch over an enum of ours names every case`(file: Repository.File) {
        let found = Self.switches(in: file.lines).filter(\.namesCases)
        let allowed = Self.foreign[file.path, default: 0]
        #expect(
            found.count == allowed,
            """
            \(file.path): \(found.map { "default: in line \($0.line)" }.joined(separator: ", ")); \(allowed) allowed. \
            Name the cases, or correct the table of this test.
            """)
    }

    @Test func `a default among an enum's cases is found, whatever else there is`() {
        let code = [
            "switch a {", "case .b: 1", "default: 2", "}", "switch c {", "case ..<3: 1", #"case "x": .some"#,
            "default: .none", "}",
            "switch (d, e) {", "case (.f, _):", "    switch g {", "    case 1: h()", "    default: i()", "    }",
            "default:", "    j()", "}", "switch k {", "case .l: 1", "case .m: 2", "}",
        ]
        #expect(Self.switches(in: code).map(\.namesCases) == [true, false, false, true])
        #expect(Self.lines(in: code[...]) == 22)
    }

    /// The switches that have a default, by the lines of their `default:`.
    private static func switches(in lines: [String]) -> [(line: Int, namesCases: Bool)] {
        lines.indices.compactMap { number in
            let line = lines[number]
            let indent = line.prefix { $0 == " " }
            guard line.dropFirst(indent.count).hasPrefix("default:") else { return nil }
            let above = lines[..<number].reversed().prefix { other in
                !(isSwitch(other) && other.prefix { $0 == " " } == indent)
            }
            let starts = ["case .", "case let .", "case (."].map { indent + $0 }
            let namesCases = above.contains { line in
                starts.contains { line.hasPrefix($0) && line.dropFirst($0.count).first?.isLetter ?? false }
            }
            return (number + 1, namesCases)
        }
    }

    /// How many lines switches take, those within others counted once.
    static func lines(in code: ArraySlice<String>) -> Int {
        var count = 0
        var end: String?
        for line in code {
            if end == nil, isSwitch(line) { end = line.prefix { $0 == " " } + "}" }
            guard let closing = end else { continue }
            count += 1
            if line.hasPrefix(closing) { end = nil }
        }
        return count
    }

    private static func isSwitch(_ line: String) -> Bool {
        line.hasSuffix("{") && line.split(separator: " ").contains("switch")
    }
}
