import StreakCrypto
import StreakMembership
import StreakReplication
import StreakWire

/// A ledger with several people, any of whom can act.
struct LedgerStage {
    private(set) var ledger: Ledger
    private var labels: [OperationID: String] = [:]
    private var keyCount = 0
    private var minute: Int64 = 0

    init(title: String = "Friends", founder: Person, on device: DeviceIdentity? = nil) throws {
        var entropy = SeededEntropy(seed: 2)
        let founding = try Ledger.found(
            title: title, identity: device ?? founder.identity, accessKey: try Cast.accessKey(), at: Cast.now,
            entropy: &entropy)
        ledger = try Ledger(founding: founding)
        labels[founding.id] = "found"
    }

    /// The private group of an account.
    init(privateTo person: Person) throws {
        let founding = try PrivateGroup(accountKey: person.accountKey).founding
        ledger = try Ledger(founding: founding)
        labels[founding.id] = "found"
    }

    var founding: SignedOperation { ledger.allOperations[0] }

    /// Signs an operation that counts, and inserts it.
    @discardableResult
    mutating func perform(
        _ label: String, _ body: OperationBody, by identity: DeviceIdentity
    ) throws -> SignedOperation {
        minute += 1
        let operation = try ledger.draft(body, by: identity, at: Cast.now + minute * 60)
        try take(operation, label)
        return operation
    }

    mutating func take(_ operation: SignedOperation, _ label: String) throws {
        _ = try ledger.insert(operation)
        labels[operation.id] = label
    }

    /// Merges another copy of this ledger.
    mutating func merge(_ other: LedgerStage) throws {
        for operation in other.ledger.allOperations where !ledger.contains(operation.id) {
            _ = try ledger.insert(operation)
        }
        labels.merge(other.labels) { mine, _ in mine }
    }

    func label(_ id: OperationID) -> String { labels[id] ?? id.description }

    /// An invite with its secrets.
    mutating func invite(
        by identity: DeviceIdentity, uses: UInt32 = 0, label: String = "invite"
    ) throws -> (secrets: InviteSecrets, operation: SignedOperation) {
        keyCount += 1
        let secrets = InviteSecrets(seed: Cast.seed16("\(label) \(keyCount)"))
        let terms = secrets.terms(maximumUses: uses, expiresAt: Cast.now + 7 * 86_400)
        return (secrets, try perform(label, .invite(terms), by: identity))
    }

    static let handshakeHash = Blake2b.hash(Array("streakmesh vectors: handshake".utf8), size: 64)

    /// - Parameter isSecond: on another link, as for somebody who comes back.
    func claim(
        _ newcomer: DeviceIdentity, _ secrets: InviteSecrets, _ invite: SignedOperation, isSecond: Bool = false
    ) -> JoinClaim {
        let second = Blake2b.hash(Array("streakmesh vectors: second handshake".utf8), size: 64)
        return JoinClaim(
            invite: invite.id, certificate: newcomer.certificate,
            proof: JoinProof(
                inviteKey: secrets.inviteKey, group: ledger.group, identity: newcomer,
                handshakeHash: isSecond ? second : Self.handshakeHash))
    }

    /// Signs an operation whether or not it counts.
    func signed(
        _ body: OperationBody, by identity: DeviceIdentity, number: UInt64, previous: OperationID,
        parents: [OperationID]? = nil, group: GroupID? = nil, tail: [UInt8] = []
    ) throws -> SignedOperation {
        try SignedOperation(
            signing: LedgerOperation(
                group: group ?? ledger.group, author: identity.device, number: number, previous: previous,
                parents: parents ?? ledger.heads, time: Cast.now + 9_000, body: body, tail: tail),
            with: identity.signingKey)
    }

    func hash(_ label: String) -> Bytes32 { Bytes32(digest: Person.seed(label)) }

    /// Cuts that keep all operations, and of feeds those listed.
    func cuts(of user: UserID, feeds: [DeviceID: [FeedCut]] = [:]) -> [DeviceCut] {
        ledger.cuts(of: user) { feeds[$0] ?? [] }
    }

