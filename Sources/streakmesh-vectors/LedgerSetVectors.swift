import StreakCrypto
import StreakMembership
import StreakReplication
import StreakWire

extension VectorFile {
    /// Sets of operations with their state in any order, and operations that no ledger accepts.
    static func ledgers() throws -> VectorFile {
        VectorFile(
            name: "ledgers",
            content: [
                "spec": "membership.md",
                "sets": .list(
                    try [
                        founded(), joined(), admittedTwice(), left(), removed(), admittedByRemoved(), raised(),
                        revoked(),
                        handedOn(), notAllowed(),
                    ] + changes() + returns() + revocations() + foundings() + feedSets()),
                "refusals": .list(try refusals()),
            ])
    }

    struct Expectation {
        var title = "Friends"
        var members: [(Person, String)]
        var former: [Person] = []
        /// Labels of operations that do not count, with the reason.
        var refused: [(String, String)] = []
        var erased: [Person] = []
        var feeds: [CountedFeed] = []
        /// Users whose admission does not count. With each, the operation because of which it does not.
        var excluded: [(Person, SignedOperation)] = []
    }

    static func set(_ name: String, _ stage: LedgerStage, _ expected: Expectation) throws -> JSON {
        let operations = stage.ledger.allOperations
        let state = stage.ledger.state
        let refused = try expected.refused.map { label, reason -> JSON in
            guard let operation = operations.first(where: { stage.label($0.id) == label }) else {
                throw VectorFailure(text: "\(name): no operation \(label)")
            }
            return ["operation": .text(operation.id.description), "reason": .text(reason)]
        }
        return [
            "name": .text(name), "group": .text(stage.ledger.group.description),
            "operations": .list(
                operations.map { ["name": .text(stage.label($0.id)), "hex": .hex($0.bytes)] }),
            "title": .text(expected.title),
            "members": .list(
                expected.members.map {
                    ["name": .text($0.0.name), "user": .text($0.0.user.description), "role": .text($0.1)]
                }),
            "former": .list(expected.former.map { .text($0.user.description) }),
            "erased": .list(expected.erased.map { .text($0.user.description) }),
            "heir": state.heir.map { .text($0.description) } ?? .null,
            "devices": .list(state.devices.filter(\.isCurrent).map { .text($0.device.description) }),
            "accessKeyHashes": .list(state.accessKeyHashes.map { .text($0.description) }),
            "settings": [
                "whoMayInvite": .number(Int(state.settings.whoMayInvite.rawValue)),
                "choices": .list(
                    state.settings.choices.map { ["key": .number(Int($0.key)), "value": .text(String($0.value))] }),
            ],
            "countingTips": .list(
                stage.ledger.countingTips.map {
                    ["device": .text($0.device.description), "operation": .text($0.operation.description)]
                }),
            "requests": .list(state.requests.map { .text($0.id.description) }),
            "refused": .list(refused),
            "feeds": .list(expected.feeds.map(\.json)),
            "excluded": .list(
                try expected.excluded.map { person, cause in
                    let key = person.identity.linkKey.publicKey
                    guard stage.ledger.exclusion(of: key) == cause.id else {
                        throw VectorFailure(text: "\(name): \(person.name) is told of another operation")
                    }
                    return ["linkKey": .hex(key.rawBytes), "by": .text(cause.id.description)]
                }),
        ]
    }

    private static func founded() throws -> JSON {
        let ada = try Person("ada")
        return try set("founded", try LedgerStage(founder: ada), Expectation(members: [(ada, "owner")]))
    }

    private static func joined() throws -> JSON {
        let friends = try Friends()
        return try set(
            "a second member admits the third under the owner's invite", friends.stage,
            Expectation(members: [(friends.ada, "owner"), (friends.ben, "member"), (friends.cleo, "member")]))
    }

    /// Two members who cannot reach each other admit one newcomer each under an invite for one.
    private static func admittedTwice() throws -> JSON {
        var friends = try Friends()
        let dora = try Person("dora")
        let emil = try Person("emil")
        let single = try friends.stage.invite(by: friends.ada.identity, uses: 1, label: "invite for one")
        var other = friends.stage
        try friends.stage.perform(
            "admit dora", .admit(friends.stage.claim(dora.identity, single.secrets, single.operation)),
            by: friends.ben.identity)
        try other.perform(
            "admit emil", .admit(other.claim(emil.identity, single.secrets, single.operation)),
            by: friends.cleo.identity)
        try friends.stage.merge(other)
        return try set(
            "admissions made while apart exceed the number of uses, and both stand", friends.stage,
            Expectation(
                members: [
                    (friends.ada, "owner"), (friends.ben, "member"), (friends.cleo, "member"), (dora, "member"),
                    (emil, "member"),
                ]))
    }

