import StreakGames
import StreakScores
import StreakWire

/// What one member did, and all that it was made from. As long as that is the same, it need not be made again.
struct MemberActivity {
    /// A member of a group, in a feed of that group alone or of all groups.
    struct Place: Hashable {
        let group: GroupID
        let user: UserID
        let isAlone: Bool
    }

    struct Basis: Equatable {
        /// Rises with the member's results in the group.
        let results: UInt64
        /// Rises with this user's results in the games of the member's news, which uncover those and may be beaten by
        /// them.
        let mine: UInt64
        /// Rises with everything else that feeds are made from: who is a member, names, rules, games.
        let context: UInt64
        let today: PuzzleDay
        let lastFinal: PuzzleDay
        /// What the member earned in events.
        let rewards: DatedCoins
        /// Which activity of the same person other groups have told already, by number.
        let told: [UInt64]
    }

    let basis: Basis
    /// Each time that activity is made it has another number.
    let number: UInt64
    let entries: [ActivityEntry]
    /// The results that are news.
    let news: Set<ScoreKey>
    let games: Set<GameID>
}

/// A whole feed, and what it was made from: records, and the hour and day.
struct WholeActivity {
    struct Basis: Equatable {
        let groups: [GroupID]
        let edition: UInt64
        /// Hours since 1970. All that ends by itself ends on the hour.
        let hour: Int64
        let today: PuzzleDay
    }

    let basis: Basis
    let items: [Activity.Item]
}