    func removal(of user: UserID, feeds: [DeviceID: [FeedCut]] = [:], key label: String) -> OperationBody {
        .remove(Removal(user: user, cuts: cuts(of: user, feeds: feeds), accessKeyHash: hash(label)))
    }
}

/// Three friends: Ada founded the group; Ben and Cleo joined with invites from Ada and Ben.
struct Friends {
    let ada: Person
    let ben: Person
    let cleo: Person
    var stage: LedgerStage
    let invite: (secrets: InviteSecrets, operation: SignedOperation)

    init() throws {
        ada = try Person("ada")
        ben = try Person("ben")
        cleo = try Person("cleo")
        stage = try LedgerStage(founder: ada)
        invite = try stage.invite(by: ada.identity)
        try stage.perform(
            "admit ben", .admit(stage.claim(ben.identity, invite.secrets, invite.operation)), by: ada.identity)
        try stage.perform(
            "admit cleo", .admit(stage.claim(cleo.identity, invite.secrets, invite.operation)), by: ben.identity)
    }

    /// Ada names Cleo her heir.
    mutating func nameHeir() throws {
        try stage.perform("name an heir", .setRole(RoleChange(user: cleo.user, change: .heir)), by: ada.identity)
    }

    /// Cleo takes the group over.
    mutating func takeOver() throws {
        try stage.perform(
            "take over", .transfer(Transfer(newOwner: cleo.user, cuts: stage.cuts(of: ada.user))), by: cleo.identity)
    }

    /// Cleo takes the group over, renames it, and hands it back.
    mutating func lendToCleo() throws {
        try nameHeir()
        try takeOver()
        try stage.perform("rename meanwhile", .rename("By Cleo"), by: cleo.identity)
        try stage.perform(
            "hand back", .transfer(Transfer(newOwner: ada.user, cuts: stage.cuts(of: cleo.user))), by: cleo.identity)
    }
}

extension VectorFile {
    static func certificates() throws -> VectorFile {
        let ada = try Person("ada")
        let ben = try Person("ben")
        let second = try ada.secondDevice()
        let one = ada.identity.certificate.encoded()
        let two = second.certificate.encoded()
        let twice = replacing(one, at: 33, by: 2) + one.dropFirst(34)
        let six = Array(one.prefix(33)) + [6] + one.dropFirst(34)
        let strange = Array(one.dropLast(64)) + ben.identity.certificate.encoded().suffix(64)
        func entry(_ name: String, _ bytes: [UInt8], isValid: Bool) throws -> JSON {
            let certificate = try DeviceCertificate(decoding: bytes)
            return [
                "name": .text(name), "hex": .hex(bytes), "user": .text(certificate.user.description),
                "device": .text(certificate.device.description), "linkKey": .hex(certificate.linkKey.rawBytes),
                "links": .number(certificate.links.count), "isValid": .bool(isValid),
            ]
        }
        return VectorFile(
            name: "certificates",
            content: [
                "spec": "membership.md", "decoder": "certificate",
                "valid": [
                    try entry("signed by the account", one, isValid: true),
                    try entry("signed by the account's first device", two, isValid: true),
                    try entry(
                        "the issuer's signature with one bit turned over", flipping(one, at: -65), isValid: false),
                    try entry("the device's consent with one bit turned over", flipping(one, at: -1), isValid: false),
                    try entry("another device's consent", strange, isValid: false),
                    try entry("another link key", flipping(one, at: 70), isValid: false),
                    try entry(
                        "another account", Array(one.prefix(1)) + ben.user.bytes.array + one.dropFirst(33),
                        isValid: false),
                    try entry(
                        "the second link alone", Array(two.prefix(33)) + [1] + two.dropFirst(226), isValid: false),
                ],
                "invalid": [
                    refused("nothing", [], "truncated"),
                    refused("version 2", replacing(one, at: 0, by: 2), "unsupported-version"),
                    refused(
                        "no link", Array(one.prefix(33)) + [0], "invalid-value: certificate links"),
                    refused("six links", six, "limit-exceeded"),
                    refused("one device twice", twice, "invalid-value: certificate links"),
                    refused("a link is cut off", Array(one.dropLast()), "truncated"),
                    refused("a byte more", one + [0], "trailing-bytes"),
                ],
            ])
    }

