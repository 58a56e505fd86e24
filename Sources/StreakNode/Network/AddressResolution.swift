import NIOPosix
import StreakWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Turns names and literal addresses into endpoints.
enum AddressResolution {
    /// Endpoints of one name beyond this are ignored.
    static let maximumEndpointCount = 16

    /// Where `HOST:PORT` or `[IPV6]:PORT` leads, the host a name or an address. For a thread that may wait as long as `endpoints`.
    static func lookUp(_ text: String) throws(NetworkError) -> [Endpoint] {
        guard let address = HostPort(text), address.port != 0 else { throw .invalidAddress(text) }
        return try lookUp(host: address.host, port: address.port)
    }

    /// All addresses of a host, in the system's order of preference. A name may take as long as the system waits for its
    /// name service, some 30 s; an address is answered at once.
    static func endpoints(host: String, port: UInt16) async throws -> [Endpoint] {
        try await NIOThreadPool.singleton.runIfActive { try lookUp(host: host, port: port) }
    }

    /// The same, for a thread that may wait as long.
    static func lookUp(host: String, port: UInt16) throws(NetworkError) -> [Endpoint] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = AF_UNSPEC
        #if canImport(Glibc)
            unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        #else
            unsafe hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        let status = unsafe getaddrinfo(host, nil, &hints, &list)
        guard status == 0 else {
            throw .unresolvedName(host, reason: unsafe String(cString: gai_strerror(status)))
        }
        defer { unsafe freeaddrinfo(list) }
        var endpoints: [Endpoint] = []
        var next = unsafe list
        while let entry = unsafe next, endpoints.count < maximumEndpointCount {
            unsafe next = entry.pointee.ai_next
            let found = unsafe endpoint(of: entry.pointee)?.with(port: port)
            if let found, !endpoints.contains(found) { endpoints.append(found) }
        }
        guard !endpoints.isEmpty else { throw .unresolvedName(host, reason: "it has no IP address") }
        return endpoints
    }

    private static func endpoint(of entry: addrinfo) -> Endpoint? {
        guard let address = unsafe UnsafeRawPointer(entry.ai_addr) else { return nil }
        switch unsafe entry.ai_family {
        case AF_INET: return unsafe Endpoint(address.loadUnaligned(as: sockaddr_in.self))
        case AF_INET6: return unsafe Endpoint(address.loadUnaligned(as: sockaddr_in6.self))
        default: return nil
        }
    }
}
