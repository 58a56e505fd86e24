import StreakCrypto
import StreakEngine
import StreakGames
import StreakLinks
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// What all services of a node read: whose machine this is, the engine, the groups' views, the time.
///
/// Services read it and change nothing here: to change something, they make the loop carry out a command. Observers of
/// the node are told through it.
final class NodeCore {
    let identity: DeviceIdentity
    let configuration: NodeConfiguration
    let clock: SystemClock
    let inbox: Inbox
    /// Lent, not copied: a copy of all that it holds costs more than most of what it is asked.
    private(set) var engine: MeshEngine {
        _read { yield heldEngine }
        _modify { yield &heldEngine }
    }
    private var heldEngine: MeshEngine
    /// The view of each group's records.
    private(set) var views: [GroupID: GroupView] = [:]
    /// Rises with every change of the views, and of who is in a group.
    private(set) var edition: UInt64 = 0
    /// Rises like that, but not with results of known games, with what is said about results, and with settings.
    private(set) var contextEdition: UInt64 = 0
    /// The context by which the engine was told of aliases; nil if it was not.
    private var aliasEdition: UInt64?
    /// The names of each group's people, at a context and a name of this user's own.
    private var knownNames: [GroupID: (context: UInt64, ownName: String, names: [UserID: String])] = [:]
    /// Whether sockets are open.
    var isServing = false

    static let nameSetting = "name"
    static let friendCodeSetting = "friend-code"
    static let activeGroupSetting = "active-group"
    static let internetSetting = "internet"
    static let lettersSetting = "letters"
    static let adviceSetting = "advice"

    init(
        identity: DeviceIdentity, configuration: NodeConfiguration, clock: SystemClock, inbox: Inbox, snapshot: Snapshot
    ) {
        self.identity = identity
        self.configuration = configuration
        self.clock = clock
        self.inbox = inbox
        heldEngine = MeshEngine(
            snapshot: snapshot, identity: identity, entropy: SystemEntropy(), wallTime: clock.wallTime,
            linkLimits: Self.linkLimits(configuration))
    }

    /// An instant as people and scripts read it, by this machine's clock.
    func timeText(of instant: MonotonicInstant) -> String {
        Timestamp(seconds: clock.wallTime.seconds - instant.duration(to: clock.now).components.seconds).text
    }

    /// Tells the observers of the node.
    func publish(_ event: NodeEvent) { inbox.publish(event) }

    // MARK: The engine, which the loop drives

    func handle(_ input: EngineInput) -> [EngineOutput] {
        engine.handle(input, at: clock.now, wallTime: clock.wallTime)
    }

    /// Tells every peer that this node stops.
    func closeLinks() -> [EngineOutput] { engine.closeLinks(at: clock.now) }

    private static func linkLimits(_ configuration: NodeConfiguration) -> LinkLimits {
        var limits = LinkLimits()
        limits.knockHopLimit = configuration.knockHopLimit
        return limits
    }

    /// Throws the engine away and starts another from what is stored.
    func restart(from snapshot: Snapshot) {
        let streams = engine.nextStream
        engine = MeshEngine(
            snapshot: snapshot, identity: identity, entropy: SystemEntropy(), wallTime: clock.wallTime,
            linkLimits: Self.linkLimits(configuration))
        engine.nextStream = streams
        aliasEdition = nil
    }

    func renewEpochs() -> LocalRows { engine.renewEpochs() }

    /// The names of a group's present and former members. Equal names get four characters of the friend code; equal
    /// aliases get six digits. Unless a code is still to be worked out, they are made once until somebody's name changes:
    /// O(members).
    func names(in group: GroupID) -> [UserID: String] {
        if let known = knownNames[group], known.context == contextEdition, known.ownName == ownName {
            return known.names
        }
        let (names, codeless) = makeNames(in: group)
        // A friend code arrives later, and nothing else changes then.
        knownNames[group] = codeless.isEmpty ? (contextEdition, ownName, names) : nil
        return names
    }

    /// Tells the engine in which groups this user goes by an alias, once something has changed that this follows from.
    func noteAliases() {
        guard aliasEdition != contextEdition else { return }
        aliasEdition = contextEdition
        engine.aliasGroups = Set(ownGroups.filter { ownProfile(in: $0).isAnonymous })
    }

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
        noteContext()
    }

    /// Something else than a result, a word or a setting has changed.
    private func noteContext() {
        edition += 1
        contextEdition += 1
    }

    /// Applies the new values of keys.
    func apply(_ records: [MergedRecord], in group: GroupID) {
        // All at once: each look at a view moves it.
        if views[group]?.apply(records) ?? false { noteContext() } else { edition += 1 }
    }

    /// The ledger of a group has changed.
    func followLedger(of group: GroupID) {
        views[group]?.follow(admins: admins(of: group))
        noteContext()
        followCustomGames()
    }

    func forgetView(of group: GroupID) {
        views[group] = nil
        noteContext()
    }

    /// Every group's sums follow every custom game, because a result may be in a group that does not define its game.
    func followCustomGames() {
        let games = scoredCustomGames
        for group in views.keys { views[group]?.follow(games) }
    }

    /// Who may change the custom games of others in a group: the admins and the owner.
    private func admins(of group: GroupID) -> Set<UserID> {
        Set((engine.state(of: group)?.members ?? []).filter { $0.role >= .admin }.map(\.user))
    }

    /// How events of a group that are over ended, each kept until a result of its week changes.
    func closedEvents(
        _ events: [WeeklyEvent], _ query: BoardQuery, players: [Player], in group: GroupID
    ) -> [EventStandings] {
        // Taken out for the moment, so that nothing is copied.
        guard var view = views.removeValue(forKey: group) else { return [] }
        let definitions = view.games
        let standings = view.closedEvents(events, query, players: players) { id in
            definitions[id]?.game ?? self.knownGame(id, in: group)
        }
        views[group] = view
        return standings
    }

    /// Everything about a player in a group, but for some results, kept until the player's results or these change.
    func insights(
        of player: PlayerID, leavingOut leftOut: [ScoreKey] = [], in group: GroupID
    ) -> PlayerInsights {
        let rules = rules(of: group).streaks
        // Taken out for the moment, so that nothing is copied.
        var view = views.removeValue(forKey: group) ?? GroupView()
        let definitions = view.games
        let isOwn = group == privateGroup
        let insights = view.insights(of: player, leavingOut: leftOut, rules: rules) { id in
            // The user's own copy of a definition counts if no group has the game any longer.
            let own = definitions[id]?.game
            return isOwn ? self.knownGame(id) ?? own : own ?? self.knownGame(id, in: group)
        }
        views[group] = view
        return insights
    }
}
