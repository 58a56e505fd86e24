// Reports about an account: its secrets, machines, friends, privacy and guests.

import StreakMembership

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
    /// What the user calls it; nil without a name.
    public var name: String?
    /// Whether it is the machine that answers.
    public var this: Bool
    /// `current`, `revoked`.
    public var state: String
    public var online: Bool
    /// ISO 8601 in UTC, or nil where unknown.
    public var lastSeen: String?
    /// `account`, or the ID of the device that linked it.
    public var certifiedBy: String
    /// How it became one of the user's machines: `account` if the account was made with it; `recoveryKey`; `device` if
    /// another linked it; nil if this machine does not know which of the first two.
    public var origin: String?
    /// Whether it is in this machine's private group. After a recovery, a machine that was not met since shares only
    /// other groups.
    public var sharesPrivate = true
    /// If it is shut out: the titles of the groups that it is in all the same, because this machine entered them later.
    public var stillIn: [String] = []
}

extension [DeviceReport] {
    /// Those whose ID begins with this. If there is none, those whose name it is: a name never stands in for an ID.
    package func matching(_ selector: String) -> [DeviceReport] {
        let wanted = selector.lowercased()
        let found = filter { !wanted.isEmpty && $0.device.hasPrefix(wanted) }
        return found.isEmpty ? filter { $0.name?.lowercased() == wanted } : found
    }
}

public struct DeviceListReport: Codable, Sendable, Equatable {
    public var devices: [DeviceReport]
    /// After a revocation, the titles of the groups that did not accept it: the device is still in them.
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
    /// Whether it was made for the two. Otherwise they happen to be alone in it, and `remove` leaves it as it is.
    public var pair = true
}

/// A friend request that this user sent.
public struct SentFriendReport: Codable, Sendable, Equatable {
    public var code: String
    /// `looking` (nobody with this code was found yet), `pending`, `joining`, `declined`.
    public var state: String
    /// When it was made, and when this node gives up; ISO 8601 in UTC.
    public var asked: String
    public var until: String
}

/// A friend request that this user received.
public struct ReceivedFriendReport: Codable, Sendable, Equatable {
    public var user: String
    /// The name that the asker chose. It proves nothing.
    public var name: String
    /// The asker's code, computed here.
    public var code: String
    /// `pending`, `approved` (not in the group yet), `declined`.
    public var state: String
    /// ISO 8601 in UTC.
    public var asked: String
}

extension FriendsReport {
    /// The asker to whom one says yes by entering their code; nil if the owner of the code does not ask.
    public func asker(withCode text: String) -> ReceivedFriendReport? {
        let code = try? Argument.friendCode(text).description
        return received.first { $0.code == code && $0.state == "approved" }
    }
}

public struct BlockedReport: Codable, Sendable, Equatable {
    public var user: String
    public var code: String?
    /// The person's name when they were blocked. It proves nothing.
    public var name: String?
}

/// A group of this user, by what a friend says after a recovery. Until the user agrees to come back, this machine
/// publishes and fetches nothing there.
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
    /// Whether this node answers people who look for that code.
    public var answering: Bool
    public var friends: [FriendReport]
    public var sent: [SentFriendReport]
    public var received: [ReceivedFriendReport]
    public var blocked: [BlockedReport]
    /// Groups for which the user has to decide whether to come back.
    public var returns: [ReturnReport] = []
    /// Groups of two in which only this user is left.
    public var alone: [LonelyPairReport] = []
}

/// A group of two that the other has left. It does nothing until this user leaves it or invites somebody.
public struct LonelyPairReport: Codable, Sendable, Equatable {
    public var group: String
    public var title: String
    /// The other one's name.
    public var name: String
    /// When the other left; ISO 8601 in UTC, by the clock of the device that did it.
    public var ended: String?
}

// MARK: - Privacy

/// What a group sees of this user, and whether it gets new results.
public struct PrivacyReport: Codable, Sendable, Equatable {
    public var group: String
    public var title: String
    public var anonymous: Bool
    /// This user's name in the group.
    public var name: String
    /// This user's ID in the group's reports.
    public var user: String
    /// The chosen alias; nil where it is derived.
    public var alias: String?
    public var hidden: Bool
    public var region: String?
    /// Whether others see when this user was last online.
    public var lastSeen: Bool
    /// Whether new results are published here.
    public var sharing: Bool
    /// IDs of games whose results the group does not get.
    public var unshared: [String]
    /// How many results stand here.
    public var published: Int
    /// How many results are held back: missing here, or here with a value from before an edit.
    public var heldBack: Int
}

// MARK: - Guest

public struct GuestReport: Codable, Sendable, Equatable {
    public var active: Bool
    /// The guest's name, also while the guest is away.
    public var name: String?
    /// How many results the guest has.
    public var results: Int
    /// The file to which they were exported.
    public var file: String?
}
