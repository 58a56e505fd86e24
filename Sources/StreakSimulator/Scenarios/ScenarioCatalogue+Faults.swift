import StreakEngine

/// The worst of networks, clocks, processes and people.
extension Scenario {
    /// Faults of the paths between nodes.
    static let ways: [Scenario] = [
        Scenario(
            "damaged-wire", "Bytes change, datagrams are truncated and streams break", nodes: 3,
            profile: .bad(loss: 0.02).damaging(0.05),
            steps: together(3) + [
                .write([0, 1, 2], count: 8, over: .seconds(5)), .writeAtOnce(0, count: 400), .crash([1]), .start([1]),
                .write([1], count: 3, over: .seconds(1)), .converge(within: .seconds(120)),
            ]),
        Scenario(
            "damaged-streams", "Streams carry everything, break and change bytes", nodes: 3,
            profile: .withoutDatagrams.damaging(0.03),
            // Links that break at once are tried again after 1, 2, 4, 8 … seconds.
            steps: together(3, within: .seconds(60)) + [
                .write([0, 1, 2], count: 6, over: .seconds(5)), .writeAtOnce(1, count: 300),
                .converge(within: .seconds(300)),
            ]),
        Scenario(
            "replayed", "An attacker replays captured datagrams for minutes", nodes: 3,
            profile: .bad(loss: 0.05).replaying(0.2),
            steps: together(3) + [
                .write([0, 1, 2], count: 6, over: .seconds(3)), .crash([1]), .run(.seconds(60)), .start([1]),
                .write([0, 1, 2], count: 4, over: .seconds(200)), .crash([0, 2]), .start([0, 2]), .run(.seconds(300)),
                .write([2], count: 2, over: .seconds(1)), .converge(within: .seconds(60)),
            ]),
        Scenario(
            "wifi", "Wireless at home", nodes: 4, profile: .wifi,
            steps: together(4) + [
                .write([0, 1, 2, 3], count: 8, over: .seconds(4)), .expectLinked(within: .seconds(30)),
                .converge(within: .seconds(10)),
            ]),
        Scenario(
            "mobile", "Two on mobile networks, one at home", nodes: 3, profile: .mobile,
            steps: together(3) + [
                .setWay(between: 0, and: 1, .dsl), .write([0, 1, 2], count: 8, over: .seconds(10)),
                .writeAtOnce(2, count: 200), .converge(within: .seconds(60)),
            ]),
        Scenario(
            "deaf-halves", "Two of four hear the others, but are not heard", nodes: 4,
            steps: together(4) + [
                .cutOneWay(from: [0, 1], to: [2, 3]), .write([0, 1, 2, 3], count: 5, over: .seconds(10)),
                .run(.seconds(400)), .write([0, 3], count: 3, over: .seconds(1)), .setProfile(.good),
                .converge(within: .seconds(600)), .expectLinked(within: .seconds(2_000)),
            ]),
        Scenario(
            "deaf-node", "One hears nobody, but is heard", nodes: 3,
            steps: together(3) + [
                .cutOneWay(from: [0, 1], to: [2]), .write([0, 1, 2], count: 5, over: .seconds(10)), .crash([2]),
                .start([2]), .run(.seconds(100)), .write([0, 2], count: 3, over: .seconds(1)), .setProfile(.good),
                .converge(within: .seconds(600)),
            ]),
        Scenario(
            "homes", "Two behind routers sync through a third with a public address", nodes: 3,
            profile: .dsl,
            places: [0: .internet, 1: .home(1, .steadyPort), 2: .home(2, .steadyPort)],
            steps: together(3) + [
                .write([0, 1, 2], count: 6, over: .seconds(5)), .converge(within: .seconds(10)), .crash([1]),
                .write([0, 2], count: 3, over: .seconds(5)), .start([1]), .write([1], count: 2, over: .seconds(1)),
                .converge(within: .seconds(60)), .run(.seconds(1_000)), .write([0, 1, 2], count: 2, over: .seconds(1)),
                .converge(within: .seconds(10)),
            ]),
        Scenario(
            "homes-forgetful", "Routers that forget after twenty seconds and give each destination another port",
            nodes: 4, profile: .dsl,
            places: [
                0: .internet, 1: .home(1, forgetful), 2: .home(1, forgetful), 3: .home(2, forgetful),
            ],
            steps: together(4) + [
                .write([0, 1, 2, 3], count: 6, over: .seconds(100)), .run(.seconds(300)),
                .write([1, 2, 3], count: 3, over: .seconds(60)), .crash([0]), .run(.seconds(30)), .start([0]),
                .write([0, 3], count: 3, over: .seconds(30)), .converge(within: .seconds(600)),
            ]),
    ]

