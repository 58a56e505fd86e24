import StreakCrypto
import StreakMembership
import StreakWire

/// A person with an account and one device.
struct Person {
    let accountKey: SigningSecretKey
    let identity: DeviceIdentity

    init(_ seed: UInt64) {
        var entropy = SeededEntropy(seed: seed)
        accountKey = SigningSecretKey.generate(from: &entropy)
        identity = DeviceIdentity.create(accountKey: accountKey, from: &entropy)
    }

    var user: UserID { identity.user }
    var device: DeviceID { identity.device }

    /// Another device of the account, certified by the account key or by another device.
    func anotherDevice(_ seed: UInt64, certifiedBy issuer: DeviceIdentity? = nil) -> DeviceIdentity {
        var entropy = SeededEntropy(seed: seed)
        let made = DeviceIdentity.create(accountKey: accountKey, from: &entropy)
        guard let issuer,
            let certificate = issuer.certificate(for: made.consent(to: issuer.user)),
            let identity = DeviceIdentity(
                certificate: certificate, signingKey: made.signingKey, linkKey: made.linkKey)
        else { return made }
        return identity
    }
}

/// A ledger and the means to add to it, honestly or not.
struct TestGroup {
    static let now: Int64 = 1_795_000_000

    var ledger: Ledger
    let founder: Person
    private(set) var keyCount: UInt64 = 0

    init(founder: Person, title: String = "Friends", settings: GroupSettings = GroupSettings()) throws {
        var entropy = SeededEntropy(seed: 4_711)
        let founding = try Ledger.found(
            title: title, settings: settings, identity: founder.identity,
            accessKey: AccessKey.generate(from: &entropy), at: Self.now, entropy: &entropy)
        ledger = try Ledger(founding: founding)
        self.founder = founder
    }

    /// The default handshake hash for proofs of `claim`.
    static let handshake = [UInt8](repeating: 7, count: 64)

    mutating func freshSecrets() -> InviteSecrets {
        keyCount += 1
        return InviteSecrets(seed: Bytes16(0xABCD, keyCount))
    }

    mutating func freshHash() -> Bytes32 {
        keyCount += 1
        return Bytes32(1, 2, 3, keyCount)
    }

    /// Drafts and inserts an operation that counts.
    @discardableResult
    mutating func perform(_ body: OperationBody, by identity: DeviceIdentity) throws -> SignedOperation {
        let operation = try ledger.draft(body, by: identity, at: Self.now)
        _ = try ledger.insert(operation)
        return operation
    }

    /// Signs anything: with any parents besides the author's previous operation, or on another branch of its chain.
    func signed(
        _ body: OperationBody, by identity: DeviceIdentity, parents: [OperationID], after previous: SignedOperation?,
        at time: Int64 = Self.now
    ) throws -> SignedOperation {
        var all = Set(parents)
        if let previous { all.insert(previous.id) }
        return try SignedOperation(
            signing: LedgerOperation(
                group: ledger.group, author: identity.device, number: (previous?.operation.number ?? 0) + 1,
                previous: previous?.id ?? OperationID(bytes: .zero), parents: Array(all), time: time, body: body),
            with: identity.signingKey)
    }

    func last(of device: DeviceID) -> SignedOperation? {
        ledger.operations(from: device, after: 0).last
    }

    mutating func invite(
        by person: Person, uses: UInt32 = 0, approval: Bool = false
    ) throws -> (id: OperationID, secrets: InviteSecrets) {
        let secrets = freshSecrets()
        let terms = secrets.terms(maximumUses: uses, expiresAt: Self.now + 1_000, needsApproval: approval)
        return (try perform(.invite(terms), by: person.identity).id, secrets)
    }

    /// - Parameter handshake: every byte of the handshake hash. An account that comes back asks on another link.
    func claim(
        _ newcomer: DeviceIdentity, _ invite: (id: OperationID, secrets: InviteSecrets), handshake: UInt8 = 7
    ) -> JoinClaim {
        JoinClaim(
            invite: invite.id, certificate: newcomer.certificate,
            proof: JoinProof(
                inviteKey: invite.secrets.inviteKey, group: ledger.group, identity: newcomer,
                handshakeHash: [UInt8](repeating: handshake, count: 64)))
    }

    /// The account's revocation of a device: its cut, and all its other known certificates are kept.
    func revocation(
        of device: DeviceIdentity, by person: Person, upTo last: OperationID = .none, hash: Bytes32
    ) -> DeviceRevocation {
        DeviceRevocation(
            accountKey: person.accountKey, group: ledger.group,
            cut: DeviceCut(device: device.device, lastOperation: last, feeds: []),
            keeping: ledger.keptLinks(revoking: device.device, of: person.user), accessKeyHash: hash)
    }

    @discardableResult
    mutating func admit(
        _ newcomer: Person, by person: Person, under invite: (id: OperationID, secrets: InviteSecrets),
        handshake: UInt8 = 7
    ) throws -> SignedOperation {
        let operation = try ledger.admission(
            of: claim(newcomer.identity, invite, handshake: handshake), by: person.identity, at: Self.now)
        _ = try ledger.insert(operation)
        return operation
    }

    /// Admits people under one invite of the founder.
    mutating func admit(_ newcomers: Person...) throws {
        let invite = try invite(by: founder)
        for newcomer in newcomers {
            try admit(newcomer, by: founder, under: invite, handshake: UInt8(truncatingIfNeeded: keyCount))
        }
    }

    /// Makes somebody known whom only a member who may not has let in: an account that never was a member.
    mutating func introduce(_ stranger: Person, by member: Person) throws {
        let invite = try invite(by: founder, approval: true)
        let admission = try signed(
            .admit(claim(stranger.identity, invite)), by: member.identity, parents: ledger.heads,
            after: last(of: member.device))
        _ = try ledger.insert(admission)
    }

    /// A removal that keeps everything known.
    mutating func removal(of person: Person) -> OperationBody {
        .remove(
            Removal(user: person.user, cuts: ledger.cuts(of: person.user) { _ in [] }, accessKeyHash: freshHash()))
    }

    /// A removal that keeps only what is up to an operation.
    mutating func removal(of person: Person, upTo last: OperationID?) -> OperationBody {
        let cut = DeviceCut(device: person.device, lastOperation: last ?? OperationID(bytes: .zero), feeds: [])
        return .remove(Removal(user: person.user, cuts: [cut], accessKeyHash: freshHash()))
    }

    mutating func promote(_ person: Person) throws {
        try perform(.setRole(RoleChange(user: person.user, change: .admin)), by: founder.identity)
    }

    func demotion(of person: Person) -> OperationBody {
        .setRole(
            RoleChange(user: person.user, change: .member, cuts: ledger.cuts(of: person.user) { _ in [] }))
    }

    var users: [UserID] { ledger.state.members.map(\.user) }

    func has(_ person: Person) -> Bool { ledger.state.isMember(person.user) }
}

/// Inserts operations that others signed, in this order.
func inserting(_ operations: [SignedOperation], into ledger: Ledger) throws -> Ledger {
    var ledger = ledger
    for operation in operations { _ = try ledger.insert(operation) }
    return ledger
}
