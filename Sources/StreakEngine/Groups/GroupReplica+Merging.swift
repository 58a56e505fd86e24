import StreakLinks
import StreakMembership
public import StreakReplication
import StreakScores
import StreakWire

/// Merging the records of a group into what its members see.
extension GroupReplica {
    /// How long records for which the quarantine had no room may wait beyond their time. Each search for them reads
    /// everything that their devices wrote.
    private static let refillInterval: Duration = .seconds(60)
    /// The pause after merging everything again, for each record of the group. It is about twenty times what the merge
    /// takes, so somebody who retracts or forks again and again causes a load of 5 % of a processor at most.
    private static let rebuildPause: Duration = .microseconds(20)
    /// The longest such pause: a group of any size is corrected within a minute.
    private static let maximumRebuildPause: Duration = .seconds(60)

    /// Merges newly stored records; `first` is the number of the first one. Returns what changed.
    mutating func merge(
        _ records: some Collection<ArraySlice<UInt8>>, from first: UInt64, of feed: FeedID, wall: WallTime
    ) -> [MergedRecord] {
        guard let device = state.device(feed.device) else { return [] }
        let changes = mergeCounting(records, from: first, of: feed, user: device.user, wall: wall, telling: true)
        noteRetractions(among: changes)
        return changes
    }

