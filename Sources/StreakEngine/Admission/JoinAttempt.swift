import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// A join under way, on the newcomer's side.
struct JoinAttempt: Sendable {
    /// How long to go on asking others after one member has refused for good.
    static let secondOpinion: Duration = .seconds(2)

    enum Stage: Sendable, Equatable {
        case dialling
        /// Asked over this link.
        case asked(LinkID)
        /// Admitted over this link; the ledger is arriving.
        case welcomed(LinkID)
        /// A member; the first exchange is under way.
        case syncing(LinkID)

        var link: LinkID? {
            switch self {
            case .dialling: nil
            case .asked(let link), .welcomed(let link), .syncing(let link): link
            }
        }
    }

    let command: CommandID
    let link: InviteLink
    /// Who must be alone in the group with this user, if it is to be a group of two.
    let pair: UserID?
    var deadline: MonotonicInstant
    var stage: Stage = .dialling
    /// The part of the group's ledger that has arrived.
    var intake: LedgerIntake?
    /// The reason that the last asked member gave for refusing.
    var refusal: CommandFailure?
    var nextDial: MonotonicInstant
    var endpoints: [Endpoint]
    /// When each was dialled last.
    var dialledAt: [Endpoint: MonotonicInstant] = [:]
    /// When the member that was asked counts as silent, whether or not it has begun to answer.
    var answerDue: MonotonicInstant

    /// How long an asked member may take to answer, and between two parts of its answer.
    static let patience: Duration = .seconds(10)
    /// How long to wait before dialling the same address again: as long as one dial lasts.
    static let dialPause: Duration = .seconds(5)

    /// When something is to be done about it.
    var nextDeadline: MonotonicInstant {
        switch stage {
        case .dialling: min(deadline, nextDial)
        case .asked, .welcomed: min(deadline, answerDue)
        case .syncing: deadline
        }
    }
}

extension JoinRefusal {
    init(_ error: LedgerError) {
        guard case .refused(let refusal) = error else {
            if case .invalidProof = error { self = .invalidProof } else { self = .other }
            return
        }
        switch refusal {
        case .unknownInvite: self = .unknownInvite
        case .inviteRevoked: self = .revoked
        case .inviteUsedUp: self = .usedUp
        case .inviteExpired: self = .expired
        case .newcomerRemoved: self = .removed
        case .tooManyMembers: self = .groupFull
        case .authorNotMember, .authorRemoved, .authorRevoked, .needsOwner, .needsAdmin, .invitingNotAllowed,
            .targetIsProtected, .targetNotMember, .unknownDevice, .targetIsAuthor, .ownerCannotLeave,
            .transferDoesNotStand, .needsApproval, .notOwnInvite, .alreadyMember, .claimSpent, .certificateRevoked,
            .tooManyInvites, .invalidTitle, .invalidExpiry:
            self = .other
        }
    }
}
