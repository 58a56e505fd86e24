import Foundation
import NIOCore
import Testing

@testable import StreakWeb

/// Lines as Linux 6 writes them; the fields are those of proc_pid_net(5).
@Suite struct SocketTableTests {
    private static let heading =
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode"

    /// A line of a table. The page's port is 7420 (1CFC).
    private static func line(_ local: String, _ remote: String, user: Int = 1_000, inode: Int = 5_463_553) -> String {
        "   7: \(local) \(remote) 01 00000000:00000000 00:00000000 00000000 \(user)        0 \(inode) 1 000000001d57add3 20 4 30 10 -1"
    }

    private static func name(_ address: [UInt8], _ port: UInt16) -> SocketName {
        SocketName(address: address, port: port)
    }

    private static let loopback6 = [UInt8](repeating: 0, count: 15) + [1]

    @Test(arguments: [
        (line("0100007F:B0ED", "0100007F:1CFC"), name([127, 0, 0, 1], 45_293), name([127, 0, 0, 1], 7_420)),
        (
            line("00000000000000000000000001000000:B0ED", "00000000000000000000000001000000:1CFC"),
            name(loopback6, 45_293), name(loopback6, 7_420)
        ),
        (
            line("0000000000000000FFFF00000100007F:B0ED", "0000000000000000FFFF00000100007F:1CFC"),
            name([127, 0, 0, 1], 45_293), name([127, 0, 0, 1], 7_420)
        ),
        (
            line("B80D0120000000000000000004030201:0001", "B80D0120000000000000000004030201:FFFF"),
            name([0x20, 1, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4], 1),
            name([0x20, 1, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4], 65_535)
        ),
    ])
    func `lines of both families are read`(line: String, local: SocketName, remote: SocketName) {
        #expect(
            SocketTable.row(Array(line.utf8))
                == SocketTable.Row(local: local, remote: remote, user: 1_000, inode: 5_463_553))
    }

    @Test(arguments: [
        heading, "", " ", ":", "   7: 0100007F:B0ED", line("0100007F", "0100007F:1CFC"),
        line("0100007F:B0EDF", "0100007F:1CFC"),
        line("0100007G:B0ED", "0100007F:1CFC"), line("100007F:B0ED", "0100007F:1CFC"),
        line("0100007F:B0ED:", "0100007F:1CFC"),
        line("0100007F:B0ED", "0100007F0100007F:1CFC"), line("0100007F:B0ED", "0100007F:1CFC", user: -1),
        line("0100007F:B0ED", "0100007F:1CFC", user: 4_294_967_296),
        line("0100007F:B0ED", "0100007F:1CFC", inode: -5), String(repeating: "9", count: 600),
        String(repeating: " 0", count: 400),
        "   7: 0100007F:B0ED 0100007F:1CFC 01 0:0 00:0 0 1000 0 99999999999999999999 1",
    ])
    func `what is no line of a socket is passed over`(line: String) {
        #expect(SocketTable.row(Array(line.utf8)) == nil)
    }

    private static let client = name([127, 0, 0, 1], 45_293)
    private static let server = name([127, 0, 0, 1], 7_420)
    private static let mine = line("0100007F:1CFC", "0100007F:B0ED", user: 1_000)

    private static func owner(_ tables: [String], pieceSize: Int = 1 << 16) throws -> PeerGate.Owner {
        var search = PeerSearch(client: client, server: server, user: 1_000)
        for table in tables {
            var rest = Data(table.utf8)
            let found = try search.read {
                let piece = rest.prefix(pieceSize)
                rest = Data(rest.dropFirst(pieceSize))
                return piece
            }
            if let found { return found }
        }
        return search.conclusion
    }

    @Test(arguments: [
        (line("0100007F:B0ED", "0100007F:1CFC"), PeerGate.Owner.trusted),
        (line("0100007F:B0ED", "0100007F:1CFC", user: 0), .trusted),
        (line("0100007F:B0ED", "0100007F:1CFC", user: 1_001), .foreign),
        (
            line("0000000000000000FFFF00000100007F:B0ED", "0000000000000000FFFF00000100007F:1CFC", user: 65_534),
            .foreign
        ),
        // The number alone does not distinguish a closed socket from the administrator's.
        (line("0100007F:B0ED", "0100007F:1CFC", user: 0, inode: 0), .gone),
        // Another connection by another user.
        (line("0100007F:B0EE", "0100007F:1CFC", user: 1_001), .gone),
        (line("0100007F:B0ED", "0100007F:1CFD", user: 1_001), .gone),
    ])
    func `the other end is whose the table says`(line: String, owner: PeerGate.Owner) throws {
        let table = [Self.heading, Self.mine, line, ""].joined(separator: "\n")
        for size in [1, 7, 1 << 16] { #expect(try Self.owner([table, Self.heading], pieceSize: size) == owner) }
        #expect(try Self.owner([Self.heading, table]) == owner)
    }

    @Test func `a table that tells of the page but not of the connection tells that it is broken off`() throws {
        let listening = Self.line("0100007F:1CFC", "00000000:0000")
        #expect(try Self.owner([listening]) == .gone)
        #expect(try Self.owner([Self.heading]) == .unknown)
        #expect(try Self.owner([]) == .unknown)
    }

    /// A connection closed between reading the two tables is in neither.
    @Test(
        arguments: [
            ("0100007F", [127, 0, 0, 1], "0100007F", [127, 0, 0, 1], PeerGate.Owner.gone),
            ("0100007F", [127, 0, 0, 1], "0500000A", [10, 0, 0, 5], .gone),
            ("0700000A", [10, 0, 0, 7], "0500000A", [10, 0, 0, 5], .unknown),
        ] as [(String, [UInt8], String, [UInt8], PeerGate.Owner)])
    func `a client of this machine is in the table, one of another is not`(
        server: String, serverAddress: [UInt8], client: String, clientAddress: [UInt8], owner: PeerGate.Owner
    ) throws {
        var search = PeerSearch(
            client: Self.name(clientAddress, 45_293), server: Self.name(serverAddress, 7_420), user: 1_000)
        var pieces = [Data(Self.line("\(server):1CFC", "\(client):B0ED").utf8)]
        #expect(try search.read { pieces.popLast() } == nil)
        #expect(search.conclusion == owner)
    }

    @Test func `a table without end, or without lines, is not read to its end`() throws {
        var search = PeerSearch(client: Self.client, server: Self.server, user: 1_000)
        let piece = Data(repeating: UInt8(ascii: "x"), count: 1 << 20)
        var count = 0
        let owner = try search.read {
            count += 1
            return piece
        }
        #expect(owner == .gone)
        #expect(count <= PeerGate.maximumTableSize >> 20 + 1)
    }
}

