import StreakCrypto
import StreakEngine
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// What is measured rather than demanded: how fast a new result is seen, and how much the simulator can carry.
public enum Figures {
    /// How fast results were seen on one network.
    public struct Visibility: Sendable {
        public let loss: Double
        /// Results times other members.
        public let expectedCount: Int
        /// Of these, how many were seen within the time that was waited.
        public let seenCount: Int
        public let median: Duration
        public let p99: Duration
        public let maximum: Duration
        /// Of all nodes, for one result.
        public let bytesPerResult: Int
    }

    /// Members of one group, all up and linked with each other as far as links go.
    public struct Crowd: Sendable {
        var simulation: Simulation
        public let nodeCount: Int
        private static let admissionsOfMember = 600

        /// Founds a group on the first node, lets all others join, one after the other with only one member up, and
        /// then starts all on one wired LAN from disks that hold the finished ledger.
        ///
        /// - Throws: what went wrong, in words.
        public init(nodes count: Int, seed: UInt64 = 1, onProgress: (String) -> Void = { _ in }) throws(CrowdFailure) {
            nodeCount = count
            simulation = Simulation(seed: seed, profile: .lan)
            simulation.checksSafety = false
            for _ in 0..<count { simulation.addNode() }
            simulation.start(0)
            guard case .group(let group)? = simulation.outcome(of: .foundGroup(title: "Crowd"), by: 0) else {
                throw CrowdFailure(reason: "no group")
            }
            simulation.ground.group = group
            let invite = simulation.outcome(of: .invite(group, uses: 0, lifetime: 86_400 * 30), by: 0)
            guard case .invite(_, let text)? = invite, let link = try? InviteLink(parsing: text) else {
                throw CrowdFailure(reason: "no invite")  // the engine's own link reads
            }
            var host = 0
            for index in 1..<count {
                // One device's chain takes in so many newcomers; another member goes on.
                if index - host > Self.admissionsOfMember {
                    simulation.start(host + Self.admissionsOfMember)
                    simulation.run(for: .seconds(10))
                    simulation.quit(host)
                    host += Self.admissionsOfMember
                }
                simulation.start(index)
                simulation.expect(.group(group), of: .join(link, timeout: .seconds(60)), by: index)
                if let failure = simulation.failure { throw CrowdFailure(reason: failure.reason) }
                simulation.quit(index)
                if index % 100 == 0 { onProgress("\(index) have joined") }
            }
            simulation.run(for: .seconds(5))
            simulation.stop(host)
            simulation.shareLedger(of: host, in: group)
        }

        /// Starts all nodes and lets them find each other. Returns the links that stand then, both ends counted.
        public mutating func start(letting time: Duration) -> Int {
            for index in 0..<nodeCount { simulation.start(index) }
            simulation.run(for: time)
            return simulation.nodes.reduce(0) { $0 + ($1.engine?.linkedDevices.count ?? 0) }
        }

        /// Lets members chosen at random write one result each, one after the other, and measures when the others see it.
        public func visibility(
            loss: Double, results: Int, apart: Duration = .milliseconds(500), letting rest: Duration = .seconds(10)
        ) -> Visibility {
            var simulation = simulation
            var profile = LinkProfile.lan
            profile.loss = loss
            simulation.network.profile = profile
            simulation.visibility = VisibilityMeter()
            let before = simulation.nodes.reduce(0) { $0 + $1.sentByteCount }
            for _ in 0..<results {
                simulation.write(by: simulation.random.number(below: nodeCount), onlyNew: true)
                simulation.run(for: apart)
            }
            simulation.run(for: rest)
            let sent = simulation.nodes.reduce(0) { $0 + $1.sentByteCount } - before
            let meter = simulation.visibility ?? VisibilityMeter()
            return Visibility(
                loss: loss, expectedCount: results * (nodeCount - 1), seenCount: meter.delays.count,
                median: meter.percentile(50) ?? .zero, p99: meter.percentile(99) ?? .zero,
                maximum: meter.delays.max() ?? .zero, bytesPerResult: sent / results)
        }

        /// Lets a day of a busy group pass: every member writes `results` at random moments of `time`. Returns whether
        /// all agree a minute later.
        public mutating func live(for time: Duration, results: Int) -> Bool {
            simulation.scheduleWrites(of: Array(0..<nodeCount), count: results, over: time)
            simulation.run(for: time)
            return simulation.runUntilAgreed(for: .seconds(60))
        }
    }

    public struct CrowdFailure: Error, CustomStringConvertible {
        public let reason: String
        public var description: String { reason }
    }
}

extension Simulation {
    /// Puts the ledger and the keys that one node's disk holds onto all others.
    fileprivate mutating func shareLedger(of source: Int, in group: GroupID) {
        let snapshot = nodes[source].store.snapshot
        for index in nodes.indices where index != source {
            var change = DurableChange()
            var arrival = nodes[index].store.snapshot.nextArrival
            let known = Set(nodes[index].store.snapshot.operations.map(\.id))
            for operation in snapshot.operations where !known.contains(operation.id) {
                change.operations.append(
                    StoredOperation(group: group, id: operation.id, bytes: operation.bytes, arrival: arrival))
                arrival += 1
            }
            change.accessKeys = snapshot.accessKeys
            nodes[index].store.apply(change)
        }
    }
}
