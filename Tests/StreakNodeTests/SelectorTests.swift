import StreakEngine
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakNode

/// How texts name people, and that nobody can take another's name.
@Suite(.timeLimit(.minutes(10))) struct SelectorTests {
    private struct Candidate {
        var name: String
        var code: String?
        var id: String
    }

    private static let candidates = [
        Candidate(name: "Ben", code: "7K3M-9QXT-42WJ", id: "4c1d2e3f00000000"),
        Candidate(name: "Ebba", code: nil, id: "0123456789abcdef"),
        // They have names that mean somebody else, as a changed program could give them.
        Candidate(name: "7k3m-9qxt-42wj", code: nil, id: "1111111111111111"),
        Candidate(name: "0123456789ABCDEF", code: nil, id: "2222222222222222"),
        Candidate(name: "Mallory", code: nil, id: "ebba222222222222"),
        Candidate(name: "Cy", code: nil, id: "4c1d999900000000"),
    ]

    @Test(arguments: [
        ("7K3M-9QXT-42WJ", ["Ben"]), ("7k3m9qxt42wj", ["Ben"]), ("0123456789abcdef", ["Ebba"]), ("4C1D2", ["Ben"]),
        ("4c1d", ["Ben", "Cy"]), ("4c1", []), ("ben", ["Ben"]), ("be", []), ("", []),
        // An account whose ID begins with somebody's name is not mistaken for that person.
        ("ebba", ["Ebba", "Mallory"]), ("ebba2", ["Mallory"]),
    ])
    func `an exact code goes before an exact ID, that before its beginning and a name`(
        text: String, expected: [String]
    ) {
        let found = Selector(text).matches(among: Self.candidates) {
            Selector.Key(code: $0.code, id: $0.id, names: [$0.name])
        }
        #expect(found.map(\.name) == expected)
    }

    @Test(arguments: [
        ("Cafe", ["Cafe"]), ("ca", ["Cafe", "Cabin"]), ("4c1d", ["Cafe"]), ("4c", ["Cafe"]), ("abcd", ["Cabin"]),
    ])
    func `a group is also named by a beginning, after what names one exactly`(text: String, expected: [String]) {
        let groups = [("Cafe", "4c1d2e3f00000000"), ("Cabin", "abcd000000000000")]
        let found = Selector(text).matches(amongGroups: groups) { Selector.Key(id: $0.1, names: [$0.0]) }
        #expect(found.map(\.0) == expected)
    }

    /// Tells the group a name that the program itself would refuse.
    private static func disguise(_ node: MeshNode, as name: String, in title: String = "Red") async throws {
        let group: GroupID = try await node.group(title)
        try await node.execute(.write([(group, [.value(Profile(name: name))])]))
    }

    @Test func `nobody is promoted in another's place by bearing that one's code or ID as a name`() async throws {
        let party = try NodeParty()
        let ben = try party.makeAccount("Ben")
        try await party.running("Ada", "Ben", "Mallory") { nodes in
            let (ada, mallory) = (nodes[0], nodes[2])
            _ = try await ada.group(.create(title: "Red"))
            for node in nodes.dropFirst() { try await node.join(try await ada.invite().link) }
            try await ada.until {
                try await $0.members().filter { ["Ben", "Mallory"].contains($0.name) }.count == 2
            }
            for disguise in [ben.friendCode, ben.user, String(ben.user.prefix(8))] {
                try await Self.disguise(mallory, as: disguise)
                let digest = try await mallory.status().groups[0].digest
                try await ada.until { try await $0.status().groups[0].digest == digest }
                #expect(try await !ada.members().contains { $0.name.lowercased() == disguise.lowercased() })
                let found = try await ada.call(
                    PersonRequest.member(group: nil, user: disguise))
                #expect(found == PersonReport(user: ben.user, name: "Ben", code: ben.friendCode))
            }
            let report = try await ada.call(
                MemberRequest.promote(group: nil, user: ben.friendCode.lowercased()))
            #expect(report.members.first { $0.role == "admin" }?.user == ben.user)
        }
    }

    @Test func `nobody is removed, blocked or given the group in another's place`() async throws {
        let party = try NodeParty()
        let ben = try party.makeAccount("Ben")
        try await party.running("Ada", "Ben", "Mallory") { nodes in
            let (ada, mallory) = (nodes[0], nodes[2])
            let malloryID = await mallory.identity.user.description
            let disguises = [ben.friendCode, ben.user, String(ben.user.prefix(8))]
            func join(_ title: String) async throws {
                _ = try await ada.group(.create(title: title))
                for node in nodes.dropFirst() {
                    let invite = InviteRequest.create(group: title, uses: 1, lifetime: 3_600, needsApproval: false)
                    try await node.join(try await ada.call(invite).link)
                }
                try await ada.until { try await $0.members(title).count == 3 }
            }
            for (index, disguise) in disguises.enumerated() {
                // A group each: who was removed does not come back.
                let title = "Club \(index)"
                try await join(title)
                try await Self.disguise(mallory, as: disguise, in: title)
                let digest = try await mallory.status().groups.first { $0.title == title }?.digest
                try await ada.until { try await $0.status().groups.first { $0.title == title }?.digest == digest }
                let blocked = try await ada.call(FriendshipRequest.block(user: disguise)).blocked
                #expect(blocked.map(\.user) == [ben.user])
                _ = try await ada.call(FriendshipRequest.unblock(user: disguise))
                if index == 0 {
                    // Handed on, and no longer Ada's to decide about.
                    let report = try await ada.call(GroupRequest.transfer(group: title, user: disguise))
                    #expect(report.role == "member")
                    let members = try await ada.members(title)
                    #expect(members.first { $0.role == "owner" }?.user == ben.user)
                } else {
                    let report = try await ada.call(
                        MemberRequest.remove(group: title, user: disguise, keepingInvites: false))
                    #expect(!report.members.contains { $0.user == ben.user })
                    #expect(report.members.contains { $0.user == malloryID })
                }
            }
        }
    }

    @Test func `a member of a group of mine can be blocked`() async throws {
        let party = try NodeParty()
        let ben = try party.makeAccount("Ben")
        try await party.running("Ada", "Ben") { nodes in
            let ada = nodes[0]
            _ = try await ada.group(.create(title: "Red"))
            try await nodes[1].join(try await ada.invite().link)
            _ = try await ada.group(.create(title: "Pair"))
            try await ada.until { try await $0.members("Red").contains { $0.name == "Ben" } }
            for text in ["ben", ben.friendCode, ben.user] {
                let blocked = try await ada.call(FriendshipRequest.block(user: text)).blocked
                #expect(blocked.map(\.name) == ["Ben"] && blocked.map(\.code) == [ben.friendCode])
                _ = try await ada.call(FriendshipRequest.unblock(user: text))
            }
        }
    }
}
