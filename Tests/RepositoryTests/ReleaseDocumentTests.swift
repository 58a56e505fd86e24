import Foundation
import Testing

/// Lists in documents that the sources would outgrow.
@Suite struct ReleaseDocumentTests {
    // MARK: macOS

    private static func isCondition(_ line: String) -> Bool {
        line.firstMatch(of: #/^\s*#(if|ifdef)\b.*(os\(|canImport\((Darwin|Glibc|Musl)\)|__linux__|__APPLE__)/#) != nil
    }

    /// The files whose code differs by system, with how often; a choice between modules to import is none.
    private static func places(in files: [Repository.File]) -> [String: Int] {
        var found: [String: Int] = [:]
        for file in files {
            for (line, next) in zip(file.lines, file.lines.dropFirst())
            where isCondition(line) && !next.contains("import ") {
                found[file.path, default: 0] += 1
            }
        }
        return found
    }

    @Test func `what is different on macOS is listed, and nothing else is`() throws {
        let listed = try Repository.text("docs/macos.md").matches(of: /\| `(Sources\/[^`]+)` \| ([0-9]+) \| [^|]+ \|/)
        let found = Self.places(
            in: Repository.files(under: ["Sources"]).filter { $0.path.hasSuffix(".swift") || $0.path.hasSuffix(".c") })
        #expect(Dictionary(listed.map { (String($0.1), Int($0.2) ?? 0) }) { $0 + $1 } == found)
        let example = Repository.File(
            path: "x", lines: ["#if os(macOS)", "f()", "#endif", "#if canImport(Glibc)", "    import Glibc", "#endif"])
        #expect(Self.places(in: [example]) == ["x": 1])
    }

    // MARK: Dependencies

    @Test func `each dependency has its reason, and no other has one`() throws {
        struct Resolved: Decodable {
            struct Pin: Decodable { let identity: String }
            let pins: [Pin]
        }
        let resolved = try JSONDecoder().decode(Resolved.self, from: Data(Repository.text("Package.resolved").utf8))
        let explained = try Repository.text("docs/adr/0024-dependencies.md").matches(
            of: /(?m)^\| `([^`]+)` \| [^|]+ \|$/)
        #expect(explained.map { String($0.1) }.sorted() == resolved.pins.map(\.identity).sorted())
    }

    // MARK: The article

    @Test func `the article's code is the example's, which is short`() throws {
        let example = try Repository.text("Sources/streakmesh-example/Example.swift")
        let article = try Repository.text("Sources/StreakNode/StreakNode.docc/A-leaderboard-in-your-own-program.md")
        let blocks = article.components(separatedBy: "```swift\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
        #expect(blocks.count == 6)
        for block in blocks { #expect(example.contains(block), "not in the example:\n\(block)") }
        #expect(example.split(separator: "\n", omittingEmptySubsequences: false).count <= 61)
        #expect(example.matches(of: /(?m)^import (\w+)$/).map { String($0.1) } == ["StreakNode"])
    }

    // MARK: Commands of a contributor

    @Test func `the commands that a contributor needs are there and say what they do`() throws {
        let rows = try Repository.text("CONTRIBUTING.md").matches(of: /(?m)^\| `(script\/[a-z-]+)` \| [^|]+ \|$/)
        #expect(rows.count == 10)
        for row in rows {
            let process = Process()
            let output = Pipe()
            process.executableURL = Repository.root.appending(path: String(row.1))
            process.arguments = ["--help"]
            process.standardOutput = output
            process.standardInput = FileHandle.nullDevice
            try process.run()
            let told = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationStatus == 0 && told.count > 40, "\(row.1): \(told)")
        }
    }
}
