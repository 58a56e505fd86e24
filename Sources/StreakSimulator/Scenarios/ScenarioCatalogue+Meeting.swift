import StreakEngine

/// Homes that find each other by whereabouts, and liars about whereabouts.
extension Scenario {
    /// Each scenario has two nodes without routers, which tell the others where they see them.
    static let meetings: [Scenario] =
        [
            Scenario(
                "homes-meet", "Two homes are told of each other by the nodes that they are linked to", nodes: 4,
                profile: .dsl,
                places: [0: .internet, 1: .internet, 2: .home(2, .keepingPort), 3: .home(3, .steadyPort)],
                steps: meeting([2, 3], at: [0, 1]) + [
                    .expectLinkedAmong([2, 3], within: .seconds(5)), .crash([0, 1]),
                    .write([2, 3], count: 4, over: .seconds(5)), .converge(within: .seconds(5)), .crash([2]),
                    .run(.seconds(100)), .start([2]), .expectLinkedAmong([2, 3], within: .seconds(1)),
                ]),
            Scenario(
                "carriers-meet", "Two homes, each behind a second router of its provider, meet", nodes: 4,
                profile: .dsl,
                places: [
                    0: .internet, 1: .internet, 2: .home(2, .keepingPort, behind: .steadyPort),
                    3: .home(3, .steadyPort, behind: .keepingPort),
                ],
                steps: meeting([2, 3], at: [0, 1]) + [
                    .expectLinkedAmong([2, 3], within: .seconds(5)), .crash([0, 1]),
                    .write([2, 3], count: 4, over: .seconds(5)), .converge(within: .seconds(5)),
                ]),
            Scenario(
                "homes-of-all-kinds-meet",
                "Two homes open ports; those whose routers keep to one port meet without them, and all hear of all",
                nodes: 8, profile: .dsl,
                places: [
                    0: .home(0, .openingPorts), 1: .home(1, .openingPorts), 2: .home(2, .keepingPort),
                    3: .home(3, .steadyPort), 4: .home(4, .changingPort),
                    5: .home(5, .keepingPort, behind: .steadyPort),
                    6: .home(6, .firewall), 7: .home(4, .changingPort),
                ],
                steps: meeting([2, 3, 4, 5, 6, 7], at: [0, 1]) + [
                    .expectLinkedAmong([0, 1, 2, 3, 5, 6], within: .seconds(10)), .crash([0]),
                    .write([1, 2, 3, 4, 5, 6, 7], count: 2, over: .seconds(10)), .converge(within: .seconds(10)),
                    .expectLinkedAmong([1, 4, 7], within: .seconds(60)), .start([0]),
                    .expectLinkedAmong([0, 4, 7], within: .seconds(60)), .converge(within: .seconds(10)),
                ]),
            Scenario(
                "addresses-change",
                "All addresses but one change while half are off; they meet through the one that has stayed",
                nodes: 6, profile: .dsl,
                places: [
                    0: .home(0, .openingPorts), 1: .home(1, .openingPorts), 2: .home(2, .keepingPort),
                    3: .home(3, .steadyPort), 4: .home(4, .changingPort), 5: .home(5, .firewall),
                ],
                steps: meeting([2, 3, 4, 5], at: [0, 1]) + [
                    .expectLinkedAmong([2, 3, 5], within: .seconds(10)), .crash([1, 3, 5]),
                    .changeAddresses(of: [1, 2, 3, 4, 5]), .run(.seconds(300)),
                    .write([0, 2, 4], count: 2, over: .seconds(5)), .start([1, 3, 5]),
                    .write([1, 3, 5], count: 2, over: .seconds(5)), .converge(within: .seconds(60)),
                    .expectLinkedAmong([0, 1, 2, 3, 5], within: .seconds(120)),
                    .expectLinkedAmong([0, 1, 4], within: .seconds(120)),
                ]),
        ] + [0, 31, 47, 100].flatMap(late) + addressLiars

    /// One of two homes comes back this many seconds after it was last heard of. Until then the other has knocked.
    private static func late(by seconds: Int) -> [Scenario] {
        [("dropping", Router.keepingPort), ("accepting", Router.accepting)].map { name, router in
            Scenario(
                "late-\(seconds)-\(name)",
                "A home comes \(seconds) s after the other began to knock at its \(name) router",
                nodes: 4, profile: .dsl,
                places: [0: .internet, 1: .internet, 2: .home(2, .keepingPort), 3: .home(3, router)],
                steps: meeting([2, 3], at: [0, 1]) + [
                    .run(.seconds(10)), .crash([3]), .setWay(between: 2, and: 3, .silent), .run(.seconds(120)),
                    .setWay(between: 2, and: 3, .dsl), .run(.seconds(seconds)), .start([3]),
                    // The ordinary dialler sends full datagrams to where the other last answered. They reserve a port of the router,
                    // which is free again only after half a minute of silence.
                    .expectLinkedAmong(
                        [2, 3], within: router == .accepting && seconds > 0 ? .seconds(2_400) : .seconds(1)),
                ])
        }
    }

