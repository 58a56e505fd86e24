import StreakEngine

/// The scenarios of every test run.
extension Scenario {
    /// - Parameter seed: for scenarios that are generated from it.
    public static func named(_ name: String, seed: UInt64 = 1) -> Scenario? {
        name == chaosName ? chaos(seed: seed) : all.first { $0.name == name }
    }

    /// Every scenario. The generated one has seed 1.
    public static let all: [Scenario] =
        basics + talks + shapes + quality + retractions + disks + membership + removals + friends + machines + ways
        + homes
        + meetings
        + dht
        + clocks
        + processes
        + liars
        + [chaos(seed: 1)]

    /// Founding, joining, writing, agreeing.
    private static let basics: [Scenario] = [
        Scenario(
            "pair", "Two friends: found, invite, join by link, write on both sides", nodes: 2,
            steps: [
                .start([0, 1]), .found(by: 0), .write([0], count: 3, over: .seconds(1)), .invite(by: 0), .join([1]),
                .write([0, 1], count: 10, over: .seconds(2)), .converge(within: .seconds(2)),
            ]),
        Scenario(
            "storm", "Eight nodes: loss, duplication, reordering, a partition, a crash and a restart", nodes: 8,
            profile: .bad(loss: 0.2),
            steps: [
                .start([0, 1, 2, 3, 4, 5, 6, 7]), .found(by: 0), .invite(by: 0), .join([1, 2, 3, 4, 5, 6, 7]),
                .write([0, 3, 6], count: 4, over: .seconds(2)),
                .partition([[0, 1, 2, 3], [4, 5, 6, 7]]), .write([1, 2, 4, 5], count: 4, over: .seconds(3)),
                .crash([2]), .write([0, 7], count: 3, over: .seconds(2)), .heal, .start([2]),
                .write([2, 5], count: 3, over: .seconds(2)), .converge(within: .seconds(150)),
            ]),
        Scenario(
            "beacon", "Three members find each other on the LAN by beacon alone", nodes: 3,
            steps: together(3) + [
                .crash([0, 1, 2]), .forgetAddresses([0, 1, 2]), .start([0, 1, 2]),
                .expectLinked(within: .milliseconds(300)), .write([0, 1, 2], count: 3, over: .seconds(1)),
                .converge(within: .seconds(10)),
            ]),
        Scenario(
            "third-member", "A newcomer joins through a third member while the inviter is down", nodes: 3,
            steps: together(2) + [
                .invite(by: 0), .converge(within: .seconds(5)), .crash([0]), .start([2]), .join([2]),
                .write([1, 2], count: 3, over: .seconds(1)), .start([0]), .converge(within: .seconds(30)),
            ]),
        Scenario(
            "apart", "Concurrent edits during a partition", nodes: 3,
            steps: together(3) + [
                .write([0, 1, 2], count: 5, over: .seconds(1)), .partition([[0], [1, 2]]),
                .write([0, 1, 2], count: 10, over: .seconds(20)), .run(.seconds(600)),
                .write([0, 2], count: 5, over: .seconds(5)), .heal, .converge(within: .seconds(600)),
            ]),
    ]

