import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// What the feed says of the challenges of a group, behind a name.
struct ChallengeWords {
    private let core: NodeCore
    private let group: GroupID
    private let names: [UserID: String]

    init(core: NodeCore, group: GroupID) {
        (self.core, self.group) = (core, group)
        names = core.names(in: group)
    }

    private var me: UserID { core.identity.user }

    private func name(_ user: UserID) -> String { names[user] ?? "" }

    /// “you”, “Béla”.
    private func object(_ user: UserID) -> String { user == me ? "you" : name(user) }

    /// “your”, “Béla’s”.
    private func possessive(_ user: UserID) -> String { user == me ? "your" : "\(name(user))’s" }

    private func label(_ result: DailyScore, _ state: ChallengeState) -> String {
        Scoring.label(for: result, in: state.game)
    }

    func made(_ state: ChallengeState) -> String {
        let whom = state.standing.challenge.friend.map(object) ?? "the group"
        guard core.showsTarget(of: state, in: group) else { return "challenged \(whom) in \(state.game.name)" }
        return "challenged \(whom) to beat \(label(state.target, state)) in \(state.game.name)"
    }

    func answered(_ state: ChallengeState, accepts: Bool) -> String {
        "\(accepts ? "accepted" : "declined") \(possessive(state.challenger)) challenge in \(state.game.name)"
    }

    func expired(_ state: ChallengeState) -> String {
        "let \(possessive(state.challenger)) challenge in \(state.game.name) expire"
    }

    func covered(_ state: ChallengeState) -> String {
        "met \(possessive(state.challenger)) challenge in \(state.game.name), covered until you have played"
    }

    /// How a decided duel ended, for the one of the two who is named before it.
    func decided(_ duel: GroupChallenges.Duel, _ state: ChallengeState, of user: UserID) -> String {
        let isChallenger = user == state.challenger
        let result = duel.result.map { label($0, state) } ?? "–"
        let target = label(state.target, state)
        let (mine, theirs) = isChallenger ? (target, result) : (result, target)
        let other = object(isChallenger ? duel.user : state.challenger)
        let game = state.game.name
        if duel.outcome == .drawn { return "drew with \(other) in \(game): \(mine) each" }
        let hasWon = (duel.outcome == .won) != isChallenger
        return "\(hasWon ? "won" : "lost") against \(other) in \(game): \(mine) against \(theirs)"
    }
}
