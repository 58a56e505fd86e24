import StreakEngine
import StreakReplication
import StreakStorage
import StreakWire

/// A guest who plays on this machine. The guest has an ordinary node without a network, in a data folder inside this
/// one. It answers every request except those about guest mode. Until the guest stops, this user's links are closed and
/// their data is left alone.
final class Guest {
    private static let setting = "guest"

    private let core: NodeCore
    private let loop: NodeLoop
    /// Where the guest's data is.
    private let folder: DataFolder
    /// The guest's node; nil if no guest is playing.
    private(set) var node: MeshNode?

    init(core: NodeCore, loop: NodeLoop, folder: DataFolder) {
        (self.core, self.loop, self.folder) = (core, loop, folder.inner("guest"))
    }

    var isPlaying: Bool { node != nil }

    /// Opens the guest's folder again: guest mode outlasts the process.
    func reopen() async throws {
        guard core.text(of: Self.setting)?.isEmpty == false, folder.hasAccount else { return }
        node = try await open()
    }

    private func open() async throws -> MeshNode {
        // A guest's account ends with its results, so nobody needs its recovery key.
        try Account.forgetSecret(in: folder)
        var configuration = NodeConfiguration(listen: "127.0.0.1:0", usesNetwork: false, usesLAN: false, peers: [])
        configuration.isGuest = true
        return try await MeshNode(opening: folder, configuration: configuration)
    }

    func close() async { await node?.close() }

    private static func name(of guest: MeshNode) async throws -> String {
        try await guest.call(ProfileRequest.whoami).name
    }

    private static func resultCount(of guest: MeshNode) async throws -> Int {
        try await guest.call(ResultsRequest.list(game: nil, from: nil, to: nil)).results.count
    }

    func status() async throws -> GuestReport {
        if let node {
            return GuestReport(
                active: true, name: try await Self.name(of: node), results: try await Self.resultCount(of: node))
        }
        guard folder.hasAccount else { return GuestReport(active: false, results: 0) }
        let away = try await open()
        let count = try? await Self.resultCount(of: away)  // for display only
        let name = try? await Self.name(of: away)  // as above
        await away.close()
        return GuestReport(active: false, name: name, results: count ?? 0)
    }

    func start(named name: String) async throws -> GuestReport {
        let name = try Argument.checkName(name)
        try await makeRoom(forGuest: name)
        if !folder.hasAccount { _ = try MeshNode.createAccount(in: folder, name: name) }
        let opened = try await open()
        do {
            _ = try await opened.call(ProfileRequest.rename(name: name))
            // From here on guest mode holds, also after a crash.
            try await loop.execute(.keepSetting(name: Self.setting, value: Array(name.utf8)))
        } catch {
            await opened.close()
            throw error
        }
        node = opened
        await loop.leaveNetwork()
        core.publish(.groupsChanged)
        return try await status()
    }

    /// A guest sees only their own results. Results of a guest with another name stay closed; if there are none, that
    /// guest's folder is deleted.
    private func makeRoom(forGuest name: String) async throws {
        let left = try await status()
        guard let before = left.name, before.lowercased() != name.lowercased() else { return }
        guard left.results == 0 else { throw NodeFailure.guestResultsKept(name: before, count: left.results) }
        // Settings, and withdrawn results that an undo would bring back, belong to the former guest, too.
        try folder.delete()
    }

    func stop(_ ending: GuestEnding) async throws -> GuestReport {
        let wasActive = isPlaying
        guard wasActive || folder.hasAccount else { throw NodeFailure.noGuest }
        let playing: MeshNode
        if let node { playing = node } else { playing = try await open() }
        var report: GuestReport
        do {
            report = GuestReport(
                active: false, name: try await Self.name(of: playing), results: try await Self.resultCount(of: playing))
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
        node = nil
        // Guest mode ends before the results are deleted. Otherwise a crash between the two would leave the mode
        // without a guest.
        if wasActive { try await loop.execute(.keepSetting(name: Self.setting, value: [])) }
        if ending != .keep {
            try folder.delete()
            report.results = 0
        }
        if wasActive {
            try await loop.rejoinNetwork()
            core.publish(.groupsChanged)
        }
        return report
    }
}

extension RequestName {
    /// Whether it concerns other people or the account. A guest has neither; the host's wait until the guest stops.
    var isForHost: Bool {
        switch self {
        case .recoveryKey, .recovery, .backup, .device, .deviceLink, .friendship, .group, .member, .admission,
            .annulment, .person, .invite, .inviteList, .link, .join, .privacy, .reminder, .doctor, .internet, .talk,
            .mute, .feed, .challenge, .event, .notification, .message, .player:
            true
        case .profile, .groupList, .groupSettings, .guest, .score, .undo, .results, .status, .clock, .board,
            .statistics, .streaks, .achievements, .recap, .versus, .champions, .share, .shareTemplate, .games,
            .game, .pattern, .export, .load, .chat:
            false
        }
    }
}
