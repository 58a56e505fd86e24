import StreakCrypto
import StreakMembership
import StreakWire

/// Sets in which an account revokes its devices, before or after its removal.
extension VectorFile {
    static func revocations() throws -> [JSON] {
        try [
            revokedAfterRemoval(), revokedBeforeRemoval(), revokedLonger(), revokedAfterComingBack(isRemoved: true),
            revokedAfterComingBack(isRemoved: false), restoredInTurn(), leftByDemotion(), revokedByFormerOwner(),
            revokedByRemovedOwner(), revokedAsIfBefore(),
            admittedWhenRevoked(), heirRemovedAfterHandBack(), revokedElsewhere(), revokedTwice(), revokedByThief(),
        ]
    }

    /// Ben with a second device, certified by the account. With his first he has admitted Dora.
    private struct Hosts {
        var friends: Friends
        let phone: DeviceIdentity
        let dora: Person
        let invite: SignedOperation
        let admission: SignedOperation

        init(isAdmin: Bool = false) throws {
            friends = try Friends()
            let ben = friends.ben
            phone = try Person.device("ben phone", of: ben.accountKey)
            dora = try Person("dora")
            if isAdmin {
                try friends.stage.perform(
                    "name an admin", .setRole(RoleChange(user: ben.user, change: .admin)), by: friends.ada.identity)
            }
            try friends.stage.perform("add a phone", .addDevice(phone.certificate), by: ben.identity)
            let made = try friends.stage.invite(by: ben.identity, label: "invite of ben")
            invite = made.operation
            admission = try friends.stage.perform(
                "admit dora", .admit(friends.stage.claim(dora.identity, made.secrets, made.operation)),
                by: ben.identity)
        }

        /// Ben's phone revokes his first device, as `stage` knows it.
        func revoke(leaving last: OperationID, in stage: inout LedgerStage, _ label: String = "revoke") throws {
            let body = revocation(
                of: friends.ben.identity, by: friends.ben, in: stage, label: "\(label) key", leaving: last)
            try stage.perform(label, body, by: phone)
        }
    }

    private static func revokedAfterRemoval() throws -> JSON {
        var hosts = try Hosts()
        let (ada, ben, cleo) = (hosts.friends.ada, hosts.friends.ben, hosts.friends.cleo)
        var other = hosts.friends.stage
        let removal = hosts.friends.stage.removal(of: ben.user, key: "second access key")
        try hosts.friends.stage.perform("remove ben", removal, by: ada.identity)
        try hosts.revoke(leaving: .none, in: &other)
        try hosts.friends.stage.merge(other)
        return try set(
            "a removed member revokes its device, and undoes nothing that its removal left", hosts.friends.stage,
            Expectation(
                members: [(ada, "owner"), (cleo, "member"), (hosts.dora, "member")], former: [ben],
                refused: [("revoke", "author-removed")]))
    }

    /// The cut keeps an operation that its author knew to be revoked.
    private static func revokedBeforeRemoval() throws -> JSON {
        var hosts = try Hosts()
        let (ada, ben, cleo) = (hosts.friends.ada, hosts.friends.ben, hosts.friends.cleo)
        try hosts.revoke(leaving: hosts.invite.id, in: &hosts.friends.stage)
        let cut = DeviceCut(device: ben.device, lastOperation: hosts.admission.id, feeds: [])
        let removal = Removal(user: ben.user, cuts: [cut], accessKeyHash: hosts.friends.stage.hash("third access key"))
        try hosts.friends.stage.perform("remove ben", .remove(removal), by: ada.identity)
        return try set(
            "a cut brings nothing back that its author knew to be revoked", hosts.friends.stage,
            Expectation(
                members: [(ada, "owner"), (cleo, "member")], former: [ben],
                refused: [("revoke", "author-removed"), ("admit dora", "author-revoked")]))
    }

