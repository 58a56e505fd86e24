/// Where the page listens and what it accepts.
public struct WebConfiguration: Sendable {
    /// The default port. If it is taken and the user did not choose it, the next free one is used.
    public static let defaultPort = 7420

    /// The address to bind; loopback unless the user chooses another.
    public var host: String
    /// The port to bind; 0 picks a free one.
    public var port: Int
    /// Whether the user chose the port. Then a taken port is an error, not a reason to try the next.
    public var isPortChosen: Bool
    /// Further `name:port` values allowed in the Host header, for a page behind a name of the user's own.
    public var allowedHosts: [String]
    /// How long a request's head may take to arrive, and how long an idle connection stays open.
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
    /// The largest request body in bytes. A year of shares fits; a disk image does not.
    static let bodySize = 128 * 1024
    /// The longest text that is read as shares, in bytes.
    static let pasteSize = 64 * 1024
    /// The largest file to import, in bytes: many years of results, or a long chat.
    static let uploadSize = 16 << 20
    /// Files and other large bodies that are read at a time.
    static let uploads = 2
    /// Connections at once. A browser opens six and one for each event stream; programs need some more.
    static let connections = 128
    /// Open event streams. A browser holds one for each visible tab.
    static let eventStreams = 16
    /// Signed-in browsers. One more signs the oldest out.
    static let sessions = 64
    /// Unused sign-in links. One more invalidates the oldest.
    static let signInTokens = 16
    /// How long a sign-in link stays valid.
    static let signInLifetime: Duration = .seconds(24 * 3600)
    /// Rows of a board shown at first, and rows added by “100 more”.
    static let boardRows = 100
    /// The most rows on one page of a board.
    static let mostBoardRows = 1_000
    /// Fields of one form or query.
    static let formFields = 64
    /// How long changes are collected before a page is told.
    static let coalescingMilliseconds: Int64 = 180
    /// How often a quiet stream is written to, so that a vanished browser is noticed.
    static let heartbeatSeconds: Int64 = 20
}
