public import StreakLinks
import StreakMembership
import StreakReplication
import StreakScores
public import StreakWire

/// What a peer's clock said, and when.
struct PeerClock: Sendable {
    let seconds: Int64
    let at: MonotonicInstant
}

/// How this machine's clock stands to the others'.
public struct ClockComparison: Sendable, Equatable {
    public enum Verdict: Sendable, Equatable {
        /// Nobody is there to compare with.
        case unknown
        /// No clock is off by more than a minute.
        case agrees
        /// Most other users' devices say that this machine's clock is this far ahead of theirs; negative: behind.
        case ownIsAhead(by: Duration)
        /// Most agree with this machine; the others named are wrong.
        case othersAreWrong
        /// There is one other, and one of the two is wrong.
        case differs(by: Duration)
    }

    public struct Member: Sendable, Equatable {
        public let device: DeviceID
        /// How far the device's clock is ahead of this machine's; negative: behind.
        public let lead: Duration
    }

    public let verdict: Verdict
    /// The linked devices whose clock is off by more than a minute, in the order of their IDs.
    public let different: [Member]

    /// Clocks closer than this are right.
    public static let tolerance: Duration = .seconds(60)

    /// - Parameter user: whose a device is: several devices of one user have one voice, that of the clock which is nearest
    ///   to this machine's.
    init(_ leads: [Member], user: (DeviceID) -> UserID) {
        different = leads.filter { abs($0.lead) > Self.tolerance }
        var voices: [UserID: Duration] = [:]
        for member in leads {
            let voice = voices[user(member.device)]
            if voice.map({ abs(member.lead) < abs($0) }) ?? true { voices[user(member.device)] = member.lead }
        }
        // In any order: they are sorted.
        let sorted = voices.values.sorted()
        guard !sorted.isEmpty else {
            verdict = .unknown
            return
        }
        guard !different.isEmpty else {
            verdict = .agrees
            return
        }
        guard sorted.count > 1 else {
            verdict = .differs(by: sorted[0])
            return
        }
        // Whichever is nearer to this machine's of the two in the middle: half of them is no majority.
        let (low, high) = (sorted[(sorted.count - 1) / 2], sorted[sorted.count / 2])
        let middle = low < .zero && high > .zero ? .zero : abs(low) < abs(high) ? low : high
        verdict = abs(middle) > Self.tolerance ? .ownIsAhead(by: .zero - middle) : .othersAreWrong
    }
}

private func abs(_ duration: Duration) -> Duration { duration < .zero ? .zero - duration : duration }

/// Clocks: whose is wrong, and the way out of a mistake.
extension MeshEngine {
    /// This machine's clock beside those of the devices that links are open to.
    public func compareClocks(at instant: MonotonicInstant, wallTime: WallTime) -> ClockComparison {
        var leads: [DeviceID: ClockComparison.Member] = [:]
        for link in sessions.keys {
            guard let session = sessions[link], let clock = session.clock, let device = deviceID(of: session.key)
            else { continue }
            // Seconds as of then, and now.
            let theirs = Duration.seconds(clock.seconds) + clock.at.duration(to: max(instant, clock.at))
            leads[device] = .init(device: device, lead: theirs - .milliseconds(wallTime.milliseconds))
        }
        return ClockComparison(leads.keys.sorted().compactMap { leads[$0] }) { device in
            let users = groups.keys.compactMap { groups[$0]?.state.device(device)?.user }
            return users.first ?? UserID(bytes: device.bytes)
        }
    }

    /// How many records of a group wait for their time because they are dated ahead: this device's, and all.
    public func waitingRecords(of group: GroupID) -> (own: Int, all: Int) {
        guard let merged = groups[group]?.merged else { return (0, 0) }
        return (merged.quarantinedCount(of: identity.device), merged.quarantinedCount)
    }

    /// Retracts what this device has dated ahead in every group, and writes it anew with today's times. One transaction.
    mutating func retract(id: CommandID) {
        var change = DurableChange()
        var work: [Deferred] = []
        var count = 0
        var isFull = false
        for group in groups.keys where isCurrentMember(of: group) {
            leaveOut(groups[group]?.rebuildIfStale(wall: wall) ?? [], change: &change)
            guard let wrong = groups[group]?.wronglyDated(by: identity.device, wall: wall),
                !wrong.retractions.isEmpty
            else { continue }
            let ownEpoch = groups[group]?.ownEpoch
            // It holds what is to be void.
            if wrong.retractions.contains(where: { $0.feed.epoch == ownEpoch }) { groups[group]?.ownEpoch = nil }
            let (wall, device) = (wall, identity.device)
            guard groups[group]?.hasEpoch(wall: wall, device: device, reserve: 0) ?? false else {
                groups[group]?.ownEpoch = ownEpoch
                isFull = true
                continue
            }
            count += wrong.records.count
            let drafts =
                wrong.retractions.map(RecordDraft.retraction)
                + wrong.records.map { RecordDraft.again($0, since: wall.seconds) }
            work += write(drafts, in: group, change: &change)
        }
        let outcome: CommandOutcome = isFull && count == 0 ? .failed(.feedFull) : .retracted(records: count)
        persist(change, then: [.complete(id, outcome)] + work)
    }
}
