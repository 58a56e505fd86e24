import ArgumentParser
import Foundation
import StreakNode
import StreakStorage

/// Measures what `script/bench` prints: one line each with name, value, unit and target. It prints figures and does not
/// judge them.
@main
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "streakmesh-bench", abstract: "Measure a built streakmesh; prints name, value, unit, target.")

    @Option(help: "The program to measure; the one beside this by default.")
    var program: String?

    @Option(name: .customLong("idle-seconds"), help: "How long an idle pair is watched.")
    var idleSeconds = 60

    @Flag(name: .customLong("only-numbers"), help: "Measure nothing that needs another process.")
    var onlyNumbers = false

    @Flag(name: .customLong("only-history"), help: "Measure the million results of a group alone.")
    var onlyHistory = false

    @Flag(name: .customLong("only-mesh"), help: "Measure two nodes alone: a result, and a newcomer's ten thousand.")
    var onlyMesh = false

    @Option(help: "Share texts to parse: lines of JSON with a `text` each.")
    var shares: String?

    func run() async throws {
        if !onlyHistory && !onlyMesh {
            try NumbersBench(shares: shares).run()
            try LedgerBench().run()
        }
        if onlyNumbers { return }
        let beside = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let path = program ?? beside.appendingPathComponent("streakmesh").path
        let lab = try Lab(program: path)
        defer { lab.close() }
        if !onlyMesh {
            try await HistoryBench(lab: lab).run()
            if onlyHistory { return }
            try await measureAdd(lab)
            try measureImport(lab)
            try await measureJoins(lab)
            try await measureRemovals(lab)
        }
        try await measurePair(lab)
        try await measureTen(lab)
        try await measureStar(lab)
        try await measureFormations(lab)
        try await measureNewcomer(lab)
    }

    /// From a link to the first board, in two separate processes beside a running node of the group.
    private func measureJoins(_ lab: Lab) async throws {
        try lab.makeAccount("host")
        try lab.run("host", ["group", "create", "Joins"])
        let host = try await lab.start("host")
        try lab.run("host", ["add", "Birdle 1 4/6"])
        var times: [Double] = []
        for number in 1...20 {
            let name = "guest\(number)"
            try lab.makeAccount(name)
            let link = try lab.invite("host")
            let start = ContinuousClock.now
            try lab.run(name, ["join", link])
            try lab.run(name, ["board", "--range", "all"])
            times.append(start.duration(to: .now).milliseconds)
        }
        Figure.show("join to first board, two processes, p50 of 20", times.percentile(50), "ms", target: "–")
        try host.stop()
    }

    /// From the command until the removed node itself reports its removal, over an existing link.
    private func measureRemovals(_ lab: Lab) async throws {
        try lab.makeAccount("chair")
        try lab.makeAccount("Gus")
        try lab.run("chair", ["group", "create", "Removals"])
        let (chair, guest) = (try await lab.start("chair"), try await lab.start("Gus"))
        var times: [Double] = []
        for _ in 1...10 {
            try lab.run("Gus", ["join", try lab.invite("chair")])
            let start = ContinuousClock.now
            _ = try await chair.client.call(
                MemberRequest.remove(group: nil, user: "Gus"))
            var isIn = true
            while isIn {
                let groups = try await guest.client.call(GroupListRequest.all).groups
                isIn = groups.contains { $0.role != "removed" }
            }
            times.append(start.duration(to: .now).milliseconds)
        }
        Figure.show("removal known to whom it concerns, p50 of 10", times.percentile(50), "ms", target: "< 1000")
        Figure.show("removal known to whom it concerns, worst of 10", times.percentile(100), "ms", target: "< 1000")
        try chair.stop()
        try guest.stop()
    }

    /// A confirmed `add` in a process of its own, on a store without a running node.
    private func measureAdd(_ lab: Lab) async throws {
        try lab.makeAccount("alone")
        var times: [Double] = []
        for number in 1...30 {
            let start = ContinuousClock.now
            try lab.run("alone", ["add", "Birdle \(number) 4/6"])
            times.append(start.duration(to: .now).milliseconds)
        }
        Figure.show("add, whole process, p50", times.percentile(50), "ms", target: "< 100")
        Figure.show("add, whole process, p99", times.percentile(99), "ms", target: "< 100")
    }

    /// An import of ten years in a process of its own, on a store with one shared group.
    private func measureImport(_ lab: Lab) throws {
        let rows = (0..<20_000).map { "\(2_015 + $0 / 2_000)-01-01,birdle,\($0 % 6 + 1),6,true,\($0 + 1)" }
        let file = lab.path("history.csv")
        try Data(("date,game,score,maxAttempts,completed,puzzle\n" + rows.joined(separator: "\n")).utf8).write(
            to: URL(fileURLWithPath: file))
        try lab.makeAccount("importer")
        try lab.run("importer", ["group", "create", "History"])
        let start = ContinuousClock.now
        try lab.run("importer", ["import", file])
        let seconds = start.duration(to: .now).milliseconds / 1_000
        Figure.show("import of 20,000 results, published in a group", seconds, "s", target: "< 2")
        let again = ContinuousClock.now
        try lab.run("importer", ["import", file])
        Figure.show(
            "import of the same file again", again.duration(to: .now).milliseconds / 1_000, "s", target: "< 2")
    }

    /// Two linked nodes: how soon a score becomes visible, what an idle pair sends, how large a node is.
    private func measurePair(_ lab: Lab) async throws {
        try lab.makeAccount("anna")
        try lab.makeAccount("ben")
        try lab.run("anna", ["group", "create", "Bench"])
        let anna = try await lab.start("anna")
        let ben = try await lab.start("ben")
        try lab.run("ben", ["join", try lab.invite("anna")])
        let recorder = try await measureVisibility(at: [ben], from: anna, results: 200, name: "the second node")
        Figure.show("resident memory of an idle node", Double(anna.residentBytes) / 1e6, "MB", target: "< 60")
        guard idleSeconds > 0 else { return }
        let before = try Loopback.counters()
        let end = ContinuousClock.now + .seconds(idleSeconds)
        await recorder[0].wait(until: end)
        let after = try Loopback.counters()
        let rate = Double(after.bytes - before.bytes) / Double(idleSeconds) / 2
        Figure.show(
            "idle pair, each way, headers included, over \(idleSeconds) s", rate, "B/s",
            target: "≤ 10 beyond keepalives")
        Figure.show("idle pair, packets in that time", Double(after.packets - before.packets), "", target: "–")
        try anna.stop()
        try ben.stop()
    }

    /// The same with ten nodes, all on this machine's processors.
    private func measureTen(_ lab: Lab) async throws {
        try lab.makeAccount("first")
        try lab.run("first", ["group", "create", "Ten"])
        let first = try await lab.start("first")
        var others: [RunningNode] = []
        for number in 2...10 {
            let name = "member\(number)"
            try lab.makeAccount(name)
            let node = try await lab.start(name)
            try lab.run(name, ["join", try lab.invite("first")])
            others.append(node)
        }
        _ = try await measureVisibility(at: others, from: first, results: 100, name: "nine others")
        for node in [first] + others { try node.stop() }
    }

    /// Twenty nodes that joined with one node's link, through which everything passes. Another node writes.
    private func measureStar(_ lab: Lab) async throws {
        let nodes = try await gather(20, as: "star", in: lab)
        let others = [nodes[0]] + nodes[2...]
        _ = try await measureVisibility(
            at: others, from: nodes[1], results: 60, name: "all 19 others of a star", targets: ("–", "≤ 1000"))
        for node in nodes { try node.stop() }
    }

    /// Ten nodes join one by one, ten times: how long after the last join all have the same state.
    private func measureFormations(_ lab: Lab) async throws {
        var times: [Double] = []
        for round in 1...10 {
            let nodes = try await gather(10, as: "formation\(round)-", in: lab)
            let start = ContinuousClock.now
            var digests: Set<String> = []
            repeat {
                digests = []
                for node in nodes {
                    let status = try await node.client.call(StatusRequest.status)
                    digests.insert(status.groups.first?.digest ?? "")
                }
            } while digests.count > 1 && start.duration(to: .now) < .seconds(300)
            times.append(start.duration(to: .now).milliseconds)
            for node in nodes { try node.stop() }
        }
        Figure.show(
            "ten who joined one after another are equal, worst of 10", times.percentile(100), "ms", target: "≤ 2000")
    }

    /// Nodes of a group that the first one founded. The others joined with the first one's links; each has a result.
    private func gather(_ count: Int, as name: String, in lab: Lab) async throws -> [RunningNode] {
        try lab.makeAccount(name + "1")
        try lab.run(name + "1", ["group", "create", name])
        var nodes = [try await lab.start(name + "1")]
        for number in 2...count {
            try lab.makeAccount(name + "\(number)")
            nodes.append(try await lab.start(name + "\(number)"))
            try lab.run(name + "\(number)", ["join", try lab.invite(name + "1")])
            try lab.run(name + "\(number)", ["add", "Birdle \(number) 4/6"])
        }
        return nodes
    }

    /// How soon a score becomes visible after the request. Returns the node that recorded it.
    private func measureVisibility(
        at nodes: [RunningNode], from author: RunningNode, results: Int, name: String,
        targets: (median: String, p99: String) = ("≤ 2", "< 20")
    ) async throws -> [EventRecorder] {
        let recorders = nodes.map { _ in EventRecorder() }
        let watchers = zip(nodes, recorders).map { node, recorder in
            Task { try await node.client.watch { event in await recorder.note(event) } }
        }
        defer { for watcher in watchers { watcher.cancel() } }
        for recorder in recorders { await recorder.waitUntilWatching() }
        var times: [Double] = []
        // The first twenty are a warm-up.
        for number in 1...(results + 20) {
            var seen: [Int] = []
            for recorder in recorders { seen.append(await recorder.count) }
            let start = ContinuousClock.now
            _ = try await author.client.call(
                ScoreRequest.add(text: "Lewdle \(number) 3/6", date: nil, replace: false, groups: nil))
            for (recorder, count) in zip(recorders, seen) {
                let at = await recorder.waitForChange(after: count)
                if number > 20 { times.append(start.duration(to: at).milliseconds) }
            }
        }
        Figure.show("score visible at \(name), p50 of \(results)", times.percentile(50), "ms", target: targets.median)
        Figure.show("score visible at \(name), p99 of \(results)", times.percentile(99), "ms", target: targets.p99)
        return recorders
    }

    /// A newcomer that receives 10,000 records.
    private func measureNewcomer(_ lab: Lab) async throws {
        let total = 10_000
        try lab.makeAccount("elder")
        try lab.run("elder", ["group", "create", "History"])
        let elder = try await lab.start("elder")
        for start in stride(from: 1, to: total, by: 2_000) {
            let text = (start..<(start + 2_000)).map { "Birdle \($0) 4/6" }.joined(separator: "\n\n")
            _ = try await elder.client.call(
                ScoreRequest.add(text: text, date: nil, replace: false, groups: nil))
        }
        let digest = try await elder.client.call(StatusRequest.status).groups[0].digest
        try lab.makeAccount("latecomer")
        let newcomer = try await lab.start("latecomer")
        let link = try lab.invite("elder")
        let before = try Loopback.counters()
        let start = ContinuousClock.now
        _ = try await newcomer.client.call(
            JoinRequest.join(link: link, timeout: 60, history: 0))
        var held = 0
        while held < total {
            let status = try await newcomer.client.call(StatusRequest.status)
            held = status.groups.first?.records ?? 0
            if status.groups.first?.digest == digest { break }
        }
        let time = start.duration(to: .now)
        let bytes = try Loopback.counters().bytes - before.bytes
        Figure.show("join and 10,000 records to a newcomer", time.milliseconds / 1_000, "s", target: "≤ 0.3")
        Figure.show(
            "bytes on the wire for each of 10,000 records, all included", Double(bytes) / Double(total), "B",
            target: "≤ 15")
        try newcomer.stop()
        try await CatchUp(lab: lab, keeper: elder, absent: "latecomer", firstPuzzle: total + 1).measure("10,000")
        try elder.stop()
    }
}

