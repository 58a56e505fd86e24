public import StreakCrypto
public import StreakLinks
public import StreakMembership
public import StreakReplication
public import StreakScores
public import StreakWire

/// Names a transaction that the engine asked for, until it is stored.
public struct ChangeID: Hashable, Comparable, Sendable {
    public let number: UInt64
    public init(number: UInt64) { self.number = number }
    public static func < (left: ChangeID, right: ChangeID) -> Bool { left.number < right.number }
}

/// Names a command until it is completed. Chosen by the shell, never twice.
public struct CommandID: Hashable, Comparable, Sendable {
    public let number: UInt64
    public init(number: UInt64) { self.number = number }
    public static func < (left: CommandID, right: CommandID) -> Bool { left.number < right.number }

    /// Whether the engine gave itself the command; the shell's count up from 1.
    var isOwn: Bool { number > UInt64.max >> 1 }
}

/// A record to be written by this device; its time and number are the engine's to choose.
public enum RecordDraft: Sendable, Equatable {
    case score(DailyScore)
    case withdrawnScore(ScoreKey)
    /// A record of any other kind, or what withdraws one.
    case content(RecordContent)
    /// What a record that friends still hold says, with its own time: it takes the place among others that it had.
    case copy(Record)
    /// What a retracted record said, with a time of today. A result whose first recording lies after `since`, in Unix
    /// seconds, counts as first recorded then.
    case again(Record, since: Int64)

    /// A record of any kind but results.
    public static func value(_ value: some RecordValue) -> RecordDraft { .content(RecordContent(value)) }

    /// One of the user's own settings, in the private group only; an empty value withdraws it.
    public static func setting(name: String, value: [UInt8]) -> RecordDraft {
        .value(Setting(name: name, value: value))
    }
}

/// What the user wants done.
public enum Command: Sendable {
    /// Founds a group. Completed with `.group`.
    case foundGroup(title: String)
    /// Writes records, in each group the drafts named for it. Completed with `.done` once all are on disk.
    case write([(group: GroupID, drafts: [RecordDraft])])
    /// Retracts what this device wrote while its clock was ahead, in every group, and writes it anew with today's time. One
    /// transaction. Completed with `.retracted`.
    case retract
    /// Makes an invite. `uses` 0 is unlimited; `lifetime` in seconds. Who comes with one that needs approval waits until
    /// owner or an admin says `admit`. Completed with `.invite`.
    case invite(GroupID, uses: UInt32, lifetime: Int64, needsApproval: Bool = false)
    /// Ends an invite. Completed with `.done`.
    case revokeInvite(GroupID, OperationID)
    /// Changes a group's title, by owner and admins. Completed with `.done`.
    case rename(GroupID, title: String)
    /// Changes a group's settings, by owner and admins. Completed with `.done`.
    case changeSettings(GroupID, GroupSettings)
    /// Names an admin, demotes one, names the heir or withdraws that (`noHeir`, naming the owner), by the owner. What a
    /// demoted admin did as far as it is known here stays an admin's. Completed with `.done`.
    case setRole(GroupID, UserID, RoleChange.Change)
    /// Hands a group on, by its owner; or takes it over, by the heir, `to` itself. Completed with `.done`.
    case transfer(GroupID, to: UserID)
    /// Removes a member, by owner or admin. What of it is known here goes on counting; the group gets a new access key. The
    /// invites that it made end with it, and unless `keepingOthersInvites` those of others by which it came in. Completed
    /// with `.done`.
    case remove(GroupID, UserID, keepingOthersInvites: Bool = false)
    /// Undoes an admin's removal of a member, by the owner: the admin is demoted with a cut before that operation.
    /// Completed with `.done`.
    case annul(GroupID, removal: OperationID)
    /// Takes in who asked under an invite that needs approval, by owner or admin. Completed with `.done`.
    case admit(GroupID, request: OperationID)
    /// Turns down such a request, on this node only: it is no longer listed and its newcomer gets that answer from this
    /// node. Another admin may still admit it; to keep everybody out, revoke the invite. Completed with `.done`.
    case denyRequest(GroupID, request: OperationID)
    /// Ends a device of this account in every group that it is in, each with a new access key. One transaction. Completed
    /// with `.done`.
    case revokeDevice(DeviceID, accountKey: SigningSecretKey)
    /// Leaves a group. Completed with `.done`.
    case leave(GroupID, erasing: Bool)
    /// Joins by a link that was parsed and whose signature holds. Completed with `.group` after the first exchange.
    case join(InviteLink, timeout: Duration)
    /// Opens the account's private group on a machine that was made with the account's key. Completed with `.group`.
    case openPrivateGroup(accountKey: SigningSecretKey)
    /// Makes a link by which another machine becomes a device of this account, once and within ten minutes. Completed
    /// with `.invite`.
    case linkDevice
    /// Asks for that, by a link of purpose `device`. The engine's identity has fresh keys and a certificate that counts
    /// for nothing. Completed with `.deviceLinked`; the engine is of no use afterwards.
    case requestDevice(InviteLink, timeout: Duration)
    /// Answers to this account's friend code from now on; nil: no more. Completed with `.done`.
    case setAnswersToCode(FriendCodeKeys?)
    /// Asks the owner of a code for friendship, for seven days or until there is an answer; `name` is what it is shown.
    /// Completed with `.done` once the wish is on disk; events tell what comes of it.
    case addFriend(FriendCodeKeys, name: String)
    /// Takes such a wish back. Completed with `.done`.
    case cancelFriend(FriendCode)
    /// Says yes to a request: founds a group of two, titled by both names. Completed with `.group`.
    case approveFriend(UserID, name: String)
    /// Says no to a request. Completed with `.done`.
    case declineFriend(UserID)
    /// Takes no requests of a user any more; to the user it looks as if nobody answered yes or no. Completed with `.done`.
    case blockFriend(UserID)
    case unblockFriend(UserID)
    /// Comes back into a group of this account that a friend knows (`offeredReturns`): publishes this device there.
    /// Completed with `.group`.
    case acceptReturn(GroupID)
    /// Does not, and forgets the group. Completed with `.done`.
    case declineReturn(GroupID)
    /// Deletes all that is here of a group, and tells nobody. Completed with `.done`.
    case forgetGroup(GroupID)
    /// Keeps or forgets a small named value. Completed with `.done`.
    case keepSetting(name: String, value: [UInt8])
    /// Dials every known peer at once.
    case dialEveryone
    /// Addresses to dial whoever may be there.
    case dialAddresses([Endpoint])
}

