import StreakEngine
import StreakLinks

/// Future events by instant. Events of one instant keep the order in which they were added.
struct EventQueue<Event: Sendable>: Sendable {
    /// Plain numbers, so that the heap moves them without reference counting.
    private struct Entry: Sendable {
        let instant: MonotonicInstant
        let sequence: UInt64
        /// The index where the event is stored.
        let slot: Int

        func comes(before other: Entry) -> Bool { (instant, sequence) < (other.instant, other.sequence) }
    }

    private var heap: [Entry] = []
    private var events: [Event?] = []
    private var freeSlots: [Int] = []
    private var lastSequence: UInt64 = 0

    /// When the next event is due.
    var next: MonotonicInstant? { heap.first?.instant }

    mutating func add(_ event: Event, at instant: MonotonicInstant) {
        lastSequence += 1
        heap.append(Entry(instant: instant, sequence: lastSequence, slot: keep(event)))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].comes(before: heap[parent]) else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func keep(_ event: Event) -> Int {
        if let slot = freeSlots.popLast() {
            events[slot] = event
            return slot
        }
        events.append(event)
        return events.count - 1
    }

    /// Removes and returns the next event.
    mutating func pop() -> (instant: MonotonicInstant, event: Event)? {
        guard let first = heap.first, let last = heap.popLast(), let event = events[first.slot] else { return nil }
        events[first.slot] = nil
        freeSlots.append(first.slot)
        if !heap.isEmpty {
            heap[0] = last
            sink()
        }
        return (first.instant, event)
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var smallest = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child].comes(before: heap[smallest]) { smallest = child }
            guard smallest != parent else { return }
            heap.swapAt(parent, smallest)
            parent = smallest
        }
    }
}
