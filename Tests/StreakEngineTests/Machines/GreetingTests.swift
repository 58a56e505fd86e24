import StreakCrypto
import StreakLinks
import StreakMembership
import StreakWire
import Testing

@testable import StreakEngine

/// The machine that says hello, alone.
struct GreetingTests {
    /// What a device proves on a link with an access key of the group.
    private func proof(of prover: DeviceIdentity, over link: LinkID, in bench: MachineBench) throws -> Bytes16 {
        let key = try #require(bench.core.groups[bench.group]?.accessKeys.first)
        let session = try #require(bench.core.sessions[link])
        let hash = Blake2b.keyedHash(
            session.handshakeHash + prover.linkKey.publicKey.rawBytes, key: key.groupProofKey, size: 16)
        return try #require(Bytes16(hash))
    }

    @Test func `a hello proves every key that is held, each once and on this link only`() throws {
        var greeting = Greeting()
        var bench = try MachineBench()
        for link in bench.links { greeting.greet(link, core: &bench.core) }
        let hellos = bench.links.map { bench.said(over: $0) }
        for (link, hello) in zip(bench.links, hellos) {
            guard hello.count == 1, case .hello(bench.core.store, let proofs)? = hello.first else {
                Issue.record("\(hello)")
                continue
            }
            #expect(try proofs == [proof(of: bench.core.identity, over: link, in: bench)])
        }
        #expect(hellos[0] != hellos[1])
    }

    @Test func `a group opens once its peer has proven a key of it, by its own proof`() throws {
        var greeting = Greeting()
        var bench = try MachineBench(friends: 1)
        let friend = bench.friends[0]
        let link = bench.open(friend, isProven: false)
        let store = StoreID(bytes: Bytes16(8, 8))
        // The peer cannot repeat this side's proof as its own.
        let echo = try proof(of: bench.core.identity, over: link, in: bench)
        greeting.receivedHello(store: store, proofs: [echo, .zero], over: link, core: &bench.core)
        #expect(bench.posted().isEmpty && bench.core.sessions[link]?.groups.isEmpty == true)
        // Until then a member's device, too, hears nothing of the group.
        #expect(bench.core.access(of: link, in: bench.group) == .proofs)
        #expect(!bench.core.links(of: bench.group, allowing: .records).contains(link))
        let right = try proof(of: friend, over: link, in: bench)
        greeting.receivedHello(store: store, proofs: [.zero, right], over: link, core: &bench.core)
        guard case .groupOpened(let group, link)? = bench.posted().first else {
            Issue.record("the group was not opened")
            return
        }
        #expect(group == bench.group && bench.core.sessions[link]?.store == store)
        #expect(bench.core.links(of: bench.group, allowing: .records).contains(link))
        // And once only.
        greeting.receivedHello(store: store, proofs: [right], over: link, core: &bench.core)
        #expect(bench.posted().isEmpty)
    }

    @Test func `a stranger is asked without tips, and a removed device is told once what removed it`() throws {
        var greeting = Greeting()
        var bench = try MachineBench()
        let stranger = bench.open(Forged.stranger)
        greeting.openUnauthorised(bench.group, over: stranger, core: &bench.core)
        #expect(bench.said(over: stranger) == [.operationsRequested(bench.handle, known: [])])

        try bench.remove(0)
        for _ in 1...2 { greeting.openUnauthorised(bench.group, over: bench.links[0], core: &bench.core) }
        let told = bench.said(over: bench.links[0])
        guard told.count == 1, case .operations(bench.handle, let operations, isFinal: true)? = told.first else {
            Issue.record("\(told)")
            return
        }
        let last = try SignedOperation(decoding: try #require(operations.last))
        guard case .remove(let removal) = last.operation.body else {
            Issue.record("\(last)")
            return
        }
        #expect(removal.user == bench.friends[0].user)
    }

    @Test func `keys that the ledger names and that are missing are asked for once, of members only`() throws {
        var greeting = Greeting()
        var bench = try MachineBench()
        try bench.remove(0)
        let missing = try #require(bench.core.groups[bench.group]?.missingAccessKeys)
        #expect(missing.count == 1)
        for link in bench.links + bench.links {
            greeting.requestMissingKeys(of: bench.group, over: link, core: &bench.core)
        }
        #expect(bench.said(over: bench.links[0]).isEmpty)
        #expect(bench.said(over: bench.links[1]) == [.accessKeysRequested(bench.handle, missing)])
    }
}
