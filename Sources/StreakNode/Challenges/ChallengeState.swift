import StreakCrypto
import StreakEngine
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// A challenge of a group as it stands today.
struct ChallengeState {
    let standing: GroupChallenges.Standing
    /// The challenger's result.
    let target: DailyScore
    let game: Game
    /// Those who take part against the challenger.
    let duels: [GroupChallenges.Duel]
    /// Whether its last day is over everywhere.
    let isOver: Bool

    var challenger: UserID { standing.name.challenger }

    /// The ID by which reports name it. A challenger chooses a challenge's own ID, and could choose somebody else's.
    var id: String { Self.id(of: standing.name) }

    /// Whether nothing can change any more: it is over, or the one whom it is to has played or declined.
    var hasEnded: Bool { isOver || standing.challenge.friend != nil && duels.allSatisfy { $0.outcome != .open } }

    func duel(of user: UserID) -> GroupChallenges.Duel? { duels.first { $0.user == user } }

    static func id(of name: ChallengeName) -> String { Blake2b.hash(name.bytes).prefix(16).hexadecimal }
}

extension NodeCore {
    /// Whether a user is shown in a group, and so may take part in challenges.
    func isPlayer(_ user: UserID, in group: GroupID) -> Bool {
        engine.state(of: group)?.role(of: user) != nil && !(profile(of: user, in: group)?.isHidden ?? false)
    }

    /// The challenges of a group that end on or after a day, the newest first. Nobody's words are left out.
    func challenges(in group: GroupID, endingFrom first: PuzzleDay = .earliest) -> [ChallengeState] {
        guard let view = views[group] else { return [] }
        let lastFinalDay = PuzzleDay.lastFinal(at: clock.wallTime.seconds)
        return view.challenges.standing(endingFrom: first).reversed().compactMap { standing in
            let game = namedGame(standing.challenge.result.game, in: group)
            return view.challenges.duels(
                of: standing, isPlayer: { isPlayer($0, in: group) }, index: view.index, lastFinalDay: lastFinalDay,
                game: game
            ).map { target, duels in
                ChallengeState(
                    standing: standing, target: target, game: game, duels: duels,
                    isOver: lastFinalDay >= standing.challenge.lastDay)
            }
        }
    }

    /// Whether a user has played the puzzle of a result. A high score can be beaten again and again.
    func hasPlayed(_ user: UserID, _ result: DailyScore, in group: GroupID) -> Bool {
        namedGame(result.game, in: group).model != .highScore
            && views[group]?.index.holds(puzzleOf: result, PlayerID(user.bytes.array)) ?? false
    }

    /// Whether a challenge waits for this user's answer.
    func isWaiting(_ state: ChallengeState, in group: GroupID) -> Bool {
        state.standing.isTo(identity.user) && !state.isOver
            && views[group]?.challenges.reply(of: identity.user, to: state.standing.name) == nil
            && !hasPlayed(identity.user, state.target, in: group)
    }

    // MARK: What this user may see

    /// Whether this user hears of a challenge: they have muted neither of the two whom it is between.
    func hears(of state: ChallengeState, in group: GroupID) -> Bool {
        ![state.challenger, state.standing.challenge.friend].compactMap(\.self).contains { isMuted($0, in: group) }
    }

    /// Whether a member is muted: under the ID by which the group shows them, or under the anonymous one of that group, so that
    /// going by an alias ends no muting.
    func isMuted(_ user: UserID, in group: GroupID) -> Bool {
        accountSettings.mutesAnybody && mutedIDs(of: user, in: group).contains { accountSettings.isMuted($0) }
    }

    /// An anonymous member's account is not among them: nobody sees by a muting who else they are.
    func mutedIDs(of user: UserID, in group: GroupID) -> Set<String> {
        [shownID(of: user, in: group), Pseudonym(of: user, in: group).id.description]
    }

    /// Whether this user may see what is to be beaten: who is challenged may (case 36 of the product rules).
    func showsTarget(of state: ChallengeState, in group: GroupID) -> Bool {
        state.standing.isTo(identity.user) || !isCovered(state.target, of: state.challenger, in: group)
    }

    /// Whether this user may see who of two has won.
    func showsOutcome(of duel: GroupChallenges.Duel, _ state: ChallengeState, in group: GroupID) -> Bool {
        guard duel.outcome.isDecided, let result = duel.result else { return true }
        return !isCovered(state.target, of: state.challenger, in: group) && !isCovered(result, of: duel.user, in: group)
    }
}
