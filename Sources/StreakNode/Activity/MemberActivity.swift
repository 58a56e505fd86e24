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

    struct Basis: Equatable {
        let group: ActivityBasis
        /// What the member earned in events.
        let rewards: DatedCoins
        /// Which news of the same person other groups have told already, by number.
        let told: [UInt64]
    }

    let basis: Basis
    /// How many of the view's changes it follows.
    var seen: Int
    /// Each time that the news are others it has another number.
    private(set) var number: UInt64
    /// Entries about results.
    private var told: [ActivityEntry] = []
    /// Entries about tiers and round numbers.
    private var progress: [ActivityEntry] = []
    /// The member's results that this user may not see yet.
    private(set) var covered: [ScoreKey]
    private let user: UserID
    private var news: PlayerNews
    private var known = KnownEntries()
    /// How many results more are news without dropping an old one.
    private var room: Int

    init(_ basis: Basis, seen: Int, number: UInt64, of player: ActivityFeed.Player, in feed: ActivityFeed) {
        (self.basis, self.seen, self.number) = (basis, seen, number)
        (user, covered) = (player.user, player.covered)
        (news, room) = feed.news(of: player)
        feed.classify(&news, of: player)
        told = feed.entries(of: player, news, &known)
        progress = feed.progress(of: player, news, &known)
    }

    var entries: [ActivityEntry] { told + progress }

    /// Follows results that have changed: the member's, and this user's, which cover and uncover those of others.
    ///
    /// - Parameter next: the next number.
    mutating func follow(
        _ changes: [GroupView.ResultChange], next: UInt64, of player: ActivityFeed.Player, in feed: ActivityFeed
    ) {
        var keepsProgress = covered == player.covered || Set(covered) == Set(player.covered)
        covered = player.covered
        let games = Set(changes.map(\.key.game))
        known.forget(in: games)
        let own = changes.filter { $0.user == user }.map(\.key)
        if !own.isEmpty {
            keepsProgress = false
            feed.replace(Set(own), in: &news, of: player)
            room -= own.count
            number = next
        }
        feed.classify(&news, in: games, of: player)
        told = feed.entries(of: player, news, &known)
        // This user's results change another member's progress only by what they cover.
        if !keepsProgress { progress = feed.progress(of: player, news, &known) }
    }

    /// Whether it can follow these changes. After many it is quicker made from nothing.
    func canFollow(_ changes: [GroupView.ResultChange]) -> Bool {
        changes.count { $0.user == user } <= min(room, Self.mostChanges)
    }

    private static let mostChanges = 50

    /// Whether the news name a result.
    func names(_ key: ScoreKey) -> Bool { news.keys.contains(key) }
}

/// What follows from a group's ledger and from its days that are over everywhere: who came and went, how events ended,
/// champions, a climb, and what members earned.
struct GroupActivity {
    /// A member who is on the group's boards.
    struct Member {
        let user: UserID
        /// As in `ActivityEntry.init`.
        let person: [UInt8]
        /// As `PlayerInsights.achievements` takes them.
        let friends: [PuzzleDay]
        /// What events that are over have earned.
        let rewards: DatedCoins
    }

    let basis: ActivityBasis
    var seen: Int
    let entries: [ActivityEntry]
    let members: [Member]
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
