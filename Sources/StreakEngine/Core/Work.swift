import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// What a machine leaves for the engine to route: at once, or when a change is on disk. `MeshEngine.perform` says who gets
/// what, and in which order.
enum Work: Sendable {
    // What the shell hears.
    case complete(CommandID, CommandOutcome)
    case publish(EngineEvent)

    // Links.
    /// A link is open, and its session noted.
    case linkOpened(LinkID)
    /// It is known whose device is at the other end.
    case peerKnown(DeviceID, LinkID)
    /// The last link to a known device has closed.
    case peerGone(DeviceID)
    case greet(LinkID)
    /// This device has come to a group or a key: peers may share it.
    case keysGained
    /// Both ends of a link know a group.
    case groupOpened(GroupID, LinkID)
    /// Both ends may talk about a group, which may have been otherwise before.
    case authorised(GroupID, LinkID)
    /// They may not.
    case unauthorised(GroupID, LinkID)

    // Groups.
    /// A ledger has changed: who may hear of the group, under which keys.
    case authorise(GroupID)
    case digestMoved(GroupID)
    case groupDropped(GroupID)
    case groupLost(GroupID)
    case publishRevocations(GroupID)
    case sayFarewell(GroupID)

    // Records and operations.
    case pushRun(GroupID, Run, except: LinkID?)
    case passOnOperations(GroupID, [SignedOperation], except: LinkID?)
    case announceSoon(GroupID, except: LinkID?)
    case tellDigest(GroupID, LinkID)
    /// Something is missing that the peer has.
    case startRound(GroupID, LinkID)
    /// The peer has more of an author that is over its pace now.
    case resumeRound(GroupID, LinkID, at: MonotonicInstant)
    case continueRound(LinkID, GroupID)
    /// An exchange has ended, or none was needed.
    case roundEnded(GroupID, LinkID)

    // Coming in.
    case join(InviteLink, CommandID, pair: UserID?, at: [Endpoint])
    case cancelJoin(CommandID)
    /// Somebody of a group that this device joins answers at an address.
    case joinSighted(GroupID, Endpoint)
    /// An address that the user named is due: whoever may be there is dialled.
    case endpointDue(Endpoint)
    case welcome(LinkID, GroupID)
    case refuseJoin(LinkID, JoinRefusal)
    case introduceDevice(LinkID, DeviceCertificate)
    case ownCommandEnded(CommandID, CommandOutcome)
    /// Where to look for the maker of a link that this device joins by.
    case addressHeard(DeviceID, Endpoint)
    case addressAnswered(RememberedAddress)
    case lookForMembers

    // Friends.
    /// The owner of a friend code was asked over a link.
    case ownerAsked(LinkID, DeviceCertificate)
    case returnDeclined(friend: UserID)
    case friendBeacon(Beacon.Content, FriendCode, hourKey: [UInt8], from: Endpoint)
    case answerFriend(UserID)
}