    /// Reactions, comments, challenges, events and messages.
    private static let talks: [Scenario] = [
        Scenario(
            "talk", "Eight people play, react, comment, hide, edit and delete at random, in two halves for a while",
            nodes: 8,
            profile: .bad(loss: 0.1),
            steps: together(8) + [
                .write([0, 1, 2, 3, 4, 5, 6, 7], count: 2, over: .seconds(2)), .converge(within: .seconds(30)),
                .talk([0, 1, 2, 3, 4, 5, 6, 7], count: 8, over: .seconds(10)),
                .partition([[0, 1, 2], [3, 4, 5, 6, 7]]),
                .talk([0, 1, 2, 3, 4, 5, 6, 7], count: 12, over: .seconds(20)),
                .write([0, 3, 5, 7], count: 4, over: .seconds(5)), .crash([4]),
                .talk([0, 2, 5, 7], count: 6, over: .seconds(5)), .heal, .start([4]),
                .talk([1, 4, 6], count: 4, over: .seconds(5)), .converge(within: .seconds(150)),
            ]),
        Scenario(
            "events", "Two admins and two others choose events apart from each other, and an admin leaves", nodes: 5,
            profile: .bad(loss: 0.1),
            steps: together(5) + [
                .nameAdmin(1, by: 0), .nameAdmin(2, by: 0), .write([0, 1, 2, 3, 4], count: 4, over: .seconds(2)),
                .converge(within: .seconds(30)), .talk([0, 1, 2, 3], count: 12, over: .seconds(10)),
                .partition([[0, 3], [1, 2, 4]]), .talk([0, 1, 2, 3], count: 20, over: .seconds(20)),
                .write([3, 4], count: 2, over: .seconds(2)), .crash([1]), .heal, .start([1]),
                .talk([0, 2], count: 6, over: .seconds(5)), .converge(within: .seconds(60)), .leave(2, erasing: false),
                .converge(within: .seconds(60)),
            ]),
        Scenario(
            "messages",
            "Two friends, one with two machines, write, change and delete, apart for a while, until a third comes in",
            nodes: 4, profile: .bad(loss: 0.1),
            steps: paired + [
                .start([2]), .linkDevice(2, to: 1), .write([0, 1], count: 2, over: .seconds(2)),
                .talk([0, 1], count: 12, over: .seconds(10)), .partition([[0, 2], [1]]),
                .talk([0, 1], count: 20, over: .seconds(20)), .crash([0]), .talk([1], count: 6, over: .seconds(5)),
                .start([0]), .talk([0, 1], count: 6, over: .seconds(5)), .heal, .crash([2]),
                .talk([0, 1], count: 8, over: .seconds(5)), .start([2]), .converge(within: .seconds(150)),
                .start([3]), .invite(by: 0), .join([3]), .talk([0, 1, 3], count: 6, over: .seconds(5)),
                .converge(within: .seconds(150)), .expectMembers(3),
            ]),
    ]

    /// The first two nodes as friends by code, in a group of the two.
    static let paired: [Step] = [
        .start([0, 1]), .makePrivateGroup([0, 1]), .answerToCode([0]), .askFriend(of: 0, by: 1),
        .expectRequest(of: 1, at: 0, within: .seconds(2_000)), .approveFriend(1, by: 0),
        .expectFriends(0, 1, within: .seconds(1_200)),
    ]

    /// Networks of realistic quality.
    private static let quality: [Scenario] = [
        Scenario(
            "streams-only", "Datagrams are blocked: streams carry everything", nodes: 3, profile: .withoutDatagrams,
            steps: together(3) + [
                .write([0, 1, 2], count: 8, over: .seconds(3)), .crash([1]), .start([1]),
                .write([1], count: 3, over: .seconds(1)), .converge(within: .seconds(60)),
            ]),
        Scenario(
            "datagrams-only", "Streams are blocked: datagrams carry everything", nodes: 3, profile: .withoutStreams,
            steps: together(3) + [
                .write([0, 1, 2], count: 8, over: .seconds(3)), .writeAtOnce(0, count: 300),
                .converge(within: .seconds(30)),
            ]),
        Scenario(
            "loss-20", "A fifth of all datagrams is lost", nodes: 4, profile: .bad(loss: 0.2),
            steps: together(4) + [
                .write([0, 1, 2, 3], count: 8, over: .seconds(3)), .converge(within: .seconds(30)),
                .expectLinked(within: .seconds(400)),
            ]),
        Scenario(
            "loss-50", "Half of all datagrams is lost", nodes: 3, profile: .bad(loss: 0.5),
            steps: together(3) + [
                .write([0, 1, 2], count: 8, over: .seconds(3)), .converge(within: .seconds(120)),
            ]),
        Scenario(
            "one-way", "One direction between two of three is blocked", nodes: 3,
            steps: together(3) + [
                .setOneWay(from: 1, to: 2, .withoutDatagrams), .write([0, 1, 2], count: 8, over: .seconds(5)),
                .converge(within: .seconds(60)),
            ]),
        Scenario(
            "clock-ahead", "A clock is fifteen minutes ahead: its records wait for their time", nodes: 3,
            clockLeads: [2: .seconds(900)],
            steps: together(3) + [
                .write([0, 1, 2], count: 6, over: .seconds(2)), .agreeOnDigests(within: .seconds(10)),
                .run(.seconds(1_000)), .converge(within: .seconds(60)),
            ]),
    ]

    /// Clocks that are wrong by years.
    private static let retractions: [Scenario] = [
        Scenario(
            "clock-years", "A clock is four years ahead and then set right; its records are written again", nodes: 3,
            steps: together(3) + [
                .write([0, 1, 2], count: 4, over: .seconds(2)), .setClockLead(2, .seconds(126_144_000)),
                .write([2], count: 6, over: .seconds(2)), .agreeOnDigests(within: .seconds(10)),
                .setClockLead(2, .zero), .write([2], count: 3, over: .seconds(2)), .crash([1]), .repairClock(2),
                .write([0, 2], count: 3, over: .seconds(2)), .start([1]), .converge(within: .seconds(60)),
            ])
    ]

