import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// Decides which devices to dial, at which addresses and when. It never gives up; the pauses only grow.
struct Dialler: Sendable {
    struct Attempt: Sendable {
        var count = 0
        var due: MonotonicInstant
    }

    /// A device without a link.
    struct Candidate: Sendable {
        let device: DeviceID
        /// The groups that it shares with this one.
        let groups: [GroupID]
        /// Whether it is known to be online, by way of others.
        let isReached: Bool
    }

    /// A device that is to be dialled now.
    struct Call: Sendable {
        let device: DeviceID
        let endpoints: [Endpoint]
        let attempt: Int
    }

    /// How long a link to a device has lasted, and how many in a row were short.
    private struct Life: Sendable {
        var openedAt: MonotonicInstant
        var shortLives: Int
    }

    /// A link that ended sooner was hardly worth opening.
    static let shortLife: Duration = .seconds(30)
    /// The longest pause after a link that was short: its device is there, and both ends have news for each other.
    static let longestShortLifePause: Duration = .seconds(30)
    static let firstPause: Duration = .seconds(1)
    static let longestPause: Duration = .seconds(1_800)
    /// Addresses that the user named are tried more often.
    static let longestNamedPause: Duration = .seconds(60)
    /// Addresses kept of one device.
    static let maximumAddresses = 8
    /// Addresses tried at a time.
    static let addressesPerAttempt = 4
    /// The most devices that are tried at one named address at a time.
    static let candidatesPerAttempt = 32
    /// Links of a group up to which further members are dialled (docs/adr/0013).
    static let wantedLinks = 16
    /// How long a dial counts as being under way.
    private static let dialTime: Duration = .seconds(1)
    /// The shortest time between two searches through all members.
    private static let checkInterval: Duration = .milliseconds(20)

    private(set) var isStarted = false
    private(set) var addresses: [DeviceID: [RememberedAddress]] = [:]
    private var devices: [DeviceID: Attempt] = [:]
    private var lives: [DeviceID: Life] = [:]
    private var named: [Endpoint: Attempt] = [:]
    private var wantsCheck = true
    /// Dials of each group since `dialledSince`.
    private var dialled: [GroupID: Int] = [:]
    private var dialledSince: MonotonicInstant = .zero
    /// When to try again the members for which there was no room.
    private var nextTurn: MonotonicInstant?
    private var lastCheck: MonotonicInstant?

    mutating func start() {
        isStarted = true
        wantsCheck = true
    }

    /// Whether one of the groups has room for a further link. If so, counts a dial that is under way.
    ///
    /// - Parameters:
    ///   - links: how many links each group has already.
    ///   - isReached: whether the group knows the device to be online. If it is not, only dials count, not links.
    mutating func takeRoom(
        in groups: [GroupID], links: [GroupID: Int], isReached: Bool, at now: MonotonicInstant
    ) -> Bool {
        if dialledSince.advanced(by: Self.dialTime) <= now {
            dialled = [:]
            dialledSince = now
        }
        let hasRoom = groups.contains { group in
            // A device that looks offline may be in another part of a split network.
            dialled[group, default: 0] + (isReached ? links[group, default: 0] : 0) < Self.wantedLinks
        }
        guard hasRoom else { return false }
        for group in groups { dialled[group, default: 0] += 1 }
        return true
    }

    /// Keeps an address at which a device answered, newest first.
    ///
    /// - Returns: whether it was not the newest before, so that it has to be stored.
    @discardableResult
    mutating func remember(_ address: RememberedAddress) -> Bool {
        var known = addresses[address.device] ?? []
        let isNews = known.first?.endpoint != address.endpoint
        known.removeAll { $0.endpoint == address.endpoint }
        known.insert(address, at: 0)
        known.sort { ($0.lastAnswered, $0.endpoint) > ($1.lastAnswered, $1.endpoint) }
        addresses[address.device] = Array(known.prefix(Self.maximumAddresses))
        wantsCheck = true
        return isNews
    }

    /// Keeps an address at which a device was heard, after those at which it answered. It is tried repeatedly, because a
    /// device that is heard may still be out of reach for a while.
    mutating func sighted(_ device: DeviceID, at endpoint: Endpoint, now: MonotonicInstant) {
        guard !(addresses[device] ?? []).contains(where: { $0.endpoint == endpoint }) else { return }
        remember(RememberedAddress(device: device, endpoint: endpoint, lastAnswered: 0))
        if devices[device] == nil { devices[device] = Attempt(count: 1, due: now.advanced(by: Self.firstPause)) }
    }

    /// The addresses that the user named.
    var namedEndpoints: [Endpoint] { named.keys.sorted() }

    /// Takes these in the place of those before.
    mutating func name(_ endpoints: [Endpoint], at now: MonotonicInstant) {
        let before = named
        named = [:]
        for endpoint in endpoints { named[endpoint] = before[endpoint] ?? Attempt(due: now) }
    }

    /// Forgets all pauses: the network changed, or the user asked.
    mutating func hurry(at now: MonotonicInstant) {
        for device in addresses.keys.sorted() { devices[device] = Attempt(due: now) }
        for endpoint in named.keys.sorted() { named[endpoint] = Attempt(due: now) }
    }

