// swift-tools-version: 6.2
import PackageDescription

/// Every target is held to the same rules; a warning stops the build.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Four times as fast as the linker that the compiler would take. It comes with the compiler.
let linking: [LinkerSetting] = [
    .unsafeFlags(["-use-ld=lld"], .when(platforms: [.linux], configuration: .debug))
]

extension Target.Dependency {
    static let argumentParser = product(name: "ArgumentParser", package: "swift-argument-parser")
    static let grdb = product(name: "GRDB", package: "GRDB.swift")
    static let hummingbird = product(name: "Hummingbird", package: "hummingbird")
    static let httpTypes = product(name: "HTTPTypes", package: "swift-http-types")
    static let logging = product(name: "Logging", package: "swift-log")
    static let mustache = product(name: "Mustache", package: "swift-mustache")
    static let nioCore = product(name: "NIOCore", package: "swift-nio")
    static let nioEmbedded = product(name: "NIOEmbedded", package: "swift-nio")
    static let nioPosix = product(name: "NIOPosix", package: "swift-nio")
    static let serviceLifecycle = product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
    static let unixSignals = product(name: "UnixSignals", package: "swift-service-lifecycle")
}

func module(
    _ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource]? = nil,
    further: [SwiftSetting] = []
) -> Target {
    .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: settings + further)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, swiftSettings: settings, linkerSettings: linking)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, resources: resources, swiftSettings: settings, linkerSettings: linking)
}

/// From the bottom up: a target may depend on those above it in this list only (docs/ARCHITECTURE.md).
let modules: [Target] = [
    .systemLibrary(
        name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
    .systemLibrary(name: "CAllocator"),
    .systemLibrary(
        name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"]), .brew(["qrencode"])]),
    module("StreakCrypto", ["CSodium"]),
    module("StreakWire"),
    module("StreakRandom"),
    module("StreakLinks", ["StreakWire", "StreakCrypto"]),
    module("StreakInternet", ["StreakWire"]),
    module("StreakGames"),
    module("StreakScores", ["StreakGames"]),
    module("StreakReplication", ["StreakWire", "StreakCrypto", "StreakGames", "StreakScores"]),
    module("StreakMembership", ["StreakWire", "StreakCrypto"]),
    module(
        "StreakEngine",
        [
            "StreakMembership", "StreakReplication", "StreakScores", "StreakGames", "StreakLinks", "StreakWire",
            "StreakCrypto",
        ]),
    module("StreakStorage", ["StreakReplication", "StreakWire", "StreakCrypto", .grdb]),
    module(
        "StreakNode",
        [
            "StreakStorage", "StreakEngine", "StreakMembership", "StreakReplication", "StreakScores", "StreakGames",
            "StreakInternet", "StreakLinks", "StreakWire", "StreakCrypto", .nioCore, .nioPosix, .serviceLifecycle,
            .logging,
        ],
        // A node's services run where the node does (docs/adr/0017-services-that-share-a-core.md).
        further: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
    module(
        "StreakWeb",
        [
            "StreakNode", "StreakGames", "CQREncode", .hummingbird, .httpTypes, .mustache, .nioCore, .nioPosix,
            .serviceLifecycle, .logging,
        ],
        resources: [.embedInCode("Resources")]),
    module(
        "StreakSimulator",
        [
            "StreakEngine", "StreakMembership", "StreakReplication", "StreakScores", "StreakGames", "StreakLinks",
            "StreakWire", "StreakCrypto", "StreakRandom",
        ]
    ),
]

let programs: [Target] = [
    program(
        "streakmesh",
        [
            "StreakWeb", "StreakNode", "StreakStorage", "StreakGames", "CAllocator", .argumentParser,
            .serviceLifecycle, .unixSignals, .logging,
        ]),
    // Its pieces are those of the article in StreakNode.docc.
    program("streakmesh-example", ["StreakNode"]),
    program("streakmesh-sim", ["StreakSimulator", .argumentParser]),
    program(
        "streakmesh-bench",
        [
            "StreakNode", "StreakStorage", "StreakEngine", "StreakMembership", "StreakReplication", "StreakScores",
            "StreakGames", "StreakLinks", "StreakWire", "StreakCrypto", .argumentParser,
        ]),
    program(
        "streakmesh-vectors",
        [
            "StreakEngine", "StreakMembership", "StreakReplication", "StreakScores", "StreakGames", "StreakLinks",
            "StreakWire", "StreakCrypto",
        ]),
]

/// Whether libtorrent and miniupnpc are here. The scripts look for them; without them the package has no helper program, and its node
/// works without one (docs/adr/0021-a-helper-for-foreign-libraries.md).
let hasInternetLibraries = Context.environment["STREAKMESH_INTERNET"] == "1"

/// The helper program, and what it needs of C and C++. Nothing else may import these.
let helper: [Target] = [
    .target(
        name: "CTorrent",
        cxxSettings: [
            // As libtorrent’s pkg-config file has them, which the package manager does not pass on: these change its types.
            .define("TORRENT_LINKING_SHARED"), .define("TORRENT_USE_OPENSSL"), .define("TORRENT_USE_LIBCRYPTO"),
            .define("TORRENT_SSL_PEERS"), .define("BOOST_ASIO_ENABLE_CANCELIO"), .define("BOOST_ASIO_NO_DEPRECATED"),
            .treatAllWarnings(as: .error),
        ],
        linkerSettings: [.linkedLibrary("torrent-rasterbar"), .linkedLibrary("ssl"), .linkedLibrary("crypto")]),
    .target(
        name: "CUPnP", cSettings: [.treatAllWarnings(as: .error)], linkerSettings: [.linkedLibrary("miniupnpc")]),
    .target(name: "CConfinement", cSettings: [.treatAllWarnings(as: .error)]),
    program("streakmesh-internet", ["StreakInternet", "StreakWire", "CTorrent", "CUPnP", "CConfinement"]),
]

let fuzzed: [Target.Dependency] = [
    "StreakWeb", "StreakNode", "StreakInternet", "StreakStorage", "StreakSimulator", "StreakEngine", "StreakMembership",
    "StreakReplication", "StreakScores", "StreakGames", "StreakLinks", "StreakWire", "StreakCrypto", .nioCore,
    .nioEmbedded, .grdb,
]

let isFuzzing = Context.environment["STREAKMESH_FUZZING"] == "1"

/// The same sources as `fuzzTests`, under libFuzzer instead of a test runner.
let fuzzer: Target = .executableTarget(
    name: "streakmesh-fuzz", dependencies: fuzzed, path: "Tests/FuzzTests",
    exclude: ["Corpus", "Found", "ReplayTests.swift"],
    swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])],
    linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])])

