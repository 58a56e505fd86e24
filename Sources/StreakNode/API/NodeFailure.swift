/// Why a request was not carried out. Nothing has changed unless a case says so. Texts for people are made where they
/// are shown.
public enum NodeFailure: Error, Codable, Equatable, Sendable {
    /// The data folder holds no account: `init` comes first.
    case noAccount
    /// The data folder holds an account already.
    case accountExists
    /// The data folder is getting an account just now, by an earlier request.
    case accountUnderWay
    /// What the data folder holds of an account cannot be read, or does not fit together.
    case accountDamaged
    /// The text is no recovery key, for a reason.
    case invalidRecoveryKey(reason: String)
    /// It is a recovery key, of another account.
    case otherRecoveryKey
    /// The account's secret is no longer on this machine: the recovery key is needed.
    case recoveryKeyNeeded
    /// A backup cannot be read: no backup, another passphrase, damaged, cut off.
    case invalidBackup(reason: String)
    /// A passphrase is missing, or too short to protect anything.
    case weakPassphrase(minimum: Int)
    /// A file cannot be written, for the system's reason. An existing one is not overwritten.
    case cannotWriteFile(reason: String)
    /// The data folder cannot be made or written, for the system's reason.
    case cannotCreate(reason: String)
    /// A name is empty, too long or holds control characters. Limit in grapheme clusters.
    case invalidName(limit: Int)
    /// A group title is empty, too long or holds control characters. Limit in grapheme clusters.
    case invalidTitle(limit: Int)
    /// No group has this title, ID or prefix.
    case unknownGroup(String)
    /// Several groups do.
    case ambiguousGroup(String, candidates: [String])
    /// No group that this user may come back to has this title, ID or prefix.
    case unknownReturn(String)
    /// There is no group, or none any more; those that have ended for this user.
    case noGroup(ended: [GroupReport] = [])
    /// This machine was shut out of its account: it keeps what it has and records nothing more.
    case machineShutOut
    /// This user is not, or no longer, in the group.
    case notMember(title: String)
    /// Nobody in the group has this name, ID or prefix.
    case unknownMember(String)
    /// Several do.
    case ambiguousMember(String, candidates: [String])
    /// The group's owner or an admin has to agree first; the request stands.
    case approvalNeeded(title: String)
    /// An admin of the group has turned the request down.
    case joinDenied
    /// No newcomer's request has this ID or prefix.
    case unknownRequest(String)
    /// No removal that can be annulled has this ID or prefix.
    case unknownRemoval(String)
    /// None of this user's devices has this ID or prefix.
    case unknownDevice(String)
    /// This machine of the user's was shut out before.
    case alreadyShutOut(String)
    /// The link was made to link a device, or is not of this account's private group.
    case deviceLinkUnknown
    /// The account has as many devices as one may have.
    case tooManyDevices
    /// The text is no friend code, for a reason.
    case invalidFriendCode(reason: String)
    /// It is this user's own.
    case ownFriendCode
    /// There is a group of the two already.
    case alreadyFriends(title: String)
    /// The group that two friends share is one like others; ending the friendship would end that.
    case notAPair(title: String)
    /// The owner of the code has been asked, or is being looked for.
    case friendAlreadyAsked
    /// This user has blocked the owner of the code.
    case friendBlocked
    /// Nobody who asked, was asked, is a friend or is blocked has this name, code, ID or prefix.
    case unknownFriend(String)
    /// This user has blocked whom this name, code, ID or prefix means.
    case alreadyBlocked(String)
    /// Whom this name, code, ID or prefix means is known, and was not blocked.
    case notBlocked(String)
    /// Nothing is published in this group until sharing is resumed.
    case sharingStopped(title: String)
    /// An alias is empty, too long or holds control characters. Limit in grapheme clusters.
    case invalidAlias(limit: Int)
    /// A region is too long or holds control characters. Limit in grapheme clusters.
    case invalidRegion(limit: Int)
    /// A setting of a group has no such value.
    case invalidSetting(name: String, values: [String])
    /// What was typed is no time of day, or no span between two.
    case invalidTimes(name: String, text: String, example: String, reason: String)
    /// A guest plays: nothing of the host's can be seen or changed, until the guest mode ends.
    case guestPlaying(name: String)
    /// No guest plays, or has left results.
    case noGuest
    /// Another guest, of this name, has left so many results, which nobody else is shown.
    case guestResultsKept(name: String, count: Int)
    /// This role may not do that, or nobody may.
    case notAllowed(action: String, reason: RoleReason = .needsAdmin)
    /// The member has this role already: `owner`, `admin`, `member`.
    case alreadyRole(name: String, role: String)
    /// An owner leaves only after handing over.
    case ownerCannotLeave(title: String)
    /// What went wrong with a device link, of which other words are said than of an invite's.
    case deviceLink(DeviceLinkFailure)
    /// A device link where an invite is wanted.
    case linkForDevice
    /// An invite where a device link is wanted.
    case linkForGroup
    /// Not a StreakMesh link at all.
    case linkMalformed
    /// A text with two links that differ.
    case severalLinks
    /// A link whose checksum fails: cut off or mistyped.
    case linkDamaged
    /// A link whose signature fails: somebody changed it.
    case linkTampered
    /// A link of a later version.
    case linkUnsupported(version: Int)
    /// When, and what this machine's clock says, both ISO 8601 in UTC.
    case linkExpired(at: String, now: String? = nil)
    case linkUsedUp
    case linkRevoked
    /// The group has removed this user; the link is older than that.
    case removedFromGroup
    case alreadyMember(title: String)
    /// What the reached node showed is not the group of the link.
    case linkOfAnotherGroup
    /// The group's ledger has more bytes than a node takes.
    case groupTooLarge
    /// Nobody of the group answered in time.
    case nobodyReachable
    /// This machine's clock is ahead of most others' by so much.
    case clockWrong(seconds: Int)
    /// No invite has this ID or prefix.
    case unknownInvite(String)
    case invalidInvite(reason: String)
    /// No game has this ID, name or prefix.
    case unknownGame(String, suggestions: [String])
    case ambiguousGame(String, candidates: [String])
    case invalidScore(reason: String)
    /// The day lies before a game's first puzzle, which was on `first`.
    case beforeFirstPuzzle(game: String, first: String)
    /// Only who defined a custom game changes or removes it.
    case gameOfAnother(String)
    /// A custom game cannot be defined like this; a sentence. Whether it is the pattern of its shares that is wrong.
    case invalidGame(reason: String, isPattern: Bool = false)
    /// A file cannot be read as results; a sentence.
    case importFailed(reason: String)
    /// The date in this line of a file, or this result of a JSON document, can be read day first or month first, and nothing in the file decides.
    case ambiguousDates(line: Int, element: Int? = nil)
    /// Several people write in a chat, and none is named or the name is none of theirs.
    case unknownSender(String?, candidates: [String])
    /// Not a day as `yyyy-MM-dd`.
    case invalidDate(String)
    /// The day has not begun anywhere on Earth.
    case futureDate(String)
    /// Not a range of `streakmesh board`.
    case invalidRange(String)
    case invalidMetric(String)
    /// There is no such result of mine.
    case noSuchResult(game: String, day: String)
    /// Nothing was recorded or deleted yet, or it was taken back already.
    case nothingToUndo
    /// The text is larger than a share can be, in bytes.
    case textTooLong(limit: Int)
    /// Another process holds the data folder.
    case folderBusy(pid: Int32)
    case diskFull
    /// The store refused a change; nothing was confirmed.
    case storageFailed(String)
    /// The data folder belongs to another user of this machine.
    case othersFolder
    /// The address to listen on is taken or not ours.
    case cannotListen(address: String, reason: String)
    /// A request that this node does not understand.
    case invalidRequest(String)
    /// A limit of the protocol.
    case limitReached(what: String, limit: Int)
    /// This machine's feed in a group is as long as it may be, or it began too many, as after jumps of its clock.
    case machineFull
    /// The node is shutting down.
    case stopping
}

/// Why a role does not allow something.
public enum RoleReason: String, Codable, Equatable, Sendable, CaseIterable {
    /// Only the owner and admins may.
    case needsAdmin
    /// Only the owner may.
    case needsOwner
    /// Only whom the owner has named heir may.
    case needsHeir
    /// Nobody removes themselves: one leaves.
    case leaves
    /// This user owns the group, and can be given no other role and not this one again.
    case ownsGroup
    /// Nobody removes the owner.
    case ownerStays
}

/// Why a device link led nowhere.
public enum DeviceLinkFailure: Codable, Equatable, Sendable {
    case malformed
    case tampered
    /// When, and what this machine's clock says, both ISO 8601 in UTC.
    case expired(at: String, now: String?)
    case usedUp
    /// None of the account's machines answered in time.
    case nobodyReachable

    /// The same of an invite's link.
    public var ofInvite: NodeFailure {
        switch self {
        case .malformed: .linkMalformed
        case .tampered: .linkTampered
        case .expired(let expiry, let now): .linkExpired(at: expiry, now: now)
        case .usedUp: .linkUsedUp
        case .nobodyReachable: .nobodyReachable
        }
    }
}
