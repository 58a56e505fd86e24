import StreakEngine
import StreakLinks
import StreakWire
import Testing

@testable import StreakSimulator

/// What each kind of router lets through, and when.
struct RouterTests {
    private let friend = Endpoint(ipv4: 0xC633_6401, port: 7_420)
    private let stranger = Endpoint(ipv4: 0xC633_6402, port: 7_420)
    private let node = Endpoint(ipv4: 0xC0A8_0102, port: 7_420)
    private let sister = Endpoint(ipv4: 0xC0A8_0103, port: 7_420)
    private let address = Endpoint(ipv4: 0x1401_0001, port: 0).address

    private func at(_ seconds: Int) -> MonotonicInstant { .zero.advanced(by: .seconds(seconds)) }
    private func outside(_ port: UInt16) -> Endpoint { Endpoint(address: address, port: port) }

    static let restricting: [Router] = [.keepingPort, .steadyPort, .changingPort, .accepting, .firewall]

    @Test(arguments: restricting)
    func `only those get in to whom something was sent`(router: Router) {
        var table = RouterTable(router, address: address)
        let seen = table.leave(from: node, to: friend, at: at(0))
        #expect(table.enter(from: friend, to: seen, at: at(1)) == node)
        #expect(table.enter(from: stranger, to: seen, at: at(1)) == nil)
        // The same address, another port.
        #expect(table.enter(from: Endpoint(ipv4: 0xC633_6401, port: 9_999), to: seen, at: at(1)) == nil)
        #expect(table.enter(from: friend, to: Endpoint(address: seen.address, port: 9), at: at(1)) == nil)
    }

    @Test(arguments: restricting)
    func `a flow ends half a minute after its last datagram either way`(router: Router) {
        var table = RouterTable(router, address: address)
        let seen = table.leave(from: node, to: friend, at: at(0))
        #expect(table.leave(from: node, to: friend, at: at(30)) == seen)
        #expect(table.enter(from: friend, to: seen, at: at(60)) == node)
        #expect(table.enter(from: friend, to: seen, at: at(90)) == node)
        #expect(table.enter(from: friend, to: seen, at: at(121)) == nil)
    }

    @Test func `each kind shows another source`() {
        func sources(_ router: Router) -> [Endpoint] {
            var table = RouterTable(router, address: address)
            return [friend, stranger].map { table.leave(from: node, to: $0, at: at(0)) }
        }
        #expect(sources(.keepingPort) == [outside(7_420), outside(7_420)])
        #expect(sources(.firewall) == [node, node])
        let steady = sources(.steadyPort)
        #expect(steady[0] == steady[1] && steady[0] != outside(7_420) && steady[0].address == address)
        let changing = sources(.changingPort)
        #expect(changing[0] != changing[1] && changing.allSatisfy { $0.address == address })
    }

    @Test func `a steady port stays the same after its flows have ended, until the router restarts`() {
        var table = RouterTable(.steadyPort, address: address)
        let first = table.leave(from: node, to: friend, at: at(0))
        #expect(table.leave(from: node, to: stranger, at: at(1_000)) == first)
        table.restart(at: Endpoint(ipv4: 0x1402_0001, port: 0).address)
        #expect(table.enter(from: stranger, to: first, at: at(1_001)) == nil)
        let second = table.leave(from: node, to: friend, at: at(1_001))
        #expect(second.address != first.address && second.port != first.port)
    }

    @Test func `two nodes with one port share it, but for one friend`() {
        var table = RouterTable(.keepingPort, address: address)
        let first = table.leave(from: node, to: friend, at: at(0))
        #expect(table.leave(from: sister, to: stranger, at: at(0)) == first)
        let second = table.leave(from: sister, to: friend, at: at(0))
        #expect(second != first)
        #expect(table.enter(from: friend, to: first, at: at(1)) == node)
        #expect(table.enter(from: friend, to: second, at: at(1)) == sister)
        #expect(table.enter(from: stranger, to: first, at: at(1)) == sister)
    }

