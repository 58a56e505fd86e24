import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// How the two copies of a group at the ends of a link stand to each other.
struct SyncPeer: Sendable {
    /// The digest the peer last named, and its store's arrival number then.
    var digest: GroupDigest?
    var arrival: UInt64 = 0
    /// The digest that the peer was told last. As long as it is another than ours, or the peer's is, there is something to do.
    var announced: GroupDigest?
    /// When a difference is acted on that nothing under way will settle.
    var comparison: MonotonicInstant?
    /// The exchange under way, in which this node catches up.
    var round: SyncRound?
    /// When the next one follows, since authors were over their pace, and whether it compares all tips.
    var resumption: (at: MonotonicInstant, comparesAll: Bool)?
    /// The pair of digests, theirs and ours, after the last exchange that brought nothing, and whether that exchange
    /// compared all tips: the same pair is not worth another one.
    var settled: (theirs: GroupDigest, ours: GroupDigest, comparedAll: Bool)?

    /// When something is to be done.
    var deadline: MonotonicInstant? {
        [round?.deadline, resumption?.at, comparison].compactMap(\.self).min()
    }
}

/// One exchange: tips, then the ledger operations that are missing here, then the runs.
struct SyncRound: Sendable {
    enum Stage: Sendable, Equatable {
        case awaitingTips
        case awaitingOperations
        /// Runs that may leave gaps behind what is held, or close them.
        case awaitingRuns
        /// Received data is being stored; the next request follows.
        case storing
    }

    var stage: Stage = .awaitingTips
    /// Whether all tips were asked for, not only those changed since the cursor.
    let comparesAll: Bool
    /// The peer's arrival number as of its tips: the cursor after this round.
    var arrival: UInt64 = 0
    var operationTips: [LedgerTip] = []
    var feedTips: [FeedTip] = []
    var receivedAnything = false
    /// The feeds of which the request under way has brought anything, and those of which a branch found no place.
    var fruitfulFeeds: Set<FeedID> = []
    var refusedFeeds: Set<FeedID> = []
    /// Feeds of which the peer has another branch than ours, also where it is longer.
    var partedFeeds: Set<FeedID> = []
    var asksAgain = false
    /// Packed bytes that have come of the answer under way.
    var receivedSize = 0
    /// The request under way.
    var asked: [RunsWanted] = []
    /// What came of the answer under way without a signature, and waits for the run that covers it.
    var pieces = UnsignedPieces()
    /// Feeds of which the request under way is a backfill to a cut.
    var requestedBackfills: Set<FeedID> = []
    /// Whether the request under way is for the newest runs.
    var asksNewest = false
    /// Feeds whose newest runs were asked for.
    var newestAsked: Set<FeedID> = []
    /// Whether the rest was asked of other peers, which have until the deadline to bring it; then it is asked for here, too.
    var awaitsOthers = false
    /// Whether the peer named something that it did not send, or that could not be taken.
    var wasRefused = false
    /// When authors that were over their pace have their next turn.
    var deferredUntil: MonotonicInstant?
    /// When the peer is given up, unless it answers before.
    var deadline: MonotonicInstant

    /// Parts of feeds asked for at a time.
    static let feedsPerRequest = 64
    /// Points named at a time, of forked feeds together.
    static let pointsPerRequest = LinkMessage.maximumTips
    /// Points inside a run that are compared for one answer: each is a look at all of its records.
    static let comparisonsPerAnswer = 128
    /// Packed bytes of the runs that one request is answered with; the window of the exchange.
    static let answerSize = 262_144
    /// What an answer may have at most: one more run than fits, and what stands before it without a signature.
    static let maximumAnswerSize = 524_288
    /// If another peer has not delivered in this time, this peer is asked too.
    static let otherPeerTimeout: Duration = .seconds(1)
    /// How long a peer may take for an answer.
    static let patience: Duration = .seconds(15)
    /// Tips that one round takes in; what a liar adds beyond is ignored.
    static let maximumTips = 60_000
}
