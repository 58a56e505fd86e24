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
    /// Since when the peer has been known to no group's ledger as a current member; nil once it is.
    var strangerSince: MonotonicInstant?
    var sending = SendingQueue()
    /// The peer's store, once it said hello.
    var store: StoreID?
    /// What the peer's clock said last.
    var clock: PeerClock?
    /// Groups whose access key both sides have proven to hold.
    var groups: [GroupID: PeerGroup] = [:]

    init(
        link: LinkID, key: AgreementPublicKey, handshakeHash: [UInt8], label: LinkKeyLabel, isInitiator: Bool
    ) {
        self.link = link
        self.key = key
        self.handshakeHash = handshakeHash
        self.label = label
        self.isInitiator = isInitiator
    }
}

/// How one group stands on a link.
struct PeerGroup: Sendable {
    /// The hashes of access keys that the peer has been asked for.
    var askedKeys: Set<Bytes32> = []
    /// What the peer was told last of what ended its own place.
    var toldEnding: OperationID?
}
