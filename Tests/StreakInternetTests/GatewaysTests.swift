import StreakRandom
import StreakWire
import Testing

@testable import StreakInternet

@Suite struct GatewaysTests {
    /// As Linux 6 on a little-endian machine writes them.
    static let ipv4 = """
        Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
        wlan0\t00000000\t0102A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0
        eth0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0
        eth0\t0001A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0
        tun0\t00000000\t00000000\t0001\t0\t0\t700\t00000000\t0\t0\t0
        eth0\t00000000\t0101A8C0\t0203\t0\t0\t1\t00000000\t0\t0\t0
        tun0\t00000000\t0101A8C0\t0003\t0\t0\t0\t00000080\t0\t0\t0

        """

    static let ipv6 = """
        20010db8000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth0
        00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe800000000000000000000000000001 00000400 00000001 00000000 00000003     eth0
        00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo

        """

    @Test func `the default routes of IPv4 are read, the preferred one first`() {
        let routes = Gateways.ipv4(Array(Self.ipv4.utf8))
        #expect(
            routes == [
                DefaultRoute(interface: .name("eth0"), gateway: Endpoint(ipv4: 0xC0A8_0101, port: 0), metric: 100),
                DefaultRoute(interface: .name("wlan0"), gateway: Endpoint(ipv4: 0xC0A8_0201, port: 0), metric: 600),
                DefaultRoute(interface: .name("tun0"), gateway: nil, metric: 700),
            ])
    }

    @Test func `the default route of IPv6 is read, and the one that leads nowhere is not`() {
        #expect(
            Gateways.ipv6(Array(Self.ipv6.utf8)) == [
                DefaultRoute(
                    interface: .name("eth0"), gateway: Endpoint(address: Bytes16(0xFE80_0000_0000_0000, 1), port: 0),
                    metric: 0x400)
            ])
    }

    @Test func `a table that is cut off or changed stops nothing`() {
        var random = SplitMix64(seed: 14)
        for text in [Self.ipv4, Self.ipv6] {
            let table = Array(text.utf8)
            for size in 0..<table.count {
                _ = Gateways.ipv4(Array(table.prefix(size)))
                _ = Gateways.ipv6(Array(table.prefix(size)))
                var changed = table
                changed[size] = .random(in: .min ... .max, using: &random)
                _ = Gateways.ipv4(changed)
                _ = Gateways.ipv6(changed)
            }
        }
    }

    @Test func `no more lines are read than there may be`() {
        let line = Array("eth0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n".utf8)
        let table = [[UInt8]](repeating: line, count: 10_000).flatMap(\.self)
        #expect(Gateways.ipv4(table).count == 4_096)
        let long = [UInt8](repeating: UInt8(ascii: "e"), count: 16) + line.dropFirst(4)
        #expect(Gateways.ipv4(long).isEmpty)
        #expect(Gateways.ipv4(Array(long.dropFirst())).count == 1)
    }

    /// A message as Darwin's headers lay it out, with addresses as they come.
    private static func message(index: UInt8, flags: [UInt8], addresses: UInt8, _ sockets: [UInt8]...) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: 92)
        let body = sockets.flatMap(\.self)
        header[0] = UInt8(92 + body.count)
        header[4] = index
        for (place, byte) in flags.enumerated() { header[8 + place] = byte }
        header[12] = addresses
        return header + body
    }

    private static func socket4(_ address: [UInt8]) -> [UInt8] {
        [16, 2, 0, 0] + address + [UInt8](repeating: 0, count: 8)
    }

    @Test func `the default routes of Darwin are read`() {
        let host = Self.message(
            index: 4, flags: [0x05], addresses: 3, Self.socket4([192, 168, 1, 9]), Self.socket4([192, 168, 1, 1]))
        let four = Self.message(
            index: 4, flags: [0x03, 0x08], addresses: 7, Self.socket4([0, 0, 0, 0]), Self.socket4([192, 168, 1, 1]),
            [0, 0, 0, 0])
        let network = Self.message(
            index: 4, flags: [0x03], addresses: 7, Self.socket4([0, 0, 0, 0]), Self.socket4([192, 168, 1, 1]),
            [5, 0, 0, 0, 128, 0, 0, 0])
        let scoped = Self.message(
            index: 9, flags: [0x03, 0, 0, 1], addresses: 3, Self.socket4([0, 0, 0, 0]), Self.socket4([10, 0, 0, 1]))
        let any6: [UInt8] = [28, 30] + [UInt8](repeating: 0, count: 26)
        var gateway6 = any6
        gateway6.replaceSubrange(8..<12, with: [0xFE, 0x80, 0, 4])
        gateway6[23] = 1
        let six = Self.message(index: 4, flags: [0x03], addresses: 3, any6, gateway6)
        let dump = host + four + network + scoped + six
        #expect(
            Gateways.routingMessages(dump) == [
                DefaultRoute(interface: .index(4), gateway: Endpoint(ipv4: 0xC0A8_0101, port: 0), metric: 0),
                DefaultRoute(
                    interface: .index(4), gateway: Endpoint(address: Bytes16(0xFE80_0000_0000_0000, 1), port: 0),
                    metric: 0),
            ])
        for size in 0..<dump.count {
            _ = Gateways.routingMessages(Array(dump.prefix(size)))
            var changed = dump
            changed[size] = 255
            _ = Gateways.routingMessages(changed)
        }
    }
}
