import StreakWire

/// Names of operations refused because of a limit, with their parents.
///
/// It keeps only names: an operation that others need is requested again. The oldest names are dropped if there are too
/// many, and return when the operation is offered again.
struct RefusedForks: Sendable {
    /// At most 4 MiB, parents included.
    static let maximumCount = 4_096

    private struct Refused: Sendable {
        let author: DeviceID
        let parents: [OperationID]
        var isNeeded = false
    }

    private var refused: [OperationID: Refused] = [:]
    /// In order of arrival. May contain names that were accepted since; they are skipped.
    private var order: [OperationID] = []
    private var oldest = 0

    var isEmpty: Bool { refused.isEmpty }

    /// Nil if it was not refused.
    func author(of id: OperationID) -> DeviceID? { refused[id]?.author }

    func isNeeded(_ id: OperationID) -> Bool { refused[id]?.isNeeded ?? false }

    /// Its parents that were missing.
    func parents(of id: OperationID) -> [OperationID] { refused[id]?.parents ?? [] }

    /// - Parameter parents: the missing ones.
    mutating func add(_ signed: SignedOperation, parents: [OperationID]) {
        guard refused[signed.id] == nil else { return }
        refused[signed.id] = Refused(author: signed.operation.author, parents: parents)
        order.append(signed.id)
        while refused.count > Self.maximumCount || order.count - oldest > 2 * Self.maximumCount {
            refused[order[oldest]] = nil
            oldest += 1
        }
        if oldest > Self.maximumCount {
            order.removeFirst(oldest)
            oldest = 0
        }
    }

    mutating func need(_ id: OperationID) { refused[id]?.isNeeded = true }

    mutating func remove(_ id: OperationID) { refused[id] = nil }
}
