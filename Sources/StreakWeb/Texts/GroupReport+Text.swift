public import StreakNode

// Texts about groups and members, for pages and commands.

private func isMembership(_ role: String) -> Bool { !["left", "removed", "revoked", "notLetIn"].contains(role) }

extension GroupStatus {
    /// Whether this user is still in.
    public var isCurrent: Bool { isMembership(role) }
}

extension GroupReport {
    /// Whether this user is still in.
    public var isCurrent: Bool { isMembership(role) }

    /// How this user's or machine's place in the group ended; nil while it is in.
    public var endingText: String? {
        endingSentence.map { "\($0) Your own results stay." }
    }

    /// Its first sentence: what ended the place, and when.
    var endingSentence: String? {
        guard !isCurrent else { return nil }
        let day = ended.flatMap { Timestamp($0) }.map { " on \($0.dayText)" } ?? ""
        return switch role {
        case "left": "You left “\(title)”\(day)."
        case "revoked": "This machine was shut out of “\(title)”\(day): it gets nothing there and shares nothing."
        case "notLetIn":
            "You were not let in to “\(title)”\(day): the member who did it had been removed, or the link had been revoked."
        default: "You were removed from “\(title)”\(day)."
        }
    }

    /// The same in a few words, beside the group's title; nil while this user is in.
    var endingNote: String? {
        guard !isCurrent else { return nil }
        return switch role {
        case "left": "you left"
        case "revoked": "this machine was shut out"
        case "notLetIn": "you were not let in"
        default: "you were removed"
        }
    }

    /// The same if others decided it, to be shown until it is dismissed. A user who left knows.
    public var standingText: String? { role == "left" ? nil : endingText }
}

extension PersonReport {
    /// “Ben” (friend code 7K3M-9QXT-42WJ, ID 9f2c4e0b7a31d5c8…): a name alone proves nothing.
    public var described: String { describing(name, code: code, id: user) }
}

extension FriendReport {
    /// As `PersonReport.described`.
    var described: String { describing(name, code: code, id: user) }
}

extension ReceivedFriendReport {
    /// As `PersonReport.described`.
    var described: String { describing(name, code: code, id: user) }
}

extension GroupReport {
    /// “Breakfast club” (ID 9f2c4e0b7a31d5c8…)
    public var described: String { describing(title, code: nil, id: id) }
}

private func describing(_ name: String, code: String?, id: String) -> String {
    let known = code.map { "friend code \($0), " } ?? ""
    return "“\(FailureText.shortened(name))” (\(known)ID \(id.prefix(16))…)"
}

extension MemberReport {
    /// As `PersonReport.described`.
    var described: String { describing(name, code: anonymous ? nil : code, id: user) }

    /// The day since when the member is in, “14 February 2026”, by UTC.
    public var sinceText: String? { since.flatMap { Timestamp($0) }?.dayText }

    /// “let in by Ada”, “founded it”; nil if unknown.
    public var placeText: String? {
        // The founder is the only one who admits themselves.
        if admittedBy == name { return "founded it" }
        return admittedBy.map { "let in by \($0)" }
    }
}

extension UndoReport {
    /// About results that undo leaves alone; nil if there are none.
    public var keptText: String? {
        switch keptCount {
        case 0: nil
        case 1: "One result stays: another machine of yours has written it since."
        default: "\(keptCount) results stay: another machine of yours has written them since."
        }
    }
}

extension StatusReport {
    /// About results that two machines recorded differently; nil if there are none.
    public var differingText: String? {
        guard differing > 0 else { return nil }
        let what = differing == 1 ? "One result was" : "\(differing) results were"
        return
            "\(what) recorded differently by two machines of yours; the later stands. `streakmesh results` shows both: "
            + "record the right one again."
    }
}

extension FormerMemberReport {
    /// “was removed on 3 November 2026 by Ada”, “left on 3 November 2026”.
    public var endingText: String {
        let day = ended.flatMap { Timestamp($0) }.map { " on \($0.dayText)" } ?? ""
        return reason == "left" ? "left\(day)" : "was removed\(day)\(endedBy.map { " by \($0)" } ?? "")"
    }
}

extension AnnulmentReport {
    /// “Ada removed Ben on 3 November 2026.”
    public var sentence: String {
        "\(admin.name) removed \(removed.name)\(Timestamp(at).map { " on \($0.dayText)" } ?? "")."
    }

    /// The same with friend codes and IDs, which nobody can imitate.
    public var describedSentence: String { "\(admin.described) removed \(removed.described)." }

    /// What annulling changes: “Ben is in again, and Ada is a plain member.”, and what else.
    public var consequence: String {
        var sentences = [
            back
                ? "\(removed.name) is in again, and \(admin.name) is a plain member."
                : "\(admin.name) is a plain member; another removal keeps \(removed.name) out."
        ]
        if !returning.isEmpty { sentences.append("Also in again: \(FailureText.counted(returning)).") }
        if !leaving.isEmpty { sentences.append("No longer in: \(FailureText.counted(leaving)).") }
        if let newTitle { sentences.append("The group is called “\(FailureText.shortened(newTitle))” again.") }
        if settings { sentences.append("Its settings are what they were before.") }
        if voided > 0 {
            let rest = "that depended on \(admin.name) being an admin no longer"
            sentences.append(
                voided == 1 ? "One other change \(rest) counts." : "\(voided) other changes \(rest) count.")
        }
        return sentences.joined(separator: " ")
    }
}

extension InviteReport {
    /// About an invite that ended with a member's removal: “Ben’s invite 1a2b3c4d has ended, 2 of 5 uses used.”
    public var endedText: String {
        let owner = mine ? "Your" : author.map { "\($0)’s" } ?? "An"
        let times = used == 1 ? "used once" : "used \(used) times"
        return "\(owner) invite \(id.prefix(8)) has ended, \(uses.map { "\(used) of \($0) uses used" } ?? times)."
    }
}
