import NIOCore
import NIOEmbedded
import NIOPosix
import StreakNode
import Testing

@testable import StreakWeb

/// Connections of others never block this user's browser.
@Suite(.timeLimit(.minutes(10))) struct ConnectionTests {
    @Test func `where all places are taken, the oldest without a session gives up its place`() throws {
        let table = ConnectionTable(limit: 3)
        let channels = (0..<5).map { _ in EmbeddedChannel() }
        for channel in channels { try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait() }
        func open(_ numbers: [Int]) -> [Bool] { numbers.map { channels[$0].isActive } }
        for channel in channels[..<3] { table.opened(channel) }
        table.trust(channels[0])
        table.opened(channels[3])
        #expect(open([0, 1, 2, 3]) == [true, false, true, true])
        for channel in channels[2...3] { table.trust(channel) }
        table.opened(channels[4])
        #expect(open([0, 2, 3, 4]) == [true, true, true, false])
        #expect(table.count == 3)
    }

    @Test func `a connection that has shown its session outlasts hundreds of others`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            var text = ""
            var isFlooded = false
            let request =
                "GET /events HTTP/1.1\r\nHost: 127.0.0.1:\(page.port)\r\nCookie: \(browser.cookie ?? "")\r\n\r\n"
            try await browser.exchange(request) { part in
                text += String(buffer: part)
                if text.contains("event: ready"), !isFlooded {
                    isFlooded = true
                    var idle: [any Channel] = []
                    for _ in 0..<WebLimit.connections * 2 {
                        idle.append(
                            try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                                .connectTimeout(.minutes(10))
                                .connect(host: "127.0.0.1", port: page.port).get())
                    }
                    for channel in idle[..<WebLimit.connections] { try await channel.closeFuture.get() }
                    for channel in idle { channel.close(promise: nil) }
                    page.tell(.notice("still here"))
                }
                return !text.contains("still here")
            }
            #expect(text.contains("still here"))
        }
    }

    @Test func `a connection that says nothing for too long is closed`() async throws {
        try await withPage(idleTime: .milliseconds(200)) { page in
            for start in ["", "GET / HTTP/1.1\r\nHost"] {
                let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .connectTimeout(.minutes(10))
                    .connect(host: "127.0.0.1", port: page.port).get()
                // On a busy machine the page may have closed it before this is written.
                if !start.isEmpty { try? await channel.writeAndFlush(ByteBuffer(string: start)) }
                try await channel.closeFuture.get()
            }
        }
    }

    @Test func `two large bodies are read at a time, and small ones always`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let heads = ["Content-Length: \(WebLimit.bodySize + 1)", "Transfer-Encoding: chunked"]
            // Whichever come first are read, until their senders go away; the others are answered at once.
            let refused = try await withThrowingTaskGroup { group in
                for number in 0..<WebLimit.uploads + 3 {
                    group.addTask {
                        var text = ""
                        let request = """
                            POST /import/look HTTP/1.1\r\nHost: 127.0.0.1:\(page.port)\r\n\
                            Cookie: \(browser.cookie ?? "")\r\n\(heads[number % 2])\r\n\r\n
                            """
                        try await browser.exchange(request) { part in
                            text += String(buffer: part)
                            return !text.contains("Send it again")
                        }
                        return text
                    }
                }
                var texts: [String] = []
                while texts.count < 3, let text = try await group.next() { texts.append(text) }
                #expect(try await browser.post("/today", "").status != 429)
                group.cancelAll()
                return texts
            }
            #expect(refused.allSatisfy { $0.hasPrefix("HTTP/1.1 429 ") })
        }
    }

    @Test func `hundreds of idle connections do not keep the page from its user`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            var idle: [any Channel] = []
            for number in 0..<WebLimit.connections * 3 {
                let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .connectTimeout(.minutes(10))
                    .connect(host: "127.0.0.1", port: page.port).get()
                // Some have begun a request.
                let start = ByteBuffer(string: "GET / HTTP/1.1\r\nHost")
                if number % 2 == 0 { channel.writeAndFlush(start, promise: nil) }
                idle.append(channel)
            }
            #expect(try await browser.get("/today").status == 200)
            // The first two thirds were closed, or are about to be.
            for channel in idle[..<WebLimit.connections] { try await channel.closeFuture.get() }
            for channel in idle { channel.close(promise: nil) }
        }
    }
}
