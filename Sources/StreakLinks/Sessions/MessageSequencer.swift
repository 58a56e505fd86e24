/// Numbers a link's reliable messages, so that each is delivered once and in order over any paths. When a path fails,
/// unacknowledged messages go over another, and the receiver recognises repetitions by their number.
struct MessageSequencer: Sendable {
    /// Limits of unacknowledged messages and their bytes. A receiver keeps no more than that out of order.
    static let maximumFlightCount: UInt64 = 1_024
    static let maximumFlightSize = 1 << 20
    /// When to acknowledge messages from a stream: after this many bytes immediately, else after this delay, so that
    /// the acknowledgement can travel with a message.
    static let acknowledgementSize = 128 << 10
    static let acknowledgementCount = 64
    static let acknowledgementDelay: Duration = .milliseconds(100)

    /// The path that carries a message.
    enum Carrier: Sendable, Equatable {
        case stream(StreamID)
        case channel
    }

    struct Outgoing: Sendable {
        let sequence: UInt64
        let bytes: [UInt8]
        var carrier: Carrier?
    }

    struct Delivery: Sendable, Equatable {
        let bytes: [UInt8]
        let path: LinkPath
    }

    /// Why a peer's message ends the link.
    enum Violation: Error { case tooFarAhead, acknowledgedUnsent }

    private var waiting = Fifo<[UInt8]>()
    private var waitingByteCount = 0
    private var flights: [Outgoing] = []
    private var flightByteCount = 0
    /// Messages in `flights` without a carrier.
    private var recalledCount = 0
    private var nextSequence: UInt64 = 0

    /// All messages below this number were delivered.
    private(set) var nextExpected: UInt64 = 0
    private var early: [UInt64: Delivery] = [:]
    private var earlyByteCount = 0
    private var unacknowledgedByteCount = 0
    private var unacknowledgedCount = 0
    private(set) var acknowledgementDeadline: MonotonicInstant?

    var queuedByteCount: Int { waitingByteCount + flightByteCount }

    // MARK: Sending

    mutating func queue(_ message: [UInt8]) {
        waiting.append(message)
        waitingByteCount += message.count
    }

    /// Gives the next waiting message to `carrier`. Messages whose carrier failed go first.
    mutating func next(for carrier: Carrier) -> Outgoing? {
        if recalledCount > 0, let index = flights.firstIndex(where: { $0.carrier == nil }) {
            flights[index].carrier = carrier
            recalledCount -= 1
            return flights[index]
        }
        guard let message = waiting.first else { return nil }
        let oldest = flights.first?.sequence ?? nextSequence
        guard nextSequence - oldest < Self.maximumFlightCount,
            flightByteCount + message.count <= Self.maximumFlightSize
        else { return nil }
        _ = waiting.popFirst()
        waitingByteCount -= message.count
        flightByteCount += message.count
        let outgoing = Outgoing(sequence: nextSequence, bytes: message, carrier: carrier)
        nextSequence += 1
        flights.append(outgoing)
        return outgoing
    }

    /// The peer has all messages below `next`.
    mutating func acknowledge(below next: UInt64) throws(Violation) {
        guard next <= nextSequence else { throw .acknowledgedUnsent }
        let count = flights.firstIndex { $0.sequence >= next } ?? flights.count
        for flight in flights[..<count] { forget(flight) }
        flights.removeFirst(count)
    }

    /// The peer has this message.
    mutating func acknowledge(_ sequence: UInt64) {
        guard let index = flights.firstIndex(where: { $0.sequence == sequence }) else { return }
        forget(flights.remove(at: index))
    }

    private mutating func forget(_ flight: Outgoing) {
        flightByteCount -= flight.bytes.count
        if flight.carrier == nil { recalledCount -= 1 }
    }

    /// A carrier failed. What it may not have delivered needs another.
    mutating func recall(from carrier: Carrier) {
        for index in flights.indices where flights[index].carrier == carrier {
            flights[index].carrier = nil
            recalledCount += 1
        }
    }

    // MARK: Receiving

    /// Accepts a message.
    ///
    /// - Returns: the messages that can be delivered now, in order.
    mutating func receive(
        sequence: UInt64, bytes: [UInt8], path: LinkPath, at now: MonotonicInstant
    ) throws(Violation) -> [Delivery] {
        noteUnacknowledged(bytes.count, path: path, at: now)
        guard sequence >= nextExpected, early[sequence] == nil else { return [] }
        guard sequence - nextExpected < Self.maximumFlightCount else { throw .tooFarAhead }
        let delivery = Delivery(bytes: bytes, path: path)
        guard sequence == nextExpected else {
            guard earlyByteCount + bytes.count <= Self.maximumFlightSize else { throw .tooFarAhead }
            early[sequence] = delivery
            earlyByteCount += bytes.count
            return []
        }
        var deliveries = [delivery]
        nextExpected += 1
        while let next = early.removeValue(forKey: nextExpected) {
            earlyByteCount -= next.bytes.count
            deliveries.append(next)
            nextExpected += 1
        }
        return deliveries
    }

    /// Counts messages from a stream. The channel acknowledges its own.
    private mutating func noteUnacknowledged(_ count: Int, path: LinkPath, at now: MonotonicInstant) {
        guard path == .stream else { return }
        unacknowledgedByteCount += count
        unacknowledgedCount += 1
        let isMuch =
            unacknowledgedByteCount >= Self.acknowledgementSize || unacknowledgedCount >= Self.acknowledgementCount
        let deadline = isMuch ? now : now.advanced(by: Self.acknowledgementDelay)
        acknowledgementDeadline = min(acknowledgementDeadline ?? deadline, deadline)
    }

    /// The number to acknowledge. Marks the acknowledgement as sent.
    mutating func acknowledgement() -> UInt64 {
        acknowledgementDeadline = nil
        unacknowledgedByteCount = 0
        unacknowledgedCount = 0
        return nextExpected
    }
}
