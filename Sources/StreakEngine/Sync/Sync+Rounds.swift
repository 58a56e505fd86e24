import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

extension Sync {
    /// Gives up an exchange with a device that may hear nothing about the group any longer, or from which this device
    /// may hear nothing more of it.
    ///
    /// - Returns: whether there was one, or one was to come.
    mutating func endRound(over link: LinkID, in group: GroupID, core: inout EngineCore) -> Bool {
        guard let key = core.sessions[link]?.key, let peer = peers[link, group] else { return false }
        let isOwed = peer.round != nil || peer.comparison != nil || peer.resumption != nil
        peers[link, group]?.comparison = nil
        peers[link, group]?.resumption = nil
        guard peer.round != nil else { return isOwed }
        peers[link, group]?.round = nil
        roundEnded(of: group, core: &core)
        if let device = core.deviceID(of: key) { core.publish(.syncEnded(group, device)) }
        return isOwed
    }

    /// The peer has more records of an author that is over its pace: they are fetched later.
    mutating func resumeLater(_ group: GroupID, over link: LinkID, at turn: MonotonicInstant) {
        if peers[link, group]?.resumption == nil { peers[link, group]?.resumption = (turn, false) }
    }

    mutating func startRound(over link: LinkID, group: GroupID, comparingAll: Bool, core: inout EngineCore) {
        guard let session = core.sessions[link], var peer = peers[link, group], let replica = core.groups[group],
            let device = replica.state.device(linkKey: session.key)?.device
        else { return }
        guard peer.round == nil else {
            peer.round?.asksAgain = true
            peers[link, group] = peer
            return
        }
        peer.round = SyncRound(comparesAll: comparingAll, deadline: core.now.advanced(by: SyncRound.patience))
        peers[link, group] = peer
        core.publish(.syncBegan(group, device))
        let cursor = comparingAll ? nil : core.local[Cursor.self, group, device]
        core.send(
            .tipsRequested(
                replica.handle, store: cursor?.store ?? StoreID(bytes: .zero), arrival: cursor?.arrival ?? 0),
            over: link)
    }

    mutating func receivedTips(_ tips: TipsMessage, of group: GroupID, over link: LinkID, core: inout EngineCore) {
        guard var round = peers[link, group]?.round, round.stage == .awaitingTips else { return }
        round.arrival = tips.arrival
        if round.operationTips.count + round.feedTips.count < SyncRound.maximumTips {
            round.operationTips += tips.operations
            round.feedTips += tips.feeds
        }
        round.deadline = core.now.advanced(by: SyncRound.patience)
        if tips.isFinal { round.stage = .storing }
        peers[link, group]?.round = round
        if tips.isFinal { continueRound(link, group, core: &core) }
    }

    /// Asks for what is still missing, the ledger first. Ends the round if nothing is missing.
    ///
    /// - Parameter isOverdue: whether other peers took too long for what they were asked.
    mutating func continueRound(_ link: LinkID, _ group: GroupID, isOverdue: Bool = false, core: inout EngineCore) {
        guard var round = peers[link, group]?.round, round.stage == .storing, let replica = core.groups[group]
        else { return }
        round.awaitsOthers = false
        round.deadline = core.now.advanced(by: SyncRound.patience)
        round.fruitfulFeeds = []
        round.refusedFeeds = []
        if round.operationTips.contains(where: { !replica.ledger.contains($0.operation) }) {
            round.operationTips = []
            round.stage = .awaitingOperations
            peers[link, group]?.round = round
            core.send(.operationsRequested(replica.handle, known: replica.namedTips), over: link)
            return
        }
        round.feedTips.removeAll { !replica.lacks($0) }
        let plan = plan(&round, of: group, over: link, core: &core)
        guard !plan.feeds.isEmpty else {
            round.asked = []
            peers[link, group]?.round = round
            let end: RoundEnd = round.deferredUntil != nil ? .deferred : round.wasRefused ? .fruitless : .caughtUp
            return endRound(over: link, group: group, as: end, core: &core)
        }
        let newest = plan.missingCount > SyncPlan.newestThreshold ? plan.newest(except: round.newestAsked) : []
        round.newestAsked.formUnion(newest.map(\.feed))
        round.asksNewest = !newest.isEmpty
        round.asked = newest
        if newest.isEmpty { round.asked = plan.next(limit: SyncRound.feedsPerRequest, repeating: isOverdue) }
        guard !round.asked.isEmpty || isOverdue else {
            round.awaitsOthers = true
            round.deadline = core.now.advanced(by: SyncRound.otherPeerTimeout)
            peers[link, group]?.round = round
            return
        }
        round.stage = .awaitingRuns
        round.receivedSize = 0
        peers[link, group]?.round = round
        core.send(.runsRequested(replica.handle, round.asked), over: link)
    }

