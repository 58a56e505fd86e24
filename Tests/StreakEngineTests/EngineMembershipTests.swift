import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine

/// People and devices come and go, and every node agrees about them.
struct EngineMembershipTests {
    @Test func `title, settings, roles and the owner change for everybody`() throws {
        var party = try EngineNetwork.friends(3)
        var settings = GroupSettings(whoMayInvite: .admins)
        settings[7] = 300
        #expect(party.command(.rename(party.group, title: "Puzzlers"), at: 0) == .done)
        #expect(party.command(.changeSettings(party.group, settings), at: 0) == .done)
        #expect(party.command(.setRole(party.group, party.user(1), .admin), at: 0) == .done)
        #expect(party.command(.setRole(party.group, party.user(2), .heir), at: 0) == .done)
        party.run(for: .seconds(1))
        for index in 0..<3 {
            let state = try party.state(index)
            #expect(state.title == "Puzzlers" && state.settings == settings)
            #expect(state.role(of: party.user(1)) == .admin && state.heir == party.user(2))
        }
        #expect(party.command(.transfer(party.group, to: party.user(2)), at: 2) == .done)
        party.run(for: .seconds(1))
        #expect(try party.state(0).owner == party.user(2))
        #expect(party.command(.setRole(party.group, party.user(1), .member), at: 2) == .done)
        #expect(party.command(.transfer(party.group, to: party.user(0)), at: 2) == .done)
        party.run(for: .seconds(1))
        #expect(try party.state(1).owner == party.user(0))
        #expect(try party.state(1).role(of: party.user(1)) == .member)
        #expect(party.digests().count == 1)
    }

