import StreakCrypto
import StreakMembership
import StreakReplication
import StreakWire

/// Sets of operations in which roles, devices and memberships change.
extension VectorFile {
    static func changes() throws -> [JSON] {
        try [
            takenOver(), takenOverTooLate(), handedBack(), deviceRevoked(), deviceCertifiedByRevoked(),
            settingsDecide(),
            demoted(), demotedAndRemoved(), readmitted(), approved(), approvedAndRemoved(), cameBack(), copied(),
            forked(),
        ]
    }

    /// The heir takes the group over while the owner, out of reach, renames it.
    private static func takenOver() throws -> JSON {
        var friends = try Friends()
        let (ada, cleo) = (friends.ada, friends.cleo)
        try friends.nameHeir()
        var other = friends.stage
        try friends.takeOver()
        try other.perform("rename", .rename("Too late"), by: ada.identity)
        try friends.stage.merge(other)
        return try set(
            "an heir takes over, and ends what the owner signs meanwhile", friends.stage,
            Expectation(
                members: [(ada, "member"), (friends.ben, "member"), (cleo, "owner")],
                refused: [("rename", "needs-admin")]))
    }

    private static func takenOverTooLate() throws -> JSON {
        var friends = try Friends()
        let (ada, cleo) = (friends.ada, friends.cleo)
        try friends.nameHeir()
        var other = friends.stage
        try friends.stage.perform(
            "name no heir", .setRole(RoleChange(user: cleo.user, change: .noHeir)), by: ada.identity)
        try other.perform(
            "take over", .transfer(Transfer(newOwner: cleo.user, cuts: other.cuts(of: ada.user))), by: cleo.identity)
        try friends.stage.merge(other)
        return try set(
            "an heir takes over, named no longer", friends.stage,
            Expectation(
                members: [(ada, "owner"), (friends.ben, "member"), (cleo, "member")],
                refused: [("take over", "transfer-does-not-stand")]))
    }

    private static func handedBack() throws -> JSON {
        var friends = try Friends()
        let (ada, cleo) = (friends.ada, friends.cleo)
        try friends.lendToCleo()
        // The owner's later statements about heirs do not undo the time in between.
        try friends.stage.perform(
            "no heir any more", .setRole(RoleChange(user: ada.user, change: .noHeir)), by: ada.identity)
        return try set(
            "an heir takes over and hands back", friends.stage,
            Expectation(title: "By Cleo", members: [(ada, "owner"), (friends.ben, "member"), (cleo, "member")]))
    }

    /// A revocation that keeps all known operations of the device, or those up to `last`.
    static func revocation(
        of device: DeviceIdentity, by person: Person, in stage: LedgerStage, label: String,
        leaving last: OperationID? = nil,
        feeds: [FeedCut] = []
    ) -> OperationBody {
        let end = stage.ledger.tips.first { $0.device == device.device }?.operation ?? .none
        return .revokeDevice(
            DeviceRevocation(
                accountKey: person.accountKey, group: stage.ledger.group,
                cut: DeviceCut(device: device.device, lastOperation: last ?? end, feeds: feeds),
                keeping: stage.ledger.keptLinks(revoking: device.device, of: person.user),
                accessKeyHash: stage.hash(label)))
    }

    /// Ada's second device continues to rename, not knowing that it was revoked.
    private static func deviceRevoked() throws -> JSON {
        var friends = try Friends()
        let ada = friends.ada
        let second = try ada.secondDevice()
        try friends.stage.perform("add a device", .addDevice(second.certificate), by: ada.identity)
        try friends.stage.perform("rename", .rename("By the second"), by: second)
        var other = friends.stage
        try friends.stage.perform(
            "revoke the device",
            revocation(of: second, by: ada, in: friends.stage, label: "second access key"), by: ada.identity)
        try other.perform("rename again", .rename("By a thief"), by: second)
        try friends.stage.merge(other)
        return try set(
            "a device is revoked, and goes on", friends.stage,
            Expectation(
                title: "By the second",
                members: [(ada, "owner"), (friends.ben, "member"), (friends.cleo, "member")],
                refused: [("rename again", "author-revoked")]))
    }

