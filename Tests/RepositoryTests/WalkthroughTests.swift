import Foundation
import Testing

/// The lists of docs/ARCHITECTURE.md that say which files one touches.
@Suite struct WalkthroughTests {
    @Test(arguments: [
        ("A new kind of record, from the bytes to the page", 8), ("A new request", 8), ("A new game", 3),
    ])
    func `a walk-through is short, and its files are there`(title: String, limit: Int) throws {
        let document = try #require(Repository.documents.first { $0.path == "docs/ARCHITECTURE.md" })
        let section = document.lines.drop { $0 != "## \(title)" }.dropFirst().prefix { !$0.hasPrefix("## ") }
        let steps = section.filter { $0.first?.isNumber == true }
        #expect(1...limit ~= steps.count, "“\(title)” has \(steps.count) steps")
        for step in steps {
            // Every other piece stands between backquotes.
            let quoted = step.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                .filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
            let paths = quoted.filter { $0.contains("/") && !$0.contains(" ") }
            #expect(!paths.isEmpty, "no file: \(step)")
            for path in paths {
                let file = Repository.root.appending(path: String(path)).path
                #expect(FileManager.default.fileExists(atPath: file), "\(path) is not there")
            }
        }
    }
}
