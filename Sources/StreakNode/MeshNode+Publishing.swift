import StreakEngine
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakStorage
import StreakWire

/// One change of this user's results, and the groups it is published in besides the private one.
struct ResultChange {
    var draft: RecordDraft
    var groups: [GroupID]
    /// False where only other groups learn what the private one knows already.
    var isNews = true
    /// Whether the user chose these groups by hand: then no history that is published later takes the result along. Nil
    /// leaves that as it is.
    var isChosen: Bool?
}

/// Which results go where.
extension MeshNode {
    private static let undoSetting = "undo"

    /// The groups this user is in, the private one left out.
    var memberGroups: [GroupID] { sharedGroups.filter(engine.isMember) }

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
    private func publishes(_ game: GameID, in group: GroupID) -> Bool {
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

    /// The groups that a user named; nil where all that share the game are meant.
    ///
    /// - Throws: `sharingStopped` for one that gets nothing new; with `sharingOnly` that is left out.
    func chosenGroups(_ selectors: [String]?, sharingOnly: Bool = false) throws -> [GroupID]? {
        guard let selectors else { return nil }
        var chosen: [GroupID] = []
        for selector in selectors {
            let group = try group(selector)
            if sharingOnly, !isSharing(in: group) { continue }
            try checkMembership(of: group)
            try checkSharing(in: group)
            if !chosen.contains(group) { chosen.append(group) }
        }
        return chosen
    }

    func checkSharing(in group: GroupID) throws {
        guard !sharing(in: group).isStopped else {
            throw NodeFailure.sharingStopped(title: title(of: group))
        }
    }

    /// A new result goes to the chosen groups, or to all that share its game. One that takes the place of another goes
    /// where that stands, and to the chosen groups.
    func change(recording score: DailyScore, isNew: Bool, chosen: [GroupID]?) -> ResultChange {
        guard !isNew else {
            let groups = chosen ?? takers(of: score.game)
            return ResultChange(draft: .score(score), groups: groups, isChosen: chosen != nil)
        }
        let holders = groups(holding: score.key).filter { mayPublish(score.game, in: $0) }
        return ResultChange(
            draft: .score(score), groups: holders + (chosen ?? []).filter { !holders.contains($0) })
    }

    /// The same for many results at once: those of one game go to the same groups.
    func changes(recording scores: [DailyScore], replacing: [DailyScore]) -> [ResultChange] {
        let groups = memberGroups
        var targets: [GameID: [GroupID]] = [:]
        for game in Set(scores.map(\.game)) { targets[game] = groups.filter { publishes(game, in: $0) } }
        return scores.map { ResultChange(draft: .score($0), groups: targets[$0.game] ?? [], isChosen: false) }
            + replacing.map { change(recording: $0, isNew: false, chosen: nil) }
    }

    /// What is recorded already goes to these groups, too; nil where all have it.
    func change(publishing score: DailyScore, in chosen: [GroupID]?) -> ResultChange? {
        let targets = chosen ?? takers(of: score.game)
        let lacking = targets.filter { group in published(score.key, in: group).map { !$0.isSame(as: score) } ?? true }
        guard !lacking.isEmpty else { return nil }
        return ResultChange(
            draft: .score(score), groups: lacking, isNews: false, isChosen: chosen == nil ? false : nil)
    }

    /// A result as it is written: a high score contends with what this user's other devices have for its day, unless it is
    /// an edit, which settles it.
    private func contending(_ score: DailyScore) -> DailyScore {
        var written = score
        written.contends = !score.isEdited && knownGame(score.game)?.model == .highScore
        return written
    }

    /// What is recorded already, for a group: where that holds another value, this one settles it.
    func publications(of results: [DailyScore], in group: GroupID) -> [RecordDraft] {
        results.map { publication(of: $0, in: group) }
    }

    private func publication(of result: DailyScore, in group: GroupID) -> RecordDraft {
        .score(published(result.key, in: group) == nil ? contending(result) : result)
    }

    /// Changes as a group is told of them.
    private func drafts(of changes: [ResultChange], in group: GroupID) -> [RecordDraft] {
        changes.map { change in
            guard case .score(let score) = change.draft else { return change.draft }
            return change.isNews ? .score(contending(score)) : publication(of: score, in: group)
        }
    }

    /// A withdrawal reaches every group that the result stands in, and no other: it would tell what was played.
    func change(withdrawing key: ScoreKey) -> ResultChange {
        ResultChange(draft: .withdrawnScore(key), groups: groups(holding: key), isChosen: false)
    }

    /// Writes changes, with what takes them back and the texts they came from, in one transaction. Returns the groups they
    /// were published in.
    ///
    /// - Parameter confirmed: what the user recorded again as it stands.
    func write(
        _ changes: [ResultChange], confirming confirmed: [ScoreKey] = [], keeping texts: [ShareText] = []
    ) async throws -> [String] {
        let settings = accountSettings
        let changed = changes.filter(\.isNews).compactMap(\.draft.scoreKey)
        let settled = Set(confirmed + changed).sorted().compactMap(settings.draft(settling:))
        guard !changes.isEmpty else {
            if !settled.isEmpty { try await keep(settled) }
            return []
        }
        let choices = changes.compactMap { change -> RecordDraft? in
            guard let key = change.draft.scoreKey, let isChosen = change.isChosen else { return nil }
            return settings.draft(making: isChosen, holdFor: key)
        }
        let news = changes.filter(\.isNews)
        let kept = keptDefinitions(of: Set(news.compactMap { $0.draft.scoreKey?.game })) + choices + settled
        var writes = privateGroup.map { [(group: $0, drafts: drafts(of: news, in: $0) + kept)] } ?? []
        writes.removeAll { $0.drafts.isEmpty }
        let shared = memberGroups.map { group in
            (group: group, drafts: drafts(of: changes.filter { $0.groups.contains(group) }, in: group))
        }
        writes += shared.filter { !$0.drafts.isEmpty }
        let log = UndoLog(
            undoing: writes, in: { views[$0]?.index ?? ScoreIndex() }, of: me)
        let undo = Command.keepSetting(name: Self.undoSetting, value: log.encoded(at: clock.wallTime))
        // They are taken before anybody else gets a turn, unless the command is refused at once.
        transaction.texts = texts
        defer { transaction.texts = [] }
        try await execute(.write(writes), with: [undo])
        return writes.map(\.group).filter { $0 != privateGroup }.map(\.description)
    }

    /// Takes back the last change.
    func undo() async throws -> UndoReport {
        guard let bytes = engine.setting(Self.undoSetting), !bytes.isEmpty, let log = try? UndoLog(decoding: bytes)
        else {
            throw NodeFailure.nothingToUndo  // none, or one of another version
        }
        var writes = log.writes(toGroups: ownGroups)
        // What another machine of this user has written since is not this change's to take back.
        let overwritten = Set(
            writes.flatMap { group, drafts in
                drafts.compactMap(\.scoreKey).filter { key in
                    engine.writer(of: recordKey(key), in: group).map { $0 != identity.device } ?? false
                }
            })
        for index in writes.indices {
            writes[index].drafts.removeAll { $0.scoreKey.map(overwritten.contains) ?? false }
        }
        let drafts = writes.first { $0.group == privateGroup }?.drafts ?? []
        let withdrawn = drafts.compactMap { draft -> DailyScore? in
            guard case .withdrawnScore(let key) = draft else { return nil }
            return ownIndex.score(key, of: me)
        }
        let restored = drafts.compactMap { draft -> DailyScore? in
            guard case .score(let score) = draft else { return nil }
            return score
        }
        // Where nothing new is published, a withdrawal still is none.
        for index in writes.indices where writes[index].group != privateGroup {
            let group = writes[index].group
            writes[index].drafts.removeAll { draft in
                if case .score(let score) = draft { !mayPublish(score.game, in: group) } else { false }
            }
        }
        // What only shared groups lose is written anew in the private one, which then knows better than they.
        let kept = Set(withdrawnKeys(in: writes.filter { $0.group != privateGroup })).subtracting(
            drafts.map(\.scoreKey).compactMap(\.self))
        if let privateGroup, !kept.isEmpty {
            let scores = kept.sorted { $0 < $1 }.compactMap { ownIndex.score($0, of: me) }.map(RecordDraft.score)
            writes.append((privateGroup, scores))
        }
        try await execute(.write(writes), with: [.keepSetting(name: Self.undoSetting, value: [])])
        return UndoReport(
            restored: restored.prefix(UndoReport.maximumListed).map { resultReport($0) },
            withdrawn: withdrawn.prefix(UndoReport.maximumListed).map { resultReport($0) },
            restoredCount: restored.count, withdrawnCount: withdrawn.count, keptCount: overwritten.count)
    }

    private func recordKey(_ key: ScoreKey) -> RecordKey {
        RecordKey(
            user: identity.user, kind: RecordKind.dailyScore.rawValue, subject: DailyScore.recordSubject(of: key))
    }

    private func withdrawnKeys(in writes: [(group: GroupID, drafts: [RecordDraft])]) -> [ScoreKey] {
        writes.flatMap(\.drafts).compactMap { draft in
            if case .withdrawnScore(let key) = draft { key } else { nil }
        }
    }

    // MARK: History

    /// How much of what is recorded already a group is to get.
    enum History {
        /// The results of so many days back from today.
        case days(Int)
        case all

        /// As requests name it.
        init(_ days: Int?) { self = days.map(History.days) ?? .all }
    }

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
}

extension RecordDraft {
    /// The result it is about.
    var scoreKey: ScoreKey? {
        switch self {
        case .score(let score): score.key
        case .withdrawnScore(let key): key
        case .content, .again, .copy: nil
        }
    }
}
