import StreakEngine
import StreakLinks
import StreakWire
import Testing

@testable import StreakNode

@Suite(.timeLimit(.minutes(10))) struct NetworkBindingTests {
    @Test func `datagrams and streams share one port, which is free again at once after stop`() async throws {
        let client = try await NetworkProbe.started()
        let first = try await NetworkProbe.started()
        let port = first.port
        for round in 1...3 {
            let probe = round == 1 ? first : try await NetworkProbe.started(port: Int(port))
            #expect(probe.port == port)
            client.network.sendDatagram([1], to: ipv4Loopback(port))
            #expect(try await probe.next() == .datagram([1], from: ipv4Loopback(client.port)))
            let id = StreamID(UInt64(round * 2 + 1))
            client.network.openStream(id, to: ipv4Loopback(port))
            #expect(try await client.next() == .streamOpened(id))
            let accepted = try await probe.accepted()
            probe.network.sendStream(accepted, [9])
            // Stopped with a connection open: this side keeps the port in TIME_WAIT.
            await probe.network.stop()
            #expect(try await client.bytes(of: id) == [9])
        }
        await client.network.stop()
    }

    @Test(arguments: ["127.0.0.1", "0.0.0.0", "localhost"])
    func `a port in use is refused, and its holder undisturbed`(host: String) async throws {
        let holder = try await NetworkProbe.started(host: host)
        await #expect(throws: NetworkError.addressInUse("\(host):\(holder.port)")) {
            _ = try await NetworkProbe.started(host: host, port: Int(holder.port))
        }
        holder.network.sendDatagram([3], to: ipv4Loopback(holder.port))
        #expect(try await holder.next() == .datagram([3], from: ipv4Loopback(holder.port)))
        await holder.network.stop()
    }

    @Test func `an address of another machine cannot be listened at`() async throws {
        await #expect(throws: NetworkError.self) { _ = try await NetworkProbe.started(host: "203.0.113.1") }
    }

    @Test func `many networks find ports of their own`() async throws {
        var probes: [NetworkProbe] = []
        for _ in 0..<20 { probes.append(try await NetworkProbe.started(host: "0.0.0.0")) }
        #expect(Set(probes.map(\.port)).count == 20)
        for probe in probes { await probe.network.stop() }
    }

    @Test func `a network that never started can be stopped`() async {
        await MeshNetwork(configuration: NetworkConfiguration(listen: ("127.0.0.1", 0))).stop()
    }

    @Test(arguments: [
        ("127.0.0.1:7420", [ipv4Loopback(7420)]), ("[::1]:1", [ipv6Loopback(1)]),
        ("[2001:db8::5]:65535", [Endpoint(address: Bytes16(0x2001_0DB8 << 32, 5), port: 65535)]),
        ("[::ffff:127.0.0.1]:5", [ipv4Loopback(5)]),
    ])
    func `addresses are read`(text: String, expected: [Endpoint]) throws {
        #expect(try AddressResolution.lookUp(text) == expected)
    }

    @Test(arguments: [
        "", ":", "host", "host:", ":5", "host:0", "host:65536", "host:-1", "host:+1", "::1:5", "[::1]", "[::1]5",
        "[]:5",
        "[host]:5", "[[::1]]:5", "a b:5", "a\0b:5", "höst:5", "host:5\n", String(repeating: "a", count: 400) + ":5",
    ])
    func `what is no address is refused`(text: String) {
        #expect(throws: NetworkError.invalidAddress(text)) { try AddressResolution.lookUp(text) }
    }

    @Test func `localhost is a name`() throws {
        let endpoints = try AddressResolution.lookUp("localhost:7")
        #expect(!endpoints.isEmpty && endpoints.allSatisfy { $0.isLoopback && $0.port == 7 })
    }

    @Test func `socket addresses keep address, port and scope`() {
        let linkLocal = Endpoint(address: Bytes16(0xFE80 << 48, 7), port: 7420, scope: 3)
        for endpoint in [ipv4Loopback(1), ipv6Loopback(2), linkLocal] {
            #expect(Endpoint(endpoint.socketAddress) == endpoint)
        }
    }
}
