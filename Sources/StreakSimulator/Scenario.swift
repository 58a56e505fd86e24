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
        /// Keeps a copy of a node's disk.
        case backUp(Int)
        /// Puts a kept copy back, of which the store knows or not.
        case restore(Int, isNoticed: Bool)
        /// Puts a copy of a node's disk into another node of the same device.
        case copy(of: Int, to: Int, isNoticed: Bool)
        /// Cuts the network into islands; nodes not named are on the first.
        case partition([[Int]])
        case heal
        case setProfile(LinkProfile)
        /// The way between two nodes, in both directions.
        case setWay(between: Int, and: Int, LinkProfile)
        /// The way from one node to another.
        case setOneWay(from: Int, to: Int, LinkProfile)
        case setClockLead(Int, Duration)
        /// A node retracts what it dated while its clock was ahead, and writes it anew.
        case repairClock(Int)
        case setDiskFull(Int, Bool)
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
        /// Demands that a node learns within a time that it is in no more, and holds nobody else's records then.
        case expectLost(Int, within: Duration)
        /// Removes the addresses of other devices from nodes' disks.
        case forgetAddresses([Int])
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

    public let name: String
    public let summary: String
    public let nodeCount: Int
    /// The LAN of each node; of those not named 0.
    public var lans: [Int: Int] = [:]
    public var clockLeads: [Int: Duration] = [:]
    /// Nodes that have the device of another.
    public var twins: [Int: Int] = [:]
    /// Nodes that have another device of the account of another.
    public var accounts: [Int: Int] = [:]
    public var profile: LinkProfile
    public let steps: [Step]

    public init(
        _ name: String, _ summary: String, nodes: Int, profile: LinkProfile = .good, lans: [Int: Int] = [:],
        clockLeads: [Int: Duration] = [:], twins: [Int: Int] = [:], accounts: [Int: Int] = [:], steps: [Step]
    ) {
        self.name = name
        self.summary = summary
        nodeCount = nodes
        self.profile = profile
        self.lans = lans
        self.clockLeads = clockLeads
        self.twins = twins
        self.accounts = accounts
        self.steps = steps
    }
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
