import StreakRandom
import StreakWire
import Testing

@testable import StreakLinks

struct LinksReplayWindowTests {
    @Test func `a counter is taken once, in any order, within 8,128 of the highest`() {
        var window = ReplayWindow()
        #expect(window.accepts(0))
        #expect(window.insert(0) == true)
        #expect(!window.accepts(0))
        #expect(window.insert(9_000) == true)
        #expect(window.accepts(9_000 - 8_127))
        #expect(!window.accepts(9_000 - 8_128))
        #expect(window.insert(8_999) == false)
        #expect(!window.accepts(8_999))
        #expect(window.accepts(8_998))
        #expect(window.insert(.max) == true)
        #expect(!window.accepts(.max))
        #expect(window.accepts(.max - 1))
        #expect(!window.accepts(9_001))
    }

    @Test(arguments: [1, 63, 64, 65, 8_127, 8_128, 8_191, 8_192, 8_193, 100_000] as [UInt64])
    func `it agrees with a set, whatever the jumps`(largestJump: UInt64) {
        var window = ReplayWindow()
        var seen: Set<UInt64> = []
        var highest: UInt64 = 0
        var random = SplitMix64(seed: largestJump)
        for _ in 0..<5_000 {
            let step = UInt64.random(in: 0...largestJump, using: &random)
            let counter = Bool.random(using: &random) ? highest + step : highest - min(highest, step)
            let isOld = counter + ReplayWindow.size <= highest
            #expect(window.accepts(counter) == (!isOld && !seen.contains(counter)))
            guard window.accepts(counter) else { continue }
            window.insert(counter)
            seen.insert(counter)
            highest = max(highest, counter)
        }
    }
}

struct LinksSourceLimiterTests {
    private func second(_ value: Double) -> MonotonicInstant { MonotonicInstant(nanoseconds: Int64(value * 1e9)) }

    @Test func `five at once, then twenty a second`() {
        var limiter = SourceLimiter(LinkLimits().taglessMessages, maximumSources: 100)
        let source = Endpoint(ipv4: 0x0A00_0001, port: 1)
        var admitted = 0
        for step in 0...1_000 where limiter.admits(source, at: second(Double(step) / 1_000)) {
            limiter.charge(source, at: second(Double(step) / 1_000))
            admitted += 1
        }
        #expect(admitted == 25)
        #expect(limiter.admits(Endpoint(ipv4: 0x0A00_0002, port: 1), at: second(1)))
        #expect(!limiter.admits(Endpoint(ipv4: 0x0A00_0001, port: 2), at: second(1)))
    }

    @Test func `one IPv6 network counts as one source`() {
        var limiter = SourceLimiter(LinkLimits().taglessMessages, maximumSources: 100)
        for host in 0..<5 {
            limiter.charge(Endpoint(address: Bytes16(0x2001 << 48, UInt64(host)), port: 1), at: .zero)
        }
        #expect(!limiter.admits(Endpoint(address: Bytes16(0x2001 << 48, 99), port: 1), at: .zero))
        #expect(limiter.admits(Endpoint(address: Bytes16(0x2002 << 48, 99), port: 1), at: .zero))
    }

    @Test func `sources are remembered in a bounded table, the latest for certain`() {
        var limiter = SourceLimiter(LinkLimits().taglessMessages, maximumSources: 100)
        let busy = Endpoint(ipv4: 1, port: 1)
        for address in 10..<10_000 as Range<UInt32> {
            limiter.charge(Endpoint(ipv4: address, port: 1), at: .zero)
            limiter.charge(busy, at: .zero)
            #expect(limiter.sourceCount <= 100)
        }
        #expect(!limiter.admits(busy, at: .zero))
    }
}

struct LinksDeadlineQueueTests {
    @Test func `subjects come out by deadline, then by name, and changes hold`() {
        var queue = DeadlineQueue<Int>()
        var expected: [Int: Int64] = [:]
        var random = SplitMix64(seed: 5)
        for _ in 0..<20_000 {
            let subject = Int.random(in: 0..<200, using: &random)
            let isNever = Int.random(in: 0..<8, using: &random) == 0
            let deadline: Int64? = isNever ? nil : Int64.random(in: 0..<1_024, using: &random)
            queue.schedule(subject, at: deadline.map { MonotonicInstant(nanoseconds: $0) })
            expected[subject] = deadline
            #expect(queue.count == expected.count)
            #expect(queue.next?.nanoseconds == expected.values.min())
        }
        var order: [(Int64, Int)] = []
        while let subject = queue.popDue(at: MonotonicInstant(nanoseconds: 600)) {
            order.append((expected[subject] ?? -1, subject))
        }
        let due = expected.filter { $0.value <= 600 }.map { ($0.value, $0.key) }.sorted { $0 < $1 }
        #expect(order.map(\.1) == due.map(\.1))
    }
}

