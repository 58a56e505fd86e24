/// Subjects by deadline, one deadline each: a binary heap with an index of its subjects, so that changing a deadline is
/// O(log n). Equal deadlines come in the subjects' order, so that a run can be replayed.
public struct DeadlineQueue<Subject: Hashable & Comparable & Sendable>: Sendable {
    @usableFromInline struct Entry: Sendable {
        @usableFromInline var deadline: MonotonicInstant
        @usableFromInline var subject: Subject

        @inlinable init(deadline: MonotonicInstant, subject: Subject) {
            self.deadline = deadline
            self.subject = subject
        }

        @inlinable func precedes(_ other: Entry) -> Bool {
            (deadline, subject) < (other.deadline, other.subject)
        }
    }

    @usableFromInline var heap: [Entry] = []
    @usableFromInline var positions: [Subject: Int] = [:]

    @inlinable public init() {}

    /// The earliest deadline.
    @inlinable public var next: MonotonicInstant? { heap.first?.deadline }

    @inlinable public var count: Int { heap.count }

    /// Sets, changes or, with nil, removes a subject's deadline.
    @inlinable public mutating func schedule(_ subject: Subject, at deadline: MonotonicInstant?) {
        guard let deadline else { return remove(subject) }
        if let position = positions[subject] {
            guard heap[position].deadline != deadline else { return }
            heap[position].deadline = deadline
            settle(position)
        } else {
            heap.append(Entry(deadline: deadline, subject: subject))
            positions[subject] = heap.count - 1
            settle(heap.count - 1)
        }
    }

    /// Removes and returns the earliest subject whose deadline is not after `now`.
    @inlinable public mutating func popDue(at now: MonotonicInstant) -> Subject? {
        guard let first = heap.first, first.deadline <= now else { return nil }
        remove(first.subject)
        return first.subject
    }

    @inlinable mutating func remove(_ subject: Subject) {
        guard let position = positions.removeValue(forKey: subject) else { return }
        let last = heap.removeLast()
        guard position < heap.count else { return }
        heap[position] = last
        positions[last.subject] = position
        settle(position)
    }

    @inlinable mutating func settle(_ start: Int) {
        var position = start
        while position > 0, heap[position].precedes(heap[(position - 1) / 2]) {
            swapEntries(position, (position - 1) / 2)
            position = (position - 1) / 2
        }
        while true {
            var least = position
            for child in [2 * position + 1, 2 * position + 2] where child < heap.count {
                if heap[child].precedes(heap[least]) { least = child }
            }
            guard least != position else { return }
            swapEntries(position, least)
            position = least
        }
    }

    @inlinable mutating func swapEntries(_ left: Int, _ right: Int) {
        heap.swapAt(left, right)
        positions[heap[left].subject] = left
        positions[heap[right].subject] = right
    }
}
