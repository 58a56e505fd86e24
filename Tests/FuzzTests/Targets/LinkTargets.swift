import StreakCrypto
import StreakMembership
import StreakWire

@testable import StreakEngine
@testable import StreakLinks

extension FuzzTarget {
    /// Packets and streams, from strangers and from those who hold a key.
    static let linkTargets: [FuzzTarget] = [
        FuzzTarget("datagram") { bytes in
            var line = FuzzLine()
            line.deliver(bytes)
            // Once more with the right size and a right tag, as every kind of handshake.
            for kind in FuzzLine.kinds { line.deliver(FuzzLine.tagged(bytes, as: kind)) }
        },
        FuzzTarget("handshake", handshake),
        FuzzTarget("links", links),
    ]

    /// Payloads that nobody honest seals into the three handshakes, on both sides and over both transports.
    @Sendable private static func handshake(_ bytes: [UInt8]) throws {
        var source = ByteSource(bytes)
        let kind = FuzzLine.kinds[source.choice(of: FuzzLine.kinds.count)]
        let transport: Transport = source.flag() ? .datagram : .stream
        let payload = source.remainder()
        var line = FuzzLine()
        line.begin(kind, over: transport, payload: payload)
        line.answer(kind, over: transport, payload: payload)
        for _ in 0..<3 { line.pass(.seconds(2)) }
    }

    /// An open link whose other end says whatever it likes, in whatever pieces and at whatever times.
    @Sendable private static func links(_ bytes: [UInt8]) throws {
        var source = ByteSource(bytes)
        guard var line = FuzzLine.open else { throw FuzzFinding(description: "no link could be opened") }
        while !source.isEmpty {
            switch source.choice(of: 10) {
            case 0: line.deliver(source.piece())
            case 1, 2: line.seal(source.piece())
            case 3: line.sealOnStream(source.piece())
            case 4: line.acceptStream(source.piece())
            case 5: line.say(source.piece())
            case 6: line.answerBack(source.piece())
            case 7: line.pass(.milliseconds(Int(source.short())))
            case 8: line.pass(.seconds(Int(source.byte())))
            default: line.moves = source.choice(of: 3)
            }
        }
        line.pass(.seconds(1))
        try line.check()
    }
}

/// One `Links` under attack, and one that the attacker plays with.
struct FuzzLine: Sendable {
    static let kinds: [HandshakeKind] = [.member, .invite, .friend]
    private static let staticKeys: [AgreementSecretKey] = {
        var entropy = SeededEntropy(seed: 8)
        return (0..<2).map { _ in AgreementSecretKey.generate(from: &entropy) }
    }()
    private static let keys: [LinkKey] = zip(kinds, [1, 3, 5] as [UInt8]).compactMap { kind, number in
        accepted {
            LinkKey(
                handshake: kind, presharedKey: try SymmetricKey(rawBytes: [UInt8](repeating: number, count: 32)),
                tagKey: try SymmetricKey(rawBytes: [UInt8](repeating: number + 1, count: 32)), label: number)
        }
    }

    private static func key(of kind: HandshakeKind) -> LinkKey {
        keys[kind == .member ? 0 : kind == .invite ? 1 : 2]
    }

    /// With an open link over datagrams and over a stream. Made once.
    static let open: FuzzLine? = {
        var line = FuzzLine()
        line.attacker.dial(
            peer: line.victim.publicKey, key: keys[0], to: line.home, at: line.now, entropy: &line.entropy)
        line.exchange()
        return line.link == nil ? nil : line
    }()

    private var victim = Links(staticKey: staticKeys[0])
    private var attacker = Links(staticKey: staticKeys[1])
    private var entropy = SeededEntropy(seed: 9)
    private var now = MonotonicInstant.zero
    private var lastStream: UInt64 = 0
    /// Names of one stream on both sides.
    private var streams: [(attacker: StreamID, victim: StreamID)] = []
    private let home = Endpoint(ipv4: 0x0A00_0001, port: 7_420)
    /// From which of three addresses the attacker speaks.
    var moves = 0

    init() {
        victim.setKeys([Self.keys[0]], for: .member)
        victim.setKeys([Self.keys[1]], for: .invite)
        victim.setKeys(Array(Self.keys.dropFirst(2)), for: .friend)
        victim.friendCredential = [1, 2, 3]
    }

    private var endpoint: Endpoint { Endpoint(ipv4: 0x0A00_0064 + UInt32(moves), port: 9_998) }
    private var link: LinkID? { attacker.liveLinks.first }

