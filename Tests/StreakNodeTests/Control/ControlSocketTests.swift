import Foundation
import Logging
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import StreakNode

/// Answers like a node that holds one account, and remembers what it was asked.
private actor StubNode: NodeCalling {
    private(set) var requests: [any NodeRequest] = []
    /// Requests for the status are answered when this is finished.
    let answering = AsyncStream<Void>.makeStream()

    func call<Request: NodeRequest>(_ request: Request) async throws -> Request.Report {
        requests.append(request)
        if request is StatusRequest { for await _ in answering.stream {} }
        let profile = ProfileReport(user: "ab", device: "cd", name: "Zoë 🎲\n\"", friendCode: "AAAA-BBBB-CCCC")
        guard request as? ProfileRequest == .whoami, let report = profile as? Request.Report else {
            throw NodeFailure.unknownGroup("“\n”")
        }
        return report
    }
}

/// Asks for a profile, and expects something else.
private struct OtherVersion: NodeRequest {
    static let name = RequestName.profile
    private var whoami: [String: String] = [:]

    func answer(on node: isolated MeshNode) async throws -> StatusReport { try await node.call(StatusRequest.status) }
}

/// A control server on a socket of its own.
private func withServer<Answer: Sendable>(
    events: @escaping @Sendable () -> AsyncStream<NodeEvent> = { AsyncStream { _ in } },
    idleTime: Duration = .seconds(600), crowdedIdleTime: Duration = .seconds(600),
    _ body: @Sendable (ControlClient, String, StubNode) async throws -> Answer
) async throws -> Answer {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sm-\(UInt32.random(in: 0...UInt32.max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appending(path: "control.sock").path
    defer {
        // A folder that stays behind in the temporary one harms nothing.
        try? FileManager.default.removeItem(at: folder)
    }
    let node = StubNode()
    let server = ControlServer(
        node: node, events: events, socketPath: path, idleTime: idleTime, crowdedIdleTime: crowdedIdleTime,
        logger: Logger(label: "test"))
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await server.run() }
        await server.ready()
        let answer = try await body(ControlClient(socketPath: path), path, node)
        group.cancelAll()
        try await group.waitForAll()
        return answer
    }
}

/// Sends bytes unchanged, and returns the first `count` lines that come back, or fewer if the server hangs up.
private func exchange(_ bytes: [UInt8], at path: String, lines count: Int) async throws -> [String] {
    let connection = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .connect(unixDomainSocketPath: path) { channel in
            channel.eventLoop.makeCompletedFuture {
                try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
            }
        }
    return try await connection.executeThenClose { inbound, outbound in
        try await outbound.write(ByteBuffer(bytes: bytes))
        var text = ""
        for try await part in inbound {
            text += String(buffer: part)
            if text.split(separator: "\n").count >= count, text.hasSuffix("\n") { break }
        }
        return text.split(separator: "\n").map(String.init)
    }
}

/// Says when something has arrived.
private final class FirstRead: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    private let continuation: AsyncStream<Void>.Continuation

    init(continuation: AsyncStream<Void>.Continuation) { self.continuation = continuation }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { continuation.yield() }
}

