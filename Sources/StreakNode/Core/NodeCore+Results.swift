import StreakEngine
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakStorage
import StreakWire

/// How much of what is recorded already a group is to get.
enum History {
    /// The results of so many days back from today.
    case days(Int)
    case all

    /// As requests name it.
    init(_ days: Int?) { self = days.map(History.days) ?? .all }
}

/// This user's own results, and what each group gets of them.
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

    /// What this user's devices have agreed on.
    var accountSettings: AccountSettings { privateGroup.flatMap { views[$0]?.settings } ?? AccountSettings() }

    func sharing(in group: GroupID) -> GroupSharing { accountSettings.sharing(in: group) }

    func isSharing(in group: GroupID) -> Bool { engine.isMember(of: group) && !sharing(in: group).isStopped }

    /// Whether a group is told of new results of a game, and of changes of old ones. Deletions reach it anyway.
    func mayPublish(_ game: GameID, in group: GroupID) -> Bool {
        let sharing = sharing(in: group)
        return !sharing.isStopped && !sharing.unshared.contains(game)
    }

    /// Whether new results of a game go to a group by themselves.
    func publishes(_ game: GameID, in group: GroupID) -> Bool {
        mayPublish(game, in: group) && knows(game, in: group)
    }

    /// The groups that new results of a game go to by themselves.
    func takers(of game: GameID) -> [GroupID] { memberGroups.filter { publishes(game, in: $0) } }

    /// A custom game's results go to the groups that have defined it.
    private func knows(_ game: GameID, in group: GroupID) -> Bool {
        !game.isCustom || views[group]?.games[game] != nil
    }

    /// The result as a group has it.
    func published(_ key: ScoreKey, in group: GroupID) -> DailyScore? { views[group]?.index.score(key, of: me) }

    /// The groups in which a result stands.
    func groups(holding key: ScoreKey) -> [GroupID] { memberGroups.filter { published(key, in: $0) != nil } }

    func checkSharing(in group: GroupID) throws {
        guard !sharing(in: group).isStopped else {
            throw NodeFailure.sharingStopped(title: title(of: group))
        }
    }

    /// A result as it is written: a high score contends with what this user's other devices have for its day, unless it is
    /// an edit, which settles it.
    func contending(_ score: DailyScore) -> DailyScore {
        var written = score
        written.contends = !score.isEdited && knownGame(score.game)?.model == .highScore
        return written
    }

    /// What is recorded already, for a group: where that holds another value, this one settles it.
    func publications(of results: [DailyScore], in group: GroupID) -> [RecordDraft] {
        results.map { publication(of: $0, in: group) }
    }

    func publication(of result: DailyScore, in group: GroupID) -> RecordDraft {
        .score(published(result.key, in: group) == nil ? contending(result) : result)
    }

    // MARK: History

    /// A hundred years, in days.
    private static let longestHistory = 36_525

    /// My results that a group lacks, or has as they were before an edit; those of games it does not get, and those whose
    /// groups were chosen by hand, are left out.
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

    /// What stands of this user's own in a group.
    func ownRecords(of group: GroupID) -> [MergedRecord] {
        var mine: [MergedRecord] = []
        engine.forEachMergedRecord(of: group) { results in
            if results.user == identity.user { results.forEachRecord { mine.append($0) } }
        } other: { _ in
        }
        return mine
    }
}
