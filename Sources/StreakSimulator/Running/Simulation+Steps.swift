import StreakCrypto
import StreakEngine
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

extension Simulation {
    /// How long a scenario's command may take.
    private static let commandLimit: Duration = .seconds(120)

    /// Plays a scenario. The same scenario, seed and reduction give the same report, byte for byte.
    ///
    /// - Parameters:
    ///   - reduction: what to leave out.
    ///   - onTrace: called with every event of every node.
    /// - Throws: the first failure.
    public static func play(
        _ scenario: Scenario, seed: UInt64, without reduction: ScenarioReduction = .none,
        onTrace: (@Sendable (String) -> Void)? = nil
    ) throws(SimulationFailure) -> SimulationReport {
        let scenario = scenario.reduced(by: reduction)
        var simulation = Simulation(seed: seed, profile: scenario.profile)
        simulation.onTrace = onTrace
        for node in 0..<scenario.nodeCount {
            simulation.addNode(
                at: scenario.places[node] ?? .lan(0), clockLead: scenario.clockLeads[node, default: .zero],
                deviceOf: scenario.twins[node], accountOf: scenario.accounts[node])
        }
        for (index, step) in scenario.steps.enumerated() {
            onTrace?("\(Double(simulation.now.nanoseconds / 1_000_000) / 1e3) step \(index): \(step)")
            simulation.perform(step)
            simulation.checkMoment()
            if let failure = simulation.failure {
                let text = "step \(index) (\(step)), after \(simulation.now): \(failure.reason)\n\(simulation.standing)"
                throw SimulationFailure(
                    scenario: scenario.name, seed: seed, reduction: reduction, kind: failure.kind, reason: text)
            }
        }
        return SimulationReport(
            scenario: scenario.name, seed: seed, traceHash: simulation.traceHash,
            virtualTime: MonotonicInstant.zero.duration(to: simulation.now),
            confirmedWrites: simulation.ground.confirmedCount,
            sentByteCount: simulation.nodes.reduce(0) { $0 + $1.sentByteCount })
    }

