import StreakSimulator
import Testing

/// Seeds that failed once, each with the bug it revealed.
struct RegressionTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let scenario: String
        let seed: UInt64
        let fault: String
        var testDescription: String { "\(scenario) \(seed): \(fault)" }
    }

    static let cases = [
        Case(scenario: "streams-only", seed: 1, fault: "an address that only a stream had reached was not remembered"),
        Case(scenario: "restore-unnoticed", seed: 1, fault: "a restarted node had forgotten who had let it in"),
        Case(scenario: "leave-erasing", seed: 1, fault: "a node that had just restarted was taken for linked"),
        Case(scenario: "leave-apart", seed: 1, fault: "who left while alone told nobody later"),
        Case(scenario: "storm", seed: 2, fault: "a join waited for an exchange that equal digests do not need"),
        Case(
            scenario: "storm", seed: 147,
            fault: "two dials of one address at once; a member asked in vain was waited for"),
        Case(
            scenario: "storm", seed: 192, fault: "the same, with the stream of one dial retired before the other stood"),
        Case(
            scenario: "storm", seed: 28,
            fault: "the checker compared records that had come ahead of others with a digest that leaves those out"),
        Case(scenario: "loss-20", seed: 172, fault: "a member that had lost its side of the link was waited for"),
        Case(
            scenario: "copy-unnoticed", seed: 19,
            fault: "two copies of a device that took turns on one link waited longer and longer"),
        Case(
            scenario: "copy-unnoticed", seed: 37,
            fault: "a longer branch was asked for as if it went on from the own one, and its claim was ended"),
        Case(scenario: "restore-offline", seed: 4_711, fault: "of a forked feed each node counted another branch"),
        Case(
            scenario: "deaf-halves", seed: 1,
            fault: "who was heard by beacon and did not answer at once was never dialled again"),
        Case(
            scenario: "torn-join", seed: 23,
            fault: "who was welcomed by a member that ended then waited a minute for it"),
        Case(scenario: "friend-code", seed: 17, fault: "one lost call cost a friend's request five minutes"),
        Case(
            scenario: "damaged-streams", seed: 8,
            fault: "a newcomer whose link broke at the welcome knew nobody's address"),
        Case(
            scenario: "damaged-streams", seed: 6,
            fault: "a stream that waited for the rest of a frame whose length had changed was kept for minutes"),
        Case(
            scenario: "line-12-loss-50", seed: 4,
            fault: "a session was given up whose responder went on sending under it: what it sent was lost for minutes"),
    ]

    @Test(arguments: cases)
    func `what failed once goes well`(_ example: Case) throws {
        let scenario = try #require(Scenario.named(example.scenario, seed: example.seed))
        _ = try Simulation.play(scenario, seed: example.seed)
    }
}
