import ArgumentParser
import StreakSimulator

struct DeliveryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delivery",
        abstract: "Measure how many results reach friends whose laptops are open in the evening.",
        discussion: """
            Each member plays once a day on a laptop behind a home router, open 1.5 to 3.5 hours in the evening and some \
            mornings. Addresses change every 30 days on average. Printed: pairs of a result and a friend delivered within \
            1 h / 24 h, in percent; then, where machines find everybody who is online, how many the same people and routers \
            allow; in brackets, what a model with 5-minute steps and without an engine gave for other people.
            """)

    @Option(help: "Numbers of members, as in 3,5,8.")
    var members: NumberList?

    @Option(help: "Shares of members whose router opens a port, in percent, as in 30,50.")
    var reachable: NumberList?

    @Option(
        help: ArgumentHelp(
            "How members' machines find each other, as in notices,letters (else each way in turn). Ways: "
                + Figures.Delivery.Means.allCases.map(\.rawValue).joined(separator: ", ") + "."))
    var means: MeansList?

    @Option(help: "Simulated days; on the last one nobody plays.")
    var days = 21

    @Option(help: "Groups simulated for each figure.")
    var runs = 8

    @Option(help: "The first seed.")
    var seed: UInt64 = 1

    func validate() throws {
        guard members?.numbers.allSatisfy({ (2...50).contains($0) }) ?? true,
            reachable?.numbers.allSatisfy({ $0 <= 100 }) ?? true, (2...365).contains(days), (1...1_000).contains(runs)
        else {
            throw ValidationError(
                "--members must be 2 to 50, --reachable at most 100, --days 2 to 365, --runs 1 to 1000.")
        }
    }

    func run() async throws {
        let means = means?.means ?? Figures.Delivery.Means.allCases
        say("| members, reachable | " + means.map(\.title).joined(separator: " | ") + " |")
        say("|---" + String(repeating: "|---", count: means.count) + "|")
        let watch = Stopwatch()
        for members in members?.numbers.sorted() ?? [3, 5, 8] {
            for percent in reachable?.numbers.sorted() ?? [30, 50] {
                var cells: [String] = []
                for means in means {
                    let setting = Figures.Delivery.Setting(
                        members: members, reachableShare: Double(percent) / 100, means: means)
                    let figure = try await figure(of: setting)
                    let model = DeliveryModel.figure(members: members, reachable: percent, means: means)
                    cells.append("\(figure.text) (\(model ?? "–"))")
                }
                say("| \(members), \(percent) % | " + cells.joined(separator: " | ") + " |")
            }
        }
        say("\(days) days, \(runs) groups a figure, \(watch.computing.formatted) computing")
    }

    private func figure(of setting: Figures.Delivery.Setting) async throws -> Figures.Delivery.Figure {
        let days = days
        let seeds = (0..<runs).map { seed + UInt64($0) }
        return try await withThrowingTaskGroup(of: Figures.Delivery.Figure.self) { group in
            for seed in seeds {
                group.addTask { try Figures.Delivery.figure(of: setting, days: days, seed: seed) }
            }
            var sum = Figures.Delivery.Figure()
            for try await figure in group { sum = sum + figure }
            return sum
        }
    }
}

/// Ways in which machines find each other, as in `notices,letters`.
struct MeansList: ExpressibleByArgument {
    let means: [Figures.Delivery.Means]

    init?(argument: String) {
        let names = argument.split(separator: ",", omittingEmptySubsequences: false)
        means = names.compactMap { Figures.Delivery.Means(rawValue: String($0)) }
        if means.count < names.count { return nil }
    }
}

extension Figures.Delivery.Figure {
    /// Within an hour / within a day, in percent.
    fileprivate var text: String { text(of: delivered) + (possible.map { " of " + text(of: $0) } ?? "") }

    private func text(of count: Figures.Delivery.Count) -> String {
        "\(percent(count.withinHour))/\(percent(count.withinDay))"
    }

    private func percent(_ count: Int) -> Int { pairs == 0 ? 0 : Int((Double(count) / Double(pairs) * 100).rounded()) }
}

extension Figures.Delivery.Means {
    fileprivate var title: String {
        switch self {
        case .nothing: "nothing"
        case .mapping: "mapping"
        case .meeting: "+ whereabouts, knocking"
        case .notices: "+ notices in the DHT"
        case .letters: "+ letters"
        case .lettersAndFriend: "+ letters, always-on friend"
        case .alwaysOnFriend: "whereabouts, always-on friend, no DHT"
        case .everybodyReachable: "everybody reachable"
        }
    }
}

/// What a model of the same groups gave before the engine could do any of it: people, addresses and who reaches whom, in steps
/// of five minutes, without messages.
enum DeliveryModel {
    private static let means: [Figures.Delivery.Means] = [
        .nothing, .mapping, .meeting, .notices, .letters, .lettersAndFriend, .alwaysOnFriend, .everybodyReachable,
    ]

    /// By members and share of reachable ones in percent: a figure for each of `means`.
    private static let rows: [[Int]: String] = [
        [3, 30]: "10/19 18/33 18/33 37/66 49/90 54/97 42/75 47/83",
        [3, 50]: "10/19 33/61 34/61 43/76 49/90 54/97 48/86 47/83",
        [5, 30]: "13/26 29/56 30/57 44/84 48/91 52/96 45/83 46/86",
        [5, 50]: "13/26 35/68 36/68 44/85 48/91 52/96 47/89 46/86",
        [5, 70]: "13/26 41/77 41/78 46/86 48/91 52/96 48/89 46/86",
        [8, 30]: "5/10 28/56 28/57 44/89 48/94 50/97 49/96 46/92",
        [8, 50]: "5/10 38/74 38/74 45/90 48/94 50/97 50/97 46/92",
    ]

    /// Percent within an hour / within a day; nil where the model was not run.
    static func figure(members: Int, reachable: Int, means: Figures.Delivery.Means) -> String? {
        guard let figures = rows[[members, reachable]]?.split(separator: " "),
            let place = self.means.firstIndex(of: means)
        else { return nil }
        return String(figures[place])
    }
}