    private mutating func perform(_ step: Scenario.Step) {
        switch step {
        case .start(let indices): for index in indices { start(index) }
        case .found(let node):
            if case .group(let group)? = outcome(of: .foundGroup(title: "Friends"), by: node) {
                ground.group = group
                ground.join(node, group)
            }
        case .foundOthers(let node, let count):
            for _ in 0..<count {
                guard case .group? = outcome(of: .foundGroup(title: "Others"), by: node) else {
                    return fail("node \(node) could not found a group", .outcome)
                }
            }
        case .invite(let node, let uses, let lifetime):
            guard let group = ground.group else { return fail("no group", .story) }
            let outcome = outcome(of: .invite(group, uses: uses, lifetime: lifetime), by: node)
            guard case .invite(_, let text)? = outcome, let link = try? InviteLink(parsing: text) else {
                return fail("no invite: \(String(describing: outcome))", .outcome)  // a bad link is reported as text
            }
            ground.invite = link
        case .revokeInvite(let node):
            guard let group = ground.group, let link = ground.invite,
                let invite = nodes[node].engine?.state(of: group)?.invite(publicKey: link.secrets.inviteKey.publicKey)
            else { return fail("no invite", .story) }
            expect(.done, of: .revokeInvite(group, invite.id), by: node)
        case .join(let indices):
            guard let link = ground.invite else { return fail("no invite", .story) }
            for index in indices {
                ground.join(index, link.group)
                expect(.group(link.group), of: .join(link, timeout: .seconds(90)), by: index)
            }
        case .joinFails(let node, let failure):
            guard let link = ground.invite else { return fail("no invite", .story) }
            expect(.failed(failure), of: .join(link, timeout: .seconds(90)), by: node)
        case .leave(let node, let erasing):
            guard let group = ground.group else { return fail("no group", .story) }
            expect(.done, of: .leave(group, erasing: erasing), by: node)
            if erasing { ground.erased.insert(node) }
        case .nameAdmin(let node, let owner):
            guard let group = ground.group else { return fail("no group", .story) }
            expect(.done, of: .setRole(group, nodes[node].identity.user, .admin), by: owner)
        case .remove(let node, let admin):
            guard let group = ground.group else { return fail("no group", .story) }
            ground.cut(node)
            expect(.done, of: .remove(group, nodes[node].identity.user), by: admin)
        case .removeWithoutEffect(let node, let admin):
            guard let group = ground.group else { return fail("no group", .story) }
            expect(.done, of: .remove(group, nodes[node].identity.user), by: admin)
        case .revokeDevice(let node, let relative):
            ground.cut(node)
            let command = Command.revokeDevice(
                nodes[node].identity.device, accountKey: nodes[relative].accountKey)
            expect(.done, of: command, by: relative)
        case .write(let indices, let count, let time):
            scheduleWrites(of: indices, count: count, over: time)
            run(for: time)
        case .writeMeanwhile(let indices, let count, let time):
            scheduleWrites(of: indices, count: count, over: time)
        case .writeAtOnce(let node, let count):
            write(by: node, count: count)
            run(for: .milliseconds(200))
        case .writeNew(let node, let count):
            for _ in 0..<count {
                write(by: node, onlyNew: true)
                run(for: .milliseconds(50))
            }
        case .talk(let indices, let count, let time):
            for index in indices {
                for _ in 0..<count {
                    queue.add(.say(index), at: now.advanced(by: random.duration(from: .zero, to: time)))
                }
            }
            run(for: time)
        case .crash(let indices): for index in indices { crash(index) }
        case .crashBetweenOutputs(let indices, let delay):
            for index in indices where nodes[index].isHonest {
                nodes[index].outputsToLive = random.number(below: 40)
                nodes[index].restartDelay = delay
            }
        case .backUp(let node):
            nodes[node].backup = nodes[node].store
        case .restore(let node, let isNoticed):
            guard var backup = nodes[node].backup else { return fail("no backup", .story) }
            if nodes[node].isRunning { stop(node) }
            if isNoticed { markAsCopy(&backup) }
            nodes[node].store = backup
            nodes[node].isAged = true
        case .copy(let source, let target, let isNoticed):
            var store = nodes[source].store
            if isNoticed { markAsCopy(&store) }
            nodes[target].store = store
            nodes[target].isAged = true
        case .forgetAddresses(let indices):
            for index in indices { nodes[index].store.forgetAddresses() }
        case .setDiskFull(let node, let isFull):
            nodes[node].diskIsFull = isFull
        case .setDiskForgets(let node, let forgets):
            nodes[node].diskForgets = forgets
        case .damageDisk(let node, let share):
            guard !nodes[node].isRunning else { return fail("the disk of a node that is up is not damaged", .story) }
            var random = random
            nodes[node].store.lose { random.happens(with: share) }
            self.random = random
            nodes[node].isAged = true
        case .setClockLead(let node, let lead): setClock(of: node, lead: lead)
        case .jumpClock(let node, let jump):
            setClock(of: node, lead: clockLead(of: node) + jump, drift: nodes[node].clockDrift)
        case .driftClock(let node, let drift): setClock(of: node, lead: clockLead(of: node), drift: drift)
        case .repairClock(let node):
            guard case .retracted(let count)? = outcome(of: .retract, by: node), count > 0 else {
                return fail("node \(node) had nothing to retract", .story)
            }
        case .lie(let node, let lies): beginLying(node, lies)
        case .stopLying(let node):
            if nodes[node].isLying { stop(node) }
        case .expectTraffic(let limit):
            if largestTraffic > limit { fail("an honest node sent \(largestTraffic) bytes among liars", .engine) }
        case .endFaults: endFaults()
        case .expectMembers(let wanted):
            guard let group = ground.group else { return fail("no group", .story) }
            for node in activeMembers {
                let count = nodes[node].engine?.state(of: group)?.members.count ?? 0
                if count != wanted { fail("node \(node) knows \(count) members, not \(wanted)", .liveness) }
            }
        case .expectLinked(let limit):
            if !run(for: limit, until: { $0.isFullyLinked }) { fail("not all linked within \(limit)", .liveness) }
        case .expectLinkedAmong(let indices, let limit):
            if !run(for: limit, until: { $0.areLinked(indices) }) {
                fail("\(indices) are not all linked within \(limit)", .liveness)
            }
        case .expectAtStranger(let bytes, let time):
            let before = network.bytesAtVictim
            run(for: time)
            let count = network.bytesAtVictim - before
            if !bytes.contains(count) { fail("\(count) bytes came to the stranger within \(time)", .engine) }
        case .expectDials(let count, let time):
            for index in nodes.indices { nodes[index].mostDials = 0 }
            run(for: time)
            let most = nodes.map(\.mostDials).max() ?? 0
            if !count.contains(most) { fail("a node dialled and knocked \(most) times in a second", .engine) }
        case .expectLost(let node, let limit):
            guard let group = ground.group else { return fail("no group", .story) }
            if !run(for: limit, until: { $0.hasLost(node, group) }) {
                return fail("node \(node) has not learnt within \(limit) that it is no longer a member", .liveness)
            }
            checkHoldsNothing(of: group, at: node)
        case .expectNoFork:
            guard let group = ground.group else { return fail("no group", .story) }
            for node in activeMembers where nodes[node].engine?.hasFork(in: group) ?? false {
                fail("node \(node) holds a forked feed", .engine)
            }
        case .agreeOnDigests(let limit):
            if !runUntilAgreed(for: limit) { fail("no equal digests within \(limit)", .liveness) }
        case .answerToCode(let indices):
            for node in indices {
                expect(.done, of: .setAnswersToCode(SimulatedCode.keys(of: nodes[node].identity.user)), by: node)
            }
        case .askFriend(let owner, let node):
            let keys = SimulatedCode.keys(of: nodes[owner].identity.user)
            expect(.done, of: .addFriend(keys, name: "Node \(node)"), by: node)
        case .expectRequest(let asker, let node, let limit):
            let user = nodes[asker].identity.user
            let isThere = run(for: limit) {
                $0.nodes[node].engine?.receivedFriendRequests.contains { $0.user == user } ?? false
            }
            if !isThere { fail("node \(node) has no request of node \(asker) within \(limit)", .liveness) }
        case .approveFriend(let asker, let node):
            let command = Command.approveFriend(nodes[asker].identity.user, name: "Node \(node)")
            guard case .group? = outcome(of: command, by: node) else {
                return fail("node \(node) could not accept", .outcome)
            }
        case .expectFriends(let first, let second, let limit):
            let isDone = run(for: limit) { $0.commonPairs(first, second).count == 1 && $0.isQuiet(first, second) }
            let pairs = commonPairs(first, second)
            ground.group = pairs.first
            for pair in pairs {
                ground.join(first, pair)
                ground.join(second, pair)
            }
            if !isDone {
                fail("nodes \(first) and \(second) have \(pairs.count) groups of the two after \(limit)", .liveness)
            }
        case .makePrivateGroup(let indices):
            for node in indices { makePrivateGroup(of: node) }
        case .linkDevice(let node, let relative):
            linkDevice(node, to: relative)
        case .recover(let node, let relative):
            recover(node, of: relative)
        case .keepPrivately(let indices, let count):
            for node in indices { keepPrivately(count, by: node) }
        case .expectOnePrivateGroup(let indices, let limit):
            let isDone = run(for: limit) { $0.haveOnePrivateGroup(indices) }
            guard !isDone else { return }
            let known = indices.map { node in
                "\(node): \(privateGroup(of: node)?.description.prefix(8) ?? "none"), "
                    + "\(keptPrivately(at: node).count) of \(ground.keptPrivately.count) kept"
            }
            fail("no common private group after \(limit): \(known.joined(separator: "; "))", .liveness)
        case .expectBrought(let node, let limit): expectBrought(node, within: limit)
        case .expectSameGroups(let indices, let count, let limit): expectSameGroups(indices, count, within: limit)
        case .expectPresence(let limit): expectPresence(within: limit)
        case .expectIdle(let time): expectIdle(for: time)
        case .expectEachChange(let limit): liveness.expectEachChange(within: limit)
        case .setDHT(let state): network.dht.state = state
        case .crowdNewcomers(let count): crowdNewcomers(count)
        case .strangersSend(let node, let count, let time): scheduleStrangers(to: node, count: count, over: time)
        case .expectNothingLeft(let node): expectNothingLeft(for: node)
        case .setLetters(let indices, let isOn):
            for index in indices {
                nodes[index].leavesLetters = isOn
                give(.lettersChanged(isOn), to: index)
            }
        case .expectShown(let author, let node, let limit): expectShown(of: author, at: node, within: limit)
        case .run(let duration): run(for: duration)
        case .converge(let limit): converge(within: limit)
        case .nameAddress(let peer, let node):
            nodes[node].namedEndpoints.append(outsideEndpoint(of: peer))
            expect(.done, of: .dialAddresses(nodes[node].namedEndpoints), by: node)
        case .changeAddresses(let indices): changeAddresses(of: indices)
        case .changeAddressesMeanwhile(let indices, let count, let time):
            for index in indices {
                for _ in 0..<count {
                    queue.add(
                        .changeAddress(of: index), at: now.advanced(by: random.duration(from: .zero, to: time)))
                }
            }
        case .partition(let islands):
            network.islands = [:]
            for (number, island) in islands.enumerated() {
                for node in island { network.islands[node] = number }
            }
            breakCutStreams()
        case .heal:
            network.islands = [:]
        case .setShape(let shape):
            var random = random
            network.ways = shape?.ways(among: nodes.count, random: &random)
            self.random = random
            breakCutStreams()
        case .setWays(let node, let profile):
            for other in nodes.indices where other != node {
                network.exceptions[SimulatedNetwork.Pair(from: node, to: other)] = profile
                network.exceptions[SimulatedNetwork.Pair(from: other, to: node)] = profile
            }
        case .setProfile(let profile):
            network.profile = profile
            network.exceptions = [:]
            breakCutStreams()
        case .setWay(let first, let second, let profile):
            network.exceptions[SimulatedNetwork.Pair(from: first, to: second)] = profile
            network.exceptions[SimulatedNetwork.Pair(from: second, to: first)] = profile
        case .setOneWay(let source, let target, let profile):
            network.exceptions[SimulatedNetwork.Pair(from: source, to: target)] = profile
        case .cutOneWay(let sources, let targets):
            for source in sources {
                for target in targets {
                    network.exceptions[SimulatedNetwork.Pair(from: source, to: target)] = .silent
                }
            }
            breakCutStreams()
        }
    }

