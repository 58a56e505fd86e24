import Testing

/// Imports go down only, as docs/ARCHITECTURE.md draws the layers.
///
/// The package manager accepts an import that a target does not declare, as long as something else had it built before; so
/// the imports themselves are looked at.
@Suite struct LayeringTests {
    /// What each target of ours declares that it depends on, of ours. `Package.swift` is the one place that says so: the
    /// package manager refuses circles in it, and reviewers a dependency that points up.
    static let ours: [String: Set<String>] = {
        // Without a manifest no file has a target, and each test of a file says so.
        let manifest = (try? Repository.text("Package.swift")) ?? ""
        let name = /"([\w-]+)"/
        func names(_ text: Substring) -> Set<String> { Set(text.matches(of: name).map { String($0.1) }) }
        var declared: [String: Set<String>] = [:]
        for target in manifest.matches(of: /(?:module|program|tests)\(\s*"([\w-]+)"(?:,\s*\[([^\]]*)\])?/) {
            declared[String(target.1)] = names(target.2 ?? "")
        }
        for target in manifest.matches(of: /name: "([\w-]+)", dependencies: \[([^\]]*)\]/) {
            declared[String(target.1)] = names(target.2)
        }
        for library in manifest.matches(of: /(?:\.target|\.systemLibrary)\(\s*name: "(C\w+)"/) {
            declared[String(library.1)] = []
        }
        for list in manifest.matches(of: /let fuzzed[^=]*= \[([^\]]*)\]/) { declared["FuzzTests"] = names(list.1) }
        return declared
    }()

    /// What each target may import of others. What is not listed imports the standard library only.
    static let foreign: [String: Set<String>] = [
        "StreakCrypto": ["Synchronization"], "StreakMembership": ["Synchronization"],
        "StreakReplication": ["Synchronization"], "StreakEngine": ["Synchronization"],
        "StreakStorage": ["Foundation", "GRDB", "Synchronization", "Glibc", "Musl", "Darwin"],
        "StreakNode": [
            "Foundation", "FoundationEssentials", "Synchronization", "Dispatch", "Glibc", "Musl", "Darwin", "NIOCore",
            "NIOPosix", "NIOConcurrencyHelpers", "ServiceLifecycle", "Logging", "DequeModule",
        ],
        "StreakWeb": [
            "Foundation", "FoundationEssentials", "Synchronization", "Hummingbird", "HTTPTypes", "Mustache", "NIOCore",
            "NIOPosix", "ServiceLifecycle", "Logging",
        ],
        "streakmesh": [
            "ArgumentParser", "Dispatch", "Foundation", "Glibc", "Musl", "Darwin", "Logging", "ServiceLifecycle",
            "Synchronization", "UnixSignals",
        ],
        "streakmesh-internet": ["Dispatch", "Synchronization", "Glibc", "Musl", "Darwin"],
        "streakmesh-sim": ["ArgumentParser", "Foundation", "Glibc", "Musl", "Darwin"],
        "streakmesh-vectors": ["Foundation"],
        "streakmesh-bench": ["ArgumentParser", "Foundation", "FoundationNetworking", "Glibc", "Musl", "Darwin"],
    ]

    static let sources = Repository.swiftFiles.filter { $0.path.hasPrefix("Sources/") }

    /// What is imported but not declared is built only by luck, if something else had it built before.
    @Test(arguments: Repository.swiftFiles)
    func `a file imports what its target declares`(file: Repository.File) throws {
        let declared = try #require(Self.ours[file.target], "Package.swift has no target \(file.target)")
        let modules = Dictionary(
            Self.ours.keys.map { ($0.replacing("-", with: "_"), $0) }, uniquingKeysWith: { name, _ in name })
        let excess = Set(file.lines.compactMap(Self.importedModule).compactMap { modules[$0] })
            .subtracting(declared)
        #expect(excess.isEmpty, "\(file.path) imports \(excess.sorted().joined(separator: ", "))")
    }

    @Test(arguments: sources)
    func `a source file imports of others what its layer may`(file: Repository.File) {
        let allowed = Self.foreign[file.target, default: []].union(Self.ours.keys)
        let excess = Set(file.lines.compactMap(Self.importedModule)).subtracting(allowed)
        #expect(excess.isEmpty, "\(file.path) imports \(excess.sorted().joined(separator: ", "))")
    }

    @Test func `the engine and what is below it touch no system`() {
        var pure: Set = ["StreakEngine", "StreakInternet"]
        while true {
            let below = pure.union(pure.flatMap { Self.ours[$0, default: []] })
            if below == pure { break }
            pure = below
        }
        #expect(pure.contains("StreakWire") && pure.contains("CSodium"))
        for target in pure.sorted() {
            #expect(Self.foreign[target, default: []].subtracting(["Synchronization"]).isEmpty)
        }
    }

    @Test(
        arguments: [
            ("import NIOCore", "NIOCore"), ("public import StreakWire", "StreakWire"),
            ("    internal import Glibc", "Glibc"),
            ("@testable import StreakNode", "StreakNode"), ("import struct Foundation.Data", "Foundation"),
            ("// import X", nil), ("let importX = 1", nil), ("important()", nil),
        ] as [(String, String?)])
    func `import lines are recognised`(line: String, module: String?) {
        #expect(Self.importedModule(line) == module)
    }

    /// The module that a line imports, if it does.
    private static func importedModule(_ line: String) -> String? {
        let words = line.split(separator: " ")
        guard let position = words.firstIndex(of: "import") else { return nil }
        let levels: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
        guard words[..<position].allSatisfy({ levels.contains($0) || $0.hasPrefix("@") }) else { return nil }
        let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"]
        let rest = words[(position + 1)...].drop { kinds.contains($0) }
        return rest.first?.split(separator: ".").first.map(String.init)
    }
}
