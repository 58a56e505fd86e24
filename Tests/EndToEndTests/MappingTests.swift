#if os(Linux)
    import Foundation
    import StreakTestSupport
    import Testing

    /// A node behind a router that is a real one's program, miniupnpd, on a network of its own.
    @Suite(
        .serialized,
        .enabled(if: HomeNetwork.hasPortMapper, "needs Linux and root, miniupnpd, and STREAKMESH_NETWORK_TESTS=1"))
    struct MappingTests {
        private static let port: UInt16 = 7_000

        /// A home with one account, and what its node says of the internet.
        private struct Home {
            let network: HomeNetwork
            let ada: Friend

            init(in lab: Lab, hosts: Int = 1) async throws {
                network = try await HomeNetwork(in: lab, hosts: hosts)
                ada = try await lab.friend("Ada", launcher: network.hosts[0].launcher)
            }

            func start(_ options: String...) async throws -> RunningNode {
                try await ada.start("--internet", options.first ?? "on", listen: "0.0.0.0:\(MappingTests.port)")
            }

            func report() async throws -> JSONValue { try await ada.ask("status")["internet"] }

            /// What the node says once it knows.
            @discardableResult
            func report(limit: Duration = .seconds(30), _ wanted: (JSONValue) -> Bool) async throws -> JSONValue {
                var report = JSONValue.null
                do {
                    try await ada.lab.eventually("the node knows", limit: limit) {
                        report = try await self.report()
                        return wanted(report)
                    }
                } catch {
                    throw TestFailure("\(error): \(report)")
                }
                return report
            }

            @discardableResult
            func mapping() async throws -> JSONValue { try await report { $0["mapping"]["streams"].bool == true } }

            /// How many datagrams the node has refused that were no packets of links.
            func malformedCount() async throws -> Int {
                try await ada.ask("status")["refused"].items.filter { $0["what"].text == "packet" }
                    .compactMap { $0["count"].integer }.reduce(0, +)
            }
        }

        @Test(.timeLimit(.minutes(5)))
        func `a router opens the port, what nobody asked for comes in, and the end closes it`() async throws {
            try await Lab.open { lab in
                let home = try await Home(in: lab)
                try await home.network.startPortMapper()
                try await home.network.knock(at: Self.port)
                var node = try await home.start()
                let report = try await home.mapping()
                #expect(report["reach"].text == "mapped")
                #expect(report["mapping"]["by"].text == "pcp")
                #expect(report["mapping"]["outside"].text == "\(HomeNetwork.toldAddress):\(Self.port)")
                #expect(report["mapping"]["streams"].bool == true)
                #expect(report["mapping"]["until"].text != nil)
                #expect(report["finding"] == .null)
                #expect(try await home.malformedCount() == 0, "the port was open before it was asked for")
                // It may be lost under way.
                try await lab.eventually("a datagram comes in") {
                    try await home.network.knock(at: Self.port)
                    return try await home.malformedCount() > 0
                }

                // The same mapping after a crash: the router knows the node by its nonce.
                await node.kill()
                #expect(try await home.network.openPortCount() > 0)
                node = try await home.start()
                let again = try await home.mapping()
                #expect(again["mapping"]["outside"] == report["mapping"]["outside"])
                #expect(try await node.stop() == 0)
                // A node that ends tells the router and does not wait for its answer.
                try await lab.eventually("the port is closed") { try await home.network.openPortCount() == 0 }
            }
        }

        @Test(.timeLimit(.minutes(5)), .enabled(if: canTryHelper, "needs the helper program"))
        func `a router that knows nothing but UPnP for IPv4 opens the port, and closes it at the end`() async throws {
            try await Lab.open { lab in
                let home = try await Home(in: lab)
                try await home.network.startPortMapper(byUPnP: true)
                let node = try await home.start()
                // The firewall for IPv6 speaks PCP all the same, and answers sooner.
                let report = try await home.report { $0["mapping"]["by"].text == "upnp" }
                #expect(report["reach"].text == "mapped")
                #expect(report["mapping"]["outside"].text == "\(HomeNetwork.toldAddress):\(Self.port)")
                #expect(report["mapping"]["streams"].bool == true)
                #expect(report["finding"] == .null)
                // It may be lost under way.
                try await lab.eventually("a datagram comes in") {
                    try await home.network.knock(at: Self.port)
                    return try await home.malformedCount() > 0
                }
                #expect(try await node.stop() == 0)
                try await lab.eventually("the port is closed") { try await home.network.openPortCount() == 0 }
            }
        }

        @Test(.timeLimit(.minutes(5)))
        func `an IPv6 address is told, and the router’s firewall lets through what comes to it`() async throws {
            try await Lab.open { lab in
                let home = try await Home(in: lab)
                let early = try await home.start("off")
                try await home.network.knock(at: Self.port, of: "2001:db8:1::2")
                #expect(try await home.malformedCount() == 0, "there is no firewall")
                try await early.stop()
                try await home.network.startPortMapper()
                let node = try await home.start()
                // Before the firewall has answered, the address is its own word only.
                let report = try await home.report { report in
                    report["outside"].items.count { $0["source"].text == "mapped" } == 2
                }
                let sources = report["outside"].items.map { "\($0["source"].text ?? "") \($0["endpoint"].text ?? "")" }
                #expect(
                    sources == [
                        "mapped \(HomeNetwork.toldAddress):\(Self.port)",
                        "mapped [2001:db8:1::2]:\(Self.port)",
                    ])
                // It may be lost under way.
                try await lab.eventually("a datagram comes in") {
                    try await home.network.knock(at: Self.port, of: "2001:db8:1::2")
                    return try await home.malformedCount() > 0
                }
                withExtendedLifetime(node) {}
            }
        }

        @Test(.timeLimit(.minutes(5)))
        func `where another machine of the home has the port, the router gives another one`() async throws {
            try await Lab.open { lab in
                let home = try await Home(in: lab, hosts: 2)
                try await home.network.startPortMapper()
                let other = home.network.hosts[1]
                // By NAT-PMP: UDP, port 7000 inside and outside, an hour.
                let answer = try await home.network.ask(
                    [0, 1, 0, 0, 0x1B, 0x58, 0x1B, 0x58, 0, 0, 0x0E, 0x10], from: other)
                #expect(answer.count == 16 && answer[8...11] == [0x1B, 0x58, 0x1B, 0x58])
                let node = try await home.start()
                let outside = try #require(try await home.mapping()["mapping"]["outside"].text)
                let port = try #require(outside.split(separator: ":").last.flatMap { UInt16($0) })
                #expect(port != Self.port)
                // It may be lost under way.
                try await lab.eventually("a datagram comes in") {
                    try await home.network.knock(at: port)
                    return try await home.malformedCount() > 0
                }
                withExtendedLifetime(node) {}
            }
        }

        @Test(.timeLimit(.minutes(5)))
        func `a router that starts again is asked again`() async throws {
            try await Lab.open { lab in
                let home = try await Home(in: lab)
                try await home.network.startPortMapper()
                let node = try await home.start()
                try await home.mapping()
                try await home.network.stopPortMapper()
                try await home.network.resetRules()
                #expect(try await home.network.openPortCount() == 0)
                try await home.network.startPortMapper(isNew: true)
                try await lab.eventually("the port is open again") { try await home.network.openPortCount() > 0 }
                // It may be lost under way.
                try await lab.eventually("a datagram comes in") {
                    try await home.network.knock(at: Self.port)
                    return try await home.malformedCount() > 0
                }
                withExtendedLifetime(node) {}
            }
        }

        @Test(.timeLimit(.minutes(5)))
        func `a router behind another one is found out`() async throws {
            try await Lab.open { lab in
                let home = try await Home(in: lab)
                try await home.network.startPortMapper(tellsAddress: false)
                let node = try await home.start()
                let report = try await home.report { $0["finding"].text != nil }
                #expect(report["finding"].text == "carrier-nat")
                let doctor = try await home.ada.run("doctor").json
                #expect(doctor["findings"].items.contains { $0["subject"].text == "router" }, "\(doctor)")
                #expect(report["outside"].items.allSatisfy { $0["endpoint"].text?.hasPrefix("[") ?? false })
                #expect(try await home.network.openPortCount() == 0)
                withExtendedLifetime(node) {}
            }
        }

        @Test(.timeLimit(.minutes(5)))
        func `a silent router is given up in time, and asked for nothing where the user does not want it`() async throws
        {
            try await Lab.open { lab in
                let home = try await Home(in: lab)
                try await home.network.resetRules(answeringHome: false)
                var node = try await home.start()
                let report = try await home.report { $0["finding"].text != nil }
                #expect(report["finding"].text == "no-answer")
                #expect(report["outside"].items.compactMap { $0["source"].text } == ["ipv6"])

                try await home.network.resetRules()
                try await home.network.startPortMapper()
                for setting in ["off", "lan-only"] {
                    #expect(try await home.ada.ask("internet", setting)["setting"].text == setting)
                    #expect(try await node.stop() == 0)
                    node = try await home.ada.start(listen: "0.0.0.0:\(Self.port)")
                    #expect(try await home.report()["setting"].text == setting)
                    #expect(try await home.report()["outside"].items.isEmpty)
                    #expect(try await home.network.openPortCount() == 0)
                }
                try await home.ada.ask("internet", "on")
                try await home.mapping()
                try await home.ada.ask("internet", "off")
                // The command does not wait for the router.
                try await lab.eventually("the router closes the port") {
                    try await home.network.openPortCount() == 0
                }
            }
        }

        @Test(.timeLimit(.minutes(5)))
        func `with lan-only nothing goes beyond the local network or comes from there`() async throws {
            try await Lab.open { lab in
                let lan = try await Lan(in: lab, count: 2)
                // Addresses of the internet.
                let hosts = [
                    try await lan.move(lan.hosts[0], to: "198.18.0.1"),
                    try await lan.move(lan.hosts[1], to: "198.18.0.2"),
                ]
                for host in hosts {
                    // Every interface has a link-local address by IPv6, which goes on.
                    let words = ["sh", "-c", "echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6"]
                    #expect(try await lab.run(host.launcher + words).exitCode == 0)
                }
                let ada = try await lab.friend("Ada", launcher: hosts[0].launcher)
                let ben = try await lab.friend("Ben", launcher: hosts[1].launcher)
                let nodes = [
                    try await ada.start(listen: "0.0.0.0:0", lan: true),
                    try await ben.start(listen: "0.0.0.0:0", lan: true),
                ]
                try await ada.share(with: ben)
                try await lab.agreement(of: [ada, ben])
                try await ada.ask("internet", "lan-only")
                for friend in [ada, ben] {
                    let result = try await friend.run("sync")
                    #expect(result.errorCode == "nobodyReachable", "\(result)")
                }
                try await ben.ask("add", input: ShareTexts.wordle(1_351, guesses: 3))
                #expect(try await ada.digest() != ben.digest())
                // What is private goes on.
                _ = try await lan.move(hosts[0], to: "10.77.0.1")
                _ = try await lan.move(hosts[1], to: "10.77.0.2")
                try await lab.agreement(of: [ada, ben], limit: .seconds(60))
                withExtendedLifetime(nodes) {}
            }
        }
    }
#endif