    private mutating func markAsCopy(_ store: inout SimulatedStore) {
        store.id = StoreID(bytes: Bytes16(random.next(), random.next()))
        store.mayBeCopy = true
    }

    private mutating func beginLying(_ node: Int, _ lies: [Lie]) {
        guard let group = ground.group else { return fail("no group", .story) }
        let others = nodes.indices.filter { $0 != node && nodes[$0].identity.user != nodes[node].identity.user }
        let liar = Liar(
            nodes[node].identity, in: group, holding: nodes[node].store.snapshot, lies: Set(lies),
            targets: others.map { other in
                Liar.Target(
                    device: nodes[other].identity.device, key: nodes[other].identity.linkKey.publicKey,
                    endpoint: outsideEndpoint(of: other))
            },
            seed: random.next())
        if nodes[node].isRunning { stop(node) }
        if liars.isEmpty {
            for index in nodes.indices { nodes[index].sentByteCountBeforeLies = nodes[index].sentByteCount }
        }
        liars.insert(node)
        nodes[node].startedAt = now
        nodes[node].wakeAt = nil
        nodes[node].acceptedStreamCount = 0
        nodes[node].liar = liar
        give(.deadlineReached, to: node)
    }

    private mutating func expectIdle(for time: Duration) {
        let before = nodes.map(\.sentByteCount)
        run(for: time)
        for (index, node) in nodes.enumerated() {
            let sent = node.sentByteCount - before[index]
            let links = max(1, node.engine?.linkedDevices.count ?? 0)
            let limit = (10 * links + nodes.count) * Int(time / .seconds(1))
            if sent > limit {
                fail("idle for \(time), node \(index) with \(links) links sent \(sent) bytes, over \(limit)", .engine)
            }
        }
    }

