import StreakWire

/// The NAT Port Mapping Protocol (RFC 6886), for IPv4 only. PCP has replaced it, but many routers still speak it.
enum NATPMP {
    private static let version: UInt8 = 0
    private static let isAnswer: UInt8 = 0x80
    /// The longest answer.
    static let maximumSize = 16

    /// Asks for the router's own outside address.
    static let addressRequest: [UInt8] = [version, 0]

    private static func operation(of transport: MappedTransport) -> UInt8 {
        switch transport {
        case .udp: 1
        case .tcp: 2
        }
    }

    /// Asks for a mapping; a lifetime of 0 with the outside port 0 deletes it.
    static func mapRequest(
        _ transport: MappedTransport, insidePort: UInt16, outsidePort: UInt16, lifetime: UInt32
    ) -> [UInt8] {
        var writer = WireWriter(reserving: 12)
        writer.write(version)
        writer.write(operation(of: transport))
        writer.write(UInt16(0))
        writer.write(insidePort)
        writer.write(outsidePort)
        writer.write(lifetime)
        return writer.bytes
    }

    /// What a router says.
    enum Answer: Hashable, Sendable {
        /// The router's outside address; the port is 0. A router also sends this to all hosts after a restart or a change of address.
        case address(Endpoint, epoch: UInt32)
        case mapped(MappedTransport, insidePort: UInt16, outsidePort: UInt16, lifetime: UInt32, epoch: UInt32)
        /// The transport is nil if the request was for the address.
        case refused(MappedTransport?, result: UInt16, epoch: UInt32)
    }

    /// Reads an answer. Throws `WireError`.
    static func answer(_ bytes: [UInt8]) throws(WireError) -> Answer {
        guard bytes.count <= maximumSize else {
            throw .limitExceeded(limit: maximumSize, actual: UInt64(bytes.count))
        }
        var reader = WireReader(bytes)
        let version = try reader.readUInt8()
        guard version == Self.version else { throw .unsupportedVersion(version) }
        let operation = try reader.readUInt8()
        let transport: MappedTransport?
        switch operation {
        case isAnswer: transport = nil
        case isAnswer | 1: transport = .udp
        case isAnswer | 2: transport = .tcp
        default: throw .unknownKind(operation)
        }
        let result = try reader.readUInt16()
        let epoch = try reader.readUInt32()
        guard result == 0 else { return .refused(transport, result: result, epoch: epoch) }
        guard let transport else {
            return .address(Endpoint(ipv4: try reader.readUInt32(), port: 0), epoch: epoch)
        }
        return .mapped(
            transport, insidePort: try reader.readUInt16(), outsidePort: try reader.readUInt16(),
            lifetime: try reader.readUInt32(), epoch: epoch)
    }

    /// What a result other than success tells (RFC 6886 §3.5).
    static func finding(_ result: UInt16) -> MappingFinding {
        switch result {
        case 2: .refused
        // “Has no address from its provider yet”: what miniupnpd says on a line with a private or shared address.
        case 3: .carrierNAT
        case 4: .exhausted
        case 1, 5: .unsupported
        default: .misunderstood
        }
    }
}
