import StreakCrypto
import StreakMembership
import StreakWire

/// How often this device changes its private group. Each time it copies all that is private onto its disk, and a machine of the
/// account that was stolen and is not revoked yet may offer ever smaller groups.
///
/// In memory only: a start fills the allowances, and whoever has a stolen machine starts no other. What room is taken on disk is
/// bounded by what is on disk.
struct PrivateGroupMoves: Sendable {
    /// Three at once: with four machines, each made by the recovery key, none moves more often. One more an hour. Guesses.
    static let allowance = TokenBucket.Limit(burst: 3, interval: .seconds(3_600))
    /// Former groups beside which none is added; an account has eight devices.
    static let maximumFormerGroups = 8

    private var ordinary = TokenBucket(allowance)
    /// Away from a group that holds a given-up device. It leaves that one nothing to hear, so a thief's offers must not use it up.
    private var flights = TokenBucket(allowance)
    /// Moves that are not on disk yet.
    private var pending = 0
    /// When what was put off goes on.
    var resumption: MonotonicInstant?
    /// The private group that each device of this account has named last.
    var named: [DeviceID: GroupID] = [:]
    /// Whether former groups may have become useless.
    var reviewsFormerGroups = true

    /// Whether what is the private group here may be another one on disk.
    var isUnderWay: Bool { pending > 0 }

    /// From when on there may be a move; in the past, if at once.
    func nextAdmission(isFlight: Bool) -> MonotonicInstant { (isFlight ? flights : ordinary).nextAdmission }

    mutating func begin(isFlight: Bool, at now: MonotonicInstant) {
        if isFlight { flights.charge(at: now) } else { ordinary.charge(at: now) }
        pending += 1
        reviewsFormerGroups = true
    }

    /// The first of those under way is on disk.
    mutating func end() { pending -= 1 }

    mutating func resume(at instant: MonotonicInstant) { resumption = min(resumption ?? instant, instant) }
}