    private static func left() throws -> JSON {
        var friends = try Friends()
        try friends.stage.perform(
            "leave", .leave(Departure(erases: true, cuts: friends.stage.cuts(of: friends.ben.user))),
            by: friends.ben.identity)
        return try set(
            "a member leaves and erases", friends.stage,
            Expectation(
                members: [(friends.ada, "owner"), (friends.cleo, "member")], former: [friends.ben],
                erased: [friends.ben]))
    }

    /// What the removed member signs past its cut does not count, whatever its parents.
    private static func removed() throws -> JSON {
        var friends = try Friends()
        let before = friends.stage
        let removal = Removal(
            user: friends.ben.user, cuts: friends.stage.cuts(of: friends.ben.user),
            accessKeyHash: friends.stage.hash("second access key"))
        try friends.stage.perform("remove ben", .remove(removal), by: friends.ada.identity)
        guard let own = before.ledger.tips.first(where: { $0.device == friends.ben.device }) else {
            throw VectorFailure(text: "ben has signed nothing")
        }
        let secrets = InviteSecrets(seed: Cast.seed16("late invite"))
        let late = try before.signed(
            .invite(secrets.terms(maximumUses: 0, expiresAt: Cast.now + 86_400)), by: friends.ben.identity,
            number: own.number + 1, previous: own.operation)
        try friends.stage.take(late, "an invite past the cut")
        return try set(
            "a member is removed, and goes on as if it had not heard", friends.stage,
            Expectation(
                members: [(friends.ada, "owner"), (friends.cleo, "member")], former: [friends.ben],
                refused: [("an invite past the cut", "author-removed")]))
    }

    private static func admittedByRemoved() throws -> JSON {
        var friends = try Friends()
        let dora = try Person("dora")
        let before = friends.stage
        let removal = Removal(
            user: friends.cleo.user, cuts: friends.stage.cuts(of: friends.cleo.user),
            accessKeyHash: friends.stage.hash("second access key"))
        try friends.stage.perform("remove cleo", .remove(removal), by: friends.ada.identity)
        var other = before
        try other.perform(
            "admit dora", .admit(other.claim(dora.identity, friends.invite.secrets, friends.invite.operation)),
            by: friends.cleo.identity)
        try friends.stage.merge(other)
        return try set(
            "an admission by a member removed meanwhile", friends.stage,
            Expectation(
                members: [(friends.ada, "owner"), (friends.ben, "member")], former: [friends.cleo],
                refused: [("admit dora", "author-removed")]))
    }

    private static func raised() throws -> JSON {
        var friends = try Friends()
        try friends.stage.perform(
            "name an admin", .setRole(RoleChange(user: friends.ben.user, change: .admin)), by: friends.ada.identity)
        try friends.stage.perform("rename", .rename("Ben's choice"), by: friends.ben.identity)
        return try set(
            "an admin renames the group", friends.stage,
            Expectation(
                title: "Ben's choice",
                members: [(friends.ada, "owner"), (friends.ben, "admin"), (friends.cleo, "member")]))
    }

    private static func revoked() throws -> JSON {
        var friends = try Friends()
        let dora = try Person("dora")
        try friends.stage.perform(
            "revoke the invite", .revokeInvite(friends.invite.operation.id), by: friends.ada.identity)
        let own = friends.stage.ledger.tips.first { $0.device == friends.cleo.device }
        let late = try friends.stage.signed(
            .admit(friends.stage.claim(dora.identity, friends.invite.secrets, friends.invite.operation)),
            by: friends.cleo.identity, number: (own?.number ?? 0) + 1, previous: own?.operation ?? .none)
        try friends.stage.take(late, "an admission after that")
        return try set(
            "an invite is revoked, and used by one who knows", friends.stage,
            Expectation(
                members: [(friends.ada, "owner"), (friends.ben, "member"), (friends.cleo, "member")],
                refused: [("an admission after that", "invite-revoked")]))
    }

    private static func handedOn() throws -> JSON {
        var friends = try Friends()
        try friends.stage.perform(
            "transfer",
            .transfer(Transfer(newOwner: friends.cleo.user, cuts: friends.stage.cuts(of: friends.ada.user))),
            by: friends.ada.identity)
        return try set(
            "the group is handed on", friends.stage,
            Expectation(members: [(friends.ada, "member"), (friends.ben, "member"), (friends.cleo, "owner")]))
    }