/// One line of the output.
enum Figure {
    static func show(_ name: String, _ value: Double, _ unit: String, target: String) {
        let text = String(format: value < 10 ? "%.2f" : "%.1f", value)
        FileHandle.standardOutput.write(Data("\(name)\t\(text)\t\(unit)\t\(target)\n".utf8))
    }
}

extension Duration {
    var milliseconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) * 1e3 + Double(attoseconds) / 1e15
    }
}

extension [Double] {
    /// The value below which `percent` percent lie, by the nearest rank.
    func percentile(_ percent: Double) -> Double {
        guard !isEmpty else { return 0 }
        let rank = (percent / 100 * Double(count)).rounded(.up)
        return sorted()[Swift.max(0, Swift.min(count - 1, Int(rank) - 1))]
    }
}

/// Waits for a node's events.
actor EventRecorder {
    private(set) var count = 0
    /// When the last change was reported.
    private var last = ContinuousClock.now
    private var lastDigest = ""
    private var isWatching = false
    private var waiting: [CheckedContinuation<ContinuousClock.Instant, Never>] = []
    private var starters: [CheckedContinuation<Void, Never>] = []

    func note(_ event: WatchEvent) {
        switch event {
        case .watching:
            isWatching = true
            for starter in starters { starter.resume() }
            starters = []
        case .event(.changed(_, let digest)):
            // A repeated digest is not a change.
            guard digest != lastDigest else { return }
            lastDigest = digest
            count += 1
            last = .now
            for continuation in waiting { continuation.resume(returning: last) }
            waiting = []
        case .event: break
        }
    }

    func waitUntilWatching() async {
        if isWatching { return }
        await withCheckedContinuation { starters.append($0) }
    }

    /// When the change after number `seen` was reported; if there were several, the last of them.
    func waitForChange(after seen: Int) async -> ContinuousClock.Instant {
        if count > seen { return last }
        return await withCheckedContinuation { waiting.append($0) }
    }

    /// Lets time pass, to measure how little happens.
    func wait(until end: ContinuousClock.Instant) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let delay = ContinuousClock.now.duration(to: end).milliseconds
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Int(delay))) { continuation.resume() }
        }
    }
}