#if os(Linux)
    @Suite struct OtherUserTests {
        /// What another user's client gets: status and body.
        private static func ask(_ url: String, cookie: String?, as user: Int) throws -> (status: String, body: String) {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
            process.arguments =
                ["--reuid=\(user)", "--clear-groups", "curl", "-s", "-w", "\n%{http_code}", url]
                + (cookie.map { ["-H", "Cookie: \($0)"] } ?? [])
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            return (String(lines.last ?? ""), lines.dropLast().joined(separator: "\n"))
        }

        @Test(
            .enabled(
                if: geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")
                    && FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"),
                "needs root, setpriv and curl: only root can act as another user"))
        func `another user of this machine is refused, signed in or not`() async throws {
            try await withPage { page in
                let browser = try await page.signedIn()
                for path in ["/today", "/api/v1/whoami", "/assets/app.css"] {
                    let url = page.address.url + path
                    let theirs = try Self.ask(url, cookie: browser.cookie, as: 65_534)
                    #expect(theirs.status == "403", "\(path)")
                    #expect(theirs.body.contains("another user of this machine"))
                    #expect(!theirs.body.contains("Ben"))
                    #expect(try Self.ask(url, cookie: browser.cookie, as: 0).status == "200", "\(path)")
                }
                // They cannot use our sign-in link up.
                let link = try #require(page.server.mintSignInURL())
                #expect(try Self.ask(link, cookie: nil, as: 65_534).status == "403")
                #expect(try Self.ask(link, cookie: nil, as: 0).status == "303")
            }
        }
    }
#endif
