/// A queue. Both ends in amortised O(1).
public struct Fifo<Element: Sendable>: Sendable {
    @usableFromInline var elements: [Element?] = []
    @usableFromInline var head = 0

    @inlinable public init() {}

    @inlinable public var count: Int { elements.count - head }
    @inlinable public var isEmpty: Bool { count == 0 }
    @inlinable public var first: Element? { isEmpty ? nil : elements[head] }

    @inlinable public mutating func append(_ element: Element) {
        elements.append(element)
    }

    @inlinable public mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        if head >= 64, head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }
}
