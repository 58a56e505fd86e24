import StreakMembership
import StreakReplication
import StreakWire

/// The names of reasons in the vectors (Protocol/README.md §7). They belong to the protocol: other implementations map
/// their errors to them.
extension WireError {
    var reason: String {
        switch self {
        case .truncated: "truncated"
        case .trailingBytes: "trailing-bytes"
        case .nonMinimalVarint: "non-minimal-varint"
        case .limitExceeded: "limit-exceeded"
        case .invalidText: "invalid-text"
        case .unknownKind: "unknown-kind"
        case .invalidValue(let field): "invalid-value: \(field)"
        case .unsupportedVersion: "unsupported-version"
        }
    }
}

extension ReplicationError {
    var reason: String {
        switch self {
        case .malformed(let error): "malformed: \(error.reason)"
        case .unknownAuthor: "unknown-author"
        case .invalidSignature: "invalid-signature"
        case .gap(let tip): "gap: \(tip.number)"
        case .differentHistory: "different-history"
        case .limitReached: "limit-reached"
        case .pastCut: "past-cut"
        }
    }
}

extension InviteLinkError {
    var reason: String {
        switch self {
        case .notALink: "not-a-link"
        case .severalLinks: "several-links"
        case .damaged: "damaged"
        case .unsupportedVersion: "unsupported-version"
        case .malformed(let error): "malformed: \(error.reason)"
        case .tampered: "tampered"
        }
    }
}

extension LedgerError {
    var reason: String {
        switch self {
        case .malformed(let error): "malformed: \(error.reason)"
        case .notFounding: "not-founding"
        case .wrongGroup: "wrong-group"
        case .invalidSignature: "invalid-signature"
        case .brokenChain: "broken-chain"
        case .tooManyOperations: "too-many-operations"
        case .tooManyPending: "too-many-pending"
        case .unknownAuthor: "unknown-author"
        case .invalidCertificate: "invalid-certificate"
        case .invalidProof: "invalid-proof"
        case .unknownInvite: "unknown-invite"
        case .invalidRevocation: "invalid-revocation"
        case .invalidCut: "invalid-cut"
        case .tooManyDevices: "too-many-devices"
        case .privateGroup: "private-group"
        case .tooLarge: "too-large"
        case .refused(let refusal): "refused: \(refusal.reason)"
        }
    }
}

extension Refusal {
    var reason: String {
        switch self {
        case .authorNotMember: "author-not-member"
        case .authorRemoved: "author-removed"
        case .authorRevoked: "author-revoked"
        case .needsOwner: "needs-owner"
        case .needsAdmin: "needs-admin"
        case .invitingNotAllowed: "inviting-not-allowed"
        case .targetIsProtected: "target-is-protected"
        case .targetNotMember: "target-not-member"
        case .unknownDevice: "unknown-device"
        case .targetIsAuthor: "target-is-author"
        case .ownerCannotLeave: "owner-cannot-leave"
        case .transferDoesNotStand: "transfer-does-not-stand"
        case .unknownInvite: "unknown-invite"
        case .inviteRevoked: "invite-revoked"
        case .inviteUsedUp: "invite-used-up"
        case .inviteExpired: "invite-expired"
        case .needsApproval: "needs-approval"
        case .notOwnInvite: "not-own-invite"
        case .newcomerRemoved: "newcomer-removed"
        case .claimSpent: "claim-spent"
        case .alreadyMember: "already-member"
        case .certificateRevoked: "certificate-revoked"
        case .tooManyMembers: "too-many-members"
        case .tooManyInvites: "too-many-invites"
        case .invalidTitle: "invalid-title"
        case .invalidExpiry: "invalid-expiry"
        }
    }
}