    /// One operation of each kind, as bytes.
    static func operations() throws -> VectorFile {
        var friends = try Friends()
        let (ada, ben, cleo) = (friends.ada, friends.ben, friends.cleo)
        let second = try ada.secondDevice()
        try friends.stage.perform("rename", .rename("Word friends 🧩"), by: ada.identity)
        var settings = GroupSettings(whoMayInvite: .admins)
        settings[1] = 3
        settings[200] = 1 << 40
        try friends.stage.perform("settings", .settings(settings), by: ada.identity)
        try friends.stage.perform(
            "name an admin", .setRole(RoleChange(user: ben.user, change: .admin)), by: ada.identity)
        try friends.nameHeir()
        try friends.stage.perform("add a device", .addDevice(second.certificate), by: ada.identity)
        let asked = try friends.stage.invite(by: ada.identity, uses: 1, label: "second invite")
        let dora = try Person("dora")
        let claim = friends.stage.claim(dora.identity, asked.secrets, asked.operation)
        try friends.stage.perform("request", .request(claim), by: ben.identity)
        try friends.stage.perform("revoke the invite", .revokeInvite(asked.operation.id), by: ada.identity)
        var feed = FeedBuilder(group: friends.stage.ledger.group, identity: second)
        feed.append("z", count: 2)
        let cut = DeviceCut(
            device: second.device, lastOperation: OperationID(bytes: .zero),
            feeds: [
                FeedCut(epoch: feed.feed.epoch, number: 2, hash: feed.hashes[2], signature: feed.signature(at: 2))
            ])
        try friends.stage.perform(
            "revoke a device",
            .revokeDevice(
                DeviceRevocation(
                    accountKey: ada.accountKey, group: friends.stage.ledger.group, cut: cut,
                    keeping: [friends.stage.hash("a link"), friends.stage.hash("another link")],
                    accessKeyHash: friends.stage.hash("second access key"))), by: ada.identity)
        try giveUp("ada lost", of: ada, in: &friends.stage)
        try friends.stage.perform(
            "demote the admin",
            .setRole(RoleChange(user: ben.user, change: .member, cuts: friends.stage.cuts(of: ben.user))),
            by: ada.identity)
        try friends.stage.perform(
            "remove",
            .remove(
                Removal(
                    user: ben.user, cuts: friends.stage.cuts(of: ben.user),
                    accessKeyHash: friends.stage.hash("third access key"))), by: ada.identity)
        try friends.stage.perform(
            "transfer", .transfer(Transfer(newOwner: cleo.user, cuts: friends.stage.cuts(of: ada.user))),
            by: ada.identity)
        try friends.stage.perform(
            "leave, erasing", .leave(Departure(erases: true, cuts: friends.stage.cuts(of: ada.user))), by: ada.identity)
        let all = friends.stage.ledger.allOperations
        let rename = try friends.stage.signed(
            .rename("tail"), by: cleo.identity, number: 1, previous: .none, tail: [0xCA, 0xFE])
        return VectorFile(
            name: "operations",
            content: [
                "spec": "membership.md", "decoder": "operation",
                "valid": .list(
                    (all.map { ($0, friends.stage.label($0.id)) } + [(rename, "with a tail, carried along")]).map {
                        describe(operation: $0.0, name: $0.1)
                    }),
                "invalid": .list(invalidOperations(founding: all[0].bytes, rename: rename.bytes)),
                "forged": [
                    ["name": "a signature with one bit turned over", "hex": .hex(flipping(rename.bytes, at: -64))],
                    ["name": "a time with one bit turned over", "hex": .hex(flipping(rename.bytes, at: 139))],
                    ["name": "a tail with one bit turned over", "hex": .hex(flipping(rename.bytes, at: -65))],
                ],
            ])
    }

