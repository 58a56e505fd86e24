public import StreakWire

/// The frame of a request or an answer between a node and its helper program: a length in two bytes, big-endian, then
/// that many bytes. Both ends check the same limits and do not trust each other.
public enum HelperFrame {
    /// Bytes after the length. The largest contents are 200 saved nodes, and a value of 1,000 bytes with its other fields.
    public static let maximumSize = 6_144

    /// A request or an answer with its length before it.
    public static func framed(_ content: [UInt8]) -> [UInt8] {
        precondition(content.count <= maximumSize, "what is written is within the limits of its fields")
        return [UInt8(content.count >> 8), UInt8(content.count & 255)] + content
    }
}

/// Takes in bytes in pieces of any size, and divides them into frames.
public struct HelperFrameReader: Sendable {
    private var pending: [UInt8] = []
    /// Where the next frame begins in `pending`.
    private var start = 0

    public init() {}

    public mutating func append(_ bytes: some Sequence<UInt8>) { pending.append(contentsOf: bytes) }

    /// How many bytes wait for the rest of their frame.
    public var pendingCount: Int { pending.count - start }

    /// The content of the next frame; nil where it is not complete.
    ///
    /// - Throws: `limitExceeded` as soon as a length is too large, before its bytes have come.
    public mutating func next() throws(WireError) -> [UInt8]? {
        let rest = pending[start...]
        if let high = rest.first, let low = rest.dropFirst().first {
            let length = Int(high) << 8 | Int(low)
            guard length <= HelperFrame.maximumSize else {
                throw .limitExceeded(limit: HelperFrame.maximumSize, actual: UInt64(length))
            }
            if rest.count >= 2 + length {
                start += 2 + length
                return Array(rest.dropFirst(2).prefix(length))
            }
        }
        pending.removeSubrange(..<start)
        start = 0
        return nil
    }
}

/// Limits of single fields.
public enum HelperLimits {
    /// Nodes of the DHT that are kept from one session to the next.
    public static let maximumNodes = 200
    public static let maximumBootstrapNodes = 8
    /// `HOST:PORT`: a name has at most 253 bytes (RFC 1035 §2.3.4).
    public static let maximumBootstrapSize = 259
    /// Bytes of a value. BEP 44 allows 1,000 as bencoded, of which `996:` takes four.
    public static let maximumValueSize = 996
    /// Bytes of the address at which a router describes itself.
    public static let maximumLocationSize = 255
}

extension WireWriter {
    mutating func write(_ endpoints: [Endpoint]) {
        writeCount(endpoints.count)
        for endpoint in endpoints { write(endpoint) }
    }
}

extension WireReader {
    mutating func readEndpoints(maximum: Int) throws(WireError) -> [Endpoint] {
        let count = try readCount(maximum: maximum)
        var endpoints: [Endpoint] = []
        endpoints.reserveCapacity(count)
        for _ in 0..<count { endpoints.append(try readEndpoint()) }
        return endpoints
    }

    /// Reads text of printable ASCII: a name of a host, or an address of a page.
    mutating func readPrintable(maximum: Int, field: String) throws(WireError) -> String {
        let text = try readText(maximum: maximum)
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .invalidValue(field: field) }
        return text
    }
}
