import StreakCrypto
public import StreakLinks
public import StreakMembership
public import StreakReplication
public import StreakWire

/// Starting from a store, and reading what the engine holds.
extension MeshEngine {
    mutating func restore(_ snapshot: Snapshot) {
        var keys: [GroupID: [AccessKey]] = [:]
        for stored in snapshot.accessKeys {
            guard let key = try? AccessKey(rawBytes: stored.key) else { continue }  // the schema demands 32 bytes
            keys[stored.group, default: []].insert(key, at: 0)
        }
        ownEndpoints = Self.endpoints(fromSetting: snapshot.settings[Self.endpointsSetting] ?? [])
        for stored in snapshot.operations {
            guard let operation = try? SignedOperation(decoding: stored.bytes) else { continue }  // fetched again
            if groups[stored.group] == nil {
                guard let ledger = try? Ledger(founding: operation), ledger.group == stored.group else { continue }
                groups[stored.group] = GroupReplica(ledger: ledger, accessKeys: keys[stored.group] ?? [])
            } else {
                _ = try? groups[stored.group]?.insert(  // fetched again
                    operation, arrival: stored.arrival, withinLimits: false)
            }
        }
        for stored in snapshot.runs where !(groups[stored.group]?.restore(stored) ?? false) {
            unfitRuns.append(stored.key)
        }
        let own = identity
        for group in groups.keys {
            startChange.removedOperations += groups[group]?.dropIdleOperations(keeping: own.device) ?? []
            groups[group]?.noteExclusion(of: own)
            unfitRuns += groups[group]?.rebuild(wall: wall) ?? []
        }
        // They come again from peers, packed otherwise perhaps.
        // Own records have no other copy that could be asked for, and without its founding nothing of a group fits.
        startChange.removedRuns = unfitRuns.filter { groups[$0.group] != nil && $0.feed.device != identity.device }
        restoreReturns()
        restoreOwnEpochs(snapshot)
        for cursor in snapshot.cursors { cursors[CursorKey(group: cursor.group, peer: cursor.peer)] = cursor }
        for group in groups.keys {
            if settings[Self.farewellSetting(group)] != nil {
                farewells.insert(group)
            } else if !isCurrentMember(of: group) {
                lost.insert(group)
            }
        }
    }

    /// Goes on writing the epochs of before, but where the store may be a copy or has lost some of one: others may have
    /// seen more of it than is here.
    private mutating func restoreOwnEpochs(_ snapshot: Snapshot) {
        var change = DurableChange()
        for own in snapshot.ownEpochs {
            let lost = unfitRuns.contains {
                $0.group == own.group && $0.feed == FeedID(device: identity.device, epoch: own.epoch)
            }
            if snapshot.mayBeCopy || lost {
                _ = openEpoch(in: own.group, after: own.epoch.counter, change: &change)
            } else {
                groups[own.group]?.ownEpoch = own.epoch
            }
        }
        startChange.ownEpochs = change.ownEpochs
        if snapshot.mayBeCopy { startChange.settings[Self.epochsRenewedSetting] = [1] }
    }

    private static let endpointsSetting = "endpoints"

    /// Notes this node's addresses, also for invites that are made while it is not running.
    mutating func keepOwnEndpoints(_ endpoints: [Endpoint]) {
        ownEndpoints = Array(endpoints.filter { !$0.isLinkLocal }.prefix(InviteLink.maximumEndpoints))
        var writer = WireWriter()
        for endpoint in ownEndpoints { writer.write(endpoint) }
        guard settings[Self.endpointsSetting] ?? [] != writer.bytes else { return }
        settings[Self.endpointsSetting] = writer.bytes
        var change = DurableChange()
        change.settings[Self.endpointsSetting] = writer.bytes
        persist(change)
    }

    private static func endpoints(fromSetting bytes: [UInt8]) -> [Endpoint] {
        var reader = WireReader(bytes)
        var endpoints: [Endpoint] = []
        while reader.remainingCount > 0, endpoints.count < InviteLink.maximumEndpoints,
            let endpoint = try? reader.readEndpoint()  // what does not read was not written by this version
        {
            endpoints.append(endpoint)
        }
        return endpoints
    }

    /// All runs of a group, as they are stored.
    package func storedRuns(of group: GroupID) -> [StoredRun] { groups[group]?.feeds.feeds.flatMap(\.storedRuns) ?? [] }

    // MARK: Reading

    /// The groups of which there is a ledger, in the order of their IDs.
    public var groupIDs: [GroupID] { groups.keys }

    /// Who is in a group; nil for an unknown one.
    public func state(of group: GroupID) -> GroupState? { groups[group]?.state }

    /// The digest of a group; nil for an unknown one.
    public func digest(of group: GroupID) -> GroupDigest? { groups[group]?.digest }

    /// Every merged value of a group, in the order of `MergedRecords.forEach`.
    public func mergedRecords(of group: GroupID) -> [MergedRecord] { groups[group]?.merged.all ?? [] }

    /// Calls `results` with what stands of each user in each game, and `other` with every other merged value of a group.
    public func forEachMergedRecord(
        of group: GroupID, results: (StandingResults) -> Void, other: (MergedRecord) -> Void
    ) {
        groups[group]?.merged.forEach(results: results, other: other)
    }

