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
        // Each node begins with another member, or all would dial the same ones.
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
            for endpoint in call.endpoints {
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
        _ target: Unlinked, attempt: Int, at endpoint: Endpoint, usesStreams: Bool, core: inout EngineCore
    ) {
        let keys = target.groups.map { core.linkKeys(of: $0) }
        let newest = keys.compactMap(\.first)
        let older = keys.flatMap { $0.dropFirst() }
        let (isNewest, index) = Dialler.choice(attempt: attempt, newest: newest.count, older: older.count)
        let chosen = isNewest ? newest : older
        guard chosen.indices.contains(index) else { return }
        dialPeer(target.linkKey, under: chosen[index], at: endpoint, usesStreams: usesStreams, core: &core)
    }

    /// Dials who was heard of at an address, under the key by which it was known.
    ///
    /// - Parameter count: how many links there are of the group.
    mutating func dialSighted(
        _ linkKey: AgreementPublicKey, in group: GroupID, under key: LinkKey, at endpoint: Endpoint,
        links count: Int, core: inout EngineCore
    ) {
        let device = core.groups[group]?.state.device(linkKey: linkKey)
        // Who is unknown in the private group is perhaps a machine that the account's key has made.
        guard device?.isCurrent ?? core.isPrivate(group) else { return }
        if let device { dialler.sighted(device.device, at: endpoint, now: core.now) }
        let isReached = device.map { self.isReached($0.device, in: [group]) } ?? false
        guard dialler.takeRoom(in: [group], links: [group: count], isReached: isReached, at: core.now) else { return }
        dialPeer(linkKey, under: key, at: endpoint, usesStreams: true, core: &core)
    }

    private mutating func dialPeer(
        _ peer: AgreementPublicKey, under key: LinkKey, at endpoint: Endpoint, usesStreams: Bool, core: inout EngineCore
    ) {
        core.links.dial(
            peer: peer, key: key, to: endpoint, usesDatagrams: true, usesStreams: usesStreams, at: core.now,
            entropy: &core.entropy)
    }
}
