import ArgumentParser
import Foundation
import StreakMembership
import Testing

@testable import streakmesh

/// What the documents tell people to type is understood by the program.
@Suite struct DocumentedCommandsTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The lines in Markdown code blocks that begin with `streakmesh` or `$ streakmesh`, with the file's name.
    static let documented: [(file: String, line: String)] = {
        let guides = FileManager.default.enumerator(at: root.appending(path: "docs"), includingPropertiesForKeys: nil)
        let files =
            [root.appending(path: "README.md")]
            + (guides?.compactMap { $0 as? URL }.filter { $0.pathExtension == "md" } ?? [])
        return files.sorted { $0.path < $1.path }.flatMap { file in
            // A document that cannot be read has no commands; other tests notice its absence.
            commands(in: (try? String(contentsOf: file, encoding: .utf8)) ?? "").map { (file.lastPathComponent, $0) }
        }
    }()

    private static func commands(in text: String) -> [String] {
        var isCode = false
        var found: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isCode.toggle()
                continue
            }
            let command = line.hasPrefix("$ ") ? line.dropFirst(2) : line
            if isCode, command.hasPrefix("streakmesh ") { found.append(String(command)) }
        }
        return found
    }

    /// Words as a shell makes them: quotes group, and a pipe, a redirection or a comment ends the command.
    private static func words(of line: String) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character == " " {
                word.map { words.append($0) }
                word = nil
            } else if "|<>#&;".contains(character), word == nil {
                return words
            } else {
                word = (word ?? "") + String(character)
            }
        }
        word.map { words.append($0) }
        return words
    }

    @Test func `the README and the command reference show commands`() {
        #expect(Self.documented.contains { $0.file == "README.md" })
        #expect(Self.documented.contains { $0.file == "cli.md" })
    }

    @Test(arguments: documented)
    func `a documented command is understood`(file: String, line: String) {
        let words = Array(Self.words(of: line).dropFirst())
        do {
            _ = try StreakMeshCommand.parseAsRoot(Arguments.normalised(words))
        } catch {
            // Help and version end parsing early, and well.
            #expect(
                StreakMeshCommand.exitCode(for: error).isSuccess,
                "\(file): “\(line)”: \(StreakMeshCommand.message(for: error))")
        }
    }

    @Test func `every command is in the reference`() throws {
        let reference = try String(
            contentsOf: Self.root.appending(path: "docs/cli.md"), encoding: .utf8)
        for command in StreakMeshCommand.configuration.subcommands {
            let name = try #require(command.configuration.commandName)
            #expect(reference.contains("`\(name)"), "docs/cli.md does not tell of “\(name)”")
        }
    }

    /// Friend codes in documents and in what the program says, with the file's name.
    static let examples: [(file: String, code: String)] = {
        let folders = ["docs", "Protocol", "Sources"].map { root.appending(path: $0) }
        let files = folders.flatMap { folder in
            let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            return all?.compactMap { $0 as? URL } ?? []
        }
        let wanted = ["md", "swift", "mustache", "js"]
        // What makes the vectors writes codes that are wrong on purpose.
        let shown = files.filter { !$0.path.contains("/streakmesh-vectors/") } + [root.appending(path: "README.md")]
        return shown.filter { wanted.contains($0.pathExtension) }.flatMap {
            file -> [(String, String)] in
            // A file that cannot be read has no examples; other tests notice its absence.
            let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
            return text.matches(of: /[0-9A-Z]{4}(-[0-9A-Z]{4})+/).map { (file.lastPathComponent, String($0.output.0)) }
                .filter { $0.1.count == 14 && $0.1 != "XXXX-XXXX-XXXX" }
        }
    }()

    @Test func `every friend code that stands as an example is one`() {
        #expect(Self.examples.count > 3)
        for (file, code) in Self.examples { #expect(FriendCode(code) != nil, "\(code) in \(file)") }
    }
}
