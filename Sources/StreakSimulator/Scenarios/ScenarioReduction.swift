/// What is left out of a scenario to get a shorter one with the same failure.
public struct ScenarioReduction: Sendable, Equatable {
    /// Numbers of steps, from 0.
    public var steps: Set<Int> = []
    public var nodes: Set<Int> = []
    /// Whether networks are good, although a step or the scenario says otherwise.
    public var isCalm = false

    public init(steps: Set<Int> = [], nodes: Set<Int> = [], isCalm: Bool = false) {
        self.steps = steps
        self.nodes = nodes
        self.isCalm = isCalm
    }

    public static let none = ScenarioReduction()

    /// As options of `streakmesh-sim run`; empty for none.
    public var arguments: String {
        var text = ""
        if !nodes.isEmpty { text += " --without-nodes \(Self.list(nodes))" }
        if !steps.isEmpty { text += " --without-steps \(Self.list(steps))" }
        if isCalm { text += " --calm" }
        return text
    }

    private static func list(_ numbers: Set<Int>) -> String { numbers.sorted().map(String.init).joined(separator: ",") }
}

extension Scenario {
    /// The scenario, with left-out steps replaced by steps that do nothing, so that step numbers stay valid.
    func reduced(by reduction: ScenarioReduction) -> Scenario {
        var scenario = self
        scenario.steps = steps.enumerated().map { index, step in
            if reduction.steps.contains(index) { return .run(.zero) }
            let step = step.without(reduction.nodes) ?? .run(.zero)
            return reduction.isCalm ? step.calmed : step
        }
        if reduction.isCalm { scenario.profile = .good }
        return scenario
    }
}

extension Scenario.Step {
    /// The same with good networks.
    fileprivate var calmed: Self {
        switch self {
        case .setProfile, .setWay, .setWays, .setOneWay: .run(.zero)
        case .start, .found, .foundOthers, .invite, .revokeInvite, .join, .joinFails, .write, .writeMeanwhile,
            .writeNew,
            .writeAtOnce, .talk, .crash, .crashBetweenOutputs, .backUp, .restore, .copy, .partition, .heal, .setShape,
            .expectEachChange, .expectPresence, .expectIdle, .cutOneWay, .setClockLead, .repairClock, .jumpClock,
            .driftClock,
            .setDiskFull, .damageDisk, .setDiskForgets, .lie, .stopLying, .expectTraffic, .endFaults, .leave,
            .nameAdmin, .remove, .removeWithoutEffect, .revokeDevice, .answerToCode, .askFriend, .expectRequest,
            .approveFriend, .expectFriends, .makePrivateGroup, .linkDevice, .recover, .keepPrivately,
            .expectOnePrivateGroup, .expectSameGroups, .expectBrought, .expectLost, .forgetAddresses, .nameAddress,
            .changeAddresses,
            .changeAddressesMeanwhile, .setDHT, .crowdNewcomers, .strangersSend, .expectNothingLeft, .setLetters,
            .expectShown, .run,
            .expectMembers, .expectLinked,
            .expectLinkedAmong, .expectAtStranger, .expectDials, .expectNoFork, .agreeOnDigests, .converge:
            self
        }
    }

    /// The nodes that a step needs, if it is about one or two.
    private var essentialNodes: [Int] {
        switch self {
        case .found(let node), .foundOthers(let node, _), .invite(let node, _, _), .revokeInvite(let node),
            .joinFails(let node, _),
            .writeNew(let node, _), .writeAtOnce(let node, _), .backUp(let node), .restore(let node, _),
            .setClockLead(let node, _), .jumpClock(let node, _), .driftClock(let node, _), .repairClock(let node),
            .setDiskFull(let node, _),
            .damageDisk(let node, _), .setDiskForgets(let node, _), .lie(let node, _), .stopLying(let node),
            .leave(let node, _), .expectBrought(let node, _), .expectLost(let node, _), .setWays(let node, _),
            .expectNothingLeft(let node), .strangersSend(let node, _, _):
            [node]
        case .copy(let first, let second, _), .setWay(let first, let second, _), .setOneWay(let first, let second, _),
            .nameAdmin(let first, let second), .remove(let first, let second),
            .removeWithoutEffect(let first, let second),
            .revokeDevice(let first, let second), .askFriend(let first, let second),
            .expectRequest(let first, let second, _), .approveFriend(let first, let second),
            .expectFriends(let first, let second, _), .linkDevice(let first, let second),
            .recover(let first, let second), .nameAddress(let first, let second),
            .expectShown(let first, let second, _):
            [first, second]
        case .start, .join, .write, .writeMeanwhile, .talk, .crash, .crashBetweenOutputs, .partition, .heal, .setShape,
            .expectEachChange, .expectPresence, .expectIdle, .setProfile, .cutOneWay, .expectTraffic, .endFaults,
            .answerToCode,
            .makePrivateGroup, .keepPrivately, .expectOnePrivateGroup, .expectSameGroups, .forgetAddresses,
            .changeAddresses,
            .changeAddressesMeanwhile, .setDHT, .crowdNewcomers, .setLetters, .run, .expectMembers,
            .expectLinked, .expectLinkedAmong, .expectAtStranger, .expectDials, .expectNoFork, .agreeOnDigests,
            .converge:
            []
        }
    }