/// How a command ended.
public enum CommandOutcome: Sendable, Equatable {
    case done
    case group(GroupID)
    case invite(OperationID, link: String)
    case deviceLinked(DeviceLinking)
    /// Done, but for these groups, whose ledgers take no more of it.
    case refusedBy([GroupID])
    /// How many values were written anew, over all groups; 0 where nothing was dated ahead.
    case retracted(records: Int)
    case failed(CommandFailure)
}

/// Why a command was not carried out; nothing has changed.
public enum CommandFailure: Error, Sendable, Equatable {
    case unknownGroup
    case notMember
    case alreadyMember(GroupID)
    /// The ledger would not count the operation.
    case notAllowed(LedgerError)
    case linkExpired
    case joinRefused(JoinRefusal)
    /// What the reached device showed does not hold the link's invite, its inviter or itself.
    case ledgerRejected
    /// The ledger that the reached device showed has more bytes than a node takes.
    case ledgerTooLarge
    case nobodyReachable
    case feedFull
    /// No such request is open in this group.
    case unknownRequest
    case deviceRefused(DeviceRefusal)
    case friend(FriendFailure)
}

/// Something that a shell or a user may want to know.
public enum EngineEvent: Sendable, Equatable {
    /// Keys of a group have new values.
    case recordsMerged(GroupID, [MergedRecord])
    /// Records of a group were taken back: all merged values are to be read again.
    case recordsReset(GroupID)
    /// The ledger of a group says something new.
    case ledgerChanged(GroupID)
    /// This device is a member no more: removed, revoked, or it left and was heard. Other users' records of the group have
    /// been deleted here, its own account's have not. Nil where the admission turns out not to count: see
    /// `MeshEngine.exclusion(from:)`.
    case lostGroup(GroupID, GroupState.Standing?)
    case digestChanged(GroupID, GroupDigest)
    case linkOpened(DeviceID, via: LinkVia, endpoint: Endpoint)
    case linkClosed(DeviceID)
    /// Who of a group is reached, or over which links: see `MeshEngine.route`.
    case presenceChanged(GroupID)
    /// A device said over a new link what its clock says.
    case clockHeard(DeviceID)
    /// An exchange with a peer about a group began or ended.
    case syncBegan(GroupID, DeviceID)
    case syncEnded(GroupID, DeviceID)
    /// A run was refused; the link stays open.
    case runRefused(GroupID, ReplicationError)
    /// A ledger operation was refused; the link stays open.
    case operationRefused(GroupID)
    /// This device's own feed was found to have gone on without this store: a new epoch was opened.
    case epochReplaced(GroupID)
    /// Bytes from outside were ignored.
    case dropped(DropReason)
    /// Somebody has had this node do too much of something: what it sent was not looked at.
    case overBudget(ChargedWork)
    /// Something happened between this user and one whose friend it wants to be, or who wants that.
    case friend(FriendEvent)
    case messageRefused(WireError)
}

/// What has happened outside.
public enum EngineInput: Sendable {
    case link(LinkInput)
    /// A datagram from the discovery port.
    case beaconReceived([UInt8], from: Endpoint)
    /// The node listens at this port; others may reach it at `addresses`. The engine may dial and announce from now on.
    case listening(port: UInt16, addresses: [Endpoint], usesDiscovery: Bool)
    /// Interfaces or addresses have changed, or the machine woke up.
    case networkChanged(addresses: [Endpoint])
    case command(CommandID, Command)
    /// The friend code of a user that `deriveCode` asked for; nil where it could not be worked out. One that nobody asked
    /// for is kept, too.
    case codeDerived(UserID, FriendCode?)
    case changeStored(ChangeID)
    case deadlineReached
}

/// What has to be done outside, in this order.
public enum EngineOutput: Sendable {
    case link(LinkOutput)
    /// Sends a beacon to everybody on the local networks, or to one address.
    case sendBeacon([UInt8], to: Endpoint?)
    /// Stores a transaction; `changeStored` follows once it is on disk. If it cannot be stored, the engine is to be
    /// thrown away and started anew from the store.
    case persist(DurableChange, ChangeID)
    case complete(CommandID, CommandOutcome)
    /// Works out a user's friend code, beside whatever else is going on: it takes 60 ms and 64 MB. `codeDerived` follows; the
    /// next one is asked for only then.
    case deriveCode(UserID)
    case publish(EngineEvent)
}
