import Dispatch
import StreakEngine
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire
import Synchronization

/// What a group's merged records come to: profiles, results, and when each user last wrote.
struct GroupView: Sendable {
    private(set) var index = ScoreIndex()
    private(set) var profiles: [UserID: Profile] = [:]
    private(set) var lastSeen: [UserID: Int64] = [:]
    /// Of the private group only.
    private(set) var settings = AccountSettings()
    private(set) var games = GroupGames()
    private var cache = InsightCache()
    /// Made once for each user: there are a thousand results for each.
    private var players: [UserID: PlayerID] = [:]
    /// The custom games whose rules the index follows.
    private var followed: [GameID: Game] = [:]

    /// Everything about a player, kept until the player's results change.
    mutating func insights(of player: PlayerID, rules: StreakRules, games: (GameID) -> Game?) -> PlayerInsights {
        cache.rules = rules
        return cache.insights(of: player, in: index, games: games)
    }

    /// Has sums follow the rules of custom games, whichever group they are defined in.
    mutating func follow(_ games: [Game]) {
        for game in games where followed[game.id] != game {
            followed[game.id] = game
            index.define(game)
            cache.reset()
        }
    }

    /// Takes the new value of a key. One that does not decode is carried by the mesh and not shown.
    mutating func apply(_ record: MergedRecord) {
        let user = record.key.user
        let seconds = record.time.milliseconds / 1_000
        lastSeen[user] = max(lastSeen[user] ?? 0, seconds)
        switch RecordKind(rawValue: record.key.kind) {
        case .dailyScore: applyScore(record)
        case .profile:
            guard var profile = try? Profile(value: record.value),  // of another version
                let name = DisplayText.validated(profile.name, maximumLength: ProtocolLimits.maximumNameLength)
            else { return }
            profile.name = name
            profile.region = DisplayText.validated(profile.region, maximumLength: Profile.maximumRegionLength) ?? ""
            profiles[user] = profile
        case .setting: settings.apply(record)
        case .gameDefinition: games.apply(record)
        default: break
        }
    }

    /// Takes what stands of each user in each game, where nothing was taken before. On all processors, a user on one: it is
    /// half of what a start with a long history takes.
    mutating func apply(_ results: [StandingResults]) {
        for part in results {
            lastSeen[part.user] = max(lastSeen[part.user] ?? 0, part.latest.milliseconds / 1_000)
        }
        let users = Dictionary(grouping: results, by: \.user).sorted { $0.key < $1.key }
        let made = Mutex([UserID: ScoreIndex]())
        DispatchQueue.concurrentPerform(iterations: users.count) { number in
            let (user, parts) = users[number]
            let player = PlayerID(user.bytes.array)
            var index = ScoreIndex()
            for part in parts {
                guard let game = part.game else { continue }
                index.replace(part.count, of: player, in: game) { part.forEach($0) }
            }
            made.withLock { $0[user] = index }
        }
        let indexes = made.withLock { $0 }
        for user in indexes.keys.sorted() {
            if let part = indexes[user] { index.adopt(part) }
        }
        cache.reset()
    }

    private mutating func player(_ user: UserID) -> PlayerID {
        if let player = players[user] { return player }
        let player = PlayerID(user.bytes.array)
        players[user] = player
        return player
    }

    private mutating func applyScore(_ record: MergedRecord) {
        let player = player(record.key.user)
        if record.value.isEmpty {
            guard let key = try? DailyScore.scoreKey(fromSubject: record.key.subject) else { return }  // as above
            index.remove(key, of: player)
            cache.resultChanged(in: key.game, of: player)
        } else if var score = try? DailyScore(  // as above
            subject: record.key.subject, value: record.value, time: record.time)
        {
            score.updatedAt = record.time.milliseconds / 1_000
            index.replace(score, of: player)
            cache.resultChanged(in: score.game, of: player)
        }
    }
}

extension MeshNode {
    /// Reads every group's merged records anew.
    func rebuildViews() {
        views = [:]
        for group in engine.groupIDs { rebuildView(of: group) }
    }

    /// Every group's sums follow every custom game, for a result may be known where its game is not.
    func followCustomGames() {
        let games = scoredCustomGames
        for group in views.keys { views[group]?.follow(games) }
    }

    func rebuildView(of group: GroupID) {
        var view = GroupView()
        var mine: [MergedRecord] = []
        let (me, isShared) = (identity.user, !engine.isPrivate(group))
        var results: [StandingResults] = []
        engine.forEachMergedRecord(of: group) {
            results.append($0)
            if isShared, $0.user == me { $0.forEachRecord { mine.append($0) } }
        } other: { record in
            view.apply(record)
        }
        view.apply(results)
        views[group] = view
        union = nil
        followCustomGames()
        noteLostResults(among: mine)
    }

    /// Takes note of what the engine tells, and tells those who watch.
    func observe(_ event: EngineEvent) {
        switch event {
        case .recordsMerged(let group, let records):
            for record in records { views[group, default: GroupView()].apply(record) }
            union = nil
            if records.contains(where: { $0.key.kind == RecordKind.gameDefinition.rawValue }) { followCustomGames() }
            if !engine.isPrivate(group) { noteLostResults(among: records) }
        case .recordsReset(let group):
            rebuildView(of: group)
        case .ledgerChanged(let group):
            if views[group] == nil { rebuildView(of: group) }
            union = nil
            tellShutOutMachines(in: group)
            inbox.publish(.groupsChanged)
        case .digestChanged(let group, let digest):
            guard !engine.isPrivate(group) else { return }
            inbox.publish(.changed(group: group.description, digest: digest.description))
        case .linkOpened(let device, let via, _):
            inbox.publish(.peer(device: device.description, state: "linked", via: via.word))
        case .linkClosed(let device):
            inbox.publish(.peer(device: device.description, state: "away", via: nil))
        case .clockHeard: noteClock()
        case .syncEnded(let group, _):
            lastSync = clock.wallTime.seconds
            noteClock()
            if let digest = engine.digest(of: group), !engine.isPrivate(group) {
                inbox.publish(.changed(group: group.description, digest: digest.description))
            }
        case .epochReplaced:
            inbox.publish(
                .notice("This device’s history went on elsewhere; a new chapter was begun and nothing is lost."))
        case .lostGroup(let group, let standing):
            tellLoss(of: group, standing)
        case .privateGroupChanged:
            lostResults = [:]
            rebuildViews()
            inbox.publish(.groupsChanged)
            inbox.publish(
                .notice("Another machine of yours was met: what you keep to yourself is now the same on both."))
        case .formerGroupDropped(let group):
            views[group] = nil
        case .friend(let event):
            observe(event)
        case .syncBegan, .runRefused, .operationRefused, .dropped, .messageRefused:
            break
        }
    }
}
