import StreakEngine
import StreakGames
import StreakLinks
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// Leaderboards and status, as pages and commands show them.
extension MeshNode {
    /// The most rows of one page.
    private static let maximumRows = 1_000

    func board(_ request: BoardRequest) throws -> BoardReport {
        let group = try group(request.group)
        let game = try request.game.map(game)
        let today = clock.today
        let range = try range(request.range ?? "today")
        guard let metric = BoardMetric(rawValue: request.metric ?? "points") else {
            throw NodeFailure.invalidMetric(request.metric ?? "")
        }
        let everybody = request.everyGroup ? self.everybody() : nil
        let index = everybody?.index ?? index(of: group)
        let span = range.span(around: try day(request.date) ?? today, today: today, known: index.span(of: game?.id))
        var query = boardQuery(span, in: group)
        if request.everyGroup { query.rules = ownRules }
        query.game = game?.id
        query.metric = metric
        query.reveals = request.reveal
        query.limit = min(max(request.limit ?? query.limit, 1), Self.maximumRows)
        query.offset = max(request.offset ?? 0, 0)
        query.region = request.region.flatMap { $0.isEmpty ? nil : $0 }
        query.aggregation = game?.rangeAggregation
        if request.everyGroup { query.guardsSpoilers = memberGroups.contains(where: guardsSpoilers) }
        if request.nearby { query.only = nearby }
        if metric == .coins, game == nil { query.extraCoins = everybody.map(tierCoins) ?? tierCoins(in: group) }
        let players = everybody?.players ?? players(of: group)
        let board = index.board(query, players: players) { self.knownGame($0, in: group) }
        var report = report(board, of: group, game: game, index: index)
        if request.everyGroup { report.title = "All groups" }
        return report
    }

    /// What a range's text says; days of its own that all lie ahead have no results.
    func range(_ text: String) throws -> BoardRange {
        let range = try Argument.range(text)
        if case .custom(let span) = range, span.from > clock.today {
            throw NodeFailure.futureDate(span.from.description)
        }
        return range
    }

    func index(of group: GroupID) -> ScoreIndex { views[group]?.index ?? ScoreIndex() }

    /// A board as this user sees it, by the group's rules.
    func boardQuery(_ span: DaySpan, in group: GroupID) -> BoardQuery {
        BoardQuery(
            from: span.from, to: span.to, viewer: me, today: clock.today, now: clock.wallTime.seconds,
            guardsSpoilers: guardsSpoilers(in: group), rules: rules(of: group))
    }

    /// Those who are linked over the local network now, and this user.
    private var nearby: Set<PlayerID> {
        let linked = engine.linkedDevices.filter { $0.via.word == "lan" }
        let users = linked.flatMap { device in
            device.groups.compactMap { engine.state(of: $0)?.device(device.device)?.user }
        }
        return Set(users.map { PlayerID($0.bytes.array) } + [me])
    }

    func players(of group: GroupID) -> [Player] {
        let names = names(in: group)
        return (engine.state(of: group)?.members ?? []).map { member in
            let profile = self.profile(of: member.user, in: group)
            let seen = profile?.isLastSeenHidden ?? false ? nil : lastSeen(member.user, in: group)
            return Player(
                id: PlayerID(member.user.bytes.array), name: names[member.user] ?? "",
                isHidden: profile?.isHidden ?? false,
                lastSeen: seen.map { PuzzleDay(daysSinceEpoch: Int($0 / 86_400)) },
                memberSince: PuzzleDay(daysSinceEpoch: Int(clamping: member.admittedAt / 86_400)),
                region: profile.flatMap { $0.region.isEmpty ? nil : $0.region })
        }
    }

    /// Everybody in all groups: a person once, but an anonymous member as a row of its own in every group.
    private func everybody() -> GroupsUnion {
        if let union = unionCache.union { return union }
        let made = GroupsUnion(memberGroups.map(results))
        unionCache.keep(made)
        return made
    }

