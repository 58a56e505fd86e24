import StreakInternet
import StreakLinks
import StreakWire
import Testing

@testable import StreakNode

/// The supervision with a helper that is made of answers, and a clock that stands still.
@Suite struct HelperSupervisorTests {
    private static let endpoint = Endpoint(ipv4: 0xC612_0001, port: 7_420)
    private static let wish = PortWish(transport: .udp, inside: endpoint, outsidePort: 7_420)
    private static let port = OpenedPort(
        transport: .udp, outsidePort: 7_420, outsideAddress: endpoint.address, lease: 3_600, router: "http://r/")
    private static let item = DHTItem(
        key: .zero, sequence: 1, value: [1], signature: [UInt8](repeating: 0, count: 64))
    private static let key = Bytes32(1, 1, 1, 1)

    /// A supervisor, its time, and what it put out.
    private struct Desk {
        var supervisor: HelperSupervisor
        var now = MonotonicInstant.zero

        init(exists: Bool = true, nodes: [Endpoint] = [endpoint]) {
            supervisor = HelperSupervisor(exists: exists, network: .mainline, nodes: nodes)
        }

        mutating func ask(_ content: HelperRequest.Content) -> (id: UInt32, outputs: [HelperSupervisor.Output]) {
            supervisor.ask(content, at: now)
        }

        mutating func hear(_ content: HelperAnswer.Content, to id: UInt32) -> [HelperSupervisor.Output] {
            supervisor.receive(HelperAnswer(id: id, content), at: now)
        }

        mutating func wait(_ duration: Duration) { now = now.advanced(by: duration) }

        /// Waits until something is due, and how long that took.
        mutating func waitUntilDue() throws -> (Duration, [HelperSupervisor.Output]) {
            let due = try #require(supervisor.nextDeadline)
            let waited = now.duration(to: due)
            now = due
            return (waited, supervisor.deadlineReached(at: now))
        }

        /// Asks for a put, and has the session open: the put's number.
        mutating func openSession() throws -> UInt32 {
            let (id, outputs) = ask(.put(item))
            let open = try #require(outputs.requests.first)
            guard case .open = open.content else { throw Unexpected() }
            #expect(hear(.opened(nodes: 9), to: open.id).requests == [HelperRequest(id: id, .put(item))])
            return id
        }
    }

    private struct Unexpected: Error {}

    @Test func `without a program everything is refused`() {
        var desk = Desk(exists: false)
        let (id, outputs) = desk.ask(.map(Self.wish))
        #expect(outputs == [.fail(id, .missing)])
        #expect(desk.supervisor.state == .missing)
        #expect(desk.supervisor.nextDeadline == nil)
    }

    @Test func `it starts when something is asked, and ends a minute after the last answer`() throws {
        var desk = Desk()
        #expect(desk.supervisor.state == .idle)
        let (id, outputs) = desk.ask(.map(Self.wish))
        #expect(outputs == [.start, .send(HelperRequest(id: id, .map(Self.wish)))])
        #expect(desk.supervisor.state == .running)
        desk.wait(.seconds(6))
        #expect(desk.hear(.mapped(Self.port), to: id) == [.answer(id, .mapped(Self.port))])
        desk.wait(.seconds(59))
        let (second, _) = desk.ask(.unmap(Self.port))
        #expect(desk.hear(.unmapped, to: second) == [.answer(second, .unmapped)])
        let (waited, end) = try desk.waitUntilDue()
        #expect(waited == .seconds(60))
        #expect(end == [.stop])
        #expect(desk.supervisor.state == .idle)
        // That was no failure: it starts again at once.
        #expect(desk.ask(.map(Self.wish)).outputs.first == .start)
    }

    @Test func `one that does not answer about the router is killed after thirty seconds`() throws {
        var desk = Desk()
        let (first, _) = desk.ask(.map(Self.wish))
        desk.wait(.seconds(20))
        let (second, _) = desk.ask(.unmap(Self.port))
        let (waited, outputs) = try desk.waitUntilDue()
        #expect(waited == .seconds(10))
        #expect(outputs == [.stop, .fail(first, .silent), .fail(second, .silent)])
        #expect(desk.supervisor.state == .failing)
    }

    @Test func `a put among nodes that are gone may take its whole session, and ends with it`() throws {
        var desk = Desk()
        let put = try desk.openSession()
        let (waited, closing) = try desk.waitUntilDue()
        #expect(waited == .seconds(60))
        #expect(closing.contains(.fail(put, .enough)))
        for request in closing.requests {
            #expect(desk.hear(request.content == .close ? .closed : .nodes([]), to: request.id).isEmpty)
        }
        #expect(desk.supervisor.state == .running)
        #expect(desk.ask(.put(Self.item)).outputs.requests.count == 1, "it is asked again at once")
    }

