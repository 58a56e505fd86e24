import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// How the two copies of a group at the ends of a link compare.
struct SyncPeer: Sendable {
    /// The digest the peer last named, and its store's arrival number then.
    var digest: GroupDigest?
    var arrival: UInt64 = 0
    /// The digest that the peer was last told. While ours or the peer's differs from it, there is something to do.
    var announced: GroupDigest?
    /// When to act on a difference that nothing in progress will settle.
    var comparison: MonotonicInstant?
    /// The exchange in progress, in which this node catches up.
    var round: SyncRound?
    /// When the next exchange follows because authors were over their pace, and whether it compares all tips.
    var resumption: (at: MonotonicInstant, comparesAll: Bool)?
    /// The two digests, theirs and ours, after the last exchange that brought nothing, and whether it compared all
    /// tips. The same pair is not worth another exchange.
    var settled: (theirs: GroupDigest, ours: GroupDigest, comparedAll: Bool)?

    /// When the next thing is due.
    var deadline: MonotonicInstant? {
        [round?.deadline, resumption?.at, comparison].compactMap(\.self).min()
    }
}

/// One exchange: tips, then missing ledger operations, then runs.
struct SyncRound: Sendable {
    enum Stage: Sendable, Equatable {
        case awaitingTips
        case awaitingOperations
        /// Runs that may leave gaps after what is held, or close gaps.
        case awaitingRuns
        /// Received data is being stored; the next request follows.
        case storing
    }

    var stage: Stage = .awaitingTips
    /// Whether all tips were asked for, not only those changed since the cursor.
    let comparesAll: Bool
    /// The peer's arrival number at its tips: the cursor after this round.
    var arrival: UInt64 = 0
    var operationTips: [LedgerTip] = []
    var feedTips: [FeedTip] = []
    var receivedAnything = false
    /// The feeds of which the current request has brought anything, and feeds with a branch that did not fit.
    var fruitfulFeeds: Set<FeedID> = []
    var refusedFeeds: Set<FeedID> = []
    /// Feeds of which the peer has another branch, even a longer one.
    var partedFeeds: Set<FeedID> = []
    var asksAgain = false
    /// Packed bytes received of the current answer.
    var receivedSize = 0
    /// The current request.
    var asked: [RunsWanted] = []
    /// Unsigned runs of the current answer. They wait for the run that covers them.
    var pieces = UnsignedPieces()
    /// Feeds for which the current request is a backfill to a cut.
    var requestedBackfills: Set<FeedID> = []
    /// Whether the current request is for the newest runs.
    var asksNewest = false
    /// Feeds whose newest runs were asked for.
    var newestAsked: Set<FeedID> = []
    /// Whether other peers were asked for the rest. If they do not bring it by the deadline, this peer is asked, too.
    var awaitsOthers = false
    /// Whether the peer named something that it did not send, or that could not be stored.
    var wasRefused = false
    /// When authors that were over their pace may go on.
    var deferredUntil: MonotonicInstant?
    /// When to give up on the peer, unless it answers.
    var deadline: MonotonicInstant

    /// Parts of feeds asked for at a time.
    static let feedsPerRequest = 64
    /// Points named at a time, over all forked feeds.
    static let pointsPerRequest = LinkMessage.maximumTips
    /// Points inside runs compared for one answer. Each comparison reads all records of a run.
    static let comparisonsPerAnswer = 128
    /// Packed bytes of runs in one answer; the window of the exchange.
    static let answerSize = 262_144
    /// The most bytes that an answer may have: one run more than fits, and the unsigned runs before it.
    static let maximumAnswerSize = 524_288
    /// If another peer has not delivered in this time, this peer is asked too.
    static let otherPeerTimeout: Duration = .seconds(1)
    /// How long a peer may take for an answer.
    static let patience: Duration = .seconds(15)
    /// Tips that one round accepts. A liar's further tips are ignored.
    static let maximumTips = 60_000
}
