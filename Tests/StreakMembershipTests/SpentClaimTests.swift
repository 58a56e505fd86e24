import StreakCrypto
import StreakMembership
import StreakWire
import Testing

/// A claim that somebody kept after its account has left.
struct SpentClaimTests {
    let olga = Person(1), bob = Person(4), eve = Person(5), mallory = Person(6)

    /// A group in which Mallory has the link that Bob used, and Bob has left.
    private func left(
        by kind: OperationBody.Kind = .admit
    ) throws -> (
        group: TestGroup, claim: JoinClaim, leave: SignedOperation, invite: (id: OperationID, secrets: InviteSecrets)
    ) {
        var group = try TestGroup(founder: olga)
        try group.admit(mallory)
        let invite = try group.invite(by: mallory)
        let claim = group.claim(bob.identity, invite, handshake: 40)
        if kind == .request { try group.perform(.request(claim), by: mallory.identity) }
        try group.admit(bob, by: olga, under: invite, handshake: kind == .request ? 41 : 40)
        let leave = try group.perform(
            .leave(Departure(erases: true, cuts: group.ledger.cuts(of: bob.user) { _ in [] })), by: bob.identity)
        return (group, claim, leave, invite)
    }

    @Test(arguments: [.admit, .request] as [OperationBody.Kind])
    func `nobody is admitted again by a copy of what they signed before they left`(kind: OperationBody.Kind) throws {
        var (group, claim, leave, _) = try left(by: kind)
        #expect(throws: LedgerError.refused(.claimSpent(by: leave.id))) {
            try group.perform(.admit(claim), by: mallory.identity)
        }
        let copies = [
            try group.signed(
                .admit(claim), by: mallory.identity, parents: group.ledger.heads, after: group.last(of: mallory.device)),
            try group.signed(.request(claim), by: olga.identity, parents: group.ledger.heads, after: nil),
            // Concurrent with the departure: the place ended before it began.
            try group.signed(
                .admit(claim), by: olga.identity, parents: leave.operation.parents, after: group.last(of: olga.device)),
        ]
        group.ledger = try inserting(copies, into: group.ledger)
        #expect(!group.has(bob) && group.ledger.state.erasedUsers == [bob.user])
        #expect(group.ledger.refusal(of: copies[0].id) == .claimSpent(by: leave.id))
        #expect(group.ledger.refusal(of: copies[1].id) == .claimSpent(by: leave.id))
        #expect(group.ledger.state.requests.isEmpty)
    }

    @Test func `nor under another invite with the same key`() throws {
        var (group, claim, leave, invite) = try left()
        let twin = try group.perform(
            .invite(invite.secrets.terms(maximumUses: 0, expiresAt: TestGroup.now + 9)), by: mallory.identity)
        let moved = JoinClaim(invite: twin.id, certificate: claim.certificate, proof: claim.proof)
        #expect(throws: LedgerError.refused(.claimSpent(by: leave.id))) {
            try group.perform(.admit(moved), by: mallory.identity)
        }
    }

    @Test func `a member who signs a new claim comes back, even by the old link`() throws {
        var (group, _, _, invite) = try left()
        try group.admit(bob, by: olga, under: invite, handshake: 42)
        #expect(group.has(bob))
    }

    @Test func `a request is no longer open once its author has left`() throws {
        var group = try TestGroup(founder: olga)
        let closed = try group.invite(by: olga, approval: true)
        let open = try group.invite(by: olga)
        try group.perform(.request(group.claim(bob.identity, closed)), by: olga.identity)
        #expect(group.ledger.state.requests.count == 1)
        try group.admit(bob, by: olga, under: open, handshake: 43)
        try group.perform(.leave(Departure(erases: false, cuts: [])), by: bob.identity)
        #expect(group.ledger.state.requests.isEmpty)
        try group.perform(.request(group.claim(bob.identity, closed, handshake: 44)), by: olga.identity)
        #expect(group.ledger.state.requests.count == 1)
    }

    @Test func `a request closes when its author is removed, and one under a later invite is open`()
        throws
    {
        var group = try TestGroup(founder: olga)
        let closed = try group.invite(by: olga, approval: true)
        let claim = group.claim(bob.identity, closed)
        try group.perform(.request(claim), by: olga.identity)
        try group.perform(.admit(claim), by: olga.identity)
        try group.perform(group.removal(of: bob), by: olga.identity)
        #expect(!group.has(bob))
        #expect(group.ledger.state.requests.isEmpty)
        let fresh = try group.invite(by: olga, approval: true)
        try group.perform(.request(group.claim(bob.identity, fresh, handshake: 44)), by: olga.identity)
        #expect(group.ledger.state.requests.count == 1)
    }

    @Test func `a departure that was revoked leaves a place, and its copies nothing`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(mallory)
        let invite = try group.invite(by: mallory)
        let claim = group.claim(bob.identity, invite, handshake: 40)
        try group.perform(.admit(claim), by: olga.identity)
        let phone = bob.anotherDevice(90)
        try group.perform(.addDevice(phone.certificate), by: phone)
        let leave = try group.perform(
            .leave(Departure(erases: true, cuts: group.ledger.cuts(of: bob.user) { _ in [] })), by: bob.identity)
        let copy = try group.signed(
            .admit(claim), by: mallory.identity, parents: group.ledger.heads, after: group.last(of: mallory.device))
        let revocation = try group.signed(
            .revokeDevice(group.revocation(of: bob.identity, by: bob, hash: group.freshHash())), by: phone,
            parents: group.ledger.heads, after: group.last(of: phone.device))
        group.ledger = try inserting([revocation, copy], into: group.ledger)
        #expect(group.has(bob))
        #expect(group.ledger.refusal(of: leave.id) == .authorRevoked(by: revocation.id))
        #expect(group.ledger.refusal(of: copy.id) == .claimSpent(by: leave.id), "what is before it decides")
    }
}