    /// Members whose programs lie about where somebody is.
    private static let addressLiars: [Scenario] = [
        Scenario(
            "liar-false-witness", "One of four says that all are seen at a stranger's address", nodes: 4, profile: .dsl,
            places: [0: .internet, 1: .home(1, .keepingPort), 2: .home(2, .steadyPort), 3: .internet],
            steps: meeting([1, 2, 3], at: [0]) + [
                .lie(3, [.falseWitness]), .write([0, 1, 2], count: 3, over: .seconds(5)),
                .expectAtStranger(bytes: 0...0, over: .seconds(1_800)), .converge(within: .seconds(10)),
            ]),
        Scenario(
            "twenty-moved", "Twenty members have moved while one was off, which then hears of all at once", nodes: 22,
            places: Dictionary(uniqueKeysWithValues: (0..<22).map { ($0, .internet) }),
            steps: [
                .setDHT(.ordinary), .setShape(.star(hub: 0)), .start(Array(0..<22)), .run(.milliseconds(50)),
                .found(by: 0),
                .invite(by: 0),
            ] + (1..<22).flatMap { [.nameAddress(of: 0, to: $0), .join([$0])] } + [
                .converge(within: .seconds(20)), .run(.seconds(120)), .crash([1]), .changeAddresses(of: Array(2..<22)),
                .run(.seconds(240)), .start([1]), .expectDials(20...60, over: .seconds(120)),
            ]),
        Scenario(
            "lying-router",
            "A router says that it has opened a port at a stranger's address; its node is met where witnesses see it, and is gone later",
            nodes: 4, profile: .dsl,
            places: [0: .internet, 1: .internet, 2: .home(2, .lying), 3: .home(3, .keepingPort)],
            steps: meeting([2, 3], at: [0, 1]) + [
                .expectLinkedAmong([2, 3], within: .seconds(10)), .crash([2]),
                .expectAtStranger(bytes: 1...strangerLimit(3, 1_800), over: .seconds(1_800)), .start([2]),
                .expectLinkedAmong([0, 1, 2, 3], within: .seconds(10)), .write([2, 3], count: 3, over: .seconds(5)),
                .converge(within: .seconds(10)),
            ]),
        Scenario(
            "liar-made-up-devices",
            "A member makes up hundreds of devices; a newcomer is found, and who has moved, as without them",
            nodes: 4, profile: .dsl,
            places: [0: .internet, 1: .home(1, .openingPorts), 2: .internet, 3: .home(3, .keepingPort)],
            steps: meeting([1, 2], at: [0]) + [
                .lie(2, [.madeUpDevices]), .run(.seconds(300)), .start([3]), .nameAddress(of: 0, to: 3), .join([3]),
                .expectLinkedAmong([0, 1, 3], within: .seconds(10)), .changeAddresses(of: [1]),
                .run(.seconds(1_900)), .expectLinkedAmong([0, 1, 3], within: .seconds(60)),
                .expectAtStranger(bytes: 0...0, over: .seconds(120)),
                .write([0, 1, 3], count: 3, over: .seconds(5)), .converge(within: .seconds(10)),
            ]),
        Scenario(
            "strangers-at-open-port",
            "Strangers send to an open port and keep streams open; it answers nobody, and friends find room", nodes: 3,
            profile: .dsl, places: [0: .home(0, .openingPorts), 1: .home(1, .keepingPort), 2: .home(2, .keepingPort)],
            steps: meeting([1, 2], at: [0]) + [
                .run(.seconds(10)), .strangersSend(to: 0, count: 10_000, over: .seconds(150)), .crash([1, 2]),
                .setWays(of: 2, .withoutDatagrams), .run(.seconds(60)), .start([1, 2]),
                .expectLinkedAmong([0, 1], within: .seconds(10)), .expectLinkedAmong([0, 2], within: .seconds(10)),
                .write([0, 1, 2], count: 3, over: .seconds(60)), .converge(within: .seconds(10)),
                .run(.seconds(30)),
            ]),
        strangersAddress("liar-strangers-address", knockers: 7, seconds: 3_600),
        strangersAddress("liar-strangers-address-50", knockers: 50, seconds: 1_200),
        Scenario(
            "liar-replayed-whereabouts", "A member repeats old whereabouts after all addresses have changed", nodes: 5,
            profile: .dsl,
            places: [
                0: .internet, 1: .internet, 2: .home(2, .openingPorts), 3: .home(3, .keepingPort), 4: .internet,
            ],
            steps: meeting([2, 3, 4], at: [0, 1]) + [
                .lie(4, [.replayedWhereabouts]), .run(.seconds(60)), .changeAddresses(of: [2]), .run(.seconds(120)),
                .changeAddresses(of: [3]), .write([0, 1, 2, 3], count: 3, over: .seconds(60)), .run(.seconds(1_800)),
                .crash([2]), .start([2]), .expectLinkedAmong([0, 1, 2, 3], within: .seconds(60)),
                .converge(within: .seconds(10)),
            ]),
        Scenario(
            "liar-false-ages",
            "A home has moved; who comes back hears of it first from a member who says that it was long ago", nodes: 4,
            profile: .dsl,
            places: [0: .internet, 1: .internet, 2: .home(2, .openingPorts), 3: .home(3, .keepingPort)],
            steps: meeting([2, 3], at: [0, 1]) + [
                .run(.seconds(60)), .crash([3]), .lie(1, [.falseAges]), .run(.seconds(10)), .changeAddresses(of: [2]),
                .run(.seconds(1_900)), .crash([0]), .start([3]), .run(.seconds(20)), .start([0]),
                .expectLinkedAmong([0, 2, 3], within: .seconds(20)), .write([0, 2, 3], count: 3, over: .seconds(5)),
                .converge(within: .seconds(10)),
            ]),
        Scenario(
            "liar-false-presence",
            "A member says of two friends who have moved that they are online, and passes nothing on", nodes: 3,
            profile: .dsl, places: [0: .home(0, .openingPorts), 1: .home(1, .keepingPort), 2: .internet],
            steps: [
                .setDHT(.ordinary), .start([0, 1, 2]), .run(.milliseconds(50)), .found(by: 2), .invite(by: 2),
                .nameAddress(of: 2, to: 0), .nameAddress(of: 2, to: 1), .join([0, 1]), .converge(within: .seconds(20)),
                .run(.seconds(300)), .crash([0, 1]), .lie(2, [.falsePresence, .withheldRuns]),
                .changeAddresses(of: [0, 1]), .run(.seconds(7_200)), .start([0, 1]),
                .expectLinkedAmong([0, 1], within: .seconds(2_400)), .write([0, 1], count: 3, over: .seconds(5)),
                .converge(within: .seconds(10)),
            ]),
        Scenario(
            "whereabouts-stay-in-groups",
            "Somebody is in two groups; a liar in one of them listens for where those of the other are", nodes: 4,
            profile: .dsl,
            places: [0: .home(0, .openingPorts), 1: .internet, 2: .home(2, .openingPorts), 3: .home(3, .openingPorts)],
            steps: [
                .start([0, 1, 2, 3]), .run(.milliseconds(50)), .found(by: 0), .invite(by: 0),
                .nameAddress(of: 0, to: 1),
                .join([1]), .found(by: 1), .invite(by: 1), .nameAddress(of: 1, to: 2), .nameAddress(of: 1, to: 3),
                .join([2, 3]), .converge(within: .seconds(20)), .lie(3, [.replayedWhereabouts]), .run(.seconds(60)),
                .changeAddresses(of: [0]), .run(.seconds(2_000)), .write([1, 2], count: 2, over: .seconds(5)),
                .converge(within: .seconds(10)),
            ]),
    ]