    /// What may be asked for now: what is missing, except records of authors that are over their pace.
    private mutating func plan(_ round: inout SyncRound, of group: GroupID, over link: LinkID, core: inout EngineCore)
        -> SyncPlan
    {
        var feeds: [SyncPlan.Feed] = []
        var points = 0
        for claimed in round.feedTips {
            if let author = core.pacedAuthor(of: claimed.feed, in: group), !core.budget.isReady(author, at: core.now) {
                let turn = core.budget.nextRecords(of: author, at: core.now)
                round.deferredUntil = min(round.deferredUntil ?? turn, turn)
                continue
            }
            if let backfill = core.groups[group]?.backfillRequest(for: claimed) {
                points += backfill.held.count
                round.requestedBackfills.insert(claimed.feed)
                feeds.append(SyncPlan.Feed(claimed: claimed, held: backfill.held, own: nil, backfill: backfill))
                continue
            }
            round.requestedBackfills.remove(claimed.feed)
            let feed = core.groups[group]?.feeds[claimed.feed]
            let own = feed?.mainTip.number ?? 0
            let goesOn =
                own < claimed.tip.number && !(feed?.isForked ?? false) && !round.partedFeeds.contains(claimed.feed)
            // A tip that is not ahead of ours lies on another branch.
            let held = goesOn ? [feed?.mainTip].compactMap(\.self).filter { $0.number > 0 } : feed?.locator ?? []
            points += held.count
            guard feeds.isEmpty || points <= SyncRound.pointsPerRequest else { break }
            feeds.append(SyncPlan.Feed(claimed: claimed, held: held, own: goesOn ? own : nil))
        }
        var taken: [FeedID: [ClosedRange<UInt64>]] = [:]
        for other in peers.links(of: group, where: { $0.stage == .awaitingRuns }) where other != link {
            for wanted in peers[other, group]?.round?.asked ?? [] {
                if let numbers = wanted.numbers { taken[wanted.feed, default: []].append(numbers) }
            }
        }
        return SyncPlan(feeds: feeds, ahead: core.groups[group]?.ahead ?? AheadRuns(), taken: taken)
    }

    mutating func receivedRuns(
        _ runs: [Run], isFinal: Bool, isComplete: Bool, of group: GroupID, over link: LinkID, core: inout EngineCore
    ) {
        guard var round = peers[link, group]?.round, round.stage == .awaitingRuns else { return }
        var change = DurableChange()
        var merged: [MergedRecord] = []
        var isCutOff = false
        for run in runs {
            round.receivedSize += run.packed.count
            guard round.receivedSize <= SyncRound.maximumAnswerSize else {
                core.links.close(link, at: core.now)
                break
            }
            if let author = core.pacedAuthor(of: run.feed, in: group),
                !core.budget.takesAnswer(of: author, at: core.now)
            {
                let turn = core.budget.nextRecords(of: author, at: core.now)
                round.deferredUntil = min(round.deferredUntil ?? turn, turn)
                continue
            }
            do {
                let news = try takeRun(run, of: group, pieces: &round.pieces, change: &change, core: &core)
                if news != nil {
                    round.fruitfulFeeds.insert(run.feed)
                } else {
                    isCutOff = !core.charge(.redundantRecords, run.count, over: link)
                }
                merged += news ?? []
            } catch {
                if error == .limitReached { round.refusedFeeds.insert(run.feed) }
                if error == .differentHistory { round.partedFeeds.insert(run.feed) }
                isCutOff = !core.refused(run, because: error, in: group, over: link)
            }
            if isCutOff { break }
        }
        round.deadline = core.now.advanced(by: SyncRound.patience)
        round.receivedAnything = round.receivedAnything || !round.fruitfulFeeds.isEmpty
        if isFinal {
            round.stage = .storing
            round.pieces = UnsignedPieces()
        }
        if isFinal, !round.asksNewest, round.fruitfulFeeds.isEmpty || !round.refusedFeeds.isEmpty {
            // What the peer does not send, or what cannot be used, is not asked for again in this round: it must not keep
            // other feeds waiting. What another peer brought meanwhile does not matter here.
            let asked = Set(round.asked.filter { !hasGrown($0, in: group, core: core) }.map(\.feed))
            var refused =
                round.fruitfulFeeds.isEmpty
                ? asked : asked.intersection(round.refusedFeeds.subtracting(round.fruitfulFeeds))
            // It was asked for as a continuation of what is held, and turned out to be another branch. The next request
            // finds where it leaves ours.
            let continued = round.asked.filter { $0.numbers != nil && !round.requestedBackfills.contains($0.feed) }
            refused.subtract(round.partedFeeds.intersection(continued.map(\.feed)))
            for feed in refused.intersection(round.requestedBackfills).sorted() {
                core.groups[group]?.cancelBackfill(of: feed)
            }
            round.feedTips.removeAll { refused.contains($0.feed) }
            round.wasRefused = round.wasRefused || round.fruitfulFeeds.isEmpty || !refused.isEmpty
        }
        peers[link, group]?.round = round
        for feed in Set(change.runs.map(\.run.feed)).sorted() { core.compact(feed, in: group, change: &change) }
        let others = isFinal ? awaitingRounds(of: group).map { Work.continueRound($0, group) } : []
        core.persistMerge(
            change, of: group, merged: merged, then: isFinal ? [.continueRound(link, group)] + others : [])
    }

