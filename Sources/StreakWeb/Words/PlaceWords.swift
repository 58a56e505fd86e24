public import StreakNode

// What pages and commands say alike: how somebody's place in a group came about and ended, and what was left alone.

private func isPlace(_ role: String) -> Bool { !["left", "removed", "revoked", "notLetIn"].contains(role) }

extension GroupStatus {
    /// Whether this user is still in.
    public var isCurrent: Bool { isPlace(role) }
}

extension GroupReport {
    /// Whether this user is still in.
    public var isCurrent: Bool { isPlace(role) }

    /// What is said of a group that this user, or this machine, is in no more; nil while it is in.
    public var endingText: String? {
        endingSentence.map { "\($0) Your own results stay." }
    }

    /// Its first sentence: how the place in the group came to its end, and when.
    var endingSentence: String? {
        guard !isCurrent else { return nil }
        let day = ended.flatMap { Timestamp($0) }.map { " on \($0.dayText)" } ?? ""
        return switch role {
        case "left": "You left “\(title)”\(day)."
        case "revoked": "This machine was shut out of “\(title)”\(day): it gets nothing there and shares nothing."
        case "notLetIn":
            "You were not let in to “\(title)”\(day): who did it was a member no more, or the link had been revoked."
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

    /// The same, where others have decided it: that is told everywhere until it is read. Who left knows it.
    public var standingText: String? { role == "left" ? nil : endingText }
}

extension PersonReport {
    /// “Ben” (friend code 7K3M-9QXT-42WJ, ID 9f2c4e0b7a31d5c8…): a name alone proves nothing.
    public var described: String { describing(name, code: code, id: user) }
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
    /// As of a `PersonReport`.
    var described: String { describing(name, code: anonymous ? nil : code, id: user) }

    /// The day since when the place stands, “14 February 2026”, by UTC.
    public var sinceText: String? { since.flatMap { Timestamp($0) }?.dayText }

    /// “let in by Ada”, “founded it”; nil where nothing is known of it.
    public var placeText: String? {
        // Whoever founded the group was admitted by nobody else.
        if admittedBy == name { return "founded it" }
        return admittedBy.map { "let in by \($0)" }
    }
}

extension UndoReport {
    /// What is said of results that undo leaves alone; nil where there are none.
    public var keptText: String? {
        switch keptCount {
        case 0: nil
        case 1: "One result stays: another machine of yours has written it since."
        default: "\(keptCount) results stay: another machine of yours has written them since."
        }
    }
}

extension StatusReport {
    /// What is said of results that two machines recorded differently; nil where there are none.
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

    /// The same with what cannot be taken for anybody else.
    public var describedSentence: String { "\(admin.described) removed \(removed.described)." }

    /// What comes of annulling it: “Ben is in again, and Ada is a plain member.”, and what else changes.
    public var consequence: String {
        var sentences = [
            back
                ? "\(removed.name) is in again, and \(admin.name) is a plain member."
                : "\(admin.name) is a plain member; another removal keeps \(removed.name) out."
        ]
        if !returning.isEmpty { sentences.append("In again, too: \(FailureText.counted(returning)).") }
        if !leaving.isEmpty { sentences.append("In no more: \(FailureText.counted(leaving)).") }
        if let newTitle { sentences.append("The group is called “\(FailureText.shortened(newTitle))” again.") }
        if settings { sentences.append("Its settings are what they were before.") }
        if voided > 0 {
            let orders = voided == 1 ? "one other order counts" : "\(voided) other orders count"
            sentences.append("Of what \(admin.name) did since as an admin, and what rests on it, \(orders) no more.")
        }
        return sentences.joined(separator: " ")
    }
}

extension InviteReport {
    /// What is said where it ended with a member: “Ben’s invite 1a2b3c4d has ended, 2 of 5 uses used.”
    public var endedText: String {
        let owner = mine ? "Your" : author.map { "\($0)’s" } ?? "An"
        let times = used == 1 ? "used once" : "used \(used) times"
        return "\(owner) invite \(id.prefix(8)) has ended, \(uses.map { "\(used) of \($0) uses used" } ?? times)."
    }
}
