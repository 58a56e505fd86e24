/// An IP address with a port: where a datagram is sent or a stream opened.
public struct Endpoint: Hashable, Comparable, Sendable {
    /// IPv4 addresses are held mapped into IPv6 (::ffff:a.b.c.d), so that one address has one form.
    public let address: Bytes16
    public let port: UInt16
    /// The interface of a link-local IPv6 address; 0 elsewhere. It means something on this machine only and never travels.
    public let scope: UInt32

    private static let mappedPrefix: UInt64 = 0x0000_FFFF_0000_0000

    public init(address: Bytes16, port: UInt16, scope: UInt32 = 0) {
        self.address = address
        self.port = port
        self.scope = scope
    }

    /// An IPv4 endpoint, the address in host order.
    public init(ipv4: UInt32, port: UInt16) {
        self.init(address: Bytes16(0, Self.mappedPrefix | UInt64(ipv4)), port: port)
    }

    /// The address in host order, if this is IPv4.
    public var ipv4: UInt32? {
        guard address.w0 == 0, address.w1 >> 32 == Self.mappedPrefix >> 32 else { return nil }
        return UInt32(truncatingIfNeeded: address.w1)
    }

    /// Whether this is an fe80::/10 address, which needs a scope.
    public var isLinkLocal: Bool { address.w0 >> 54 == 0xFE80 >> 6 }

    /// Whether this is 127.0.0.0/8 or ::1.
    public var isLoopback: Bool {
        if let ipv4 { return ipv4 >> 24 == 127 }
        return address == Bytes16(0, 1)
    }

    /// Whether the address can only be one on the same link or site: loopback, link-local, RFC 1918, RFC 4193.
    public var isLocal: Bool {
        if isLoopback || isLinkLocal { return true }
        guard let ipv4 else { return address.w0 >> 57 == 0xFC >> 1 }
        return ipv4 >> 24 == 10 || ipv4 >> 20 == 0xAC1 || ipv4 >> 16 == 0xC0A8 || ipv4 >> 16 == 0xA9FE
    }

    /// Whether it may be told to others as an address on the internet: a port of 1024 or above at a global unicast address.
    /// Not at one that is private, shared (100.64/10, RFC 6598), multicast or reserved. The networks for documentation and for tests
    /// (198.18/15, 2001:db8::/32) pass.
    public var mayBeTold: Bool {
        guard port >= 1024, !isLocal else { return false }
        // An address of 6to4 leads to the IPv4 address within it, which may be anywhere.
        guard let ipv4 else { return address.w0 >> 61 == 1 && address.w0 >> 48 != 0x2002 }
        let isShared = ipv4 >> 22 == 0x6440_0000 >> 22
        return ipv4 >> 24 != 0 && !isShared && ipv4 >> 28 < 0xE
    }

    /// The block of addresses it is in, which most likely belongs to one provider: IPv4 /16, IPv6 /32.
    public var provider: Bytes16 {
        guard let ipv4 else { return Bytes16(address.w0 & 0xFFFF_FFFF_0000_0000, 0) }
        return Endpoint(ipv4: ipv4 & 0xFFFF_0000, port: 0).address
    }

    public static func < (left: Endpoint, right: Endpoint) -> Bool {
        (left.address, left.port, left.scope) < (right.address, right.port, right.scope)
    }
}

extension Endpoint: CustomStringConvertible {
    /// `192.0.2.1:7420` or `[2001:db8::1]:7420` (RFC 5952 §4).
    public var description: String {
        if let ipv4 {
            return "\(ipv4 >> 24).\(ipv4 >> 16 & 255).\(ipv4 >> 8 & 255).\(ipv4 & 255):\(port)"
        }
        let groups = [address.w0, address.w1].flatMap { word in
            [48, 32, 16, 0].map { word >> UInt64($0) & 0xFFFF }
        }
        // The longest run of zeros, the first one of equals, is left out. A single zero stays.
        var (left, start) = (0..<0, 0)
        for (index, group) in groups.enumerated() {
            if group != 0 {
                start = index + 1
            } else if index + 1 - start > max(left.count, 1) {
                left = start..<index + 1
            }
        }
        func text(_ range: Range<Int>) -> String {
            groups[range].map { String($0, radix: 16) }.joined(separator: ":")
        }
        let shown = left.isEmpty ? text(0..<8) : text(0..<left.lowerBound) + "::" + text(left.upperBound..<8)
        return "[\(shown)]:\(port)"
    }
}

extension WireWriter {
    public mutating func write(_ endpoint: Endpoint) {
        write(endpoint.address)
        write(endpoint.port)
    }
}

extension WireReader {
    public mutating func readEndpoint() throws(WireError) -> Endpoint {
        Endpoint(address: try readBytes16(), port: try readUInt16())
    }
}