    /// Operations that a plain member may not make are kept and do not count.
    private static func notAllowed() throws -> JSON {
        var friends = try Friends()
        let stage = friends.stage
        let cleo = friends.cleo.identity
        let first = try stage.signed(.rename("Mine"), by: cleo, number: 1, previous: .none)
        try friends.stage.take(first, "a member renames")
        let second = try friends.stage.signed(
            .setRole(RoleChange(user: friends.cleo.user, change: .admin)), by: cleo, number: 2, previous: first.id)
        try friends.stage.take(second, "a member names itself an admin")
        let removal = Removal(
            user: friends.ada.user, cuts: [], accessKeyHash: friends.stage.hash("second access key"))
        let third = try friends.stage.signed(.remove(removal), by: cleo, number: 3, previous: second.id)
        try friends.stage.take(third, "a member removes the owner")
        return try set(
            "what a plain member may not do", friends.stage,
            Expectation(
                members: [(friends.ada, "owner"), (friends.ben, "member"), (friends.cleo, "member")],
                refused: [
                    ("a member renames", "needs-admin"), ("a member names itself an admin", "needs-owner"),
                    ("a member removes the owner", "needs-admin"),
                ]))
    }

    // MARK: Refusals

    private static func refusals() throws -> [JSON] {
        let friends = try Friends()
        let stage = friends.stage
        let (dora, ben) = (try Person("dora"), friends.ben.identity)
        let own = stage.ledger.tips.first { $0.device == friends.ben.device }
        let (number, previous) = ((own?.number ?? 0) + 1, own?.operation ?? .none)
        func entry(_ name: String, _ operation: SignedOperation, _ reason: String) -> JSON {
            refused(name, operation.bytes, reason)
        }
        let honest = stage.claim(dora.identity, friends.invite.secrets, friends.invite.operation)
        let otherSeed = stage.claim(
            dora.identity, InviteSecrets(seed: Cast.seed16("guessed")), friends.invite.operation)
        let elsewhere = JoinClaim(
            invite: honest.invite, certificate: honest.certificate,
            proof: JoinProof(
                inviteKey: friends.invite.secrets.inviteKey, group: Cast.group, identity: dora.identity,
                handshakeHash: LedgerStage.handshakeHash))
        let rename = try stage.signed(.rename("x"), by: ben, number: number, previous: previous)
        let operations = stage.ledger.allOperations
        return [
            [
                "ledger": .list(operations.map { .hex($0.bytes) }),
                "offers": .list(
                    [
                        entry("a second founding", try otherFounding(friends.ben), "not-founding"),
                        entry(
                            "an operation of another group",
                            try stage.signed(
                                .rename("x"), by: ben, number: number, previous: previous, group: Cast.group),
                            "wrong-group"),
                        refused("a forged signature", flipping(rename.bytes, at: -1), "invalid-signature"),
                        entry(
                            "an operation of a stranger",
                            try stage.signed(.rename("x"), by: dora.identity, number: 1, previous: .none),
                            "unknown-author"),
                        entry(
                            "a number left out",
                            try stage.signed(.rename("x"), by: ben, number: number + 1, previous: previous),
                            "broken-chain"),
                        entry(
                            "another device's operation as the previous one",
                            try stage.signed(
                                .rename("x"), by: ben, number: 2, previous: operations[0].id,
                                parents: [operations[0].id] + stage.ledger.heads), "broken-chain"),
                        entry(
                            "an admission with the proof of another seed",
                            try stage.signed(.admit(otherSeed), by: ben, number: number, previous: previous),
                            "invalid-proof"),
                        entry(
                            "an admission with a proof for another group",
                            try stage.signed(.admit(elsewhere), by: ben, number: number, previous: previous),
                            "invalid-proof"),
                        entry(
                            "an admission under no invite",
                            try stage.signed(
                                .admit(
                                    JoinClaim(
                                        invite: operations[0].id, certificate: honest.certificate, proof: honest.proof)),
                                by: ben, number: number, previous: previous), "unknown-invite"),
                        entry(
                            "a device of somebody else",
                            try stage.signed(
                                .addDevice(dora.identity.certificate), by: ben, number: number, previous: previous),
                            "invalid-certificate"),
                    ] + (try strangeDevices(friends, dora))),
            ],
            try privateRefusals(), try forks(),
        ]
    }

