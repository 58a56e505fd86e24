import StreakWire

@testable import StreakInternet

/// A router of a test: what it answers, by the documents of the protocols.
struct Router {
    enum Speech: Hashable {
        case pcp, natPMP, nothing
        /// PCP with this result, and NAT-PMP with that one; nil for silence.
        case refusing(UInt8, UInt16?)
    }

    var speech = Speech.pcp
    var address = Endpoint(ipv4: 0xC612_0001, port: 0)
    /// In seconds.
    var age: UInt32 = 100
    var lease: UInt32 = 3_600
    /// Outside ports that others have, and what is given in their place.
    var taken: [MappedTransport: [UInt16: UInt16]] = [:]
    /// What is open, by transport and outside port.
    private(set) var open: [MappedTransport: UInt16] = [:]

    mutating func restart() {
        open = [:]
        age = 0
    }

    /// What it says to a datagram, if anything.
    mutating func answer(_ bytes: [UInt8]) -> [UInt8]? {
        switch (speech, bytes.count) {
        case (.pcp, PCP.mapSize): map(bytes, result: 0)
        case (.refusing(let result, _), PCP.mapSize): map(bytes, result: result)
        // Eight bytes: version 0, the operation, result 1, the age (RFC 6886 §3.5).
        case (.natPMP, PCP.mapSize): [0, 0x81, 0, 1] + Self.bytes(age)
        case (.natPMP, 2): [0, 0x80, 0, 0] + Self.bytes(age) + Self.bytes(address.ipv4 ?? 0)
        case (.natPMP, 12): mapByNATPMP(bytes)
        case (.refusing(_, let result?), 2), (.refusing(_, let result?), 12):
            [0, 0x80 | bytes[1], UInt8(result >> 8), UInt8(result & 255)] + Self.bytes(age)
        default: nil
        }
    }

    private mutating func given(_ transport: MappedTransport, _ wished: UInt16, _ lifetime: UInt32) -> UInt16 {
        guard lifetime > 0 else {
            open[transport] = nil
            return 0
        }
        let port = taken[transport]?[wished] ?? wished
        open[transport] = port
        return port
    }

    private mutating func map(_ request: [UInt8], result: UInt8) -> [UInt8]? {
        guard let transport = MappedTransport(rawValue: request[36]) else { return nil }
        let wished = UInt16(request[42]) << 8 | UInt16(request[43])
        let lifetime = request[4..<8].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let port = result == 0 ? given(transport, wished, lifetime) : wished
        return [2, 0x81, 0, result] + Self.bytes(lifetime == 0 ? 0 : lease) + Self.bytes(age)
            + [UInt8](repeating: 0, count: 12) + request[24..<42] + [UInt8(port >> 8), UInt8(port & 255)]
            + Self.bytes(address.address)
    }

    private mutating func mapByNATPMP(_ request: [UInt8]) -> [UInt8] {
        let transport = request[1] == 1 ? MappedTransport.udp : .tcp
        let lifetime = request[8..<12].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let port = given(transport, UInt16(request[6]) << 8 | UInt16(request[7]), lifetime)
        return [0, 0x80 | request[1], 0, 0] + Self.bytes(age) + request[4..<6]
            + [UInt8(port >> 8), UInt8(port & 255)] + Self.bytes(lifetime == 0 ? 0 : lease)
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        var writer = WireWriter()
        writer.write(number)
        return writer.bytes
    }

    private static func bytes(_ number: Bytes16) -> [UInt8] {
        var writer = WireWriter()
        writer.write(number)
        return writer.bytes
    }
}

/// A mapper beside a router, and the time between them.
struct Home {
    static let gateway = Endpoint(ipv4: 0xC0A8_0101, port: 5_351)
    static let inside = Endpoint(ipv4: 0xC0A8_0102, port: 7_000)
    static let nonce = MappingNonce(0x0102_0304, 0x0506_0708_090A_0B0C)

    var mapper = PortMapper()
    var router: Router
    var now: Duration = .seconds(1_000)
    /// What the mapper had sent, in order, with the time.
    var sent: [(time: Duration, bytes: [UInt8])] = []
    /// All else that it had done.
    var outputs: [PortMapper.Output] = []

    init(_ router: Router) { self.router = router }

    static func line(inside: Endpoint = inside, gateway: Endpoint = gateway) -> PortMapper.Line {
        PortMapper.Line(gateway: gateway, inside: inside)
    }

    mutating func connect() { take(.lineFound(Self.line(), nonce: Self.nonce)) }

    /// Hands in what has happened, and lets the router answer at once.
    mutating func take(_ input: PortMapper.Input) {
        var inputs = [input]
        while !inputs.isEmpty {
            for output in mapper.handle(inputs.removeFirst(), at: now) {
                guard case .send(let bytes, let target) = output else {
                    outputs.append(output)
                    continue
                }
                sent.append((now, bytes))
                if let answer = router.answer(bytes) { inputs.append(.datagramReceived(answer, from: target)) }
            }
        }
    }

    /// Lets time pass up to the next deadline.
    mutating func wait() {
        guard let deadline = mapper.nextDeadline else { return }
        pass(deadline - now)
    }

    mutating func pass(_ duration: Duration) {
        let end = now + duration
        while let deadline = mapper.nextDeadline, deadline <= end {
            router.age += UInt32(clamping: (deadline - now).components.seconds)
            now = max(now, deadline)
            take(.deadlineReached)
        }
        router.age += UInt32(clamping: (end - now).components.seconds)
        now = end
    }
}