    @Test func `a router that accepts gives a port away to whoever comes first, for half a minute`() {
        func source(_ router: Router, laterBy seconds: Int) -> Endpoint {
            var table = RouterTable(router, address: address)
            #expect(table.enter(from: friend, to: outside(7_420), at: at(0)) == nil)
            return table.leave(from: node, to: friend, at: at(seconds))
        }
        #expect(source(.accepting, laterBy: 30) != outside(7_420))
        #expect(source(.accepting, laterBy: 31) == outside(7_420))
        #expect(source(.keepingPort, laterBy: 30) == outside(7_420))
    }

    @Test func `an open port lets everybody in, and its node answers from there`() {
        var table = RouterTable(Router(.changing, opensPorts: true), address: address)
        #expect(table.open(7_420, for: node) == outside(7_420))
        #expect(table.enter(from: stranger, to: outside(7_420), at: at(0)) == node)
        #expect(table.leave(from: node, to: stranger, at: at(1)) == outside(7_420))
        #expect(table.leave(from: node, to: friend, at: at(1)) != outside(7_420))
    }

    @Test func `a port that another node has open is not given away, and what is closed is closed`() {
        var table = RouterTable(.openingPorts, address: address)
        #expect(table.open(7_420, for: node) == outside(7_420))
        #expect(table.open(7_420, for: node) == outside(7_420))
        let other = table.open(7_420, for: sister)
        #expect(other != nil && other != outside(7_420))
        table.closePorts(of: node)
        #expect(table.enter(from: stranger, to: outside(7_420), at: at(0)) == nil)
        #expect(table.inside(ofOpen: other ?? node) == sister)
        table.restart(at: address)
        #expect(table.inside(ofOpen: other ?? node) == nil)
        var refusing = RouterTable(.keepingPort, address: address)
        #expect(refusing.open(7_420, for: node) == nil)
    }

    @Test func `an opened firewall lets everybody in to the node itself`() {
        var table = RouterTable(Router(.untouched, opensPorts: true), address: address)
        #expect(table.open(7_420, for: node) == node)
        #expect(table.enter(from: stranger, to: node, at: at(0)) == node)
        #expect(table.enter(from: stranger, to: sister, at: at(0)) == nil)
    }

    @Test func `ended flows do not fill a router`() {
        var table = RouterTable(.changingPort, address: address)
        for second in 0..<5_000 {
            _ = table.leave(from: node, to: Endpoint(ipv4: 0x5000_0000 + UInt32(second), port: 1_024), at: at(second))
        }
        #expect(table.flowCount <= 64)
    }
}

extension Internet {
    fileprivate mutating func receive(
        _ departure: Departure?, to target: Endpoint, at now: MonotonicInstant
    ) -> Endpoint? {
        guard let departure else { return nil }
        return receive(departure, to: target, at: now)
    }
}

/// The way of a datagram from one home to another.
struct InternetTests {
    private let first = Endpoint(ipv4: 0xC0A8_0102, port: 7_420)
    private let second = Endpoint(ipv4: 0xC0A8_0203, port: 7_420)

    private func at(_ seconds: Int) -> MonotonicInstant { .zero.advanced(by: .seconds(seconds)) }

    /// Two homes and where they are seen.
    private func homes(_ routers: [Router], _ others: [Router]) -> (
        internet: Internet, first: Endpoint, second: Endpoint
    ) {
        var internet = Internet()
        internet.addHome(1, routers: routers)
        internet.addHome(2, routers: others)
        let one = internet.outside(of: first, inHome: 1)
        let two = internet.outside(of: second, inHome: 2)
        return (internet, one, two)
    }

    @Test(arguments: [Router.keepingPort, .steadyPort], [false, true])
    func `two homes that send to each other hear each other`(router: Router, hasCarrier: Bool) {
        let chain = [router] + (hasCarrier ? [.steadyPort] : [])
        var (internet, one, two) = homes(chain, chain)
        let early = internet.send(from: first, inHome: 1, to: two, hopLimit: 64, at: at(0))
        #expect(early?.source == one)
        #expect(internet.receive(early, to: two, at: at(0)) == nil)
        let answer = internet.send(from: second, inHome: 2, to: one, hopLimit: 64, at: at(1))
        #expect(internet.receive(answer, to: one, at: at(1)) == first)
        let late = internet.send(from: first, inHome: 1, to: two, hopLimit: 64, at: at(2))
        #expect(internet.receive(late, to: two, at: at(2)) == second)
    }

