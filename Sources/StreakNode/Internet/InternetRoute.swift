import NIOCore
import StreakInternet
import StreakWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The way from this machine to the internet by IPv4 or IPv6, as the system has it now.
struct InternetRoute {
    /// There is no router to ask; the finding is nil where none is needed.
    struct NoRouter: Error, Equatable {
        let finding: MappingFinding?
    }

    /// The address that the system puts on what is for the internet, with the port at which links are taken; nil where it has none.
    let source: Endpoint?
    let line: Result<PortMapper.Line, NoRouter>

    /// Somewhere on the internet; nothing is sent there. 192.0.2.1 and 2000::1.
    private static let elsewhere = (
        ipv4: Endpoint(ipv4: 0xC000_0201, port: 9), ipv6: Endpoint(address: Bytes16(0x2000 << 48, 1), port: 9)
    )

    /// - Parameter served: the endpoints at which links are taken.
    static func now(ipv4 isIPv4: Bool, served: [Endpoint]) -> InternetRoute {
        let target = isIPv4 ? elsewhere.ipv4 : elsewhere.ipv6
        // A node that listens on loopback only is not there for others.
        let source = sourceAddress(towards: target).flatMap { address in
            served.first { $0.address == address.address }
        }
        return InternetRoute(source: source, line: line(from: source, by: defaultRoutes(ipv4: isIPv4)))
    }

    /// Only the interface of the first default route counts, and only if what is sent leaves by it: otherwise the way out is a VPN,
    /// and the router of this home would open a port that leads nowhere.
    private static func line(
        from source: Endpoint?, by routes: [DefaultRoute]
    ) -> Result<PortMapper.Line, NoRouter> {
        guard let source, let route = routes.first else { return .failure(NoRouter(finding: .noGateway)) }
        // Nothing translates this address, so nothing has to be opened; IPv6 has firewalls.
        if source.ipv4 != nil, source.mayBeTold { return .failure(NoRouter(finding: nil)) }
        let index = index(of: route.interface)
        // Where the interfaces cannot be read, nobody is asked.
        let devices = ((try? System.enumerateDevices()) ?? []).filter { UInt32($0.interfaceIndex) == index }
        let isOwn = devices.contains { device in
            device.address.flatMap(Endpoint.init(_:))?.address == source.address
        }
        let isPointToPoint = devices.contains { $0.pointToPointDestinationAddress != nil }
        guard let gateway = route.gateway, isOwn, !isPointToPoint else { return .failure(NoRouter(finding: .vpn)) }
        let scoped = Endpoint(address: gateway.address, port: 0, scope: gateway.isLinkLocal ? index : 0)
        return .success(PortMapper.Line(gateway: scoped, inside: source))
    }

    private static func index(of interface: DefaultRoute.Interface) -> UInt32 {
        switch interface {
        case .index(let index): index
        case .name(let name): unsafe if_nametoindex(name)
        }
    }

    /// The address that the system would send from; nil where it knows no way.
    private static func sourceAddress(towards target: Endpoint) -> Endpoint? {
        #if canImport(Glibc)
            let type = CInt(SOCK_DGRAM.rawValue)
        #else
            let type = SOCK_DGRAM
        #endif
        let handle = socket(target.ipv4 != nil ? AF_INET : AF_INET6, type, 0)
        guard handle >= 0 else { return nil }
        defer { _ = close(handle) }
        let isConnected = unsafe target.withSystemAddress { unsafe connect(handle, $0, $1) == 0 }
        guard isConnected else { return nil }
        var raw = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &raw) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(handle, $0, &length) }
        }
        guard result == 0 else { return nil }
        return unsafe withUnsafeBytes(of: raw) { bytes in
            switch CInt(raw.ss_family) {
            case AF_INET: unsafe Endpoint(bytes.loadUnaligned(as: sockaddr_in.self))
            case AF_INET6: unsafe Endpoint(bytes.loadUnaligned(as: sockaddr_in6.self))
            default: nil
            }
        }
    }

    // MARK: Tables

    private static func defaultRoutes(ipv4 isIPv4: Bool) -> [DefaultRoute] {
        #if canImport(Darwin)
            Gateways.routingMessages(routingDump(family: isIPv4 ? AF_INET : AF_INET6))
        #else
            isIPv4
                ? Gateways.ipv4(contents(of: "/proc/net/route")) : Gateways.ipv6(contents(of: "/proc/net/ipv6_route"))
        #endif
    }

    #if canImport(Darwin)
        /// What the system answers to `NET_RT_DUMP`. Nobody has run this on a Mac.
        private static func routingDump(family: CInt) -> [UInt8] {
            var name: [CInt] = [CTL_NET, PF_ROUTE, 0, family, NET_RT_DUMP, 0]
            var size = 0
            guard unsafe sysctl(&name, u_int(name.count), nil, &size, nil, 0) == 0, size > 0 else { return [] }
            // Routes may come in between.
            size = min(size + size / 2, Gateways.maximumTableSize)
            var bytes = [UInt8](repeating: 0, count: size)
            guard unsafe sysctl(&name, u_int(name.count), &bytes, &size, nil, 0) == 0 else { return [] }
            return Array(bytes.prefix(size))
        }
    #else
        /// A file of the system's, which has no size before it is read; empty where it is not there.
        private static func contents(of path: String) -> [UInt8] {
            guard let file = unsafe fopen(path, "re") else { return [] }
            defer { unsafe fclose(file) }
            var bytes: [UInt8] = []
            var part = [UInt8](repeating: 0, count: 16_384)
            while bytes.count < Gateways.maximumTableSize {
                let count = unsafe fread(&part, 1, part.count, file)
                guard count > 0 else { break }
                bytes += part.prefix(count)
            }
            return bytes
        }
    #endif
}
