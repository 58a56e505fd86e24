import StreakLinks
import StreakWire
import Testing

@testable import StreakEngine

/// Two witnesses of different providers are believed, and no one alone.
struct WitnessTests {
    private let own = Endpoint(ipv4: 0xC612_0001, port: 7_420)
    private let otherPort = Endpoint(ipv4: 0xC612_0001, port: 40_000)
    private let ada = Endpoint(ipv4: 0xCB00_7101, port: 7_420)
    private let sameProvider = Endpoint(ipv4: 0xCB00_7102, port: 7_420)
    private let ben = Endpoint(ipv4: 0xC633_6401, port: 7_420)
    private let cleo = Endpoint(ipv4: 0xC000_0201, port: 7_420)

    private func witnesses(_ said: [(Endpoint, by: Endpoint)]) -> Witnesses {
        var witnesses = Witnesses()
        for (endpoint, witness) in said {
            witnesses.take(endpoint, from: .outside(witness), at: witness, now: .zero)
        }
        return witnesses
    }

    @Test func `two of different providers that say the same are believed`() {
        #expect(witnesses([(own, ada), (own, ben)]).judgement(ofIPv4: true) == .steady(own))
        #expect(witnesses([(own, ada), (own, ben)]).judgement(ofIPv4: false) == .unknown)
        #expect(witnesses([(own, ada)]).judgement(ofIPv4: true) == .unknown)
        #expect(witnesses([(own, ada), (own, ada)]).judgement(ofIPv4: true) == .unknown, "the same one twice")
        #expect(witnesses([(own, ada), (own, sameProvider)]).judgement(ofIPv4: true) == .unknown)
    }

    @Test func `two machines of one account are one witness`() {
        for (second, judgement) in [(1, .unknown), (2, .steady(own))] as [(UInt8, Witnesses.Judgement)] {
            var witnesses = Witnesses()
            witnesses.take(own, from: .peer(LinkID(1)), of: user(1), at: ada, now: .zero)
            witnesses.take(own, from: .peer(LinkID(2)), of: user(second), at: ben, now: .zero)
            #expect(witnesses.judgement(ofIPv4: true) == judgement)
            #expect(witnesses.lacksPeers == (judgement == .unknown))
        }
    }

    private func user(_ number: UInt8) -> UserID {
        UserID(bytes: Bytes32(Array(repeating: number, count: 32)) ?? .zero)
    }

    @Test func `who is on the local network is no witness, and of what may not be told nothing is said`() {
        let local = Endpoint(ipv4: 0x0A00_0001, port: 7_420)
        #expect(witnesses([(own, ada), (own, local)]).judgement(ofIPv4: true) == .unknown)
        let low = Endpoint(ipv4: 0xC612_0001, port: 1_023)
        #expect(witnesses([(low, ada), (low, ben)]).judgement(ofIPv4: true) == .unknown)
        #expect(witnesses([(local, ada), (local, ben)]).judgement(ofIPv4: true) == .unknown)
    }

    @Test func `a router that takes another port for each is found out, unless two see one`() {
        #expect(witnesses([(own, ada), (otherPort, ben)]).judgement(ofIPv4: true) == .changing)
        #expect(witnesses([(own, ada), (otherPort, ben), (own, cleo)]).judgement(ofIPv4: true) == .steady(own))
        let elsewhere = Endpoint(ipv4: 0xC613_0001, port: 7_420)
        #expect(witnesses([(own, ada), (elsewhere, ben)]).judgement(ofIPv4: true) == .unknown, "one of them lies")
        #expect(witnesses([(own, ada), (otherPort, sameProvider)]).judgement(ofIPv4: true) == .unknown)
    }

    @Test func `what a peer says counts while its link lasts, and a while longer`() {
        var witnesses = Witnesses()
        let (toAda, toBen) = (LinkID(1), LinkID(2))
        witnesses.take(own, from: .peer(toAda), of: user(1), at: ada, now: .zero)
        witnesses.take(own, from: .peer(toBen), of: user(2), at: ben, now: .zero)
        let later = MonotonicInstant.zero.advanced(by: .seconds(86_400))
        #expect(!witnesses.expire(at: later) && witnesses.nextDeadline == nil)
        #expect(witnesses.judgement(ofIPv4: true) == .steady(own) && !witnesses.lacksPeers)
        // A peer that sees it elsewhere says so, which replaces what it said.
        witnesses.take(otherPort, from: .peer(toAda), of: user(1), at: ada, now: later)
        #expect(witnesses.judgement(ofIPv4: true) == .changing)
        witnesses.closed(toAda, at: later)
        #expect(witnesses.lacksPeers)
        let end = later.advanced(by: Witnesses.patience)
        #expect(witnesses.nextDeadline == end && witnesses.expire(at: end))
        #expect(witnesses.judgement(ofIPv4: true) == .unknown)
    }

    @Test func `however many speak, what is kept is bounded, and the newest`() {
        let many = (0..<1_000).map { (own, by: Endpoint(ipv4: 0xCB00_0000 + UInt32($0) << 8, port: 1)) }
        var witnesses = witnesses(many)
        for number in 0..<1_000 {
            let peer = Endpoint(ipv4: 0xC633_6400, port: UInt16(number))
            witnesses.take(otherPort, from: .outside(peer), at: peer, now: .zero)
        }
        #expect(witnesses.judgement(ofIPv4: true) == .unknown, "of one provider, however many they are")
    }
}
