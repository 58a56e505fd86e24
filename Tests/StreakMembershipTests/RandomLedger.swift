import StreakCrypto
import StreakRandom
import StreakWire
import Synchronization

@testable import StreakMembership

/// A ledger in which a dozen accounts do anything, with any parents.
///
/// The first nine operations are the same in all of them (a founder, five members, two of them admins), so that costly
/// signatures are made once.
struct RandomLedger {
    /// An account with three devices: certified by the account, by the first device, and by the second.
    struct Account {
        let accountKey: SigningSecretKey
        let devices: [DeviceIdentity]

        var user: UserID { UserID(accountKey.publicKey) }

        init(_ number: UInt64) {
            let person = Person(number)
            let laptop = person.anotherDevice(number + 100, certifiedBy: person.identity)
            accountKey = person.accountKey
            devices = [person.identity, laptop, person.anotherDevice(number + 200, certifiedBy: laptop)]
        }
    }

    static let accounts = (0..<12).map { Account(1_000 + UInt64($0)) }
    static let secrets = (0..<16).map { InviteSecrets(seed: Bytes16(0xABCD, UInt64($0))) }
    private static let claims = Claims()
    /// The first operations, and the invite among them.
    private static let beginning: [SignedOperation] = {
        do {
            var group = try TestGroup(founder: Person(1_000))
            let terms = secrets[0].terms(maximumUses: 0, expiresAt: TestGroup.now + 9)
            let invite = try group.perform(.invite(terms), by: accounts[0].devices[0])
            for account in accounts[1...5] {
                let claim = group.claim(account.devices[0], (invite.id, secrets[0]))
                try group.perform(.admit(claim), by: accounts[0].devices[0])
            }
            for account in accounts[1...2] {
                try group.perform(
                    .setRole(RoleChange(user: account.user, change: .admin)), by: accounts[0].devices[0])
            }
            return group.ledger.allOperations
        } catch {
            preconditionFailure("the beginning of every random ledger: \(error)")
        }
    }()

    var generator: SplitMix64
    var ledger: Ledger
    /// In order of arrival.
    private(set) var operations = Self.beginning
    private var invites: [(id: OperationID, secrets: Int)] = []
    private let verified = VerifiedOperations()

    /// Whether accounts ask again on other handshakes, and revoke devices for every group. Graphs of the first edition
    /// do not; the seeds that once broke a law are theirs.
    let isSecondEdition: Bool

    init(seed: UInt64, count: Int = 60, isSecondEdition: Bool = true) throws {
        self.isSecondEdition = isSecondEdition
        generator = SplitMix64(seed: seed)
        ledger = try Ledger(founding: operations[0])
        ledger.rules.verified = verified
        for operation in operations {
            verified.insert(operation.id)
            if case .invite = operation.operation.body { invites.append((operation.id, 0)) }
            if operation.operation.parents.isEmpty { continue }
            _ = try ledger.insert(operation)
        }
        while ledger.count < count { try add() }
    }

    /// An empty ledger with the same rules, which trusts verified operations.
    func fresh() throws -> Ledger {
        var ledger = try Ledger(founding: operations[0])
        ledger.rules = self.ledger.rules
        return ledger
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }

    /// Adds an operation, unless every node refuses it.
    mutating func add(by chosen: Int? = nil, without excluded: Set<OperationBody.Kind> = []) throws {
        let account = chosen ?? Int.random(in: 0..<12, using: &generator)
        let author = Self.accounts[account].devices[[0, 0, 0, 1, 2].randomElement(using: &generator) ?? 0]
        let (body, needed) = randomBody(by: account)
        guard !excluded.contains(body.kind) else { return }
        var parents = Set(
            chance(40)
                ? ledger.heads
                : (0..<Int.random(in: 1...4, using: &generator)).compactMap { _ in
                    operations.randomElement(using: &generator)?.id
                })
        if chance(80) { parents.formUnion(needed) }
        let own = ledger.operations(from: author.device, after: 0)
        let previous = chance(12) ? own.randomElement(using: &generator) : own.last
        if let previous { parents.insert(previous.id) }
        guard parents.count <= LedgerOperation.maximumParents else { return }
        let operation = try SignedOperation(
            signing: LedgerOperation(
                group: ledger.group, author: author.device, number: (previous?.operation.number ?? 0) + 1,
                previous: previous?.id ?? .none, parents: Array(parents), time: TestGroup.now, body: body),
            with: author.signingKey)
        // Valid by construction: the author signs, and every certificate and proof is genuine.
        verified.insert(operation.id)
        do {
            guard case .added = try ledger.insert(operation) else { return }
        } catch {
            // Operations that every node refuses (unknown authors, cuts that name no ancestor …) are not part of the
            // ledger.
            return
        }
        operations.append(operation)
        if case .invite(let terms) = body,
            let index = Self.secrets.firstIndex(where: { $0.inviteKey.publicKey == terms.publicKey })
        {
            invites.append((operation.id, index))
        }
    }

    /// Adds the operation that a law needs, after all known ones.
    mutating func add(_ body: OperationBody, by author: DeviceIdentity) throws -> SignedOperation {
        let previous = ledger.chainEnd(of: author.device)
        let operation = try SignedOperation(
            signing: LedgerOperation(
                group: ledger.group, author: author.device, number: (previous?.number ?? 0) + 1,
                previous: previous?.id ?? .none, parents: Array(Set(ledger.heads + (previous.map { [$0.id] } ?? []))),
                time: TestGroup.now, body: body),
            with: author.signingKey)
        verified.insert(operation.id)
        _ = try ledger.insert(operation)
        operations.append(operation)
        return operation
    }