    // MARK: What the attacker does

    mutating func deliver(_ datagram: [UInt8]) {
        victim.handle(.datagramReceived(datagram, from: endpoint), at: now, entropy: &entropy)
        exchange()
    }

    /// A packet's plaintext, under the link's session.
    mutating func seal(_ plaintext: [UInt8]) {
        guard let link, let index = attacker.links[link]?.datagrams?.current,
            let packet = attacker.sessions.seal(plaintext, under: index)
        else { return }
        deliver(packet)
    }

    /// The same on the link's stream.
    mutating func sealOnStream(_ plaintext: [UInt8]) {
        guard let link, let own = attacker.links[link]?.stream, let frame = attacker.streams.seal(plaintext, on: own),
            let other = streams.first(where: { $0.attacker == own })?.victim
        else { return }
        victim.handle(.streamBytesReceived(other, frame), at: now, entropy: &entropy)
        exchange()
    }

    mutating func acceptStream(_ bytes: [UInt8]) {
        lastStream += 2
        victim.handle(.streamAccepted(StreamID(lastStream), from: endpoint), at: now, entropy: &entropy)
        victim.handle(.streamBytesReceived(StreamID(lastStream), bytes), at: now, entropy: &entropy)
        exchange()
    }

    mutating func say(_ message: [UInt8]) {
        guard let link else { return }
        attacker.send(message, over: link, as: message.count % 2 == 0 ? .reliable : .rumour, at: now)
        exchange()
    }

    /// The victim says something, so that acknowledgements have something to be of.
    mutating func answerBack(_ message: [UInt8]) {
        guard let link = victim.liveLinks.first else { return }
        victim.send(message, over: link, as: .reliable, at: now)
        exchange()
    }

    mutating func pass(_ duration: Duration) {
        now = now.advanced(by: duration)
        exchange()
    }

    /// A handshake of the attacker's with this payload, cut or filled to the only size that is looked at.
    mutating func begin(_ kind: HandshakeKind, over transport: Transport, payload: [UInt8]) {
        let size = kind == .friend ? HandshakeMessages.friendInitiationPayloadSize : HandshakeMessages.nonceSize
        let key = Self.key(of: kind)
        let packet = accepted {
            var handshake = try NoiseHandshake(
                pattern: kind.pattern, role: .initiator, prologue: HandshakeMessages.prologue(kind, transport),
                staticKey: Self.staticKeys[1], remoteStaticKey: kind == .member ? victim.publicKey : nil,
                presharedKeys: [key.presharedKey], ephemeralKey: AgreementSecretKey.generate(from: &entropy))
            let header = [PacketType.initiation.rawValue, ProtocolLimits.version, 0, 0, 0, 9]
            let bytes = header + (try handshake.writeMessage(Self.sized(payload, size)))
            return bytes + HandshakeMessages.tag(of: bytes, key: key, transport: transport)
        }
        guard let packet else { return }
        if transport == .stream { acceptStream(StreamFraming.framed(packet)) } else { deliver(packet) }
    }

    /// An answer to a handshake of the victim's, with this payload.
    mutating func answer(_ kind: HandshakeKind, over transport: Transport, payload: [UInt8]) {
        let key = Self.key(of: kind)
        let isStream = transport == .stream
        victim.dial(
            peer: kind == .member ? attacker.publicKey : nil, key: key, to: endpoint, usesDatagrams: !isStream,
            usesStreams: isStream, at: now, entropy: &entropy)
        for output in victim.drain().outputs {
            switch output {
            case .openStream(let id, _):
                victim.handle(.streamOpened(id), at: now, entropy: &entropy)
                for case .sendStream(id, let frame) in victim.drain().outputs {
                    guard let response = response(kind, transport, to: Array(frame.dropFirst(2)), payload) else {
                        return
                    }
                    let bytes = StreamFraming.framed(response)
                    victim.handle(.streamBytesReceived(id, bytes), at: now, entropy: &entropy)
                }
            case .sendDatagram(let packet, _, _):
                guard let response = response(kind, transport, to: packet, payload) else { return }
                victim.handle(.datagramReceived(response, from: endpoint), at: now, entropy: &entropy)
            default: break
            }
        }
        for case .responderShown(let dial, let peer, _, _) in victim.drain().events {
            victim.approve(dial, peer: peer, at: now, entropy: &entropy)
        }
        exchange()
    }

