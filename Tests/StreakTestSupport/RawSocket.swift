#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A socket of somebody who knows nothing but an address: sends what it likes, and looks whether anything comes back.
public final class RawSocket: Sendable {
    let descriptor: Int32

    public enum Kind: Sendable {
        case datagram, stream

        #if canImport(Glibc)
            var number: Int32 { Int32((self == .datagram ? SOCK_DGRAM : SOCK_STREAM).rawValue) }
        #else
            var number: Int32 { self == .datagram ? SOCK_DGRAM : SOCK_STREAM }
        #endif
    }

    /// An IPv4 socket; a full table of files is a failure.
    public init(_ kind: Kind) throws {
        descriptor = socket(AF_INET, kind.number, 0)
        guard descriptor >= 0 else { throw TestFailure("socket: \(errno)") }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    /// Takes over an open descriptor.
    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    private static func address(_ host: String, _ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        _ = unsafe inet_pton(AF_INET, host, &address.sin_addr)
        return address
    }

    /// Binds to a port, or with 0 to any free one, and returns it.
    @discardableResult
    public func bind(host: String = "127.0.0.1", port: UInt16 = 0) throws -> UInt16 {
        var address = Self.address(host, port)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe Self.systemBind(descriptor, pointer, size) == 0 && getsockname(descriptor, pointer, &size) == 0
            }
        }
        guard isBound else { throw TestFailure("bind: \(errno)") }
        return UInt16(bigEndian: address.sin_port)
    }

    private static func systemBind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t) -> Int32
    {
        #if canImport(Glibc)
            unsafe Glibc.bind(descriptor, address, size)
        #elseif canImport(Musl)
            unsafe Musl.bind(descriptor, address, size)
        #else
            unsafe Darwin.bind(descriptor, address, size)
        #endif
    }

    /// Connects, and returns whether somebody listens.
    public func connect(to port: UInt16, host: String = "127.0.0.1") -> Bool {
        let address = Self.address(host, port)
        return unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                #if canImport(Glibc)
                    unsafe Glibc.connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                #elseif canImport(Musl)
                    unsafe Musl.connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                #else
                    unsafe Darwin.connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                #endif
            }
        }
    }

    /// Sends one datagram. What the system does not take is lost, as on any network.
    public func send(_ bytes: [UInt8], to port: UInt16, host: String = "127.0.0.1") {
        let address = Self.address(host, port)
        unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                _ = unsafe sendto(descriptor, bytes, bytes.count, 0, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// Sends on a connected socket.
    public func send(_ bytes: [UInt8]) {
        _ = Self.systemSend(descriptor, bytes)
    }

    private static func systemSend(_ descriptor: Int32, _ bytes: [UInt8]) -> Int {
        #if os(Linux)
            unsafe sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), nil, 0)
        #else
            unsafe sendto(descriptor, bytes, bytes.count, 0, nil, 0)
        #endif
    }

    /// What has come in by now; nil where nothing has. An empty result is the end of a stream.
    public func received(maximum: Int = 65_536) -> [UInt8]? {
        var hasFailed = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: maximum) { buffer, count in
            let size = unsafe recv(descriptor, buffer.baseAddress, maximum, Self.dontWait)
            hasFailed = size < 0
            count = max(0, size)
        }
        return hasFailed ? nil : bytes
    }

    #if os(Linux)
        private static let dontWait = Int32(MSG_DONTWAIT)
    #else
        private static let dontWait = MSG_DONTWAIT
    #endif
}

/// A port that nothing uses at the moment, for datagrams and streams. No system gives it to a connection that goes out: those
/// get theirs from 32768 (Linux) or 49152 (macOS).
public func freePort() throws -> UInt16 {
    for _ in 0..<100 {
        let port = UInt16.random(in: 10_000..<30_000)
        // Many are taken, or left over from a connection that has just ended.
        guard (try? RawSocket(.datagram).bind(port: port)) != nil, (try? RawSocket(.stream).bind(port: port)) != nil
        else { continue }
        return port
    }
    throw TestFailure("no port is free")
}
