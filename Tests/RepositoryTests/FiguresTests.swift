import Foundation
import Testing

/// What script/bench makes of figures.
@Suite struct FiguresTests {
    private struct Table {
        var lines: [String]
        var told: String
    }

    /// - Parameter figures: lines of name, value, unit and target, separated by `|` here.
    private func table(_ figures: [String], _ options: [String] = []) throws -> Table {
        let (process, input, output, errors) = (Process(), Pipe(), Pipe(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "script/figures.py"] + options
        process.currentDirectoryURL = Repository.root
        (process.standardInput, process.standardOutput, process.standardError) = (input, output, errors)
        try process.run()
        let text = figures.map { $0.replacing("|", with: "\t") + "\n" }.joined()
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try input.fileHandleForWriting.close()
        let shown = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let told = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(told)")
        let lines = shown.split(separator: "\n").map { String($0).replacing("\t", with: "|") }
        return Table(lines: lines, told: told)
    }

    @Test func `of several runs the median is shown, with the spread, and no other line is lost`() throws {
        let table = try table([
            "a result seen|3.00|ms|≤ 1", "Building…", "bytes|120|B|–", "a result seen|1.5|ms|≤ 1",
            "a result seen|40|ms|≤ 1",
        ])
        #expect(table.lines == ["a result seen|3.00|ms|≤ 1|1.50–40.0 of 3", "bytes|120.0|B|–"])
        #expect(table.told.contains("Building…") && table.told.contains("a result seen: 40.0 ms"))
    }

    @Test func `what differs by more than a twentieth from earlier figures is shown`() throws {
        let file = FileManager.default.temporaryDirectory.appending(
            path: "sm-\(UInt32.random(in: 0...UInt32.max)).json")
        // A file that stays behind in the temporary folder harms nothing.
        defer { try? FileManager.default.removeItem(at: file) }
        _ = try table(["a|100|ms|–", "a|102|ms|–", "b|10|B|–", "c|0|B|–", "d|1|B|–"], ["--json", file.path])
        let later = try table(["a|106|ms|–", "b|8|B|–", "c|3|B|–", "e|1|s|–"], ["--compare", file.path])
        #expect(
            later.lines == ["a|106.0|ms|–", "b|8.00|B|–||-20 %", "c|3.00|B|–||0.00 → 3.00", "e|1.00|s|–||new"])
        #expect(later.told.contains("d\tnot measured"))
    }
}
