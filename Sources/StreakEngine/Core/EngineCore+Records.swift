import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

extension EngineCore {
    /// Retracts what this device dated ahead in every group, and writes it again with today's times, in one
    /// transaction.
    mutating func retract(id: CommandID) {
        var change = DurableChange()
        var work: [Work] = []
        var count = 0
        var isFull = false
        for group in groups.keys where isCurrentMember(of: group) {
            leaveOut(groups[group]?.rebuildIfStale(wall: wall) ?? [], change: &change)
            guard let wrong = groups[group]?.wronglyDated(by: identity.device, wall: wall),
                !wrong.retractions.isEmpty
            else { continue }
            let ownEpoch = groups[group]?.ownEpoch
            // This epoch holds what is to become void.
            if wrong.retractions.contains(where: { $0.feed.epoch == ownEpoch }) { groups[group]?.ownEpoch = nil }
            let (wall, device) = (wall, identity.device)
            guard groups[group]?.hasEpoch(wall: wall, device: device, reserve: 0) ?? false else {
                groups[group]?.ownEpoch = ownEpoch
                isFull = true
                continue
            }
            count += wrong.records.count
            let drafts =
                wrong.retractions.map { RecordDraft.value($0) }
                + wrong.records.map { RecordDraft.again($0, since: wall.seconds) }
            work += write(drafts, in: group, change: &change)
        }
        let outcome: CommandOutcome = isFull && count == 0 ? .failed(.feedFull) : .retracted(records: count)
        persist(change, then: [.complete(id, outcome)] + work)
    }

    /// Writes records into each group's own feed, all in one transaction, and pushes them.
    mutating func writeAll(_ writes: [(group: GroupID, drafts: [RecordDraft])], id: CommandID) {
        for (group, drafts) in writes {
            guard let replica = groups[group] else { return complete(id, .failed(.unknownGroup)) }
            guard isCurrentMember(of: group) else { return complete(id, .failed(.notMember)) }
            let held = replica.ownEpoch.flatMap {
                replica.feeds[FeedID(device: identity.device, epoch: $0)]?.mainTip.number
            }
            let (wall, device) = (wall, identity.device)
            guard UInt64(drafts.count) + (held ?? 0) <= ProtocolLimits.maximumFeedLength,
                groups[group]?.hasEpoch(wall: wall, device: device, reserve: GroupReplica.reservedEpochs) ?? false
            else { return complete(id, .failed(.feedFull)) }
        }
        var change = DurableChange()
        var work: [Work] = []
        for (group, drafts) in writes where !drafts.isEmpty {
            work += write(drafts, in: group, change: &change)
        }
        persist(change, then: [.complete(id, .done)] + work)
    }

    /// Writes records into a group's own feed. Returns the work that follows once they are on disk.
    mutating func write(_ drafts: [RecordDraft], in group: GroupID, change: inout DurableChange) -> [Work] {
        // The clock may have gone back. Then some merged records count no longer.
        leaveOut(groups[group]?.rebuildIfStale(wall: wall) ?? [], change: &change)
        let epoch = openEpoch(in: group, change: &change)
        var merged: [MergedRecord] = []
        var work: [Work] = []
        let records = groups[group]?.records(of: drafts, epoch: epoch, wall: wall) ?? RecordList()
        for portion in Run.portions(of: records) {
            let arrival = takeArrival()
            guard var replica = groups.removeValue(forKey: group) else { continue }
            let (stored, news) = replica.write(
                portion, identity: identity, epoch: epoch, arrival: arrival, wall: wall)
            groups[group] = replica
            change.runs.append(stored)
            merged += news
            work.append(.pushRun(group, stored.run, except: nil))
        }
        compact(FeedID(device: identity.device, epoch: epoch), in: group, change: &change)
        leaveOut(groups[group]?.rebuildIfStale(wall: wall) ?? [], change: &change)
        return news(of: merged, in: group) + work + [.digestMoved(group)]
    }

    /// The epoch this device writes in a group; a new one where there is none that may be continued.
    mutating func openEpoch(in group: GroupID, after counter: UInt32 = 0, change: inout DurableChange) -> Epoch {
        let device = identity.device
        // A clock that was ahead wrote this epoch, and times only rise within an epoch.
        if groups[group]?.ownEpochLeads(wall: wall, device: device) ?? false { groups[group]?.ownEpoch = nil }
        if let epoch = groups[group]?.ownEpoch { return epoch }
        let last = max(counter, groups[group]?.feeds.epochs(of: device).last?.counter ?? 0)
        let nonce = entropy.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let epoch = Epoch(counter: last &+ 1, nonce: nonce)
        groups[group]?.ownEpoch = epoch
        change.local.keep(OwnEpoch(group: group, epoch: epoch))
        return epoch
    }

