import StreakGames
import StreakScores
import StreakWire

/// What all of a group's activity is made from, besides results: these are looked up in the view's list of changes.
struct ActivityBasis: Equatable {
    /// Rises with everything but results and words: who is a member, names, rules, games.
    let context: UInt64
    /// How often the list of changes was emptied.
    let emptied: Int
    /// Hours since 1970. All that ends by itself ends on the hour.
    let hour: Int64
    let today: PuzzleDay
}

/// What one member did. As long as all that it was made from is the same, it need not be made again.
struct MemberActivity {
    /// A member of a group, in a feed of that group alone or of all groups.
    struct Place: Hashable {
        let group: GroupID
        let user: UserID
        let isAlone: Bool
    }

    private struct GameDay: Hashable {
        let game: GameID
        let day: PuzzleDay
    }

    struct Basis: Equatable {
        let group: ActivityBasis
        /// What the member earned in events.
        let rewards: DatedCoins
        /// Which activity of the same person other groups have told already, by number.
        let told: [UInt64]
    }

    let user: UserID
    let basis: Basis
    /// How many of the view's changes it follows.
    var seen: Int
    /// Each time that activity is made it has another number.
    let number: UInt64
    let entries: [ActivityEntry]
    /// The results that are news.
    let news: Set<ScoreKey>
    private let days: Set<GameDay>

    init(of user: UserID, _ basis: Basis, seen: Int, number: UInt64, entries: [ActivityEntry], news: [DailyScore]) {
        (self.user, self.basis, self.seen, self.number, self.entries) = (user, basis, seen, number, entries)
        self.news = Set(news.map(\.key))
        days = Set(news.map { GameDay(game: $0.game, day: $0.day) })
    }

    /// Whether a change of a result changes this: one of the member's, or one of this user's that uncovers news or is
    /// beaten by them.
    func depends(on change: GroupView.ResultChange, me: UserID) -> Bool {
        if change.user == user { return true }
        guard change.user == me else { return false }
        return news.contains(change.key)
            || change.days.contains { days.contains(GameDay(game: change.key.game, day: $0)) }
    }
}

/// What follows from a group's days that are over everywhere: how events ended, champions, a climb, and what members
/// earned.
struct PastActivity {
    let basis: ActivityBasis
    var seen: Int
    let entries: [ActivityEntry]
    let rewards: [PlayerID: DatedCoins]
}

/// A whole feed, and what it was made from.
struct WholeActivity {
    struct Basis: Equatable {
        let groups: [GroupID]
        let edition: UInt64
        let hour: Int64
        let today: PuzzleDay
    }

    let basis: Basis
    let items: [Activity.Item]
}
