import NIOCore
import StreakWire
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// One bound UDP socket of one address family.
///
/// Datagrams are sent by the calling thread itself, never queued: what the system does not take at once is lost. SwiftNIO
/// reads from a duplicate of the descriptor but is not asked to write, because its datagram channel closes itself when the
/// system refuses one datagram (EPERM by a firewall, ENETUNREACH), where that should cost this datagram only.
final class DatagramSocket: Sendable {
    /// Where it is bound, with the port that the system chose.
    let endpoint: Endpoint
    /// -1 once closed.
    private let descriptor: Mutex<CInt>

    /// `sharesPort` lets several nodes of one machine receive the same multicast and broadcast datagrams.
    init(boundTo wanted: Endpoint, sharesPort: Bool, bufferSize: CInt) throws {
        let handle = socket(wanted.ipv4 != nil ? AF_INET : AF_INET6, Self.datagramType, 0)
        guard handle >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
        do {
            endpoint = try Self.bind(handle, to: wanted, sharesPort: sharesPort)
        } catch {
            Self.close(handle)
            throw error
        }
        // Linux gives what it allows; Darwin refuses the whole wish, hence the smaller ones.
        for size in [bufferSize, bufferSize / 4, bufferSize / 16]
        where Self.setOption(handle, SOL_SOCKET, SO_RCVBUF, size) {
            break
        }
        descriptor = Mutex(handle)
    }

    deinit { close() }

    /// Sends to one host. False if the system did not take it: this datagram is lost, the next may succeed.
    ///
    /// - Parameter hopLimit: how many routers it passes at most; by default as many as the system lets it.
    @discardableResult
    func send(_ bytes: [UInt8], to target: Endpoint, hopLimit: UInt8? = nil) -> Bool {
        guard target.isUnicast, (target.ipv4 != nil) == (endpoint.ipv4 != nil) else { return false }
        return descriptor.withLock { handle in
            guard let hopLimit else { return Self.send(bytes, to: target, through: handle) }
            let (level, name) =
                target.ipv4 != nil
                ? (CInt(IPPROTO_IP), IP_TTL) : (CInt(IPPROTO_IPV6), IPV6_UNICAST_HOPS)
            // Only for this one datagram. Where it cannot be limited it must not go: it would take the other side's port.
            guard let usual = Self.option(handle, level, name), Self.setOption(handle, level, name, CInt(hopLimit))
            else { return false }
            defer { Self.setOption(handle, level, name, usual) }
            return Self.send(bytes, to: target, through: handle)
        }
    }

    /// Sends to the discovery group on one interface.
    @discardableResult
    func sendToGroup(_ bytes: [UInt8], port: UInt16, on interface: LocalInterface) -> Bool {
        descriptor.withLock { handle in
            guard let source = interface.address.ipv4 else {
                // The scope of a link-local group address names the interface (RFC 4007 §11).
                let group = Endpoint(
                    address: NetworkConfiguration.ipv6Group, port: port, scope: interface.index)
                return Self.send(bytes, to: group, through: handle)
            }
            let group = Endpoint(ipv4: NetworkConfiguration.ipv4Group, port: port)
            return Self.setOption(handle, CInt(IPPROTO_IP), IP_MULTICAST_IF, in_addr(s_addr: source.bigEndian))
                && Self.send(bytes, to: group, through: handle)
        }
    }

    /// Sends to all hosts of a subnet.
    @discardableResult
    func broadcast(_ bytes: [UInt8], to address: UInt32, port: UInt16) -> Bool {
        descriptor.withLock { handle in
            // Only for this one datagram: otherwise the system is to refuse broadcast addresses, which others may tell us.
            Self.setOption(handle, SOL_SOCKET, SO_BROADCAST, CInt(1))
            defer { Self.setOption(handle, SOL_SOCKET, SO_BROADCAST, CInt(0)) }
            return Self.send(bytes, to: Endpoint(ipv4: address, port: port), through: handle)
        }
    }

