import StreakCrypto
import StreakMembership
import StreakWire

/// A ledger in which a dozen accounts do whatever they like, with whatever parents they claim.
struct RandomLedger {
    static let people = (0..<12).map { Person(1_000 + UInt64($0)) }

    var generator: SeededGenerator
    var group: TestGroup
    private var invites: [(id: OperationID, secrets: InviteSecrets)] = []
    private var phones: [(person: Int, identity: DeviceIdentity)] = []

    init(seed: UInt64, count: Int) throws {
        generator = SeededGenerator(seed: seed)
        group = try TestGroup(founder: Self.people[0])
        // Enough to begin with: a few members, two of them admins.
        let invite = try group.invite(by: Self.people[0])
        invites = [invite]
        for index in 1...5 { try group.admit(Self.people[index], by: Self.people[0], under: invite) }
        try group.promote(Self.people[1])
        try group.promote(Self.people[2])
        while group.ledger.count < count { try addOne(by: nil) }
    }

    /// Adds an operation unless every node refuses it.
    mutating func addOne(by chosen: Int?) throws {
        let index = chosen ?? Int.random(in: 0..<12, using: &generator)
        let devices = [Self.people[index].identity] + phones.filter { $0.person == index }.map(\.identity)
        let author = devices.randomElement(using: &generator) ?? Self.people[index].identity
        let body = randomBody(by: index)
        let own = group.ledger.operations(from: author.device, after: 0)
        let forks = Int.random(in: 0..<8, using: &generator) == 0
        let previous = forks ? own.randomElement(using: &generator) : own.last
        let all = group.ledger.allOperations
        var parents = group.ledger.heads
        if Int.random(in: 0..<4, using: &generator) > 0 {
            parents = (0..<Int.random(in: 1...4, using: &generator)).compactMap { _ in
                all.randomElement(using: &generator)?.id
            }
        }
        let operation = try group.signed(body, by: author, parents: Array(parents.prefix(20)), after: previous)
        // What every node refuses (unknown authors, cuts of what is no ancestor …) is no part of the ledger.
        _ = try? group.ledger.insert(operation)
    }

    private mutating func randomCuts(of person: Person) -> [DeviceCut] {
        group.ledger.cuts(of: person.user) { _ in [] }.map { cut in
            let known = group.ledger.operations(from: cut.device, after: 0).map(\.id) + [OperationID(bytes: .zero)]
            return DeviceCut(
                device: cut.device, lastOperation: known.randomElement(using: &generator) ?? cut.lastOperation,
                feeds: [])
        }
    }

    private mutating func randomBody(by author: Int) -> OperationBody {
        let index = Int.random(in: 0..<12, using: &generator)
        let target = Self.people[index]
        let invite = invites.randomElement(using: &generator) ?? invites[0]
        let cuts = randomCuts(of: target)
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<14:
            let secrets = group.freshSecrets()
            let terms = secrets.terms(
                maximumUses: .random(in: 0...2, using: &generator), expiresAt: TestGroup.now + 9,
                needsApproval: Int.random(in: 0..<5, using: &generator) == 0)
            return .invite(terms)
        case 14..<38: return .admit(group.claim(target.identity, currentInvite()))
        case 38..<52: return .remove(Removal(user: target.user, cuts: cuts, accessKeyHash: group.freshHash()))
        case 52..<60: return .setRole(RoleChange(user: target.user, change: .admin))
        case 60..<66: return .setRole(RoleChange(user: target.user, change: .member, cuts: cuts))
        case 66..<69: return .setRole(RoleChange(user: target.user, change: .heir))
        case 69..<71: return .setRole(RoleChange(user: target.user, change: .noHeir))
        case 71..<75:
            let heir = Int.random(in: 0..<2, using: &generator) == 0 ? Self.people[author] : target
            return .transfer(Transfer(newOwner: heir.user, cuts: randomCuts(of: Self.people[0])))
        case 75..<80: return .leave(Departure(erases: .random(using: &generator), cuts: cuts))
        case 80..<84: return .revokeInvite(currentInvite().id)
        case 84..<87: return .rename("Title \(group.ledger.count)")
        case 87..<90: return .settings(GroupSettings(whoMayInvite: [.everyone, .admins, .owner][index % 3]))
        case 90..<94: return .request(group.claim(target.identity, invite))
        case 94..<97:
            let own = phones.filter { $0.person == author }.map(\.identity)
            let phone = Self.people[author].anotherDevice(
                5_000 + UInt64(phones.count), certifiedBy: own.last ?? Self.people[author].identity)
            phones.append((author, phone))
            return .addDevice(phone.certificate)
        default:
            let devices = randomCuts(of: Self.people[author])
            let cut =
                devices.randomElement(using: &generator)
                ?? DeviceCut(device: Self.people[author].device, lastOperation: OperationID(bytes: .zero), feeds: [])
            return .revokeDevice(
                DeviceRevocation(
                    accountKey: Self.people[author].accountKey, group: group.ledger.group, cut: cut,
                    accessKeyHash: group.freshHash()))
        }
    }

    /// An invite of the ledger whose secrets are known: those made by `freshSecrets` count up.
    private mutating func currentInvite() -> (id: OperationID, secrets: InviteSecrets) {
        var known = invites
        for operation in group.ledger.allOperations {
            guard case .invite(let terms) = operation.operation.body, !known.contains(where: { $0.id == operation.id })
            else { continue }
            for number in 1...max(1, group.keyCount) {
                let secrets = InviteSecrets(seed: Bytes16(0xABCD, number))
                if secrets.inviteKey.publicKey == terms.publicKey { known.append((operation.id, secrets)) }
            }
        }
        invites = known
        return known.randomElement(using: &generator) ?? known[0]
    }
}
