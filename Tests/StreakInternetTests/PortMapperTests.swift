import StreakWire
import Testing

@testable import StreakInternet

@Suite struct PortMapperTests {
    @Test(arguments: [(Router.Speech.pcp, MappingProtocol.pcp), (.natPMP, .natPMP)])
    func `a router that speaks it opens the port at once, for datagrams and streams`(
        speech: Router.Speech, by: MappingProtocol
    ) throws {
        var home = Home(Router(speech: speech))
        home.connect()
        let mapping = try #require(home.mapper.mapping)
        #expect(mapping.by == by)
        #expect(mapping.outside == Endpoint(ipv4: 0xC612_0001, port: 7_000))
        #expect(home.mapper.endpoint == mapping.outside)
        #expect(mapping.hasTCP)
        #expect(mapping.ends == home.now + .seconds(3_600))
        #expect(home.router.open == [.udp: 7_000, .tcp: 7_000])
        #expect(home.mapper.finding == nil)
        #expect(home.outputs.last == .changed)
    }

    @Test func `a silent router is asked three times, and then UPnP is`() {
        var home = Home(Router(speech: .nothing))
        let start = home.now
        home.connect()
        home.pass(.milliseconds(1_749))
        #expect(home.sent.map { $0.time - start } == [.zero, .milliseconds(250), .milliseconds(750)])
        #expect(Set(home.sent.map(\.bytes)).count == 1)
        #expect(home.outputs.isEmpty)
        home.pass(.milliseconds(1))
        #expect(home.outputs == [.mapByUPnP(Home.line(), outsidePort: 7_000)])
        home.take(.upnpEnded(.failed(.noAnswer)))
        #expect(home.mapper.finding == .noAnswer)
        // And again after a while.
        home.pass(PortMapper.pause - .milliseconds(1))
        #expect(home.sent.count == 3)
        home.pass(.milliseconds(1))
        #expect(home.sent.count == 4)
    }

    @Test func `UPnP that never ends is given up`() {
        var home = Home(Router(speech: .nothing))
        home.connect()
        home.pass(.milliseconds(1_750) + .seconds(30))
        #expect(home.mapper.finding == .noAnswer)
        home.take(.upnpEnded(.mapped(outside: Endpoint(ipv4: 0xC612_0001, port: 7_000), hasTCP: true, lease: nil)))
        #expect(home.mapper.mapping == nil, "an answer to nothing counts")
    }

    @Test func `what UPnP opened is renewed by UPnP`() throws {
        var home = Home(Router(speech: .nothing))
        home.connect()
        home.pass(.milliseconds(1_750))
        let outside = Endpoint(ipv4: 0xC612_0001, port: 7_003)
        home.take(.upnpEnded(.mapped(outside: outside, hasTCP: false, lease: .seconds(3_600))))
        #expect(home.mapper.endpoint == outside)
        home.outputs = []
        home.pass(.seconds(1_800))
        #expect(home.outputs == [.mapByUPnP(Home.line(), outsidePort: 7_003)])
        #expect(home.sent.count == 3)
        // A renewal that fails leaves what is open until it ends.
        home.take(.upnpEnded(.failed(.refused)))
        #expect(home.mapper.endpoint == outside)
        home.take(.stopped)
        #expect(home.outputs.suffix(2) == [.unmapByUPnP(Home.line(), outsidePort: 7_003), .changed])
    }

    @Test(arguments: [Router.Speech.pcp, .natPMP])
    func `a mapping is renewed at half of what was granted, at the same port`(speech: Router.Speech) {
        var home = Home(Router(speech: speech, lease: 600, taken: [.udp: [7_000: 7_001]]))
        home.connect()
        #expect(home.mapper.endpoint?.port == 7_001)
        let first = home.sent.count
        home.pass(.milliseconds(299_999))
        #expect(home.sent.count == first)
        home.pass(.milliseconds(1))
        #expect(home.sent.count >= first + 2)
        #expect(home.mapper.endpoint?.port == 7_001)
        #expect(home.mapper.mapping?.ends == home.now + .seconds(600))
        #expect(home.router.open == [.udp: 7_001, .tcp: 7_001])
    }

