public import StreakWire

/// A table of what this machine alone keeps. `Schema` of the store has its columns and their limits.
public enum LocalTable: String, CaseIterable, Sendable {
    case awaitedApprovals = "awaited_approvals"
    case blockedUsers = "blocked_users"
    case cursors
    case denials
    case endings
    case farewells
    case friendCodes = "friend_codes"
    case inviteLinks = "invite_links"
    case ownEpochs = "own_epochs"
    case receivedRequests = "received_requests"
    case returns
    case sentRequests = "sent_requests"

    /// The first columns, by which a row is known. Rows whose key begins with a group are deleted with it.
    public var keyColumns: [String] {
        switch self {
        case .awaitedApprovals, .endings, .farewells, .ownEpochs, .returns: ["group_id"]
        case .cursors: ["group_id", "peer"]
        case .inviteLinks: ["group_id", "invite"]
        case .denials: ["group_id", "user", "invite"]
        case .blockedUsers, .friendCodes, .receivedRequests: ["user"]
        case .sentRequests: ["code"]
        }
    }

    public var isOfGroups: Bool { keyColumns[0] == "group_id" }
}

/// What a row's column holds.
public enum RowValue: Hashable, Sendable {
    case null
    case number(Int64)
    case text(String)
    case bytes([UInt8])
}

/// A type that a column can hold.
public protocol ColumnValue {
    var rowValue: RowValue { get }
    /// Nil where the column holds something else.
    init?(_ value: RowValue)
}

/// A row of a table, as a type of its own.
public protocol LocalRow: Sendable {
    static var shape: RowShape<Self> { get }
}

/// How a type and a table's rows become one another.
public struct RowShape<Row> {
    let table: LocalTable
    let values: (Row) -> [RowValue]
    /// Throws where a column holds what its type does not.
    let read: ([RowValue]) throws -> Row

    /// - Parameter columns: in the table's order, the key first; `make` takes them in this order.
    public init<each Value: ColumnValue>(
        _ table: LocalTable, _ make: @escaping (repeat each Value) -> Row, _ columns: repeat KeyPath<Row, each Value>
    ) {
        self.table = table
        values = { row in
            var values: [RowValue] = []
            repeat values.append(row[keyPath: each columns].rowValue)
            return values
        }
        read = { values in
            var rest = values[...]
            func next<Next: ColumnValue>() throws -> Next {
                guard let value = Next(rest.popFirst() ?? .null) else { throw WireError.invalidValue(field: "column") }
                return value
            }
            return make(repeat try next() as each Value)
        }
    }
}

/// Rows by table and key: all that there are or, in a change, those that are written and deleted.
public struct LocalRows: Hashable, Sendable {
    public struct Key: Hashable, Sendable {
        public let table: LocalTable
        public let values: [RowValue]

        public init(table: LocalTable, values: [RowValue]) {
            self.table = table
            self.values = values
        }
    }

    /// In a change, an empty row is deleted.
    public var rows: [Key: [RowValue]] = [:]

    public init() {}

    public var isEmpty: Bool { rows.isEmpty }

    /// The row of a key; setting nil deletes it.
    public subscript<Row: LocalRow>(_: Row.Type, key: any ColumnValue...) -> Row? {
        get { rows[Key(table: Row.shape.table, values: key.map(\.rowValue))].flatMap { try? Row.shape.read($0) } }
        set { rows[Key(table: Row.shape.table, values: key.map(\.rowValue))] = newValue.map(Row.shape.values) ?? [] }
    }

    public mutating func keep<Row: LocalRow>(_ row: Row) { keep(Row.shape.values(row), in: Row.shape.table) }

    /// Keeps a row that has all of the table's columns.
    public mutating func keep(_ row: [RowValue], in table: LocalTable) {
        rows[Key(table: table, values: Array(row.prefix(table.keyColumns.count)))] = row
    }

    /// All rows of a type, in any order. What does not read was not written by this version.
    public func all<Row: LocalRow>(_: Row.Type) -> [Row] {
        rows.filter { $0.key.table == Row.shape.table }.compactMap { try? Row.shape.read($0.value) }
    }

    /// Makes this change do what `later` does after it.
    mutating func append(_ later: LocalRows) { rows.merge(later.rows) { _, new in new } }

    /// Does to what there is what a store does: the dropped groups go last.
    public mutating func apply(_ change: DurableChange) {
        for (key, row) in change.local.rows { rows[key] = row.isEmpty ? nil : row }
        guard !change.droppedGroups.isEmpty else { return }
        let dropped = Set(change.droppedGroups.map(\.rowValue))
        rows = rows.filter { key, _ in !(key.table.isOfGroups && dropped.contains(key.values[0])) }
    }
}

// MARK: - Columns

extension [UInt8]: ColumnValue {
    public var rowValue: RowValue { .bytes(self) }
    public init?(_ value: RowValue) {
        guard case .bytes(let bytes) = value else { return nil }
        self = bytes
    }
}

extension String: ColumnValue {
    public var rowValue: RowValue { .text(self) }
    public init?(_ value: RowValue) {
        guard case .text(let text) = value else { return nil }
        self = text
    }
}

extension Int64: ColumnValue {
    public var rowValue: RowValue { .number(self) }
    public init?(_ value: RowValue) {
        guard case .number(let number) = value else { return nil }
        self = number
    }
}

extension UInt32: ColumnValue {
    public var rowValue: RowValue { .number(Int64(self)) }
    public init?(_ value: RowValue) {
        guard case .number(let number) = value else { return nil }
        self.init(exactly: number)
    }
}

/// Kept as the signed number of the same bits.
extension UInt64: ColumnValue {
    public var rowValue: RowValue { .number(Int64(bitPattern: self)) }
    public init?(_ value: RowValue) {
        guard case .number(let number) = value else { return nil }
        self.init(bitPattern: number)
    }
}

extension Bool: ColumnValue {
    public var rowValue: RowValue { .number(self ? 1 : 0) }
    public init?(_ value: RowValue) { self = value == .number(1) }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
    public var rowValue: RowValue { self?.rowValue ?? .null }
    public init?(_ value: RowValue) {
        let wrapped = Wrapped(value)
        guard wrapped != nil || value == .null else { return nil }
        self = wrapped
    }
}

extension Identifier32 {
    public var rowValue: RowValue { .bytes(bytes.array) }
    public init?(_ value: RowValue) {
        guard case .bytes(let bytes) = value else { return nil }
        self.init(bytes)
    }
}

extension StoreID: ColumnValue {
    public var rowValue: RowValue { .bytes(bytes.array) }
    public init?(_ value: RowValue) {
        guard case .bytes(let array) = value, let bytes = Bytes16(array) else { return nil }
        self.init(bytes: bytes)
    }
}

extension DeviceID: ColumnValue {}
extension GroupID: ColumnValue {}
extension OperationID: ColumnValue {}
extension UserID: ColumnValue {}
