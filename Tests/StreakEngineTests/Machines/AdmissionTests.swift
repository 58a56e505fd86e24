import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine

/// The machine by which devices come in, alone.
struct AdmissionTests {
    private func encoded(_ proof: JoinProof) -> [UInt8] {
        var writer = WireWriter()
        proof.write(to: &writer)
        return writer.bytes
    }

    /// A newcomer at the other end of a link under a new invite, and what it asks with.
    private func newcomer(
        _ bench: inout MachineBench, _ identity: DeviceIdentity = MachineBench.identity(900)
    ) throws -> (link: LinkID, claim: JoinClaim) {
        let link = bench.open(identity, isProven: false)
        let removed = bench.core.sessions.removeValue(forKey: link)
        let session = try #require(removed)
        let claim = try bench.claim(of: identity, on: session)
        bench.core.sessions[link] = PeerSession(
            link: link, key: session.key, handshakeHash: session.handshakeHash,
            label: .invite(bench.group, claim.invite), isInitiator: false)
        return (link, claim)
    }

    @Test func `a newcomer with a live invite is admitted, and welcomed once that is on disk`() throws {
        var bench = try MachineBench(friends: 1)
        var admission = Admission(core: &bench.core)
        let (link, claim) = try newcomer(&bench)
        admission.receivedJoinRequest(
            certificate: claim.certificate.encoded(), proof: encoded(claim.proof), over: link, core: &bench.core)
        #expect(bench.core.groups[bench.group]?.state.isMember(claim.certificate.user) == true)
        #expect(bench.said(over: link).isEmpty && bench.posted().isEmpty, "not before")
        let work = bench.store()
        guard case .welcome(link, bench.group)? = work.first(where: { if case .welcome = $0 { true } else { false } })
        else {
            Issue.record("\(work)")
            return
        }
        admission.welcome(to: bench.group, over: link, core: &bench.core)
        let said = bench.said(over: link)
        guard case .welcome(bench.group, let keys)? = said.first, case .operations(_, let operations, true)? = said.last
        else {
            Issue.record("\(said)")
            return
        }
        #expect(keys.count == 1 && operations.count == bench.core.groups[bench.group]?.ledger.allOperations.count)
    }

    @Test func `a proof of another handshake, or of another device, lets nobody in`() throws {
        var bench = try MachineBench(friends: 1)
        var admission = Admission(core: &bench.core)
        let (link, claim) = try newcomer(&bench)
        let (other, otherClaim) = try newcomer(&bench, MachineBench.identity(901))
        for (link, claim) in [(other, claim), (link, otherClaim)] {
            admission.receivedJoinRequest(
                certificate: claim.certificate.encoded(), proof: encoded(claim.proof), over: link, core: &bench.core)
            #expect(bench.said(over: link) == [.joinRefused(.invalidProof)])
        }
        #expect(bench.core.groups[bench.group]?.state.members.count == 2 && bench.changes.isEmpty)
    }

    @Test func `a join looks for members, and fails when its time is over`() throws {
        var bench = try MachineBench(friends: 0)
        var admission = Admission(core: &bench.core)
        var entropy = SeededEntropy(seed: 5)
        let link = InviteLink(
            seed: InviteSecrets.generate(from: &entropy).seed, group: Forged.otherGroup,
            expiresAt: bench.core.wall.seconds + 600, title: "Theirs", addresses: [], identity: Forged.stranger)
        let id = CommandID(number: 1)
        admission.join(link, timeout: .seconds(30), tellers: [], command: id, core: &bench.core)
        #expect(bench.posted().contains { if case .lookForMembers = $0 { true } else { false } })
        #expect(admission.isJoining && admission.beaconSources.map(\.group) == [Forged.otherGroup])
        admission.join(link, timeout: .seconds(30), tellers: [], command: id, core: &bench.core)
        bench.advance(by: .seconds(29))
        admission.runTimers(core: &bench.core)
        #expect(bench.outcomes.isEmpty)
        bench.advance(by: .seconds(1))
        admission.runTimers(core: &bench.core)
        #expect(bench.outcomes == [.failed(.nobodyReachable)] && !admission.isJoining)
    }

    @Test func `operations are accepted only from the device that was asked for them`() throws {
        var bench = try MachineBench(friends: 1)
        var admission = Admission(core: &bench.core)
        let operations = try #require(bench.core.groups[bench.group]?.ledger.allOperations.map(\.bytes))
        let isTaken = admission.takesOperations(
            operations, isFinal: true, handle: bench.handle, over: bench.links[0], core: &bench.core)
        #expect(!isTaken && bench.changes.isEmpty)
        // Nor is a welcome that nobody has waited for.
        admission.receivedWelcome(Forged.otherGroup, accessKeys: [], over: bench.links[0], core: &bench.core)
        #expect(admission.joins.isEmpty && admission.offeredLedgers.isEmpty && bench.core.outputs.isEmpty)
    }
}
