import Foundation
import NIOCore
import NIOPosix
import ServiceLifecycle
import StreakNode
import Synchronization

@testable import StreakWeb

/// An answer as received from the socket.
struct Answer: Sendable {
    var status: Int
    /// Names in lower case. Values with the same name are joined by line breaks.
    var headers: [String: String]
    var body: String
}

/// A connection that writes requests as text and reads the answers.
struct LocalBrowser: Sendable {
    var port: Int
    var cookie: String?

    /// Sends one request and reads the answer until the server closes.
    func send(
        _ method: String, _ path: String, body: String? = nil, headers: [String: String] = [:], host: String? = nil
    ) async throws -> Answer {
        var text = "\(method) \(path) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(port)")\r\nConnection: close\r\n"
        if let cookie { text += "Cookie: \(cookie)\r\n" }
        var fields = headers
        if let body {
            fields["Content-Length"] = String(body.utf8.count)
            if fields["Content-Type"] == nil { fields["Content-Type"] = "application/x-www-form-urlencoded" }
        }
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) { text += "\(name): \(value)\r\n" }
        text += "\r\n" + (body ?? "")
        // Pieces can end anywhere, even inside a character.
        var received = ByteBuffer()
        try await exchange(text) { part in
            received.writeImmutableBuffer(part)
            return true
        }
        return Self.parse(String(buffer: received))
    }

    /// Sends a text and passes the answer to `read`, until that returns false or the server closes.
    func exchange(_ text: String, read: (ByteBuffer) async throws -> Bool) async throws {
        // A generous limit for busy machines: these tests are not about speed.
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.minutes(10))
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: text))
            do {
                for try await buffer in inbound {
                    guard try await read(buffer) else { return }
                }
            } catch is IOError {
                // The server closed while we were still sending. What was read counts.
            }
        }
    }

    func get(_ path: String) async throws -> Answer { try await send("GET", path) }

    /// Requests several pages over one connection, at the same time.
    func get(all paths: [String]) async throws -> [Answer] {
        let cookie = cookie.map { "Cookie: \($0)\r\n" } ?? ""
        let requests = paths.enumerated().map { number, path in
            let end = number == paths.count - 1 ? "Connection: close\r\n" : ""
            return "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(cookie)\(end)\r\n"
        }
        var received: [UInt8] = []
        try await exchange(requests.joined()) { part in
            received += part.readableBytesView
            return true
        }
        var answers: [Answer] = []
        var rest = received[...]
        while let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) {
            var answer = Self.parse(String(decoding: rest[..<end.upperBound], as: UTF8.self))
            let body = rest[end.upperBound...].prefix(Int(answer.headers["content-length"] ?? "") ?? 0)
            answer.body = String(decoding: body, as: UTF8.self)
            answers.append(answer)
            rest = rest[body.endIndex...]
        }
        guard answers.count == paths.count else { throw NodeFailure.stopping }
        return answers
    }

    func post(_ path: String, _ body: String) async throws -> Answer {
        try await send("POST", path, body: body, headers: ["Origin": "http://127.0.0.1:\(port)"])
    }

    private static func parse(_ text: String) -> Answer {
        // Lines end in CR LF, which is one Character.
        guard let end = text.range(of: "\r\n\r\n") else { return Answer(status: 0, headers: [:], body: text) }
        let lines = text[..<end.lowerBound].split(separator: "\r\n")
        let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let halves = line.split(separator: ":", maxSplits: 1)
            let value = halves.count > 1 ? halves[1].drop { $0 == " " } : ""
            let name = halves[0].lowercased()
            headers[name] = headers[name].map { "\($0)\n\(value)" } ?? String(value)
        }
        return Answer(status: status, headers: headers, body: String(text[end.upperBound...]))
    }
}

/// A running page with a fake node.
struct RunningPage: Sendable {
    var server: WebServer
    var address: WebAddress
    var port: Int
    var node: FakeNode
    /// Sends the page an event, as the node would.
    var tell: @Sendable (NodeEvent) -> Void
    /// Shuts the page down gracefully.
    var stop: @Sendable () async -> Void

    var stranger: LocalBrowser { LocalBrowser(port: port) }

    /// A browser that has used a sign-in link.
    func signedIn() async throws -> LocalBrowser {
        let link = server.mintSignInURL() ?? ""
        let answer = try await stranger.get(String(link.dropFirst(address.url.count)))
        let cookie = answer.headers["set-cookie"]?.split(separator: ";").first.map(String.init)
        return LocalBrowser(port: port, cookie: cookie)
    }
}

/// Runs a page on a free port while `use` runs.
///
/// - Parameters:
///   - marks: suffixes for the texts of the node's reports, in turn.
///   - idleTime: how long a connection may say nothing. A generous limit for busy machines, as above.
@discardableResult
func withPage<Result: Sendable>(
    _ scenario: FakeNode.Scenario = .full, marks: [String] = [], idleTime: Duration = .seconds(600),
    _ use: @Sendable (RunningPage) async throws -> Result
) async throws -> Result {
    let node = FakeNode(scenario, marks: marks)
    let (events, tell) = AsyncStream.makeStream(of: NodeEvent.self)
    let (ready, announce) = AsyncStream.makeStream(of: WebAddress.self)
    var generator = SystemRandomNumberGenerator()
    let seed = UInt64.random(in: 0 ... .max, using: &generator)
    let counter = Mutex(seed)
    var configuration = WebConfiguration(port: 0)
    configuration.idleTime = idleTime
    let server = WebServer(
        node: node, accounts: scenario == .newcomer ? node : nil, events: { events },
        configuration: configuration,
        entropy: { count in
            (0..<count).map { _ in
                counter.withLock { value in
                    value = value &* 6_364_136_223_846_793_005 &+ 1
                    return UInt8(value >> 56)
                }
            }
        }, now: { FakeNode.now }, logger: quietLogger, onReady: { announce.yield($0) })
    let group = ServiceGroup(configuration: .init(services: [server], logger: quietLogger))
    return try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask { try await group.run() }
        var iterator = ready.makeAsyncIterator()
        guard let address = await iterator.next(), let port = Int(address.url.split(separator: ":").last ?? "") else {
            throw NodeFailure.stopping
        }
        let page = RunningPage(
            server: server, address: address, port: port, node: node, tell: { tell.yield($0) },
            stop: { await group.triggerGracefulShutdown() })
        let result: Result
        do {
            result = try await use(page)
        } catch {
            await group.triggerGracefulShutdown()
            throw error
        }
        await group.triggerGracefulShutdown()
        try await tasks.waitForAll()
        return result
    }
}