    @Test func `a renewal without an answer is repeated until the mapping has ended`() {
        var home = Home(Router())
        home.connect()
        home.router.speech = .nothing
        home.pass(.seconds(3_599))
        #expect(home.mapper.endpoint != nil)
        let rounds = home.sent.dropFirst(2).filter { $0.time == $0.time }.count / 3
        #expect((3...7).contains(rounds), "\(rounds) rounds")
        home.pass(.seconds(3))
        #expect(home.mapper.endpoint == nil)
        #expect(home.outputs.last == .mapByUPnP(Home.line(), outsidePort: 7_000))
    }

    @Test func `streams have the number of datagrams, or none`() {
        var home = Home(Router(taken: [.tcp: [7_000: 7_005]]))
        home.connect()
        #expect(home.mapper.mapping?.outside.port == 7_000)
        #expect(home.mapper.mapping?.hasTCP == false)
        #expect(home.router.open == [.udp: 7_000], "what is of no use is left open")
    }

    @Test func `a router that gives seconds or for ever is asked in measure`() {
        for (lease, next) in [(UInt32(1), 60), (.max, 43_200)] {
            var home = Home(Router(lease: lease))
            home.connect()
            #expect(home.mapper.nextDeadline == home.now + .seconds(next))
        }
    }

    @Test(
        arguments: [
            (UInt8(2), nil, MappingFinding.refused), (2, 2, .refused), (3, nil, .misunderstood), (4, 5, .unsupported),
            (7, nil, .offline), (8, 4, .exhausted), (10, nil, .exhausted), (11, nil, .portTaken),
            (12, nil, .secondRouter), (12, 2, .secondRouter), (99, nil, .misunderstood),
        ] as [(UInt8, UInt16?, MappingFinding)])
    func `each refusal has its finding, after UPnP was asked`(pcp: UInt8, natPMP: UInt16?, finding: MappingFinding) {
        var home = Home(Router(speech: .refusing(pcp, natPMP)))
        home.connect()
        home.pass(.milliseconds(1_750))
        #expect(home.outputs == [.mapByUPnP(Home.line(), outsidePort: 7_000)])
        home.take(.upnpEnded(.failed(.noAnswer)))
        #expect(home.mapper.finding == finding)
        #expect(home.mapper.endpoint == nil)
    }

    @Test func `a router without an address of its own is behind another one, and UPnP is not asked`() {
        // What miniupnpd says: PCP result 8, NAT-PMP result 3.
        var home = Home(Router(speech: .refusing(8, 3)))
        home.connect()
        #expect(home.mapper.finding == .carrierNAT)
        #expect(home.outputs == [.changed])
    }

    @Test(
        arguments: [0x0A00_0001, 0x6440_0001, 0xC0A8_0001, 0xA9FE_0001, 0xF000_0001, 0, 0x7F00_0001] as [UInt32],
        [Router.Speech.pcp, .natPMP])
    func `an outside address that is none is told to nobody`(address: UInt32, speech: Router.Speech) {
        var home = Home(Router(speech: speech, address: Endpoint(ipv4: address, port: 0)))
        home.connect()
        #expect(home.mapper.finding == .carrierNAT)
        #expect(home.mapper.mapping == nil)
        #expect(home.router.open.isEmpty)
    }

    @Test func `an outside address that others do not see is told to nobody`() {
        var home = Home(Router())
        home.connect()
        home.take(.seen(Endpoint(ipv4: 0xC612_0002, port: 7_000)))
        #expect(home.mapper.endpoint == nil)
        #expect(home.mapper.finding == .carrierNAT)
        home.take(.seen(Endpoint(ipv4: 0xC612_0001, port: 41_234)))
        #expect(home.mapper.endpoint != nil)
        #expect(home.mapper.finding == nil)
    }

