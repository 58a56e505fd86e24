public import StreakWire

/// A default route: where this machine sends packets for the internet.
public struct DefaultRoute: Hashable, Sendable {
    /// An interface, as the system's table names it.
    public enum Interface: Hashable, Sendable {
        case name(String)
        case index(UInt32)
    }

    public let interface: Interface
    /// The router's address, with port 0 and no scope; nil if the route leads to no router, as through a VPN.
    public let gateway: Endpoint?
    /// The route with the lowest metric is used.
    public let metric: UInt32
}

/// Reads the system's routing tables, and leaves out what it does not understand.
public enum Gateways {
    /// The most lines, or messages, that are read. On a machine with more routes, default routes may be missed.
    static let maximumEntryCount = 4_096
    /// What is read of one file.
    public static let maximumTableSize = 1 << 20
    /// The longest name of an interface (Linux, IFNAMSIZ).
    private static let maximumNameLength = 15

    private static let isUp: UInt32 = 0x1
    private static let isReject: UInt32 = 0x200

    /// The default routes of Linux' `/proc/net/route`, the preferred one first.
    public static func ipv4(_ table: [UInt8]) -> [DefaultRoute] {
        routes(in: table) { fields in
            guard fields.count >= 8, let destination = hexadecimal(fields[1]), let gateway = hexadecimal(fields[2]),
                let flags = hexadecimal(fields[3]), let metric = UInt32(text(fields[6])),
                let mask = hexadecimal(fields[7]), destination == 0, mask == 0, flags & (isUp | isReject) == isUp
            else { return nil }
            // The bytes of the address in their order, written as one number of this machine.
            let address = Endpoint(ipv4: UInt32(bigEndian: gateway), port: 0)
            return route(fields[0], gateway: gateway == 0 ? nil : address, metric: metric)
        }
    }

    /// The default routes of Linux' `/proc/net/ipv6_route`, the preferred one first.
    public static func ipv6(_ table: [UInt8]) -> [DefaultRoute] {
        routes(in: table) { fields in
            guard fields.count >= 10, let destination = address(fields[0]), let length = hexadecimal(fields[1]),
                let gateway = address(fields[4]), let metric = hexadecimal(fields[5]),
                let flags = hexadecimal(fields[8]), destination == Bytes16(0, 0), length == 0,
                flags & (isUp | isReject) == isUp
            else { return nil }
            let hasGateway = gateway != Bytes16(0, 0)
            return route(fields[9], gateway: hasGateway ? Endpoint(address: gateway, port: 0) : nil, metric: metric)
        }
    }

    private static func routes(
        in table: [UInt8], _ read: ([ArraySlice<UInt8>]) -> DefaultRoute?
    ) -> [DefaultRoute] {
        let lines = table.prefix(maximumTableSize).split(separator: UInt8(ascii: "\n"), maxSplits: maximumEntryCount)
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        let found = lines.prefix(maximumEntryCount).compactMap {
            read($0.split(maxSplits: 16, whereSeparator: isBlank))
        }
        return sorted(found)
    }

    /// Routes with the same metric keep the system's order.
    private static func sorted(_ routes: [DefaultRoute]) -> [DefaultRoute] {
        routes.enumerated().sorted { ($0.element.metric, $0.offset) < ($1.element.metric, $1.offset) }.map(\.element)
    }

    private static func route(_ name: ArraySlice<UInt8>, gateway: Endpoint?, metric: UInt32) -> DefaultRoute? {
        guard (1...maximumNameLength).contains(name.count), name.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        return DefaultRoute(interface: .name(text(name)), gateway: gateway, metric: metric)
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt32? {
        digits.count <= 8 ? UInt32(text(digits), radix: 16) : nil
    }

    private static func address(_ digits: ArraySlice<UInt8>) -> Bytes16? {
        guard digits.count == 32, let high = UInt64(text(digits.prefix(16)), radix: 16),
            let low = UInt64(text(digits.suffix(16)), radix: 16)
        else { return nil }
        return Bytes16(high, low)
    }
}

// MARK: - Darwin

extension Gateways {
    /// The size of Darwin's `rt_msghdr`, after which the addresses come.
    private static let messageHeaderSize = 92

