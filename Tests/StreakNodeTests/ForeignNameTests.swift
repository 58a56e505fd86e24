import StreakCrypto
import StreakEngine
import StreakMembership
import StreakWire
import Testing

@testable import StreakNode

/// Names and titles that a program has made which keeps no rules.
@Suite(.timeLimit(.minutes(10))) struct ForeignNameTests {
    /// An override of the reading direction and the beginning of a terminal's command.
    private static let raw = "E\u{202E}v\u{1B}e"

    @Test func `the name in a request for friendship is shown by the rule of names`() async throws {
        let party = try NodeParty()
        try await party.running("Ada", "Ben", usesLAN: true) { nodes in
            let (ada, ben) = (nodes[0], nodes[1])
            let events = ada.events()
            let code = try #require(FriendCode(try await ada.call(FriendshipRequest.list).code))
            _ = try await ben.execute(.addFriend(FriendCodeKeys(of: code), name: Self.raw))
            for await case .notice(let text) in events where text.contains("asks") {
                #expect(text.contains("“Eve” asks"))
                break
            }
            #expect(try await ada.call(FriendshipRequest.list).received.map(\.name) == ["Eve"])
        }
    }

    @Test func `the title of a group and of a link are shown by the rule of titles`() async throws {
        try await NodeParty.alone { node, _ in
            // An annotation mark is in no title of this program, and the ledger takes it.
            _ = try await node.execute(.foundGroup(title: "Red\u{FFF9}"))
            #expect(try await node.call(GroupListRequest.all).groups.map(\.title) == ["Red"])
            let group = try #require(await node.activeGroup)
            let link = InviteLink(
                seed: Bytes16(1, 2), group: group, expiresAt: 4_000_000_000, title: Self.raw, addresses: [],
                identity: await node.identity)
            #expect(try await node.call(LinkRequest.inspect(link: link.text)).title == "Eve")
        }
    }
}
