import StreakCrypto
public import StreakLinks
public import StreakMembership
public import StreakReplication
public import StreakWire

/// Reading what the engine holds.
extension MeshEngine {
    // MARK: This device

    public var identity: DeviceIdentity { core.identity }
    public var store: StoreID { core.store }

    /// The number of the next stream that this engine dials; a successor on the same sockets goes on from it.
    public var nextStream: UInt64 {
        get { core.links.nextStream }
        set { core.links.nextStream = newValue }
    }

    /// Begins new epochs wherever this device has written, as a store that may be a copy must. To be stored at once.
    public mutating func renewEpochs() -> [OwnEpoch] { core.renewEpochs() }

    /// Where this device keeps what is private; nil before the account has made it.
    public var privateGroup: GroupID? { core.privateGroup }

    /// Whether a group is the one that this account's devices keep among themselves.
    public func isPrivate(_ group: GroupID) -> Bool { core.isPrivate(group) }

    /// Whether the account has given this device up, by any ledger that it holds.
    public var isShutOut: Bool { core.isShutOut }

    /// Whether the account has given up a device by its word for every group, though a ledger may not show it.
    public func isGivenUp(_ certificate: DeviceCertificate) -> Bool { core.isGivenUp(certificate) }

    /// How long a device link is good, in seconds.
    public static let deviceLinkLifetime = Admission.deviceLinkLifetime

    /// The ledger of a group; nil for an unknown one.
    package func ledger(of group: GroupID) -> Ledger? { core.groups[group]?.ledger }

    // MARK: Members

    /// The operation because of which nobody who counts has let this device into a group.
    public func exclusion(from group: GroupID) -> OperationID? { core.exclusion(from: group) }

    /// The live invites that a member made, or by which it was let in: by the same link it could come back as somebody else.
    public func invitesEnding(with user: UserID, in group: GroupID) -> [GroupState.Invite] {
        core.invitesEnding(with: user, in: group)
    }

    /// The removals in a group that `Command.annul` takes back, newest first; none where this user is not the owner.
    /// One resolution of the ledger for each.
    public func annulments(in group: GroupID) -> [Annulment] {
        core.groups[group]?.ledger.annulments(by: core.identity, at: core.wall.seconds) ?? []
    }

    /// The link of an invite whose link this node keeps; nil for others'.
    public func link(ofInvite id: OperationID, in group: GroupID) -> String? { core.link(ofInvite: id, in: group) }

    /// Who waits for owner or an admin of a group to let them in.
    public func openRequests(in group: GroupID) -> [GroupState.Request] { core.openRequests(in: group) }

    /// Whether somebody on this node has turned an account down that asks under this invite, with whatever device. It can still
    /// be let in; a new invite makes a new request.
    public func isDenied(_ claim: JoinClaim, in group: GroupID) -> Bool { core.isDenied(claim, in: group) }

    /// How this device reaches another one of a group: over so many links, the first of which leads to `via`. Nil
    /// where it is offline, as far as the group knows.
    public func route(to device: DeviceID, in group: GroupID) -> (hops: Int, via: DeviceID)? {
        reachability.route(to: device, in: group, core: core)
    }

    /// How many records a device lacks of a group, by what it said last, also while it is away: 0 if it has all; nil if it
    /// has said nothing since this node started. Where a feed is forked this is an estimate.
    public func behind(_ device: DeviceID, in group: GroupID) -> Int? { sync.behind(device, in: group, core: core) }

    /// How far this device has come with a group of which it lacks a part: the records that count here, and how many they
    /// will be by what members have said. Nil where nothing is being fetched.
    public func progress(of group: GroupID) -> (held: Int, total: Int)? { sync.progress(of: group, core: core) }

    // MARK: Friends

    /// A group that this user and one other have to themselves.
    public struct FriendGroup: Sendable {
        public let group: GroupID
        public let friend: UserID
        /// Whether it was founded for the two of them; else they happen to be the only ones left, or so far.
        public let isPair: Bool
    }

    /// In order of the groups' IDs.
    public var friendGroups: [FriendGroup] { core.friendGroups }

    /// Groups in which this user goes by an alias: their members are not asked to be friends, for a request names its
    /// asker.
    public var aliasGroups: Set<GroupID> {
        get { friends.aliasGroups }
        set { friends.aliasGroups = newValue }
    }

    /// Wishes of this user that may be open at once.
    public static let maximumFriendRequests = FriendRequests.maximumSent

    /// Whether this node answers to its account's friend code.
    public var answersToCode: Bool { friends.answersToCode }

    /// Requests of this user, by code.
    public var sentFriendRequests: [SentFriendRequest] { friends.sentFriendRequests }

    /// Requests of others, oldest first.
    public var receivedFriendRequests: [ReceivedFriendRequest] { friends.receivedFriendRequests }

    /// Users of whom no requests are taken.
    public var blockedUsers: [UserID] { friends.blockedUsers }

    /// The groups into which this device may come back, in the order of their IDs.
    public var offeredReturns: [OfferedReturn] { admission.offeredReturns }

    // MARK: Groups and records

    /// This machine's clock beside those of the devices that links are open to.
    public func compareClocks(at instant: MonotonicInstant, wallTime: WallTime) -> ClockComparison {
        var leads: [DeviceID: ClockComparison.Member] = [:]
        for link in core.sessions.keys {
            guard let session = core.sessions[link], let clock = session.clock,
                let device = core.deviceID(of: session.key)
            else { continue }
            // Seconds as of then, and now.
            let theirs = Duration.seconds(clock.seconds) + clock.at.duration(to: max(instant, clock.at))
            leads[device] = .init(device: device, lead: theirs - .milliseconds(wallTime.milliseconds))
        }
        return ClockComparison(leads.keys.sorted().compactMap { leads[$0] }) { device in
            let users = core.groups.keys.compactMap { core.groups[$0]?.state.device(device)?.user }
            return users.first ?? UserID(bytes: device.bytes)
        }
    }

