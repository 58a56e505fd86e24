import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// Dialling.
extension Reachability {
    /// A device without a link, and the groups by whose keys it may be reached.
    private struct Unlinked {
        let linkKey: AgreementPublicKey
        var groups: [GroupID]
    }

    /// Devices of other members, or other devices of mine, that have no link.
    private func unlinkedDevices(core: EngineCore) -> [DeviceID: Unlinked] {
        var found: [DeviceID: Unlinked] = [:]
        for id in core.groups.keys.sorted() {
            guard let group = core.groups[id], core.place(in: id).seeks else { continue }
            for device in group.state.devices where device.isCurrent && device.device != core.identity.device {
                guard core.links.link(to: device.linkKey) == nil else { continue }
                found[device.device, default: Unlinked(linkKey: device.linkKey, groups: [])].groups.append(id)
            }
        }
        return found
    }

    mutating func dialWhoIsDue(core: inout EngineCore) {
        guard dialler.isStarted else { return }
        guard dialler.takeCheck(at: core.now) else { return }
        let unlinked = unlinkedDevices(core: core)
        var counts: [GroupID: Int] = [:]
        for group in core.groups.keys { counts[group] = core.links(of: group, allowing: .records).count }
        // Each node begins with another member. Otherwise all would dial the same ones.
        let sorted = unlinked.keys.sorted()
        let first = sorted.count > Dialler.wantedLinks ? core.randomNumber(below: sorted.count) : 0
        let wanted = sorted[first...] + sorted[..<first]
        var random = core.entropy
        func jitter() -> Duration {
            .milliseconds(Int(random.bytes(1)[0]))
        }
        let candidates = wanted.map { device in
            let shared = unlinked[device]?.groups ?? []
            return Dialler.Candidate(device: device, groups: shared, isReached: isReached(device, in: shared))
        }
        let due = dialler.dueDevices(among: candidates, links: counts, at: core.now, jitter: jitter)
        let endpoints = dialler.dueEndpoints(at: core.now, jitter: jitter)
        core.entropy = random
        for call in due {
            guard let target = unlinked[call.device] else { continue }
            var endpoints = call.endpoints
            let beyond = endpoints.count { isBeyondLAN($0, core: core) }
            if !mayLeave(beyond * WarmDevices.datagramsOfADial, core: &core) {
                endpoints.removeAll { isBeyondLAN($0, core: core) }
                dialler.postpone(call.device, at: core.now)
            }
            for endpoint in endpoints {
                dialUnlinked(target, attempt: call.attempt, at: endpoint, usesStreams: true, core: &core)
            }
        }
        for (endpoint, attempt) in endpoints {
            let linked = core.sessions.keys.contains { core.links.pathSummary($0)?.endpoint == endpoint }
            guard !linked else { continue }
            let candidates = wanted.prefix(Dialler.candidatesPerAttempt)
            for candidate in candidates {
                guard let target = unlinked[candidate] else { continue }
                dialUnlinked(target, attempt: attempt, at: endpoint, usesStreams: candidates.count <= 8, core: &core)
            }
            core.post(.endpointDue(endpoint))
            call(endpoint, core: &core)
        }
    }

    private func isReached(_ device: DeviceID, in groups: [GroupID]) -> Bool {
        groups.contains { presence[$0]?.route(to: DeviceHandle(device)) != nil }
    }

    private mutating func dialUnlinked(
        _ target: Unlinked, attempt: Int, at endpoint: Endpoint, usesStreams: Bool, manner: DialManner = .plain,
        core: inout EngineCore
    ) {
        let keys = target.groups.map { core.linkKeys(of: $0) }
        let newest = keys.compactMap(\.first)
        let older = keys.flatMap { $0.dropFirst() }
        let (isNewest, index) = Dialler.choice(attempt: attempt, newest: newest.count, older: older.count)
        let chosen = isNewest ? newest : older
        guard chosen.indices.contains(index) else { return }
        dialPeer(
            target.linkKey, under: chosen[index], at: endpoint, usesStreams: usesStreams, manner: manner, core: &core)
    }

