import StreakCrypto
import StreakMembership
import StreakWire
import Testing

@testable import StreakEngine
@testable import StreakLinks
@testable import streakmesh_vectors

/// The vectors were made with the Noise layer alone. Here the engine's own code must produce and read the same bytes.
struct HandshakeConformanceTests {
    /// Returns a vector's ephemeral key.
    private struct FixedEntropy: EntropySource {
        let secret: [UInt8]

        mutating func bytes(_ count: Int) -> [UInt8] { Array(secret.prefix(count)) }
    }

    /// One side of a handshake from the vector.
    private struct Side {
        let key: AgreementSecretKey
        let nonce: LinkNonce
        let index: UInt32
        var entropy: FixedEntropy

        init(_ entry: Value) throws {
            key = try AgreementSecretKey(rawBytes: entry.bytes("linkSecret"))
            nonce = try #require(LinkNonce(entry.bytes("nonce")))
            index = try entry.integer("index")
            entropy = FixedEntropy(secret: try entry.bytes("ephemeralSecret"))
        }
    }

    /// Both sides of a handshake run by the engine.
    private struct Exchange {
        let kind: HandshakeKind
        let transport: Transport
        let key: LinkKey
        var initiator: Side
        var responder: Side
        var left: NoiseHandshake
        var right: NoiseHandshake
        let initiation: [UInt8]
        let response: [UInt8]
        let final: [UInt8]?
        let remoteIndex: UInt32
        /// The responder before it has read the final.
        let answered: NoiseHandshake
        /// The initiator before it has read the response.
        let waiting: NoiseHandshake

        init(_ entry: Value) throws {
            switch try entry.text("kind") {
            case "member": kind = .member
            case "invite": kind = .invite
            default: kind = .friend
            }
            let certificate = kind == .friend ? try entry.bytes("certificate") : []
            transport = try entry.text("transport") == "udp" ? .datagram : .stream
            key = LinkKey(
                handshake: kind, presharedKey: try SymmetricKey(rawBytes: entry.bytes("presharedKey")),
                tagKey: try SymmetricKey(rawBytes: entry.bytes("tagKey")), label: "vector")
            initiator = try Side(entry["initiator"])
            responder = try Side(entry["responder"])
            (waiting, initiation) = try HandshakeMessages.initiate(
                Dial.Target(
                    peer: kind == .member ? responder.key.publicKey : nil, key: key,
                    endpoint: Endpoint(ipv4: 0x7F00_0001, port: 1), rekeys: nil),
                staticKey: initiator.key, nonce: initiator.nonce, senderIndex: initiator.index, transport: transport,
                entropy: &initiator.entropy)
            let parsed = try HandshakeMessages.parseInitiation(initiation)
            let read = try #require(
                HandshakeMessages.read(
                    parsed, key: key, staticKey: responder.key, transport: transport, entropy: &responder.entropy))
            #expect(read.nonce == initiator.nonce)
            right = read.handshake
            response = try HandshakeMessages.response(
                by: &right, to: parsed, nonce: responder.nonce, ownIndex: responder.index, credential: certificate)
            answered = right
            let finished = try #require(HandshakeMessages.finish(waiting, of: kind, response: response))
            if kind == .friend {
                let shown = try #require(HandshakeMessages.credential(waiting, response: response))
                #expect(shown.peer == responder.key.publicKey)
                #expect(shown.credential == certificate)
            }
            #expect(finished.nonce == responder.nonce)
            left = finished.handshake
            final = finished.final
            remoteIndex = finished.remoteIndex
            if let final { _ = try right.readMessage(Array(final[HandshakeMessages.finalHeaderSize...])) }
        }

