/// Why a request was not carried out. Nothing has changed unless a case says so. The texts for users are made where
/// they are shown.
public enum NodeFailure: Error, Codable, Equatable, Sendable {
    /// The data folder holds no account: `init` comes first.
    case noAccount
    /// The data folder holds an account already.
    case accountExists
    /// An earlier request is just putting an account into the data folder.
    case accountUnderWay
    /// The account's files in the data folder cannot be read, or do not fit together.
    case accountDamaged
    /// The text is not a recovery key, for this reason.
    case invalidRecoveryKey(reason: String)
    /// The recovery key is of another account.
    case otherRecoveryKey
    /// The account's secret is no longer on this machine: the recovery key is needed.
    case recoveryKeyNeeded
    /// A backup cannot be read: it is not a backup, has another passphrase, is damaged or cut off.
    case invalidBackup(reason: String)
    /// A passphrase is missing, or too short.
    case weakPassphrase(minimum: Int)
    /// A file cannot be written, for the system's reason. An existing file is not overwritten.
    case cannotWriteFile(reason: String)
    /// The data folder cannot be made or written, for the system's reason.
    case cannotCreate(reason: String)
    /// A name is empty, too long or contains control characters. `limit` in grapheme clusters.
    case invalidName(limit: Int)
    /// A group title is empty, too long or contains control characters. `limit` in grapheme clusters.
    case invalidTitle(limit: Int)
    /// No group has this title, ID or prefix.
    case unknownGroup(String)
    /// Several groups have this title, ID or prefix.
    case ambiguousGroup(String, candidates: [String])
    /// No group that this user may come back to has this title, ID or prefix.
    case unknownReturn(String)
    /// There is no group, or none any longer; `ended` lists those that have ended for this user.
    case noGroup(ended: [GroupReport] = [])
    /// This machine was shut out of its account. It keeps what it has, and records nothing new.
    case machineShutOut
    /// This user is not, or no longer, in the group.
    case notMember(title: String)
    /// Nobody in the group has this name, ID or prefix.
    case unknownMember(String)
    /// Several members have this name, ID or prefix.
    case ambiguousMember(String, candidates: [String])
    /// The owner or an admin has to approve first; the request stands.
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
    /// The link does not link devices, or is not of this account's private group.
    case deviceLinkUnknown
    /// The account has the maximum number of devices.
    case tooManyDevices
    /// The text is not a friend code, for this reason.
    case invalidFriendCode(reason: String)
    /// The friend code is this user's own.
    case ownFriendCode
    /// The two have a group of their own already.
    case alreadyFriends(title: String)
    /// The group of the two friends was not made for them alone, and ending the friendship would end it.
    case notAPair(title: String)
    /// The owner of the code has been asked, or is being looked for.
    case friendAlreadyAsked
    /// This user has blocked the owner of the code.
    case friendBlocked
    /// This name, code, ID or prefix is not of anybody who asked, was asked, is a friend or is blocked.
    case unknownFriend(String)
    /// This user has blocked the person with this name, code, ID or prefix already.
    case alreadyBlocked(String)
    /// The person with this name, code, ID or prefix is known, but was not blocked.
    case notBlocked(String)
    /// Nothing is published in this group until sharing is resumed.
    case sharingStopped(title: String)
    /// An alias is empty, too long or contains control characters. `limit` in grapheme clusters.
    case invalidAlias(limit: Int)
    /// A region is too long or contains control characters. `limit` in grapheme clusters.
    case invalidRegion(limit: Int)
    /// A setting of a group has no such value.
    case invalidSetting(name: String, values: [String])
    /// The typed text is not a time of day, or not a span of two.
    case invalidTimes(name: String, text: String, example: String, reason: String)
    /// A guest is playing. The host's data can be neither seen nor changed until guest mode ends.
    case guestPlaying(name: String)
    /// No guest is playing, and none has left results.
    case noGuest
    /// Another guest, with this name, has left results, which nobody else may see.
    case guestResultsKept(name: String, count: Int)
    /// This role may not do that, or nobody may.
    case notAllowed(action: String, reason: RoleReason = .needsAdmin)
    /// The member has this role already: `owner`, `admin`, `member`.
    case alreadyRole(name: String, role: String)
    /// An owner leaves only after handing over.
    case ownerCannotLeave(title: String)
    /// A device link failed. Its texts differ from those about invites.
    case deviceLink(DeviceLinkFailure)
    /// The link is a device link, and an invite is needed.
    case linkForDevice
    /// The link is an invite, and a device link is needed.
    case linkForGroup
    /// Not a StreakMesh link at all.
    case linkMalformed
    /// The text contains two different links.
    case severalLinks
    /// A link whose checksum fails: cut off or mistyped.
    case linkDamaged
    /// The link's signature is wrong: somebody changed the link.
    case linkTampered
    /// A later version made the link.
    case linkUnsupported(version: Int)
    /// When the link expired, and what this machine's clock says; both ISO 8601 in UTC.
    case linkExpired(at: String, now: String? = nil)
    case linkUsedUp
    case linkRevoked
    /// The group has removed this user since the link was made.
    case removedFromGroup
    case alreadyMember(title: String)
    /// The reached node showed a group other than the link's.
    case linkOfAnotherGroup
    /// The member's machine that answered can admit nobody now. Another one may.
    case cannotAdmit
    /// The group's ledger is larger than a node accepts.
    case groupTooLarge
    /// Nobody of the group answered in time.
    case nobodyReachable
    /// This machine's clock is this far ahead of most others'.
    case clockWrong(seconds: Int)
    /// No invite has this ID or prefix.
    case unknownInvite(String)
    case invalidInvite(reason: String)
    /// No game has this ID, name or prefix.
    case unknownGame(String, suggestions: [String])
    case ambiguousGame(String, candidates: [String])
    case invalidScore(reason: String)
    /// The day is before the game's first puzzle, which was on `first`.
    case beforeFirstPuzzle(game: String, first: String)
    /// Only the definer may change or remove a custom game.
    case gameOfAnother(String)
    /// A custom game cannot be defined this way. `reason` is a sentence; `isPattern` says whether the pattern is the
    /// cause.
    case invalidGame(reason: String, isPattern: Bool = false)
    /// A file cannot be read as results. `reason` is a sentence.
    case importFailed(reason: String)
    /// The date in this line of a file, or in this result of a JSON document, may be day first or month first, and
    /// nothing in the file decides it.
    case ambiguousDates(line: Int, element: Int? = nil)
    /// Several people write in the chat, and the request names none of them.
    case unknownSender(String?, candidates: [String])
    /// Not a day in the form `yyyy-MM-dd`.
    case invalidDate(String)
    /// The day has not begun anywhere on Earth.
    case futureDate(String)
    /// Not a range that `streakmesh board` knows.
    case invalidRange(String)
    case invalidMetric(String)
    /// This user has no such result.
    case noSuchResult(game: String, day: String)
    /// The member with this name has no such result in the group, or none of the game.
    /// `name` is nil for this user.
    case noResultOfMember(name: String?, game: String)
    /// The result is covered until this user has played that puzzle of the game.
    case resultCovered(game: String)
    /// There is nothing of the kind to send to anybody. `reason` is a clause.
    case nothingToShare(reason: String)
    /// A text cannot be a template of share texts. `reason` is a clause.
    case invalidTemplate(reason: String)
    /// The rule of a weekly event needs a game, or takes none.
    case invalidEvent(reason: String)
    /// The text is not one emoji.
    case invalidEmoji
    /// A comment is empty, too long, or contains control characters. `limit` in grapheme clusters.
    case invalidComment(limit: Int)
    /// No comment of the group has this ID or beginning, or several have.
    case unknownComment(String)
    /// A message is empty, too long, or contains control characters. `limit` in grapheme clusters.
    case invalidMessage(limit: Int)
    /// No message of this user has this ID or beginning, or several have.
    case unknownMessage(String)
    /// This user and somebody have no group of the two, founded by code, for messages.
    case noPair(name: String)
    /// Only its author may change or delete a comment.
    case commentOfAnother
    /// No challenge of the group has this ID or beginning, or several have.
    case unknownChallenge(String)
    case challengeRefused(ChallengeRefusal)
    /// Nothing was recorded or deleted yet, or the last change was taken back already.
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
    /// Another user of this machine has made the folder of the control socket, or put something else in its place.
    case socketFolderTaken(path: String)
    /// A later version has written the data folder, and this one cannot read it. Nothing in it was touched.
    case newerData
    /// Version 0.1 made the data folder, whose certificates and ledgers have another form. Nothing in it was touched.
    case earlierData
    /// The address to listen on is in use, or is not this machine's.
    case cannotListen(address: String, reason: String)
    /// A request that this node does not understand.
    case invalidRequest(String)
    /// A limit of the protocol.
    case limitReached(what: String, limit: Int)
    /// This machine's feed in a group has its maximum length, or the machine began too many feeds, as after jumps of
    /// its clock.
    case machineFull
    /// The node is shutting down.
    case stopping
}

/// Why a role does not permit something.
public enum RoleReason: String, Codable, Equatable, Sendable, CaseIterable {
    /// Only the owner and admins may.
    case needsAdmin
    /// Only the owner may.
    case needsOwner
    /// Only the named heir may.
    case needsHeir
    /// Members do not remove themselves; they leave.
    case leaves
    /// This user owns the group, and can have no other role, nor be given this one again.
    case ownsGroup
    /// The owner cannot be removed.
    case ownerStays
}

/// Why a device link failed.
public enum DeviceLinkFailure: Codable, Equatable, Sendable {
    case malformed
    case tampered
    /// When it expired, and what this machine's clock says; both ISO 8601 in UTC.
    case expired(at: String, now: String?)
    case usedUp
    /// None of the account's machines answered in time.
    case nobodyReachable

    /// The same failure for an invite's link.
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
