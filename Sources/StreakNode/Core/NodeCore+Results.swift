import StreakEngine
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakStorage
import StreakWire

/// How many of the recorded results a group gets.
enum History {
    /// The results of this many days back from today.
    case days(Int)
    case all

    /// As in requests.
    init(_ days: Int?) { self = days.map(History.days) ?? .all }
}

/// This user's own results, and which of them each group gets.
extension NodeCore {
    var me: PlayerID { PlayerID(identity.user.bytes.array) }

    var ownIndex: ScoreIndex { privateGroup.flatMap { views[$0]?.index } ?? ScoreIndex() }

    func ownResults() -> [DailyScore] { ownIndex.results(of: me) }

    func day(_ text: String?) throws -> PuzzleDay? {
        try text.map(Argument.day)
    }

    func resultReport(_ score: DailyScore, isReplaced: Bool = false, isUnchanged: Bool = false) -> ResultReport {
        let game = knownGame(score.game) ?? Scoring.unknownGame(score.game, name: score.gameName)
        let difference = accountSettings.difference(of: score.key).map { Scoring.label(for: $0, in: game) }
        return ResultReport(
            game: score.game.rawValue, gameName: game.name, day: score.day.description, puzzle: score.puzzle,
            score: score.score, maxAttempts: score.maxAttempts, completed: score.isCompleted, seconds: score.seconds,
            hints: score.hints, points: Scoring.points(for: score, in: game),
            label: Scoring.label(for: score, in: game), replaced: isReplaced, unchanged: isUnchanged,
            edited: score.isEdited, late: score.isLate, groups: groups(holding: score.key).map(\.description),
            model: game.model.rawValue, differs: difference)
    }

    /// The settings that this user's devices share.
    var accountSettings: AccountSettings { privateGroup.flatMap { views[$0]?.settings } ?? AccountSettings() }

    func sharing(in group: GroupID) -> GroupSharing { accountSettings.sharing(in: group) }

    func isSharing(in group: GroupID) -> Bool { engine.isMember(of: group) && !sharing(in: group).isStopped }

    /// Whether a group may get new results of a game, and changes of old ones. Deletions always reach it.
    func mayPublish(_ game: GameID, in group: GroupID) -> Bool {
        let sharing = sharing(in: group)
        return !sharing.isStopped && !sharing.unshared.contains(game)
    }

    /// Whether a group gets new results of a game without being asked for.
    func publishes(_ game: GameID, in group: GroupID) -> Bool {
        mayPublish(game, in: group) && knows(game, in: group)
    }

    /// The groups that get new results of a game without being asked for.
    func takers(of game: GameID) -> [GroupID] { memberGroups.filter { publishes(game, in: $0) } }

    /// Whether a group may show a game's results: those of a custom game go only to groups that define it.
    private func knows(_ game: GameID, in group: GroupID) -> Bool {
        !game.isCustom || views[group]?.games[game] != nil
    }

    /// A result, as a group has it.
    func published(_ key: ScoreKey, in group: GroupID) -> DailyScore? { views[group]?.index.score(key, of: me) }

    /// The groups in which a result stands.
    func groups(holding key: ScoreKey) -> [GroupID] { memberGroups.filter { published(key, in: $0) != nil } }

    func checkSharing(in group: GroupID) throws {
        guard !sharing(in: group).isStopped else {
            throw NodeFailure.sharingStopped(title: title(of: group))
        }
    }

    /// A result as it is written. A high score contends with those of this user's other devices for the same day. An
    /// edit settles them instead.
    func contending(_ score: DailyScore) -> DailyScore {
        var written = score
        written.contends = !score.isEdited && knownGame(score.game)?.model == .highScore
        return written
    }

    /// Recorded results as written for a group. If the group has another value, the new one settles it.
    func publications(of results: [DailyScore], in group: GroupID) -> [RecordDraft] {
        results.map { publication(of: $0, in: group) }
    }

    func publication(of result: DailyScore, in group: GroupID) -> RecordDraft {
        .score(published(result.key, in: group) == nil ? contending(result) : result)
    }

    // MARK: What this user may see

    /// The first day that is not over everywhere: its results may be covered.
    var firstOpenDay: PuzzleDay { PuzzleDay.lastFinal(at: clock.wallTime.seconds).adding(days: 1) }

    /// Whether a member's result is covered.
    func isCovered(_ result: DailyScore, of user: UserID, in group: GroupID) -> Bool {
        spoilerGuard(in: group).covers(result, of: user)
    }

    func spoilerGuard(in group: GroupID) -> SpoilerGuard {
        SpoilerGuard(
            isOn: guardsSpoilers(in: group), me: identity.user, player: me,
            openFrom: firstOpenDay, index: views[group]?.index,
            game: { self.namedGame($0, in: group) })
    }

    // MARK: History

    /// A hundred years, in days.
    private static let longestHistory = 36_525

    /// This user's results that a group lacks, or has as they were before an edit. Leaves out games that the group does
    /// not get, and results whose groups were chosen by hand.
    func unpublishedResults(in group: GroupID, of history: History) -> [DailyScore] {
        let settings = accountSettings
        let unshared = settings.sharing(in: group).unshared
        let from: PuzzleDay? =
            switch history {
            case .days(let days): clock.today.adding(days: -min(max(days, 0), Self.longestHistory))
            case .all: nil
            }
        return ownResults().filter { result in
            guard !unshared.contains(result.game) else { return false }
            if let known = published(result.key, in: group) { return !known.isSame(as: result) }
            return from.map { result.day >= $0 } ?? true && knows(result.game, in: group)
                && !settings.isChosen(result.key)
        }
    }

    /// This user's own standing records in a group.
    func ownRecords(of group: GroupID) -> [MergedRecord] {
        var mine: [MergedRecord] = []
        engine.forEachMergedRecord(of: group) { results in
            if results.user == identity.user { results.forEachRecord { mine.append($0) } }
        } other: { _ in
        }
        return mine
    }
}

/// Which results of others this user may not see yet in a group: the group guards against spoilers, the day is not over
/// everywhere, and this user has not played that puzzle. A high score or a habit is not a puzzle.
struct SpoilerGuard {
    let isOn: Bool
    let me: UserID
    /// This user as a player.
    let player: PlayerID
    /// The first day that is not over everywhere.
    let openFrom: PuzzleDay
    let index: ScoreIndex?
    let game: (GameID) -> Game

    func covers(_ result: DailyScore, of user: UserID) -> Bool {
        guard isOn, user != me, result.day >= openFrom else { return false }
        return index?.spoils(result, in: game(result.game), for: player) ?? true
    }

    /// The covered results of a user.
    func covered(of user: UserID) -> [ScoreKey] {
        guard isOn, user != me, let index else { return [] }
        return index.results(of: PlayerID(user.bytes.array), from: openFrom).filter { covers($0, of: user) }.map(\.key)
    }

    /// The same after results in some games have changed, in another order.
    func covered(of user: UserID, following known: [ScoreKey], in games: [GameID]) -> [ScoreKey] {
        guard isOn, user != me, let index else { return [] }
        let player = PlayerID(user.bytes.array)
        return known.filter { !games.contains($0.game) }
            + games.flatMap { game in
                index.results(of: player, game: game, from: openFrom).filter { covers($0, of: user) }.map(\.key)
            }
    }
}
