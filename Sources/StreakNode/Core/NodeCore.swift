import StreakCrypto
import StreakEngine
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// What all services of a node read: whose machine this is, the engine, what the groups' records come to, the time.
///
/// Services ask it and change nothing here: what they want, they have the loop carry out. Who watches the node is told through
/// it.
final class NodeCore {
    let identity: DeviceIdentity
    let configuration: NodeConfiguration
    let clock: SystemClock
    let inbox: Inbox
    private(set) var engine: MeshEngine
    /// What each group's records come to.
    private(set) var views: [GroupID: GroupView] = [:]
    /// Goes up with every change of the views, and of who is in a group.
    private(set) var edition: UInt64 = 0
    /// Whether sockets are open.
    var isServing = false

    static let nameSetting = "name"
    static let friendCodeSetting = "friend-code"
    static let activeGroupSetting = "active-group"

    init(
        identity: DeviceIdentity, configuration: NodeConfiguration, clock: SystemClock, inbox: Inbox, snapshot: Snapshot
    ) {
        self.identity = identity
        self.configuration = configuration
        self.clock = clock
        self.inbox = inbox
        engine = MeshEngine(
            snapshot: snapshot, identity: identity, entropy: SystemEntropy(), wallTime: clock.wallTime)
    }

    /// Tells those who watch the node.
    func publish(_ event: NodeEvent) { inbox.publish(event) }

    // MARK: The engine, which the loop drives

    func handle(_ input: EngineInput) -> [EngineOutput] {
        engine.handle(input, at: clock.now, wallTime: clock.wallTime)
    }

    /// Tells every peer that this node goes.
    func closeLinks() -> [EngineOutput] { engine.closeLinks(at: clock.now) }

    /// Throws the engine away and starts another from what is stored.
    func restart(from snapshot: Snapshot) {
        let streams = engine.nextStream
        engine = MeshEngine(
            snapshot: snapshot, identity: identity, entropy: SystemEntropy(), wallTime: clock.wallTime)
        engine.nextStream = streams
    }

    func renewEpochs() -> [OwnEpoch] { engine.renewEpochs() }

    /// Tells the engine where this user goes by an alias.
    func noteAliases() { engine.aliasGroups = Set(ownGroups.filter { ownProfile(in: $0).isAnonymous }) }

    // MARK: The views, which follow the engine's events

    /// Reads every group's merged records again.
    func rebuildViews() {
        views = [:]
        for group in engine.groupIDs { readView(of: group) }
        followCustomGames()
    }

    func rebuildView(of group: GroupID) {
        readView(of: group)
        followCustomGames()
    }

    private func readView(of group: GroupID) {
        views[group] = GroupView(admins: admins(of: group)) { results, other in
            engine.forEachMergedRecord(of: group, results: results, other: other)
        }
        edition += 1
    }

    /// Takes the new value of a key.
    func apply(_ record: MergedRecord, in group: GroupID) {
        views[group]?.apply(record)
        edition += 1
    }

    /// The ledger of a group has changed.
    func followLedger(of group: GroupID) {
        views[group]?.follow(admins: admins(of: group))
        edition += 1
        followCustomGames()
    }

    func forgetView(of group: GroupID) {
        views[group] = nil
        edition += 1
    }

    /// Every group's sums follow every custom game, for a result may be known where its game is not.
    func followCustomGames() {
        let games = scoredCustomGames
        for group in views.keys { views[group]?.follow(games) }
    }

    /// Who may change everybody's games in a group: its admins and its owner.
    private func admins(of group: GroupID) -> Set<UserID> {
        Set((engine.state(of: group)?.members ?? []).filter { $0.role >= .admin }.map(\.user))
    }

    /// Everything about a player in a group, kept until the player's results change.
    func insights(of player: PlayerID, in group: GroupID) -> PlayerInsights {
        let rules = rules(of: group).streaks
        // Taken out meanwhile, so that nothing is copied.
        var view = views.removeValue(forKey: group) ?? GroupView()
        let definitions = view.games
        let isOwn = group == privateGroup
        let insights = view.insights(of: player, rules: rules) { id in
            // One's own copy of a definition counts where no group has the game any longer.
            let own = definitions[id]?.game
            return isOwn ? self.knownGame(id) ?? own : own ?? self.knownGame(id, in: group)
        }
        views[group] = view
        return insights
    }
}
