import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine

/// A stolen machine, in groups that its owner founds or joins afterwards.
struct EngineRevocationTests {
    /// Node 0 has revoked a machine that it had certified; node 1 is a friend. Node 0 keeps the private group's
    /// records.
    private struct Theft {
        var network = EngineNetwork()
        let lost: DeviceIdentity

        init() throws {
            try network.add(1, hasPrivateGroup: true)
            try network.add(2, hasPrivateGroup: true)
            var entropy = SeededEntropy(seed: 9)
            let owner = network.nodes[0].identity
            let made = DeviceIdentity.create(accountKey: network.nodes[0].account, from: &entropy)
            guard let certificate = owner.certificate(for: made.consent(to: owner.user)),
                let lost = DeviceIdentity(
                    certificate: certificate, signingKey: made.signingKey, linkKey: made.linkKey),
                case _ = try network.addDevice(certificate, at: 0),
                network.command(.revokeDevice(lost.device, accountKey: network.nodes[0].account), at: 0) == .done
            else { throw EngineNetwork.SetUpFailure() }
            self.lost = lost
        }

        func ledger(of group: GroupID, at node: Int) -> Ledger? {
            network.nodes[node].engine.core.groups[group]?.ledger
        }
    }

    @Test func `the private group keeps the word for every group after its own cut`() throws {
        let theft = try Theft()
        let group = try #require(theft.network.nodes[0].engine.privateGroup)
        let words = try #require(theft.ledger(of: group, at: 0)).revocations(of: theft.network.nodes[0].user)
        #expect(words.map(\.scope) == [.group, .everyGroup])
        #expect(words.map(\.cut.device) == [theft.lost.device, theft.lost.device])
        let state = try #require(theft.network.nodes[0].engine.state(of: group))
        #expect(state.accessKeyHashes.count == 2, "one new key, not two")
    }

    @Test(arguments: [0, 1]) func `a group of later hears of it, founded or joined`(founder: Int) throws {
        var theft = try Theft()
        let group = try theft.network.joinGroup(founder, [1 - founder])
        let (owner, friend) = (theft.network.nodes[0].identity, theft.network.nodes[1].identity)
        for node in 0...1 {
            let ledger = try #require(theft.ledger(of: group, at: node))
            #expect(ledger.isRevoked(theft.lost.certificate) && !ledger.isRevoked(owner.certificate))
            #expect(ledger.state.accessKeyHashes.count == 1, "the lost machine never had this group's key")
            #expect(ledger.refusedCount == 0 && ledger.revocations(of: owner.user).count == 1)
            #expect(ledger.state.members.map(\.user) == [owner.user, friend.user].sorted())
        }
        // Known after a restart, so not told again.
        theft.network.restart(0)
        theft.network.run(for: .seconds(5))
        #expect(try #require(theft.ledger(of: group, at: 0)).revocations(of: owner.user).count == 1)
    }

