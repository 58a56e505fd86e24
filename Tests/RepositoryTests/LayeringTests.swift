import Testing

/// Imports go down only, as docs/ARCHITECTURE.md draws the layers.
///
/// The package manager accepts an import that a target does not declare, as long as something else pulls it in; so the
/// imports themselves are looked at.
@Suite struct LayeringTests {
    /// What each target may import of ours.
    static let ours: [String: Set<String>] = [
        "CSodium": [], "CAllocator": [], "CQREncode": [],
        "StreakCrypto": ["CSodium"],
        "StreakWire": [],
        "StreakRandom": [],
        "StreakLinks": ["StreakCrypto", "StreakWire"],
        "StreakInternet": ["StreakWire"],
        "StreakGames": [],
        "StreakScores": ["StreakGames"],
        "StreakReplication": ["StreakCrypto", "StreakWire", "StreakGames", "StreakScores"],
        "StreakMembership": ["StreakCrypto", "StreakWire"],
        "StreakEngine": [
            "StreakCrypto", "StreakWire", "StreakLinks", "StreakGames", "StreakScores", "StreakReplication",
            "StreakMembership",
        ],
        "StreakStorage": [
            "StreakCrypto", "StreakWire", "StreakGames", "StreakScores", "StreakReplication", "StreakMembership",
        ],
        "StreakNode": [
            "StreakCrypto", "StreakWire", "StreakLinks", "StreakGames", "StreakScores", "StreakReplication",
            "StreakMembership", "StreakEngine", "StreakStorage", "StreakInternet",
        ],
        "StreakWeb": ["StreakGames", "StreakNode", "CQREncode"],
        "StreakSimulator": [
            "StreakCrypto", "StreakWire", "StreakLinks", "StreakGames", "StreakScores", "StreakReplication",
            "StreakMembership", "StreakEngine", "StreakRandom",
        ],
        "streakmesh": ["StreakGames", "StreakStorage", "StreakNode", "StreakWeb", "CAllocator"],
        "CTorrent": [], "CUPnP": [], "CConfinement": [],
        "streakmesh-internet": ["StreakInternet", "StreakWire", "CTorrent", "CUPnP", "CConfinement"],
        "streakmesh-example": ["StreakNode"], "streakmesh-sim": ["StreakSimulator"],
        "streakmesh-vectors": [
            "StreakCrypto", "StreakWire", "StreakLinks", "StreakGames", "StreakScores", "StreakReplication",
            "StreakMembership", "StreakEngine",
        ],
        "streakmesh-bench": [
            "StreakCrypto", "StreakWire", "StreakLinks", "StreakGames", "StreakScores", "StreakReplication",
            "StreakMembership", "StreakEngine", "StreakStorage", "StreakNode", "StreakSimulator",
        ],
    ]

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
            "UnixSignals",
        ],
        "streakmesh-internet": ["Dispatch", "Synchronization", "Glibc", "Musl", "Darwin"],
        "streakmesh-sim": ["ArgumentParser", "Foundation", "Glibc", "Musl", "Darwin"],
        "streakmesh-vectors": ["Foundation"],
        "streakmesh-bench": ["ArgumentParser", "Foundation", "FoundationNetworking", "Glibc", "Musl", "Darwin"],
    ]

    static let sources = Repository.swiftFiles.filter { $0.path.hasPrefix("Sources/") }

    @Test(arguments: sources)
    func `a source file imports what its layer may`(file: Repository.File) throws {
        let allowed = try #require(Self.ours[file.target], "\(file.target) has no place among the layers")
            .union(Self.foreign[file.target] ?? [])
        let excess = Set(file.lines.compactMap(Self.importedModule)).subtracting(allowed)
        #expect(excess.isEmpty, "\(file.path) imports \(excess.sorted().joined(separator: ", "))")
    }

    @Test func `the engine and what is below it touch no system`() {
        let pure: Set = [
            "StreakCrypto", "StreakWire", "StreakLinks", "StreakGames", "StreakScores", "StreakReplication",
            "StreakMembership", "StreakInternet", "StreakEngine",
        ]
        for target in pure.sorted() {
            #expect(Self.foreign[target, default: []].subtracting(["Synchronization"]).isEmpty)
        }
    }

    @Test func `the layers form no circle`() {
        // From the bottom up: what is over only what was taken away before is taken away, until nothing is left.
        var left = Self.ours
        while let target = left.keys.sorted().first(where: { left[$0]?.isDisjoint(with: left.keys) ?? false }) {
            left[target] = nil
        }
        #expect(left.isEmpty, "\(left.keys.sorted().joined(separator: ", ")) import each other in a circle")
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
