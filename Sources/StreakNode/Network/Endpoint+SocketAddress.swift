import NIOCore
import StreakWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Endpoint {
    init(_ raw: sockaddr_in) {
        self.init(ipv4: UInt32(bigEndian: raw.sin_addr.s_addr), port: UInt16(bigEndian: raw.sin_port))
    }

    init(_ raw: sockaddr_in6) {
        let words = unsafe withUnsafeBytes(of: raw.sin6_addr) { bytes in
            unsafe (
                UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
        let address = Bytes16(words.0, words.1)
        let port = UInt16(bigEndian: raw.sin6_port)
        let isLinkLocal = Endpoint(address: address, port: port).isLinkLocal
        self.init(address: address, port: port, scope: isLinkLocal ? raw.sin6_scope_id : 0)
    }

    /// Nil for what is no IP address.
    init?(_ address: SocketAddress) {
        switch address {
        case .v4(let address): self.init(address.address)
        case .v6(let address): self.init(address.address)
        case .unixDomainSocket: return nil
        }
    }

    /// The same address and port with another scope or port.
    func with(port: UInt16) -> Endpoint { Endpoint(address: address, port: port, scope: scope) }

    var socketAddress: SocketAddress {
        // The host name is only for show, and making it costs more than all the rest.
        ipv4 != nil ? SocketAddress(rawIPv4, host: "") : SocketAddress(rawIPv6, host: "")
    }

    /// Calls `body` with the form that system calls take.
    func withSystemAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        if ipv4 != nil {
            return unsafe Self.withSystemAddress(rawIPv4, body)
        } else {
            return unsafe Self.withSystemAddress(rawIPv6, body)
        }
    }

    /// Whether a datagram or stream may be directed there: one host at most, and one that there can be. Broadcast
    /// addresses of a subnet cannot be told from others here; the system refuses them.
    var isUnicast: Bool {
        guard port != 0 else { return false }
        if let ipv4 { return ipv4 >> 24 != 0 && ipv4 < 0xE000_0000 }
        return address.w0 >> 56 != 0xFF && address != Bytes16(0, 0)
    }

    var isWildcard: Bool { ipv4 == 0 || address == Bytes16(0, 0) }

    private var rawIPv4: sockaddr_in {
        var raw = sockaddr_in()
        raw.sin_family = sa_family_t(AF_INET)
        raw.sin_port = port.bigEndian
        raw.sin_addr.s_addr = (ipv4 ?? 0).bigEndian
        return raw
    }

    private var rawIPv6: sockaddr_in6 {
        var raw = sockaddr_in6()
        raw.sin6_family = sa_family_t(AF_INET6)
        raw.sin6_port = port.bigEndian
        raw.sin6_scope_id = scope
        raw.sin6_addr = in6_addr(address)
        return raw
    }

    private static func withSystemAddress<Raw, Result>(
        _ raw: Raw, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        unsafe withUnsafePointer(to: raw) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe body(address, socklen_t(MemoryLayout<Raw>.size))
            }
        }
    }
}

extension in6_addr {
    init(_ address: Bytes16) {
        self.init()
        unsafe withUnsafeMutableBytes(of: &self) { bytes in
            unsafe bytes.storeBytes(of: address.w0.bigEndian, as: UInt64.self)
            unsafe bytes.storeBytes(of: address.w1.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
    }
}
