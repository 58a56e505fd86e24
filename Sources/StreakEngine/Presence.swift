import StreakLinks
import StreakMembership
import StreakReplication
public import StreakWire

/// Names a device in messages about presence: the first eight bytes of its ID.
package struct DeviceHandle: Hashable, Comparable, Sendable {
    package let value: UInt64

    package init(_ device: DeviceID) { value = device.bytes.w0 }
    package init(value: UInt64) { self.value = value }

    package static func < (left: DeviceHandle, right: DeviceHandle) -> Bool { left.value < right.value }
}

/// One line of a distance vector: how many links away the sender has a device; nil where it no longer reaches it.
package struct PresenceEntry: Equatable, Sendable {
    package let device: DeviceHandle
    package let hops: UInt8?

    package init(device: DeviceHandle, hops: UInt8?) {
        self.device = device
        self.hops = hops
    }
}

/// Who of one group is online, and by way of whom.
///
/// A distance vector with split horizon and triggered updates, as in RFC 2453: linked nodes tell each other which devices
/// they reach, and over how many links. Nothing is sent while nothing changes; a device that goes away is forgotten as far
/// as the links reach that led to it. Counting to infinity ends at `maximumHops`.
struct Presence: Sendable {
    /// How a device is reached.
    struct Route: Sendable, Equatable {
        /// 1 where a link leads to it.
        var hops: UInt8
        /// The link that leads there.
        var link: LinkID
    }

    /// The longest way that counts, in links.
    static let maximumHops: UInt8 = 15
    /// Devices kept of what one peer says; of a group of 1,000 some have more than one.
    static let maximumEntries = 2_048
    /// How long changes are gathered before peers are told.
    static let delay: Duration = .milliseconds(250)

    /// What each peer says it reaches.
    private var heard: [LinkID: [DeviceHandle: UInt8]] = [:]
    /// What each peer was told.
    private var told: [LinkID: [DeviceHandle: UInt8]] = [:]
    /// The shortest way to each device, and the length of the shortest over any other link.
    private var routes: [DeviceHandle: (best: Route, other: UInt8?)] = [:]
    /// When routes are computed again and peers told what changed.
    private(set) var due: MonotonicInstant?

    mutating func changed(at now: MonotonicInstant) { if due == nil { due = now.advanced(by: Self.delay) } }

    mutating func closed(_ link: LinkID, at now: MonotonicInstant) {
        heard[link] = nil
        told[link] = nil
        changed(at: now)
    }

    /// Takes in what a peer says. What exceeds the bound is ignored.
    mutating func take(_ entries: [PresenceEntry], from link: LinkID, at now: MonotonicInstant) {
        var known = heard[link] ?? [:]
        for entry in entries {
            guard let hops = entry.hops else {
                known[entry.device] = nil
                continue
            }
            guard hops <= Self.maximumHops, known[entry.device] != nil || known.count < Self.maximumEntries else {
                continue
            }
            known[entry.device] = hops
        }
        heard[link] = known
        changed(at: now)
    }

    /// Whether a peer has said that a link leads from it to a device.
    func isNeighbour(_ device: DeviceHandle, of link: LinkID) -> Bool { heard[link]?[device] == 1 }

    /// How many other devices were reached when routes were computed last.
    var count: Int { routes.count }

    /// How a device was reached when routes were computed last.
    func route(to device: DeviceHandle) -> Route? { routes[device]?.best }

    /// Computes all routes.
    ///
    /// - Parameters:
    ///   - direct: the links of the group, ascending, and the devices that they lead to.
    ///   - own: this device.
    /// - Returns: whether other devices are reached than before, or over other links.
    mutating func refresh(direct: [(link: LinkID, device: DeviceHandle)], own: DeviceHandle) -> Bool {
        due = nil
        var found: [DeviceHandle: (best: Route, other: UInt8?)] = [:]
        found.reserveCapacity(routes.count)
        for (link, device) in direct { Self.add(Route(hops: 1, link: link), to: device, in: &found) }
        for (link, neighbour) in direct {
            // Each entry is looked at for itself: any order gives the same routes.
            for (device, hops) in heard[link] ?? [:]
            where hops < Self.maximumHops && device != own && device != neighbour {
                Self.add(Route(hops: hops + 1, link: link), to: device, in: &found)
            }
        }
        let isNews = found.count != routes.count || found.contains { routes[$0.key]?.best != $0.value.best }
        routes = found
        return isNews
    }

