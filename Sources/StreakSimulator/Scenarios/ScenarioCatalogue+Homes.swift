import StreakEngine

/// Friends in different homes.
extension Scenario {
    static let homes: [Scenario] =
        [
            Scenario(
                "homes-of-all-kinds",
                "Six homes with other routers; one opens a port, and the others link to it and write",
                nodes: 7, profile: .dsl, places: kinds,
                steps: meeting(at: 0, [1, 2, 3, 4, 5, 6]) + [
                    .write([0, 1, 2, 3, 4, 5, 6], count: 3, over: .seconds(20)), .converge(within: .seconds(10)),
                    .run(.seconds(600)), .write([0, 1, 2, 3, 4, 5, 6], count: 2, over: .seconds(2)),
                    .converge(within: .seconds(10)),
                ]),
            Scenario(
                "home-port-forgotten", "A router that had opened a port restarts, and has another address",
                nodes: 3, profile: .dsl,
                places: [0: .home(0, .openingPorts), 1: .home(1, .openingPorts), 2: .home(2, .changingPort)],
                steps: meeting(at: 0, [1, 2]) + [
                    .nameAddress(of: 1, to: 2), .expectLinked(within: .seconds(5)), .changeAddresses(of: [0]),
                    .write([0, 1, 2], count: 3, over: .seconds(20)), .converge(within: .seconds(60)),
                ]),
        ] + named

    private static let kinds: [Int: Place] = [
        0: .home(0, .openingPorts), 1: .home(1, .keepingPort), 2: .home(2, .steadyPort), 3: .home(3, .changingPort),
        4: .home(4, .keepingPort, behind: .steadyPort), 5: .home(5, .firewall), 6: .home(1, .keepingPort),
    ]

    /// An open node has brought two homes together, and goes away. Then each home's user gives it the other's address.
    private static let named: [Scenario] = [
        ("homes-named", Place.home(1, .keepingPort), Place.home(2, .keepingPort)),
        ("homes-named-steady", Place.home(1, .steadyPort), Place.home(2, .keepingPort)),
        (
            "homes-named-carriers", Place.home(1, .keepingPort, behind: .steadyPort),
            Place.home(2, .steadyPort, behind: .keepingPort)
        ),
        ("homes-named-firewalls", Place.home(1, .firewall), Place.home(2, .firewall)),
    ].map { name, first, second in
        Scenario(
            name, "Two homes that were each told the other's address, by hand, link without a third", nodes: 3,
            profile: .dsl, places: [0: .internet, 1: first, 2: second],
            steps: meeting(at: 0, [1, 2]) + [
                .crash([0]), .nameAddress(of: 2, to: 1), .nameAddress(of: 1, to: 2),
                .expectLinked(within: .seconds(5)), .write([1, 2], count: 3, over: .seconds(2)),
                .converge(within: .seconds(5)), .run(.seconds(300)), .write([1, 2], count: 3, over: .seconds(2)),
                .converge(within: .seconds(5)),
            ])
    }

    /// Nodes that join at a node that everybody can reach.
    private static func meeting(at host: Int, _ guests: [Int]) -> [Step] {
        [.start([host] + guests), .run(.milliseconds(50)), .found(by: host), .invite(by: host)]
            + guests.flatMap { [.nameAddress(of: host, to: $0), .join([$0])] } + [.converge(within: .seconds(20))]
    }
}
