import NIOCore
import NIOPosix
import StreakCrypto
import StreakEngine
import StreakLinks
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
    let clock: SystemClock
    let inbox: Inbox
    private let folderLock: DataFolderLock

    var engine: MeshEngine
    var network: MeshNetwork?
    var views: [GroupID: GroupView] = [:]
    var unionCache = UnionCache()
    var reminders = Reminders()
    var commands = PendingCommands()
    var transaction = PendingTransaction()
    var alarm = Alarm()
    var settlers = Settlers()
    var readiness = Readiness()
    var lastSync: Int64?
    /// Whether the user was told that this machine's clock is wrong.
    var toldClock = false
    var isClosed = false
    /// Where `NodeConfiguration.peers` lead.
    var namedEndpoints: [Endpoint] = []
    /// The node of who plays on this machine in this user's place.
    var guest: MeshNode?
    /// Whether `run` is under way.
    var isRunning = false
    /// My results that shared groups know better than the private one, until they are written there.
    var lostResults: [RecordKey: MergedRecord] = [:]
    /// This user's results of which a shared group shows an older word.
    var olderResults: [GroupID: Set<RecordKey>] = [:]
    /// Groups whose ledger has changed since what was missed there was looked at.
    var groupsToReview: Set<GroupID> = []
    /// Results that two of the user's machines recorded differently, with what stands no longer.
    var differences: [ScoreKey: DailyScore] = [:]
    /// Groups that this device came into without a command, until this user is introduced there.
    var newGroups: Set<GroupID> = []
    /// Set while a store that refused a change is given time: until then nothing is taken from others.
    var pausedUntil: MonotonicInstant?
    /// Whether memory holds what the store refused, and has to be thrown away before anything is written.
    var needsRecovery = false
    /// The user's machines that somebody was told of, because they are shut out but for this group.
    var toldMachines: [GroupID: Set<DeviceID>] = [:]
    /// What was found damaged on the disk.
    var damage = DamageReport()
    var refusals = Refusals()
    /// Where the page is, which the program that runs it tells.
    private(set) var pageAddress: String?
    var codeQueue = CodeQueue()

    static let nameSetting = "name"
    static let friendCodeSetting = "friend-code"
    static let activeGroupSetting = "active-group"
    static let portSetting = "port"

    /// Makes an account in an empty folder: keys, profile, and the group of one user in which its own results are kept.
    ///
    /// - Throws: `NodeFailure`, `StorageError`.
    public static func createAccount(in folder: DataFolder, name: String) throws -> ProfileReport {
        try createAccount(in: folder, name: name) { entropy in try Account.create(in: folder, entropy: &entropy) }
    }

    /// Makes the first device of a folder, of the account whose key `accountKey` has.
    ///
    /// - Parameter settings: what this user's devices are to know of the new one.
    static func createAccount(
        in folder: DataFolder, name: String, settings: (DeviceIdentity) -> [RecordDraft] = { _ in [] },
        accountKey: (inout SystemEntropy) throws -> SigningSecretKey
    ) throws -> ProfileReport {
        let name = try Argument.checkName(name)
        let lock = try prepare(folder)
        var entropy = SystemEntropy()
        let accountKey = try accountKey(&entropy)
        let identity = try Account.createDevice(of: accountKey, in: folder, entropy: &entropy)
        let store = try Store(opening: folder, newStoreID: Self.newStoreID)
        let code = try FriendCode(of: identity.user)
        let clock = SystemClock()
        var engine = MeshEngine(
            snapshot: try store.snapshot(), identity: identity, entropy: entropy, wallTime: clock.wallTime)
        var change = DurableChange()
        func carryOut(_ command: Command, number: UInt64) {
            let outputs = engine.handle(
                .command(CommandID(number: number), command), at: clock.now, wallTime: clock.wallTime)
            for case .persist(let part, _) in outputs { change.append(part) }
        }
        carryOut(.openPrivateGroup(accountKey: accountKey), number: 1)
        carryOut(.setAnswersToCode(try FriendCodeKeys(of: code)), number: 2)
        guard let group = engine.privateGroup else { throw NodeFailure.storageFailed("no private group") }
        let drafts = settings(identity)
        if !drafts.isEmpty { carryOut(.write([(group: group, drafts: drafts)]), number: 3) }
        change.settings[nameSetting] = Array(name.utf8)
        change.settings[friendCodeSetting] = Array(code.description.utf8)
        try store.apply(change)
        try store.close()
        try folder.finish()
        lock.close()
        return ProfileReport(
            user: identity.user.description, device: identity.device.description, name: name,
            friendCode: code.description,
            recoveryConfirmed: !Account.hasSecret(in: folder))
    }

    static func newStoreID() -> StoreID {
        var entropy = SystemEntropy()
        return StoreID(bytes: Bytes16(entropy.bytes(16)) ?? .zero)
    }

    /// Opens the account of a folder, which stays locked until `close`.
    ///
    /// - Throws: `NodeFailure.noAccount`, `.folderBusy`, `.storageFailed`.
    public init(opening folder: DataFolder, configuration: NodeConfiguration) async throws {
        try await self.init(opening: folder, configuration: configuration, inbox: Inbox())
    }

    /// The same with an inbox whose events somebody hears already.
    init(opening folder: DataFolder, configuration: NodeConfiguration, inbox: Inbox) async throws {
        self.inbox = inbox
        guard folder.hasAccount else { throw NodeFailure.noAccount }
        do { folderLock = try folder.lock() } catch StorageError.folderInUse(processID: let pid) {
            throw NodeFailure.folderBusy(pid: pid ?? 0)
        }
        // A leftover that cannot be removed takes room and nothing else.
        try? folder.removeAbandonedFiles()
        self.folder = folder
        self.configuration = configuration
        clock = SystemClock(wall: configuration.wall, lead: configuration.lead)
        identity = try Account.identity(in: folder)
        store = try Store(opening: folder, newStoreID: Self.newStoreID)
        let state = try store.load()
        let snapshot = state.snapshot
        damage.setAside = state.damage.count(where: \.isOfGroup)
        damage.lostChanges = store.lostChanges
        engine = MeshEngine(
            snapshot: snapshot, identity: identity, entropy: SystemEntropy(), wallTime: clock.wallTime)
        rebuildViews()
        if snapshot.mayBeCopy { try renewEpochsIfThereIsRoom() }
        introduceWhereUnknown()
        groupsToReview = Set(engine.groupIDs)
        try await reopenGuest()
    }

    /// The engine continues no epoch of a store that may be a copy; once that is noted, an ordinary start may. On a full disk
    /// reading goes on, and the next write begins with what is stored.
    private func renewEpochsIfThereIsRoom() throws {
        var change = DurableChange()
        change.ownEpochs = engine.renewEpochs()
        change.settings[Store.epochsRenewedSetting] = [1]
        do {
            try store.apply(change)
        } catch StorageError.diskFull {
            needsRecovery = true
        }
    }

    // MARK: Running

    /// Serves others until the task is cancelled: sockets, links, exchange of records.
    ///
    /// - Throws: `NodeFailure.cannotListen`.
    public func run() async throws {
        do {
            if guest == nil { try await openSockets() }
        } catch {
            readiness.fail(error)
            throw error
        }
        isRunning = true
        // Whoever runs the node is told now; on a full disk the next run tells again.
        if store.lostChanges > 0 { try? store.forgetLostChanges() }
        readiness.begin()
        if guest == nil { await dialNamedPeers() }
        process()
        for await _ in inbox.wakes {
            if Task.isCancelled { break }
            process()
        }
        isRunning = false
        await closeNetwork()
    }

    /// Friends see at once that this node goes, not only when it stays silent.
    func closeNetwork() async {
        alarm.cancel()
        perform(engine.closeLinks(at: clock.now))
        let closing = network
        network = nil
        readiness.listens(at: nil)
        await closing?.stop()
        // What still came in was meant for the links that are no more.
        if isRunning { _ = inbox.take() }
    }

    /// Meets others again, from what is on disk.
    func reopenNetwork() async throws {
        guard isRunning, network == nil else { return }
        needsRecovery = true
        try recoverIfNeeded()
        try await openSockets()
        await dialNamedPeers()
        process()
    }

    private func openSockets() async throws {
        network = try await openNetwork()
        if let network { startListening(port: network.port) }
        readiness.listens(at: network?.listenDescription ?? "")
    }

    /// The address served on, as soon as the node runs.
    ///
    /// - Throws: what kept it from running.
    public func ready() async throws -> String {
        if let address = try readiness.known() { return address }
        guard !isClosed else { throw NodeFailure.stopping }
        return try await withCheckedThrowingContinuation { readiness.wait($0) }
    }

    /// The page of this node is here, says the program that serves it.
    public func serves(page address: String) { pageAddress = address }

    /// What happens, from now on. The stream ends when the node is closed.
    public nonisolated func events() -> AsyncStream<NodeEvent> { inbox.subscribe() }

    /// Ends everything and gives the folder back.
    public func close() async {
        guard !isClosed else { return }
        isClosed = true
        await guest?.close()
        readiness.end()
        commands.failAll(.stopping)
        settlers.releaseAll()
        alarm.cancel()
        inbox.close()
        try? store.close()  // everything confirmed is on disk already
        folderLock.close()
    }

    // MARK: Commands

    /// Has the engine carry out a command.
    ///
    /// `companions` are stored in the same transaction; their own outcomes do not matter.
    ///
    /// - Throws: `NodeFailure`; what could not be stored has not happened.
    @discardableResult
    func execute(_ command: Command, with companions: [Command] = []) async throws -> CommandOutcome {
        guard !isClosed else { throw NodeFailure.stopping }
        try recoverIfNeeded()
        if isShutOut, command.speaksForAccount { throw NodeFailure.machineShutOut }
        let id = takeCommandID()
        let result = await withCheckedContinuation { continuation in
            commands.wait(continuation, for: id)
            feed(.command(id, command))
            if commands.isWaiting(for: id) {
                for companion in companions { feed(.command(takeCommandID(), companion)) }
            }
            process()
        }
        let outcome = try result.get()
        if case .failed(let failure) = outcome { throw NodeFailure(failure, title: title(of: failure)) }
        return outcome
    }

    private func title(of failure: CommandFailure) -> String {
        switch failure {
        case .alreadyMember(let group), .friend(.alreadyFriend(let group)): title(of: group)
        case .unknownGroup, .notMember, .notAllowed, .linkExpired, .joinRefused, .ledgerRejected, .ledgerTooLarge,
            .nobodyReachable, .feedFull, .unknownRequest, .deviceRefused, .friend:
            ""
        }
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
