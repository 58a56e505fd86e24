import StreakWire
import Testing

@testable import StreakNode

@Suite(.timeLimit(.minutes(10))) struct NetworkBeaconTests {
    /// A port that nothing else used a moment ago.
    private func freePort() throws -> UInt16 {
        try DatagramSocket(boundTo: Endpoint(ipv4: 0, port: 0), sharesPort: false, bufferSize: 65_536).endpoint.port
    }

    /// Whether a beacon can come back to this machine at all.
    private static let hasBroadcast: Bool = {
        #if os(Linux)
            true
        #else
            (try? LocalInterface.all())?.contains { $0.supportsMulticast && $0.address.ipv4 != nil } ?? false
        #endif
    }()

    @Test(.enabled(if: hasBroadcast, "no interface of this machine brings a beacon back"))
    func `a beacon reaches the other nodes of this machine, and not its sender`() async throws {
        let discoveryPort = try freePort()
        var probes: [NetworkProbe] = []
        for _ in 0..<3 {
            let configuration = NetworkConfiguration(listen: ("0.0.0.0", 0), discoveryPort: discoveryPort)
            probes.append(try await NetworkProbe.started(configuration))
        }
        probes[0].network.sendBeacon([1, 2], to: nil)
        for probe in probes[1...] {
            guard case .beacon([1, 2], let source) = try await probe.next() else { throw NetworkProbe.Unexpected() }
            #expect(source.port == probes[0].port)
            // Where it came from is where the sender is reached.
            probe.network.sendBeacon([3], to: source)
            guard case .datagram([3], let answerer) = try await probes[0].next() else {
                throw NetworkProbe.Unexpected()
            }
            #expect(answerer.port == probe.port)
        }
        for probe in probes { await probe.network.stop() }
    }

    @Test func `nothing is sent when discovery is off`() async throws {
        let probe = try await NetworkProbe.started(host: "0.0.0.0")
        probe.network.sendBeacon([1], to: nil)
        probe.network.sendDatagram([2], to: ipv4Loopback(probe.port))
        #expect(try await probe.next() == .datagram([2], from: ipv4Loopback(probe.port)))
        await probe.network.stop()
    }

    @Test func `a node on loopback alone is reachable there alone`() async throws {
        let probe = try await NetworkProbe.started()
        #expect(probe.network.reachableEndpoints == [ipv4Loopback(probe.port)])
        await probe.network.stop()
        let open = try await NetworkProbe.started(host: "0.0.0.0")
        #expect(open.network.reachableEndpoints.allSatisfy { !$0.isLoopback && $0.port == open.port })
        await open.network.stop()
    }
}
