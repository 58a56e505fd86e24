import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// Presence: who is online.
extension Reachability {
    /// The links on which a group may be talked about, ascending, and the devices that they lead to.
    private func neighbours(in group: GroupID, core: EngineCore) -> [(link: LinkID, device: DeviceHandle)] {
        guard let state = core.groups[group]?.state else { return [] }
        return core.links(of: group, allowing: .presence).compactMap { link in
            guard let key = core.sessions[link]?.key, let device = state.device(linkKey: key) else { return nil }
            return (link, DeviceHandle(device.device))
        }
    }

    /// Links were opened or closed, or other messages may now flow over them.
    mutating func notePresence(of group: GroupID, core: EngineCore) {
        presence[group, default: Presence()].changed(at: core.now)
    }

    mutating func receivedPresence(
        _ entries: [PresenceEntry], of group: GroupID, over link: LinkID, core: inout EngineCore
    ) {
        guard core.charge(.presenceEntries, entries.count, over: link) else { return }
        presence[group, default: Presence()].take(entries, from: link, at: core.now)
    }

    /// Tells peers what has changed in the devices that this one reaches.
    mutating func tellPresence(core: inout EngineCore) {
        for group in presence.keys.sorted() {
            guard let due = presence[group]?.due, due <= core.now else { continue }
            guard let replica = core.groups[group], core.isCurrentMember(of: group) else {
                presence[group] = nil
                core.publish(.presenceChanged(group))
                continue
            }
            let neighbours = neighbours(in: group, core: core)
            let own = DeviceHandle(core.identity.device)
            if presence[group]?.refresh(direct: neighbours, own: own) ?? false {
                core.publish(.presenceChanged(group))
            }
            for (link, device) in neighbours {
                let news = presence[group]?.news(for: link, from: own, to: device) ?? []
                if !news.isEmpty { core.send(.presence(replica.handle, news), over: link) }
            }
        }
    }

    /// How this device reaches another one of a group: over how many links, and to which device the first of them leads
    /// (`via`). Nil if the group does not know it to be online.
    func route(to device: DeviceID, in group: GroupID, core: EngineCore) -> (hops: Int, via: DeviceID)? {
        guard let state = core.groups[group]?.state, state.device(device)?.isCurrent ?? false,
            let route = presence[group]?.route(to: DeviceHandle(device)),
            let key = core.sessions[route.link]?.key, core.access(of: route.link, in: group).contains(.presence),
            let via = state.device(linkKey: key)?.device
        else { return nil }
        return (Int(route.hops), via)
    }
}