    /// Disks that fail, fill up, go back in time or are copied.
    private static let disks: [Scenario] = [
        Scenario(
            "crash", "A node crashes in the middle of its writes, twice", nodes: 2,
            steps: together(2) + [
                .writeMeanwhile([0, 1], count: 120, over: .seconds(2)), .run(.milliseconds(700)), .crash([0]),
                .run(.milliseconds(400)), .start([0]), .run(.milliseconds(300)), .crash([0]), .start([0]),
                .run(.seconds(2)), .converge(within: .seconds(60)),
            ]),
        Scenario(
            "full-disk", "A disk is full for a while", nodes: 2,
            steps: together(2) + [
                .setDiskFull(0, true), .write([0, 1], count: 5, over: .seconds(3)), .setDiskFull(0, false),
                .run(.seconds(3)), .write([0], count: 3, over: .seconds(1)), .converge(within: .seconds(60)),
            ]),
        Scenario(
            "copy-noticed", "A copied data folder is started beside the original, and the copy is noticed", nodes: 3,
            twins: [2: 1],
            steps: together(2) + [
                .write([0, 1], count: 5, over: .seconds(1)), .converge(within: .seconds(5)),
                .copy(of: 1, to: 2, isNoticed: true), .start([2]), .write([0, 1, 2], count: 5, over: .seconds(5)),
                .converge(within: .seconds(600)),
            ]),
        Scenario(
            "copy-unnoticed", "A copied data folder is started beside the original, and nothing shows it", nodes: 3,
            twins: [2: 1],
            steps: together(2) + [
                .write([0, 1], count: 5, over: .seconds(1)), .converge(within: .seconds(5)),
                .copy(of: 1, to: 2, isNoticed: false), .start([2]), .write([0, 1, 2], count: 5, over: .seconds(5)),
                .converge(within: .seconds(600)),
            ]),
        Scenario(
            "restore-unnoticed", "An old state is restored in the same store: the node catches up", nodes: 2,
            steps: together(2) + restored(isNoticed: false)),
        Scenario(
            "restore-noticed", "An old state is restored and noticed: new epochs immediately", nodes: 2,
            steps: together(2) + restored(isNoticed: true)),
        Scenario(
            "restore-offline", "An old state is restored, and the node writes before it meets anybody", nodes: 2,
            steps: together(2) + [
                .write([0, 1], count: 5, over: .seconds(1)), .backUp(1), .write([0, 1], count: 5, over: .seconds(1)),
                .converge(within: .seconds(5)), .partition([[0], [1]]), .restore(1, isNoticed: false), .start([1]),
                .writeNew(1, count: 5), .run(.seconds(5)), .heal, .converge(within: .seconds(120)),
                .write([0, 1], count: 5, over: .seconds(1)), .converge(within: .seconds(5)),
            ]),
    ]

