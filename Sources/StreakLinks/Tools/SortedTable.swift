/// Values by key, in the order of the keys. For a few hundred large values that are looked at and changed all the time: both
/// happen in place, where a dictionary copies the whole value for a change to a part of it.
///
/// Public, for other modules of this package: what is of `package` access the compiler inlines nowhere else, and then every look
/// at a value copies it.
public struct SortedTable<Key: Comparable & Sendable, Value: Sendable>: Sendable {
    /// Ascending.
    @usableFromInline var orderedKeys: [Key] = []
    /// In the order of the keys. Never nil but while one is put in or taken out; optional, so that it is changed in place.
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

    /// Where a key stands, or would stand.
    @inlinable func place(of key: Key) -> Int {
        // Most come in order.
        guard let last = orderedKeys.last, key <= last else { return orderedKeys.count }
        var range = orderedKeys.startIndex..<orderedKeys.endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = orderedKeys[middle] < key ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}
