import NIOCore
import StreakEngine
import StreakReplication
import StreakStorage
import StreakWire

/// Somebody else plays on this machine: their results go to a data folder of their own inside this one,
/// which knows no group; this user's links are closed and its data is left alone meanwhile.
extension MeshNode {
    static let guestSetting = "guest"

    private var guestFolder: DataFolder { folder.inner("guest") }

    private var guestName: String? { text(of: Self.guestSetting).flatMap { $0.isEmpty ? nil : $0 } }

    /// A guest's mode outlasts the process.
    func reopenGuest() async throws {
        guard guestName != nil, guestFolder.hasAccount else { return }
        guest = try await openGuest()
    }

    private func openGuest() async throws -> MeshNode {
        let configuration = NodeConfiguration(listen: "127.0.0.1:0", usesNetwork: false, usesLAN: false, peers: [])
        return try await MeshNode(opening: guestFolder, configuration: configuration)
    }

    /// Answers what a guest may ask; all else waits for the host.
    func answer(_ request: NodeRequest, for guest: MeshNode) async throws -> any Sendable {
        switch request {
        case .guest(.status): return try await guestStatus()
        case .guest(.stop(let ending)): return try await stopGuest(ending)
        case .profile(.whoami): return try await guest.call(request, returning: ProfileReport.self)
        case .group(.list): return GroupListReport(groups: [])
        case .score(.add(let text, let date, let replace, _, _)):
            let request = ScoreRequest.add(text: text, date: date, replace: replace, groups: nil)
            return try await guest.call(.score(request), returning: AddReport.self)
        case .score(.record(let game, let score, let isCompleted, let seconds, let date, _, let replace)):
            let request = ScoreRequest.record(
                game: game, score: score, isCompleted: isCompleted, seconds: seconds, date: date, groups: nil,
                replace: replace)
            return try await guest.call(.score(request), returning: AddReport.self)
        case .score(.preview), .score(.delete): return try await guest.call(request, returning: AddReport.self)
        case .score(.undo): return try await guest.call(request, returning: UndoReport.self)
        case .score(.results): return try await guest.call(request, returning: ResultsReport.self)
        case .score(.games): return try await guest.call(request, returning: GamesReport.self)
        case .insight(.statistics): return try await guest.call(request, returning: StatisticsReport.self)
        case .insight(.streaks): return try await guest.call(request, returning: StreaksReport.self)
        case .insight(.achievements): return try await guest.call(request, returning: AchievementsReport.self)
        case .game(.list): return try await guest.call(request, returning: GamesReport.self)
        case .network(.status), .network(.sync): return guestNetworkStatus()
        case .network(.clock): return clockReport()
        case .network(.repairClock), .profile, .account, .device, .friend, .group, .member, .person, .invite, .privacy,
            .guest,
            .score, .board, .insight, .reminder, .game, .exchange:
            throw NodeFailure.guestPlaying(name: guestName ?? "")
        }
    }

    private func guestNetworkStatus() -> StatusReport {
        var report = status()
        report.state = "local only"
        report.groups = []
        report.peers = []
        report.running = isRunning
        report.guest = guestName
        report.recoveryConfirmed = true
        return report
    }

    func guestStatus() async throws -> GuestReport {
        if let guest {
            let count = try await guest.call(
                .score(.results(game: nil, from: nil, to: nil)), returning: ResultsReport.self
            ).results.count
            return GuestReport(active: true, name: guestName, results: count)
        }
        guard guestFolder.hasAccount else { return GuestReport(active: false, results: 0) }
        let away = try await openGuest()
        let results = try? await away.call(  // of which only the number is told
            .score(.results(game: nil, from: nil, to: nil)), returning: ResultsReport.self)
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
            _ = try await opened.call(.profile(.rename(name: name)), returning: ProfileReport.self)
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

    /// A guest sees own results only (rule 25): what another has left stays closed to whoever has another name, and goes
    /// where it is nothing.
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
                .score(.results(game: nil, from: nil, to: nil)), returning: ResultsReport.self)
            report = GuestReport(active: false, name: await playing.ownName, results: results.results.count)
            if case .export(let file) = ending {
                let format = file.lowercased().hasSuffix(".csv") ? "csv" : "json"
                _ = try await playing.call(
                    .exchange(.export(format: format, game: nil, from: nil, to: nil, file: file)),
                    returning: ExportReport.self)
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
