import Foundation
import Hummingbird
public import Logging
import NIOCore
public import ServiceLifecycle
public import StreakNode

/// The node's own page on this machine, and its JSON interface.
///
/// To open it a browser needs a sign-in link, which works once. The links come from `onReady` and `mintSignInURL()`.
public struct WebServer: Service {
    private let node: any NodeCalling
    private let accounts: (any AccountMaking)?
    private let events: @Sendable () -> AsyncStream<NodeEvent>
    private let configuration: WebConfiguration
    private let now: @Sendable () -> Int64
    private let logger: Logger
    private let onReady: @Sendable (WebAddress) async -> Void
    private let sessions: SessionStore
    private let address = BoundAddress()

    /// - Parameters:
    ///   - node: answers the requests.
    ///   - accounts: makes an account if `node` answers `noAccount`; nil if it has one.
    ///   - events: returns a new stream of the node's events; called once per bound port.
    ///   - entropy: returns the requested number of unpredictable bytes, for sign-in links and cookies.
    ///   - now: the wall clock in seconds since 1970, for “5 min ago” and for the viewer's day.
    ///   - onReady: called with the page's address once it is bound.
    public init(
        node: any NodeCalling, accounts: (any AccountMaking)? = nil,
        events: @escaping @Sendable () -> AsyncStream<NodeEvent>,
        configuration: WebConfiguration = WebConfiguration(), entropy: @escaping @Sendable (Int) -> [UInt8],
        now: @escaping @Sendable () -> Int64, logger: Logger = Logger(label: "streakmesh.web"),
        onReady: @escaping @Sendable (WebAddress) async -> Void = { _ in }
    ) {
        self.node = node
        self.accounts = accounts
        self.events = events
        self.configuration = configuration
        self.now = now
        self.logger = logger
        self.onReady = onReady
        sessions = SessionStore(entropy: entropy)
    }

    /// A new link that signs one browser in, once; nil while the page is not bound.
    public func mintSignInURL() -> String? {
        address.value.map { "\($0.url)/sign-in?token=\(sessions.mintToken())" }
    }

    /// Serves until it is cancelled or asked to shut down. Throws `NodeFailure.cannotListen` if no port is free.
    public func run() async throws {
        let templates = try Templates()
        var ports = [configuration.port]
        if !configuration.isPortChosen, configuration.port != 0 {
            ports += (1...20).map { configuration.port + $0 }.filter { $0 <= 65_535 } + [0]
        }
        for port in ports {
            do {
                return try await serve(port: port, templates: templates)
            } catch let error as IOError where error.errnoCode == EADDRINUSE && port != ports.last {
                continue
            } catch let error as IOError {
                throw NodeFailure.cannotListen(
                    address: "\(configuration.host):\(port)",
                    reason: error.errnoCode == EADDRINUSE
                        ? "the port is already in use" : "the address is not available")
            }
        }
    }

    private func serve(port: Int, templates: Templates) async throws {
        let eventLoopGroup = EventLoopGroupProvider.singleton.eventLoopGroup
        let hub = ChangeHub(events: events, eventLoop: eventLoopGroup.any())
        let connections = ConnectionTable()
        let router = Router(context: WebContext.self, options: .autoGenerateHeadEndpoints)
        router.add(
            middleware: RequestGuard(
                address: address, peers: PeerGate(), connections: connections, sessions: sessions, templates: templates,
                logger: logger))
        router.add(middleware: UploadGate())
        Site(
            node: node, accounts: accounts, hub: hub, sessions: sessions, templates: templates, address: address,
            now: now
        )
        .addRoutes(to: router)
        let application = Application(
            router: router,
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [ConnectionPlace(in: connections)],
                    idleTimeout: TimeAmount(configuration.idleTime))),
            configuration: .init(address: .hostname(configuration.host, port: port), serverName: nil),
            services: [hub],
            onServerRunning: { channel in
                address.set(
                    host: configuration.host, port: channel.localAddress?.port ?? port,
                    allowed: configuration.allowedHosts)
                if let bound = address.value, let signIn = mintSignInURL() {
                    await onReady(WebAddress(url: bound.url, signIn: signIn))
                }
            }, logger: logger)
        try await application.run()
    }
}
