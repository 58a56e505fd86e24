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
    var waiting: [CommandID: CheckedContinuation<Result<CommandOutcome, NodeFailure>, Never>] = [:]
    var nextCommand: UInt64 = 1
    /// Changes asked for and not yet on disk, as one transaction.
    var pendingChange = DurableChange()
    var pendingChangeIDs: [ChangeID] = []
    var listenAddress: String?
    var lastSync: Int64?
    var isClosed = false
    var settlers: [Settler] = []
    /// Where `NodeConfiguration.peers` lead.
    var namedEndpoints: [Endpoint] = []
    /// Starts of friend codes, of users whose names are not alone.
    var codeStarts: [UserID: String] = [:]
    /// My results that shared groups know better than the private one, until they are written there.
    var lostResults: [RecordKey: MergedRecord] = [:]
    /// Set while a store that refused a change is given time: until then nothing is taken from others.
    var pausedUntil: MonotonicInstant?
    /// Whether memory holds what the store refused, and has to be thrown away before anything is written.
    var needsRecovery = false
    var deadline: MonotonicInstant?
    var alarm: Scheduled<Void>?
    private var readiness: [CheckedContinuation<String, any Error>] = []
    /// Why the node could not begin to serve.
    private var startFailure: (any Error)?

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
        do {
            try folder.create()
        } catch StorageError.accountExists {
            throw NodeFailure.accountExists
        } catch StorageError.failed(let reason) {
            throw NodeFailure.cannotCreate(reason: reason)
        }
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
        introduceWhereUnknown()
    }

    /// The engine continues no epoch of a store that may be a copy; once that is noted, an ordinary start may.
    private func renewEpochs() throws {
        var change = DurableChange()
        change.ownEpochs = engine.renewEpochs()
        change.settings[Store.epochsRenewedSetting] = [1]
        try store.apply(change)
    }

    // MARK: Running

    /// Serves others until the task is cancelled: sockets, links, exchange of records.
    ///
    /// - Throws: `NodeFailure.cannotListen`.
    public func run() async throws {
        let network: MeshNetwork?
        do {
            network = try await openNetwork()
        } catch {
            startFailure = error
            tellWhoWaits(.failure(error))
            throw error
        }
        self.network = network
        if let network { startListening(port: network.port) }
        let address = network?.listenDescription ?? ""
        listenAddress = address
        tellWhoWaits(.success(address))
        await dialNamedPeers()
        process()
        for await _ in inbox.wakes {
            if Task.isCancelled { break }
            process()
        }
        alarm?.cancel()
        // Friends see at once that this node goes, not only when it stays silent.
        perform(engine.closeLinks(at: clock.now))
        self.network = nil
        listenAddress = nil
        await network?.stop()
    }

    /// The address served on, as soon as the node runs.
    ///
    /// - Throws: what kept it from running.
    public func ready() async throws -> String {
        if let listenAddress { return listenAddress }
        if let startFailure { throw startFailure }
        guard !isClosed else { throw NodeFailure.stopping }
        return try await withCheckedThrowingContinuation { readiness.append($0) }
    }

    private func tellWhoWaits(_ result: Result<String, any Error>) {
        for continuation in readiness { continuation.resume(with: result) }
        readiness = []
    }

    /// What happens, from now on. The stream ends when the node is closed.
    public nonisolated func events() -> AsyncStream<NodeEvent> { inbox.subscribe() }

    /// Ends everything and gives the folder back.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        tellWhoWaits(.failure(NodeFailure.stopping))
        for id in waiting.keys.sorted() { waiting.removeValue(forKey: id)?.resume(returning: .failure(.stopping)) }
        releaseSettlers()
        alarm?.cancel()
        inbox.close()
        try? store.close()  // everything confirmed is on disk already
        folderLock.close()
    }

    // MARK: Commands

    /// Has the engine carry out a command.
    ///
    /// `companion` is stored in the same transaction; its own outcome does not matter.
    ///
    /// - Throws: `NodeFailure`; what could not be stored has not happened.
    @discardableResult
    func execute(_ command: Command, with companion: Command? = nil) async throws -> CommandOutcome {
        guard !isClosed else { throw NodeFailure.stopping }
        try recoverIfNeeded()
        let id = takeCommandID()
        let result = await withCheckedContinuation { continuation in
            waiting[id] = continuation
            feed(.command(id, command))
            if let companion, waiting[id] != nil { feed(.command(takeCommandID(), companion)) }
            process()
        }
        let outcome = try result.get()
        if case .failed(let failure) = outcome { throw NodeFailure(failure, title: title(of: failure)) }
        return outcome
    }

    private func title(of failure: CommandFailure) -> String {
        guard case .alreadyMember(let group) = failure else { return "" }
        return engine.state(of: group)?.title ?? ""
    }
}
