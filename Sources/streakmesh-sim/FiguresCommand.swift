import ArgumentParser
import StreakSimulator

struct FiguresCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "figures",
        abstract: "Measure how fast results are seen in a large group, and how much the simulator carries.",
        discussion: """
            Visible: how long from a user's command until another member's node shows the result, over all results and \
            members, in simulated time on a wired LAN whose disks take up to 8 ms; with a share of all datagrams lost. \
            Speed: simulated seconds for each second that this process computes.
            """)

    @Option(help: "Nodes on the network where results are measured.")
    var nodes = 200

    @Option(help: "Groups that these nodes are spread over, each a member of one.")
    var groups = 1

    @Option(help: "Results written at each loss.")
    var results = 100

    @Option(help: "Shares of datagrams lost, in percent, as in 0,5,20,50.")
    var losses: NumberList?

    @Option(help: "Nodes of a group in which all reach one only; 0 for none.")
    var starNodes = 50

    @Option(help: "Members of the group whose speed is measured; 0 for none.")
    var speedNodes = 20

    @Option(help: "The seed.")
    var seed: UInt64 = 1

    func validate() throws {
        guard groups >= 1, nodes == 0 || nodes >= 2 * groups, nodes <= 1_000, results >= 1,
            speedNodes == 0 || speedNodes >= 2,
            speedNodes <= 1_000, starNodes == 0 || (3...256).contains(starNodes),
            losses?.numbers.allSatisfy({ $0 < 100 }) ?? true
        else {
            throw ValidationError(
                "--star-nodes must be 3 to 256 or 0; --nodes and --speed-nodes must be 2 to 1000 or 0, --groups at most half of --nodes, --results 1 or more, "
                    + "--losses below 100.")
        }
    }

    func run() throws {
        if speedNodes > 0 { try measureSpeed() }
        if starNodes > 0 {
            let crowd = try crowd(of: starNodes, shape: .star(hub: 0))
            measureVisibility(in: crowd, name: "a star of \(starNodes)")
        }
        if nodes > 0 {
            let crowd = try crowd(of: nodes, in: groups)
            measureVisibility(in: crowd, name: "\(nodes) nodes" + (groups == 1 ? "" : " in \(groups) groups"))
        }
    }

    private func crowd(of count: Int, in groups: Int = 1, shape: NetworkShape? = nil) throws -> Figures.Crowd {
        let watch = Stopwatch()
        var crowd = try Figures.Crowd(nodes: count, groups: groups, seed: seed) {
            say("  \($0), \(watch.computing.formatted) computing")
        }
        say("\(count) nodes: all have joined, \(watch.computing.formatted) computing")
        let starting = Stopwatch()
        let links = crowd.start(letting: .seconds(60), shape: shape)
        say("\(count) nodes: \(links / 2) links a minute after the start, \(starting.computing.formatted) computing")
        let shape = shape == nil ? "" : ", all at one"
        show("\(count) nodes linked\(shape), computing", watch.computing.milliseconds / 1_000, "s", target: "–")
        return crowd
    }

    private func measureSpeed() throws {
        var crowd = try crowd(of: speedNodes)
        let watch = Stopwatch()
        let time = Duration.seconds(600)
        guard crowd.simulateBusyGroup(for: time, results: 30) else {
            say("speed, \(speedNodes) nodes: NO AGREEMENT a minute after the last result")
            throw ExitCode.failure
        }
        let taken = watch.computing
        show(
            "simulated seconds a second, \(speedNodes) nodes that write 30 results each in ten minutes", time / taken,
            "×",
            target: "≥ 150")
    }

    private func measureVisibility(in crowd: Figures.Crowd, name: String) {
        for loss in losses?.numbers.sorted() ?? [0, 5, 20, 50] {
            let figure = crowd.visibility(loss: Double(loss) / 100, results: results)
            let name = "simulated, \(name), \(loss) % lost:"
            show("\(name) a result seen, p50", figure.median.milliseconds, "ms", target: "–")
            show("\(name) a result seen, p99", figure.p99.milliseconds, "ms", target: "< 2000")
            show("\(name) a result seen, worst", figure.maximum.milliseconds, "ms", target: "–")
            let lacking = figure.expectedCount - figure.seenCount
            show("\(name) results not seen", Double(lacking), "of \(figure.expectedCount)", target: "0")
            show("\(name) bytes for a result", Double(figure.bytesPerResult), "B", target: "–")
        }
    }
}
