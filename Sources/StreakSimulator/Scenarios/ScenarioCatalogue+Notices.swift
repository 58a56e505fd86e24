import StreakEngine

/// Friends who know no address of each other any longer, or are never online together: the public DHT is what is left.
extension Scenario {
    static let dht: [Scenario] = [
        Scenario(
            "notices-one-open", "Two friends' addresses change while both are off; one has an open port", nodes: 2,
            profile: .dsl, places: [0: .home(0, .openingPorts), 1: .home(1, .keepingPort)],
            steps: befriended + [
                .crash([0, 1]), .changeAddresses(of: [0, 1]), .run(.seconds(600)), .start([0, 1]),
                .expectLinkedAmong([0, 1], within: .seconds(420)), .write([0, 1], count: 3, over: .seconds(5)),
                .converge(within: .seconds(10)),
            ]),
        Scenario(
            "notices-none-open",
            "The same, and neither has an open port: nodes of the DHT say where they are seen, and both knock",
            nodes: 3, profile: .dsl,
            places: [0: .home(0, .keepingPort), 1: .home(1, .steadyPort), 2: .internet],
            steps: [
                .setDHT(.ordinary), .start([0, 1, 2]), .run(.milliseconds(50)), .found(by: 2), .invite(by: 2),
                .nameAddress(of: 2, to: 0), .nameAddress(of: 2, to: 1), .join([0, 1]), .converge(within: .seconds(20)),
                .crash([0, 1, 2]), .changeAddresses(of: [0, 1]), .run(.seconds(600)),
                .start([0, 1]), .expectLinkedAmong([0, 1], within: .seconds(720)),
                .write([0, 1], count: 3, over: .seconds(5)), .converge(within: .seconds(10)),
            ]),
        Scenario(
            "moved-one-open", "Two friends' addresses change while both are on; one is without a router", nodes: 2,
            profile: .dsl, places: [0: .internet, 1: .home(1, .keepingPort)],
            steps: befriended + [
                .run(.seconds(3)), .changeAddresses(of: [0, 1]), .write([0, 1], count: 3, over: .seconds(1)),
                .converge(within: .seconds(400)),
            ]),
        Scenario(
            "moved-none-open", "Two friends' addresses change while both are on; neither has an open port", nodes: 3,
            profile: .dsl,
            places: [0: .home(0, .keepingPort), 1: .home(1, .steadyPort), 2: .internet],
            steps: [
                .setDHT(.ordinary), .start([0, 1, 2]), .run(.milliseconds(50)), .found(by: 2), .invite(by: 2),
                .nameAddress(of: 2, to: 0), .nameAddress(of: 2, to: 1), .join([0, 1]), .converge(within: .seconds(20)),
                .run(.seconds(300)), .crash([2]), .changeAddresses(of: [0, 1]),
                .write([0, 1], count: 3, over: .seconds(1)), .converge(within: .seconds(360)),
            ]),
        Scenario(
            "newcomer-after-moves", "Somebody joins by one of two friends who have moved, and is linked with the other",
            nodes: 3, profile: .dsl, places: [0: .internet, 1: .home(1, .keepingPort), 2: .home(2, .keepingPort)],
            steps: befriended + [
                .run(.seconds(60)), .changeAddresses(of: [0, 1]), .write([0, 1], count: 3, over: .seconds(1)),
                .converge(within: .seconds(120)), .expectLinkedAmong([0, 1], within: .seconds(120)), .start([2]),
                .run(.seconds(1)), .nameAddress(of: 0, to: 2), .join([2]), .converge(within: .seconds(20)),
                .expectLinkedAmong([1, 2], within: .seconds(30)),
            ]),
        Scenario(
            "newcomer-while-cut-off", "Somebody joins while one of two friends is cut off, and is linked with that one",
            nodes: 3, profile: .dsl, places: [0: .internet, 1: .home(1, .keepingPort), 2: .home(2, .keepingPort)],
            steps: befriended + [
                .run(.seconds(60)), .partition([[0, 2], [1]]), .start([2]), .run(.seconds(1)),
                .nameAddress(of: 0, to: 2), .join([2]), .run(.seconds(120)), .heal,
                .expectLinkedAmong([0, 1], within: .seconds(120)), .expectLinkedAmong([1, 2], within: .seconds(30)),
                .converge(within: .seconds(20)),
            ]),
        Scenario(
            "join-by-old-addresses", "Somebody joins by a link after all the addresses in it have changed", nodes: 2,
            profile: .dsl, places: [0: .home(0, .openingPorts), 1: .home(1, .changingPort)],
            steps: [
                .setDHT(.ordinary), .start([0, 1]), .run(.milliseconds(50)), .found(by: 0), .invite(by: 0),
                .changeAddresses(of: [0]), .run(.seconds(1_900)), .join([1]),
                .write([0, 1], count: 3, over: .seconds(5)), .converge(within: .seconds(10)),
            ]),
        Scenario(
            "letters", "Friends who are never online together read what the others have left", nodes: 3,
            profile: .dsl,
            places: [0: .home(0, .openingPorts), 1: .home(1, .changingPort), 2: .home(2, .changingPort)],
            steps: [
                .setDHT(.ordinary), .start([0, 1, 2]), .run(.milliseconds(50)), .found(by: 0), .invite(by: 0),
                .nameAddress(of: 0, to: 1), .nameAddress(of: 0, to: 2), .join([1, 2]), .converge(within: .seconds(20)),
                .crash([0, 1, 2]), .start([1]), .writeNew(1, count: 6), .run(.seconds(180)), .crash([1]),
                .run(.seconds(3_600)), .start([2]), .expectShown(of: 1, at: 2, within: .seconds(720)),
                .writeNew(2, count: 6), .run(.seconds(180)), .crash([2]), .run(.seconds(3_600)), .start([1]),
                .expectShown(of: 2, at: 1, within: .seconds(720)),
                // What has come by letter is passed on as anything else, and the feeds go on.
                .start([0, 2]), .write([0, 1, 2], count: 3, over: .seconds(10)), .converge(within: .seconds(900)),
            ]),
        Scenario(
            "carried-letters", "Who comes when a letter is gone reads it in the letter of somebody who came in between",
            nodes: 3, profile: .dsl,
            places: [0: .home(0, .openingPorts), 1: .home(1, .changingPort), 2: .home(2, .changingPort)],
            steps: [
                .setDHT(.ordinary), .start([0, 1, 2]), .run(.milliseconds(50)), .found(by: 0), .invite(by: 0),
                .nameAddress(of: 0, to: 1), .nameAddress(of: 0, to: 2), .join([1, 2]), .converge(within: .seconds(20)),
                .crash([0, 1, 2]), .start([1]), .writeNew(1, count: 6), .run(.seconds(180)), .crash([1]),
                .run(.seconds(5_400)), .start([2]), .expectShown(of: 1, at: 2, within: .seconds(720)),
                .run(.seconds(180)), .crash([2]), .run(.seconds(5_400)), .start([0]),
                .expectShown(of: 1, at: 0, within: .seconds(720)),
                .start([1, 2]), .write([0, 1, 2], count: 3, over: .seconds(10)), .converge(within: .seconds(900)),
            ]),
        Scenario(
            "dht-of-liars", "All nodes of the DHT hand out noise, and what was there long ago", nodes: 3, profile: .dsl,
            places: [0: .home(0, .openingPorts), 1: .home(1, .openingPorts), 2: .home(2, .keepingPort)],
            steps: [
                .setDHT(.liars), .start([0, 1, 2]), .run(.milliseconds(50)), .found(by: 0), .invite(by: 0),
                .nameAddress(of: 0, to: 1), .nameAddress(of: 0, to: 2), .join([1, 2]), .converge(within: .seconds(20)),
                .write([0, 1, 2], count: 3, over: .seconds(60)), .run(.seconds(1_000)), .crash([0, 1]),
                .changeAddresses(of: [1]), .run(.seconds(600)), .start([0, 1]),
                .write([0, 1, 2], count: 3, over: .seconds(60)), .converge(within: .seconds(60)),
            ]),
        Scenario(
            "liar-forged-notices", "A member puts forged letters and old addresses in the place of everybody's notices",
            nodes: 4, profile: .dsl,
            places: [
                0: .home(0, .openingPorts), 1: .home(1, .changingPort), 2: .home(2, .changingPort), 3: .internet,
            ],
            steps: [
                .setDHT(.ordinary), .start([0, 1, 2, 3]), .run(.milliseconds(50)), .found(by: 0), .invite(by: 0),
                .nameAddress(of: 0, to: 1), .nameAddress(of: 0, to: 2), .nameAddress(of: 0, to: 3), .join([1, 2, 3]),
                .write([0, 1, 2], count: 3, over: .seconds(5)), .converge(within: .seconds(20)),
                .lie(3, [.forgedNotices]), .run(.seconds(300)), .crash([0, 1, 2]), .start([1]), .writeNew(1, count: 6),
                .run(.seconds(180)), .crash([1]), .start([2]), .run(.seconds(1_800)), .start([0, 1]),
                .write([0, 1, 2], count: 3, over: .seconds(10)), .converge(within: .seconds(120)),
            ]),
        Scenario(
            "newcomers-crowded",
            "Somebody with the link puts a stranger's address where the inviter looks for newcomers",
            nodes: 2, profile: .dsl, places: [0: .home(0, .openingPorts), 1: .home(1, .changingPort)],
            steps: [
                .setDHT(.crowded), .start([0, 1]), .run(.milliseconds(50)), .found(by: 0), .invite(by: 0),
                .crowdNewcomers(200), .expectAtStranger(bytes: 0...0, over: .seconds(3_600)),
                .expectTraffic(below: 150_000), .changeAddresses(of: [0]), .run(.seconds(1_900)), .join([1]),
                .write([0, 1], count: 3, over: .seconds(5)), .converge(within: .seconds(10)),
            ]),
        Scenario(
            "removed-finds-nothing", "Two move after a removal and meet again; nothing lies where the third would look",
            nodes: 3, profile: .dsl, places: [0: .home(0, .openingPorts), 1: .home(1, .keepingPort), 2: .internet],
            steps: [
                .setDHT(.ordinary), .start([0, 1, 2]), .run(.milliseconds(50)), .found(by: 0), .invite(by: 0),
                .nameAddress(of: 0, to: 1), .nameAddress(of: 0, to: 2), .join([1, 2]), .converge(within: .seconds(20)),
                .run(.seconds(60)), .backUp(2), .remove(2, by: 0), .expectLost(2, within: .seconds(5)),
                .run(.seconds(600)), .crash([0, 1, 2]), .changeAddresses(of: [0, 1]), .run(.seconds(7_200)),
                .start([0, 1]), .expectLinkedAmong([0, 1], within: .seconds(420)), .expectNothingLeft(for: 2),
            ]),
        Scenario(
            "dht-comes-back", "Nobody answers in the DHT for an hour; the friends meet as soon as it is back", nodes: 2,
            profile: .dsl, places: [0: .home(0, .openingPorts), 1: .home(1, .keepingPort)],
            steps: befriended + [
                .setDHT(.cut), .crash([0, 1]), .changeAddresses(of: [0, 1]), .start([0, 1]), .run(.seconds(3_600)),
                .setDHT(.ordinary), .expectLinkedAmong([0, 1], within: .seconds(1_200)),
                .write([0, 1], count: 3, over: .seconds(5)), .converge(within: .seconds(10)),
            ]),
    ]

    private static let befriended: [Step] = [
        .setDHT(.ordinary), .start([0, 1]), .run(.milliseconds(50)), .found(by: 0), .invite(by: 0),
        .nameAddress(of: 0, to: 1), .join([1]), .converge(within: .seconds(20)),
    ]
}
