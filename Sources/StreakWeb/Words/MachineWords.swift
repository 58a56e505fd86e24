public import StreakNode

// What there is to say of machines, in the words of pages and commands alike.

extension PeerStatus {
    /// “heard 12 s ago”; nil where that is not known. `now` in seconds since 1970.
    public func heardText(at now: Int64) -> String? {
        lastHeard.flatMap { Timestamp($0) }.map { "heard \($0.agoText(to: now))" }
    }
}

extension StatusReport {
    /// When any linked machine was last heard, as of `now`, in seconds since 1970; nil where none is linked.
    public func heardText(at now: Int64) -> String? {
        peers.filter { $0.lastHeard != nil }.max { ($0.lastHeard ?? "") < ($1.lastHeard ?? "") }?.heardText(at: now)
    }
}

extension DeviceReport {
    /// “made with the account”, “linked by 4c1d9e70”.
    public var originText: String {
        switch origin {
        case "device": "linked by \(certifiedBy.prefix(8))"
        case "recoveryKey": "made with the recovery key"
        case "account": "made with the account"
        default: "made with the account or the recovery key"
        }
    }
}

extension MembersReport {
    /// “Ben left on 3 November 2026. Nobody else is in this group now.”; nil where others are, were never, or wait.
    public var lonelyText: String? {
        guard members.allSatisfy(\.me), waiting.isEmpty,
            let last = former.max(by: { ($0.ended ?? "") < ($1.ended ?? "") })
        else { return nil }
        return "\(last.name) \(last.endingText). Nobody else is in this group now."
    }
}

extension LonelyPairReport {
    /// “left on 3 November 2026, and you are alone in “Ada & Ben””.
    public var text: String {
        let day = ended.flatMap { Timestamp($0) }.map { " on \($0.dayText)" } ?? ""
        return "left\(day), and you are alone in “\(title)”"
    }
}
