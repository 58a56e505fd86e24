import NIOCore
import NIOPosix
import StreakCrypto
import StreakEngine
import StreakMembership
import StreakReplication
import StreakScores
public import StreakStorage
import StreakWire
import Synchronization

/// A node: one account's device, its store, its engine and, while it runs, its sockets.
///
/// Requests are answered whether it runs or not; only while it runs does it reach others. One process holds a data
/// folder at a time.
public actor MeshNode: NodeCalling {
    let identity: DeviceIdentity
    let folder: DataFolder
    let store: Store
    let configuration: NodeConfiguration
    let clock = SystemClock()
    let inbox = Inbox()
    private let folderLock: DataFolderLock

    var engine: MeshEngine
    var network: MeshNetwork?
    var views: [GroupID: GroupView] = [:]
    var waiting: [CommandID: CheckedContinuation<CommandOutcome, Never>] = [:]
    var nextCommand: UInt64 = 1
    /// Changes asked for and not yet on disk, as one transaction.
    var pendingChange = DurableChange()
    var pendingChangeIDs: [ChangeID] = []
    var listenAddress: String?
    var lastSync: Int64?
    var isClosed = false
    var settlers: [Settler] = []
    private var deadline: MonotonicInstant?
    private var alarm: Scheduled<Void>?
    private var readiness: [CheckedContinuation<String, Never>] = []

    static let nameSetting = "name"
    static let friendCodeSetting = "friend-code"
    static let privateGroupSetting = "private-group"
    static let activeGroupSetting = "active-group"
    static let portSetting = "port"

    /// Makes an account in an empty folder: keys, profile, and the group of one user in which its own results are kept.
    ///
    /// - Throws: `NodeFailure`, `StorageError`.
    public static func createAccount(in folder: DataFolder, name: String) throws -> ProfileReport {
        guard let name = DisplayText.validated(name, maximumLength: ProtocolLimits.maximumNameLength) else {
            throw NodeFailure.invalidName(limit: ProtocolLimits.maximumNameLength)
        }
        do { try folder.create() } catch StorageError.accountExists { throw NodeFailure.accountExists }
        let lock = try folder.lock()
        var entropy = SystemEntropy()
        let identity = try Account.create(in: folder, entropy: &entropy)
        let store = try Store(opening: folder, newStoreID: Self.newStoreID)
        let code = try FriendCode(of: identity.user).description
        let clock = SystemClock()
        var engine = MeshEngine(
            snapshot: try store.snapshot(), identity: identity, entropy: entropy, wallTime: clock.wallTime)
        let founding = engine.handle(
            .command(CommandID(number: 1), .foundGroup(title: "Private")), at: clock.now, wallTime: clock.wallTime)
        var change = DurableChange()
        for case .persist(let founded, _) in founding { change = founded }
        guard let group = engine.groupIDs.first else { throw NodeFailure.storageFailed("no private group") }
        change.settings[nameSetting] = Array(name.utf8)
        change.settings[friendCodeSetting] = Array(code.utf8)
        change.settings[privateGroupSetting] = group.bytes.array
        try store.apply(change)
        try store.close()
        withExtendedLifetime(lock) {}
        return ProfileReport(
            user: identity.user.description, device: identity.device.description, name: name, friendCode: code)
    }

    private static func newStoreID() -> StoreID {
        var entropy = SystemEntropy()
        return StoreID(bytes: Bytes16(entropy.bytes(16)) ?? .zero)
    }

    /// Opens the account of a folder, which stays locked until `close`.
    ///
    /// - Throws: `NodeFailure.noAccount`, `.folderBusy`, `.storageFailed`.
    public init(opening folder: DataFolder, configuration: NodeConfiguration) async throws {
        guard folder.hasAccount else { throw NodeFailure.noAccount }
        do { folderLock = try folder.lock() } catch StorageError.folderInUse(processID: let pid) {
            throw NodeFailure.folderBusy(pid: pid ?? 0)
        }
        self.folder = folder
        self.configuration = configuration
        identity = try Account.identity(in: folder)
        store = try Store(opening: folder, newStoreID: Self.newStoreID)
        let snapshot = try store.snapshot()
        engine = MeshEngine(
            snapshot: snapshot, identity: identity, entropy: SystemEntropy(), wallTime: clock.wallTime)
        rebuildViews()
        if snapshot.mayBeCopy { try renewEpochs() }
    }

    /// The engine continues no epoch of a store that may be a copy; once that is noted, an ordinary start may.
    private func renewEpochs() throws {
        var change = DurableChange()
        change.ownEpochs = engine.renewEpochs()
        change.settings[Store.epochsRenewedSetting] = [1]
        try store.apply(change)
    }

    /// Starts again from the store, as after a change that could not be stored: nothing unconfirmed stays in memory.
    func restartEngine() {
        guard let snapshot = try? store.snapshot() else { return }  // reading goes on with what is in memory
        engine = MeshEngine(
            snapshot: snapshot, identity: identity, entropy: SystemEntropy(), wallTime: clock.wallTime)
        rebuildViews()
        if let network { startListening(port: network.port) }
    }

    // MARK: Running

    /// Serves others until the task is cancelled: sockets, links, exchange of records.
    ///
    /// - Throws: `NodeFailure.cannotListen`.
    public func run() async throws {
        let network = try await openNetwork()
        self.network = network
        if let network { startListening(port: network.port) }
        listenAddress = network?.listenDescription ?? ""
        for continuation in readiness { continuation.resume(returning: listenAddress ?? "") }
        readiness = []
        await dialNamedPeers()
        process()
        for await _ in inbox.wakes {
            if Task.isCancelled { break }
            process()
        }
        alarm?.cancel()
        self.network = nil
        listenAddress = nil
        await network?.stop()
    }

    /// The address served on, as soon as the node runs.
    public func ready() async -> String {
        if let listenAddress { return listenAddress }
        return await withCheckedContinuation { readiness.append($0) }
    }

    /// What happens, from now on. The stream ends when the node is closed.
    public nonisolated func events() -> AsyncStream<NodeEvent> { inbox.subscribe() }

    /// Ends everything and gives the folder back.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        releaseSettlers()
        alarm?.cancel()
        inbox.close()
        try? store.close()  // everything confirmed is on disk already
        folderLock.close()
    }

    /// Hands the engine all that has come in, then does what it says, storing all changes in one transaction.
    func process() {
        guard !isClosed else { return }
        while true {
            let inputs = inbox.take()
            for input in inputs { handle(input) }
            if !pendingChangeIDs.isEmpty { flush() } else if inputs.isEmpty { break }
        }
        if let due = engine.nextDeadline, due <= clock.now {
            perform(engine.handle(.deadlineReached, at: clock.now, wallTime: clock.wallTime))
            return process()
        }
        releaseSettlers()
        setAlarm()
    }

    private func handle(_ input: NetworkInput) {
        switch input {
        case .datagram(let bytes, let from): feed(.link(.datagramReceived(bytes, from: from)))
        case .beacon(let bytes, let from): feed(.beaconReceived(bytes, from: from))
        case .streamAccepted(let id, let from): feed(.link(.streamAccepted(id, from: from)))
        case .streamOpened(let id): feed(.link(.streamOpened(id)))
        case .streamFailed(let id): feed(.link(.streamFailed(id)))
        case .streamBytes(let id, let bytes):
            feed(.link(.streamBytesReceived(id, bytes)))
        case .streamClosed(let id): feed(.link(.streamClosed(id)))
        case .interfacesChanged: feed(.networkChanged(addresses: ownEndpoints()))
        }
        network?.consumed(input)
    }

    func feed(_ input: EngineInput) {
        perform(engine.handle(input, at: clock.now, wallTime: clock.wallTime))
    }

    private func perform(_ outputs: [EngineOutput]) {
        for output in outputs {
            switch output {
            case .link(.sendDatagram(let bytes, let to)): network?.sendDatagram(bytes, to: to)
            case .link(.openStream(let id, let to)): network?.openStream(id, to: to)
            case .link(.sendStream(let id, let bytes)): network?.sendStream(id, bytes)
            case .link(.closeStream(let id)): network?.closeStream(id)
            case .sendBeacon(let bytes, let to): network?.sendBeacon(bytes, to: to)
            case .persist(let change, let id):
                pendingChange.append(change)
                pendingChangeIDs.append(id)
            case .complete(let id, let outcome): waiting.removeValue(forKey: id)?.resume(returning: outcome)
            case .publish(let event): observe(event)
            }
        }
    }

    /// Stores what the engine asked for, then tells it.
    private func flush() {
        let change = pendingChange
        let ids = pendingChangeIDs
        pendingChange = DurableChange()
        pendingChangeIDs = []
        do {
            try store.apply(change)
        } catch {
            refuseEverything(error)
            return
        }
        for id in ids { feed(.changeStored(id)) }
    }

    /// A change could not be stored: nobody is told that it was, and the engine starts again from what is on disk.
    private func refuseEverything(_ error: any Error) {
        storageFailure = NodeFailure(storage: error)
        for id in waiting.keys.sorted() { waiting.removeValue(forKey: id)?.resume(returning: .done) }
        storageFailure = NodeFailure(storage: error)
        restartEngine()
    }

    /// Set while the commands that could not be stored are told so.
    var storageFailure: NodeFailure?

    func setAlarm() {
        guard network != nil, let due = [engine.nextDeadline, nextSettling].compactMap({ $0 }).min() else { return }
        if let deadline, alarm != nil, deadline <= due, deadline > clock.now { return }
        alarm?.cancel()
        deadline = due
        let delay = max(1, clock.now.duration(to: due).nanoseconds)
        let inbox = inbox
        alarm = MultiThreadedEventLoopGroup.singleton.next().scheduleTask(in: .nanoseconds(delay)) { inbox.wake() }
    }

    // MARK: Commands

    /// Has the engine carry out a command.
    func execute(_ command: Command) async throws -> CommandOutcome {
        guard !isClosed else { throw NodeFailure.stopping }
        let id = CommandID(number: nextCommand)
        nextCommand += 1
        storageFailure = nil
        let outcome = await withCheckedContinuation { continuation in
            waiting[id] = continuation
            feed(.command(id, command))
            process()
        }
        if let failure = storageFailure {
            storageFailure = nil
            throw failure
        }
        if case .failed(let failure) = outcome { throw NodeFailure(failure, title: title(of: failure)) }
        return outcome
    }

    private func title(of failure: CommandFailure) -> String {
        guard case .alreadyMember(let group) = failure else { return "" }
        return engine.state(of: group)?.title ?? ""
    }
}
