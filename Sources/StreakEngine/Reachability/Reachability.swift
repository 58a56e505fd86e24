import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// Knows where others are: which devices to dial at which addresses, which are on the local network, and which are online
/// over which links.
struct Reachability: Sendable {
    var dialler = Dialler()
    var discovery = Discovery()
    /// Who is online, by group.
    var presence: [GroupID: Presence] = [:]
    /// Groups that this device joins.
    var joinedGroups: Set<GroupID> = []
    /// Where this device is seen from outside.
    var witnesses = Witnesses()
    /// What it tells of itself.
    var own = OwnWhereabouts()
    /// Where others say they are, and when that goes to the disk.
    var whereabouts = WhereaboutsTable()
    var storeDue: MonotonicInstant?
    /// Where devices are that no ledger here names yet. A friend may know of a newcomer before this node does.
    var unknownWhereabouts = WhereaboutsTable(maximumCount: WhereaboutsTable.maximumUnknown)
    /// Whom it expects.
    var warm = WarmDevices()

    init(snapshot: Snapshot, core: inout EngineCore) {
        core.network.ownEndpoints = Self.endpoints(fromSetting: snapshot.settings[Self.endpointsSetting] ?? [])
        for address in snapshot.addresses { dialler.remember(address) }
        restoreWhereabouts(snapshot, core: &core)
    }

    /// When something is due next.
    var nextDeadline: MonotonicInstant? {
        // The least of all is the same in any order.
        let waiting = [
            dialler.isStarted ? dialler.nextDeadline : nil, discovery.nextDeadline,
            presence.values.lazy.compactMap(\.due).min(), whereaboutsDeadline,
        ]
        return waiting.compactMap(\.self).min()
    }

    // MARK: Addresses

    /// This node's own addresses, then those of other members on the local network. Members' addresses on the internet are
    /// not passed on.
    func inviteAddresses(of group: GroupID, core: EngineCore) -> [[Endpoint]] {
        let ownAddresses = ownInviteAddresses(core: core)
        var sets = ownAddresses.isEmpty ? [] : [ownAddresses]
        let linked = Set(
            core.links(of: group, allowing: .records).compactMap {
                core.sessions[$0].flatMap { core.deviceID(of: $0.key) }
            })
        let devices =
            core.groups[group]?.state.devices.filter { $0.isCurrent && $0.device != core.identity.device } ?? []
        let ordered = devices.map(\.device).sorted {
            (linked.contains($0) ? 0 : 1, $0) < (linked.contains($1) ? 0 : 1, $1)
        }
        for device in ordered {
            let local = (dialler.addresses[device] ?? []).map(\.endpoint).filter(\.isLocal).filter { !$0.isLinkLocal }
            if !local.isEmpty { sets.append(Array(local.prefix(2))) }
        }
        return sets
    }

    /// Where friends on the internet find this node, then where those beside it do, for whom one place is kept.
    private func ownInviteAddresses(core: EngineCore) -> [Endpoint] {
        let interfaces = core.network.ownEndpoints
        guard own.setting == .on else { return interfaces }
        let told = own.content(witnesses).entries.map(\.endpoint).filter { !interfaces.contains($0) }
        return Array((told.prefix(InviteLink.maximumEndpoints - 1) + interfaces).prefix(InviteLink.maximumEndpoints))
    }

    private static let endpointsSetting = "endpoints"

