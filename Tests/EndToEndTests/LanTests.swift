import StreakRandom

#if os(Linux)
    import Foundation
    import StreakTestSupport
    import Testing

    /// Nodes on a network of their own without any way out: they find each other by beacons alone, and tell a stranger
    /// nothing.
    @Suite(.serialized, .enabled(if: Lan.isAvailable, "needs Linux and root, and STREAKMESH_NETWORK_TESTS=1"))
    struct LanTests {
        @Test(.timeLimit(.minutes(10)))
        func `three nodes find each other by beacon alone, and a stranger learns nothing`() async throws {
            try await Lab.open { lab in
                let lan = try await Lan(in: lab, count: 4)
                let stranger = try await Stranger(at: lan.hosts[3])
                let names = ["Ada Lovelace", "Béla Bartók", "Chloë Sevigny"]
                var friends: [Friend] = []
                for (name, host) in zip(names, lan.hosts) {
                    friends.append(try await lab.friend(name, launcher: host.launcher))
                }
                var nodes: [RunningNode] = []
                for friend in friends { nodes.append(try await friend.start(listen: "0.0.0.0:0", lan: true)) }
                try await friends[0].ask("group", "create", "Breakfast club")
                let link = try #require(try await friends[0].ask("invite", "--uses", "2")["link"].text)
                try await friends[1].ask("join", link)
                // The inviter moves to an address that the link does not hold: only a beacon finds the group.
                for node in nodes.prefix(2) { try await node.stop() }
                for position in 0..<2 {
                    let port = try freePort()
                    nodes[position] = try await friends[position].start(listen: "0.0.0.0:\(port)", lan: true)
                }
                #expect(try await friends[2].ask("join", link)["members"].integer == 3)
                try await lab.agreement(of: friends)

                // And once more, with every remembered address wrong.
                for node in nodes { try await node.stop() }
                for (position, friend) in friends.enumerated() {
                    try await friend.ask("add", input: ShareTexts.wordle(1_351, guesses: position + 2))
                }
                let restart = stranger.frames().count
                for (position, friend) in friends.enumerated() {
                    let port = try freePort()
                    nodes[position] = try await friend.start(listen: "0.0.0.0:\(port)", lan: true)
                }
                let complete = stranger.frames().count
                try await lab.agreement(of: friends)
                let rows = try await friends[0].board()
                #expect(rows.map { $0["name"].text } == names)
                for friend in friends { #expect(try await friend.board() == rows) }

                try await Self.expectNothingTold(to: stranger, of: friends, link: link)
                try await Self.expectNoAnswer(
                    to: stranger, from: nodes, on: lan, heardSince: restart, beaconsSince: complete)
                #expect(try await lab.agreement(of: friends, limit: .seconds(5)).isEmpty == false)
            }
        }

        /// Nothing that names anybody or anything passed by in the clear.
        private static func expectNothingTold(to stranger: Stranger, of friends: [Friend], link: String) async throws {
            let frames = stranger.frames()
            #expect(frames.count > 100, "the stranger heard only \(frames.count) frames")
            var secrets: [(what: String, bytes: [UInt8])] = []
            func add(_ what: String, text: String) { secrets.append((what, Array(text.utf8))) }
            func add(_ what: String, hexadecimal: String) {
                let digits = Array(hexadecimal.utf8)
                let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
                    UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
                }
                // A part of it would be as bad as all of it.
                for part in [bytes.prefix(8), bytes.suffix(8)] {
                    secrets.append((what, Array(part)))
                    add(
                        "\(what) in hexadecimal",
                        text: part.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
                    for alphabet in ["ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "0123456789ABCDEFGHJKMNPQRSTVWXYZ"] {
                        let text = base32(Array(part), alphabet: Array(alphabet))
                        add("\(what) in base 32", text: text)
                        add("\(what) in base 32", text: text.lowercased())
                    }
                }
            }
            for friend in friends {
                add("a name", text: friend.name)
                let profile = try await friend.ask("whoami")
                for key in ["user", "device"] { add("a \(key) ID", hexadecimal: try #require(profile[key].text)) }
                add("a friend code", text: try #require(profile["friendCode"].text))
            }
            let group = try await friends[0].ask("group", "list")["groups"][0]
            add("a title", text: try #require(group["title"].text))
            add("a group ID", hexadecimal: try #require(group["id"].text))
            add("a game", text: "wordle")
            add("a link", text: String(link.dropFirst("streakmesh://join/".count).prefix(24)))
            let traffic = frames.map { Data($0) }
            for secret in secrets where traffic.contains(where: { $0.range(of: Data(secret.bytes)) != nil }) {
                Issue.record("the stranger saw \(secret.what)")
            }
        }

        /// Twelve characters, as many as eight bytes fill.
        private static func base32(_ bytes: [UInt8], alphabet: [Character]) -> String {
            var text = ""
            var (value, bits) = (0, 0)
            for byte in bytes {
                value = (value << 8 | Int(byte)) & 0xFFFF
                bits += 8
                while bits >= 5 {
                    bits -= 5
                    text.append(alphabet[value >> bits & 31])
                }
            }
            return text
        }

        /// Neither nonsense nor packets of others, sent once more, make a node answer.
        ///
        /// What it has heard before it was last started, or never, a node cannot know for old, and may answer: with
        /// nothing that the sender can read. So only what all of them heard is sent again.
        private static func expectNoAnswer(
            to stranger: Stranger, from nodes: [RunningNode], on lan: Lan, heardSince start: Int,
            beaconsSince complete: Int
        ) async throws {
            func isBeacon(_ datagram: Stranger.Datagram) -> Bool {
                datagram.destination.hasPrefix("239.") || datagram.destination.hasSuffix(".255")
            }
            try await nodes[0].friend.lab.eventually("a beacon after all nodes are up") {
                stranger.datagrams(from: complete).contains(where: isBeacon)
            }
            let heard =
                stranger.datagrams(from: complete).filter(isBeacon)
                + stranger.datagrams(from: start).filter { datagram in
                    !isBeacon(datagram) && nodes.contains { $0.port == datagram.destinationPort }
                }
            var random = SplitMix64(seed: 2)
            for (node, host) in zip(nodes, lan.hosts) {
                let own = heard.filter { $0.destination == host.address }
                #expect(own.count > 3, "nobody sent anything to \(host.name)")
                for datagram in heard {
                    stranger.send(datagram.payload, to: node.port, of: host)
                    if isBeacon(datagram) {
                        stranger.send(datagram.payload, to: datagram.destinationPort, of: host)
                    }
                }
                for _ in 0..<500 {
                    let size = Int.random(in: 0...1_300, using: &random)
                    stranger.send(
                        (0..<size).map { _ in UInt8.random(in: .min ... .max, using: &random) }, to: node.port, of: host
                    )
                }
            }
            // A node that answers its owner has had its turn with what came before.
            for node in nodes { try await node.friend.ask("status") }
            #expect(stranger.answer() == nil)
            let answers = stranger.datagrams().filter { $0.destination == lan.hosts[3].address }
            #expect(
                answers.isEmpty,
                "a node answered a stranger: \(answers.map { ($0.source, $0.destinationPort, $0.payload.count, $0.payload.prefix(4)) })"
            )
        }

        @Test(.timeLimit(.minutes(10)))
        func `what both sides record while the cable is out is merged when it is in again`() async throws {
            try await Lab.open { lab in
                let lan = try await Lan(in: lab, count: 2)
                let ada = try await lab.friend("Ada", launcher: lan.hosts[0].launcher)
                let bela = try await lab.friend("Béla", launcher: lan.hosts[1].launcher)
                let nodes = [
                    try await ada.start(listen: "0.0.0.0:0", lan: true),
                    try await bela.start(listen: "0.0.0.0:0", lan: true),
                ]
                try await ada.share(with: bela)
                let before = try await lab.agreement(of: [ada, bela])

                try await lan.setCable(of: lan.hosts[1], isPlugged: false)
                for number in 1_345...1_351 {
                    try await ada.ask("add", input: ShareTexts.wordle(number, guesses: 3))
                    try await bela.ask("add", input: ShareTexts.wordle(number, guesses: 4))
                }
                let apart = Set([try await ada.digest(), try await bela.digest(), before])
                #expect(apart.count == 3, "nothing was recorded while apart")
                try await lan.setCable(of: lan.hosts[1], isPlugged: true)
                try await lab.agreement(of: [ada, bela], limit: .seconds(60))
                let rows = try await ada.board()
                #expect(rows.map { $0["played"].integer } == [7, 7])
                #expect(try await bela.board() == rows)
                withExtendedLifetime(nodes) {}
            }
        }
    }
#endif
