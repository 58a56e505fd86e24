import StreakEngine

/// Several machines of one account: linked, recovered, brought into groups and shut out.
extension Scenario {
    static let machines: [Scenario] = [
        Scenario(
            "device-lost", "A lost device is revoked while it is off, and learns of it when it is back", nodes: 3,
            accounts: [2: 1],
            steps: together(3) + [
                .expectMembers(2), .write([0, 1, 2], count: 4, over: .seconds(1)), .converge(within: .seconds(5)),
                .crash([2]), .revokeDevice(of: 2, by: 1), .run(.seconds(400)),
                .write([0, 1], count: 3, over: .seconds(1)), .start([2]), .write([2], count: 2, over: .seconds(1)),
                .expectLost(2, within: .seconds(60)), .expectMembers(2), .converge(within: .seconds(10)),
            ]),
        Scenario(
            "device-linked", "A new machine is linked while packets are lost and the other machine restarts", nodes: 3,
            profile: .bad(loss: 0.2),
            steps: together(2) + [
                .makePrivateGroup([1]), .write([0, 1], count: 4, over: .seconds(1)), .start([2]), .linkDevice(2, to: 1),
                .crash([1]), .write([0, 2], count: 4, over: .seconds(2)), .start([1]), .expectMembers(2),
                .expectLinked(within: .seconds(400)), .write([0, 1, 2], count: 4, over: .seconds(2)),
                .converge(within: .seconds(60)),
            ]),
        Scenario(
            "machine-recovered",
            "A machine made with the recovery key meets the two others while packets are lost and all restart",
            nodes: 4, profile: .bad(loss: 0.2),
            steps: together(2) + [
                .makePrivateGroup([1]), .start([2]), .linkDevice(2, to: 1), .keepPrivately([1, 2], count: 6),
                .expectOnePrivateGroup([1, 2], within: .seconds(400)), .crash([2]), .recover(3, of: 1),
                .keepPrivately([1, 3], count: 6), .expectBrought(3, within: .seconds(400)),
                .crashBetweenOutputs([1, 3], restartAfter: .seconds(1)), .run(.seconds(20)), .start([2]),
                .crashBetweenOutputs([2], restartAfter: .seconds(1)), .run(.seconds(10)),
                .expectOnePrivateGroup([1, 2, 3], within: .seconds(2_000)), .keepPrivately([1, 2, 3], count: 2),
                .crash([1, 2, 3]), .start([1, 2, 3]), .expectOnePrivateGroup([1, 2, 3], within: .seconds(2_000)),
                .write([0, 1, 3], count: 4, over: .seconds(2)), .converge(within: .seconds(60)),
            ]),
        Scenario(
            "machine-brings-group",
            "A machine joins a group while its account's other machine is off; packets are lost and both restart",
            nodes: 3, profile: .bad(loss: 0.2),
            steps: [
                .start([0, 1, 2]), .makePrivateGroup([1]), .linkDevice(2, to: 1),
                .expectOnePrivateGroup([1, 2], within: .seconds(400)), .run(.seconds(1)), .crash([2]), .found(by: 0),
                .invite(by: 0), .join([1]), .write([0, 1], count: 4, over: .seconds(1)),
                .crashBetweenOutputs([1], restartAfter: .seconds(1)), .start([2]),
                .crashBetweenOutputs([1, 2], restartAfter: .seconds(1)), .run(.seconds(5)), .crash([2]), .start([2]),
                .expectBrought(2, within: .seconds(400)), .write([0, 1, 2], count: 4, over: .seconds(1)),
                .converge(within: .seconds(60)), .expectMembers(2),
            ]),
        Scenario(
            "machine-named-address",
            "A machine that slept during its account's recovery is only given the new one's address",
            nodes: 4, places: [0: .internet, 1: .internet, 2: .internet, 3: .internet],
            steps: together(2) + [
                .makePrivateGroup([1]), .start([2]), .linkDevice(2, to: 1), .keepPrivately([1, 2], count: 3),
                // What is visible may not be on the disk yet, and one of the two never comes back.
                .expectOnePrivateGroup([1, 2], within: .seconds(60)), .run(.seconds(1)), .crash([1, 2]),
                .recover(3, of: 1), .keepPrivately([3], count: 3), .join([3]), .revokeDevice(of: 1, by: 3),
                .write([0, 3], count: 2, over: .seconds(2)), .crash([0]), .forgetAddresses([2]), .start([2]),
                .nameAddress(of: 3, to: 2), .expectOnePrivateGroup([2, 3], within: .seconds(30)), .start([0]),
                .write([0, 2, 3], count: 2, over: .seconds(2)), .converge(within: .seconds(60)), .expectMembers(2),
            ]),
        Scenario(
            "machine-brings-many",
            "A machine founds twenty groups while the account's other one is off; packets are lost and both restart",
            nodes: 2, profile: .bad(loss: 0.2),
            steps: [
                .start([0, 1]), .makePrivateGroup([0]), .linkDevice(1, to: 0),
                .expectOnePrivateGroup([0, 1], within: .seconds(400)), .run(.seconds(1)), .crash([1]), .found(by: 0),
                .foundOthers(by: 0, count: 19), .write([0], count: 4, over: .seconds(1)), .start([1]),
                .crashBetweenOutputs([0, 1], restartAfter: .seconds(1)), .run(.seconds(3)),
                .crashBetweenOutputs([0, 1], restartAfter: .seconds(1)), .run(.seconds(3)), .crash([0, 1]),
                .start([0, 1]),
                .expectSameGroups([0, 1], count: 20, within: .seconds(400)), .expectBrought(1, within: .zero),
                .write([0, 1], count: 4, over: .seconds(1)), .converge(within: .seconds(60)),
            ]),
        Scenario(
            "machines-bring-at-once",
            "Two machines found twelve groups each while they are cut off from each other, and a third is off",
            nodes: 3, profile: .bad(loss: 0.05),
            steps: [
                .start([0, 1, 2]), .makePrivateGroup([0]), .linkDevice(1, to: 0), .linkDevice(2, to: 0),
                .expectOnePrivateGroup([0, 1, 2], within: .seconds(400)), .run(.seconds(1)), .crash([2]),
                .partition([[0], [1]]), .found(by: 0), .foundOthers(by: 0, count: 11), .foundOthers(by: 1, count: 12),
                .heal, .start([2]), .expectSameGroups([0, 1, 2], count: 24, within: .seconds(600)),
                .expectBrought(1, within: .zero), .expectBrought(2, within: .zero),
                .write([0, 1, 2], count: 4, over: .seconds(1)), .converge(within: .seconds(60)),
            ]),
        Scenario(
            "machines-revoke-apart",
            "Two machines revoke a third while neither hears the other; only one knows whom the third had linked",
            nodes: 5,
            steps: together(2) + [
                .makePrivateGroup([1]), .start([2]), .linkDevice(2, to: 1), .start([3]), .linkDevice(3, to: 1),
                .expectOnePrivateGroup([1, 2, 3], within: .seconds(60)), .run(.seconds(2)), .crash([1]), .start([4]),
                .linkDevice(4, to: 3), .expectOnePrivateGroup([2, 3, 4], within: .seconds(60)), .run(.seconds(2)),
                .write([0, 2, 3, 4], count: 3, over: .seconds(1)), .converge(within: .seconds(10)),
                // Machine 4 was linked by machine 3, which machines 1 and 2 are about to shut out.
                .partition([[0, 2, 4], [1, 3]]), .run(.seconds(200)), .crash([3]), .start([1]),
                .revokeDevice(of: 3, by: 2), .revokeDevice(of: 3, by: 1),
                .write([0, 1, 2], count: 3, over: .seconds(1)),
                .run(.seconds(400)), .heal, .converge(within: .seconds(130)),
                .keepPrivately([1, 2, 4], count: 2), .expectOnePrivateGroup([1, 2, 4], within: .seconds(60)),
                .write([0, 1, 2, 4], count: 3, over: .seconds(1)), .converge(within: .seconds(10)), .start([3]),
                .expectLost(3, within: .seconds(60)), .expectMembers(2), .converge(within: .seconds(10)),
            ]),
        Scenario(
            "machines-revoke-in-halves",
            "The same, with twelve groups on one side, and packets lost",
            nodes: 5, profile: .bad(loss: 0.2),
            steps: [
                .start([0, 1]), .makePrivateGroup([1]), .found(by: 1), .invite(by: 1), .join([0]),
                .foundOthers(by: 1, count: 11), .start([2]), .linkDevice(2, to: 1), .start([3]), .linkDevice(3, to: 1),
                .expectOnePrivateGroup([1, 2, 3], within: .seconds(400)),
                .expectSameGroups([1, 2, 3], count: 12, within: .seconds(400)), .run(.seconds(5)), .crash([1]),
                .start([4]), .linkDevice(4, to: 3), .expectSameGroups([2, 3, 4], count: 12, within: .seconds(400)),
                .expectOnePrivateGroup([2, 3, 4], within: .seconds(400)), .run(.seconds(5)),
                .partition([[0, 2, 4], [1, 3]]), .run(.seconds(200)), .crash([3]), .start([1]),
                // Machine 2 crashes before it has told of the revocation. Machines 1 and 4 crash while they exchange theirs, and
                // machine 2 comes back meanwhile.
                .revokeDevice(of: 3, by: 2), .crash([2]), .revokeDevice(of: 3, by: 1), .heal,
                .crashBetweenOutputs([1, 4], restartAfter: .seconds(1)), .run(.seconds(1)), .start([2]),
                .run(.seconds(1)),
                .expectOnePrivateGroup([1, 2, 4], within: .seconds(130)), .keepPrivately([1, 2, 4], count: 2),
                .expectOnePrivateGroup([1, 2, 4], within: .seconds(400)),
                .expectSameGroups([1, 2, 4], count: 12, within: .seconds(400)),
                .write([0, 1, 2, 4], count: 3, over: .seconds(1)), .converge(within: .seconds(60)), .start([3]),
                .expectLost(3, within: .seconds(400)), .expectMembers(2), .converge(within: .seconds(60)),
            ]),
    ]
}
