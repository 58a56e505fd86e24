/// What may flow, for one group, between this device and the one at the other end of a link.
///
/// `allowed` is the security policy. Every machine asks it, by `EngineCore.access`, before it says anything about a
/// group. `docs/security.md` quotes it, and a test compares the two.
struct Access: OptionSet, Sendable {
    let rawValue: UInt16

    /// Proofs that this device holds the group's access keys.
    static let proofs = Self(rawValue: 1 << 0)
    /// Digests, tips, runs and rumours, in both directions.
    static let records = Self(rawValue: 1 << 1)
    /// Access keys, asked for and handed over.
    static let accessKeys = Self(rawValue: 1 << 2)
    /// Which members of the group are online.
    static let presence = Self(rawValue: 1 << 3)
    /// The whole ledger: fresh operations, and those that the peer asks for. Also means that the peer counts as a
    /// member.
    static let ledger = Self(rawValue: 1 << 4)
    /// The operation that ended the peer's own place, or that makes its admission count for nothing, and its ancestors.
    static let ending = Self(rawValue: 1 << 5)
    /// A request for the operations that the peer has.
    static let question = Self(rawValue: 1 << 6)
    /// That this device has left.
    static let farewell = Self(rawValue: 1 << 7)
    /// How this device came into the private group, so that another machine of the account takes it in.
    static let introduction = Self(rawValue: 1 << 8)
    /// Requests for friendship, which name the asker.
    static let friendship = Self(rawValue: 1 << 9)
    /// Where its current devices are found on the internet, and where the peer's datagrams come from.
    static let whereabouts = Self(rawValue: 1 << 10)

    /// This device's place in a group, by its own copy of the ledger.
    enum Place: CaseIterable, Sendable {
        case member
        /// This device has left, and has not told any member yet.
        case leaving
        /// Removed, revoked, or admitted by an admission that does not count. Others hear first if that is undone.
        case ended
        /// Has left and a member knows it, or never was in.
        case outside

        /// Whether this device can be found under the group's access keys.
        var answers: Bool {
            switch self {
            case .member, .leaving, .ended: true
            case .outside: false
            }
        }

        /// Whether it looks for members itself, and answers newcomers with an invite.
        var seeks: Bool {
            switch self {
            case .member, .leaving: true
            case .ended, .outside: false
            }
        }
    }

    /// Who is at the other end of a link, for one group, by this device's copies of the ledgers.
    enum Peer: CaseIterable, Sendable {
        /// A current device of a member.
        case member
        /// The same, of this account.
        case ownDevice
        /// A device of this account that is current in another group of both devices, but not in this one.
        case ownElsewhere
        /// Removed or revoked, or has left.
        case ended
        /// In no operation that counts. Anybody with an old access key or invite can make up such a device.
        case unknown
        /// Current by the group's ledger, but revoked by this account in another group. In the private group, also of
        /// another account.
        case givenUp
    }

    /// What may flow to and from a peer that has proven to know the group. Before that, only proofs may.
    static func allowed(to peer: Peer, from place: Place) -> Access {
        switch (place, peer) {
        case (.member, .member):
            [.proofs, .records, .accessKeys, .presence, .ledger, .question, .friendship, .whereabouts]
        case (.member, .ownDevice):
            [.proofs, .records, .accessKeys, .presence, .ledger, .question, .friendship, .whereabouts]
        case (.member, .ownElsewhere): [.proofs, .ending, .question, .introduction]
        case (.member, .ended): [.proofs, .ending]
        case (.member, .unknown): [.proofs, .ending, .question, .introduction]
        case (.member, .givenUp): [.proofs]

        case (.leaving, .member): [.proofs, .ledger, .farewell]
        case (.leaving, .ownDevice): [.proofs, .ledger, .farewell]
        case (.leaving, .ownElsewhere): [.proofs, .ending]
        case (.leaving, .ended): [.proofs, .ending]
        case (.leaving, .unknown): [.proofs, .ending]
        case (.leaving, .givenUp): [.proofs]

        case (.ended, .member): [.proofs, .ledger, .question]
        case (.ended, .ownDevice): [.proofs, .ledger, .question]
        case (.ended, .ownElsewhere): [.proofs, .ending, .question]
        case (.ended, .ended): [.proofs, .ending]
        case (.ended, .unknown): [.proofs, .ending, .question]
        case (.ended, .givenUp): [.proofs]

        // Silent, except to the account's own devices: one of them may have come back. Links from before stay as they
        // were.
        case (.outside, .member): [.ledger, .question]
        case (.outside, .ownDevice): [.proofs, .ledger, .question]
        case (.outside, .ownElsewhere): [.proofs, .ending, .question]
        case (.outside, .ended): []
        case (.outside, .unknown): [.question]
        case (.outside, .givenUp): []
        }
    }
}
