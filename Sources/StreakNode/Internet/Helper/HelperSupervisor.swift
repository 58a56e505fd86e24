import StreakInternet
import StreakLinks
import StreakWire

/// Decides when the helper program runs, what it is asked, and when it is killed. Pure: time and answers come in, outputs go out.
///
/// The helper is hostile here: what it answers must be an answer to something asked, in time and in measure, or it is killed.
/// It holds nothing that would be lost, so killing is also how it is ended.
struct HelperSupervisor {
    struct Limits {
        /// How long the helper may take to answer; a slow router takes 10 s. A put and a get may take as long as their session: many
        /// nodes that are gone make libtorrent wait 15 s, again and again.
        var answer: Duration = .seconds(30)
        /// How long it is kept without work.
        var idle: Duration = .seconds(60)
        /// How long it is not started after it failed.
        var rest: Duration = .seconds(60)
        /// After how many failures in an hour it is not started.
        var failuresPerHour = 5
        /// How long a session of the DHT may last: short visits burden no router's table.
        var session: Duration = .seconds(60)
        /// How long a session stays open for what may follow.
        var linger: Duration = .seconds(2)
        /// As many as the engine may want while an invite is young.
        var sessionsPerHour = 60
        /// Requests of callers at a time.
        var works = 64
        /// Values that one search may bring: each has to be newer than those before.
        var valuesPerSearch = 32
    }

    enum Output: Equatable {
        /// Start the program. It takes what is sent from now on.
        case start
        case send(HelperRequest)
        /// Kill the program. Nothing it says counts from now on.
        case stop
        /// Give a caller an answer; `ended`, `mapped`, `unmapped` and `stored` are the last.
        case answer(UInt32, HelperAnswer.Content)
        case fail(UInt32, HelperFailure)
        /// The helper knows these nodes of the DHT.
        case nodes([Endpoint])
    }

    /// A request that the helper has and has not answered.
    fileprivate struct Pending {
        var request: HelperRequest.Content
        var deadline: MonotonicInstant
        var values = 0
        /// Nobody waits for it any longer.
        var isAbandoned = false
    }

    fileprivate enum Session {
        case closed
        case opening
        case open(until: MonotonicInstant, lingersUntil: MonotonicInstant?)
        case closing
    }

    var limits: Limits
    /// What sessions begin with.
    var network: DHTNetwork
    /// Those of the last session in which any were heard of, to begin with next time; at most 200.
    private(set) var nodes: [Endpoint]
    private let exists: Bool

    private var isRunning = false
    private var idleUntil: MonotonicInstant?
    private var pending: [UInt32: Pending] = [:]
    private var session = Session.closed
    /// Puts and gets that wait for a session, oldest first.
    private var waiting: [HelperRequest] = []
    private var lastID: UInt32 = 0
    /// When the helper failed, and when sessions were opened, in the last hour.
    private var failures: [MonotonicInstant] = []
    private var sessions: [MonotonicInstant] = []
    private var isFailing = false

    /// - Parameter exists: Whether there is a program at all.
    init(exists: Bool, network: DHTNetwork, nodes: [Endpoint] = [], limits: Limits = Limits()) {
        self.exists = exists
        self.network = network
        self.nodes = Array(nodes.prefix(HelperLimits.maximumNodes))
        self.limits = limits
    }

    var state: HelperState {
        guard exists else { return .missing }
        if isFailing { return .failing }
        return isRunning ? .running : .idle
    }

    // MARK: What callers want

    /// Takes a request to `map`, `unmap`, `put` or `get`, and says under which number it is answered.
    mutating func ask(_ content: HelperRequest.Content, at now: MonotonicInstant) -> (id: UInt32, outputs: [Output]) {
        lastID &+= 1
        let request = HelperRequest(id: lastID, content)
        var outputs: [Output] = []
        if let failure = refusal(at: now) {
            outputs.append(.fail(request.id, failure))
        } else {
            if !isRunning {
                isRunning = true
                outputs.append(.start)
            }
            if content.needsSession {
                waiting.append(request)
            } else {
                send(request, at: now, into: &outputs)
            }
            proceed(at: now, into: &outputs)
        }
        return (request.id, outputs)
    }

    /// Nobody waits any longer for what was asked.
    mutating func abandon(_ id: UInt32, at now: MonotonicInstant) -> [Output] {
        waiting.removeAll { $0.id == id }
        pending[id]?.isAbandoned = true
        var outputs: [Output] = []
        proceed(at: now, into: &outputs)
        return outputs
    }

