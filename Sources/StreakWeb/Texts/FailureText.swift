public import StreakNode

/// Every failure as text: what happened and what to do next, with a stable code for programs and an exit code.
///
/// The command line and the page both use it. It shows no path, key or address, except one that the user gave.
public enum FailureText {
    /// Exit codes from sysexits.h that the command line promises (docs/cli.md).
    enum Exit {
        static let failed: Int32 = 1
        static let usage: Int32 = 64
        static let badData: Int32 = 65
        static let noPeer: Int32 = 69
        static let cannotCreate: Int32 = 73
        static let busy: Int32 = 75
        static let notAllowed: Int32 = 77
    }

    /// A failure's stable code, what happened, the next step, and the exit code.
    public typealias Description = (code: String, message: String, hint: String, exitCode: Int32)

    public static func describe(_ failure: NodeFailure) -> Description {
        switch failure {
        case .deviceLink(let failure): describeDeviceLink(failure)
        case .noAccount:
            (
                "noAccount", "There is no account in this data folder yet.",
                "Run `streakmesh open` and make one on your page, or run `streakmesh init --name NAME`. If you have an account already, name its folder with `--data`.",
                Exit.failed
            )
        case .accountExists:
            (
                "accountExists", "This data folder already holds an account.",
                "Use it as it is, or choose another folder with `--data`.", Exit.cannotCreate
            )
        case .accountUnderWay:
            (
                "accountUnderWay", "An account is already being made in this data folder.",
                "Wait until it is ready, then load the page again.", Exit.busy
            )
        case .accountDamaged:
            (
                "accountDamaged",
                "The account in this folder cannot be read: its files are damaged or missing.",
                "Put a backup of the folder in its place, or choose another folder with `--data`.", Exit.failed
            )
        case .cannotCreate(let reason):
            (
                "cannotCreate", "The folder cannot be created: \(sentence(reason)).",
                "Check that you may write where it should go, or choose another one with `--data`.", Exit.cannotCreate
            )
        case .invalidName(let limit):
            (
                "invalidName", "That name cannot be used.",
                personNameRule(limit), Exit.badData
            )
        case .invalidRecoveryKey(let reason):
            (
                "invalidRecoveryKey", "This is not a recovery key: \(sentence(reason)).",
                "Type all fourteen groups of four; case, blanks and hyphens don't matter.", Exit.badData
            )
        case .otherRecoveryKey:
            (
                "otherRecoveryKey", "This is the recovery key of another account.",
                "Look for the one that was shown when this account was made.", Exit.notAllowed
            )
        case .recoveryKeyNeeded:
            (
                "recoveryKeyNeeded", "The recovery key is no longer on this machine.",
                "Use the one you wrote down; nobody else has it.", Exit.notAllowed
            )
        case .invalidBackup(let reason):
            (
                "invalidBackup", "This backup cannot be opened: \(sentence(reason)).",
                "Check the file and the passphrase, then try again.", Exit.badData
            )
        case .weakPassphrase(let minimum):
            (
                "weakPassphrase", "That passphrase is too easy to guess.",
                "Choose at least \(minimum) characters; several words are best.", Exit.badData
            )
        case .cannotWriteFile(let reason):
            (
                "cannotWriteFile", "The file cannot be written: \(sentence(reason)).",
                "Choose another name or folder.", Exit.cannotCreate
            )
        case .guestPlaying(let name):
            (
                "guestPlaying", "\(shortened(name)) is playing as a guest. Until that ends, this cannot be done.",
                "End the guest mode first, with `streakmesh guest stop --keep`.", Exit.notAllowed
            )
        case .guestResultsKept(let name, let count):
            (
                "guestResultsKept",
                "\(shortened(name)), an earlier guest, has left \(count) \(count == 1 ? "result" : "results") here. No other guest may see them.",
                "Export or discard them first, with `streakmesh guest stop --export FILE` or `--discard`. Or let \(shortened(name)) play on, by that name.",
                Exit.notAllowed
            )
        case .noGuest:
            (
                "noGuest", "No guest plays here, and none has left results.",
                "Begin with `streakmesh guest start --name NAME`.", Exit.badData
            )
        case .invalidTitle(let limit):
            (
                "invalidTitle", "That title cannot be used.",
                nameRule(limit), Exit.badData
            )
        case .unknownGroup(let text):
            (
                "unknownGroup", "No group is called “\(shortened(text))”.",
                "See your groups with `streakmesh group list`.", Exit.badData
            )
        case .ambiguousGroup(let text, let candidates):
            (
                "ambiguousGroup", "“\(shortened(text))” could be any of \(listed(candidates)).",
                "Type more of the title, or use the group's ID.", Exit.badData
            )
        case .noGroup(let ended):
            (
                "noGroup", noGroup(after: ended),
                "Create one with `streakmesh group create TITLE`, or join with `streakmesh join LINK`.", Exit.failed
            )
        case .machineShutOut:
            (
                "machineShutOut",
                "This machine was shut out of your account, so it no longer records anything.",
                "Your results stay here; `streakmesh export` writes them to a file. To use this machine again, link it as a new one with `streakmesh device join`, in another folder (`--data`).",
                Exit.notAllowed
            )
        case .notMember(let title):
            (
                "notMember", "You are no longer a member of “\(shortened(title))”.",
                "See why with `streakmesh group list`. To come back, you need a new invite.", Exit.notAllowed
            )
        case .ownerCannotLeave(let title):
            (
                "ownerCannotLeave", "You own “\(shortened(title))”, and a group needs an owner.",
                "Hand it on first, with `streakmesh group transfer USER`.",
                Exit.notAllowed
            )
        case .notAllowed(let action, let reason):
            (
                "notAllowed", message(of: reason, action: shortened(action)), hint(of: reason), Exit.notAllowed
            )
        case .alreadyRole(let name, let role):
            (
                "alreadyRole",
                "“\(shortened(name))” is \(role == "member" ? "a plain member" : role == "admin" ? "an admin" : "the owner") already.",
                "See everybody's role with `streakmesh members`.", Exit.failed
            )
        case .unknownMember(let text):
            (
                "unknownMember",
                text.isEmpty ? "No member was named." : "Nobody in the group is called “\(shortened(text))”.",
                "See who is with `streakmesh members`.", Exit.badData
            )
        case .ambiguousMember(let text, let candidates):
            (
                "ambiguousMember", "“\(shortened(text))” could be any of \(listed(candidates)).",
                "Use the friend code of `streakmesh members`, or the ID of `streakmesh members --json`.", Exit.badData
            )
        case .approvalNeeded(let title):
            (
                "approvalNeeded",
                "An admin of “\(shortened(title))” has to let you in. Your request is waiting for them.",
                "Run the same `streakmesh join` again once they have let you in.", Exit.busy
            )
        case .joinDenied:
            (
                "joinDenied", "An admin of the group turned your request down.",
                "Ask your friend. With a new invite you can ask again.", Exit.notAllowed
            )
        case .unknownRequest(let text):
            (
                "unknownRequest", "No open request is called “\(shortened(text))”.",
                "See them with `streakmesh requests`.", Exit.badData
            )
        case .unknownRemoval(let text):
            (
                "unknownRemoval", "No removal that you can annul is called “\(shortened(text))”.",
                "See them with `streakmesh group annul`.", Exit.badData
            )
        case .unknownDevice(let text):
            (
                "unknownDevice", "“\(shortened(text))” names none of your other machines, or more than one.",
                "See them with `streakmesh device list`.", Exit.badData
            )
        case .alreadyShutOut(let text):
            (
                "alreadyShutOut", "The machine “\(shortened(text))” is shut out already.",
                "Nothing is left to do; `streakmesh device list` shows your machines.", Exit.failed
            )
        case .sharingStopped(let title):
            (
                "sharingStopped", "You have stopped sharing in “\(shortened(title))”, so nothing is published there.",
                "Share again with `streakmesh sharing resume`.", Exit.notAllowed
            )
        case .invalidAlias(let limit):
            (
                "invalidAlias", "That alias cannot be used.",
                personNameRule(limit), Exit.badData
            )
        case .invalidRegion(let limit):
            (
                "invalidRegion", "That region cannot be used.",
                "Choose at most \(limit) characters, such as FR, or none.", Exit.badData
            )
        case .invalidSetting(let name, let values):
            (
                "invalidSetting", "“\(shortened(name))” does not take that value.", "Use \(listed(values)).", Exit.usage
            )
        case .invalidTimes(let name, let text, let example, let reason):
            (
                "invalidTimes", "\(name) cannot be “\(shortened(text))”: \(reason).",
                "Write it like this: \(example).",
                Exit.usage
            )
        case .invalidFriendCode(let reason):
            (
                "invalidFriendCode", "This is not a friend code: \(sentence(reason)).",
                "It looks like `7K3M-9QXT-42WJ`; case, blanks and hyphens don't matter.", Exit.badData
            )
        case .ownFriendCode:
            (
                "ownFriendCode", "This is your own friend code.",
                "Give it to a friend, and enter theirs here.", Exit.badData
            )
        case .alreadyFriends(let title):
            (
                "alreadyFriends", "You are friends already, in “\(shortened(title))”.",
                "See your friends with `streakmesh friend list`.", Exit.failed
            )
        case .notAPair(let title):
            (
                "notAPair", "“\(shortened(title))” is an ordinary group, not one for just the two of you.",
                "To get out of it, leave it with `streakmesh group leave`.", Exit.badData
            )
        case .friendAlreadyAsked:
            (
                "friendAlreadyAsked", "You have asked the owner of this code already.",
                "See whether they have answered with `streakmesh friend list`.", Exit.failed
            )
        case .friendBlocked:
            (
                "friendBlocked", "You have blocked the owner of this code.",
                "Unblock them first, with `streakmesh friend unblock`.", Exit.notAllowed
            )
        case .unknownReturn(let text):
            (
                "unknownReturn", "No group that you may come back to is called “\(shortened(text))”.",
                "See them with `streakmesh friend list`.", Exit.badData
            )
        case .unknownFriend(let text):
            (
                "unknownFriend", "No friend and no request is called “\(shortened(text))”.",
                "See them with `streakmesh friend list`.", Exit.badData
            )
        case .alreadyBlocked(let text):
            (
                "alreadyBlocked", "You have blocked “\(shortened(text))” already.",
                "Nothing is left to do; `streakmesh friend unblock` takes it back.", Exit.failed
            )
        case .notBlocked(let text):
            (
                "notBlocked", "“\(shortened(text))” is not blocked.",
                "Nothing is left to do; `streakmesh friend list` shows the people you blocked.", Exit.failed
            )
        case .deviceLinkUnknown:
            (
                "deviceLinkUnknown", "None of your machines knows this device link.",
                "Make a new one with `streakmesh device link` on a machine that has your account.", Exit.notAllowed
            )
        case .tooManyDevices:
            (
                "tooManyDevices", "No further machine can be linked to your account.",
                """
                If it has eight, shut one out first, with `streakmesh device revoke`. If it has fewer, make the new one \
                with the recovery key: `streakmesh recover`.
                """, Exit.cannotCreate
            )
        case .linkForDevice:
            (
                "linkForDevice", "This is a link for a machine of your own, not an invite to a group.",
                "Use it on the new machine, in an empty data folder: `streakmesh device join`.", Exit.badData
            )
        case .linkForGroup:
            (
                "linkForGroup", "This is an invite to a group, not a link for a machine of your own.",
                "Join the group with `streakmesh join`. To add a machine instead, run `streakmesh device link` on one of your machines.",
                Exit.badData
            )
        case .linkMalformed:
            (
                "linkMalformed", "There is no StreakMesh invite in this.",
                "Copy the whole link, or the message with it; it begins with `streakmesh://join/`.", Exit.badData
            )
        case .severalLinks:
            (
                "severalLinks", "There are two different links in this text.",
                "Paste only the one that you mean.", Exit.badData
            )
        case .linkDamaged:
            (
                "linkDamaged", "This link is incomplete or mistyped.",
                "Copy it again, from its first to its last character.", Exit.badData
            )
        case .linkTampered:
            (
                "linkTampered", "Somebody has changed this link since it was made.",
                "Do not use it. Ask your friend for a new one, sent another way.", Exit.badData
            )
        case .linkUnsupported(let version):
            (
                "linkUnsupported", "This link has version \(version), which this program does not know yet.",
                "Update StreakMesh, then try again.", Exit.badData
            )
        case .linkExpired(let instant, let now):
            (
                "linkExpired", expiry(instant, now: now), "Ask your friend for a new one.", Exit.badData
            )
        case .linkUsedUp:
            (
                "linkUsedUp", "This link has no uses left.",
                "Ask your friend for a new one.", Exit.notAllowed
            )
        case .linkRevoked:
            ("linkRevoked", "This link was revoked.", "Ask your friend for a new one.", Exit.notAllowed)
        case .removedFromGroup:
            (
                "removedFromGroup", "You were removed from the group after this link was made.",
                "Only a new invite of the group lets you in again.", Exit.notAllowed
            )
        case .alreadyMember(let title):
            (
                "alreadyMember", "You are in “\(shortened(title))” already.",
                "Open its board; there is nothing to join.", Exit.failed
            )
        case .linkOfAnotherGroup:
            (
                "linkOfAnotherGroup", "The machine that answered belongs to another group than this link.",
                "Nothing was shared. Ask your friend for a new link.", Exit.badData
            )
        case .cannotAdmit:
            (
                "cannotAdmit", "The machine that answered can let nobody in at the moment.",
                "Try again while another member is online, or ask another member for a link.", Exit.busy
            )
        case .groupTooLarge:
            (
                "groupTooLarge", "The list of changes to this group's members is too long for a new member to load.",
                "Nothing was shared. Ask the owner to remove the member who fills it, or to make a new group.",
                Exit.failed
            )
        case .nobodyReachable:
            (
                "nobodyReachable", "Nobody in the group answered in time.",
                "Ask a member to start StreakMesh, check that both of you are on a network, then try again.",
                Exit.noPeer
            )
        case .unknownInvite(let text):
            (
                "unknownInvite", "No invite is called “\(shortened(text))”.",
                "See the live ones with `streakmesh invite list`.", Exit.badData
            )
        case .invalidInvite:
            (
                "invalidInvite", "An invite like this cannot be made.",
                "Give `--uses` a number from 1 on or `unlimited`, and `--expires` at most 90d.", Exit.usage
            )
        case .invalidGame(let reason, let isPattern):
            (
                "invalidGame", sentence(reason),
                isPattern
                    ? "Try the pattern with `streakmesh games test`."
                    : "`streakmesh games add --help` explains each part.", Exit.badData
            )
        case .gameOfAnother(let name):
            (
                "gameOfAnother",
                "Only the member who defined “\(shortened(name))”, an admin or the owner can change it.",
                "Ask them, or define a game of your own.", Exit.notAllowed
            )
        case .unknownGame(let text, let suggestions):
            (
                "unknownGame", text.isEmpty ? "No game was named." : "No game is called “\(shortened(text))”.",
                suggestions.isEmpty ? "See all with `streakmesh games`." : "Did you mean \(listed(suggestions))?",
                Exit.badData
            )
        case .ambiguousGame(let text, let candidates):
            (
                "ambiguousGame", "“\(shortened(text))” could be any of \(listed(candidates)).",
                "Type more of the name.", Exit.badData
            )
        case .importFailed(let reason):
            ("importFailed", reason, "Nothing was imported. Check the file, and try `--dry-run`.", Exit.badData)
        case .unknownSender(let name, let candidates):
            (
                "unknownSender",
                name.map { "Nobody called “\(shortened($0))” writes in this chat." }
                    ?? "Several people write in this chat: which of them are you?",
                "Name yourself with `--sender`: \(listed(candidates)).", Exit.badData
            )
        case .invalidScore(let reason):
            (
                "invalidScore", "That score is not possible: \(sentence(reason)).",
                "Check the number and the game.", Exit.badData
            )
        case .invalidMetric(let text):
            (
                "invalidMetric", "“\(shortened(text))” is not something to rank by.",
                "Use `points`, `streak`, `logs` or `coins`.", Exit.usage
            )
        case .noSuchResult(let game, let day):
            (
                "noSuchResult", "You have no result of \(shortened(game)) on \(shortened(day)).",
                "See yours with `streakmesh results`.", Exit.badData
            )
        case .noResultOfMember(let name, let game):
            (
                "noResultOfMember",
                "\(name.map { "\(shortened($0)) has" } ?? "You have") no such result of \(shortened(game)) in this group.",
                "See who has played with `streakmesh board`.", Exit.badData
            )
        case .resultCovered(let game):
            (
                "resultCovered", "This result of \(shortened(game)) is covered until you have played that puzzle.",
                "Play it, and record yours.", Exit.notAllowed
            )
        case .nothingToShare(let reason):
            (
                "nothingToShare", "There is nothing to share: \(shortened(reason)).",
                "See `streakmesh streaks`, `recap` and `achievements`.", Exit.badData
            )
        case .invalidTemplate(let reason):
            (
                "invalidTemplate", "This text cannot be a template: \(sentence(reason)).",
                "`streakmesh templates` shows each, and what it may name.", Exit.badData
            )
        case .invalidEvent(let reason):
            ("invalidEvent", sentence(reason), "`streakmesh event set --help` explains each rule.", Exit.badData)
        case .invalidEmoji:
            ("invalidEmoji", "A reaction is one emoji.", "Choose one, such as 👏 or 🔥.", Exit.badData)
        case .invalidComment(let limit):
            (
                "invalidComment", "A comment has 1 to \(limit) characters, and no control characters.",
                "Shorten it, or write something. Of emoji and of Chinese, some 300 fit.", Exit.badData
            )
        case .unknownComment(let text):
            (
                "unknownComment", "No comment has the ID “\(shortened(text))”.",
                "See them with `streakmesh comment list`.", Exit.badData
            )
        case .invalidMessage(let limit):
            (
                "invalidMessage", "A message has 1 to \(limit) characters, and no control characters.",
                "Shorten it, or write something. Of emoji and of Chinese, some 300 fit.", Exit.badData
            )
        case .unknownMessage(let text):
            (
                "unknownMessage", "No message of yours has the ID “\(shortened(text))”.",
                "See them with `streakmesh message show FRIEND`.", Exit.badData
            )
        case .noPair(let name):
            (
                "noPair", "You and \(shortened(name)) have no group for just the two of you, where messages are kept.",
                "Make one by exchanging friend codes: `streakmesh friend code`.", Exit.badData
            )
        case .commentOfAnother:
            (
                "commentOfAnother", "Only its author may change a comment.",
                "The owner and the admins of the group may hide it.", Exit.notAllowed
            )
        case .unknownChallenge(let text):
            (
                "unknownChallenge", "No challenge has the ID “\(shortened(text))”.",
                "See them with `streakmesh challenge list`.", Exit.badData
            )
        case .challengeRefused(let reason):
            ("challengeRefused", message(of: reason), hint(of: reason), Exit.notAllowed)
        case .nothingToUndo:
            (
                "nothingToUndo", "There is nothing to take back.",
                "Only the last `add`, `record`, `publish`, `delete` or `import` can be undone, once.", Exit.badData
            )
        case .textTooLong(let limit):
            (
                "textTooLong", "The text is larger than \(limit / 1024) KiB.",
                "Paste it in parts.", Exit.badData
            )
        case .ambiguousDates(let line, let element):
            (
                "ambiguousDates",
                "The date in \(element.map { "result \($0)" } ?? "line \(line)") could be day first or month first.",
                "Say which, with `--date-order day-first` or `--date-order month-first`.", Exit.badData
            )
        case .invalidDate(let text):
            ("invalidDate", "“\(shortened(text))” is not a day.", "Write it as `2026-11-21`.", Exit.usage)
        case .beforeFirstPuzzle(let game, let first):
            (
                "beforeFirstPuzzle", "The first \(shortened(game)) was on \(shortened(first)).",
                "Check the date and the game.", Exit.badData
            )
        case .futureDate(let text):
            (
                "futureDate", "\(shortened(text)) has not begun anywhere yet.",
                "Check the date, and the clock of this machine.", Exit.badData
            )
        case .invalidRange(let text):
            (
                "invalidRange", "“\(shortened(text))” is not a range.",
                "Use \(BoardRequest.ranges.map { "`\($0)`" }.joined(separator: ", ")), or days as `2026-11-01..2026-11-21`.",
                Exit.usage
            )
        case .folderBusy(let pid):
            (
                "folderBusy", "Another program\(pid > 0 ? " (process \(pid))" : "") is using this data folder.",
                "If that is your node, it is running already: see `streakmesh status`. Otherwise wait until that program ends, or stop it.",
                Exit.busy
            )
        case .diskFull:
            (
                "diskFull", "The disk is full. Nothing was recorded, and nothing was lost.",
                "Free some space, then try again.", Exit.cannotCreate
            )
        case .othersFolder:
            (
                "othersFolder", "The data folder belongs to another user of this machine.",
                "Name a folder of your own with `--data`.", Exit.notAllowed
            )
        case .socketFolderTaken(let path):
            (
                "socketFolderTaken", "Another user of this machine has taken \(path), where your node is talked to.",
                "Have it removed, or move your data folder to a path of at most 90 bytes: then nothing outside it is needed.",
                Exit.notAllowed
            )
        case .earlierData:
            (
                "earlierData", "Version 0.1 made this data folder. This version cannot read its account and groups.",
                "Nothing was changed. Name a new folder with `--data`, and ask your friends for a new invite.",
                Exit.badData
            )
        case .newerData:
            (
                "newerData", "A later version of StreakMesh has changed this data folder; this version cannot read it.",
                "Install the later version again, or name another folder with `--data`. Nothing was changed.",
                Exit.badData
            )
        case .storageFailed:
            (
                "storageFailed", "The change could not be stored, so it was not made.",
                "Try again. If it happens again, `streakmesh status` says more.", Exit.failed
            )
        case .cannotListen(let address, let reason):
            (
                "cannotListen", "Cannot listen on \(shortened(address)): \(sentence(reason)).",
                "Choose an address of this machine, and a port that no other program uses.", Exit.cannotCreate
            )
        case .invalidRequest(let reason):
            (
                "invalidRequest", "StreakMesh does not understand this request: \(sentence(reason)).",
                "The command and the running node may have different versions. Update both.", Exit.usage
            )
        case .limitReached(let what, let limit):
            (
                "limitReached", "There can be at most \(limit) \(sentence(what)).",
                "Remove one first.", Exit.cannotCreate
            )
        case .machineFull:
            (
                "machineFull", "This machine can write no further entries in this group.",
                "It has written as much as one machine may, or its clock jumped back too often. Let the system set the clock. Then run `streakmesh device link` here, and `streakmesh device join` with another folder (`--data`).",
                Exit.cannotCreate
            )
        case .clockWrong(let seconds):
            (
                "clockWrong", "This machine’s clock is still \(ClockReport.length(seconds)) ahead of your friends’.",
                "Set the clock, then try again; `--force` uses it as it is.", Exit.failed
            )
        case .stopping:
            ("stopping", "The node is shutting down.", "Start it again, then try again.", Exit.busy)
        }
    }
}
