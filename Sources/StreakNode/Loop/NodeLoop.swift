import NIOCore
import NIOPosix
import StreakEngine
import StreakLinks
import StreakMembership
import StreakReplication
import StreakStorage
import StreakWire

/// What follows from the engine's events, and what is written of itself: the loop asks for it in its turns.
protocol LoopFollower: AnyObject {
    func observe(_ event: EngineEvent)
    /// A code has been worked out; nil where there was not memory enough.
    func codeArrived(_ code: FriendCode?, of user: UserID)
    /// Has the loop write what was noted for it. Returns whether there was anything.
    func writeNoted() -> Bool
    /// Tells the user what is due.
    func remind()
    /// When to look at that again; nil where there is nothing to look at.
    var nextReminder: MonotonicInstant? { get }
    /// What was in memory is thrown away for what is stored, of which `damaged` places are set aside.
    func restarted(damaged: Int)
}

/// The node's loop: what came in goes to the engine, what it answers is done, what it wants kept is stored.
///
/// Services have it carry out commands, and know nothing else of it. It belongs to one node, and runs where that does.
final class NodeLoop {
    /// How long a store that refused a change is left alone before anything is taken from others again.
    private static let pause: Duration = .seconds(10)
    /// Rounds after which a turn ends, so that commands get theirs.
    private static let maximumRounds = 256

    private let core: NodeCore
    let store: Store
    private let sockets: Sockets
    weak var follower: (any LoopFollower)?

    private var commands = PendingCommands()
    private var transaction = PendingTransaction()
    private var alarm = Alarm()
    private var settlers = Settlers()
    private var readiness = Readiness()
    /// Whether `run` is under way.
    private(set) var isRunning = false
    private(set) var isClosed = false
    /// Set while a store that refused a change is given time: until then nothing is taken from others.
    private var pausedUntil: MonotonicInstant?
    /// Whether memory holds what the store refused, and has to be thrown away before anything is written.
    private var needsRecovery = false

    init(core: NodeCore, store: Store) {
        self.core = core
        self.store = store
        sockets = Sockets(core: core)
    }

    // MARK: Commands

    /// Has the engine carry out a command.
    ///
    /// `companions` and `texts` are stored in the same transaction; the outcomes of companions do not matter.
    ///
    /// - Throws: `NodeFailure`; what could not be stored has not happened.
    @discardableResult
    func execute(
        _ command: Command, with companions: [Command] = [], keeping texts: [ShareText] = []
    ) async throws -> CommandOutcome {
        guard !isClosed else { throw NodeFailure.stopping }
        try recoverIfNeeded()
        if core.engine.isShutOut, command.speaksForAccount { throw NodeFailure.machineShutOut }
        let id = commands.takeID()
        let result = await withCheckedContinuation { continuation in
            commands.wait(continuation, for: id)
            transaction.texts = texts
            feed(.command(id, command))
            if commands.isWaiting(for: id) { for companion in companions { post(companion) } }
            process()
            // They are stored by now, unless the command was refused at once.
            transaction.texts = []
        }
        let outcome = try result.get()
        if case .failed(let failure) = outcome { throw NodeFailure(failure, title: title(of: failure)) }
        return outcome
    }

    private func title(of failure: CommandFailure) -> String {
        switch failure {
        case .alreadyMember(let group), .friend(.alreadyFriend(let group)): core.title(of: group)
        case .unknownGroup, .notMember, .notAllowed, .linkExpired, .joinRefused, .ledgerRejected, .ledgerTooLarge,
            .nobodyReachable, .feedFull, .unknownRequest, .deviceRefused, .friend:
            ""
        }
    }

    /// Keeps settings that all of this user's devices share.
    func keep(_ drafts: [RecordDraft]) async throws {
        guard let privateGroup = core.privateGroup else { throw NodeFailure.noGroup() }
        try await execute(.write([(privateGroup, drafts)]))
    }

    /// Leaves a command whose outcome nobody waits for. It is carried out at once, and stored at the end of the turn.
    func post(_ command: Command) { feed(.command(commands.takeID(), command)) }

    /// Whether a command that is left now is carried out on what is stored.
    var isReliable: Bool { !isClosed && !needsRecovery }

    /// Waits until nothing is under way with anybody who is linked, but not for ever; and for a first link as long as is said.
    func settle(waitingForLinks limit: Duration = .zero) async {
        guard core.isServing else { return }
        await withCheckedContinuation { continuation in
            settlers.wait(continuation, from: core.clock.now, forLinks: limit)
            setAlarm()
        }
    }

