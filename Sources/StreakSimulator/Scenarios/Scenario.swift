public import StreakEngine

/// A story to be played: how many nodes, on which network, and what happens one after the other.
public struct Scenario: Sendable {
    /// One thing that happens.
    public enum Step: Sendable {
        /// Starts nodes, from their disks.
        case start([Int])
        /// Founds the scenario's group.
        case found(by: Int)
        /// Makes the invite that later joins use.
        case invite(by: Int, uses: UInt32 = 0, lifetime: Int64 = 86_400)
        case revokeInvite(by: Int)
        /// Nodes join one after the other by the last invite.
        case join([Int])
        case joinFails(Int, CommandFailure)
        /// Each of the nodes writes so many results, at random moments.
        case write([Int], count: Int, over: Duration)
        /// The same, but what follows happens meanwhile.
        case writeMeanwhile([Int], count: Int, over: Duration)
        /// A node writes results that it has not written before, each in a command.
        case writeNew(Int, count: Int)
        /// A node writes so many in one command.
        case writeAtOnce(Int, count: Int)
        case crash([Int])
        /// Ends each node's process between two outputs of its engine, at one of the next few, and starts it anew later.
        case crashBetweenOutputs([Int], restartAfter: Duration)
        /// Keeps a copy of a node's disk.
        case backUp(Int)
        /// Puts a kept copy back, of which the store knows or not.
        case restore(Int, isNoticed: Bool)
        /// Puts a copy of a node's disk into another node of the same device.
        case copy(of: Int, to: Int, isNoticed: Bool)
        /// Cuts the network into islands; nodes not named are on the first.
        case partition([[Int]])
        case heal
        /// From now on only some of the nodes can reach each other; all again, where nil.
        case setShape(NetworkShape?)
        /// All ways from a node and to it.
        case setWays(of: Int, LinkProfile)
        /// Demands from now on that each new result is at all running members so long after its confirmation; nil: no longer.
        case expectEachChange(within: Duration?)
        /// Demands that every running member knows within a time that all others are online, however they are linked.
        case expectPresence(within: Duration)
        case setProfile(LinkProfile)
        /// The way between two nodes, in both directions.
        case setWay(between: Int, and: Int, LinkProfile)
        /// The way from one node to another.
        case setOneWay(from: Int, to: Int, LinkProfile)
        /// From each of some nodes to each of others nothing gets through; the other way all does.
        case cutOneWay(from: [Int], to: [Int])
        case setClockLead(Int, Duration)
        /// A node retracts what it dated while its clock was ahead, and writes it anew.
        case repairClock(Int)
        /// Sets a wall clock forward, or back, while the node runs.
        case jumpClock(Int, by: Duration)
        /// Lets a wall clock gain so much every second from now on, or lose.
        case driftClock(Int, perSecond: Duration)
        case setDiskFull(Int, Bool)
        /// Runs on the disk of a node that is down cannot be read any more: each with this probability.
        case damageDisk(Int, share: Double)
        /// A disk that says that it has written, and has not: what no node can live with.
        case setDiskForgets(Int, Bool)
        /// A member's device is taken over by a program that lies.
        case lie(Int, [Lie])
        /// Ends such a program, for good.
        case stopLying(Int)
        /// Demands that no honest node has sent more bytes since the lies began.
        case expectTraffic(below: Int)
        /// Demands that for so long, while nothing happens, no node sends more than 10 B a second over each of its links, and
        /// 1 B to each other node, which it may be looking for.
        case expectIdle(for: Duration)
        /// Makes networks, disks and clocks good again, starts all nodes that are down and ends all liars.
        case endFaults
        case leave(Int, erasing: Bool)
        case nameAdmin(Int, by: Int)
        /// What the removed node's user writes from now on must show nowhere.
        case remove(Int, by: Int)
        /// The same by somebody whose word will turn out not to count.
        case removeInVain(Int, by: Int)
        /// A node revokes the device of another one of its account.
        case revokeDevice(of: Int, by: Int)
        /// Nodes answer whoever looks for their friend code.
        case answerToCode([Int])
        /// A node asks the owner of another one's code for friendship.
        case askFriend(of: Int, by: Int)
        /// Demands that a node has the request of another one within a time.
        case expectRequest(of: Int, at: Int, within: Duration)
        /// A node says yes to another one's request.
        case approveFriend(Int, by: Int)
        /// Demands that two nodes have one group to themselves within a time, and no request left; it becomes the scenario's.
        case expectFriends(Int, Int, within: Duration)
        case makePrivateGroup([Int])
        /// Makes a node a device of another one's account, by a device link.
        case linkDevice(Int, to: Int)
        /// Makes a node a device of another one's account by the account's key, with a private group of its own.
        case recover(Int, of: Int)
        /// Nodes write into their private groups.
        case keepPrivately([Int], count: Int)
        /// Demands that nodes have one private group within a time, and there all that any of them kept.
        case expectOnePrivateGroup([Int], within: Duration)
        /// Demands that a node learns within a time that it is in no more, and holds nobody else's records then.
        case expectLost(Int, within: Duration)
        /// Removes the addresses of other devices from nodes' disks.
        case forgetAddresses([Int])
        /// Tells a node the address of another one, as its user would.
        case nameAddress(of: Int, to: Int)
        case run(Duration)
        /// Demands that every running member knows so many members.
        case expectMembers(Int)
        /// Demands that all running members are linked with each other within a time.
        case expectLinked(within: Duration)
        /// Demands that no feed has two branches.
        case expectNoFork
        /// Demands equal digests within a time, whatever is shown.
        case agreeOnDigests(within: Duration)
        /// Demands that all running members agree within a time, and that nothing confirmed was lost.
        case converge(within: Duration)
    }

    /// Where a node is.
    public enum Place: Sendable {
        /// On a numbered LAN whose nodes everybody reaches.
        case lan(Int)
        /// At a numbered home, behind its router.
        case home(Int, AddressTranslation)
        /// Alone at a public address.
        case internet
    }

    public let name: String
    public let summary: String
    public let nodeCount: Int
    /// Where each node is; those not named are on LAN 0.
    public var places: [Int: Place] = [:]
    public var clockLeads: [Int: Duration] = [:]
    /// Nodes that have the device of another.
    public var twins: [Int: Int] = [:]
    /// Nodes that have another device of the account of another.
    public var accounts: [Int: Int] = [:]
    public var profile: LinkProfile
    public internal(set) var steps: [Step]

    public init(
        _ name: String, _ summary: String, nodes: Int, profile: LinkProfile = .good, places: [Int: Place] = [:],
        clockLeads: [Int: Duration] = [:], twins: [Int: Int] = [:], accounts: [Int: Int] = [:], steps: [Step]
    ) {
        self.name = name
        self.summary = summary
        nodeCount = nodes
        self.profile = profile
        self.places = places
        self.clockLeads = clockLeads
        self.twins = twins
        self.accounts = accounts
        self.steps = steps
    }
}

extension Scenario {
    /// How many of so many seeds a short soak plays: all where there are eight nodes or fewer, and beyond that the fewer the
    /// more there are, as a run costs about the square of them; five at the least.
    public func shortSeedCount(of count: Int) -> Int { min(count, max(5, count * 64 / max(64, nodeCount * nodeCount))) }
}

/// What a run that went well has to show.
public struct SimulationReport: Sendable, Equatable {
    public let scenario: String
    public let seed: UInt64
    /// Equal for every run of the same scenario and seed.
    public let traceHash: UInt64
    public let virtualTime: Duration
    public let confirmedWrites: Int
    /// Of all nodes.
    public let sentByteCount: Int
}
