import StreakLinks
import StreakMembership
public import StreakReplication
import StreakWire

/// Catching up: digests say whether, tips say what, runs bring it (Protocol/sync.md §4).
extension MeshEngine {
    // MARK: Telling

    mutating func sendDigest(of group: GroupID, over link: LinkID) {
        guard let replica = groups[group] else { return }
        let count = UInt64(replica.countingRecords)
        let clock = UInt64(clamping: wall.seconds)
        sessions[link]?.groups[group]?.announced = replica.digest
        send(
            .digest(replica.handle, replica.digest, arrival: storedArrival, count: count, clock: clock), over: link)
    }

    /// Keeps what a member says of its copy and of the time.
    mutating func noteTold(
        _ digest: GroupDigest, count: UInt64, clock: UInt64, of group: GroupID, over link: LinkID
    ) {
        guard let session = sessions[link],
            let device = groups[group]?.state.device(linkKey: session.key), device.isCurrent
        else { return }
        told[CursorKey(group: group, peer: device.device)] = ToldState(digest: digest, recordCount: count)
        sessions[link]?.clock = PeerClock(seconds: Int64(clamping: clock), at: now)
        if session.clock == nil { publish(.clockHeard(device.device)) }
    }

    func tellable(_ group: GroupID, except source: LinkID?) -> [LinkID] {
        links(sharing: group).filter { $0 != source }
    }

    mutating func tellDigest(of group: GroupID, except source: LinkID?) {
        for link in tellable(group, except: source) { sendDigest(of: group, over: link) }
    }

    // MARK: Differences

    /// Acts on what two ends of a link do not know to be equal: tells the peer the digest, where it was told another;
    /// else asks the peer, where it has told another. While an exchange is under way, or is put off, that settles it.
    ///
    /// This is a fact of the link's state: whatever message or chance made the ends differ, each looks again as long as
    /// they do, `comparisonDelay` after the last time. Only a pair of digests for which an exchange of all tips has
    /// brought nothing is left alone.
    mutating func settleDifference(in group: GroupID, over link: LinkID) {
        sessions[link]?.groups[group]?.comparison = nil
        guard let ours = groups[group]?.digest, let session = sessions[link], let peer = session.groups[group],
            isAuthorised(link, in: group), peer.round == nil, peer.resumption == nil
        else { return }
        if peer.announced != ours {
            sendDigest(of: group, over: link)
            // The peer answers, or the next look asks it.
            if peer.digest != ours { compareSoon(group, over: link) }
            return
        }
        guard let theirs = peer.digest, theirs != ours else { return }
        let settled = peer.settled.flatMap { $0.theirs == theirs && $0.ours == ours ? $0 : nil }
        if settled?.comparedAll ?? false { return }
        let turn = conduct[session.key]?.nextRound(at: now) ?? now
        guard turn <= now else {
            sessions[link]?.groups[group]?.comparison = turn
            return
        }
        startRound(over: link, group: group, comparingAll: settled != nil)
    }

    mutating func compareSoon(_ group: GroupID, over link: LinkID) {
        guard let peer = sessions[link]?.groups[group], peer.comparison == nil else { return }
        sessions[link]?.groups[group]?.comparison = now.advanced(by: Self.comparisonDelay)
    }

    /// Looks at every link whose time has come.
    mutating func actOnDifferences() {
        for link in sessions.keys {
            for group in sessions[link]?.groups.keys.sorted() ?? [] {
                guard let due = sessions[link]?.groups[group]?.comparison, due <= now else { continue }
                settleDifference(in: group, over: link)
            }
        }
    }

    /// Looks at every link of a group that has changed.
    mutating func settleDifferences(in group: GroupID) {
        for link in links(sharing: group) { settleDifference(in: group, over: link) }
    }

    /// Tells every link the group's digest in a moment, once for all that changes until then.
    mutating func announceSoon(_ group: GroupID, except source: LinkID?) {
        guard !tellable(group, except: source).isEmpty, announcements[group] == nil else { return }
        announcements[group] = now.advanced(by: Self.announcementDelay)
    }

    // MARK: A round