    // MARK: Turns

    /// Hands the engine all that has come in, then does what it says, storing all changes in one transaction.
    func process() {
        guard !isClosed else { return }
        core.noteAliases()
        for _ in 0..<Self.maximumRounds {
            let inputs = core.inbox.take()
            for input in inputs { handle(input) }
            let codes = core.inbox.takeCodes()
            for (user, code) in codes {
                if !needsRecovery { feed(.codeDerived(user, code)) }
                follower?.codeArrived(code, of: user)
            }
            let isStoring = !transaction.isEmpty
            if isStoring { flush() }
            let isDue = !needsRecovery && core.engine.nextDeadline.map { $0 <= core.clock.now } ?? false
            if isDue { feed(.deadlineReached) }
            let isWriting = pausedUntil == nil && follower?.writeNoted() ?? false
            if inputs.isEmpty, codes.isEmpty, !isStoring, !isDue, !isWriting { break }
        }
        if let pausedUntil, pausedUntil <= core.clock.now { resume() }
        if isRunning, pausedUntil == nil, !needsRecovery { follower?.remind() }
        if !transaction.isEmpty { flush() }
        if !settlers.isEmpty {
            settlers.release(
                at: core.clock.now, isResting: !core.engine.isExchanging, hasLink: !core.engine.linkedDevices.isEmpty)
        }
        setAlarm()
    }

    private func handle(_ input: NetworkInput) {
        defer { sockets.consumed(input) }
        guard pausedUntil == nil else {
            if case .streamAccepted(let id, _) = input { sockets.perform(.closeStream(id)) }
            return
        }
        switch input {
        case .datagram(let bytes, let from): feed(.link(.datagramReceived(bytes, from: from)))
        case .beacon(let bytes, let from): feed(.beaconReceived(bytes, from: from))
        case .streamAccepted(let id, let from): feed(.link(.streamAccepted(id, from: from)))
        case .streamOpened(let id): feed(.link(.streamOpened(id)))
        case .streamFailed(let id): feed(.link(.streamFailed(id)))
        case .streamBytes(let id, let bytes): feed(.link(.streamBytesReceived(id, bytes)))
        case .streamClosed(let id): feed(.link(.streamClosed(id)))
        case .interfacesChanged: feed(.networkChanged(addresses: sockets.ownEndpoints))
        }
    }

    private func feed(_ input: EngineInput) { perform(core.handle(input)) }

    private func perform(_ outputs: [EngineOutput]) {
        for output in outputs {
            switch output {
            case .link(let output): sockets.perform(output)
            case .sendBeacon(let bytes, let to): sockets.sendBeacon(bytes, to: to)
            case .persist(let change, let id): transaction.append(change, id)
            case .complete(let id, let outcome): commands.complete(id, outcome)
            case .deriveCode(let user): deriveCode(of: user)
            case .publish(let event): follower?.observe(event)
            }
        }
    }

    /// Has a code worked out beside this node; a turn hands it to the engine, and to whom the loop tells.
    func deriveCode(of user: UserID) {
        let inbox = core.inbox
        if let code = core.knownCode(of: user).flatMap({ FriendCode($0) }) { return inbox.put(code, of: user) }
        NIOThreadPool.singleton.submit { state in
            // Without memory, or at the end of the process, there is none.
            inbox.put(state == .active ? try? FriendCode(of: user) : nil, of: user)
        }
    }

    /// Sees to it that the loop turns when the engine next wants it to.
    private func setAlarm() {
        guard core.isServing || isRunning else { return }
        let candidates = [
            core.isServing ? pausedUntil ?? core.engine.nextDeadline : nil, settlers.next(after: core.clock.now),
            isRunning ? follower?.nextReminder : nil,
        ]
        if let due = candidates.compactMap({ $0 }).min() { alarm.set(for: due, at: core.clock.now, waking: core.inbox) }
    }

    // MARK: Storing

    /// Stores what the engine asked for, then tells it.
    private func flush() {
        let stored = transaction.take()
        do {
            try store.apply(stored.change, keeping: stored.texts)
        } catch {
            refuseEverything(NodeFailure(storage: error))
            return
        }
        for id in stored.ids { feed(.changeStored(id)) }
    }

    /// A change could not be stored: those who wait are told so, nothing unconfirmed stays in memory, and others are not
    /// listened to for a while. Reading goes on.
    private func refuseEverything(_ failure: NodeFailure) {
        perform(core.closeLinks())
        needsRecovery = true
        pausedUntil = core.clock.now.advanced(by: Self.pause)
        commands.failAll(failure)
        core.publish(.notice("Results cannot be stored now. Nothing new is confirmed until there is room again."))
        // Where even reading fails, the next command tries again.
        try? recoverIfNeeded()
    }