    private static let forgetful = Router(.changing, flowLifetime: .seconds(20))

    /// Clocks that jump and drift while nodes run.
    static let clocks: [Scenario] = [
        Scenario(
            "clock-jumps", "A clock is set forward and back again between writes and starts", nodes: 3,
            steps: together(3) + [
                .write([0, 1, 2], count: 4, over: .seconds(2)), .jumpClock(1, by: .seconds(270)),
                .write([0, 1, 2], count: 6, over: .seconds(2)), .jumpClock(1, by: .seconds(-540)),
                .write([0, 1, 2], count: 6, over: .seconds(2)), .crash([1]), .start([1]),
                .write([0, 1, 2], count: 6, over: .seconds(2)), .converge(within: .seconds(10)),
                .jumpClock(1, by: .seconds(270)), .write([0, 1, 2], count: 6, over: .seconds(2)),
                .converge(within: .seconds(10)),
            ]),
        Scenario(
            "clock-drifts", "One clock is fast and one slow, by minutes in the end", nodes: 3,
            steps: together(3) + [
                .driftClock(1, perSecond: .milliseconds(100)), .driftClock(2, perSecond: .milliseconds(-100)),
                .write([0, 1, 2], count: 20, over: .seconds(2_000)), .converge(within: .seconds(30)), .crash([1, 2]),
                .start([1, 2]), .write([0, 1, 2], count: 6, over: .seconds(2)), .converge(within: .seconds(30)),
            ]),
        Scenario(
            "clock-years-back", "A machine wakes with its clock years back", nodes: 2,
            steps: together(2) + [
                .write([0, 1], count: 6, over: .seconds(2)), .crash([1]), .setClockLead(1, .seconds(-200_000_000)),
                .start([1]), .write([0], count: 8, over: .seconds(3)), .writeNew(1, count: 8),
                .agreeOnDigests(within: .seconds(30)), .setClockLead(1, .zero), .run(.seconds(1)),
                .write([0, 1], count: 8, over: .seconds(3)),
                .converge(within: .seconds(10)),
            ]),
    ]

    /// Processes that end anywhere; disks that fail and recover.
    static let processes: [Scenario] = [
        Scenario(
            "torn", "Processes end between any two outputs, again and again", nodes: 3,
            steps: together(3) + [.writeMeanwhile([0, 1, 2], count: 60, over: .seconds(20))]
                + Array(
                    repeating: [
                        .crashBetweenOutputs([0, 1, 2], restartAfter: .milliseconds(300)), .run(.seconds(3)),
                    ], count: 6
                ).flatMap { $0 } + [.run(.seconds(5)), .converge(within: .seconds(60))]),
        Scenario(
            "torn-join", "Both sides of a join crash in the middle of it", nodes: 3,
            steps: together(2) + [
                .invite(by: 0), .crashBetweenOutputs([0, 1], restartAfter: .milliseconds(500)), .start([2]), .join([2]),
                .run(.seconds(5)), .write([0, 1, 2], count: 4, over: .seconds(2)), .crash([2]), .start([2]),
                .converge(within: .seconds(60)), .expectMembers(3),
            ]),
        Scenario(
            "full-disks", "Two disks are full for a minute while all write", nodes: 3,
            steps: together(3) + [
                .setDiskFull(0, true), .setDiskFull(2, true), .write([0, 1, 2], count: 10, over: .seconds(60)),
                .setDiskFull(0, false), .run(.seconds(3)), .write([0, 1], count: 3, over: .seconds(2)),
                .setDiskFull(2, false), .run(.seconds(3)), .write([0, 1, 2], count: 3, over: .seconds(1)),
                .converge(within: .seconds(60)),
            ]),
        Scenario(
            "damaged-disk", "Half of a disk becomes unreadable; friends have copies", nodes: 3,
            steps: together(3) + [
                .write([0, 1, 2], count: 12, over: .seconds(3)), .converge(within: .seconds(5)), .crash([1]),
                .damageDisk(1, share: 0.5), .start([1]), .write([0, 1, 2], count: 4, over: .seconds(2)),
                .converge(within: .seconds(120)), .crash([1]), .start([1]), .converge(within: .seconds(30)),
            ]),
    ]