        /// The session of one side over datagrams.
        func session(ofInitiator: Bool) throws -> DatagramSession {
            let peer = ofInitiator ? responder : initiator
            let own = ofInitiator ? initiator : responder
            return DatagramSession(
                localIndex: own.index, remoteIndex: peer.index,
                keys: try (ofInitiator ? left : right).transportKeys(),
                introduction: Introduction(
                    peer: peer.key.publicKey, key: key, ownNonce: own.nonce, peerNonce: peer.nonce,
                    isInitiator: ofInitiator),
                createdAt: .zero, answeredTag: nil)
        }
    }

    @Test func `the engine makes and reads every packet of a handshake`() throws {
        let entries = try Vectors.read("handshakes").list("valid")
        #expect(entries.count == 5)
        for entry in entries {
            let exchange = try Exchange(entry)
            #expect(try exchange.initiation == entry.bytes("initiation"), "\(entry.name)")
            #expect(try exchange.response == entry.bytes("response"), "\(entry.name)")
            let expectedFinal = exchange.kind == .member ? nil : try entry.bytes("final")
            #expect(exchange.final == expectedFinal, "\(entry.name)")
            #expect(exchange.remoteIndex == exchange.responder.index)
            #expect(exchange.left.remoteStaticKey == exchange.responder.key.publicKey)
            #expect(exchange.right.remoteStaticKey == exchange.initiator.key.publicKey)
            #expect(try exchange.left.handshakeHash == entry.bytes("handshakeHash"))
            #expect(try exchange.right.handshakeHash == entry.bytes("handshakeHash"))
            for isInitiator in [true, false] {
                let session = try exchange.session(ofInitiator: isInitiator)
                let own = isInitiator ? exchange.initiator : exchange.responder
                let binding = HandshakeMessages.binding(own: own.key.publicKey, introduction: session.introduction)
                #expect(try binding == entry.bytes("linkBinding"))
            }
        }
    }

    @Test func `the engine makes and reads every transport packet`() throws {
        for entry in try Vectors.read("handshakes").list("valid") {
            let exchange = try Exchange(entry)
            var datagrams = [
                true: try exchange.session(ofInitiator: true), false: try exchange.session(ofInitiator: false),
            ]
            var streams = [
                true: StreamSession(keys: try exchange.left.transportKeys()),
                false: StreamSession(keys: try exchange.right.transportKeys()),
            ]
            for packet in entry.list("transports") {
                let plaintext = try packet.bytes("plaintext")
                let bytes = try packet.bytes("hex")
                let isInitiator = try packet.text("from") == "initiator"
                #expect(try LinkPacket(decoding: plaintext).encoded() == plaintext, "\(packet.name)")
                switch exchange.transport {
                case .datagram:
                    #expect(datagrams[isInitiator]?.seal(plaintext) == bytes, "\(packet.name)")
                    let counter: UInt64 = try packet.integer("counter")
                    let opened = try datagrams[!isInitiator]?.open(bytes, counter: counter).plaintext
                    #expect(opened == plaintext, "\(packet.name)")
                    #expect(throws: DropReasonError.self, "replayed") {
                        _ = try datagrams[!isInitiator]?.open(bytes, counter: counter)
                    }
                case .stream:
                    #expect(streams[isInitiator]?.seal(plaintext) == bytes, "\(packet.name)")
                    #expect(try streams[!isInitiator]?.open(Array(bytes.dropFirst(2))) == plaintext, "\(packet.name)")
                }
            }
        }
    }

    @Test func `a packet cut off or with a bit turned over is refused or encodes to itself`() throws {
        for entry in try Vectors.read("handshakes").list("valid") {
            for packet in entry.list("transports") {
                let plaintext = try packet.bytes("plaintext")
                let cut = plaintext.indices.map { Array(plaintext.prefix($0)) }
                for bytes in HostileVectorTests.flips(of: plaintext) + cut {
                    guard let packet = try? LinkPacket(decoding: bytes) else { continue }  // refused: it may be
                    #expect(packet.encoded() == bytes)
                }
            }
        }
    }

    /// Every kind of plaintext is among the vectors.
    @Test func `there is a transport packet of every kind`() throws {
        let kinds = try Vectors.read("handshakes").list("valid").flatMap {
            try $0.list("transports").map { try $0.bytes("plaintext").first }
        }
        #expect(Set(kinds.compactMap(\.self)) == Set(0...9))
    }

    @Test func `packets that are refused are refused for their reason`() throws {
        let vectors = try Vectors.read("handshakes")
        for entry in vectors.list("invalid") {
            let valid = try #require(vectors.list("valid").first { try $0.text("name") == entry.text("handshake") })
            let exchange = try Exchange(valid)
            let bytes = try entry.bytes("hex")
            let packet = try entry.text("packet")
            let verdict = try Self.verdict(on: bytes, as: packet, in: exchange)
            #expect(try verdict == entry.text("reason"), "\(packet): \(entry.name)")
        }
    }

    /// Why one side of a handshake refuses a packet; “taken” if it accepts it.
    private static func verdict(on bytes: [UInt8], as packet: String, in exchange: Exchange) throws -> String {
        switch packet {
        case "initiation": return initiationVerdict(on: bytes, in: exchange)
        case "response":
            guard bytes.count == exchange.kind.responseSize else { return "malformed" }
            return HandshakeMessages.finish(exchange.waiting, of: exchange.kind, response: bytes) == nil
                ? "authentication" : "taken"
        case "final":
            guard bytes.count == HandshakeMessages.finalSize else { return "malformed" }
            var copy = exchange.answered
            do {
                _ = try copy.readMessage(Array(bytes[HandshakeMessages.finalHeaderSize...]))
                return "taken"
            } catch {
                return "authentication"
            }
        default:
            guard bytes.count >= LinkPacket.datagramHeaderSize + NoiseCipher.overhead else { return "malformed" }
            var session = try exchange.session(ofInitiator: false)
            let counter = bytes[5..<13].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            do {
                _ = try session.open(bytes, counter: counter)
                return "taken"
            } catch {
                return error.reason == .authenticationFailed ? "authentication" : "\(error.reason)"
            }
        }
    }

    private static func initiationVerdict(on bytes: [UInt8], in exchange: Exchange) -> String {
        do throws(DropReasonError) {
            let parsed = try HandshakeMessages.parseInitiation(bytes)
            let tag = HandshakeMessages.tag(of: parsed.tagged, key: exchange.key, transport: exchange.transport)
            // With another size it belongs to another kind of handshake.
            guard parsed.kind == exchange.kind else { return "malformed" }
            guard parsed.tag.array == tag else { return "tag" }
            var entropy = exchange.responder.entropy
            let read = HandshakeMessages.read(
                parsed, key: exchange.key, staticKey: exchange.responder.key, transport: exchange.transport,
                entropy: &entropy)
            return read == nil ? "authentication" : "taken"
        } catch {
            return error.reason == .unsupportedVersion ? "unsupported-version" : "malformed"
        }
    }
}
