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

/// A record to be written by this device. The engine chooses its time and number.
public enum RecordDraft: Sendable, Equatable {
    case score(DailyScore)
    case withdrawnScore(ScoreKey)
    /// A record of any other kind, or one that withdraws it.
    case content(RecordContent)
    /// A record that friends still hold, written again with its own time, so that it keeps its place among others.
    case copy(Record)
    /// A retracted record, written again with today's time. A result first recorded after `since` (Unix seconds) counts
    /// as first recorded at `since`.
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
    /// Retracts what this device wrote while its clock was ahead, in every group, and writes it again with today's
    /// time, in one transaction. Completed with `.retracted`.
    case retract
    /// Makes an invite. `uses` 0 is unlimited; `lifetime` in seconds. If it needs approval, newcomers wait until the
    /// owner or an admin sends `admit`. Completed with `.invite`.
    case invite(GroupID, uses: UInt32, lifetime: Int64, needsApproval: Bool = false)
    /// Ends an invite. Completed with `.done`.
    case revokeInvite(GroupID, OperationID)
    /// Changes a group's title, by the owner or an admin. Completed with `.done`.
    case rename(GroupID, title: String)
    /// Changes a group's settings, by the owner or an admin. Completed with `.done`.
    case changeSettings(GroupID, GroupSettings)
    /// Names an admin, demotes one, or names or withdraws the heir, by the owner. `noHeir` names the owner. What a
    /// demoted admin did, as far as this device knows it, stays valid. Completed with `.done`.
    case setRole(GroupID, UserID, RoleChange.Change)
    /// Hands a group on, by its owner; or takes it over, by the heir, `to` itself. Completed with `.done`.
    case transfer(GroupID, to: UserID)
    /// Removes a member, by the owner or an admin. What this device knows of the member's history still counts. The
    /// group gets a new access key. The invites that the member made end, and unless `keepingOthersInvites` so do other
    /// members' invites by which it joined. Completed with `.done`.
    case remove(GroupID, UserID, keepingOthersInvites: Bool = false)
    /// Undoes an admin's removal of a member, by the owner: the admin is demoted with a cut before that operation.
    /// Completed with `.done`.
    case annul(GroupID, removal: OperationID)
    /// Admits somebody who asked under an invite that needs approval, by the owner or an admin. Completed with `.done`.
    case admit(GroupID, request: OperationID)
    /// Turns down such a request, on this node only: it is no longer listed and its newcomer gets that answer from this
    /// node. Another admin may still admit it; to keep everybody out, revoke the invite. Completed with `.done`.
    case denyRequest(GroupID, request: OperationID)
    /// Ends a device of this account in every group that it is in, each with a new access key, in one transaction.
    /// Completed with `.done`.
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
    /// Asks to be linked, by a link of purpose `device`. The engine's identity has fresh keys and a certificate that
    /// counts for nothing. Completed with `.deviceLinked`; the engine is not used afterwards.
    case requestDevice(InviteLink, timeout: Duration)
    /// Answers to this account's friend code from now on; nil stops answering. Completed with `.done`.
    case setAnswersToCode(FriendCodeKeys?)
    /// Asks the owner of a code for friendship, for seven days or until there is an answer. The owner sees `name`.
    /// Completed with `.done` once the wish is on disk; events report the outcome.
    case addFriend(FriendCodeKeys, name: String)
    /// Takes such a wish back. Completed with `.done`.
    case cancelFriend(FriendCode)
    /// Says yes to a request: founds a group of two, titled by both names. Completed with `.group`.
    case approveFriend(UserID, name: String)
    /// Says no to a request. Completed with `.done`.
    case declineFriend(UserID)
    /// Ignores requests of a user from now on. To that user it looks as if nobody had decided yet. The name, at most 640
    /// bytes, is kept to show whom this user has blocked. Completed with `.done`.
    case blockFriend(UserID, name: String)
    case unblockFriend(UserID)
    /// Comes back into a group of this account that a friend knows (`offeredReturns`): publishes this device there.
    /// Completed with `.group`.
    case acceptReturn(GroupID)
    /// Declines to come back, and forgets the group. Completed with `.done`.
    case declineReturn(GroupID)
    /// Deletes all that is here of a group, and tells nobody. Completed with `.done`.
    case forgetGroup(GroupID)
    /// Keeps a named value, or forgets it where it is empty. Completed with `.done`.
    case keepSetting(name: String, value: [UInt8])
    /// Keeps and forgets rows. Completed with `.done`.
    case keepRows(LocalRows)
    /// Dials every known peer at once.
    case dialEveryone
    /// Dials these addresses, whatever device may be there, and no longer those of the last such command.
    case dialAddresses([Endpoint])
}

