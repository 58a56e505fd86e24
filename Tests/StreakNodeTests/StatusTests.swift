import StreakEngine
import StreakLinks
import StreakReplication
import StreakWire
import Testing

@testable import StreakNode

/// What `status` says of connections.
@Suite struct StatusTests {
    @Test(.timeLimit(.minutes(10)))
    func `a machine that says nothing is silent, not live, and was heard when it was`() async throws {
        let leap = Leap()
        try await NodeParty().running("Ada", "Ben", lead: { leap.lead }) { nodes in
            _ = try await nodes[0].group(.create(title: "Red"))
            try await nodes[1].join(try await nodes[0].invite().link)
            try await nodes[0].until { try await $0.status().state == "live" }
            let before = try await nodes[0].status().peers
            #expect(before.map(\.state) == ["linked"])
            let heard = try #require(before.first?.lastHeard.flatMap { Timestamp($0) })
            // Longer than an idle machine on a local network stays quiet.
            leap.take(.seconds(118))
            let status = try await nodes[0].status()
            #expect((status.state, status.peers.map(\.state)) == ("silent", ["silent"]))
            let after = try #require(status.peers.first?.lastHeard.flatMap { Timestamp($0) })
            #expect(after.seconds < heard.seconds - 100)
        }
    }

    @Test func `what is refused is counted by reason`() async throws {
        try await NodeParty.alone { node, _ in
            #expect(try await node.status().refused.isEmpty)
            for _ in 0..<3 { await node.refuse(.dropped(.malformed)) }
            await node.refuse(.messageRefused(.unknownKind(99)))
            await node.refuse(.runRefused(GroupID(bytes: .zero), .invalidSignature))
            let refused = try await node.status().refused
            #expect(
                refused.map { "\($0.what) \($0.reason) \($0.count)" } == [
                    "message unknownKind 1", "packet malformed 3", "records invalidSignature 1",
                ])
        }
    }

    @Test func `the page's address is told as soon as the page is served`() async throws {
        try await NodeParty.alone { node, _ in
            let before = try await node.status()
            await node.serves(page: "http://127.0.0.1:7420")
            let after = try await node.status()
            #expect((before.web, after.web) == (nil, "http://127.0.0.1:7420"))
        }
    }
}

extension MeshNode {
    fileprivate func refuse(_ event: EngineEvent) { services.observe(event) }
}
