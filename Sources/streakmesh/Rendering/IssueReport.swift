import Foundation
import StreakNode

/// A text about this machine's node that its user may show to everybody.
///
/// It consists of numbers, and of words that are written in this file or are causes that the doctor knows. Any other
/// text is left out, whatever it says: it might be a name, an address, a key, a code, an ID or a path.
struct IssueReport: Codable, Sendable, Equatable {
    /// Lines for an issue.
    var lines: [String]

    /// - Parameter status: nil if another program holds the data folder, so that nothing could be asked.
    init(_ doctor: DoctorReport, _ status: StatusReport?) {
        lines = [
            "StreakMesh \(NodeVersion.current) on \(Self.system)",
            "cause: \(doctor.cause?.rawValue ?? "none")",
            "found: \(Self.list(doctor.findings.map(\.cause.rawValue)))",
            "well: \(Self.list(doctor.checks.map { Self.word($0.subject, of: Self.subjects) }))",
        ]
        guard let status else { return }
        let groups = status.groups.map { "\($0.members) members, \($0.online) online, \($0.records) records" }
        let machines = status.peers.map { Self.word($0.path ?? "unknown", of: Self.paths) }
        lines += [
            "node: \(status.running ? Self.word(status.state, of: Self.states) : "not running")",
            "page: \(status.web == nil ? "none" : "there")",
            "groups: \(Self.list(groups, "; "))",
            "machines linked by: \(Self.list(machines))",
            "clock: \(Self.word(status.clock.state, of: Self.clocks))",
            "internet: \(Self.words(of: status.internet))",
            "damage: \(status.damage.map { "\($0.setAside) places, \($0.lostChanges) lost changes" } ?? "none")",
            "refused: \(Self.list(Self.refusals(status.refused)))",
        ]
    }

    // MARK: Words that may be in it

    private static let subjects = ["node", "page", "disk", "store", "clock", "network", "friends"]
    private static let states = ["live", "syncing", "silent", "local only", "offline"]
    private static let paths = ["lan", "ipv6", "mapped", "punched", "named", "unknown"]
    private static let clocks = ["right", "ahead", "behind", "differs", "unknown"]
    private static let reaches = ["mapped", "open", "steady", "changing", "none", "unknown"]
    private static let protocols = ["pcp", "nat-pmp", "upnp"]
    private static let helpers = ["idle", "missing", "failing"]
    private static let tables = ["ok", "failing", "idle", "off"]
    private static let refused = ["packet", "message", "records", "operation", "budget"]

    private static func word(_ text: String, of known: [String]) -> String { known.contains(text) ? text : "other" }

    private static func list(_ texts: [String], _ separator: String = ", ") -> String {
        texts.isEmpty ? "none" : texts.joined(separator: separator)
    }

    private static func words(of internet: InternetReport) -> String {
        [
            word(internet.setting, of: InternetReport.settings), "reach \(word(internet.reach, of: reaches))",
            "port \(internet.mapping.map { "opened by " + word($0.by, of: protocols) } ?? "not opened")",
            "helper \(word(internet.helper, of: helpers))", "DHT \(word(internet.dht.state, of: tables))",
            "letters \(internet.letters ? "on" : "off")",
        ].joined(separator: ", ")
    }

    /// How much of each kind was refused. Reasons are many, and the log has them.
    private static func refusals(_ reports: [RefusalReport]) -> [String] {
        (refused + ["other"]).compactMap { kind in
            let count = reports.reduce(0) { word($1.what, of: refused) == kind ? $0 + $1.count : $0 }
            return count == 0 ? nil : "\(count) × \(kind)"
        }
    }

    private static var system: String {
        #if arch(x86_64)
            let processor = "x86-64"
        #elseif arch(arm64)
            let processor = "ARM64"
        #else
            let processor = "another processor"
        #endif
        #if os(macOS)
            let version = ProcessInfo.processInfo.operatingSystemVersion
            return "macOS \(version.majorVersion).\(version.minorVersion), \(processor)"
        #else
            return "Linux, \(processor)"
        #endif
    }
}
