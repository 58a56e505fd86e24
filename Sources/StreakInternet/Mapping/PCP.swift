import StreakWire

/// What a mapping is for, by its number in IP.
enum MappedTransport: UInt8, CaseIterable, Sendable {
    case tcp = 6
    case udp = 17
}

/// Names a mapping to the router that made it. Without it nobody can renew or delete the mapping, or answer in the router's
/// place.
public struct MappingNonce: Hashable, Sendable {
    let high: UInt32
    let low: UInt64

    /// Twelve bytes that nobody else can know.
    public init(_ high: UInt32, _ low: UInt64) { (self.high, self.low) = (high, low) }
}

/// The Port Control Protocol, as far as this node speaks it: MAP requests and what is answered to them (RFC 6887 §7, §11).
enum PCP {
    /// The port at which routers take requests of PCP and NAT-PMP, and from which they answer (RFC 6887 §19.1).
    static let port: UInt16 = 5_351
    /// The port at which all hosts receive a router's announcements.
    static let announcementPort: UInt16 = 5_350
    static let version: UInt8 = 2
    /// The size of a MAP request, and of what is read of an answer to it.
    static let mapSize = 60
    static let headerSize = 24
    /// The longest datagram of the protocol (RFC 6887 §7).
    static let maximumSize = 1_100

    private static let map: UInt8 = 1
    private static let announce: UInt8 = 0
    private static let isAnswer: UInt8 = 0x80

    /// A request for one mapping.
    struct MapRequest: Hashable, Sendable {
        var nonce: MappingNonce
        var transport: MappedTransport
        /// The address that the datagram is sent from, and the port that is to be reached.
        var inside: Endpoint
        /// The outside endpoint that it would like. An address of all zeros and port 0 leave the choice to the router.
        var outside: Endpoint
        /// In seconds; 0 deletes the mapping.
        var lifetime: UInt32

        var encoded: [UInt8] {
            var writer = WireWriter(reserving: PCP.mapSize)
            writer.write(PCP.version)
            writer.write(PCP.map)
            writer.write(UInt16(0))
            writer.write(lifetime)
            writer.write(inside.address)
            writer.write(nonce.high)
            writer.write(nonce.low)
            writer.write(transport.rawValue)
            writer.write(UInt8(0))
            writer.write(UInt16(0))
            writer.write(inside.port)
            writer.write(outside.port)
            writer.write(outside.address)
            return writer.bytes
        }
    }

    /// What a router says.
    enum Answer: Hashable, Sendable {
        /// It speaks another version only, such as NAT-PMP, whose version is 0.
        case unsupportedVersion
        /// An announcement to all hosts: the age of its memory of mappings, in seconds.
        case announced(epoch: UInt32)
        case mapped(Mapped)
        case refused(Refusal)
    }

    struct Mapped: Hashable, Sendable {
        var nonce: MappingNonce
        var transport: UInt8
        var insidePort: UInt16
        var outside: Endpoint
        var lifetime: UInt32
        var epoch: UInt32
    }

    struct Refusal: Hashable, Sendable {
        var nonce: MappingNonce
        var transport: UInt8
        var result: UInt8
        var epoch: UInt32
    }

    /// Reads an answer. Bytes after a MAP answer are options that nobody asked for, and are not read.
    static func answer(_ bytes: [UInt8]) throws(WireError) -> Answer {
        guard bytes.count <= maximumSize else {
            throw .limitExceeded(limit: maximumSize, actual: UInt64(bytes.count))
        }
        var reader = WireReader(bytes)
        let version = try reader.readUInt8()
        let operation = try reader.readUInt8()
        guard operation & isAnswer != 0 else { throw .invalidValue(field: "R") }
        // One byte is reserved here. In NAT-PMP both are the result (RFC 6886 §3.5).
        let reserved = try reader.readUInt8()
        let result = try reader.readUInt8()
        guard version == Self.version else {
            guard reserved == 0, result == 1 else { throw .unsupportedVersion(version) }
            return .unsupportedVersion
        }
        let lifetime = try reader.readUInt32()
        let epoch = try reader.readUInt32()
        _ = try reader.readRaw(12)
        switch operation & ~isAnswer {
        case announce where result == 0: return .announced(epoch: epoch)
        case map: break
        default: throw .unknownKind(operation)
        }
        let nonce = MappingNonce(try reader.readUInt32(), try reader.readUInt64())
        let transport = try reader.readUInt8()
        _ = try reader.readRaw(3)
        let insidePort = try reader.readUInt16()
        let outsidePort = try reader.readUInt16()
        let outside = Endpoint(address: try reader.readBytes16(), port: outsidePort)
        guard result == 0 else {
            return .refused(Refusal(nonce: nonce, transport: transport, result: result, epoch: epoch))
        }
        return .mapped(
            Mapped(
                nonce: nonce, transport: transport, insidePort: insidePort, outside: outside, lifetime: lifetime,
                epoch: epoch))
    }

    /// What a result other than success tells (RFC 6887 §7.4).
    static func finding(_ result: UInt8) -> MappingFinding {
        switch result {
        case 2: .refused
        case 4, 5, 9: .unsupported
        case 7: .offline
        case 8, 10, 13: .exhausted
        case 11: .portTaken
        case 12: .secondRouter
        default: .misunderstood
        }
    }
}
