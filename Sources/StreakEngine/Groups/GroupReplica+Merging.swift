import StreakLinks
import StreakMembership
public import StreakReplication
import StreakScores
import StreakWire

/// What the records of a group come to.
extension GroupReplica {
    /// How long records may wait for which the quarantine had no room, beyond their time: each look for them is one at
    /// everything their device wrote.
    private static let refillInterval: Duration = .seconds(60)
    /// The pause after everything was merged anew, for each record of the group: about twenty times what that takes, so
    /// that whoever retracts or forks again and again has a twentieth of a processor at the most.
    private static let rebuildPause: Duration = .microseconds(20)
    /// That pause at the most: a group of any size is put right within a minute.
    private static let maximumRebuildPause: Duration = .seconds(60)

    /// Merges records that were just taken, the first of which has the number `first`. Returns what changed.
    mutating func merge(
        _ records: some Collection<ArraySlice<UInt8>>, from first: UInt64, of feed: FeedID, wall: WallTime
    ) -> [MergedRecord] {
        guard let device = state.device(feed.device) else { return [] }
        let changes = mergeCounting(records, from: first, of: feed, user: device.user, wall: wall, telling: true)
        noteRetractions(among: changes)
        return changes
    }

    /// Merges what is not void of consecutive records.
    private mutating func mergeCounting(
        _ records: some Collection<ArraySlice<UInt8>>, from first: UInt64, of feed: FeedID, user: UserID,
        wall: WallTime, telling: Bool
    ) -> [MergedRecord] {
        guard let counting = voids.counting(records, from: first, of: feed) else {
            return mergeAll(records, user: user, device: feed.device, wall: wall, telling: telling)
        }
        return mergeAll(counting, user: user, device: feed.device, wall: wall, telling: telling)
    }

    private mutating func mergeAll(
        _ records: some Collection<ArraySlice<UInt8>>, user: UserID, device: DeviceID, wall: WallTime, telling: Bool
    ) -> [MergedRecord] {
        let milliseconds = wall.milliseconds
        if telling {
            return merged.merge(records, user: user, device: device, wallMilliseconds: milliseconds, clock: &clock)
        }
        merged.restore(records, user: user, device: device, wallMilliseconds: milliseconds, clock: &clock)
        return []
    }

    // MARK: Anew

    /// Merges everything again, as after a ledger operation that cuts or restores feeds. Of a cut feed what counts is
    /// merged: see `FeedReplica.storedRuns(through:)`.
    ///
    /// Returns runs for the store to remove: one that does not unpack, which only a store can bring, ends its branch.
    mutating func rebuild(wall: WallTime) -> [RunKey] {
        voids = currentVoids
        var removed = rebuildOnce(wall: wall)
        // Retractions are never void themselves, so this settles.
        let retractions = currentVoids
        if retractions != voids {
            voids = retractions
            removed += rebuildOnce(wall: wall)
        }
        isStale = false
        return removed
    }

    private mutating func rebuildOnce(wall: WallTime) -> [RunKey] {
        merged = MergedRecords()
        rebuildCount += 1
        let (_, removed) = mergeStored(of: nil, wall: wall, telling: false)
        for feed in ahead.feeds {
            guard case .unlimited = state.feedLimit(device: feed.device, epoch: feed.epoch),
                let device = state.device(feed.device)
            else { continue }
            for held in ahead[feed] {
                guard let records = try? held.run.records() else { continue }  // was checked when it came
                _ = mergeCounting(
                    records, from: held.run.first, of: feed, user: device.user, wall: wall, telling: false)
            }
        }
        digestMoved()
        return removed
    }