    @Test(arguments: [
        HelperAnswer(id: 1, .unmapped), HelperAnswer(id: 1, .ended), HelperAnswer(id: 1, .closed),
        HelperAnswer(id: 2, .mapped(port)), HelperAnswer(id: 0, .nodes([])), nil,
        HelperAnswer(
            id: 1, .mapped(OpenedPort(transport: .tcp, outsidePort: 1, outsideAddress: nil, lease: 1, router: ""))),
    ])
    func `an answer to nothing that was asked, and what cannot be read, ends it`(answer: HelperAnswer?) {
        var desk = Desk()
        let (id, _) = desk.ask(.map(Self.wish))
        #expect(desk.supervisor.receive(answer, at: desk.now) == [.stop, .fail(id, .nonsense)])
        #expect(desk.hear(.mapped(Self.port), to: id) == [], "nothing is heard after that")
    }

    @Test func `a second answer to one request ends it`() {
        var desk = Desk()
        let (id, _) = desk.ask(.map(Self.wish))
        _ = desk.hear(.mapped(Self.port), to: id)
        #expect(desk.hear(.mapped(Self.port), to: id) == [.stop])
    }

    @Test func `what it refuses is told, and it lives`() {
        var desk = Desk()
        let (id, _) = desk.ask(.map(Self.wish))
        #expect(desk.hear(.failed(.noRouter), to: id) == [.fail(id, .refused(.noRouter))])
        #expect(desk.supervisor.state == .running)
    }

    @Test func `after a failure it rests a minute, and after five in an hour for the rest of it`() {
        var desk = Desk()
        for number in 1...5 {
            let (id, outputs) = desk.ask(.map(Self.wish))
            #expect(outputs.first == .start, "start \(number)")
            #expect(desk.supervisor.ended(at: desk.now) == [.stop, .fail(id, .ended)])
            let (early, refusal) = desk.ask(.map(Self.wish))
            #expect(refusal == [.fail(early, .resting)])
            desk.wait(.seconds(59))
            #expect(desk.ask(.map(Self.wish)).outputs.first != .start)
            desk.wait(.seconds(1))
        }
        let (id, refusal) = desk.ask(.map(Self.wish))
        #expect(refusal == [.fail(id, .resting)])
        // The first failure was five minutes ago.
        desk.wait(.seconds(3_600 - 301))
        #expect(desk.ask(.map(Self.wish)).outputs.first != .start)
        desk.wait(.seconds(1))
        #expect(desk.ask(.map(Self.wish)).outputs.first == .start)
    }

