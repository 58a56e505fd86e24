import StreakWire

/// Operations that wait for ancestors.
struct PendingOperations: Sendable {
    private var operations: [OperationID: SignedOperation] = [:]
    private var missingParents: [OperationID: Set<OperationID>] = [:]
    private var waiting: [OperationID: [OperationID]] = [:]

    var count: Int { operations.count }

    func contains(_ id: OperationID) -> Bool { operations[id] != nil }

    mutating func add(_ operation: SignedOperation, waitingFor missing: [OperationID]) {
        operations[operation.id] = operation
        missingParents[operation.id] = Set(missing)
        for parent in missing { waiting[parent, default: []].append(operation.id) }
    }

    /// The missing ancestors that an operation waits for; empty if it does not wait.
    func missingParents(of id: OperationID) -> [OperationID] { (missingParents[id] ?? []).sorted() }

    /// All operations that wait for this one, directly or indirectly.
    func dependants(of id: OperationID) -> [SignedOperation] {
        var found: [SignedOperation] = []
        var seen: Set<OperationID> = [id]
        var next = [id]
        while let one = next.popLast() {
            for dependant in waiting[one] ?? [] where seen.insert(dependant).inserted {
                if let operation = operations[dependant] { found.append(operation) }
                next.append(dependant)
            }
        }
        return found
    }

    /// Removes and returns operations that waited only for `id`.
    mutating func released(by id: OperationID) -> [SignedOperation] {
        var released: [SignedOperation] = []
        for dependent in waiting.removeValue(forKey: id) ?? [] {
            missingParents[dependent]?.remove(id)
            guard missingParents[dependent]?.isEmpty == true else { continue }
            missingParents[dependent] = nil
            if let operation = operations.removeValue(forKey: dependent) { released.append(operation) }
        }
        return released
    }

    /// Removes operations that can never be complete because `id` is invalid.
    mutating func drop(dependingOn id: OperationID) {
        var doomed = [id]
        while let next = doomed.popLast() {
            for dependent in waiting.removeValue(forKey: next) ?? [] {
                operations[dependent] = nil
                missingParents[dependent] = nil
                doomed.append(dependent)
            }
        }
    }
}
