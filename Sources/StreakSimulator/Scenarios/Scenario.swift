public import StreakEngine

/// A story to simulate: how many nodes, on which network, and what happens in which order.
public struct Scenario: Sendable {
    /// One thing that happens.
    public enum Step: Sendable {
        /// Starts nodes, from their disks.
        case start([Int])
        /// Founds the scenario's group.
        case found(by: Int)
        /// Founds groups of which the scenario knows only the number.
        case foundOthers(by: Int, count: Int)
        /// Makes the invite that later joins use.
        case invite(by: Int, uses: UInt32 = 0, lifetime: Int64 = 86_400)
        case revokeInvite(by: Int)
        /// Nodes join one by one with the last invite.
        case join([Int])
        case joinFails(Int, CommandFailure)
        /// Each of the nodes writes this many results, at random moments.
        case write([Int], count: Int, over: Duration)
        /// The same, while the following steps run.
        case writeMeanwhile([Int], count: Int, over: Duration)
        /// A node writes results it has not written before, one per command.
        case writeNew(Int, count: Int)
        /// A node writes this many results in one command.
        case writeAtOnce(Int, count: Int)
        /// Each of the nodes says this many things about results, at random moments: reactions and comments, changed
        /// and taken back. In a group of two friends they also write to each other.
        case talk([Int], count: Int, over: Duration)
        case crash([Int])
        /// Kills each node's process between two outputs of its engine, at one of the next few, and restarts it later.
        case crashBetweenOutputs([Int], restartAfter: Duration)
        /// Keeps a copy of a node's disk.
        case backUp(Int)
        /// Restores a saved copy. `isNoticed`: whether the store knows.
        case restore(Int, isNoticed: Bool)
        /// Copies a node's disk to another node with the same device.
        case copy(of: Int, to: Int, isNoticed: Bool)
        /// Splits the network into islands. Nodes not named are on the first.
        case partition([[Int]])
        case heal
        /// From now on only some nodes can reach each other; nil for all.
        case setShape(NetworkShape?)
        /// Sets all paths from and to a node.
        case setWays(of: Int, LinkProfile)
        /// From now on each new result must be at all running members this long after its confirmation; nil for no
        /// limit.
        case expectEachChange(within: Duration?)
        /// Requires that every running member learns in time that all others are online, however they are linked.
        case expectPresence(within: Duration)
        case setProfile(LinkProfile)
        /// Sets the path between two nodes, in both directions.
        case setWay(between: Int, and: Int, LinkProfile)
        /// Sets the path from one node to another.
        case setOneWay(from: Int, to: Int, LinkProfile)
        /// From some nodes to others nothing gets through; the other direction works.
        case cutOneWay(from: [Int], to: [Int])
        case setClockLead(Int, Duration)
        /// A node retracts what it wrote while its clock was ahead, and writes it again with the right time.
        case repairClock(Int)
        /// Moves a wall clock forward or back while the node runs.
        case jumpClock(Int, by: Duration)
        /// Makes a wall clock gain or lose this much every second from now on.
        case driftClock(Int, perSecond: Duration)
        case setDiskFull(Int, Bool)
        /// Damages runs on the disk of a stopped node: each becomes unreadable with this probability.
        case damageDisk(Int, share: Double)
        /// The disk claims to have written but has not, which no node can tolerate.
        case setDiskForgets(Int, Bool)
        /// A lying program takes over a member's device.
        case lie(Int, [Lie])
        /// Ends such a program, for good.
        case stopLying(Int)
        /// Requires that no honest node has sent more bytes than this since the lies began.
        case expectTraffic(below: Int)
        /// Requires that during this idle time no node sends more than 10 B a second over each of its links, and 1 B to
        /// each other node that it may be looking for.
        case expectIdle(for: Duration)
        /// Repairs networks, disks and clocks, starts all stopped nodes and ends all liars.
        case endFaults
        case leave(Int, erasing: Bool)
        case nameAdmin(Int, by: Int)
        /// Removes a node's user. What that user writes from now on must not show anywhere.
        case remove(Int, by: Int)
        /// The same by a node whose removal will turn out not to count.
        case removeWithoutEffect(Int, by: Int)
        /// A node revokes the device of another node of its account.
        case revokeDevice(of: Int, by: Int)
        /// Nodes answer to their friend codes.
        case answerToCode([Int])
        /// A node requests friendship from another node's user, by code.
        case askFriend(of: Int, by: Int)
        /// Requires that a node receives another node's request in time.
        case expectRequest(of: Int, at: Int, within: Duration)
        /// A node accepts another node's request.
        case approveFriend(Int, by: Int)
        /// Requires that two nodes have one group of two in time, and no open request. The group becomes the
        /// scenario's.
        case expectFriends(Int, Int, within: Duration)
        case makePrivateGroup([Int])
        /// Makes a node a device of another node's account, by a device link.
        case linkDevice(Int, to: Int)
        /// Makes a node a device of another node's account, by the recovery key.
        case recover(Int, of: Int)
        /// Nodes write into their private groups.
        case keepPrivately([Int], count: Int)
        /// Requires that nodes have one private group in time, with everything that any of them put there.
        case expectOnePrivateGroup([Int], within: Duration)
        /// Requires that another machine of its account brings a node into the group in time.
        case expectBrought(Int, within: Duration)
        /// Requires that nodes are in the same groups in time: this many, and their private one.
        case expectSameGroups([Int], count: Int, within: Duration)
        /// Requires that a node learns in time that it is no longer in the group, and then has no records of others.
        case expectLost(Int, within: Duration)
        /// Removes the addresses of other devices from nodes' disks.
        case forgetAddresses([Int])
        /// Gives a node the address at which others see another, as its user would.
        case nameAddress(of: Int, to: Int)
        /// Gives nodes other addresses: in a home by a restart of its routers, which is everybody's there.
        case changeAddresses(of: [Int])
        /// The same for each of the nodes as often, at random moments, while the following steps run.
        case changeAddressesMeanwhile(of: [Int], count: Int, over: Duration)
        /// How well the public DHT works from now on; at first it does not.
        case setDHT(SimulatedDHT.State)
        /// Somebody with the link of the invite puts this many notices where newcomers put theirs. Each is of another device,
        /// and names a stranger's address.
        case crowdNewcomers(Int)
        /// Each of this many strangers sends a datagram or opens a stream to a node, at random moments, while the following
        /// steps run. Requires that the node answers none, and that no more than 64 streams stay open.
        case strangersSend(to: Int, count: Int, over: Duration)
        /// Requires that nothing of the last two hours lies where a former member would look for the others, by the keys in
        /// its last copy.
        case expectNothingLeft(for: Int)
        /// Nodes leave letters in it, or none.
        case setLetters([Int], Bool)
        /// Requires that a node shows in time what another has written, without a link between any.
        case expectShown(of: Int, at: Int, within: Duration)
        case run(Duration)
        /// Requires that every running member knows this many members.
        case expectMembers(Int)
        /// Requires that all running members are linked with each other in time.
        case expectLinked(within: Duration)
        /// Requires that these nodes are linked with each other in time.
        case expectLinkedAmong([Int], within: Duration)
        /// Requires that, in this time, a number of bytes in this range reaches the stranger whose address liars give.
        case expectAtStranger(bytes: ClosedRange<Int>, over: Duration)
        /// Requires that, in this time, the most dials and knocks beyond its network that a node sends in any second are in
        /// this range.
        case expectDials(ClosedRange<Int>, over: Duration)
        /// Requires that no feed has two branches.
        case expectNoFork
        /// Requires equal digests in time, whatever is visible.
        case agreeOnDigests(within: Duration)
        /// Requires that all running members agree in time, and that nothing confirmed was lost.
        case converge(within: Duration)
    }

