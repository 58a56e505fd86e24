import Foundation
import Testing

/// Every case that fuzzing has kept, run once more. `script/fuzz` looks for further ones.
@Suite struct ReplayTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    /// A file of cases: a line of hexadecimal each, and lines that begin with “#”.
    private static func cases(in file: URL) throws -> [[UInt8]] {
        let lines = try String(contentsOf: file, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        return try lines.dropLast().filter { !$0.hasPrefix("#") }.map { line in
            let digits = Array(line.utf8)
            try #require(digits.count.isMultiple(of: 2))
            return try stride(from: 0, to: digits.count, by: 2).map { index in
                try #require(UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16))
            }
        }
    }

    @Test(arguments: FuzzTarget.all.map(\.name))
    func `what a target has been given before breaks nothing`(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        try target.run([])
        for kind in ["Corpus", "Found"] {
            let file = Self.folder.appending(path: "\(kind)/\(name).hex")
            // Only what was found has a file; every target has a corpus.
            if kind == "Found", !FileManager.default.fileExists(atPath: file.path) { continue }
            let cases = try Self.cases(in: file)
            #expect(!cases.isEmpty, "\(file.lastPathComponent) holds no case")
            for bytes in cases {
                #expect(throws: Never.self, "\(kind), \(bytes.count) bytes") { try target.run(bytes) }
            }
        }
    }

    @Test func `no two targets share a name, and no file of cases is without one`() throws {
        let names = FuzzTarget.all.map(\.name)
        #expect(Set(names).count == names.count)
        for kind in ["Corpus", "Found"] {
            let files = try FileManager.default.contentsOfDirectory(
                at: Self.folder.appending(path: kind), includingPropertiesForKeys: nil)
            for file in files where file.pathExtension == "hex" {
                #expect(FuzzTarget.named(file.deletingPathExtension().lastPathComponent) != nil, "\(file.path)")
            }
        }
    }
}
