import StreakEngine
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// Challenges to beat a result: made, answered, withdrawn, and listed.
final class Challenges {
    let core: NodeCore
    private let loop: NodeLoop
    private let people: People

    /// The most open challenges of this user in a group.
    static let maximumOpen = 8
    /// What has ended is listed for so many days, and so many challenges of it.
    private static let listedDays = 30
    private static let maximumEnded = 100

    init(core: NodeCore, loop: NodeLoop, people: People) {
        (self.core, self.loop, self.people) = (core, loop, people)
    }

    private var me: UserID { core.identity.user }

    private var now: Int64 { core.clock.wallTime.seconds }

    // MARK: Making

    func make(
        _ reference: ResultReference, to friend: String?, until lastDay: String?, givingBack first: String?
    ) async throws -> ChallengesReport {
        let place = try await people.place(of: reference)
        guard place.owner == me else { throw NodeFailure.challengeRefused(.ofAnother) }
        let group = place.group
        try core.checkSharing(in: group)
        guard core.isPlayer(me, in: group) else { throw NodeFailure.challengeRefused(.hiddenMyself) }
        let game = core.namedGame(place.result.game, in: group)
        guard game.model != .count else { throw NodeFailure.challengeRefused(.habit(game: game.name)) }
        var user: UserID?
        if let friend { user = try await people.member(friend, of: group) }
        try checkMayChallenge(user, with: place.result, in: group)
        let given = try first.map { try state(of: $0, in: group) }
        if let given, !given.standing.isTo(me) || given.challenger != user {
            throw NodeFailure.challengeRefused(.toOthers)
        }
        let own = core.challenges(in: group, endingFrom: core.firstOpenDay).filter {
            $0.challenger == me && !$0.hasEnded
        }
        let made = own.first {
            $0.standing.challenge.result == place.result.key && $0.standing.challenge.friend == user
        }
        let end = try self.lastDay(lastDay, of: place.result)
        if let made {
            let known = made.standing.challenge.lastDay
            guard lastDay == nil || end == known else {
                throw NodeFailure.challengeRefused(.made(until: known.description))
            }
        } else {
            guard own.count < Self.maximumOpen else {
                throw NodeFailure.limitReached(what: "open challenges of yours in a group", limit: Self.maximumOpen)
            }
            let id = WritingID(milliseconds: core.clock.wallTime.milliseconds, chance: .random(in: 0 ... .max))
            let challenge = Challenge(
                id, toBeat: place.result.key, until: end, to: user,
                givingBack: given?.standing.name)
            try await loop.execute(.write([(group, [.value(challenge)])]))
        }
        return report(of: group)
    }

    private func lastDay(_ text: String?, of result: DailyScore) throws -> PuzzleDay {
        let usual = max(result.day, result.day < core.firstOpenDay ? core.clock.today : result.day)
        let day = try core.day(text) ?? usual
        guard ChallengeTerms(madeAt: now, lastDay: day, isPersonal: true).isPossible else {
            let last = PuzzleDay.furthest(at: now).adding(days: ChallengeTerms.longest)
            throw NodeFailure.challengeRefused(.lastDay(first: core.firstOpenDay.description, last: last.description))
        }
        return day
    }

    private func checkMayChallenge(_ user: UserID?, with result: DailyScore, in group: GroupID) throws {
        guard let user else {
            guard players(of: group).contains(where: { $0 != me && !core.hasPlayed($0, result, in: group) }) else {
                throw NodeFailure.challengeRefused(.allPlayed)
            }
            return
        }
        guard user != me else { throw NodeFailure.challengeRefused(.myself) }
        let name = core.name(of: user, in: group)
        guard core.isPlayer(user, in: group) else { throw NodeFailure.challengeRefused(.hidden(name: name)) }
        guard !core.hasPlayed(user, result, in: group) else { throw NodeFailure.challengeRefused(.played(name: name)) }
    }

    private func players(of group: GroupID) -> [UserID] {
        (core.engine.state(of: group)?.members ?? []).map(\.user).filter { core.isPlayer($0, in: group) }
    }

