import StreakEngine
import StreakMembership
import StreakStorage
import StreakWire

extension NodeFailure {
    /// Why the engine did not carry out a command. `title` is the group's, if the command is about one.
    init(_ failure: CommandFailure, title: String) {
        switch failure {
        case .unknownGroup: self = .noGroup()
        case .notMember: self = .notMember(title: title)
        case .alreadyMember: self = .alreadyMember(title: title)
        case .notAllowed(let error): self.init(error)
        case .linkExpired: self = .linkExpired(at: "")
        case .joinRefused(let reason): self.init(reason)
        case .ledgerRejected: self = .linkOfAnotherGroup
        case .ledgerTooLarge: self = .groupTooLarge
        case .nobodyReachable: self = .nobodyReachable
        case .unknownRequest: self = .unknownRequest("")
        case .deviceRefused(let refusal): self.init(refusal)
        case .friend(let failure): self.init(failure, title: title)
        case .feedFull: self = .machineFull
        }
    }

    private init(_ error: LedgerError) {
        if case .tooManyOperations = error {
            self = .machineFull
            return
        }
        guard case .refused(let refusal) = error else {
            self = .notAllowed(action: "change this group")
            return
        }
        switch refusal {
        case .ownerCannotLeave: self = .ownerCannotLeave(title: "")
        case .invitingNotAllowed: self = .notAllowed(action: "invite")
        case .notOwnInvite: self = .notAllowed(action: "revoke somebody else’s invite")
        case .tooManyInvites(let limit):
            self = .limitReached(what: "live invites of yours", limit: limit)
        case .invalidExpiry: self = .invalidInvite(reason: "an invite lasts at most 90 days")
        case .invalidTitle: self = .invalidTitle(limit: ProtocolLimits.maximumTitleLength)
        case .tooManyMembers: self = .limitReached(what: "members", limit: ProtocolLimits.maximumMembers)
        case .needsOwner, .targetIsProtected, .transferDoesNotStand:
            self = .notAllowed(action: "change this group", reason: .needsOwner)
        case .authorNotMember, .authorRemoved, .authorRevoked: self = .notMember(title: "")
        case .needsAdmin, .targetNotMember, .unknownDevice, .targetIsAuthor, .unknownInvite, .inviteRevoked,
            .inviteUsedUp, .inviteExpired, .needsApproval, .newcomerRemoved, .alreadyMember, .claimSpent,
            .certificateRevoked:
            self = .notAllowed(action: "change this group")
        }
    }

    private init(_ refusal: JoinRefusal) {
        switch refusal {
        case .usedUp: self = .linkUsedUp
        case .expired: self = .linkExpired(at: "")
        case .revoked: self = .linkRevoked
        case .removed: self = .removedFromGroup
        case .awaitingApproval: self = .approvalNeeded(title: "")
        case .denied: self = .joinDenied
        case .groupFull: self = .limitReached(what: "members", limit: ProtocolLimits.maximumMembers)
        case .unknownInvite, .invalidProof: self = .linkOfAnotherGroup
        case .other: self = .cannotAdmit
        }
    }

    private init(_ refusal: DeviceRefusal) {
        switch refusal {
        case .unknownLink, .invalidProof, .other: self = .deviceLinkUnknown
        case .used: self = .linkUsedUp
        case .expired: self = .linkExpired(at: "")
        case .tooManyDevices: self = .tooManyDevices
        }
    }

    private init(_ failure: FriendFailure, title: String) {
        switch failure {
        case .ownCode: self = .ownFriendCode
        case .alreadyFriend: self = .alreadyFriends(title: title)
        case .alreadyAsked: self = .friendAlreadyAsked
        case .blocked: self = .friendBlocked
        case .tooManyRequests: self = .limitReached(what: "friend requests", limit: MeshEngine.maximumFriendRequests)
        case .unknownRequest: self = .unknownFriend("")
        }
    }

    init(_ error: InviteLinkError) {
        switch error {
        case .notALink: self = .linkMalformed
        case .severalLinks: self = .severalLinks
        case .damaged, .malformed: self = .linkDamaged
        case .tampered: self = .linkTampered
        case .unsupportedVersion(let version): self = .linkUnsupported(version: Int(version))
        }
    }

    /// Why something could not be read or stored.
    public init(storage error: any Error) {
        switch error {
        case let failure as NodeFailure: self = failure
        case StorageError.accountExists: self = .accountExists
        case StorageError.folderMissing: self = .noAccount
        case StorageError.diskFull: self = .diskFull
        case StorageError.othersFolder: self = .othersFolder
        case StorageError.unsafeFolder(let path): self = .socketFolderTaken(path: path)
        case StorageError.newerFormat: self = .newerData
        case StorageError.folderInUse(processID: let pid): self = .folderBusy(pid: pid ?? 0)
        default: self = .storageFailed("\(error)")
        }
    }
}