    /// Merges all that is stored and counts of some devices, of all where nil. Returns what changed, if that is to be told,
    /// and what does not unpack.
    private mutating func mergeStored(
        of devices: Set<DeviceID>?, wall: WallTime, telling: Bool
    ) -> (changes: [MergedRecord], removed: [RunKey]) {
        var changes: [MergedRecord] = []
        var unfit: [StoredRun] = []
        let state = state
        for feed in feeds.feeds where devices?.contains(feed.id.device) ?? true {
            guard let user = shownUser(of: feed.id.device), let (runs, limit) = countingRuns(of: feed, in: state)
            else { continue }
            var endedBranches: Set<UInt8> = []
            for stored in runs where stored.run.first <= limit && !endedBranches.contains(stored.branch) {
                let records: RecordList
                do {
                    records = try stored.run.records()
                } catch {
                    unfit.append(stored)
                    endedBranches.insert(stored.branch)
                    continue
                }
                changes += mergeCounting(
                    records.prefix(Int(min(limit - stored.run.first, UInt64(Run.maximumCount - 1))) + 1),
                    from: stored.run.first,
                    of: feed.id, user: user, wall: wall, telling: telling)
            }
        }
        let removed = unfit.flatMap { stored in feeds.modify(stored.run.feed) { $0.leaveOut(from: stored) } }
        return (changes, removed)
    }

    /// Whose a device's records are, where they are shown at all: of a device without a place only on machines of the same
    /// account that were let in for nothing.
    private func shownUser(of device: DeviceID) -> UserID? {
        if let known = state.device(device) { return known.user }
        guard let own = excludedUser, ledger.user(of: device) == own else { return nil }
        return own
    }

    /// What counts of a feed under the cuts: its runs, and the number of the last record that does; nil where nothing does.
    func countingRuns(of feed: FeedReplica, in state: GroupState) -> (runs: [StoredRun], last: UInt64)? {
        if excludedUser != nil, state.device(feed.id.device) == nil, shownUser(of: feed.id.device) != nil {
            return (feed.storedRuns, .max)
        }
        return switch state.feedLimit(device: feed.id.device, epoch: feed.id.epoch) {
        case .unlimited: (feed.storedRuns, .max)
        case .through(let cut): feed.storedRuns(through: Tip(number: cut.number, hash: cut.hash))
        case .nothing: nil
        }
    }

    /// Merges everything anew where that is needed: a cut feed has grown, records were retracted, or the wall clock went
    /// back so far that what was merged lies ahead of it. Returns what `rebuild` does.
    ///
    /// - Parameter now: nil where it is this node's own doing; else there is a pause after the last time, in proportion to
    ///   the group: until `nextRelease` what was merged may stand for more than what counts.
    mutating func rebuildIfStale(at now: MonotonicInstant? = nil, wall: WallTime) -> [RunKey] {
        var isOwnDoing = now == nil
        if clock.latest.milliseconds - HybridClock.maximumLead > wall.milliseconds {
            clock = HybridClock()
            isStale = true
            isOwnDoing = true
        }
        guard isStale, isOwnDoing || nextRebuild <= now ?? .zero else { return [] }
        wasReset = true
        if let now {
            let pause = Self.rebuildPause * feeds.recordCount
            nextRebuild = now.advanced(by: min(pause, Self.maximumRebuildPause))
        }
        return rebuild(wall: wall)
    }

    // MARK: Quarantine

    /// When records that wait for their time are to be looked at next, or everything is to be merged anew; nil where
    /// nothing waits.
    func nextRelease(at now: MonotonicInstant, wall: WallTime) -> MonotonicInstant? {
        func instant(of release: Int64) -> MonotonicInstant {
            now.advanced(by: .milliseconds(min(86_400_000, max(1, release - wall.milliseconds))))
        }
        let held = merged.nextRelease.map(instant)
        let omitted = merged.firstOmitted.map { max(instant(of: $0), nextRefill) }
        return [held, omitted, isStale ? nextRebuild : nil].compactMap(\.self).min()
    }

    /// Merges the records whose time has come. Returns what changed, and what does not unpack.
    mutating func releaseQuarantined(
        at now: MonotonicInstant, wall: WallTime
    ) -> (changes: [MergedRecord], removed: [RunKey]) {
        var changes = merged.release(wallMilliseconds: wall.milliseconds)
        var removed: [RunKey] = []
        if let first = merged.firstOmitted, first <= wall.milliseconds, nextRefill <= now {
            nextRefill = now.advanced(by: Self.refillInterval)
            let devices = merged.takeOmissions()
            let refilled = mergeStored(of: devices, wall: wall, telling: true)
            changes += refilled.changes
            removed = refilled.removed
        }
        noteRetractions(among: changes)
        return (changes, removed)
    }