    /// Whether a scenario without the step could show the same failure. Agreement cannot be required while a fault
    /// lasts or earlier than the scenario allows. Safety rules apply anyway.
    func isDispensable(for kind: SimulationFailure.Kind) -> Bool {
        if case .safety = kind { return true }
        switch self {
        case .start, .heal, .setProfile, .setShape, .setDiskFull(_, false), .setClockLead, .stopLying, .endFaults,
            .setDHT:
            return false
        case .run: return kind == .engine
        case .found, .foundOthers, .invite, .revokeInvite, .join, .joinFails, .write, .writeMeanwhile, .writeNew,
            .writeAtOnce,
            .talk, .crash, .crashBetweenOutputs, .backUp, .restore, .copy, .partition, .setWays, .expectEachChange,
            .expectPresence, .expectIdle, .setWay, .setOneWay, .cutOneWay, .repairClock, .jumpClock, .driftClock,
            .setDiskFull,
            .damageDisk, .setDiskForgets, .lie, .expectTraffic, .leave, .nameAdmin, .remove, .removeWithoutEffect,
            .revokeDevice, .answerToCode, .askFriend, .expectRequest, .approveFriend, .expectFriends, .makePrivateGroup,
            .linkDevice, .recover, .keepPrivately, .expectOnePrivateGroup, .expectSameGroups, .expectBrought,
            .expectLost,
            .forgetAddresses, .nameAddress,
            .changeAddresses, .changeAddressesMeanwhile, .crowdNewcomers, .strangersSend, .expectNothingLeft,
            .setLetters, .expectShown,
            .expectMembers, .expectLinked,
            .expectLinkedAmong,
            .expectAtStranger, .expectDials, .expectNoFork, .agreeOnDigests,
            .converge:
            return true
        }
    }

    /// The step without some nodes; nil if nothing remains.
    fileprivate func without(_ dropped: Set<Int>) -> Self? {
        guard !dropped.isEmpty else { return self }
        guard dropped.isDisjoint(with: essentialNodes) else { return nil }
        func rest(_ nodes: [Int]) -> [Int] { nodes.filter { !dropped.contains($0) } }
        switch self {
        case .start(let nodes): return .start(rest(nodes))
        case .join(let nodes): return .join(rest(nodes))
        case .write(let nodes, let count, let time): return .write(rest(nodes), count: count, over: time)
        case .writeMeanwhile(let nodes, let count, let time):
            return .writeMeanwhile(rest(nodes), count: count, over: time)
        case .talk(let nodes, let count, let time): return .talk(rest(nodes), count: count, over: time)
        case .crash(let nodes): return .crash(rest(nodes))
        case .crashBetweenOutputs(let nodes, let delay):
            return .crashBetweenOutputs(rest(nodes), restartAfter: delay)
        case .partition(let islands): return .partition(islands.map(rest))
        case .cutOneWay(let sources, let targets): return .cutOneWay(from: rest(sources), to: rest(targets))
        case .answerToCode(let nodes): return .answerToCode(rest(nodes))
        case .makePrivateGroup(let nodes): return .makePrivateGroup(rest(nodes))
        case .keepPrivately(let nodes, let count): return .keepPrivately(rest(nodes), count: count)
        case .expectOnePrivateGroup(let nodes, let limit):
            // A single node has nothing in common with others.
            return rest(nodes).count < 2 ? nil : .expectOnePrivateGroup(rest(nodes), within: limit)
        case .expectSameGroups(let nodes, let count, let limit):
            return rest(nodes).count < 2 ? nil : .expectSameGroups(rest(nodes), count: count, within: limit)
        case .forgetAddresses(let nodes): return .forgetAddresses(rest(nodes))
        case .expectLinkedAmong(let nodes, let limit): return .expectLinkedAmong(rest(nodes), within: limit)
        case .changeAddresses(let nodes): return .changeAddresses(of: rest(nodes))
        case .changeAddressesMeanwhile(let nodes, let count, let time):
            return .changeAddressesMeanwhile(of: rest(nodes), count: count, over: time)
        case .setLetters(let nodes, let isOn): return .setLetters(rest(nodes), isOn)
        case .found, .foundOthers, .invite, .revokeInvite, .joinFails, .writeNew, .writeAtOnce, .backUp, .restore,
            .copy, .heal,
            .setDHT, .crowdNewcomers, .strangersSend, .expectNothingLeft, .expectShown, .setShape, .setWays,
            .expectEachChange,
            .expectPresence, .expectIdle, .setProfile,
            .setWay, .setOneWay,
            .setClockLead,
            .repairClock, .jumpClock, .driftClock, .setDiskFull, .damageDisk, .setDiskForgets, .lie, .stopLying,
            .expectTraffic, .endFaults, .leave, .nameAdmin, .remove, .removeWithoutEffect, .revokeDevice, .askFriend,
            .expectRequest, .approveFriend, .expectFriends, .linkDevice, .recover, .expectBrought, .expectLost,
            .nameAddress, .run,
            .expectMembers, .expectLinked, .expectAtStranger, .expectDials, .expectNoFork, .agreeOnDigests, .converge:
            return self
        }
    }
}
