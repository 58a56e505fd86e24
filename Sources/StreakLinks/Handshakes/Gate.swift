import StreakCrypto
import StreakWire

/// Decides which handshakes are answered: by the keys accepted here, and by a rate for each source.
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

    /// Whether a source may still send a message without a valid tag.
    func admits(_ source: Endpoint, at now: MonotonicInstant) -> Bool { tagless.admits(source, at: now) }

    /// Charges a source for a message without a valid tag.
    mutating func charge(_ source: Endpoint, at now: MonotonicInstant) { tagless.charge(source, at: now) }

    /// The key that made the tag of a message 1. Strangers get no further than this check.
    ///
    /// - Throws: `rateLimited` before any tag is computed, or `invalidTag`.
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

    /// Anybody who knows this device's friend code may ask who it is, but not without limit.
    mutating func admitFriend(
        _ initiation: HandshakeMessages.Initiation, from source: Endpoint, at now: MonotonicInstant
    ) throws(DropReasonError) {
        guard initiation.kind == .friend else { return }
        guard friends.take(source, at: now) else { throw DropReasonError(.rateLimited) }
    }
}
