import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Asks a running node through the socket in its data folder, over one connection per request.
///
/// Throws `ControlError.nodeNotRunning` where no node listens; the request then had no effect.
public struct ControlClient: NodeCalling {
    /// Longest answer in bytes: the results of several lifetimes.
    public static let maximumReplyLength = 1 << 28

    private let socketPath: String

    public init(socketPath: String) {
        self.socketPath = socketPath
    }

    public func call<Request: NodeRequest>(_ request: Request) async throws -> Request.Report {
        try await ask(.call(request))
    }

    /// Whether a node listens, even one that hangs.
    public func canConnect() async -> Bool {
        guard let connection = try? await connect() else { return false }
        // Nothing was asked, so nothing is lost if this fails.
        try? await connection.executeThenClose { _ in }
        return true
    }

    /// A new link to the node's page, good for one browser.
    public func page() async throws -> PageReport {
        try await ask(.signIn)
    }

    /// Hands over what the node tells, from `.watching` on, until the node stops or the task is cancelled.
    public func watch(_ body: (WatchEvent) async throws -> Void) async throws {
        try await exchange(.watch) { line in
            if let reply = try? ControlCoding.decode(ControlReply<ProfileReport>.self, from: line),  // else an event
                let failure = reply.error
            {
                throw failure
            }
            try await body(try ControlCoding.decode(WatchEvent.self, from: line))
            return nil as Void?
        }
    }

    private func ask<Report: Codable & Sendable>(_ request: ControlRequest) async throws -> Report {
        try await exchange(request) { line in
            let reply: ControlReply<Report>
            do {
                reply = try ControlCoding.decode(ControlReply<Report>.self, from: line)
            } catch is DecodingError {
                // A node that was started by another version, and runs on.
                throw ControlError.malformedReply
            }
            if let failure = reply.error { throw failure }
            guard let report = reply.ok else { throw ControlError.malformedReply }
            return report
        }
    }

    /// Sends one line, then hands over lines until `body` has its answer. `NodeFailure.stopping` where none came.
    private func exchange<Answer>(
        _ request: ControlRequest, until body: (ByteBuffer) async throws -> Answer?
    ) async throws -> Answer {
        let line = try ControlCoding.line(request)
        guard line.readableBytes <= ControlServer.maximumLineLength else {
            throw NodeFailure.textTooLong(limit: ControlServer.maximumLineLength)
        }
        let connection = try await connect()
        return try await connection.executeThenClose { lines in
            do {
                try await connection.channel.writeAndFlush(line).get()
                for try await line in lines {
                    if let answer = try await body(line) { return answer }
                }
            } catch is ChannelError {
                throw NodeFailure.stopping
            } catch is IOError {
                throw NodeFailure.stopping
            }
            try Task.checkCancellation()
            throw NodeFailure.stopping
        }
    }

    private func connect() async throws -> NIOAsyncChannel<ByteBuffer, Never> {
        do {
            return try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connect(unixDomainSocketPath: socketPath) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let decoder = ControlLineDecoder(maximumLineLength: Self.maximumReplyLength)
                        try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(decoder))
                        return try NIOAsyncChannel<ByteBuffer, Never>(wrappingChannelSynchronously: channel)
                    }
                }
        } catch let error as IOError where [ENOENT, ECONNREFUSED, ENOTSOCK, ENOTDIR].contains(error.errnoCode) {
            throw ControlError.nodeNotRunning
        } catch is SocketAddressError {
            // A path too long for a socket: no node can listen there either.
            throw ControlError.nodeNotRunning
        }
    }
}
