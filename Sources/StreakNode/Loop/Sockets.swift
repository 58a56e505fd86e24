import NIOCore
import NIOPosix
import StreakEngine
import StreakLinks
import StreakWire

extension LinkVia {
    /// A word for users and scripts.
    var word: String {
        switch self {
        case .lan: "lan"
        case .internet: "direct"
        }
    }
}

/// The node's sockets, and the addresses that they have.
final class Sockets {
    private static let portSetting = "port"

    private let core: NodeCore
    private var network: MeshNetwork? {
        didSet { core.isServing = network != nil }
    }
    private var named: NamedAddresses

    init(core: NodeCore) {
        self.core = core
        named = NamedAddresses(core.configuration.peers)
    }

    // MARK: Opening and closing

    /// Opens them, unless the node has none. Returns a command that remembers the port, if necessary.
    ///
    /// - Throws: `NodeFailure.cannotListen`.
    func open() async throws -> Command? {
        let configuration = core.configuration
        guard configuration.usesNetwork else { return nil }
        guard let listen = HostPort(configuration.listen) else {
            throw NodeFailure.cannotListen(address: configuration.listen, reason: "it is not HOST:PORT")
        }
        let port = Int(listen.port)
        let remembered = core.text(of: Self.portSetting).flatMap { Int($0) }
        if port == 0, let remembered {
            // Friends remember where they found this node; another port would cost them a search.
            if let found = try? await start(host: listen.host, port: remembered) {
                network = found
                return nil
            }
        }
        let started = try await start(host: listen.host, port: port)
        network = started
        guard remembered != Int(started.port) else { return nil }
        return .keepSetting(name: Self.portSetting, value: Array(String(started.port).utf8))
    }

    private func start(host: String, port: Int) async throws -> MeshNetwork {
        var settings = NetworkConfiguration(listen: (host: host, port: port))
        settings.usesDiscovery = core.configuration.usesLAN
        settings.isLocalOnly = core.internetSetting == .lanOnly
        let network = MeshNetwork(configuration: settings)
        let inbox = core.inbox
        do {
            _ = try await network.start { inbox.put($0) }
        } catch {
            await network.stop()
            throw NodeFailure.cannotListen(address: "\(host):\(port)", reason: Self.reason(error))
        }
        return network
    }

    /// Why an address cannot be used, in words for the user.
    private static func reason(_ error: any Error) -> String {
        switch error {
        case NetworkError.addressInUse: "another program uses it"
        case NetworkError.invalidAddress: "it is not an address"
        case NetworkError.unresolvedName: "there is no such name"
        case NetworkError.cannotListen(_, let reason):
            reason.contains("assign") ? "it is not an address of this machine" : reason
        default: "the system refused"
        }
    }

    /// Nothing is sent once this is called, and nothing received once it has returned.
    func close() async {
        let closing = network
        network = nil
        await closing?.stop()
    }

    // MARK: Addresses

    /// Nil without sockets.
    var listenDescription: String? { network?.listenDescription }

    /// The engine's input about them; nil without sockets.
    var listening: EngineInput? {
        network.map {
            .listening(port: $0.port, addresses: ownEndpoints, usesDiscovery: core.configuration.usesLAN)
        }
    }

    /// Where others may reach this node: its addresses on every interface it serves. Loopback only if it serves nothing
    /// else.
    var ownEndpoints: [Endpoint] { network?.reachableEndpoints ?? [] }

    // MARK: Named peers

    /// Where the names of `NodeConfiguration.peers` lead.
    var namedEndpoints: [Endpoint] { named.names.flatMap { named.endpoints[$0] ?? [] } }

    /// When their names are looked up again.
    var nextLookUp: MonotonicInstant? { network == nil ? nil : named.due }

    func lookUpPeers() {
        let inbox = core.inbox
        named.lookUp { inbox.put(.peersFound($0)) }
    }

    func peersFound(_ found: [String: [Endpoint]]) {
        for name in named.take(found, at: core.clock.now) { core.publish(NamedAddresses.failure(of: name)) }
    }

    // MARK: Packets

    func perform(_ output: LinkOutput) {
        switch output {
        case .sendDatagram(let bytes, let to, let hopLimit):
            network?.sendDatagram(bytes, to: to, hopLimit: hopLimit)
        case .openStream(let id, let to): network?.openStream(id, to: to)
        case .sendStream(let id, let bytes): network?.sendStream(id, bytes)
        case .closeStream(let id): network?.closeStream(id)
        }
    }

    func sendBeacon(_ bytes: [UInt8], to endpoint: Endpoint?) { network?.sendBeacon(bytes, to: endpoint) }

    /// The input was handled, so there is room for another.
    func consumed(_ input: NetworkInput) { network?.consumed(input) }
}
