import StreakEngine
import StreakInternet

/// What a look at a node and its surroundings shows. What follows from it is a function of it and nothing else.
struct Observations: Sendable {
    /// A member of a group that this user is in.
    struct Friend: Sendable {
        var name: String
        var isOnline = false
        /// Seconds since it last wrote or was heard; nil where unknown, and of who hides that.
        var unheard: Int64?
        /// Seconds since one of its machines was heard over a link that counts as open; nil where there is none.
        var quiet: Int64?
        /// Whether none of its machines has told an endpoint on the internet.
        var isFoundNowhere = false
    }

    /// What is known of the way to friends in other homes.
    struct Internet: Sendable {
        var setting = InternetSetting.on
        var reach = OwnReach.unknown
        /// Whether two friends of different providers see this machine at one endpoint.
        var isSeen = false
        /// Why the router has opened no port; nil if it has, or is being asked.
        var finding: MappingFinding?
        var isHelperMissing = false
        /// Whether nobody in the DHT has stored this machine's last note.
        var isDHTFailing = false
        /// Machines beyond the local network that have been linked for a minute.
        var linkedBeyond = 0
        /// Those of them that datagrams reach.
        var linkedByUDP = 0
    }

    var isRunning = true
    var isShutOut = false
    /// Bytes free on the disk of the data folder; nil where the system does not say.
    var freeBytes: Int64?
    /// Whether the last change could not be stored.
    var isRefusingChanges = false
    /// What was told about damage since the node started.
    var damage: [String] = []
    /// Places that an examination found damaged just now.
    var damagedPlaces = 0
    var clock = ClockReport(state: "unknown")
    /// Addresses beyond this machine.
    var addresses: [String] = []
    /// Where the page should be, and whether it answers; nil without a page.
    var page: (address: String, answers: Bool)?
    /// Titles of groups that were left by somebody else’s decision, and that the user has not dismissed.
    var removedFrom: [String] = []
    var notLetInto: [String] = []
    /// Everybody in a group with this user, once each.
    var friends: [Friend] = []
    /// Titles of groups in which nobody’s machine is always on.
    var withoutAlwaysOn: [String] = []
    /// The one who was asked about.
    var asked: Friend?
    /// Packets of a version that this node does not speak, since it started.
    var newerPackets = 0
    var internet = Internet()

    /// Below this nothing is stored for long.
    private static let leastFreeBytes: Int64 = 1 << 20

    /// Whether somebody is missing: the friend who was asked about, or else everybody.
    var isSomebodyMissing: Bool {
        if let asked { return !asked.isOnline }
        return !friends.isEmpty && !friends.contains { $0.isOnline }
    }

    func report() -> DoctorReport {
        DoctorReport(
            findings: faults + (isRunning ? absences : []), checks: checks, isSomebodyMissing: isSomebodyMissing)
    }

    // MARK: Findings

    private var isDiskFull: Bool { isRefusingChanges || freeBytes.map { $0 < Self.leastFreeBytes } ?? false }

    private var faults: [DoctorFinding] {
        var found: [DoctorFinding] = []
        if isDiskFull {
            let free = freeBytes.map { "\($0 / 1_024) KiB are free." } ?? "The last change could not be stored."
            found.append(DoctorFinding(.diskFull, free))
        }
        if damagedPlaces > 0 || !damage.isEmpty {
            let places = damagedPlaces == 1 ? "1 damaged place was" : "\(damagedPlaces) damaged places were"
            let now = damagedPlaces > 0 ? ["\(places) found just now."] : []
            found.append(DoctorFinding(.damagedStore, (now + damage.prefix(2)).joined(separator: " ")))
        }
        if isShutOut { found.append(DoctorFinding(.machineShutOut, "The account’s own word for it is here.")) }
        if !isRunning { found.append(DoctorFinding(.nodeStopped, "No node answers on this data folder.")) }
        if clock.isWrong { found.append(DoctorFinding(.clockWrong, clock.notice)) }
        if let titles = Self.list(removedFrom) { found.append(DoctorFinding(.removed, "It is about \(titles).")) }
        if let titles = Self.list(notLetInto) { found.append(DoctorFinding(.notLetIn, "It is about \(titles).")) }
        if let page, !page.answers {
            found.append(DoctorFinding(.pageUnreachable, "Nothing answers at \(page.address)."))
        }
        return found
    }

    /// What may explain that somebody is not there, whether or not somebody is missing.
    private var absences: [DoctorFinding] {
        var found: [DoctorFinding] = []
        if addresses.isEmpty {
            found.append(DoctorFinding(.noNetwork, "No interface but the machine’s own has an address."))
        }
        if newerPackets > 0 {
            let packets = newerPackets == 1 ? "1 packet" : "\(newerPackets) packets"
            found.append(DoctorFinding(.friendOlder, "\(packets) of another version came since the node started."))
        }
        found += ways(internet)
        if isSomebodyMissing { found.append(DoctorFinding(.friendUnheard, unheard)) }
        if let titles = Self.list(withoutAlwaysOn) {
            found.append(DoctorFinding(.nobodyAlwaysOn, "It is about \(titles)."))
        }
        return found
    }

