#if canImport(Glibc)
    import Glibc
    import StreakWire
    import Testing

    @testable import StreakNode

    /// A hop limit is for one datagram, and the next one has the system's.
    struct DatagramHopLimitTests {
        private struct SystemFailure: Error {}

        /// The hop limits with which datagrams arrive on a socket of the test's own.
        private func arrivingHopLimits(sending: (DatagramSocket, Endpoint) -> Void) throws -> [CInt] {
            let handle = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
            defer { _ = close(handle) }
            var on: CInt = 1
            let size = socklen_t(MemoryLayout<CInt>.size)
            var limit = timeval(tv_sec: 5, tv_usec: 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            guard unsafe setsockopt(handle, CInt(IPPROTO_IP), IP_RECVTTL, &on, size) == 0,
                unsafe setsockopt(
                    handle, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size)) == 0,
                unsafe withUnsafeMutablePointer(
                    to: &address,
                    { pointer in
                        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                            unsafe bind(handle, address, length) == 0 && getsockname(handle, address, &length) == 0
                        }
                    })
            else { throw SystemFailure() }
            let target = Endpoint(ipv4: 0x7F00_0001, port: UInt16(bigEndian: address.sin_port))
            let sender = try DatagramSocket(
                boundTo: Endpoint(ipv4: 0x7F00_0001, port: 0), sharesPort: false, bufferSize: 65_536)
            sending(sender, target)
            return try (0..<3).map { _ in try hopLimit(of: handle) }
        }

        private func hopLimit(of handle: CInt) throws -> CInt {
            var content = [UInt8](repeating: 0, count: 16)
            // A header of 16 bytes, and the limit, as recvmsg(2) has it on Linux.
            var control = [UInt64](repeating: 0, count: 8)
            let count = unsafe content.withUnsafeMutableBytes { content in
                unsafe control.withUnsafeMutableBytes { control in
                    var part = unsafe iovec(iov_base: content.baseAddress, iov_len: content.count)
                    return unsafe withUnsafeMutablePointer(to: &part) { part in
                        var message = unsafe msghdr()
                        unsafe message.msg_iov = part
                        unsafe message.msg_iovlen = 1
                        unsafe message.msg_control = control.baseAddress
                        unsafe message.msg_controllen = control.count
                        return unsafe recvmsg(handle, &message, 0)
                    }
                }
            }
            guard count > 0 else { throw SystemFailure() }
            return CInt(truncatingIfNeeded: control[2] & 0xFFFF_FFFF)
        }

        @Test func `a limited datagram is limited, and no other`() throws {
            let limits = try arrivingHopLimits { sender, target in
                #expect(sender.send([1], to: target))
                #expect(sender.send([2], to: target, hopLimit: 3))
                #expect(!sender.send([9], to: target, hopLimit: 0), "the system takes none of that, and it does not go")
                #expect(sender.send([3], to: target))
            }
            #expect(limits[1] == 3 && limits[0] == limits[2] && limits[0] > 3, "\(limits)")
        }
    }
#endif
