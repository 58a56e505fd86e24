import StreakEngine
import StreakReplication
import StreakStorage
import StreakWire
import Testing

@testable import StreakNode

/// Several machines of one account (product row A2).
@Suite(.timeLimit(.minutes(10))) struct DeviceLinkTests {
    private static func link(_ node: MeshNode) async throws -> String {
        try await node.call(.device(.link), returning: DeviceLinkReport.self).link
    }

    private static func linkMachine(_ name: String, of party: NodeParty, by link: String) async throws -> ProfileReport
    {
        try await MeshNode.linkDevice(
            in: party.dataFolder(name), link: link, timeout: 60, listen: "127.0.0.1:0", usesLAN: false)
    }

    @Test func `a second machine sees private results, and friends don't`() async throws {
        let party = try NodeParty()
        let (user, link) = try await party.running("Ada", "Ben") { nodes in
            let (ada, ben) = (nodes[0], nodes[1])
            _ = try await ada.group(.create(title: "Red"))
            try await ben.join(try await ada.invite().link)
            try await ada.add("Wordle 1,700 3/6")
            try await ada.add("Wordle 1,701 2/6", to: [])
            let link = try await Self.link(ada)
            let laptop = try await Self.linkMachine("Laptop", of: party, by: link)
            let ada1 = try await ada.call(.profile(.whoami), returning: ProfileReport.self)
            #expect((laptop.user, laptop.friendCode) == (ada1.user, ada1.friendCode))
            #expect(laptop.device != ada1.device)
            #expect(laptop.recoveryConfirmed)
            return (ada1.user, link)
        }
        try await party.running("Ada", "Ben", "Laptop") { nodes in
            let (ada, ben, laptop) = (nodes[0], nodes[1], nodes[2])
            try await laptop.until { try await $0.results().count == 2 }
            let me = try await laptop.call(.profile(.whoami), returning: ProfileReport.self)
            #expect((me.user, me.name) == (user, "Ada"))
            try await laptop.add("Wordle 1,702 5/6", to: [])
            try await laptop.add("Wordle 1,703 4/6")
            try await ada.until { try await $0.results().count == 4 }
            // One person in the group, on however many machines.
            #expect(try await ben.members().count == 2)
            try await ben.until { try await $0.status().groups[0].digest == ada.status().groups[0].digest }
            #expect(await ben.privateScores(of: user) == 2)
            await #expect(throws: NodeFailure.linkUsedUp) {
                try await Self.linkMachine("Third", of: party, by: link)
            }
            #expect(!party.dataFolder("Third").hasAccount)
        }
    }

    @Test func `a link that is none, or of another kind, is refused and leaves nothing behind`() async throws {
        let party = try NodeParty()
        try await party.running("Ada") { nodes in
            _ = try await nodes[0].group(.create(title: "Red"))
            let invite = try await nodes[0].invite().link
            await #expect(throws: NodeFailure.linkMalformed) {
                try await Self.linkMachine("new", of: party, by: invite)
            }
            let link = try await Self.link(nodes[0])
            await #expect(throws: NodeFailure.linkDamaged) {
                try await Self.linkMachine("new", of: party, by: String(link.dropLast()))
            }
            await #expect(throws: NodeFailure.linkMalformed) { try await nodes[0].join(link) }
            #expect(!party.dataFolder("new").hasAccount)
        }
    }

    @Test func `a machine that was shut out is told, keeps its results and shows nobody else's`() async throws {
        let party = try NodeParty()
        try await party.running("Ada", "Ben") { nodes in
            _ = try await nodes[0].group(.create(title: "Red"))
            try await nodes[1].join(try await nodes[0].invite().link)
            try await nodes[1].add("Wordle 1,700 3/6")
            _ = try await Self.linkMachine("Laptop", of: party, by: try await Self.link(nodes[0]))
        }
        try await party.running("Ada", "Ben", "Laptop") { nodes in
            let (ada, laptop) = (nodes[0], nodes[2])
            try await laptop.until { try await $0.board().rows.contains { $0.name == "Ben" && $0.played == 1 } }
            let devices = try await ada.call(.device(.list), returning: DeviceListReport.self).devices
            let other = try #require(devices.first { !$0.this })
            _ = try await ada.call(
                .device(.revoke(device: other.device, key: nil)), returning: DeviceListReport.self)
            try await laptop.until {
                try await $0.call(.group(.list), returning: GroupListReport.self).groups.first?.role == "revoked"
            }
            try await laptop.until { try await $0.board(of: "Red").rows.allSatisfy { $0.me || $0.played == 0 } }
        }
    }
}

extension MeshNode {
    /// How many scores of a user this node holds.
    fileprivate func privateScores(of user: String) -> Int {
        engine.groupIDs.flatMap { engine.mergedRecords(of: $0) }.count {
            $0.key.user.description == user && $0.key.kind == 1 && !$0.value.isEmpty
        }
    }
}
