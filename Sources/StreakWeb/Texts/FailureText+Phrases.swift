import StreakNode

/// Parts of the sentences, and limits for names and texts inserted into them.
extension FailureText {
    static func nameRule(_ limit: Int) -> String {
        "Choose 1 to \(limit) characters of any script. Invisible control characters are not allowed, nor is anything that looks like a friend code or an ID."
    }

    static func personNameRule(_ limit: Int) -> String {
        nameRule(limit)
            + " A name is not “you” either, and has no end such as “(M9PJ)”, by which people of one name are told apart."
    }

    static func noGroup(after ended: [GroupReport]) -> String {
        let endings = ended.prefix(5).compactMap(\.endingSentence)
        return (endings + [endings.isEmpty ? "You are in no group." : "You are in no other group."]).joined(
            separator: " ")
    }

    static func message(of reason: RoleReason, action: String) -> String {
        switch reason {
        case .needsAdmin: "Your role does not allow this: \(action)."
        case .needsOwner: "Only the owner of the group may do this: \(action)."
        case .needsHeir: "Only the heir whom the owner has named may do this: \(action)."
        case .leaves: "You cannot remove yourself from a group."
        case .ownsGroup: "You own this group, so you can have no other role in it."
        case .ownerStays: "Nobody can remove the owner of a group."
        }
    }

    static func hint(of reason: RoleReason) -> String {
        switch reason {
        case .needsAdmin: "Ask the owner or an admin of the group."
        case .needsOwner: "Ask the owner; `streakmesh members` says who that is."
        case .needsHeir: "Ask the owner to name you, or to hand the group on to you."
        case .leaves: "Leave it with `streakmesh group leave`."
        case .ownsGroup: "Name another member; `streakmesh group transfer USER` hands the group on."
        case .ownerStays: "Only the owner can hand the group on; the heir can take it over."
        }
    }

    static func message(of reason: ChallengeRefusal) -> String {
        switch reason {
        case .played(let name): "\(shortened(name)) has played that puzzle already."
        case .allPlayed: "Everybody in the group has played that puzzle already."
        case .playedByMe: "You have played that puzzle already."
        case .hidden(let name): "\(shortened(name)) is on no board of this group, and takes part in no challenge."
        case .hiddenMyself: "You are on no board of this group, so you take part in no challenge."
        case .myself: "You cannot challenge yourself."
        case .habit(let game): "\(shortened(game)) is a habit, in which there is nothing to beat."
        case .lastDay: "A challenge cannot end on that day."
        case .ended: "This challenge is over, or somebody has played."
        case .toOthers: "This challenge is not to you."
        case .made(let day): "You have made this challenge already, until \(shortened(day))."
        case .ofAnother: "Only your own result can be a challenge, and only its challenger may withdraw one."
        }
    }

    static func hint(of reason: ChallengeRefusal) -> String {
        switch reason {
        case .played, .allPlayed: "Challenge before they play: with a result that they do not have."
        case .playedByMe: "Answer before you play. What you have played counts as it is."
        case .hidden: "Challenge somebody else."
        case .hiddenMyself: "Stop hiding first, in what the group sees of you."
        case .myself: "Challenge somebody else."
        case .habit: "Challenge with a result of another game."
        case .lastDay(let first, let last): "Choose a day from \(shortened(first)) to \(shortened(last))."
        case .ended: "Make another one."
        case .toOthers: "Answer those that are to you or to the whole group."
        case .made: "Withdraw it before you make it again."
        case .ofAnother: "Choose one of yours."
        }
    }

    /// If the days differ the text mentions the clock, which may be the wrong one.
    static func expiry(_ instant: String, now: String?) -> String {
        let day = Timestamp(instant)?.dateText ?? shortened(instant)
        guard let now, now.prefix(10) != instant.prefix(10), let today = Timestamp(now)?.dateText else {
            return "This link expired on \(day)."
        }
        return "This link expired on \(day). This machine’s clock says \(today); if that is wrong, set the clock."
    }

    /// Text that somebody else may have written, cut to one short line.
    static func shortened(_ text: String) -> String {
        let line = text.map { $0.isNewline ? " " : $0 }
        return line.count <= 80 ? String(line) : String(line.prefix(79)) + "…"
    }

    /// A text of this program or of the system, on one line of at most 400 characters. Names inside it must be cut
    /// before.
    static func sentence(_ text: String) -> String {
        let line = text.map { $0.isNewline ? " " : $0 }
        return line.count <= 400 ? String(line) : String(line.prefix(399)) + "…"
    }

    static func listed(_ names: [String]) -> String {
        let names = names.prefix(8).map(shortened)
        guard let last = names.last, names.count > 1 else { return names.first ?? "several" }
        return names.dropLast().joined(separator: ", ") + " or " + last
    }

    /// “Ada, Ben and 3 others”.
    static func counted(_ names: [String]) -> String {
        let shown = names.prefix(5).map(shortened)
        let rest = names.count - shown.count
        let parts = rest == 0 ? shown : shown + ["\(rest) \(rest == 1 ? "other" : "others")"]
        guard let last = parts.last, parts.count > 1 else { return parts.first ?? "" }
        return parts.dropLast().joined(separator: ", ") + " and " + last
    }
}
