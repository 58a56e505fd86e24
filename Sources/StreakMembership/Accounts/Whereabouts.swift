import StreakCrypto
public import StreakWire

/// Where a device is found on the internet, said and signed by itself (Protocol/reachability.md §3).
///
/// | field | type | limit |
/// |---|---|---|
/// | version | u8 | 1 |
/// | device | 32 bytes | |
/// | number | u64 | higher in each |
/// | flags | u8 | 1 steady, 2 always on |
/// | entries | list of source u8 · endpoint | ≤ 6 |
/// | signature by the device, over `streakmesh/v1/whereabouts` ‖ 0 ‖ all bytes before | 64 bytes | |
public struct Whereabouts: Hashable, Sendable {
    /// How a device knows of an endpoint of its own. The raw values are the protocol's.
    public enum Source: UInt8, Comparable, CaseIterable, Sendable {
        /// Its router has opened a port there for it.
        case mapped = 1
        /// It is a global IPv6 address of the machine.
        case ipv6 = 2
        /// Two witnesses have seen it there, and both at one port.
        case seen = 3
        /// Its user named it.
        case named = 4

        public static func < (left: Source, right: Source) -> Bool { left.rawValue < right.rawValue }
    }

    /// An endpoint, and how the device knows of it.
    public struct Entry: Hashable, Comparable, Sendable {
        public let source: Source
        public let endpoint: Endpoint

        public init(source: Source, endpoint: Endpoint) {
            self.source = source
            self.endpoint = endpoint
        }

        public static func < (left: Entry, right: Entry) -> Bool {
            (left.source, left.endpoint) < (right.source, right.endpoint)
        }
    }

    public static let maximumEntries = 6
    /// The most bytes of one: 42, then a count, six entries of 19, and 64.
    public static let maximumSize = 221

    public let device: DeviceID
    public let number: UInt64
    /// Whether the device's router keeps one port for whatever the device sends, wherever that goes.
    public let isSteady: Bool
    /// Whether the device was online for 20 of the last 24 hours.
    public let isAlwaysOn: Bool
    public let entries: [Entry]
    /// As signed.
    public let bytes: [UInt8]

    /// Says where this device is. Entries that may not be told, or come twice, are left out, and all after the sixth.
    public init(
        number: UInt64, isSteady: Bool, isAlwaysOn: Bool, entries: [Entry], identity: DeviceIdentity
    ) {
        var told: Set<Endpoint> = []
        device = identity.device
        self.number = number
        self.isSteady = isSteady
        self.isAlwaysOn = isAlwaysOn
        self.entries = Array(
            entries.filter { $0.endpoint.mayBeTold && told.insert($0.endpoint).inserted }.prefix(Self.maximumEntries))
        var writer = WireWriter(reserving: Self.maximumSize)
        writer.write(ProtocolLimits.version)
        writer.write(device)
        writer.write(number)
        writer.write(UInt8((isSteady ? 1 : 0) | (isAlwaysOn ? 2 : 0)))
        writer.writeCount(self.entries.count)
        for entry in self.entries {
            writer.write(entry.source.rawValue)
            writer.write(entry.endpoint)
        }
        writer.write(identity.signingKey.signature(for: writer.bytes, as: .whereabouts))
        bytes = writer.bytes
    }

    /// Reads all but the signature, which `isSigned` checks: most whereabouts that come are known already.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        guard bytes.count <= Self.maximumSize else {
            throw .limitExceeded(limit: Self.maximumSize, actual: UInt64(bytes.count))
        }
        var reader = WireReader(bytes)
        try reader.readVersion()
        device = try reader.readIdentifier()
        number = try reader.readUInt64()
        let flags = try reader.readUInt8()
        guard flags < 4 else { throw .invalidValue(field: "flags") }
        isSteady = flags & 1 != 0
        isAlwaysOn = flags & 2 != 0
        var entries: [Entry] = []
        for _ in 0..<(try reader.readCount(maximum: Self.maximumEntries)) {
            guard let source = Source(rawValue: try reader.readUInt8()) else {
                throw .invalidValue(field: "source")
            }
            let endpoint = try reader.readEndpoint()
            // One named twice would be dialled twice.
            guard endpoint.mayBeTold, !entries.contains(where: { $0.endpoint == endpoint }) else {
                throw .invalidValue(field: "endpoint")
            }
            entries.append(Entry(source: source, endpoint: endpoint))
        }
        self.entries = entries
        _ = try reader.readSignature()
        try reader.finish()
        self.bytes = bytes
    }

    /// Whether the device has signed it. Some 70 µs.
    public var isSigned: Bool {
        // It has the size of one, or the bytes could not have been read.
        guard let signature = try? Signature(rawBytes: Array(bytes.suffix(Signature.byteCount))) else { return false }
        return device.hasSigned(Array(bytes.dropLast(Signature.byteCount)), as: .whereabouts, signature)
    }
}
