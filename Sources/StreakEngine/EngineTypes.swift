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
}

/// A record to be written by this device; its time and number are the engine's to choose.
public enum RecordDraft: Sendable, Equatable {
    case score(DailyScore)
    case withdrawnScore(ScoreKey)
    case profile(Profile)
}

/// What the user wants done.
public enum Command: Sendable {
    /// Founds a group. Completed with `.group`.
    case foundGroup(title: String)
    /// Writes records, in each group the drafts named for it. Completed with `.done` once all are on disk.
    case write([(group: GroupID, drafts: [RecordDraft])])
    /// Makes an invite. `uses` 0 is unlimited; `lifetime` in seconds. Completed with `.invite`.
    case invite(GroupID, uses: UInt32, lifetime: Int64)
    /// Ends an invite. Completed with `.done`.
    case revokeInvite(GroupID, OperationID)
    /// Leaves a group. Completed with `.done`.
    case leave(GroupID, erasing: Bool)
    /// Joins by a link that was parsed and whose signature holds. Completed with `.group` after the first exchange.
    case join(InviteLink, timeout: Duration)
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
    case nobodyReachable
    case feedFull
}

/// Something that a shell or a user may want to know.
public enum EngineEvent: Sendable, Equatable {
    /// Keys of a group have new values.
    case recordsMerged(GroupID, [MergedRecord])
    /// Records of a group were taken back: all merged values are to be read again.
    case recordsReset(GroupID)
    /// The ledger of a group says something new.
    case ledgerChanged(GroupID)
    case digestChanged(GroupID, GroupDigest)
    case linkOpened(DeviceID, via: LinkVia, endpoint: Endpoint)
    case linkClosed(DeviceID)
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
    case publish(EngineEvent)
}
