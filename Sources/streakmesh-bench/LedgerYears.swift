import StreakCrypto
import StreakMembership
import StreakWire

/// A group's ledger over years, all of it honest: invites, joins, removals and departures with cuts of what the devices
/// had written, new and lost devices, changes of admins and settings.
struct LedgerYears {
    /// How many members a quarter of a year brings after the group has its size.
    static let arrivalsPerQuarter = 3
    static let invitesPerQuarter = 4
    static let devicesPerQuarter = 3

    private(set) var ledger: Ledger
    private var entropy: SeededEntropy
    private var people: [Somebody] = []
    private var turn = 0
    private var time: Int64 = 1_640_995_200

    private struct Somebody {
        let accountKey: SigningSecretKey
        var devices: [DeviceIdentity]
    }

    init(seed: UInt64) throws {
        entropy = SeededEntropy(seed: seed)
        let founder = Self.somebody(&entropy)
        let founding = try Ledger.found(
            title: "Friends", identity: founder.devices[0], accessKey: AccessKey.generate(from: &entropy), at: time,
            entropy: &entropy)
        ledger = try Ledger(founding: founding)
        people = [founder]
    }

    /// A group of `members` after `years`.
    static func grown(members: Int, years: Int, seed: UInt64 = 1) throws -> LedgerYears {
        var life = try LedgerYears(seed: seed)
        while life.people.count < members { try life.join() }
        for _ in 0..<(years * 4) { try life.passQuarter() }
        return life
    }

    /// A group of `members` with `count` operations.
    static func grown(members: Int, operations count: Int, seed: UInt64 = 1) throws -> LedgerYears {
        var life = try LedgerYears(seed: seed)
        while life.people.count < members { try life.join() }
        while life.ledger.count < count { try life.passQuarter() }
        return life
    }

    /// The bytes of all operations.
    var byteCount: Int { ledger.allOperations.reduce(0) { $0 + $1.bytes.count } }

    /// One more operation that counts, by any member.
    mutating func oneMore() throws -> SignedOperation {
        try signed(.invite(invite().terms), by: people[next(people.count)].devices[0])
    }

    private static func somebody(_ entropy: inout SeededEntropy) -> Somebody {
        let accountKey = SigningSecretKey.generate(from: &entropy)
        return Somebody(
            accountKey: accountKey, devices: [DeviceIdentity.create(accountKey: accountKey, from: &entropy)])
    }

    private mutating func next(_ count: Int) -> Int {
        turn += 1
        return turn &* 7_919 % count
    }

    private mutating func signed(_ body: OperationBody, by identity: DeviceIdentity) throws -> SignedOperation {
        time += 3_600
        return try ledger.draft(body, by: identity, at: time)
    }

    @discardableResult
    private mutating func perform(_ body: OperationBody, by identity: DeviceIdentity) throws -> OperationID {
        let operation = try signed(body, by: identity)
        _ = try ledger.insert(operation)
        return operation.id
    }

    private mutating func invite() -> (secrets: InviteSecrets, terms: InviteTerms) {
        let secrets = InviteSecrets.generate(from: &entropy)
        return (secrets, secrets.terms(maximumUses: 1, expiresAt: time + 7 * 86_400))
    }

    private mutating func join() throws {
        let host = people[next(people.count)].devices[0]
        let (secrets, terms) = invite()
        let invite = try perform(.invite(terms), by: host)
        let newcomer = Self.somebody(&entropy)
        let proof = JoinProof(
            inviteKey: secrets.inviteKey, group: ledger.group, identity: newcomer.devices[0],
            handshakeHash: entropy.bytes(64))
        let claim = JoinClaim(invite: invite, certificate: newcomer.devices[0].certificate, proof: proof)
        try perform(.admit(claim), by: host)
        people.append(newcomer)
    }

    /// The accepted feeds of every device: a few epochs each, as restores and new starts leave them.
    private mutating func cuts(of somebody: Somebody) -> [DeviceCut] {
        let feeds = (1...2).map { counter in
            FeedCut(
                epoch: Epoch(counter: UInt32(counter), nonce: UInt64(turn)), number: 2_000,
                hash: ChainHash(bytes: Bytes32(UInt64(turn), 0, 0, UInt64(counter))),
                signature: somebody.accountKey.signature(for: entropy.bytes(32)))
        }
        return ledger.cuts(of: UserID(somebody.accountKey.publicKey)) { _ in feeds }
    }

    private mutating func passQuarter() throws {
        time += 90 * 86_400
        let owner = people[0].devices[0]
        for round in 0..<Self.arrivalsPerQuarter {
            let gone = people.remove(at: 1 + next(people.count - 1))
            let cuts = cuts(of: gone)
            if round == 0 {
                try perform(.leave(Departure(erases: false, cuts: cuts)), by: gone.devices[0])
            } else {
                let hash = AccessKey.generate(from: &entropy).hash
                let user = UserID(gone.accountKey.publicKey)
                try perform(.remove(Removal(user: user, cuts: cuts, accessKeyHash: hash)), by: owner)
            }
            try join()
        }
        for _ in 0..<Self.invitesPerQuarter {
            let unused = invite().terms
            let id = try perform(.invite(unused), by: people[next(people.count)].devices[0])
            // Nobody used this invite.
            try perform(.revokeInvite(id), by: owner)
        }
        for _ in 0..<Self.devicesPerQuarter { try replaceDevice(of: 1 + next(people.count - 1)) }
        let admin = UserID(people[1 + next(people.count - 1)].accountKey.publicKey)
        try perform(.setRole(RoleChange(user: admin, change: .admin)), by: owner)
        try perform(.rename("Friends \(turn)"), by: owner)
    }

    /// A new machine, certified by the old one, which is then revoked.
    private mutating func replaceDevice(of index: Int) throws {
        let old = people[index].devices[0]
        let made = DeviceIdentity.create(accountKey: people[index].accountKey, from: &entropy)
        try perform(.addDevice(made.certificate), by: old)
        people[index].devices = [made]
        let cut = cuts(of: people[index]).first { $0.device == old.device }
        guard let cut else { return }
        let revocation = DeviceRevocation(
            accountKey: people[index].accountKey, group: ledger.group, cut: cut,
            keeping: ledger.keptLinks(revoking: old.device, of: made.user),
            accessKeyHash: AccessKey.generate(from: &entropy).hash)
        try perform(.revokeDevice(revocation), by: made)
    }
}
