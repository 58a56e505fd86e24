import StreakEngine
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakStorage
import StreakWire

/// One change of this user's results, and the groups that get it besides the private one.
struct ResultChange {
    var draft: RecordDraft
    var groups: [GroupID]
    /// False if the private group knows it and only other groups learn it.
    var isNews = true
    /// Whether the user chose these groups by hand. Then publishing older history later leaves the result out. Nil
    /// keeps the present choice.
    var isChosen: Bool?
}

/// Which results go to which groups.
extension Results {
    private static let undoSetting = "undo"

    /// The groups that the request names; nil for all that share the game.
    ///
    /// - Throws: `sharingStopped` for a group that gets nothing new; with `sharingOnly`, such groups are left out.
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

    /// The change that records a result. A new result goes to the chosen groups, or to all that share its game. A
    /// changed result goes to the groups that have it, and to the chosen ones.
    func change(recording score: DailyScore, isNew: Bool, chosen: [GroupID]?) -> ResultChange {
        guard !isNew else {
            let groups = chosen ?? core.takers(of: score.game)
            return ResultChange(draft: .score(score), groups: groups, isChosen: chosen != nil)
        }
        let holders = core.groups(holding: score.key).filter { core.mayPublish(score.game, in: $0) }
        return ResultChange(
            draft: .score(score), groups: holders + (chosen ?? []).filter { !holders.contains($0) })
    }

    /// The same for many results at once. All results of a game go to the same groups.
    func changes(recording scores: [DailyScore], replacing: [DailyScore]) -> [ResultChange] {
        let groups = core.memberGroups
        var targets: [GameID: [GroupID]] = [:]
        for game in Set(scores.map(\.game)) { targets[game] = groups.filter { core.publishes(game, in: $0) } }
        return scores.map { ResultChange(draft: .score($0), groups: targets[$0.game] ?? [], isChosen: false) }
            + replacing.map { change(recording: $0, isNew: false, chosen: nil) }
    }

    /// The change that publishes a recorded result in more groups; nil if all have it.
    func change(publishing score: DailyScore, in chosen: [GroupID]?) -> ResultChange? {
        let targets = chosen ?? core.takers(of: score.game)
        let lacking = targets.filter { group in
            core.published(score.key, in: group).map { !$0.isSame(as: score) } ?? true
        }
        guard !lacking.isEmpty else { return nil }
        return ResultChange(
            draft: .score(score), groups: lacking, isNews: false, isChosen: chosen == nil ? false : nil)
    }

    /// The records of these changes for one group.
    private func drafts(of changes: [ResultChange], in group: GroupID) -> [RecordDraft] {
        changes.map { change in
            guard case .score(let score) = change.draft else { return change.draft }
            return change.isNews ? .score(core.contending(score)) : core.publication(of: score, in: group)
        }
    }

    /// The change that withdraws a result. It reaches exactly the groups that have the result: others would learn that
    /// it was played.
    func change(withdrawing key: ScoreKey) -> ResultChange {
        ResultChange(draft: .withdrawnScore(key), groups: core.groups(holding: key), isChosen: false)
    }

    /// Writes changes, what takes them back, and the texts that they came from, in one transaction. Returns the groups
    /// that got them.
    ///
    /// - Parameter confirmed: results that the user recorded again unchanged.
    func write(
        _ changes: [ResultChange], confirming confirmed: [ScoreKey] = [], keeping texts: [ShareText] = []
    ) async throws -> [String] {
        let settings = core.accountSettings
        let changed = changes.filter(\.isNews).compactMap(\.draft.scoreKey)
        let settled = Set(confirmed + changed).sorted().compactMap(settings.draft(settling:))
        guard !changes.isEmpty else {
            if !settled.isEmpty { try await loop.storeSettings(settled) }
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
            of: writes, heldIn: { core.views[$0]?.index ?? ScoreIndex() }, by: core.me)
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
        let overwritten = overwrittenKeys(of: log)
        var writes = log.writes(toGroups: core.ownGroups, keeping: overwritten)
        let drafts = writes.first { $0.group == core.privateGroup }?.drafts ?? []
        let withdrawn = drafts.compactMap { draft -> DailyScore? in
            guard case .withdrawnScore(let key) = draft else { return nil }
            return core.ownIndex.score(key, of: core.me)
        }
        let restored = drafts.compactMap { draft -> DailyScore? in
            guard case .score(let score) = draft else { return nil }
            return score
        }
        // A withdrawal takes place even in groups that get nothing new.
        for index in writes.indices where writes[index].group != core.privateGroup {
            let group = writes[index].group
            writes[index].drafts.removeAll { draft in
                if case .score(let score) = draft { !core.mayPublish(score.game, in: group) } else { false }
            }
        }
        // What only shared groups lose is written again in the private group, which is then newer than theirs.
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

    /// The results that another machine of this user has changed since: undo leaves them alone. One that has only written
    /// the same again, in a group that it learned of later, has changed nothing.
    private func overwrittenKeys(of log: UndoLog) -> Set<ScoreKey> {
        let groups = Set(core.ownGroups)
        var keys: Set<ScoreKey> = []
        for (group, changes) in log.changesByGroup where groups.contains(group) {
            for change in changes {
                let key = recordKey(change.key)
                guard let writer = core.engine.writer(of: key, in: group), writer != core.identity.device,
                    let standing = core.engine.mergedRecord(key, of: group), !standing.tells(change.written)
                else { continue }
                keys.insert(change.key)
            }
        }
        return keys
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
    /// The result that this draft is about.
    /// The result that it states; nil if it states none.
    var score: DailyScore? { if case .score(let score) = self { score } else { nil } }

    var scoreKey: ScoreKey? {
        switch self {
        case .score(let score): score.key
        case .withdrawnScore(let key): key
        case .content, .again, .copy: nil
        }
    }
}