    /// Members joining and leaving.
    private static let membership: [Scenario] = [
        Scenario(
            "invite-used-up", "An invite for one admits one", nodes: 3,
            steps: [
                .start([0, 1, 2]), .found(by: 0), .invite(by: 0, uses: 1), .join([1]),
                .joinFails(2, .joinRefused(.usedUp)), .converge(within: .seconds(5)),
            ]),
        Scenario(
            "invite-expired", "An expired invite admits nobody", nodes: 2,
            steps: [
                .start([0, 1]), .found(by: 0), .invite(by: 0, lifetime: 60), .run(.seconds(61)),
                .joinFails(1, .linkExpired),
            ]),
        Scenario(
            "invite-expired-there", "The admitter's clock decides about the expiry", nodes: 2,
            clockLeads: [1: .seconds(-120)],
            steps: [
                .start([0, 1]), .found(by: 0), .invite(by: 0, lifetime: 60), .run(.seconds(61)),
                .joinFails(1, .joinRefused(.expired)),
            ]),
        Scenario(
            "invite-revoked", "A revoked invite admits nobody", nodes: 2,
            steps: [
                .start([0, 1]), .found(by: 0), .invite(by: 0), .revokeInvite(by: 0),
                .joinFails(1, .joinRefused(.revoked)),
            ]),
        Scenario(
            "leave", "Somebody leaves; the results stay", nodes: 3,
            steps: together(3) + [
                .write([0, 1, 2], count: 4, over: .seconds(1)), .converge(within: .seconds(5)),
                .leave(2, erasing: false), .run(.seconds(1)), .expectMembers(2), .converge(within: .seconds(5)),
            ]),
        Scenario(
            "leave-erasing", "Somebody leaves with erasure; the others delete", nodes: 3,
            steps: together(3) + [
                .write([0, 1, 2], count: 4, over: .seconds(1)), .converge(within: .seconds(5)), .crash([1]),
                .leave(2, erasing: true), .run(.seconds(1)), .start([1]), .run(.seconds(5)), .expectMembers(2),
                .converge(within: .seconds(5)),
            ]),
        Scenario(
            "leave-apart", "Somebody leaves while alone, and the others learn of it later", nodes: 2,
            steps: together(2) + [
                .write([0, 1], count: 4, over: .seconds(1)), .converge(within: .seconds(5)), .partition([[0], [1]]),
                .run(.seconds(400)), .leave(1, erasing: false), .crash([1]), .start([1]), .run(.seconds(5)), .heal,
                .run(.seconds(600)), .expectMembers(1), .converge(within: .seconds(5)),
            ]),
        Scenario(
            "second-group", "Linked friends found another group and join it by link", nodes: 3,
            steps: together(3) + [
                .found(by: 1), .invite(by: 1), .join([0, 2]), .write([0, 1, 2], count: 4, over: .seconds(1)),
                .converge(within: .seconds(10)), .crash([1]), .start([1]), .write([1], count: 2, over: .seconds(1)),
                .converge(within: .seconds(10)),
            ]),
        Scenario(
            "return", "Somebody leaves and comes back by a new invite", nodes: 2,
            steps: together(2) + [
                .write([0, 1], count: 4, over: .seconds(1)), .converge(within: .seconds(5)),
                .leave(1, erasing: false), .run(.seconds(1)), .invite(by: 0), .join([1]),
                .write([0, 1], count: 4, over: .seconds(1)), .crash([1]), .start([1]), .converge(within: .seconds(30)),
            ]),
    ]

    /// Removals and revocations.
    private static let removals: [Scenario] = [
        Scenario(
            "removal-online",
            "Somebody is removed while all are online: all know within a second",
            nodes: 6,
            profile: .dsl,
            steps: together(6) + [
                .write([0, 1, 2, 3, 4, 5], count: 4, over: .seconds(1)), .converge(within: .seconds(5)),
                .remove(5, by: 0), .run(.seconds(1)), .expectMembers(5), .expectLost(5, within: .zero),
                .write([0, 1, 2, 3, 4, 5], count: 2, over: .seconds(1)), .converge(within: .seconds(10)),
            ]),
        Scenario(
            "removal-apart", "Somebody is removed while half the group is cut off and keeps writing", nodes: 4,
            steps: together(4) + [
                .write([0, 1, 2, 3], count: 4, over: .seconds(1)), .converge(within: .seconds(5)),
                .partition([[0, 1], [2, 3]]), .run(.seconds(400)), .write([1, 2, 3], count: 3, over: .seconds(1)),
                .remove(3, by: 0), .write([1, 2, 3], count: 4, over: .seconds(2)), .crash([2]), .start([2]), .heal,
                .expectLost(3, within: .seconds(4_000)), .run(.seconds(4_000)), .expectMembers(3),
                .converge(within: .seconds(60)), .write([0, 1, 2], count: 2, over: .seconds(1)),
                .converge(within: .seconds(10)),
            ]),
        Scenario(
            "removals-in-halves", "Two halves each remove somebody during a partition, and meet again", nodes: 6,
            steps: together(6) + [
                .nameAdmin(3, by: 0), .write([0, 1, 2, 3, 4, 5], count: 3, over: .seconds(1)),
                .converge(within: .seconds(5)), .partition([[0, 1, 5], [2, 3, 4]]), .run(.seconds(400)),
                .remove(5, by: 0), .remove(4, by: 3), .write([0, 2, 4, 5], count: 3, over: .seconds(1)),
                .expectLost(5, within: .seconds(10)), .expectLost(4, within: .seconds(10)), .run(.seconds(20_000)),
                .crash([1]), .start([1]), .heal, .run(.seconds(8_000)), .expectMembers(4),
                .converge(within: .seconds(60)), .expectLinked(within: .seconds(4_000)),
            ]),
        Scenario(
            "removals-mutual", "The owner removes an admin who, cut off, removes somebody else", nodes: 6,
            steps: together(6) + [
                .nameAdmin(3, by: 0), .write([0, 1, 2, 3, 4, 5], count: 3, over: .seconds(1)),
                .converge(within: .seconds(5)), .partition([[0, 1, 2], [3, 4, 5]]), .run(.seconds(400)),
                .remove(3, by: 0), .removeWithoutEffect(1, by: 3), .write([1, 3, 4], count: 3, over: .seconds(1)),
                .run(.seconds(2_000)), .heal, .expectLost(3, within: .seconds(4_000)), .run(.seconds(4_000)),
                .expectMembers(5), .converge(within: .seconds(600)),
            ]),
        Scenario(
            "leave-erasing-away", "Somebody leaves with erasure while all friends are away", nodes: 3,
            steps: together(3) + [
                .write([0, 1, 2], count: 4, over: .seconds(1)), .converge(within: .seconds(5)), .crash([0, 1]),
                .leave(2, erasing: true), .run(.seconds(400)), .crash([2]), .start([2]), .run(.seconds(10)),
                .start([1]), .expectLost(2, within: .seconds(4_000)), .crash([2]), .start([0]),
                .run(.seconds(60)), .expectMembers(2), .converge(within: .seconds(60)),
            ]),
    ]

