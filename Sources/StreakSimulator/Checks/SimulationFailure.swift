/// A run that did not go as the scenario demands. Its text holds the line that replays it.
public struct SimulationFailure: Error, Sendable, CustomStringConvertible {
    /// What kind of thing went wrong: a shorter story fails in the same way only if this is equal.
    public enum Kind: Sendable, Equatable {
        /// Something happened that must never happen.
        case safety(SafetyChecker.Rule)
        /// What had to happen did not, in its time.
        case liveness
        /// A command ended otherwise than it had to.
        case outcome
        /// An engine does not behave, towards its store or its clock.
        case engine
        /// The story does not fit together: a step needs what no step before it has made.
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
