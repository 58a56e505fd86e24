import StreakCrypto
import StreakMembership
import StreakReplication
import StreakWire

/// A feed that a set of operations cuts: what nodes hold of it, and how far it counts.
struct CountedFeed {
    let feed: FeedID
    let runs: [Run]
    /// The ends of the branches that count, as far as they count.
    let ends: [Tip]

    init(_ builder: FeedBuilder, runs: [Run]? = nil, ends: [Tip]) {
        feed = builder.feed
        self.runs = runs ?? [builder.run(1...builder.records.count)]
        self.ends = ends
    }

    var json: JSON {
        [
            "device": .text(feed.device.description), "epoch": VectorFile.epoch(feed.epoch),
            "runs": .list(runs.map { ["hex": .hex($0.encoded)] }),
            "ends": .list(
                ends.sorted().map { ["number": .number(Int($0.number)), "hash": .text($0.hash.description)] }),
        ]
    }
}

/// Sets of operations with the feeds that they cut.
extension VectorFile {
    static func feedSets() throws -> [JSON] {
        try [
            feedsOfRemoved(), feedsOfReturned(), feedsOfRevoked(), feedsRemovedAndRevoked(), feedsErased(),
            feedsCutTwice(), feedsOfBrokenCertificate(),
        ]
    }

    private static func feed(
        of identity: DeviceIdentity, in friends: Friends, epoch counter: UInt32 = 1, count: Int = 6
    ) -> FeedBuilder {
        var feed = FeedBuilder(
            group: friends.stage.ledger.group, identity: identity,
            epoch: Epoch(counter: counter, nonce: Cast.epoch.nonce + UInt64(counter)))
        feed.append("a", count: count)
        return feed
    }

    private static func feedsOfRemoved() throws -> JSON {
        var friends = try Friends()
        let (ada, ben, cleo) = (friends.ada, friends.ben, friends.cleo)
        let cut = feed(of: ben.identity, in: friends)
        var fork = cut.branch(at: 3)
        fork.append("b", count: 4)
        let short = feed(of: ben.identity, in: friends, epoch: 2)
        let unlisted = feed(of: ben.identity, in: friends, epoch: 3)
        let owners = feed(of: ada.identity, in: friends)
        var other = owners.branch(at: 3)
        other.append("b", count: 4)
        let removal = friends.stage.removal(
            of: ben.user, feeds: [ben.device: [cut.cut(at: 5), short.cut(at: 6)]], key: "second access key")
        try friends.stage.perform("remove ben", removal, by: ada.identity)
        return try set(
            "feeds of a removed member count up to its cut", friends.stage,
            Expectation(
                members: [(ada, "owner"), (cleo, "member")], former: [ben],
                feeds: [
                    CountedFeed(cut, runs: [cut.run(1...6), fork.run(3...7)], ends: [cut.tip(5)]),
                    CountedFeed(short, runs: [short.run(1...4)], ends: [short.tip(4)]),
                    CountedFeed(unlisted, ends: []),
                    CountedFeed(
                        owners, runs: [owners.run(1...6), other.run(4...7)], ends: [owners.tip(6), other.tip(7)]),
                ]))
    }

    private static func feedsOfReturned() throws -> JSON {
        var friends = try Friends()
        let (ada, ben, cleo) = (friends.ada, friends.ben, friends.cleo)
        let before = feed(of: ben.identity, in: friends)
        let after = feed(of: ben.identity, in: friends, epoch: 2)
        let removal = friends.stage.removal(
            of: ben.user, feeds: [ben.device: [before.cut(at: 4)]], key: "second access key")
        try friends.stage.perform("remove ben", removal, by: ada.identity)
        let fresh = try friends.stage.invite(by: ada.identity, label: "invite for ben")
        try friends.stage.perform(
            "admit ben again", .admit(friends.stage.claim(ben.identity, fresh.secrets, fresh.operation)),
            by: ada.identity)
        return try set(
            "the epochs of a member's time before its removal stay cut", friends.stage,
            Expectation(
                members: [(ada, "owner"), (ben, "member"), (cleo, "member")],
                feeds: [CountedFeed(before, ends: [before.tip(4)]), CountedFeed(after, ends: [after.tip(6)])]))
    }

    private static func feedsOfRevoked() throws -> JSON {
        var friends = try Friends()
        let (ada, ben, cleo) = (friends.ada, friends.ben, friends.cleo)
        let second = try ben.secondDevice()
        try friends.stage.perform("add a device", .addDevice(second.certificate), by: ben.identity)
        let (kept, cut) = (feed(of: ben.identity, in: friends), feed(of: second, in: friends))
        let unlisted = feed(of: second, in: friends, epoch: 2)
        try friends.stage.perform(
            "revoke the device",
            revocation(of: second, by: ben, in: friends.stage, label: "second access key", feeds: [cut.cut(at: 2)]),
            by: ben.identity)
        return try set(
            "feeds of a revoked device count up to its cut", friends.stage,
            Expectation(
                members: [(ada, "owner"), (ben, "member"), (cleo, "member")],
                feeds: [
                    CountedFeed(kept, ends: [kept.tip(6)]), CountedFeed(cut, ends: [cut.tip(2)]),
                    CountedFeed(unlisted, ends: []),
                ]))
    }

