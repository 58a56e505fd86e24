#if os(Linux)
    import Foundation
    import StreakCrypto
    import StreakInternet
    import StreakTestSupport
    import StreakWire
    import Testing

    @testable import StreakNode

    /// Whether the helper can be tried: it was built, and networks may be made.
    let canTryHelper = Lan.isAvailable && BuiltProgram.helperPath != nil

    /// The real helper on a host of its own.
    struct HelperHome {
        let host: Lan.Host
        let helper: InternetHelper

        init(
            at host: Lan.Host, bootstrap: String = "198.18.0.1:6881", nodes: [Endpoint] = [],
            linger: Duration = .milliseconds(100), answer: Duration? = nil, in lab: Lab
        ) throws {
            self.host = host
            let places = ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip", "/bin/ip"]
            let ip = try #require(places.first { FileManager.default.isExecutableFile(atPath: $0) })
            let path = try #require(BuiltProgram.helperPath)
            var limits = HelperSupervisor.Limits()
            (limits.sessionsPerHour, limits.failuresPerHour, limits.rest) = (1_000, 1_000, .zero)
            limits.linger = linger
            if let answer { limits.answer = answer }
            let clock = SystemClock(wall: nil, lead: nil)
            let helper = InternetHelper(
                program: HelperProgram(path: ip, arguments: ["netns", "exec", host.name, path]),
                network: DHTNetwork(bootstrap: [bootstrap], isLab: true), nodes: nodes, limits: limits,
                clock: { clock.now })
            self.helper = helper
            lab.atEnd { await helper.close() }
        }

        /// The newest value there is; nil where there is none.
        func newest(_ key: Bytes32) async throws -> DHTValue? {
            var newest: DHTValue?
            for try await value in helper.get(key) { newest = value }
            return newest
        }

        /// The first value that comes.
        func first(_ key: Bytes32) async throws -> DHTValue? {
            for try await value in helper.get(key) { return value }
            return nil
        }

        /// The number of the helper's process, as soon as there is one.
        func process(in lab: Lab) async throws -> Int32 {
            var found: Int32?
            try await lab.eventually("a helper runs in \(host.name)") {
                let words = try await lab.run(["ip", "netns", "pids", host.name]).output.split(separator: "\n")
                found = words.compactMap { Int32($0) }.first { process in
                    // One that has ended meanwhile has no name.
                    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe"))
                        == BuiltProgram.helperPath
                }
                return found != nil
            }
            return try #require(found)
        }
    }

    /// The helper in a BitTorrent DHT of twenty nodes, from two homes.
    @Suite(
        .serialized,
        .enabled(
            if: canTryHelper && DHTCluster.isAvailable, "needs the helper program, python3-libtorrent, Linux and root"))
    struct DHTTests {
        private static let ownKey: SigningSecretKey? = try? SigningSecretKey(seed: [UInt8](repeating: 7, count: 32))

        private static func item(_ text: String, sequence: Int64) throws -> DHTItem {
            let secret = try #require(ownKey)
            let value = Array(text.utf8)
            let signature = secret.signature(for: DHTItem.signedBytes(sequence: sequence, value: value))
            return DHTItem(
                key: try #require(Bytes32(secret.publicKey.rawBytes)), sequence: sequence, value: value,
                signature: signature.rawBytes)
        }

        @Test(.timeLimit(.minutes(10)))
        func `what one home puts another gets, also when no bootstrap node is left`() async throws {
            try await Lab.open { lab in
                // What a library of the node might forget: a descriptor that stays open in programs it starts.
                let canary = "\(lab.folder)/canary"
                let descriptor = unsafe open(canary, O_CREAT | O_RDWR, 0o600)
                defer { close(descriptor) }
                let lan = try await Lan(in: lab, count: 22, network: "198.18.0")
                let cluster = try await DHTCluster(in: lab, at: Array(lan.hosts.prefix(20)))
                let ada = try HelperHome(at: lan.hosts[20], bootstrap: cluster.bootstrap, in: lab)
                let ben = try HelperHome(at: lan.hosts[21], bootstrap: cluster.bootstrap, in: lab)

                var item = try Self.item(String(repeating: "x", count: 996), sequence: 1)
                // The nodes take some seconds to find each other.
                try await lab.eventually("eight nodes store what is put", limit: .seconds(120)) {
                    let count = try? await ada.helper.put(item)
                    return count ?? 0 >= 8
                }
                let value = DHTValue(sequence: 1, value: item.value)
                try await lab.eventually("the other finds it", limit: .seconds(60)) {
                    try await ben.first(item.key) == value
                }
                #expect(try await ben.newest(Bytes32(9, 9, 9, 9)) == nil)
                item = try Self.item("later", sequence: 2)
                // A node that is busy may miss one put.
                try await lab.eventually("eight nodes store what is newer", limit: .seconds(60)) {
                    try await ada.helper.put(item) >= 8
                }
                try await lab.eventually("the other finds what is newer", limit: .seconds(60)) {
                    try await ben.newest(item.key) == DHTValue(sequence: 2, value: Array("later".utf8))
                }

                // A signature by somebody else is taken by no node.
                var forged = try Self.item("forged", sequence: 3)
                forged.signature[0] ^= 1
                _ = try? await ada.helper.put(forged)
                #expect(try await ben.newest(item.key)?.sequence == 2)

                // The nodes that were saved lead in where the bootstrap node is nobody.
                try await lab.eventually("nodes are saved") { await ben.helper.nodes.count >= 8 }
                let saved = await ben.helper.nodes
                #expect(saved.count <= 200)
                await ben.helper.close()
                let later = try HelperHome(at: lan.hosts[21], bootstrap: "198.18.0.99:6881", nodes: saved, in: lab)
                // A node that missed the second put has the first one, and a search may miss who has it.
                try await lab.eventually("the newest is found", limit: .seconds(60)) {
                    try await later.newest(item.key)?.sequence == 2
                }
                #expect(try await Self.memory(of: later, in: lab) < 30 << 20)
                try await Self.expectNoDescriptor(of: canary, at: later, in: lab)

                // The DHT is cut: that is told, and not taken for an item that is not there.
                try await lan.setLoss(percent: 100, at: Array(lan.hosts.prefix(20)))
                await #expect(throws: HelperFailure.unreachable) { _ = try await ada.helper.put(item) }
                await #expect(throws: HelperFailure.unreachable) { _ = try await later.newest(item.key) }
            }
        }

        @Test(.timeLimit(.minutes(10)))
        func `a DHT of liars costs a search, and no helper`() async throws {
            try await Lab.open { lab in
                let lan = try await Lan(in: lab, count: 2, network: "198.18.0")
                let items = try (1...60 as ClosedRange<Int64>).map { try Self.item("value \($0)", sequence: $0) }
                let key = items[0].key
                func hexadecimal(_ bytes: [UInt8]) -> String {
                    bytes.map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined()
                }
                // Of one address libtorrent takes a few packets a second.
                for number in items.indices {
                    let words = ["address", "add", "198.18.0.\(100 + number)/24", "dev", "eth0"]
                    #expect(try await lab.run(["ip", "-n", lan.hosts[0].name] + words).exitCode == 0)
                }
                let liars = try Daemon(
                    in: lab,
                    lan.hosts[0].launcher + DHTCluster.words("dht-liars.py") + [hexadecimal(key.array)])
                let lines = items.map { item in
                    "\(item.sequence) \(hexadecimal(item.value)) \(hexadecimal(item.signature))\n"
                }
                try liars.read(lines.joined() + "\n")
                try await liars.says("ready")
                let home = try HelperHome(at: lan.hosts[1], bootstrap: "198.18.0.100:7000", in: lab)
                var values: [DHTValue] = []
                for try await value in home.helper.get(key) { values.append(value) }
                // As many as it may tell, each newer than those before, and none of the lies. How many are met differs.
                #expect((1...32).contains(values.count))
                #expect(values.allSatisfy { $0.value == Array("value \($0.sequence)".utf8) })
                #expect(zip(values, values.dropFirst()).allSatisfy { $0.sequence < $1.sequence })
                // libtorrent hears no more of some of them now.
                _ = try await home.newest(key)
                #expect(await home.helper.helperState == .running)
                #expect(await home.helper.nodes.allSatisfy(\.mayBeTold))
                #expect(await home.helper.nodes.count <= 200)
                #expect(try await Self.memory(of: home, in: lab) < 30 << 20)
            }
        }

        /// Resident memory in bytes while it runs.
        private static func memory(of home: HelperHome, in lab: Lab) async throws -> Int {
            let process = try await home.process(in: lab)
            let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
            #expect(status.contains("NoNewPrivs:\t1"))
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
            let kilobytes = try #require(line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) })
            return kilobytes * 1_024
        }

        private static func expectNoDescriptor(of path: String, at home: HelperHome, in lab: Lab) async throws {
            let folder = "/proc/\(try await home.process(in: lab))/fd"
            let descriptors = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(descriptors.count >= 3)
            for descriptor in descriptors {
                // One that was closed meanwhile leads nowhere.
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(descriptor)")
                #expect(target != path)
            }
        }

        @Test(.timeLimit(.minutes(10)))
        func `a helper that is killed at any step costs an answer, and the next one works`() async throws {
            try await Lab.open { lab in
                let lan = try await Lan(in: lab, count: 10, network: "198.18.0")
                let cluster = try await DHTCluster(in: lab, at: Array(lan.hosts.prefix(9)))
                let ada = try HelperHome(
                    at: lan.hosts[9], bootstrap: cluster.bootstrap, linger: .seconds(30), in: lab)
                let item = try Self.item("x", sequence: 1)
                func works() async throws {
                    try await lab.eventually("it stores", limit: .seconds(180)) {
                        // Nobody answers before the nodes have found each other.
                        (try? await ada.helper.put(item)) ?? 0 > 0
                    }
                }
                try await works()
                // Idle, with its session open or closed.
                kill(try await ada.process(in: lab), SIGKILL)
                try await lab.eventually("its end is known") { await ada.helper.helperState == .failing }
                try await works()
                #expect(await ada.helper.helperState == .running)

                // While it searches the DHT, which takes 15 s where nodes are silent; and while it opens a session, which takes 10 s.
                for isOpen in [true, false] {
                    if !isOpen {
                        kill(try await ada.process(in: lab), SIGKILL)
                        try await lab.eventually("its end is known") { await ada.helper.helperState == .failing }
                    }
                    try await lan.setLoss(percent: 100, at: Array(lan.hosts.prefix(9)))
                    let search = ada.helper.get(Bytes32(5, 5, 5, 5))
                    // What was asked before this has been sent.
                    _ = await ada.helper.helperState
                    kill(try await ada.process(in: lab), SIGKILL)
                    await #expect(throws: HelperFailure.ended) { for try await _ in search {} }
                    try await lan.setLoss(percent: 0, at: Array(lan.hosts.prefix(9)))
                    try await works()
                }
            }
        }
    }
#endif
