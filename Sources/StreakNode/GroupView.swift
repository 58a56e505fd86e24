import Dispatch
import Logging
import StreakEngine
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire
import Synchronization

/// What a group's merged records come to: results, games, settings, and all else. A function of what stands, whatever stood before.
struct GroupView: Sendable {
    private(set) var index = ScoreIndex()
    /// What nothing below reads as it comes.
    private(set) var records = RecordTable()
    /// Of the private group only.
    private(set) var settings = AccountSettings()
    private(set) var games: GroupGames
    private var cache = InsightCache()
    /// Made once for each user: there are a thousand results for each.
    private var players: [UserID: PlayerID] = [:]
    /// The custom games whose rules the index follows.
    private var followed: [GameID: Game] = [:]

    /// - Parameter admins: of the group, the owner among them.
    init(admins: Set<UserID> = []) { games = GroupGames(admins: admins) }

    /// Takes what stands in a group.
    ///
    /// - Parameter forEach: calls what it is given with all results, and with every other record.
    init(
        admins: Set<UserID>,
        reading forEach: (_ results: (StandingResults) -> Void, _ other: (MergedRecord) -> Void) -> Void
    ) {
        self.init(admins: admins)
        var results: [StandingResults] = []
        var others: [MergedRecord] = []
        forEach({ results.append($0) }, { others.append($0) })
        for record in others { apply(record) }
        apply(results)
    }

    /// Everything about a player, kept until the player's results change.
    mutating func insights(of player: PlayerID, rules: StreakRules, games: (GameID) -> Game?) -> PlayerInsights {
        cache.rules = rules
        return cache.insights(of: player, in: index, games: games)
    }

    mutating func follow(admins: Set<UserID>) { games.follow(admins: admins) }

    /// Has sums follow the rules of custom games, whichever group they are defined in.
    mutating func follow(_ games: [Game]) {
        let known = Set(games.map(\.id))
        for id in followed.keys.sorted() where !known.contains(id) {
            followed[id] = nil
            index.undefine(id)
            cache.reset()
        }
        for game in games where followed[game.id] != game {
            followed[game.id] = game
            index.define(game)
            cache.reset()
        }
    }

    /// Takes the new value of a key. One that cannot be read takes the place of what stood before and shows as nothing,
    /// like a withdrawal (Protocol/records.md §8).
    mutating func apply(_ record: MergedRecord) {
        switch RecordKind(rawValue: record.key.kind) {
        case .dailyScore: applyScore(record)
        case .setting: settings.apply(record)
        case .gameDefinition: games.apply(record)
        // The engine has done what it says.
        case .retraction: break
        case .profile, .address, .reaction, .comment, .challenge, .challengeAnswer, .event, nil: records.apply(record)
        }
    }

    /// A profile as it is shown; nil for what cannot be.
    func profile(of user: UserID) -> Profile? { records.value(Profile.self, subject: [], of: user)?.shown }

    /// Takes what stands of each user in each game, where nothing was taken before. On all processors, a user on one: it is
    /// half of what a start with a long history takes.
    mutating func apply(_ results: [StandingResults]) {
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
        // A subject that is no result's is never shown, whatever its value.
        guard let key = try? DailyScore.scoreKey(fromSubject: record.key.subject) else { return }
        let player = player(record.key.user)
        // What cannot be read: withdrawn, or of another version.
        if var score = try? DailyScore(subject: record.key.subject, value: record.value, time: record.time) {
            score.updatedAt = record.time.milliseconds / 1_000
            index.replace(score, of: player)
        } else {
            index.remove(key, of: player)
        }
        cache.resultChanged(in: key.game, of: player)
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

    /// Who may change everybody's games in a group: its admins and its owner.
    private func admins(of group: GroupID) -> Set<UserID> {
        Set((engine.state(of: group)?.members ?? []).filter { $0.role >= .admin }.map(\.user))
    }

    func rebuildView(of group: GroupID) {
        views[group] = GroupView(admins: admins(of: group)) { results, other in
            engine.forEachMergedRecord(of: group, results: results, other: other)
        }
        unionCache.forget()
        followCustomGames()
        if !engine.isPrivate(group) { compareOwnResults(ownRecords(of: group), of: group) }
    }

    private func log(_ refusal: RefusalReport) {
        guard refusal.isLogged else { return }
        configuration.logger.debug("refused \(refusal.what): \(refusal.reason), \(refusal.count) so far")
    }

    /// Takes note of what the engine tells, and tells those who watch.
    func observe(_ event: EngineEvent) {
        switch event {
        case .recordsMerged(let group, let records):
            if views[group] == nil { rebuildView(of: group) }
            let isOwn = group == privateGroup
            for record in records {
                if isOwn { noteDifference(record, in: group) }
                views[group]?.apply(record)
                if isOwn { tellDifference(record) }
            }
            unionCache.forget()
            if records.contains(where: { $0.key.kind == RecordKind.gameDefinition.rawValue }) { followCustomGames() }
            if !engine.isPrivate(group) { compareOwnResults(records, of: group) }
        case .recordsReset(let group):
            rebuildView(of: group)
        case .ledgerChanged(let group):
            if views[group] == nil { rebuildView(of: group) }
            views[group]?.follow(admins: admins(of: group))
            followCustomGames()
            groupsToReview.insert(group)
            unionCache.forget()
            tellShutOutMachines(in: group)
            inbox.publish(.groupsChanged)
        case .digestChanged(let group, let digest):
            guard !engine.isPrivate(group) else { return }
            inbox.publish(.changed(group: group.description, digest: digest.description))
        case .linkOpened(let device, let via, _):
            inbox.publish(.peer(device: device.description, state: "linked", via: via.word))
        case .linkClosed(let device):
            inbox.publish(.peer(device: device.description, state: "away", via: nil))
        case .presenceChanged(let group):
            if !engine.isPrivate(group) { inbox.publish(.groupsChanged) }
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
        case .lostGroup(let group, _):
            tellLoss(of: group)
        case .friend(let event):
            observe(event)
        case .runRefused(_, let error): log(refusals.note(error))
        case .operationRefused: log(refusals.noteOperation())
        case .dropped(let reason): log(refusals.note(reason))
        case .messageRefused(let error): log(refusals.note(error))
        case .overBudget(let work): log(refusals.note(work))
        case .syncBegan: break
        }
    }
}
