#if os(Linux)
    import Foundation
    import Synchronization

    /// Homes behind routers of their own, the internet between them, and nodes of a DHT there, in network namespaces. Needs root.
    ///
    /// Home n has addresses of 192.168.n.0/24, on the internet one of 20.n.0.0/16, between two routers in a row some of 100.64.n.0/24, and by IPv6, where it has that, of 2001:db8::/32. The DHT
    /// is in 198.18.0.0/15, half of its nodes in each half: two of them are of different providers.
    public final class ManyHomes: Sendable {
        /// What a router does with packets. None lets in what was not asked for, and only `refusing` and `taking` answer it.
        public enum Router: Sendable, Equatable {
            /// It opens ports for those who ask, by miniupnpd, and keeps them for all others.
            case opening
            /// It shows everybody the port that the home's machine has.
            case keeping
            /// As `keeping`, and it answers strangers with an error of ICMP.
            case refusing
            /// As `keeping`, but it accepts strangers' packets itself. Then its table has the port with that sender already, and
            /// the home gets another one.
            case taking
            /// As `keeping`, behind one of the provider's that does the same.
            case behindAnother
            /// It shows everybody the same other port, for the home's machine that uses this one.
            case steady(inside: UInt16, outside: UInt16)
            /// It shows another port to everybody.
            case changing
            /// The same by IPv4. By IPv6 it is a firewall before addresses that all can see.
            case changingWithIPv6
            /// As `keeping`, and by IPv6 a firewall.
            case keepingWithIPv6

            var hasIPv6: Bool {
                switch self {
                case .changingWithIPv6, .keepingWithIPv6: true
                case .opening, .keeping, .refusing, .taking, .behindAnother, .steady, .changing: false
                }
            }

            /// What becomes of a packet from outside that is for the router itself.
            var verdict: String {
                switch self {
                case .taking: "accept"
                case .refusing: "reject"
                case .opening, .keeping, .behindAnother, .steady, .changing, .changingWithIPv6, .keepingWithIPv6: "drop"
                }
            }

            var translation: String {
                switch self {
                case .opening, .keeping, .refusing, .taking, .behindAnother, .keepingWithIPv6: "masquerade"
                case .steady(let inside, let outside): "udp sport \(inside) masquerade to :\(outside)"
                case .changing, .changingWithIPv6: "masquerade fully-random"
                }
            }
        }

        /// A home, as it is now.
        public struct Home: Sendable {
            public let hosts: [Lan.Host]
            let number: Int
            let router: Router
            let routerName: String
            /// The provider's router, if there is one.
            let providerName: String?
            /// The router whose address the internet sees.
            var outermost: String { providerName ?? routerName }

            /// Its address on the internet after so many moves.
            func address(_ moves: Int) -> String { "20.\(number).\(moves).2" }
            func gateway(_ moves: Int) -> String { "20.\(number).\(moves).1" }
            /// Its network by IPv6, without the host's part.
            func network(_ moves: Int) -> String { "2001:db8:\(number):\(moves)" }
        }

        public let homes: [Home]
        /// How often the addresses of each home have changed.
        private let moves: Mutex<[Int]>
        /// Where the nodes of the DHT are.
        public let dhtHosts: [Lan.Host]
        private let lab: Lab
        private let prefix: String
        private var internet: String { "\(prefix)-net" }

        /// Makes homes behind these routers with so many hosts each, which are gone when the lab closes.
        public init(in lab: Lab, _ homes: [(router: Router, hosts: Int)], dhtNodes: Int = 0) async throws {
            self.lab = lab
            moves = Mutex(homes.map { _ in 0 })
            let prefix = "sm\(String(UInt32.random(in: .min ... .max), radix: 36))"
            self.prefix = prefix
            dhtHosts = (0..<dhtNodes).map { number in
                Lan.Host(name: "\(prefix)-d\(number)", address: "198.\(18 + number % 2).0.\(number + 1)")
            }
            self.homes = homes.enumerated().map { index, home in
                let number = index + 1
                return Home(
                    hosts: (0..<home.hosts).map { host in
                        Lan.Host(name: "\(prefix)-\(number)-\(host)", address: "192.168.\(number).\(host + 2)")
                    }, number: number, router: home.router, routerName: "\(prefix)-r\(number)",
                    providerName: home.router == .behindAnother ? "\(prefix)-c\(number)" : nil)
            }
            let names =
                ["\(prefix)-net"] + dhtHosts.map(\.name)
                + self.homes.flatMap { [$0.routerName] + ($0.providerName.map { [$0] } ?? []) + $0.hosts.map(\.name) }
            lab.atEnd { [lab] in
                for name in names {
                    // One that was never made cannot be deleted.
                    _ = try? await lab.run(["ip", "netns", "delete", name])
                }
            }
            try await batch(names.map { "netns add \($0)" })
            for name in names { try await batch(["link set lo up"], in: name) }
            try await wireDHT()
            for home in self.homes { try await wire(home) }
            try await forward(in: internet)
        }

        private func wireDHT() async throws {
            try await batch(
                ["link add dht0 type bridge", "link set dht0 up"]
                    + ["198.18.0.254/24", "198.19.0.254/24"].map { "address add \($0) dev dht0" }, in: internet)
            for (number, host) in dhtHosts.enumerated() {
                try await batch([
                    "link add d\(number) netns \(internet) type veth peer name eth0 netns \(host.name)"
                ])
                try await batch(["link set d\(number) master dht0 up"], in: internet)
                try await batch(
                    [
                        "address add \(host.address)/24 dev eth0", "link set eth0 up",
                        "route add default via 198.\(18 + number % 2).0.254",
                    ], in: host.name)
            }
        }

        private func wire(_ home: Home) async throws {
            let (number, router) = (home.number, home.routerName)
            try await batch(["link add w\(number) netns \(internet) type veth peer name wan0 netns \(home.outermost)"])
            if let provider = home.providerName { try await wire(provider, before: home) }
            for (index, host) in home.hosts.enumerated() {
                try await batch([
                    "link add p\(index) netns \(router) type veth peer name eth0 netns \(host.name)"
                ])
            }
            try await batch(
                [
                    "link add lan0 type bridge", "link set lan0 up", "link set wan0 up",
                    "address add 192.168.\(number).1/24 dev lan0",
                ] + home.hosts.indices.map { "link set p\($0) master lan0 up" }, in: router)
            try await batch(["link set w\(number) up"], in: internet)
            for host in home.hosts {
                try await batch(
                    [
                        "address add \(host.address)/24 broadcast + dev eth0", "link set eth0 up",
                        "route add default via 192.168.\(number).1",
                    ], in: host.name)
            }
            if home.router.hasIPv6 {
                try await batch(["address add fe80::1/64 dev w\(number) nodad"], in: internet)
                try await batch(
                    [
                        "address add fe80::2/64 dev wan0 nodad", "address add fe80::1/64 dev lan0 nodad",
                        "route add default via fe80::1 dev wan0",
                    ], in: router)
                for host in home.hosts {
                    try await batch(["route add default via fe80::1 dev eth0"], in: host.name)
                }
            }
            try await forward(in: router)
            try await setRules(of: home, in: router)
            try await settle(home, 0)
        }

        /// Puts the provider's router before a home's own.
        private func wire(_ provider: String, before home: Home) async throws {
            try await batch(["link add lan0 netns \(provider) type veth peer name wan0 netns \(home.routerName)"])
            try await batch(
                ["link set wan0 up", "link set lan0 up", "address add 100.64.\(home.number).1/24 dev lan0"],
                in: provider)
            try await batch(
                [
                    "link set wan0 up", "address add 100.64.\(home.number).2/24 dev wan0",
                    "route add default via 100.64.\(home.number).1",
                ], in: home.routerName)
            try await forward(in: provider)
            try await setRules(of: home, in: provider)
        }

        private func forward(in name: String) async throws {
            let settings = ["ipv4/ip_forward", "ipv6/conf/all/forwarding"]
            let words = settings.map { "echo 1 > /proc/sys/net/\($0)" }.joined(separator: "; ")
            try await run(["ip", "netns", "exec", name, "sh", "-c", words])
        }

        private func setRules(of home: Home, in router: String) async throws {
            let rules = """
                table inet filter {
                  chain input { type filter hook input priority 0; policy accept; iifname "wan0" ct state new \(home.router.verdict); }
                  chain forward {
                    type filter hook forward priority 0; policy drop;
                    iifname "lan0" accept; ct state established,related accept; jump miniupnpd
                  }
                  chain miniupnpd { }
                  chain prerouting { type nat hook prerouting priority -100; jump prerouting_miniupnpd; }
                  chain postrouting {
                    type nat hook postrouting priority 100;
                    jump postrouting_miniupnpd
                    meta nfproto ipv4 oifname "wan0" \(home.router.translation)
                    meta nfproto ipv4 oifname "wan0" masquerade
                  }
                  chain prerouting_miniupnpd { }
                  chain postrouting_miniupnpd { }
                }
                """
            try await run(["ip", "netns", "exec", router, "nft", "-f", "-"], input: rules)
        }

        /// Gives a home its addresses.
        private func settle(_ home: Home, _ moves: Int) async throws {
            let (number, network) = (home.number, home.network(moves))
            try await batch(["address add \(home.gateway(moves))/24 dev w\(number)"], in: internet)
            try await batch(
                ["address add \(home.address(moves))/24 dev wan0", "route add default via \(home.gateway(moves))"],
                in: home.outermost)
            guard home.router.hasIPv6 else { return }
            try await batch(["route add \(network)::/64 via fe80::2 dev w\(number)"], in: internet)
            try await batch(["address add \(network)::1/64 dev lan0 nodad"], in: home.routerName)
            for (index, host) in home.hosts.enumerated() {
                try await batch(["address add \(network)::\(index + 2)/64 dev eth0 nodad"], in: host.name)
            }
        }

        private func unsettle(_ home: Home, _ moves: Int) async throws {
            let (number, network) = (home.number, home.network(moves))
            // What was translated to the old address is forgotten with it.
            try await batch(["address del \(home.address(moves))/24 dev wan0"], in: home.outermost)
            try await batch(["address del \(home.gateway(moves))/24 dev w\(number)"], in: internet)
            guard home.router.hasIPv6 else { return }
            for (index, host) in home.hosts.enumerated() {
                try await batch(["address del \(network)::\(index + 2)/64 dev eth0"], in: host.name)
            }
            try await batch(["address del \(network)::1/64 dev lan0"], in: home.routerName)
            try await batch(["route del \(network)::/64"], in: internet)
        }

        private func batch(_ lines: [String], in name: String? = nil) async throws {
            try await run(
                ["ip"] + (name.map { ["-n", $0] } ?? []) + ["-batch", "-"], input: lines.joined(separator: "\n"))
        }

        private func run(_ words: [String], input: String? = nil) async throws {
            let result = try await lab.run(words, input: input)
            guard result.exitCode == 0 else { throw TestFailure("\(result) of \(input ?? "")") }
        }

        // MARK: What happens

        /// Somebody at a host of a home, without an account yet. `home` counts from 0.
        public func person(_ name: String, home: Int, host: Int = 0) -> Friend {
            lab.person(name, launcher: homes[home].hosts[host].launcher)
        }

        /// The provider gives every home another address, and another network by IPv6.
        public func changeAddresses() async throws {
            for home in homes.indices { try await changeAddress(ofHome: home) }
        }

        /// The same for one home. `home` counts from 0.
        public func changeAddress(ofHome home: Int) async throws {
            let before = moves.withLock { moves in
                defer { moves[home] += 1 }
                return moves[home]
            }
            try await unsettle(homes[home], before)
            try await settle(homes[home], before + 1)
        }

        /// Gives a host one more address on its LAN, so that its network has changed. `home` and `host` count from 0.
        public func addAddress(home: Int, host: Int) async throws {
            let number = homes[home].number
            try await batch(
                ["address add 192.168.\(number).\(200 + host)/24 dev eth0"], in: homes[home].hosts[host].name)
        }

        /// The address of a home on the internet. `home` counts from 0.
        public func address(ofHome home: Int) -> String { homes[home].address(moves.withLock { $0[home] }) }

        /// Has a home's router pass on a port to the home's first host, as its owner sets it by hand. `home` counts from 0.
        public func forward(port: UInt16, home: Int) async throws {
            let rules = """
                insert rule inet filter forward ct status dnat accept
                insert rule inet filter prerouting meta nfproto ipv4 iifname "wan0" meta l4proto { tcp, udp } th dport \(port) \
                dnat ip to \(homes[home].hosts[0].address)
                """
            try await run(["ip", "netns", "exec", homes[home].routerName, "nft", "-f", "-"], input: rules)
        }

        /// Starts a name server on the first host of the DHT, which the homes' hosts ask from now on.
        public func startNameServer() async throws -> Daemon {
            let server = dhtHosts[0]
            for host in homes.flatMap(\.hosts) {
                // `ip netns exec` shows a program this file in the place of its own (ip-netns(8)).
                let folder = "/etc/netns/\(host.name)"
                lab.atEnd {
                    // What is left is a folder of a few bytes.
                    try? FileManager.default.removeItem(atPath: folder)
                }
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                try "nameserver \(server.address)\n"
                    .write(toFile: "\(folder)/resolv.conf", atomically: true, encoding: .utf8)
            }
            let daemon = try Daemon(
                in: lab, server.launcher + DHTCluster.words("name-server.py") + [server.address])
            try await daemon.says("serves names")
            return daemon
        }

        /// Cuts the homes off from the DHT, or connects them again.
        public func setDHT(isCut: Bool) async throws {
            // A closing brace ends a line: on one line the syntax of nft before 1.0.9 refuses two of them.
            let table = """
                table inet faults {
                    chain forward {
                        type filter hook forward priority 0
                        iifname dht0 drop
                    }
                }
                """
            try await run(
                ["ip", "netns", "exec", internet, "nft", "-f", "-"], input: "flush ruleset\n" + (isCut ? table : ""))
        }

        /// Makes the internet so wide that what has fewer than 16 hops left dies on its way from home to home.
        public func widen() async throws {
            let counters = homes.map { "counter dead\($0.number) { }" }
            let rules = homes.map { "ip saddr 20.\($0.number).0.0/16 ip ttl < 16 counter name dead\($0.number) drop" }
            let table = """
                table inet width {
                \(counters.joined(separator: "\n"))
                chain forward {
                type filter hook forward priority 0
                \(rules.joined(separator: "\n"))
                }
                }
                """
            try await run(["ip", "netns", "exec", internet, "nft", "-f", "-"], input: table)
        }

        /// How many datagrams of a home have died so. `home` counts from 0.
        public func deadCount(ofHome home: Int) async throws -> Int {
            let counter = "dead\(homes[home].number)"
            let words = ["ip", "netns", "exec", internet, "nft", "list", "counter", "inet", "width", counter]
            let result = try await lab.run(words)
            let count = result.output.split(whereSeparator: \.isWhitespace).drop { $0 != "packets" }.dropFirst().first
            return try count.flatMap { Int($0) } ?? { throw TestFailure("\(result)") }()
        }

        /// Starts the program by which a home's router opens ports.
        public func startPortMapper(home: Int) async throws {
            let configuration = """
                ext_ifname=wan0
                listening_ip=lan0
                enable_upnp=no
                enable_natpmp=yes
                min_lifetime=120
                max_lifetime=86400
                uuid=00000000-0000-0000-0000-000000000001
                allow 1024-65535 0.0.0.0/0 1024-65535
                deny 0-65535 0.0.0.0/0 0-65535

                """
            let path = lab.freshPath("conf")
            try configuration.write(toFile: path, atomically: true, encoding: .utf8)
            let daemon = try Daemon(
                in: lab,
                [
                    "ip", "netns", "exec", homes[home].routerName, "miniupnpd", "-d", "-f", path, "-P",
                    lab.freshPath("pid"),
                ]
            )
            try await daemon.says("Listening for NAT-PMP/PCP")
        }
    }
#endif
