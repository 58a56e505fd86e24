import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// What a machine leaves for the engine to route, at once or when a change is on disk. `MeshEngine.perform` says which
/// machine gets it, and in which order.
enum Work: Sendable {
    // Events for the shell.
    case complete(CommandID, CommandOutcome)
    case publish(EngineEvent)

    // Links.
    /// A link is open, and its session exists.
    case linkOpened(LinkID)
    /// The device at the other end of a link is now known.
    case peerKnown(DeviceID, LinkID)
    /// The last link to a known device has closed.
    case peerGone(DeviceID)
    case greet(LinkID)
    /// This device has a new group or key, which peers may share.
    case keysGained
    /// Both ends of a link have proven to know a group.
    case groupOpened(GroupID, LinkID)
    /// Both ends may now exchange a group's records; before, they may not have been allowed to.
    case authorised(GroupID, LinkID)
    /// Both ends may no longer exchange a group's records, or may not yet.
    case unauthorised(GroupID, LinkID)

    // Groups.
    /// A ledger has changed: check again who may hear of the group, and under which keys.
    case authorise(GroupID)
    case digestMoved(GroupID)
    case groupDropped(GroupID)
    case groupLost(GroupID)
    /// A group's ledger may lack some of the account's machines or revocations.
    case tellAccount(GroupID)
    /// Other machines of the account may lack groups of this one.
    case offerGroups
    case sayFarewell(GroupID)

    // Records and operations.
    case pushRun(GroupID, Run, except: LinkID?)
    /// A rumour is stored here: its sender need not repeat it.
    case acknowledgeRumour(RumourName, LinkID)
    case passOnOperations(GroupID, [SignedOperation], except: LinkID?)
    case announceSoon(GroupID, except: LinkID?)
    case tellDigest(GroupID, LinkID)
    /// The peer has something that is missing here.
    case startRound(GroupID, LinkID)
    /// The peer has more records of an author that is over its pace now.
    case resumeRound(GroupID, LinkID, at: MonotonicInstant)
    case continueRound(LinkID, GroupID)
    /// An exchange has ended, or none was needed.
    case roundEnded(GroupID, LinkID)

    // Coming in.
    case join(InviteLink, CommandID, pair: UserID?, at: [Endpoint])
    case cancelJoin(CommandID)
    /// A member of a group that this device joins answers at an address.
    case joinSighted(GroupID, Endpoint)
    /// It is time to dial an address that the user named, whatever device may be there.
    case endpointDue(Endpoint)
    case welcome(LinkID, GroupID)
    case refuseJoin(LinkID, JoinRefusal)
    case introduceDevice(LinkID, DeviceCertificate)
    case ownCommandEnded(CommandID, CommandOutcome)
    /// The invite by which this device joins names an address of its maker.
    case addressHeard(DeviceID, Endpoint)
    case addressAnswered(RememberedAddress)
    /// The maker of the link by which this device joins may be at an address.
    case inviterFound(CommandID, Endpoint)
    /// Whereabouts of a device, found in the DHT.
    case whereaboutsFound([UInt8])
    /// What a device of a group has left as its newest records, if it has.
    case letterFound([UInt8], GroupID)
    case lookForMembers

    // Friends.
    /// This device has asked the owner of a friend code over a link.
    case ownerAsked(LinkID, DeviceCertificate)
    case returnDeclined(friend: UserID)
    case friendBeacon(Beacon.Content, FriendCode, hourKey: [UInt8], from: Endpoint)
    case answerFriend(UserID)
}
