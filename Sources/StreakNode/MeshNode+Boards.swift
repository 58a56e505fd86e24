import StreakEngine
import StreakGames
import StreakMembership
import StreakScores
import StreakWire

/// Leaderboards and status, as pages and commands show them.
extension MeshNode {
    func board(_ request: BoardRequest) throws -> BoardReport {
        let group = try group(request.group)
        let game = try request.game.map(game)
        let view = views[group] ?? GroupView()
        let today = clock.today
        let text = request.range ?? "today"
        guard let range = BoardRange(text) else { throw NodeFailure.invalidRange(text) }
        guard let metric = BoardMetric(rawValue: request.metric ?? "points") else {
            throw NodeFailure.invalidMetric(request.metric ?? "")
        }
        let span = range.span(around: try day(request.date) ?? today, today: today, known: view.index.span)
        let query = BoardQuery(
            from: span.from, to: span.to, game: game?.id, metric: metric,
            viewer: PlayerID(identity.user.bytes.array), today: today, now: clock.wallTime.seconds,
            guardsSpoilers: true, reveals: request.reveal)
        let board = view.index.board(query, players: players(of: group)) { Catalogue.standard[$0] }
        return report(board, of: group, game: game, range: span, view: view)
    }

    private func players(of group: GroupID) -> [Player] {
        (engine.state(of: group)?.members ?? []).map { member in
            let seen = views[group]?.lastSeen[member.user]
            return Player(
                id: PlayerID(member.user.bytes.array), name: name(of: member.user, in: group),
                lastSeen: seen.map { PuzzleDay(daysSinceEpoch: Int($0 / 86_400)) })
        }
    }

    private func report(
        _ board: Board, of group: GroupID, game: Game?, range: DaySpan, view: GroupView
    ) -> BoardReport {
        let played = view.index.games.compactMap { Catalogue.standard[$0] ?? unknownGame($0, in: view) }
        return BoardReport(
            group: group.description, title: engine.state(of: group)?.title ?? "", from: range.from.description,
            to: range.to.description, game: game?.id.rawValue, gameName: game?.name,
            metric: board.query.metric.rawValue, ranked: board.rankedCount, rows: board.shownRows.map(report(of:)),
            mine: board.myRow.map(report(of:)), coveredCount: board.coveredCount,
            partial: engine.linkedDevices.contains { $0.syncing.contains(group) }, today: clock.today.description,
            games: played.map(report(of:)))
    }

    private func unknownGame(_ id: GameID, in view: GroupView) -> Game {
        Scoring.unknownGame(id, name: view.index.name(of: id))
    }

    private func report(of row: BoardRow) -> BoardRowReport {
        BoardRowReport(
            rank: row.rank, tied: row.isTied, user: row.player.bytes.hexadecimal, name: row.name, me: row.isMe,
            value: row.value, raw: row.raw, label: row.label, delta: row.delta.map(DeltaReport.init), late: row.isLate,
            edited: row.isEdited, covered: row.isCovered, played: row.played, of: row.of,
            perGame: Dictionary(row.perGame.map { ($0.game.rawValue, $0.value) }) { first, _ in first })
    }

    // MARK: Status

    func status() -> StatusReport {
        let linked = engine.linkedDevices
        let groups = sharedGroups.map { group in
            GroupStatus(
                id: group.description, title: engine.state(of: group)?.title ?? "",
                digest: engine.digest(of: group)?.description ?? "", records: engine.recordCount(of: group),
                members: engine.state(of: group)?.members.count ?? 0,
                online: linked.count { $0.groups.contains(group) } + (network == nil ? 0 : 1))
        }
        return StatusReport(
            state: stateWord(linked), groups: groups, peers: linked.map(peerStatus), version: NodeVersion.current,
            running: network != nil, listen: listenAddress, web: nil,
            lastSync: lastSync.map(Timestamp.text))
    }

    private func stateWord(_ linked: [MeshEngine.LinkedDevice]) -> String {
        if sharedGroups.isEmpty { return "local only" }
        if linked.isEmpty { return "offline" }
        return linked.allSatisfy { $0.syncing.isEmpty } ? "live" : "syncing"
    }

    private func peerStatus(_ device: MeshEngine.LinkedDevice) -> PeerStatus {
        let group = device.groups.first
        let user = group.flatMap { engine.state(of: $0)?.device(device.device)?.user }
        return PeerStatus(
            device: device.device.description, user: user?.description,
            name: group.flatMap { group in user.map { name(of: $0, in: group) } }, state: "linked",
            via: device.via.word,
            address: device.endpoint.description)
    }

    /// Dials everybody, and waits until what can be reached has been caught up with.
    func synchronise() async throws -> StatusReport {
        guard network != nil else { throw NodeFailure.nobodyReachable }
        let hasFriends = sharedGroups.contains {
            engine.isMember(of: $0) && engine.state(of: $0)?.members.count ?? 0 > 1
        }
        guard hasFriends else { return status() }
        try await execute(.dialEveryone)
        await settle(waitingForLinks: true)
        guard !engine.linkedDevices.isEmpty else { throw NodeFailure.nobodyReachable }
        return status()
    }
}

extension DeltaReport {
    init(_ delta: RankDelta) {
        if let places = delta.difference { self = .places(places) } else { self = .new }
    }
}
