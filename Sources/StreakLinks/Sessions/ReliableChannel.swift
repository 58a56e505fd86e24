import StreakWire

/// Carries messages over datagrams, in order and exactly once. Pure. It knows no sessions: it belongs to a link and
/// outlives their renewal. Protocol/links.md, "Reliable channel".
///
/// A message is cut into fragments, which are numbered from 0 across all messages. The receiver acknowledges all below
/// a number, and lists in a bitmap which of the later ones it has. A fragment is repeated once three later ones have
/// arrived and 5/4 of a round trip has passed (compare RFC 9002 §6.1), or after a timeout (RFC 6298). The window grows
/// and shrinks as in TCP (RFC 5681), between 8 and 256 fragments.
struct ReliableChannel: Sendable {
    /// Bytes of a message in one fragment. With all headers it fits `ProtocolLimits.maximumDatagramSize`.
    static let maximumFragmentSize = 1_150
    /// Fragments under way, and how far beyond the first missing one a receiver buffers.
    static let maximumWindow = 256
    static let minimumWindow = 8
    static let initialWindow = 32
    /// Later arrivals after which a fragment counts as lost.
    static let reorderingThreshold: UInt64 = 3
    /// How long an acknowledgement waits for a second fragment.
    static let acknowledgementDelay: Duration = .milliseconds(10)
    /// `hasRoom` is false above this many bytes queued beyond the window.
    static let queueTarget = 128 << 10

    struct Fragment: Sendable, Equatable {
        var sequence: UInt64
        var isLast: Bool
        var bytes: [UInt8]
    }

    struct Acknowledgement: Sendable, Equatable {
        /// All fragments below this have arrived.
        var next: UInt64
        /// Bit 0 of byte 0 stands for fragment `next` + 1, and so on; no trailing zero byte; at most 32 bytes.
        var later: [UInt8]
    }

    /// Why a peer's fragment ends the link.
    enum Violation: Error { case messageTooLong, acknowledgedUnsent }

    private struct Flight {
        var fragment: Fragment
        var token: UInt64
        /// Numbers transmissions, repetitions included; nil while waiting to be sent (again).
        var transmission: UInt64?
        var sentAt: MonotonicInstant = .zero
        var sendCount = 0
        var isAcknowledged = false
    }

    let maximumMessageSize: Int

    // Sending
    private var queue = Fifo<(token: UInt64, bytes: [UInt8])>()
    private var queuedByteCount = 0
    private var flights: [Flight] = []
    private var nextSequence: UInt64 = 0
    private var nextTransmission: UInt64 = 0
    private var largestAcknowledgedTransmission: UInt64?
    private var window = Double(initialWindow)
    private var slowStartThreshold = Double(maximumWindow)
    /// Losses among fragments below this count as one event: the window shrinks once.
    private var recoveryEnd: UInt64 = 0
    private var timeoutCount = 0
    private var timerStart: MonotonicInstant = .zero
    private(set) var roundTrip = RoundTripEstimate()

    // Receiving
    private var nextExpected: UInt64 = 0
    private var early: [UInt64: Fragment] = [:]
    private var partial: [UInt8] = []
    private var unacknowledgedCount = 0
    private var acknowledgementDeadline: MonotonicInstant?

    init(maximumMessageSize: Int) {
        self.maximumMessageSize = maximumMessageSize
    }

    /// Whether to queue another message. More would only wait here.
    var hasRoom: Bool { queuedByteCount < Self.queueTarget }

    /// Whether everything queued has been acknowledged.
    var isIdle: Bool { flights.isEmpty && queue.isEmpty }

    /// Whether three timeouts in a row brought no acknowledgement.
    var isStalled: Bool { timeoutCount >= 3 }

    /// Fragments that arrived out of order.
    var bufferedFragmentCount: Int { early.count }

    mutating func addRoundTrip(_ sample: Duration) { roundTrip.add(sample) }

    // MARK: Sending

    /// Queues a message. `token` comes back once the peer has all of it.
    mutating func queue(_ message: [UInt8], token: UInt64) {
        queue.append((token, message))
        queuedByteCount += message.count
    }

