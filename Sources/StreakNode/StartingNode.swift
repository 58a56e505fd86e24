public import StreakStorage

/// Where the account comes from on a machine that has none yet.
public enum AccountOrigin: Sendable, Equatable {
    /// A new account. `internet` is the setting of this name to begin with; nil for the default.
    case new(name: String, internet: String? = nil)
    /// A link made by another machine of the user.
    case machine(link: String)
    /// The recovery key on paper.
    case recoveryKey(String, name: String)
    /// A file that `backup` wrote. `file` is an absolute path.
    case backup(file: String, passphrase: String)
}

/// Something that can put an account into a folder without one.
public protocol AccountMaking: Sendable {
    /// Makes the account, or brings it here. Throws `NodeFailure`; then the folder is as empty as before.
    func makeAccount(_ origin: AccountOrigin) async throws -> ProfileReport
}

/// A node whose folder may have no account yet. It answers `noAccount` until one is made, and then as that node does.
/// So a program starts once, and its page makes the account.
public actor StartingNode: NodeCalling, AccountMaking {
    /// How long to look for the machine that made a link, in seconds.
    public static let linkTimeout: Int64 = 30

    private let folder: DataFolder
    private var configuration: NodeConfiguration
    private let inbox = Inbox()
    private var node: MeshNode?
    /// Callers that wait for the node.
    private var waiting: [AsyncStream<MeshNode>.Continuation] = []
    private var pageAddress: String?
    private var isOpening = false
    /// Callers that wait until an opening in progress ends, whether or not it succeeds.
    private var openers: [CheckedContinuation<Void, any Error>] = []
    private var isMaking = false
    private var isClosed = false

    public init(in folder: DataFolder, configuration: NodeConfiguration) {
        self.folder = folder
        self.configuration = configuration
    }

    /// Opens the account, if the folder has one and it is not just being made. Others who call meanwhile wait for the
    /// same opening.
    ///
    /// - Throws: what `MeshNode.init(opening:configuration:)` throws.
    public func openIfPossible() async throws {
        guard node == nil, !isClosed, !isMaking, folder.hasAccount else { return }
        guard !isOpening else { return try await withCheckedThrowingContinuation { openers.append($0) } }
        isOpening = true
        var outcome = Result<Void, any Error>.success(())
        do { try await open() } catch { outcome = .failure(error) }
        isOpening = false
        let others = openers
        openers = []
        for opener in others { opener.resume(with: outcome) }
        try outcome.get()
    }

    private func open() async throws {
        let opened = try await MeshNode(opening: folder, configuration: configuration, inbox: inbox)
        guard !isClosed else { return await opened.close() }
        if let pageAddress { await opened.serves(page: pageAddress) }
        node = opened
        for waiter in waiting { waiter.yield(opened) }
        waiting = []
    }

    /// The node, as soon as there is one; nil if this is closed or cancelled first.
    public func opened() async -> MeshNode? {
        if let node { return node }
        guard !isClosed else { return nil }
        let (stream, continuation) = AsyncStream.makeStream(of: MeshNode.self)
        waiting.append(continuation)
        for await node in stream { return node }
        return nil
    }

    /// Waits for an account, then serves others until the task is cancelled.
    ///
    /// - Throws: what `MeshNode.run` throws.
    public func run() async throws { try await opened()?.run() }

    /// As in `MeshNode`, also before there is one.
    public func serves(page address: String) async {
        pageAddress = address
        await node?.serves(page: address)
    }

    /// Events from now on.
    public nonisolated func events() -> AsyncStream<NodeEvent> { inbox.subscribe() }

    /// Answers as the node does. Another process may have made the account meanwhile.
    public func call<Request: NodeRequest>(_ request: Request) async throws -> Request.Report {
        try request.checkArguments()
        try await openIfPossible()
        guard let node else { throw isClosed ? NodeFailure.stopping : .noAccount }
        return try await node.call(request)
    }

    public func makeAccount(_ origin: AccountOrigin) async throws -> ProfileReport {
        guard !isClosed else { throw NodeFailure.stopping }
        guard !isMaking else { throw NodeFailure.accountUnderWay }
        guard node == nil, !folder.hasAccount else { throw NodeFailure.accountExists }
        if case .new(_, let internet?) = origin {
            try InternetRequest.change(internet).checkArguments()
            try await make(origin)
            // What was said on the command line, where the node was started, is as new.
            configuration.internet = configuration.internet ?? internet
        } else {
            try await make(origin)
        }
        return try await call(ProfileRequest.whoami)
    }

    private func make(_ origin: AccountOrigin) async throws {
        isMaking = true
        defer { isMaking = false }
        do {
            switch origin {
            case .new(let name, _): _ = try MeshNode.createAccount(in: folder, name: name)
            case .machine(let link):
                _ = try await MeshNode.linkDevice(
                    in: folder, link: link, timeout: Self.linkTimeout, usesLAN: configuration.usesLAN)
            case .recoveryKey(let key, let name):
                _ = try MeshNode.recoverAccount(in: folder, key: key, name: name)
            case .backup(let file, let passphrase):
                _ = try await MeshNode.restoreAccount(in: folder, from: file, passphrase: passphrase)
            }
        } catch {
            throw NodeFailure(storage: error)
        }
    }

    /// Ends everything and gives the folder back.
    public func close() async {
        isClosed = true
        for waiter in waiting { waiter.finish() }
        waiting = []
        if let node { await node.close() } else { inbox.close() }
    }
}
