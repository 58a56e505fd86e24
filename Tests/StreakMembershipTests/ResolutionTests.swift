import StreakCrypto
import StreakMembership
import StreakWire
import Testing

/// The rules of Protocol/membership.md §7, one by one.
struct ResolutionTests {
    let olga = Person(1), adam = Person(2), alma = Person(3), bob = Person(4), eve = Person(5)

    @Test func `a founder is owner and only member`() throws {
        let group = try TestGroup(founder: olga)
        let state = group.ledger.state
        #expect(state.owner == olga.user)
        #expect(state.members.map(\.role) == [.owner])
        #expect(state.title == "Friends")
        #expect(state.isCurrentMember(device: olga.device))
        #expect(state.device(linkKey: olga.identity.linkKey.publicKey)?.user == olga.user)
        #expect(state.accessKeyHashes.count == 1)
    }

    @Test func `an admitted member may invite and admit in turn`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(bob)
        let invite = try group.invite(by: bob, uses: 1)
        try group.admit(eve, by: bob, under: invite)
        #expect(group.has(eve))
        #expect(group.ledger.state.member(eve.user)?.admitter == bob.user)
        #expect(group.ledger.state.invite(invite.id)?.isUsedUp == true)
        #expect(throws: LedgerError.refused(.inviteUsedUp(maximumUses: 1))) {
            try group.admit(alma, by: bob, under: invite)
        }
    }

    @Test func `settings decide who invites, judged at the invite's parents`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(bob)
        let before = group.ledger.heads
        let secrets = group.freshSecrets()
        let concurrent = try group.signed(
            .invite(secrets.terms(maximumUses: 0, expiresAt: TestGroup.now + 9)), by: bob.identity, parents: before,
            after: nil)
        try group.perform(.settings(GroupSettings(whoMayInvite: .admins)), by: olga.identity)
        #expect(throws: LedgerError.refused(.invitingNotAllowed)) { try group.invite(by: bob) }
        _ = try group.ledger.insert(concurrent)
        #expect(group.ledger.state.invite(concurrent.id) != nil)
    }

    @Test func `only the owner names admins and only owner and admins remove`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(adam, bob, eve)
        try group.promote(adam)
        #expect(group.ledger.state.role(of: adam.user) == .admin)
        #expect(throws: LedgerError.refused(.needsOwner)) {
            try group.perform(.setRole(RoleChange(user: bob.user, change: .admin)), by: adam.identity)
        }
        #expect(throws: LedgerError.refused(.needsAdmin)) {
            try group.perform(group.removal(of: eve), by: bob.identity)
        }
        try group.perform(group.removal(of: eve), by: adam.identity)
        #expect(!group.has(eve))
        #expect(group.ledger.state.removedUsers.map(\.user) == [eve.user])
        #expect(group.ledger.state.accessKeyHashes.count == 2)
    }

    @Test(arguments: [true, false])
    func `an admin never removes an admin or the owner`(targetIsOwner: Bool) throws {
        var group = try TestGroup(founder: olga)
        try group.admit(adam, alma)
        try group.promote(adam)
        try group.promote(alma)
        let target = targetIsOwner ? olga : alma
        #expect(throws: LedgerError.refused(.targetIsProtected)) {
            try group.perform(group.removal(of: target), by: adam.identity)
        }
    }

    @Test func `an admin named concurrently with its removal stays`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(adam, bob)
        try group.promote(adam)
        let removal = try group.ledger.draft(group.removal(of: bob), by: adam.identity, at: TestGroup.now)
        try group.promote(bob)
        _ = try group.ledger.insert(removal)
        #expect(group.ledger.state.role(of: bob.user) == .admin)
        #expect(group.ledger.refusal(of: removal.id) == .targetIsProtected)
    }

    @Test func `mutual removals by two former members change nothing, by owner and admin the owner's counts`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(adam, bob)
        try group.promote(adam)
        let byOwner = try group.ledger.draft(group.removal(of: adam), by: olga.identity, at: TestGroup.now)
        let byAdmin = try group.signed(
            group.removal(of: olga), by: adam.identity, parents: group.ledger.heads, after: nil)
        let again = try group.signed(
            group.removal(of: bob, upTo: nil), by: adam.identity, parents: group.ledger.heads, after: byAdmin)
        group.ledger = try inserting([byAdmin, again, byOwner], into: group.ledger)
        #expect(group.has(olga))
        #expect(!group.has(adam))
        #expect(group.has(bob), "what the removed admin did past the cut is void")
    }

    @Test func `what a demotion voided stays void when the admin is named and demoted again`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(adam, bob)
        try group.promote(adam)
        let demotion = try group.ledger.draft(group.demotion(of: adam), by: olga.identity, at: TestGroup.now)
        let removal = try group.perform(group.removal(of: bob), by: adam.identity)
        _ = try group.ledger.insert(demotion)
        #expect(group.has(bob))
        try group.promote(adam)
        #expect(group.has(bob))
        try group.perform(group.demotion(of: adam), by: olga.identity)
        #expect(group.has(bob), "the second demotion keeps more than the first, but of another time")
        for title in ["One", "Two", "Three"] {
            try group.promote(adam)
            let renamed = try group.perform(.rename(title), by: adam.identity)
            try group.perform(group.demotion(of: adam), by: olga.identity)
            #expect(group.ledger.refusal(of: renamed.id) == nil && group.ledger.state.title == title)
        }
        #expect(group.has(bob) && group.ledger.refusal(of: removal.id) == .needsAdmin)
    }

    @Test func `what a demotion voided stays void when the owner then removes the former admin`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(adam, bob)
        try group.promote(adam)
        let demotion = try group.ledger.draft(group.demotion(of: adam), by: olga.identity, at: TestGroup.now)
        let removal = try group.perform(group.removal(of: bob), by: adam.identity)
        _ = try group.ledger.insert(demotion)
        let invite = try group.invite(by: adam)
        try group.admit(eve, by: adam, under: invite)
        try group.perform(group.removal(of: adam), by: olga.identity)
        #expect(!group.has(adam))
        #expect(group.has(bob) && group.ledger.refusal(of: removal.id) == .needsAdmin)
        #expect(group.has(eve), "what a plain member may do still counts up to the removal's cut")
    }

    @Test func `whom the owner brought back stays when the admin is then removed`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(adam, bob)
        try group.promote(adam)
        let removal = try group.perform(group.removal(of: bob), by: adam.identity)
        try group.perform(#require(group.ledger.annulment(of: removal.id)), by: olga.identity)
        #expect(group.has(bob))
        try group.perform(group.removal(of: adam), by: olga.identity)
        #expect(group.has(bob) && !group.has(adam))
    }

    @Test func `what a removal voided stays void when the member comes back and is removed again`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(bob)
        let invite = try group.invite(by: olga)
        let removal = try group.ledger.draft(group.removal(of: bob), by: olga.identity, at: TestGroup.now)
        try group.admit(eve, by: bob, under: invite)
        _ = try group.ledger.insert(removal)
        #expect(!group.has(bob) && !group.has(eve))
        try group.admit(bob)
        #expect(group.has(bob) && !group.has(eve))
        try group.perform(group.removal(of: bob), by: olga.identity)
        #expect(!group.has(bob) && !group.has(eve))
    }

    @Test func `removal rings of three admins remove nobody`() throws {
        var group = try TestGroup(founder: olga)
        let admins = [adam, alma, bob]
        try group.admit(adam, alma, bob)
        for admin in admins { try group.promote(admin) }
        let heads = group.ledger.heads
        let ring = try [(0, 1), (1, 2), (2, 0)].map { remover, target in
            try group.signed(
                group.removal(of: admins[target]), by: admins[remover].identity, parents: heads, after: nil)
        }
        group.ledger = try inserting(ring, into: group.ledger)
        #expect(group.users.count == 4)
    }

    @Test func `a removed member comes back only under an invite that knows of the removal`() throws {
        var group = try TestGroup(founder: olga)
        let old = try group.invite(by: olga)
        try group.admit(bob, by: olga, under: old)
        let removal = try group.perform(group.removal(of: bob), by: olga.identity)
        #expect(throws: LedgerError.refused(.newcomerRemoved(by: removal.id))) {
            try group.admit(bob, by: olga, under: old)
        }
        let new = try group.invite(by: olga)
        try group.admit(bob, by: olga, under: new)
        #expect(group.has(bob))
    }

    @Test func `a leaver may come back under any invite of an admitter who knows`() throws {
        var group = try TestGroup(founder: olga)
        let invite = try group.invite(by: olga)
        try group.admit(bob, by: olga, under: invite)
        let before = group.ledger.heads
        let unknowing = try group.signed(
            .admit(group.claim(bob.identity, invite)), by: olga.identity, parents: before,
            after: group.last(of: olga.device))
        let cuts = group.ledger.cuts(of: bob.user) { _ in [] }
        let leave = try group.perform(.leave(Departure(erases: true, cuts: cuts)), by: bob.identity)
        _ = try group.ledger.insert(unknowing)
        #expect(!group.has(bob))
        #expect(group.ledger.refusal(of: unknowing.id) == nil, "it counts, and the place it gave has ended")
        #expect(group.ledger.state.removedUsers.map(\.removedBy) == [leave.id])
        #expect(group.ledger.state.erasedUsers == [bob.user])
        #expect(group.ledger.state.removedUsers.first?.hasLeft == true)
        try group.admit(bob, by: olga, under: invite, handshake: 8)
        #expect(group.has(bob))
    }

    @Test func `an owner cannot leave before transferring`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(bob)
        let leave = OperationBody.leave(Departure(erases: false, cuts: group.ledger.cuts(of: olga.user) { _ in [] }))
        #expect(throws: LedgerError.refused(.ownerCannotLeave)) { try group.perform(leave, by: olga.identity) }
        let cuts = group.ledger.cuts(of: olga.user) { _ in [] }
        try group.perform(.transfer(Transfer(newOwner: bob.user, cuts: cuts)), by: olga.identity)
        #expect(group.ledger.state.owner == bob.user)
        #expect(group.ledger.state.role(of: olga.user) == .member)
        let last = OperationBody.leave(Departure(erases: false, cuts: group.ledger.cuts(of: olga.user) { _ in [] }))
        try group.perform(last, by: olga.identity)
        #expect(group.users == [bob.user])
    }

    @Test func `of two concurrent transfers the smaller hash stands`() throws {
        var group = try TestGroup(founder: olga)
        let second = olga.anotherDevice(77)
        try group.admit(adam, bob)
        try group.perform(.addDevice(second.certificate), by: olga.identity)
        let cuts = group.ledger.cuts(of: olga.user) { _ in [] }
        let one = try group.ledger.draft(
            .transfer(Transfer(newOwner: adam.user, cuts: cuts)), by: olga.identity, at: TestGroup.now)
        let other = try group.ledger.draft(
            .transfer(Transfer(newOwner: bob.user, cuts: cuts)), by: second, at: TestGroup.now)
        group.ledger = try inserting([one, other], into: group.ledger)
        #expect(group.ledger.state.owner == (one.id < other.id ? adam.user : bob.user))
        #expect(group.ledger.refusal(of: max(one.id, other.id)) == .transferDoesNotStand)
    }

    @Test func `an heir takes over and the owner annuls it`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(adam, bob)
        let cuts = group.ledger.cuts(of: olga.user) { _ in [] }
        #expect(throws: LedgerError.refused(.transferDoesNotStand)) {
            try group.perform(.transfer(Transfer(newOwner: adam.user, cuts: cuts)), by: adam.identity)
        }
        try group.perform(.setRole(RoleChange(user: adam.user, change: .heir)), by: olga.identity)
        #expect(group.ledger.state.heir == adam.user)
        let now = group.ledger.cuts(of: olga.user) { _ in [] }
        try group.perform(.transfer(Transfer(newOwner: adam.user, cuts: now)), by: adam.identity)
        #expect(group.ledger.state.owner == adam.user)
        #expect(group.ledger.state.takenFrom == olga.user)
        try group.perform(group.removal(of: bob), by: adam.identity)
        #expect(!group.has(bob))
        try group.perform(.transfer(Transfer(newOwner: olga.user, cuts: now)), by: olga.identity)
        #expect(group.ledger.state.owner == olga.user)
        #expect(group.ledger.state.heir == nil)
        #expect(group.ledger.state.takenFrom == nil)
        #expect(group.has(bob), "what the heir did as owner is undone")
    }

    @Test func `what the owner says of heirs once it has the group back undoes nothing`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(adam, bob)
        try group.perform(.setRole(RoleChange(user: adam.user, change: .heir)), by: olga.identity)
        let olgas = group.ledger.cuts(of: olga.user) { _ in [] }
        try group.perform(.transfer(Transfer(newOwner: adam.user, cuts: olgas)), by: adam.identity)
        try group.perform(.rename("Adam’s"), by: adam.identity)
        let adams = group.ledger.cuts(of: adam.user) { _ in [] }
        try group.perform(.transfer(Transfer(newOwner: olga.user, cuts: adams)), by: adam.identity)
        #expect(group.ledger.state.owner == olga.user)
        try group.perform(.setRole(RoleChange(user: olga.user, change: .noHeir)), by: olga.identity)
        #expect(group.ledger.state.title == "Adam’s")
        #expect(group.ledger.state.owner == olga.user)
        #expect(group.ledger.state.heir == nil)
    }

    @Test func `a heir withdrawn or replaced takes nothing over`() throws {
        for replacement in [RoleChange(user: bob.user, change: .heir), RoleChange(user: olga.user, change: .noHeir)] {
            var group = try TestGroup(founder: olga)
            try group.admit(adam, bob)
            try group.perform(.setRole(RoleChange(user: adam.user, change: .heir)), by: olga.identity)
            let cuts = group.ledger.cuts(of: olga.user) { _ in [] }
            let claim = try group.ledger.draft(
                .transfer(Transfer(newOwner: adam.user, cuts: cuts)), by: adam.identity, at: TestGroup.now)
            try group.perform(.setRole(replacement), by: olga.identity)
            _ = try group.ledger.insert(claim)
            #expect(group.ledger.state.owner == olga.user)
        }
    }

    @Test func `admissions made apart may exceed the uses and all stand`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(adam)
        let invite = try group.invite(by: olga, uses: 1)
        let one = try group.ledger.admission(
            of: group.claim(bob.identity, invite), by: olga.identity, at: TestGroup.now)
        let other = try group.ledger.admission(
            of: group.claim(eve.identity, invite), by: adam.identity, at: TestGroup.now)
        group.ledger = try inserting([one, other], into: group.ledger)
        #expect(group.has(bob) && group.has(eve))
        #expect(group.ledger.state.invite(invite.id)?.isOverused == true)
        #expect(group.ledger.state.invite(invite.id)?.used == 2)
    }

    @Test func `a revocation by owner or admin reaches concurrent admissions, an inviter's does not`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(adam, bob)
        let invite = try group.invite(by: bob)
        let concurrent = try group.ledger.admission(
            of: group.claim(eve.identity, invite), by: adam.identity, at: TestGroup.now)
        let byInviter = try group.ledger.draft(.revokeInvite(invite.id), by: bob.identity, at: TestGroup.now)
        let byOwner = try group.ledger.draft(.revokeInvite(invite.id), by: olga.identity, at: TestGroup.now)
        #expect(throws: LedgerError.refused(.notOwnInvite)) {
            try group.perform(.revokeInvite(invite.id), by: adam.identity)
        }
        let mild = try inserting([byInviter, concurrent], into: group.ledger)
        #expect(mild.state.isMember(eve.user))
        #expect(mild.state.invite(invite.id)?.isRevoked == true)
        let strict = try inserting([byOwner, concurrent], into: group.ledger)
        #expect(!strict.state.isMember(eve.user))
        #expect(strict.refusal(of: concurrent.id) == .inviteRevoked(by: byOwner.id))
        #expect(throws: LedgerError.refused(.inviteRevoked(by: byInviter.id))) {
            _ = try mild.admission(of: group.claim(alma.identity, invite), by: adam.identity, at: TestGroup.now)
        }
    }

    @Test func `an invite that needs approval is admitted under by admins, after a request`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(adam, bob)
        try group.promote(adam)
        let invite = try group.invite(by: bob, approval: true)
        let claim = group.claim(eve.identity, invite)
        #expect(throws: LedgerError.refused(.needsApproval)) {
            _ = try group.ledger.admission(of: claim, by: bob.identity, at: TestGroup.now)
        }
        _ = try group.ledger.insert(try group.ledger.request(of: claim, by: bob.identity, at: TestGroup.now))
        let request = try #require(group.ledger.state.requests.first)
        _ = try group.ledger.insert(
            try group.ledger.admission(of: request.claim, by: adam.identity, at: TestGroup.now))
        #expect(group.has(eve))
        #expect(group.ledger.state.requests.isEmpty)
    }

    @Test func `of concurrent titles the higher rank's stands, then the smaller hash's, later ones replace`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(adam, alma)
        try group.promote(adam)
        try group.promote(alma)
        let byAdam = try group.ledger.draft(.rename("A"), by: adam.identity, at: TestGroup.now)
        let byAlma = try group.ledger.draft(.rename("B"), by: alma.identity, at: TestGroup.now)
        let byOwner = try group.ledger.draft(.rename("C"), by: olga.identity, at: TestGroup.now)
        let two = try inserting([byAdam, byAlma], into: group.ledger)
        #expect(two.state.title == (byAdam.id < byAlma.id ? "A" : "B"))
        group.ledger = try inserting([byOwner], into: two)
        #expect(group.ledger.state.title == "C")
        try group.perform(.rename("D"), by: adam.identity)
        #expect(group.ledger.state.title == "D")
    }

    @Test func `devices come and go by certificates and the account key`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(bob)
        let phone = bob.anotherDevice(70, certifiedBy: bob.identity)
        try group.perform(.addDevice(phone.certificate), by: bob.identity)
        #expect(group.ledger.state.member(bob.user)?.devices == [bob.device, phone.device].sorted())
        let cut = DeviceCut(device: bob.device, lastOperation: group.last(of: bob.device)?.id ?? .none, feeds: [])
        let kept = group.ledger.keptLinks(revoking: bob.device, of: bob.user)
        let revocation = DeviceRevocation(
            accountKey: bob.accountKey, group: group.ledger.group, cut: cut, keeping: kept,
            accessKeyHash: group.freshHash())
        try group.perform(.revokeDevice(revocation), by: phone)
        #expect(group.ledger.state.member(bob.user)?.devices == [phone.device], "the account kept it")
        #expect(throws: LedgerError.self) { try group.invite(by: bob) }
        let late = bob.anotherDevice(71, certifiedBy: bob.identity)
        let added = try group.signed(
            .addDevice(late.certificate), by: phone, parents: group.ledger.heads, after: group.last(of: phone.device))
        _ = try group.ledger.insert(added)
        #expect(!group.ledger.state.isCurrentMember(device: late.device), "its certificate leads through the revoked")
        let restored = bob.anotherDevice(72)
        try group.perform(.addDevice(restored.certificate), by: restored)
        #expect(group.ledger.state.isCurrentMember(device: restored.device), "the account key certified it")
    }

    @Test func `a ninth device is refused`() throws {
        var group = try TestGroup(founder: olga)
        for seed in 0..<7 {
            try group.perform(.addDevice(olga.anotherDevice(100 + UInt64(seed)).certificate), by: olga.identity)
        }
        #expect(throws: LedgerError.tooManyDevices(olga.user)) {
            try group.perform(.addDevice(olga.anotherDevice(120).certificate), by: olga.identity)
        }
    }

    @Test func `feeds count up to the cut and again after coming back`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(bob)
        let epoch = Epoch(counter: 1, nonce: 9), later = Epoch(counter: 2, nonce: 8)
        let hash = ChainHash(bytes: Bytes32(9, 9, 9, 9))
        let feed = FeedCut(
            epoch: epoch, number: 5, hash: hash, signature: bob.identity.signingKey.signature(for: [1]))
        #expect(group.ledger.state.accepts(device: bob.device, epoch: epoch, number: 6, hash: hash))
        let cuts = group.ledger.cuts(of: bob.user) { _ in [feed] }
        try group.perform(
            .remove(Removal(user: bob.user, cuts: cuts, accessKeyHash: group.freshHash())), by: olga.identity)
        let removed = group.ledger.state
        #expect(removed.accepts(device: bob.device, epoch: epoch, number: 4, hash: ChainHash(bytes: .zero)))
        #expect(removed.accepts(device: bob.device, epoch: epoch, number: 5, hash: hash))
        #expect(!removed.accepts(device: bob.device, epoch: epoch, number: 5, hash: ChainHash(bytes: .zero)))
        #expect(!removed.accepts(device: bob.device, epoch: epoch, number: 6, hash: hash))
        #expect(!removed.accepts(device: bob.device, epoch: later, number: 1, hash: hash))
        #expect(!removed.accepts(device: eve.device, epoch: later, number: 1, hash: hash))
        try group.admit(bob)
        let back = group.ledger.state
        #expect(back.accepts(device: bob.device, epoch: later, number: 1, hash: hash))
        #expect(!back.accepts(device: bob.device, epoch: epoch, number: 6, hash: hash), "old epochs stay cut")
    }
}
