public import Logging
import NIOCore
import NIOPosix
public import ServiceLifecycle

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Answers commands on a Unix socket inside the data folder, one line of JSON each way.
///
/// The folder (mode 0700) and the socket (0600) let in nobody but the node's own user. A socket file that is left of an
/// earlier run is replaced, so the caller must hold the data folder's lock.
public struct ControlServer: Service {
    /// Connections served at once. One more waits until another ends, or falls silent.
    public static let maximumConnections = 32
    /// Of these, how many may watch; commands always have the rest.
    public static let maximumWatchers = 16
    /// Connections that wait for a place; the system turns away those beyond.
    static let maximumWaiting: Int32 = 1_024
    /// How long a connection may wait to send its next request before it is closed, so that none holds a place for nothing.
    public static let idleTime: Duration = .seconds(60)
    /// How long it may while others wait for its place. A command asks as soon as it has connected.
    public static let crowdedIdleTime: Duration = .seconds(1)
    /// Longest request in bytes; a longer one is refused and its connection closed.
    public static let maximumLineLength = 262_144

    private let node: any NodeCalling
    private let events: @Sendable () -> AsyncStream<NodeEvent>
    private let signIn: @Sendable () -> String?
    private let socketPath: String
    private let logger: Logger
    private let idleTime: Duration
    private let crowdedIdleTime: Duration
    private let places = ControlPlaces()
    private let listening = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingOldest(1))

    /// - Parameters:
    ///   - node: what answers.
    ///   - events: makes a new stream of what happens from the call on.
    ///   - signIn: makes a link to the node's page that works once; nil where there is no page.
    ///   - socketPath: where to listen; its folder must let in this user only.
    ///   - idleTime: how long a connection may wait to send its next request.
    ///   - crowdedIdleTime: how long it may while others wait for its place.
    public init(
        node: any NodeCalling, events: @escaping @Sendable () -> AsyncStream<NodeEvent>,
        signIn: @escaping @Sendable () -> String? = { nil }, socketPath: String,
        idleTime: Duration = ControlServer.idleTime,
        crowdedIdleTime: Duration = ControlServer.crowdedIdleTime, logger: Logger
    ) {
        self.node = node
        self.events = events
        self.signIn = signIn
        self.socketPath = socketPath
        self.idleTime = idleTime
        self.crowdedIdleTime = crowdedIdleTime
        self.logger = logger
    }

    /// Returns when commands are answered, or when the calling task is cancelled. To be awaited once.
    public func ready() async {
        for await _ in listening.stream { return }
    }

    /// Serves until the task is cancelled or a graceful shutdown begins; requests under way are then cancelled.
    public func run() async throws {
        let server = try await bind()
        defer {
            // Nothing is lost where this fails: the next run replaces the file.
            _ = unsafe unlink(socketPath)
        }
        do {
            try await cancelWhenGracefulShutdown {
                try await server.executeThenClose { connections in
                    guard unsafe chmod(socketPath, S_IRUSR | S_IWUSR) == 0 else {
                        throw NodeFailure.cannotListen(address: socketPath, reason: "its permissions cannot be set")
                    }
                    listening.continuation.yield()
                    try await serve(connections)
                }
            }
        } catch is CancellationError {
            // The way this service ends.
        }
    }

    private typealias Connection = NIOAsyncChannel<ByteBuffer, Never>

    private func bind() async throws -> NIOAsyncChannel<Connection, Never> {
        let limit = Self.maximumLineLength
        do {
            return try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .serverChannelOption(.backlog, value: Self.maximumWaiting)
                .bind(unixDomainSocketPath: socketPath, cleanupExistingSocketFile: true) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let decoder = ControlLineDecoder(maximumLineLength: limit)
                        try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(decoder))
                        return try Connection(wrappingChannelSynchronously: channel)
                    }
                }
        } catch {
            throw NodeFailure.cannotListen(address: socketPath, reason: "\(error)")
        }
    }

    private func serve(_ connections: NIOAsyncChannelInboundStream<Connection>) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            var open = 0
            for try await connection in connections {
                while open >= Self.maximumConnections {
                    // Those above the limit wait here, unread, until one of the others ends.
                    places.makeRoom()
                    try await group.next()
                    places.roomMade()
                    open -= 1
                }
                open += 1
                group.addTask { await serve(connection) }
            }
        }
    }

    private func serve(_ connection: Connection) async {
        do {
            try await connection.executeThenClose { lines in
                do {
                    var requests = lines.makeAsyncIterator()
                    while let line = try await next(&requests, on: connection.channel) {
                        guard try await answer(line, on: connection.channel) else { return }
                    }
                } catch let error as ControlError {
                    try await refuse(with: NodeFailure(carrying: error), on: connection.channel)
                } catch let error as ByteToMessageDecoderError.PayloadTooLargeError {
                    logger.debug("control connection: \(error)")
                }
            }
        } catch {
            // A command that was interrupted closes its end at any time; that concerns its own connection only.
            logger.debug("control connection ended: \(error)")
        }
    }

    /// The next request; nil where the connection has ended, or was closed because none came in time.
    private func next(
        _ requests: inout NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator, on channel: any Channel
    ) async throws -> ByteBuffer? {
        let crowdedLimit = channel.eventLoop.scheduleTask(in: TimeAmount(crowdedIdleTime)) {
            places.fellSilent(channel)
        }
        let limit = channel.eventLoop.scheduleTask(in: TimeAmount(idleTime)) { channel.close(promise: nil) }
        defer {
            crowdedLimit.cancel()
            limit.cancel()
            places.spoke(channel)
        }
        return try await requests.next(isolation: #isolation)
    }

    /// Returns whether the connection goes on.
    private func answer(_ line: ByteBuffer, on channel: any Channel) async throws -> Bool {
        let request: ControlRequest
        do {
            request = try ControlCoding.decode(ControlRequest.self, from: line)
        } catch {
            let failure = error as? NodeFailure ?? .invalidRequest("not a request of this version")
            try await refuse(with: failure, on: channel)
            return true
        }
        switch request {
        case .call(let request):
            // `writeAndFlush` of the channel, not the async writer: it returns when the bytes have left.
            try await channel.writeAndFlush(try await node.reply(to: request)).get()
            return true
        case .signIn:
            let reply =
                signIn().map { ControlReply(ok: PageReport(signIn: $0)) }
                ?? ControlReply(error: .invalidRequest("this node runs without a page"))
            try await channel.writeAndFlush(try ControlCoding.line(reply)).get()
            return true
        case .watch:
            guard places.watchBegan() else {
                let what = "programs that watch this node"
                try await refuse(with: .limitReached(what: what, limit: Self.maximumWatchers), on: channel)
                return true
            }
            defer { places.watchEnded() }
            try await tell(channel)
            return false
        }
    }

    private func refuse(with failure: NodeFailure, on channel: any Channel) async throws {
        let reply = ControlReply<ProfileReport>(error: failure)
        try await channel.writeAndFlush(try ControlCoding.line(reply)).get()
    }

    /// Sends events until the watcher closes its end or the node stops.
    private func tell(_ channel: any Channel) async throws {
        let stream = events()
        let closing = AsyncStream<Void>.makeStream()
        channel.closeFuture.whenComplete { _ in closing.continuation.finish() }
        try await channel.writeAndFlush(try ControlCoding.line(WatchEvent.watching)).get()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await event in stream {
                    try await channel.writeAndFlush(try ControlCoding.line(WatchEvent.event(event))).get()
                }
            }
            group.addTask {
                for await _ in closing.stream {}
            }
            try await group.next()
            group.cancelAll()
        }
    }
}