let fuzzTests: Target = .testTarget(
    name: "FuzzTests", dependencies: fuzzed, exclude: ["Corpus", "Found", "Fuzzer"], swiftSettings: settings)

let testTargets: [Target] = [
    // What is preloaded into programs under test is built by the tests that need it.
    .target(
        name: "StreakTestSupport", dependencies: ["StreakRandom"], path: "Tests/StreakTestSupport",
        exclude: ["Preloaded", "Scripts"], swiftSettings: settings),
    tests("StreakCryptoTests", ["StreakCrypto"]),
    tests("StreakWireTests", ["StreakWire", "StreakRandom"]),
    tests("StreakLinksTests", ["StreakLinks", "StreakWire", "StreakCrypto", "StreakRandom"]),
    tests("StreakInternetTests", ["StreakInternet", "StreakWire", "StreakRandom"]),
    tests("StreakGamesTests", ["StreakGames"], resources: [.copy("Fixtures")]),
    tests("StreakScoresTests", ["StreakScores", "StreakGames", "StreakRandom"]),
    tests(
        "StreakReplicationTests",
        ["StreakReplication", "StreakWire", "StreakCrypto", "StreakScores", "StreakGames", "StreakRandom"]),
    tests("StreakMembershipTests", ["StreakMembership", "StreakWire", "StreakCrypto", "StreakRandom"]),
    tests(
        "StreakEngineTests",
        [
            "StreakEngine", "StreakMembership", "StreakReplication", "StreakScores", "StreakGames", "StreakLinks",
            "StreakWire", "StreakCrypto",
        ]),
    tests(
        "StreakStorageTests",
        ["StreakStorage", "StreakReplication", "StreakWire", "StreakCrypto", "StreakRandom", .grdb]),
    tests(
        "StreakNodeTests",
        [
            "StreakNode", "StreakStorage", "StreakEngine", "StreakMembership", "StreakReplication", "StreakScores",
            "StreakGames", "StreakInternet", "StreakLinks", "StreakWire", "StreakCrypto", "StreakRandom", .nioCore,
            .nioPosix, .serviceLifecycle,
            .logging,
        ], resources: [.copy("Fixtures")]),
    tests(
        "StreakWebTests",
        [
            "StreakWeb", "StreakNode", "StreakGames", .nioCore, .nioPosix, .nioEmbedded, .serviceLifecycle, .logging,
        ]),
    tests(
        "StreakCommandTests",
        [
            "streakmesh", "StreakWeb", "StreakNode", "StreakStorage", "StreakMembership", "StreakGames",
            "StreakTestSupport", .argumentParser, .logging, .serviceLifecycle,
        ]),
    tests(
        "ProtocolConformanceTests",
        [
            "streakmesh-vectors", "StreakEngine", "StreakMembership", "StreakReplication", "StreakLinks", "StreakWire",
            "StreakCrypto", "StreakScores", "StreakGames", "StreakRandom",
        ]),
    tests(
        "SimulationTests",
        [
            "StreakSimulator", "StreakEngine", "StreakMembership", "StreakReplication", "StreakScores", "StreakGames",
            "StreakLinks", "StreakWire", "StreakCrypto",
        ]),
    // The fuzzer is built by script/fuzz only: it needs libFuzzer, which is not part of every toolchain.
    isFuzzing ? fuzzer : fuzzTests,
    tests(
        "EndToEndTests",
        [
            "StreakTestSupport", "StreakNode", "StreakInternet", "StreakLinks", "StreakWire", "StreakCrypto",
            "StreakRandom", "streakmesh", "streakmesh-example", .grdb,
        ]),
    tests("RepositoryTests", []),
]

let package = Package(
    name: "streakmesh",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "StreakNode", targets: ["StreakNode"]),
        .executable(name: "streakmesh", targets: ["streakmesh"]),
        .executable(name: "streakmesh-sim", targets: ["streakmesh-sim"]),
        .executable(name: "streakmesh-bench", targets: ["streakmesh-bench"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        // Without what reads its settings from files and variables.
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: []),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", exact: "2.1.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: modules + programs + (hasInternetLibraries ? helper : []) + testTargets,
    cxxLanguageStandard: .cxx17
)
