import StreakCrypto
import StreakMembership
import StreakWire
import Testing

/// Attacks by a member, a former member or a stranger.
struct AttackTests {
    let olga = Person(1), adam = Person(2), bob = Person(4), eve = Person(5), mallory = Person(6)

    @Test func `a removed member's operations with old parents do not count`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(mallory, bob)
        let invite = try group.invite(by: olga)
        let before = group.ledger.heads
        let last = try group.perform(
            .invite(group.freshSecrets().terms(maximumUses: 0, expiresAt: TestGroup.now + 9)),
            by: mallory.identity)
        let cut = group.removal(of: mallory, upTo: last.id)
        try group.perform(cut, by: olga.identity)
        let expected = group.ledger.state
        let counting = group.ledger.countingTips
        let continued = try group.signed(
            .admit(group.claim(eve.identity, invite)), by: mallory.identity, parents: before, after: last)
        let forked = try group.signed(
            .admit(group.claim(eve.identity, invite)), by: mallory.identity, parents: before, after: nil)
        group.ledger = try inserting([continued, forked], into: group.ledger)
        #expect(group.ledger.state == expected)
        #expect(group.ledger.countingTips == counting, "void operations are not in the digest")
        #expect(group.ledger.state.invite(last.id) != nil, "what the cut leaves goes on counting")
    }

    @Test func `nobody makes somebody else's device their own`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(mallory)
        // Mallory's account signs for the owner's device, with the consent that the device gave its own account.
        let theirs = olga.identity.certificate.encoded()
        var statement = WireWriter()
        statement.write(UInt8(1))
        statement.write(mallory.user)
        statement.write(mallory.user)
        statement.writeRaw(theirs[34..<98])
        var writer = WireWriter()
        writer.writeRaw(theirs.prefix(1))
        writer.write(mallory.user)
        writer.writeRaw(theirs[33..<98])
        writer.writeRaw(
            mallory.accountKey.signature(for: SigningContext.certificate.prefix + statement.bytes).rawBytes)
        writer.writeRaw(theirs[162...])
        let claimed = try DeviceCertificate(decoding: writer.bytes)
        #expect(claimed.device == olga.device && claimed.user == mallory.user && !claimed.isValid())
        let published = try group.signed(
            .addDevice(claimed), by: mallory.identity, parents: group.ledger.heads,
            after: group.last(of: mallory.device))
        #expect(throws: LedgerError.invalidCertificate) { try group.ledger.insert(published) }
        // With its consent it would be one.
        let own = DeviceCertificate(accountKey: mallory.accountKey, device: mallory.identity.consent(to: mallory.user))
        #expect(own.isValid() && own == mallory.identity.certificate)
    }

    @Test func `a cut excludes what its author has seen`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(mallory)
        let invite = try group.invite(by: mallory)
        try group.admit(eve, by: mallory, under: invite)
        #expect(group.has(eve))
        try group.perform(group.removal(of: mallory, upTo: nil), by: olga.identity)
        #expect(!group.has(mallory) && !group.has(eve))
    }

    @Test func `the owner annuls an admin's false removal by demoting with a cut`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(mallory, bob)
        try group.promote(mallory)
        try group.perform(group.removal(of: bob, upTo: nil), by: mallory.identity)
        #expect(!group.has(bob))
        let cut = DeviceCut(device: mallory.device, lastOperation: OperationID(bytes: .zero), feeds: [])
        try group.perform(
            .setRole(RoleChange(user: mallory.user, change: .member, cuts: [cut])), by: olga.identity)
        #expect(group.has(bob) && group.has(mallory))
        #expect(group.ledger.state.role(of: mallory.user) == .member)
    }

    @Test func `a demoted admin removes nobody with last month's parents`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(mallory, bob)
        try group.promote(mallory)
        let whileAdmin = group.ledger.heads
        try group.perform(group.demotion(of: mallory), by: olga.identity)
        let removal = try group.signed(
            group.removal(of: bob, upTo: nil), by: mallory.identity, parents: whileAdmin, after: nil)
        _ = try group.ledger.insert(removal)
        #expect(group.has(bob))
        #expect(group.ledger.refusal(of: removal.id) == .needsAdmin)
    }

    @Test func `an admin who left has no powers back by leaving again`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(mallory, bob)
        try group.promote(mallory)
        let asAdmin = group.ledger.heads
        let cuts = group.ledger.cuts(of: mallory.user) { _ in [] }
        let leave = try group.perform(.leave(Departure(erases: false, cuts: cuts)), by: mallory.identity)
        let removal = try group.signed(
            group.removal(of: bob, upTo: nil), by: mallory.identity, parents: asAdmin, after: leave)
        let cut = DeviceCut(device: mallory.device, lastOperation: removal.id, feeds: [])
        let again = try group.signed(
            .leave(Departure(erases: false, cuts: [cut])), by: mallory.identity, parents: [], after: removal)
        group.ledger = try inserting([removal, again], into: group.ledger)
        #expect(group.has(bob))
    }

    @Test func `a member's departure does not undo the admissions it made`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(mallory)
        let invite = try group.invite(by: mallory)
        try group.admit(eve, by: mallory, under: invite)
        let forked = try group.signed(
            .leave(Departure(erases: true, cuts: [])), by: mallory.identity,
            parents: [try #require(group.ledger.operations(from: olga.device, after: 0).last).id], after: nil)
        _ = try group.ledger.insert(forked)
        #expect(!group.has(mallory) && group.has(eve))
    }

    @Test func `an owner who had the group back from an heir hands it on`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(adam, bob)
        func transfer(to person: Person, from owner: Person) -> OperationBody {
            .transfer(Transfer(newOwner: person.user, cuts: group.ledger.cuts(of: owner.user) { _ in [] }))
        }
        try group.perform(.setRole(RoleChange(user: adam.user, change: .heir)), by: olga.identity)
        try group.perform(transfer(to: adam, from: olga), by: adam.identity)
        try group.perform(.rename("Adam's"), by: adam.identity)
        try group.perform(transfer(to: olga, from: adam), by: adam.identity)
        try group.perform(transfer(to: bob, from: olga), by: olga.identity)
        #expect(group.ledger.state.owner == bob.user)
        #expect(group.ledger.state.title == "Adam's", "the heir's time stands")
    }

    @Test func `a former owner's powers end with the transfer, whatever parents it claims`() throws {
        var group = try TestGroup(founder: mallory)
        try group.admit(adam, bob)
        let asOwner = group.ledger.heads
        let cuts = group.ledger.cuts(of: mallory.user) { _ in [] }
        let transfer = try group.perform(
            .transfer(Transfer(newOwner: adam.user, cuts: cuts)), by: mallory.identity)
        let removal = try group.signed(
            group.removal(of: bob, upTo: nil), by: mallory.identity, parents: asOwner, after: transfer)
        _ = try group.ledger.insert(removal)
        #expect(group.has(bob))
        let forked = try group.signed(
            group.removal(of: adam, upTo: nil), by: mallory.identity, parents: asOwner,
            after: group.ledger.operations(from: mallory.device, after: 0).first)
        _ = try group.ledger.insert(forked)
        #expect(group.ledger.state.owner == adam.user)
        #expect(group.has(adam) && group.has(bob))
    }

    @Test func `a stolen device's operations past its revocation do not count, nor do its certificates`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(bob, adam)
        let stolen = bob.anotherDevice(80, certifiedBy: bob.identity)
        try group.perform(.addDevice(stolen.certificate), by: bob.identity)
        let before = group.ledger.heads
        let revocation = DeviceRevocation(
            accountKey: bob.accountKey, group: group.ledger.group,
            cut: DeviceCut(device: stolen.device, lastOperation: OperationID(bytes: .zero), feeds: []),
            accessKeyHash: group.freshHash())
        try group.perform(.revokeDevice(revocation), by: bob.identity)
        let expected = group.ledger.state.members
        let thief = bob.anotherDevice(81, certifiedBy: stolen)
        let adds = try group.signed(.addDevice(thief.certificate), by: stolen, parents: before, after: nil)
        let leaves = try group.signed(
            .leave(Departure(erases: true, cuts: [])), by: thief, parents: [adds.id], after: nil)
        group.ledger = try inserting([adds, leaves], into: group.ledger)
        #expect(group.ledger.state.members == expected)
        #expect(group.ledger.state.erasedUsers.isEmpty)
        #expect(!group.ledger.state.isCurrentMember(device: thief.device))
    }

    @Test func `a stolen owner's device hands nothing on once revoked`() throws {
        var group = try TestGroup(founder: olga)
        let laptop = olga.anotherDevice(82, certifiedBy: olga.identity)
        try group.admit(mallory)
        try group.perform(.addDevice(laptop.certificate), by: olga.identity)
        let before = group.ledger.heads
        let stolen = try group.signed(
            .transfer(Transfer(newOwner: mallory.user, cuts: [])), by: laptop, parents: before, after: nil)
        _ = try group.ledger.insert(stolen)
        #expect(group.ledger.state.owner == mallory.user)
        let revocation = DeviceRevocation(
            accountKey: olga.accountKey, group: group.ledger.group,
            cut: DeviceCut(device: laptop.device, lastOperation: OperationID(bytes: .zero), feeds: []),
            accessKeyHash: group.freshHash())
        try group.perform(.revokeDevice(revocation), by: olga.identity)
        #expect(group.ledger.state.owner == olga.user)
    }

    @Test func `only the account key revokes`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(bob)
        let cut = DeviceCut(device: bob.device, lastOperation: OperationID(bytes: .zero), feeds: [])
        let forged = DeviceRevocation(
            accountKey: mallory.accountKey, group: group.ledger.group, cut: cut, accessKeyHash: .zero)
        let operation = try group.signed(
            .revokeDevice(forged), by: bob.identity, parents: group.ledger.heads, after: nil)
        #expect(throws: LedgerError.invalidRevocation) { _ = try group.ledger.insert(operation) }
    }

    @Test func `a proof serves no other key and no other handshake`() throws {
        var group = try TestGroup(founder: olga)
        let invite = try group.invite(by: olga)
        let proof = group.claim(eve.identity, invite).proof
        let stolen = JoinClaim(invite: invite.id, certificate: mallory.identity.certificate, proof: proof)
        #expect(throws: LedgerError.invalidProof) {
            _ = try group.ledger.admission(of: stolen, by: olga.identity, at: TestGroup.now)
        }
        #expect(throws: LedgerError.invalidProof) {
            _ = try group.ledger.admission(
                of: group.claim(eve.identity, invite), overHandshake: [UInt8](repeating: 8, count: 64),
                by: olga.identity, at: TestGroup.now)
        }
        let forged = try group.signed(
            .admit(stolen), by: olga.identity, parents: group.ledger.heads, after: group.last(of: olga.device))
        #expect(throws: LedgerError.invalidProof) { _ = try group.ledger.insert(forged) }
    }

    @Test func `a proof is valid for no other invite, so nobody is admitted again by an old request`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(mallory)
        let (first, second) = (try group.invite(by: olga), try group.invite(by: mallory))
        let (asked, mixed) = (group.claim(eve.identity, first).proof, group.claim(eve.identity, second).proof)
        var wire = WireWriter()
        wire.writeRaw(mixed.handshakeHash)
        wire.writeRaw(mixed.inviteSignature.rawBytes)
        wire.writeRaw(asked.deviceSignature.rawBytes)
        var reader = WireReader(wire.bytes)
        let claim = JoinClaim(
            invite: second.id, certificate: eve.identity.certificate, proof: try JoinProof(from: &reader))
        #expect(throws: LedgerError.invalidProof) {
            _ = try group.ledger.admission(of: claim, by: mallory.identity, at: TestGroup.now)
        }
    }

    @Test func `nobody is admitted who has not asked`() throws {
        var group = try TestGroup(founder: olga)
        let invite = try group.invite(by: olga)
        var wire = WireWriter()
        group.claim(eve.identity, invite).proof.write(to: &wire)
        // The invite key's signature is valid, but another device signed for the newcomer.
        let bytes = wire.bytes.dropLast(64) + mallory.identity.signingKey.signature(for: [0]).rawBytes
        var reader = WireReader(Array(bytes))
        let claim = JoinClaim(
            invite: invite.id, certificate: eve.identity.certificate, proof: try JoinProof(from: &reader))
        #expect(throws: LedgerError.invalidProof) {
            _ = try group.ledger.admission(of: claim, by: olga.identity, at: TestGroup.now)
        }
    }

    @Test func `an admission with another account's certificate is refused`() throws {
        var group = try TestGroup(founder: olga)
        let invite = try group.invite(by: olga)
        var bytes = eve.identity.certificate.encoded()
        bytes[5] ^= 1
        let claim = JoinClaim(
            invite: invite.id, certificate: try DeviceCertificate(decoding: bytes),
            proof: group.claim(eve.identity, invite).proof)
        #expect(throws: LedgerError.invalidCertificate) {
            _ = try group.ledger.admission(of: claim, by: olga.identity, at: TestGroup.now)
        }
    }

    @Test func `a stranger's operations do not enter`() throws {
        var group = try TestGroup(founder: olga)
        let operation = try group.signed(.rename("Mine"), by: mallory.identity, parents: group.ledger.heads, after: nil)
        #expect(throws: LedgerError.unknownAuthor(mallory.device)) { _ = try group.ledger.insert(operation) }
        #expect(throws: LedgerError.unknownAuthor(mallory.device)) {
            _ = try group.ledger.draft(.rename("Mine"), by: mallory.identity, at: TestGroup.now)
        }
    }

    @Test func `an operation altered on its way is refused`() throws {
        var group = try TestGroup(founder: olga)
        var bytes = try group.ledger.draft(.rename("Ours"), by: olga.identity, at: TestGroup.now).bytes
        bytes[bytes.count - 66] ^= 1
        let altered = try SignedOperation(decoding: bytes)
        #expect(throws: LedgerError.invalidSignature) { _ = try group.ledger.insert(altered) }
    }

    @Test func `a cut may only name an ancestor of its own device`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(bob)
        let foreign = group.removal(of: bob, upTo: group.last(of: olga.device)?.id)
        #expect(throws: LedgerError.invalidCut(bob.device)) { try group.perform(foreign, by: olga.identity) }
    }

    @Test func `of a device that equivocates both branches count, and a cut keeps one of them`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(mallory)
        let heads = group.ledger.heads
        let branches = try (0..<2).map { _ in
            try group.signed(
                .invite(group.freshSecrets().terms(maximumUses: 0, expiresAt: TestGroup.now + 9)),
                by: mallory.identity, parents: heads, after: nil)
        }
        group.ledger = try inserting(branches, into: group.ledger)
        #expect(group.ledger.tips.count { $0.device == mallory.device } == 2)
        #expect(group.ledger.state.invites.count == 3)
        try group.perform(group.removal(of: mallory, upTo: branches[1].id), by: olga.identity)
        #expect(group.ledger.state.invite(branches[1].id) != nil)
        #expect(group.ledger.state.invite(branches[0].id) == nil)
        #expect(group.ledger.countingTips.filter { $0.device == mallory.device }.map(\.operation) == [branches[1].id])
    }

    @Test(arguments: [false, true])
    func `a chain forked forty times does not keep anybody from being removed or shut out`(isOwn: Bool) throws {
        var group = try TestGroup(founder: olga)
        try group.admit(mallory)
        let stolen = isOwn ? olga.anotherDevice(77) : mallory.identity
        if isOwn { try group.perform(.addDevice(stolen.certificate), by: olga.identity) }
        let heads = group.ledger.heads
        let end = isOwn ? nil : group.last(of: stolen.device)
        let forks = try (0..<40).map { _ in
            try group.signed(
                .invite(group.freshSecrets().terms(maximumUses: 0, expiresAt: TestGroup.now + 9)), by: stolen,
                parents: heads, after: end)
        }
        group.ledger = try inserting(forks, into: group.ledger)
        #expect(group.ledger.tips.count { $0.device == stolen.device } == 40)
        if isOwn {
            let cut = DeviceCut(
                device: stolen.device, lastOperation: group.ledger.longestTip(of: stolen.device) ?? .none, feeds: [])
            try group.perform(
                .revokeDevice(
                    DeviceRevocation(
                        accountKey: olga.accountKey, group: group.ledger.group, cut: cut,
                        accessKeyHash: group.freshHash())), by: olga.identity)
            #expect(group.ledger.state.device(stolen.device)?.isCurrent == false)
        } else {
            try group.perform(group.removal(of: mallory), by: olga.identity)
            #expect(!group.has(mallory))
        }
    }

    @Test func `a newcomer refuses a ledger without its invite, inviter or responder`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(adam, bob)
        let before = group.ledger
        let invite = try group.invite(by: adam)
        func link(_ identity: DeviceIdentity, _ ledger: GroupID) -> InviteLink {
            InviteLink(
                seed: invite.secrets.seed, group: ledger, expiresAt: TestGroup.now + 1_000, title: "Friends",
                addresses: [], identity: identity)
        }
        let good = link(adam.identity, group.ledger.group)
        try group.ledger.verifyInvitation(link: good, admittedBy: bob.device)
        #expect(throws: InvitationError.inviteMissing) {
            try before.verifyInvitation(link: good, admittedBy: bob.device)
        }
        #expect(throws: InvitationError.inviteOfAnother(adam.device)) {
            let other = link(mallory.identity, group.ledger.group)
            try group.ledger.verifyInvitation(link: other, admittedBy: bob.device)
        }
        #expect(throws: InvitationError.responderNotMember) {
            try group.ledger.verifyInvitation(link: good, admittedBy: mallory.device)
        }
        #expect(throws: InvitationError.newcomerNotMember) {
            try group.ledger.verifyInvitation(link: good, admittedBy: bob.device, admitting: eve.device)
        }
        try group.admit(eve, by: bob, under: invite)
        try group.ledger.verifyInvitation(link: good, admittedBy: bob.device, admitting: eve.device)
        try group.perform(group.removal(of: adam), by: olga.identity)
        #expect(throws: InvitationError.inviterNotMember) {
            try group.ledger.verifyInvitation(link: good, admittedBy: bob.device)
        }
        let elsewhere = link(adam.identity, GroupID(bytes: .zero))
        #expect(throws: InvitationError.otherGroup(group.ledger.group)) {
            try group.ledger.verifyInvitation(link: elsewhere, admittedBy: bob.device)
        }
    }

    @Test func `a stale ledger shown to a newcomer by a former member is noticed`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(mallory)
        let stale = group.ledger
        try group.perform(group.removal(of: mallory), by: olga.identity)
        let invite = try group.invite(by: olga)
        let link = InviteLink(
            seed: invite.secrets.seed, group: group.ledger.group, expiresAt: TestGroup.now + 1_000, title: "Friends",
            addresses: [], identity: olga.identity)
        #expect(throws: InvitationError.inviteMissing) {
            try stale.verifyInvitation(link: link, admittedBy: mallory.device)
        }
        // Showing everything, or admitting the newcomer itself, does not help either.
        #expect(throws: InvitationError.responderNotMember) {
            try group.ledger.verifyInvitation(link: link, admittedBy: mallory.device)
        }
        let admission = try group.signed(
            .admit(group.claim(eve.identity, invite)), by: mallory.identity, parents: group.ledger.heads, after: nil)
        _ = try group.ledger.insert(admission)
        #expect(throws: InvitationError.newcomerNotMember) {
            try group.ledger.verifyInvitation(link: link, admittedBy: olga.device, admitting: eve.device)
        }
    }

    @Test func `expired invites and those who are in are refused by the admitter`() throws {
        var group = try TestGroup(founder: olga)
        let invite = try group.invite(by: olga)
        try group.admit(bob, by: olga, under: invite)
        #expect(throws: LedgerError.refused(.alreadyMember(bob.user))) {
            try group.admit(bob, by: olga, under: invite)
        }
        let expiry = TestGroup.now + 1_000
        #expect(throws: LedgerError.refused(.inviteExpired(expiresAt: expiry))) {
            _ = try group.ledger.admission(of: group.claim(eve.identity, invite), by: olga.identity, at: expiry)
        }
        let unknown = (id: OperationID(bytes: .zero), secrets: invite.secrets)
        #expect(throws: LedgerError.refused(.unknownInvite)) { try group.admit(eve, by: olga, under: unknown) }
    }
}
