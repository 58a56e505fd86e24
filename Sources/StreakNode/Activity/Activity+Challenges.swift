import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

extension Activity {
    /// The challenges of a group during the last thirty days: made, answered, ended.
    func challengeEntries(in group: GroupID) -> [ActivityEntry] {
        let today = core.clock.today
        let states = core.challenges(in: group, endingFrom: today.adding(days: -ActivityFeed.days)).filter {
            core.hears(of: $0, in: group)
        }
        guard !states.isEmpty else { return [] }
        let words = ChallengeWords(core: core, group: group)
        let start = ActivityFeed.start(on: today)
        return states.flatMap { state in
            [made(state, words, in: group)]
                + state.duels.filter { !core.isMuted($0.user, in: group) }
                .flatMap { entries(of: $0, state, words, in: group) }
        }.filter { $0.at >= start }
    }

    private func made(_ state: ChallengeState, _ words: ChallengeWords, in group: GroupID) -> ActivityEntry {
        var entry = entry(.challenge, state.challenger, at: state.standing.madeAt / 1_000, state, [], in: group)
        entry.isCovered = !core.showsTarget(of: state, in: group)
        entry.words = words.made(state)
        if core.isWaiting(state, in: group) { entry.notification = .challenge }
        return entry
    }

    private func entries(
        of duel: GroupChallenges.Duel, _ state: ChallengeState, _ words: ChallengeWords, in group: GroupID
    ) -> [ActivityEntry] {
        let me = core.identity.user
        var entries: [ActivityEntry] = []
        if let reply = duel.reply, reply.accepts ? duel.outcome != .playedBefore : duel.outcome == .declined {
            let kind: ActivityEntry.Kind = reply.accepts ? .accepted : .declined
            var answer = entry(kind, duel.user, at: reply.at, state, [], in: group)
            answer.words = words.answered(state, accepts: reply.accepts)
            // What came of it says more.
            if state.challenger == me, !duel.outcome.isDecided { answer.notification = .answer }
            entries.append(answer)
        }
        if duel.outcome == .expired {
            let end = state.standing.challenge.lastDay.endEverywhere
            var expiry = entry(.outcome, duel.user, at: end, state, [1] + duel.user.bytes.array, in: group)
            expiry.words = words.expired(state)
            if state.challenger == me { expiry.notification = .answer }
            entries.append(expiry)
        }
        guard duel.outcome.isDecided, let result = duel.result else { return entries }
        // It is news to both: each reads it of the other.
        let user = duel.user == me ? state.challenger : duel.user
        let isShown = core.showsOutcome(of: duel, state, in: group)
        let about = isShown ? Array(duel.outcome.rawValue.utf8) : []
        var outcome = entry(
            .outcome, user, at: ActivityFeed.time(of: result), state, duel.user.bytes.array + about, in: group)
        outcome.isCovered = !isShown
        if state.challenger == me || duel.user == me { outcome.notification = .answer }
        outcome.words = isShown ? words.decided(duel, state, of: user) : words.covered(state)
        return entries + [outcome]
    }

    private func entry(
        _ kind: ActivityEntry.Kind, _ user: UserID, at: Int64, _ state: ChallengeState, _ about: [UInt8],
        in group: GroupID
    ) -> ActivityEntry {
        var entry = ActivityEntry(
            kind, user, person: person(user, in: group), at: at,
            about: group.bytes.array + state.standing.name.bytes + about)
        (entry.icon, entry.result) = (state.game.emoji, state.target)
        return entry
    }
}
