import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine

/// Node 0 is a friend. The others are machines of one account that have not met.
struct Household {
    var network = EngineNetwork()
    private(set) var club = GroupID(bytes: .zero)
    private let link: InviteLink
    private let seed: UInt64

    init(seed: UInt64) throws {
        self.seed = seed
        try network.add(seed, hasPrivateGroup: true)
        guard case .group(let club)? = network.command(.foundGroup(title: "Club"), at: 0),
            case .invite(_, let text)? = network.command(.invite(club, uses: 0, lifetime: 7_000_000), at: 0)
        else { throw EngineNetwork.SetUpFailure() }
        self.club = club
        link = try InviteLink(parsing: text)
        try network.add(seed + 100, hasPrivateGroup: true)
        try join(1)
    }

    /// A machine made with the account's key. It is in the club only once it has joined.
    mutating func recover() throws -> Int {
        var entropy = SeededEntropy(seed: seed + 200 + UInt64(network.nodes.count))
        let identity = DeviceIdentity.create(accountKey: network.nodes[1].account, from: &entropy)
        return try network.add(
            seed + 300 + UInt64(network.nodes.count), identity: identity, account: network.nodes[1].account,
            hasPrivateGroup: true)
    }

    /// A machine that another one has linked.
    mutating func linkMachine(to node: Int) throws -> Int {
        let bare = try network.add(seed + 400 + UInt64(network.nodes.count))
        guard case .invite(_, let text)? = network.command(.linkDevice, at: node),
            case .deviceLinked(let linking)? = network.command(
                .requestDevice(try InviteLink(parsing: text, purpose: .device), timeout: .seconds(20)), at: bare)
        else { throw EngineNetwork.SetUpFailure() }
        network.nodes[bare].isOn = false
        let node = try network.add(linked: linking, of: network.nodes[bare].identity)
        network.run(for: .seconds(2))
        return node
    }

    mutating func join(_ node: Int) throws {
        guard network.command(.join(link, timeout: .seconds(30)), at: node) == .group(club) else {
            throw EngineNetwork.SetUpFailure()
        }
    }

    mutating func write(_ drafts: [RecordDraft], at node: Int) throws {
        let group = try #require(privateGroup(of: node))
        #expect(network.command(.write([(group: group, drafts: drafts)]), at: node) == .done)
        network.run(for: .milliseconds(5))
    }

    mutating func set(_ name: String, to value: String, at node: Int) throws {
        try write([.setting(name: name, value: Array(value.utf8))], at: node)
    }

    func privateGroup(of node: Int) -> GroupID? { network.nodes[node].engine.privateGroup }

    /// What a machine's private group says, by the name of the setting.
    func settings(of node: Int) throws -> [String: String] {
        let group = try #require(privateGroup(of: node))
        let records = network.nodes[node].engine.mergedRecords(of: group).filter {
            $0.key.kind == RecordKind.setting.rawValue && !$0.value.isEmpty
        }
        return Dictionary(
            uniqueKeysWithValues: records.map {
                (String(decoding: $0.key.subject, as: UTF8.self), String(decoding: $0.value, as: UTF8.self))
            })
    }

    /// Whether machines are current devices of one private group and agree about everything in it.
    func isOne(_ nodes: [Int]) -> Bool {
        let groups = Set(nodes.map { privateGroup(of: $0) })
        guard let group = groups.first.flatMap(\.self), groups.count == 1 else { return false }
        let digests = Set(nodes.map { network.nodes[$0].engine.digest(of: group) })
        let devices = network.nodes[nodes[0]].engine.state(of: group)?.devices.filter(\.isCurrent).map(\.device)
        return digests.count == 1 && Set(devices ?? []) == Set(nodes.map { network.nodes[$0].identity.device })
    }
}

// MARK: What a stolen machine may try

extension Household {
    /// An operation about membership, signed by a machine without asking its ledger, and the invite that it names.
    func operations(
        of kind: OperationBody.Kind, by node: Int, in ledger: Ledger
    ) throws -> [SignedOperation] {
        let (author, time) = (network.nodes[node].identity, network.wallTime.seconds)
        var entropy = SeededEntropy(seed: 78)
        let secrets = InviteSecrets.generate(from: &entropy)
        let terms = secrets.terms(maximumUses: 0, expiresAt: time + 600, needsApproval: kind == .request)
        let invite = try ledger.draft(.invite(terms), by: author, at: time)
        var ledger = ledger
        _ = try ledger.insert(invite)
        let proof = JoinProof(
            inviteKey: secrets.inviteKey, group: ledger.group, identity: Forged.stranger,
            handshakeHash: [UInt8](repeating: 0, count: 64))
        let claim = JoinClaim(invite: invite.id, certificate: Forged.stranger.certificate, proof: proof)
        let cuts = DeviceCut.fitting(ledger.cuts(of: author.user) { _ in [] })
        let body: OperationBody? =
            switch kind {
            case .request: .request(claim)
            case .admit: .admit(claim)
            case .setRole: .setRole(RoleChange(user: author.user, change: .noHeir, cuts: []))
            case .transfer: .transfer(Transfer(newOwner: author.user, cuts: []))
            case .remove: .remove(Removal(user: author.user, cuts: cuts, accessKeyHash: .zero))
            case .leave: .leave(Departure(erases: false, cuts: cuts))
            default: nil
            }
        let operation = LedgerOperation(
            group: ledger.group, author: author.device, number: invite.operation.number + 1, previous: invite.id,
            parents: Set(ledger.tips.map(\.operation)).sorted(), time: time, body: try #require(body))
        return [invite, try SignedOperation(signing: operation, with: author.signingKey)]
    }
}
