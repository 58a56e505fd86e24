import StreakEngine

/// How friends on the internet find this machine.
public struct InternetReport: Codable, Sendable, Equatable {
    /// A port that a router has opened.
    public struct Mapping: Codable, Sendable, Equatable {
        /// `pcp`, `nat-pmp` or `upnp`.
        public var by: String
        /// Where the port is reached.
        public var outside: String
        /// Whether TCP comes in there, too.
        public var streams: Bool
        /// When it ends unless it is renewed, as it is at half of its time, ISO 8601 in UTC; nil for never.
        public var until: String?
    }

    /// An endpoint at which this machine may be reached.
    public struct Outside: Codable, Sendable, Equatable {
        public var endpoint: String
        /// `mapped`, `ipv6`, `seen` (by two of different providers: friends, or nodes of the DHT) or `named`.
        public var source: String
    }

    /// How the public BitTorrent network is, in which notices are left.
    public struct DHT: Codable, Sendable, Equatable {
        /// `ok`, `failing` (nobody there stores anything), `idle` (nothing was left yet), `off`.
        public var state: String
        /// When something was last stored there, and last found, ISO 8601 in UTC.
        public var published: String?
        public var lookedUp: String?
    }

    /// What the setting may be.
    public static let settings = InternetSetting.words

    /// One of `settings`.
    public var setting: String
    /// `mapped`, `open`, `steady` (while both sides are expected), `changing` (this machine reaches others only), `none` (with
    /// `lan-only`) or `unknown`.
    public var reach = "unknown"
    public var mapping: Mapping?
    /// Why no port is open by IPv4: a word of `MappingFinding`; nil while one is, and while nothing is known.
    public var finding: String?
    public var outside: [Outside] = []
    /// Whether the helper program, which speaks UPnP, is there: `idle` (it runs when it is needed), `missing`, `failing`.
    public var helper = "missing"
    public var dht = DHT(state: "off")
    /// Whether notices hold this machine's newest results.
    public var letters = true
    /// Titles of groups in which nobody’s machine is always on, so that friends who are never online together get results late. A group is
    /// among them after two days.
    public var withoutAlwaysOn: [String] = []
    /// Whether the page says so, and what would help.
    public var advice = true

    public init(setting: String) { self.setting = setting }
}
