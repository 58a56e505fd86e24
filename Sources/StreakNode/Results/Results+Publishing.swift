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
extension Results {
    private static let undoSetting = "undo"

    /// The groups that a user named; nil where all that share the game are meant.
    ///
    /// - Throws: `sharingStopped` for one that gets nothing new; with `sharingOnly` that is left out.
    func chosenGroups(_ selectors: [String]?, sharingOnly: Bool = false) throws -> [GroupID]? {
        guard let selectors else { return nil }
        var chosen: [GroupID] = []
        for selector in selectors {
            let group = try core.group(selector)
            if sharingOnly, !core.isSharing(in: group) { continue }
            try core.checkMembership(of: group)
            try core.checkSharing(in: group)
            if !chosen.contains(group) { chosen.append(group) }
        }
        return chosen
    }

    /// A new result goes to the chosen groups, or to all that share its game. One that takes the place of another goes
    /// where that stands, and to the chosen groups.
    func change(recording score: DailyScore, isNew: Bool, chosen: [GroupID]?) -> ResultChange {
        guard !isNew else {
            let groups = chosen ?? core.takers(of: score.game)
            return ResultChange(draft: .score(score), groups: groups, isChosen: chosen != nil)
        }
        let holders = core.groups(holding: score.key).filter { core.mayPublish(score.game, in: $0) }
        return ResultChange(
            draft: .score(score), groups: holders + (chosen ?? []).filter { !holders.contains($0) })
    }

    /// The same for many results at once: those of one game go to the same groups.
    func changes(recording scores: [DailyScore], replacing: [DailyScore]) -> [ResultChange] {
        let groups = core.memberGroups
        var targets: [GameID: [GroupID]] = [:]
        for game in Set(scores.map(\.game)) { targets[game] = groups.filter { core.publishes(game, in: $0) } }
        return scores.map { ResultChange(draft: .score($0), groups: targets[$0.game] ?? [], isChosen: false) }
            + replacing.map { change(recording: $0, isNew: false, chosen: nil) }
    }

    /// What is recorded already goes to these groups, too; nil where all have it.
    func change(publishing score: DailyScore, in chosen: [GroupID]?) -> ResultChange? {
        let targets = chosen ?? core.takers(of: score.game)
        let lacking = targets.filter { group in
            core.published(score.key, in: group).map { !$0.isSame(as: score) } ?? true
        }
        guard !lacking.isEmpty else { return nil }
        return ResultChange(
            draft: .score(score), groups: lacking, isNews: false, isChosen: chosen == nil ? false : nil)
    }

    /// Changes as a group is told of them.
    private func drafts(of changes: [ResultChange], in group: GroupID) -> [RecordDraft] {
        changes.map { change in
            guard case .score(let score) = change.draft else { return change.draft }
            return change.isNews ? .score(core.contending(score)) : core.publication(of: score, in: group)
        }
    }

    /// A withdrawal reaches every group that the result stands in, and no other: it would tell what was played.
    func change(withdrawing key: ScoreKey) -> ResultChange {
        ResultChange(draft: .withdrawnScore(key), groups: core.groups(holding: key), isChosen: false)
    }