    // MARK: Answering

    private func state(of text: String, in group: GroupID) throws -> ChallengeState {
        let found = Selector(text).matches(among: core.challenges(in: group)) { Selector.Key(id: $0.id, names: []) }
        guard let state = found.first, found.count == 1 else { throw NodeFailure.unknownChallenge(text) }
        return state
    }

    func answer(_ id: String, accepts: Bool, in selector: String?) async throws -> ChallengesReport {
        let group = try core.group(selector)
        let state = try state(of: id, in: group)
        guard state.standing.isTo(me) else { throw NodeFailure.challengeRefused(.toOthers) }
        guard !state.isOver else { throw NodeFailure.challengeRefused(.ended) }
        guard !core.hasPlayed(me, state.target, in: group) else { throw NodeFailure.challengeRefused(.playedByMe) }
        if accepts {
            try core.checkSharing(in: group)
            guard core.isPlayer(me, in: group) else { throw NodeFailure.challengeRefused(.hiddenMyself) }
        }
        if reply(to: state, in: group)?.accepts != accepts {
            let answer = ChallengeAnswer(to: state.standing.name, accepts: accepts)
            try await loop.execute(.write([(group, [.value(answer)])]))
        }
        return report(of: group)
    }

    func withdraw(_ id: String, in selector: String?) async throws -> ChallengesReport {
        let group = try core.group(selector)
        let state = try state(of: id, in: group)
        guard state.challenger == me else { throw NodeFailure.challengeRefused(.ofAnother) }
        guard mayWithdraw(state) else { throw NodeFailure.challengeRefused(.ended) }
        let withdrawal = RecordContent(
            withdrawing: Challenge.recordSubject(of: state.standing.name.id), of: Challenge.self)
        try await loop.execute(.write([(group, [.content(withdrawal)])]))
        return report(of: group)
    }

    private func mayWithdraw(_ state: ChallengeState) -> Bool {
        state.challenger == me && !state.isOver && !state.duels.contains { $0.outcome.isDecided }
    }

    private func reply(to state: ChallengeState, in group: GroupID) -> ChallengeReply? {
        core.views[group]?.challenges.reply(of: me, to: state.standing.name)
    }

    // MARK: Reports

    func list(_ selector: String?, against friend: String?) async throws -> ChallengesReport {
        let group = try core.group(selector)
        var report = report(of: group)
        if let friend { report.offers = offers(against: try await people.member(friend, of: group), in: group) }
        return report
    }

    func look(at reference: ResultReference) async throws -> ChallengesReport {
        let place = try await people.place(of: reference)
        let group = place.group
        var report = report(of: group)
        let isOffered =
            place.owner == me && core.isPlayer(me, in: group)
            && core.namedGame(place.result.game, in: group).model != .count
        guard isOffered else { return report }
        let names = core.names(in: group)
        report.rivals = players(of: group).filter { $0 != me && !core.hasPlayed($0, place.result, in: group) }.map {
            ChallengeRival(user: core.shownID(of: $0, in: group), name: names[$0] ?? "")
        }.sorted { ($0.name, $0.user) < ($1.name, $1.user) }
        return report
    }

    private func offers(against user: UserID, in group: GroupID) -> [ChallengeOffer] {
        guard let index = core.views[group]?.index, user != me, core.isPlayer(me, in: group),
            core.isPlayer(user, in: group)
        else { return [] }
        let results = index.results(of: PlayerID(me.bytes.array), from: core.firstOpenDay)
        return results.filter { result in
            core.namedGame(result.game, in: group).model != .count && !core.hasPlayed(user, result, in: group)
        }.map { result in
            let game = core.namedGame(result.game, in: group)
            return ChallengeOffer(
                game: game.id.rawValue, gameName: game.name, icon: game.emoji, day: result.day.description,
                puzzle: result.puzzle, label: Scoring.label(for: result, in: game))
        }
    }