    private static func revokedLonger() throws -> JSON {
        var hosts = try Hosts()
        let (ada, ben, cleo) = (hosts.friends.ada, hosts.friends.ben, hosts.friends.cleo)
        try hosts.revoke(leaving: hosts.invite.id, in: &hosts.friends.stage)
        var other = hosts.friends.stage
        let removal = hosts.friends.stage.removal(of: ben.user, key: "third access key")
        try hosts.friends.stage.perform("remove ben", removal, by: ada.identity)
        let last = other.ledger.tips.first { $0.device == hosts.phone.device }
        let longer = try other.signed(
            revocation(
                of: ben.identity, by: ben, in: other, label: "fourth access key", leaving: hosts.admission.id),
            by: hosts.phone, number: (last?.number ?? 0) + 1, previous: last?.operation ?? .none)
        try other.take(longer, "revoke with a longer cut")
        try hosts.friends.stage.merge(other)
        return try set(
            "what was revoked before a removal no longer revocation brings back", hosts.friends.stage,
            Expectation(
                members: [(ada, "owner"), (cleo, "member")], former: [ben],
                refused: [("admit dora", "author-removed"), ("revoke with a longer cut", "author-removed")]))
    }

    /// An admin leaves, is admitted as a member, and with its phone revokes the device that left; then it removes Cleo.
    private static func revokedAfterComingBack(isRemoved: Bool) throws -> JSON {
        var hosts = try Hosts(isAdmin: true)
        let (ada, ben, cleo, dora) = (hosts.friends.ada, hosts.friends.ben, hosts.friends.cleo, hosts.dora)
        let invite = hosts.friends.invite
        let asAdmin = hosts.friends.stage
        try hosts.friends.stage.perform(
            "leave", .leave(Departure(erases: false, cuts: asAdmin.cuts(of: ben.user))), by: ben.identity)
        try hosts.friends.stage.perform(
            "admit ben again", .admit(asAdmin.claim(ben.identity, invite.secrets, invite.operation, isSecond: true)),
            by: ada.identity)
        var other = hosts.friends.stage
        if isRemoved {
            let removal = hosts.friends.stage.removal(of: ben.user, key: "second access key")
            try hosts.friends.stage.perform("remove ben", removal, by: ada.identity)
        }
        try hosts.revoke(leaving: .none, in: &other)
        let last = other.ledger.tips.first { $0.device == hosts.phone.device }
        let previous = last?.operation ?? .none
        let removal = try other.signed(
            asAdmin.removal(of: cleo.user, key: "fourth access key"), by: hosts.phone, number: 2, previous: previous,
            parents: asAdmin.ledger.heads + [previous])
        try other.take(removal, "remove cleo")
        try hosts.friends.stage.merge(other)
        let void = ["add a phone", "invite of ben", "leave"].map { ($0, "author-revoked") }
        return try set(
            isRemoved
                ? "an admin who left, came back and was removed revokes the device that left"
                : "an admin who left and came back revokes the device that left", hosts.friends.stage,
            isRemoved
                ? Expectation(
                    members: [(ada, "owner"), (cleo, "member"), (dora, "member")], former: [ben],
                    refused: [("revoke", "author-removed"), ("remove cleo", "needs-admin")])
                : Expectation(
                    members: [(ada, "owner"), (ben, "admin")],
                    refused: void + [
                        ("admit cleo", "author-revoked"), ("admit dora", "author-revoked"),
                    ]))
    }

    /// Ben, an admin, removes Cleo, and is removed. Cleo tries to void her admission of Emil, and Ben his removal of
    /// Cleo; both fail.
    private static func restoredInTurn() throws -> JSON {
        var hosts = try Hosts(isAdmin: true)
        let (ada, ben, cleo, dora) = (hosts.friends.ada, hosts.friends.ben, hosts.friends.cleo, hosts.dora)
        let emil = try Person("emil")
        let phone = try Person.device("cleo phone", of: cleo.accountKey)
        let invite = hosts.friends.invite
        try hosts.friends.stage.perform("add another phone", .addDevice(phone.certificate), by: cleo.identity)
        try hosts.friends.stage.perform(
            "admit emil", .admit(hosts.friends.stage.claim(emil.identity, invite.secrets, invite.operation)),
            by: cleo.identity)
        var cleos = hosts.friends.stage
        try cleos.perform(
            "revoke of cleo",
            revocation(of: cleo.identity, by: cleo, in: cleos, label: "third access key", leaving: OperationID.none),
            by: phone)
        let first = hosts.friends.stage.removal(of: cleo.user, key: "second access key")
        try hosts.friends.stage.perform("remove cleo", first, by: ben.identity)
        var bens = hosts.friends.stage
        let second = hosts.friends.stage.removal(of: ben.user, key: "fourth access key")
        try hosts.friends.stage.perform("remove ben", second, by: ada.identity)
        try hosts.revoke(leaving: .none, in: &bens)
        try hosts.friends.stage.merge(bens)
        try hosts.friends.stage.merge(cleos)
        return try set(
            "a removal that another removal leaves leaves something in turn", hosts.friends.stage,
            Expectation(
                members: [(ada, "owner"), (dora, "member"), (emil, "member")], former: [ben, cleo],
                refused: [("revoke", "author-removed"), ("revoke of cleo", "author-removed")]))
    }

