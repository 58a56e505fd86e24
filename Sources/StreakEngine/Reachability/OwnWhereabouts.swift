import StreakLinks
import StreakMembership
import StreakWire

/// How far this node may go for friends beyond the local network.
public enum InternetSetting: String, CaseIterable, Sendable {
    /// It tells the members of its groups where it is, passes on what they tell, and dials the devices they tell of.
    case on
    /// It tells nothing and passes nothing on. It dials what it remembers, or was told by its user.
    case off
    /// As `off`, and the node's sockets neither send beyond the local network nor take anything from there.
    case lanOnly = "lan-only"
}

/// How others reach this device from the internet.
public enum OwnReach: String, CaseIterable, Sendable {
    /// At a port that the router has opened for it.
    case mapped
    /// At an address of its own, or one that its user named.
    case open
    /// If both sides dial at the same time: its router uses one port for all destinations.
    case steady
    /// Not at all: its router uses another port for each destination. It can dial devices that others can reach.
    case changing
    /// Not at all: the user's setting forbids it.
    case none
    /// Too little is known.
    case unknown
}

/// Decides when this device makes new whereabouts, and what they hold.
struct OwnWhereabouts: Sendable {
    /// What whereabouts are made of.
    struct Content: Equatable, Sendable {
        var entries: [Whereabouts.Entry] = []
        var isSteady = false
    }

    /// How long to wait for further findings, as at the start, so that they are told together.
    static let delay: Duration = .seconds(2)
    /// A newcomer learns where it is seen just after it has joined. Readers accept five at once.
    static let rate = TokenBucket.Limit(burst: 2, interval: .seconds(60))
    static let longestPause: Duration = .seconds(1_800)
    /// A device that was online in this many of the last 24 hours counts as always on.
    static let alwaysOnHours = 20

    var setting = InternetSetting.off
    /// What the shell found, without what witnesses say.
    private(set) var found: [Whereabouts.Entry] = []
    /// When new ones are due.
    private(set) var due: MonotonicInstant?
    /// The highest number of this device's whereabouts that it has heard of.
    private(set) var lastNumber: UInt64 = 0
    private var last: (content: Content, at: MonotonicInstant)?
    private var budget = TokenBucket(rate)
    /// Hours since 1970 in which this node was online, ascending.
    private(set) var hoursOnline: [UInt64] = []
    private(set) var nextHour: MonotonicInstant?

    mutating func found(_ entries: [Whereabouts.Entry]) {
        found = Array(entries.filter { $0.source != .seen && $0.endpoint.mayBeTold }.sorted().prefix(32))
    }

    /// What would be told now.
    func content(_ witnesses: Witnesses) -> Content {
        var content = Content()
        // If there are more than six, the last ones are left out.
        content.entries = found.filter { $0.source != .ipv6 } + found.filter { $0.source == .ipv6 }
        for isIPv4 in [true, false] {
            guard case .steady(let endpoint) = witnesses.judgement(ofIPv4: isIPv4) else { continue }
            content.isSteady = true
            // A port that the router has opened there is better. A router at another address may be wrong, or have a
            // provider's router behind it.
            let isMapped = found.contains { $0.source == .mapped && $0.endpoint.address == endpoint.address }
            if !isMapped { content.entries.append(Whereabouts.Entry(source: .seen, endpoint: endpoint)) }
        }
        content.entries = Array(content.entries.prefix(Whereabouts.maximumEntries))
        return content
    }

    /// Decides when new ones are due, after anything has changed.
    mutating func schedule(_ content: Content, at now: MonotonicInstant) {
        guard setting == .on else {
            due = nil
            return
        }
        let next: MonotonicInstant? =
            if let last, last.content == content {
                // That there is nothing to tell was told already.
                content.entries.isEmpty ? nil : last.at.advanced(by: Self.longestPause)
            } else {
                // Before the first, there is nothing to take back.
                last == nil && content.entries.isEmpty
                    ? nil : max(now.advanced(by: Self.delay), budget.nextAdmission)
            }
        due = [due, next].compactMap(\.self).min()
    }

    /// Somebody holds whereabouts of this device with a higher number, as after its store was restored.
    mutating func heard(_ number: UInt64, at now: MonotonicInstant) {
        lastNumber = max(lastNumber, number)
        guard let last, !last.content.entries.isEmpty else { return }
        due = [due, max(now, budget.nextAdmission)].compactMap(\.self).min()
    }

    /// Makes new whereabouts; nil if no number is left.
    mutating func make(
        _ content: Content, identity: DeviceIdentity, at now: MonotonicInstant, wall: WallTime
    ) -> Whereabouts? {
        due = nil
        last = (content, now)
        budget.charge(at: now)
        let clock = UInt64(max(0, wall.milliseconds))
        guard lastNumber < .max else { return nil }
        lastNumber = max(lastNumber + 1, clock)
        return Whereabouts(
            number: lastNumber, isSteady: content.isSteady, isAlwaysOn: isAlwaysOn(at: wall),
            entries: content.entries, identity: identity)
    }

    // MARK: Always on

    mutating func restore(hours: [UInt64], lastNumber: UInt64) {
        hoursOnline = hours
        self.lastNumber = lastNumber
    }

    /// Notes that this node is online.
    ///
    /// - Returns: whether this hour was not noted before.
    mutating func noteOnline(at now: MonotonicInstant, wall: WallTime) -> Bool {
        let seconds = UInt64(max(0, wall.seconds))
        nextHour = now.advanced(by: .seconds(3_600 - seconds % 3_600))
        let hour = seconds / 3_600
        guard !hoursOnline.contains(hour) else { return false }
        hoursOnline = hoursOnline.filter { Self.isOfLastDay($0, before: hour) } + [hour]
        return true
    }

    func isAlwaysOn(at wall: WallTime) -> Bool {
        let hour = UInt64(max(0, wall.seconds)) / 3_600
        return hoursOnline.count { Self.isOfLastDay($0, before: hour) } >= Self.alwaysOnHours
    }

    private static func isOfLastDay(_ other: UInt64, before hour: UInt64) -> Bool { other < hour && hour - other <= 24 }
}
