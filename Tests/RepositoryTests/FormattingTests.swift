import Foundation
import Testing

/// Whether the formatter of this toolchain is at hand; some installations come without it.
private let formatterExists: Bool = {
    // Without it there is nothing to start, and the answer is no.
    (try? run("swift", "format", "--version").status) == 0
}()

@Suite struct FormattingTests {
    @Test(.enabled(if: formatterExists))
    func `every Swift file is formatted`() throws {
        let result = try run(
            "swift", "format", "lint", "--strict", "--parallel", "--recursive", "--configuration", ".swift-format",
            "Sources", "Tests", "Package.swift")
        #expect(result.status == 0, "\(result.errors.prefix(4_000))\nscript/format puts it right.")
    }

    /// So that a difference can be reviewed.
    @Test(arguments: Repository.files(under: ["Sources/StreakWeb/Resources"], withExtension: "mustache"))
    func `no line of a template is longer than 160 characters`(file: Repository.File) {
        let long = file.lines.indices.filter { file.lines[$0].count > 160 }.map { $0 + 1 }
        #expect(long.isEmpty, "\(file.path): lines \(long)")
    }

    /// The layout shows nothing in place of a template that it does not know.
    @Test(arguments: Repository.files(under: ["Sources/StreakWeb/Resources"], withExtension: "mustache"))
    func `every template is listed where pages look for it`(file: Repository.File) throws {
        let name = URL(filePath: file.path).deletingPathExtension().lastPathComponent
        let list = Repository.files(under: ["Sources/StreakWeb/Server"], withExtension: "swift")
        let line = "\"\(name)\": PackageResources.\(name)_mustache,"
        #expect(list.contains { $0.lines.contains { $0.hasSuffix(line) } })
    }
}

/// Runs a program at the top of the repository to its end.
private func run(_ arguments: String...) throws -> (status: Int32, errors: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    process.currentDirectoryURL = Repository.root
    let errors = Pipe()
    process.standardError = errors
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
}
