import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// What this node knows of the device at the other end of a link.
struct PeerSession: Sendable {
    let link: LinkID
    let key: AgreementPublicKey
    /// Bound into proofs: nothing proven on this link serves on another.
    let handshakeHash: [UInt8]
    let label: LinkKeyLabel
    /// Whether this side dialled: then the far endpoint is one that can be dialled again.
    let isInitiator: Bool
    /// What the peer proved at last, also of groups that are not known here yet.
    var proofs: Set<Bytes16> = []
    /// What the peer would prove for each access key of this side; nil until it is worked out. A hello is compared with
    /// it, so that many of them cost little.
    var expectedProofs: [Bytes16: GroupID]?
    /// Whether the shell was told of the device at the other end.
    var isAnnounced = false
    /// Operations over this link that were refused or wait for ancestors, and all that a non-member sent.
    var strangeOperationCount = 0
    /// Since when the peer has been known to no group's ledger as a current member; nil once it is.
    var strangerSince: MonotonicInstant?
    var sending = SendingQueue()
    /// The peer's store, once it said hello.
    var store: StoreID?
    /// What the peer's clock said last.
    var clock: PeerClock?
    /// Groups whose access key both sides have proven to hold.
    var groups: [GroupID: PeerGroup] = [:]

    /// How many there may be before the link is closed.
    static let maximumStrangeOperations = 1_024
    /// What the peer may ask for as somebody who wants to be let in, certified or befriended.
    private var requests = TokenBucket(.costlyWork)
    /// Lines of presence from a device that no ledger here knows yet.
    private var presenceEntries = TokenBucket(.presenceEntries)

    init(
        link: LinkID, key: AgreementPublicKey, handshakeHash: [UInt8], label: LinkKeyLabel, isInitiator: Bool
    ) {
        self.link = link
        self.key = key
        self.handshakeHash = handshakeHash
        self.label = label
        self.isInitiator = isInitiator
    }

    /// Whether one more such request is looked at.
    mutating func takeRequest(at now: MonotonicInstant) -> Bool { requests.take(at: now) }

    /// Counts lines of presence. False where there were too many.
    mutating func takePresence(_ count: Int, at now: MonotonicInstant) -> Bool {
        presenceEntries.charge(count, at: now)
        return presenceEntries.admits(at: now)
    }
}

/// How one group stands on a link.
struct PeerGroup: Sendable {
    /// The digest the peer last named, and its store's arrival number then.
    var digest: GroupDigest?
    var arrival: UInt64 = 0
    /// The digest that the peer was told last. As long as it is another than ours, or the peer's is, there is something to do.
    var announced: GroupDigest?
    /// When a difference is acted on that nothing under way will settle.
    var comparison: MonotonicInstant?
    /// The hashes of access keys that the peer has been asked for.
    var askedKeys: Set<Bytes32> = []
    /// What the peer was told last of its own removal.
    var toldRemoval: OperationID?
    /// How often a device that is in no more was answered what removed it.
    var answeredRemovals = 0
    /// How often that may be: an answer is as long as the ledger.
    static let maximumAnsweredRemovals = 8
    /// The exchange under way, in which this node catches up.
    var round: SyncRound?
    /// When the next one follows, since authors were over their pace, and whether it compares all tips.
    var resumption: (at: MonotonicInstant, comparesAll: Bool)?
    /// The pair of digests, theirs and ours, after the last exchange that brought nothing, and whether that exchange
    /// compared all tips: the same pair is not worth another one.
    var settled: (theirs: GroupDigest, ours: GroupDigest, comparedAll: Bool)?
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
    /// Feeds of which the peer has another branch than the one that is here, however long.
    var partedFeeds: Set<FeedID> = []
    var asksAgain = false
    /// Packed bytes that have come of the answer under way.
    var receivedSize = 0
    /// The request under way.
    var asked: [RunsWanted] = []
    /// What came of the answer under way without a signature, and waits for the run that covers it.
    var pieces = UnsignedPieces()
    /// Feeds of which the way to a cut is asked for.
    var waysAsked: Set<FeedID> = []
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
    /// How long others may take for what this peer has too, before it is asked of both.
    static let turn: Duration = .seconds(1)
    /// How long a peer may take for an answer.
    static let patience: Duration = .seconds(15)
    /// Tips that one round takes in; what a liar adds beyond is ignored.
    static let maximumTips = 60_000
}