    /// Links whose round waits for what other peers were asked.
    private func awaitingRounds(of group: GroupID) -> [LinkID] {
        peers.links(of: group) { $0.awaitsOthers }
    }

    /// Whether more of a feed is here than when it was asked for.
    private func hasGrown(_ asked: RunsWanted, in group: GroupID, core: EngineCore) -> Bool {
        core.groups[group]?.feeds[asked.feed]?.mainTip.number ?? 0 > asked.held.map(\.number).max() ?? 0
    }

    /// Stores one run of an answer, or holds it until its predecessors come. Nil if it contains nothing new.
    private mutating func takeRun(
        _ run: Run, of group: GroupID, pieces: inout UnsignedPieces, change: inout DurableChange, core: inout EngineCore
    ) throws(ReplicationError) -> [MergedRecord]? {
        if run.isUnsigned {
            pieces.hold(run)
            return try core.groups[group]?.noteBackfill(run) ?? false ? [] : nil
        }
        let before = pieces.take(before: run)
        if before.isEmpty, core.groups[group]?.isAhead(run) ?? false {
            let merged = try core.groups[group]?.holdAhead(run, wall: core.wall)
            if merged != nil { core.noteOwnFeed(run.feed, in: group, change: &change) }
            return merged
        }
        guard
            let (reception, merged) = try core.groups[group]?.receive(
                run, behind: before, arrival: core.journal.nextArrival, wall: core.wall)
        else { return nil }
        core.recordReception(reception, of: run.feed, in: group, change: &change)
        return reception.isDuplicate && !reception.extendsBackfill ? nil : merged
    }

    /// How an exchange ended.
    enum RoundEnd: Sendable, Equatable {
        /// Everything that the peer named is here.
        case caughtUp
        /// The peer did not send what it had named, or none of it was valid.
        case fruitless
        /// Authors were over their pace: their records come later.
        case deferred
        case unanswered
    }

    mutating func endRound(over link: LinkID, group: GroupID, as end: RoundEnd, core: inout EngineCore) {
        guard let session = core.sessions[link], let peer = peers[link, group], let round = peer.round,
            let replica = core.groups[group]
        else { return }
        peers[link, group]?.round = nil
        if end == .caughtUp { keepCursor(round.arrival, of: group, over: link, core: &core) }
        let theirs = peer.digest
        if let until = round.deferredUntil, end != .unanswered {
            peers[link, group]?.resumption = (until, round.comparesAll)
        } else if let theirs, theirs != replica.digest, !round.receivedAnything, end != .unanswered {
            peers[link, group]?.settled = (theirs, replica.digest, round.comparesAll || end == .fruitless)
            _ = core.charge(.fruitlessRounds, over: link)
        }
        roundEnded(of: group, core: &core)
        if let device = core.deviceID(of: session.key) { core.publish(.syncEnded(group, device)) }
        if round.receivedAnything { tellDigest(of: group, except: nil, core: &core) }
        core.post(.roundEnded(group, link))
        // News in a digest meanwhile is independent of what was deferred or refused.
        if end != .unanswered, round.asksAgain {
            return startRound(over: link, group: group, comparingAll: false, core: &core)
        }
        // If digests still differ, the peer lacks something and is about to ask; or the cursor belonged to another copy
        // of its store, and all tips have to be compared.
        if theirs != replica.digest { compareSoon(group, over: link, core: core) }
    }

    /// Lets other links ask for what this peer was asked for. If no exchange is left, nobody brings the predecessors of
    /// runs held ahead, so those are dropped.
    mutating func roundEnded(of group: GroupID, core: inout EngineCore) {
        for other in awaitingRounds(of: group) { continueRound(other, group, core: &core) }
        guard core.groups[group]?.ahead.isEmpty == false else { return }
        guard peers.links(of: group, where: { _ in true }).isEmpty else { return }
        core.groups[group]?.dropAhead()
        core.persistMerge(DurableChange(), of: group, merged: [], then: [])
    }

    /// Continues with authors that were over their pace.
    mutating func resumeRound(of group: GroupID, over link: LinkID, core: inout EngineCore) {
        guard let resumption = peers[link, group]?.resumption, resumption.at <= core.now else { return }
        peers[link, group]?.resumption = nil
        guard core.access(of: link, in: group).contains(.records) else { return }
        startRound(over: link, group: group, comparingAll: resumption.comparesAll, core: &core)
    }

    mutating func endOverdueRound(of group: GroupID, over link: LinkID, core: inout EngineCore) {
        guard let round = peers[link, group]?.round, round.deadline <= core.now else { return }
        // If our own disk is slow, it is not the peer's fault.
        if round.awaitsOthers {
            continueRound(link, group, isOverdue: true, core: &core)
        } else if round.stage == .storing {
            peers[link, group]?.round?.deadline = core.now.advanced(by: SyncRound.patience)
        } else {
            endRound(over: link, group: group, as: .unanswered, core: &core)
        }
    }
}
