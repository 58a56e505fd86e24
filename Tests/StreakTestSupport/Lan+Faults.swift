#if os(Linux)
    import Foundation

    /// What goes wrong on a network.
    extension Lan {
        /// How packets travel.
        public enum Transport: String, CaseIterable, Sendable {
            case udp, tcp
        }

        /// Has these hosts lose a share of what comes in, of each transport named; 100 blocks it, 0 ends all losses there.
        ///
        /// On the way in: a packet that is dropped on the way out is told to the program that sends it.
        public func setLoss(
            percent: Int, of transports: [Transport] = Transport.allCases, at hosts: [Host]? = nil
        ) async throws {
            let chance = percent < 100 ? "numgen random mod 100 < \(percent) " : ""
            let drops = transports.map { "iifname \"eth0\" meta l4proto \($0.rawValue) \(chance)counter drop" }
            let table = """
                table inet faults {
                  chain incoming {
                    type filter hook input priority filter; policy accept;
                    \(drops.joined(separator: "\n"))
                  }
                }
                """
            for host in hosts ?? self.hosts {
                let result = try await lab.run(
                    ["ip", "netns", "exec", host.name, "nft", "-f", "-"],
                    input: "flush ruleset\n" + (percent > 0 ? table : ""))
                guard result.exitCode == 0 else { throw TestFailure("\(result)") }
            }
        }

        /// How many packets a host has lost by that.
        public func lostPacketCount(at host: Host) async throws -> Int {
            let result = try await lab.run(["ip", "netns", "exec", host.name, "nft", "list", "ruleset"])
            let words = result.output.split { $0 == " " || $0 == "\n" }
            return zip(words, words.dropFirst()).reduce(0) { $0 + ($1.0 == "packets" ? Int($1.1) ?? 0 : 0) }
        }

        /// Gives a host another address in place of the one it had, while everything runs.
        public func move(_ host: Host, to address: String) async throws -> Host {
            // The old one goes first: with it go all others of its network.
            try await ip("-n", host.name, "address", "del", "\(host.address)/24", "dev", "eth0")
            try await ip("-n", host.name, "address", "add", "\(address)/24", "broadcast", "+", "dev", "eth0")
            return Host(name: host.name, address: address)
        }

        /// Has every frame from and to every host take its time, from here on: a mean of twice `delay` from one host to
        /// another, give or take twice `jitter`. Frames overtake each other.
        ///
        /// The hub remembers from here on which host is where: it need not carry every frame to everybody.
        public func slowDown(by delay: Duration, jitter: Duration) async throws {
            try await ip("-n", hub, "link", "set", "br0", "type", "bridge", "ageing_time", "30000")
            for host in hosts { try await Self.inside(host) { try DelayLine.sendWholeChecksums(on: "eth0") } }
            var pairs: [(String, String)] = []
            for number in hosts.indices {
                let (near, far) = ("p\(number)", "d\(number)")
                try await ip("-n", hub, "link", "add", far, "type", "veth", "peer", "name", "e\(number)")
                try await ip("-n", hub, "link", "set", "e\(number)", "master", "br0", "up")
                try await ip("-n", hub, "link", "set", near, "nomaster", "promisc", "on")
                try await ip("-n", hub, "link", "set", far, "up", "promisc", "on")
                pairs.append((near, far))
            }
            let ends = pairs
            let line = try await Self.inside(Host(name: hub, address: "")) {
                try DelayLine(between: ends, delay: delay, jitter: jitter)
            }
            lab.atEnd { line.stop() }
        }
    }
#endif