    private static func add(
        _ route: Route, to device: DeviceHandle, in found: inout [DeviceHandle: (best: Route, other: UInt8?)]
    ) {
        guard let known = found[device] else {
            found[device] = (route, nil)
            return
        }
        if (route.hops, route.link) < (known.best.hops, known.best.link) {
            found[device] = (route, known.best.link == route.link ? known.other : known.best.hops)
        } else if route.link != known.best.link {
            found[device]?.other = min(known.other ?? .max, route.hops)
        }
    }

    /// What the peer of a link has to be told, in the order of the handles; it counts as told.
    ///
    /// Its neighbours a node always tells of: whom a record need not be passed on to follows from them. Of devices further
    /// away only those that it reaches over fewer links than the peer says it does, without the peer; over as many only if its
    /// own handle is the smaller one. Else two that reach a device alike would both fall silent on hearing the other, and
    /// both speak again, for ever.
    mutating func news(for link: LinkID, from own: DeviceHandle, to peer: DeviceHandle) -> [PresenceEntry] {
        let said = heard[link] ?? [:]
        var current: [DeviceHandle: UInt8] = [:]
        for (device, route) in routes where device != peer {
            guard let hops = route.best.link == link ? route.other : route.best.hops, hops <= Self.maximumHops,
                hops == 1 || (hops, own) < (said[device] ?? .max, peer)
            else { continue }
            current[device] = hops
        }
        let before = told[link] ?? [:]
        told[link] = current
        var news: [PresenceEntry] = []
        for (device, hops) in current where before[device] != hops {
            news.append(PresenceEntry(device: device, hops: hops))
        }
        let gone = before.keys.filter { current[$0] == nil }
        news += gone.map { PresenceEntry(device: $0, hops: nil) }
        return news.sorted { $0.device < $1.device }
    }
}

extension MeshEngine {
    /// The links on which a group may be talked about, ascending, and the devices that they lead to.
    private func neighbours(in group: GroupID) -> [(link: LinkID, device: DeviceHandle)] {
        guard let state = groups[group]?.state else { return [] }
        return links(sharing: group).compactMap { link in
            guard let key = sessions[link]?.key, let device = state.device(linkKey: key) else { return nil }
            return (link, DeviceHandle(device.device))
        }
    }

    /// Links have come or gone, or what may be said over them.
    mutating func notePresence(of group: GroupID) { presence[group, default: Presence()].changed(at: now) }

    mutating func receivedPresence(_ entries: [PresenceEntry], of group: GroupID, over link: LinkID) {
        guard let key = sessions[link]?.key else { return }
        let isKnown = deviceID(of: key) != nil
        let isTaken =
            isKnown
            ? conduct[key, default: Conduct()].takePresence(entries.count, at: now)
            : sessions[link]?.takePresence(entries.count, at: now) ?? false
        guard isTaken else { return links.close(link, at: now) }
        presence[group, default: Presence()].take(entries, from: link, at: now)
    }

    /// Tells peers who is reached from here, where that has changed.
    mutating func tellPresence() {
        for group in presence.keys.sorted() {
            guard let due = presence[group]?.due, due <= now else { continue }
            guard let replica = groups[group], isCurrentMember(of: group) else {
                presence[group] = nil
                publish(.presenceChanged(group))
                continue
            }
            let neighbours = neighbours(in: group)
            let own = DeviceHandle(identity.device)
            if presence[group]?.refresh(direct: neighbours, own: own) ?? false {
                publish(.presenceChanged(group))
            }
            for (link, device) in neighbours {
                let news = presence[group]?.news(for: link, from: own, to: device) ?? []
                if !news.isEmpty { send(.presence(replica.handle, news), over: link) }
            }
        }
    }

    /// How this device reaches another one of a group: over so many links, the first of which leads to `via`. Nil
    /// where it is offline, as far as the group knows.
    public func route(to device: DeviceID, in group: GroupID) -> (hops: Int, via: DeviceID)? {
        guard let state = groups[group]?.state, state.device(device)?.isCurrent ?? false,
            let route = presence[group]?.route(to: DeviceHandle(device)),
            let key = sessions[route.link]?.key, isAuthorised(route.link, in: group),
            let via = state.device(linkKey: key)?.device
        else { return nil }
        return (Int(route.hops), via)
    }
}
