import NIOCore
import NIOPosix
import StreakEngine
import StreakLinks
import StreakMembership
import StreakReplication
import StreakStorage
import StreakWire

/// Reacts to the engine's events, and writes records of its own. The loop calls it in its turns.
protocol LoopFollower: AnyObject {
    func observe(_ event: EngineEvent)
    /// Leaves a notice in the DHT, and looks for those under a key.
    func put(_ notice: Notice)
    func look(for key: Bytes32)
    /// A code has been worked out; nil if there was not enough memory.
    func codeArrived(_ code: FriendCode?, of user: UserID)
    /// Makes the loop write what was noted before. Returns whether there was anything.
    func writeNoted() -> Bool
    /// Does what is due: shows reminders, asks routers, has friend codes worked out.
    func followTime()
    /// When something may be due next; nil if nothing is planned.
    var nextDeadline: MonotonicInstant? { get }
    /// The node serves from now on.
    func networkOpened()
    /// The node does not serve from now on. Routers may take 30 s to close what the helper opened.
    func networkClosed() async
    /// Takes an input that is for a service. Returns false for those that are for the engine.
    func takes(_ input: NetworkInput) -> Bool
    /// The state in memory was replaced by what is stored, without `damaged` places that were set aside.
    func restarted(damaged: Int)
}

/// The node's loop: passes inputs to the engine, performs its outputs, and stores what it asks to store.
///
/// Services make it carry out commands, and know nothing else about it. It belongs to one node and runs in its
/// isolation.
final class NodeLoop {
    /// After the store refused a change: how long to accept nothing from others.
    private static let pause: Duration = .seconds(10)
    /// A turn takes no further input after this time, so that commands get their turn whatever others send.
    private static let turn: Duration = .milliseconds(50)
    /// A turn ends after this many rounds, for the same reason.
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
    /// Set after the store refused a change: until then the node accepts nothing from others.
    private var pausedUntil: MonotonicInstant?
    /// Whether memory holds changes that the store refused. They must be thrown away before the next write.
    private var needsRecovery = false

    init(core: NodeCore, store: Store) {
        self.core = core
        self.store = store
        sockets = Sockets(core: core)
    }

    // MARK: Commands

    /// Makes the engine carry out a command, and waits until its changes are stored.
    ///
    /// `companions` and `texts` are stored in the same transaction; the outcomes of companions do not matter.
    ///
    /// - Throws: `NodeFailure`. If a change could not be stored, it did not happen.
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

    /// Stores settings that all of this user's devices share.
    func storeSettings(_ drafts: [RecordDraft]) async throws {
        guard let privateGroup = core.privateGroup else { throw NodeFailure.noGroup() }
        try await execute(.write([(privateGroup, drafts)]))
    }

    /// Stores what the user has looked at, where that is possible: who only reads is not refused for it.
    func storeLook(_ drafts: [RecordDraft]) async throws {
        do {
            try await storeSettings(drafts)
        } catch NodeFailure.diskFull, NodeFailure.machineShutOut {
            // It is shown as new again.
        }
    }

    /// Gives a command without waiting for its outcome. It is carried out at once, and stored at the end of the turn.
    func post(_ command: Command) { feed(.command(commands.takeID(), command)) }

    /// Tells the engine what a service found out about the world. It acts at once, and stores at the end of the turn.
    func tell(_ input: EngineInput) { feed(input) }

    /// Sends a datagram that is no link's, from the port at which links are taken.
    func send(_ bytes: [UInt8], to target: Endpoint) {
        sockets.perform(.sendDatagram(bytes, to: target, hopLimit: nil))
    }

    /// Whether a command given now would be carried out on stored state.
    var isReliable: Bool { !isClosed && !needsRecovery }

    /// Whether the last change could not be stored, and nothing is taken from others for a while.
    var isRefusingChanges: Bool { needsRecovery || pausedUntil != nil }