    /// Has a device that could not be dialled now be tried again soon.
    mutating func postpone(_ device: DeviceID, at now: MonotonicInstant) {
        devices[device] = Attempt(due: now.advanced(by: Self.firstPause))
    }

    /// Since when there is a link to a device; nil where there never was one.
    func linkedSince(_ device: DeviceID) -> MonotonicInstant? { lives[device]?.openedAt }

    mutating func linkOpened(to device: DeviceID, at now: MonotonicInstant) {
        devices[device] = nil
        lives[device] = Life(openedAt: now, shortLives: lives[device]?.shortLives ?? 0)
    }

    /// Dials again soon. If the last links to this device were short, waits longer each time: perhaps two copies of one
    /// device replace each other's links.
    mutating func linkClosed(to device: DeviceID, at now: MonotonicInstant) {
        var life = lives[device] ?? Life(openedAt: now, shortLives: 0)
        life.shortLives = life.openedAt.duration(to: now) < Self.shortLife ? life.shortLives + 1 : 0
        lives[device] = life
        let pause =
            life.shortLives < 2
            ? .milliseconds(100) : Self.pause(after: life.shortLives - 2, longest: Self.longestShortLifePause)
        devices[device] = Attempt(due: now.advanced(by: pause))
    }

    /// Has all members be looked at soon: there is a new address or member, or a link was lost.
    mutating func checkSoon() { wantsCheck = true }

    /// Whether there may be anybody to dial now.
    mutating func takeCheck(at now: MonotonicInstant) -> Bool {
        guard wantsCheck || nextDeadline.map({ $0 <= now }) ?? false else { return false }
        // The search goes through all members, so it is not done for each of a hundred links that open at once.
        if let earliest = earliestCheck, earliest > now {
            nextTurn = earliest
            return false
        }
        lastCheck = now
        wantsCheck = false
        return true
    }

    private var earliestCheck: MonotonicInstant? { lastCheck?.advanced(by: Self.checkInterval) }

    var nextDeadline: MonotonicInstant? {
        // The least of all is the same in any order.
        let waiting = [devices.values.lazy.map(\.due).min(), named.values.lazy.map(\.due).min(), nextTurn]
        return waiting.compactMap(\.self).min().map { max($0, earliestCheck ?? $0) }
    }

    /// Whom to dial now, with the addresses to try. Counts the attempts.
    ///
    /// - Parameters:
    ///   - wanted: devices without a link.
    ///   - links: how many links there are of each group.
    mutating func dueDevices(
        among wanted: [Candidate], links: [GroupID: Int], at now: MonotonicInstant, jitter: () -> Duration
    ) -> [Call] {
        var due: [Call] = []
        let everybody = Set(wanted.lazy.map(\.device))
        devices = devices.filter { everybody.contains($0.key) }
        nextTurn = nil
        for candidate in wanted {
            let device = candidate.device
            guard let known = addresses[device], !known.isEmpty else {
                devices[device] = nil
                continue
            }
            var attempt = devices[device] ?? Attempt(due: now)
            guard attempt.due <= now else {
                devices[device] = attempt
                continue
            }
            guard takeRoom(in: candidate.groups, links: links, isReached: candidate.isReached, at: now) else {
                devices[device] = nil
                let isWanted = candidate.groups.contains { links[$0, default: 0] < Self.wantedLinks }
                if isWanted || !candidate.isReached { nextTurn = now.advanced(by: Self.dialTime) }
                continue
            }
            attempt.due = now.advanced(by: Self.pause(after: attempt.count, longest: Self.longestPause) + jitter())
            due.append(Call(device: device, endpoints: endpoints(of: device), attempt: attempt.count))
            attempt.count += 1
            devices[device] = attempt
        }
        return due
    }

    /// Where to dial a device.
    func endpoints(of device: DeviceID) -> [Endpoint] {
        (addresses[device] ?? []).prefix(Self.addressesPerAttempt).map(\.endpoint)
    }

    /// Which named addresses are due. Counts the attempt.
    mutating func dueEndpoints(
        at now: MonotonicInstant, jitter: () -> Duration
    ) -> [(endpoint: Endpoint, attempt: Int)] {
        var due: [(endpoint: Endpoint, attempt: Int)] = []
        for endpoint in named.keys.sorted() {
            guard var attempt = named[endpoint], attempt.due <= now else { continue }
            attempt.due = now.advanced(by: Self.pause(after: attempt.count, longest: Self.longestNamedPause) + jitter())
            due.append((endpoint, attempt.count))
            attempt.count += 1
            named[endpoint] = attempt
        }
        return due
    }

    /// The key for an attempt. Attempts alternate between the newest keys, group by group, and older ones, newest first. A
    /// device that was away for long, or in another part of a split network, knows only an older key.
    static func choice(attempt: Int, newest: Int, older: Int) -> (isNewest: Bool, index: Int) {
        guard older > 0 else { return (true, attempt % max(1, newest)) }
        let turn = attempt / 2
        return attempt.isMultiple(of: 2) ? (true, turn % max(1, newest)) : (false, turn % older)
    }

    private static func pause(after count: Int, longest: Duration) -> Duration {
        min(longest, firstPause * (1 << min(count, 12)))
    }
}
