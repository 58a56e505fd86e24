/// What can keep friends from being seen, the most certain first: where several are found, the first is *the* cause.
public enum DoctorCause: String, Codable, Sendable, CaseIterable, Comparable {
    // Wrong on this machine, with or without friends.
    case folderBusy = "folder-busy"
    case diskFull = "disk-full"
    case damagedStore = "damaged-store"
    case machineShutOut = "machine-shut-out"
    case nodeStopped = "node-not-running"
    case clockWrong = "clock-wrong"
    case removed = "removed-from-group"
    case notLetIn = "not-let-in"
    case pageUnreachable = "page-unreachable"
    // Why somebody who may be there is not seen.
    case noNetwork = "no-network"
    case internetOff = "internet-off"
    case friendOlder = "friend-older-version"
    case udpBlocked = "udp-blocked"
    case routerRefuses = "router-refuses"
    case secondRouter = "second-router"
    case carrierNAT = "carrier-nat"
    case bothChanging = "both-changing"
    case changingPort = "changing-port"
    case vpn
    case dhtUnreachable = "dht-unreachable"
    case friendUnheard = "friend-unheard"
    case nobodyAlwaysOn = "nobody-always-on"
    case helperMissing = "helper-missing"

    /// Whether it is wrong in itself. Any other only explains that somebody is missing.
    public var isFault: Bool { self <= .pageUnreachable }

    public static func < (left: DoctorCause, right: DoctorCause) -> Bool { left.position < right.position }

    private var position: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// Something that was looked into and is not as it should be.
public struct DoctorFinding: Codable, Sendable, Equatable {
    /// What it is about: `node`, `disk`, `store`, `clock`, `network`, `router`, `internet`, `group`, `friend`.
    public var subject: String
    public var cause: DoctorCause
    /// What it means, in a sentence.
    public var meaning: String
    /// What to do, in a sentence.
    public var advice: String
    /// What was seen.
    public var evidence: String
}

/// Something that was looked into and is well, or tells nothing.
public struct DoctorCheck: Codable, Sendable, Equatable {
    public var subject: String
    public var evidence: String

    public init(subject: String, evidence: String) { (self.subject, self.evidence) = (subject, evidence) }
}

/// The answer to “why can’t I see a friend?”.
public struct DoctorReport: Codable, Sendable, Equatable {
    /// The most certain of the causes; nil where all is well.
    public var cause: DoctorCause?
    /// The most certain one first.
    public var findings: [DoctorFinding]
    public var checks: [DoctorCheck]

    public init(findings: [DoctorFinding], checks: [DoctorCheck] = [], isSomebodyMissing: Bool) {
        self.findings = findings.sorted { $0.cause < $1.cause }
        self.checks = checks
        cause = self.findings.first { $0.cause.isFault || isSomebodyMissing }?.cause
    }

    /// The finding that is the cause.
    public var explained: DoctorFinding? { findings.first { $0.cause == cause } }

