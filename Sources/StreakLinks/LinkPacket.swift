import StreakCrypto
import StreakWire

/// The plaintext of a link's packets: a kind byte, then its fields in the fixed codec.
enum LinkPacket: Sendable, Equatable {
    /// `interval`: whole seconds until the sender's next keepalive, if it has nothing else to send.
    case keepalive(interval: UInt8, payload: [UInt8])
    case rumour([UInt8])
    case fragment(ReliableChannel.Fragment)
    case acknowledgement(ReliableChannel.Acknowledgement)
    case ping(UInt64)
    case pong(UInt64)
    /// The sender has forgotten the link.
    case close
    /// A message on a stream. `received`: the sender has all messages below this number.
    case message(sequence: UInt64, received: UInt64, bytes: [UInt8])
    case received(UInt64)
    /// The sender sends nothing more on this stream.
    case finish

    /// The longest payload of a keepalive, in bytes.
    static let maximumPayloadSize = 64
    /// The longest message of `Links.send`, in bytes.
    static let maximumMessageSize = 60_000
    /// Type, receiver index, counter.
    static let datagramHeaderSize = 13
    /// The capacity of one datagram, kind byte included.
    static let maximumDatagramPlaintextSize =
        ProtocolLimits.maximumDatagramSize - datagramHeaderSize - NoiseCipher.overhead
    /// The longest rumour, in bytes.
    static let maximumRumourSize = maximumDatagramPlaintextSize - 1

    private enum Kind: UInt8 {
        case keepalive = 0
        case rumour = 1
        case fragment = 2
        case acknowledgement = 3
        case ping = 4
        case pong = 5
        case close = 6
        case message = 7
        case received = 8
        case finish = 9
    }

    /// Whether this packet shows that the link is in use, so that its session is worth renewing.
    var isUse: Bool {
        switch self {
        case .rumour, .fragment, .message: true
        case .keepalive, .acknowledgement, .ping, .pong, .close, .received, .finish: false
        }
    }

    func encoded() -> [UInt8] {
        var writer = WireWriter()
        switch self {
        case .keepalive(let interval, let payload):
            writer.write(Kind.keepalive.rawValue)
            writer.write(interval)
            writer.writeRaw(payload)
        case .rumour(let bytes):
            writer.write(Kind.rumour.rawValue)
            writer.writeRaw(bytes)
        case .fragment(let fragment):
            writer.write(Kind.fragment.rawValue)
            writer.writeVarint(fragment.sequence)
            writer.write(UInt8(fragment.isLast ? 1 : 0))
            writer.writeRaw(fragment.bytes)
        case .acknowledgement(let acknowledgement):
            writer.write(Kind.acknowledgement.rawValue)
            writer.writeVarint(acknowledgement.next)
            writer.writeRaw(acknowledgement.later)
        case .ping(let token):
            writer.write(Kind.ping.rawValue)
            writer.write(token)
        case .pong(let token):
            writer.write(Kind.pong.rawValue)
            writer.write(token)
        case .close:
            writer.write(Kind.close.rawValue)
        case .message(let sequence, let received, let bytes):
            writer.write(Kind.message.rawValue)
            writer.writeVarint(sequence)
            writer.writeVarint(received)
            writer.writeRaw(bytes)
        case .received(let next):
            writer.write(Kind.received.rawValue)
            writer.writeVarint(next)
        case .finish:
            writer.write(Kind.finish.rawValue)
        }
        return writer.bytes
    }

    init(decoding bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes)
        let byte = try reader.readUInt8()
        guard let kind = Kind(rawValue: byte) else { throw .unknownKind(byte) }
        switch kind {
        case .keepalive:
            let interval = try reader.readUInt8()
            self = .keepalive(interval: interval, payload: try reader.readTail(maximum: Self.maximumPayloadSize))
        case .rumour:
            self = .rumour(try reader.readTail(maximum: Self.maximumMessageSize))
        case .fragment:
            let sequence = try reader.readVarint(maximum: UInt64(Int64.max))
            let isLast = try reader.readFlag(field: "last")
            let bytes = try reader.readTail(maximum: ReliableChannel.maximumFragmentSize)
            self = .fragment(ReliableChannel.Fragment(sequence: sequence, isLast: isLast, bytes: bytes))
        case .acknowledgement:
            let next = try reader.readVarint(maximum: UInt64(Int64.max))
            let later = try reader.readTail(maximum: ReliableChannel.maximumWindow / 8)
            guard later.last != 0 else { throw .invalidValue(field: "later") }
            self = .acknowledgement(ReliableChannel.Acknowledgement(next: next, later: later))
        case .ping: self = .ping(try reader.readUInt64())
        case .pong: self = .pong(try reader.readUInt64())
        case .close: self = .close
        case .message:
            let sequence = try reader.readVarint(maximum: UInt64(Int64.max))
            let received = try reader.readVarint(maximum: UInt64(Int64.max))
            let bytes = try reader.readTail(maximum: Self.maximumMessageSize)
            self = .message(sequence: sequence, received: received, bytes: bytes)
        case .received: self = .received(try reader.readVarint(maximum: UInt64(Int64.max)))
        case .finish: self = .finish
        }
        try reader.finish()
    }
}

/// A message as the reliable channel carries it: its number in the link, then its bytes.
enum ChannelMessage {
    /// A varint of up to 9 bytes precedes the message.
    static let maximumSize = LinkPacket.maximumMessageSize + 9

    static func encoded(sequence: UInt64, bytes: [UInt8]) -> [UInt8] {
        var writer = WireWriter(reserving: bytes.count + 9)
        writer.writeVarint(sequence)
        writer.writeRaw(bytes)
        return writer.bytes
    }

    static func decode(_ bytes: [UInt8]) throws(WireError) -> (sequence: UInt64, bytes: [UInt8]) {
        var reader = WireReader(bytes)
        let sequence = try reader.readVarint(maximum: UInt64(Int64.max))
        return (sequence, try reader.readTail(maximum: LinkPacket.maximumMessageSize))
    }
}
