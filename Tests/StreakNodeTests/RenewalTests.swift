import Testing

@testable import StreakEngine
@testable import StreakLinks
@testable import StreakNode

/// Sessions that are renewed while results pass, between two nodes on real sockets.
@Suite(.timeLimit(.minutes(10))) struct RenewalTests {
    @Test func `a session in use is renewed every two minutes, and no result is lost`() async throws {
        let leap = Leap()
        try await NodeParty().running("Ada", "Bela", lead: { leap.lead }) { nodes in
            let (ada, bela) = (nodes[0], nodes[1])
            _ = try await ada.group(.create(title: "Red"))
            try await bela.join(try await ada.invite().link)
            let links = await ada.engine.core.links.liveLinks
            var written = 0
            var sessions: [UInt32] = []
            for _ in 0..<5 {
                // Enough traffic in both directions that the renewal is over.
                repeat {
                    written += 1
                    try #require(written < 200, "the session is not renewed")
                    let puzzle = written
                    async let first = ada.add("Birdle \(puzzle) 4/6")
                    async let second = bela.add("Lewdle \(puzzle) 3/6")
                    _ = try await (first, second)
                    for node in nodes {
                        try await node.until { node in
                            let rows = try await node.board().rows
                            return rows.count == 2 && rows.allSatisfy { $0.played == puzzle }
                        }
                    }
                } while await sessions.contains(try #require(ada.session))
                sessions.append(try #require(await ada.session))
                leap.take(.seconds(121))
                for node in nodes { await node.process() }
            }
            #expect(sessions.count == 5 && Set(sessions).count == 5)
            #expect(await ada.engine.core.links.liveLinks == links, "it is the same link all the time")
            #expect(links.count == 1)
        }
    }
}

extension MeshNode {
    /// The session that this node sends datagrams under.
    fileprivate var session: UInt32? {
        engine.core.links.liveLinks.first.flatMap { engine.core.links.links[$0]?.datagrams?.current }
    }
}