struct LinksPacketTests {
    static let packets: [LinkPacket] = [
        .keepalive(interval: 25, payload: []), .keepalive(interval: 110, payload: [UInt8](repeating: 9, count: 64)),
        .rumour([]), .rumour([1, 2, 3]), .ping(.max), .pong(0), .close, .finish, .received(1 << 40),
        .fragment(.init(sequence: 300, isLast: true, bytes: [4, 5])),
        .fragment(.init(sequence: 0, isLast: false, bytes: [UInt8](repeating: 1, count: 1_150))),
        .acknowledgement(.init(next: 7, later: [])), .acknowledgement(.init(next: 7, later: [0, 128])),
        .message(sequence: 5, received: 6, bytes: [UInt8](repeating: 3, count: 60_000)),
    ]

    @Test(arguments: packets) func `packets survive encoding, and the largest fits its datagram`(packet: LinkPacket)
        throws
    {
        let encoded = packet.encoded()
        #expect(try LinkPacket(decoding: encoded) == packet)
        if case .message = packet { return }
        #expect(encoded.count <= LinkPacket.maximumDatagramPlaintextSize)
    }

    @Test(arguments: packets) func `cut or lengthened packets never trap`(packet: LinkPacket) {
        let encoded = packet.encoded()
        for count in 0..<min(encoded.count, 80) {
            if let decoded = try? LinkPacket(decoding: Array(encoded.prefix(count))) {
                #expect(decoded.encoded() == Array(encoded.prefix(count)))
            }
        }
        for first in UInt8.min...UInt8.max {
            let changed = [first] + encoded.dropFirst() + [0]
            if let decoded = try? LinkPacket(decoding: changed) { #expect(decoded.encoded() == changed) }
        }
    }

    @Test func `too much is refused`() {
        let oversized: [[UInt8]] = [
            [0, 1] + [UInt8](repeating: 0, count: 65), [2, 0, 1] + [UInt8](repeating: 0, count: 1_151),
            [3, 0] + [UInt8](repeating: 1, count: 33), [3, 0, 1, 0], [2, 0, 2], [10],
            [7, 0, 0] + [UInt8](repeating: 0, count: 60_001), [4, 0], [6, 0], [],
        ]
        for bytes in oversized { #expect(throws: WireError.self) { try LinkPacket(decoding: bytes) } }
    }
}

/// Two channels over a path that loses, duplicates and reorders.
struct LinksReliableChannelTests {
    private struct Path {
        var random: SplitMix64
        var loss: Double
        var delay: Duration
        var jitter: Duration

        mutating func chance() -> Double { Double.random(in: 0..<1, using: &random) }
    }

    /// Sends the messages from one channel to another.
    ///
    /// - Returns: what arrived and when, the number of fragments sent, and the most fragments buffered out of order.
    private func transfer(
        _ messages: [[UInt8]], loss: Double, delay: Duration = .milliseconds(10), jitter: Duration = .milliseconds(5),
        seed: UInt64, interruptedAt: Int? = nil
    ) throws -> (arrived: [[UInt8]], time: MonotonicInstant, sent: Int, mostEarly: Int, isIdle: Bool) {
        var sender = ReliableChannel(maximumMessageSize: 60_000)
        var receiver = ReliableChannel(maximumMessageSize: 60_000)
        var path = Path(random: SplitMix64(seed: seed), loss: loss, delay: delay, jitter: jitter)
        for (token, message) in messages.enumerated() { sender.queue(message, token: UInt64(token)) }
        var fragments: [(MonotonicInstant, Int, ReliableChannel.Fragment)] = []
        var acknowledgements: [(MonotonicInstant, Int, ReliableChannel.Acknowledgement)] = []
        var arrived: [[UInt8]] = []
        var tokens: [UInt64] = []
        var (now, sent, order, mostEarly) = (MonotonicInstant.zero, 0, 0, 0)
        while now < MonotonicInstant.zero.advanced(by: .seconds(600)) {
            sender.handleTimeout(at: now)
            for fragment in sender.transmissions(at: now) {
                sent += 1
                if let interruptedAt, sent == interruptedAt { sender.restart(at: now) }
                for _ in 0..<(path.chance() < 0.1 ? 2 : 1) where path.chance() >= path.loss {
                    order += 1
                    fragments.append((now.advanced(by: path.delay + path.jitter * path.chance()), order, fragment))
                }
            }
            if let acknowledgement = receiver.dueAcknowledgement(at: now), path.chance() >= path.loss {
                order += 1
                acknowledgements.append(
                    (now.advanced(by: path.delay + path.jitter * path.chance()), order, acknowledgement))
            }
            if sender.isIdle { break }
            let times = fragments.map(\.0) + acknowledgements.map(\.0)
            let next = (times + [sender.nextDeadline, receiver.nextDeadline].compactMap { $0 }).min()
            now = max(now, try #require(next))
            for (_, _, fragment) in fragments.filter({ $0.0 <= now }).sorted(by: { ($0.0, $0.1) < ($1.0, $1.1) }) {
                arrived += try receiver.receive(fragment, at: now)
                mostEarly = max(mostEarly, receiver.bufferedFragmentCount)
            }
            fragments.removeAll { $0.0 <= now }
            for (_, _, acknowledgement) in acknowledgements.filter({ $0.0 <= now }) {
                tokens += try sender.receive(acknowledgement, at: now)
            }
            acknowledgements.removeAll { $0.0 <= now }
        }
        #expect(tokens == Array(0..<UInt64(messages.count)))
        return (arrived, now, sent, mostEarly, sender.isIdle)
    }

    private func messages(_ sizes: [Int]) -> [[UInt8]] {
        sizes.enumerated().map { index, size in (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ index) } }
    }

    @Test(arguments: [0, 0.01, 0.05, 0.2, 0.5], [1, 2, 3] as [UInt64])
    func `messages of all sizes arrive once and in order`(loss: Double, seed: UInt64) throws {
        let texts = messages([0, 1, 1_149, 1_150, 1_151, 60_000, 2_300, 30_000, 59_999, 5] + (0..<100).map { $0 * 40 })
        let result = try transfer(texts, loss: loss, seed: seed)
        #expect(result.arrived == texts)
        #expect(result.isIdle)
        #expect(result.mostEarly < ReliableChannel.maximumWindow)
        let needed = texts.reduce(0) { $0 + max(1, ($1.count + 1_149) / 1_150) }
        // At most twice the repetitions that the loss explains.
        #expect(Double(result.sent) <= Double(needed) / (1 - loss) * (loss == 0 ? 1.3 : 2))
    }

    @Test func `a megabyte at 20 ms and no loss takes less than half a second`() throws {
        let texts = messages([Int](repeating: 50_000, count: 20))
        let result = try transfer(texts, loss: 0, seed: 4)
        #expect(result.arrived == texts)
        #expect(result.time < MonotonicInstant.zero.advanced(by: .milliseconds(500)))
    }

    @Test(arguments: [1, 10, 100, 300]) func `a restart under way repeats nothing to the receiver`(point: Int)
        throws
    {
        let texts = messages([Int](repeating: 20_000, count: 20))
        #expect(try transfer(texts, loss: 0.1, seed: 9, interruptedAt: point).arrived == texts)
    }

    @Test func `what is far ahead is not kept, what is too long or never sent is refused`() throws {
        var channel = ReliableChannel(maximumMessageSize: 2_000)
        let ahead = [1, 255, 256, 5_000, UInt64(Int64.max)]
        for sequence in ahead {
            #expect(try channel.receive(.init(sequence: sequence, isLast: true, bytes: [1]), at: .zero) == [])
        }
        #expect(channel.bufferedFragmentCount == 2)
        let due = channel.dueAcknowledgement(at: .zero)
        #expect(due?.next == 0)
        #expect(due?.later.count == 32)
        let long = [UInt8](repeating: 0, count: 1_150)
        var fresh = ReliableChannel(maximumMessageSize: 2_000)
        #expect(try fresh.receive(.init(sequence: 0, isLast: false, bytes: long), at: .zero) == [])
        #expect(throws: ReliableChannel.Violation.messageTooLong) {
            _ = try fresh.receive(.init(sequence: 1, isLast: true, bytes: long), at: .zero)
        }
        #expect(throws: ReliableChannel.Violation.acknowledgedUnsent) {
            _ = try fresh.receive(.init(next: 1, later: []), at: .zero)
        }
    }
}