    /// The merged value of one key of a group.
    public func mergedRecord(_ key: RecordKey, of group: GroupID) -> MergedRecord? {
        groups[group]?.merged.record(key)
    }

    /// The device whose word stands for one key of a group; nil where there never was one.
    public func writer(of key: RecordKey, in group: GroupID) -> DeviceID? { groups[group]?.merged.writer(of: key) }

    /// When a user last wrote in a group, by the author's clock; nil for who never did.
    public func latestRecord(of user: UserID, in group: GroupID) -> HybridTime? {
        groups[group]?.merged.latest(of: user)
    }

    /// How many records of a group's feeds are held.
    public func recordCount(of group: GroupID) -> Int { groups[group]?.feeds.recordCount ?? 0 }

    /// How many of them count under the cuts of the ledger, of a forked feed those of its longest branch.
    public func countingRecordCount(of group: GroupID) -> Int { groups[group]?.countingRecords ?? 0 }

    /// How far this device has come with a group of which it lacks a part: the records that count here, and how many they
    /// will be by what members have said. Nil where nothing is being fetched.
    public func progress(of group: GroupID) -> (held: Int, total: Int)? {
        guard let replica = groups[group] else { return nil }
        let counts = sessions.keys.compactMap { link -> UInt64? in
            guard let session = sessions[link], let peer = session.groups[group],
                peer.round?.feedTips.isEmpty == false || peer.resumption != nil, let device = deviceID(of: session.key)
            else { return nil }
            return told[CursorKey(group: group, peer: device)]?.recordCount
        }
        guard let most = counts.max() else { return nil }
        let held = replica.countingRecords
        // Both may lack something of the other's.
        return (held, max(held, Int(clamping: min(most, UInt64(Int32.max)))))
    }

    /// Whether a feed of a group has more than one branch: a device wrote on from an old state of its store.
    public func hasFork(in group: GroupID) -> Bool { groups[group]?.feeds.feeds.contains(where: \.isForked) ?? false }

    /// Whether records of a group wait here until their time has come, for their authors' clocks are ahead of this one.
    public func holdsBackRecords(of group: GroupID) -> Bool {
        guard let merged = groups[group]?.merged else { return false }
        return merged.nextRelease != nil || merged.firstOmitted != nil
    }

    /// Whether records are shown that came ahead of what precedes them: digests leave those out.
    public func showsRecordsAhead(of group: GroupID) -> Bool { !(groups[group]?.ahead.isEmpty ?? true) }

    /// Whether what is merged of a group is about to be merged anew, since some of it counts no more.
    public func awaitsRebuild(of group: GroupID) -> Bool { groups[group]?.isStale ?? false }

    /// A small named value kept with `Command.keepSetting`.
    public func setting(_ name: String) -> [UInt8]? { settings[name] }

    /// How many records a device lacks of a group, by what it said last, also while it is away: 0 if it has all; nil if it
    /// has said nothing since this node started. Where a feed is forked this is an estimate.
    public func behind(_ device: DeviceID, in group: GroupID) -> Int? {
        guard let replica = groups[group], let state = told[CursorKey(group: group, peer: device)] else { return nil }
        if state.digest == replica.digest { return 0 }
        return max(0, replica.countingRecords - Int(clamping: state.recordCount))
    }

    /// Whether this device is a current member.
    public func isMember(of group: GroupID) -> Bool { isCurrentMember(of: group) }

    /// A device that a link is open to.
    public struct LinkedDevice: Sendable, Equatable {
        public let device: DeviceID
        public let groups: [GroupID]
        public let via: LinkVia
        public let endpoint: Endpoint
        /// Groups whose digest the device last named is ours.
        public let agreeing: [GroupID]
        /// Groups about which an exchange is under way.
        public let syncing: [GroupID]
        /// When the device was last heard.
        public let lastHeard: MonotonicInstant
        /// When it says something at the latest, if it is there: an idle link is quiet for long.
        public let nextExpected: MonotonicInstant
    }

    /// The devices that links are open to, in the order of their IDs.
    public var linkedDevices: [LinkedDevice] {
        sessions.keys.compactMap { link -> LinkedDevice? in
            guard let session = sessions[link], let device = deviceID(of: session.key),
                let summary = links.pathSummary(link)
            else { return nil }
            let shared = sharedGroups(on: link)
            return LinkedDevice(
                device: device, groups: shared, via: summary.via, endpoint: summary.endpoint,
                agreeing: shared.filter { session.groups[$0]?.digest == groups[$0]?.digest },
                syncing: shared.filter { session.groups[$0]?.round != nil }, lastHeard: summary.lastHeard,
                nextExpected: summary.nextExpected)
        }.sorted { $0.device < $1.device }
    }

    /// Whether anything is under way with a peer: a join, an exchange, or a rumour not yet acknowledged.
    public var isExchanging: Bool {
        !joins.isEmpty || rumours.nextDeadline != nil
            || sessions.values.contains { $0.groups.values.contains { $0.round != nil } }
            || sessions.keys.contains { links.queuedByteCount($0) > 0 }
    }

    /// Stored runs that did not fit what precedes them; left out, and fetched again from peers.
    public var runsLeftOut: [RunKey] { unfitRuns }
}
