import StreakCrypto
import StreakMembership
import StreakReplication
import StreakWire

/// Sets of operations in which somebody comes back and goes again: a later cut gives nothing back that an earlier one
/// took.
extension VectorFile {
    static func returns() throws -> [JSON] { try [demotedTwice(), removedTwice()] }

    /// What an admin signed past the first cut is before the second.
    private static func demotedTwice() throws -> JSON {
        var friends = try Friends()
        let (ada, ben, cleo) = (friends.ada, friends.ben, friends.cleo)
        let naming = RoleChange(user: ben.user, change: .admin)
        try friends.stage.perform("name an admin", .setRole(naming), by: ada.identity)
        var other = friends.stage
        try friends.stage.perform("demote", demotion(of: ben, in: friends.stage), by: ada.identity)
        try other.perform(
            "remove cleo",
            .remove(
                Removal(
                    user: cleo.user, cuts: other.cuts(of: cleo.user), accessKeyHash: other.hash("second access key"))),
            by: ben.identity)
        try friends.stage.merge(other)
        try friends.stage.perform("name the admin again", .setRole(naming), by: ada.identity)
        try friends.stage.perform("demote again", demotion(of: ben, in: friends.stage), by: ada.identity)
        return try set(
            "an admin is demoted, named and demoted again", friends.stage,
            Expectation(
                members: [(ada, "owner"), (ben, "member"), (cleo, "member")],
                refused: [("remove cleo", "needs-admin")]))
    }

    private static func demotion(of person: Person, in stage: LedgerStage) -> OperationBody {
        .setRole(RoleChange(user: person.user, change: .member, cuts: stage.cuts(of: person.user)))
    }

    /// Somebody lets a friend in, not knowing of their own removal.
    private static func removedTwice() throws -> JSON {
        var friends = try Friends()
        let (ada, ben, dora) = (friends.ada, friends.ben, try Person("dora"))
        var other = friends.stage
        try friends.stage.perform(
            "remove ben", removal(of: ben, in: friends.stage, "second access key"), by: ada.identity)
        let claim = other.claim(dora.identity, friends.invite.secrets, friends.invite.operation)
        try other.perform("admit dora", .admit(claim), by: ben.identity)
        try friends.stage.merge(other)
        let fresh = try friends.stage.invite(by: ada.identity, label: "invite for ben")
        try friends.stage.perform(
            "admit ben again", .admit(friends.stage.claim(ben.identity, fresh.secrets, fresh.operation)),
            by: ada.identity)
        try friends.stage.perform(
            "remove ben again", removal(of: ben, in: friends.stage, "third access key"), by: ada.identity)
        return try set(
            "a member is removed, comes back and is removed again", friends.stage,
            Expectation(
                members: [(ada, "owner"), (friends.cleo, "member")], former: [ben],
                refused: [("admit dora", "author-removed")]))
    }

    private static func removal(of person: Person, in stage: LedgerStage, _ key: String) -> OperationBody {
        .remove(Removal(user: person.user, cuts: stage.cuts(of: person.user), accessKeyHash: stage.hash(key)))
    }
}