    /// The revoked device certifies a third one meanwhile. A device that it certified before, and that the revoker
    /// knew, stays.
    private static func deviceCertifiedByRevoked() throws -> JSON {
        var friends = try Friends()
        let ada = friends.ada
        let second = try ada.secondDevice()
        let third = try ada.device("ada third", certifiedBy: second)
        let fourth = try ada.device("ada fourth", certifiedBy: second)
        try friends.stage.perform("add the second", .addDevice(second.certificate), by: ada.identity)
        try friends.stage.perform("add the third", .addDevice(third.certificate), by: second)
        var other = friends.stage
        try friends.stage.perform(
            "revoke the second",
            revocation(of: second, by: ada, in: friends.stage, label: "second access key"), by: ada.identity)
        try friends.stage.perform("rename", .rename("By the third"), by: third)
        try other.perform("add the fourth", .addDevice(fourth.certificate), by: second)
        try other.perform("rename by the fourth", .rename("By a thief's"), by: fourth)
        try friends.stage.merge(other)
        return try set(
            "what a revoked device had certified", friends.stage,
            Expectation(
                title: "By the third",
                members: [(ada, "owner"), (friends.ben, "member"), (friends.cleo, "member")],
                refused: [("add the fourth", "author-revoked"), ("rename by the fourth", "author-revoked")]))
    }

    /// Only the owner may invite now. A member who did not know may still invite.
    private static func settingsDecide() throws -> JSON {
        var friends = try Friends()
        let (ada, ben) = (friends.ada, friends.ben)
        var other = friends.stage
        var settings = GroupSettings(whoMayInvite: .owner)
        settings[7] = 300
        try friends.stage.perform("settings", .settings(settings), by: ada.identity)
        let secrets = InviteSecrets(seed: Cast.seed16("forbidden invite"))
        let end = friends.stage.ledger.tips.first { $0.device == ben.device }
        let forbidden = try friends.stage.signed(
            .invite(secrets.terms(maximumUses: 0, expiresAt: Cast.now + 86_400)), by: ben.identity,
            number: (end?.number ?? 0) + 1, previous: end?.operation ?? .none,
            parents: friends.stage.ledger.heads + (end.map { [$0.operation] } ?? []))
        try friends.stage.take(forbidden, "an invite against them")
        _ = try other.invite(by: friends.cleo.identity, label: "an invite in ignorance")
        try friends.stage.merge(other)
        return try set(
            "settings say who may invite", friends.stage,
            Expectation(
                members: [(ada, "owner"), (ben, "member"), (friends.cleo, "member")],
                refused: [("an invite against them", "inviting-not-allowed")]))
    }

    /// What the former admin signs past the cut, with old parents, counts as a plain member's.
    private static func demoted() throws -> JSON {
        var friends = try Friends()
        let (ada, ben) = (friends.ada, friends.ben)
        try friends.stage.perform(
            "name an admin", .setRole(RoleChange(user: ben.user, change: .admin)), by: ada.identity)
        try friends.stage.perform("rename", .rename("Ben's choice"), by: ben.identity)
        var other = friends.stage
        try friends.stage.perform(
            "demote", .setRole(RoleChange(user: ben.user, change: .member, cuts: friends.stage.cuts(of: ben.user))),
            by: ada.identity)
        try other.perform("rename again", .rename("Ben's revenge"), by: ben.identity)
        try other.perform(
            "remove cleo",
            .remove(
                Removal(
                    user: friends.cleo.user, cuts: other.cuts(of: friends.cleo.user),
                    accessKeyHash: other.hash("second access key"))), by: ben.identity)
        try friends.stage.merge(other)
        return try set(
            "an admin is demoted, and goes on", friends.stage,
            Expectation(
                title: "Ben's choice", members: [(ada, "owner"), (ben, "member"), (friends.cleo, "member")],
                refused: [("rename again", "needs-admin"), ("remove cleo", "needs-admin")]))
    }