    /// Stores a received run and the runs that it connects to under the next arrival, and charges the author for it.
    mutating func recordReception(
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
                // A branch has a copy of what it shares with another one.
                let copied = reception.stored.reduce(0) { $0 + $1.run.count } - reception.records.count
                weight += PeerAbuseBudget.weight(of: reception.records) + max(0, copied)
            }
            next = groups[group]?.closeGap(in: feed, arrival: journal.nextArrival)
        }
        guard weight > 0 else { return }
        noteOwnFeed(feed, in: group, change: &change)
        if let author = pacedAuthor(of: feed, in: group) { budget.chargeRecords(weight, to: author, at: now) }
    }

    /// Whose budget limits a feed's records; nil for this account's own.
    func pacedAuthor(of feed: FeedID, in group: GroupID) -> PeerAbuseBudget.Payer? {
        guard let user = groups[group]?.state.device(feed.device)?.user, user != identity.user else { return nil }
        return .author(user, group)
    }

    /// Charges the sender of a refused run. False if it has sent too many: its link is closed.
    mutating func refused(_ run: Run, because error: ReplicationError, in group: GroupID, over link: LinkID) -> Bool {
        publish(.runRefused(group, error))
        switch error {
        case .malformed, .invalidSignature: return charge(.forgedRuns, over: link)
        case .gap, .differentHistory:
            return charge(.redundantRecords, PeerAbuseBudget.misplacedWeight, over: link)
        case .limitReached:
            // The author signed it, and made this node search the branches that it holds.
            if groups[group]?.feeds[run.feed] != nil, let author = pacedAuthor(of: run.feed, in: group) {
                budget.chargeRecords(PeerAbuseBudget.misplacedWeight, to: author, at: now)
            }
            return true
        case .unknownAuthor, .pastCut: return true
        }
    }

    /// Publishes received records, and stores them. If records of cut feeds are among them, everything is merged again,
    /// once for all of them.
    ///
    /// Observers are told before the disk has answered: if this machine loses what they show, friends send it again. The digest is
    /// announced, and the arrival told, only once it is stored. While other changes are on their way to the disk, the news
    /// waits behind theirs.
    mutating func persistMerge(
        _ change: DurableChange, of group: GroupID, merged: [MergedRecord], then work: [Work]
    ) {
        var change = change
        leaveOut(groups[group]?.rebuildIfStale(at: now, wall: wall) ?? [], change: &change)
        let news = news(of: merged, in: group)
        var work = work
        if !change.runs.isEmpty || !change.operations.isEmpty { work.append(.digestMoved(group)) }
        guard journal.deferred.isEmpty else { return persist(change, then: news + work) }
        for item in news { post(item) }
        publishDigest(of: group)
        persist(change, then: work)
    }

    /// Combines a feed's small runs if there are many, with those of this change.
    mutating func compact(_ feed: FeedID, in group: GroupID, change: inout DurableChange) {
        guard let (removed, added) = groups[group]?.compact(feed) else { return }
        let keys = Set(removed)
        change.runs.removeAll { keys.contains($0.key) }
        change.removedRuns += removed
        change.runs.append(added)
    }

    /// Stops writing an epoch that has gone on without this store, which was restored or copied. A new epoch begins.
    mutating func noteOwnFeed(_ feed: FeedID, in group: GroupID, change: inout DurableChange) {
        guard feed.device == identity.device, groups[group]?.ownEpoch == feed.epoch else { return }
        groups[group]?.ownEpoch = nil
        _ = openEpoch(in: group, change: &change)
        publish(.epochReplaced(group))
    }

    /// Begins new epochs wherever this device has written, as a store that may be a copy must. Store the result at
    /// once.
    mutating func renewEpochs() -> LocalRows {
        var change = DurableChange()
        for group in groups.keys {
            let counter = groups[group]?.ownEpoch?.counter
            guard counter != nil || !(groups[group]?.feeds.epochs(of: identity.device) ?? []).isEmpty else { continue }
            groups[group]?.ownEpoch = nil
            _ = openEpoch(in: group, after: counter ?? 0, change: &change)
        }
        // These take the place of epochs that the start has begun.
        journal.startChange.append(change)
        return change.local
    }

    mutating func releaseQuarantined(of group: GroupID) {
        var change = DurableChange()
        let released = groups[group]?.releaseQuarantined(at: now, wall: wall) ?? (changes: [], removed: [])
        leaveOut(released.removed, change: &change)
        leaveOut(groups[group]?.rebuildIfStale(at: now, wall: wall) ?? [], change: &change)
        // Behind what was merged before and is still on its way to the disk.
        persist(change, then: news(of: released.changes, in: group))
    }

    /// What observers are told: what was merged; then, if everything was merged again since, to read it all. The other
    /// way round they would show what no longer counts.
    private mutating func news(of merged: [MergedRecord], in group: GroupID) -> [Work] {
        var news: [Work] = merged.isEmpty ? [] : [.publish(.recordsMerged(group, merged))]
        if groups[group]?.takeReset() ?? false { news.append(.publish(.recordsReset(group))) }
        return news
    }
}
