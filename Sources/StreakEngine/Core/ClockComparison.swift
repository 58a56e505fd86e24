import StreakLinks
import StreakMembership
import StreakReplication
import StreakScores
public import StreakWire

/// The last clock reading of a peer, and when it arrived.
struct PeerClock: Sendable {
    let seconds: Int64
    let at: MonotonicInstant
}

/// How this machine's clock compares with others'.
public struct ClockComparison: Sendable, Equatable {
    public enum Verdict: Sendable, Equatable {
        /// No device to compare with.
        case unknown
        /// No clock is off by more than a minute.
        case agrees
        /// Most other users' devices say that this machine's clock is this far ahead of theirs; negative: behind.
        case ownIsAhead(by: Duration)
        /// Most agree with this machine; `different` lists the devices whose clocks are wrong.
        case othersAreWrong
        /// There is only one other clock, and one of the two is wrong.
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

    /// A clock that differs by less than this counts as right.
    static let tolerance: Duration = .seconds(60)

    /// - Parameter user: whose device it is. All devices of one user count as one clock, the one nearest to this
    ///   machine's.
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
        // Of the two in the middle, the one nearer to this machine's clock: half of them is no majority.
        let (low, high) = (sorted[(sorted.count - 1) / 2], sorted[sorted.count / 2])
        let middle = low < .zero && high > .zero ? .zero : abs(low) < abs(high) ? low : high
        verdict = abs(middle) > Self.tolerance ? .ownIsAhead(by: .zero - middle) : .othersAreWrong
    }
}

private func abs(_ duration: Duration) -> Duration { duration < .zero ? .zero - duration : duration }