    /// The owner demotes an admin, sees what that one did meanwhile, and removes it: the longer cut revives nothing.
    private static func demotedAndRemoved() throws -> JSON {
        var friends = try Friends()
        let (ada, ben, cleo) = (friends.ada, friends.ben, friends.cleo)
        try friends.stage.perform(
            "name an admin", .setRole(RoleChange(user: ben.user, change: .admin)), by: ada.identity)
        var other = friends.stage
        try friends.stage.perform(
            "demote", .setRole(RoleChange(user: ben.user, change: .member, cuts: friends.stage.cuts(of: ben.user))),
            by: ada.identity)
        try other.perform(
            "remove cleo",
            .remove(
                Removal(
                    user: cleo.user, cuts: other.cuts(of: cleo.user),
                    accessKeyHash: other.hash("second access key"))), by: ben.identity)
        try friends.stage.merge(other)
        try friends.stage.perform(
            "remove ben",
            .remove(
                Removal(
                    user: ben.user, cuts: friends.stage.cuts(of: ben.user),
                    accessKeyHash: friends.stage.hash("third access key"))), by: ada.identity)
        return try set(
            "an admin is demoted, goes on, and is removed", friends.stage,
            Expectation(
                members: [(ada, "owner"), (cleo, "member")], former: [ben],
                refused: [("remove cleo", "needs-admin")]))
    }

    /// Removed, and admitted again under an invite made after that; an older invite does not work.
    private static func readmitted() throws -> JSON {
        var friends = try Friends()
        let (ada, ben) = (friends.ada, friends.ben)
        try friends.stage.perform(
            "remove ben",
            .remove(
                Removal(
                    user: ben.user, cuts: friends.stage.cuts(of: ben.user),
                    accessKeyHash: friends.stage.hash("second access key"))), by: ada.identity)
        let cleo = friends.cleo.identity
        let old = try friends.stage.signed(
            .admit(friends.stage.claim(ben.identity, friends.invite.secrets, friends.invite.operation)), by: cleo,
            number: 1, previous: .none)
        try friends.stage.take(old, "an admission under the old invite")
        let fresh = try friends.stage.invite(by: ada.identity, label: "invite for ben")
        try friends.stage.perform(
            "admit ben again", .admit(friends.stage.claim(ben.identity, fresh.secrets, fresh.operation)), by: cleo)
        return try set(
            "a member is removed and admitted again", friends.stage,
            Expectation(
                members: [(ada, "owner"), (ben, "member"), (friends.cleo, "member")],
                refused: [("an admission under the old invite", "newcomer-removed")]))
    }

    /// A plain member may only record the request. The owner's admission copies its claim.
    private static func approved() throws -> JSON {
        var friends = try Friends()
        let dora = try Person("dora")
        let emil = try Person("emil")
        let secrets = InviteSecrets(seed: Cast.seed16("approved invite"))
        let terms = secrets.terms(maximumUses: 0, expiresAt: Cast.now + 7 * 86_400, needsApproval: true)
        let invite = try friends.stage.perform("invite", .invite(terms), by: friends.ada.identity)
        let claim = friends.stage.claim(dora.identity, secrets, invite)
        try friends.stage.perform("request of dora", .request(claim), by: friends.ben.identity)
        try friends.stage.perform("admit dora", .admit(claim), by: friends.ada.identity)
        let hasty = try friends.stage.signed(
            .admit(friends.stage.claim(emil.identity, secrets, invite)), by: friends.cleo.identity, number: 1,
            previous: .none)
        try friends.stage.take(hasty, "admit emil")
        return try set(
            "an invite that needs approval", friends.stage,
            Expectation(
                members: [(friends.ada, "owner"), (friends.ben, "member"), (friends.cleo, "member"), (dora, "member")],
                refused: [("admit emil", "needs-approval")]))
    }

    /// A request by somebody who was admitted and removed since is no longer open. One under an invite made later is.
    private static func approvedAndRemoved() throws -> JSON {
        var friends = try Friends()
        let (ada, dora, emil) = (friends.ada, try Person("dora"), try Person("emil"))
        let secrets = InviteSecrets(seed: Cast.seed16("approved invite"))
        let terms = secrets.terms(maximumUses: 0, expiresAt: Cast.now + 7 * 86_400, needsApproval: true)
        let invite = try friends.stage.perform("invite", .invite(terms), by: ada.identity)
        for (person, name) in [(dora, "dora"), (emil, "emil")] {
            let claim = friends.stage.claim(person.identity, secrets, invite)
            try friends.stage.perform("request of \(name)", .request(claim), by: friends.ben.identity)
            try friends.stage.perform("admit \(name)", .admit(claim), by: ada.identity)
            try friends.stage.perform(
                "remove \(name)",
                .remove(
                    Removal(
                        user: person.user, cuts: friends.stage.cuts(of: person.user),
                        accessKeyHash: friends.stage.hash("access key after \(name)"))), by: ada.identity)
        }
        let later = InviteSecrets(seed: Cast.seed16("later invite"))
        let renewed = try friends.stage.perform(
            "later invite",
            .invite(later.terms(maximumUses: 0, expiresAt: Cast.now + 7 * 86_400, needsApproval: true)),
            by: ada.identity)
        try friends.stage.perform(
            "request of emil again", .request(friends.stage.claim(emil.identity, later, renewed, isSecond: true)),
            by: friends.ben.identity)
        return try set(
            "requests of who was removed", friends.stage,
            Expectation(
                members: [(ada, "owner"), (friends.ben, "member"), (friends.cleo, "member")], former: [dora, emil]))
    }

