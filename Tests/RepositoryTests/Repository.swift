import Foundation
import Testing

/// The files of this repository, as the tests in this folder look at them.
enum Repository {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    struct File: Sendable, CustomTestStringConvertible {
        /// From the top of the repository.
        var path: String
        var lines: [String]

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

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }
}
