import StreakCrypto
import StreakWire
import Testing

@testable import StreakMembership

/// What former members try, and what newcomers and liars try against others' work.
struct FormerMemberTests {
    let olga = Person(1), adam = Person(2), ben = Person(3), bob = Person(4), eve = Person(5), mallory = Person(6)

    @Test func `an ex-member who replays old operations changes nothing`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(mallory, bob)
        let invite = try group.invite(by: mallory)
        try group.admit(eve, by: mallory, under: invite)
        try group.perform(group.removal(of: mallory), by: olga.identity)
        let expected = group.ledger.state
        for operation in group.ledger.operations(from: mallory.device, after: 0) {
            #expect(try group.ledger.insert(operation) == .duplicate)
        }
        #expect(group.ledger.state == expected)
        // Nor if the replay is all that a node has so far, and the removal comes last.
        let operations = group.ledger.allOperations
        var other = try Ledger(founding: operations[0])
        for operation in operations.dropFirst().reversed() { _ = try other.insert(operation) }
        #expect(other.state == expected)
    }

    @Test func `an ex-member does not come back by an old invite, nor by an accomplice under it`() throws {
        var group = try TestGroup(founder: olga)
        let old = try group.invite(by: olga)
        try group.admit(mallory, by: olga, under: old)
        try group.admit(eve, by: olga, under: old)
        let before = group.ledger.heads
        let removal = try group.perform(group.removal(of: mallory), by: olga.identity)
        #expect(throws: LedgerError.refused(.newcomerRemoved(by: removal.id))) {
            try group.admit(mallory, by: eve, under: old)
        }
        // The accomplice pretends not to know, and even makes an invite without that knowledge.
        let again = try group.signed(
            .admit(group.claim(mallory.identity, old)), by: eve.identity, parents: before, after: nil)
        let secrets = group.freshSecrets()
        let invite = try group.signed(
            .invite(secrets.terms(maximumUses: 0, expiresAt: TestGroup.now + 9)), by: eve.identity, parents: before,
            after: again)
        let under = try group.signed(
            .admit(group.claim(mallory.identity, (invite.id, secrets))), by: eve.identity, parents: before,
            after: invite)
        group.ledger = try inserting([again, invite, under], into: group.ledger)
        #expect(!group.has(mallory))
        #expect(group.ledger.refusal(of: again.id) == .newcomerRemoved(by: removal.id))
        #expect(group.ledger.refusal(of: under.id) == .newcomerRemoved(by: removal.id))
    }

    @Test func `a removed senior does not counter-remove`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(adam, ben, bob)
        try group.promote(adam)
        try group.promote(ben)
        let asAdmin = group.ledger.heads
        try group.perform(group.removal(of: adam), by: olga.identity)
        let expected = group.ledger.state
        var previous: SignedOperation?
        for target in [olga, ben, bob] {
            let counter = try group.signed(
                group.removal(of: target, upTo: nil), by: adam.identity, parents: asAdmin, after: previous)
            _ = try group.ledger.insert(counter)
            previous = counter
            #expect(group.ledger.refusal(of: counter.id) != nil)
        }
        #expect(group.ledger.state == expected)
    }

    @Test func `an admin removes no founder who is owner, nor one who is admin`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(adam, mallory)
        try group.promote(mallory)
        let attempt = try group.signed(
            group.removal(of: olga, upTo: nil), by: mallory.identity, parents: group.ledger.heads, after: nil)
        _ = try group.ledger.insert(attempt)
        #expect(group.ledger.refusal(of: attempt.id) == .targetIsProtected)
        let cuts = group.ledger.cuts(of: olga.user) { _ in [] }
        try group.perform(.transfer(Transfer(newOwner: adam.user, cuts: cuts)), by: olga.identity)
        try group.perform(.setRole(RoleChange(user: olga.user, change: .admin)), by: adam.identity)
        let second = try group.signed(
            group.removal(of: olga, upTo: nil), by: mallory.identity, parents: group.ledger.heads, after: attempt)
        _ = try group.ledger.insert(second)
        #expect(group.ledger.refusal(of: second.id) == .targetIsProtected)
        #expect(group.has(olga) && group.ledger.state.owner == adam.user)
    }

    @Test(arguments: [true, false])
    func `an accomplice's absurd cut gives way to the owner's, and to the longer among equals`(
        ownerKeepsAll: Bool
    ) throws {
        var group = try TestGroup(founder: olga)
        try group.admit(adam, ben, mallory)
        try group.promote(adam)
        try group.promote(ben)
        let invite = try group.invite(by: mallory)
        try group.admit(eve, by: mallory, under: invite)
        let last = try #require(group.last(of: mallory.device))
        let heads = group.ledger.heads
        // Adam wants to undo everything Mallory ever did. Ben, who does not know, keeps it.
        let absurd = try group.signed(
            group.removal(of: mallory, upTo: nil), by: adam.identity, parents: heads, after: nil)
        let honest = try group.signed(
            group.removal(of: mallory, upTo: last.id), by: ben.identity, parents: heads, after: nil)
        let alone = try inserting([absurd], into: group.ledger)
        #expect(!alone.state.isMember(mallory.user) && !alone.state.isMember(eve.user))
        group.ledger = try inserting([absurd, honest], into: group.ledger)
        #expect(!group.has(mallory) && group.has(eve), "among equals the longer")
        // The owner has the last word in any case, with or without knowing the others.
        for parents in [heads, group.ledger.heads] {
            let body = group.removal(of: mallory, upTo: ownerKeepsAll ? last.id : nil)
            let owners = try group.signed(
                body, by: olga.identity, parents: parents, after: group.last(of: olga.device))
            for ledger in parents == heads ? [alone, group.ledger] : [group.ledger] {
                let state = try inserting([owners], into: ledger).state
                #expect(!state.isMember(mallory.user) && state.isMember(eve.user) == ownerKeepsAll)
            }
        }
    }

    @Test func `who has left lets nobody in any more`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(mallory)
        let invite = try group.invite(by: mallory)
        let cuts = group.ledger.cuts(of: mallory.user) { _ in [] }
        let leave = try group.perform(.leave(Departure(erases: false, cuts: cuts)), by: mallory.identity)
        let admission = try group.signed(
            .admit(group.claim(eve.identity, invite)), by: mallory.identity, parents: group.ledger.heads, after: leave)
        group.ledger = try inserting([admission], into: group.ledger)
        #expect(!group.has(eve))
        #expect(group.ledger.refusal(of: admission.id) == .authorRemoved(by: leave.id))
    }

    @Test func `a former member's account key voids nothing that its removal left`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(mallory, bob)
        let phone = mallory.anotherDevice(90)
        try group.perform(.addDevice(phone.certificate), by: mallory.identity)
        let invite = try group.invite(by: mallory)
        try group.admit(eve, by: mallory, under: invite)
        let before = group.ledger.heads
        let removal = try group.perform(group.removal(of: mallory), by: olga.identity)
        let expected = group.ledger.state
        let revocation = DeviceRevocation(
            accountKey: mallory.accountKey, group: group.ledger.group,
            cut: DeviceCut(device: mallory.device, lastOperation: .none, feeds: []), accessKeyHash: group.freshHash())
        // As if made long ago, and as an answer to the removal.
        for parents in [before, group.ledger.heads] {
            let void = try group.signed(.revokeDevice(revocation), by: phone, parents: parents, after: nil)
            let after = try inserting([void], into: group.ledger)
            #expect(after.state.members == expected.members && after.state.invites == expected.invites)
            #expect(after.state.accessKeyHashes == expected.accessKeyHashes)
            #expect(after.refusal(of: void.id) == .authorRemoved(by: removal.id))
        }
        // Nor can a device publish itself before anybody knows its account.
        let founding = try #require(group.ledger.allOperations.first)
        let early = try group.signed(.addDevice(phone.certificate), by: phone, parents: [founding.id], after: nil)
        #expect(throws: LedgerError.unknownAuthor(phone.device)) { _ = try group.ledger.insert(early) }
        // A revocation for every group needs no ancestor that knows the device, but one that knows its author.
        let everywhere = DeviceRevocation(
            accountKey: mallory.accountKey, everywhere: mallory.device, accessKeyHash: group.freshHash())
        let first = try group.signed(.addDevice(phone.certificate), by: phone, parents: before, after: nil)
        let void = try group.signed(.revokeDevice(everywhere), by: phone, parents: [first.id], after: first)
        group.ledger = try inserting([first, void], into: group.ledger)
        #expect(group.ledger.state.members == expected.members && group.ledger.state.invites == expected.invites)
        #expect(group.ledger.state.removedUsers == expected.removedUsers)
    }

    @Test func `an admin who left, came back and was removed is not in again by revoking the device that left`() throws
    {
        var group = try TestGroup(founder: olga)
        try group.admit(adam, mallory, bob)
        try group.promote(adam)
        try group.promote(mallory)
        let phone = mallory.anotherDevice(90)
        try group.perform(.addDevice(phone.certificate), by: mallory.identity)
        let asAdmin = group.ledger.heads
        let cuts = group.ledger.cuts(of: mallory.user) { _ in [] }
        try group.perform(.leave(Departure(erases: false, cuts: cuts)), by: mallory.identity)
        try group.admit(mallory)
        #expect(group.ledger.state.role(of: mallory.user) == .member)
        let present = group.ledger
        try group.perform(group.removal(of: mallory), by: adam.identity)
        let cut = DeviceCut(device: mallory.device, lastOperation: .none, feeds: [])
        let revocation = DeviceRevocation(
            accountKey: mallory.accountKey, group: group.ledger.group, cut: cut, accessKeyHash: group.freshHash())
        let void = try group.signed(.revokeDevice(revocation), by: phone, parents: present.heads, after: nil)
        let removal = try group.signed(
            group.removal(of: bob, upTo: nil), by: phone, parents: asAdmin, after: void)
        let expected = group.ledger.state.members
        #expect(try inserting([void, removal], into: group.ledger).state.members == expected)
        // If nobody has removed it, the account is as if it had never left.
        let still = try inserting([void], into: present).state
        #expect(still.role(of: mallory.user) == .admin)
    }

    /// An admin's removal ends no powers, so what the earlier departure kept of an admin's other branch still counts.
    @Test func `what its departure left an admin no revocation takes away once it is removed`() throws {
        var group = try TestGroup(founder: olga)
        let invite = try group.invite(by: olga)
        for person in [adam, eve] { try group.admit(person, by: olga, under: invite) }
        try group.promote(adam)
        try group.promote(eve)
        let phone = adam.anotherDevice(90)
        let add = try group.perform(.addDevice(phone.certificate), by: adam.identity)
        let admission = try group.signed(
            .admit(group.claim(bob.identity, invite)), by: adam.identity, parents: group.ledger.heads, after: add)
        let cut = DeviceCut(device: adam.device, lastOperation: admission.id, feeds: [])
        let leave = try group.signed(
            .leave(Departure(erases: false, cuts: [cut])), by: adam.identity, parents: [admission.id], after: add)
        let later = try group.signed(.rename("Mine"), by: adam.identity, parents: [], after: leave)
        group.ledger = try inserting([admission, leave, later], into: group.ledger)
        try group.admit(adam, by: olga, under: invite, handshake: 99)
        let revocation = try group.signed(
            .revokeDevice(group.revocation(of: adam.identity, by: adam, upTo: leave.id, hash: group.freshHash())),
            by: phone, parents: group.ledger.heads, after: nil)
        try group.perform(group.removal(of: adam), by: eve.identity)
        #expect(group.has(bob))
        #expect(try inserting([revocation], into: group.ledger).state.isMember(bob.user))
    }

    /// A thief leaves with an admin's device. Once that is revoked, what others made of the account's claims ends no
    /// powers.
    @Test(arguments: [7, 99] as [UInt8])
    func `no admission, nor a plain member's removal, ends the powers of an admin who revoked the device that left`(
        handshake: UInt8
    ) throws {
        var group = try TestGroup(founder: olga)
        let invite = try group.invite(by: olga)
        for person in [adam, ben, bob, mallory] { try group.admit(person, by: olga, under: invite) }
        try group.promote(adam)
        let phone = adam.anotherDevice(90)
        try group.perform(.addDevice(phone.certificate), by: adam.identity)
        try group.perform(group.removal(of: ben), by: adam.identity)
        let leave = try group.signed(
            .leave(Departure(erases: false, cuts: [])), by: phone, parents: group.ledger.heads, after: nil)
        try group.perform(group.removal(of: mallory), by: olga.identity)
        let revocation = group.revocation(of: phone, by: adam, hash: group.freshHash())
        try group.perform(.revokeDevice(revocation), by: adam.identity)
        _ = try group.ledger.insert(leave)
        let expected = group.ledger.state
        #expect(expected.role(of: adam.user) == .admin && !expected.isMember(ben.user))
        for (author, previous) in [(mallory.identity, nil), (bob.identity, nil), (phone, leave)] {
            let device = handshake == 7 ? adam.identity : phone
            let admission = try group.signed(
                .admit(group.claim(device, invite, handshake: handshake)), by: author, parents: [leave.id],
                after: previous)
            let removal = try group.signed(
                group.removal(of: adam, upTo: nil), by: author, parents: [], after: admission)
            let after = try inserting([admission, removal], into: group.ledger).state
            #expect(after.members == expected.members && after.removedUsers == expected.removedUsers)
        }
    }

    enum Pretence: CaseIterable { case copiedClaim, noClaim, knownRevocation, newClaim }

    @Test(arguments: Pretence.allCases)
    func `an admin removes an admin who revoked the device that left by a claim signed since, and else not`(
        pretence: Pretence
    ) throws {
        var group = try TestGroup(founder: olga)
        let invite = try group.invite(by: olga)
        for person in [adam, eve, bob] { try group.admit(person, by: olga, under: invite) }
        try group.promote(adam)
        try group.perform(group.demotion(of: adam), by: olga.identity)
        try group.promote(adam)
        try group.promote(eve)
        // Adam removes another member whose device has left. Questions asked on the way must consider all ends of
        // powers.
        let watch = bob.anotherDevice(91)
        try group.perform(.addDevice(watch.certificate), by: bob.identity)
        let bobLeaves = try group.signed(
            .leave(Departure(erases: false, cuts: [])), by: watch, parents: group.ledger.heads, after: nil)
        try group.perform(
            .revokeDevice(group.revocation(of: watch, by: bob, hash: group.freshHash())), by: bob.identity)
        let earlier = try group.perform(group.removal(of: bob), by: adam.identity)
        _ = try group.ledger.insert(bobLeaves)
        let phone = adam.anotherDevice(90)
        try group.perform(.addDevice(phone.certificate), by: adam.identity)
        let leave = try group.signed(
            .leave(Departure(erases: false, cuts: [])), by: phone, parents: group.ledger.heads, after: nil)
        let revocation = try group.perform(
            .revokeDevice(group.revocation(of: phone, by: adam, hash: group.freshHash())), by: adam.identity)
        _ = try group.ledger.insert(leave)
        let claim = group.claim(adam.identity, invite, handshake: pretence == .copiedClaim ? 7 : 99)
        let parents = [leave.id] + (pretence == .knownRevocation ? [revocation.id] : [])
        var operations: [SignedOperation] = []
        if pretence != .noClaim {
            operations.append(try group.signed(.admit(claim), by: eve.identity, parents: parents, after: nil))
        }
        let removal = try group.signed(
            group.removal(of: adam, upTo: nil), by: eve.identity, parents: parents, after: operations.last)
        let after = try inserting(operations + [removal], into: group.ledger)
        let stands = pretence == .newClaim
        #expect(after.refusal(of: removal.id) == (stands ? nil : .targetIsProtected))
        #expect(after.state.role(of: adam.user) == (stands ? nil : .admin))
        #expect(after.refusal(of: earlier.id) == (stands ? .needsAdmin : nil))
        // A departure is within itself, so what ended the powers counts again.
        #expect(after.refusal(of: leave.id) == (stands ? nil : .authorRevoked(by: revocation.id)))
    }

    /// Two departures, one on each branch of a chain: an admin's powers end where the branches fork.
    @Test(arguments: [true, false])
    func `departures on two branches leave an admin what both branches have in common`(isReversed: Bool) throws {
        var group = try TestGroup(founder: olga)
        try group.admit(adam, bob, ben, eve)
        try group.promote(adam)
        let common = try group.perform(group.removal(of: bob), by: adam.identity)
        let heads = group.ledger.heads
        var operations: [SignedOperation] = []
        let branches = isReversed ? [(ben, 2), (eve, 1)] : [(ben, 1), (eve, 2)]
        for (target, length) in branches {
            var last = try group.signed(
                group.removal(of: target, upTo: nil), by: adam.identity, parents: heads, after: common)
            operations.append(last)
            for _ in 1..<length {
                last = try group.signed(.rename("Longer"), by: adam.identity, parents: [], after: last)
                operations.append(last)
            }
            let cut = DeviceCut(device: adam.device, lastOperation: last.id, feeds: [])
            operations.append(
                try group.signed(
                    .leave(Departure(erases: false, cuts: [cut])), by: adam.identity, parents: [], after: last))
        }
        let ledger = try inserting(operations, into: group.ledger)
        #expect(!ledger.state.isMember(adam.user) && !ledger.state.isMember(bob.user))
        #expect(ledger.refusal(of: common.id) == nil)
        for removal in operations where removal.operation.body.kind == .remove {
            #expect(ledger.refusal(of: removal.id) == .needsAdmin)
        }
        #expect(ledger.state.isMember(ben.user) && ledger.state.isMember(eve.user))
    }

    @Test func `what a member revoked before it was removed no later revocation brings back`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(mallory)
        let phone = mallory.anotherDevice(90)
        try group.perform(.addDevice(phone.certificate), by: mallory.identity)
        let invite = try group.invite(by: mallory)
        let admission = try group.admit(eve, by: mallory, under: invite)
        func revocation(leaving last: OperationID) -> OperationBody {
            .revokeDevice(
                DeviceRevocation(
                    accountKey: mallory.accountKey, group: group.ledger.group,
                    cut: DeviceCut(device: mallory.device, lastOperation: last, feeds: []),
                    accessKeyHash: group.freshHash()))
        }
        try group.perform(revocation(leaving: invite.id), by: phone)
        #expect(!group.has(eve))
        try group.perform(group.removal(of: mallory), by: olga.identity)
        let longer = try group.signed(
            revocation(leaving: admission.id), by: phone, parents: group.ledger.heads,
            after: group.last(of: phone.device))
        _ = try group.ledger.insert(longer)
        #expect(!group.has(eve))
    }

    @Test func `a cut of what nobody knows is no operation`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(adam, mallory)
        try group.promote(adam)
        let future = try group.signed(
            .rename("Later"), by: mallory.identity, parents: group.ledger.heads, after: nil)
        let cut = try group.signed(
            group.removal(of: mallory, upTo: future.id), by: adam.identity, parents: group.ledger.heads, after: nil)
        #expect(throws: LedgerError.invalidCut(mallory.device)) { _ = try group.ledger.insert(cut) }
    }

    @Test func `a second admission on a used invite is refused, and shown where it is back-dated`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(mallory)
        let invite = try group.invite(by: olga, uses: 1)
        let before = group.ledger.heads
        try group.admit(bob, by: olga, under: invite)
        #expect(throws: LedgerError.refused(.inviteUsedUp(maximumUses: 1))) {
            try group.admit(eve, by: mallory, under: invite)
        }
        let backdated = try group.signed(
            .admit(group.claim(eve.identity, invite)), by: mallory.identity, parents: before, after: nil)
        _ = try group.ledger.insert(backdated)
        #expect(group.has(bob) && group.has(eve), "nobody loses a place to a later arrival")
        let shown = try #require(group.ledger.state.invite(invite.id))
        #expect(shown.isOverused && shown.admitted == [bob.user, eve.user].sorted())
        try group.perform(group.removal(of: eve), by: olga.identity)
        #expect(group.has(bob) && !group.has(eve))
    }

    @Test func `what a stolen laptop goes on certifying does not count`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(bob)
        let stolen = bob.anotherDevice(80, certifiedBy: bob.identity)
        let known = bob.anotherDevice(81, certifiedBy: stolen)
        try group.perform(.addDevice(stolen.certificate), by: bob.identity)
        let add = try group.perform(.addDevice(known.certificate), by: stolen)
        let before = group.ledger.heads
        let revocation = group.revocation(of: stolen, by: bob, upTo: add.id, hash: group.freshHash())
        try group.perform(.revokeDevice(revocation), by: bob.identity)
        // With old parents, with new ones, and by the device that will publish it.
        let third = bob.anotherDevice(82, certifiedBy: stolen)
        let operations = [
            try group.signed(.addDevice(third.certificate), by: stolen, parents: before, after: add),
            try group.signed(.addDevice(third.certificate), by: known, parents: group.ledger.heads, after: nil),
        ]
        group.ledger = try inserting(operations, into: group.ledger)
        let state = group.ledger.state
        #expect(!state.isCurrentMember(device: stolen.device) && !state.isCurrentMember(device: third.device))
        #expect(state.isCurrentMember(device: known.device), "the revoker knew of it and kept it")
        #expect(state.isCurrentMember(device: bob.device))
    }

    // MARK: Work

    @Test func `a newcomer who floods is stopped at its thousandth operation and its sixty-fourth branch`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(mallory)
        let expected = group.ledger.state.members
        let heads = group.ledger.heads
        var refusals: [LedgerError] = []
        for index in 0..<100 {
            let operation = try group.signed(
                .rename("Mine \(index)"), by: mallory.identity, parents: heads, after: nil)
            do { _ = try group.ledger.insert(operation) } catch { refusals.append(error) }
        }
        #expect(refusals == Array(repeating: .tooManyOperations(mallory.device), count: 36))
        #expect(group.ledger.tips.count { $0.device == mallory.device } == Ledger.maximumBranches)
        #expect(group.ledger.state.members == expected)
        // The number cannot exceed a thousand: the next operation cannot be decoded.
        let last = LedgerOperation(
            group: group.ledger.group, author: mallory.device, number: 1_001, previous: heads[0], parents: heads,
            time: 0, body: .rename("Mine"))
        let bytes = try SignedOperation(signing: last, with: mallory.identity.signingKey).bytes
        #expect(throws: WireError.limitExceeded(limit: 1_000, actual: 1_001)) {
            _ = try SignedOperation(decoding: bytes)
        }
    }

    /// Without ancestors, only a bounded number is kept, no matter who sends them.
    @Test func `a flood of operations that wait is bounded, and does not keep out what is complete`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(mallory, bob)
        let heads = group.ledger.heads
        for index in 0..<2_000 {
            let missing = OperationID(bytes: Bytes32(9, 9, 9, UInt64(index)))
            let operation = try group.signed(
                .rename("Mine"), by: mallory.identity, parents: heads + [missing], after: nil)
            group.ledger.rules.verified = VerifiedOperations()
            group.ledger.rules.verified?.insert(operation.id)
            do { _ = try group.ledger.insert(operation) } catch { #expect(error == .tooManyPending) }
        }
        #expect(group.ledger.pendingCount == Ledger.maximumPending)
        try group.perform(.rename("Ours"), by: olga.identity)
        #expect(group.ledger.state.title == "Ours")
    }

    @Test func `whether a departure ends a place is not worked out where there is room for it`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(mallory)
        let cuts = group.ledger.cuts(of: mallory.user) { _ in [] }
        let heads = group.ledger.heads
        let before = group.ledger.state.title
        let rename = try group.signed(
            .rename("Later"), by: olga.identity, parents: heads, after: group.last(of: olga.device))
        let leave = try group.signed(
            .leave(Departure(erases: false, cuts: cuts)), by: mallory.identity, parents: heads, after: nil)
        var ledger = group.ledger
        for operation in [rename, leave] { _ = try ledger.insert(operation) }
        #expect(ledger.recentState.title == before, "nothing was resolved")
        #expect(ledger.state.title == "Later" && !ledger.state.isMember(mallory.user))
    }

    /// Work is counted, never timed: how much an operation stores about its ancestors, and how often signatures are
    /// checked.
    @Test(arguments: [.admit, .remove, .leave, .revokeDevice] as [OperationBody.Kind])
    func `a thousand operations by a liar on six branches cost each of them a bounded piece of work`(
        kind: OperationBody.Kind
    ) throws {
        let flood = try Flood(of: kind, count: 1_000, branchLength: 180)
        let ledger = flood.ledger
        #expect(ledger.count > 1_000)
        let lanes = ledger.nodes.map(\.clock.count).max() ?? 0
        #expect(lanes <= ledger.tips.count && ledger.tips.count < 12, "an operation keeps a number a branch")
        #expect(ledger.pendingCount == 0)
        let state = ledger.state
        #expect(state.owner == flood.honest[0].user && state.title == "Friends")
        for person in flood.honest { #expect(state.isMember(person.user)) }
        #expect(state.members.count(where: { $0.role == .admin }) == 0)
    }
}