    /// The removal keeps nothing of Ben; the demotion before it keeps what he did as an admin.
    private static func leftByDemotion() throws -> JSON {
        var hosts = try Hosts(isAdmin: true)
        let (ada, ben) = (hosts.friends.ada, hosts.friends.ben)
        try hosts.friends.stage.perform("rename", .rename("Ben's choice"), by: ben.identity)
        var other = hosts.friends.stage
        let cuts = hosts.friends.stage.cuts(of: ben.user)
        try hosts.friends.stage.perform(
            "demote", .setRole(RoleChange(user: ben.user, change: .member, cuts: cuts)), by: ada.identity)
        let removal = Removal(user: ben.user, cuts: [], accessKeyHash: hosts.friends.stage.hash("second access key"))
        try hosts.friends.stage.perform("remove ben", .remove(removal), by: ada.identity)
        try hosts.revoke(leaving: .none, in: &other)
        try hosts.friends.stage.merge(other)
        return try set(
            "what a demotion leaves to an admin who is removed later", hosts.friends.stage,
            Expectation(
                title: "Ben's choice", members: [(ada, "owner"), (hosts.dora, "member")], former: [ben],
                refused: [("admit cleo", "author-removed"), ("revoke", "author-removed")]))
    }

    /// A former owner is trusted with more: its account key can even take back the transfer of the group.
    private static func revokedByFormerOwner() throws -> JSON {
        var friends = try Friends()
        let (ada, ben, cleo) = (friends.ada, friends.ben, friends.cleo)
        let phone = try Person.device("ada phone", of: ada.accountKey)
        let added = try friends.stage.perform("add a phone", .addDevice(phone.certificate), by: ada.identity)
        try friends.stage.perform(
            "transfer", .transfer(Transfer(newOwner: cleo.user, cuts: friends.stage.cuts(of: ada.user))),
            by: ada.identity)
        var other = friends.stage
        let removal = friends.stage.removal(of: ada.user, key: "second access key")
        try friends.stage.perform("remove ada", removal, by: cleo.identity)
        try other.perform(
            "revoke", revocation(of: ada.identity, by: ada, in: other, label: "third access key", leaving: added.id),
            by: phone)
        try friends.stage.merge(other)
        return try set(
            "a former owner revokes the device that handed the group on", friends.stage,
            Expectation(
                members: [(ada, "owner"), (ben, "member"), (cleo, "member")],
                refused: [("transfer", "author-revoked"), ("remove ada", "needs-admin")]))
    }

    /// What she did afterwards is kept by the removal, and can still be taken back by the account key.
    private static func revokedByRemovedOwner() throws -> JSON {
        var friends = try Friends()
        let (ada, ben, cleo) = (friends.ada, friends.ben, friends.cleo)
        let dora = try Person("dora")
        let phone = try Person.device("ada phone", of: ada.accountKey)
        try friends.stage.perform("add a phone", .addDevice(phone.certificate), by: ada.identity)
        let transfer = try friends.stage.perform(
            "transfer", .transfer(Transfer(newOwner: cleo.user, cuts: friends.stage.cuts(of: ada.user))),
            by: ada.identity)
        let invite = friends.invite
        try friends.stage.perform(
            "admit dora", .admit(friends.stage.claim(dora.identity, invite.secrets, invite.operation)),
            by: ada.identity)
        var other = friends.stage
        let removal = friends.stage.removal(of: ada.user, key: "second access key")
        try friends.stage.perform("remove ada", removal, by: cleo.identity)
        try other.perform(
            "revoke", revocation(of: ada.identity, by: ada, in: other, label: "third access key", leaving: transfer.id),
            by: phone)
        try friends.stage.merge(other)
        return try set(
            "a former owner revokes the device that admitted somebody since", friends.stage,
            Expectation(
                members: [(ben, "member"), (cleo, "owner")], former: [ada],
                refused: [("admit dora", "author-revoked"), ("revoke", "author-removed")]))
    }

