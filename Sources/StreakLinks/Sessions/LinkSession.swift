import StreakCrypto
import StreakWire

/// Sixteen random bytes each side gives a link: a session belongs to a link only if both sides' are the link's, so
/// that a peer which forgot its side is never mistaken for one that did not.
typealias LinkNonce = Bytes16

/// Who a handshake was with and what it is good for.
struct Introduction: Sendable {
    let peer: AgreementPublicKey
    let key: LinkKey
    let ownNonce: LinkNonce
    let peerNonce: LinkNonce
    /// Whether this side sent message 1.
    let isInitiator: Bool

    /// Whether both sides' nonces are those of another handshake.
    func isOfLink(of other: Introduction) -> Bool { ownNonce == other.ownNonce && peerNonce == other.peerNonce }

    /// Whether to send under this handshake and not under an older one. If both sides dialled at once it is the one that the
    /// smaller key opened, so that both choose the same.
    func isPreferred(to older: Introduction, areSimultaneous: Bool, own: AgreementPublicKey) -> Bool {
        guard areSimultaneous, isInitiator != older.isInitiator else { return true }
        return isInitiator == (own < peer)
    }
}

/// The keys of one handshake over datagrams.
struct DatagramSession: Sendable {
    /// What the peer writes into packets for this session.
    let localIndex: UInt32
    let remoteIndex: UInt32
    let introduction: Introduction
    let createdAt: MonotonicInstant
    /// The tag of the message 1 it answers; nil for the initiator.
    let answeredTag: Bytes16?
    /// Nil as long as it is provisional.
    var link: LinkID?
    /// When a packet last arrived under it.
    var heardAt: MonotonicInstant?

    private let keys: NoiseTransportKeys
    private var sentCount: UInt64 = 0
    private var window = ReplayWindow()

    init(
        localIndex: UInt32, remoteIndex: UInt32, keys: NoiseTransportKeys, introduction: Introduction,
        createdAt: MonotonicInstant, answeredTag: Bytes16?
    ) {
        self.localIndex = localIndex
        self.remoteIndex = remoteIndex
        self.keys = keys
        self.introduction = introduction
        self.createdAt = createdAt
        self.answeredTag = answeredTag
    }

    /// The next packet; nil once all counters are used.
    mutating func seal(_ plaintext: [UInt8]) -> [UInt8]? {
        var writer = WireWriter(reserving: plaintext.count + 32)
        writer.write(PacketType.transport.rawValue)
        writer.write(remoteIndex)
        writer.write(sentCount)
        // Only the last counter of all fails; a session never gets there.
        guard let sealed = try? keys.sending.seal(plaintext, counter: sentCount, authenticating: writer.bytes) else {
            return nil
        }
        sentCount += 1
        writer.writeRaw(sealed)
        return writer.bytes
    }

    /// Opens a packet and remembers its counter. A packet that fails changes nothing.
    mutating func open(
        _ packet: [UInt8], counter: UInt64
    ) throws(DropReasonError) -> (plaintext: [UInt8], isNewest: Bool) {
        guard window.accepts(counter) else { throw DropReasonError(.replayed) }
        let header = Array(packet[..<LinkPacket.datagramHeaderSize])
        let sealed = Array(packet[LinkPacket.datagramHeaderSize...])
        do {
            let plaintext = try keys.receiving.open(sealed, counter: counter, authenticating: header)
            return (plaintext, window.insert(counter))
        } catch {
            throw DropReasonError(.authenticationFailed)
        }
    }
}

/// A `DropReason` on its way to its event.
struct DropReasonError: Error {
    let reason: DropReason
    init(_ reason: DropReason) { self.reason = reason }
}

/// The keys of one handshake on a stream; counters are implied, as nothing is lost or overtaken there.
struct StreamSession: Sendable {
    private let keys: NoiseTransportKeys
    private var sentCount: UInt64 = 0
    private var receivedCount: UInt64 = 0

    init(keys: NoiseTransportKeys) { self.keys = keys }

    init(of handshake: NoiseHandshake) throws(DropReasonError) {
        do {
            keys = try handshake.transportKeys()
        } catch {
            throw DropReasonError(.handshakeFailed)
        }
    }

    /// The next frame, its length included; nil if the plaintext is too long.
    mutating func seal(_ plaintext: [UInt8]) -> [UInt8]? {
        // Too long, or the last counter of all: neither is reached, and the caller closes the stream.
        guard let sealed = try? keys.sending.seal(plaintext, counter: sentCount) else { return nil }
        sentCount += 1
        return StreamFraming.framed(sealed)
    }

    mutating func open(_ frame: [UInt8]) throws(NoiseError) -> [UInt8] {
        let plaintext = try keys.receiving.open(frame, counter: receivedCount)
        receivedCount += 1
        return plaintext
    }
}

/// Frames on a stream: a two-byte length, big-endian, then that many bytes.
enum StreamFraming {
    /// The largest frame before the peer is authenticated.
    static let maximumHandshakeFrameSize = ProtocolLimits.maximumDatagramSize

    static func framed(_ frame: [UInt8]) -> [UInt8] {
        var writer = WireWriter(reserving: frame.count + 2)
        writer.write(UInt16(truncatingIfNeeded: frame.count))
        writer.writeRaw(frame)
        return writer.bytes
    }
}

/// The first byte of a datagram, and of a frame before the encryption begins.
enum PacketType: UInt8, Sendable {
    case initiation = 1
    case response = 2
    case final = 3
    case transport = 4
}

/// How a handshake travels; part of what it authenticates, so that one never serves the other.
enum Transport: Sendable {
    case datagram, stream

    /// Appended to the prologue and to what tags cover.
    var name: [UInt8] {
        switch self {
        case .datagram: Array("udp".utf8)
        case .stream: Array("tcp".utf8)
        }
    }
}
