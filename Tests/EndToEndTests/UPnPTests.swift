#if os(Linux)
    import Foundation
    import StreakInternet
    import StreakTestSupport
    import StreakWire
    import Testing

    @testable import StreakNode

    /// The helper and `miniupnpd`, as many home routers have it.
    @Suite(
        .serialized,
        .enabled(
            if: canTryHelper && FileManager.default.isExecutableFile(atPath: "/usr/sbin/miniupnpd"),
            "needs the helper program, miniupnpd-nftables, Linux and root"))
    struct UPnPTests {
        private static let inside = Endpoint(ipv4: 0xC612_0102, port: 7_420)
        /// 2001:db8:1::2 as nftables lists it in miniupnpd's rules.
        private static let pinhole = "20010db8000100000000000000000002"

        /// A router and two machines behind it.
        private struct Household {
            let lan: Lan
            let lab: Lab
            var router: Lan.Host { lan.hosts[0] }

            init(in lab: Lab) async throws {
                self.lab = lab
                lan = try await Lan(in: lab, count: 3, network: "198.18.1")
                let words = [
                    ["link", "add", "wan0", "type", "veth", "peer", "name", "wan1"],
                    ["link", "set", "wan1", "up"], ["link", "set", "wan0", "up"],
                    ["address", "add", "198.18.9.1/24", "dev", "wan0"],
                    ["address", "add", "2001:db8:9::1/64", "dev", "wan0", "nodad"],
                    ["address", "add", "2001:db8:1::1/64", "dev", "eth0", "nodad"],
                ]
                for line in words { try await ip(at: router, line) }
                try await ip(at: lan.hosts[1], ["address", "add", "2001:db8:1::2/64", "dev", "eth0", "nodad"])
                for host in lan.hosts.dropFirst() {
                    try await ip(at: host, ["route", "add", "default", "via", router.address])
                }
                let table = """
                    table inet filter {
                      chain forward { type filter hook forward priority 0; policy drop; jump miniupnpd; }
                      chain miniupnpd { }
                      chain prerouting { type nat hook prerouting priority -100; jump prerouting_miniupnpd; }
                      chain postrouting { type nat hook postrouting priority 100; jump postrouting_miniupnpd; }
                      chain prerouting_miniupnpd { }
                      chain postrouting_miniupnpd { }
                    }
                    """
                let result = try await lab.run(router.launcher + ["nft", "-f", "-"], input: table)
                guard result.exitCode == 0 else { throw TestFailure("\(result)") }
            }

            private func ip(at host: Lan.Host, _ words: [String]) async throws {
                let result = try await lab.run(["ip", "-n", host.name] + words)
                guard result.exitCode == 0 else { throw TestFailure("\(result)") }
            }

            /// Starts miniupnpd. It only reports the outside address; where none is said, it finds its own reserved.
            func start(outside: String? = "5.9.9.9", options: [String] = []) async throws -> Daemon {
                let lines =
                    [
                        "ext_ifname=wan0", "ext_ifname6=wan0", "listening_ip=eth0", "ipv6_disable=no",
                        "enable_natpmp=no",
                        "enable_upnp=yes", "secure_mode=yes", "uuid=11111111-2222-3333-4444-555555555555",
                        "upnp_table_name=filter", "upnp_nat_table_name=filter", "upnp_forward_chain=miniupnpd",
                        "upnp_nat_chain=prerouting_miniupnpd", "upnp_nat_postrouting_chain=postrouting_miniupnpd",
                    ] + (outside.map { ["ext_ip=\($0)"] } ?? []) + options + [
                        "allow 1024-65535 0.0.0.0/0 1024-65535", "deny 0-65535 0.0.0.0/0 0-65535",
                    ]
                let path = "\(lab.folder)/miniupnpd.conf"
                try (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: true, encoding: .utf8)
                let pid = "\(lab.folder)/miniupnpd.pid"
                let daemon = try Daemon(
                    in: lab, router.launcher + ["/usr/sbin/miniupnpd", "-d", "-f", path, "-P", pid])
                try await daemon.says("HTTP listening on port")
                return daemon
            }

            func home(_ number: Int, answer: Duration? = nil) throws -> HelperHome {
                try HelperHome(at: lan.hosts[number], answer: answer, in: lab)
            }

            /// Lets no search for a router out of a home any more, which goes to port 1900 (UPnP Device Architecture
            /// 2.0, §1.3.2).
            func endSearches(of number: Int) async throws {
                for rule in [
                    "add table inet quiet",
                    "add chain inet quiet out { type filter hook output priority 0; }",
                    "add rule inet quiet out udp dport 1900 drop",
                ] {
                    let answer = try await lab.run(lan.hosts[number].launcher + ["nft", rule])
                    try #require(answer.exitCode == 0, "nft: \(answer.output)")
                }
            }

            /// What the router lets in and where to, as nftables has it.
            func rules() async throws -> String {
                try await lab.run(router.launcher + ["nft", "list", "ruleset"]).output
            }
        }

        @Test(.timeLimit(.minutes(10)), arguments: [false, true])
        func `a port is opened, kept, and closed; where it is taken, another one is opened`(isOld: Bool) async throws {
            try await Lab.open { lab in
                let household = try await Household(in: lab)
                _ = try await household.start(options: isOld ? ["force_igd_desc_v1=yes"] : [])
                let ada = try household.home(1)
                let wish = PortWish(transport: .udp, inside: Self.inside, outsidePort: 7_420)
                let port = try await ada.helper.map(wish)
                #expect(port.outside == Endpoint(ipv4: 0x0509_0909, port: 7_420))
                #expect(port.lease == 3_600)
                #expect(try await household.rules().contains("dnat ip to 198.18.1.2:7420"))

                // Again, as for a renewal: the same port, and without a search, which from here on finds nothing.
                try await household.endSearches(of: 1)
                var again = wish
                again.router = port.router
                #expect(try await ada.helper.map(again) == port)

                var stream = again
                (stream.transport, stream.isExact) = (.tcp, true)
                let tcp = try await ada.helper.map(stream)
                #expect(tcp.outside == port.outside)

                // Somebody else's wish for the same ports.
                let ben = try household.home(2)
                var other = again
                other.inside = Endpoint(ipv4: 0xC612_0103, port: 7_420)
                let taken = try await ben.helper.map(other)
                #expect(taken.outsidePort != 7_420)
                (other.transport, other.isExact) = (.tcp, true)
                await #expect(throws: HelperFailure.refused(.refused(code: 718))) {
                    _ = try await ben.helper.map(other)
                }
                // miniupnpd lets nobody have a port below 1024.
                other.outsidePort = 80
                await #expect(throws: HelperFailure.self) { _ = try await ben.helper.map(other) }

                for opened in [port, tcp] { try await ada.helper.unmap(opened) }
                #expect(try await !household.rules().contains("198.18.1.2:7420"))
            }
        }

        @Test(.timeLimit(.minutes(10)))
        func `a firewall for IPv6 is opened for one port, and closed again`() async throws {
            try await Lab.open { lab in
                let household = try await Household(in: lab)
                _ = try await household.start()
                let ada = try household.home(1)
                let inside = Endpoint(address: Bytes16(0x2001_0DB8_0001_0000, 2), port: 7_420)
                let port = try await ada.helper.map(PortWish(transport: .udp, inside: inside, outsidePort: 7_420))
                #expect(port.outside == inside)
                #expect(port.pinhole != nil)
                #expect(try await household.rules().contains(Self.pinhole))
                try await ada.helper.unmap(port)
                #expect(try await !household.rules().contains(Self.pinhole))
            }
        }

        @Test(.timeLimit(.minutes(10)))
        func `a router behind another router, one that is gone, and none are told apart`() async throws {
            try await Lab.open { lab in
                let household = try await Household(in: lab)
                let ada = try household.home(1)
                var wish = PortWish(transport: .udp, inside: Self.inside, outsidePort: 7_420)
                // Killed while it searches, which takes six seconds where there is none.
                let asked = wish
                async let mapped = ada.helper.map(asked)
                kill(try await ada.process(in: lab), SIGKILL)
                do {
                    _ = try await mapped
                    Issue.record("a helper that was killed answered")
                } catch {
                    #expect(error as? HelperFailure == .ended)
                }
                await #expect(throws: HelperFailure.refused(.noRouter)) { _ = try await ada.helper.map(wish) }
                let second = try await household.start(outside: nil)
                await #expect(throws: HelperFailure.refused(.unconnected)) { _ = try await ada.helper.map(wish) }
                await second.stop()
                let first = try await household.start()
                let port = try await ada.helper.map(wish)
                await first.stop()
                wish.router = port.router
                await #expect(throws: HelperFailure.refused(.noRouter)) { _ = try await ada.helper.map(wish) }
            }
        }

        /// Answers that name no router, or open no port; and odd ones that miniupnpc may accept. One that never ends is cut off
        /// by the time limit.
        private static let nonsense = [
            "silent", "drip", "great length", "nested", "noise", "endless control", "private", "loopback", "no address",
        ]
        private static let oddities = [
            "false length", "negative length", "false chunks", "unclosed", "long names", "long location",
        ]

        /// The most memory that a process has had, in kB.
        private static func mostMemory(of process: Int32) throws -> Int {
            let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
            return try #require(line.split(separator: " ").compactMap { Int($0) }.first)
        }

        @Test(.timeLimit(.minutes(10)))
        func `a router that answers nonsense costs an answer, and neither the node nor the next one`() async throws {
            try await Lab.open { lab in
                let household = try await Household(in: lab)
                let ada = try household.home(1, answer: .seconds(20))
                let liar = try Daemon(
                    in: lab,
                    household.router.launcher + DHTCluster.words("lying-router.py") + [household.router.address])
                let wish = PortWish(transport: .udp, inside: Self.inside, outsidePort: 7_420)
                var asked = 0
                /// The port; nil where it was refused, or there was no answer in time.
                func answer(to way: String) async throws -> OpenedPort? {
                    try liar.read(way + "\n")
                    asked += 1
                    try await liar.says("\(asked) answers: \(way)")
                    do {
                        return try await ada.helper.map(wish)
                    } catch let failure as HelperFailure {
                        #expect(failure != .ended && failure != .nonsense, "\(way)")
                        return nil
                    }
                }
                let honest = Endpoint(ipv4: 0x0808_0404, port: 7_420)
                #expect(try await answer(to: "honest")?.outside == honest)
                let helper = try await ada.process(in: lab)
                #expect(try await answer(to: "endless") == nil)
                #expect(try Self.mostMemory(of: helper) < 170_000)
                for way in Self.nonsense { #expect(try await answer(to: way) == nil, "\(way)") }
                for way in Self.oddities { _ = try await answer(to: way) }
                #expect(try await answer(to: "honest")?.outside == honest)
                await liar.stop()
                _ = try await household.start()
                #expect(try await ada.helper.map(wish).outside == Endpoint(ipv4: 0x0509_0909, port: 7_420))
            }
        }
    }
#endif