    /// Where a node is on the network.
    public enum Place: Sendable {
        /// On a numbered LAN, reachable by everybody.
        case lan(Int)
        /// In a numbered home, behind its router and perhaps one of its provider (carrier NAT).
        case home(Int, Router, behind: Router? = nil)
        /// Alone at a public address.
        case internet
    }

    public let name: String
    public let summary: String
    public let nodeCount: Int
    /// Where each node is. Nodes not named are on LAN 0.
    public var places: [Int: Place] = [:]
    public var clockLeads: [Int: Duration] = [:]
    /// Nodes that have the same device as another.
    public var twins: [Int: Int] = [:]
    /// Nodes that are another device of another node's account.
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
    /// How many of `count` seeds a short soak plays: all for eight nodes or fewer; the more nodes, the fewer, because a
    /// run costs about the square of their number; at least five.
    public func shortSeedCount(of count: Int) -> Int { min(count, max(5, count * 64 / max(64, nodeCount * nodeCount))) }
}

/// The result of a successful run.
public struct SimulationReport: Sendable, Equatable {
    public let scenario: String
    public let seed: UInt64
    /// Equal for every run of the same scenario and seed.
    public let traceHash: UInt64
    public let virtualTime: Duration
    public let confirmedWrites: Int
    /// Sent by all nodes.
    public let sentByteCount: Int
}
