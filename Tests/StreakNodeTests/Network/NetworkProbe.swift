import StreakEngine
import StreakLinks
import StreakWire
import Testing

@testable import StreakNode

/// A started network whose inputs can be awaited one by one. Awaited inputs count as consumed.
final class NetworkProbe {
    let network: MeshNetwork
    let port: UInt16
    private var inputs: AsyncStream<NetworkInput>.Iterator

    private init(network: MeshNetwork, port: UInt16, inputs: AsyncStream<NetworkInput>.Iterator) {
        self.network = network
        self.port = port
        self.inputs = inputs
    }

    static func started(_ configuration: NetworkConfiguration) async throws -> NetworkProbe {
        let (stream, continuation) = AsyncStream<NetworkInput>.makeStream()
        let network = MeshNetwork(configuration: configuration)
        do {
            let port = try await network.start { continuation.yield($0) }
            return NetworkProbe(network: network, port: port, inputs: stream.makeAsyncIterator())
        } catch {
            await network.stop()
            throw error
        }
    }

    static func started(
        host: String = "127.0.0.1", port: Int = 0, limits: NetworkLimits = NetworkLimits()
    ) async throws -> NetworkProbe {
        try await started(NetworkConfiguration(listen: (host, port), usesDiscovery: false, limits: limits))
    }

    /// The next input except changes of interfaces. The test's time limit applies.
    func next() async throws -> NetworkInput {
        while true {
            let input = try #require(await inputs.next(isolation: #isolation))
            network.consumed(input)
            if input != .interfacesChanged { return input }
        }
    }

    /// All bytes of a stream up to its end, which must come.
    func bytes(of id: StreamID) async throws -> [UInt8] {
        var collected: [UInt8] = []
        while true {
            switch try await next() {
            case .streamBytes(id, let bytes): collected += bytes
            case .streamClosed(id): return collected
            case let other: Issue.record("unexpected \(other)")
            }
        }
    }

    /// The next input, which must be an accepted stream.
    func accepted() async throws -> StreamID {
        guard case .streamAccepted(let id, _) = try await next() else { throw Unexpected() }
        return id
    }

    struct Unexpected: Error {}
}

/// Returns once a condition holds that no input reports. The test's time limit applies.
func wait(until condition: () -> Bool) async throws {
    while !condition() {
        try Task.checkCancellation()
        await Task.yield()
    }
}

func ipv4Loopback(_ port: UInt16) -> Endpoint { Endpoint(ipv4: 0x7F00_0001, port: port) }
func ipv6Loopback(_ port: UInt16) -> Endpoint { Endpoint(address: Bytes16(0, 1), port: port) }

/// Whether this machine has ::1.
let hasIPv6 = (try? LocalInterface.all())?.contains { $0.address.address == Bytes16(0, 1) } ?? false
