public import StreakWire

/// To whom a link leads, as the ledgers have it: whose places its streams take.
public enum LinkParty: Sendable, Equatable {
    /// No current member of any group: one who wants to be let in, or holds an old key.
    case stranger
    case member(UserID)
}

/// The shares of members and strangers in the streams that others have opened.
extension Links {
    /// Says to whom a link leads. Until it is said, to a stranger.
    public mutating func setParty(_ party: LinkParty, for id: LinkID, at now: MonotonicInstant) {
        guard links[id] != nil, links[id]?.party != party else { return }
        links[id]?.party = party
        boundStreams(at: now)
        settle(at: now)
    }

    /// Whose place a stream takes, if a member's.
    func account(of stream: LinkStream) -> UserID? {
        guard case .member(let account)? = stream.link.flatMap({ links[$0]?.party }) else { return nil }
        return account
    }

    /// Closes streams that exceed a share. What this side dialled stays: of strangers the source that has most streams
    /// gives up its oldest, so that others come in; of members the account that has most gives up its newest, so that who has
    /// one keeps it.
    mutating func boundStreams(at now: MonotonicInstant) {
        while let surplus = surplusStream { abortStream(surplus, failure: .tooMany, at: now) }
    }

    private var surplusStream: StreamID? {
        let accepted = streams.filter { !$0.value.isDialled && $0.value.link != nil }
        let strangers = accepted.filter { account(of: $0.value) == nil }
        if strangers.count > limits.maximumStrangerStreams {
            return oldestOfGreatestSource(strangers, above: 0)
        }
        guard countedStreams > limits.maximumStreams else { return nil }
        let byAccount = Dictionary(grouping: accepted.keys) { id in streams[id].flatMap { account(of: $0) } }
        // The greatest of all is the same in any order.
        let most = byAccount.filter { $0.key != nil }.values.map(\.count).max()
        return byAccount.filter { $0.key != nil && $0.value.count == most }.values.flatMap { $0 }
            .max { (streams[$0]?.openedAt ?? .zero, $0) < (streams[$1]?.openedAt ?? .zero, $1) }
    }
}