    /// Waits until nothing is in progress with any linked peer, within limits; and up to `limit` for a first link.
    func settle(waitingForLinks limit: Duration = .zero) async {
        guard core.isServing else { return }
        await withCheckedContinuation { continuation in
            settlers.wait(continuation, from: core.clock.now, forLinks: limit)
            setAlarm()
        }
    }

    // MARK: Turns

    /// Hands waiting inputs to the engine and performs its outputs. Stores the changes of a round in one transaction. What has to
    /// wait for the next turn wakes the loop again.
    func process() {
        guard !isClosed else { return }
        core.noteAliases()
        let end = core.clock.now.advanced(by: Self.turn)
        var isOver = false
        for _ in 0..<Self.maximumRounds {
            let inputs = isOver ? [] : core.inbox.takeInputs()
            handle(inputs, until: end)
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
            isOver = core.clock.now >= end
        }
        if isOver { core.inbox.wake() }
        if let pausedUntil, pausedUntil <= core.clock.now { resume() }
        if let due = sockets.nextLookUp, due <= core.clock.now { sockets.lookUpPeers() }
        if isRunning, pausedUntil == nil, !needsRecovery { follower?.followTime() }
        if !transaction.isEmpty { flush() }
        if !settlers.isEmpty {
            settlers.release(
                at: core.clock.now, isResting: !core.engine.isExchanging, hasLink: !core.engine.linkedDevices.isEmpty)
        }
        setAlarm()
    }

    /// Takes at least one; what is left when the time is over comes first in the next round.
    private func handle(_ inputs: [NetworkInput], until end: MonotonicInstant) {
        for (place, input) in inputs.enumerated() {
            handle(input)
            if core.clock.now >= end { return core.inbox.putBack(inputs[(place + 1)...]) }
        }
    }

