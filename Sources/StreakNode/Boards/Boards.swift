import StreakEngine
import StreakGames
import StreakLinks
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// Leaderboards, and the numbers behind them.
final class Boards {
    let core: NodeCore
    let loop: NodeLoop
    let people: People
    /// The union that boards over all groups are made from, and the edition of the views that it belongs to.
    private var union: (made: GroupsUnion, edition: UInt64)?
    /// What tiers are worth in that union.
    private var unionCoins: (made: [PlayerID: DatedCoins], edition: UInt64, openFrom: PuzzleDay?)?

    init(core: NodeCore, loop: NodeLoop, people: People) { (self.core, self.loop, self.people) = (core, loop, people) }

    /// The most rows of one page.
    private static let maximumRows = 1_000

    func board(_ request: BoardRequest) throws -> BoardReport {
        let group = try core.group(request.group)
        let game = try request.game.map(core.game)
        let today = core.clock.today
        let range = try range(request.range ?? "today")
        guard let metric = BoardMetric(rawValue: request.metric ?? "points") else {
            throw NodeFailure.invalidMetric(request.metric ?? "")
        }
        let everybody = request.everyGroup ? self.everybody() : nil
        let index = everybody?.index ?? index(of: group)
        let span = range.span(
            around: try core.day(request.date) ?? today, today: today, known: index.span(of: game?.id))
        var query = boardQuery(span, in: group)
        if request.everyGroup { query.rules = core.ownRules }
        query.game = game?.id
        query.metric = metric
        query.reveals = request.reveal
        query.limit = min(max(request.limit ?? query.limit, 1), Self.maximumRows)
        query.offset = max(request.offset ?? 0, 0)
        query.region = request.region.flatMap { $0.isEmpty ? nil : $0 }
        query.aggregation = game?.rangeAggregation
        if request.everyGroup { query.guardsSpoilers = core.memberGroups.contains(where: core.guardsSpoilers) }
        if request.nearby { query.only = nearby }
        if metric == .coins, game == nil {
            let guards = query.guardsSpoilers && !query.reveals
            query.extraCoins =
                everybody.map { tierCoins(in: $0, guards: guards) } ?? tierCoins(in: group, reveals: query.reveals)
        }
        let players = everybody?.players ?? players(of: group)
        let board = index.board(query, players: players) { core.knownGame($0, in: group) }
        var report = report(board, of: group, game: game, index: index)
        if request.everyGroup { report.title = "All groups" }
        return report
    }

    /// Reads a range. Two days that both lie in the future have no results and are refused.
    func range(_ text: String) throws -> BoardRange {
        let range = try Argument.range(text)
        if case .custom(let span) = range, span.from > core.clock.today {
            throw NodeFailure.futureDate(span.from.description)
        }
        return range
    }

    func index(of group: GroupID) -> ScoreIndex { core.views[group]?.index ?? ScoreIndex() }

    /// A board as this user sees it, under the group's rules.
    func boardQuery(_ span: DaySpan, in group: GroupID) -> BoardQuery {
        BoardQuery(
            from: span.from, to: span.to, viewer: core.me, today: core.clock.today, now: core.clock.wallTime.seconds,
            guardsSpoilers: core.guardsSpoilers(in: group), rules: core.rules(of: group))
    }

    /// The players linked over the local network now, and this user.
    private var nearby: Set<PlayerID> {
        let linked = core.engine.linkedDevices.filter { $0.via.word == "lan" }
        let users = linked.flatMap { device in
            device.groups.compactMap { core.engine.state(of: $0)?.device(device.device)?.user }
        }
        return Set(users.map { PlayerID($0.bytes.array) } + [core.me])
    }

    func players(of group: GroupID) -> [Player] {
        let names = core.names(in: group)
        return (core.engine.state(of: group)?.members ?? []).map { member in
            let profile = core.profile(of: member.user, in: group)
            let seen = profile?.isLastSeenHidden ?? false ? nil : core.lastSeen(member.user, in: group)
            return Player(
                id: PlayerID(member.user.bytes.array), name: names[member.user] ?? "",
                isHidden: profile?.isHidden ?? false,
                lastSeen: seen.map { PuzzleDay(daysSinceEpoch: Int($0 / 86_400)) },
                memberSince: PuzzleDay(daysSinceEpoch: Int(clamping: member.admittedAt / 86_400)),
                region: profile.flatMap { $0.region.isEmpty ? nil : $0.region })
        }
    }

    /// Everybody in all groups: each person once, but an anonymous member as a separate row in every group.
    private func everybody() -> GroupsUnion {
        if let union, union.edition == core.edition { return union.made }
        let made = GroupsUnion(core.memberGroups.map(results))
        union = (made, core.edition)
        return made
    }

