/// Collects outputs, events and deadlines from all parts of `Links`.
struct Outbox: Sendable {
    /// The owner of a deadline.
    enum Timer: Hashable, Comparable, Sendable {
        case link(LinkID)
        case dial(DialID)
        case stream(StreamID)
        case answer(UInt32)
    }

    private(set) var outputs: [LinkOutput] = []
    private(set) var events: [LinkEvent] = []
    var timers = DeadlineQueue<Timer>()
    /// Links that may have something to send or a new deadline.
    private var touched: [LinkID] = []

    mutating func send(_ output: LinkOutput) { outputs.append(output) }

    mutating func report(_ event: LinkEvent) { events.append(event) }

    /// Something from outside was ignored.
    mutating func drop(_ reason: DropReason) { events.append(.dropped(reason)) }

    mutating func touch(_ id: LinkID) {
        if !touched.contains(id) { touched.append(id) }
    }

    /// Returns and removes the touched links, in order.
    mutating func takeTouched() -> [LinkID] {
        defer { touched = [] }
        return touched
    }

    /// Returns and removes what has collected, in order.
    mutating func drain() -> (outputs: [LinkOutput], events: [LinkEvent]) {
        defer {
            outputs = []
            events = []
        }
        return (outputs, events)
    }
}