    /// The fragments to send now.
    mutating func transmissions(at now: MonotonicInstant) -> [Fragment] {
        fillFlights()
        var inFlight = flights.count { $0.transmission != nil && !$0.isAcknowledged }
        var fragments: [Fragment] = []
        if inFlight == 0 { timerStart = now }
        for index in flights.indices where flights[index].transmission == nil && !flights[index].isAcknowledged {
            guard Double(inFlight) < window else { break }
            flights[index].transmission = nextTransmission
            flights[index].sentAt = now
            flights[index].sendCount += 1
            nextTransmission += 1
            inFlight += 1
            fragments.append(flights[index].fragment)
        }
        return fragments
    }

    /// Cuts queued messages into fragments, as far as the receiver would buffer them.
    private mutating func fillFlights() {
        while flights.count < Self.maximumWindow, let next = queue.first {
            let count = max(1, (next.bytes.count + Self.maximumFragmentSize - 1) / Self.maximumFragmentSize)
            guard flights.count + count <= Self.maximumWindow else { return }
            _ = queue.popFirst()
            queuedByteCount -= next.bytes.count
            for piece in 0..<count {
                let start = piece * Self.maximumFragmentSize
                let end = min(next.bytes.count, start + Self.maximumFragmentSize)
                let fragment = Fragment(
                    sequence: nextSequence, isLast: piece == count - 1, bytes: Array(next.bytes[start..<end]))
                flights.append(Flight(fragment: fragment, token: next.token))
                nextSequence += 1
            }
        }
    }

    /// Takes an acknowledgement.
    ///
    /// - Returns: the tokens of messages that the peer now has completely, in order.
    mutating func receive(
        _ acknowledgement: Acknowledgement, at now: MonotonicInstant
    ) throws(Violation) -> [UInt64] {
        guard acknowledgement.next <= nextSequence else { throw .acknowledgedUnsent }
        var newlyAcknowledged = 0
        for index in flights.indices where !flights[index].isAcknowledged {
            let sequence = flights[index].fragment.sequence
            guard sequence < acknowledgement.next || acknowledgement.names(sequence) else { continue }
            // A fragment never sent cannot have arrived: the bitmap is wrong, which harms only the peer.
            guard flights[index].sendCount > 0 else { continue }
            flights[index].isAcknowledged = true
            newlyAcknowledged += 1
            noteArrival(of: flights[index], at: now)
        }
        guard newlyAcknowledged > 0 else { return [] }
        timeoutCount = 0
        timerStart = now
        markLost(at: now)
        if acknowledgement.next >= recoveryEnd { grow(by: newlyAcknowledged) }
        var tokens: [UInt64] = []
        var kept = 0
        while kept < flights.count, flights[kept].isAcknowledged {
            if flights[kept].fragment.isLast { tokens.append(flights[kept].token) }
            kept += 1
        }
        flights.removeFirst(kept)
        return tokens
    }

    private mutating func noteArrival(of flight: Flight, at now: MonotonicInstant) {
        // If a fragment was sent twice, nobody knows which copy arrived (Karn's rule).
        guard flight.sendCount == 1, let transmission = flight.transmission else { return }
        largestAcknowledgedTransmission = max(largestAcknowledgedTransmission ?? 0, transmission)
        roundTrip.add(flight.sentAt.duration(to: now))
    }

    /// Marks fragments as lost after enough later arrivals and enough time. It needs both, or jitter would count as
    /// loss.
    private mutating func markLost(at now: MonotonicInstant) {
        guard let largest = largestAcknowledgedTransmission else { return }
        let patience = (roundTrip.smoothed ?? .zero) * 5 / 4
        var lostSequence: UInt64?
        for index in flights.indices where !flights[index].isAcknowledged {
            guard let transmission = flights[index].transmission,
                transmission + Self.reorderingThreshold <= largest,
                flights[index].sentAt.duration(to: now) >= patience
            else { continue }
            flights[index].transmission = nil
            lostSequence = max(lostSequence ?? 0, flights[index].fragment.sequence)
        }
        guard let lostSequence, lostSequence >= recoveryEnd else { return }
        recoveryEnd = nextSequence
        window = max(Double(Self.minimumWindow), window / 2)
        slowStartThreshold = window
    }

