import StreakCrypto
import StreakMembership
import StreakWire

extension VectorFile {
    /// Where Ada is, in several ways, and what is refused.
    static func whereabouts() throws -> VectorFile {
        let ada = try Person("ada")
        let none = wherever(ada, number: 1, entries: [])
        let full = wherever(ada, number: UInt64(Cast.now) * 1_000, entries: allEntries)
        let signed = full.bytes
        func forged(_ change: (inout [UInt8]) -> Void) -> [UInt8] {
            var bytes = Array(signed.dropLast(Signature.byteCount))
            change(&bytes)
            let signature = ada.identity.signingKey.signature(for: SigningContext.whereabouts.prefix + bytes)
            return bytes + signature.rawBytes
        }
        // version 1, device 32, number 8, flags 1, count 1; then source 1, address 16, port 2 of the first entry.
        let (flags, count, source, address, port) = (41, 42, 43, 44, 60)
        func at(_ ipv4: [UInt8]) -> [UInt8] { forged { $0.replaceSubrange(address + 12..<address + 16, with: ipv4) } }
        func at(ipv6: [UInt8]) -> [UInt8] {
            forged {
                $0.replaceSubrange(address..<address + 16, with: ipv6 + [UInt8](repeating: 1, count: 16 - ipv6.count))
            }
        }
        return VectorFile(
            name: "whereabouts",
            content: [
                "spec": "reachability.md §3", "decoder": "whereabouts",
                "valid": .list([
                    entry("nowhere that is known", none),
                    entry("all that can be told", full),
                    entry("the last number", wherever(ada, number: .max, entries: Array(allEntries.prefix(1)))),
                ]),
                "unsigned": .list([
                    ["name": "another number", "hex": .hex(flipping(signed, at: 40)), "flipped": 40],
                    [
                        "name": "another signature", "hex": .hex(flipping(signed, at: -1)),
                        "flipped": .number(signed.count - 1),
                    ],
                ]),
                "invalid": .list([
                    refused("nothing", [], "truncated"),
                    refused("version 2", replacing(signed, at: 0, by: 2), "unsupported-version"),
                    refused("a byte too few", Array(signed.dropLast()), "truncated"),
                    refused("a byte more", signed + [0], "limit-exceeded"),
                    refused("a byte more than none", none.bytes + [0], "trailing-bytes"),
                    refused("flags of 4", forged { $0[flags] = 4 }, "invalid-value: flags"),
                    refused("seven entries", forged { $0[count] = 7 }, "limit-exceeded"),
                    refused("source 0", forged { $0[source] = 0 }, "invalid-value: source"),
                    refused("source 5", forged { $0[source] = 5 }, "invalid-value: source"),
                    refused("port 1023", forged { $0.replaceSubrange(port..<port + 2, with: [3, 0xFF]) }, endpoint),
                    refused(
                        "an endpoint twice",
                        forged { $0.replaceSubrange(source + 20..<source + 38, with: Array($0[address..<port + 2])) },
                        endpoint),
                    refused("0.0.0.1", at([0, 0, 0, 1]), endpoint),
                    refused("10.0.0.1", at([10, 0, 0, 1]), endpoint),
                    refused("100.64.0.1", at([100, 64, 0, 1]), endpoint),
                    refused("100.127.255.255", at([100, 127, 255, 255]), endpoint),
                    refused("127.0.0.1", at([127, 0, 0, 1]), endpoint),
                    refused("169.254.0.1", at([169, 254, 0, 1]), endpoint),
                    refused("172.16.0.1", at([172, 16, 0, 1]), endpoint),
                    refused("172.31.0.1", at([172, 31, 0, 1]), endpoint),
                    refused("192.168.0.1", at([192, 168, 0, 1]), endpoint),
                    refused("224.0.0.1", at([224, 0, 0, 1]), endpoint),
                    refused("255.255.255.255", at([255, 255, 255, 255]), endpoint),
                    refused("fe80::", at(ipv6: [0xFE, 0x80]), endpoint),
                    refused("fc00::", at(ipv6: [0xFC, 0]), endpoint),
                    refused("ff0e::", at(ipv6: [0xFF, 0x0E]), endpoint),
                    refused("::1", at(ipv6: [UInt8](repeating: 0, count: 15)), endpoint),
                    refused("4000::", at(ipv6: [0x40, 0]), endpoint),
                ]),
            ])
    }

    private static let endpoint = "invalid-value: endpoint"

    private static let allEntries: [Whereabouts.Entry] = [
        .init(source: .mapped, endpoint: Endpoint(ipv4: 0xC612_0001, port: 7_420)),
        .init(source: .mapped, endpoint: Endpoint(address: Bytes16(0x2001_0DB8 << 32, 1), port: 7_420)),
        .init(source: .ipv6, endpoint: Endpoint(address: Bytes16(0x2001_0DB8 << 32, 2), port: 7_420)),
        .init(source: .seen, endpoint: Endpoint(ipv4: 0x6440_0000 - 1, port: 65_535)),
        .init(source: .seen, endpoint: Endpoint(ipv4: 0xAC20_0001, port: 1_024)),
        .init(source: .named, endpoint: Endpoint(ipv4: 0xDFFF_FFFF, port: 50_000)),
    ]

    /// Ada's whereabouts, as messages hold them.
    static func wherever(_ person: Person, number: UInt64, entries: [Whereabouts.Entry]? = nil) -> Whereabouts {
        Whereabouts(
            number: number, isSteady: number > 1, isAlwaysOn: number == .max, entries: entries ?? allEntries,
            identity: person.identity)
    }

    private static func entry(_ name: String, _ whereabouts: Whereabouts) -> JSON {
        [
            "name": .text(name), "hex": .hex(whereabouts.bytes), "device": .text(whereabouts.device.description),
            "number": .text(String(whereabouts.number)), "steady": .bool(whereabouts.isSteady),
            "alwaysOn": .bool(whereabouts.isAlwaysOn),
            "entries": .list(
                whereabouts.entries.map {
                    [
                        "source": .number(Int($0.source.rawValue)), "address": .hex($0.endpoint.address.array),
                        "port": .number(Int($0.endpoint.port)),
                    ]
                }),
        ]
    }
}
