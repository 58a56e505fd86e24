import StreakCrypto
import StreakLinks
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine
@testable import StreakMembership

/// What a stolen machine can do to the account's others before it is shut out, and what that leaves.
struct StolenMachineTests {
    private func isIn(_ node: Int, _ group: GroupID, _ household: Household) -> Bool {
        household.network.nodes[node].engine.isMember(of: group)
    }

    @Test func `a machine that a thief has certified once more still gets the groups of its account`() throws {
        var household = try Household(seed: 51)
        let stolen = try household.linkMachine(to: 1)
        let honest = try household.linkMachine(to: 1)
        household.network.run(for: .seconds(30))
        let (thief, own) = (household.network.nodes[stolen].identity, household.network.nodes[honest].identity)
        let certificate = try #require(thief.certificate(for: own.consent(to: own.user)))
        try household.network.corrupt(stolen) { engine in
            for group in engine.core.groups.keys { try engine.core.append([.addDevice(certificate)], to: group) }
        }
        household.network.begin(.dialEveryone, at: stolen)
        household.network.run(for: .seconds(10))
        let group = try #require(household.privateGroup(of: 1))
        try #require(
            household.network.nodes[1].engine.state(of: group)?.device(own.device)?.certificate == certificate)
        let (account, device) = (household.network.nodes[1].account, thief.device)
        for title in ["Before", "After"] {
            let group = try #require(household.network.command(.foundGroup(title: title), at: 1).flatMap(\.group))
            household.network.run(for: .seconds(30))
            #expect(isIn(honest, group, household))
            if title == "Before" {
                #expect(household.network.command(.revokeDevice(device, accountKey: account), at: 1) == .done)
            }
        }
        let engine = household.network.nodes[1].engine
        #expect(engine.isGivenUp(thief.certificate) && !engine.isGivenUp(certificate))
    }

    @Test func `however many machines a thief made up elsewhere, those in the private group are kept`() throws {
        var household = try Household(seed: 49)
        let stolen = try household.linkMachine(to: 1)
        let honest = try household.linkMachine(to: stolen)
        household.network.run(for: .seconds(30))
        let (own, thief) = (household.network.nodes[1].identity, household.network.nodes[stolen].identity)
        let kept = household.network.nodes[honest].identity.certificate
        let name = try #require(kept.linkName(after: thief.device))
        // Six groups with six machines each, whose links have names before that of the honest machine: more than one
        // revocation can keep. There is no room in them for the honest one.
        var entropy = SeededEntropy(seed: 50)
        var groups: [GroupID] = []
        for _ in 0..<6 {
            let key = AccessKey.generate(from: &entropy)
            let founding = try Ledger.found(
                title: "Made up", identity: thief, accessKey: key, at: 1, entropy: &entropy)
            var ledger = try Ledger(founding: founding)
            var certificates = [own.certificate]
            while certificates.count < 7 {
                let made = DeviceIdentity.create(accountKey: household.network.nodes[1].account, from: &entropy)
                let certificate = try #require(thief.certificate(for: made.consent(to: thief.user)))
                if try #require(certificate.linkName(after: thief.device)) < name { certificates.append(certificate) }
            }
            for certificate in certificates {
                _ = try ledger.insert(ledger.draft(.addDevice(certificate), by: thief, at: 2))
            }
            household.network.say(
                [
                    .welcome(group: ledger.group, accessKeys: [key.key.rawBytes()]),
                    .operations(GroupHandle(ledger.group), ledger.allOperations.map(\.bytes), isFinal: true),
                ], from: stolen, to: 1)
            groups.append(ledger.group)
        }
        for group in groups { try #require(isIn(1, group, household) && !isIn(honest, group, household)) }
        household.network.nodes[stolen].isOn = false
        let account = household.network.nodes[1].account
        #expect(household.network.command(.revokeDevice(thief.device, accountKey: account), at: 1) == .done)
        household.network.run(for: .seconds(10))
        #expect(household.network.nodes[1].engine.isGivenUp(thief.certificate))
        for node in [1, honest] { #expect(!household.network.nodes[node].engine.isGivenUp(kept)) }
        #expect(isIn(honest, household.club, household))
    }

    @Test func `a stolen machine that is also in a group as another account's is shut out there for its own`() throws {
        var household = try Household(seed: 52)
        let stolen = try household.linkMachine(to: 1)
        household.network.run(for: .seconds(30))
        let (thief, user) = (household.network.nodes[stolen].identity, household.network.nodes[1].user)
        let (account, club) = (household.network.nodes[1].account, household.club)
        #expect(household.network.command(.setRole(club, user, .admin), at: 0) == .done)
        household.network.run(for: .seconds(5))
        // Of two accounts of one device, the smaller one counts.
        var entropy = SeededEntropy(seed: 53)
        var other = SigningSecretKey.generate(from: &entropy)
        while UserID(other.publicKey) > user { other = SigningSecretKey.generate(from: &entropy) }
        let consent = thief.consent(to: UserID(other.publicKey))
        let made = try #require(
            DeviceIdentity(
                certificate: DeviceCertificate(accountKey: other, device: consent), signingKey: thief.signingKey,
                linkKey: thief.linkKey))
        let secrets = InviteSecrets.generate(from: &entropy)
        let time = household.network.wallTime.seconds
        try household.network.corrupt(stolen) { engine in
            let terms = secrets.terms(maximumUses: 0, expiresAt: time + 600)
            try engine.core.append([.invite(terms)], to: club)
            let invite = try #require(engine.core.groups[club]?.state.invites.first { $0.terms == terms })
            let proof = JoinProof(
                inviteKey: secrets.inviteKey, group: club, identity: made,
                handshakeHash: [UInt8](repeating: 0, count: 64))
            let claim = JoinClaim(invite: invite.id, certificate: made.certificate, proof: proof)
            try engine.core.append([.admit(claim)], to: club)
        }
        household.network.begin(.dialEveryone, at: stolen)
        household.network.run(for: .seconds(5))
        try #require(household.network.nodes[1].engine.state(of: club)?.device(thief.device)?.user != user)
        household.network.isCut = { $0 == stolen || $1 == stolen }
        #expect(household.network.nodes[1].engine.isStillIn(thief.device, club))
        #expect(household.network.command(.revokeDevice(thief.device, accountKey: account), at: 1) == .done)
        #expect(!household.network.nodes[1].engine.isStillIn(thief.device, club))
        try household.network.corrupt(stolen) { try $0.core.append([.rename("Stolen")], to: club) }
        household.network.isCut = { _, _ in false }
        household.network.run(for: .seconds(130))
        for node in 0...1 {
            let replica = try #require(household.network.nodes[node].engine.core.groups[club])
            #expect(replica.state.title == "Club" && replica.ledger.hasRevoked(thief.device, by: user))
        }
        let core = household.network.nodes[1].engine.core
        for link in core.sessions.keys where core.sessions[link]?.key == thief.linkKey.publicKey {
            #expect(core.access(of: link, in: club).isSubset(of: .proofs))
        }
    }

    @Test func `a machine that hears one revocation in the middle of an exchange asks for the rest`() throws {
        var household = try Household(seed: 48)
        let stolen = try household.linkMachine(to: 1)
        let honest = try household.linkMachine(to: stolen)
        household.network.run(for: .seconds(30))
        household.network.nodes[stolen].isOn = false
        let (account, user) = (household.network.nodes[1].account, household.network.nodes[1].user)
        let device = household.network.nodes[stolen].identity.device
        let group = try #require(household.privateGroup(of: honest))
        let replica = try #require(household.network.nodes[1].engine.core.groups[group])
        let links = replica.ledger.keptLinks(revoking: device, of: user)
        let cut = try #require(DeviceCut.fitting([replica.cut(of: device)]).first)
        try #require(household.isOne([1, stolen, honest]) && links.count == 1)
        // One keeps nothing, the other one keeps the link. Both are at machine 1; only the first comes unasked.
        let operations = try [[], links].map { kept in
            let revocation = DeviceRevocation(
                accountKey: account, group: group, cut: cut, keeping: kept,
                accessKeyHash: AccessKey.generate(from: &household.network.entropy).hash)
            let operation = try household.network.nodes[1].engine.core.groups[group]?.ledger
                .draft(.revokeDevice(revocation), by: household.network.nodes[1].identity, at: 1_795_000_000)
            var change = DurableChange()
            _ = try household.network.nodes[1].engine.core.insert(try #require(operation), in: group, change: &change)
            return try #require(operation)
        }
        let digest = try #require(household.network.nodes[1].engine.digest(of: group))
        let key = household.network.nodes[honest].identity.linkKey.publicKey
        household.network.corrupt(1) { engine in
            for link in engine.core.sessions.keys where engine.core.sessions[link]?.key == key {
                engine.sync.sendDigest(of: group, over: link, core: &engine.core)
            }
        }
        household.network.say(
            .operations(GroupHandle(group), [operations[0].bytes], isFinal: false), from: 1, to: honest)
        household.network.run(for: .seconds(2))
        #expect(household.network.nodes[honest].engine.isMember(of: group))
        #expect(household.network.nodes[honest].engine.digest(of: group) == digest)
    }
}
