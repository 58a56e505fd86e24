import StreakRandom

#if os(Linux)
    import Foundation
    import Glibc
    import Synchronization

    /// Carries Ethernet frames between pairs of interfaces, each after a time of its own: what the kernel's `netem` would do,
    /// which not every kernel has.
    final class DelayLine: Sendable {
        private struct Frame {
            let due: ContinuousClock.Instant
            let target: Int32
            let bytes: [UInt8]
        }

        private let isStopped = Atomic<Bool>(false)

        /// Opens the interfaces of the namespace that the calling thread is in, and begins.
        init(between pairs: [(String, String)], delay: Duration, jitter: Duration) throws {
            var targets: [Int32: Int32] = [:]
            for (first, second) in pairs {
                let ends = (try Self.open(first), try Self.open(second))
                targets[ends.0] = ends.1
                targets[ends.1] = ends.0
            }
            let lines = targets
            let thread = Thread { [weak self] in
                Self.carry(lines, delay: delay, jitter: jitter) { self?.isStopped.load(ordering: .relaxed) ?? true }
                for descriptor in lines.keys { close(descriptor) }
            }
            thread.start()
        }

        func stop() { isStopped.store(true, ordering: .relaxed) }

        private static func carry(
            _ targets: [Int32: Int32], delay: Duration, jitter: Duration, until isOver: () -> Bool
        ) {
            var random = SplitMix64(seed: 40)
            var waiting: [Frame] = []
            var polls = targets.keys.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while !isOver() {
                // As soon as the first frame is due, but often enough to see the end.
                let left = waiting.first.map { ($0.due - .now) / .milliseconds(1) } ?? 100
                _ = unsafe poll(&polls, nfds_t(polls.count), Int32(max(0, min(100, left.rounded(.up)))))
                for entry in polls where entry.revents != 0 {
                    while true {
                        let size = unsafe recv(entry.fd, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                        guard size > 0, let target = targets[entry.fd] else { break }
                        let spread = Double.random(in: -1...1, using: &random)
                        let frame = Frame(
                            due: .now + delay + jitter * spread, target: target, bytes: Array(buffer[..<size]))
                        let place = waiting.firstIndex { $0.due > frame.due } ?? waiting.count
                        waiting.insert(frame, at: place)
                    }
                }
                while let frame = waiting.first, frame.due <= .now {
                    // What an interface does not take is lost, as on any network.
                    _ = unsafe send(frame.target, frame.bytes, frame.bytes.count, Int32(MSG_DONTWAIT))
                    waiting.removeFirst()
                }
            }
        }

        /// A socket of all that comes in at an interface, and of nothing that goes out by it.
        private static func open(_ interface: String) throws -> Int32 {
            let descriptor = socket(AF_PACKET, Int32(SOCK_RAW.rawValue), Int32(UInt16(3).bigEndian))
            guard descriptor >= 0 else { throw TestFailure("packet socket: \(errno)") }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            // packet(7): sockaddr_ll, and PACKET_IGNORE_OUTGOING. The C module shows neither.
            var address = [UInt8](repeating: 0, count: 20)
            let index = unsafe UInt32(if_nametoindex(interface))
            unsafe address.withUnsafeMutableBytes { place in
                unsafe place.storeBytes(of: UInt16(AF_PACKET), toByteOffset: 0, as: UInt16.self)
                unsafe place.storeBytes(of: UInt16(3).bigEndian, toByteOffset: 2, as: UInt16.self)
                unsafe place.storeBytes(of: index, toByteOffset: 4, as: UInt32.self)
            }
            let isBound = unsafe address.withUnsafeBytes { place in
                guard let start = place.baseAddress else { return false }
                return unsafe bind(descriptor, start.assumingMemoryBound(to: sockaddr.self), socklen_t(place.count))
                    == 0
            }
            var isOn: Int32 = 1
            let size = socklen_t(MemoryLayout<Int32>.size)
            guard index > 0, isBound, unsafe setsockopt(descriptor, 263, 23, &isOn, size) == 0 else {
                close(descriptor)
                throw TestFailure("packet socket on \(interface): \(errno)")
            }
            var room: Int32 = 8 << 20
            _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &room, size)
            return descriptor
        }

        /// Has an interface of the thread's namespace work out checksums itself, and send no frames longer than fit: between
        /// two ends of a cable in one machine the kernel leaves both to whoever receives.
        static func sendWholeChecksums(on interface: String) throws {
            let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
            defer { close(descriptor) }
            // ethtool(8) as the kernel has it: SIOCETHTOOL with ETHTOOL_STXCSUM, ETHTOOL_STSO and ETHTOOL_SGSO.
            for command in [0x17, 0x1F, 0x24] as [UInt32] {
                var order = [command, 0]
                let result = unsafe order.withUnsafeMutableBytes { order -> Int32 in
                    var request = [UInt8](repeating: 0, count: 40)
                    request.replaceSubrange(0..<interface.utf8.count, with: Array(interface.utf8))
                    return unsafe request.withUnsafeMutableBytes { request in
                        let address = UInt(bitPattern: order.baseAddress)
                        unsafe request.storeBytes(of: address, toByteOffset: 16, as: UInt.self)
                        guard let start = request.baseAddress else { return -1 }
                        return unsafe ioctl(descriptor, 0x8946, start)
                    }
                }
                guard result == 0 else { throw TestFailure("ethtool \(command) on \(interface): \(errno)") }
            }
        }
    }
#endif