    private mutating func refusal(at now: MonotonicInstant) -> HelperFailure? {
        guard exists else { return .missing }
        let works = waiting.count + pending.values.count { $0.request.isOfCaller }
        guard works < limits.works else { return .busy }
        guard !isRunning else { return nil }
        Self.forget(&failures, at: now)
        if failures.count >= limits.failuresPerHour { return .resting }
        if let last = failures.last, last.duration(to: now) < limits.rest { return .resting }
        return nil
    }

    private static func forget(_ times: inout [MonotonicInstant], at now: MonotonicInstant) {
        times.removeAll { $0.duration(to: now) >= .seconds(3_600) }
    }

    // MARK: What the helper says

    /// Takes what the helper said; nil for what cannot be read.
    mutating func receive(_ answer: HelperAnswer?, at now: MonotonicInstant) -> [Output] {
        guard isRunning else { return [] }
        var outputs: [Output] = []
        guard let answer, let asked = pending[answer.id], asked.takes(answer.content, limits) else {
            fail(.nonsense, at: now, into: &outputs)
            return outputs
        }
        isFailing = false
        if case .value = answer.content {
            pending[answer.id]?.values += 1
        } else {
            pending[answer.id] = nil
        }
        switch answer.content {
        case .mapped, .unmapped, .stored, .value, .ended:
            if !asked.isAbandoned { outputs.append(.answer(answer.id, answer.content)) }
            // A session that began before the network was there finds no nodes later; a new one does.
            if answer.content.isStoredNowhere, case .open = session { closeSession(at: now, into: &outputs) }
        case .opened(nodes: let count): opened(knowing: count, at: now, into: &outputs)
        case .nodes(let heard):
            // Who lies about the DHT names no machine of this network. A session in which nobody answered forgets nobody.
            let named = heard.filter(\.mayBeTold)
            guard !named.isEmpty else { break }
            nodes = Array(named.prefix(HelperLimits.maximumNodes))
            outputs.append(.nodes(nodes))
        case .closed: closed()
        case .failed(let refusal):
            if case .open = asked.request {
                session = .closed
                failWaiting(.refused(refusal), into: &outputs)
            } else if !asked.isAbandoned {
                outputs.append(.fail(answer.id, .refused(refusal)))
            }
        }
        proceed(at: now, into: &outputs)
        return outputs
    }

    /// The program ended, or could not be started.
    mutating func ended(at now: MonotonicInstant) -> [Output] {
        guard isRunning else { return [] }
        var outputs: [Output] = []
        fail(.ended, at: now, into: &outputs)
        return outputs
    }

    private mutating func opened(knowing count: UInt16, at now: MonotonicInstant, into outputs: inout [Output]) {
        session = .open(until: now.advanced(by: limits.session), lingersUntil: nil)
        guard count > 0 else {
            failWaiting(.unreachable, into: &outputs)
            return closeSession(at: now, into: &outputs)
        }
        // Of use at once where none was known: they say where they see this machine.
        if nodes.isEmpty { sendOwn(.nodes, at: now, into: &outputs) }
    }

    private mutating func closed() {
        session = .closed
        // What was under way in the session has been told by now that it is over.
        pending = pending.filter { !$0.value.request.needsSession }
    }

    private mutating func failWaiting(_ failure: HelperFailure, into outputs: inout [Output]) {
        for request in waiting { outputs.append(.fail(request.id, failure)) }
        waiting = []
    }

    /// The helper did what it may not.
    private mutating func fail(_ failure: HelperFailure, at now: MonotonicInstant, into outputs: inout [Output]) {
        failures.append(now)
        isFailing = true
        end(failure, into: &outputs)
    }

    private mutating func end(_ failure: HelperFailure, into outputs: inout [Output]) {
        (isRunning, session, idleUntil) = (false, .closed, nil)
        outputs.append(.stop)
        for (id, asked) in pending.sorted(by: { $0.key < $1.key }) where asked.request.isOfCaller && !asked.isAbandoned
        {
            outputs.append(.fail(id, failure))
        }
        pending = [:]
        failWaiting(failure, into: &outputs)
    }

    /// The node stops.
    mutating func close() -> [Output] {
        var outputs: [Output] = []
        if isRunning { end(.stopping, into: &outputs) }
        return outputs
    }

    // MARK: What follows

