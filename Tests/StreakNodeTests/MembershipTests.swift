import StreakEngine
import StreakMembership
import StreakReplication
import StreakStorage
import Testing

@testable import StreakNode

/// Roles, settings, invites and departures, between running nodes.
@Suite(.timeLimit(.minutes(10))) struct MembershipTests {
    private static func members(_ node: MeshNode, _ request: MemberRequest) async throws -> MembersReport {
        try await node.call(request)
    }

    private static func requests(_ node: MeshNode, _ request: AdmissionRequest) async throws -> [JoinRequestReport] {
        try await node.call(request).requests
    }

    @Test func `a group changes its title, settings, roles, heir and owner`() async throws {
        let party = try NodeParty()
        try await party.running("Ada", "Ben") { nodes in
            let (ada, ben) = (nodes[0], nodes[1])
            _ = try await ada.group(.create(title: "Red"))
            try await ben.join(try await ada.invite().link)
            try await ada.until { try await $0.members().contains { $0.name == "Ben" } }
            await #expect(throws: NodeFailure.notAllowed(action: "rename the group")) {
                try await ben.group(.rename(group: nil, title: "Blue"))
            }
            #expect(try await Self.members(ada, .promote(group: nil, user: "ben")).members.last?.role == "admin")
            try await ben.until { try await $0.members().contains { $0.me && $0.role == "admin" } }
            #expect(try await ben.group(.rename(group: nil, title: "Blue")).title == "Blue")
            let change = GroupSettingsChange(invites: "owner", spoilerGuard: false)
            let settings = try await ben.call(
                GroupSettingsRequest.change(group: nil, change))
            #expect((settings.invites, settings.spoilerGuard) == ("owner", false))
            await #expect(throws: NodeFailure.notAllowed(action: "invite", reason: .needsOwner)) {
                try await ben.invite()
            }
            try await ada.until { try await $0.status().groups[0].title == "Blue" }
            _ = try await ada.group(.heir(group: nil, user: "Ben"))
            try await ben.until { try await $0.members().contains { $0.me && $0.heir } }
            #expect(try await ben.group(.takeOver(group: nil)).role == "owner")
            try await ada.until { try await $0.members().contains { $0.name == "Ben" && $0.role == "owner" } }
            #expect(try await ada.members().first { $0.me }?.role == "member")
            await #expect(throws: NodeFailure.alreadyRole(name: "Ada", role: "member")) {
                try await Self.members(ben, .demote(group: nil, user: "Ada"))
            }
            // The former owner takes it back, and may do as owner what she could before.
            #expect(try await Self.takeover(of: ben) == nil)
            #expect(try await Self.takeover(of: ada) == .back)
            #expect(try await ada.group(.takeOver(group: nil)).role == "owner")
            #expect(try await Self.takeover(of: ada) == nil)
            try await ben.until { try await $0.members().contains { $0.name == "Ada" && $0.role == "owner" } }
            #expect(try await ada.members().first { $0.name == "Ben" }?.role == "admin", "named so before all this")
            await #expect(throws: NodeFailure.notAllowed(action: "take the group over", reason: .needsHeir)) {
                try await ben.group(.takeOver(group: nil))
            }
        }
    }

    private static func takeover(of node: MeshNode) async throws -> GroupSettingsReport.Takeover? {
        try await node.call(GroupSettingsRequest.show(group: nil)).takeover
    }

    @Test func `who is removed says so, keeps own results and shows nobody else's`() async throws {
        let party = try NodeParty()
        try await party.running("Ada", "Ben") { nodes in
            let (ada, ben) = (nodes[0], nodes[1])
            _ = try await ada.group(.create(title: "Red"))
            try await ben.join(try await ada.invite().link)
            try await ada.add("Wordle 1,700 3/6")
            try await ben.add("Wordle 1,700 4/6")
            try await ben.until { try await $0.board().rows.count { $0.played == 1 } == 2 }
            try await ada.until { try await $0.board().rows.count { $0.played == 1 } == 2 }
            let report = try await Self.members(ada, .remove(group: nil, user: "Ben"))
            #expect(report.former.map(\.reason) == ["removed"])
            #expect(report.former.map(\.endedBy) == ["Ada"])
            #expect(report.former.first?.ended?.hasSuffix("Z") == true)
            try await ben.until { try await Self.groups($0).first?.role == "removed" }
            #expect(await ben.othersRecords(in: "Red") == 0)
            #expect(try await ben.results().count == 1)
            #expect(try await Self.groups(ben).first?.ended == report.former.first?.ended)
            let status = try await ben.status()
            #expect((status.state, status.groups[0].online, status.groups[0].role) == ("local only", 0, "removed"))
            await #expect(throws: NodeFailure.notMember(title: "Red")) { try await ben.board(of: "Red") }
            await #expect(throws: NodeFailure.notMember(title: "Red")) { try await ben.members("Red") }
            await #expect(throws: NodeFailure.notMember(title: "Red")) {
                try await ben.group(.use(group: "Red"))
            }
            // A user who asks for the board is told what happened to the only group.
            let ended = try await Self.groups(ben)
            await #expect(throws: NodeFailure.noGroup(ended: ended)) { try await ben.board() }
            await #expect(throws: NodeFailure.notMember(title: "Red")) {
                try await ben.add("Wordle 1,701 4/6", to: ["Red"])
            }
            #expect(try await ben.add("Wordle 1,701 4/6").published.isEmpty)
            // What the removed member had shared stays with the group.
            #expect(try await ada.board().rows.count { $0.played == 1 } >= 1)
        }
    }

    private static func groups(_ node: MeshNode) async throws -> [GroupReport] {
        try await node.call(GroupListRequest.all).groups
    }

    @Test func `a group that has ended stays on the list until it is taken off, and comes back with a new place`()
        async throws
    {
        let party = try NodeParty()
        try await party.running("Ada", "Ben") { nodes in
            let (ada, ben) = (nodes[0], nodes[1])
            _ = try await ada.group(.create(title: "Red"))
            for _ in 1...2 {
                try await ben.join(try await ada.invite().link)
                #expect(try await Self.groups(ben).map(\.role) == ["member"])
                try await ada.until { try await $0.members().contains { $0.name == "Ben" } }
                _ = try await Self.members(ada, .remove(group: nil, user: "Ben"))
                try await ben.until { try await Self.groups($0).first?.role == "removed" }
                // For this user's own group with that name, nothing is ambiguous.
                let mine = try await ben.group(.create(title: "Red"))
                #expect(try await ben.group(.use(group: "Red")).id == mine.id)
                _ = try await ben.group(.leave(group: mine.id, erasing: false))
                await #expect(throws: NodeFailure.notMember(title: "Red")) {
                    try await ben.group(.leave(group: "Red", erasing: true))
                }
                #expect(try await ben.group(.leave(group: "Red", erasing: false)).dismissed)
                #expect(try await Self.groups(ben).isEmpty)
                #expect(try await ben.status().groups.isEmpty)
                await #expect(throws: NodeFailure.unknownGroup("Red")) { try await ben.board(of: "Red") }
            }
        }
        try await party.running("Ben") { nodes in
            let groups = try await Self.groups(nodes[0])
            #expect(groups.isEmpty, "also after a restart")
        }
    }

    @Test func `what the owner cannot do with herself says so, and writes nothing`() async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Red"))
            let digest = try await node.status().groups[0].digest
            func refused(_ reason: RoleReason, _ action: String, _ request: some NodeRequest) async {
                await #expect(throws: NodeFailure.notAllowed(action: action, reason: reason)) {
                    _ = try await node.call(request)
                }
            }
            await refused(.leaves, "remove this member", MemberRequest.remove(group: nil, user: "Ada"))
            await refused(.ownsGroup, "promote a member", MemberRequest.promote(group: nil, user: "Ada"))
            await refused(.ownsGroup, "demote an admin", MemberRequest.demote(group: nil, user: "Ada"))
            await refused(.ownsGroup, "name an heir", GroupRequest.heir(group: nil, user: "Ada"))
            await refused(.ownsGroup, "hand the group on", GroupRequest.transfer(group: nil, user: "Ada"))
            await refused(.ownsGroup, "take the group over", GroupRequest.takeOver(group: nil))
            #expect(try await node.status().groups[0].digest == digest)
        }
    }

    @Test func `who may do what an admin may not is named`() async throws {
        let party = try NodeParty()
        try await party.running("Ada", "Ben") { nodes in
            let (ada, ben) = (nodes[0], nodes[1])
            _ = try await ada.group(.create(title: "Red"))
            try await ben.join(try await ada.invite().link)
            try await ada.until { try await $0.members().contains { $0.name == "Ben" } }
            _ = try await Self.members(ada, .promote(group: nil, user: "Ben"))
            await #expect(throws: NodeFailure.alreadyRole(name: "Ben", role: "admin")) {
                try await Self.members(ada, .promote(group: nil, user: "Ben"))
            }
            try await ben.until { try await $0.members().contains { $0.me && $0.role == "admin" } }
            await #expect(throws: NodeFailure.notAllowed(action: "demote an admin", reason: .needsOwner)) {
                try await Self.members(ben, .demote(group: nil, user: "Ben"))
            }
            await #expect(throws: NodeFailure.notAllowed(action: "remove this member", reason: .ownerStays)) {
                try await Self.members(ben, .remove(group: nil, user: "Ada"))
            }
            await #expect(throws: NodeFailure.notAllowed(action: "name an heir", reason: .needsOwner)) {
                try await ben.group(.heir(group: nil, user: "Ben"))
            }
            await #expect(throws: NodeFailure.notAllowed(action: "hand the group on", reason: .needsOwner)) {
                try await ben.group(.transfer(group: nil, user: "Ben"))
            }
            await #expect(throws: NodeFailure.alreadyRole(name: "Ada", role: "owner")) {
                try await ben.group(.transfer(group: nil, user: "Ada"))
            }
            await #expect(throws: NodeFailure.notAllowed(action: "take the group over", reason: .needsHeir)) {
                try await ben.group(.takeOver(group: nil))
            }
        }
    }

    @Test func `the owner sees what an admin did to others, and annuls it`() async throws {
        let party = try NodeParty()
        try await party.running("Ada", "Ben", "Cleo") { nodes in
            let (ada, ben, cleo) = (nodes[0], nodes[1], nodes[2])
            _ = try await ada.group(.create(title: "Red"))
            for friend in [ben, cleo] { try await friend.join(try await ada.invite().link) }
            try await ada.until { try await $0.members().count == 3 }
            _ = try await Self.members(ada, .promote(group: nil, user: "Ben"))
            try await ben.until { try await $0.members().contains { $0.me && $0.role == "admin" } }
            try await ben.until { try await $0.members().contains { $0.name == "Cleo" } }
            _ = try await Self.members(ben, .remove(group: nil, user: "Cleo"))
            _ = try await ben.group(.rename(group: nil, title: "Ben’s"))
            try await ada.until { try await $0.status().groups[0].title == "Ben’s" }
            try await cleo.until { try await $0.status().groups.first?.role == "removed" }

            let cleos = try await cleo.call(ProfileRequest.whoami).user
            let list = try await ada.call(AnnulmentRequest.list(group: "Ben’s"))
            let removal = try #require(list.removals.first)
            #expect(list.removals.count == 1 && list.annulled == nil)
            #expect((removal.removed.name, removal.admin.name) == ("Cleo", "Ben"))
            #expect(removal.removed.user == cleos)
            #expect(removal.back && removal.returning == [] && removal.leaving == [] && !removal.settings)
            // The title, and the end of the invite by which Cleo came.
            #expect(removal.newTitle == "Red" && removal.voided == 2)

            await #expect(throws: NodeFailure.notAllowed(action: "annul a removal", reason: .needsOwner)) {
                _ = try await ben.call(AnnulmentRequest.list(group: nil))
            }
            await #expect(throws: NodeFailure.notAllowed(action: "annul a removal", reason: .needsOwner)) {
                _ = try await ben.call(AnnulmentRequest.annul(group: nil, id: removal.id))
            }
            for id in ["", "zz"] {
                await #expect(throws: NodeFailure.unknownRemoval(id)) {
                    _ = try await ada.call(AnnulmentRequest.annul(group: nil, id: id))
                }
            }
            let done = try await ada.call(AnnulmentRequest.annul(group: nil, id: String(removal.id.prefix(6))))
            #expect(done.annulled == removal && done.removals == [] && done.title == "Red")
            #expect(try await ada.members().map(\.name).sorted() == ["Ada", "Ben", "Cleo"])
            try await ben.until { try await $0.members().contains { $0.me && $0.role == "member" } }
        }
    }

    @Test func `a newcomer under approval waits, and is let in or turned down`() async throws {
        let party = try NodeParty()
        try await party.running("Ada", "Ben", "Cleo") { nodes in
            let (ada, ben, cleo) = (nodes[0], nodes[1], nodes[2])
            _ = try await ada.group(.create(title: "Red"))
            let invite = try await ada.invite(approval: true)
            #expect(invite.approval)
            await #expect(throws: NodeFailure.approvalNeeded(title: "Red")) { try await ben.join(invite.link) }
            let waiting = try await Self.requests(ada, .list(group: nil))
            #expect(waiting.count == 1)
            #expect(try await Self.members(ada, .list(group: nil)).waiting == waiting)
            #expect(try await Self.requests(ada, .approve(id: String(waiting[0].id.prefix(8)))).isEmpty)
            #expect(try await ben.join(invite.link).members == 2)
            await #expect(throws: NodeFailure.approvalNeeded(title: "Red")) { try await cleo.join(invite.link) }
            let id = try #require(try await Self.requests(ada, .list(group: nil)).first?.id)
            #expect(try await Self.requests(ada, .deny(id: id)).map(\.denied) == [true])
            await #expect(throws: NodeFailure.joinDenied) { try await cleo.join(invite.link) }
            #expect(try await Self.requests(ada, .approve(id: id)).isEmpty, "on second thoughts")
            #expect(try await cleo.join(invite.link).members == 3)
            await #expect(throws: NodeFailure.unknownRequest("zz")) { try await Self.requests(ada, .deny(id: "zz")) }
        }
    }

    @Test func `members are explained: code, role, since when and by whom`() async throws {
        let party = try NodeParty()
        let ben = try party.makeAccount("Ben")
        try await party.running("Ada", "Ben") { nodes in
            _ = try await nodes[0].group(.create(title: "Red"))
            let invite = try await nodes[0].invite()
            try await nodes[1].join(invite.link)
            try await nodes[0].until { try await $0.members().contains { $0.name == "Ben" } }
            let member = try #require(try await nodes[0].members().first { !$0.me })
            #expect(member.code == ben.friendCode)
            #expect((member.admittedBy, member.invite, member.role) == ("Ada", invite.id, "member"))
            #expect(member.since?.hasSuffix("Z") == true)
            // Everybody sees every live invite and who made it; the link only its author.
            let seen = try await nodes[1].call(InviteListRequest.list(group: nil)).invites
            #expect(seen.map(\.id) == [invite.id])
            #expect((seen[0].author, seen[0].mine, seen[0].link, seen[0].used) == ("Ada", false, "", 1))
        }
    }

    @Test func `equal names are told apart`() async throws {
        let party = try NodeParty()
        try await party.running("Ada", "Ben") { nodes in
            _ = try await nodes[0].group(.create(title: "Red"))
            try await nodes[1].join(try await nodes[0].invite().link)
            _ = try await nodes[1].call(ProfileRequest.rename(name: "ada"))
            try await nodes[0].until { try await $0.members().allSatisfy { $0.name.lowercased().hasPrefix("ada (") } }
            #expect(Set(try await nodes[0].members().map(\.name)).count == 2)
            let refusal = await #expect(throws: NodeFailure.self) {
                try await Self.members(nodes[0], .promote(group: nil, user: "ada"))
            }
            guard case .ambiguousMember("ada", let candidates)? = refusal else {
                Issue.record("\(String(describing: refusal))")
                return
            }
            #expect(candidates.count == 2)
        }
    }

    @Test func `equal names get codes wherever they are shown, also where nobody looked at the members`() async throws {
        let party = try NodeParty()
        try await party.running("Ada", "Ben") { nodes in
            _ = try await nodes[0].group(.create(title: "Red"))
            try await nodes[1].join(try await nodes[0].invite().link)
            _ = try await nodes[1].call(ProfileRequest.rename(name: "Ada"))
            let code = try await nodes[1].call(ProfileRequest.whoami).friendCode.prefix(4)
            try await nodes[0].until { node in
                try await node.call(FeedRequest.show(group: nil, limit: 50)).entries.contains {
                    ($0.kind, $0.name) == ("joined", "Ada (\(code))")
                }
            }
        }
    }

    @Test(arguments: ["A\u{AD}da", "ada\u{FE0F}", "A\u{34F}DA", "\u{410}d\u{430}"])
    func `names that look equal are told apart, too`(name: String) async throws {
        let party = try NodeParty()
        try await party.running("Ada", "Ben") { nodes in
            _ = try await nodes[0].group(.create(title: "Red"))
            try await nodes[1].join(try await nodes[0].invite().link)
            _ = try await nodes[1].call(ProfileRequest.rename(name: name))
            try await nodes[0].until { try await $0.members().allSatisfy { $0.name.hasSuffix(")") } }
        }
    }

    @Test func `who leaves shares nothing there any more, should somebody let them in again unasked`() async throws {
        let party = try NodeParty()
        try await party.running("Ada", "Ben") { nodes in
            let (ada, ben) = (nodes[0], nodes[1])
            _ = try await ada.group(.create(title: "Red"))
            try await ben.join(try await ada.invite().link)
            #expect(await ben.isStopped(in: "Red") == false)
            _ = try await ben.group(.leave(group: "Red", erasing: false))
            #expect(await ben.isStopped(in: "Red") == true)
            // They share again when they choose to.
            try await ben.join(try await ada.invite().link)
            #expect(await ben.isStopped(in: "Red") == false)
        }
    }
}

extension MeshNode {
    /// How many records of others are here of a group.
    fileprivate func othersRecords(in title: String) -> Int? {
        sharedGroups.first { engine.state(of: $0)?.title == title }.map { group in
            engine.mergedRecords(of: group).count { $0.key.user != identity.user }
        }
    }

    /// Whether this user's machines have agreed to tell a group nothing new.
    fileprivate func isStopped(in title: String) -> Bool? {
        sharedGroups.first { engine.state(of: $0)?.title == title }.map { core.sharing(in: $0).isStopped }
    }
}
