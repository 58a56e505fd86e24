// What is told of an account: its secrets, machines, friends, privacy and guests.

/// The recovery key itself: fourteen groups of four symbols.
public struct RecoveryKeyReport: Codable, Sendable, Equatable {
    public var user: String
    public var key: String
}

public struct RecoveryReport: Codable, Sendable, Equatable {
    public var recoveryConfirmed: Bool
}

public struct BackupReport: Codable, Sendable, Equatable {
    public var file: String
    /// Of the file.
    public var bytes: Int
}

public struct DeviceReport: Codable, Sendable, Equatable {
    public var device: String
    /// Whether it is this one.
    public var this: Bool
    /// `current`, `revoked`.
    public var state: String
    public var online: Bool
    /// ISO 8601 in UTC, or nil where unknown.
    public var lastSeen: String?
    /// `account`, or the ID of the device that linked it.
    public var certifiedBy: String
    /// How it became one of the user's: `account`, with which it was made; `recoveryKey`; `device`, linked by another; nil
    /// where this machine has not heard which of the first two.
    public var origin: String?
    /// Whether it is in this machine's private group. One that was not met since a recovery shares groups only.
    public var sharesPrivate = true
}

public struct DeviceListReport: Codable, Sendable, Equatable {
    public var devices: [DeviceReport]
    /// After a revocation, the titles of the groups that took no word of it: the device is in them still.
    public var refusedBy: [String] = []
}

public struct DeviceLinkReport: Codable, Sendable, Equatable {
    /// `streakmesh://device/…`
    public var link: String
    /// ISO 8601 in UTC.
    public var expires: String
}

// MARK: - Friends

/// A friend: somebody with whom this user has a group of two.
public struct FriendReport: Codable, Sendable, Equatable {
    public var user: String
    public var name: String
    public var code: String?
    public var online: Bool
    /// The group's ID and title.
    public var group: String
    public var title: String
    /// Whether it was made for the two; else they happen to be alone in it, and `remove` leaves it as it is.
    public var pair = true
}

/// A wish of this user to be somebody's friend.
public struct SentFriendReport: Codable, Sendable, Equatable {
    public var code: String
    /// `looking` (nobody with this code was found yet), `pending`, `joining`, `declined`.
    public var state: String
    /// When it was made, and when it is given up; ISO 8601 in UTC.
    public var asked: String
    public var until: String
}

/// Somebody else's wish to be this user's friend.
public struct ReceivedFriendReport: Codable, Sendable, Equatable {
    public var user: String
    /// What the asker calls itself: proves nothing.
    public var name: String
    /// The asker's code, worked out here.
    public var code: String
    /// `pending`, `approved` (not in the group yet), `declined`.
    public var state: String
    /// ISO 8601 in UTC.
    public var asked: String
}

public struct BlockedReport: Codable, Sendable, Equatable {
    public var user: String
    public var code: String?
    /// What the person was called when it was blocked: proves nothing.
    public var name: String?
}

/// A group of this user, by what a friend says after a recovery: nothing is published there, and nothing was fetched,
/// until the user has said that this machine shall come back.
public struct ReturnReport: Codable, Sendable, Equatable {
    public var group: String
    public var title: String
    public var members: Int
    /// Who says so: user ID and friend code.
    public var friend: String
    public var code: String?
    /// ISO 8601 in UTC.
    public var offered: String
}

public struct FriendsReport: Codable, Sendable, Equatable {
    /// This user's own code.
    public var code: String
    /// Whether this node answers whoever looks for it.
    public var answering: Bool
    public var friends: [FriendReport]
    public var sent: [SentFriendReport]
    public var received: [ReceivedFriendReport]
    public var blocked: [BlockedReport]
    /// Groups that wait for this user to come back or not.
    public var returns: [ReturnReport] = []
    /// Groups of two in which this user is alone now.
    public var alone: [LonelyPairReport] = []
}

/// A group of two that the other one is in no more. It does nothing, until this user leaves it or invites somebody.
public struct LonelyPairReport: Codable, Sendable, Equatable {
    public var group: String
    public var title: String
    /// What the other one was called.
    public var name: String
    /// When that one left, ISO 8601 in UTC by the clock of who did it.
    public var ended: String?
}

// MARK: - Privacy

/// What a group sees of this user, and whether it gets anything new.
public struct PrivacyReport: Codable, Sendable, Equatable {
    public var group: String
    public var title: String
    public var anonymous: Bool
    /// What the group calls this user.
    public var name: String
    /// The ID by which the group's reports name this user.
    public var user: String
    /// The chosen alias; nil where it is derived.
    public var alias: String?
    public var hidden: Bool
    public var region: String?
    /// Whether others see when this user was last there.
    public var lastSeen: Bool
    /// Whether new results are published here.
    public var sharing: Bool
    /// IDs of games whose results the group does not get.
    public var unshared: [String]
    /// How many results stand here.
    public var published: Int
    /// How many are held back: not here, or here as they were before an edit.
    public var heldBack: Int
}

// MARK: - Guest

public struct GuestReport: Codable, Sendable, Equatable {
    public var active: Bool
    /// The guest's name, also of one who is away.
    public var name: String?
    /// How many results the guest has.
    public var results: Int
    /// Where they were exported to.
    public var file: String?
}
