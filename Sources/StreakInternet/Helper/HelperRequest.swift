public import StreakWire

/// What a node asks of its helper. Each request has a number, which its answers carry.
public struct HelperRequest: Hashable, Sendable {
    public enum Content: Hashable, Sendable {
        /// Open a port by UPnP. Answer: `mapped` or `failed`.
        case map(PortWish)
        /// Close it. Answer: `unmapped` or `failed`.
        case unmap(OpenedPort)
        /// Open a session of the DHT. Answer: `opened` or `failed`.
        case open(DHTNetwork, nodes: [Endpoint])
        /// Store an item. Answer: `stored` or `failed`.
        case put(DHTItem)
        /// Look for the item of a key. Answers: a `value` for each item that is newer than the last one, then `ended`; or `failed`.
        case get(Bytes32)
        /// Nodes to begin with next time. Answer: `nodes`.
        case nodes
        /// End the session and everything in it. Answer: `closed`.
        case close
    }

    public var id: UInt32
    public var content: Content

    public init(id: UInt32, _ content: Content) { (self.id, self.content) = (id, content) }
}

/// The DHT that a session takes part in, and its first nodes.
public struct DHTNetwork: Hashable, Sendable {
    /// `HOST:PORT` each. They are asked if no node is known.
    public var bootstrap: [String]
    /// Whether a test made the DHT. In it one network may have many nodes, and node IDs need not follow from addresses.
    public var isLab: Bool

    public init(bootstrap: [String], isLab: Bool = false) { (self.bootstrap, self.isLab) = (bootstrap, isLab) }

    /// BitTorrent's bootstrap nodes. They come and go, so saved nodes are asked first.
    public static let mainline = DHTNetwork(bootstrap: [
        "router.bittorrent.com:6881", "dht.libtorrent.org:25401", "dht.transmissionbt.com:6881",
    ])
}

/// A value under a key of its own in the DHT (BEP 44). The node signs it, so that the helper holds no secret.
public struct DHTItem: Hashable, Sendable {
    /// Ed25519. Anybody who knows it can find the item.
    public var key: Bytes32
    /// The item with the highest number counts.
    public var sequence: Int64
    /// A string of at most `HelperLimits.maximumValueSize` bytes.
    public var value: [UInt8]
    /// Of `signedBytes`, 64 bytes.
    public var signature: [UInt8]

    public init(key: Bytes32, sequence: Int64, value: [UInt8], signature: [UInt8]) {
        precondition(
            value.count <= HelperLimits.maximumValueSize && signature.count == 64, "an item is within its limits")
        (self.key, self.sequence, self.value, self.signature) = (key, sequence, value, signature)
    }

    /// The bytes that are signed, of an item without salt (BEP 44).
    public static func signedBytes(sequence: Int64, value: [UInt8]) -> [UInt8] {
        Array("3:seqi\(sequence)e1:v\(value.count):".utf8) + value
    }
}

extension HelperRequest {
    /// Without the length before it.
    public var encoded: [UInt8] {
        var writer = WireWriter()
        writer.write(kind)
        writer.write(id)
        switch content {
        case .map(let wish): wish.write(to: &writer)
        case .unmap(let port): port.write(to: &writer)
        case .open(let network, let nodes):
            writer.write(UInt8(network.isLab ? 1 : 0))
            writer.writeCount(network.bootstrap.count)
            for host in network.bootstrap { writer.writeText(host) }
            writer.write(nodes)
        case .put(let item):
            writer.write(item.key)
            writer.write(UInt64(bitPattern: item.sequence))
            writer.writeBlob(item.value)
            writer.writeRaw(item.signature)
        case .get(let key): writer.write(key)
        case .nodes, .close: break
        }
        return writer.bytes
    }

    private var kind: UInt8 {
        switch content {
        case .map: 1
        case .unmap: 2
        case .open: 3
        case .put: 4
        case .get: 5
        case .nodes: 6
        case .close: 7
        }
    }

    /// Reads the content of a frame.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes)
        let kind = try reader.readUInt8()
        id = try reader.readUInt32()
        switch kind {
        case 1: content = .map(try PortWish(from: &reader))
        case 2: content = .unmap(try OpenedPort(from: &reader))
        case 3:
            let isLab = try reader.readFlag(field: "lab")
            var hosts: [String] = []
            for _ in 0..<(try reader.readCount(maximum: HelperLimits.maximumBootstrapNodes)) {
                hosts.append(
                    try reader.readPrintable(maximum: HelperLimits.maximumBootstrapSize, field: "bootstrap"))
            }
            content = .open(
                DHTNetwork(bootstrap: hosts, isLab: isLab),
                nodes: try reader.readEndpoints(maximum: HelperLimits.maximumNodes))
        case 4:
            content = .put(
                DHTItem(
                    key: try reader.readBytes32(), sequence: Int64(bitPattern: try reader.readUInt64()),
                    value: try reader.readBlob(maximum: HelperLimits.maximumValueSize),
                    signature: try reader.readRaw(64)))
        case 5: content = .get(try reader.readBytes32())
        case 6: content = .nodes
        case 7: content = .close
        default: throw .unknownKind(kind)
        }
        try reader.finish()
    }
}
