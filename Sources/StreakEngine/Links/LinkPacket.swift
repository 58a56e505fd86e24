import StreakCrypto
import StreakWire

/// What travels inside the encryption of a link: a kind byte, then its fields in the fixed codec.
enum LinkPacket: Sendable, Equatable {
    /// `interval`: whole seconds after which the sender, when idle, sends the next.
    case keepalive(interval: UInt8, payload: [UInt8])
    case rumour([UInt8])
    case fragment(ReliableChannel.Fragment)
    case acknowledgement(ReliableChannel.Acknowledgement)
    case ping(UInt64)
    case pong(UInt64)
    /// The sender has forgotten the link.
    case close
    /// A message on a stream. `received`: all messages below this have reached the sender.
    case message(sequence: UInt64, received: UInt64, bytes: [UInt8])
    case received(UInt64)
    /// Last on a stream from this side.
    case finish

    /// The bytes of a keepalive's payload.
    static let maximumPayloadSize = 64
    /// One message of `Links.send`.
    static let maximumMessageSize = 60_000
    /// Type, receiver index, counter.
    static let datagramHeaderSize = 13
    /// What one datagram can carry, kind byte included.
    static let maximumDatagramPlaintextSize =
        ProtocolLimits.maximumDatagramSize - datagramHeaderSize - NoiseCipher.overhead
    /// The longest rumour.
    static let maximumRumourSize = maximumDatagramPlaintextSize - 1

    private enum Kind {
        static let keepalive: UInt8 = 0
        static let rumour: UInt8 = 1
        static let fragment: UInt8 = 2
        static let acknowledgement: UInt8 = 3
        static let ping: UInt8 = 4
        static let pong: UInt8 = 5
        static let close: UInt8 = 6
        static let message: UInt8 = 7
        static let received: UInt8 = 8
        static let finish: UInt8 = 9
    }

    /// Whether this shows that the link is in use, so that its session is worth renewing.
    var isUse: Bool {
        switch self {
        case .rumour, .fragment, .message: true
        default: false
        }
    }

    func encoded() -> [UInt8] {
        var writer = WireWriter()
        switch self {
        case .keepalive(let interval, let payload):
            writer.write(Kind.keepalive)
            writer.write(interval)
            writer.writeRaw(payload)
        case .rumour(let bytes):
            writer.write(Kind.rumour)
            writer.writeRaw(bytes)
        case .fragment(let fragment):
            writer.write(Kind.fragment)
            writer.writeVarint(fragment.sequence)
            writer.write(UInt8(fragment.isLast ? 1 : 0))
            writer.writeRaw(fragment.bytes)
        case .acknowledgement(let acknowledgement):
            writer.write(Kind.acknowledgement)
            writer.writeVarint(acknowledgement.next)
            writer.writeRaw(acknowledgement.later)
        case .ping(let token):
            writer.write(Kind.ping)
            writer.write(token)
        case .pong(let token):
            writer.write(Kind.pong)
            writer.write(token)
        case .close:
            writer.write(Kind.close)
        case .message(let sequence, let received, let bytes):
            writer.write(Kind.message)
            writer.writeVarint(sequence)
            writer.writeVarint(received)
            writer.writeRaw(bytes)
        case .received(let next):
            writer.write(Kind.received)
            writer.writeVarint(next)
        case .finish:
            writer.write(Kind.finish)
        }
        return writer.bytes
    }

    init(decoding bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes)
        let kind = try reader.readUInt8()
        switch kind {
        case Kind.keepalive:
            let interval = try reader.readUInt8()
            self = .keepalive(interval: interval, payload: try reader.readTail(maximum: Self.maximumPayloadSize))
        case Kind.rumour:
            self = .rumour(try reader.readTail(maximum: Self.maximumMessageSize))
        case Kind.fragment:
            let sequence = try reader.readVarint(maximum: UInt64(Int64.max))
            let isLast = try reader.readFlag(field: "last")
            let bytes = try reader.readTail(maximum: ReliableChannel.maximumFragmentSize)
            self = .fragment(ReliableChannel.Fragment(sequence: sequence, isLast: isLast, bytes: bytes))
        case Kind.acknowledgement:
            let next = try reader.readVarint(maximum: UInt64(Int64.max))
            let later = try reader.readTail(maximum: ReliableChannel.maximumWindow / 8)
            guard later.last != 0 else { throw .invalidValue(field: "later") }
            self = .acknowledgement(ReliableChannel.Acknowledgement(next: next, later: later))
        case Kind.ping: self = .ping(try reader.readUInt64())
        case Kind.pong: self = .pong(try reader.readUInt64())
        case Kind.close: self = .close
        case Kind.message:
            let sequence = try reader.readVarint(maximum: UInt64(Int64.max))
            let received = try reader.readVarint(maximum: UInt64(Int64.max))
            let bytes = try reader.readTail(maximum: Self.maximumMessageSize)
            self = .message(sequence: sequence, received: received, bytes: bytes)
        case Kind.received: self = .received(try reader.readVarint(maximum: UInt64(Int64.max)))
        case Kind.finish: self = .finish
        default: throw .unknownKind(kind)
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