@Suite(.timeLimit(.minutes(10))) struct ControlSocketTests {
    @Test func `a request is answered by the running node`() async throws {
        let profile = try await withServer { client, _, _ in
            try await client.call(ProfileRequest.whoami)
        }
        #expect(profile.name == "Zoë 🎲\n\"")
    }

    @Test func `a failure arrives as it was thrown`() async throws {
        await #expect(throws: NodeFailure.unknownGroup("“\n”")) {
            try await withServer { client, _, _ in
                try await client.call(GroupListRequest.all)
            }
        }
    }

    private static let requests: [any NodeRequest] = [
        JoinRequest.join(link: "streakmesh://join/ABC", timeout: 30, history: nil),
        ScoreRequest.add(text: "Wordle 1,981 3/6\r\n\u{0}\"", date: "2026-11-21", replace: true, groups: nil),
        ScoreRequest.record(game: "mini", score: nil, isCompleted: true, seconds: 42, date: nil, groups: nil),
        BoardRequest(group: "Friends", range: "7d", reveal: true), InviteRequest.friends,
    ]

    @Test func `every name stands for the type that bears it`() {
        for name in RequestName.allCases { #expect(name.type.name == name) }
    }

    @Test(arguments: requests.indices)
    func `a request arrives as it was made`(index: Int) async throws {
        let request = Self.requests[index]
        let requests = try await withServer { client, _, node in
            _ = try? await client.call(request)  // the stub refuses, having noted it
            return await node.requests
        }
        func isSame<Request: NodeRequest>(_ request: Request) -> Bool { requests.first as? Request == request }
        #expect(requests.count == 1 && isSame(request))
    }

    @Test func `without a node the client says so`() async throws {
        await #expect(throws: ControlError.nodeNotRunning) {
            try await ControlClient(socketPath: "/tmp/nobody-listens-here.sock")
                .call(ProfileRequest.whoami)
        }
        await #expect(throws: ControlError.nodeNotRunning) {
            try await ControlClient(socketPath: String(repeating: "/long", count: 60))
                .call(ProfileRequest.whoami)
        }
    }

    @Test func `an answer of another version's node is distinguished from a failure`() async throws {
        await #expect(throws: ControlError.malformedReply) {
            try await withServer { client, _, _ in
                try await client.call(OtherVersion())
            }
        }
    }

    @Test func `after the node ended its socket is gone`() async throws {
        let path = try await withServer { _, path, _ in path }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `only the owner may use the socket`() async throws {
        let permissions = try await withServer { _, path, _ in
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(permissions == 0o600)
    }

    @Test(arguments: [
        "garbage", "{}", #"{"v":1,"name":"profile","request":{"whoami":{}}}"#,
        #"{"v":2,"name":"fly","request":{"whoami":{}}}"#, #"{"v":2,"name":"board","request":"whoami"}"#,
    ])
    func `what is no request is refused, and the connection serves on`(line: String) async throws {
        let answers = try await withServer { _, path, _ in
            try await exchange(
                Array("\(line)\n{\"v\":2,\"name\":\"profile\",\"request\":{\"whoami\":{}}}\n".utf8), at: path,
                lines: 2)
        }
        #expect(answers.count == 2)
        #expect(answers.first?.contains("invalidRequest") == true)
        #expect(answers.last?.contains("AAAA-BBBB-CCCC") == true)
    }

    @Test func `a line without an end is cut off`() async throws {
        let answers = try await withServer { _, path, _ in
            let endless = [UInt8](repeating: UInt8(ascii: "x"), count: ControlServer.maximumLineLength + 1)
            return try await exchange(endless, at: path, lines: 1)
        }
        #expect(answers.first?.contains("textTooLong") == true)
    }

    @Test func `connections that say nothing do not keep out others for ever`() async throws {
        let name = try await withServer { client, path, _ in
            let silent = try await openConnections(ControlServer.maximumConnections * 8, at: path)
            for channel in silent { try await channel.close().get() }
            return try await client.call(ProfileRequest.whoami).name
        }
        #expect(name.hasPrefix("Zoë"))
    }

    @Test func `connections that say nothing and stay are closed, also those that wait for a place`() async throws {
        try await withServer(idleTime: .milliseconds(200)) { _, path, _ in
            let silent = try await openConnections(ControlServer.maximumConnections * 2, at: path)
            for channel in silent { try await channel.closeFuture.get() }
        }
    }

    @Test func `connections that say nothing and stay give way to commands, and a command under way to none`()
        async throws
    {
        try await withServer(crowdedIdleTime: .milliseconds(100)) { client, path, node in
            let isEnded = try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    // The stub refuses once it may answer.
                    await #expect(throws: NodeFailure.unknownGroup("“\n”")) {
                        try await client.call(StatusRequest.status)
                    }
                    return true
                }
                while await node.requests.isEmpty { await Task.yield() }
                let silent = try await openConnections(ControlServer.maximumConnections * 2, at: path)
                for _ in 0..<3 { #expect(try await client.call(ProfileRequest.whoami).name.hasPrefix("Zoë")) }
                #expect(!silent[0].isActive)
                #expect(silent.contains { $0.isActive }, "no more are closed than places are needed")
                node.answering.continuation.finish()
                defer { for channel in silent { channel.close(promise: nil) } }
                return try await group.next()
            }
            #expect(isEnded == true)
        }
    }

    @Test func `watchers leave places for commands, and a place when they end`() async throws {
        try await withServer { client, path, _ in
            var watchers: [any Channel] = []
            for _ in 0..<ControlServer.maximumWatchers { watchers.append(try await watcher(at: path)) }
            await #expect(throws: NodeFailure.limitReached(what: "programs that watch this node", limit: 16)) {
                try await client.watch { _ in }
            }
            // All other places are taken by connections that say nothing yet.
            watchers += try await openConnections(
                ControlServer.maximumConnections - ControlServer.maximumWatchers - 1, at: path)
            #expect(try await client.call(ProfileRequest.whoami).name.hasPrefix("Zoë"))
            try await watchers[0].close().get()
            // The server notices a little later.
            while true {
                do { return try await client.watch { _ in throw CancellationError() } } catch is CancellationError {
                    break
                } catch NodeFailure.limitReached {}
            }
            for channel in watchers { channel.close(promise: nil) }
        }
    }

    @Test func `no more connections are served at once than there may be`() async throws {
        try await withServer { client, path, node in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<ControlServer.maximumConnections {
                    group.addTask {
                        do { _ = try await client.call(StatusRequest.status) } catch NodeFailure.unknownGroup {}
                    }
                }
                while await node.requests.count < ControlServer.maximumConnections { await Task.yield() }
                // All places hold a command; one more command waits, however long the others take.
                let isServed = Mutex(false)
                group.addTask {
                    _ = try await client.call(ProfileRequest.whoami)
                    isServed.withLock { $0 = true }
                }
                // Time for an answer: as long as another server takes for a hundred.
                try await withServer { other, _, _ in
                    for _ in 0..<100 { _ = try await other.call(ProfileRequest.whoami) }
                }
                #expect(!isServed.withLock { $0 })
                #expect(await node.requests.count == ControlServer.maximumConnections)
                node.answering.continuation.finish()
                try await group.waitForAll()
                #expect(isServed.withLock { $0 })
            }
        }
    }

    @Test func `the server ends while more connections are open than it serves`() async throws {
        let silent = try await withServer { _, path, _ in
            try await openConnections(ControlServer.maximumConnections * 2, at: path)
        }
        for channel in silent {
            // The server has already closed it, if it had accepted it.
            try? await channel.close().get()
        }
    }

    @Test func `a watcher is told what happens`() async throws {
        let source = AsyncStream<NodeEvent>.makeStream()
        let seen = try await withServer(events: { source.stream }) { client, _, _ in
            var seen: [WatchEvent] = []
            do {
                try await client.watch { event in
                    seen.append(event)
                    switch event {
                    case .watching: source.continuation.yield(.peer(device: "d", state: "linked", via: nil))
                    case .event(.peer): source.continuation.yield(.changed(group: "g", digest: "00"))
                    default: throw CancellationError()
                    }
                }
            } catch is CancellationError {}
            return seen
        }
        #expect(
            seen == [
                .watching, .event(.peer(device: "d", state: "linked", via: nil)),
                .event(.changed(group: "g", digest: "00")),
            ])
    }

    /// A connection that watches: the server has said so.
    private func watcher(at path: String) async throws -> any Channel {
        let watching = AsyncStream<Void>.makeStream()
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelInitializer { channel in
                channel.pipeline.addHandler(FirstRead(continuation: watching.continuation))
            }
            .connect(unixDomainSocketPath: path).get()
        try await channel.writeAndFlush(try ControlCoding.line(ControlRequest.watch)).get()
        for await _ in watching.stream { break }
        return channel
    }

    private func openConnections(_ count: Int, at path: String) async throws -> [any Channel] {
        var channels: [any Channel] = []
        for _ in 0..<count {
            channels.append(
                try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                    .connect(unixDomainSocketPath: path).get())
        }
        return channels
    }
}
