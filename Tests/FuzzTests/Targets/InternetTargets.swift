import StreakWire

@testable import StreakInternet

extension FuzzTarget {
    /// What routers, nodes of a public network and the system's tables say.
    static let internetTargets: [FuzzTarget] = [
        FuzzTarget("port-mapper", portMapper),
        FuzzTarget("mapping-answer") { bytes in
            if case .mapped(let mapped)? = accepted({ try PCP.answer(bytes) }) {
                try demand(bytes.count >= PCP.mapSize, "an answer is whole")
                try demand(mapped.lifetime == 0 || bytes[4..<8].contains { $0 != 0 }, "a lifetime is what came")
            }
            if case .mapped(_, let inside, let outside, _, _)? = accepted({ try NATPMP.answer(bytes) }) {
                try demand(Array(bytes[8..<12]) == ports(inside, outside), "ports are what came")
            }
        },
        FuzzTarget("mainline-answer") { bytes in
            let token = Array("wxyz".utf8)
            guard let seen = MainlinePing.seen(in: bytes, token: token) else { return }
            try demand(bytes.count <= 512, "a long answer is not read")
            var writer = WireWriter()
            writer.write(seen)
            let raw = seen.ipv4 == nil ? writer.bytes : Array(writer.bytes.suffix(6))
            let whole = "d2:ip\(raw.count):".utf8 + raw
            let isMapped = bytes.starts(with: "d2:ip18:".utf8)
            try demand(isMapped || bytes.starts(with: whole), "an endpoint is what came")
        },
        FuzzTarget("routing-table") { bytes in
            for routes in [Gateways.ipv4(bytes), Gateways.ipv6(bytes), Gateways.routingMessages(bytes)] {
                try demand(routes.count <= 4_096, "routes are bounded")
            }
            try demand(
                zip(Gateways.ipv4(bytes), Gateways.ipv4(bytes).dropFirst()).allSatisfy { $0.metric <= $1.metric },
                "the preferred route comes first")
        },
    ]

    private static func ports(_ inside: UInt16, _ outside: UInt16) -> [UInt8] {
        var writer = WireWriter()
        writer.write(inside)
        writer.write(outside)
        return writer.bytes
    }

    /// A mapper whose router says anything at any time: the first byte of each piece tells what happens.
    @Sendable private static func portMapper(_ bytes: [UInt8]) throws {
        var source = ByteSource(bytes)
        let gateway = Endpoint(ipv4: 0xC0A8_0101, port: PCP.port)
        let nonce = MappingNonce(0x0102_0304, 0x0506_0708_090A_0B0C)
        var mapper = PortMapper()
        var now = Duration.zero
        var sentCount = 0
        func take(_ input: PortMapper.Input) throws {
            for output in mapper.handle(input, at: now) {
                guard case .send(let datagram, let target) = output else { continue }
                sentCount += 1
                try demand(datagram.count <= PCP.mapSize && target == gateway, "only the router is asked")
            }
            try demand(mapper.endpoint?.mayBeTold ?? true, "what may not be told is not")
        }
        while !source.isEmpty {
            switch source.choice(of: 7) {
            case 0:
                let inside = Endpoint(ipv4: 0xC0A8_0102, port: 7_000 + UInt16(source.choice(of: 2)))
                try take(.lineFound(PortMapper.Line(gateway: gateway, inside: inside), nonce: nonce))
            case 1: try take(.datagramReceived(source.piece(), from: gateway))
            case 2:
                now += .milliseconds(Int(source.short()))
                // Three requests, UPnP, and the next round.
                for _ in 0..<16 where mapper.nextDeadline.map({ $0 <= now }) ?? false { try take(.deadlineReached) }
                try demand(mapper.nextDeadline.map { $0 > now } ?? true, "a deadline that was reached is over")
            case 3: try take(.upnpEnded(.failed(.refused)))
            case 4:
                let outside = Endpoint(ipv4: UInt32(source.short()) << 16, port: source.short())
                try take(.upnpEnded(.mapped(outside: outside, hasTCP: true, lease: .seconds(Int(source.short())))))
            case 5: try take(.seen(Endpoint(ipv4: UInt32(source.short()) << 16, port: 1_024)))
            default: try take(.stopped)
            }
        }
        // Three to a byte at the most: what a piece of time alone can have it send.
        try demand(sentCount <= 3 * bytes.count, "a router cannot have this node send without end")
    }
}
