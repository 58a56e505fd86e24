/// Where the page listens and what it accepts.
public struct WebConfiguration: Sendable {
    /// The default port. Where it is taken and nobody asked for it by name, the next free one serves.
    public static let defaultPort = 7420

    /// The address to bind: loopback, unless the user says otherwise.
    public var host: String
    /// The port to bind; 0 picks a free one.
    public var port: Int
    /// Whether the user chose the port: it is then that one or an error, never a neighbour.
    public var isPortChosen: Bool
    /// Further `name:port` values that the Host header may hold, for a page behind a name of the user's.
    public var allowedHosts: [String]
    /// How long a connection may take to send a request's head, and how long it stays open for the next one.
    var idleTime: Duration = .seconds(30)

    public init(
        host: String = "127.0.0.1", port: Int = WebConfiguration.defaultPort, isPortChosen: Bool = false,
        allowedHosts: [String] = []
    ) {
        self.host = host
        self.port = port
        self.isPortChosen = isPortChosen
        self.allowedHosts = allowedHosts
    }
}

/// Where the page can be opened.
public struct WebAddress: Sendable, Equatable {
    /// `http://127.0.0.1:PORT`, without a trailing slash.
    public var url: String
    /// A link that signs one browser in, once.
    public var signIn: String
}

/// The limits of the page.
enum WebLimit {
    /// The largest request body in bytes: a year of shares fits, a disk image does not.
    static let bodySize = 128 * 1024
    /// The longest text that is read as shares, in bytes.
    static let pasteSize = 64 * 1024
    /// The largest file to import, in bytes: many years of results, or a long chat.
    static let uploadSize = 16 << 20
    /// Connections at once: a browser opens six and one for each event stream, a program of the user's some.
    static let connections = 128
    /// Open event streams. A browser holds one per visible tab.
    static let eventStreams = 16
    /// Signed-in browsers; the oldest is signed out when one more comes.
    static let sessions = 64
    /// Sign-in links not used yet; the oldest ends when one more is made.
    static let signInTokens = 16
    /// How long a sign-in link waits to be used.
    static let signInLifetime: Duration = .seconds(24 * 3600)
    /// Rows of a board shown at first, and added by “100 more”.
    static let boardRows = 100
    /// The most rows of one board page; what comes after is on another.
    static let mostBoardRows = 1_000
    /// Fields of one form or query.
    static let formFields = 64
    /// How long changes are collected before a page is told.
    static let coalescingMilliseconds: Int64 = 180
    /// How often a quiet stream is written to, so that a vanished browser is noticed.
    static let heartbeatSeconds: Int64 = 20
}