    /// Writes changes, with what takes them back and the texts they came from, in one transaction. Returns the groups they
    /// were published in.
    ///
    /// - Parameter confirmed: what the user recorded again as it stands.
    func write(
        _ changes: [ResultChange], confirming confirmed: [ScoreKey] = [], keeping texts: [ShareText] = []
    ) async throws -> [String] {
        let settings = core.accountSettings
        let changed = changes.filter(\.isNews).compactMap(\.draft.scoreKey)
        let settled = Set(confirmed + changed).sorted().compactMap(settings.draft(settling:))
        guard !changes.isEmpty else {
            if !settled.isEmpty { try await loop.keep(settled) }
            return []
        }
        let choices = changes.compactMap { change -> RecordDraft? in
            guard let key = change.draft.scoreKey, let isChosen = change.isChosen else { return nil }
            return settings.draft(making: isChosen, holdFor: key)
        }
        let news = changes.filter(\.isNews)
        let kept = core.keptDefinitions(of: Set(news.compactMap { $0.draft.scoreKey?.game })) + choices + settled
        var writes = core.privateGroup.map { [(group: $0, drafts: drafts(of: news, in: $0) + kept)] } ?? []
        writes.removeAll { $0.drafts.isEmpty }
        let shared = core.memberGroups.map { group in
            (group: group, drafts: drafts(of: changes.filter { $0.groups.contains(group) }, in: group))
        }
        writes += shared.filter { !$0.drafts.isEmpty }
        let log = UndoLog(
            undoing: writes, in: { core.views[$0]?.index ?? ScoreIndex() }, of: core.me)
        let undo = Command.keepSetting(name: Self.undoSetting, value: log.encoded(at: core.clock.wallTime))
        try await loop.execute(.write(writes), with: [undo], keeping: texts)
        return writes.map(\.group).filter { $0 != core.privateGroup }.map(\.description)
    }

    /// Takes back the last change.
    func undo() async throws -> UndoReport {
        guard let bytes = core.engine.setting(Self.undoSetting), !bytes.isEmpty, let log = try? UndoLog(decoding: bytes)
        else {
            throw NodeFailure.nothingToUndo  // none, or one of another version
        }
        var writes = log.writes(toGroups: core.ownGroups)
        // What another machine of this user has written since is not this change's to take back.
        let overwritten = Set(
            writes.flatMap { group, drafts in
                drafts.compactMap(\.scoreKey).filter { key in
                    core.engine.writer(of: recordKey(key), in: group).map { $0 != core.identity.device } ?? false
                }
            })
        for index in writes.indices {
            writes[index].drafts.removeAll { $0.scoreKey.map(overwritten.contains) ?? false }
        }
        let drafts = writes.first { $0.group == core.privateGroup }?.drafts ?? []
        let withdrawn = drafts.compactMap { draft -> DailyScore? in
            guard case .withdrawnScore(let key) = draft else { return nil }
            return core.ownIndex.score(key, of: core.me)
        }
        let restored = drafts.compactMap { draft -> DailyScore? in
            guard case .score(let score) = draft else { return nil }
            return score
        }
        // Where nothing new is published, a withdrawal still is none.
        for index in writes.indices where writes[index].group != core.privateGroup {
            let group = writes[index].group
            writes[index].drafts.removeAll { draft in
                if case .score(let score) = draft { !core.mayPublish(score.game, in: group) } else { false }
            }
        }
        // What only shared groups lose is written again in the private one, which then knows better than they.
        let kept = Set(withdrawnKeys(in: writes.filter { $0.group != core.privateGroup })).subtracting(
            drafts.map(\.scoreKey).compactMap(\.self))
        if let privateGroup = core.privateGroup, !kept.isEmpty {
            let scores = kept.sorted { $0 < $1 }.compactMap { core.ownIndex.score($0, of: core.me) }.map(
                RecordDraft.score)
            writes.append((privateGroup, scores))
        }
        try await loop.execute(.write(writes), with: [.keepSetting(name: Self.undoSetting, value: [])])
        return UndoReport(
            restored: restored.prefix(UndoReport.maximumListed).map { core.resultReport($0) },
            withdrawn: withdrawn.prefix(UndoReport.maximumListed).map { core.resultReport($0) },
            restoredCount: restored.count, withdrawnCount: withdrawn.count, keptCount: overwritten.count)
    }

    private func recordKey(_ key: ScoreKey) -> RecordKey {
        RecordKey(
            user: core.identity.user, kind: RecordKind.dailyScore.rawValue, subject: DailyScore.recordSubject(of: key))
    }

    private func withdrawnKeys(in writes: [(group: GroupID, drafts: [RecordDraft])]) -> [ScoreKey] {
        writes.flatMap(\.drafts).compactMap { draft in
            if case .withdrawnScore(let key) = draft { key } else { nil }
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