    /// Revokes a device that the group never knew.
    private static func giveUp(_ device: String, of person: Person, in stage: inout LedgerStage) throws {
        let lost = try Person.device(device, of: person.accountKey).device
        let revocation = DeviceRevocation(
            accountKey: person.accountKey, everywhere: lost, accessKeyHash: stage.hash("second access key"))
        try stage.perform("revoke a device for every group", .revokeDevice(revocation), by: person.identity)
    }

    private static func describe(operation signed: SignedOperation, name: String) -> JSON {
        let operation = signed.operation
        return [
            "name": .text(name), "kind": .number(Int(operation.body.kind.rawValue)), "id": .text(signed.id.description),
            "group": .text(operation.group.description), "author": .text(operation.author.description),
            "number": .number(Int(operation.number)), "previous": .text(operation.previous.description),
            "parents": .list(operation.parents.map { .text($0.description) }),
            "time": .text(String(operation.time)), "tail": .hex(operation.tail), "hex": .hex(signed.bytes),
        ]
    }

    private static func invalidOperations(founding: [UInt8], rename: [UInt8]) -> [JSON] {
        // version, kind, group 32, author 32: the number is byte 66 (Protocol/membership.md).
        let numberAt = 66
        let previousAt = 67
        let parentsAt = 99
        let titleAt = 140
        return [
            refused("nothing", [], "truncated"),
            refused("a signature alone", [UInt8](repeating: 0, count: 64), "truncated"),
            refused("version 2", replacing(rename, at: 0, by: 2), "unsupported-version"),
            refused("kind 14", replacing(rename, at: 1, by: 14), "unknown-kind"),
            refused("kind 0", replacing(rename, at: 1, by: 0), "unknown-kind"),
            refused("number 0", replacing(rename, at: numberAt, by: 0), "invalid-value: number"),
            refused(
                "number 1,001", Array(rename.prefix(numberAt)) + [0xE9, 0x07] + rename.dropFirst(numberAt + 1),
                "limit-exceeded"),
            refused("number 1 with a previous one", flipping(rename, at: previousAt), "invalid-value: previous"),
            refused(
                "number 2 without a previous one", replacing(rename, at: numberAt, by: 2), "invalid-value: previous"),
            refused("33 parents", replacing(rename, at: parentsAt, by: 33), "limit-exceeded"),
            refused(
                "one parent twice",
                Array(rename.prefix(parentsAt)) + [2] + rename[100..<132] + rename[100..<132] + rename.dropFirst(132),
                "invalid-value: parents"),
            refused(
                "no parent", Array(rename.prefix(parentsAt)) + [0] + rename.dropFirst(132), "invalid-value: parents"),
            refused(
                "no group", Array(rename.prefix(2)) + [UInt8](repeating: 0, count: 32) + rename.dropFirst(34),
                "invalid-value: group"),
            refused("a founding of a group", flipping(founding, at: 2), "invalid-value: founding"),
            refused(
                "a title of 241 bytes", Array(rename.prefix(titleAt)) + [0xF1, 1] + rename.dropFirst(141),
                "limit-exceeded"),
            refused(
                "an empty title", Array(rename.prefix(titleAt)) + [0] + rename.suffix(64), "invalid-value: title"),
            refused("a title that is no UTF-8", replacing(rename, at: titleAt + 1, by: 0xFF), "invalid-text"),
            refused(
                "a tail of 1,025 bytes",
                Array(rename.dropLast(66)) + [UInt8](repeating: 0, count: 1_025) + rename.suffix(64), "limit-exceeded"),
            refused("8,193 bytes", [1, 12], zeros: 8_191, "limit-exceeded"),
        ]
    }
}
