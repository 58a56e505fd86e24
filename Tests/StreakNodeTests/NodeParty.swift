import Foundation
import StreakEngine
import StreakMembership
import StreakReplication
import StreakScores
import StreakStorage
import StreakWire
import Synchronization
import Testing

@testable import StreakNode

/// Accounts with real stores in a folder of the test's own, which is removed at its end.
final class NodeParty: Sendable {
    let folder: URL
    /// Where the node of each account last listened.
    private let addresses = Mutex<[String: String]>([:])

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "sm-\(UInt32.random(in: 0...UInt32.max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        // A folder that stays behind in the temporary one harms nothing.
        try? FileManager.default.removeItem(at: folder)
    }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    func dataFolder(_ name: String) -> DataFolder { DataFolder(path: path(name)) }

    @discardableResult
    func makeAccount(_ name: String) throws -> ProfileReport {
        try MeshNode.createAccount(in: dataFolder(name), name: name)
    }

    /// With `usesLAN` the node is on every network of this machine and looks for others there. `lead` is how far its
    /// monotonic time is ahead of the machine's; `wall` is its wall clock.
    func open(
        _ name: String, usesNetwork: Bool = false, usesLAN: Bool = false, lead: (@Sendable () -> Duration)? = nil,
        wall: (@Sendable () -> Int64)? = nil
    ) async throws -> MeshNode {
        var configuration = NodeConfiguration(
            listen: usesLAN ? "0.0.0.0:0" : "127.0.0.1:0", usesNetwork: usesNetwork, usesLAN: usesLAN, peers: [])
        // No test asks the router of whoever runs it.
        configuration.usesInternet = false
        configuration.lead = lead
        configuration.wall = wall
        return try await MeshNode(opening: dataFolder(name), configuration: configuration)
    }

    /// Makes a machine of another's account, by a link of that one.
    func link(_ name: String, by link: String) async throws -> ProfileReport {
        try await MeshNode.linkDevice(
            in: dataFolder(name), link: link, timeout: 60, listen: "127.0.0.1:0", usesLAN: false)
    }

    func link(_ name: String, to node: MeshNode) async throws {
        _ = try await link(name, by: try await node.call(DeviceLinkRequest.make).link)
    }

    /// One account that is not on the network, for as long as `body` takes.
    static func alone<Answer: Sendable>(
        _ body: @Sendable (MeshNode, NodeParty) async throws -> Answer
    ) async throws -> Answer {
        let party = try NodeParty()
        try party.makeAccount("Ada")
        let node = try await party.open("Ada")
        do {
            let answer = try await body(node, party)
            await node.close()
            return answer
        } catch {
            await node.close()
            throw error
        }
    }

    /// Running nodes of these accounts, which are made if they do not exist.
    func running<Answer: Sendable>(
        _ names: String..., usesLAN: Bool = false, lead: (@Sendable () -> Duration)? = nil,
        body: @Sendable ([MeshNode]) async throws -> Answer
    ) async throws -> Answer {
        try await running(names, usesLAN: usesLAN, lead: lead, body: body)
    }

    /// The same; `walls` are their wall clocks, by name. A node without one uses the machine's clock.
    func running<Answer: Sendable>(
        _ names: [String], usesLAN: Bool = false, lead: (@Sendable () -> Duration)? = nil,
        walls: [String: @Sendable () -> Int64] = [:], body: @Sendable ([MeshNode]) async throws -> Answer
    ) async throws -> Answer {
        var nodes: [MeshNode] = []
        for name in names {
            if !dataFolder(name).hasAccount { try makeAccount(name) }
            nodes.append(
                try await open(name, usesNetwork: true, usesLAN: usesLAN, lead: lead, wall: walls[name]))
        }
        let all = nodes
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for node in all { group.addTask { try await node.run() } }
            do {
                try await meet(all, named: names)
                let answer = try await body(all)
                for node in all { await node.close() }
                group.cancelAll()
                return answer
            } catch {
                for node in all { await node.close() }
                group.cancelAll()
                throw error
            }
        }
    }

    /// Waits until the nodes listen. Where another program has taken a node's port since it last ran, the others look
    /// for it at the new one: nothing but a beacon would tell them.
    private func meet(_ nodes: [MeshNode], named names: [String]) async throws {
        var moved: [MeshNode] = []
        for (node, name) in zip(nodes, names) {
            let address = try await node.ready()
            let last = addresses.withLock { $0.updateValue(address, forKey: name) }
            if let last, last != address { moved.append(node) }
        }
        for node in moved {
            for other in nodes where other !== node { try await other.dial(node) }
        }
    }
}