    // MARK: Retractions

    private var currentVoids: Voids {
        let state = state
        return Voids(merged.all(of: .retraction)) { state.device($0)?.user }
    }

    private mutating func noteRetractions(among changes: [MergedRecord]) {
        guard changes.contains(where: { $0.key.kind == RecordKind.retraction.rawValue }) else { return }
        if currentVoids != voids { isStale = true }
    }

    /// Records of one device that lie too far ahead, as ranges of its feeds that hold them all, and what has to be written
    /// anew so that each key among them stands as its user saw it. Empty where there are none that count.
    func wronglyDated(by device: DeviceID, wall: WallTime) -> (retractions: [Retraction], records: [Record]) {
        var retractions: [Retraction] = []
        var voided: [FeedID: UInt64] = [:]
        var keys: Set<RecordKey> = []
        let own = feeds.feeds.filter { $0.id.device == device }
        for feed in own {
            var first: UInt64?
            forEachCounting(of: feed) { number, record in
                if record.time.milliseconds - HybridClock.maximumLead > wall.milliseconds {
                    first = min(first ?? number, number)
                }
            }
            guard let first, let last = feed.tips.map(\.number).max() else { continue }
            voided[feed.id] = first
            retractions.append(
                Retraction(feed: feed.id, numbers: min(voids[feed.id]?.lowerBound ?? first, first)...last))
            forEachCounting(of: feed) { number, record in
                if number >= first { keys.insert(Self.key(of: record)) }
            }
        }
        var words: [RecordKey: [Word]] = [:]
        // Oldest epochs first: in which order the device wrote, its wrong clock does not say.
        for (position, feed) in own.enumerated() {
            let first = voided[feed.id] ?? .max
            forEachCounting(of: feed) { number, record in
                let key = Self.key(of: record)
                guard keys.contains(key) else { return }
                words[key, default: []].append(Word(epoch: position, record: record, isVoid: number >= first))
            }
        }
        return (retractions, keys.sorted().flatMap { Self.restated(words[$0] ?? []) })
    }

    /// What a device has said about a key.
    private struct Word {
        /// Which of the device's epochs.
        let epoch: Int
        let record: Record
        let isVoid: Bool
    }

    private static func key(of record: Record) -> RecordKey {
        // Of all users it is the device's.
        RecordKey(user: UserID(bytes: .zero), kind: record.kind, subject: record.subject)
    }

    /// What has to be said again about one key, once what is void is gone: what settled it last, and the best of what has
    /// contended since.
    private static func restated(_ words: [Word]) -> [Record] {
        let words = words.sorted { ($0.epoch, $0.record.time) < ($1.epoch, $1.record.time) }
        let standings = words.map { DailyScore.standing(of: $0.record) }
        let settling = standings.lastIndex { !$0.contends }
        let contending = words.indices[(settling.map { $0 + 1 } ?? 0)...].suffix(ScoreContest.maximumContenders)
        var best = settling
        for index in contending where best.map({ standings[index].worth >= standings[$0].worth }) ?? true {
            best = index
        }
        guard let best else { return [] }
        // Said again, what settles comes after all that contended.
        let isSettledAgain = settling.map { words[$0].isVoid } ?? false
        var again = [settling, best].compactMap { $0 }.filter { isSettledAgain || $0 == best && words[$0].isVoid }
        if settling == best { again = Array(again.prefix(1)) }
        return again.map { words[$0].record }
    }

    /// Calls `body` with the records of all branches of a feed that are not void, but for retractions.
    private func forEachCounting(of feed: FeedReplica, _ body: (UInt64, Record) -> Void) {
        let known = voids[feed.id]
        for stored in feed.storedRuns {
            guard let records = try? stored.run.records() else { continue }  // was checked when it was stored
            for (number, bytes) in zip(stored.run.first..., records) where !(known?.contains(number) ?? false) {
                guard let record = try? Record(decoding: Array(bytes)),  // as above
                    record.kind != RecordKind.retraction.rawValue
                else { continue }
                body(number, record)
            }
        }
    }

