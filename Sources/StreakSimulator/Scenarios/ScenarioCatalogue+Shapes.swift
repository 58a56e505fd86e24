import StreakEngine

/// Groups whose members cannot all reach each other. In every shape of network each change must be everywhere in
/// bounded time.
extension Scenario {
    static let shapes: [Scenario] =
        kinds.flatMap { kind in [0, 20, 50].map { shaped(kind, lossPercent: $0) } } + [
            Scenario(
                "formation-10", "Ten join with the link of one, the only node that all can reach", nodes: 10,
                steps: [
                    .setShape(.star(hub: 0)), .start(Array(0..<10)), .found(by: 0), .invite(by: 0),
                    .join(Array(1..<10)),
                    .converge(within: .seconds(2)), .expectPresence(within: .seconds(2)),
                ]),
            Scenario(
                "star-hub-restarts", "The only node that all can reach stops, and restarts while others write",
                nodes: 20,
                steps: formed(20, as: .star(hub: 0), .good) + [
                    .crash([0]), .write(Array(1..<20), count: 1, over: .seconds(3)), .start([0]),
                    .converge(within: .seconds(5)), .expectPresence(within: .seconds(2)),
                ] + eachChange(within: .seconds(2), among: 20),
            ),
            Scenario(
                "star-hub-slow", "The only node that all can reach is on a bad mobile network", nodes: 20,
                steps: formed(20, as: .star(hub: 0), .good) + [.setWays(of: 0, .slow)]
                    + eachChange(within: .seconds(8), among: 20)),
            Scenario(
                "star-of-streams", "All depend on one node, and no datagram gets through", nodes: 12,
                steps: formed(12, as: .star(hub: 0), .withoutDatagrams) + eachChange(within: .seconds(2), among: 12)),
        ]

    private struct Kind {
        let name: String
        let summary: String
        let shape: NetworkShape
        let nodes: Int
    }

    private static let kinds = [
        Kind(name: "star-20", summary: "Twenty depend on one", shape: .star(hub: 0), nodes: 20),
        Kind(name: "star-50", summary: "Fifty depend on one", shape: .star(hub: 0), nodes: 50),
        Kind(name: "line-12", summary: "Twelve in a line", shape: .line, nodes: 12),
        Kind(name: "bridge-16", summary: "Two groups of eight, joined by one bridge", shape: .bridge, nodes: 16),
        // In a ring with an odd number, two neighbours reach a third in the same number of steps.
        Kind(name: "ring-5", summary: "Five in a ring", shape: .ring, nodes: 5),
        Kind(name: "ring-12", summary: "Twelve in a ring", shape: .ring, nodes: 12),
        Kind(name: "degree-3", summary: "Sixteen, each reaching three others", shape: .degreeThree, nodes: 16),
    ]

    private static func shaped(_ kind: Kind, lossPercent: Int) -> Scenario {
        let profile = lossPercent == 0 ? LinkProfile.good : .bad(loss: Double(lossPercent) / 100)
        let limit: Duration = lossPercent == 0 ? .seconds(1) : lossPercent == 20 ? .seconds(3) : .seconds(10)
        return Scenario(
            lossPercent == 0 ? kind.name : "\(kind.name)-loss-\(lossPercent)",
            kind.summary + (lossPercent == 0 ? "" : "; \(lossPercent) % of all datagrams are lost"), nodes: kind.nodes,
            steps: formed(kind.nodes, as: kind.shape, profile) + eachChange(within: limit, among: kind.nodes)
                + (lossPercent == 0 ? [.run(.seconds(3_600)), .expectIdle(for: .seconds(600))] : []))
    }

    /// A group whose members know who is online. A star is one from the start; for other shapes, the members first meet
    /// and then restart in that shape.
    private static func formed(_ count: Int, as shape: NetworkShape, _ profile: LinkProfile) -> [Step] {
        let nodes = Array(0..<count)
        let formation: [Step] =
            if case .star = shape {
                [.setShape(shape), .start(nodes), .found(by: 0), .invite(by: 0), .join(Array(1..<count))]
            } else {
                together(count) + [.crash(nodes), .setShape(shape), .start(nodes)]
            }
        return formation + [
            .setProfile(profile), .expectPresence(within: .seconds(600)), .converge(within: .seconds(60)),
        ]
    }

    private static func eachChange(within limit: Duration, among count: Int) -> [Step] {
        [
            .expectEachChange(within: limit), .write(Array(0..<count), count: 1, over: .seconds(5)),
            .run(limit + .seconds(1)), .expectEachChange(within: nil), .converge(within: limit),
        ]
    }
}