    /// Merges those of some consecutive records that are not void.
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
        var clock = clock
        defer { self.clock = clock }
        if telling {
            return merged.merge(records, user: user, device: device, wallMilliseconds: milliseconds, clock: &clock)
        }
        merged.restore(records, user: user, device: device, wallMilliseconds: milliseconds, clock: &clock)
        return []
    }

    // MARK: Merging everything again

    /// Merges everything again, as after a ledger operation that cuts or restores feeds. Of a cut feed, only what
    /// counts is merged: see `FeedReplica.storedRuns(through:)`.
    ///
    /// Returns runs for the store to remove: a run that does not unpack, which only a store can bring, ends its branch.
    mutating func rebuild(wall: WallTime) -> [RunKey] {
        voids = currentVoids
        var removed = rebuildOnce(wall: wall)
        // A retraction is never void itself, so this ends.
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
                guard let records = try? held.run.records() else { continue }  // checked when it came
                _ = mergeCounting(
                    records, from: held.run.first, of: feed, user: device.user, wall: wall, telling: false)
            }
        }
        digestMoved()
        return removed
    }

    /// Merges everything stored that counts, of some devices or, if nil, of all. Returns what changed, if it is to be
    /// published, and the runs that do not unpack.
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

    /// The user to whom a device's records belong, if they are shown at all. Records of a device without a place are
    /// shown only on machines of its own account, if its admission does not count.
    private func shownUser(of device: DeviceID) -> UserID? {
        if let known = state.device(device) { return known.user }
        guard let own = excludedUser, ledger.user(of: device) == own else { return nil }
        return own
    }

    /// The part of a feed that counts under the cuts: its runs, and the number of its last record; nil if nothing
    /// counts.
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

    /// Merges everything again if necessary: a cut feed has grown, records were retracted, or the wall clock went back
    /// so far that merged records lie ahead of it. Returns what `rebuild` returns.
    ///
    /// - Parameter now: nil if this node caused it. Otherwise there is a pause after the last time, in proportion to
    ///   the group. Until `nextRelease`, merged records may then include some that count no longer.
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

    /// When to look again at records that wait for their time, or to merge everything again; nil if nothing waits.
    func nextRelease(at now: MonotonicInstant, wall: WallTime) -> MonotonicInstant? {
        func instant(of release: Int64) -> MonotonicInstant {
            now.advanced(by: .milliseconds(min(86_400_000, max(1, release - wall.milliseconds))))
        }
        let held = merged.nextRelease.map(instant)
        let omitted = merged.firstOmitted.map { max(instant(of: $0), nextRefill) }
        return [held, omitted, isStale ? nextRebuild : nil].compactMap(\.self).min()
    }

    /// Merges the records whose time has come. Returns what changed, and the runs that do not unpack.
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

    /// One device's records that are dated too far ahead, as ranges of its feeds that contain them all, and the records
    /// to write again so that each of their keys has the value that the user saw. Empty if none of them counts.
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
        // Oldest epochs first: the device's wrong clock does not tell in which order it wrote.
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

    /// One record that a device wrote for a key.
    private struct Word {
        /// Which of the device's epochs.
        let epoch: Int
        let record: Record
        let isVoid: Bool
    }

    private static func key(of record: Record) -> RecordKey {
        // The zero account stands for the device's user.
        RecordKey(user: UserID(bytes: .zero), kind: record.kind, subject: record.subject)
    }

    /// The records to write again for one key once the void ones are gone: the one that settled it last, and the best
    /// of those that have contended since.
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
        // Written again, the settling record comes after all that contended.
        let isSettledAgain = settling.map { words[$0].isVoid } ?? false
        var again = [settling, best].compactMap { $0 }.filter { isSettledAgain || $0 == best && words[$0].isVoid }
        if settling == best { again = Array(again.prefix(1)) }
        return again.map { words[$0].record }
    }

    /// Calls `body` with the records of all branches of a feed that are not void, except retractions.
    private func forEachCounting(of feed: FeedReplica, _ body: (UInt64, Record) -> Void) {
        let known = voids[feed.id]
        for stored in feed.storedRuns {
            guard let records = try? stored.run.records() else { continue }  // checked when it was stored
            for (number, bytes) in zip(stored.run.first..., records) where !(known?.contains(number) ?? false) {
                guard let record = try? Record(decoding: Array(bytes)),  // as above
                    record.kind != RecordKind.retraction.rawValue
                else { continue }
                body(number, record)
            }
        }
    }

    // MARK: Writing

    /// How far behind the last record of an epoch the wall clock may be, in milliseconds, for a device that has used
    /// `count` epochs. Usually so little that nobody notices. After many jumps back it is so much that others hold the
    /// records back for a while; otherwise a clock that jumps again and again would use up all epochs.
    static func toleratedLead(epochCount count: Int) -> Int64 {
        switch count {
        case ..<64: HybridClock.maximumLead
        case ..<128: 3_600_000
        case ..<192: 86_400_000
        default: 30 * 86_400_000
        }
    }

    /// Epochs reserved for correcting wrong dates, and for restored stores.
    static let reservedEpochs = 8

    /// Whether this device has an epoch to write in: its current one, or a new one.
    mutating func hasEpoch(wall: WallTime, device: DeviceID, reserve: Int) -> Bool {
        if let ownEpoch, feeds[FeedID(device: device, epoch: ownEpoch)] != nil,
            !ownEpochLeads(wall: wall, device: device)
        {
            return true
        }
        return feeds.epochs(of: device).count + reserve < ProtocolLimits.maximumEpochs
    }

    /// Whether this device's current epoch has a record too far ahead of the wall clock. Times rise within an epoch, so
    /// no record of today could follow it.
    mutating func ownEpochLeads(wall: WallTime, device: DeviceID) -> Bool {
        guard let ownEpoch else { return false }
        if ownLatest?.epoch != ownEpoch {
            let run = feeds[FeedID(device: device, epoch: ownEpoch)]?.lastRun
            // It was checked when it was stored. A record copied from another group keeps its time.
            let times = (try? run?.records())?.compactMap { try? Record(decoding: Array($0)).time } ?? []
            ownLatest = (ownEpoch, times.max() ?? .zero)
        }
        let tolerated = Self.toleratedLead(epochCount: feeds.epochs(of: device).count)
        return (ownLatest?.time.milliseconds ?? 0) - tolerated > wall.milliseconds
    }

    /// The records for these drafts in this device's epoch, each with its own time.
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

    /// Signs the records made by `records` into this device's feed, as one run.
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
    /// This draft as a record at `time`.
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
