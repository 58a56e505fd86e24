import StreakWire
import Testing

@testable import StreakInternet

@Suite struct MainlinePingTests {
    static let chance = MainlinePing.Chance(Array("abcdefghijklmnopqrst".utf8) + Array("wxyz".utf8))
    static let node = Endpoint(ipv4: 0xC633_6401, port: 6_881)

    /// As libtorrent answers: the asker's endpoint first (BEP 42), then what every answer holds.
    static func answer(ip: [UInt8], token: String = "wxyz") -> [UInt8] {
        Array("d2:ip\(ip.count):".utf8) + ip + Array("1:rd2:id20:mnopqrstuvwxyz123456e1:t4:\(token)1:y1:re".utf8)
    }

    @Test func `the query is the one that was measured`() {
        let query = MainlinePing.query(Self.chance)
        #expect(query == Array("d1:ad2:id20:abcdefghijklmnopqrste1:q4:ping2:roi1e1:t4:wxyz1:y1:qe".utf8))
        #expect(query.count == 65)
    }

    @Test func `an answer names the endpoint that was seen, by IPv4 and IPv6`() {
        let four = Self.answer(ip: [198, 18, 0, 1, 0x1B, 0x58])
        #expect(
            MainlinePing.seen(in: four, token: Array("wxyz".utf8)) == Endpoint(ipv4: 0xC612_0001, port: 7_000))
        let address: [UInt8] = [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [1]
        #expect(
            MainlinePing.seen(in: Self.answer(ip: address + [0x1B, 0x58]), token: Array("wxyz".utf8))
                == Endpoint(address: Bytes16(0x2001_0DB8_0000_0000, 1), port: 7_000))
    }

    @Test func `what is no such answer says nothing`() {
        let good = Self.answer(ip: [198, 18, 0, 1, 0x1B, 0x58])
        let token = Array("wxyz".utf8)
        // All but what follows the token, which nobody reads.
        for size in 0..<good.count - 7 {
            #expect(MainlinePing.seen(in: Array(good.prefix(size)), token: token) == nil)
        }
        #expect(MainlinePing.seen(in: good, token: Array("wxyy".utf8)) == nil)
        #expect(MainlinePing.seen(in: Self.answer(ip: [1, 2, 3, 4, 5]), token: token) == nil)
        #expect(MainlinePing.seen(in: Array("d1:ip6:".utf8) + good.dropFirst(7), token: token) == nil)
        #expect(MainlinePing.seen(in: good + [UInt8](repeating: 0, count: 512 - good.count), token: token) != nil)
        #expect(MainlinePing.seen(in: good + [UInt8](repeating: 0, count: 513 - good.count), token: token) == nil)
    }

    @Test func `eight nodes are asked, and each may answer once, from where it was asked, within five seconds`() {
        var ping = MainlinePing()
        let nodes = (0..<10).map { Endpoint(ipv4: 0xC633_6401 + UInt32($0) << 16, port: 6_881) }
        let queries = ping.ask(nodes.map { ($0, Self.chance) }, at: .zero)
        #expect(queries.map(\.to) == Array(nodes.prefix(8)))
        let answer = Self.answer(ip: [198, 18, 0, 1, 0x1B, 0x58])
        #expect(ping.expects(answer, from: nodes[0]))
        #expect(!ping.expects(answer, from: nodes[8]))
        #expect(!ping.expects([1] + answer, from: nodes[0]))
        var witnesses: [MainlinePing.Witness?] = []
        for (number, milliseconds) in [(8, 1_000), (0, 5_000), (0, 5_000), (1, 5_001)] {
            witnesses.append(ping.receive(answer, from: nodes[number], at: .milliseconds(milliseconds)))
        }
        let seen = MainlinePing.Witness(seen: Endpoint(ipv4: 0xC612_0001, port: 7_000), by: nodes[0])
        #expect(witnesses == [nil, seen, nil, nil])
        #expect(!ping.expects(answer, from: nodes[0]))
    }

    @Test func `while nobody says enough, others are asked soon, and then less and less often`() {
        var ping = MainlinePing()
        let unknown = (0..<6).map { _ in ping.pause(isReachKnown: false) }
        #expect(unknown == [30, 60, 120, 240, 480, 600].map { .seconds($0) })
        #expect(ping.pause(isReachKnown: true) == .seconds(600))
        #expect(ping.pause(isReachKnown: false) == .seconds(30))
        ping.hurry()
        #expect(ping.pause(isReachKnown: false) == .seconds(30))
    }
}
