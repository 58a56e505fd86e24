import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// What this node knows of the device at the other end of a link.
struct PeerSession: Sendable {
    let link: LinkID
    let key: AgreementPublicKey
    /// Bound into proofs, so that a proof from this link is worthless on another.
    let handshakeHash: [UInt8]
    let label: LinkKeyLabel
    /// Whether it was opened under somebody's friend code.
    var isUnderFriendCode: Bool { if case .friendCode = label { true } else { false } }
    /// Whether this side dialled. Only then can the peer's endpoint be dialled again.
    let isInitiator: Bool
    /// The peer's latest proofs, also of groups that this device does not know yet.
    var proofs: Set<Bytes16> = []
    /// What the peer would have to prove for each access key of this side; nil until worked out. Each hello is compared
    /// with these, so that many hellos cost little.
    var expectedProofs: [Bytes16: GroupID]?
    /// Whether the shell was told which device is at the other end.
    var isAnnounced = false
    /// Since when no ledger here has known the peer as a current member; nil if one does.
    var strangerSince: MonotonicInstant?
    @Indirect var sending = SendingQueue()
    /// Where the peer was told last that its datagrams come from.
    var toldEndpoint: Endpoint?
    /// The peer's store, once it said hello.
    var store: StoreID?
    /// What the peer's clock said last.
    var clock: PeerClock?
    /// Groups whose access key both sides have proven to hold.
    var groups: [GroupID: PeerGroup] = [:]
    /// Groups that were handed to it, because it is a machine of this account that lacked them.
    var offeredGroups: [GroupID: OfferedGroup] = [:]

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

/// A group that was handed over on a link.
struct OfferedGroup: Sendable {
    /// When, the last time.
    let at: MonotonicInstant
    /// How often.
    let count: Int

    /// How long it counts as being on its way. The machine may not take it, and does not say so.
    private static let patience: Duration = .seconds(30)

    var underWayUntil: MonotonicInstant { at.advanced(by: Self.patience) }
    /// When to hand it over again: after 1/2, 2, 8 and 32 minutes. The machine may have had too many at once.
    var again: MonotonicInstant? { count > 4 ? nil : at.advanced(by: Self.patience * (1 << (2 * (count - 1)))) }
}

/// The state of one group on a link.
struct PeerGroup: Sendable {
    /// The hashes of access keys that the peer has been asked for.
    var askedKeys: Set<Bytes32> = []
    /// The operation that ended the peer's own place, as this node last told the peer.
    var toldEnding: OperationID?
    /// Whether the peer was sent the whereabouts that this node held when it first might tell them about this group.
    var wasToldWhereabouts = false
}
