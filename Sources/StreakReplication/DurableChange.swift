public import StreakWire

/// The place of one run in a store.
public struct RunKey: Hashable, Comparable, Sendable {
    public let group: GroupID
    public let feed: FeedID
    /// The branch of a forked feed; 0 without a fork.
    public let branch: UInt8
    /// The number of the run's first record.
    public let first: UInt64

    public init(group: GroupID, feed: FeedID, branch: UInt8, first: UInt64) {
        self.group = group
        self.feed = feed
        self.branch = branch
        self.first = first
    }

    public static func < (left: RunKey, right: RunKey) -> Bool {
        (left.group, left.feed, left.branch, left.first) < (right.group, right.feed, right.branch, right.first)
    }
}

/// A run with its place and the number under which it arrived in this store.
public struct StoredRun: Hashable, Sendable {
    public let group: GroupID
    public let branch: UInt8
    public let run: Run
    /// The chain hash after the last record. Stored, so that a start need not hash the whole history.
    public let after: ChainHash
    public let arrival: UInt64

    public init(group: GroupID, branch: UInt8, run: Run, after: ChainHash, arrival: UInt64) {
        self.group = group
        self.branch = branch
        self.run = run
        self.after = after
        self.arrival = arrival
    }

    /// Where the run ends.
    public var tip: Tip { Tip(number: run.last, hash: after) }

    public var key: RunKey { RunKey(group: group, feed: run.feed, branch: branch, first: run.first) }
}

/// A ledger operation as received, with the number under which it arrived in this store.
public struct StoredOperation: Hashable, Sendable {
    public let group: GroupID
    public let id: OperationID
    public let bytes: [UInt8]
    public let arrival: UInt64

    public init(group: GroupID, id: OperationID, bytes: [UInt8], arrival: UInt64) {
        self.group = group
        self.id = id
        self.bytes = bytes
        self.arrival = arrival
    }
}

/// Names an operation in a store.
public struct OperationKey: Hashable, Sendable {
    public let group: GroupID
    public let id: OperationID

    public init(group: GroupID, id: OperationID) {
        self.group = group
        self.id = id
    }
}

/// How far this store has synced with a peer's store: up to `arrival` in the peer's `store`.
public struct Cursor: Hashable, Sendable {
    public let group: GroupID
    public let peer: DeviceID
    public let store: StoreID
    public let arrival: UInt64

    public init(group: GroupID, peer: DeviceID, store: StoreID, arrival: UInt64) {
        self.group = group
        self.peer = peer
        self.store = store
        self.arrival = arrival
    }
}

extension Cursor: LocalRow {
    public static var shape: RowShape<Self> { RowShape(.cursors, Self.init, \.group, \.peer, \.store, \.arrival) }
}

/// An address at which a device answered.
public struct RememberedAddress: Hashable, Sendable {
    public let device: DeviceID
    public let endpoint: Endpoint
    /// Wall-clock seconds. Displayed, and used to forget the oldest; never compared between machines.
    public let lastAnswered: Int64

    public init(device: DeviceID, endpoint: Endpoint, lastAnswered: Int64) {
        self.device = device
        self.endpoint = endpoint
        self.lastAnswered = lastAnswered
    }
}

/// A secret under which the members of a group open links. All of a group's are kept.
public struct StoredAccessKey: Hashable, Sendable {
    public let group: GroupID
    public let key: [UInt8]

    public init(group: GroupID, key: [UInt8]) {
        self.group = group
        self.key = key
    }
}

/// The epoch that this device writes in a group.
public struct OwnEpoch: Hashable, Sendable {
    public let group: GroupID
    public let epoch: Epoch

    public init(group: GroupID, epoch: Epoch) {
        self.group = group
        self.epoch = epoch
    }
}

extension OwnEpoch: LocalRow {
    public static var shape: RowShape<Self> {
        RowShape(
            .ownEpochs, { Self(group: $0, epoch: Epoch(counter: $1, nonce: $2)) }, \.group, \.epoch.counter,
            \.epoch.nonce)
    }
}

/// One transaction: all of it is on disk, or nothing.
public struct DurableChange: Hashable, Sendable {
    public var operations: [StoredOperation] = []
    /// Operations that nobody has to know any longer. Removed after `operations` are added.
    public var removedOperations: [OperationKey] = []
    public var runs: [StoredRun] = []
    /// Runs that are replaced or erased. Removed before `runs` are added.
    public var removedRuns: [RunKey] = []
    public var accessKeys: [StoredAccessKey] = []
    public var addresses: [RememberedAddress] = []
    /// What this machine alone keeps, row by row.
    public var local = LocalRows()
    /// Groups to delete completely.
    public var droppedGroups: [GroupID] = []
    /// Named values, of each of which there is one; an empty one is deleted. Names are ASCII, at most 64 bytes; values at most 64 MiB.
    public var settings: [String: [UInt8]] = [:]

    public init() {}

    public var isEmpty: Bool {
        operations.isEmpty && removedOperations.isEmpty && runs.isEmpty && removedRuns.isEmpty && accessKeys.isEmpty
            && addresses.isEmpty && local.isEmpty && droppedGroups.isEmpty && settings.isEmpty
    }
}

/// Everything in a store, from which an engine starts. Operations and runs are in the order of their arrival.
public struct Snapshot: Sendable {
    public var store: StoreID
    /// The number of the next arrival; starts at 1.
    public var nextArrival: UInt64
    /// Whether this store may be a copy or an old state of another, so that no epoch in it may continue.
    public var mayBeCopy: Bool
    public var operations: [StoredOperation] = []
    public var runs: [StoredRun] = []
    public var accessKeys: [StoredAccessKey] = []
    public var addresses: [RememberedAddress] = []
    public var local = LocalRows()
    public var settings: [String: [UInt8]] = [:]

    public init(store: StoreID, nextArrival: UInt64 = 1, mayBeCopy: Bool = false) {
        self.store = store
        self.nextArrival = nextArrival
        self.mayBeCopy = mayBeCopy
    }
}

extension DurableChange {
    /// Combines this transaction with a later one.
    public mutating func append(_ later: DurableChange) {
        let removed = Set(later.removedRuns)
        if !removed.isEmpty { runs.removeAll { removed.contains($0.key) } }
        removedRuns += later.removedRuns
        operations += later.operations
        removedOperations += later.removedOperations
        runs += later.runs
        accessKeys += later.accessKeys
        addresses += later.addresses
        local.append(later.local)
        droppedGroups += later.droppedGroups
        settings.merge(later.settings) { _, new in new }
    }
}