    private func handle(_ input: NetworkInput) {
        defer { sockets.consumed(input) }
        if follower?.takes(input) ?? false { return }
        if case .peersFound(let found) = input {
            sockets.peersFound(found)
            if pausedUntil == nil { dialNamedPeers() }
            return
        }
        if input == .interfacesChanged { sockets.lookUpPeers() }
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
        case .routerSpoke, .upnpEnded, .namesFound, .peersFound, .dht: break  // A service has taken it.
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
            case .putNotice(let notice): follower?.put(notice)
            case .getNotice(let key): follower?.look(for: key)
            case .publish(let event): follower?.observe(event)
            }
        }
    }

    /// Works a friend code out in the background. A later turn gives it to the engine and to the follower.
    func deriveCode(of user: UserID) {
        let inbox = core.inbox
        if let code = core.knownCode(of: user).flatMap({ FriendCode($0) }) { return inbox.put(code, of: user) }
        NIOThreadPool.singleton.submit { state in
            // Without memory, or at the end of the process, there is none.
            inbox.put(state == .active ? try? FriendCode(of: user) : nil, of: user)
        }
    }

    /// Sets the alarm for the next time that something is due.
    private func setAlarm() {
        guard core.isServing || isRunning else { return }
        let candidates = [
            core.isServing ? pausedUntil ?? core.engine.nextDeadline : nil, settlers.next(after: core.clock.now),
            isRunning ? follower?.nextDeadline : nil, sockets.nextLookUp,
        ]
        if let due = candidates.compactMap({ $0 }).min() { alarm.set(for: due, at: core.clock.now, waking: core.inbox) }
    }

    // MARK: Storing

    /// Stores what the engine asked for, then confirms it to the engine.
    private func flush() {
        let stored = transaction.takeAll()
        do {
            try store.apply(stored.change, keeping: stored.texts)
        } catch {
            storageRefused(NodeFailure(storage: error))
            return
        }
        for id in stored.ids { feed(.changeStored(id)) }
    }

    /// A change could not be stored, as on a full disk. Callers that wait get the failure, unconfirmed changes are
    /// dropped from memory, and for `pause` nothing is accepted from others. Reading goes on.
    private func storageRefused(_ failure: NodeFailure) {
        perform(core.closeLinks())
        needsRecovery = true
        pausedUntil = core.clock.now.advanced(by: Self.pause)
        commands.failAll(failure)
        core.publish(.notice("Results cannot be stored now. Nothing new is confirmed until they can."))
        // If even reading fails, the next command tries again.
        try? recoverIfNeeded()
    }

    /// Replaces the state in memory by what is on disk, if necessary.
    private func recoverIfNeeded() throws {
        guard needsRecovery else { return }
        let state = try store.load()
        core.restart(from: state.snapshot)
        transaction.discardChanges()
        needsRecovery = false
        follower?.restarted(damaged: state.damage.count(where: \.isTold))
    }

    /// Serves others again after the pause.
    private func resume() {
        pausedUntil = nil
        do {
            try recoverIfNeeded()
            if let listening = sockets.listening { begin(listening) }
            dialNamedPeers()
        } catch {
            pausedUntil = core.clock.now.advanced(by: Self.pause)
        }
    }

    /// Begins new epochs, because this store may be a copy. Once that is stored, later starts may continue them. On a
    /// full disk reading goes on, and the next write first loads what is stored.
    func renewEpochs() throws {
        var change = DurableChange()
        change.local = core.renewEpochs()
        change.settings[Store.epochsRenewedSetting] = [1]
        do {
            try store.apply(change)
        } catch StorageError.diskFull {
            needsRecovery = true
        }
    }

    // MARK: Running

    /// Runs turns until the task is cancelled.
    ///
    /// - Parameter isHidden: whether to stay off the network.
    /// - Throws: `NodeFailure.cannotListen`.
    func run(isHidden: Bool) async throws {
        do {
            if !isHidden { try await openSockets() }
        } catch {
            readiness.fail(error)
            throw error
        }
        isRunning = true
        // The person who runs the node is told now. On a full disk, the next run tells them again.
        if store.lostChanges > 0 { try? store.forgetLostChanges() }
        readiness.begin()
        if !isHidden { sockets.lookUpPeers() }
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
        if let listening = sockets.listening { begin(listening) }
        readiness.listens(at: sockets.listenDescription ?? "")
        follower?.networkOpened()
    }

    /// The engine takes packets from now on. It first hears how far it may go.
    private func begin(_ listening: EngineInput) {
        feed(.internetSettingChanged(core.configuration.usesInternet ? core.internetSetting : .off))
        feed(.lettersChanged(core.leavesLetters))
        feed(listening)
    }

    private func dialNamedPeers() { post(.dialAddresses(sockets.namedEndpoints)) }

    /// Tells friends at once that this node stops, so that they need not wait until it counts as silent.
    func leaveNetwork() async {
        alarm.cancel()
        perform(core.closeLinks())
        readiness.listens(at: nil)
        await sockets.close()
        await follower?.networkClosed()
        // What arrived meanwhile belongs to closed links.
        if isRunning { _ = core.inbox.takeInputs() }
    }

    /// Serves others again, from what is on disk.
    func rejoinNetwork() async throws {
        guard isRunning, !core.isServing else { return }
        needsRecovery = true
        try recoverIfNeeded()
        try await openSockets()
        sockets.lookUpPeers()
        process()
    }

    /// This machine's own endpoints at which links are taken; none without sockets.
    var ownEndpoints: [Endpoint] { sockets.ownEndpoints }

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
    /// Whether only a device that the account has not shut out can carry it out.
    fileprivate var speaksForAccount: Bool {
        switch self {
        case .write, .foundGroup, .invite, .join, .linkDevice, .addFriend, .approveFriend, .acceptReturn,
            .setAnswersToCode:
            true
        case .retract, .revokeInvite, .rename, .changeSettings, .setRole, .transfer, .remove, .annul, .admit,
            .denyRequest, .revokeDevice, .leave, .openPrivateGroup, .requestDevice, .cancelFriend,
            .declineFriend, .blockFriend, .unblockFriend, .declineReturn, .forgetGroup, .keepSetting, .keepRows,
            .dialEveryone,
            .dialAddresses:
            false
        }
    }
}
