/// The scenarios that are played in every test run.
extension Scenario {
    public static func named(_ name: String) -> Scenario? { all.first { $0.name == name } }

    public static let all: [Scenario] = [pair]

    public static let pair = Scenario(
        "pair", "Two friends: found, invite, join by link, write on both sides", nodes: 2,
        steps: [
            .start([0, 1]), .found(by: 0), .write([0], count: 3, over: .seconds(1)), .invite(by: 0), .join([1]),
            .write([0, 1], count: 10, over: .seconds(2)), .converge(within: .seconds(2)),
        ])
}
