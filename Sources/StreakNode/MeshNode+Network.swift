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

/// The node's sockets and addresses.
extension MeshNode {
    func openNetwork() async throws -> MeshNetwork? {
        guard configuration.usesNetwork else { return nil }
        guard let listen = HostPort(configuration.listen) else {
            throw NodeFailure.cannotListen(address: configuration.listen, reason: "it is not HOST:PORT")
        }
        let port = Int(listen.port)
        let remembered = engine.setting(Self.portSetting).flatMap { Int(String(decoding: $0, as: UTF8.self)) }
        if port == 0, let remembered {
            // Friends remember where this node was found; another port costs them a search.
            if let network = try? await start(host: listen.host, port: remembered) { return network }
        }
        let network = try await start(host: listen.host, port: port)
        let bound = network.port
        if remembered != Int(bound) {
            feed(
                .command(
                    takeCommandID(), .keepSetting(name: Self.portSetting, value: Array(String(bound).utf8))))
        }
        return network
    }

    private func start(host: String, port: Int) async throws -> MeshNetwork {
        var settings = NetworkConfiguration(listen: (host: host, port: port))
        settings.usesDiscovery = configuration.usesLAN
        let network = MeshNetwork(configuration: settings)
        let inbox = inbox
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

    func takeCommandID() -> CommandID { commands.takeID() }

    /// Waits until nothing is under way with anybody who is linked, but not for ever; and for a first link as long as is said.
    func settle(waitingForLinks limit: Duration = .zero) async {
        guard network != nil else { return }
        await withCheckedContinuation { continuation in
            settlers.wait(continuation, from: clock.now, forLinks: limit)
            setAlarm()
        }
    }

    func startListening(port: UInt16) {
        feed(.listening(port: port, addresses: ownEndpoints(), usesDiscovery: configuration.usesLAN))
    }

    /// Where others may reach this node: its addresses on every interface it serves, loopback only if on nothing else.
    func ownEndpoints() -> [Endpoint] { network?.reachableEndpoints ?? [] }

    func dialNamedPeers() async {
        var endpoints: [Endpoint] = []
        for peer in configuration.peers {
            do {
                endpoints += try await network?.resolve(peer) ?? []
            } catch {
                inbox.publish(.notice("The address \(peer) cannot be resolved; it is left out."))
            }
        }
        namedEndpoints = endpoints
        if !endpoints.isEmpty { feed(.command(takeCommandID(), .dialAddresses(endpoints))) }
    }
}
