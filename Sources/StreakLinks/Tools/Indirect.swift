/// A large value in memory of its own. A copy costs one count; the value itself is copied only if it is changed while
/// somebody else holds it, too.
///
/// For parts of values that are often read out of tables: Swift copies the whole value there, with a count for each of
/// its parts. Public and inlinable for the reason that `SortedTable` gives.
@propertyWrapper
public struct Indirect<Value: Sendable>: Sendable {
    /// Always one.
    @usableFromInline var values: [Value]

    @inlinable public init(wrappedValue: Value) { values = [wrappedValue] }

    @inlinable public var wrappedValue: Value {
        _read { yield values[0] }
        _modify { yield &values[0] }
    }
}
