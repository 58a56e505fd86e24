import StreakCrypto
import StreakEngine
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// Measurements without pass or fail: how fast a new result becomes visible, and how much the simulator can carry.
public enum Figures {
    /// How fast results became visible on one network.
    public struct Visibility: Sendable {
        public let loss: Double
        /// Results times other members.
        public let expectedCount: Int
        /// How many of these were visible within the waiting time.
        public let seenCount: Int
        public let median: Duration
        public let p99: Duration
        public let maximum: Duration
        /// Bytes sent by all nodes for one result.
        public let bytesPerResult: Int
    }

    /// Members of groups on one network, all running and linked as far as the limits allow.
    public struct Crowd: Sendable {
        var simulation: Simulation
        public let nodeCount: Int
        private var groups: [(id: GroupID, members: Range<Int>)] = []
        private static let admissionsOfMember = 600

        /// Divides the nodes into groups. In each, the first node founds the group, and the others join one by one
        /// while only one member runs. Afterwards they can start on one wired LAN, from disks with the finished
        /// ledgers.
        ///
        /// - Parameter groupCount: at most half the number of nodes.
        /// - Throws: the reason, as text.
        public init(
            nodes count: Int, groups groupCount: Int = 1, seed: UInt64 = 1, onProgress: (String) -> Void = { _ in }
        ) throws(CrowdFailure) {
            nodeCount = count
            simulation = Simulation(seed: seed, profile: .lan)
            simulation.checksSafety = false
            for _ in 0..<count { simulation.addNode() }
            for number in 0..<groupCount {
                let members = number * count / groupCount..<(number + 1) * count / groupCount
                groups.append((try gather(members, onProgress: onProgress), members))
            }
        }

        private mutating func gather(
            _ members: Range<Int>, onProgress: (String) -> Void
        ) throws(CrowdFailure) -> GroupID {
            var host = members.lowerBound
            simulation.start(host)
            guard case .group(let group)? = simulation.outcome(of: .foundGroup(title: "Crowd"), by: host) else {
                throw CrowdFailure(reason: "no group")
            }
            simulation.ground.group = group
            let invite = simulation.outcome(of: .invite(group, uses: 0, lifetime: 86_400 * 30), by: host)
            guard case .invite(_, let text)? = invite, let link = try? InviteLink(parsing: text) else {
                throw CrowdFailure(reason: "no invite")  // the engine's own link can be read
            }
            for index in members.dropFirst() {
                // One device's chain can admit only so many; then another member takes over.
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
            simulation.ledgers[group] = simulation.nodes[host].engine?.ledger(of: group)
            simulation.stop(host)
            simulation.shareLedger(of: host, in: group, with: members)
            return group
        }

        /// Starts all nodes and lets them find each other. Returns the number of links then, both ends counted.
        ///
        /// - Parameter shape: which nodes can reach each other; nil for all.
        public mutating func start(letting time: Duration, shape: NetworkShape? = nil) -> Int {
            var random = simulation.random
            simulation.network.ways = shape?.ways(among: nodeCount, random: &random)
            simulation.random = random
            for index in 0..<nodeCount { simulation.start(index) }
            simulation.run(for: time)
            return simulation.nodes.reduce(0) { $0 + ($1.engine?.linkedDevices.count ?? 0) }
        }

        /// Random members write one result each, one after the other. Measures when the others see it.
        public func visibility(
            loss: Double, results: Int, apart: Duration = .milliseconds(500), letting rest: Duration = .seconds(10)
        ) -> Visibility {
            var simulation = simulation
            var profile = LinkProfile.lan
            profile.loss = loss
            simulation.network.profile = profile
            simulation.visibility = VisibilityMeter()
            let before = simulation.nodes.reduce(0) { $0 + $1.sentByteCount }
            var expectedCount = 0
            for _ in 0..<results {
                let author = simulation.random.number(below: nodeCount)
                guard let (group, members) = groups.first(where: { $0.members.contains(author) }) else { continue }
                expectedCount += members.count - 1
                simulation.ground.group = group
                simulation.write(by: author, onlyNew: true)
                simulation.run(for: apart)
            }
            simulation.run(for: rest)
            let sent = simulation.nodes.reduce(0) { $0 + $1.sentByteCount } - before
            let meter = simulation.visibility ?? VisibilityMeter()
            return Visibility(
                loss: loss, expectedCount: expectedCount, seenCount: meter.delays.count,
                median: meter.percentile(50) ?? .zero, p99: meter.percentile(99) ?? .zero,
                maximum: meter.delays.max() ?? .zero, bytesPerResult: sent / results)
        }

        /// Simulates a busy group: every member writes `results` at random moments of `time`. Returns whether all agree
        /// a minute later. Call it once.
        public mutating func simulateBusyGroup(for time: Duration, results: Int) -> Bool {
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
    /// Copies a group's ledger and keys from one node's disk to those of the other members.
    fileprivate mutating func shareLedger(of source: Int, in group: GroupID, with members: Range<Int>) {
        let snapshot = nodes[source].store.snapshot
        for index in members where index != source {
            var change = DurableChange()
            var arrival = nodes[index].store.snapshot.nextArrival
            let known = Set(nodes[index].store.snapshot.operations.map(\.id))
            for operation in snapshot.operations where operation.group == group && !known.contains(operation.id) {
                change.operations.append(
                    StoredOperation(group: group, id: operation.id, bytes: operation.bytes, arrival: arrival))
                arrival += 1
            }
            change.accessKeys = snapshot.accessKeys.filter { $0.group == group }
            nodes[index].store.apply(change)
        }
    }
}
