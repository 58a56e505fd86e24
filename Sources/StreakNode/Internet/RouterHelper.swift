import StreakInternet
import StreakLinks
import StreakWire

/// Ports that the helper has opened by UPnP, so that it can close them again.
final class RouterHelper: Sendable {
    private let helper: InternetHelper

    init(_ helper: InternetHelper) { self.helper = helper }

    var state: HelperState { get async { await helper.helperState } }

    /// Opens the port for datagrams, and the same one for streams where the router has it free.
    func map(_ line: PortMapper.Line, outsidePort: UInt16) async -> (outcome: UPnPOutcome, ports: [OpenedPort]) {
        do {
            let wish = PortWish(transport: .udp, inside: line.inside, outsidePort: outsidePort)
            let datagrams = try await helper.map(wish)
            guard let outside = datagrams.outside else {
                try await helper.unmap(datagrams)
                return (.failed(.offline), [])
            }
            let other = PortWish(
                transport: .tcp, inside: line.inside, outsidePort: datagrams.outsidePort, isExact: true,
                router: datagrams.router)
            // Taken by another machine: then friends' datagrams come in, and no streams.
            let streams = try? await helper.map(other)
            let lease: Duration? = datagrams.lease == 0 ? nil : .seconds(Int64(datagrams.lease))
            return (
                .mapped(outside: outside, hasTCP: streams != nil, lease: lease),
                [datagrams, streams].compactMap(\.self)
            )
        } catch let failure as HelperFailure {
            return (.failed(Self.finding(of: failure)), [])
        } catch {
            return (.failed(.noAnswer), [])
        }
    }

    /// Closes ports; a router that does not answer forgets them when their lease ends.
    func unmap(_ ports: [OpenedPort]) async {
        for port in ports { try? await helper.unmap(port) }
    }

    /// Asks the helper again, after `close`.
    func open() { helper.open() }

    /// Ends the helper program.
    func close() async { await helper.close() }

    private static func finding(of failure: HelperFailure) -> MappingFinding {
        guard case .refused(let refusal) = failure else { return .noAnswer }
        switch refusal {
        case .noRouter: return .noAnswer
        case .unconnected: return .carrierNAT
        case .refused(let code): return code == 718 ? .portTaken : .refused
        case .routerFailed: return .misunderstood
        case .wrongSession, .busy, .systemFailed: return .noAnswer
        }
    }
}
