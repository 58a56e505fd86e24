/// Values by key, sorted by key, for a few hundred large values that are read and changed often. Both happen in place;
/// a dictionary would copy the whole value to change a part.
///
/// Public for other modules of this package: the compiler does not inline `package` members across modules, and then
/// every access copies the value.
public struct SortedTable<Key: Comparable & Sendable, Value: Sendable>: Sendable {
    /// Ascending.
    @usableFromInline var orderedKeys: [Key] = []
    /// In the order of the keys. Nil only during insertion and removal; optional, so that a value can be changed in
    /// place.
    @usableFromInline var entries: [Value?] = []

    @inlinable public init() {}

    /// Ascending.
    @inlinable public var keys: [Key] { orderedKeys }

    @inlinable public var count: Int { keys.count }
    @inlinable public var isEmpty: Bool { keys.isEmpty }
    /// In the order of `keys`.
    @inlinable public var values: some Collection<Value> { entries.lazy.compactMap { $0 } }

    @inlinable public subscript(key: Key) -> Value? {
        _read {
            if let index = index(of: key) { yield entries[index] } else { yield nil }
        }
        _modify {
            let index = place(of: key)
            if index == orderedKeys.count || orderedKeys[index] != key {
                orderedKeys.insert(key, at: index)
                entries.insert(nil, at: index)
            }
            defer { if entries[index] == nil { remove(at: index) } }
            yield &entries[index]
        }
    }

    @inlinable public mutating func removeValue(forKey key: Key) -> Value? {
        guard let index = index(of: key) else { return nil }
        defer { remove(at: index) }
        return entries[index]
    }

    @inlinable mutating func remove(at index: Int) {
        orderedKeys.remove(at: index)
        entries.remove(at: index)
    }

    @inlinable func index(of key: Key) -> Int? {
        let index = place(of: key)
        return index < orderedKeys.count && orderedKeys[index] == key ? index : nil
    }

    /// The index of a key, or where it would be inserted.
    @inlinable func place(of key: Key) -> Int {
        // Most keys arrive in order.
        guard let last = orderedKeys.last, key <= last else { return orderedKeys.count }
        var range = orderedKeys.startIndex..<orderedKeys.endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = orderedKeys[middle] < key ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}