    /// A member who left comes back under the invite they came by.
    private static func cameBack() throws -> JSON {
        var friends = try Friends()
        let ben = friends.ben
        try friends.stage.perform(
            "leave", .leave(Departure(erases: true, cuts: friends.stage.cuts(of: ben.user))), by: ben.identity)
        let (secrets, invite) = (friends.invite.secrets, friends.invite.operation)
        let claim = friends.stage.claim(ben.identity, secrets, invite, isSecond: true)
        try friends.stage.perform("admit ben again", .admit(claim), by: friends.cleo.identity)
        return try set(
            "a member leaves with erasure and comes back", friends.stage,
            Expectation(
                members: [(friends.ada, "owner"), (ben, "member"), (friends.cleo, "member")], erased: [ben]))
    }

    /// Cleo, who kept what Ben once signed, admits him after he has left: with a copy, with a request, under another
    /// invite with the same key, and as if she had not heard of his leaving.
    private static func copied() throws -> JSON {
        var friends = try Friends()
        let (ada, ben, cleo) = (friends.ada, friends.ben, friends.cleo)
        let claim = friends.stage.claim(ben.identity, friends.invite.secrets, friends.invite.operation)
        let before = friends.stage
        try friends.stage.perform(
            "leave", .leave(Departure(erases: false, cuts: friends.stage.cuts(of: ben.user))), by: ben.identity)
        let twin = try friends.stage.perform(
            "invite with the same key",
            .invite(friends.invite.secrets.terms(maximumUses: 0, expiresAt: Cast.now + 86_400)), by: cleo.identity)
        let moved = JoinClaim(invite: twin.id, certificate: claim.certificate, proof: claim.proof)
        let copies: [(String, OperationBody)] = [
            ("admit by a copy", .admit(claim)), ("request by a copy", .request(claim)),
            ("admit by a copy, under the other invite", .admit(moved)),
        ]
        var previous = twin
        for (label, body) in copies {
            previous = try friends.stage.signed(
                body, by: cleo.identity, number: previous.operation.number + 1, previous: previous.id)
            try friends.stage.take(previous, label)
        }
        let end = before.ledger.tips.first { $0.device == ada.device }
        let unaware = try before.signed(
            .admit(claim), by: ada.identity, number: (end?.number ?? 0) + 1, previous: end?.operation ?? .none,
            parents: before.ledger.heads + [end?.operation ?? .none])
        try friends.stage.take(unaware, "admit by a copy, in ignorance")
        return try set(
            "claims copied after their account has left", friends.stage,
            Expectation(
                members: [(ada, "owner"), (cleo, "member")], former: [ben],
                refused: copies.map { ($0.0, "claim-spent") }))
    }

    /// A device restored from an old disk signs two operations with one number.
    private static func forked() throws -> JSON {
        var friends = try Friends()
        var other = friends.stage
        try friends.stage.perform("rename", .rename("One"), by: friends.ada.identity)
        try other.perform("rename in another way", .rename("Other"), by: friends.ada.identity)
        try friends.stage.merge(other)
        let both = friends.stage.ledger.allOperations.filter {
            ["rename", "rename in another way"].contains(friends.stage.label($0.id))
        }
        let title = both.min { $0.id < $1.id }?.operation.body
        guard case .rename(let winner) = title else { throw VectorFailure(text: "no title") }
        return try set(
            "a forked chain of operations", friends.stage,
            Expectation(
                title: winner,
                members: [(friends.ada, "owner"), (friends.ben, "member"), (friends.cleo, "member")]))
    }
}
