import StreakEngine
import StreakStorage
import StreakWire
import Testing

@testable import StreakNode

/// How far a node goes for friends. Its nodes listen on loopback, so that no router is asked.
@Suite(.timeLimit(.minutes(10))) struct InternetTests {
    @Test func `the setting is on, stays what it was changed to, and takes no other word`() async throws {
        let party = try NodeParty()
        try party.makeAccount("Ada")
        var node = try await party.open("Ada")
        #expect(try await node.call(InternetRequest.show).setting == "on")
        #expect(try await node.call(InternetRequest.change("lan-only")).setting == "lan-only")
        await #expect(throws: NodeFailure.invalidSetting(name: "internet", values: ["on", "off", "lan-only"])) {
            try await node.call(InternetRequest.change("maybe"))
        }
        await node.close()
        node = try await party.open("Ada")
        #expect(try await node.status().internet.setting == "lan-only")
        await node.close()
    }

    @Test func `what a node is started with is remembered`() async throws {
        let party = try NodeParty()
        try party.makeAccount("Ada")
        for (wanted, setting) in [("off", "off"), (nil, "off"), ("on", "on")] as [(String?, String)] {
            var configuration = NodeConfiguration(
                listen: "127.0.0.1:0", usesNetwork: false, usesLAN: false, peers: [])
            configuration.internet = wanted
            let node = try await MeshNode(opening: party.dataFolder("Ada"), configuration: configuration)
            #expect(try await node.call(InternetRequest.show).setting == setting)
            await node.close()
        }
    }

    @Test func `the doctor is told that the user wants no internet`() async throws {
        try await NodeParty.alone { node, _ in
            #expect(await node.observed.setting == .on)
            for setting in [InternetSetting.off, .lanOnly] {
                _ = try await node.call(InternetRequest.change(setting.rawValue))
                #expect(await node.observed.setting == setting)
            }
        }
    }

    @Test func `a group in which nobody's machine is always on is named after two days`() async throws {
        let start: Int64 = 1_800_000_000
        let clock = SettableClock(start)
        let wall: @Sendable () -> Int64 = { clock.milliseconds }
        let party = try NodeParty()
        try await party.running(["Ada", "Ben"], walls: ["Ada": wall, "Ben": wall]) { nodes in
            let ada = nodes[0]
            _ = try await ada.group(.create(title: "Red"))
            clock.set(start + 2 * 86_400)
            #expect(try await ada.call(InternetRequest.show).withoutAlwaysOn == [], "nobody else is in it")
            clock.set(start)
            try await nodes[1].join(try await ada.invite().link)
            clock.set(start + 2 * 86_400 - 60)
            #expect(try await ada.call(InternetRequest.show).withoutAlwaysOn == [])
            clock.set(start + 2 * 86_400)
            let report = try await ada.call(InternetRequest.change(nil, advice: false))
            #expect(report.withoutAlwaysOn == ["Red"] && !report.advice && report.letters)
            let doctor = try await ada.call(DoctorRequest.look())
            #expect(doctor.findings.contains { $0.cause == .nobodyAlwaysOn && $0.evidence.contains("Red") })
            // 20 of the last 24 hours, as the engine keeps them.
            var writer = WireWriter()
            let hour = UInt64(start + 2 * 86_400) / 3_600
            for ago in 1...20 as ClosedRange<UInt64> { writer.write(hour - ago) }
            try await ada.execute(.keepSetting(name: "hours-online", value: writer.bytes))
        }
        let ada = try await party.open("Ada", wall: wall)
        let report = try await ada.call(InternetRequest.show)
        #expect(report.withoutAlwaysOn == [] && !report.advice, "this machine is always on")
        await ada.close()
    }

    @Test func `a word of a later version keeps everything on this network`() async throws {
        try await NodeParty.alone { node, _ in
            try await node.execute(.keepSetting(name: "internet", value: Array("everywhere".utf8)))
            #expect(try await node.call(InternetRequest.show).setting == "lan-only")
        }
    }

    @Test func `links go on after the setting was changed while the node runs`() async throws {
        try await NodeParty().running("Ada", "Ben") { nodes in
            _ = try await nodes[0].group(.create(title: "Red"))
            try await nodes[1].join(try await nodes[0].invite().link)
            for setting in ["lan-only", "on", "off"] {
                _ = try await nodes[0].call(InternetRequest.change(setting))
                try await nodes[1].dial(nodes[0])
                try await nodes[0].until { try await $0.status().state == "live" }
            }
        }
    }

    /// Runs a node of Ada's that is given these names, for as long as `body` takes.
    private static func running(
        named names: [String], _ body: @Sendable (MeshNode) async throws -> Void
    ) async throws {
        let party = try NodeParty()
        try party.makeAccount("Ada")
        var configuration = NodeConfiguration(listen: "127.0.0.1:0", usesNetwork: true, usesLAN: false, peers: [])
        configuration.advertised = names
        let node = try await MeshNode(opening: party.dataFolder("Ada"), configuration: configuration)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await node.run() }
            _ = try await node.ready()
            do { try await body(node) } catch {
                await node.close()
                throw error
            }
            await node.close()
            group.cancelAll()
        }
    }

    @Test func `friends are told the addresses that the user names, if they are on the internet`() async throws {
        try await Self.running(named: ["198.18.0.9:7430", "192.168.1.1:7430", "[2001:db8::7]:7430"]) { node in
            try await node.until { try await $0.status().internet.outside.count == 2 }
            let report = try await node.call(InternetRequest.show)
            #expect(report.outside.map(\.endpoint) == ["198.18.0.9:7430", "[2001:db8::7]:7430"])
            #expect(report.outside.allSatisfy { $0.source == "named" })
            #expect(report.reach == "open")
            #expect(report.mapping == nil)
            _ = try await node.call(InternetRequest.change("off"))
            #expect(try await node.call(InternetRequest.show).outside.isEmpty)
            _ = try await node.call(InternetRequest.change("on"))
            try await node.until { try await $0.status().internet.outside.count == 2 }
        }
    }
}

extension MeshNode {
    fileprivate var observed: Observations.Internet { services.internet.observed }
}