    /// Dials a device whose beacon came from an address, under the key with which the beacon was made.
    ///
    /// - Parameter count: how many links there are of the group.
    mutating func dialSighted(
        _ linkKey: AgreementPublicKey, in group: GroupID, under key: LinkKey, at endpoint: Endpoint,
        links count: Int, core: inout EngineCore
    ) {
        let device = core.groups[group]?.state.device(linkKey: linkKey)
        // An unknown device in the private group may be a machine that was made with the account's key.
        guard device?.isCurrent ?? core.isPrivate(group) else { return }
        if let device { dialler.sighted(device.device, at: endpoint, now: core.now) }
        let isReached = device.map { self.isReached($0.device, in: [group]) } ?? false
        guard dialler.takeRoom(in: [group], links: [group: count], isReached: isReached, at: core.now) else { return }
        dialPeer(linkKey, under: key, at: endpoint, usesStreams: true, core: &core)
    }

    private mutating func dialPeer(
        _ peer: AgreementPublicKey, under key: LinkKey, at endpoint: Endpoint, usesStreams: Bool,
        manner: DialManner = .plain, core: inout EngineCore
    ) {
        core.links.dial(
            peer: peer, key: key, to: endpoint, usesDatagrams: true, usesStreams: usesStreams, manner: manner,
            at: core.now, entropy: &core.entropy)
    }

    // MARK: Whom whereabouts tell of

    /// Whether an endpoint is on the internet, and was not named by this device's user.
    private func isBeyondLAN(_ endpoint: Endpoint, core: EngineCore) -> Bool {
        !endpoint.isLocal && !core.network.namedEndpoints.contains(endpoint)
    }

    /// Whether the budget allows `count` datagrams beyond the local network now. Charges it if so.
    private func mayLeave(_ count: Int, core: inout EngineCore) -> Bool {
        count == 0 || core.budget.chargeAll(.dialsBeyondLAN, count, to: .everybody, at: core.now)
    }

    /// A device without a link, and the groups by which it may be reached; nil if it has a link, or is in none of the groups.
    private func unlinked(_ device: DeviceID, core: EngineCore) -> Unlinked? {
        let groups = core.groups.keys.filter { core.isFound(device, in: $0) }
        guard let first = groups.first, let known = core.groups[first]?.state.device(device),
            core.links.link(to: known.linkKey) == nil
        else { return nil }
        return Unlinked(linkKey: known.linkKey, groups: groups)
    }

    /// Expects a device that has whereabouts: when they come, when its link is lost, and when this node starts.
    mutating func expect(_ device: DeviceID, core: inout EngineCore) {
        guard own.setting == .on, dialler.isStarted, device != core.identity.device,
            let held = whereabouts[device], held.age(at: core.now) <= WarmDevices.maximumAge,
            !held.whereabouts.entries.isEmpty, unlinked(device, core: core) != nil,
            core.budget.charge(.dialsToWhereabouts, to: .device(device), at: core.now)
        else { return }
        warm.expect(device, at: core.now)
    }

    /// Dials and knocks at devices that are expected.
    mutating func dialWarmDevices(core: inout EngineCore) {
        let due = warm.due(at: core.now)
        guard !due.isEmpty else { return }
        let isBusy =
            core.sessions.keys.count { core.links.pathSummary($0)?.via == .internet } >= Self.enoughLinksBeyondLAN
        for device in due {
            guard let target = unlinked(device, core: core), let held = whereabouts[device],
                let expected = warm[device]
            else {
                warm.end(device)
                continue
            }
            // If there are enough links, it is dialled only for groups that have none.
            let isNeeded = !isBusy || target.groups.contains { core.links(of: $0, allowing: .records, upTo: 1).isEmpty }
            let entries = held.whereabouts.dialled
            let count = expected.count == 0 ? WarmDevices.datagramsOfADial : 1
            let isDialled = isNeeded && mayLeave(count * entries.count, core: &core)
            if isDialled {
                for entry in entries {
                    let messages = expected.messages
                    guard messages == 0 || core.charge(.messagesToWhereabouts, messages, to: .source(entry.endpoint))
                    else { continue }
                    // Behind a router that has opened no port a stream reaches nobody.
                    dialUnlinked(
                        target, attempt: expected.attempt, at: entry.endpoint,
                        usesStreams: expected.count == 0 && entry.source != .seen, manner: expected.manner, core: &core)
                }
            }
            warm.dialled(device, isDialled, at: core.now)
        }
    }

    /// With this many links to devices beyond the local network, it dials further ones only for groups without a link.
    private static let enoughLinksBeyondLAN = 8
}
