import StreakCrypto
import StreakMembership
import StreakWire

/// The founding counts whatever is said about its signer; and which statements of one account win.
extension VectorFile {
    static func foundings() throws -> [JSON] {
        try [
            foundingOutsideCut(), foundingOfRevoked(), foundingByBroken(), ownWords(), manyRevocations(),
            exclusion(), privateGroup(),
        ]
    }

    private static func revocation(
        of device: DeviceIdentity, by person: Person, in stage: LedgerStage, key label: String,
        leaving last: OperationID
    ) -> OperationBody {
        .revokeDevice(
            DeviceRevocation(
                accountKey: person.accountKey, group: stage.ledger.group,
                cut: DeviceCut(device: device.device, lastOperation: last, feeds: []),
                keeping: stage.ledger.keptLinks(revoking: device.device, of: person.user),
                accessKeyHash: stage.hash(label)))
    }

    /// Five operations that once gave two digests: another machine of the founder transfers the group, with a cut that
    /// leaves out the first machine; then the first is revoked, with a cut at the founding.
    private static func foundingOutsideCut() throws -> JSON {
        let ada = try Person("ada")
        let phone = try Person.device("ada phone", of: ada.accountKey)
        var stage = try LedgerStage(founder: ada)
        try stage.perform("add a phone", .addDevice(phone.certificate), by: phone)
        try stage.perform("transfer to herself", .transfer(Transfer(newOwner: ada.user, cuts: [])), by: phone)
        try stage.perform("rename", .rename("After"), by: phone)
        let founding = stage.founding.id
        try stage.perform(
            "revoke", revocation(of: ada.identity, by: ada, in: stage, key: "second access key", leaving: founding),
            by: phone)
        return try set(
            "the founding is outside the cut of a transfer", stage,
            Expectation(title: "After", members: [(ada, "owner")]))
    }

    /// A revocation that keeps nothing of the device that founded the group.
    private static func foundingOfRevoked() throws -> JSON {
        let ada = try Person("ada")
        let phone = try Person.device("ada phone", of: ada.accountKey)
        var stage = try LedgerStage(founder: ada)
        try stage.perform("add a phone", .addDevice(phone.certificate), by: phone)
        try stage.perform("rename before", .rename("Before"), by: ada.identity)
        try stage.perform(
            "revoke", revocation(of: ada.identity, by: ada, in: stage, key: "second access key", leaving: .none),
            by: phone)
        return try set(
            "the device that founded the group is revoked with all that it did", stage,
            Expectation(members: [(ada, "owner")], refused: [("rename before", "author-revoked")]))
    }

    /// The founder's certificate was signed by a revoked device, whose link is not kept.
    private static func foundingByBroken() throws -> JSON {
        let ada = try Person("ada")
        let laptop = try ada.device("ada laptop", certifiedBy: ada.identity)
        let phone = try Person.device("ada phone", of: ada.accountKey)
        var stage = try LedgerStage(founder: ada, on: laptop)
        try stage.perform("add a phone", .addDevice(phone.certificate), by: phone)
        try stage.perform("rename before", .rename("Before"), by: laptop)
        let word = DeviceRevocation(
            accountKey: ada.accountKey, everywhere: ada.identity.device, accessKeyHash: stage.hash("second access key"))
        try stage.perform("revoke everywhere", .revokeDevice(word), by: phone)
        return try set(
            "the certificate of the founding is broken", stage,
            Expectation(members: [(ada, "owner")], refused: [("rename before", "author-revoked")]))
    }

