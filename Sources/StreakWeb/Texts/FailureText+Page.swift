import StreakNode

/// Next steps on the page, where those of the command line name a command.
extension FailureText {
    /// The next step on a page; nil if the command line's hint fits there too.
    static func hintOnPage(for failure: NodeFailure, code: String) -> String? {
        if case .deviceLink = failure { return devicePageHints[code] }
        if case .notAllowed(_, let reason) = failure { return rolePageHints[reason] }
        return pageHints[code]
    }

    private static let devicePageHints = [
        "linkTampered": "Do not use it. Make a new one on one of your machines, under Profile, Your machines.",
        "linkExpired": "Make a new one on one of your machines, under Profile, Your machines.",
        "linkUsedUp": "Make a new one on one of your machines, under Profile, Your machines.",
    ]

    private static let rolePageHints: [RoleReason: String] = [
        .needsOwner: "Ask the owner; the members are listed under Friends.",
        .leaves: "Leave it under Friends, Stop sharing or leave.",
        .ownsGroup: "Choose another member. You hand the group on in its settings.",
    ]

    private static let pageHints: [String: String] = [
        "alreadyRole": "The members are listed under Friends.",
        "alreadyShutOut": "Nothing is left to do. It is listed as shut out under Your machines.",
        "alreadyBlocked": "Nothing is left to do. They are listed as blocked on this page.",
        "alreadyFriends": "Your friends by code are listed on this page.",
        "ambiguousDates": "Choose below which it is.",
        "ambiguousGroup": "Choose it under Friends.",
        "ambiguousMember": "Choose the member under Friends.",
        "approvalNeeded": "Join with the same link again, once they have let you in.",
        "clockWrong": "Set the clock, then try again.",
        "deviceLinkUnknown": "Make a new link on a machine of yours, under Profile, Your machines.",
        "earlierData": "Nothing was changed. Begin with a new data folder, and ask your friends for a new invite.",
        "friendAlreadyAsked": "Your request is listed on this page, with the answer once there is one.",
        "friendBlocked": "Unblock them first, on this page.",
        "guestPlaying": "End the guest mode first.",
        "invalidFriendCode": "It looks like 7K3M-9QXT-42WJ; case, blanks and hyphens don't matter.",
        "guestResultsKept": "Export or discard them below, or let that guest play on.",
        "importFailed": "Nothing was imported. Check the file, then choose it again.",
        "invalidEvent": "Choose another rule or game.",
        "invalidGame": "Nothing was saved. Change it and try again.",
        "invalidInvite": "Choose at least one use, and at most 90 days.",
        "invalidTemplate": "Nothing was saved. Change it and try again.",
        "linkForDevice": "Open StreakMesh on the new machine and paste it there. Give it to nobody else.",
        "linkForGroup":
            "To join this group, make a profile first. To add a machine, make a link on one of your machines, under Profile, Your machines.",
        "linkMalformed": "Copy the whole link, or the message with it; it begins with streakmesh://join/.",
        "machineShutOut":
            "Your results stay here, and Export writes them to a file. To use this machine again, link it as a new one, with another data folder.",
        "machineFull":
            "It has written as much as one machine may, or its clock jumped back too often. Let the system set the clock. Then make a link under Profile, Your machines, and open it in another data folder.",
        "noGroup": "Invite friends, or join with the link that they send you.",
        "newerData": "Nothing was changed. Install the later version again.",
        "notBlocked": "Nothing is left to do. The people you blocked are listed on this page.",
        "notAPair": "To end it for you, leave it in its settings.",
        "noGuest": "Let somebody play first, under Profile, Guest mode.",
        "notMember": "Your groups are listed under Friends. To come back, you need a new invite.",
        "noPair": "Make one by exchanging friend codes, under Friends.",
        "noResultOfMember": "Look for it on the board.",
        "noSuchResult": "Your results are under History.",
        "nothingToShare": "Record a result first, then come back.",
        "nothingToUndo": "You can undo only your last change or import, and only once.",
        "ownerCannotLeave": "Hand it on first, in the group's settings.",
        "sharingStopped": "Share again first, under Friends, What it sees of you.",
        "storageFailed": "Try again. If it happens again, restart StreakMesh.",
        "tooManyDevices": """
        If it has eight, shut one out first, under Profile, Your machines. If it has fewer, make the new one with the \
        recovery key.
        """,
        "unknownChallenge": "It may have been withdrawn. Load the page again.",
        "unknownComment": "It may have been deleted. Load the page again.",
        "unknownDevice": "Your machines are listed under Profile.",
        "unknownMessage": "It may have been deleted. Load the page again.",
        "unknownReturn": "The groups you may come back to are listed under Friends.",
        "unknownFriend": "Friends and requests are listed on this page.",
        "unknownGame": "All games are listed under Boards.",
        "unknownGroup": "Your groups are listed under Friends.",
        "unknownInvite": "Live invites are listed under Friends, Invites.",
        "unknownMember": "The members are listed under Friends.",
        "unknownRemoval": "The removals you can annul are listed in the group's settings.",
        "unknownRequest": "Open requests are listed under Friends.",
        "unknownSender": "Choose your own name from the people in the chat.",
    ]
}