    // MARK: Writing

    /// How far behind the last record of an epoch the wall clock may lie, in milliseconds, for a device that has used
    /// `count` epochs: so far that nobody notices, or, once a clock has jumped back too often, so far that records wait
    /// for their time at the others. Else a clock that jumps again and again would use up all epochs.
    static func toleratedLead(epochCount count: Int) -> Int64 {
        switch count {
        case ..<64: HybridClock.maximumLead
        case ..<128: 3_600_000
        case ..<192: 86_400_000
        default: 30 * 86_400_000
        }
    }

    /// Epochs that are left for taking back what a wrong clock has dated, and for stores that are restored.
    static let reservedEpochs = 8

    /// Whether this device has epochs left to write in: the one it writes, or a new one.
    mutating func hasEpoch(wall: WallTime, device: DeviceID, reserve: Int) -> Bool {
        if let ownEpoch, feeds[FeedID(device: device, epoch: ownEpoch)] != nil,
            !ownEpochLeads(wall: wall, device: device)
        {
            return true
        }
        return feeds.epochs(of: device).count + reserve < ProtocolLimits.maximumEpochs
    }

    /// Whether the epoch this device writes has a record too far ahead of the wall clock, behind which none of today's may
    /// stand: times rise within an epoch.
    mutating func ownEpochLeads(wall: WallTime, device: DeviceID) -> Bool {
        guard let ownEpoch else { return false }
        if ownLatest?.epoch != ownEpoch {
            let run = feeds[FeedID(device: device, epoch: ownEpoch)]?.lastRun
            // It was checked when it was stored. What is copied from another group keeps its time.
            let times = (try? run?.records())?.compactMap { try? Record(decoding: Array($0)).time } ?? []
            ownLatest = (ownEpoch, times.max() ?? .zero)
        }
        let tolerated = Self.toleratedLead(epochCount: feeds.epochs(of: device).count)
        return (ownLatest?.time.milliseconds ?? 0) - tolerated > wall.milliseconds
    }

    /// The records that say what drafts say in this device's epoch, each with a time of its own.
    mutating func records(of drafts: [RecordDraft], epoch: Epoch, wall: WallTime) -> RecordList {
        let before = ownLatest.flatMap { $0.epoch == epoch ? $0.time : nil } ?? .zero
        var own = HybridClock(latest: max(clock.latest, before))
        var records = RecordList()
        for draft in drafts {
            records.append(draft.record(at: own.next(wallMilliseconds: wall.milliseconds)).encoded)
        }
        ownLatest = (epoch, own.latest)
        clock.witness(own.latest, wallMilliseconds: wall.milliseconds)
        return records
    }

    /// Signs records that `records` has made into this device's feed, as one run.
    mutating func write(
        _ records: RecordList, identity: DeviceIdentity, epoch: Epoch, arrival: UInt64, wall: WallTime
    ) -> (stored: StoredRun, merged: [MergedRecord]) {
        let id = FeedID(device: identity.device, epoch: epoch)
        let stored = feeds.modify(id) { $0.write(records, key: identity.signingKey, arrival: arrival) }
        digestMoved()
        return (stored, merge(records, from: stored.run.first, of: id, wall: wall))
    }
}

extension RecordDraft {
    /// The record that says this at `time`.
    public func record(at time: HybridTime) -> Record {
        switch self {
        case .score(let score):
            Record(
                kind: .dailyScore, time: time, subject: score.recordSubject, value: score.recordValue(at: time))
        case .withdrawnScore(let key):
            Record(kind: .dailyScore, time: time, subject: DailyScore.recordSubject(of: key), value: [])
        case .content(let content):
            Record(content, time: time)
        case .copy(let record):
            record
        case .again(let record, let since):
            record.written(again: time, since: since)
        }
    }
}