    @Test(arguments: [Router.Speech.pcp, .natPMP])
    func `a router that silently got another address is asked again as soon as others see it`(speech: Router.Speech) {
        var home = Home(Router(speech: speech))
        home.connect()
        home.pass(.seconds(60))
        home.router.address = Endpoint(ipv4: 0xC612_0002, port: 0)
        home.take(.seen(Endpoint(ipv4: 0xC612_0002, port: 7_000)))
        #expect(home.mapper.endpoint == Endpoint(ipv4: 0xC612_0002, port: 7_000))
        #expect(home.mapper.finding == nil)
        home.pass(.seconds(20))
        home.router.address = Endpoint(ipv4: 0xC612_0001, port: 0)
        home.take(.seen(Endpoint(ipv4: 0xC612_0001, port: 7_000)))
        #expect(home.mapper.endpoint == Endpoint(ipv4: 0xC612_0001, port: 7_000), "and back")
    }

    @Test(arguments: [Router.Speech.pcp, .natPMP])
    func
        `a router that says that it got another address is believed for a quarter of an hour, whatever others saw before`(
            speech: Router.Speech
        )
    {
        let (old, new) = (Endpoint(ipv4: 0xC612_0001, port: 7_000), Endpoint(ipv4: 0xC612_0002, port: 7_000))
        var home = Home(Router(speech: speech))
        home.connect()
        home.take(.seen(old))
        home.pass(.seconds(60))
        home.router.restart()
        home.router.address = Endpoint(ipv4: 0xC612_0002, port: 0)
        home.take(
            .datagramReceived(
                speech == .pcp
                    ? [2, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 12)
                    : [0, 0x80, 0, 0, 0, 0, 0, 1, 0xC6, 0x12, 0, 2], from: Home.gateway))
        #expect(home.mapper.endpoint == new)
        home.take(.seen(old))
        #expect(home.mapper.endpoint == new, "nobody has seen it since")
        home.pass(.seconds(890))
        #expect(home.mapper.endpoint == new)
        home.pass(.seconds(20))
        #expect(home.mapper.endpoint == nil && home.mapper.finding == .carrierNAT, "somebody would have by now")
        home.take(.seen(new))
        #expect(home.mapper.endpoint == new)
    }

    @Test func `an outside port that may not be told is no address that may not`() {
        var home = Home(Router(taken: [.udp: [7_000: 53]]))
        home.connect()
        #expect(home.mapper.finding == .portTaken)
        #expect(home.router.open.isEmpty)
    }

    // MARK: Restarts

    @Test(arguments: [Router.Speech.pcp, .natPMP])
    func `a router that announces that it has started is asked at once`(speech: Router.Speech) {
        var home = Home(Router(speech: speech))
        home.connect()
        home.pass(.seconds(60))
        let before = home.sent.count
        let announcement: [UInt8] =
            speech == .pcp
            ? [2, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 12)
            : [0, 0x80, 0, 0, 0, 0, 0, 1, 0xC6, 0x12, 0, 1]
        // The same router, older by the minute that has passed: nothing is lost.
        var older = announcement
        older[speech == .pcp ? 11 : 7] = 160
        home.take(.datagramReceived(older, from: Home.gateway))
        #expect(home.sent.count == before)
        home.router.restart()
        home.take(.datagramReceived(announcement, from: Home.gateway))
        #expect(home.sent.count > before)
        #expect(home.router.open == [.udp: 7_000, .tcp: 7_000])
    }

    @Test func `a router cannot have this node ask without end`() {
        var home = Home(Router())
        home.connect()
        let before = home.sent.count
        for step in 0..<1_000 {
            let age = UInt8(step % 2 == 0 ? 0 : 200)
            home.take(
                .datagramReceived(
                    [2, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, age] + [UInt8](repeating: 0, count: 12), from: Home.gateway))
            home.pass(.milliseconds(20))
        }
        // Two rounds of two requests in twenty seconds.
        #expect(home.sent.count - before <= 6)
        #expect(home.mapper.endpoint != nil)
    }

    @Test func `a restart between the two answers has the first one asked for again`() {
        var home = Home(Router())
        let outputs = home.mapper.handle(.lineFound(Home.line(), nonce: Home.nonce), at: home.now)
        guard case .send(let datagrams, let gateway)? = outputs.first, let answer = home.router.answer(datagrams) else {
            Issue.record("nothing was asked")
            return
        }
        home.router.age = 0
        home.take(.datagramReceived(answer, from: gateway))
        #expect(home.router.open[.tcp] == 7_000)
        home.pass(PortMapper.shortestRound)
        #expect(home.router.open == [.udp: 7_000, .tcp: 7_000])
        #expect(home.sent.count == 3)
    }

