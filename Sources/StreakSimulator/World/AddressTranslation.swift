import StreakEngine
import StreakLinks
import StreakWire

/// A home router between a LAN and the internet. A node outside can reach one behind it only after that one has sent
/// something to it.
public struct AddressTranslation: Sendable, Equatable {
    /// How long a mapping lasts after the last datagram sent through it. The next one gets another port.
    public var lifetime: Duration
    /// Whether each destination sees a different port. Then no third node can be told where to send.
    public var isSymmetric: Bool

    public init(lifetime: Duration = .seconds(120), isSymmetric: Bool = false) {
        self.lifetime = lifetime
        self.isSymmetric = isSymmetric
    }
}

/// The mappings of all homes' routers.
struct TranslationTable: Sendable {
    private struct Key: Hashable, Sendable {
        let node: Int
        /// For symmetric routers only.
        let target: Endpoint?
    }

    private struct Mapping: Sendable {
        let port: UInt16
        var lastUsed: MonotonicInstant
        /// The destinations and when each was last sent to. Only these may answer.
        var targets: [Endpoint: MonotonicInstant] = [:]
    }

    private var mappings: [Key: Mapping] = [:]
    private var keys: [UInt16: Key] = [:]
    private var lastPort: UInt16 = 20_000

    /// The router's port for a node's datagram.
    mutating func port(
        of node: Int, to target: Endpoint, through router: AddressTranslation, at now: MonotonicInstant
    ) -> UInt16 {
        let key = Key(node: node, target: router.isSymmetric ? target : nil)
        var mapping = mappings[key]
        if let known = mapping, known.lastUsed.advanced(by: router.lifetime) < now {
            keys[known.port] = nil
            mapping = nil
        }
        var used = mapping ?? Mapping(port: freshPort(), lastUsed: now)
        used.lastUsed = now
        used.targets[target] = now
        mappings[key] = used
        keys[used.port] = key
        return used.port
    }

    private mutating func freshPort() -> UInt16 {
        repeat { lastPort = lastPort == .max ? 20_001 : lastPort + 1 } while keys[lastPort] != nil
        return lastPort
    }

    /// The node behind a router's port, if `source` may send to it.
    func node(
        at port: UInt16, from source: Endpoint, through router: AddressTranslation, at now: MonotonicInstant
    ) -> Int? {
        guard let key = keys[port], let mapping = mappings[key],
            let last = mapping.targets[source], last.advanced(by: router.lifetime) >= now
        else { return nil }
        return key.node
    }
}