    /// Under which ID a board over all groups shows a member of one of them.
    func unionID(of user: UserID, in group: GroupID) -> PlayerID {
        guard user != identity.user, isAnonymous(user, in: group) else { return PlayerID(user.bytes.array) }
        return PlayerID(Pseudonym(of: user, in: group).id.array)
    }

    private func results(of group: GroupID) -> GroupResults {
        var aliases: [PlayerID: PlayerID] = [:]
        let players = players(of: group).map { player in
            guard let user = UserID(player.id.bytes) else { return player }
            var shown = player
            shown.id = unionID(of: user, in: group)
            if shown.id != player.id { aliases[player.id] = shown.id }
            return shown
        }
        return GroupResults(index: index(of: group), players: players, aliases: aliases)
    }

    private func report(_ board: Board, of group: GroupID, game: Game?, index: ScoreIndex) -> BoardReport {
        // A row of this user's own that is on no leaderboard, or not of this region, is shown apart.
        let isElsewhere = board.myPosition == nil && (board.query.region != nil || board.query.only != nil)
        let isApart = isElsewhere || board.myRow?.isPrivate ?? false
        let favourites = accountSettings.choices(.favourite)
        let rows = isApart || board.rows.contains(where: \.isMe) ? board.rows : board.shownRows
        return BoardReport(
            group: group.description, title: title(of: group), from: board.query.from.description,
            to: board.query.to.description, game: game?.id.rawValue, gameName: game?.name,
            metric: board.query.metric.rawValue, ranked: board.rankedCount,
            rows: rows.map { report(of: $0, in: group) },
            mine: board.myRow.map { report(of: $0, in: group) }, coveredCount: board.coveredCount,
            partial: engine.linkedDevices.contains { $0.syncing.contains(group) }, today: clock.today.description,
            games: index.games.map { id in
                report(
                    of: knownGame(id, in: group) ?? Scoring.unknownGame(id, name: index.name(of: id)),
                    favourites: favourites)
            },
            listed: board.listedCount, offset: board.query.offset, nextOffset: board.nextOffset,
            myPosition: board.myPosition, podium: board.podium.map { shownID(of: $0, in: group) })
    }

    private func shownID(of row: BoardRow, in group: GroupID) -> String {
        // The ID of an anonymous member on a board over several groups is no member's.
        UserID(row.player.bytes).map { shownID(of: $0, in: group) } ?? row.player.bytes.hexadecimal
    }

    private func report(of row: BoardRow, in group: GroupID) -> BoardRowReport {
        let profile = UserID(row.player.bytes).flatMap { self.profile(of: $0, in: group) }
        return BoardRowReport(
            rank: row.rank, tied: row.isTied, user: shownID(of: row, in: group), name: row.name, me: row.isMe,
            value: row.value, raw: row.raw, label: row.label, delta: row.delta.map(DeltaReport.init), late: row.isLate,
            edited: row.isEdited, covered: row.isCovered, played: row.played, of: row.of,
            perGame: Dictionary(row.perGame.map { ($0.game.rawValue, $0.value) }) { first, _ in first },
            onlyMe: row.isPrivate, anonymous: profile?.isAnonymous ?? false,
            region: profile.flatMap { $0.region.isEmpty ? nil : $0.region }, medal: row.medal?.rawValue,
            detail: row.detail)
    }

    // MARK: Status

    func status() -> StatusReport {
        let linked = engine.linkedDevices
        let groups = sharedGroups.map { group in
            let users = engine.state(of: group)?.members.map(\.user) ?? []
            return GroupStatus(
                id: group.description, title: title(of: group),
                digest: engine.digest(of: group)?.description ?? "", records: engine.countingRecordCount(of: group),
                members: users.count,
                online: engine.isMember(of: group) ? users.count { isShownOnline($0, in: group) } : 0,
                sharing: isSharing(in: group),
                total: engine.progress(of: group)?.total, role: roleWord(in: group))
        }
        return StatusReport(
            state: stateWord(linked), groups: groups, peers: linked.map(peerStatus), version: NodeVersion.current,
            running: network != nil, listen: readiness.address, web: pageAddress,
            lastSync: lastSync.map { Timestamp(seconds: $0).text }, recoveryConfirmed: isRecoveryConfirmed,
            guest: configuration.isGuest ? ownName : nil, clock: clockReport(),
            damage: damage.sentences.isEmpty ? nil : damage,
            differing: accountSettings.differences.count, refused: refusals.reports)
    }

