import Dispatch
import NIOCore
import NIOPosix
import StreakInternet
import StreakLinks
import StreakWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The helper program as the node sees it: ask, and it runs.
///
/// What parses the words of routers and strangers in C and C++ is in a process of its own, without keys and without files. Whatever becomes of
/// that process costs the node the answers that it waited for, and nothing else. Everything here happens on one event loop; nobody waits for it to
/// get a turn.
final class InternetHelper: Sendable {
    private let loop: any EventLoop
    private let state: NIOLoopBoundBox<State>
    private let nodesFound: @Sendable ([Endpoint]) -> Void

    /// How somebody hears of what it asked.
    fileprivate enum Caller {
        case once(CheckedContinuation<HelperAnswer.Content, any Error>)
        case search(AsyncThrowingStream<DHTValue, any Error>.Continuation)
    }

    private struct State {
        var supervisor: HelperSupervisor
        let program: HelperProgram?
        let clock: @Sendable () -> MonotonicInstant
        var callers: [UInt32: Caller] = [:]
        var process: Process?
        /// Counts the processes, so that one that was stopped is not heard.
        var processCount = 0
        var alarm: Scheduled<Void>?
        var isClosed = false
    }

    /// A process that was started, and the channel to it.
    private final class Process: Sendable {
        /// nil where the system did not start it.
        let id: pid_t?
        let channel: EventLoopFuture<any Channel>

        init(id: pid_t?, channel: EventLoopFuture<any Channel>) { (self.id, self.channel) = (id, channel) }

        func send(_ request: HelperRequest) {
            let frame = ByteBuffer(bytes: HelperFrame.framed(request.encoded))
            channel.whenSuccess { $0.writeAndFlush(frame, promise: nil) }
        }

        /// Kills it and has it gone.
        func stop() {
            channel.whenSuccess { $0.close(promise: nil) }
            guard let id else { return }
            _ = kill(id, SIGKILL)
            DispatchQueue.global().async {
                var status: CInt = 0
                while unsafe waitpid(id, &status, 0) == -1, errno == EINTR {}
            }
        }
    }

    /// - Parameters:
    ///   - program: nil where there is none.
    ///   - nodes: Nodes of the DHT that were kept.
    ///   - nodesFound: Told which nodes to keep: as soon as some are known where none was, and whenever the DHT is left.
    init(
        program: HelperProgram?, network: DHTNetwork = .mainline, nodes: [Endpoint] = [],
        limits: HelperSupervisor.Limits = .init(), clock: @escaping @Sendable () -> MonotonicInstant,
        nodesFound: @escaping @Sendable ([Endpoint]) -> Void = { _ in }
    ) {
        self.nodesFound = nodesFound
        let supervisor = HelperSupervisor(exists: program != nil, network: network, nodes: nodes, limits: limits)
        loop = MultiThreadedEventLoopGroup.singleton.next()
        state = .makeBoxSendingValue(State(supervisor: supervisor, program: program, clock: clock), eventLoop: loop)
    }

    // MARK: Asking

    /// Has a router open a port by UPnP. Takes up to 30 s where none answers.
    ///
    /// - Throws: `HelperFailure`.
    func map(_ wish: PortWish) async throws -> OpenedPort {
        guard case .mapped(let port) = try await ask(.map(wish)) else { throw HelperFailure.nonsense }
        return port
    }

    /// Has it close the port.
    ///
    /// - Throws: `HelperFailure`.
    func unmap(_ port: OpenedPort) async throws { _ = try await ask(.unmap(port)) }

    /// Leaves an item in the DHT, and returns how many nodes have stored it: usually eight.
    ///
    /// - Throws: `HelperFailure`.
    func put(_ item: DHTItem) async throws -> Int {
        guard case .stored(let count) = try await ask(.put(item)) else { throw HelperFailure.nonsense }
        return Int(count)
    }

    /// Looks for the item of a key. Values come as they are found, each newer than those before; the end may come 15 s after the last.
    /// A caller that has what it wants leaves the loop. Where the item is not there nothing comes, and where nodes are silent neither.
    ///
    /// Throws `HelperFailure`.
    func get(_ key: Bytes32) -> AsyncThrowingStream<DHTValue, any Error> {
        AsyncThrowingStream { continuation in
            loop.execute { [self] in
                let id = begin(.get(key), for: .search(continuation))
                continuation.onTermination = { [weak self] _ in
                    guard let self else { return }
                    loop.execute { self.abandon(id) }
                }
            }
        }
    }

    /// Nodes of the DHT to begin with next time, at most 200.
    var nodes: [Endpoint] {
        get async { await onLoop { $0.supervisor.nodes } }
    }

    var helperState: HelperState {
        get async { await onLoop { $0.supervisor.state } }
    }

    /// How often in an hour the DHT may be asked from now on.
    func allow(sessionsPerHour count: Int) {
        loop.execute { [self] in state.value.supervisor.limits.sessionsPerHour = count }
    }