struct LinksMessageSequencerTests {
    @Test func `what its carrier lost goes over another, and the receiver takes it once`() throws {
        var sender = MessageSequencer()
        var receiver = MessageSequencer()
        let stream = MessageSequencer.Carrier.stream(StreamID(1))
        for number in 0..<4 as Range<UInt8> { sender.queue([number]) }
        let sent = [sender.next(for: stream), sender.next(for: stream)]
        let first = try #require(sent[0])
        let second = try #require(sent[1])
        #expect(try receiver.receive(sequence: first.sequence, bytes: first.bytes, path: .stream, at: .zero).count == 1)
        sender.recall(from: stream)
        var arrived: [[UInt8]] = []
        while let next = sender.next(for: .channel) {
            arrived += try receiver.receive(
                sequence: next.sequence, bytes: next.bytes, path: .reliableDatagram, at: .zero
            ).map(\.bytes)
        }
        #expect(arrived == [[1], [2], [3]])
        #expect(try receiver.receive(sequence: second.sequence, bytes: [1], path: .stream, at: .zero) == [])
        try sender.acknowledge(below: receiver.acknowledgement())
        #expect(sender.queuedByteCount == 0)
        #expect(throws: MessageSequencer.Violation.acknowledgedUnsent) { try sender.acknowledge(below: 5) }
    }