    /// The default routes in what Darwin's `sysctl` answers to `NET_RT_DUMP`, in its order; IPv4 or IPv6.
    ///
    /// Written from Darwin's headers `net/route.h`, `netinet/in.h` and `netinet6/in6.h`; nobody has run it on a Mac.
    public static func routingMessages(_ dump: [UInt8]) -> [DefaultRoute] {
        var found: [DefaultRoute] = []
        var rest = dump.prefix(maximumTableSize)
        for _ in 0..<maximumEntryCount {
            guard rest.count >= messageHeaderSize else { break }
            let length = Int(rest.number16(at: 0))
            guard (messageHeaderSize...rest.count).contains(length) else { break }
            if let route = route(in: rest.prefix(length)) { found.append(route) }
            rest = rest.dropFirst(length)
        }
        return found
    }

    private static func route(in message: ArraySlice<UInt8>) -> DefaultRoute? {
        let (flags, addresses) = (message.number32(at: 8), message.number32(at: 12))
        // RTA_DST and RTA_GATEWAY are the first two; without a mask the destination would be one host.
        guard flags & isUp != 0, addresses & 0x3 == 0x3 else { return nil }
        var rest = message.dropFirst(messageHeaderSize)
        guard let destination = nextAddress(of: &rest), let gateway = nextAddress(of: &rest),
            destination.isEmpty || endpoint(destination).map({ $0.ipv4 == 0 || $0.address == Bytes16(0, 0) }) ?? false
        else { return nil }
        // RTF_HOST, RTF_REJECT and RTF_BLACKHOLE lead nowhere, and RTF_IFSCOPE only those who ask for that interface.
        guard flags & (0x4 | 0x8 | 0x1000 | 0x100_0000) == 0 else { return nil }
        if addresses & 0x4 != 0, let mask = nextAddress(of: &rest), mask.dropFirst(4).contains(where: { $0 != 0 }) {
            return nil
        }
        return DefaultRoute(
            interface: .index(UInt32(message.number16(at: 4))), gateway: endpoint(gateway), metric: 0)
    }

    /// One `sockaddr`, of the length that it says; the next begins at a multiple of four bytes.
    private static func nextAddress(of rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let length = rest.first.map(Int.init), length <= rest.count else { return nil }
        defer { rest = rest.dropFirst(max(4, (length + 3) / 4 * 4)) }
        return rest.prefix(length)
    }

    /// An address of AF_INET (2) or AF_INET6 (30); nil for others, as of an interface.
    private static func endpoint(_ address: ArraySlice<UInt8>) -> Endpoint? {
        guard address.count >= 8 else { return nil }
        var reader = WireReader(address)
        // The lengths are looked at here.
        guard let head = try? reader.readRaw(4) else { return nil }
        switch head[1] {
        case 2: return (try? reader.readUInt32()).map { Endpoint(ipv4: $0, port: 0) }  // as above
        case 30:
            // A link-local address has its interface in its second pair of bytes here.
            // The length is looked at here, too.
            guard (try? reader.readUInt32()) != nil, let raw = try? reader.readBytes16() else { return nil }
            let isLinkLocal = Endpoint(address: raw, port: 0).isLinkLocal
            let high = isLinkLocal ? raw.w0 & 0xFFFF_0000_FFFF_FFFF : raw.w0
            return Endpoint(address: Bytes16(high, raw.w1), port: 0)
        default: return nil
        }
    }
}

extension ArraySlice<UInt8> {
    /// Numbers of this machine, which is little-endian wherever Darwin runs. The caller looks at the length.
    fileprivate func number16(at offset: Int) -> UInt16 {
        UInt16(self[startIndex + offset]) | UInt16(self[startIndex + offset + 1]) << 8
    }

    fileprivate func number32(at offset: Int) -> UInt32 {
        UInt32(number16(at: offset)) | UInt32(number16(at: offset + 2)) << 16
    }
}