    /// Revoked without knowing of the removal: what both keep counts.
    private static func feedsRemovedAndRevoked() throws -> JSON {
        var friends = try Friends()
        let (ada, ben, cleo) = (friends.ada, friends.ben, friends.cleo)
        let second = try ben.secondDevice()
        try friends.stage.perform("add a device", .addDevice(second.certificate), by: ben.identity)
        let feeds = (1...4).map { feed(of: second, in: friends, epoch: $0) }
        var other = friends.stage
        let removal = friends.stage.removal(
            of: ben.user,
            feeds: [second.device: [feeds[0].cut(at: 5), feeds[1].cut(at: 2), feeds[2].cut(at: 4)]],
            key: "second access key")
        try friends.stage.perform("remove ben", removal, by: ada.identity)
        try other.perform(
            "revoke the device",
            revocation(
                of: second, by: ben, in: other, label: "third access key",
                feeds: [feeds[0].cut(at: 3), feeds[1].cut(at: 6), feeds[3].cut(at: 4)]),
            by: ben.identity)
        try friends.stage.merge(other)
        return try set(
            "feeds of a device revoked and its account removed count as far as both say", friends.stage,
            Expectation(
                members: [(ada, "owner"), (cleo, "member")], former: [ben],
                refused: [("revoke the device", "author-removed")],
                feeds: [
                    CountedFeed(feeds[0], ends: [feeds[0].tip(3)]), CountedFeed(feeds[1], ends: [feeds[1].tip(2)]),
                    CountedFeed(feeds[2], ends: []), CountedFeed(feeds[3], ends: []),
                ]))
    }

    private static func feedsErased() throws -> JSON {
        var friends = try Friends()
        let (ada, ben, cleo) = (friends.ada, friends.ben, friends.cleo)
        let erased = feed(of: ben.identity, in: friends)
        let after = feed(of: ben.identity, in: friends, epoch: 2)
        let cuts = friends.stage.cuts(of: ben.user, feeds: [ben.device: [erased.cut(at: 6)]])
        try friends.stage.perform("leave", .leave(Departure(erases: true, cuts: cuts)), by: ben.identity)
        let invite = friends.invite
        try friends.stage.perform(
            "admit ben again",
            .admit(friends.stage.claim(ben.identity, invite.secrets, invite.operation, isSecond: true)),
            by: cleo.identity)
        return try set(
            "an epoch that was erased never counts again", friends.stage,
            Expectation(
                members: [(ada, "owner"), (ben, "member"), (cleo, "member")], erased: [ben],
                feeds: [CountedFeed(erased, ends: []), CountedFeed(after, ends: [after.tip(6)])]))
    }

    /// The owner's cut wins against an admin's longer one, for feeds as well.
    private static func feedsCutTwice() throws -> JSON {
        var friends = try Friends()
        let (ada, ben, cleo) = (friends.ada, friends.ben, friends.cleo)
        try friends.stage.perform(
            "name an admin", .setRole(RoleChange(user: ben.user, change: .admin)), by: ada.identity)
        let both = feed(of: cleo.identity, in: friends)
        let one = feed(of: cleo.identity, in: friends, epoch: 2)
        var other = friends.stage
        let owners = friends.stage.removal(
            of: cleo.user, feeds: [cleo.device: [both.cut(at: 2)]], key: "second access key")
        try friends.stage.perform("remove cleo", owners, by: ada.identity)
        let admins = other.removal(
            of: cleo.user, feeds: [cleo.device: [both.cut(at: 6), one.cut(at: 6)]], key: "third access key")
        try other.perform("remove cleo, too", admins, by: ben.identity)
        try friends.stage.merge(other)
        return try set(
            "owner and admin remove a member at once", friends.stage,
            Expectation(
                members: [(ada, "owner"), (ben, "admin")], former: [cleo],
                feeds: [CountedFeed(both, ends: [both.tip(2)]), CountedFeed(one, ends: [])]))
    }

    /// Nothing counts of a removed member's device whose only certificate is broken, whatever the removal's cut says.
    private static func feedsOfBrokenCertificate() throws -> JSON {
        var friends = try Friends()
        let (ada, ben, cleo) = (friends.ada, friends.ben, friends.cleo)
        let second = try ben.secondDevice()
        let third = try ben.device("ben third", certifiedBy: second)
        try friends.stage.perform("add the second", .addDevice(second.certificate), by: ben.identity)
        var other = friends.stage
        try friends.stage.perform("add the third", .addDevice(third.certificate), by: second)
        let (broken, kept) = (feed(of: third, in: friends), feed(of: ben.identity, in: friends))
        let removal = friends.stage.removal(
            of: ben.user, feeds: [third.device: [broken.cut(at: 5)], ben.device: [kept.cut(at: 5)]],
            key: "second access key")
        try friends.stage.perform("remove ben", removal, by: ada.identity)
        try other.perform(
            "revoke the second", revocation(of: second, by: ben, in: other, label: "third access key"),
            by: ben.identity)
        try friends.stage.merge(other)
        return try set(
            "a feed of a device that a revoked one certified", friends.stage,
            Expectation(
                members: [(ada, "owner"), (cleo, "member")], former: [ben],
                refused: [("revoke the second", "author-removed")],
                feeds: [CountedFeed(broken, ends: []), CountedFeed(kept, ends: [kept.tip(5)])]))
    }
}

extension FeedBuilder {
    func cut(at number: Int) -> FeedCut {
        FeedCut(
            epoch: feed.epoch, number: UInt64(number), hash: hashes[number], signature: signature(at: number))
    }
}
