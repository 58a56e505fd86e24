import StreakLinks
import StreakWire
import Synchronization
import Testing

@testable import StreakNode

struct NamedAddressesTests {
    private let literal = Endpoint(ipv4: 0x7F00_0001, port: 7)

    /// Looks names up, and waits for what comes of it.
    private func found(_ addresses: inout NamedAddresses) async -> [String: [Endpoint]] {
        let (results, sink) = AsyncStream.makeStream(of: [String: [Endpoint]].self)
        addresses.lookUp {
            sink.yield($0)
            sink.finish()
        }
        return await results.first { _ in true } ?? [:]
    }

    @Test func `names are looked up every ten minutes, and one that leads nowhere is told once`() async {
        // The name is reserved: it has no address anywhere (RFC 6761, section 6.4).
        var addresses = NamedAddresses(["127.0.0.1:7", "nowhere.invalid:7"])
        var now = MonotonicInstant.zero
        var first = await found(&addresses)
        #expect(addresses.due == nil)
        #expect(addresses.take(first, at: now) == ["nowhere.invalid:7"])
        #expect(addresses.endpoints == ["127.0.0.1:7": [literal]])
        now = now.advanced(by: .seconds(600))
        #expect(addresses.due == now)
        first = await found(&addresses)
        #expect(addresses.take(first, at: now).isEmpty)
        #expect(addresses.take([:], at: now).isEmpty && addresses.endpoints == ["127.0.0.1:7": [literal]])
        #expect(addresses.take(["127.0.0.1:7": [literal]], at: now, where: \.mayBeTold) == ["127.0.0.1:7"])
    }

    @Test func `when the network changes during a search, another follows at once`() async {
        var addresses = NamedAddresses(["127.0.0.1:7"])
        let count = Mutex(0)
        let first = await found(&addresses)
        addresses.lookUp { _ in count.withLock { $0 += 1 } }
        #expect(addresses.due == nil)
        _ = addresses.take(first, at: .zero)
        #expect(addresses.due == .zero && count.withLock { $0 } == 0)
        _ = addresses.take(await found(&addresses), at: .zero)
        #expect(addresses.due == .zero.advanced(by: .seconds(600)))
    }
}