    /// Throws away what is in memory and starts again from what is on disk, where that is needed.
    private func recoverIfNeeded() throws {
        guard needsRecovery else { return }
        let state = try store.load()
        core.restart(from: state.snapshot)
        transaction.discardChanges()
        needsRecovery = false
        follower?.restarted(damaged: state.damage.count(where: \.isOfGroup))
    }

    /// Meets others again after a pause.
    private func resume() {
        pausedUntil = nil
        do {
            try recoverIfNeeded()
            if let listening = sockets.listening { feed(listening) }
            dialNamedPeers()
        } catch {
            pausedUntil = core.clock.now.advanced(by: Self.pause)
        }
    }

    /// The engine continues no epoch of a store that may be a copy; once that is noted, an ordinary start may. On a full disk
    /// reading goes on, and the next write begins with what is stored.
    func renewEpochs() throws {
        var change = DurableChange()
        change.ownEpochs = core.renewEpochs()
        change.settings[Store.epochsRenewedSetting] = [1]
        do {
            try store.apply(change)
        } catch StorageError.diskFull {
            needsRecovery = true
        }
    }

    // MARK: Running

    /// Turns until the task is cancelled.
    ///
    /// - Parameter isHidden: Whether others are left alone.
    /// - Throws: `NodeFailure.cannotListen`.
    func run(isHidden: Bool) async throws {
        do {
            if !isHidden { try await openSockets() }
        } catch {
            readiness.fail(error)
            throw error
        }
        isRunning = true
        // Who runs the node is told now; on a full disk the next run tells again.
        if store.lostChanges > 0 { try? store.forgetLostChanges() }
        readiness.begin()
        if !isHidden { await meetNamedPeers() }
        process()
        for await _ in core.inbox.wakes {
            if Task.isCancelled { break }
            process()
        }
        isRunning = false
        await leaveNetwork()
    }

    private func openSockets() async throws {
        if let command = try await sockets.open() { post(command) }
        if let listening = sockets.listening { feed(listening) }
        readiness.listens(at: sockets.listenDescription ?? "")
    }

    private func meetNamedPeers() async {
        await sockets.resolveNamedPeers()
        dialNamedPeers()
    }

    private func dialNamedPeers() {
        if !sockets.namedEndpoints.isEmpty { post(.dialAddresses(sockets.namedEndpoints)) }
    }

    /// Friends see at once that this node goes, not only when it stays silent.
    func leaveNetwork() async {
        alarm.cancel()
        perform(core.closeLinks())
        readiness.listens(at: nil)
        await sockets.close()
        // What still came in was meant for links that are gone.
        if isRunning { _ = core.inbox.take() }
    }

    /// Meets others again, from what is on disk.
    func rejoinNetwork() async throws {
        guard isRunning, !core.isServing else { return }
        needsRecovery = true
        try recoverIfNeeded()
        try await openSockets()
        await meetNamedPeers()
        process()
    }

    /// The address served on: empty without a network, nil while the node does not serve.
    var address: String? { readiness.address }

    /// The address, as soon as the node serves.
    ///
    /// - Throws: what kept it from serving.
    func ready() async throws -> String {
        if let address = try readiness.known() { return address }
        guard !isClosed else { throw NodeFailure.stopping }
        return try await withCheckedThrowingContinuation { readiness.wait($0) }
    }

    /// Ends everything.
    func close() {
        isClosed = true
        readiness.end()
        commands.failAll(.stopping)
        settlers.releaseAll()
        alarm.cancel()
        core.inbox.close()
        try? store.close()  // everything confirmed is on disk already
    }
}

extension Command {
    /// Whether only a machine of the account can do it.
    fileprivate var speaksForAccount: Bool {
        switch self {
        case .write, .foundGroup, .invite, .join, .linkDevice, .addFriend, .approveFriend, .acceptReturn,
            .setAnswersToCode:
            true
        case .retract, .revokeInvite, .rename, .changeSettings, .setRole, .transfer, .remove, .annul, .admit,
            .denyRequest, .revokeDevice, .leave, .openPrivateGroup, .requestDevice, .cancelFriend,
            .declineFriend, .blockFriend, .unblockFriend, .declineReturn, .forgetGroup, .keepSetting, .dialEveryone,
            .dialAddresses:
            false
        }
    }
}
