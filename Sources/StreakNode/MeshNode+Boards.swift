import StreakEngine
import StreakGames
import StreakMembership
import StreakReplication
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
            guardsSpoilers: guardsSpoilers(in: group), reveals: request.reveal)
        let board = view.index.board(query, players: players(of: group, names(in: group))) { Catalogue.standard[$0] }
        return report(board, of: group, game: game, range: span, view: view)
    }

    private func players(of group: GroupID, _ names: [UserID: String]) -> [Player] {
        (engine.state(of: group)?.members ?? []).map { member in
            let profile = self.profile(of: member.user, in: group)
            let seen = profile?.isLastSeenHidden ?? false ? nil : views[group]?.lastSeen[member.user]
            return Player(
                id: PlayerID(member.user.bytes.array), name: names[member.user] ?? "",
                isHidden: profile?.isHidden ?? false,
                lastSeen: seen.map { PuzzleDay(daysSinceEpoch: Int($0 / 86_400)) })
        }
    }

    private func report(
        _ board: Board, of group: GroupID, game: Game?, range: DaySpan, view: GroupView
    ) -> BoardReport {
        let played = view.index.games.compactMap { Catalogue.standard[$0] ?? unknownGame($0, in: view) }
        // A row of this user's own that is on no leaderboard is shown apart.
        let rows = board.rows.contains(where: \.isMe) || board.myRow?.isPrivate ?? false ? board.rows : board.shownRows
        return BoardReport(
            group: group.description, title: engine.state(of: group)?.title ?? "", from: range.from.description,
            to: range.to.description, game: game?.id.rawValue, gameName: game?.name,
            metric: board.query.metric.rawValue, ranked: board.rankedCount,
            rows: rows.map { report(of: $0, in: group) },
            mine: board.myRow.map { report(of: $0, in: group) }, coveredCount: board.coveredCount,
            partial: engine.linkedDevices.contains { $0.syncing.contains(group) }, today: clock.today.description,
            games: played.map(report(of:)))
    }

    private func unknownGame(_ id: GameID, in view: GroupView) -> Game {
        Scoring.unknownGame(id, name: view.index.name(of: id))
    }

    private func report(of row: BoardRow, in group: GroupID) -> BoardRowReport {
        let user = UserID(row.player.bytes)
        let profile = user.flatMap { self.profile(of: $0, in: group) }
        return BoardRowReport(
            rank: row.rank, tied: row.isTied,
            user: user.map { shownID(of: $0, in: group) } ?? row.player.bytes.hexadecimal, name: row.name, me: row.isMe,
            value: row.value, raw: row.raw, label: row.label, delta: row.delta.map(DeltaReport.init), late: row.isLate,
            edited: row.isEdited, covered: row.isCovered, played: row.played, of: row.of,
            perGame: Dictionary(row.perGame.map { ($0.game.rawValue, $0.value) }) { first, _ in first },
            onlyMe: row.isPrivate, anonymous: profile?.isAnonymous ?? false,
            region: profile.flatMap { $0.region.isEmpty ? nil : $0.region })
    }

    // MARK: Status

    func status() -> StatusReport {
        let linked = engine.linkedDevices
        let groups = sharedGroups.map { group in
            GroupStatus(
                id: group.description, title: engine.state(of: group)?.title ?? "",
                digest: engine.digest(of: group)?.description ?? "", records: engine.recordCount(of: group),
                members: engine.state(of: group)?.members.count ?? 0,
                online: linked.count { $0.groups.contains(group) } + (network == nil ? 0 : 1),
                sharing: isSharing(in: group))
        }
        return StatusReport(
            state: stateWord(linked), groups: groups, peers: linked.map(peerStatus), version: NodeVersion.current,
            running: network != nil, listen: listenAddress, web: nil,
            lastSync: lastSync.map(Timestamp.text), recoveryConfirmed: isRecoveryConfirmed)
    }

    private func stateWord(_ linked: [MeshEngine.LinkedDevice]) -> String {
        if sharedGroups.isEmpty { return "local only" }
        if linked.isEmpty { return "offline" }
        return linked.allSatisfy { $0.syncing.isEmpty } ? "live" : "syncing"
    }

    /// A peer as a group knows it that may know who it is; one that is anonymous in every group is named as in the first
    /// of them, and nothing else leads to it (product-rules 23).
    private func peerStatus(_ device: MeshEngine.LinkedDevice) -> PeerStatus {
        let known = device.groups.compactMap { group in
            engine.state(of: group)?.device(device.device).map { (group: group, user: $0.user) }
        }
        let isNamed = { (group: GroupID, user: UserID) in
            user == self.identity.user || !self.isAnonymous(user, in: group)
        }
        guard let place = known.first(where: { isNamed($0.group, $0.user) }) ?? known.first else {
            return PeerStatus(
                device: device.device.description, user: nil, name: nil, state: "linked", via: device.via.word,
                address: device.endpoint.description)
        }
        let isHidden = !isNamed(place.group, place.user)
        let shown = shownID(of: place.user, in: place.group)
        return PeerStatus(
            device: isHidden ? shown : device.device.description, user: shown,
            name: name(of: place.user, in: place.group), state: "linked", via: device.via.word,
            address: isHidden ? nil : device.endpoint.description)
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