    @Test func `a thief gets into no group that the owner is in, and nobody counts its records`() throws {
        var theft = try Theft()
        let group = try theft.network.joinGroup(1, [0])
        guard case .invite(_, let text)? = theft.network.command(.invite(group, uses: 0, lifetime: 3_600), at: 1) else {
            throw EngineNetwork.SetUpFailure()
        }
        // Also as a machine that the lost one certifies.
        var entropy = SeededEntropy(seed: 10)
        let made = DeviceIdentity.create(accountKey: theft.network.nodes[0].account, from: &entropy)
        let certificate = try #require(theft.lost.certificate(for: made.consent(to: theft.lost.user)))
        let second = try #require(
            DeviceIdentity(certificate: certificate, signingKey: made.signingKey, linkKey: made.linkKey))
        for (seed, identity) in [(11, theft.lost), (12, second)] as [(UInt64, DeviceIdentity)] {
            let thief = try theft.network.add(seed, identity: identity)
            let join = Command.join(try InviteLink(parsing: text), timeout: .seconds(20))
            #expect(theft.network.command(join, at: thief) == .failed(.joinRefused(.other)))
            let state = try #require(theft.network.nodes[1].engine.state(of: group))
            #expect(!state.isCurrentMember(device: identity.device))
            let epoch = Epoch(counter: 1, nonce: 1)
            #expect(state.feedLimit(device: identity.device, epoch: epoch) == .nothing)
        }
    }

    @Test func `what a device had done is not taken away by the word for every group`() throws {
        var network = EngineNetwork()
        try network.add(1, hasPrivateGroup: true)
        try network.add(2, hasPrivateGroup: true)
        let club = try network.joinGroup(0, [1])
        var entropy = SeededEntropy(seed: 9)
        let account = network.nodes[0].account
        let lost = DeviceIdentity.create(accountKey: account, from: &entropy)
        try network.addDevice(lost.certificate, at: 0)
        let before = try #require(network.nodes[0].engine.core.groups[club]?.ledger)
        let renamed = try before.draft(.rename("By the lost"), by: lost, at: 1_795_000_000)
        var change = DurableChange()
        _ = try network.nodes[0].engine.core.insert(renamed, in: club, change: &change)
        // The private group's revocation arrives before the club's own cut, for example through another machine of the
        // account.
        let privateGroup = try #require(network.nodes[0].engine.privateGroup)
        let word = DeviceRevocation(accountKey: account, everywhere: lost.device, accessKeyHash: .zero)
        let source = try #require(network.nodes[0].engine.core.groups[privateGroup]?.ledger)
        let operation = try source.draft(.revokeDevice(word), by: network.nodes[0].identity, at: 1_795_000_000)
        _ = try network.nodes[0].engine.core.insert(operation, in: privateGroup, change: &change)
        network.nodes[0].engine.core.tellRevocations(in: privateGroup)
        network.run(for: .seconds(2))
        #expect(network.nodes[0].engine.state(of: club)?.title == "By the lost")
        #expect(
            network.nodes[0].engine.core.groups[club]?.ledger.revocations(of: network.nodes[0].user).isEmpty == true)
        // The account key's own cut ends it there, too.
        #expect(network.command(.revokeDevice(lost.device, accountKey: account), at: 0) == .done)
        #expect(network.nodes[0].engine.state(of: club)?.title == "By the lost")
        #expect(network.nodes[0].engine.state(of: club)?.isCurrentMember(device: lost.device) == false)
    }

    @Test func `what the lost machine certified and the account uses stays good, here and in later groups`() throws {
        var network = EngineNetwork()
        try network.add(1, hasPrivateGroup: true)
        try network.add(2, hasPrivateGroup: true)
        let club = try network.joinGroup(0, [1])
        let (account, owner) = (network.nodes[0].account, network.nodes[0].user)
        var entropy = SeededEntropy(seed: 9)
        let lost = DeviceIdentity.create(accountKey: account, from: &entropy)
        let made = DeviceIdentity.create(accountKey: account, from: &entropy)
        let tablet = try #require(lost.certificate(for: made.consent(to: lost.user)))
        for certificate in [lost.certificate, tablet] {
            try network.addDevice(certificate, at: 0)
        }
        #expect(network.command(.revokeDevice(lost.device, accountKey: account), at: 0) == .done)
        let later = try network.joinGroup(0, [1])
        let privateGroup = try #require(network.nodes[0].engine.privateGroup)
        for group in [club, privateGroup, later] {
            let ledger = try #require(network.nodes[0].engine.core.groups[group]?.ledger)
            #expect(ledger.isRevoked(lost.certificate) && !ledger.isRevoked(tablet))
            let words = ledger.revocations(of: owner)
            #expect(!words.isEmpty && words.allSatisfy { $0.keptLinks.count == 1 })
        }
    }

    @Test func `a word that another machine left in the private group reaches the other groups, and takes a cut later`()
        throws
    {
        var network = EngineNetwork()
        try network.add(1, hasPrivateGroup: true)
        try network.add(2, hasPrivateGroup: true)
        let club = try network.joinGroup(0, [1])
        let (account, owner) = (network.nodes[0].account, network.nodes[0].user)
        var entropy = SeededEntropy(seed: 9)
        let lost = DeviceIdentity.create(accountKey: account, from: &entropy)
        try network.addDevice(lost.certificate, at: 0)
        let privateGroup = try #require(network.nodes[0].engine.privateGroup)
        let word = DeviceRevocation(accountKey: account, everywhere: lost.device, accessKeyHash: .zero)
        let source = try #require(network.nodes[0].engine.core.groups[privateGroup]?.ledger)
        let operation = try source.draft(.revokeDevice(word), by: network.nodes[0].identity, at: 1_795_000_000)
        var change = DurableChange()
        _ = try network.nodes[0].engine.core.insert(operation, in: privateGroup, change: &change)
        network.nodes[0].engine.core.tellRevocations(in: privateGroup)
        // Once is enough.
        network.nodes[0].engine.core.tellRevocations(in: privateGroup)
        network.run(for: .seconds(5))
        for node in 0...1 {
            let replica = try #require(network.nodes[node].engine.core.groups[club])
            #expect(replica.ledger.revocations(of: owner).map(\.scope) == [.everyGroup])
            #expect(!replica.state.isCurrentMember(device: lost.device))
            #expect(replica.state.accessKeyHashes.count == 2, "the lost machine had the first")
        }
        let replica = try #require(network.nodes[0].engine.core.groups[club])
        #expect(Set(replica.accessKeys.map(\.hash)) == Set(replica.state.accessKeyHashes))
        #expect(network.command(.revokeDevice(lost.device, accountKey: account), at: 0) == .done)
        let ledger = try #require(network.nodes[0].engine.core.groups[club]?.ledger)
        #expect(ledger.revocations(of: owner).map(\.scope) == [.everyGroup, .group])
    }

    @Test func `no device revokes itself, nor one it does not know, nor by another's account key`() throws {
        var network = EngineNetwork()
        try network.add(1, hasPrivateGroup: true)
        try network.add(2, hasPrivateGroup: true)
        let (account, own) = (network.nodes[0].account, network.nodes[0].identity.device)
        var entropy = SeededEntropy(seed: 9)
        let spare = DeviceIdentity.create(accountKey: account, from: &entropy)
        let unknown = DeviceIdentity.create(accountKey: account, from: &entropy).device
        try network.addDevice(spare.certificate, at: 0)
        let cases: [(DeviceID, SigningSecretKey, LedgerError)] = [
            (own, account, .invalidRevocation), (spare.device, network.nodes[1].account, .invalidRevocation),
            (unknown, account, .refused(.unknownDevice(unknown))),
        ]
        for (device, key, reason) in cases {
            let outcome = network.command(.revokeDevice(device, accountKey: key), at: 0)
            #expect(outcome == .failed(.notAllowed(reason)))
        }
        let state = try #require(network.nodes[0].engine.privateGroup.flatMap { network.nodes[0].engine.state(of: $0) })
        #expect(state.isCurrentMember(device: own) && state.isCurrentMember(device: spare.device))
    }

    @Test func `a group whose ledger is full does not keep others from shutting the machine out`() throws {
        var network = EngineNetwork()
        try network.add(1, hasPrivateGroup: true)
        try network.add(2, hasPrivateGroup: true)
        let clubs = try [network.joinGroup(0, [1]), network.joinGroup(0, [1])].sorted()
        var entropy = SeededEntropy(seed: 9)
        let (owner, account) = (network.nodes[0].identity, network.nodes[0].account)
        let lost = DeviceIdentity.create(accountKey: account, from: &entropy)
        try network.addDevice(lost.certificate, at: 0)
        // Node 0 has used up its operations in the first club.
        var full = try #require(network.nodes[0].engine.core.groups[clubs[0]]?.ledger)
        var change = DurableChange()
        while let operation = try? full.draft(.rename("Again"), unchecked: owner),  // nil at the limit
            (try? full.insert(operation)) != nil
        {
            _ = try network.nodes[0].engine.core.insert(operation, in: clubs[0], change: &change)
        }
        #expect(throws: LedgerError.self) { try full.draft(.rename("Once more"), by: owner, at: 1_795_000_000) }
        #expect(
            network.command(.revokeDevice(lost.device, accountKey: account), at: 0) == .refusedBy([clubs[0]]))
        let engine = network.nodes[0].engine
        let privateGroup = try #require(engine.privateGroup)
        #expect(engine.state(of: clubs[0])?.isCurrentMember(device: lost.device) == true)
        for group in [clubs[1], privateGroup] {
            #expect(engine.state(of: group)?.isCurrentMember(device: lost.device) == false)
        }
        #expect(engine.core.groups[privateGroup]?.ledger.isRevokedEverywhere(lost.device, of: owner.user) == true)
    }
}