    /// Receives from now on what is sent to the discovery group on one interface.
    @discardableResult
    func joinGroup(on interface: LocalInterface) -> Bool {
        descriptor.withLock { handle in
            if let address = interface.address.ipv4 {
                let membership = ip_mreq(
                    imr_multiaddr: in_addr(s_addr: NetworkConfiguration.ipv4Group.bigEndian),
                    imr_interface: in_addr(s_addr: address.bigEndian))
                // An interface that went and came back may have left a membership that receives nothing.
                Self.setOption(handle, CInt(IPPROTO_IP), IP_DROP_MEMBERSHIP, membership)
                return Self.setOption(handle, CInt(IPPROTO_IP), IP_ADD_MEMBERSHIP, membership)
            }
            var membership = ipv6_mreq()
            membership.ipv6mr_multiaddr = in6_addr(NetworkConfiguration.ipv6Group)
            membership.ipv6mr_interface = .init(interface.index)
            Self.setOption(handle, CInt(IPPROTO_IPV6), IPV6_LEAVE_GROUP, membership)
            return Self.setOption(handle, CInt(IPPROTO_IPV6), IPV6_JOIN_GROUP, membership)
        }
    }

    /// A further descriptor of the same socket, which the caller has to close. Nil once closed.
    func duplicated() -> CInt? {
        descriptor.withLock { handle in
            let copy = handle < 0 ? -1 : fcntl(handle, F_DUPFD_CLOEXEC, 0)
            return copy < 0 ? nil : copy
        }
    }

    /// Ends sending. The port is free once duplicates are closed too.
    func close() {
        descriptor.withLock { handle in
            Self.close(handle)
            handle = -1
        }
    }

    private static func close(_ handle: CInt) {
        guard handle >= 0 else { return }
        #if canImport(Glibc)
            _ = Glibc.close(handle)
        #elseif canImport(Musl)
            _ = Musl.close(handle)
        #else
            _ = Darwin.close(handle)
        #endif
    }
}

extension DatagramSocket {
    private static var datagramType: CInt {
        #if canImport(Glibc)
            CInt(SOCK_DGRAM.rawValue)
        #else
            SOCK_DGRAM
        #endif
    }

    /// The endpoint with the port that the system chose.
    private static func bind(_ handle: CInt, to wanted: Endpoint, sharesPort: Bool) throws -> Endpoint {
        _ = fcntl(handle, F_SETFD, FD_CLOEXEC)
        _ = fcntl(handle, F_SETFL, O_NONBLOCK)
        if wanted.ipv4 == nil {
            // The IPv4 side has a socket of its own.
            setOption(handle, CInt(IPPROTO_IPV6), IPV6_V6ONLY, CInt(1))
        }
        if sharesPort {
            setOption(handle, SOL_SOCKET, SO_REUSEADDR, CInt(1))
            setOption(handle, SOL_SOCKET, SO_REUSEPORT, CInt(1))
        }
        let result = unsafe wanted.withSystemAddress { address, length in
            #if canImport(Glibc)
                unsafe Glibc.bind(handle, address, length)
            #elseif canImport(Musl)
                unsafe Musl.bind(handle, address, length)
            #else
                unsafe Darwin.bind(handle, address, length)
            #endif
        }
        guard result == 0 else { throw IOError(errnoCode: errno, reason: "bind") }
        return wanted.port != 0 ? wanted : wanted.with(port: try boundPort(of: handle))
    }

    private static func boundPort(of handle: CInt) throws -> UInt16 {
        // IPv4 and IPv6 socket addresses have the port at the same place.
        var raw = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let result = unsafe withUnsafeMutablePointer(to: &raw) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe getsockname(handle, address, &length)
            }
        }
        guard result == 0 else { throw IOError(errnoCode: errno, reason: "getsockname") }
        return UInt16(bigEndian: raw.sin6_port)
    }

    private static func send(_ bytes: [UInt8], to target: Endpoint, through handle: CInt) -> Bool {
        guard handle >= 0 else { return false }
        return unsafe bytes.withUnsafeBytes { content in
            unsafe target.withSystemAddress { address, length in
                unsafe sendto(
                    handle, content.baseAddress, content.count, CInt(MSG_DONTWAIT), address, length) >= 0
            }
        }
    }

    private static func option(_ handle: CInt, _ level: CInt, _ name: CInt) -> CInt? {
        var value: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        return unsafe getsockopt(handle, level, name, &value, &size) == 0 ? value : nil
    }

    @discardableResult
    private static func setOption<Value>(
        _ handle: CInt, _ level: CInt, _ name: CInt, _ value: Value
    ) -> Bool {
        unsafe withUnsafeBytes(of: value) { bytes in
            unsafe setsockopt(handle, level, name, bytes.baseAddress, socklen_t(bytes.count)) == 0
        }
    }
}
