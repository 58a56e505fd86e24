import StreakReplication
public import StreakStorage
import StreakWire

/// A node: one account's device, its store, its engine and, while it runs, its sockets.
///
/// It answers requests whether or not it runs, but reaches others only while it runs. One process holds a data folder
/// at a time. Everything runs in the actor's isolation: the actor opens, runs and closes; the loop drives the engine;
/// and the services do what is asked.
public actor MeshNode: NodeCalling {
    private let folderLock: DataFolderLock
    private let inbox: Inbox
    let core: NodeCore
    let loop: NodeLoop
    let services: NodeServices

    /// Opens the account of a folder, which stays locked until `close`.
    ///
    /// - Throws: `NodeFailure.noAccount`, `.folderBusy`, `.storageFailed`.
    public init(opening folder: DataFolder, configuration: NodeConfiguration) async throws {
        try await self.init(opening: folder, configuration: configuration, inbox: Inbox())
    }

    /// The same, with an inbox whose events somebody listens to already.
    init(opening folder: DataFolder, configuration: NodeConfiguration, inbox: Inbox) async throws {
        self.inbox = inbox
        guard folder.hasAccount else { throw NodeFailure.noAccount }
        do { folderLock = try folder.lock() } catch StorageError.folderInUse(processID: let pid) {
            throw NodeFailure.folderBusy(pid: pid ?? 0)
        }
        // A file that cannot be removed takes space and does no other harm.
        try? folder.removeAbandonedFiles()
        let identity = try Account.identity(in: folder)
        let store = try Store(opening: folder, newStoreID: Self.newStoreID)
        let state = try store.load()
        core = NodeCore(
            identity: identity, configuration: configuration,
            clock: SystemClock(wall: configuration.wall, lead: configuration.lead), inbox: inbox,
            snapshot: state.snapshot)
        loop = NodeLoop(core: core, store: store)
        services = NodeServices(core: core, loop: loop, store: store, folder: folder)
        loop.follower = services
        services.begin(damaged: state.damage.count(where: \.isTold), lostChanges: store.lostChanges)
        if state.snapshot.mayBeCopy { try loop.renewEpochs() }
        services.account.introduceWhereUnknown()
        try await services.internet.adoptSetting()
        try await services.guest.reopen()
    }

    /// Serves others until the task is cancelled: sockets, links, exchange of records.
    ///
    /// - Throws: `NodeFailure.cannotListen`.
    public func run() async throws {
        // Without a name it is shown by its ID, and the next start tries again.
        try? await services.account.nameThisMachine()
        try await loop.run(isHidden: services.guest.isPlaying)
    }

    /// The address served on, as soon as the node runs.
    ///
    /// - Throws: what kept it from running.
    public func ready() async throws -> String { try await loop.ready() }

    /// The program that serves this node's page calls it when the page is there.
    public func serves(page address: String) { services.health.pageAddress = address }

    /// What to tell the user about damage that was found, sentence by sentence.
    public var foundDamage: [String] { services.health.damage.sentences }

    /// Events from now on. The stream ends when the node is closed.
    public nonisolated func events() -> AsyncStream<NodeEvent> { inbox.subscribe() }

    /// Answers one request. Throws `NodeFailure`.
    public func call<Request: NodeRequest>(_ request: Request) async throws -> Request.Report {
        do {
            try request.checkArguments()
            if Request.name != .guest, let guest = services.guest.node {
                return try await answer(request, by: guest)
            }
            if core.configuration.isGuest, Request.name.isForHost {
                throw NodeFailure.guestPlaying(name: core.ownName)
            }
            return try await request.answer(on: self)
        } catch {
            throw NodeFailure(storage: error)
        }
    }

    /// What the guest's node answers. Only this node knows whether a node runs, and where its page is.
    private func answer<Request: NodeRequest>(_ request: Request, by guest: MeshNode) async throws -> Request.Report {
        let report = try await guest.call(request)
        guard var status = report as? StatusReport else { return report }
        (status.running, status.web) = (loop.isRunning, services.health.pageAddress)
        return status as? Request.Report ?? report
    }

    /// Ends everything and gives the folder back.
    public func close() async {
        guard !loop.isClosed else { return }
        loop.close()
        await services.guest.close()
        folderLock.close()
    }
}
