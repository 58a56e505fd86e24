public import StreakNode

// Texts about machines, for pages and commands.

/// How a machine is reached, in words of the page; nil for a path that this version does not know.
private func pathText(_ path: String?) -> String? {
    switch path {
    case "lan": "on your network"
    case "ipv6": "directly by IPv6"
    case "mapped": "through a port that a router has opened"
    case "punched": "through both routers"
    case "named": "at an address that was named"
    default: nil
    }
}

extension MemberReport {
    /// “on your network”, “directly”.
    var pathText: String? {
        StreakWeb.pathText(path)
            ?? via.map { way in
                switch way {
                case "lan": "on your network"
                case "direct": "directly"
                default: "via \(way)"
                }
            }
    }
}

extension PeerStatus {
    /// “on your network”; nil if unknown.
    var pathText: String? { StreakWeb.pathText(path) ?? (via == "lan" ? "on your network" : via) }

    /// “heard 12 s ago”; nil if unknown. `now` in seconds since 1970.
    public func heardText(at now: Int64) -> String? {
        lastHeard.flatMap { Timestamp($0) }.map { "heard \($0.agoText(to: now))" }
    }
}

extension StatusReport {
    /// When any linked machine was last heard, as of `now` in seconds since 1970; nil if none is linked.
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

extension DeviceReport {
    /// That it is in groups although it was shut out; nil if it is not.
    public var strayText: String? { stillIn.isEmpty ? nil : sentenceOfStray(device, in: stillIn) }
}

extension DeviceListReport {
    /// What to say after a machine was shut out. The machine is named by its ID or the beginning of it.
    public func sentences(afterShuttingOut machine: String) -> [String] {
        let linked = devices.filter {
            $0.state == "current" && $0.origin == "device" && $0.certifiedBy.hasPrefix(machine)
        }
        .map { String($0.device.prefix(8)) }
        return ["Shut out. Friends' machines follow as soon as they hear of it."]
            + refusedBy.map { "“\($0)” can take no further changes, so the machine is still in it." }
            + (linked.isEmpty
                ? []
                : [
                    "It had linked \(linked.joined(separator: ", ")), which \(linked.count == 1 ? "stays" : "stay") yours. "
                        + "Shut out, too, what you do not know."
                ])
    }
}

extension StrayMachineReport {
    /// “The machine 4c1d9e70, which is shut out, is still in “Club”.”
    public var sentence: String { sentenceOfStray(device, in: groups) }
}

private func sentenceOfStray(_ device: String, in groups: [String]) -> String {
    let titles = groups.map { "“\($0)”" }.joined(separator: ", ")
    return "The machine \(device.prefix(8)), which is shut out, is still in \(titles)."
}

extension MembersReport {
    /// “Ben left on 3 November 2026. Nobody else is in this group now.” Nil if somebody else is in, asks to come in, or
    /// nobody was.
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