    private mutating func response(
        _ kind: HandshakeKind, _ transport: Transport, to packet: [UInt8], _ payload: [UInt8]
    ) -> [UInt8]? {
        let size =
            kind == .friend ? HandshakeMessages.friendResponsePayloadSize : HandshakeMessages.responsePayloadSize
        return accepted { () throws -> [UInt8]? in
            let initiation = try HandshakeMessages.parseInitiation(packet)
            let read = HandshakeMessages.read(
                initiation, key: Self.key(of: kind), staticKey: Self.staticKeys[1], transport: transport,
                entropy: &entropy)
            guard var handshake = read?.handshake else { return nil }
            let index = (0..<4).map { UInt8(truncatingIfNeeded: initiation.senderIndex >> (24 - 8 * UInt32($0))) }
            return [PacketType.response.rawValue] + index + (try handshake.writeMessage(Self.sized(payload, size)))
        } ?? nil
    }

    /// Bytes of any content as a first message with a right tag.
    static func tagged(_ bytes: [UInt8], as kind: HandshakeKind) -> [UInt8] {
        let header = [PacketType.initiation.rawValue, ProtocolLimits.version, 0, 0, 0, 9]
        let body = header + sized(bytes, kind.initiationSize - header.count - HandshakeMessages.tagSize)
        return body + HandshakeMessages.tag(of: body, key: key(of: kind), transport: .datagram)
    }

    private static func sized(_ bytes: [UInt8], _ size: Int) -> [UInt8] {
        Array(bytes.prefix(size)) + [UInt8](repeating: 0, count: max(0, size - bytes.count))
    }

    // MARK: The network between them

    private mutating func exchange() {
        for _ in 0..<40 {
            victim.handle(.deadlineReached, at: now, entropy: &entropy)
            attacker.handle(.deadlineReached, at: now, entropy: &entropy)
            let (mine, theirs) = (attacker.drain().outputs, victim.drain().outputs)
            if mine.isEmpty, theirs.isEmpty { return }
            for output in mine { carry(output) }
            for output in theirs { carryBack(output) }
        }
    }

    private mutating func carry(_ output: LinkOutput) {
        switch output {
        case .sendDatagram(let bytes, _, _):
            victim.handle(.datagramReceived(bytes, from: endpoint), at: now, entropy: &entropy)
        case .openStream(let id, _):
            lastStream += 2
            streams.append((id, StreamID(lastStream)))
            victim.handle(.streamAccepted(StreamID(lastStream), from: endpoint), at: now, entropy: &entropy)
            attacker.handle(.streamOpened(id), at: now, entropy: &entropy)
        case .sendStream(let id, let bytes):
            guard let other = streams.first(where: { $0.attacker == id })?.victim else { return }
            victim.handle(.streamBytesReceived(other, bytes), at: now, entropy: &entropy)
        case .closeStream(let id):
            guard let other = streams.first(where: { $0.attacker == id })?.victim else { return }
            victim.handle(.streamClosed(other), at: now, entropy: &entropy)
        }
    }

    private mutating func carryBack(_ output: LinkOutput) {
        switch output {
        case .sendDatagram(let bytes, let target, _):
            guard target == endpoint else { return }
            attacker.handle(.datagramReceived(bytes, from: home), at: now, entropy: &entropy)
        case .openStream(let id, _):
            victim.handle(.streamFailed(id), at: now, entropy: &entropy)
        case .sendStream(let id, let bytes):
            guard let other = streams.first(where: { $0.victim == id })?.attacker else { return }
            attacker.handle(.streamBytesReceived(other, bytes), at: now, entropy: &entropy)
        case .closeStream(let id):
            guard let other = streams.first(where: { $0.victim == id })?.attacker else { return }
            attacker.handle(.streamClosed(other), at: now, entropy: &entropy)
        }
    }

    /// Whatever was said, what is kept stays bounded, and time goes on.
    func check() throws(FuzzFinding) {
        var copy = self
        for _ in 0..<50 {
            guard let deadline = copy.victim.nextDeadline, deadline <= now else { break }
            copy.victim.handle(.deadlineReached, at: now, entropy: &copy.entropy)
        }
        try demand(copy.victim.nextDeadline.map { $0 > now } ?? true, "the links do not spin")
        try demand(victim.liveLinks.count <= 2, "there are no more links than peers")
        let limits = LinkLimits()
        let maximum = limits.maximumStreams + limits.maximumStrangerStreams + limits.maximumWaitingStreams
        try demand(victim.streams.count <= maximum, "streams are bounded")
    }
}
