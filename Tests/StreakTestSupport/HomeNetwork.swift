#if os(Linux)
    import Foundation
    import Synchronization

    /// A home behind a router, and somebody on the internet, in network namespaces. Needs root.
    ///
    /// The home has addresses of 192.168.1.0/24 and 2001:db8:1::/64, the internet of 198.18.0.0/24 and 2001:db8:2::/64. The router
    /// translates IPv4, keeping ports, and lets in by IPv6 only what was asked for.
    public final class HomeNetwork: Sendable {
        /// Whether there is a program that opens ports, besides what namespaces need.
        public static var hasPortMapper: Bool {
            Lan.isAvailable && FileManager.default.isExecutableFile(atPath: "/usr/sbin/miniupnpd")
        }

        /// The router's address on the internet.
        public static let routerAddress = "198.18.0.1"
        /// What the router says that its address is: one that miniupnpd does not take for private.
        public static let toldAddress = "20.30.40.50"

        private let lab: Lab
        private let router: String
        private let daemon = Mutex<Child?>(nil)
        public let hosts: [Lan.Host]
        public let elsewhere: Lan.Host

        /// Makes a home of `count` hosts, which is gone when the lab closes.
        public init(in lab: Lab, hosts count: Int) async throws {
            self.lab = lab
            let prefix = "sm\(String(UInt32.random(in: .min ... .max), radix: 36))"
            router = "\(prefix)-router"
            hosts = (1...count).map { Lan.Host(name: "\(prefix)-\($0)", address: "192.168.1.\($0 + 1)") }
            elsewhere = Lan.Host(name: "\(prefix)-away", address: "198.18.0.2")
            let names = [router, elsewhere.name] + hosts.map(\.name)
            lab.atEnd { [lab] in
                for name in names {
                    // One that was never made cannot be deleted.
                    _ = try? await lab.run(["ip", "netns", "delete", name])
                }
            }
            for name in names {
                try await run("ip", "netns", "add", name)
                try await run("ip", "-n", name, "link", "set", "lo", "up")
            }
            try await wire()
        }

        private func wire() async throws {
            try await run("ip", "-n", router, "link", "add", "lan0", "type", "bridge")
            try await run("ip", "-n", router, "link", "set", "lan0", "up")
            for (number, host) in hosts.enumerated() {
                try await connect(host.name, to: "p\(number)")
                try await run("ip", "-n", router, "link", "set", "p\(number)", "master", "lan0", "up")
                try await address(host.name, "eth0", "\(host.address)/24", "2001:db8:1::\(number + 2)/64")
            }
            try await connect(elsewhere.name, to: "wan0")
            try await run("ip", "-n", router, "link", "set", "wan0", "up")
            try await address(router, "lan0", "192.168.1.1/24", "2001:db8:1::1/64", "fe80::1/64")
            try await address(router, "wan0", "\(Self.routerAddress)/24", "2001:db8:2::1/64")
            try await address(elsewhere.name, "eth0", "\(elsewhere.address)/24", "2001:db8:2::2/64")
            for host in hosts {
                try await run("ip", "-n", host.name, "route", "add", "default", "via", "192.168.1.1")
                try await run("ip", "-n", host.name, "-6", "route", "add", "default", "via", "fe80::1", "dev", "eth0")
            }
            try await run("ip", "-n", router, "route", "add", "default", "via", elsewhere.address)
            try await run("ip", "-n", elsewhere.name, "-6", "route", "add", "2001:db8:1::/64", "via", "2001:db8:2::1")
            for path in ["ipv4/ip_forward", "ipv6/conf/all/forwarding"] {
                try await run("ip", "netns", "exec", router, "sh", "-c", "echo 1 > /proc/sys/net/\(path)")
            }
            try await resetRules()
        }

        private func connect(_ name: String, to port: String) async throws {
            try await run(
                "ip", "link", "add", port, "netns", router, "type", "veth", "peer", "name", "eth0", "netns", name)
            try await run("ip", "-n", name, "link", "set", "eth0", "up")
        }

        private func address(_ name: String, _ interface: String, _ addresses: String...) async throws {
            for address in addresses {
                // Of use at once: nobody else has it.
                let options = address.contains(":") ? ["nodad"] : []
                try await run(["ip", "-n", name, "address", "add", address, "dev", interface] + options)
            }
        }

        private func run(_ words: String...) async throws { try await run(words) }

        private func run(_ words: [String], input: String? = nil) async throws {
            let result = try await lab.run(words, input: input)
            guard result.exitCode == 0 else { throw TestFailure("\(result)") }
        }

        // MARK: The router

        /// Has the router forget every port that it has opened.
        public func resetRules(answeringHome: Bool = true) async throws {
            let input = answeringHome ? "" : "iifname \"lan0\" udp dport { 1900, 5351 } drop;"
            let rules = """
                flush ruleset
                table inet filter {
                  chain input { type filter hook input priority 0; policy accept; \(input) }
                  chain forward {
                    type filter hook forward priority 0; policy drop;
                    iifname "lan0" accept; ct state established,related accept; jump miniupnpd
                  }
                  chain miniupnpd { }
                  chain prerouting { type nat hook prerouting priority -100; jump prerouting_miniupnpd; }
                  chain postrouting {
                    type nat hook postrouting priority 100;
                    jump postrouting_miniupnpd; meta nfproto ipv4 oifname "wan0" masquerade
                  }
                  chain prerouting_miniupnpd { }
                  chain postrouting_miniupnpd { }
                }
                """
            try await run(["ip", "netns", "exec", router, "nft", "-f", "-"], input: rules)
        }

        /// How many ports are open now by IPv4. Pinholes are not counted: miniupnpd 2.3.1 refuses to close one that was renewed, even
        /// for whoever opened it, so that it is open until its lease ends.
        public func openPortCount() async throws -> Int {
            let result = try await lab.run(["ip", "netns", "exec", router, "nft", "list", "ruleset"])
            return result.output.split(separator: "\n").count { $0.contains("dnat") }
        }

        /// Starts the program that opens ports, by UPnP only or by PCP and NAT-PMP only. With `tellsAddress` it says an address of the
        /// internet's, else that it has none. A router that `isNew` counts its age from now, else from the start of this machine.
        public func startPortMapper(
            tellsAddress: Bool = true, isNew: Bool = false, byUPnP: Bool = false
        ) async throws {
            let configuration = """
                ext_ifname=wan0
                listening_ip=lan0
                \(tellsAddress ? "ext_ip=\(Self.toldAddress)" : "")
                enable_upnp=\(byUPnP ? "yes" : "no")
                enable_natpmp=\(byUPnP ? "no" : "yes")
                min_lifetime=120
                max_lifetime=86400
                system_uptime=\(isNew ? "no" : "yes")
                uuid=00000000-0000-0000-0000-000000000001
                allow 1024-65535 0.0.0.0/0 1024-65535
                deny 0-65535 0.0.0.0/0 0-65535

                """
            let (path, log) = (lab.freshPath("conf"), lab.freshPath("log"))
            try configuration.write(toFile: path, atomically: true, encoding: .utf8)
            try Data().write(to: URL(fileURLWithPath: log))
            let output = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
            let child = try lab.start(
                ["ip", "netns", "exec", router, "miniupnpd", "-d", "-f", path, "-P", lab.freshPath("pid")],
                input: .nullDevice, output: output, errors: output)
            try output.close()
            daemon.withLock { $0 = child }
            try await lab.eventually("the router takes requests") {
                let text = try String(contentsOfFile: log, encoding: .utf8)
                guard child.exitCode == nil else { throw TestFailure(text) }
                return text.contains(byUPnP ? "HTTP listening on port" : "Listening for NAT-PMP/PCP")
            }
        }

        /// Ends that program as a power cut does: what it opened stays open until `resetRules`.
        public func stopPortMapper() async throws {
            let child = daemon.withLock { daemon in
                defer { daemon = nil }
                return daemon
            }
            child?.signal(SIGKILL)
            _ = await child?.ended(limit: .seconds(10))
        }

        // MARK: Datagrams

        /// Sends a datagram of three bytes from the internet, which nobody in the home has asked for and which is no packet of a link.
        public func knock(at port: UInt16, of address: String = routerAddress) async throws {
            try await run([
                "ip", "netns", "exec", elsewhere.name, "bash", "-c", "printf abc > /dev/udp/\(address)/\(port)",
            ])
        }

        /// Asks the router from one host of the home, and returns what it says.
        public func ask(_ bytes: [UInt8], from host: Lan.Host) async throws -> [UInt8] {
            let socket = try await Lan.inside(host) { try RawSocket(.datagram) }
            socket.send(bytes, to: 5_351, host: "192.168.1.1")
            var answer: [UInt8]?
            try await lab.eventually("the router answers") {
                answer = socket.received()
                return answer != nil
            }
            return answer ?? []
        }
    }
#endif
