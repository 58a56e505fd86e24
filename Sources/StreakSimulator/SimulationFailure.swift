/// A run that did not go as the scenario demands. Its text holds the line that replays it.
public struct SimulationFailure: Error, Sendable, CustomStringConvertible {
    public let scenario: String
    public let seed: UInt64
    public let reason: String

    public var replayLine: String { "streakmesh-sim run --scenario \(scenario) --seed \(seed)" }

    public var description: String { "\(reason)\nreplay with: \(replayLine)" }
}