    private mutating func send(_ request: HelperRequest, at now: MonotonicInstant, into outputs: inout [Output]) {
        let patience = request.content.needsSession ? limits.session + limits.answer : limits.answer
        pending[request.id] = Pending(request: request.content, deadline: now.advanced(by: patience))
        outputs.append(.send(request))
    }

    private mutating func sendOwn(
        _ content: HelperRequest.Content, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        lastID &+= 1
        send(HelperRequest(id: lastID, content), at: now, into: &outputs)
    }

    private mutating func proceed(at now: MonotonicInstant, into outputs: inout [Output]) {
        guard isRunning else { return }
        switch session {
        case .closed: if !waiting.isEmpty { openSession(at: now, into: &outputs) }
        case .open(let end, let lingering):
            for request in waiting { send(request, at: now, into: &outputs) }
            waiting = []
            let isBusy = pending.values.contains { $0.request.needsSession && !$0.isAbandoned }
            session = .open(
                until: end, lingersUntil: isBusy ? nil : lingering ?? now.advanced(by: limits.linger))
        case .opening, .closing: break
        }
        let isIdle = pending.isEmpty && waiting.isEmpty && session.isClosed
        idleUntil = isIdle ? idleUntil ?? now.advanced(by: limits.idle) : nil
    }

    private mutating func openSession(at now: MonotonicInstant, into outputs: inout [Output]) {
        Self.forget(&sessions, at: now)
        guard sessions.count < limits.sessionsPerHour else { return failWaiting(.enough, into: &outputs) }
        sessions.append(now)
        session = .opening
        sendOwn(.open(network, nodes: nodes), at: now, into: &outputs)
    }

    private mutating func closeSession(at now: MonotonicInstant, into outputs: inout [Output]) {
        session = .closing
        for (id, asked) in pending.sorted(by: { $0.key < $1.key }) where asked.request.needsSession {
            if !asked.isAbandoned { outputs.append(.fail(id, .enough)) }
            pending[id]?.isAbandoned = true
        }
        sendOwn(.nodes, at: now, into: &outputs)
        sendOwn(.close, at: now, into: &outputs)
    }

    // MARK: Time

    /// When to look again; nil where nothing is due.
    var nextDeadline: MonotonicInstant? {
        var deadlines = pending.values.map(\.deadline)
        if let idleUntil { deadlines.append(idleUntil) }
        if case .open(let end, let lingering) = session { deadlines.append(min(end, lingering ?? end)) }
        return deadlines.min()
    }

    mutating func deadlineReached(at now: MonotonicInstant) -> [Output] {
        var outputs: [Output] = []
        if pending.values.contains(where: { $0.deadline <= now }) {
            fail(.silent, at: now, into: &outputs)
        } else if let idleUntil, idleUntil <= now {
            end(.ended, into: &outputs)
        } else if case .open(let end, let lingering) = session, min(end, lingering ?? end) <= now {
            closeSession(at: now, into: &outputs)
        }
        return outputs
    }
}

extension HelperSupervisor.Session {
    fileprivate var isClosed: Bool {
        switch self {
        case .closed: true
        case .opening, .open, .closing: false
        }
    }
}

extension HelperSupervisor.Pending {
    /// Whether this can be an answer to it.
    fileprivate func takes(_ answer: HelperAnswer.Content, _ limits: HelperSupervisor.Limits) -> Bool {
        switch (request, answer) {
        case (.map(let wish), .mapped(let port)):
            port.transport == wish.transport && (!wish.isExact || port.outsidePort == wish.outsidePort)
        case (.unmap, .unmapped), (.open, .opened), (.put, .stored), (.get, .ended), (.nodes, .nodes),
            (.close, .closed):
            true
        case (.get, .value): values < limits.valuesPerSearch
        case (.map, .failed), (.unmap, .failed), (.open, .failed), (.put, .failed), (.get, .failed): true
        case (.map, _), (.unmap, _), (.open, _), (.put, _), (.get, _), (.nodes, _), (.close, _): false
        }
    }
}

extension HelperAnswer.Content {
    fileprivate var isStoredNowhere: Bool {
        if case .stored(count: 0) = self { true } else { false }
    }
}

extension HelperRequest.Content {
    fileprivate var needsSession: Bool {
        switch self {
        case .put, .get: true
        case .map, .unmap, .open, .nodes, .close: false
        }
    }

    fileprivate var isOfCaller: Bool {
        switch self {
        case .map, .unmap, .put, .get: true
        case .open, .nodes, .close: false
        }
    }
}