    private mutating func randomCuts(of account: Int) -> [DeviceCut] {
        let devices = Self.accounts[account].devices.map(\.device).filter { ledger.user(of: $0) != nil }
        return devices.compactMap { device in
            let own = ledger.operations(from: device, after: 0).map(\.id)
            // Usually an honest cut, sometimes an absurd one, and sometimes a device is missing.
            if chance(10) { return nil }
            let last = chance(60) ? own.last : ([.none] + own).randomElement(using: &generator)
            return DeviceCut(device: device, lastOperation: last ?? .none, feeds: [])
        }
    }

    /// What to do, and which parents make it useful.
    private mutating func randomBody(by author: Int) -> (OperationBody, [OperationID]) {
        let index = Int.random(in: 0..<12, using: &generator)
        let target = Self.accounts[index].user
        let invite = invites.randomElement(using: &generator) ?? (.none, 0)
        let cuts = randomCuts(of: index)
        let named = cuts.map(\.lastOperation).filter { $0 != .none }
        let hash = Bytes32(1, 2, UInt64(author), UInt64(operations.count))
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<13:
            let secrets = Self.secrets[Int.random(in: 0..<16, using: &generator)]
            let terms = secrets.terms(
                maximumUses: .random(in: 0...2, using: &generator), expiresAt: TestGroup.now + 9,
                needsApproval: chance(20))
            return (.invite(terms), [])
        case 13..<37: return (.admit(claim(index, invite)), [invite.id])
        case 37..<51: return (.remove(Removal(user: target, cuts: cuts, accessKeyHash: hash)), named)
        case 51..<59: return (.setRole(RoleChange(user: target, change: .admin)), [])
        case 59..<65: return (.setRole(RoleChange(user: target, change: .member, cuts: cuts)), named)
        case 65..<68: return (.setRole(RoleChange(user: target, change: .heir)), [])
        case 68..<70: return (.setRole(RoleChange(user: target, change: .noHeir)), [])
        case 70..<74:
            let owner = Self.accounts.firstIndex { $0.user == ledger.state.owner } ?? 0
            let cuts = randomCuts(of: owner)
            let heir = chance(50) ? Self.accounts[author].user : target
            return (.transfer(Transfer(newOwner: heir, cuts: cuts)), cuts.map(\.lastOperation).filter { $0 != .none })
        case 74..<79:
            let own = randomCuts(of: author)
            return (.leave(Departure(erases: chance(50), cuts: own)), own.map(\.lastOperation).filter { $0 != .none })
        case 79..<84: return (.revokeInvite(invite.id), [invite.id])
        case 84..<87: return (.rename("Title \(operations.count)"), [])
        case 87..<90: return (.settings(GroupSettings(whoMayInvite: [.everyone, .admins, .owner][index % 3])), [])
        case 90..<93: return (.request(claim(index, invite)), [invite.id])
        case 93..<97:
            let device = Self.accounts[author].devices[Int.random(in: 0...2, using: &generator)]
            return (.addDevice(device.certificate), [])
        default:
            let device = Self.accounts[author].devices[Int.random(in: 0...2, using: &generator)].device
            let cut =
                randomCuts(of: author).first { $0.device == device }
                ?? DeviceCut(device: device, lastOperation: .none, feeds: [])
            let user = Self.accounts[author].user
            var kept = ledger.keptLinks(revoking: device, of: user)
            if isSecondEdition, chance(30) { kept.removeAll() }
            let accountKey = Self.accounts[author].accountKey
            if isSecondEdition, chance(40) {
                return (
                    .revokeDevice(
                        DeviceRevocation(
                            accountKey: accountKey, everywhere: device, keeping: kept, accessKeyHash: hash)), []
                )
            }
            let revocation = DeviceRevocation(
                accountKey: accountKey, group: ledger.group, cut: cut, keeping: kept, accessKeyHash: hash)
            return (.revokeDevice(revocation), cut.lastOperation == .none ? [] : [cut.lastOperation])
        }
    }

    private mutating func claim(_ account: Int, _ invite: (id: OperationID, secrets: Int)) -> JoinClaim {
        let device = [0, 0, 0, 1].randomElement(using: &generator) ?? 0
        // One of few handshakes: some claims are copies of old ones, some are new.
        let handshake = isSecondEdition ? UInt8.random(in: 1...4, using: &generator) : 7
        return Self.claims.claim(
            of: Self.accounts[account].devices[device], under: invite.id, secrets: invite.secrets,
            handshake: handshake, group: ledger.group)
    }
}

/// Join proofs by invite key and device, made once: all random ledgers share one group.
private final class Claims: Sendable {
    private struct Key: Hashable {
        let secrets: Int
        let device: DeviceID
        let handshake: UInt8
    }

    private let proofs = Mutex<[Key: JoinProof]>([:])

    func claim(
        of identity: DeviceIdentity, under invite: OperationID, secrets: Int, handshake: UInt8, group: GroupID
    ) -> JoinClaim {
        let proof = proofs.withLock { known in
            let key = Key(secrets: secrets, device: identity.device, handshake: handshake)
            if let proof = known[key] { return proof }
            let proof = JoinProof(
                inviteKey: RandomLedger.secrets[secrets].inviteKey, group: group, identity: identity,
                handshakeHash: [UInt8](repeating: handshake, count: 64))
            known[key] = proof
            return proof
        }
        return JoinClaim(invite: invite, certificate: identity.certificate, proof: proof)
    }
}
