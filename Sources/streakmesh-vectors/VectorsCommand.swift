import Foundation

/// Writes the protocol's test vectors to a folder: `streakmesh-vectors FOLDER`.
@main
enum VectorsCommand {
    static func main() throws {
        guard CommandLine.arguments.count == 2, !CommandLine.arguments[1].hasPrefix("-") else {
            FileHandle.standardError.write(Data("usage: streakmesh-vectors FOLDER\n".utf8))
            exit(64)
        }
        let folder = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for file in try VectorFile.all() {
            let target = folder.appendingPathComponent(file.name + ".json")
            try Data(file.content.document.utf8).write(to: target)
        }
    }
}
