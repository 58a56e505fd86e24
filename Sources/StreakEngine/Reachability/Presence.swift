import StreakLinks
import StreakMembership
import StreakReplication
package import StreakWire

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

/// Which devices of one group are online, and over which link each is reached.
///
/// A distance vector with split horizon and triggered updates, as in RFC 2453: linked nodes tell each other which devices
/// they reach, and over how many links. Nothing is sent while nothing changes. A device that goes away is forgotten by
/// every node that reached it. Counting to infinity ends at `maximumHops`.
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
    /// The most devices that are kept from one peer. A group has up to 1,000 members, some with several devices.
    static let maximumEntries = 2_048
    /// How long changes are gathered before peers are told.
    static let delay: Duration = .milliseconds(250)

    /// Links to each device, by its place; 0 where it is not reached.
    private struct Column: Sendable {
        private var hops: [UInt8]

        init(_ hops: [UInt8] = []) { self.hops = hops }

        subscript(place: Int) -> UInt8 {
            get { place < hops.count ? hops[place] : 0 }
            set {
                if place >= hops.count { hops += repeatElement(0, count: place + 1 - hops.count) }
                hops[place] = newValue
            }
        }

        var places: Range<Int> { hops.indices }
    }

    /// What is said on one link.
    private struct Talk: Sendable {
        /// What the peer says it reaches, and how many devices that is.
        var heard = Column()
        var heardCount = 0
        /// What the peer was told.
        var told = Column()

        mutating func take(_ hops: UInt8, at place: Int) {
            let known = heard[place]
            guard hops <= maximumHops, hops != known, known > 0 || heardCount < maximumEntries else { return }
            heardCount += (hops > 0 ? 1 : 0) - (known > 0 ? 1 : 0)
            heard[place] = hops
        }

        mutating func keep(_ places: [Int]) {
            heard = Column(places.map { heard[$0] })
            told = Column(places.map { told[$0] })
        }
    }

    /// In a group of a thousand, every link reports a thousand devices. So each device has a place, the same on all links,
    /// and a report is one byte at that place.
    private var places: [DeviceHandle: Int] = [:]
    /// By place.
    private var devices: [DeviceHandle] = []
    /// The shortest way, by place; shorter than `devices` where some were named since.
    private var ways: [Route?] = []
    private var talks = SortedTable<LinkID, Talk>()
    /// When there are this many places, those of devices that nobody reports are given up.
    private var tidyCount = leastTidyCount
    private static let leastTidyCount = 2 * maximumEntries
    /// How many devices room is kept for.
    var placeCount: Int { devices.count }
    /// How many other devices were reached when routes were computed last.
    private(set) var count = 0
    /// When routes are computed again and peers told what changed.
    private(set) var due: MonotonicInstant?

    mutating func changed(at now: MonotonicInstant) { if due == nil { due = now.advanced(by: Self.delay) } }

    mutating func closed(_ link: LinkID, at now: MonotonicInstant) {
        talks[link] = nil
        changed(at: now)
    }

    /// Takes in a peer's report. Devices beyond the limit are ignored.
    mutating func take(_ entries: [PresenceEntry], from link: LinkID, at now: MonotonicInstant) {
        if talks[link] == nil { talks[link] = Talk() }
        for entry in entries {
            let place = place(of: entry.device)
            talks[link]?.take(entry.hops ?? 0, at: place)
        }
        changed(at: now)
    }

    private mutating func place(of device: DeviceHandle) -> Int {
        if let known = places[device] { return known }
        places[device] = devices.count
        devices.append(device)
        return devices.count - 1
    }

    /// Whether a peer has said that a link leads from it to a device.
    func isNeighbour(_ device: DeviceHandle, of link: LinkID) -> Bool {
        places[device].map { talks[link]?.heard[$0] == 1 } ?? false
    }

    /// How a device was reached when routes were computed last.
    func route(to device: DeviceHandle) -> Route? { places[device].flatMap { route(at: $0) } }

    private func route(at place: Int) -> Route? { ways.indices.contains(place) ? ways[place] : nil }

    /// Computes all routes.
    ///
    /// - Parameters:
    ///   - direct: the links of the group, ascending, and the devices that they lead to.
    ///   - own: this device.
    /// - Returns: whether other devices are reached than before, or over other links.
    mutating func refresh(direct: [(link: LinkID, device: DeviceHandle)], own: DeviceHandle) -> Bool {
        due = nil
        tidy()
        let neighbours = direct.map { (link: $0.link, place: place(of: $0.device)) }
        let ownPlace = places[own]
        var found = [Route?](repeating: nil, count: devices.count)
        func add(_ hops: UInt8, over link: LinkID, to place: Int) {
            guard let known = found[place], (known.hops, known.link) <= (hops, link) else {
                return found[place] = Route(hops: hops, link: link)
            }
        }
        for (link, neighbour) in neighbours {
            add(1, over: link, to: neighbour)
            guard let heard = talks[link]?.heard else { continue }
            for place in heard.places where place != ownPlace && place != neighbour {
                let hops = heard[place]
                if hops > 0, hops < Self.maximumHops { add(hops + 1, over: link, to: place) }
            }
        }
        let isNews = found.indices.contains { route(at: $0) != found[$0] }
        ways = found
        count = found.count { $0 != nil }
        return isNews
    }

    /// Gives up the places of devices that nobody reports, once there are twice as many places as last time.
    private mutating func tidy() {
        guard devices.count >= tidyCount else { return }
        let kept = devices.indices.filter { place in
            route(at: place) != nil || talks.values.contains { $0.heard[place] > 0 || $0.told[place] > 0 }
        }
        devices = kept.map { devices[$0] }
        places = Dictionary(uniqueKeysWithValues: zip(devices, devices.indices))
        ways = kept.prefix { $0 < ways.count }.map { ways[$0] }
        for link in talks.keys { talks[link]?.keep(kept) }
        tidyCount = max(Self.leastTidyCount, 2 * devices.count)
    }

    /// What the peer of a link has to be told, in the order of the handles; it counts as told.
    ///
    /// A node always reports its neighbours, so that peers know to whom they need not pass on its records. Of devices
    /// further away it reports those that it reaches over fewer links than the peer does: never one that it reaches over
    /// the peer. If both need equally many links, only the one with the smaller handle reports. Otherwise each would fall
    /// silent on hearing the other, and then both would report again, without end.
    ///
    /// - Precondition: routes were computed since the peer spoke last.
    mutating func news(for link: LinkID, from own: DeviceHandle, to peer: DeviceHandle) -> [PresenceEntry] {
        if talks[link] == nil { talks[link] = Talk() }
        let peerPlace = places[peer]
        var news: [PresenceEntry] = []
        for (place, way) in ways.enumerated() {
            let reached = way?.hops ?? 0
            let said = talks[link]?.heard[place] ?? 0
            let isTold = place != peerPlace && (reached == 1 || (reached, own) < (said == 0 ? .max : said, peer))
            let hops = isTold ? reached : 0
            guard talks[link]?.told[place] != hops else { continue }
            talks[link]?.told[place] = hops
            news.append(PresenceEntry(device: devices[place], hops: hops == 0 ? nil : hops))
        }
        return news.sorted { $0.device < $1.device }
    }
}