    /// Another program holds the data folder and answers nothing, so that nothing else could be looked into.
    public static func folderBusy(pid: Int32) -> DoctorReport {
        let holder = pid > 0 ? "Process \(pid) holds" : "A process holds"
        let finding = DoctorFinding(.folderBusy, "\(holder) the data folder and does not answer.")
        return DoctorReport(findings: [finding], isSomebodyMissing: false)
    }
}

extension DoctorFinding {
    public init(_ cause: DoctorCause, _ evidence: String) {
        let words = cause.words
        self.init(
            subject: words.subject, cause: cause, meaning: words.meaning, advice: words.advice, evidence: evidence)
    }
}

extension DoctorCause {
    /// What it is about, what it means and what to do.
    fileprivate var words: (subject: String, meaning: String, advice: String) {
        switch self {
        case .folderBusy:
            (
                "node", "Another program uses this data folder, so nothing can be read or recorded.",
                "Wait until it has ended, or end it."
            )
        case .diskFull:
            (
                "disk", "The disk is full. You can read what is there, but nothing new is recorded.",
                "Delete something else on this disk. Nothing that was confirmed is lost."
            )
        case .damagedStore:
            (
                "store", "Something that was stored on this disk has changed by itself. The disk may be failing.",
                "Make a backup on another disk with `streakmesh backup`. Friends send what they have once more."
            )
        case .machineShutOut:
            (
                "node", "This machine was shut out of your account. It records nothing more.",
                "To use it again, link it as a new one: `streakmesh device link` on a machine that is in, then `streakmesh --data FOLDER device join` here, with another folder."
            )
        case .nodeStopped:
            (
                "node", "No node is running here, so friends cannot reach this machine.",
                "Start it with `streakmesh up`, or once for all with `streakmesh service install`."
            )
        case .clockWrong:
            (
                "clock", "This machine’s clock is wrong. Friends do not show results that are dated ahead.",
                "Set the clock, then run `streakmesh clock repair`."
            )
        case .removed:
            (
                "group", "You are no longer in a group. Its members see nothing new of you, and you nothing of them.",
                "Ask a member for a new invite."
            )
        case .notLetIn:
            (
                "group", "The member who let you into a group was no longer allowed to. So you are not in.",
                "Ask a member for a new invite. You can join with it at once."
            )
        case .pageUnreachable:
            (
                "node", "The page of this node does not answer.",
                "Stop the node and start it again with `streakmesh up`."
            )
        case .noNetwork:
            (
                "network", "This machine has no network.",
                "Connect it. What you record meanwhile goes out by itself then."
            )
        case .internetOff:
            (
                "internet", "This node does not look for friends beyond your own network.",
                "Allow it with `streakmesh internet on`, if you want that."
            )
        case .friendOlder:
            (
                "friend", "A machine speaks a version that this one does not understand.",
                "Bring StreakMesh up to date on both machines."
            )
        case .udpBlocked:
            (
                "network", "This network lets no UDP through, by which nodes find each other.",
                "Use another network, or ask for outgoing UDP to be allowed here."
            )
        case .routerRefuses:
            (
                "router", "Your router does not open a port for this machine.",
                "Allow UPnP or PCP in the router’s settings: “independent port sharing” for this device."
            )
        case .secondRouter:
            (
                "router", "There is a second router between yours and the internet.",
                "Set one of the two to bridge mode, or keep one friend’s node always on and reachable."
            )
        case .carrierNAT:
            (
                "router", "Your provider shares one internet address among many customers.",
                "Turn on IPv6 in the router, or ask one friend to keep a node always on."
            )
        case .bothChanging:
            (
                "router",
                "Your router shows a different port to everybody, and your friend’s machine is found nowhere, so the two cannot meet.",
                "Results go by way of any other member. One friend’s node that is always on is enough."
            )
        case .changingPort:
            (
                "router", "Your router shows a different port to everybody, so friends cannot reach this machine.",
                "This machine can reach others that are reachable. One friend’s node that is always on is enough."
            )
        case .vpn:
            (
                "network", "All traffic of this machine goes through a VPN, which takes no connections from outside.",
                "Except StreakMesh from the VPN, or turn it off to try."
            )
        case .dhtUnreachable:
            (
                "internet", "The public BitTorrent network, through which lost friends are found, does not answer.",
                "Friends whose addresses are known are found without it. Try another network."
            )
        case .friendUnheard:
            (
                "friend", "Nothing has been heard of this friend’s machine. Most likely it is off.",
                "Ask your friend whether StreakMesh is running there. What you record goes out once it is."
            )
        case .nobodyAlwaysOn:
            (
                "group", "Nobody in the group has a machine that is always on, so friends miss each other.",
                "A Raspberry Pi or any machine that stays on, with `streakmesh service install`, bridges that."
            )
        case .helperMissing:
            (
                "internet",
                "The helper program streakmesh-internet is missing: no UPnP, and no finding of lost friends.",
                "Install the package streakmesh-internet."
            )
        }
    }
}