    mutating func receivedDigest(_ digest: GroupDigest, arrival: UInt64, of group: GroupID, over link: LinkID) {
        guard let session = sessions[link], var peer = session.groups[group], let replica = groups[group] else {
            return
        }
        let isFirst = peer.digest == nil
        peer.digest = digest
        peer.arrival = arrival
        sessions[link]?.groups[group] = peer
        // A peer that has just come to know the group on this link may have dropped what it was told before.
        if isFirst { sendDigest(of: group, over: link) }
        guard digest != replica.digest else {
            if peer.round == nil {
                keepCursor(arrival, of: group, over: link)
                completeJoins(of: group, over: link)
            }
            // The peer was told another digest, and would ask for what is not there.
            if !isFirst, peer.announced != digest { sendDigest(of: group, over: link) }
            return
        }
        let settled = peer.settled.flatMap { $0.theirs == digest && $0.ours == replica.digest ? $0 : nil }
        if settled?.comparedAll ?? false { return }
        if let turn = conduct[session.key]?.nextRound(at: now), turn > now {
            sessions[link]?.groups[group]?.comparison = turn
            return
        }
        startRound(over: link, group: group, comparingAll: settled != nil)
    }

    mutating func startRound(over link: LinkID, group: GroupID, comparingAll: Bool) {
        guard let session = sessions[link], var peer = session.groups[group], let replica = groups[group],
            let device = replica.state.device(linkKey: session.key)?.device
        else { return }
        guard peer.round == nil else {
            peer.round?.asksAgain = true
            sessions[link]?.groups[group] = peer
            return
        }
        peer.round = SyncRound(comparesAll: comparingAll, deadline: now.advanced(by: SyncRound.patience))
        sessions[link]?.groups[group] = peer
        publish(.syncBegan(group, device))
        let cursor = comparingAll ? nil : cursors[CursorKey(group: group, peer: device)]
        send(
            .tipsRequested(
                replica.handle, store: cursor?.store ?? StoreID(bytes: .zero), arrival: cursor?.arrival ?? 0),
            over: link)
    }

    /// Answers with the tips that changed since the asker's cursor; all where it knows another store, or the future.
    mutating func answerTips(store asked: StoreID, arrival: UInt64, of group: GroupID, over link: LinkID) {
        guard let replica = groups[group] else { return }
        let since = asked == store && arrival < nextArrival ? arrival : 0
        let tips = TipsMessage(
            arrival: storedArrival, isFinal: true, operations: replica.operationTips(changedSince: since),
            feeds: replica.countingTips(changedSince: since))
        send(.tips(replica.handle, tips), over: link)
    }

    mutating func receivedTips(_ tips: TipsMessage, of group: GroupID, over link: LinkID) {
        guard var round = sessions[link]?.groups[group]?.round, round.stage == .awaitingTips else { return }
        round.arrival = tips.arrival
        if round.operationTips.count + round.feedTips.count < SyncRound.maximumTips {
            round.operationTips += tips.operations
            round.feedTips += tips.feeds
        }
        round.deadline = now.advanced(by: SyncRound.patience)
        if tips.isFinal { round.stage = .storing }
        sessions[link]?.groups[group]?.round = round
        if tips.isFinal { continueRound(link, group) }
    }

    /// Asks for what is still missing: the ledger first. Ends the round where nothing is.
    ///
    /// - Parameter isOverdue: whether others took too long for what they were asked.
    mutating func continueRound(_ link: LinkID, _ group: GroupID, isOverdue: Bool = false) {
        guard var round = sessions[link]?.groups[group]?.round, round.stage == .storing, let replica = groups[group]
        else { return }
        round.awaitsOthers = false
        round.deadline = now.advanced(by: SyncRound.patience)
        round.fruitfulFeeds = []
        round.refusedFeeds = []
        if round.operationTips.contains(where: { !replica.ledger.contains($0.operation) }) {
            round.operationTips = []
            round.stage = .awaitingOperations
            sessions[link]?.groups[group]?.round = round
            send(.operationsRequested(replica.handle, known: replica.namedTips), over: link)
            return
        }
        round.feedTips.removeAll { !replica.lacks($0) }
        let plan = plan(&round, of: group, over: link)
        guard !plan.feeds.isEmpty else {
            round.asked = []
            sessions[link]?.groups[group]?.round = round
            let end: RoundEnd = round.deferredUntil != nil ? .deferred : round.wasRefused ? .fruitless : .caughtUp
            return endRound(over: link, group: group, as: end)
        }
        let newest = plan.missingCount > SyncPlan.newestThreshold ? plan.newest(except: round.newestAsked) : []
        round.newestAsked.formUnion(newest.map(\.feed))
        round.asksNewest = !newest.isEmpty
        round.asked = newest
        if newest.isEmpty { round.asked = plan.next(limit: SyncRound.feedsPerRequest, repeating: isOverdue) }
        guard !round.asked.isEmpty || isOverdue else {
            round.awaitsOthers = true
            round.deadline = now.advanced(by: SyncRound.turn)
            sessions[link]?.groups[group]?.round = round
            return
        }
        round.stage = .awaitingRuns
        round.receivedSize = 0
        sessions[link]?.groups[group]?.round = round
        send(.runsRequested(replica.handle, round.asked), over: link)
    }