    /// A revocation for every group needs no ancestor that knows the device, so it may be as old as its author's
    /// certificate.
    private static func revokedAsIfBefore() throws -> JSON {
        var friends = try Friends()
        let (ada, ben, cleo) = (friends.ada, friends.ben, friends.cleo)
        let phone = try Person.device("ben phone", of: ben.accountKey)
        guard
            let admission = friends.stage.ledger.allOperations.first(where: {
                friends.stage.label($0.id) == "admit ben"
            })
        else { throw VectorFailure(text: "ben is not in") }
        let removal = friends.stage.removal(of: ben.user, key: "second access key")
        try friends.stage.perform("remove ben", removal, by: ada.identity)
        let bodies: [(String, OperationBody)] = [
            ("add the phone", .addDevice(phone.certificate)),
            ("revoke", general(of: ben.identity, by: ben, in: friends.stage, label: "third access key")),
        ]
        var previous = OperationID.none
        for (index, (label, body)) in bodies.enumerated() {
            let operation = try friends.stage.signed(
                body, by: phone, number: UInt64(index + 1), previous: previous,
                parents: [admission.id] + (previous == .none ? [] : [previous]))
            try friends.stage.take(operation, label)
            previous = operation.id
        }
        return try set(
            "a removed member revokes its device as if just admitted", friends.stage,
            Expectation(
                members: [(ada, "owner"), (cleo, "member")], former: [ben],
                refused: bodies.map { ($0.0, "author-removed") }))
    }

    /// A revocation for every group.
    private static func general(
        of device: DeviceIdentity, by person: Person, in stage: LedgerStage, label: String, keeping: [Bytes32] = []
    ) -> OperationBody {
        .revokeDevice(
            DeviceRevocation(
                accountKey: person.accountKey, everywhere: device.device, keeping: keeping,
                accessKeyHash: stage.hash(label)))
    }

    /// A group learns of the revocation before it knows the device. Then the device arrives, and one that it certified.
    private static func revokedElsewhere() throws -> JSON {
        var friends = try Friends()
        let (ada, ben, cleo) = (friends.ada, friends.ben, friends.cleo)
        let lost = try ben.secondDevice()
        let thief = try ben.device("ben thief", certifiedBy: lost)
        let tablet = try ben.device("ben tablet", certifiedBy: lost)
        var old = friends.stage
        try old.perform("add the lost", .addDevice(lost.certificate), by: ben.identity)
        try old.perform("add the tablet", .addDevice(tablet.certificate), by: lost)
        let kept = old.ledger.keptLinks(revoking: lost.device, of: ben.user)
        try friends.stage.perform(
            "revoke everywhere",
            general(of: lost, by: ben, in: friends.stage, label: "second access key", keeping: kept), by: ben.identity)
        try friends.stage.perform("add the tablet", .addDevice(tablet.certificate), by: ben.identity)
        let invite = friends.invite
        for (label, identity) in [("admit the lost", lost), ("admit the thief", thief)] {
            let last = friends.stage.ledger.tips.first { $0.device == cleo.device }
            let claim = friends.stage.claim(identity, invite.secrets, invite.operation)
            let admission = try friends.stage.signed(
                .admit(claim), by: cleo.identity, number: (last?.number ?? 0) + 1, previous: last?.operation ?? .none)
            try friends.stage.take(admission, label)
        }
        for (label, identity) in [("request by the lost", lost), ("request by the thief", thief)] {
            let asked = try friends.stage.signed(
                .rename("Stolen"), by: identity, number: 1, previous: .none)
            try friends.stage.take(asked, label)
        }
        return try set(
            "a device is revoked for every group before it comes", friends.stage,
            Expectation(
                members: [(ada, "owner"), (ben, "member"), (cleo, "member")],
                refused: [
                    ("admit the lost", "certificate-revoked"), ("admit the thief", "certificate-revoked"),
                    ("request by the lost", "author-revoked"), ("request by the thief", "author-revoked"),
                ]))
    }

    /// The group's own cut keeps what the revocation for every group would not, whichever arrives first.
    private static func revokedTwice() throws -> JSON {
        var hosts = try Hosts()
        let (ada, ben, cleo) = (hosts.friends.ada, hosts.friends.ben, hosts.friends.cleo)
        let everywhere = general(of: ben.identity, by: ben, in: hosts.friends.stage, label: "second access key")
        try hosts.friends.stage.perform("revoke everywhere", everywhere, by: hosts.phone)
        let early = hosts.friends.stage
        guard early.ledger.refusal(of: hosts.admission.id) != nil else {
            throw VectorFailure(text: "nothing was voided")
        }
        try hosts.revoke(leaving: hosts.admission.id, in: &hosts.friends.stage)
        return try set(
            "a device is revoked for every group, and then by a cut of this one", hosts.friends.stage,
            Expectation(members: [(ada, "owner"), (ben, "member"), (cleo, "member"), (hosts.dora, "member")]))
    }

