import NIOCore
import StreakEngine
import StreakReplication
import StreakStorage
import StreakWire

/// Somebody else plays on this machine: their node is an ordinary one in a data folder of its own inside this one, without
/// a network. Everything but the guest mode itself is asked of it; this user's links are closed and its data is left alone
/// meanwhile.
extension MeshNode {
    static let guestSetting = "guest"

    private var guestFolder: DataFolder { folder.inner("guest") }

    /// A guest's mode outlasts the process.
    func reopenGuest() async throws {
        guard text(of: Self.guestSetting)?.isEmpty == false, guestFolder.hasAccount else { return }
        guest = try await openGuest()
    }

    private func openGuest() async throws -> MeshNode {
        // A guest's account ends with its results: no recovery key is kept of it.
        try Account.forgetSecret(in: guestFolder)
        var configuration = NodeConfiguration(listen: "127.0.0.1:0", usesNetwork: false, usesLAN: false, peers: [])
        configuration.isGuest = true
        return try await MeshNode(opening: guestFolder, configuration: configuration)
    }

    /// What the guest's node answers. Whether a node runs, and where its page is, only this one knows.
    func answer<Request: NodeRequest>(_ request: Request, by guest: MeshNode) async throws -> Request.Report {
        let report = try await guest.call(request)
        guard var status = report as? StatusReport else { return report }
        (status.running, status.web) = (isRunning, pageAddress)
        return status as? Request.Report ?? report
    }

    func guestStatus() async throws -> GuestReport {
        if let guest {
            let count = try await guest.call(
                ResultsRequest.list(game: nil, from: nil, to: nil)
            ).results.count
            return GuestReport(active: true, name: await guest.ownName, results: count)
        }
        guard guestFolder.hasAccount else { return GuestReport(active: false, results: 0) }
        let away = try await openGuest()
        let results = try? await away.call(  // of which only the number is told
            ResultsRequest.list(game: nil, from: nil, to: nil))
        let name = await away.ownName
        await away.close()
        return GuestReport(active: false, name: name, results: results?.results.count ?? 0)
    }

    func startGuest(named name: String) async throws -> GuestReport {
        let name = try Argument.checkName(name)
        try await makeRoom(forGuest: name)
        if !guestFolder.hasAccount { _ = try Self.createAccount(in: guestFolder, name: name) }
        let opened = try await openGuest()
        do {
            _ = try await opened.call(ProfileRequest.rename(name: name))
            // From here on the mode holds, also after a crash.
            try await execute(.keepSetting(name: Self.guestSetting, value: Array(name.utf8)))
        } catch {
            await opened.close()
            throw error
        }
        guest = opened
        await closeNetwork()
        inbox.publish(.groupsChanged)
        return try await guestStatus()
    }

    /// A guest sees only their own results: what another guest has left stays closed to guests of other names, and is removed
    /// if nothing is in it.
    private func makeRoom(forGuest name: String) async throws {
        let left = try await guestStatus()
        guard let before = left.name, before.lowercased() != name.lowercased() else { return }
        guard left.results == 0 else { throw NodeFailure.guestResultsKept(name: before, count: left.results) }
        // Settings and withdrawn results, which an undo would bring back, are the former guest's as well.
        try guestFolder.delete()
    }

    func stopGuest(_ ending: GuestEnding) async throws -> GuestReport {
        let wasActive = guest != nil
        guard wasActive || guestFolder.hasAccount else { throw NodeFailure.noGuest }
        let playing: MeshNode
        if let guest { playing = guest } else { playing = try await openGuest() }
        var report: GuestReport
        do {
            let results = try await playing.call(
                ResultsRequest.list(game: nil, from: nil, to: nil))
            report = GuestReport(active: false, name: await playing.ownName, results: results.results.count)
            if case .export(let file) = ending {
                let format = file.lowercased().hasSuffix(".csv") ? "csv" : "json"
                _ = try await playing.call(
                    ExportRequest.export(format: format, game: nil, from: nil, to: nil, file: file))
                report.file = file
            }
        } catch {
            if !wasActive { await playing.close() }
            throw error
        }
        await playing.close()
        guest = nil
        // The mode ends before the results go: a crash between the two must not leave a mode without a guest.
        if wasActive { try await execute(.keepSetting(name: Self.guestSetting, value: [])) }
        if ending != .keep {
            try guestFolder.delete()
            report.results = 0
        }
        if wasActive {
            try await reopenNetwork()
            inbox.publish(.groupsChanged)
        }
        return report
    }

    /// Writes a new file for the user.
    static func writeFile(_ bytes: [UInt8], to path: String) throws {
        do {
            try writeNewFile(bytes, to: path)
        } catch StorageError.fileExists {
            throw NodeFailure.cannotWriteFile(reason: "it exists already")
        } catch StorageError.failed(let reason) {
            throw NodeFailure.cannotWriteFile(reason: reason)
        }
    }
}

extension GuestRequest {
    public func answer(on node: isolated MeshNode) async throws -> GuestReport {
        switch self {
        case .status: try await node.guestStatus()
        case .start(let name): try await node.startGuest(named: name)
        case .stop(let ending): try await node.stopGuest(ending)
        }
    }
}

extension RequestName {
    /// Whether it concerns others, or the account itself. A guest has neither; the host's wait.
    var isForHost: Bool {
        switch self {
        case .recoveryKey, .recovery, .backup, .device, .deviceLink, .friendship, .group, .member, .admission,
            .annulment, .person, .invite, .inviteList, .link, .join, .privacy, .reminder:
            true
        case .profile, .groupList, .groupSettings, .guest, .score, .undo, .results, .status, .clock, .board,
            .statistics, .streaks, .achievements, .recap, .versus, .champions, .shareText, .games, .game, .pattern,
            .export, .load, .chat:
            false
        }
    }
}
