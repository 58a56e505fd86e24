import StreakRandom
import StreakWire
import Testing

@testable import StreakInternet

@Suite struct MappingCodingTests {
    /// RFC 6887 §7.1 and §11.1, field by field.
    @Test func `a MAP request is laid out as the RFC draws it`() {
        let request = PCP.MapRequest(
            nonce: MappingNonce(0x0102_0304, 0x0506_0708_090A_0B0C), transport: .udp,
            inside: Endpoint(ipv4: 0xC0A8_0102, port: 0x1B58), outside: Endpoint(ipv4: 0, port: 0x1B59),
            lifetime: 0x0E10)
        let zeros = [UInt8](repeating: 0, count: 10)
        let expected: [UInt8] =
            [2, 1, 0, 0, 0, 0, 0x0E, 0x10] + zeros + [0xFF, 0xFF, 192, 168, 1, 2]
            + [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] + [17, 0, 0, 0, 0x1B, 0x58, 0x1B, 0x59]
            + zeros + [0xFF, 0xFF, 0, 0, 0, 0]
        #expect(request.encoded == expected)
        #expect(request.encoded.count == 60)
    }

    @Test func `a MAP answer is read as the RFC draws it`() throws {
        let zeros = [UInt8](repeating: 0, count: 10)
        var bytes: [UInt8] =
            [2, 0x81, 0, 0, 0, 0, 0x0E, 0x10, 0, 0, 1, 0] + zeros + [0, 0]
            + [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] + [6, 0, 0, 0, 0x1B, 0x58, 0x1B, 0x59]
            + zeros + [0xFF, 0xFF, 198, 18, 0, 1]
        let mapped = PCP.Mapped(
            nonce: MappingNonce(0x0102_0304, 0x0506_0708_090A_0B0C), transport: 6, insidePort: 7_000,
            outside: Endpoint(ipv4: 0xC612_0001, port: 7_001), lifetime: 3_600, epoch: 256)
        #expect(try PCP.answer(bytes) == .mapped(mapped))
        // Options that nobody asked for.
        #expect(try PCP.answer(bytes + [3, 0, 0, 0]) == .mapped(mapped))
        #expect(throws: WireError.self) { try PCP.answer(bytes + [UInt8](repeating: 0, count: 1_041)) }
        for size in 0..<60 { #expect(throws: WireError.self) { try PCP.answer(Array(bytes.prefix(size))) } }
        bytes[3] = 12
        #expect(
            try PCP.answer(bytes)
                == .refused(.init(nonce: mapped.nonce, transport: 6, result: 12, epoch: 256)))
        bytes[1] = 1
        #expect(throws: WireError.invalidValue(field: "R")) { try PCP.answer(bytes) }
    }

    /// RFC 6886 §3.2, §3.3 and §3.5.
    @Test func `NAT-PMP is laid out and read as the RFC draws it`() throws {
        #expect(NATPMP.addressRequest == [0, 0])
        #expect(
            NATPMP.mapRequest(.tcp, insidePort: 0x1B58, outsidePort: 0x1B59, lifetime: 0x0E10)
                == [0, 2, 0, 0, 0x1B, 0x58, 0x1B, 0x59, 0, 0, 0x0E, 0x10])
        #expect(
            try NATPMP.answer([0, 128, 0, 0, 0, 0, 1, 0, 198, 18, 0, 1])
                == .address(Endpoint(ipv4: 0xC612_0001, port: 0), epoch: 256))
        #expect(
            try NATPMP.answer([0, 129, 0, 0, 0, 0, 1, 0, 0x1B, 0x58, 0x1B, 0x59, 0, 0, 0x0E, 0x10])
                == .mapped(.udp, insidePort: 7_000, outsidePort: 7_001, lifetime: 3_600, epoch: 256))
        #expect(try NATPMP.answer([0, 130, 0, 2, 0, 0, 1, 0]) == .refused(.tcp, result: 2, epoch: 256))
        #expect(try NATPMP.answer([0, 128, 0, 3, 0, 0, 1, 0]) == .refused(nil, result: 3, epoch: 256))
        #expect(throws: WireError.self) { try NATPMP.answer([0, 1, 0, 0, 0, 0, 1, 0]) }
        #expect(throws: WireError.self) { try NATPMP.answer([UInt8](repeating: 0, count: 17)) }
        // The answer to PCP of a router that speaks NAT-PMP only.
        #expect(try PCP.answer([0, 129, 0, 1, 0, 0, 1, 0]) == .unsupportedVersion)
    }

    /// RFC 6887 §8.5.
    @Test(
        arguments: [
            (100, 60, true), (100, 0, false), (99, 0, false), (98, 0, true), (160, 60, false), (158, 60, false),
            (152, 60, true),
            (0, 3_600, true), (165, 60, false), (170, 60, true), (100 + 3_600, 3_600, false),
            (100 + 3_300, 3_600, true),
        ] as [(UInt32, Int, Bool)])
    func `the age of a router tells whether it has started`(age: UInt32, seconds: Int, hasRestarted: Bool) {
        var watch = EpochWatch()
        let first = watch.hasRestarted(age: 100, at: .seconds(1_000))
        let second = watch.hasRestarted(age: age, at: .seconds(1_000 + seconds))
        #expect(!first && second == hasRestarted)
    }

    @Test func `nothing that a router could say stops anything`() {
        var random = SplitMix64(seed: 6_887)
        var home = Home(Router())
        for _ in 0..<20_000 {
            var bytes = Router.sample(using: &random)
            if Bool.random(using: &random), !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: .min ... .max, using: &random)
            }
            home.take(.datagramReceived(bytes, from: Home.gateway))
            if Int.random(in: 0..<50, using: &random) == 0 { home.connect() }
            if Int.random(in: 0..<50, using: &random) == 0 { home.wait() }
            if Int.random(in: 0..<500, using: &random) == 0 { home.take(.stopped) }
            if let endpoint = home.mapper.endpoint { #expect(endpoint.mayBeTold) }
        }
    }
}

extension Router {
    /// Something a router could say.
    fileprivate static func sample(using random: inout SplitMix64) -> [UInt8] {
        var router = Router(
            speech: [.pcp, .natPMP, .refusing(.random(in: 0...13, using: &random), .random(in: 0...6, using: &random))]
                .randomElement(using: &random) ?? .pcp,
            address: Endpoint(ipv4: .random(in: .min ... .max, using: &random), port: 0),
            age: .random(in: .min ... .max, using: &random), lease: .random(in: .min ... .max, using: &random))
        let request = PCP.MapRequest(
            nonce: Home.nonce, transport: Bool.random(using: &random) ? .udp : .tcp, inside: Home.inside,
            outside: Endpoint(ipv4: 0, port: .random(in: .min ... .max, using: &random)),
            lifetime: .random(in: 0...2, using: &random))
        let asked = [
            request.encoded, NATPMP.addressRequest,
            NATPMP.mapRequest(
                request.transport, insidePort: 7_000, outsidePort: request.outside.port, lifetime: request.lifetime),
        ]
        return router.answer(asked.randomElement(using: &random) ?? []) ?? []
    }
}