    @Test func `repetitions of early messages count once`() throws {
        var receiver = MessageSequencer()
        let bytes = [UInt8](repeating: 0, count: 60_000)
        for _ in 0..<100 {
            #expect(try receiver.receive(sequence: 1, bytes: bytes, path: .stream, at: .zero) == [])
        }
        #expect(
            try receiver.receive(sequence: 0, bytes: [], path: .reliableDatagram, at: .zero).map(\.path)
                == [.reliableDatagram, .stream])
    }

    @Test func `neither side keeps more than a mebibyte under way`() throws {
        var sender = MessageSequencer()
        for _ in 0..<40 { sender.queue([UInt8](repeating: 0, count: 60_000)) }
        var sent: [MessageSequencer.Outgoing] = []
        while let next = sender.next(for: .channel) { sent.append(next) }
        #expect(sent.count == (1 << 20) / 60_000)
        var receiver = MessageSequencer()
        for message in sent.dropFirst() {
            _ = try receiver.receive(sequence: message.sequence, bytes: message.bytes, path: .stream, at: .zero)
        }
        #expect(throws: MessageSequencer.Violation.tooFarAhead) {
            let bytes = [UInt8](repeating: 0, count: 60_000)
            for sequence in 100..<110 as Range<UInt64> {
                _ = try receiver.receive(sequence: sequence, bytes: bytes, path: .stream, at: .zero)
            }
        }
        #expect(throws: MessageSequencer.Violation.tooFarAhead) {
            _ = try receiver.receive(sequence: 1_024, bytes: [], path: .stream, at: .zero)
        }
    }
}

struct LinkStreamTests {
    @Test func `a frame that takes long keeps its stream alive for a minute, if no part is late`() {
        func instant(_ seconds: Int64) -> MonotonicInstant { .zero.advanced(by: .seconds(seconds)) }
        var stream = LinkStream(
            endpoint: Endpoint(ipv4: 0x0808_0808, port: 1), isDialled: true, phase: .awaitingInitiation, now: .zero)
        stream.peerInterval = .seconds(25)
        let limits = LinkLimits()
        #expect(!stream.isDead(limits, at: instant(44)) && stream.isDead(limits, at: instant(45)))
        for second in stride(from: Int64(40), to: 100, by: 9) {
            #expect(!stream.isDead(limits, at: instant(second)), "\(second) s")
            stream.buffer.append([1])
            _ = stream.buffer.keepRest(at: instant(second))
        }
        #expect(stream.isDead(limits, at: instant(100)))
        stream.buffer = FrameBuffer()
        stream.buffer.append([1])
        _ = stream.buffer.keepRest(at: instant(40))
        #expect(stream.isDead(limits, at: instant(50)))
    }
}