    /// What keeps friends in other homes from being met.
    private func ways(_ internet: Internet) -> [DoctorFinding] {
        switch internet.setting {
        case .off: return [DoctorFinding(.internetOff, "No router is asked to open a port.")]
        case .lanOnly: return [DoctorFinding(.internetOff, "No connection leaves the local network.")]
        case .on: break
        }
        var found: [DoctorFinding] = []
        if internet.linkedBeyond > 0, internet.linkedByUDP == 0, internet.isDHTFailing || internet.isHelperMissing {
            let machines = internet.linkedBeyond == 1 ? "1 machine" : "\(internet.linkedBeyond) machines"
            found.append(DoctorFinding(.udpBlocked, "\(machines) beyond this network answer by TCP, and none by UDP."))
        }
        if internet.isHelperMissing {
            found.append(DoctorFinding(.helperMissing, "It does not lie beside this program."))
        } else if internet.isDHTFailing {
            found.append(
                DoctorFinding(
                    .dhtUnreachable, "No node there has answered this machine’s last search, or stored what it left."))
        }
        return found + router(internet)
    }

    private func router(_ internet: Internet) -> [DoctorFinding] {
        if internet.reach == .changing {
            let missing = asked.map { [$0] } ?? friends.filter { !$0.isOnline }
            let nowhere = missing.filter(\.isFoundNowhere).map(\.name)
            let both = Self.list(nowhere).map {
                DoctorFinding(.bothChanging, "No machine of \($0) has told where it is found.")
            }
            return [both, DoctorFinding(.changingPort, "Two friends see this machine at two ports.")].compactMap(\.self)
        }
        // Where friends see it at one port they find it all the same. By IPv6 alone only those do who have that, too.
        guard !internet.isSeen, let finding = internet.finding else { return [] }
        let answer = "The router was asked to open a port: \(finding.rawValue)."
        switch finding {
        // A local network that leads nowhere is enough for friends who are on it.
        case .noGateway: return []
        case .offline:
            return [DoctorFinding(.noNetwork, "The router says that it has no connection to the internet.")]
        case .vpn: return [DoctorFinding(.vpn, "The default route leads through a VPN.")]
        case .noAnswer, .unsupported, .misunderstood, .exhausted, .portTaken, .refused:
            return [DoctorFinding(.routerRefuses, answer)]
        case .secondRouter: return [DoctorFinding(.secondRouter, answer)]
        case .carrierNAT: return [DoctorFinding(.carrierNAT, answer)]
        }
    }

    private var unheard: String {
        func since(_ friend: Friend) -> String {
            guard let seconds = friend.unheard else { return "never, as far as this machine knows" }
            return "\(ClockReport.length(Int(clamping: seconds))) ago"
        }
        if let asked { return "\(asked.name) was last heard \(since(asked))." }
        guard let latest = friends.min(by: { $0.unheard ?? .max < $1.unheard ?? .max }) else { return "" }
        if friends.count == 1 { return "\(latest.name) was last heard \(since(latest))." }
        return "None of \(friends.count) friends is online. The last one heard was \(latest.name), \(since(latest))."
    }

    // MARK: What is well

    private var checks: [DoctorCheck] {
        var checks: [DoctorCheck] = []
        func add(_ subject: String, _ evidence: String) {
            checks.append(DoctorCheck(subject: subject, evidence: evidence))
        }
        if isRunning { add("node", "The node is running.") }
        if let page, page.answers { add("page", "The page answers at \(page.address).") }
        if !isDiskFull, let freeBytes { add("disk", "\(freeBytes >> 20) MiB are free.") }
        if damagedPlaces == 0, damage.isEmpty { add("store", "Everything that is stored is as it was written.") }
        if !clock.isWrong {
            add(
                "clock",
                clock.state == "right"
                    ? "The clock agrees with friends’ clocks." : "There is no friend’s clock to compare it with.")
        }
        if let addresses = Self.list(addresses) { add("network", "This machine’s addresses: \(addresses).") }
        if friends.isEmpty {
            add("friends", "Nobody else is in a group with you yet: `streakmesh invite` makes a link for a friend.")
        } else {
            add("friends", "\(friends.count { $0.isOnline }) of \(friends.count) are online\(quietest).")
        }
        return checks
    }

    /// A link counts as open until something that was expected does not come, up to 110 s. So who has just vanished is online
    /// still; how long it has been quiet shows.
    private var quietest: String {
        let heard = asked.map { [$0] } ?? friends
        guard let friend = heard.filter(\.isOnline).max(by: { $0.quiet ?? 0 < $1.quiet ?? 0 }),
            let quiet = friend.quiet, quiet >= Self.leastQuiet
        else { return "" }
        return "; \(friend.name) was last heard \(ClockReport.length(Int(clamping: quiet))) ago"
    }

    /// In seconds. Below this somebody was heard just now.
    private static let leastQuiet = 5

    private static func list(_ words: [String]) -> String? {
        guard !words.isEmpty else { return nil }
        let shown = words.prefix(5).joined(separator: ", ")
        return words.count > 5 ? "\(shown) and \(words.count - 5) more" : shown
    }
}
