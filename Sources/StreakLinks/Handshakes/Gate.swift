import StreakCrypto
import StreakWire

/// Whose handshakes are answered: the keys that open one, and how often each source may try.
struct Gate: Sendable {
    private var keys: [HandshakeKind: [LinkKey]] = [:]
    /// Messages without a valid tag.
    private var tagless: SourceLimiter
    /// Handshakes under this device's friend code.
    private var friends: SourceLimiter

    init(_ limits: LinkLimits) {
        tagless = SourceLimiter(limits.taglessMessages, maximumSources: limits.maximumLimitedSources)
        friends = SourceLimiter(limits.friendHandshakes, maximumSources: limits.maximumLimitedSources)
    }

    mutating func setKeys(_ keys: [LinkKey], for handshake: HandshakeKind) {
        self.keys[handshake] = keys
    }

    /// Whether a source may still send something without a valid tag.
    func admits(_ source: Endpoint, at now: MonotonicInstant) -> Bool { tagless.admits(source, at: now) }

    /// A source has sent something without a valid tag.
    mutating func charge(_ source: Endpoint, at now: MonotonicInstant) { tagless.charge(source, at: now) }

    /// The key that made the tag of a message 1. Strangers get no further than this.
    ///
    /// - Throws: `rateLimited` before any tag is computed, `invalidTag`.
    mutating func key(
        of initiation: HandshakeMessages.Initiation, transport: Transport, from source: Endpoint,
        at now: MonotonicInstant
    ) throws(DropReasonError) -> LinkKey {
        guard admits(source, at: now) else { throw DropReasonError(.rateLimited) }
        for key in keys[initiation.kind, default: []] {
            let tag = HandshakeMessages.tag(of: initiation.tagged, key: key, transport: transport)
            if ConstantTime.isEqual(tag, initiation.tag.array) { return key }
        }
        charge(source, at: now)
        throw DropReasonError(.invalidTag)
    }

    /// Whoever knows the code of this device may ask who it is, but not for ever.
    mutating func admitFriend(
        _ initiation: HandshakeMessages.Initiation, from source: Endpoint, at now: MonotonicInstant
    ) throws(DropReasonError) {
        guard initiation.kind == .friend else { return }
        guard friends.take(source, at: now) else { throw DropReasonError(.rateLimited) }
    }
}
