import NIOCore
import StreakWire

/// One address of one network interface of this machine.
struct LocalInterface: Hashable, Comparable, Sendable {
    /// More are not used: each takes part in every beacon.
    static let maximumCount = 64

    /// The number by which the system knows the interface.
    let index: UInt32
    /// The port is 0.
    let address: Endpoint
    /// Reaches all hosts of the subnet, if the interface can.
    let broadcastAddress: UInt32?
    let supportsMulticast: Bool

    /// Those of this machine now, in order, IPv4 and IPv6. Interfaces that are down may be among them.
    static func all() throws -> [LocalInterface] {
        let found = try System.enumerateDevices().compactMap(LocalInterface.init(_:))
        return Array(Set(found).sorted().prefix(maximumCount))
    }

    private init?(_ device: NIONetworkDevice) {
        guard let index = UInt32(exactly: device.interfaceIndex), index != 0,
            let address = device.address.flatMap(Endpoint.init(_:))
        else { return nil }
        self.index = index
        self.address = address.with(port: 0)
        if address.ipv4 != nil && address.isLoopback {
            // Nodes of one machine that has no network find each other like this, where the system lets it through.
            broadcastAddress = 0x7FFF_FFFF
        } else {
            broadcastAddress = device.broadcastAddress.flatMap(Endpoint.init(_:))?.ipv4
        }
        supportsMulticast = device.multicastSupported
    }

    static func < (left: LocalInterface, right: LocalInterface) -> Bool {
        (left.index, left.address) < (right.index, right.address)
    }
}
