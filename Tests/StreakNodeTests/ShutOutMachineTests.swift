import StreakEngine
import StreakLinks
import StreakReplication
import StreakScores
import StreakStorage
import StreakWire
import Testing

@testable import StreakNode

/// Machines of one account that were lost: what they, the others and friends know of it.
@Suite(.timeLimit(.minutes(10))) struct ShutOutMachineTests {
    /// Shuts Ada's laptop out, which joins Ben's group “Green” without having heard of it. With `isSecretAway` the
    /// account's secret is no longer on Ada's machine.
    /// - Returns: the laptop's ID, how to shut it out once more, and a link to the group.
    private static func loseLaptop(
        of party: NodeParty, isSecretAway: Bool
    ) async throws -> (device: String, revoke: DeviceRequest, link: String) {
        let (lost, key) = try await party.running("Ada") { nodes in
            try await party.link("Laptop", to: nodes[0])
            let devices = try await nodes[0].call(DeviceRequest.list).devices
            let device = try #require(devices.first { !$0.this }).device
            return (device, try MeshNode.recoveryKey(in: party.dataFolder("Ada")))
        }
        let revoke = DeviceRequest.revoke(device: lost, key: isSecretAway ? key : nil)
        try await party.running("Ada") { nodes in
            if isSecretAway { _ = try await nodes[0].call(RecoveryRequest.confirm(key: key)) }
            let report = try await nodes[0].call(revoke)
            let machine = try #require(report.devices.first { $0.device == lost })
            #expect(machine.state == "revoked" && machine.stillIn.isEmpty)
        }
        // The laptop has not heard of it, and writes an operation in the group: no revocation for every group ends
        // that.
        let link = try await party.running("Ben", "Laptop") { nodes in
            _ = try await nodes[0].group(.create(title: "Green"))
            let link = try await nodes[0].invite().link
            try await nodes[1].join(link)
            _ = try await nodes[1].invite()
            try await nodes[0].until { node in
                try await node.call(InviteListRequest.list(group: nil)).invites.count == 2
            }
            return link
        }
        return (lost, revoke, link)
    }

    @Test(arguments: [false, true])
    func `a shut-out machine in a group joined later is shut out there, too, by the node or by the user`(
        isSecretAway: Bool
    ) async throws {
        let party = try NodeParty()
        let leap = Leap()
        let (lost, revoke, link) = try await Self.loseLaptop(of: party, isSecretAway: isSecretAway)
        try await party.running("Ada", "Ben", lead: { leap.lead }) { nodes in
            let ada = nodes[0]
            let events = ada.events()
            let before = await ada.now
            try await ada.join(link)
            // What the group itself says of the machine may be on its way.
            let due = try #require(await ada.shutsOutAt)
            #expect(due >= before.advanced(by: .seconds(5)))
            let listed = try await ada.call(DeviceRequest.list).devices
            let machine = try #require(listed.first { $0.device == lost })
            #expect(machine.state == "revoked")
            // Another change of the ledger is no reason to say it again.
            _ = try await nodes[1].group(.rename(group: nil, title: "Greener"))
            try await ada.until { try await $0.call(GroupListRequest.all).groups.contains { $0.title == "Greener" } }
            var notices: [String] = []
            leap.take(.seconds(5))
            await ada.process()
            if isSecretAway {
                for await case .notice(let text) in events where text.contains("still in “Green") {
                    notices.append(text)
                    break
                }
                #expect(machine.stillIn == ["Green"])
                let strays = try await ada.status().strays
                #expect(strays.map(\.device) == [lost] && strays.map(\.groups) == [["Greener"]])
                _ = try await ada.call(revoke)
            }
            try await ada.until { try await $0.status().strays.isEmpty }
            let left = try await ada.call(DeviceRequest.list).devices
            #expect(left.allSatisfy { $0.device != lost || $0.state == "revoked" && $0.stillIn.isEmpty })
            if !isSecretAway {
                for await case .notice(let text) in events where text.contains("out there now, too") {
                    notices.append(text)
                    break
                }
            }
            await ada.close()
            for await case .notice(let text) in events { notices.append(text) }
            #expect(notices.count { $0.contains("in “Green") } == 1)
            #expect(notices.count { $0.contains(lost.prefix(8)) } == (isSecretAway ? 1 : 0))
        }
        try await party.running("Ada", "Ben", "Laptop") { nodes in
            try await nodes[2].until {
                try await $0.call(GroupListRequest.all).groups.map(\.role) == ["revoked"]
            }
        }
    }

    @Test func `a machine that was shut out is told, keeps its results and shows nobody else's`() async throws {
        let party = try NodeParty()
        try await party.running("Ada", "Ben") { nodes in
            _ = try await nodes[0].group(.create(title: "Red"))
            try await nodes[1].join(try await nodes[0].invite().link)
            try await nodes[1].add("Wordle 1,700 3/6")
            try await party.link("Laptop", to: nodes[0])
        }
        try await party.running("Ada", "Ben", "Laptop") { nodes in
            let (ada, laptop) = (nodes[0], nodes[2])
            try await laptop.until { try await $0.board().rows.contains { $0.name == "Ben" && $0.played == 1 } }
            try await laptop.add("Wordle 1,699 4/6")
            try await ada.until { try await $0.results().count == 1 }
            let devices = try await ada.call(DeviceRequest.list).devices
            let other = try #require(devices.first { !$0.this })
            _ = try await ada.call(
                DeviceRequest.revoke(device: other.device, key: nil))
            try await laptop.until {
                try await $0.call(GroupListRequest.all).groups.first?.role == "revoked"
            }
            let ben = try await nodes[1].call(ProfileRequest.whoami).user
            #expect(await laptop.privateScores(of: ben) == 0)
            #expect(try await laptop.call(GroupListRequest.all).groups.first?.ended != nil)
            await #expect(throws: NodeFailure.notMember(title: "Red")) { try await laptop.board(of: "Red") }
            let mine = try await laptop.call(
                ResultsRequest.list(game: nil, from: nil, to: nil))
            #expect(mine.results.count == 1, "what it had of its own stays")
            await #expect(throws: NodeFailure.machineShutOut) { try await laptop.add("Wordle 1,701 3/6") }
            await #expect(throws: NodeFailure.machineShutOut) { _ = try await laptop.group(.create(title: "Mine")) }
            // It is told so, not to found a group or to join one.
            await #expect(throws: NodeFailure.machineShutOut) { _ = try await laptop.call(BoardRequest()) }
            #expect(try await laptop.status().shutOut)
            await #expect(throws: NodeFailure.machineShutOut) {
                _ = try await laptop.call(DeviceLinkRequest.make)
            }
            let known = try await laptop.call(DeviceRequest.list).devices
            #expect(known.first { $0.this }?.state == "revoked")
        }
    }

    @Test(arguments: [true, false])
    func `a machine that was shut out while it was off knows it everywhere, across restarts`(
        hasGroup: Bool
    ) async throws {
        let party = try NodeParty()
        try await party.running("Ada") { nodes in
            if hasGroup { _ = try await nodes[0].group(.create(title: "Red")) }
            try await party.link("Laptop", to: nodes[0])
        }
        try await party.running("Ada") { nodes in
            let devices = try await nodes[0].call(DeviceRequest.list).devices
            let other = try #require(devices.first { !$0.this })
            _ = try await nodes[0].call(
                DeviceRequest.revoke(device: other.device, key: nil))
        }
        try await party.running("Ada", "Laptop") { nodes in
            try await nodes[1].until {
                try await $0.call(DeviceRequest.list).devices.first { $0.this }?.state
                    == "revoked"
            }
            await #expect(throws: NodeFailure.machineShutOut) { try await nodes[1].add("Wordle 1,701 3/6") }
        }
        try await party.running("Laptop") { nodes in
            let known = try await nodes[0].call(DeviceRequest.list).devices
            #expect(known.first { $0.this }?.state == "revoked")
            await #expect(throws: NodeFailure.machineShutOut) { try await nodes[0].add("Wordle 1,701 3/6") }
        }
    }
}

extension MeshNode {
    fileprivate var now: MonotonicInstant { core.clock.now }

    /// When a machine that is shut out, and still in a group, is dealt with.
    fileprivate var shutsOutAt: MonotonicInstant? { services.shutOutMachines.nextDeadline }
}
