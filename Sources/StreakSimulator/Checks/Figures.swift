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

    /// Members of groups on one network, all up and linked with each other as far as links go.
    public struct Crowd: Sendable {
        var simulation: Simulation
        public let nodeCount: Int
        private var groups: [(id: GroupID, members: Range<Int>)] = []
        private static let admissionsOfMember = 600

        /// Spreads the nodes over groups: in each the first founds it, and all others join, one after the other with only
        /// one member up. Then they are ready to start on one wired LAN, from disks that hold the finished ledgers.
        ///
        /// - Parameter groupCount: at most half as many as nodes.
        /// - Throws: what went wrong, in words.
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
                throw CrowdFailure(reason: "no invite")  // the engine's own link reads
            }
            for index in members.dropFirst() {
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
            simulation.ledgers[group] = simulation.nodes[host].engine?.ledger(of: group)
            simulation.stop(host)
            simulation.shareLedger(of: host, in: group, with: members)
            return group
        }

        /// Starts all nodes and lets them find each other. Returns the links that stand then, both ends counted.
        ///
        /// - Parameter shape: which of them reach each other; nil for all.
        public mutating func start(letting time: Duration, shape: NetworkShape? = nil) -> Int {
            var random = simulation.random
            simulation.network.ways = shape?.ways(among: nodeCount, random: &random)
            simulation.random = random
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

        /// Lets a day of a busy group pass, the only one: every member writes `results` at random moments of `time`. Returns whether
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
    /// Puts the ledger and the keys that one node's disk holds of a group onto those of its other members.
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
