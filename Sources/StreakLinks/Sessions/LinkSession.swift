import StreakCrypto
import StreakWire

/// Sixteen random bytes from each side of a link. A session belongs to a link only if both nonces match, so a peer that
/// forgot its side is noticed.
typealias LinkNonce = Bytes16

/// The peer of a handshake, and both nonces.
struct Introduction: Sendable {
    let peer: AgreementPublicKey
    let key: LinkKey
    let ownNonce: LinkNonce
    let peerNonce: LinkNonce
    /// Whether this side sent message 1.
    let isInitiator: Bool

    /// Whether both nonces match those of another handshake.
    func isOfSameLink(as other: Introduction) -> Bool { ownNonce == other.ownNonce && peerNonce == other.peerNonce }

    /// Whether to send under this handshake rather than an older one. If both sides dialled at the same time, the one
    /// opened by the smaller key wins, so that both sides choose the same.
    func isPreferred(to older: Introduction, areSimultaneous: Bool, own: AgreementPublicKey) -> Bool {
        guard areSimultaneous, isInitiator != older.isInitiator else { return true }
        return isInitiator == (own < peer)
    }
}

/// The keys of one handshake over datagrams.
struct DatagramSession: Sendable {
    /// The receiver index that the peer writes into packets of this session.
    let localIndex: UInt32
    let remoteIndex: UInt32
    let introduction: Introduction
    let createdAt: MonotonicInstant
    /// The tag of the message 1 it answers; nil for the initiator.
    let answeredTag: Bytes16?
    /// Nil while it is provisional.
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

    /// Encrypts the next packet; nil once all counters are used.
    mutating func seal(_ plaintext: [UInt8]) -> [UInt8]? {
        var writer = WireWriter(reserving: plaintext.count + 32)
        writer.write(PacketType.transport.rawValue)
        writer.write(remoteIndex)
        writer.write(sentCount)
        // Fails only at the last counter, which no session reaches.
        guard let sealed = try? keys.sending.seal(plaintext, counter: sentCount, authenticating: writer.bytes) else {
            return nil
        }
        sentCount += 1
        writer.writeRaw(sealed)
        return writer.bytes
    }

    /// Decrypts a packet and records its counter. A packet that fails changes nothing.
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

/// The keys of one handshake on a stream. Counters are implied, because a stream neither loses nor reorders.
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

    /// Encrypts the next frame, length included; nil if the plaintext is too long.
    mutating func seal(_ plaintext: [UInt8]) -> [UInt8]? {
        // Too long, or the last counter. Neither happens; the caller would close the stream.
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

/// The first byte of a datagram, and of a stream's frame during the handshake.
enum PacketType: UInt8, Sendable {
    case initiation = 1
    case response = 2
    case final = 3
    case transport = 4
}

/// The transport of a handshake. The handshake authenticates it, so that it cannot be moved to the other transport.
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
