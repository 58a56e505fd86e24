import StreakCrypto
import StreakMembership
import StreakWire
import Testing

/// A stolen device and its revocation: in the groups that knew it, and in later ones.
struct RevocationTests {
    let olga = Person(1), bob = Person(4), eve = Person(5), mallory = Person(6)

    /// Bob's phone certified his laptop, and the laptop is stolen.
    private var stolen: DeviceIdentity { bob.anotherDevice(80, certifiedBy: bob.identity) }

    private func everywhere(keeping kept: [Bytes32] = []) -> DeviceRevocation {
        DeviceRevocation(
            accountKey: bob.accountKey, everywhere: stolen.device, keeping: kept, accessKeyHash: Bytes32(8, 8, 8, 8))
    }

    // MARK: Groups that come later

    @Test func `a group of later learns of a device that it never knew`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(bob)
        try group.perform(.revokeDevice(everywhere()), by: bob.identity)
        #expect(group.ledger.refusedCount == 0)
        #expect(group.ledger.isRevoked(stolen.certificate))
        // Nobody admits it: not as a newcomer, not as a device of its account, and not a device that it certified.
        let invite = try group.invite(by: olga)
        let thief = bob.anotherDevice(81, certifiedBy: stolen)
        let attempts = [
            try group.signed(
                .admit(group.claim(stolen, invite)), by: olga.identity, parents: group.ledger.heads,
                after: group.last(of: olga.device)),
            try group.signed(
                .addDevice(stolen.certificate), by: bob.identity, parents: group.ledger.heads,
                after: group.last(of: bob.device)),
        ]
        group.ledger = try inserting(attempts, into: group.ledger)
        let certified = try group.signed(
            .addDevice(thief.certificate), by: stolen, parents: group.ledger.heads, after: nil)
        let renamed = try group.signed(
            .invite(group.freshSecrets().terms(maximumUses: 0, expiresAt: TestGroup.now + 9)), by: thief,
            parents: [certified.id], after: nil)
        group.ledger = try inserting([certified, renamed], into: group.ledger)
        let word = try #require(group.ledger.operations(from: bob.device, after: 0).first).id
        #expect(group.ledger.refusal(of: attempts[0].id) == .certificateRevoked(by: word))
        #expect(group.ledger.refusal(of: certified.id) == .authorRevoked(by: word))
        #expect(group.ledger.refusal(of: renamed.id) == .authorRevoked(by: word))
        for device in [stolen.device, thief.device] {
            #expect(!group.ledger.state.isCurrentMember(device: device))
            let epoch = Epoch(counter: 1, nonce: 1)
            #expect(group.ledger.state.feedLimit(device: device, epoch: epoch) == .nothing, "no record counts")
        }
        #expect(group.has(bob))
    }

    @Test func `a thief who joined a group as its owner has no place there once the account is heard`() throws {
        var group = try TestGroup(founder: olga)
        let invite = try group.invite(by: olga)
        let admission = try group.perform(.admit(group.claim(stolen, invite)), by: olga.identity)
        #expect(group.has(bob), "nobody here can know")
        // Bob comes with his phone, certified by the account key, and passes the revocation on.
        try group.perform(.addDevice(bob.identity.certificate), by: bob.identity)
        let word = try group.signed(
            .revokeDevice(everywhere()), by: bob.identity, parents: group.ledger.heads,
            after: group.last(of: bob.device))
        _ = try group.ledger.insert(word)
        #expect(!group.ledger.state.isCurrentMember(device: stolen.device))
        #expect(group.ledger.refusal(of: admission.id) == nil, "it was let in before")
        #expect(group.has(bob) && group.ledger.state.isCurrentMember(device: bob.device))
    }

    @Test func `a group founded by a thief has no owner's word from it`() throws {
        let founder = Person(7)
        let laptop = founder.anotherDevice(70, certifiedBy: founder.identity)
        var entropy = SeededEntropy(seed: 3)
        let founding = try Ledger.found(
            title: "Bait", identity: laptop, accessKey: AccessKey.generate(from: &entropy), at: TestGroup.now,
            entropy: &entropy)
        var ledger = try Ledger(founding: founding)
        _ = try ledger.insert(ledger.draft(.addDevice(founder.identity.certificate), by: founder.identity, at: 0))
        let word = DeviceRevocation(
            accountKey: founder.accountKey, everywhere: laptop.device, accessKeyHash: Bytes32(8, 8, 8, 8))
        _ = try ledger.insert(ledger.draft(.revokeDevice(word), by: founder.identity, at: 0))
        #expect(!ledger.state.isCurrentMember(device: laptop.device))
        #expect(throws: LedgerError.self) { _ = try ledger.draft(.rename("Mine"), by: laptop, at: 0) }
    }

    // MARK: Two revocations of one device

    @Test(arguments: [[0, 1], [1, 0]])
    func `a group's own cut wins over the word for every group, whichever comes first`(order: [Int]) throws {
        var group = try TestGroup(founder: olga)
        try group.admit(bob)
        try group.perform(.addDevice(stolen.certificate), by: bob.identity)
        let feed = FeedCut(
            epoch: Epoch(counter: 1, nonce: 1), number: 9, hash: ChainHash(bytes: .zero),
            signature: stolen.signingKey.signature(for: [1]))
        // Seven hashes, so that either revocation may have the smaller one.
        for salt in 0..<7 as Range<UInt64> {
            let own = DeviceRevocation(
                accountKey: bob.accountKey, group: group.ledger.group,
                cut: DeviceCut(device: stolen.device, lastOperation: .none, feeds: [feed]),
                accessKeyHash: Bytes32(1, 1, 1, salt))
            let parents = group.ledger.heads
            let words = [
                try group.signed(.revokeDevice(own), by: bob.identity, parents: parents, after: nil),
                try group.signed(
                    .revokeDevice(everywhere().naming(accessKeyHash: Bytes32(2, 2, 2, salt))), by: olga.identity,
                    parents: parents, after: group.last(of: olga.device)),
            ]
            // Only the account's own devices may pass its revocation on.
            #expect(throws: LedgerError.invalidRevocation) { _ = try inserting([words[1]], into: group.ledger) }
            let passedOn = try group.signed(
                .revokeDevice(everywhere().naming(accessKeyHash: Bytes32(2, 2, 2, salt))), by: stolen,
                parents: parents, after: nil)
            let ledger = try inserting(order.map { [words[0], passedOn][$0] }, into: group.ledger)
            let state = ledger.state
            #expect(state.feedLimit(device: stolen.device, epoch: feed.epoch) == .through(feed))
            #expect(state.device(stolen.device)?.standing == .revoked(by: words[0].id))
        }
    }

    @Test func `what the word for every group took away a cut of the group's own gives back`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(bob)
        try group.perform(.addDevice(stolen.certificate), by: bob.identity)
        let invite = try group.perform(
            .invite(group.freshSecrets().terms(maximumUses: 0, expiresAt: TestGroup.now + 9)), by: stolen)
        try group.perform(.revokeDevice(everywhere()), by: bob.identity)
        #expect(group.ledger.state.invite(invite.id) == nil)
        let own = group.revocation(of: stolen, by: bob, upTo: invite.id, hash: group.freshHash())
        try group.perform(.revokeDevice(own), by: bob.identity)
        #expect(group.ledger.state.invite(invite.id) != nil)
        #expect(throws: LedgerError.refused(.unknownDevice(stolen.device))) {
            try group.perform(.revokeDevice(own), by: bob.identity)
        }
        #expect(throws: LedgerError.refused(.unknownDevice(stolen.device))) {
            try group.perform(.revokeDevice(everywhere()), by: bob.identity)
        }
    }

    @Test func `the word for every group is the account's, and cuts everything`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(bob, mallory)
        let forged = DeviceRevocation(
            accountKey: mallory.accountKey, everywhere: bob.device, accessKeyHash: .zero)
        let other = try group.signed(
            .revokeDevice(forged), by: bob.identity, parents: group.ledger.heads, after: nil)
        #expect(throws: LedgerError.invalidRevocation) { _ = try group.ledger.insert(other) }
        // About another account's device it has no effect.
        _ = try group.perform(.revokeDevice(forged), by: mallory.identity)
        #expect(group.ledger.state.isCurrentMember(device: bob.device))
        // A group's revocation is not valid in another: the scope is signed.
        let narrow = DeviceRevocation(
            accountKey: bob.accountKey, group: group.ledger.group,
            cut: DeviceCut(device: stolen.device, lastOperation: .none, feeds: []), accessKeyHash: .zero)
        var bytes = try group.signed(
            .revokeDevice(narrow), by: bob.identity, parents: group.ledger.heads, after: nil
        ).bytes
        let scopeAt =
            try #require(bytes.indices.first { Array(bytes[$0...].prefix(32)) == stolen.device.bytes.array }) - 1
        bytes[scopeAt] = 1
        let widened = try SignedOperation(decoding: bytes)
        let signed = try SignedOperation(signing: widened.operation, with: bob.identity.signingKey)
        #expect(throws: LedgerError.invalidRevocation) { _ = try group.ledger.insert(signed) }
        bytes[scopeAt] = 2
        #expect(throws: WireError.invalidValue(field: "scope")) { _ = try SignedOperation(decoding: bytes) }
    }

    // MARK: What a stolen device has certified

    @Test func `a thief's device is not made good by a copy of the account's word`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(bob)
        try group.perform(.addDevice(stolen.certificate), by: bob.identity)
        let before = group.ledger.heads
        let own = group.revocation(of: stolen, by: bob, hash: group.freshHash())
        try group.perform(.revokeDevice(own), by: bob.identity)
        let thief = bob.anotherDevice(81, certifiedBy: stolen)
        let add = try group.signed(.addDevice(thief.certificate), by: stolen, parents: before, after: nil)
        // Now the certificate is published before a revocation of its issuer.
        let copies = try [own, everywhere()].map { word in
            try group.signed(.revokeDevice(word), by: thief, parents: group.ledger.heads + [add.id], after: nil)
        }
        group.ledger = try inserting([add] + copies, into: group.ledger)
        #expect(!group.ledger.state.isCurrentMember(device: thief.device))
        #expect(group.ledger.state.member(bob.user)?.devices == [bob.device])
    }

    @Test func `what the account keeps stays good in groups of later too, whatever is published first`() throws {
        let tablet = bob.anotherDevice(82, certifiedBy: stolen)
        var old = try TestGroup(founder: olga)
        try old.admit(bob)
        try old.perform(.addDevice(stolen.certificate), by: bob.identity)
        try old.perform(.addDevice(tablet.certificate), by: stolen)
        let kept = old.ledger.keptLinks(revoking: stolen.device, of: bob.user)
        #expect(kept.count == 1)
        var group = try TestGroup(founder: eve)
        try group.admit(bob)
        try group.perform(.revokeDevice(everywhere(keeping: kept)), by: bob.identity)
        #expect(!group.ledger.isRevoked(tablet.certificate) && group.ledger.isRevoked(stolen.certificate))
        try group.perform(.addDevice(tablet.certificate), by: bob.identity)
        #expect(group.ledger.state.isCurrentMember(device: tablet.device))
        // It may also be the one that comes back.
        let cuts = group.ledger.cuts(of: bob.user) { _ in [] }
        try group.perform(.leave(Departure(erases: false, cuts: cuts)), by: bob.identity)
        let invite = try group.invite(by: eve)
        try group.perform(.admit(group.claim(tablet, invite)), by: eve.identity)
        #expect(group.ledger.state.isCurrentMember(device: tablet.device))
        // Another link key for the same device makes another link, which nobody kept.
        let consent = DeviceConsent(
            user: stolen.user, signingKey: tablet.signingKey, linkKey: mallory.identity.linkKey.publicKey)
        let forged = try #require(stolen.certificate(for: consent))
        #expect(group.ledger.isRevoked(forged))
        let published = try group.signed(
            .addDevice(forged), by: tablet, parents: group.ledger.heads, after: group.last(of: tablet.device))
        _ = try group.ledger.insert(published)
        #expect(group.ledger.state.device(tablet.device)?.linkKey == tablet.linkKey.publicKey)
    }
}
