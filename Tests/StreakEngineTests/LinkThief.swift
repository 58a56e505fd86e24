import StreakCrypto
import StreakMembership
import StreakWire

@testable import StreakEngine

/// Somebody who holds an invite link and opens a link with it, to say what an honest newcomer would not.
struct LinkThief {
    private var links: Links
    private var entropy = SeededEntropy(seed: 666)
    private let key: LinkKey
    private let target: Endpoint
    private var now = MonotonicInstant.zero
    private var link: LinkID?
    private static let endpoint = Endpoint(ipv4: 0x0A00_0063, port: 9_999)

    /// What the other side has said.
    private(set) var heard: [LinkMessage] = []

    init(link: InviteLink, target: Endpoint) {
        links = Links(staticKey: AgreementSecretKey.generate(from: &entropy))
        key = MeshEngine.linkKey(
            of: link.secrets.presharedKey, label: .invite(link.group, OperationID(bytes: .zero)))
        self.target = target
    }

    var publicKey: AgreementPublicKey { links.publicKey }

    /// Opens the link; returns what proofs on it are bound to.
    mutating func connect(to pair: inout EnginePair) -> [UInt8]? {
        links.dial(
            peer: nil, key: key, to: target, usesDatagrams: true, usesStreams: false, at: now, entropy: &entropy)
        return exchange(with: &pair)
    }

    mutating func say(_ message: LinkMessage, to pair: inout EnginePair) {
        guard let link else { return }
        links.send(message.encoded, over: link, as: .reliable, at: now)
        _ = exchange(with: &pair)
    }

    /// Passes datagrams both ways until nothing more is said.
    private mutating func exchange(with pair: inout EnginePair) -> [UInt8]? {
        var binding: [UInt8]?
        for _ in 0..<50 {
            now = now.advanced(by: .milliseconds(20))
            links.handle(.deadlineReached, at: now, entropy: &entropy)
            let (outputs, events) = links.drain()
            for event in events {
                switch event {
                case .opened(let id, _, _, let hash, _, _):
                    link = id
                    binding = hash
                case .messageReceived(_, let bytes, _):
                    if let message = try? LinkMessage(decoding: bytes) { heard.append(message) }
                default: break
                }
            }
            for case .sendDatagram(let bytes, _) in outputs {
                for answer in pair.deliver(bytes, from: Self.endpoint) {
                    links.handle(.datagramReceived(answer, from: target), at: now, entropy: &entropy)
                }
            }
        }
        return binding
    }
}
