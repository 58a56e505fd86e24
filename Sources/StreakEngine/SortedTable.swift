/// Values by key, in the order of the keys. For a few hundred large values that are looked at and changed all the time: both
/// happen in place, where a dictionary copies the whole value for a change to a part of it.
struct SortedTable<Key: Comparable & Sendable, Value: Sendable>: Sendable {
    /// Ascending.
    private(set) var keys: [Key] = []
    /// In the order of `keys`. Never nil but while one is put in or taken out; optional, so that it is changed in place.
    private var entries: [Value?] = []

    var count: Int { keys.count }
    var isEmpty: Bool { keys.isEmpty }
    /// In the order of `keys`.
    var values: some Collection<Value> { entries.lazy.compactMap { $0 } }

    subscript(key: Key) -> Value? {
        _read {
            if let index = index(of: key) { yield entries[index] } else { yield nil }
        }
        _modify {
            let index = place(of: key)
            if index == keys.count || keys[index] != key {
                keys.insert(key, at: index)
                entries.insert(nil, at: index)
            }
            defer { if entries[index] == nil { remove(at: index) } }
            yield &entries[index]
        }
    }

    mutating func removeValue(forKey key: Key) -> Value? {
        guard let index = index(of: key) else { return nil }
        defer { remove(at: index) }
        return entries[index]
    }

    private mutating func remove(at index: Int) {
        keys.remove(at: index)
        entries.remove(at: index)
    }

    private func index(of key: Key) -> Int? {
        let index = place(of: key)
        return index < keys.count && keys[index] == key ? index : nil
    }

    /// Where a key stands, or would stand.
    private func place(of key: Key) -> Int {
        // Most come in order.
        guard let last = keys.last, key <= last else { return keys.count }
        var range = keys.startIndex..<keys.endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = keys[middle] < key ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}
