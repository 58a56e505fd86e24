#if os(Linux)
    import Dispatch
    import Foundation
    import Synchronization

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// A network of its own: hosts in network namespaces on one hub, IPv4 addresses and no way out.
    ///
    /// Needs root. The hub forgets which host is where, so that everybody hears every frame.
    public final class Lan: Sendable {
        /// Whether such networks may be made; `script/test` says so.
        public static var isAvailable: Bool { ProcessInfo.processInfo.environment["STREAKMESH_NETWORK_TESTS"] == "1" }

        let lab: Lab
        private let prefix: String

        /// The namespace of the hub.
        var hub: String { "\(prefix)-hub" }

        /// A host: a namespace and its address.
        public struct Host: Sendable {
            /// The namespace.
            public let name: String
            public let address: String
            /// What runs a program there.
            public var launcher: [String] { ["ip", "netns", "exec", name] }
        }

        public let hosts: [Host]

        /// Makes a network of `count` hosts, which is gone when the lab closes. `network` is the first three numbers of its
        /// addresses.
        public init(in lab: Lab, count: Int, network: String = "10.77.0") async throws {
            self.lab = lab
            prefix = "sm\(String(UInt32.random(in: .min ... .max), radix: 36))"
            let prefix = prefix
            hosts = (1...count).map { Host(name: "\(prefix)-\($0)", address: "\(network).\($0)") }
            let names = ["\(prefix)-hub"] + hosts.map(\.name)
            lab.atEnd { [lab] in
                for name in names {
                    // One that was never made cannot be deleted.
                    _ = try? await lab.run(["ip", "netns", "delete", name])
                }
            }
            try await ip("netns", "add", names[0])
            try await ip(
                "-n", names[0], "link", "add", "br0", "type", "bridge", "ageing_time", "0", "mcast_snooping", "0")
            try await ip("-n", names[0], "link", "set", "br0", "up")
            for (number, host) in hosts.enumerated() {
                try await ip("netns", "add", host.name)
                try await ip(
                    "link", "add", "p\(number)", "netns", names[0], "type", "veth", "peer", "name", "eth0", "netns",
                    host.name)
                try await ip("-n", names[0], "link", "set", "p\(number)", "master", "br0", "up")
                try await ip("-n", host.name, "link", "set", "lo", "up")
                try await ip("-n", host.name, "address", "add", "\(host.address)/24", "broadcast", "+", "dev", "eth0")
                try await ip("-n", host.name, "link", "set", "eth0", "up")
            }
        }

        func ip(_ words: String...) async throws {
            let result = try await lab.run(["ip"] + words)
            guard result.exitCode == 0 else { throw TestFailure("\(result)") }
        }

        /// Pulls a host's cable out of the hub, or puts it back.
        public func setCable(of host: Host, isPlugged: Bool) async throws {
            let number = hosts.firstIndex { $0.name == host.name } ?? 0
            try await ip("-n", hub, "link", "set", "p\(number)", isPlugged ? "up" : "down")
        }

        /// Makes something, such as a socket, inside a host.
        static func inside<Value: Sendable>(_ host: Host, _ make: @escaping @Sendable () throws -> Value) async throws
            -> Value
        {
            try await withCheckedThrowingContinuation { continuation in
                // A thread of its own: it enters the namespace and ends there.
                let thread = Thread {
                    continuation.resume(
                        with: Result { () throws -> Value in
                            let namespace = unsafe open("/run/netns/\(host.name)", O_RDONLY | O_CLOEXEC)
                            defer { close(namespace) }
                            guard namespace >= 0, enterNamespace(namespace) == 0 else {
                                throw TestFailure("cannot enter \(host.name): \(errno)")
                            }
                            return try make()
                        })
                }
                thread.start()
            }
        }

        /// `setns(2)`, which the C module does not show.
        private static func enterNamespace(_ descriptor: Int32) -> Int32 {
            typealias Function = @convention(c) (Int32, Int32) -> Int32
            guard let symbol = unsafe dlsym(nil, "setns") else { return -1 }
            let networkNamespace: Int32 = 0x4000_0000
            return unsafe unsafeBitCast(symbol, to: Function.self)(descriptor, networkNamespace)
        }
    }

    /// Somebody on the network who belongs to nobody: hears every frame, and sends what it likes.
    public final class Stranger: Sendable {
        /// A UDP datagram that passed by.
        public struct Datagram: Sendable {
            public var source: String
            public var destination: String
            public var sourcePort: UInt16
            public var destinationPort: UInt16
            public var payload: [UInt8]
        }

        private let tap: RawSocket
        private let socket: RawSocket
        private let captured = Mutex<[[UInt8]]>([])
        /// Where this one sends from.
        public let port: UInt16

        public init(at host: Lan.Host) async throws {
            tap = try await Lan.inside(host) {
                // All protocols, in network byte order: frames of every kind.
                let descriptor = Glibc.socket(AF_PACKET, Int32(SOCK_RAW.rawValue), Int32(UInt16(3).bigEndian))
                guard descriptor >= 0 else { throw TestFailure("packet socket: \(errno)") }
                var size: Int32 = 32 << 20
                _ = unsafe setsockopt(
                    descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &size, socklen_t(MemoryLayout<Int32>.size))
                return RawSocket(descriptor: descriptor)
            }
            socket = try await Lan.inside(host) { try RawSocket(.datagram) }
            port = try socket.bind(host: host.address)
        }

        /// Every frame that has passed by so far.
        public func frames() -> [[UInt8]] {
            while let frame = tap.received() { captured.withLock { $0.append(frame) } }
            return captured.withLock(\.self)
        }

        /// The UDP datagrams among them; fragments and other protocols are left out.
        public func datagrams(from start: Int = 0) -> [Datagram] { frames().dropFirst(start).compactMap(Self.datagram) }

        private static func datagram(in frame: [UInt8]) -> Datagram? {
            // Ethernet (14), IPv4 (at least 20), UDP (8).
            guard frame.count >= 42, frame[12] == 0x08, frame[13] == 0x00, frame[23] == 17 else { return nil }
            let udp = 14 + Int(frame[14] & 15) * 4
            guard frame.count >= udp + 8 else { return nil }
            func number(_ place: Int) -> UInt16 { UInt16(frame[place]) << 8 | UInt16(frame[place + 1]) }
            func address(_ place: Int) -> String { frame[place..<place + 4].map(String.init).joined(separator: ".") }
            return Datagram(
                source: address(26), destination: address(30), sourcePort: number(udp),
                destinationPort: number(udp + 2),
                payload: Array(frame[(udp + 8)..<max(udp + 8, min(frame.count, udp + Int(number(udp + 4))))]))
        }

        public func send(_ bytes: [UInt8], to port: UInt16, of host: Lan.Host) {
            socket.send(bytes, to: port, host: host.address)
        }

        /// Something that came back, if anything did.
        public func answer() -> [UInt8]? { socket.received() }
    }
#endif
