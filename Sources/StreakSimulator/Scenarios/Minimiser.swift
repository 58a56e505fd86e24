/// Shortens a failing scenario as long as it fails in the same way.
public struct Minimiser: Sendable {
    /// The most runs it may take.
    public var maximumRuns = 200
    public private(set) var runCount = 0
    /// The shortest failing scenario found.
    public private(set) var failure: SimulationFailure
    private let scenario: Scenario

    /// - Parameter failure: how `scenario` failed.
    public init(_ scenario: Scenario, failing failure: SimulationFailure) {
        self.scenario = scenario
        self.failure = failure
    }

    /// Removes nodes, then network faults, then steps: first many at a time, then one by one from the last, until
    /// nothing more can be removed.
    public mutating func minimise() -> SimulationFailure {
        var reduction = failure.reduction
        for node in (0..<scenario.nodeCount).reversed() where !reduction.nodes.contains(node) {
            var smaller = reduction
            smaller.nodes.insert(node)
            if fails(smaller) { reduction = smaller }
        }
        if !reduction.isCalm {
            var calm = reduction
            calm.isCalm = true
            if fails(calm) { reduction = calm }
        }
        var size = max(1, scenario.steps.count / 2)
        while true {
            let before = reduction.steps.count
            reduction = leavingOutSteps(of: size, from: reduction)
            if size == 1, reduction.steps.count == before || runCount >= maximumRuns { break }
            size = max(1, size / 2)
        }
        return failure
    }

    private mutating func leavingOutSteps(of size: Int, from reduction: ScenarioReduction) -> ScenarioReduction {
        var reduction = reduction
        var end = scenario.steps.count
        while end > 0 {
            let part = Set(max(0, end - size)..<end).filter { scenario.steps[$0].isDispensable(for: failure.kind) }
            end -= size
            guard !part.isSubset(of: reduction.steps) else { continue }
            var smaller = reduction
            smaller.steps.formUnion(part)
            if fails(smaller) { reduction = smaller }
        }
        return reduction
    }

    private mutating func fails(_ reduction: ScenarioReduction) -> Bool {
        guard runCount < maximumRuns else { return false }
        runCount += 1
        do throws(SimulationFailure) {
            _ = try Simulation.play(scenario, seed: failure.seed, without: reduction)
            return false
        } catch {
            guard error.kind == failure.kind else { return false }
            failure = error
            return true
        }
    }
}