    /// Takes questions again, after `close`.
    func open() {
        loop.execute { [self] in state.value.isClosed = false }
    }

    /// Ends the program. Nothing is asked until `open`.
    func close() async {
        await withCheckedContinuation { continuation in
            loop.execute { [self] in
                state.value.isClosed = true
                perform(state.value.supervisor.close())
                state.value.alarm?.cancel()
                continuation.resume()
            }
        }
    }

    private func onLoop<Value: Sendable>(_ body: @escaping @Sendable (inout State) -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            loop.execute { [self] in continuation.resume(returning: body(&state.value)) }
        }
    }

    private func ask(_ content: HelperRequest.Content) async throws -> HelperAnswer.Content {
        try await withCheckedThrowingContinuation { continuation in
            loop.execute { [self] in _ = begin(content, for: .once(continuation)) }
        }
    }

    // MARK: On the event loop

    private func begin(_ content: HelperRequest.Content, for caller: Caller) -> UInt32 {
        guard !state.value.isClosed else {
            caller.fail(.stopping)
            return 0
        }
        let (id, outputs) = state.value.supervisor.ask(content, at: state.value.clock())
        state.value.callers[id] = caller
        perform(outputs)
        return id
    }

    private func abandon(_ id: UInt32) {
        guard state.value.callers.removeValue(forKey: id) != nil else { return }
        perform(state.value.supervisor.abandon(id, at: state.value.clock()))
    }

    /// Takes what a process said; nil for what cannot be read.
    ///
    /// - Returns: Whether anything further of it is heard.
    fileprivate func receive(_ answer: HelperAnswer?, from process: Int) -> Bool {
        guard isRunning(process) else { return false }
        perform(state.value.supervisor.receive(answer, at: state.value.clock()))
        return isRunning(process)
    }

    fileprivate func ended(_ process: Int) {
        if isRunning(process) { perform(state.value.supervisor.ended(at: state.value.clock())) }
    }

    private func isRunning(_ process: Int) -> Bool {
        state.value.process != nil && state.value.processCount == process
    }

    private func perform(_ outputs: [HelperSupervisor.Output]) {
        for output in outputs {
            switch output {
            case .start: start()
            case .send(let request): state.value.process?.send(request)
            case .stop:
                let process = state.value.process
                state.value.process = nil
                process?.stop()
            case .answer(let id, let content): answer(id, content)
            case .fail(let id, let failure): state.value.callers.removeValue(forKey: id)?.fail(failure)
            case .nodes(let nodes): nodesFound(nodes)
            }
        }
        setAlarm()
    }

    private func answer(_ id: UInt32, _ content: HelperAnswer.Content) {
        guard let caller = state.value.callers[id] else { return }
        if case .search(let continuation) = caller, case .value(let value) = content {
            continuation.yield(value)
            return
        }
        state.value.callers[id] = nil
        switch caller {
        case .once(let continuation): continuation.resume(returning: content)
        case .search(let continuation): continuation.finish()
        }
    }

    private func setAlarm() {
        state.value.alarm?.cancel()
        state.value.alarm = nil
        guard let due = state.value.supervisor.nextDeadline else { return }
        let delay = max(1, state.value.clock().duration(to: due).nanoseconds)
        state.value.alarm = loop.scheduleTask(in: .nanoseconds(delay)) { [self] in
            perform(state.value.supervisor.deadlineReached(at: state.value.clock()))
        }
    }

    private func start() {
        state.value.processCount += 1
        let number = state.value.processCount
        guard let started = state.value.program?.started else {
            // The supervisor hears of it when it has left this turn.
            state.value.process = Process(id: nil, channel: loop.makeFailedFuture(ChannelError.eof))
            loop.execute { [self] in ended(number) }
            return
        }
        let channel = ClientBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(HelperHandler(helper: self, process: number))
                }
            }
            .withConnectedSocket(started.descriptor)
        channel.whenFailure { [self] _ in loop.execute { self.ended(number) } }
        state.value.process = Process(id: started.processID, channel: channel)
    }
}

/// Cuts what a process says into answers.
private final class HelperHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let helper: InternetHelper
    private let process: Int
    private var reader = HelperFrameReader()

    init(helper: InternetHelper, process: Int) { (self.helper, self.process) = (helper, process) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        reader.append(unwrapInboundIn(data).readableBytesView)
        do {
            while let frame = try reader.next() {
                guard helper.receive(try HelperAnswer(decoding: frame), from: process) else { return }
            }
        } catch {
            _ = helper.receive(nil, from: process)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelInactive(context: ChannelHandlerContext) { helper.ended(process) }
}

extension InternetHelper.Caller {
    fileprivate func fail(_ failure: HelperFailure) {
        switch self {
        case .once(let continuation): continuation.resume(throwing: failure)
        case .search(let continuation): continuation.finish(throwing: failure)
        }
    }
}