    private func report(of group: GroupID) -> ChallengesReport {
        let names = core.names(in: group)
        let all = core.challenges(in: group)
        var report = ChallengesReport(
            group: group.description, title: core.title(of: group), waiting: [], open: [], ended: [],
            tallies: tallies(of: all, names, in: group))
        let first = core.clock.today.adding(days: -Self.listedDays)
        for state in all where core.hears(of: state, in: group) && state.standing.challenge.lastDay >= first {
            let each = self.report(of: state, names, in: group)
            switch each.state {
            case "waiting": report.waiting.append(each)
            case "open": report.open.append(each)
            default: if report.ended.count < Self.maximumEnded { report.ended.append(each) }
            }
        }
        return report
    }

    private func tallies(
        of states: [ChallengeState], _ names: [UserID: String], in group: GroupID
    ) -> [ChallengeTallyReport] {
        var tallies: [UserID: ChallengeTally] = [:]
        for state in states {
            for duel in state.duels where duel.outcome.isDecided && core.showsOutcome(of: duel, state, in: group) {
                tallies[duel.user, default: ChallengeTally()].add(duel.outcome)
                tallies[state.challenger, default: ChallengeTally()].add(duel.outcome, isChallenger: true)
            }
        }
        return tallies.map { user, tally in
            ChallengeTallyReport(
                user: core.shownID(of: user, in: group), name: names[user] ?? "", me: user == me, won: tally.won,
                lost: tally.lost, drawn: tally.drawn)
        }.sorted { ($1.won, $0.lost, $0.name, $0.user) < ($0.won, $1.lost, $1.name, $1.user) }
    }

    private func report(of state: ChallengeState, _ names: [UserID: String], in group: GroupID) -> ChallengeReport {
        let (challenge, target, game) = (state.standing.challenge, state.target, state.game)
        let isToMe = state.standing.isTo(me)
        let mine = isToMe ? reply(to: state, in: group) : nil
        let isDecided = state.duel(of: me)?.outcome.isDecided ?? false
        let mayAnswer = isToMe && !state.isOver && !isDecided && !core.hasPlayed(me, target, in: group)
        var report = ChallengeReport(
            id: state.id, user: core.shownID(of: state.challenger, in: group), name: names[state.challenger] ?? "",
            me: state.challenger == me, friend: challenge.friend.map { core.shownID(of: $0, in: group) },
            friendName: challenge.friend.flatMap { names[$0] }, toMe: isToMe, game: game.id.rawValue,
            gameName: game.name, icon: game.emoji, day: target.day.description, puzzle: target.puzzle,
            target: core.showsTarget(of: state, in: group) ? Scoring.label(for: target, in: game) : nil,
            made: Timestamp(seconds: state.standing.madeAt / 1_000).text, lastDay: challenge.lastDay.description,
            ends: Timestamp(seconds: challenge.lastDay.endEverywhere).text,
            state: mayAnswer && mine == nil ? "waiting" : state.hasEnded ? "ended" : "open",
            duels: state.duels.filter { !core.isMuted($0.user, in: group) }.map {
                self.report(of: $0, state, names, group)
            },
            first: challenge.first.map(ChallengeState.id(of:)))
        report.mayAccept = mayAnswer && mine?.accepts != true
        report.mayDecline = mayAnswer && mine?.accepts != false
        report.mayWithdraw = mayWithdraw(state)
        report.mayGiveBack = isToMe && core.isPlayer(me, in: group)
        return report
    }

    private func report(
        of duel: GroupChallenges.Duel, _ state: ChallengeState, _ names: [UserID: String], _ group: GroupID
    ) -> DuelReport {
        let isShown = core.showsOutcome(of: duel, state, in: group)
        let played = isShown && duel.outcome.isDecided ? duel.result : nil
        return DuelReport(
            user: core.shownID(of: duel.user, in: group), name: names[duel.user] ?? "", me: duel.user == me,
            outcome: isShown ? duel.outcome.rawValue : "", accepted: duel.reply?.accepts ?? false,
            label: played.map { Scoring.label(for: $0, in: state.game) }, covered: !isShown)
    }
}
