import StreakLinks
import StreakWire
import Synchronization
import Testing

@testable import StreakNode

@Suite(.timeLimit(.minutes(10))) struct NetworkDatagramTests {
    @Test func `a datagram and its answer travel over IPv4`() async throws {
        let (left, right) = (try await NetworkProbe.started(), try await NetworkProbe.started())
        left.network.sendDatagram([1, 2, 3], to: ipv4Loopback(right.port))
        #expect(try await right.next() == .datagram([1, 2, 3], from: ipv4Loopback(left.port)))
        right.network.sendDatagram([], to: ipv4Loopback(left.port))
        #expect(try await left.next() == .datagram([], from: ipv4Loopback(right.port)))
        await left.network.stop()
        await right.network.stop()
    }

    @Test(.enabled(if: hasIPv6)) func `the wildcard host receives over IPv4 and IPv6`() async throws {
        let (left, right) = (
            try await NetworkProbe.started(host: "0.0.0.0"), try await NetworkProbe.started(host: "0.0.0.0")
        )
        left.network.sendDatagram([4], to: ipv4Loopback(right.port))
        #expect(try await right.next() == .datagram([4], from: ipv4Loopback(left.port)))
        left.network.sendDatagram([6], to: ipv6Loopback(right.port))
        #expect(try await right.next() == .datagram([6], from: ipv6Loopback(left.port)))
        #expect(right.network.listenDescription == "0.0.0.0:\(right.port)")
        await left.network.stop()
        await right.network.stop()
    }

    @Test(arguments: [
        Endpoint(ipv4: 0, port: 9), Endpoint(ipv4: 0xEFFF_0001, port: 9), Endpoint(ipv4: 0xFFFF_FFFF, port: 9),
        Endpoint(ipv4: 0x7F00_0001, port: 0), Endpoint(ipv4: 0x7FFF_FFFF, port: 9),
        Endpoint(address: Bytes16(0xFF02 << 48, 1), port: 9, scope: 1), Endpoint(address: Bytes16(0, 0), port: 9),
        Endpoint(address: Bytes16(0x2001_0DB8 << 32, 1), port: 9),
    ])
    func `a datagram that cannot go out costs nothing else`(target: Endpoint) async throws {
        let probe = try await NetworkProbe.started()
        probe.network.sendDatagram([0], to: target)
        #expect(probe.network.unsentDatagramCount == 1)
        probe.network.sendDatagram(Array(repeating: 0, count: 70_000), to: ipv4Loopback(probe.port))
        probe.network.sendDatagram([7], to: ipv4Loopback(probe.port))
        #expect(try await probe.next() == .datagram([7], from: ipv4Loopback(probe.port)))
        await probe.network.stop()
    }

    @Test func `who is to stay on this network sends to nobody beyond it, dials nobody there and hears nobody`()
        async throws
    {
        var configuration = NetworkConfiguration(listen: ("127.0.0.1", 0), usesDiscovery: false)
        configuration.isLocalOnly = true
        let probe = try await NetworkProbe.started(configuration)
        let beyond = [
            Endpoint(ipv4: 0xC000_0201, port: 9), Endpoint(address: Bytes16(0x2001_0DB8 << 32, 1), port: 9),
        ]
        for (number, target) in beyond.enumerated() {
            probe.network.sendDatagram([0], to: target)
            #expect(probe.network.unsentDatagramCount == number + 1)
            let id = StreamID(UInt64(number) * 2 + 1)
            probe.network.openStream(id, to: target)
            #expect(try await probe.next() == .streamFailed(id))
        }
        probe.network.sendDatagram([7], to: ipv4Loopback(probe.port))
        #expect(try await probe.next() == .datagram([7], from: ipv4Loopback(probe.port)))
        await probe.network.stop()

        for isLocalOnly in [false, true] {
            let heard = Mutex<[NetworkInput]>([])
            let inlet = NetworkInlet(limits: NetworkLimits(), isLocalOnly: isLocalOnly) { input in
                heard.withLock { $0.append(input) }
            }
            let sources = beyond + [Endpoint(ipv4: 0x0A4D_0001, port: 9), Endpoint(ipv4: 0x7F00_0001, port: 9)]
            for source in sources {
                #expect(inlet.datagrams.admits())
                inlet.deliver(.datagram([1], from: source), from: source, of: inlet.datagrams)
            }
            #expect(heard.withLock(\.self).count == (isLocalOnly ? 2 : 4))
        }
    }

    @Test func `a datagram that is far too long is dropped`() async throws {
        let probe = try await NetworkProbe.started()
        probe.network.sendDatagram(Array(repeating: 1, count: 9_000), to: ipv4Loopback(probe.port))
        probe.network.sendDatagram([2], to: ipv4Loopback(probe.port))
        #expect(try await probe.next() == .datagram([2], from: ipv4Loopback(probe.port)))
        #expect(probe.network.droppedDatagramCount == 1)
        await probe.network.stop()
    }

    @Test func `a flood is dropped beyond what the consumer has yet to take`() async throws {
        var limits = NetworkLimits()
        limits.maximumWaitingDatagrams = 100
        let probe = try await NetworkProbe.started(limits: limits)
        let sender = try await NetworkProbe.started()
        for number in 1...20_000 {
            sender.network.sendDatagram(Array(repeating: 1, count: 1_200), to: ipv4Loopback(probe.port))
            // The system's own buffer would drop what comes too fast, uncounted.
            if number % 50 == 0 { try await wait { probe.network.droppedDatagramCount >= number - 100 } }
        }
        #expect(probe.network.droppedDatagramCount == 19_900)
        for _ in 0..<100 { _ = try await probe.next() }
        sender.network.sendDatagram([5], to: ipv4Loopback(probe.port))
        #expect(try await probe.next() == .datagram([5], from: ipv4Loopback(sender.port)))
        await probe.network.stop()
        await sender.network.stop()
    }
}