    // MARK: Who is believed

    @Test func `only the gateway is believed, and only with the nonce`() {
        var home = Home(Router(speech: .nothing))
        home.connect()
        var router = Router()
        guard let answer = router.answer(home.sent[0].bytes) else {
            Issue.record("no answer")
            return
        }
        home.take(.datagramReceived(answer, from: Endpoint(ipv4: 0xC0A8_0103, port: 5_351)))
        home.take(.datagramReceived(answer, from: Endpoint(ipv4: 0xC0A8_0101, port: 5_350)))
        // Version, whose answer, nonce, transport, and the port inside.
        for place in [0, 1, 24, 35, 36, 41] {
            var forged = answer
            forged[place] ^= 1
            home.take(.datagramReceived(forged, from: Home.gateway))
        }
        for size in 0..<answer.count { home.take(.datagramReceived(Array(answer.prefix(size)), from: Home.gateway)) }
        #expect(home.mapper.mapping == nil)
        #expect(home.outputs.isEmpty)
        home.take(.datagramReceived(answer, from: Home.gateway))
        #expect(home.mapper.mapping != nil)
    }

    // MARK: Lines

    @Test func `another line is asked at once, and the same one is not`() {
        var home = Home(Router())
        home.connect()
        let before = home.sent.count
        home.connect()
        #expect(home.sent.count == before)
        let moved = Home.line(inside: Endpoint(ipv4: 0xC0A8_0107, port: 7_000))
        home.take(.lineFound(moved, nonce: MappingNonce(1, 2)))
        #expect(home.sent.count == before + 2)
        #expect(home.sent.last?.bytes[24..<36] == [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2])
        home.take(.lineLost(.vpn))
        #expect(home.mapper.mapping == nil)
        #expect(home.mapper.finding == .vpn)
        #expect(home.mapper.nextDeadline == nil)
    }

    @Test func `an IPv6 router opens a pinhole, and is never asked by NAT-PMP`() {
        let inside = Endpoint(address: Bytes16(0x2001_0DB8_0000_0001, 7), port: 7_000)
        let gateway = Endpoint(address: Bytes16(0xFE80_0000_0000_0000, 1), port: 5_351, scope: 3)
        var home = Home(Router(address: inside))
        home.take(.lineFound(Home.line(inside: inside, gateway: gateway), nonce: Home.nonce))
        #expect(home.mapper.endpoint == inside)
        home = Home(Router(speech: .refusing(4, 0)))
        home.take(.lineFound(Home.line(inside: inside, gateway: gateway), nonce: Home.nonce))
        #expect(home.sent.count == 1)
        #expect(home.outputs == [.mapByUPnP(Home.line(inside: inside, gateway: gateway), outsidePort: 7_000)])
    }

    // MARK: The end

    @Test(arguments: [Router.Speech.pcp, .natPMP])
    func `what is open is closed at the end`(speech: Router.Speech) {
        var home = Home(Router(speech: speech))
        home.connect()
        home.take(.stopped)
        #expect(home.router.open.isEmpty)
        // No outside port is named (RFC 6886 §3.4, RFC 6887 §15).
        for (_, bytes) in home.sent.suffix(2) {
            let place = bytes.count == 60 ? 42 : 6
            #expect(bytes[place..<(place + 2)] == [0, 0])
        }
        #expect(home.mapper.nextDeadline == nil && home.mapper.endpoint == nil)
    }

    @Test func `what was asked for and not answered is deleted, too`() {
        var home = Home(Router(speech: .nothing))
        home.connect()
        home.router.speech = .pcp
        home.take(.stopped)
        #expect(home.sent.dropFirst().map { $0.bytes[4..<8].allSatisfy { $0 == 0 } } == [true, true])
        home = Home(Router())
        home.take(.stopped)
        #expect(home.outputs.isEmpty)
    }
}
