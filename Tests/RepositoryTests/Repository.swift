import Foundation
import Testing

/// The files of this repository, as the tests in this folder look at them.
enum Repository {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    struct File: Sendable, CustomTestStringConvertible {
        /// From the top of the repository.
        let path: String
        let lines: [String]
        /// The lines up to `//`, unless that is within a text, as in an address.
        let code: [String]

        init(path: String, lines: [String]) {
            self.path = path
            self.lines = lines
            code = path.hasSuffix(".swift") ? lines.map(Self.withoutComment) : lines
        }

        /// Byte by byte: what it looks for is no part of any other character.
        private static func withoutComment(_ line: String) -> String {
            guard line.contains("//") else { return line }
            var isText = false
            var previous = UInt8(ascii: " ")
            for (index, byte) in zip(line.utf8.indices, line.utf8) {
                if byte == UInt8(ascii: "\""), previous != UInt8(ascii: "\\") { isText.toggle() }
                if !isText, byte == UInt8(ascii: "/"), previous == byte {
                    return String(line[..<line.utf8.index(before: index)])
                }
                previous = byte
            }
            return line
        }

        var testDescription: String { path }

        /// The target under `Sources` or `Tests` that the file belongs to.
        var target: String { path.split(separator: "/").dropFirst().first.map(String.init) ?? "" }
    }

    /// Every Swift file under Sources and Tests.
    static let swiftFiles = files(under: ["Sources", "Tests"], withExtension: "swift")

    /// Every Markdown file, generated folders left out.
    static let documents = files(under: [""], withExtension: "md")

    /// Files below some folders, sorted by path. Hidden folders, such as the build folder, are left out.
    static func files(under folders: [String], withExtension wanted: String? = nil) -> [File] {
        var found: [File] = []
        for folder in folders {
            let start = folder.isEmpty ? root : root.appending(path: folder)
            let paths = FileManager.default.enumerator(
                at: start, includingPropertiesForKeys: [.isRegularFileKey], options: [.skipsHiddenFiles])
            for case let url as URL in paths ?? FileManager.DirectoryEnumerator() {
                guard wanted == nil || url.pathExtension == wanted else { continue }
                // Folders and files that are not text have no lines to look at.
                guard let text = try? String(contentsOf: url, encoding: .utf8) else { continue }
                let path = String(url.standardizedFileURL.path.dropFirst(root.standardizedFileURL.path.count + 1))
                found.append(File(path: path, lines: text.components(separatedBy: "\n")))
            }
        }
        return found.sorted { $0.path < $1.path }
    }

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }
}