    private mutating func grow(by count: Int) {
        let growth = window < slowStartThreshold ? Double(count) : Double(count) / window
        window = min(Double(Self.maximumWindow), window + growth)
    }

    // MARK: Receiving

    /// Accepts a fragment.
    ///
    /// - Returns: the messages that are complete now, in order.
    mutating func receive(_ fragment: Fragment, at now: MonotonicInstant) throws(Violation) -> [[UInt8]] {
        unacknowledgedCount += 1
        let isExpected = fragment.sequence == nextExpected
        if !isExpected || unacknowledgedCount >= 2 || !early.isEmpty {
            acknowledgementDeadline = now
        } else if acknowledgementDeadline == nil {
            acknowledgementDeadline = now.advanced(by: Self.acknowledgementDelay)
        }
        guard fragment.sequence >= nextExpected,
            fragment.sequence - nextExpected < UInt64(Self.maximumWindow)
        else { return [] }
        guard isExpected else {
            early[fragment.sequence] = fragment
            return []
        }
        var messages: [[UInt8]] = []
        var current: Fragment? = fragment
        while let next = current {
            nextExpected += 1
            guard partial.count + next.bytes.count <= maximumMessageSize else { throw .messageTooLong }
            partial += next.bytes
            if next.isLast {
                messages.append(partial)
                partial = []
            }
            current = early.removeValue(forKey: nextExpected)
        }
        return messages
    }

    /// The acknowledgement to send, if one is due.
    mutating func dueAcknowledgement(at now: MonotonicInstant) -> Acknowledgement? {
        guard let deadline = acknowledgementDeadline, deadline <= now else { return nil }
        acknowledgementDeadline = nil
        unacknowledgedCount = 0
        var later = [UInt8](repeating: 0, count: Self.maximumWindow / 8)
        for sequence in early.keys.sorted() {
            let offset = Int(sequence - nextExpected) - 1
            later[offset / 8] |= 1 << UInt8(offset % 8)
        }
        while later.last == 0 { later.removeLast() }
        return Acknowledgement(next: nextExpected, later: later)
    }

    // MARK: Time

    /// When `handleTimeout` or `dueAcknowledgement` has something to do.
    var nextDeadline: MonotonicInstant? {
        [retransmissionDeadline, acknowledgementDeadline].compactMap { $0 }.min()
    }

    private var retransmissionDeadline: MonotonicInstant? {
        guard flights.contains(where: { $0.transmission != nil && !$0.isAcknowledged }) else { return nil }
        return timerStart.advanced(by: roundTrip.timeout(afterAttempts: timeoutCount))
    }

    /// Without any acknowledgement in time, everything unacknowledged counts as lost. `transmissions` then returns it
    /// again.
    mutating func handleTimeout(at now: MonotonicInstant) {
        guard let deadline = retransmissionDeadline, deadline <= now else { return }
        markAllLost()
        timeoutCount += 1
        timerStart = now
        slowStartThreshold = max(Double(Self.minimumWindow), window / 2)
        window = Double(Self.minimumWindow)
        recoveryEnd = nextSequence
    }

    /// The path was replaced: sends everything unacknowledged again, immediately.
    mutating func restart(at now: MonotonicInstant) {
        markAllLost()
        timeoutCount = 0
        timerStart = now
    }

    private mutating func markAllLost() {
        for index in flights.indices where !flights[index].isAcknowledged { flights[index].transmission = nil }
    }
}

extension ReliableChannel.Acknowledgement {
    fileprivate func names(_ sequence: UInt64) -> Bool {
        guard sequence > next else { return false }
        let offset = sequence - next - 1
        guard offset / 8 < UInt64(later.count) else { return false }
        return later[Int(offset / 8)] & (1 << UInt8(offset % 8)) != 0
    }
}