    /// A private group has exactly one member for good.
    private static func privateRefusals() throws -> JSON {
        let ada = try Person("ada")
        var stage = try LedgerStage(privateTo: ada)
        let added = try stage.perform("add the first", .addDevice(ada.identity.certificate), by: ada.identity)
        let (secrets, invite) = try stage.invite(by: ada.identity)
        let claim = stage.claim(try Person("dora").identity, secrets, invite)
        let bodies: [(String, OperationBody)] = [
            ("a request", .request(claim)), ("an admission", .admit(claim)),
            ("a role", .setRole(RoleChange(user: ada.user, change: .noHeir))),
            ("a transfer", .transfer(Transfer(newOwner: ada.user, cuts: []))),
            ("a removal", .remove(Removal(user: ada.user, cuts: [], accessKeyHash: .zero))),
            ("a departure", .leave(Departure(erases: false, cuts: []))),
        ]
        let number = added.operation.number + 2
        return [
            "ledger": .list(stage.ledger.allOperations.map { .hex($0.bytes) }),
            "offers": .list(
                try bodies.map { name, body in
                    let operation = try stage.signed(body, by: ada.identity, number: number, previous: invite.id)
                    return refused("\(name) in a private group", operation.bytes, "private-group")
                }),
        ]
    }

    private static func otherFounding(_ founder: Person) throws -> SignedOperation {
        try LedgerStage(title: "Other", founder: founder).founding
    }

    /// Operations on devices that nobody knows, or that belong to another account.
    private static func strangeDevices(_ friends: Friends, _ dora: Person) throws -> [JSON] {
        let stage = friends.stage
        let own = stage.ledger.tips.first { $0.device == friends.ben.device }
        let (number, previous) = ((own?.number ?? 0) + 1, own?.operation ?? .none)
        func one(_ name: String, _ operation: SignedOperation, _ reason: String) -> JSON {
            refused(name, operation.bytes, reason)
        }
        return [
            one(
                "a device of an account that nobody knows, by itself",
                try stage.signed(
                    .addDevice(dora.identity.certificate), by: dora.identity, number: 1, previous: .none),
                "unknown-author"),
            one(
                "a revocation for every group, by another account's device",
                try stage.signed(
                    .revokeDevice(
                        DeviceRevocation(
                            accountKey: friends.cleo.accountKey, everywhere: friends.cleo.device,
                            accessKeyHash: stage.hash("key"))),
                    by: friends.ben.identity, number: number, previous: previous), "invalid-revocation"),
            one(
                "a revocation for this group of a device that nobody knows",
                try stage.signed(
                    .revokeDevice(
                        DeviceRevocation(
                            accountKey: friends.ben.accountKey, group: stage.ledger.group,
                            cut: DeviceCut(device: dora.device, lastOperation: .none, feeds: []),
                            accessKeyHash: stage.hash("key"))),
                    by: friends.ben.identity, number: number, previous: previous), "invalid-revocation"),
        ]
    }

    /// A device at its limit of branches: what is checked before the signature, and what after it.
    private static func forks() throws -> JSON {
        var friends = try Friends()
        let ben = friends.ben.identity
        let before = friends.stage
        let end = before.ledger.tips.first { $0.device == ben.device }
        let (number, previous) = ((end?.number ?? 0) + 1, end?.operation ?? .none)
        var branches: [SignedOperation] = []
        for index in 0..<Ledger.maximumBranches {
            let branch = try before.signed(.rename("Mine \(index)"), by: ben, number: number, previous: previous)
            try friends.stage.take(branch, "branch \(index)")
            branches.append(branch)
        }
        let stage = friends.stage
        let further = try before.signed(.rename("One more"), by: ben, number: number, previous: previous)
        let deeper = try stage.signed(
            .rename("Deeper"), by: ben, number: number + 1, previous: branches[1].id, parents: [branches[1].id])
        let missing = try stage.signed(
            .rename("Behind what is missing"), by: ben, number: number + 1, previous: further.id, parents: [further.id])
        return [
            "ledger": .list(stage.ledger.allOperations.map { .hex($0.bytes) }),
            "offers": [
                refused("a 65th branch", further.bytes, "too-many-operations"),
                refused(
                    "a 65th branch with a forged signature", flipping(further.bytes, at: -1), "too-many-operations"),
                refused("behind a branch that is not in", missing.bytes, "too-many-operations"),
                refused(
                    "a 65th branch of another group",
                    try before.signed(.rename("x"), by: ben, number: number, previous: previous, group: Cast.group)
                        .bytes, "wrong-group"),
                refused(
                    "behind a branch, with a forged signature", flipping(deeper.bytes, at: -1), "invalid-signature"),
            ],
        ]
    }
}