    /// An admin's own departure ranks as the account itself, below an admin's removal that keeps more.
    private static func ownWords() throws -> JSON {
        var friends = try Friends()
        let (ada, ben, cleo) = (friends.ada, friends.ben, friends.cleo)
        for person in [ben, cleo] {
            try friends.stage.perform(
                "name \(person.name)", .setRole(RoleChange(user: person.user, change: .admin)), by: ada.identity)
        }
        var other = friends.stage
        let renamed = try friends.stage.perform("rename by ben", .rename("By Ben"), by: ben.identity)
        // Ben leaves on one branch with a cut that keeps nothing of his. On another the owner demotes him, keeping the
        // title he set.
        let last = other.ledger.longestTip(of: ben.device) ?? .none
        let departure = Departure(
            erases: false, cuts: [DeviceCut(device: ben.device, lastOperation: .none, feeds: [])])
        let left = try other.signed(
            .leave(departure), by: ben.identity, number: 2, previous: last, parents: other.ledger.heads + [last])
        try other.take(left, "leave")
        let cuts = [DeviceCut(device: ben.device, lastOperation: renamed.id, feeds: [])]
        try friends.stage.perform(
            "demote ben", .setRole(RoleChange(user: ben.user, change: .member, cuts: cuts)), by: ada.identity)
        try friends.stage.merge(other)
        return try set(
            "an admin's departure ranks below the owner's word, however little it leaves", friends.stage,
            Expectation(title: "By Ben", members: [(ada, "owner"), (cleo, "admin")], former: [ben]))
    }

    /// Only the first 32 of an account's revocations name access keys.
    private static func manyRevocations() throws -> JSON {
        var friends = try Friends()
        let (ada, ben, cleo) = (friends.ada, friends.ben, friends.cleo)
        for index in 0..<34 {
            let device = try Person.device("ben throw-away \(index)", of: ben.accountKey)
            let word = DeviceRevocation(
                accountKey: ben.accountKey, everywhere: device.device,
                accessKeyHash: friends.stage.hash("throw-away key \(index)"))
            try friends.stage.perform("revoke \(index)", .revokeDevice(word), by: ben.identity)
        }
        guard friends.stage.ledger.state.accessKeyHashes.count == 33 else {
            throw VectorFailure(text: "another number of access keys")
        }
        return try set(
            "an account revokes more devices than name access keys", friends.stage,
            Expectation(members: [(ada, "owner"), (ben, "member"), (cleo, "member")]))
    }

    /// Two machines of one account, made separately with its key. The revocation for every group keeps what the device
    /// did here.
    private static func privateGroup() throws -> JSON {
        let ada = try Person("ada")
        let phone = try Person.device("ada phone", of: ada.accountKey)
        var stage = try LedgerStage(privateTo: ada)
        var other = stage
        try stage.perform("add the first", .addDevice(ada.identity.certificate), by: ada.identity)
        try stage.perform("rename by the first", .rename("Mine"), by: ada.identity)
        try other.perform("add the phone", .addDevice(phone.certificate), by: phone)
        let word = DeviceRevocation(
            accountKey: ada.accountKey, everywhere: ada.device, accessKeyHash: stage.hash("second access key"))
        try other.perform("give up the first", .revokeDevice(word), by: phone)
        try stage.merge(other)
        return try set(
            "an account's private group, a machine of which is given up for every group", stage,
            Expectation(title: "Mine", members: [(ada, "owner")]))
    }

    /// Somebody admitted by a removed member that did not know of the removal, and somebody they admitted.
    private static func exclusion() throws -> JSON {
        var friends = try Friends()
        let (ada, ben, cleo) = (friends.ada, friends.ben, friends.cleo)
        let dora = try Person("dora")
        let invite = friends.invite
        var other = friends.stage
        let removal = try friends.stage.perform(
            "remove cleo", friends.stage.removal(of: cleo.user, key: "second access key"), by: ada.identity)
        try other.perform(
            "admit dora", .admit(other.claim(dora.identity, invite.secrets, invite.operation)), by: cleo.identity)
        try friends.stage.merge(other)
        return try set(
            "who was let in by a removed member is told of the removal", friends.stage,
            Expectation(
                members: [(ada, "owner"), (ben, "member")], former: [cleo],
                refused: [("admit dora", "author-removed")], excluded: [(dora, removal)]))
    }
}
