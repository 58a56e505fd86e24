import StreakLinks
import StreakWire

/// How fast the records of one author in one group are taken over.
public struct RecordPace: Sendable, Equatable {
    /// What an author may bring at once: a whole feed, so that a history of years comes as fast as its link.
    public var burst = Int(ProtocolLimits.maximumFeedLength)
    /// Records a second beyond that, for ever (docs/adr/0011).
    public var rate = 2_000
    /// How far beyond that an answer that was asked for may go: what one window holds, however it is packed.
    public var overdraft = 131_072

    public init() {}
}

/// What each author may still bring: nobody fills the disks of a group, whoever carries its records.
///
/// A record weighs one, a large one as much as the results that take its room. Only what was verified and is new is
/// charged, so nobody uses up what is another's.
struct Pacing: Sendable {
    struct Author: Hashable, Sendable {
        let group: GroupID
        let user: UserID
    }

    // Not a `TokenBucket`: an answer that was asked for may overdraw it, and a record may weigh more than one.
    private struct Budget: Sendable {
        var balance: Int
        var at: MonotonicInstant
    }

    /// Packed bytes that weigh as much as a record.
    static let bytesPerRecord = 16
    /// What a run weighs that finds no place: it takes a signature check and a look at up to three full runs, some 5 ms.
    static let refusedBranchWeight = 512

    /// Ledger operations of an author that are taken as they are pushed; beyond that they come in rounds, many at a time, so that
    /// no flood has the ledger resolved for each.
    static let pushedOperations = TokenBucket.Limit(burst: 256, interval: .milliseconds(250))

    let pace: RecordPace
    private var pushes: [Author: TokenBucket] = [:]
    /// Those that are not at rest.
    private var budgets: [Author: Budget] = [:]

    init(_ pace: RecordPace) { self.pace = pace }

    /// What stored records weigh.
    static func weight(count: Int, packedSize: Int) -> Int { max(count, packedSize / bytesPerRecord) }

    private func balance(of author: Author, at now: MonotonicInstant) -> Int {
        guard let budget = budgets[author] else { return pace.burst }
        // In milliseconds, which a century of them does not make overflow.
        let passed = budget.at.duration(to: now).nanoseconds / 1_000_000
        return Int(min(Int64(pace.burst), Int64(budget.balance) + passed * Int64(pace.rate) / 1_000))
    }

    /// Whether an author's records may be asked for, or pushed.
    func isReady(_ author: Author, at now: MonotonicInstant) -> Bool { balance(of: author, at: now) > 0 }

    /// Whether a run of an author is taken that comes in answer.
    func takes(_ author: Author, at now: MonotonicInstant) -> Bool {
        balance(of: author, at: now) > -pace.overdraft
    }

    /// Whether one more pushed operation of an author is taken.
    mutating func takesPush(of author: Author, at now: MonotonicInstant) -> Bool {
        pushes[author, default: TokenBucket(Self.pushedOperations)].take(at: now)
    }

    mutating func charge(_ author: Author, weight: Int, at now: MonotonicInstant) {
        let left = balance(of: author, at: now) - weight
        budgets[author] = left < pace.burst ? Budget(balance: left, at: now) : nil
    }

    /// When it is worth asking for an author's records again: as many may come as do in a second.
    func nextTurn(of author: Author, at now: MonotonicInstant) -> MonotonicInstant {
        let lacking = Int64(min(pace.rate, pace.burst) - balance(of: author, at: now))
        return now.advanced(by: .milliseconds(max(0, lacking) * 1_000 / Int64(max(1, pace.rate)) + 1))
    }
}
