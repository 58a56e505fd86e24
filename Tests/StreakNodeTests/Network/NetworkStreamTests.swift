import StreakEngine
import StreakLinks
import StreakWire
import Testing

@testable import StreakNode

@Suite(.timeLimit(.minutes(10))) struct NetworkStreamTests {
    private static let odd = StreamID(1)

    /// Two networks and one stream from the first to the second.
    private func connected(
        limits: NetworkLimits = NetworkLimits()
    ) async throws -> (dialler: NetworkProbe, listener: NetworkProbe, accepted: StreamID) {
        let dialler = try await NetworkProbe.started(limits: limits)
        let listener = try await NetworkProbe.started(limits: limits)
        dialler.network.openStream(Self.odd, to: ipv4Loopback(listener.port))
        #expect(try await dialler.next() == .streamOpened(Self.odd))
        let accepted = try await listener.accepted()
        #expect(accepted.number % 2 == 0 && accepted.number > 0)
        return (dialler, listener, accepted)
    }

    private func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) } }

    @Test(.enabled(if: hasIPv6)) func `a stream opens over IPv6`() async throws {
        let dialler = try await NetworkProbe.started(host: "::1")
        dialler.network.openStream(Self.odd, to: ipv6Loopback(dialler.port))
        var inputs = [try await dialler.next(), try await dialler.next()]
        inputs.removeAll { $0 == .streamOpened(Self.odd) }
        guard case .streamAccepted(_, let source) = inputs.first else { throw NetworkProbe.Unexpected() }
        #expect(source.isLoopback && source.ipv4 == nil)
        await dialler.network.stop()
    }

    @Test func `bytes travel both ways in order`() async throws {
        let (dialler, listener, accepted) = try await connected()
        dialler.network.sendStream(Self.odd, [1, 2])
        dialler.network.sendStream(Self.odd, [3])
        var received: [UInt8] = []
        while received.count < 3 {
            guard case .streamBytes(accepted, let bytes) = try await listener.next() else {
                throw NetworkProbe.Unexpected()
            }
            received += bytes
        }
        #expect(received == [1, 2, 3])
        listener.network.sendStream(accepted, [4])
        #expect(try await dialler.next() == .streamBytes(Self.odd, [4]))
        await dialler.network.stop()
        await listener.network.stop()
    }

    @Test(arguments: [1, 128]) func `all that was sent before closing arrives`(pieces: Int) async throws {
        let (dialler, listener, accepted) = try await connected()
        let all = pattern(8 << 20)
        for piece in 0..<pieces {
            let size = all.count / pieces
            dialler.network.sendStream(Self.odd, Array(all[piece * size..<(piece + 1) * size]))
        }
        dialler.network.closeStream(Self.odd)
        #expect(try await listener.bytes(of: accepted) == all)
        #expect(dialler.network.queuedStreamByteCount == 0)
        await dialler.network.stop()
        await listener.network.stop()
    }

    @Test func `both sides may send much and close at once`() async throws {
        let (dialler, listener, accepted) = try await connected()
        let all = pattern(4 << 20)
        listener.network.sendStream(accepted, all)
        listener.network.closeStream(accepted)
        // The dialler had queued these before it hears of the end; nobody reads them, and nothing may hang.
        dialler.network.sendStream(Self.odd, all)
        #expect(try await dialler.bytes(of: Self.odd) == all)
        await dialler.network.stop()
        await listener.network.stop()
    }

    @Test func `stopping delivers what was sent`() async throws {
        let (dialler, listener, accepted) = try await connected()
        let all = pattern(256 << 10)
        dialler.network.sendStream(Self.odd, all)
        let network = dialler.network
        async let stopped: Void = network.stop()
        #expect(try await listener.bytes(of: accepted) == all)
        await stopped
        await listener.network.stop()
    }

    @Test func `closing is not reported to the side that closes`() async throws {
        let (dialler, listener, accepted) = try await connected()
        dialler.network.closeStream(Self.odd)
        #expect(try await listener.next() == .streamClosed(accepted))
        dialler.network.sendStream(Self.odd, [1])
        dialler.network.closeStream(Self.odd)
        dialler.network.openStream(StreamID(3), to: ipv4Loopback(listener.port))
        #expect(try await dialler.next() == .streamOpened(StreamID(3)))
        await dialler.network.stop()
        await listener.network.stop()
    }

    @Test func `a refused connection fails`() async throws {
        let gone = try await NetworkProbe.started()
        await gone.network.stop()
        let dialler = try await NetworkProbe.started()
        for (number, target) in [ipv4Loopback(gone.port), ipv4Loopback(0), Endpoint(ipv4: 0xEFFF_0001, port: 9)]
            .enumerated()
        {
            let id = StreamID(UInt64(number * 2 + 1))
            dialler.network.openStream(id, to: target)
            #expect(try await dialler.next() == .streamFailed(id))
        }
        await dialler.network.stop()
    }

    @Test func `a stream closed while it connects reports nothing`() async throws {
        let (dialler, listener) = (try await NetworkProbe.started(), try await NetworkProbe.started())
        dialler.network.openStream(StreamID(5), to: Endpoint(ipv4: 0xC000_0201, port: 9))
        dialler.network.closeStream(StreamID(5))
        dialler.network.openStream(StreamID(7), to: ipv4Loopback(listener.port))
        var event = try await dialler.next()
        // If there is no route at all, the failure may have come before the close.
        if event == .streamFailed(StreamID(5)) { event = try await dialler.next() }
        #expect(event == .streamOpened(StreamID(7)))
        await dialler.network.stop()
        await listener.network.stop()
    }

    @Test func `reading pauses until the consumer has taken what there is`() async throws {
        var limits = NetworkLimits()
        limits.maximumWaitingStreamBytes = 256 << 10
        let received = AsyncStream<NetworkInput>.makeStream()
        let listener = MeshNetwork(
            configuration: NetworkConfiguration(listen: ("127.0.0.1", 0), usesDiscovery: false, limits: limits))
        let port = try await listener.start { received.continuation.yield($0) }
        let dialler = try await NetworkProbe.started()
        dialler.network.openStream(Self.odd, to: ipv4Loopback(port))
        var inputs = received.stream.makeAsyncIterator()
        guard case .streamAccepted(let accepted, _) = await inputs.next() else { throw NetworkProbe.Unexpected() }
        #expect(try await dialler.next() == .streamOpened(Self.odd))
        listener.sendStream(accepted, [1])
        #expect(try await dialler.next() == .streamBytes(Self.odd, [1]))
        let total = 64 << 20
        dialler.network.sendStream(Self.odd, Array(repeating: 7, count: total))
        // Nothing is consumed until the limit is reached; then the sender must be left with most of it.
        var count = 0
        while count < limits.maximumWaitingStreamBytes {
            guard case .streamBytes(accepted, let bytes) = await inputs.next() else { throw NetworkProbe.Unexpected() }
            count += bytes.count
        }
        #expect(dialler.network.queuedStreamByteCount == total)
        #expect(count < limits.maximumWaitingStreamBytes + (128 << 10))
        listener.consumed(accepted, count)
        while count < total {
            guard case .streamBytes(accepted, let bytes) = await inputs.next() else { throw NetworkProbe.Unexpected() }
            listener.consumed(accepted, bytes.count)
            count += bytes.count
        }
        await dialler.network.stop()
        await listener.stop()
    }

    @Test func `of five hundred connections that say nothing only the first are kept`() async throws {
        var limits = NetworkLimits()
        limits.maximumUnclaimedStreams = 64
        limits.maximumUnclaimedStreamsPerSource = 64
        let listener = try await NetworkProbe.started(limits: limits)
        let flood = try await NetworkProbe.started()
        for number in 0..<500 {
            flood.network.openStream(StreamID(UInt64(number) * 2 + 1), to: ipv4Loopback(listener.port))
        }
        var (opened, closed) = (Set<StreamID>(), Set<StreamID>())
        while closed.count < 500 - 64 {
            switch try await flood.next() {
            case .streamOpened(let id): opened.insert(id)
            case .streamClosed(let id), .streamFailed(let id): closed.insert(id)
            default: throw NetworkProbe.Unexpected()
            }
        }
        #expect(listener.network.refusedStreamCount == 500 - 64)
        var waiting: [StreamID] = []
        for _ in 0..<64 { waiting.append(try await listener.accepted()) }
        // A stream that is claimed, and one that is closed, make room for two.
        listener.network.sendStream(waiting[0], [1])
        listener.network.closeStream(waiting[1])
        while true {
            guard case .streamClosed = try await flood.next() else { continue }
            break
        }
        for number in [1_001, 1_003] as [UInt64] {
            flood.network.openStream(StreamID(number), to: ipv4Loopback(listener.port))
            _ = try await listener.accepted()
        }
        await flood.network.stop()
        await listener.network.stop()
    }

    @Test(.enabled(if: hasIPv6))
    func `one source's connections that say nothing leave room for another's`() async throws {
        var limits = NetworkLimits()
        limits.maximumUnclaimedStreamsPerSource = 8
        let listener = try await NetworkProbe.started(host: "::", limits: limits)
        let flood = try await NetworkProbe.started()
        for number in 0..<100 {
            flood.network.openStream(StreamID(UInt64(number) * 2 + 1), to: ipv4Loopback(listener.port))
        }
        var closed = 0
        while closed < 92 {
            switch try await flood.next() {
            case .streamOpened: break
            case .streamClosed, .streamFailed: closed += 1
            default: throw NetworkProbe.Unexpected()
            }
        }
        for _ in 0..<8 { _ = try await listener.accepted() }
        flood.network.openStream(StreamID(1_001), to: ipv6Loopback(listener.port))
        _ = try await listener.accepted()
        await flood.network.stop()
        await listener.network.stop()
    }

    @Test func `a closed stream that delivers nothing is cut off`() async throws {
        var limits = NetworkLimits()
        limits.maintenanceInterval = .milliseconds(5)
        limits.maximumIdleDrainingRounds = 3
        let stalled = MeshNetwork(
            configuration: NetworkConfiguration(listen: ("127.0.0.1", 0), usesDiscovery: false))
        let port = try await stalled.start { _ in }
        let dialler = try await NetworkProbe.started(limits: limits)
        dialler.network.openStream(Self.odd, to: ipv4Loopback(port))
        #expect(try await dialler.next() == .streamOpened(Self.odd))
        dialler.network.sendStream(Self.odd, Array(repeating: 0, count: 64 << 20))
        try await wait { dialler.network.queuedStreamByteCount > 0 }
        dialler.network.closeStream(Self.odd)
        try await wait { dialler.network.queuedStreamByteCount == 0 }
        await dialler.network.stop()
        await stalled.stop()
    }
}