    /// Friends by code.
    private static let friends: [Scenario] = [
        Scenario(
            "friend-code", "A friend is found by code while packets are lost and duplicated and both sides restart",
            nodes: 2, profile: .bad(loss: 0.2),
            steps: [
                .start([0, 1]), .makePrivateGroup([0, 1]), .answerToCode([0]), .askFriend(of: 0, by: 1),
                .run(.milliseconds(100)), .crash([0]), .run(.seconds(3)), .start([0]),
                .expectRequest(of: 1, at: 0, within: .seconds(2_000)), .crash([1]), .approveFriend(1, by: 0),
                .crash([0]),
                .start([1]), .run(.seconds(2)), .start([0]), .expectFriends(0, 1, within: .seconds(1_200)),
                .write([0, 1], count: 4, over: .seconds(1)), .converge(within: .seconds(60)),
            ]),
        Scenario(
            "friend-codes-crossed", "Two ask each other, and both accept before either has the other's request",
            nodes: 2,
            steps: [
                .start([0, 1]), .makePrivateGroup([0, 1]), .answerToCode([0, 1]), .askFriend(of: 0, by: 1),
                .askFriend(of: 1, by: 0), .expectRequest(of: 1, at: 0, within: .seconds(400)),
                .expectRequest(of: 0, at: 1, within: .seconds(400)), .partition([[0], [1]]), .approveFriend(1, by: 0),
                .approveFriend(0, by: 1), .heal, .expectFriends(0, 1, within: .seconds(1_200)),
                .write([0, 1], count: 4, over: .seconds(1)), .converge(within: .seconds(60)),
            ]),
        Scenario(
            "friend-codes-at-once", "Two enter each other's codes at the same moment, and one accepts", nodes: 2,
            steps: [
                .start([0, 1]), .makePrivateGroup([0, 1]), .answerToCode([0, 1]), .askFriend(of: 0, by: 1),
                .askFriend(of: 1, by: 0), .expectRequest(of: 1, at: 0, within: .seconds(10)),
                .approveFriend(1, by: 0), .expectFriends(0, 1, within: .seconds(8)),
            ]),
        Scenario(
            "friend-codes-one-yes", "Two ask each other, and one accepts", nodes: 2, profile: .bad(loss: 0.2),
            steps: [
                .start([0, 1]), .makePrivateGroup([0, 1]), .answerToCode([0, 1]), .askFriend(of: 0, by: 1),
                .askFriend(of: 1, by: 0), .expectRequest(of: 1, at: 0, within: .seconds(2_000)),
                .approveFriend(1, by: 0),
                .expectFriends(0, 1, within: .seconds(2_000)), .write([0, 1], count: 4, over: .seconds(1)),
                .converge(within: .seconds(60)),
            ]),
    ]

    /// The first `count` nodes as members of one group.
    static func together(_ count: Int, within limit: Duration = .seconds(20)) -> [Step] {
        [
            .start(Array(0..<count)), .found(by: 0), .invite(by: 0), .join(Array(1..<count)), .converge(within: limit),
        ]
    }

    private static func restored(isNoticed: Bool) -> [Step] {
        [
            .write([0, 1], count: 5, over: .seconds(1)), .backUp(1), .write([0, 1], count: 5, over: .seconds(1)),
            .converge(within: .seconds(5)), .restore(1, isNoticed: isNoticed), .start([1]), .run(.seconds(5)),
            .write([0, 1], count: 5, over: .seconds(1)), .converge(within: .seconds(30)), .expectNoFork,
        ]
    }
}
