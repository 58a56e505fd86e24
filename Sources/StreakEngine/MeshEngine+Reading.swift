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

    /// The number of the next stream that this engine dials. A successor on the same sockets continues from it.
    public var nextStream: UInt64 {
        get { core.links.nextStream }
        set { core.links.nextStream = newValue }
    }

    /// Begins new epochs wherever this device has written, as a store that may be a copy must. Store the result at
    /// once.
    public mutating func renewEpochs() -> LocalRows { core.renewEpochs() }

    /// The account's private group; nil before the account has made it.
    public var privateGroup: GroupID? { core.privateGroup }

    /// Whether a group is this account's private group.
    public func isPrivate(_ group: GroupID) -> Bool { core.isPrivate(group) }

    /// Whether any ledger here says that the account has revoked this device.
    public var isShutOut: Bool { core.isShutOut }

    /// Whether the account has revoked any device, as far as the ledgers here say.
    public var hasShutOut: Bool { core.hasShutOut }

    /// Whether the account has revoked a device itself, and not only one that certified it.
    public func isShutOut(_ device: DeviceID) -> Bool { core.isShutOut(device) }

    /// Whether a group has a current device that this account could revoke there and has not.
    public func isStillIn(_ device: DeviceID, _ group: GroupID) -> Bool { core.isStillIn(device, group) }

    /// Whether the account has revoked a device or one that certified it, as far as the ledgers here say.
    public func isGivenUp(_ certificate: DeviceCertificate) -> Bool { core.isGivenUp(certificate) }

    /// How long a device link lives, in seconds.
    public static let deviceLinkLifetime = Admission.deviceLinkLifetime

    /// The ledger of a group; nil for an unknown one.
    package func ledger(of group: GroupID) -> Ledger? { core.groups[group]?.ledger }

    // MARK: Members

    /// The operation that makes this device's admission to a group count for nothing; nil if there is none.
    public func exclusion(from group: GroupID) -> OperationID? { core.exclusion(from: group) }

    /// The live invites that a member made, or by which it joined. By the same link it could come back as another
    /// account.
    func invitesEnding(with user: UserID, in group: GroupID) -> [GroupState.Invite] {
        core.invitesEnding(with: user, in: group)
    }

    /// The removals in a group that `Command.annul` takes back, newest first; none where this user is not the owner.
    /// One resolution of the ledger for each.
    public func annulments(in group: GroupID) -> [Annulment] {
        core.groups[group]?.ledger.annulments(by: core.identity, at: core.wall.seconds) ?? []
    }

    /// The link of an invite, if this node keeps it; nil for the invites of others.
    public func link(ofInvite id: OperationID, in group: GroupID) -> String? { core.link(ofInvite: id, in: group) }

    /// Newcomers to a group who wait for the owner or an admin to admit them.
    public func openRequests(in group: GroupID) -> [GroupState.Request] { core.openRequests(in: group) }

    /// Whether this node has turned down the account that asks under this invite, whatever its device. It can still be
    /// admitted; a new invite makes a new request.
    public func isDenied(_ claim: JoinClaim, in group: GroupID) -> Bool { core.isDenied(claim, in: group) }

    /// How this device reaches another one of a group: the number of links, and the first device on the way. Nil if it
    /// is offline, as far as the group knows.
    public func route(to device: DeviceID, in group: GroupID) -> (hops: Int, via: DeviceID)? {
        reachability.route(to: device, in: group, core: core)
    }

    /// How many records of a group a device lacks, by its last report, also while it is away: 0 if it has all; nil if
    /// it has reported nothing since this node started. With a forked feed this is an estimate.
    public func behind(_ device: DeviceID, in group: GroupID) -> Int? { sync.behind(device, in: group, core: core) }

    /// How far this device has come in fetching a group: the records that count here, and how many there will be by
    /// what members report. Nil if nothing is being fetched.
    public func progress(of group: GroupID) -> (held: Int, total: Int)? { sync.progress(of: group, core: core) }

    // MARK: Friends

    /// A group of this user and exactly one other.
    public struct FriendGroup: Sendable {
        public let group: GroupID
        public let friend: UserID
        /// Whether it was founded for these two; otherwise the others have left, or nobody else has joined yet.
        public let isPair: Bool
    }

    /// In order of the groups' IDs.
    public var friendGroups: [FriendGroup] { core.friendGroups }

    /// Groups in which this user goes by an alias. Their members are not asked to be friends, because a request names
    /// its asker.
    public var aliasGroups: Set<GroupID> {
        get { friends.aliasGroups }
        set { friends.aliasGroups = newValue }
    }

    /// Friend requests that this user may have open at once.
    public static let maximumFriendRequests = FriendRequests.maximumSent

    /// Whether this node answers to its account's friend code.
    public var answersToCode: Bool { friends.answersToCode }

    /// Requests of this user, by code.
    public var sentFriendRequests: [SentFriendRequest] { friends.sentFriendRequests }

    /// Requests of others, oldest first.
    public var receivedFriendRequests: [ReceivedFriendRequest] { friends.receivedFriendRequests }

    /// Users whose requests this node ignores.
    public var blockedUsers: [UserID] { friends.blockedUsers }

    /// The groups into which this device may come back, in the order of their IDs.
    public var offeredReturns: [OfferedReturn] { admission.offeredReturns }

    // MARK: Groups and records

    /// This machine's clock compared with those of the linked devices.
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

    /// How many records of a group are dated ahead and wait for their time: this device's, and everybody's.
    public func waitingRecords(of group: GroupID) -> (own: Int, all: Int) {
        guard let merged = core.groups[group]?.merged else { return (0, 0) }
        return (merged.quarantinedCount(of: core.identity.device), merged.quarantinedCount)
    }

    /// Whose operation this is, and when it was made by its device's clock, in seconds since 1970; nil if it is not
    /// here. O(1).
    public func origin(of operation: OperationID, in group: GroupID) -> (user: UserID, time: Int64)? {
        guard let ledger = core.groups[group]?.ledger, let signed = ledger.operation(operation),
            let user = ledger.user(of: signed.operation.author)
        else { return nil }
        return (user, signed.operation.time)
    }

    /// Whether the account came into a group by this device, which founded it or was admitted. Its other devices came later.
    public func hasBroughtAccount(into group: GroupID) -> Bool {
        guard let replica = core.groups[group], let own = replica.state.device(core.identity.device),
            let signed = replica.ledger.operation(own.introducedBy)
        else { return false }
        return switch signed.operation.body {
        case .found, .admit: true
        case .invite, .revokeInvite, .request, .addDevice, .revokeDevice, .setRole, .transfer, .remove, .leave, .rename,
            .settings:
            false
        }
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

    /// The groups with a ledger here, in the order of their IDs.
    public var groupIDs: [GroupID] { core.groups.keys }

    /// Who is in a group; nil for an unknown one.
    public func state(of group: GroupID) -> GroupState? { core.groups[group]?.state }

    /// A group's digest; nil for an unknown group.
    public func digest(of group: GroupID) -> GroupDigest? { core.groups[group]?.digest }

    /// Every merged value of a group, in the order of `MergedRecords.forEach`.
    public func mergedRecords(of group: GroupID) -> [MergedRecord] { core.groups[group]?.merged.all ?? [] }

    /// Calls `results` with each user's standing results in each game, and `other` with every other merged value of a
    /// group.
    public func forEachMergedRecord(
        of group: GroupID, results: (StandingResults) -> Void, other: (MergedRecord) -> Void
    ) {
        core.groups[group]?.merged.forEach(results: results, other: other)
    }

    /// The merged value of one key of a group.
    public func mergedRecord(_ key: RecordKey, of group: GroupID) -> MergedRecord? {
        core.groups[group]?.merged.record(key)
    }

    /// The device that wrote the value that stands for a key; nil if there never was one.
    public func writer(of key: RecordKey, in group: GroupID) -> DeviceID? { core.groups[group]?.merged.writer(of: key) }

    /// When a user last wrote in a group, by the author's clock; nil if never.
    public func latestRecord(of user: UserID, in group: GroupID) -> HybridTime? {
        core.groups[group]?.merged.latest(of: user)
    }

    /// How many records this node holds in a group's feeds.
    public func recordCount(of group: GroupID) -> Int { core.groups[group]?.feeds.recordCount ?? 0 }

    /// How many of them count under the ledger's cuts. Of a forked feed, only the longest branch is counted.
    public func countingRecordCount(of group: GroupID) -> Int { core.groups[group]?.countingRecords ?? 0 }

    /// Whether a feed of a group has several branches: a device went on writing from an old state of its store.
    public func hasFork(in group: GroupID) -> Bool {
        core.groups[group]?.feeds.feeds.contains(where: \.isForked) ?? false
    }

    /// Whether records of a group wait here because their authors' clocks are ahead of this one.
    public func holdsBackRecords(of group: GroupID) -> Bool {
        guard let merged = core.groups[group]?.merged else { return false }
        return merged.nextRelease != nil || merged.firstOmitted != nil
    }

    /// Whether records are shown whose predecessors are still missing. Digests leave those out.
    public func showsRecordsAhead(of group: GroupID) -> Bool { !(core.groups[group]?.ahead.isEmpty ?? true) }

    /// Whether a group is about to be merged again because some merged records count no longer.
    public func awaitsRebuild(of group: GroupID) -> Bool { core.groups[group]?.isStale ?? false }

    /// A named value kept with `Command.keepSetting`.
    public func setting(_ name: String) -> [UInt8]? { core.settings[name] }

    /// What this machine alone keeps: what the engine does, and what was kept with `Command.keepRows`.
    public var local: LocalRows { core.local }

    /// Whether this device is a current member.
    public func isMember(of group: GroupID) -> Bool { core.isCurrentMember(of: group) }

    /// A device that a link is open to.
    public struct LinkedDevice: Sendable, Equatable {
        public let device: DeviceID
        public let groups: [GroupID]
        public let via: LinkVia
        public let endpoint: Endpoint
        public let path: DevicePath
        /// Whether datagrams reach it; else streams alone do.
        public let hasDatagrams: Bool
        /// Since when.
        public let openedAt: MonotonicInstant
        /// Groups for which the device's last reported digest equals ours.
        public let agreeing: [GroupID]
        /// Groups with an exchange in progress.
        public let syncing: [GroupID]
        /// When the device was last heard.
        public let lastHeard: MonotonicInstant
        /// The latest time by which the device says something, if it is still there. An idle link is quiet for long.
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
                path: reachability.path(of: link, to: device, at: summary.endpoint, core: core),
                hasDatagrams: summary.hasDatagrams,
                openedAt: reachability.dialler.linkedSince(device) ?? summary.lastHeard,
                agreeing: shared.filter { sync.peers[link, $0]?.digest == core.groups[$0]?.digest },
                syncing: shared.filter { sync.peers[link, $0]?.round != nil }, lastHeard: summary.lastHeard,
                nextExpected: summary.nextExpected)
        }.sorted { $0.device < $1.device }
    }

    /// Whether anything is in progress with a peer: a join, an exchange, or a rumour not yet acknowledged.
    public var isExchanging: Bool {
        admission.isJoining || rumours.nextDeadline != nil || sync.peers.isExchanging
            || core.sessions.keys.contains { core.links.queuedByteCount($0) > 0 }
    }

    /// Stored runs that do not fit their predecessors. They are left out, and fetched again from peers.
    public var runsLeftOut: [RunKey] { core.unfitRuns }
}