    private mutating func endFaults() {
        network.islands = [:]
        network.ways = nil
        network.exceptions = [:]
        network.profile = .good
        for node in nodes.indices {
            nodes[node].diskIsFull = false
            nodes[node].outputsToLive = nil
            setClock(of: node, lead: .zero)
            if nodes[node].isLying { stop(node) }
            // A node that was never started is not part of the story.
            if !liars.contains(node), nodes[node].life > 0 { start(node) }
        }
    }

    // MARK: Waiting

    mutating func outcome(of command: Command, by node: Int) -> CommandOutcome? {
        guard nodes[node].isHonest else {
            fail("node \(node) is down", .story)
            return nil
        }
        let id = self.command(command, to: node)
        let isDone = run(for: Self.commandLimit) { $0.nodes[node].outcomes[id] != nil }
        if !isDone { fail("a command of node \(node) was not completed", .liveness) }
        return nodes[node].outcomes[id]
    }

    mutating func expect(_ wanted: CommandOutcome, of command: Command, by node: Int) {
        let outcome = outcome(of: command, by: node)
        if let outcome, outcome != wanted { fail("node \(node): \(outcome) instead of \(wanted)", .outcome) }
    }

    mutating func scheduleWrites(of indices: [Int], count: Int, over time: Duration) {
        for index in indices {
            for _ in 0..<count {
                queue.add(.write(index), at: now.advanced(by: random.duration(from: .zero, to: time)))
            }
        }
    }