    /// The ID by which a board over all groups shows a member of one of them.
    func unionID(of user: UserID, in group: GroupID) -> PlayerID {
        guard user != core.identity.user, core.isAnonymous(user, in: group) else { return PlayerID(user.bytes.array) }
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

    /// Dated coins that tiers and events earned everybody in all groups: from everything that the groups show of a
    /// person, under this user's own rules. A person's friends are the other members of those groups; an anonymous
    /// member's are those of the one group.
    ///
    /// - Parameter guards: whether results are left out that this user may not see yet.
    private func tierCoins(in union: GroupsUnion, guards: Bool) -> [PlayerID: DatedCoins] {
        let openFrom = guards ? core.firstOpenDay : nil
        if let unionCoins, unionCoins.edition == core.edition, unionCoins.openFrom == openFrom {
            return unionCoins.made
        }
        var places: [PlayerID: (user: UserID, groups: [GroupID])] = [:]
        for group in core.memberGroups {
            for member in core.engine.state(of: group)?.members ?? [] {
                let player = unionID(of: member.user, in: group)
                places[player, default: (member.user, [])].groups.append(group)
            }
        }
        let rules = core.ownRules.streaks
        let rewards = Dictionary(core.memberGroups.map { ($0, eventCoins(in: $0)) }) { first, _ in first }
        var coins: [PlayerID: DatedCoins] = [:]
        for player in union.players {
            guard let place = places[player.id] else { continue }
            let covered = guards ? coveredResults(of: player.id, in: union.index) : []
            let insights = PlayerInsights(of: player.id, in: union.index, leavingOut: covered, rules: rules) {
                core.knownGame($0)
            }
            let friends = friendDays(of: place.user, in: place.groups)
            let tiers = insights.achievements(on: core.clock.today, friends: friends).coins
            let user = PlayerID(place.user.bytes.array)
            coins[player.id] = place.groups.compactMap { rewards[$0]?[user] }.reduce(tiers) { $0.merged(with: $1) }
        }
        unionCoins = (coins, core.edition, openFrom)
        return coins
    }

    /// On a board over all groups: results, on days that are not final, of puzzles that this user has played in none of
    /// them.
    private func coveredResults(of player: PlayerID, in index: ScoreIndex) -> [ScoreKey] {
        guard player != core.me else { return [] }
        return index.results(of: player, from: core.firstOpenDay).filter { result in
            index.spoils(
                result, in: core.knownGame(result.game) ?? Scoring.unknownGame(result.game), for: core.me)
        }.map(\.key)
    }

    // MARK: Reports

    private func report(_ board: Board, of group: GroupID, game: Game?, index: ScoreIndex) -> BoardReport {
        // This user's own row is shown separately if they are left out of leaderboards, or not of this region.
        let isElsewhere = board.myPosition == nil && (board.query.region != nil || board.query.only != nil)
        let isApart = isElsewhere || board.myRow?.isPrivate ?? false
        let favourites = core.accountSettings.choices(.favourite)
        let rows = isApart || board.rows.contains(where: \.isMe) ? board.rows : board.shownRows
        return BoardReport(
            group: group.description, title: core.title(of: group), from: board.query.from.description,
            to: board.query.to.description, game: game?.id.rawValue, gameName: game?.name,
            metric: board.query.metric.rawValue, ranked: board.rankedCount,
            rows: rows.map { report(of: $0, in: group) },
            mine: board.myRow.map { report(of: $0, in: group) }, coveredCount: board.coveredCount,
            partial: core.engine.linkedDevices.contains { $0.syncing.contains(group) },
            today: core.clock.today.description,
            games: index.games.map { id in
                core.report(
                    core.knownGame(id, in: group) ?? Scoring.unknownGame(id, name: index.name(of: id)),
                    favourites: favourites)
            },
            listed: board.listedCount, offset: board.query.offset, nextOffset: board.nextOffset,
            myPosition: board.myPosition, podium: board.podium.map { shownID(of: $0, in: group) })
    }

    private func shownID(of row: BoardRow, in group: GroupID) -> String {
        // On a board over several groups, an anonymous member has an ID that is not a member's.
        UserID(row.player.bytes).map { core.shownID(of: $0, in: group) } ?? row.player.bytes.hexadecimal
    }

    private func report(of row: BoardRow, in group: GroupID) -> BoardRowReport {
        let profile = UserID(row.player.bytes).flatMap { core.profile(of: $0, in: group) }
        return BoardRowReport(
            rank: row.rank, tied: row.isTied, user: shownID(of: row, in: group), name: row.name, me: row.isMe,
            value: row.value, raw: row.raw, label: row.label, delta: row.delta.map(DeltaReport.init), late: row.isLate,
            edited: row.isEdited, covered: row.isCovered, played: row.played, of: row.of,
            perGame: Dictionary(row.perGame.map { ($0.game.rawValue, $0.value) }) { first, _ in first },
            onlyMe: row.isPrivate, anonymous: profile?.isAnonymous ?? false,
            region: profile.flatMap { $0.region.isEmpty ? nil : $0.region }, medal: row.medal?.rawValue,
            detail: row.detail)
    }
}

extension DeltaReport {
    init(_ delta: RankDelta) {
        if let places = delta.difference { self = .places(places) } else { self = .new }
    }
}

extension Game {
    /// What a custom game ranks by over a range; nil if its points add up.
    var rangeAggregation: Aggregation? {
        guard model == .highScore || model == .count else { return nil }
        return aggregation.flatMap { Aggregation(rawValue: $0.rawValue) }
    }
}
