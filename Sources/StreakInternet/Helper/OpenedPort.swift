public import StreakWire

/// What travels through an opened port.
public enum PortTransport: UInt8, CaseIterable, Hashable, Sendable {
    case udp = 0
    case tcp = 1
}

/// A port that a router should open for this machine. For an IPv6 endpoint it is a pinhole: the firewall lets packets through.
public struct PortWish: Hashable, Sendable {
    public var transport: PortTransport
    /// Where this machine listens. UPnP uses the address only for pinholes. Other ports lead to the machine that asks.
    public var inside: Endpoint
    /// The wanted port at the router's address; pinholes have none.
    public var outsidePort: UInt16
    /// Whether no other port will do.
    public var isExact: Bool
    /// How long, in seconds; 0 for ever.
    public var lease: UInt32
    /// The address of the router's description from the last time (`OpenedPort.router`), which saves a search; or empty.
    public var router: String

    public init(
        transport: PortTransport, inside: Endpoint, outsidePort: UInt16, isExact: Bool = false, lease: UInt32 = 3_600,
        router: String = ""
    ) {
        (self.transport, self.inside, self.outsidePort) = (transport, inside, outsidePort)
        (self.isExact, self.lease, self.router) = (isExact, lease, router)
    }
}

/// A port that a router says it has opened, with everything needed to close it. Nobody has checked the router's word.
public struct OpenedPort: Hashable, Sendable {
    public var transport: PortTransport
    /// The port at the router's address. For a pinhole: this machine's own port.
    public var outsidePort: UInt16
    /// The router's address on the internet, if it said one. For a pinhole: this machine's own address.
    public var outsideAddress: Bytes16?
    /// For how many seconds; 0 for ever, as some routers know no other.
    public var lease: UInt32
    /// The router's number for a pinhole.
    public var pinhole: UInt16?
    /// Where the router describes itself. It means something to the helper only.
    public var router: String

    public init(
        transport: PortTransport, outsidePort: UInt16, outsideAddress: Bytes16?, lease: UInt32, pinhole: UInt16? = nil,
        router: String
    ) {
        (self.transport, self.outsidePort, self.outsideAddress) = (transport, outsidePort, outsideAddress)
        (self.lease, self.pinhole, self.router) = (lease, pinhole, router)
    }

    /// Where others reach the port, if the router said it.
    public var outside: Endpoint? { outsideAddress.map { Endpoint(address: $0, port: outsidePort) } }
}

extension PortWish {
    func write(to writer: inout WireWriter) {
        writer.write(transport.rawValue)
        writer.write(inside)
        writer.write(outsidePort)
        writer.write(UInt8(isExact ? 1 : 0))
        writer.write(lease)
        writer.writeText(router)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            transport: try reader.readTransport(), inside: try reader.readEndpoint(),
            outsidePort: try reader.readUInt16(), isExact: try reader.readFlag(field: "exact"),
            lease: try reader.readUInt32(), router: try reader.readLocation())
    }
}

extension OpenedPort {
    func write(to writer: inout WireWriter) {
        writer.write(transport.rawValue)
        writer.write(outsidePort)
        writer.writeOptional(outsideAddress) { $0.write($1) }
        writer.write(lease)
        writer.writeOptional(pinhole) { $0.write($1) }
        writer.writeText(router)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            transport: try reader.readTransport(), outsidePort: try reader.readUInt16(),
            outsideAddress: try reader.readFlag(field: "outside address") ? try reader.readBytes16() : nil,
            lease: try reader.readUInt32(),
            pinhole: try reader.readFlag(field: "pinhole") ? try reader.readUInt16() : nil,
            router: try reader.readLocation())
    }
}

extension WireReader {
    fileprivate mutating func readTransport() throws(WireError) -> PortTransport {
        guard let transport = PortTransport(rawValue: try readUInt8()) else {
            throw .invalidValue(field: "transport")
        }
        return transport
    }

    fileprivate mutating func readLocation() throws(WireError) -> String {
        try readPrintable(maximum: HelperLimits.maximumLocationSize, field: "router")
    }
}