    private mutating func converge(within limit: Duration) {
        let isDone = runUntilAgreed(for: limit)
        guard failure == nil else { return }
        guard isDone else { return fail("no agreement within \(limit): \(disagreement ?? "")", .liveness) }
        checkAgreement()
    }

    private mutating func expectShown(of author: Int, at node: Int, within limit: Duration) {
        let wanted = ground.slots.filter { $0.node == author }
        let isShown = watch(for: limit) { simulation in
            guard let shown = simulation.observation(of: node)?.results else { return false }
            return wanted.allSatisfy { simulation.ground.allowedValues(of: $0).contains(shown[$0]) && shown[$0] != nil }
        }
        guard !isShown, failure == nil else { return }
        fail("node \(node) does not show within \(limit) what node \(author) has written", .liveness)
    }

    private mutating func expectPresence(within limit: Duration) {
        guard ground.group != nil else { return fail("no group", .story) }
        guard !watch(for: limit, untilShown: \.isPresenceKnown), failure == nil else { return }
        fail("not all know within \(limit) who is online", .liveness)
    }

    /// Lets time pass until all running members agree. Returns whether they do.
    mutating func runUntilAgreed(for limit: Duration) -> Bool {
        watch(for: limit, untilShown: { $0.disagreement == nil })
    }

    /// Lets time pass until a condition on the nodes' published state holds. Returns whether it does.
    private mutating func watch(for limit: Duration, untilShown isDone: (Simulation) -> Bool) -> Bool {
        var lookedAt = -1
        return run(for: limit) { simulation in
            // Checking all nodes after every event would cost more than all their work.
            guard simulation.changeCount != lookedAt else { return false }
            lookedAt = simulation.changeCount
            return isDone(simulation)
        }
    }
}