    @Test func `what a member may not do is refused with the reason`() throws {
        var party = try EngineNetwork.friends(3)
        let group = party.group
        #expect(party.command(.rename(group, title: "Mine"), at: 1) == .failed(.notAllowed(.refused(.needsAdmin))))
        #expect(
            party.command(.remove(group, party.user(2)), at: 1) == .failed(.notAllowed(.refused(.needsAdmin))))
        #expect(
            party.command(.setRole(group, party.user(1), .admin), at: 1)
                == .failed(.notAllowed(.refused(.needsOwner))))
        #expect(
            party.command(.transfer(group, to: party.user(1)), at: 1)
                == .failed(.notAllowed(.refused(.transferDoesNotStand))))
        #expect(party.command(.remove(Forged.otherGroup, party.user(1)), at: 0) == .failed(.unknownGroup))
        let before = party.digests()
        party.run(for: .seconds(1))
        #expect(party.digests() == before)
    }

    @Test func `a removal reaches everybody within a second, and the removed device keeps only its own`() throws {
        var party = try EngineNetwork.friends(3)
        for index in 0..<3 { party.write("name \(index)", by: index) }
        party.run(for: .seconds(2))
        #expect(party.names(2).count == 3)
        #expect(party.command(.remove(party.group, party.user(2)), at: 0) == .done)
        party.run(for: .seconds(1))
        #expect(try party.state(0).members.count == 2 && party.state(1).members.count == 2)
        #expect(party.nodes[2].engine.isMember(of: party.group) == false)
        #expect(party.lostGroups(2).count == 1)
        #expect(party.nodes[2].engine.recordCount(of: party.group) == 1)
        #expect(party.names(2) == ["name 2"])
        // What it wrote as a member still counts; what it writes now does not.
        #expect(party.names(0) == ["name 0", "name 1", "name 2"])
        #expect(party.command(.write([(group: party.group, drafts: [])]), at: 2) == .failed(.notMember))
        // Both have the new key; the removed device does not.
        let hashes = try party.state(0).accessKeyHashes
        #expect(hashes.count == 2)
        #expect(party.nodes[0].engine.core.groups[party.group]?.accessKeys.map(\.hash) == hashes.reversed())
        #expect(party.nodes[1].engine.core.groups[party.group]?.accessKeys.map(\.hash) == hashes.reversed())
        #expect(party.nodes[2].engine.core.groups[party.group]?.accessKeys.count == 1)
        // Links to devices that are nobody's member are closed.
        party.run(for: .seconds(65))
        #expect(!party.isLinked(0, 2) && !party.isLinked(1, 2))
    }

    @Test func `who was away for a removal gets the new key, and dials under the old one until then`() throws {
        var party = try EngineNetwork.friends(4)
        party.partition([[0, 1, 2], [3]])
        party.run(for: .seconds(400))
        #expect(!party.isLinked(0, 3))
        #expect(party.command(.remove(party.group, party.user(2)), at: 0) == .done)
        party.run(for: .seconds(10))
        party.partition([])
        party.run(for: .seconds(3_600))
        #expect(party.isLinked(0, 3))
        #expect(party.isLinked(1, 3))
        #expect(!party.isLinked(2, 3))
        #expect(try party.state(3).members.count == 3)
        #expect(party.nodes[3].engine.core.groups[party.group]?.missingAccessKeys == [])
        #expect(party.nodes[3].engine.core.groups[party.group]?.accessKeys.count == 2)
    }

    @Test func `two halves that each removed somebody while apart for months understand each other again`() throws {
        var party = try EngineNetwork.friends(6)
        #expect(party.command(.setRole(party.group, party.user(3), .admin), at: 0) == .done)
        party.run(for: .seconds(5))
        party.partition([[0, 1, 5], [2, 3, 4]])
        party.run(for: .seconds(400))
        // Each half removes one of its own members, who do not know what the other half does.
        #expect(party.command(.remove(party.group, party.user(5)), at: 0) == .done)
        #expect(party.command(.remove(party.group, party.user(4)), at: 3) == .done)
        party.write("west", by: 1)
        party.write("east", by: 2)
        // After half a day all pauses have their full length, so nothing changes any longer.
        party.run(for: .seconds(86_400))
        let newest = [0, 3].map { party.nodes[$0].engine.core.groups[party.group]?.accessKeys.first?.hash }
        #expect(newest[0] != newest[1])
        party.partition([])
        // The longest pause between two dials is half an hour, and every other one is under an older key.
        party.run(for: .seconds(2 * 3_600)) { party in party.isLinked(0, 3) && party.isLinked(1, 2) }
        party.run(for: .seconds(30))
        for index in 0..<4 {
            #expect(try party.state(index).members.count == 4)
            #expect(party.names(index) == ["east", "west"])
            let hashes = try party.state(index).accessKeyHashes
            #expect(hashes.count == 3)
            // All have the same newest key, in whatever order the keys came.
            #expect(party.nodes[index].engine.core.groups[party.group]?.accessKeys.map(\.hash) == hashes.reversed())
        }
        #expect(Set((0..<4).map { party.nodes[$0].engine.digest(of: party.group) }).count == 1)
        #expect(!party.nodes[4].engine.isMember(of: party.group) && !party.nodes[5].engine.isMember(of: party.group))
    }

    @Test func `keys are dialled by turns, the newest every other time`() {
        let turns = (0..<8).map { Dialler.choice(attempt: $0, newest: 1, older: 3) }
        #expect(turns.map(\.isNewest) == [true, false, true, false, true, false, true, false])
        #expect(turns.filter { !$0.isNewest }.map(\.index) == [0, 1, 2, 0])
        #expect((0..<4).map { Dialler.choice(attempt: $0, newest: 2, older: 0).index } == [0, 1, 0, 1])
    }

    @Test func `old keys fill the free slots of beacons by turns`() throws {
        var discovery = Discovery()
        let keys = try (0..<12).map { try SymmetricKey(rawBytes: [UInt8](repeating: UInt8($0), count: 32)) }
        discovery.sources = keys.enumerated().map { index, key in
            Discovery.Source(
                group: Forged.otherGroup, invite: nil, key: key, isCalled: index < 2, isCalledInTurn: index >= 2)
        }
        let calls = (0..<2).map { _ in discovery.takeCalledSources().map(\.key) }
        #expect(calls.allSatisfy { $0.count == 8 && $0.starts(with: keys.prefix(2)) })
        #expect(calls.flatMap { $0.dropFirst(2) } == [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 2, 3].map { keys[$0] })
    }

    @Test func `a node in many groups calls for all of them by turns, and under an invite every time`() throws {
        var discovery = Discovery()
        let keys = try (0..<12).map { try SymmetricKey(rawBytes: [UInt8](repeating: UInt8($0), count: 32)) }
        let linkKey = LinkKey(presharedKey: keys[0], tagKey: keys[0], label: .access(Forged.otherGroup, index: 0))
        discovery.sources = keys.enumerated().map { index, key in
            Discovery.Source(
                group: Forged.otherGroup, invite: nil, key: key, linkKey: index == 11 ? nil : linkKey, isCalled: true)
        }
        let calls = (0..<3).map { _ in discovery.takeCalledSources().map(\.key) }
        #expect(calls.allSatisfy { $0.count == 8 && $0[0] == keys[11] })
        #expect(calls.flatMap { $0.dropFirst() } == (0..<21).map { keys[$0 % 11] })
    }

    @Test func `losing one of two shared groups leaves the link and the other group alone`() throws {
        var party = try EngineNetwork.friends(2)
        let first = party.group
        party.group = try party.found(by: 1)
        let second = party.group
        try party.join(0, by: party.invite(by: 1))
        party.run(for: .seconds(2))
        #expect(party.command(.remove(first, party.user(1)), at: 0) == .done)
        party.run(for: .seconds(200))
        #expect(party.isLinked(0, 1))
        #expect(!party.nodes[0].events.contains(.linkClosed(party.device(1))))
        #expect(party.nodes[0].engine.linkedDevices.map(\.groups) == [[second]])
        party.write("still here", by: 1)
        party.run(for: .seconds(1))
        #expect(party.names(0) == ["still here"])
        #expect(party.nodes[1].engine.isMember(of: second) && !party.nodes[1].engine.isMember(of: first))
    }

    @Test(arguments: [false, true])
    func `an annulled removal gives back at once what is here past its cut`(restarts: Bool) throws {
        var party = try EngineNetwork.friends(4)
        #expect(party.command(.setRole(party.group, party.user(1), .admin), at: 0) == .done)
        party.run(for: .seconds(2))
        party.partition([[0, 3], [1, 2]])
        // Who removes has not heard it, so it lies past the cut.
        party.write("name 3, new", by: 3)
        party.run(for: .seconds(2))
        #expect(party.command(.remove(party.group, party.user(3)), at: 1) == .done)
        party.partition([[0, 1, 2], [3]])
        party.run(for: .seconds(400)) { !$0.names(0).contains("name 3, new") }
        #expect(!party.names(0).contains("name 3, new"))
        guard case .removed(let removal)? = try party.state(0).device(party.device(3))?.standing else {
            Issue.record("not removed")
            return
        }
        if restarts { party.restart(0) }
        #expect(party.command(.annul(party.group, removal: removal), at: 0) == .done)
        #expect(party.names(0).contains("name 3, new"))
    }

    @Test func `an annulled removal gives everything back`() throws {
        var party = try EngineNetwork.friends(4)
        for index in 0..<4 { party.write("name \(index)", by: index) }
        #expect(party.command(.setRole(party.group, party.user(1), .admin), at: 0) == .done)
        party.run(for: .seconds(2))
        party.partition([[0, 1, 2], [3]])
        // Written while the others do not hear: past the cut.
        party.write("name 3, new", by: 3)
        #expect(party.command(.remove(party.group, party.user(3)), at: 1) == .done)
        party.run(for: .seconds(400))
        party.partition([])
        party.run(for: .seconds(3_600)) { !$0.lostGroups(3).isEmpty }
        #expect(party.lostGroups(3).count == 1 && party.names(3) == ["name 3"])
        #expect(party.names(0).contains("name 3") && !party.names(0).contains("name 3, new"))
        guard case .removed(let removal)? = try party.state(0).device(party.device(3))?.standing else {
            Issue.record("not removed")
            return
        }
        // Nobody sends it anything any longer.
        party.run(for: .seconds(300))
        #expect((0..<3).allSatisfy { !party.isLinked($0, 3) })
        #expect(party.command(.annul(party.group, removal: removal), at: 0) == .done)
        party.run(for: .seconds(2 * 3_600)) { party in
            party.nodes[3].engine.isMember(of: party.group) && party.digests().count == 1
        }
        #expect(party.names(3) == ["name 0", "name 1", "name 2", "name 3, new"])
        #expect(party.names(0) == party.names(3))
        #expect(try party.state(2).role(of: party.user(1)) == .member)
    }

    @Test func `who leaves keeps only its own once somebody has heard it`() throws {
        var party = try EngineNetwork.friends(3)
        for index in 0..<3 { party.write("name \(index)", by: index) }
        party.run(for: .seconds(2))
        party.partition([[0, 1], [2]])
        party.run(for: .seconds(400))
        #expect(party.command(.leave(party.group, erasing: false), at: 2) == .done)
        party.run(for: .seconds(100))
        // Nobody has heard so.
        #expect(party.lostGroups(2).isEmpty && party.nodes[2].engine.recordCount(of: party.group) == 3)
        party.partition([])
        party.run(for: .seconds(3_600))
        #expect(party.lostGroups(2).count == 1 && party.nodes[2].engine.recordCount(of: party.group) == 1)
        #expect(try party.state(0).members.count == 2)
        #expect(party.names(0).count == 3)
    }

    @Test func `how far a friend is behind is known, also while it is away`() throws {
        var party = try EngineNetwork.friends(2)
        party.write("one", by: 0)
        party.run(for: .seconds(5))
        let other = party.device(1)
        #expect(party.nodes[0].engine.behind(other, in: party.group) == 0)
        party.partition([[0], [1]])
        party.run(for: .seconds(400))
        #expect(!party.isLinked(0, 1))
        party.write(puzzles: 1...7, by: 0)
        #expect(party.nodes[0].engine.behind(other, in: party.group) == 7)
        #expect(party.nodes[0].engine.behind(Forged.stranger.device, in: party.group) == nil)
        party.partition([])
        party.run(for: .seconds(3_600)) { $0.digests().count == 1 }
        party.run(for: .seconds(5))
        #expect(party.nodes[0].engine.behind(other, in: party.group) == 0)
    }

    // MARK: Approval

    @Test func `a newcomer under an invite that needs approval waits, and is admitted when it asks again`() throws {
        var party = EngineNetwork(accounts: [0, 1, 2])
        party.group = try party.found(by: 0)
        try party.join(1, by: party.invite(by: 0))
        let link = try party.invite(by: 0, needsApproval: true)
        party.partition([[1, 2], [0]])
        #expect(
            party.command(.join(link, timeout: .seconds(30)), at: 2) == .failed(.joinRefused(.awaitingApproval)))
        #expect(
            party.command(.join(link, timeout: .seconds(30)), at: 2) == .failed(.joinRefused(.awaitingApproval)))
        #expect(party.nodes[1].engine.openRequests(in: party.group).count == 1, "asking again is no second wish")
        #expect(try party.state(1).isMember(party.user(2)) == false)
        party.partition([])
        party.run(for: .seconds(3_600)) { !$0.nodes[0].engine.openRequests(in: $0.group).isEmpty }
        let request = try #require(party.nodes[0].engine.openRequests(in: party.group).first)
        #expect(request.claim.certificate.user == party.user(2))
        #expect(
            party.command(.admit(party.group, request: request.id), at: 1)
                == .failed(.notAllowed(.refused(.needsApproval))))
        #expect(party.command(.admit(party.group, request: request.id), at: 0) == .done)
        try party.join(2, by: link)
        #expect(party.nodes[0].engine.openRequests(in: party.group).isEmpty)
        #expect(try party.state(0).members.count == 3)
        #expect(party.command(.admit(party.group, request: request.id), at: 0) == .failed(.unknownRequest))
    }

    @Test func `who is turned down hears it, until somebody thinks otherwise`() throws {
        var party = EngineNetwork(accounts: [0, 1])
        party.group = try party.found(by: 0)
        let link = try party.invite(by: 0, needsApproval: true)
        #expect(
            party.command(.join(link, timeout: .seconds(30)), at: 1) == .failed(.joinRefused(.awaitingApproval)))
        let request = try #require(party.nodes[0].engine.openRequests(in: party.group).first)
        #expect(party.command(.denyRequest(party.group, request: request.id), at: 0) == .done)
        #expect(party.nodes[0].engine.isDenied(request.claim, in: party.group))
        #expect(party.command(.join(link, timeout: .seconds(30)), at: 1) == .failed(.joinRefused(.denied)))
        #expect(party.command(.admit(party.group, request: request.id), at: 0) == .done)
        #expect(!party.nodes[0].engine.isDenied(request.claim, in: party.group), "nor when they come back by it")
        try party.join(1, by: link)
    }

    @Test func `somebody who was turned down can ask again by a new invite`() throws {
        var party = EngineNetwork(accounts: [0, 1])
        party.group = try party.found(by: 0)
        let asked = try party.invite(by: 0, needsApproval: true)
        #expect(
            party.command(.join(asked, timeout: .seconds(30)), at: 1) == .failed(.joinRefused(.awaitingApproval)))
        let request = try #require(party.nodes[0].engine.openRequests(in: party.group).first)
        #expect(party.command(.denyRequest(party.group, request: request.id), at: 0) == .done)
        let newInvite = try party.invite(by: 0, needsApproval: true)
        #expect(
            party.command(.join(newInvite, timeout: .seconds(30)), at: 1) == .failed(.joinRefused(.awaitingApproval)))
        let second = try #require(party.nodes[0].engine.openRequests(in: party.group).first)
        #expect(second.id != request.id)
        #expect(!party.nodes[0].engine.isDenied(second.claim, in: party.group))
        #expect(party.command(.admit(party.group, request: second.id), at: 0) == .done)
        try party.join(1, by: newInvite)
    }

    @Test func `another device of a user who was turned down is refused under the same invite, by every member`() throws
    {
        var party = EngineNetwork(accounts: [0, 1, 1])
        party.group = try party.found(by: 0)
        let link = try party.invite(by: 0, needsApproval: true)
        #expect(
            party.command(.join(link, timeout: .seconds(30)), at: 1) == .failed(.joinRefused(.awaitingApproval)))
        let request = try #require(party.nodes[0].engine.openRequests(in: party.group).first)
        #expect(party.command(.denyRequest(party.group, request: request.id), at: 0) == .done)
        #expect(party.command(.join(link, timeout: .seconds(30)), at: 2) == .failed(.joinRefused(.denied)))
        #expect(party.nodes[0].engine.openRequests(in: party.group).count == 1)
    }

    @Test func `a plain member turns nobody down`() throws {
        var party = EngineNetwork(accounts: [0, 1, 2])
        party.group = try party.found(by: 0)
        try party.join(1, by: party.invite(by: 0))
        let link = try party.invite(by: 0, needsApproval: true)
        #expect(
            party.command(.join(link, timeout: .seconds(30)), at: 2) == .failed(.joinRefused(.awaitingApproval)))
        party.run(for: .seconds(60)) { !$0.nodes[1].engine.openRequests(in: $0.group).isEmpty }
        let request = try #require(party.nodes[1].engine.openRequests(in: party.group).first)
        #expect(
            party.command(.denyRequest(party.group, request: request.id), at: 1)
                == .failed(.notAllowed(.refused(.needsAdmin))))
        #expect(!party.nodes[1].engine.isDenied(request.claim, in: party.group))
    }

    @Test func `a newcomer who was approved and then removed is told so, and stops waiting`() throws {
        var party = EngineNetwork(accounts: [0, 1])
        party.group = try party.found(by: 0)
        let link = try party.invite(by: 0, needsApproval: true)
        #expect(
            party.command(.join(link, timeout: .seconds(30)), at: 1) == .failed(.joinRefused(.awaitingApproval)))
        let request = try #require(party.nodes[0].engine.openRequests(in: party.group).first)
        #expect(party.command(.admit(party.group, request: request.id), at: 0) == .done)
        try party.join(1, by: link)
        #expect(party.command(.remove(party.group, party.user(1)), at: 0) == .done)
        #expect(party.nodes[0].engine.openRequests(in: party.group).isEmpty)
        party.run(for: .seconds(5))
        #expect(party.command(.forgetGroup(party.group), at: 1) == .done)
        #expect(party.command(.join(link, timeout: .seconds(30)), at: 1) == .failed(.joinRefused(.removed)))
        #expect(party.nodes[0].engine.openRequests(in: party.group).isEmpty)
    }

    // MARK: Devices

    /// A club of an owner (0) and somebody with two machines (1, 2), which have a group of their own, too.
    private func clubWithTwoMachines() throws -> EngineNetwork {
        var party = EngineNetwork(accounts: [0, 1, 1])
        party.group = try party.found(by: 1)
        try party.join(2, by: party.invite(by: 1))
        party.group = try party.found(by: 0)
        let link = try party.invite(by: 0)
        for index in 1...2 { try party.join(index, by: link) }
        party.run(for: .seconds(5))
        return party
    }

    @Test(arguments: [false, true])
    func `a machine hears from another one of its user that they are in again`(isApart: Bool) throws {
        var party = try clubWithTwoMachines()
        #expect(party.command(.leave(party.group, erasing: false), at: 1) == .done)
        party.run(for: .seconds(30)) { !$0.lostGroups(2).isEmpty }
        #expect(party.lostGroups(2).count == 1)
        if isApart {
            // Until the link of the two is gone.
            party.partition([[0, 1], [2]])
            party.run(for: .seconds(900))
        }
        try party.join(1, by: party.invite(by: 0))
        if isApart { party.partition([[0], [1, 2]]) }
        party.run(for: .seconds(3_600)) { (try? $0.state(2).isCurrentMember(device: $0.device(2))) == true }
        #expect(try party.state(2).isCurrentMember(device: party.device(2)))
    }

    @Test(arguments: [false, true])
    func `a machine hears from another one of its user that they were removed`(isLinkNew: Bool) throws {
        var party = try clubWithTwoMachines()
        party.partition([[0, 1], [2]])
        if isLinkNew { party.run(for: .seconds(900)) }
        #expect(party.command(.remove(party.group, party.user(1)), at: 0) == .done)
        party.run(for: .seconds(30)) { !$0.lostGroups(1).isEmpty }
        #expect(party.lostGroups(1).count == 1)
        party.partition([[0], [1, 2]])
        party.run(for: .seconds(3_600)) { !$0.lostGroups(2).isEmpty }
        #expect(party.lostGroups(2).count == 1)
    }

    /// Whom a removed device asks for a ledger: everybody who may know more.
    @Test
    func `members, own devices and strangers are asked why they tell of a group, others who were removed are not`()
        throws
    {
        // Account 1 has two machines; 2 was removed, too; 3 knows account 1 from another group only.
        var party = EngineNetwork(accounts: [0, 1, 2, 1, 3])
        let group = try party.found(by: 0)
        party.group = group
        let link = try party.invite(by: 0)
        for index in 1...3 { try party.join(index, by: link) }
        party.group = try party.found(by: 1)
        let other = try party.invite(by: 1)
        for index in [2, 3, 4] { try party.join(index, by: other) }
        party.run(for: .seconds(20))
        for account in [2, 1] { #expect(party.command(.remove(group, party.user(account)), at: 0) == .done) }
        party.run(for: .seconds(10))
        let engine = party.nodes[1].engine
        #expect(!engine.isMember(of: group))
        let asked = [0, 2, 3, 4].filter { index in
            let link = engine.core.links.link(to: party.nodes[index].engine.identity.linkKey.publicKey)
            return link.map { engine.core.access(of: $0, in: group).contains(.question) } ?? false
        }
        #expect([0, 2, 3, 4].allSatisfy { party.isLinked(1, $0) })
        #expect(asked == [0, 3], "4 has not proven to know the group")
        // The same holds when they send a digest: once for each digest, and only if they have proven the group's key.
        for index in [0, 2, 3] {
            var party = party
            let digest = GroupDigest(bytes: Bytes16(7, 7))
            let heard = (0..<2).map { _ in
                let before = party.nodes[index].receivedByteCount
                party.say(
                    .digest(
                        GroupHandle(group), digest, arrival: 1, count: 1, clock: UInt64(EngineNetwork.wall / 1_000)),
                    from: index, to: 1)
                return (party.nodes[index].receivedByteCount) - before
            }
            #expect((heard[0] > heard[1]) == (index != 2), "\(index): \(heard)")
        }
    }

    @Test func `a device that its account certified comes in by any invite, without using it up`() throws {
        var party = EngineNetwork(accounts: [0, 1, 2, 1])
        party.group = try party.found(by: 0)
        try party.join(1, by: party.invite(by: 0))
        party.write("old results", by: 1)
        let link = try party.invite(by: 0, uses: 1)
        try party.join(3, by: link)
        party.run(for: .seconds(3))
        #expect(party.names(3) == ["old results"])
        #expect(try party.state(0).members.count == 2)
        #expect(try party.state(0).isCurrentMember(device: party.device(3)))
        #expect(party.digests().subtracting([nil]).count == 1)
        try party.join(2, by: link)
    }

    @Test func `neither a removed user's new device nor a revoked device comes in that way`() throws {
        var party = EngineNetwork(accounts: [0, 1, 1])
        party.group = try party.found(by: 0)
        let old = try party.invite(by: 0)
        try party.join(1, by: old)
        #expect(party.command(.remove(party.group, party.user(1)), at: 0) == .done)
        #expect(party.command(.join(old, timeout: .seconds(30)), at: 2) == .failed(.joinRefused(.removed)))

        var second = EngineNetwork(accounts: [0, 1, 1])
        second.group = try second.found(by: 0)
        let link = try second.invite(by: 0)
        for index in 1...2 { try second.join(index, by: link) }
        second.run(for: .seconds(2))
        let key = second.nodes[1].account
        #expect(second.command(.revokeDevice(second.device(2), accountKey: key), at: 1) == .done)
        second.run(for: .seconds(2))
        #expect(second.command(.forgetGroup(second.group), at: 2) == .done)
        #expect(second.command(.join(link, timeout: .seconds(30)), at: 2) == .failed(.joinRefused(.other)))
        #expect(try second.state(0).isCurrentMember(device: second.device(2)) == false)
    }

    @Test func `a device is revoked in every group at once, each with a new key`() throws {
        var party = EngineNetwork(accounts: [0, 1, 1])
        let groups = try (0..<2).map { _ in
            party.group = try party.found(by: 0)
            let link = try party.invite(by: 0)
            for index in 1...2 { try party.join(index, by: link) }
            return party.group
        }
        party.run(for: .seconds(3))
        let stranger = SigningSecretKey.generate(from: &party.entropy)
        #expect(
            party.command(.revokeDevice(party.device(2), accountKey: stranger), at: 1)
                == .failed(.notAllowed(.invalidRevocation)))
        #expect(
            party.command(.revokeDevice(Forged.stranger.device, accountKey: party.nodes[1].account), at: 1)
                == .failed(.notAllowed(.refused(.unknownDevice(Forged.stranger.device)))))
        #expect(party.command(.revokeDevice(party.device(2), accountKey: party.nodes[1].account), at: 1) == .done)
        party.run(for: .seconds(1))
        for group in groups {
            party.group = group
            let state = try party.state(0)
            #expect(state.isMember(party.user(1)) && !state.isCurrentMember(device: party.device(2)))
            #expect(state.accessKeyHashes.count == 2)
            #expect(party.nodes[0].engine.core.groups[group]?.missingAccessKeys == [])
            #expect(party.nodes[2].engine.core.groups[group]?.accessKeys.count == 1)
        }
        #expect(party.lostGroups(2).count == 2)
        party.run(for: .seconds(65))
        #expect(!party.isLinked(0, 2) && !party.isLinked(1, 2) && party.isLinked(0, 1))
    }
}