    @Test func `a session is opened for the first put, shared, and closed two seconds after the last`() throws {
        var desk = Desk(nodes: [Self.endpoint])
        let (put, outputs) = desk.ask(.put(Self.item))
        let open = try #require(outputs.requests.first)
        #expect(outputs == [.start, .send(HelperRequest(id: open.id, .open(.mainline, nodes: [Self.endpoint])))])
        let (get, nothing) = desk.ask(.get(Self.key))
        #expect(nothing == [], "it waits for the session")
        #expect(
            desk.hear(.opened(nodes: 9), to: open.id) == [
                .send(HelperRequest(id: put, .put(Self.item))), .send(HelperRequest(id: get, .get(Self.key))),
            ])
        #expect(desk.hear(.stored(count: 8), to: put) == [.answer(put, .stored(count: 8))])
        let value = DHTValue(sequence: 3, value: [9])
        #expect(desk.hear(.value(value), to: get) == [.answer(get, .value(value))])
        #expect(desk.hear(.ended, to: get) == [.answer(get, .ended)])
        let (waited, closing) = try desk.waitUntilDue()
        #expect(waited == .seconds(2))
        #expect(closing.requests.map(\.content) == [.nodes, .close])
        let other = Endpoint(ipv4: 0xC612_0002, port: 7_421)
        // A machine of this network, whom only a liar names.
        let near = Endpoint(ipv4: 0xC0A8_0001, port: 7_421)
        #expect(desk.hear(.nodes([near, other]), to: closing.requests[0].id) == [.nodes([other])])
        #expect(desk.supervisor.nodes == [other])
        #expect(desk.hear(.closed, to: closing.requests[1].id) == [])
        let (idle, end) = try desk.waitUntilDue()
        #expect(idle == .seconds(60))
        #expect(end == [.stop])
    }

    @Test func `where no node is known those of the first session are named as soon as it is open`() throws {
        var desk = Desk(nodes: [])
        let (get, outputs) = desk.ask(.get(Self.key))
        let told = desk.hear(.opened(nodes: 9), to: try #require(outputs.requests.first).id)
        #expect(told.requests.map(\.content) == [.nodes, .get(Self.key)])
        #expect(
            desk.hear(.nodes([Self.endpoint]), to: try #require(told.requests.first).id) == [.nodes([Self.endpoint])])
        #expect(desk.supervisor.nodes == [Self.endpoint])
        #expect(desk.hear(.ended, to: get) == [.answer(get, .ended)])
    }

    @Test func `what comes while a session closes waits for the next one`() throws {
        var desk = Desk()
        let put = try desk.openSession()
        _ = desk.hear(.stored(count: 8), to: put)
        let (_, closing) = try desk.waitUntilDue()
        let (get, nothing) = desk.ask(.get(Self.key))
        #expect(nothing == [])
        _ = desk.hear(.nodes([]), to: closing.requests[0].id)
        let opening = desk.hear(.closed, to: closing.requests[1].id).requests
        #expect(opening.map(\.content) == [.open(.mainline, nodes: [Self.endpoint])])
        #expect(
            desk.hear(.opened(nodes: 1), to: opening[0].id).requests == [HelperRequest(id: get, .get(Self.key))])
    }

    @Test func `no session lasts longer than a minute, whatever is under way`() throws {
        var desk = Desk()
        let put = try desk.openSession()
        _ = desk.hear(.stored(count: 8), to: put)
        var get: UInt32 = 0
        // One search follows another within two seconds, so that the session never lingers out.
        for _ in 0..<59 {
            get = desk.ask(.get(Self.key)).id
            desk.wait(.seconds(1))
            #expect(desk.supervisor.deadlineReached(at: desk.now) == [])
            #expect(desk.hear(.ended, to: get) == [.answer(get, .ended)])
        }
        get = desk.ask(.get(Self.key)).id
        let (waited, outputs) = try desk.waitUntilDue()
        #expect(waited == .seconds(1))
        #expect(outputs.first == .fail(get, .enough))
        #expect(outputs.requests.map(\.content) == [.nodes, .close])
        // Its last value comes too late for anybody.
        #expect(desk.hear(.value(DHTValue(sequence: 1, value: [])), to: get) == [])
    }

    @Test func `where nobody answers, all that waited is told so`() throws {
        var desk = Desk()
        let (put, outputs) = desk.ask(.put(Self.item))
        let (get, _) = desk.ask(.get(Self.key))
        let told = desk.hear(.opened(nodes: 0), to: try #require(outputs.requests.first).id)
        #expect(told.prefix(2) == [.fail(put, .unreachable), .fail(get, .unreachable)])
        #expect(told.requests.map(\.content) == [.nodes, .close])
    }

    @Test func `a session in which nobody stores what is put is closed, so that the next put begins another`() throws {
        var desk = Desk()
        let put = try desk.openSession()
        let outputs = desk.hear(.stored(count: 0), to: put)
        #expect(outputs.first == .answer(put, .stored(count: 0)))
        #expect(outputs.requests.map(\.content) == [.nodes, .close])
    }

    @Test func `the DHT is not asked more often than a good guest asks`() throws {
        var desk = Desk()
        for number in 1...60 {
            let put = try desk.openSession()
            _ = desk.hear(.stored(count: 8), to: put)
            let (_, closing) = try desk.waitUntilDue()
            for request in closing.requests {
                _ = desk.hear(request.content == .nodes ? .nodes([]) : .closed, to: request.id)
            }
            #expect(desk.supervisor.state == .running, "session \(number)")
        }
        let (id, outputs) = desk.ask(.put(Self.item))
        #expect(outputs == [.fail(id, .enough)])
        desk.supervisor.limits.sessionsPerHour = 120
        _ = try desk.openSession()
    }

    @Test func `who leaves a search is told nothing, and keeps no session open`() throws {
        var desk = Desk()
        let put = try desk.openSession()
        let (get, _) = desk.ask(.get(Self.key))
        _ = desk.hear(.stored(count: 8), to: put)
        _ = desk.hear(.value(DHTValue(sequence: 1, value: [])), to: get)
        #expect(desk.supervisor.abandon(get, at: desk.now) == [])
        #expect(desk.hear(.value(DHTValue(sequence: 2, value: [])), to: get) == [])
        let (waited, closing) = try desk.waitUntilDue()
        #expect(waited == .seconds(2))
        #expect(closing.requests.map(\.content) == [.nodes, .close])
        // It ends by itself just before the close arrives.
        #expect(desk.hear(.ended, to: get) == [])
        _ = desk.hear(.nodes([]), to: closing.requests[0].id)
        #expect(desk.hear(.closed, to: closing.requests[1].id) == [])
        #expect(desk.supervisor.state == .running)
    }

    @Test func `values without end are refused`() throws {
        var desk = Desk()
        _ = try desk.openSession()
        let (get, _) = desk.ask(.get(Self.key))
        for number in 0..<32 {
            #expect(desk.hear(.value(DHTValue(sequence: Int64(number), value: [])), to: get).count == 1)
        }
        #expect(desk.hear(.value(DHTValue(sequence: 99, value: [])), to: get).contains(.fail(get, .nonsense)))
    }

    @Test func `there is a limit to what is asked at a time`() {
        var desk = Desk()
        for _ in 0..<64 { #expect(desk.ask(.map(Self.wish)).outputs.count <= 2) }
        let (id, outputs) = desk.ask(.map(Self.wish))
        #expect(outputs == [.fail(id, .busy)])
    }

    @Test func `it ends with its node`() {
        var desk = Desk()
        let (id, _) = desk.ask(.map(Self.wish))
        #expect(desk.supervisor.close() == [.stop, .fail(id, .stopping)])
        #expect(desk.supervisor.close() == [])
    }
}

extension [HelperSupervisor.Output] {
    /// What is sent to the helper.
    fileprivate var requests: [HelperRequest] {
        compactMap { if case .send(let request) = $0 { request } else { nil } }
    }
}