    /// Each node can reach node 0 alone. So none but node 0 has a link to the liar, and the others dial where they hear that it is.
    private static func strangersAddress(_ name: String, knockers: Int, seconds: Int) -> Scenario {
        let liar = knockers + 1
        return Scenario(
            name, "A member says that it is found at a stranger's address, and \(knockers) others knock there",
            nodes: liar + 1,
            steps: [
                .setShape(.star(hub: 0)), .start(Array(0...liar)), .found(by: 0), .invite(by: 0),
                .join(Array(1...liar)), .converge(within: .seconds(20)), .lie(liar, [.strangersAddress]),
                .expectAtStranger(bytes: 1...strangerLimit(knockers, seconds), over: .seconds(seconds)),
            ])
    }

    /// The bytes that a stranger gets from so many nodes. Each of them dials three times at once and then every 20 minutes, and four
    /// messages of a dial arrive. Besides, every fourth of its knocks arrives, one in 80 s. A message 1 has 134 bytes, without
    /// the headers of IP and UDP.
    private static func strangerLimit(_ knockers: Int, _ seconds: Int) -> Int {
        knockers * ((3 + seconds / 1_200) * 4 + seconds / 80) * 134
    }

    /// Nodes that join at one node, and learn of another that everybody can reach.
    private static func meeting(_ guests: [Int], at hosts: [Int]) -> [Step] {
        var steps: [Step] = [
            .start(hosts + guests), .run(.milliseconds(50)), .found(by: hosts[0]), .invite(by: hosts[0]),
        ]
        for (index, guest) in (hosts.dropFirst() + guests).enumerated() {
            steps += [.nameAddress(of: hosts[0], to: guest), .join([guest])]
            if index > 0 { steps += hosts.dropFirst().map { .nameAddress(of: $0, to: guest) } }
        }
        return steps + [.converge(within: .seconds(20))]
    }
}
