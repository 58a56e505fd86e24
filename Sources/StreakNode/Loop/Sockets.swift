import NIOCore
import NIOPosix
import StreakEngine
import StreakLinks
import StreakWire

extension LinkVia {
    /// The word for people and scripts.
    var word: String {
        switch self {
        case .lan: "lan"
        case .internet: "direct"
        }
    }
}

/// The node's sockets: where packets come in and go out, and under which addresses.
final class Sockets {
    private static let portSetting = "port"

    private let core: NodeCore
    private var network: MeshNetwork? {
        didSet { core.isServing = network != nil }
    }
    /// Where `NodeConfiguration.peers` lead.
    private(set) var namedEndpoints: [Endpoint] = []

    init(core: NodeCore) { self.core = core }

    // MARK: Opening and closing

    /// Opens them, unless the node is to have none. What is to be remembered of it comes back.
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
            // Friends remember where this node was found; another port costs them a search.
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

    /// Why an address cannot be used, for people.
    private static func reason(_ error: any Error) -> String {
        switch error {
        case NetworkError.addressInUse: "another program uses it"
        case NetworkError.invalidAddress: "it is not an address"
        case NetworkError.unresolvedName: "there is no such name"
        case NetworkError.cannotListen(_, let reason):
            reason.contains("assign") ? "it is no address of this machine" : reason
        default: "the system refused"
        }
    }

    /// Nothing goes out once this is called, and nothing comes in once it has returned.
    func close() async {
        let closing = network
        network = nil
        await closing?.stop()
    }

    // MARK: Addresses

    /// Nil where there are none.
    var listenDescription: String? { network?.listenDescription }

    /// What the engine is told of them; nil where there are none.
    var listening: EngineInput? {
        network.map {
            .listening(port: $0.port, addresses: ownEndpoints, usesDiscovery: core.configuration.usesLAN)
        }
    }

    /// Where others may reach this node: its addresses on every interface it serves, loopback only if on nothing else.
    var ownEndpoints: [Endpoint] { network?.reachableEndpoints ?? [] }

    /// Looks up where `NodeConfiguration.peers` lead.
    func resolveNamedPeers() async {
        var endpoints: [Endpoint] = []
        for peer in core.configuration.peers {
            do {
                endpoints += try await resolve(peer)
            } catch {
                core.publish(.notice("The address \(peer) cannot be resolved; it is left out."))
            }
        }
        namedEndpoints = endpoints
    }

    /// The addresses of `HOST:PORT`; none without sockets.
    func resolve(_ peer: String) async throws -> [Endpoint] { try await network?.resolve(peer) ?? [] }

    // MARK: Packets

    func perform(_ output: LinkOutput) {
        switch output {
        case .sendDatagram(let bytes, let to): network?.sendDatagram(bytes, to: to)
        case .openStream(let id, let to): network?.openStream(id, to: to)
        case .sendStream(let id, let bytes): network?.sendStream(id, bytes)
        case .closeStream(let id): network?.closeStream(id)
        }
    }

    func sendBeacon(_ bytes: [UInt8], to endpoint: Endpoint?) { network?.sendBeacon(bytes, to: endpoint) }

    /// There is room for as much again.
    func consumed(_ input: NetworkInput) { network?.consumed(input) }
}
