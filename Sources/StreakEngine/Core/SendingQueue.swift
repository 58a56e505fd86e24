import StreakLinks
import StreakMembership
import StreakWire

/// Messages that a link does not accept yet because its peer has too much to acknowledge. Strictly in order.
struct SendingQueue: Sendable {
    enum Item: Sendable {
        case message([UInt8])
        /// The rest of a ledger, ancestors first; the last message of them is final.
        case operations(GroupHandle, ArraySlice<SignedOperation>)

        /// About how much is to be sent.
        var byteCount: Int {
            switch self {
            case .message(let bytes): bytes.count
            case .operations(_, let operations): operations.reduce(0) { $0 + $1.bytes.count }
            }
        }
    }

    /// At this length the link is closed: the peer acknowledges nothing, and has to dial again.
    static let maximumCount = 1_024
    /// The same in bytes of messages. Queued ledger operations share memory with the group's copy, so they cost nothing
    /// extra.
    static let maximumSize = 16 << 20

    private var items = Fifo<Item>()
    private var size = 0
    /// What is left of the first item.
    private var begun: Item?

    var isEmpty: Bool { begun == nil && items.isEmpty }
    private var count: Int { items.count + (begun == nil ? 0 : 1) }
    /// Whether the peer has let the queue become too long.
    var isTooLong: Bool { count > Self.maximumCount || size > Self.maximumSize }

    mutating func append(_ item: Item) {
        if case .message(let bytes) = item { size += bytes.count }
        items.append(item)
    }

    /// The next message to send. Call `advance` once it has been sent.
    mutating func next() -> [UInt8]? {
        begun = begun ?? items.popFirst()
        switch begun {
        case .message(let bytes): return bytes
        case .operations(let handle, let operations):
            let count = Self.batchCount(of: operations)
            return LinkMessage.operations(
                handle, operations.prefix(count).map(\.bytes), isFinal: count == operations.count
            ).encoded
        case nil: return nil
        }
    }

    mutating func advance() {
        guard case .operations(let handle, let operations) = begun else {
            if case .message(let bytes) = begun { size -= bytes.count }
            begun = nil
            return
        }
        let rest = operations.dropFirst(Self.batchCount(of: operations))
        begun = rest.isEmpty ? nil : .operations(handle, rest)
    }

    /// How many operations one message takes.
    private static func batchCount(of operations: ArraySlice<SignedOperation>) -> Int {
        var size = 0
        var count = 0
        for operation in operations.prefix(LinkMessage.maximumOperations) {
            size += operation.bytes.count
            if count > 0, size > LinkMessage.preferredSize { break }
            count += 1
        }
        return count
    }
}