    /// Notes this node's addresses, also for invites that are made while it is not running.
    mutating func keepOwnEndpoints(_ endpoints: [Endpoint], core: inout EngineCore) {
        core.network.ownEndpoints = Array(endpoints.filter { !$0.isLinkLocal }.prefix(InviteLink.maximumEndpoints))
        var writer = WireWriter()
        for endpoint in core.network.ownEndpoints { writer.write(endpoint) }
        guard core.settings[Self.endpointsSetting] ?? [] != writer.bytes else { return }
        core.storeSetting(Self.endpointsSetting, writer.bytes)
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

    /// Keeps where a device answered. If only a stream was accepted, the far port is not one to dial, and nothing is kept.
    mutating func rememberAddress(of link: LinkID, core: inout EngineCore) {
        guard let session = core.sessions[link], let summary = core.links.pathSummary(link),
            summary.hasDatagrams || session.isInitiator, let device = core.deviceID(of: session.key)
        else { return }
        let address = RememberedAddress(device: device, endpoint: summary.endpoint, lastAnswered: core.wall.seconds)
        guard dialler.remember(address) else { return }
        var change = DurableChange()
        change.addresses = [address]
        core.persist(change)
    }

    // MARK: The network

    mutating func startNetwork(port: UInt16, usesDiscovery: Bool, core: inout EngineCore) {
        core.network.isStarted = true
        core.network.callsNetworks = usesDiscovery
        core.network.port = port
        dialler.start()
        discovery.start(port: port, callingNetworks: usesDiscovery, at: core.now)
        beginTelling(core: &core)
    }

    /// Looks for everybody again, now.
    mutating func lookForMembers(core: EngineCore) {
        dialler.hurry(at: core.now)
        discovery.callSoon(at: core.now)
    }

    /// Takes in the addresses that the user named.
    mutating func name(_ endpoints: [Endpoint], core: inout EngineCore) {
        dialler.name(endpoints, at: core.now)
        dialler.checkSoon()
        core.network.namedEndpoints = dialler.namedEndpoints
    }

    /// A device may be at an address that somebody told.
    mutating func heard(_ device: DeviceID, at endpoint: Endpoint, core: EngineCore) {
        dialler.sighted(device, at: endpoint, now: core.now)
    }

    /// A device has answered at an address.
    mutating func answered(_ address: RememberedAddress) { dialler.remember(address) }

    mutating func peerKnown(_ device: DeviceID, over link: LinkID, core: inout EngineCore) {
        dialler.linkOpened(to: device, at: core.now)
        warm.end(device)
        rememberAddress(of: link, core: &core)
    }

    mutating func peerGone(_ device: DeviceID, core: inout EngineCore) {
        dialler.linkClosed(to: device, at: core.now)
        expect(device, core: &core)
    }

    mutating func closed(_ session: PeerSession, core: EngineCore) {
        witnesses.closed(session.link, at: core.now)
        for group in session.groups.keys.sorted() { presence[group]?.closed(session.link, at: core.now) }
    }

    /// Does what is due.
    mutating func runTimers(core: inout EngineCore) {
        dialWhoIsDue(core: &core)
        if discovery.isDue(at: core.now) { call(nil, core: &core) }
        tellPresence(core: &core)
        runWhereaboutsTimers(core: &core)
    }

    // MARK: Keys

    /// Tells links and discovery the keys of the groups as they now are.
    ///
    /// - Parameters:
    ///   - joining: the beacon keys of groups that this device joins.
    ///   - friends: those of friend codes.
    mutating func refreshKeys(joining: [Discovery.Source], friends: [Discovery.Source], core: inout EngineCore) {
        core.keysAreStale = false
        joinedGroups = Set(joining.map(\.group))
        dialler.checkSoon()
        var access: [LinkKey] = []
        var invites: [LinkKey] = []
        for id in core.groups.keys {
            let place = core.place(in: id)
            if place.answers { access += core.linkKeys(of: id) }
            guard place.seeks else { continue }
            for invite in answeredInvites(of: id, core: core) {
                invites.append(EngineCore.linkKey(of: invite.presharedKey, label: .invite(id, invite.id)))
            }
        }
        for link in core.sessions.keys.sorted() { core.sessions[link]?.expectedProofs = nil }
        core.links.setKeys(access, for: .member)
        core.links.setKeys(invites, for: .invite)
        discovery.sources = groupSources(core: core) + joining + friends
    }

    /// The invites whose holders get an answer: live ones, and dead ones for a week, so that their holders hear why they are
    /// not let in. Their number is limited, however many a member puts into the ledger.
    private func answeredInvites(of group: GroupID, core: EngineCore) -> [GroupState.Invite] {
        let invites = (core.groups[group]?.state.invites ?? []).filter { $0.expiresAt > core.wall.seconds - 7 * 86_400 }
        let live = invites.filter { $0.isLive(at: core.wall.seconds) }
        let dead = invites.filter { !$0.isLive(at: core.wall.seconds) }
        guard let state = core.groups[group]?.state else { return [] }
        return state.answered(live) + state.answered(dead, atMost: Discovery.maximumDeadInvites)
    }

    /// The beacon keys of this node's groups, and of the invites under which newcomers may ask.
    private func groupSources(core: EngineCore) -> [Discovery.Source] {
        var sources: [Discovery.Source] = []
        for id in core.groups.keys {
            let place = core.place(in: id)
            guard let group = core.groups[id], place.answers else { continue }
            // A device that is out of a group sends no beacons for it, but reads those of members that do not know so yet.
            let calls = place.seeks
            for (index, (key, linkKey)) in zip(group.accessKeys, core.linkKeys(of: id)).enumerated() {
                sources.append(
                    .init(
                        group: id, invite: nil, key: key.beaconKey, linkKey: linkKey, isCalled: calls && index == 0,
                        isCalledInTurn: calls && index > 0,
                        toleratedHours: index == 0 ? Beacon.toleratedHours : Discovery.fewToleratedHours))
            }
            guard calls else { continue }
            for invite in group.state.answered(group.state.invites.filter { $0.isLive(at: core.wall.seconds) }) {
                sources.append(
                    .init(
                        group: id, invite: invite.id, key: Discovery.beaconKey(of: invite.presharedKey),
                        toleratedHours: Discovery.fewToleratedHours))
            }
        }
        return sources
    }
}