    // MARK: Liars

    static let liars: [Scenario] =
        Lie.allCases.filter { !Lie.aboutAddresses.contains($0) }.map(lying) + [
            Scenario(
                "two-liars", "Two of five lie in every way", nodes: 5, profile: .bad(loss: 0.1),
                steps: together(5) + [
                    .write([0, 1, 2, 3, 4], count: 3, over: .seconds(2)), .converge(within: .seconds(30)),
                    .lie(3, Lie.allCases), .lie(4, Lie.allCases), .write([0, 1, 2], count: 6, over: .seconds(10)),
                    .crash([1]), .start([1]), .stopLying(3), .stopLying(4), .converge(within: .seconds(120)),
                ]),
            Scenario(
                "friend-floods",
                "A friend writes messages and comments as fast as it can to somebody with two machines",
                nodes: 3,
                steps: paired + [
                    .start([2]), .linkDevice(2, to: 0), .write([0, 1], count: 3, over: .seconds(2)),
                    .talk([0, 1], count: 6, over: .seconds(5)), .converge(within: .seconds(30)),
                    .lie(1, [.talkFlood]), .talk([0], count: 10, over: .seconds(10)), .crash([2]),
                    .talk([0], count: 6, over: .seconds(3)), .start([2]), .run(.seconds(5)), .stopLying(1),
                    .converge(within: .seconds(120)), .expectTraffic(below: 4_000_000),
                ]),
            Scenario(
                "liar-forks-removed", "A liar makes dozens of branches, and its remover knows others than the rest",
                nodes: 4,
                steps: together(4) + [
                    .write([0, 1, 2, 3], count: 4, over: .seconds(2)), .converge(within: .seconds(10)),
                    .cutOneWay(from: [0], to: [1, 2]), .cutOneWay(from: [1, 2], to: [0]), .lie(3, [.forkedFeed]),
                    .run(.seconds(30)), .stopLying(3), .remove(3, by: 0), .setProfile(.good),
                    .converge(within: .seconds(600)), .expectMembers(3), .crash([1]), .start([1]),
                    .converge(within: .seconds(60)),
                ]),
            Scenario(
                "liar-removed", "A liar is removed while it floods the others", nodes: 4,
                steps: together(4) + [
                    .write([0, 1, 2, 3], count: 4, over: .seconds(2)), .converge(within: .seconds(10)),
                    .lie(3, [.recordFlood, .operationFlood, .forkedFeed, .falseTips]), .run(.seconds(3)),
                    .write([0, 1, 2], count: 4, over: .seconds(5)), .remove(3, by: 0),
                    .write([0, 1, 2], count: 4, over: .seconds(5)), .run(.seconds(5)), .expectMembers(3),
                    .converge(within: .seconds(60)),
                ]),
        ]

    /// Three honest nodes and a liar. Meanwhile the honest ones keep writing, and one of them restarts.
    private static func lying(_ lie: Lie) -> Scenario {
        // While somebody keeps writing, there need not be a moment when all are equal.
        let isRestless = [.recordFlood, .talkFlood, .operationFlood, .forkedFeed].contains(lie)
        let agreement: [Step] =
            isRestless
            ? [.run(.seconds(5)), .stopLying(3), .converge(within: .seconds(120))]
            : [.converge(within: .seconds(60)), .stopLying(3), .converge(within: .seconds(10))]
        let name = lie.rawValue.map { $0.isUppercase ? "-" + $0.lowercased() : String($0) }.joined()
        return Scenario(
            "liar-" + name, "One of four: \(name.replacing("-", with: " "))", nodes: 4,
            steps: together(4) + [
                .write([0, 1, 2, 3], count: 4, over: .seconds(2)), .converge(within: .seconds(10)), .lie(3, [lie]),
                .write([0, 1, 2], count: 5, over: .seconds(10)), .crash([1]),
                .write([0, 2], count: 3, over: .seconds(3)), .start([1]), .run(.seconds(5)),
            ] + agreement + [.expectTraffic(below: 4_000_000)])
    }
}