    /// A thief's device publishes itself, and then the account's own revocations again.
    private static func revokedByThief() throws -> JSON {
        var friends = try Friends()
        let (ada, ben, cleo) = (friends.ada, friends.ben, friends.cleo)
        let lost = try ben.secondDevice()
        try friends.stage.perform("add the lost", .addDevice(lost.certificate), by: ben.identity)
        let before = friends.stage
        let own = revocation(of: lost, by: ben, in: friends.stage, label: "second access key")
        try friends.stage.perform("revoke", own, by: ben.identity)
        let thief = try ben.device("ben thief", certifiedBy: lost)
        let add = try before.signed(.addDevice(thief.certificate), by: lost, number: 1, previous: .none)
        try friends.stage.take(add, "add the thief")
        let copy = try friends.stage.signed(own, by: thief, number: 1, previous: .none)
        try friends.stage.take(copy, "revoke by a copy")
        let everywhere = general(of: lost, by: ben, in: friends.stage, label: "third access key")
        let word = try friends.stage.signed(everywhere, by: thief, number: 2, previous: copy.id)
        try friends.stage.take(word, "revoke everywhere by a copy")
        return try set(
            "a device that a revoked one certified publishes the account's word again", friends.stage,
            Expectation(
                members: [(ada, "owner"), (ben, "member"), (cleo, "member")],
                refused: [("add the thief", "author-revoked")]))
    }

    /// A kept device that a revoked one certified may be admitted; the revoked one may not.
    private static func admittedWhenRevoked() throws -> JSON {
        var friends = try Friends()
        let (ada, ben, cleo) = (friends.ada, friends.ben, friends.cleo)
        let second = try ben.secondDevice()
        let third = try ben.device("ben third", certifiedBy: second)
        try friends.stage.perform("add the second", .addDevice(second.certificate), by: ben.identity)
        try friends.stage.perform("add the third", .addDevice(third.certificate), by: second)
        var other = friends.stage
        try friends.stage.perform(
            "revoke the second",
            revocation(of: second, by: ben, in: friends.stage, label: "second access key"), by: ben.identity)
        let invite = friends.invite
        for (number, label, identity) in [(1, "admit by the second", second), (2, "admit by the third", third)] {
            let last = friends.stage.ledger.tips.first { $0.device == cleo.device }?.operation ?? .none
            let admission = try friends.stage.signed(
                .admit(friends.stage.claim(identity, invite.secrets, invite.operation)), by: cleo.identity,
                number: UInt64(number), previous: last)
            try friends.stage.take(admission, label)
        }
        let last = other.ledger.tips.first { $0.device == ada.device }
        let previous = last?.operation ?? .none
        let unaware = try other.signed(
            .request(other.claim(second, invite.secrets, invite.operation)), by: ada.identity,
            number: (last?.number ?? 0) + 1, previous: previous, parents: other.ledger.heads + [previous])
        try other.take(unaware, "request by the second, in ignorance")
        try friends.stage.merge(other)
        return try set(
            "admissions by certificates that lead through a revoked device", friends.stage,
            Expectation(
                members: [(ada, "owner"), (ben, "member"), (cleo, "member")],
                refused: [
                    ("admit by the second", "certificate-revoked"),
                    ("request by the second, in ignorance", "certificate-revoked"),
                ]))
    }

    private static func heirRemovedAfterHandBack() throws -> JSON {
        var friends = try Friends()
        let (ada, ben, cleo) = (friends.ada, friends.ben, friends.cleo)
        try friends.lendToCleo()
        try friends.stage.perform(
            "name another heir", .setRole(RoleChange(user: ben.user, change: .heir)), by: ada.identity)
        let removal = friends.stage.removal(of: cleo.user, key: "second access key")
        try friends.stage.perform("remove cleo", removal, by: ada.identity)
        return try set(
            "another heir is named, and the one who handed back removed", friends.stage,
            Expectation(title: "By Cleo", members: [(ada, "owner"), (ben, "member")], former: [cleo]))
    }
}
