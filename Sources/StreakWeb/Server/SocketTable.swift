import Foundation
import NIOCore

/// One end of a TCP connection: an address of four or sixteen bytes, and a port. An IPv4 address mapped into IPv6
/// equals the IPv4 address.
struct SocketName: Hashable, Sendable {
    let address: [UInt8]
    let port: UInt16

    init(address: [UInt8], port: UInt16) {
        let isMapped = address.count == 16 && address[..<10].allSatisfy { $0 == 0 } && address[10...11] == [255, 255]
        self.address = isMapped ? Array(address[12...]) : address
        self.port = port
    }

    /// Whether only this machine can have this address: 127.0.0.0/8 (RFC 1122 §3.2.1.3) or ::1.
    var isLoopback: Bool {
        address.count == 4 ? address[0] == 127 : address == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// Nil if it is not an IP address.
    init?(_ address: SocketAddress) {
        guard let packed = address.packedIPAddress, let port = address.port else { return nil }
        self.init(address: Array(packed.readableBytesView), port: UInt16(truncatingIfNeeded: port))
    }
}

extension SocketAddress {
    /// The address in network order: four or sixteen bytes.
    fileprivate var packedIPAddress: ByteBuffer? {
        switch self {
        case .v4(let raw):
            ByteBuffer(integer: UInt32(bigEndian: raw.address.sin_addr.s_addr))
        case .v6(let raw):
            unsafe withUnsafeBytes(of: raw.address.sin6_addr) { bytes in unsafe ByteBuffer(bytes: Array(bytes)) }
        case .unixDomainSocket: nil
        }
    }
}

/// The kernel's table of TCP sockets on Linux (proc_pid_net(5): `/proc/net/tcp`, `/proc/net/tcp6`).
enum SocketTable {
    /// One socket.
    struct Row: Equatable, Sendable {
        var local: SocketName
        var remote: SocketName
        /// The user who opened it; 0 also if no process owns it now.
        var user: UInt32
        /// 0 if no process owns it now.
        var inode: UInt64
    }

    /// The longest line that is read, in bytes. The kernel writes about 150 (IPv4) or 180 (IPv6).
    static let maximumLineLength = 512

    /// Reads one line; nil for the heading and anything else that is not a socket.
    static func row(_ line: some Collection<UInt8>) -> Row? {
        guard line.count <= maximumLineLength else { return nil }
        let words = Array(line).split(separator: UInt8(ascii: " "), omittingEmptySubsequences: true)
        guard words.count >= 10, words[0].last == UInt8(ascii: ":"), let local = name(words[1]),
            let remote = name(words[2]), let user = decimal(words[7]).flatMap({ UInt32(exactly: $0) }),
            let inode = decimal(words[9])
        else { return nil }
        return Row(local: local, remote: remote, user: user, inode: inode)
    }

    /// `0100007F:B0ED`: words of four bytes in this machine's byte order, then the port.
    private static func name(_ text: some Collection<UInt8>) -> SocketName? {
        let halves = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard halves.count == 2, [8, 32].contains(halves[0].count), halves[1].count == 4,
            let port = hexadecimal(halves[1])
        else { return nil }
        var address: [UInt8] = []
        var rest = halves[0][...]
        while !rest.isEmpty {
            guard let word = hexadecimal(rest.prefix(8)) else { return nil }
            for index in 0..<4 { address.append(UInt8(truncatingIfNeeded: word.littleEndian >> (8 * UInt32(index)))) }
            rest = rest.dropFirst(8)
        }
        return SocketName(address: address, port: UInt16(truncatingIfNeeded: port))
    }

    /// At most eight digits.
    private static func hexadecimal(_ digits: some Collection<UInt8>) -> UInt32? {
        guard (1...8).contains(digits.count) else { return nil }
        var value: UInt32 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt32(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = value << 4 | UInt32(digit - UInt8(ascii: "A") + 10)
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt32(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return value
    }

    private static func decimal(_ digits: some Collection<UInt8>) -> UInt64? {
        guard (1...20).contains(digits.count) else { return nil }
        var value: UInt64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            let (tenfold, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, isTooMuch) = tenfold.addingReportingOverflow(UInt64(digit - UInt8(ascii: "0")))
            guard !isTooLarge, !isTooMuch else { return nil }
            value = sum
        }
        return value
    }
}