    /// How many records of a group wait for their time because they are dated ahead: this device's, and all.
    public func waitingRecords(of group: GroupID) -> (own: Int, all: Int) {
        guard let merged = core.groups[group]?.merged else { return (0, 0) }
        return (merged.quarantinedCount(of: core.identity.device), merged.quarantinedCount)
    }

    /// Whose operation this is, and when its device made it by its own clock, in seconds since 1970; nil for one that is
    /// not here. O(1).
    public func origin(of operation: OperationID, in group: GroupID) -> (user: UserID, time: Int64)? {
        guard let ledger = core.groups[group]?.ledger, let signed = ledger.operation(operation),
            let user = ledger.user(of: signed.operation.author)
        else { return nil }
        return (user, signed.operation.time)
    }

    /// Whether an operation is here and counts.
    public func counts(_ operation: OperationID, in group: GroupID) -> Bool {
        guard let ledger = core.groups[group]?.ledger, ledger.contains(operation) else { return false }
        return ledger.refusal(of: operation) == nil
    }

    /// All runs of a group, as they are stored.
    package func storedRuns(of group: GroupID) -> [StoredRun] {
        core.groups[group]?.feeds.feeds.flatMap(\.storedRuns) ?? []
    }

    /// The groups of which there is a ledger, in the order of their IDs.
    public var groupIDs: [GroupID] { core.groups.keys }

    /// Who is in a group; nil for an unknown one.
    public func state(of group: GroupID) -> GroupState? { core.groups[group]?.state }

    /// The digest of a group; nil for an unknown one.
    public func digest(of group: GroupID) -> GroupDigest? { core.groups[group]?.digest }

    /// Every merged value of a group, in the order of `MergedRecords.forEach`.
    public func mergedRecords(of group: GroupID) -> [MergedRecord] { core.groups[group]?.merged.all ?? [] }

    /// Calls `results` with what stands of each user in each game, and `other` with every other merged value of a group.
    public func forEachMergedRecord(
        of group: GroupID, results: (StandingResults) -> Void, other: (MergedRecord) -> Void
    ) {
        core.groups[group]?.merged.forEach(results: results, other: other)
    }

    /// The merged value of one key of a group.
    public func mergedRecord(_ key: RecordKey, of group: GroupID) -> MergedRecord? {
        core.groups[group]?.merged.record(key)
    }

    /// The device whose word stands for one key of a group; nil where there never was one.
    public func writer(of key: RecordKey, in group: GroupID) -> DeviceID? { core.groups[group]?.merged.writer(of: key) }

    /// When a user last wrote in a group, by the author's clock; nil for who never did.
    public func latestRecord(of user: UserID, in group: GroupID) -> HybridTime? {
        core.groups[group]?.merged.latest(of: user)
    }

    /// How many records of a group's feeds are held.
    public func recordCount(of group: GroupID) -> Int { core.groups[group]?.feeds.recordCount ?? 0 }

    /// How many of them count under the cuts of the ledger, of a forked feed those of its longest branch.
    public func countingRecordCount(of group: GroupID) -> Int { core.groups[group]?.countingRecords ?? 0 }

    /// Whether a feed of a group has more than one branch: a device wrote on from an old state of its store.
    public func hasFork(in group: GroupID) -> Bool {
        core.groups[group]?.feeds.feeds.contains(where: \.isForked) ?? false
    }

    /// Whether records of a group wait here until their time has come, for their authors' clocks are ahead of this one.
    public func holdsBackRecords(of group: GroupID) -> Bool {
        guard let merged = core.groups[group]?.merged else { return false }
        return merged.nextRelease != nil || merged.firstOmitted != nil
    }

    /// Whether records are shown that came ahead of what precedes them: digests leave those out.
    public func showsRecordsAhead(of group: GroupID) -> Bool { !(core.groups[group]?.ahead.isEmpty ?? true) }

    /// Whether what is merged of a group is about to be merged anew, since some of it counts no more.
    public func awaitsRebuild(of group: GroupID) -> Bool { core.groups[group]?.isStale ?? false }

    /// A small named value kept with `Command.keepSetting`.
    public func setting(_ name: String) -> [UInt8]? { core.settings[name] }

    /// Whether this device is a current member.
    public func isMember(of group: GroupID) -> Bool { core.isCurrentMember(of: group) }

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
        core.sessions.keys.compactMap { link -> LinkedDevice? in
            guard let session = core.sessions[link], let device = core.deviceID(of: session.key),
                let summary = core.links.pathSummary(link)
            else { return nil }
            let shared = core.groups(on: link, allowing: .records)
            return LinkedDevice(
                device: device, groups: shared, via: summary.via, endpoint: summary.endpoint,
                agreeing: shared.filter { sync.peers[link, $0]?.digest == core.groups[$0]?.digest },
                syncing: shared.filter { sync.peers[link, $0]?.round != nil }, lastHeard: summary.lastHeard,
                nextExpected: summary.nextExpected)
        }.sorted { $0.device < $1.device }
    }

    /// Whether anything is under way with a peer: a join, an exchange, or a rumour not yet acknowledged.
    public var isExchanging: Bool {
        admission.isJoining || rumours.nextDeadline != nil || sync.peers.isExchanging
            || core.sessions.keys.contains { core.links.queuedByteCount($0) > 0 }
    }

    /// Stored runs that did not fit what precedes them; left out, and fetched again from peers.
    public var runsLeftOut: [RunKey] { core.unfitRuns }
}