    @Test func `a changing port is not where others look for it`() {
        var (internet, one, two) = homes([.changingPort], [.keepingPort])
        _ = internet.send(from: first, inHome: 1, to: two, hopLimit: 64, at: at(0))
        let answer = internet.send(from: second, inHome: 2, to: one, hopLimit: 64, at: at(1))
        #expect(internet.receive(answer, to: one, at: at(1)) == nil)
        let late = internet.send(from: first, inHome: 1, to: two, hopLimit: 64, at: at(2))
        #expect(internet.receive(late, to: two, at: at(2)) == nil)
    }

    @Test func `a datagram with few hops opens its own routers and reaches nobody`() {
        var (internet, one, two) = homes([.keepingPort, .steadyPort], [.accepting])
        #expect(internet.send(from: first, inHome: 1, to: two, hopLimit: 5, at: at(0)) == nil)
        let answer = internet.send(from: second, inHome: 2, to: one, hopLimit: 64, at: at(1))
        // The other router has not heard of it, so its node's port was free.
        #expect(answer?.source == two)
        #expect(internet.receive(answer, to: one, at: at(1)) == first)
    }

    @Test func `a datagram opens only the routers that pass it on`() {
        var (internet, one, two) = homes([.keepingPort, .steadyPort], [.keepingPort])
        #expect(internet.send(from: first, inHome: 1, to: two, hopLimit: 2, at: at(0)) == nil)
        let answer = internet.send(from: second, inHome: 2, to: one, hopLimit: 64, at: at(1))
        #expect(internet.receive(answer, to: one, at: at(1)) == nil)
    }

    @Test func `a datagram needs a hop for each router on the way, and one more`() {
        let routers = 1 + Internet.coreHops + 2
        for limit in [routers, routers + 1] {
            var (internet, one, two) = homes([.keepingPort], [.keepingPort, .keepingPort])
            _ = internet.send(from: second, inHome: 2, to: one, hopLimit: 64, at: at(0))
            let departure = internet.send(from: first, inHome: 1, to: two, hopLimit: limit, at: at(1))
            let arrived = internet.receive(departure, to: two, at: at(1))
            #expect(arrived == (limit == routers ? nil : second))
        }
    }

    @Test func `a home whose router restarts is found at its new address only`() {
        var (internet, one, two) = homes([.openingPorts], [.keepingPort])
        let open = internet.openPort(7_420, for: first, inHome: 1)
        #expect(open == one)
        let before = internet.send(from: second, inHome: 2, to: one, hopLimit: 64, at: at(0))
        #expect(internet.receive(before, to: one, at: at(0)) == first)
        #expect(internet.inside(ofOpen: one) == first)
        internet.restartHome(1)
        #expect(internet.home(at: one.address) == nil)
        let after = internet.send(from: second, inHome: 2, to: one, hopLimit: 64, at: at(1))
        #expect(internet.receive(after, to: one, at: at(1)) == nil)
        #expect(internet.inside(ofOpen: one) == nil)
        #expect(internet.outside(of: first, inHome: 1) != one)
        #expect(two == internet.outside(of: second, inHome: 2))
    }

    @Test func `behind a provider's router an open port is of no use, and no node believes in it`() {
        var (internet, one, _) = homes([.openingPorts, .steadyPort], [.keepingPort])
        #expect(internet.openPort(7_420, for: first, inHome: 1) == nil)
        let departure = internet.send(from: second, inHome: 2, to: one, hopLimit: 64, at: at(0))
        #expect(internet.receive(departure, to: one, at: at(0)) == nil)
        #expect(internet.inside(ofOpen: one) == nil)
    }

    @Test func `no two homes are with one provider, and all addresses may be told`() {
        var internet = Internet()
        let endpoints = (0..<300).map { _ in Endpoint(address: internet.freshAddress(), port: 7_420) }
        #expect(Set(endpoints.map(\.provider)).count == endpoints.count)
        #expect(endpoints.allSatisfy { $0.mayBeTold })
    }
}
