import Foundation
import Testing

/// The lists of docs/ARCHITECTURE.md that say which files one touches.
@Suite struct WalkthroughTests {
    @Test(arguments: [
        ("A new kind of record, from the bytes to the page", 8), ("A new message", 9), ("A new request", 8),
        ("A new game", 3),
    ])
    func `a walk-through is short, and its files are there`(title: String, limit: Int) throws {
        let steps = try Self.steps(of: title)
        #expect(1...limit ~= steps.count, "“\(title)” has \(steps.count) steps")
        for step in steps {
            let paths = Self.paths(in: step)
            #expect(!paths.isEmpty, "no file: \(step)")
            for path in paths { #expect(Repository.exists(path), "\(path) is not there") }
        }
    }

    /// A list that forgets a file, or names one too many, is found by what the example touches.
    @Test func `the example of a message is in the files of its walk-through, and these are all that handle it`() throws
    {
        let listed = Set(try Self.steps(of: "A new message").flatMap(Self.paths))
        // A script writes or checks what the others hold.
        for path in listed where !path.hasPrefix("script/") {
            let text = try String(contentsOf: Repository.root.appending(path: path), encoding: .utf8)
            #expect(text.localizedCaseInsensitiveContains("presence"), "\(path) does not know the example")
        }
        let users = Repository.swiftFiles.filter { file in
            ["Sources/StreakEngine/", "Sources/StreakSimulator/"].contains(where: file.path.hasPrefix)
                && file.code.contains { line in
                    // In brackets it is a right.
                    line.contains(/(case|,) \.presence\b|send\(\.presence\(/) && !line.contains("[.")
                }
        }
        #expect(!users.isEmpty)
        for file in users { #expect(listed.contains(file.path), "\(file.path) is not in the walk-through") }
    }

    /// The numbered steps of a section of docs/ARCHITECTURE.md, each with the lines that continue it.
    private static func steps(of title: String) throws -> [String] {
        let document = try #require(Repository.documents.first { $0.path == "docs/ARCHITECTURE.md" })
        let section = document.lines.drop { $0 != "## \(title)" }.dropFirst().prefix { !$0.hasPrefix("## ") }
        return section.reduce(into: []) { steps, line in
            if line.first?.isNumber == true {
                steps.append(line)
            } else if line.hasPrefix("   "), let last = steps.indices.last {
                steps[last] += line
            }
        }
    }

    /// The paths between backquotes: every other piece is quoted.
    private static func paths(in step: String) -> [String] {
        step.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
            .filter { $0.contains("/") && !$0.contains(" ") }
    }
}
