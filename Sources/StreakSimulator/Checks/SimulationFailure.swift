/// A failed run. Its text contains the command that replays it.
public struct SimulationFailure: Error, Sendable, CustomStringConvertible {
    /// The kind of failure. A reduced scenario reproduces a failure only if the kinds are equal.
    public enum Kind: Sendable, Equatable {
        /// A safety rule was violated.
        case safety(SafetyChecker.Rule)
        /// Something did not happen in time.
        case liveness
        /// A command had the wrong outcome.
        case outcome
        /// An engine violates its contract with its store or its clock.
        case engine
        /// The scenario is inconsistent: a step needs something that no earlier step made.
        case story
    }

    public let scenario: String
    public let seed: UInt64
    public let reduction: ScenarioReduction
    public let kind: Kind
    public let reason: String

    public var replayLine: String {
        "streakmesh-sim run --scenario \(scenario) --seed \(seed)" + reduction.arguments
    }

    public var description: String { "\(reason)\nreplay with: \(replayLine)" }
}