/// How a command ended.
public enum CommandOutcome: Sendable, Equatable {
    case done
    case group(GroupID)
    case invite(OperationID, link: String)
    case deviceLinked(DeviceLinking)
    /// Done, except in these groups, whose ledgers accept no further operations.
    case refusedBy([GroupID])
    /// How many values were written again, over all groups; 0 if nothing was dated ahead.
    case retracted(records: Int)
    case failed(CommandFailure)
}

/// Why a command was not carried out; nothing has changed.
public enum CommandFailure: Error, Sendable, Equatable {
    case unknownGroup
    case notMember
    case alreadyMember(GroupID)
    /// The ledger would not accept the operation as counting.
    case notAllowed(LedgerError)
    case linkExpired
    case joinRefused(JoinRefusal)
    /// The ledger that the reached device showed lacks the link's invite, its inviter, or that device itself.
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
    /// Records of a group were taken back: read all merged values again.
    case recordsReset(GroupID)
    /// The ledger of a group has changed what it says.
    case ledgerChanged(GroupID)
    /// This device is no longer a member: it was removed or revoked, or it left and a member heard so. Other users'
    /// records of the group have been deleted here, those of its own account have not. Nil if its admission turned out
    /// not to count: see `MeshEngine.exclusion(from:)`.
    case lostGroup(GroupID, GroupState.Standing?)
    case digestChanged(GroupID, GroupDigest)
    case linkOpened(DeviceID, via: LinkVia, endpoint: Endpoint)
    case linkClosed(DeviceID)
    /// Which members of a group are online, or over how many links, has changed: see `MeshEngine.route`.
    case presenceChanged(GroupID)
    /// There are newer whereabouts of a device, this one's among them: see `MeshEngine.whereabouts`.
    case whereaboutsChanged(DeviceID)
    /// A device said over a new link what its clock says.
    case clockHeard(DeviceID)
    /// An exchange with a peer about a group began or ended.
    case syncBegan(GroupID, DeviceID)
    case syncEnded(GroupID, DeviceID)
    /// A run was refused; the link stays open.
    case runRefused(GroupID, ReplicationError)
    /// A ledger operation was refused; the link stays open.
    case operationRefused(GroupID)
    /// Another copy of this device's store has continued this device's feed, so a new epoch was opened.
    case epochReplaced(GroupID)
    /// Bytes from outside were ignored.
    case dropped(DropReason)
    /// Somebody has used up their budget for some kind of work; what they sent was ignored.
    case overBudget(ChargedWork)
    /// Something happened in a friend request that this user sent or received.
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
    /// How far this node may go for friends beyond the local network; `off` until it is said. Say it before `listening`.
    case internetSettingChanged(InternetSetting)
    /// Where others on the internet find this node, all of it, as far as the shell knows: ports that a router has opened, the
    /// address that the system chooses for IPv6, and what its user named. Entries of source `seen` are left out: the engine makes
    /// these itself.
    case ownEndpointsFound([Whereabouts.Entry])
    /// Somebody without a link, at the address `by`, has said from which endpoint this node's datagrams come: those of the port
    /// at which it takes links.
    case seenFromOutside(Endpoint, by: Endpoint)
    /// Whether what this device leaves in the DHT holds its newest records, too; true until it is said.
    case lettersChanged(Bool)
    /// The DHT has a value under a key that `getNotice` asked for. Several may come, older ones first.
    case noticeFound([UInt8], at: Bytes32)
    /// No further value comes, or none could be asked for.
    case noticeSearched(Bytes32)
    /// No node of the DHT has stored a notice.
    case putNoticeFailed
    /// The friend code of a user, worked out after `deriveCode`; nil if it could not be worked out. A code that nobody
    /// asked for is kept, too.
    case codeDerived(UserID, FriendCode?)
    case changeStored(ChangeID)
    case deadlineReached
}

/// What has to be done outside, in this order.
public enum EngineOutput: Sendable {
    case link(LinkOutput)
    /// Sends a beacon to everybody on the local networks, or to one address.
    case sendBeacon([UInt8], to: Endpoint?)
    /// Stores a transaction; `changeStored` follows once it is on disk. If it cannot be stored, throw the engine away
    /// and start another from the store.
    case persist(DurableChange, ChangeID)
    case complete(CommandID, CommandOutcome)
    /// Works out a user's friend code, in the background: it takes 60 ms and 64 MB. `codeDerived` follows; only then
    /// does the engine ask for the next one.
    case deriveCode(UserID)
    /// Leaves a notice in the DHT; `putNoticeFailed` follows where nobody has stored it.
    case putNotice(Notice)
    /// Looks in the DHT for what lies under a key. `noticeFound` follows for each value, and `noticeSearched` at the end.
    case getNotice(Bytes32)
    case publish(EngineEvent)
}
