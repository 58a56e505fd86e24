import StreakWire

/// Names of operations that were refused because of a limit, and which of them others rest on.
///
/// Names only: what is needed is asked for again. Of very many the oldest are forgotten; they are noted when they come
/// again.
struct RefusedForks: Sendable {
    /// With their parents at most 4 MiB.
    static let maximumCount = 4_096

    private struct Refused: Sendable {
        let author: DeviceID
        let parents: [OperationID]
        var isNeeded = false
    }

    private var refused: [OperationID: Refused] = [:]
    /// In order of arrival; those taken since are skipped.
    private var order: [OperationID] = []
    private var oldest = 0

    var isEmpty: Bool { refused.isEmpty }

    /// Nil if it was not refused.
    func author(of id: OperationID) -> DeviceID? { refused[id]?.author }

    func isNeeded(_ id: OperationID) -> Bool { refused[id]?.isNeeded ?? false }

    /// Those of its parents that were not in.
    func parents(of id: OperationID) -> [OperationID] { refused[id]?.parents ?? [] }

    /// - Parameter parents: those that are not in.
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