    /// What may be asked for now: of what is missing, all but what authors bring too fast.
    private mutating func plan(_ round: inout SyncRound, of group: GroupID, over link: LinkID) -> SyncPlan {
        var feeds: [SyncPlan.Feed] = []
        var points = 0
        for claimed in round.feedTips {
            if let author = pacedAuthor(of: claimed.feed, in: group), !pacing.isReady(author, at: now) {
                let turn = pacing.nextTurn(of: author, at: now)
                round.deferredUntil = min(round.deferredUntil ?? turn, turn)
                continue
            }
            if let way = groups[group]?.wantedOnWay(of: claimed) {
                points += way.held.count
                round.waysAsked.insert(claimed.feed)
                feeds.append(SyncPlan.Feed(claimed: claimed, held: way.held, own: nil, way: way))
                continue
            }
            round.waysAsked.remove(claimed.feed)
            let feed = groups[group]?.feeds[claimed.feed]
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
        for other in sessions.keys where other != link {
            guard let round = sessions[other]?.groups[group]?.round, round.stage == .awaitingRuns else { continue }
            for wanted in round.asked {
                if let numbers = wanted.numbers { taken[wanted.feed, default: []].append(numbers) }
            }
        }
        return SyncPlan(feeds: feeds, ahead: groups[group]?.ahead ?? AheadRuns(), taken: taken)
    }

    /// Answers with runs up to the window; `isComplete` tells the asker whether it has to ask again.
    mutating func answerRuns(_ wanted: [RunsWanted], of group: GroupID, over link: LinkID) {
        guard let replica = groups[group] else { return }
        var runs: [Run] = []
        var size = 0
        var isComplete = wanted.count <= SyncRound.feedsPerRequest
        var comparisons = SyncRound.comparisonsPerAnswer
        for entry in wanted.prefix(SyncRound.feedsPerRequest) {
            guard size < SyncRound.answerSize else {
                isComplete = false
                break
            }
            let (more, all) = replica.runs(
                entry, maximumSize: SyncRound.answerSize - size, comparisons: &comparisons)
            runs += more
            size += more.reduce(0) { $0 + $1.packed.count }
            isComplete = isComplete && all
        }
        for batch in Self.batches(runs) {
            send(.runs(replica.handle, batch, isFinal: false, isComplete: true), over: link)
        }
        send(.runs(replica.handle, [], isFinal: true, isComplete: isComplete), over: link)
    }

    /// Runs gathered into messages of a good size.
    private static func batches(_ runs: [Run]) -> [[Run]] {
        var batches: [[Run]] = []
        var size = 0
        for run in runs {
            let weight = run.packed.count + 160
            if batches.isEmpty || size + weight > LinkMessage.preferredSize || batches[batches.count - 1].count == 256 {
                batches.append([])
                size = 0
            }
            batches[batches.count - 1].append(run)
            size += weight
        }
        return batches
    }

    mutating func receivedRuns(
        _ runs: [Run], isFinal: Bool, isComplete: Bool, of group: GroupID, over link: LinkID
    ) {
        guard var round = sessions[link]?.groups[group]?.round, round.stage == .awaitingRuns else { return }
        var change = DurableChange()
        var merged: [MergedRecord] = []
        var isCutOff = false
        for run in runs {
            round.receivedSize += run.packed.count
            guard round.receivedSize <= SyncRound.maximumAnswerSize else {
                links.close(link, at: now)
                break
            }
            if let author = pacedAuthor(of: run.feed, in: group), !pacing.takes(author, at: now) {
                let turn = pacing.nextTurn(of: author, at: now)
                round.deferredUntil = min(round.deferredUntil ?? turn, turn)
                continue
            }
            do {
                let news = try take(run, of: group, pieces: &round.pieces, change: &change)
                if news != nil {
                    round.fruitfulFeeds.insert(run.feed)
                } else {
                    isCutOff = !takeIdle(run.count, over: link)
                }
                merged += news ?? []
            } catch {
                if error == .limitReached { round.refusedFeeds.insert(run.feed) }
                if error == .differentHistory { round.partedFeeds.insert(run.feed) }
                isCutOff = !refused(run, because: error, in: group, over: link)
            }
            if isCutOff { break }
        }
        round.deadline = now.advanced(by: SyncRound.patience)
        round.receivedAnything = round.receivedAnything || !round.fruitfulFeeds.isEmpty
        if isFinal {
            round.stage = .storing
            round.pieces = UnsignedPieces()
        }
        if isFinal, !round.asksNewest, round.fruitfulFeeds.isEmpty || !round.refusedFeeds.isEmpty {
            // What the peer does not send, or nothing of which can be taken, is not asked for again in this round; it must
            // not keep other feeds waiting. What another peer brought meanwhile says nothing.
            let asked = Set(round.asked.filter { !hasGrown($0, in: group) }.map(\.feed))
            var refused =
                round.fruitfulFeeds.isEmpty
                ? asked : asked.intersection(round.refusedFeeds.subtracting(round.fruitfulFeeds))
            // Asked for as if it went on from here, while it leaves what is here earlier: the next request finds where.
            let goingOn = round.asked.filter { $0.numbers != nil && !round.waysAsked.contains($0.feed) }.map(\.feed)
            refused.subtract(round.partedFeeds.intersection(goingOn))
            for feed in refused.intersection(round.waysAsked).sorted() { groups[group]?.forgetWay(in: feed) }
            round.feedTips.removeAll { refused.contains($0.feed) }
            round.wasRefused = round.wasRefused || round.fruitfulFeeds.isEmpty || !refused.isEmpty
        }
        sessions[link]?.groups[group]?.round = round
        for feed in Set(change.runs.map(\.run.feed)).sorted() { compact(feed, in: group, change: &change) }
        let others = isFinal ? awaitingRounds(of: group).map { Deferred.continueRound($0, group) } : []
        persistMerge(
            change, of: group, merged: merged, then: isFinal ? [.continueRound(link, group)] + others : [])
    }

    /// Links whose exchange waits for what others were asked.
    private func awaitingRounds(of group: GroupID) -> [LinkID] {
        sessions.keys.filter { sessions[$0]?.groups[group]?.round?.awaitsOthers ?? false }
    }

    /// Whether more is here of a feed than there was when it was asked for.
    private func hasGrown(_ asked: RunsWanted, in group: GroupID) -> Bool {
        groups[group]?.feeds[asked.feed]?.mainTip.number ?? 0 > asked.held.map(\.number).max() ?? 0
    }

    /// Takes one run of an answer, or holds it until what precedes it comes. Nil where it is nothing new.
    private mutating func take(
        _ run: Run, of group: GroupID, pieces: inout UnsignedPieces, change: inout DurableChange
    ) throws(ReplicationError) -> [MergedRecord]? {
        if run.isUnsigned {
            pieces.hold(run)
            return try groups[group]?.takeNote(of: run) ?? false ? [] : nil
        }
        let before = pieces.take(before: run)
        if before.isEmpty, groups[group]?.isAhead(run) ?? false {
            let merged = try groups[group]?.holdAhead(run, wall: wall)
            if merged != nil { noteOwnFeed(run.feed, in: group, change: &change) }
            return merged
        }
        guard
            let (reception, merged) = try groups[group]?.receive(
                run, behind: before, arrival: nextArrival, wall: wall)
        else { return nil }
        note(reception, of: run.feed, in: group, change: &change)
        return reception.isDuplicate && !reception.showsWay ? nil : merged
    }

    /// Has the store keep what was taken under the next arrival, and what it joins up with; and its author pay for it.
    mutating func note(
        _ reception: FeedReplica.Reception, of feed: FeedID, in group: GroupID, change: inout DurableChange
    ) {
        var weight = 0
        var next: FeedReplica.Reception? = reception
        while let reception = next {
            if !reception.isDuplicate {
                _ = takeArrival()
                var part = DurableChange()
                part.removedRuns = reception.removed
                part.runs = reception.stored
                change.append(part)
                weight += reception.stored.reduce(0) {
                    $0 + Pacing.weight(count: $1.run.count, packedSize: $1.run.packed.count)
                }
            }
            next = groups[group]?.closeGap(in: feed, arrival: nextArrival)
        }
        guard weight > 0 else { return }
        noteOwnFeed(feed, in: group, change: &change)
        if let author = pacedAuthor(of: feed, in: group) { pacing.charge(author, weight: weight, at: now) }
    }

    /// Whose pace a feed's records are held to: nil for this account's own.
    func pacedAuthor(of feed: FeedID, in group: GroupID) -> Pacing.Author? {
        guard let user = groups[group]?.state.device(feed.device)?.user, user != identity.user else { return nil }
        return Pacing.Author(group: group, user: user)
    }

    /// Notes records that were looked at and brought nothing. False where the peer has sent too many: the link is closed.
    mutating func takeIdle(_ weight: Int, over link: LinkID) -> Bool {
        guard let key = sessions[link]?.key else { return false }
        if conduct[key, default: Conduct()].takeIdle(weight, at: now) { return true }
        links.close(link, at: now)
        return false
    }

    /// Notes a run that is not taken. False where the peer has sent too many that no honest device passes on, or that have
    /// no place here: each costs some work, and the link is closed.
    mutating func refused(_ run: Run, because error: ReplicationError, in group: GroupID, over link: LinkID) -> Bool {
        publish(.runRefused(group, error))
        switch error {
        case .malformed, .invalidSignature:
            guard let key = sessions[link]?.key else { return false }
            if conduct[key, default: Conduct()].takeForgery(at: now) { return true }
            links.close(link, at: now)
            return false
        case .gap, .differentHistory: return takeIdle(Conduct.misplacedWeight, over: link)
        case .limitReached:
            // Its author has signed it, and made this node look at the branches that are held.
            if groups[group]?.feeds[run.feed] != nil, let author = pacedAuthor(of: run.feed, in: group) {
                pacing.charge(author, weight: Pacing.refusedBranchWeight, at: now)
            }
            return true
        case .unknownAuthor, .pastCut: return true
        }
    }

    /// How an exchange came to its end.
    enum RoundEnd: Sendable, Equatable {
        /// All that the peer named is here.
        case caughtUp
        /// The peer did not send what it had named, or nothing of it was valid.
        case fruitless
        /// Authors were over their pace: what they wrote comes later.
        case deferred
        case unanswered
    }

    mutating func endRound(over link: LinkID, group: GroupID, as end: RoundEnd) {
        guard let session = sessions[link], let round = session.groups[group]?.round, let replica = groups[group]
        else { return }
        sessions[link]?.groups[group]?.round = nil
        if end == .caughtUp {
            keepCursor(round.arrival, of: group, over: link)
            sessions[link]?.strangeOperationCount = 0
        }
        let theirs = session.groups[group]?.digest
        if let until = round.deferredUntil, end != .unanswered {
            sessions[link]?.groups[group]?.resumption = (until, round.comparesAll)
        } else if let theirs, theirs != replica.digest, !round.receivedAnything, end != .unanswered {
            sessions[link]?.groups[group]?.settled = (theirs, replica.digest, round.comparesAll || end == .fruitless)
            conduct[session.key, default: Conduct()].chargeFruitlessRound(at: now)
        }
        roundEnded(of: group)
        if let device = deviceID(of: session.key) { publish(.syncEnded(group, device)) }
        if round.receivedAnything { tellDigest(of: group, except: nil) }
        completeJoins(of: group, over: link)
        // What a digest told meanwhile is another matter than what is deferred or was refused.
        if end != .unanswered, round.asksAgain { return startRound(over: link, group: group, comparingAll: false) }
        // Where digests still differ the peer lacks something, and is about to ask; or the cursor stood for another copy
        // of its store, and all tips have to be compared.
        if theirs != replica.digest { compareSoon(group, over: link) }
    }

    /// Goes on with what a peer was asked for that is asked no more. Where nobody is, what leads to the newest runs does not
    /// come, and they count for nothing.
    mutating func roundEnded(of group: GroupID) {
        for other in awaitingRounds(of: group) { continueRound(other, group) }
        guard groups[group]?.ahead.isEmpty == false else { return }
        let isBusy = sessions.keys.contains { sessions[$0]?.groups[group]?.round != nil }
        guard !isBusy else { return }
        groups[group]?.dropAhead()
        persistMerge(DurableChange(), of: group, merged: [], then: [])
    }

    /// Goes on with authors that were over their pace.
    mutating func resumeRounds() {
        for link in sessions.keys {
            for group in sessions[link]?.groups.keys.sorted() ?? [] {
                guard let resumption = sessions[link]?.groups[group]?.resumption, resumption.at <= now else { continue }
                sessions[link]?.groups[group]?.resumption = nil
                guard isAuthorised(link, in: group) else { continue }
                startRound(over: link, group: group, comparingAll: resumption.comparesAll)
            }
        }
    }

    mutating func endOverdueRounds() {
        for link in sessions.keys {
            for group in sessions[link]?.groups.keys.sorted() ?? [] {
                guard let round = sessions[link]?.groups[group]?.round, round.deadline <= now else { continue }
                // While our own disk is slow the peer is not to blame.
                if round.awaitsOthers {
                    continueRound(link, group, isOverdue: true)
                } else if round.stage == .storing {
                    sessions[link]?.groups[group]?.round?.deadline = now.advanced(by: SyncRound.patience)
                } else {
                    endRound(over: link, group: group, as: .unanswered)
                }
            }
        }
    }

    // MARK: Storing

    /// Notes that everything of a peer's store up to `arrival` is here.
    private mutating func keepCursor(_ arrival: UInt64, of group: GroupID, over link: LinkID) {
        // What is larger no honest store has, and no store can hold.
        guard arrival <= UInt64(Int64.max), let session = sessions[link], let peerStore = session.store,
            let device = groups[group]?.state.device(linkKey: session.key)?.device
        else { return }
        let key = CursorKey(group: group, peer: device)
        let cursor = Cursor(group: group, peer: device, store: peerStore, arrival: arrival)
        guard cursors[key] != cursor else { return }
        cursors[key] = cursor
        var change = DurableChange()
        change.cursors = [cursor]
        persist(change)
    }

    /// Stores received records, then tells of them. Where records of cut feeds are among them, everything is merged anew,
    /// once for all.
    mutating func persistMerge(
        _ change: DurableChange, of group: GroupID, merged: [MergedRecord], then work: [Deferred]
    ) {
        var work = work
        var change = change
        leaveOut(groups[group]?.rebuildIfStale(at: now, wall: wall) ?? [], change: &change)
        if groups[group]?.takeReset() ?? false { work.insert(.publish(.recordsReset(group)), at: 0) }
        if !merged.isEmpty { work.insert(.publish(.recordsMerged(group, merged)), at: 0) }
        if !change.runs.isEmpty || !change.operations.isEmpty { work.append(.digestMoved(group)) }
        persist(change, then: work)
    }

    /// Gathers a feed's small runs where there are many, those of this change among them.
    mutating func compact(_ feed: FeedID, in group: GroupID, change: inout DurableChange) {
        guard let (removed, added) = groups[group]?.compact(feed) else { return }
        let keys = Set(removed)
        change.runs.removeAll { keys.contains($0.key) }
        change.removedRuns += removed
        change.runs.append(added)
    }

    /// Stops writing an epoch that was found to go on without this store, which was restored or copied: a new one begins.
    mutating func noteOwnFeed(_ feed: FeedID, in group: GroupID, change: inout DurableChange) {
        guard feed.device == identity.device, groups[group]?.ownEpoch == feed.epoch else { return }
        groups[group]?.ownEpoch = nil
        _ = openEpoch(in: group, change: &change)
        publish(.epochReplaced(group))
    }

    /// Begins new epochs wherever this device has written, as a store that may be a copy must. To be stored at once.
    public mutating func renewEpochs() -> [OwnEpoch] {
        var change = DurableChange()
        for group in groups.keys {
            let counter = groups[group]?.ownEpoch?.counter
            guard counter != nil || !(groups[group]?.feeds.epochs(of: identity.device) ?? []).isEmpty else { continue }
            groups[group]?.ownEpoch = nil
            _ = openEpoch(in: group, after: counter ?? 0, change: &change)
        }
        startChange.ownEpochs = []
        return change.ownEpochs
    }
}