    private func stateWord(_ linked: [MeshEngine.LinkedDevice]) -> String {
        if memberGroups.isEmpty { return "local only" }
        if linked.isEmpty { return "offline" }
        if linked.allSatisfy(isSilent) { return "silent" }
        return linked.allSatisfy { $0.syncing.isEmpty } ? "live" : "syncing"
    }

    /// How late a device may be with what it was to say, before it counts as silent: a lost datagram is asked for again
    /// within this time.
    private static let silenceTolerance: Duration = .seconds(5)

    /// Whether a linked device has said nothing when it should have: it may be gone, which the link finds out in a while.
    private func isSilent(_ device: MeshEngine.LinkedDevice) -> Bool {
        device.nextExpected.advanced(by: Self.silenceTolerance) < clock.now
    }

    /// By this machine's clock.
    private func lastHeard(_ device: MeshEngine.LinkedDevice) -> String {
        Timestamp(seconds: clock.wallTime.seconds - device.lastHeard.duration(to: clock.now).components.seconds).text
    }

    /// A peer as a group knows it that may know who it is; one that is anonymous in every group is named as in the first
    /// of them, and nothing else leads to it.
    private func peerStatus(_ device: MeshEngine.LinkedDevice) -> PeerStatus {
        let known = device.groups.compactMap { group in
            engine.state(of: group)?.device(device.device).map { (group: group, user: $0.user) }
        }
        let isNamed = { (group: GroupID, user: UserID) in
            user == self.identity.user || !self.isAnonymous(user, in: group)
        }
        let state = isSilent(device) ? "silent" : "linked"
        guard let place = known.first(where: { isNamed($0.group, $0.user) }) ?? known.first else {
            return PeerStatus(
                device: device.device.description, user: nil, name: nil, state: state, via: device.via.word,
                address: device.endpoint.description, lastHeard: lastHeard(device))
        }
        let isHidden = !isNamed(place.group, place.user)
        let shown = shownID(of: place.user, in: place.group)
        return PeerStatus(
            device: isHidden ? shown : device.device.description, user: shown,
            name: name(of: place.user, in: place.group), state: state, via: device.via.word,
            address: isHidden ? nil : device.endpoint.description, lastHeard: lastHeard(device))
    }

    /// Somebody who has not answered within this time is not there: a handshake is repeated three times in it.
    private static let answerLimit: Duration = .seconds(2)

    /// Dials everybody, and waits until what can be reached has been caught up with.
    func synchronise() async throws -> StatusReport {
        guard network != nil else { throw NodeFailure.nobodyReachable }
        // Friends' devices, and others of this user's.
        let hasOthers = ownGroups.contains { group in
            engine.isMember(of: group) && engine.state(of: group)?.devices.count { $0.isCurrent } ?? 0 > 1
        }
        guard hasOthers else { return status() }
        try await execute(.dialEveryone)
        await settle(waitingForLinks: Self.answerLimit)
        guard !engine.linkedDevices.isEmpty else { throw NodeFailure.nobodyReachable }
        return status()
    }
}

extension DeltaReport {
    init(_ delta: RankDelta) {
        if let places = delta.difference { self = .places(places) } else { self = .new }
    }
}

extension Game {
    /// What a custom game ranks by over a range; nil for a game whose points add up.
    var rangeAggregation: Aggregation? {
        guard model == .highScore || model == .count else { return nil }
        return aggregation.flatMap { Aggregation(rawValue: $0.rawValue) }
    }
}