extension MeshNode {
    func group(_ request: GroupRequest) async throws -> GroupReport {
        try await call(request)
    }

    func members(_ group: String? = nil) async throws -> [MemberReport] {
        try await call(MemberRequest.list(group: group)).members
    }

    func privacy(_ request: PrivacyRequest) async throws -> PrivacyReport {
        try await call(request)
    }

    @discardableResult
    func add(_ text: String, to groups: [String]? = nil, replace: Bool = false) async throws -> AddReport {
        try await call(
            ScoreRequest.add(text: text, date: nil, replace: replace, groups: groups))
    }

    func results() async throws -> [ResultReport] {
        try await call(ResultsRequest.list(game: nil, from: nil, to: nil)).results
    }

    func board(of group: String? = nil) async throws -> BoardReport {
        try await call(BoardRequest(group: group, range: "all", reveal: true))
    }

    func status() async throws -> StatusReport { try await call(StatusRequest.status) }

    func invite(approval: Bool = false) async throws -> InviteReport {
        try await call(
            InviteRequest.create(group: nil, uses: 5, lifetime: 3_600, needsApproval: approval))
    }

    @discardableResult
    func join(_ link: String, history: Int? = nil) async throws -> JoinReport {
        try await call(JoinRequest.join(link: link, timeout: 120, history: history))
    }

    /// Looks for another node at its present port: without beacons, nobody knows the port of a node that has restarted.
    func dial(_ other: MeshNode) async throws {
        let address = try await other.ready()
        _ = try await execute(.dialAddresses(AddressResolution.lookUp(address)))
    }

    /// Waits until a condition holds, checking again whenever anything happens.
    /// - Throws: `Overdue` after four minutes: much longer than anything that a test waits for takes, also while all tests
    ///   run at once on a slow machine.
    func until(
        _ location: SourceLocation = #_sourceLocation, _ holds: @Sendable (MeshNode) async throws -> Bool
    ) async throws {
        let limit = ContinuousClock.now + .seconds(240)
        // Hundreds of tests wait at once, and each check costs the node a report.
        var pause = 20
        // Checked repeatedly: it may depend on other nodes, whose events this node does not report.
        while try await !holds(self) {
            guard ContinuousClock.now < limit else { throw Overdue(location: location) }
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(pause)) { continuation.resume() }
            }
            pause = min(2 * pause, 250)
        }
    }
}

/// What a test waited for has not come.
private struct Overdue: Error, CustomStringConvertible {
    let location: SourceLocation
    var description: String { "what line \(location.line) waits for has not come" }
}

/// What tests look at inside of a node, and do there.
extension MeshNode {
    var engine: MeshEngine { core.engine }
    var identity: DeviceIdentity { core.identity }
    var store: Store { loop.store }
    var privateGroup: GroupID? { core.privateGroup }
    var sharedGroups: [GroupID] { core.sharedGroups }
    var activeGroup: GroupID? { core.activeGroup }
    var views: [GroupID: GroupView] { core.views }
    var me: PlayerID { core.me }

    func group(_ selector: String?) throws -> GroupID { try core.group(selector) }

    func published(_ key: ScoreKey, in group: GroupID) -> DailyScore? { core.published(key, in: group) }

    @discardableResult
    func execute(_ command: Command) async throws -> CommandOutcome { try await loop.execute(command) }

    /// Makes the loop turn, as when its alarm rings.
    func process() { loop.process() }

    /// Reads everything again, as at a start.
    func rebuildViews() { services.rebuildViews() }

    /// How many scores of a user this node holds.
    func privateScores(of user: String) -> Int {
        engine.groupIDs.flatMap { engine.mergedRecords(of: $0) }.count {
            $0.key.user.description == user && $0.key.kind == 1 && !$0.value.isEmpty
        }
    }
}
