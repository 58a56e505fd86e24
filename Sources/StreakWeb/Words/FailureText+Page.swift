import StreakNode

/// Next steps in the words of the page, where those of the command line name a command.
extension FailureText {
    /// What to do on a page about a failure; nil where the usual hint fits there too.
    static func hintOnPage(for failure: NodeFailure, code: String) -> String? {
        if case .deviceLink = failure { return devicePageHints[code] }
        if case .notAllowed(_, let reason) = failure { return rolePageHints[reason] }
        return pageHints[code]
    }

    private static let devicePageHints = [
        "linkTampered": "Do not use it. Make a new one on a machine of yours, under Profile, Your machines.",
        "linkExpired": "Make one on a machine of yours, under Profile, Your machines.",
        "linkUsedUp": "Make one on a machine of yours, under Profile, Your machines.",
    ]

    private static let rolePageHints: [RoleReason: String] = [
        .needsOwner: "Ask the owner; the members are listed under Friends.",
        .leaves: "Leave it under Friends, Stop sharing or leave.",
        .ownsGroup: "Choose another member; the group is handed on in its settings.",
    ]

    private static let pageHints: [String: String] = [
        "alreadyRole": "The members are listed under Friends.",
        "alreadyShutOut": "There is nothing left to do: it is listed with your machines as shut out.",
        "alreadyBlocked": "There is nothing left to do: they are listed on this page as blocked.",
        "alreadyFriends": "Your friends by code are listed on this page.",
        "ambiguousDates": "Choose which, below.",
        "ambiguousGroup": "Choose it under Friends.",
        "ambiguousMember": "Choose the member under Friends.",
        "approvalNeeded": "Join with the same link again, once they have let you in.",
        "clockWrong": "Set it right first, then try again.",
        "deviceLinkUnknown": "Make a new link on a machine of yours, under Profile, Your machines.",
        "friendAlreadyAsked": "What became of it is listed on this page.",
        "friendBlocked": "Unblock them first, on this page.",
        "guestPlaying": "End the guest mode first.",
        "invalidFriendCode": "It looks like 7K3M-9QXT-42WJ; case, blanks and hyphens don't matter.",
        "guestResultsKept": "First export or discard them, below; or let that guest go on.",
        "importFailed": "Nothing was imported. Check the file, then choose it again.",
        "invalidGame": "Nothing was saved. Change it and try again.",
        "invalidInvite": "Choose at least one use, and at most 90 days.",
        "linkForDevice": "Paste it into StreakMesh on the new machine, where it was never used. Give it to nobody.",
        "linkForGroup":
            "Begin with a profile, or make the other kind on a machine of yours, under Profile, Your machines.",
        "linkMalformed": "Copy the whole link, or the message with it; it begins with streakmesh://join/.",
        "machineShutOut":
            "Your results stay here: Export writes them out. To use the machine again, link it anew, in another data folder.",
        "machineFull":
            "It wrote as much as one machine may, or its clock jumped back too often. Let the system set the clock, then make this a new machine of yours: a link under Profile, Your machines, opened in another data folder.",
        "noGroup": "Invite friends, or join with the link that they send you.",
        "notBlocked": "There is nothing to take back: whom you blocked is listed on this page.",
        "notAPair": "To end it for you, leave it in its settings.",
        "noGuest": "Let somebody play first, under Profile, Guest mode.",
        "notMember": "Your groups are listed under Friends; who left or was removed needs a new invite.",
        "noSuchResult": "Your results are under History.",
        "nothingToUndo": "Only the last change of your results, an import too, can be undone, once.",
        "ownerCannotLeave": "Hand it on first, in the group's settings.",
        "sharingStopped": "Share again first, under Friends, What it sees of you.",
        "storageFailed": "Try again. If it goes on, restart the node.",
        "tooManyDevices": "Shut one out first, under Profile, Your machines.",
        "unknownDevice": "Your machines are listed under Profile.",
        "unknownReturn": "The groups that you may come back to are listed with your friends.",
        "unknownFriend": "Friends and requests are listed on this page.",
        "unknownGame": "All games are listed under Boards.",
        "unknownGroup": "Your groups are listed under Friends.",
        "unknownInvite": "Live invites are listed under Friends, Invites.",
        "unknownMember": "The members are listed under Friends.",
        "unknownRemoval": "What you can annul is listed in the group's settings.",
        "unknownRequest": "Who waits is listed under Friends.",
        "unknownSender": "Choose yourself among those who write in it.",
    ]
}
