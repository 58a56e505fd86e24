import StreakCrypto
import StreakLinks
import StreakMembership
import StreakWire

@testable import StreakEngine

/// A hostile program with keys that it once had: it opens a link and sends what it likes.
struct Intruder {
    private var links: Links
    private var entropy: SeededEntropy
    private let identity: DeviceIdentity
    private var now = MonotonicInstant.zero
    private var link: LinkID?
    private(set) var binding: [UInt8] = []
    private let target: Int
    static let endpoint = Endpoint(ipv4: 0x0A00_0064, port: 9_998)
    private let endpoint: Endpoint
    /// The other side's names of the streams that were opened.
    private var streams: [(own: StreamID, remote: StreamID)] = []

    /// What the other side has said.
    private(set) var heard: [LinkMessage] = []
    private(set) var isClosed = false
    /// What came on streams, and how many of them the other side has closed.
    private(set) var receivedByteCount = 0
    private(set) var closedStreamCount = 0

    /// - Parameter seed: different for each intruder of a test. What one has sent would be a replay from another.
    init(_ identity: DeviceIdentity, target: Int, seed: UInt64 = 667, endpoint: Endpoint = Intruder.endpoint) {
        self.endpoint = endpoint
        entropy = SeededEntropy(seed: seed)
        links = Links(staticKey: identity.linkKey)
        self.identity = identity
        self.target = target
    }

    /// Whether a link was opened under the key, with the device that has `peer`.
    mutating func dial(
        _ key: LinkKey, peer: AgreementPublicKey?, overStream: Bool = false, rounds: Int = 50,
        in party: inout EngineNetwork
    ) -> Bool {
        links.dial(
            peer: peer, key: key, to: party.endpoint(target), usesDatagrams: !overStream, usesStreams: overStream,
            at: now, entropy: &entropy)
        exchange(with: &party, rounds: rounds)
        return link != nil
    }

    /// Proves to hold an access key.
    mutating func greet(_ keys: [AccessKey], in party: inout EngineNetwork) {
        let proofs = keys.map { key in
            Bytes16(
                Blake2b.keyedHash(binding + identity.linkKey.publicKey.rawBytes, key: key.groupProofKey, size: 16))
                ?? .zero
        }
        say(.hello(store: StoreID(bytes: Bytes16(6, 6)), proofs: proofs), in: &party)
    }

    /// Asks to join over this link, with a certificate and a proof for a handshake: this one where nil.
    mutating func join(
        by link: InviteLink, as newcomer: DeviceIdentity, handshake: [UInt8]? = nil, in party: inout EngineNetwork
    ) {
        let hash = Blake2b.hash(handshake ?? binding, size: 64)
        let proof = JoinProof(
            inviteKey: link.secrets.inviteKey, group: link.group, identity: newcomer, handshakeHash: hash)
        var writer = WireWriter()
        proof.write(to: &writer)
        say(.joinRequested(certificate: newcomer.certificate.encoded(), proof: writer.bytes), in: &party)
    }

    mutating func say(_ message: LinkMessage, in party: inout EngineNetwork) {
        guard let link else { return }
        links.send(message.encoded, over: link, as: .reliable, at: now)
        exchange(with: &party)
    }

    /// Opens a stream and asks over it, and does not wait for the answer.
    mutating func knock(_ key: LinkKey, peer: AgreementPublicKey?, in party: inout EngineNetwork) {
        links.dial(peer: peer, key: key, to: party.endpoint(target), usesDatagrams: false, at: now, entropy: &entropy)
        for _ in 0..<2 { for output in links.drain().outputs { perform(output, in: &party) } }
    }

    /// Passes datagrams and streams both ways, for a second unless told otherwise.
    mutating func exchange(with party: inout EngineNetwork, rounds: Int = 50) {
        for _ in 0..<rounds {
            now = now.advanced(by: .milliseconds(20))
            links.handle(.deadlineReached, at: now, entropy: &entropy)
            let (outputs, events) = links.drain()
            for event in events {
                switch event {
                case .opened(let id, _, _, let hash, _, _):
                    link = id
                    binding = hash
                case .messageReceived(_, let bytes, _):
                    if let message = try? LinkMessage(decoding: bytes) { heard.append(message) }  // none is damaged
                case .responderShown(let dial, let peer, _, _):
                    links.approve(dial, peer: peer, at: now, entropy: &entropy)
                case .closed:
                    isClosed = true
                default: break
                }
            }
            for output in outputs { perform(output, in: &party) }
            party.run(for: .milliseconds(15))
            for answer in party.takeStrays() {
                links.handle(.datagramReceived(answer, from: party.endpoint(target)), at: now, entropy: &entropy)
            }
            readStreams(in: &party)
        }
    }

    private mutating func perform(_ output: LinkOutput, in party: inout EngineNetwork) {
        switch output {
        case .sendDatagram(let bytes, _, _):
            for answer in party.deliver(bytes, from: endpoint, to: target) {
                links.handle(.datagramReceived(answer, from: party.endpoint(target)), at: now, entropy: &entropy)
            }
        case .openStream(let id, _):
            streams.append((id, party.openStream(from: endpoint, to: target)))
            links.handle(.streamOpened(id), at: now, entropy: &entropy)
        case .sendStream(let id, let bytes):
            guard let remote = streams.first(where: { $0.own == id })?.remote else { return }
            party.sendStream(remote, bytes, to: target)
        case .closeStream(let id):
            guard let remote = streams.first(where: { $0.own == id })?.remote else { return }
            party.closeStream(remote, to: target)
        }
    }

    /// Takes what came on the streams, and hears which of them the other side has closed.
    private mutating func readStreams(in party: inout EngineNetwork) {
        for (own, remote) in streams {
            let bytes = party.takeStreamBytes(remote)
            receivedByteCount += bytes.count
            if !bytes.isEmpty { links.handle(.streamBytesReceived(own, bytes), at: now, entropy: &entropy) }
            guard party.closedStreams.contains(remote) else { continue }
            links.handle(.streamClosed(own), at: now, entropy: &entropy)
            closedStreamCount += 1
        }
        let closed = party.closedStreams
        streams.removeAll { closed.contains($0.remote) }
    }

    /// The operations among what was heard.
    var heardOperations: [SignedOperation] {
        heard.flatMap { message -> [SignedOperation] in
            guard case .operations(_, let encoded, _) = message else { return [] }
            return encoded.compactMap { try? SignedOperation(decoding: $0) }  // counted by the test
        }
    }
    /// Kinds of messages that say something of a group's records or keys.
    var heardSecrets: [LinkMessage] {
        heard.filter {
            switch $0 {
            case .digest, .tips, .runs, .rumour, .accessKeys, .welcome, .tipsRequested: true
            default: false
            }
        }
    }
}
