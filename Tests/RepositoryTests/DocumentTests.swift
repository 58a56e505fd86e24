import Foundation
import Testing

@Suite struct DocumentTests {
    @Test func `the top level holds only what belongs there`() throws {
        let allowed: Set = [
            "Package.swift", "Sources", "Tests", "Protocol", "docs", "script", "README.md", "LICENSE", "CHANGELOG.md",
            "CONTRIBUTING.md",
            ".ci",
            ".gitignore", ".swift-format", ".git", ".github", ".swiftpm", "Package.resolved", "dist",
        ]
        let entries = try FileManager.default.contentsOfDirectory(atPath: Repository.root.path)
        let excess = entries.filter { !allowed.contains($0) && !$0.hasPrefix(".build") }
        #expect(excess.isEmpty, "not in the layout: \(excess.sorted().joined(separator: ", "))")
    }

    @Test(arguments: Repository.documents)
    func `links to other documents lead somewhere`(document: Repository.File) throws {
        let folder = Repository.root.appending(path: document.path).deletingLastPathComponent()
        let link = try NSRegularExpression(pattern: #"\[[^\]\n]*\]\(([^)\s]+)\)"#)
        for (number, line) in Self.prose(document.lines) {
            for match in link.matches(in: line, range: NSRange(line.startIndex..., in: line)) {
                let target = try #require(Range(match.range(at: 1), in: line).map { String(line[$0]) })
                guard !target.hasPrefix("http"), !target.hasPrefix("mailto:"), !target.hasPrefix("#") else { continue }
                let path = target.split(separator: "#").first.map(String.init) ?? target
                #expect(
                    FileManager.default.fileExists(atPath: folder.appending(path: path).path),
                    "\(document.path):\(number): “\(target)” leads nowhere")
            }
        }
    }

    @Test(arguments: Repository.documents)
    func `no document is empty or only a title`(document: Repository.File) {
        #expect(document.lines.filter { !$0.isEmpty && !$0.hasPrefix("#") }.count >= 3, "\(document.path) says nothing")
    }

    @Test func `no text names somebody's machine`() {
        // In two parts, so that this file does not find itself.
        let marks = ["/wo" + "rk/", "/home/" + "ada", "/opt/" + "swift", "/tmp/" + "mini"]
        let files =
            Repository.files(under: ["docs", "Protocol", "script", "Sources"])
            + Repository.documents.filter { !$0.path.contains("/") }
        for file in files {
            for (number, line) in file.lines.enumerated() {
                #expect(!marks.contains { line.contains($0) }, "\(file.path):\(number + 1): \(line)")
            }
        }
    }

    @Test func `every script that a document names can be run, and the shell can read it`() throws {
        let pattern = try NSRegularExpression(pattern: #"(?<![\w/])(script|\.ci)/[a-z-]+(?![\w/.-])"#)
        var names: Set = [".ci/run"]
        for line in Repository.documents.flatMap(\.lines) {
            for match in pattern.matches(in: line, range: NSRange(line.startIndex..., in: line)) {
                if let range = Range(match.range, in: line) { names.insert(String(line[range])) }
            }
        }
        #expect(names.isSuperset(of: ["script/run", "script/test", "script/demo", "script/release-check"]))
        for name in names {
            let path = Repository.root.appending(path: name).path
            #expect(FileManager.default.isExecutableFile(atPath: path), "\(name)")
            let shell = Process()
            shell.executableURL = URL(filePath: "/bin/bash")
            shell.arguments = ["-n", path]
            try shell.run()
            shell.waitUntilExit()
            #expect(shell.terminationStatus == 0, "\(name)")
        }
    }

    @Test func `a contributor needs ten commands`() throws {
        let document = try #require(Repository.documents.first { $0.path == "CONTRIBUTING.md" })
        #expect(document.lines.filter { $0.hasPrefix("| `script/") }.count == 10)
    }

    /// The numbered lines outside of code blocks.
    private static func prose(_ lines: [String]) -> [(Int, String)] {
        var isCode = false
        var found: [(Int, String)] = []
        for (number, line) in lines.enumerated() {
            if line.hasPrefix("```") { isCode.toggle() } else if !isCode { found.append((number + 1, line)) }
        }
        return found
    }
}
