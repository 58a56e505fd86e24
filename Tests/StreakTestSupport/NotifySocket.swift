#if os(Linux)
    import Foundation
    import Glibc

    /// What a service manager listens on (sd_notify(3)).
    public final class NotifySocket {
        private let descriptor: Int32

        /// - Parameter name: a path, or a name of the abstract namespace behind `@`.
        public init(name: String) throws {
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            var path = Array(name.utf8)
            if path[0] == UInt8(ascii: "@") { path[0] = 0 }
            unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path) }
            let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
            let result = unsafe withUnsafePointer(to: &address) {
                unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, length) }
            }
            guard result == 0 else { throw CocoaError(.fileWriteUnknown) }
        }

        deinit { close(descriptor) }

        /// One datagram; empty where none is there.
        public func received() -> String {
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        }

        /// All that has come and was not looked at.
        public func receivedAll() -> [String] {
            var all: [String] = []
            while true {
                let next = received()
                guard !next.isEmpty else { return all }
                all.append(next)
            }
        }
    }
#endif
