import StreakEngine
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// The feed: what happened in this user's groups during the last thirty days.
///
/// It is made when it is asked for, from the records and the day alone. What a member did is made again once something
/// changes that it was made from. The only thing that is stored is what the user has seen of the feed.
final class Activity {
    let core: NodeCore
    private let loop: NodeLoop
    let boards: Boards

    /// The most entries of one report.
    static let maximumEntries = 500

    /// How many entries were new and not covered, at an edition of the views and a minute of the clock.
    private var counted: (edition: UInt64, minute: Int64, count: Int)?

    /// What was made last: of each member, of what each group's members have in common, and as a whole.
    private var made: [MemberActivity.Place: MemberActivity] = [:]
    private var common: [GroupID: GroupActivity] = [:]
    private var whole: WholeActivity?
    private var madeCount: UInt64 = 0

    /// One entry of one group.
    struct Item: Equatable {
        let group: GroupID
        let entry: ActivityEntry
    }

    init(core: NodeCore, loop: NodeLoop, boards: Boards) { (self.core, self.loop, self.boards) = (core, loop, boards) }

    func feed(of selector: String?, limit: Int?) throws -> FeedReport {
        let group = try selector.map { try core.group($0) }
        let items = items(of: group.map { [$0] } ?? core.memberGroups)
        let look = core.accountSettings.look
        let shown = items.prefix(min(max(limit ?? 100, 1), Self.maximumEntries))
        var words: [GroupID: GroupWords] = [:]
        for group in Set(shown.map(\.group)).sorted() {
            words[group] = GroupWords(group, users: Set(shown.compactMap(\.entry.user)), core)
        }
        return FeedReport(
            group: group?.description, title: group.map { core.title(of: $0) } ?? "All groups",
            entries: shown.compactMap { item in words[item.group].map { report(of: item.entry, $0, look) } },
            fresh: items.count { look.isNew($0.entry, to: core.identity.user) }, total: items.count)
    }

    /// Notes that the user has seen a group's feed, or that of all groups.
    func look(at selector: String?, limit: Int?) async throws -> FeedReport {
        let group = try selector.map { try core.group($0) }
        let all = items(of: core.memberGroups).map(\.entry)
        let shown = group.map { items(of: [$0]).map(\.entry) } ?? all
        let known = core.accountSettings.look
        let look = known.looking(at: Set(shown.map(\.id)), of: all)
        if shown.contains(where: { known.isNew($0, to: core.identity.user) }) {
            try await loop.storeLook([AccountSettings.draft(stating: look, of: core.identity.device)])
        }
        return try feed(of: selector, limit: limit)
    }

    /// What others did in all groups and is not covered, newest first: what the bell shows.
    func news() -> [Item] {
        items(of: core.memberGroups).filter { $0.entry.user != core.identity.user && !$0.entry.isCovered }
    }

    /// How much of it is new to this user.
    var freshCount: Int {
        let minute = core.clock.wallTime.seconds / 60
        if let counted, counted.edition == core.edition, counted.minute == minute { return counted.count }
        let look = core.accountSettings.look
        let count = news().count { look.isNew($0.entry, to: core.identity.user) }
        counted = (core.edition, minute, count)
        return count
    }

    /// “Ada challenged you to beat 3 guesses in Wordle.”
    func sentence(_ item: Item) -> String {
        let name = item.entry.user.map { core.name(of: $0, in: item.group) } ?? core.title(of: item.group)
        return "\(name) \(text(of: item.entry, in: item.group))."
    }

    // MARK: Entries

    /// The entries of some groups, newest first. What several of them have, the first one tells.
    func items(of groups: [GroupID]) -> [Item] {
        let basis = WholeActivity.Basis(
            groups: groups, edition: core.edition, hour: hour, today: core.clock.today)
        let items =
            if let whole, whole.basis == basis { whole.items } else { makeItems(of: groups) }
        whole = WholeActivity(basis: basis, items: items)
        let now = core.clock.wallTime.seconds
        return items.allSatisfy { $0.entry.isDue(at: now) } ? items : items.filter { $0.entry.isDue(at: now) }
    }

    private var hour: Int64 { core.clock.wallTime.seconds / 3_600 }

    private func makeItems(of groups: [GroupID]) -> [Item] {
        var items: [Item] = []
        var told: [[UInt8]: [MemberActivity]] = [:]
        var known: Set<UInt64> = []
        var current: Set<MemberActivity.Place> = []
        let isAlone = groups.count == 1
        for group in groups {
            let feed = feed(of: group)
            let common = common(of: group, in: feed)
            let guardian = core.spoilerGuard(in: group)
            var entries = feed.talkEntries { self.person($0, heardIn: group) }
            entries += challengeEntries(in: group) + common.entries
            for member in common.members {
                let place = MemberActivity.Place(group: group, user: member.user, isAlone: isAlone)
                let activity = activity(
                    of: member, at: place, in: feed, guardian, told: told[member.person] ?? [])
                entries += activity.entries
                current.insert(place)
                if !isAlone { told[member.person, default: []].append(activity) }
            }
            let decided = Set(entries.filter { $0.notification == .answer && !$0.isCovered }.compactMap(\.resultName))
            for entry in entries where isAlone || known.insert(entry.id).inserted {
                items.append(item(entry, decided, in: group))
            }
        }
        for place in made.keys
        where place.isAlone == isAlone && groups.contains(place.group) && !current.contains(place) {
            made[place] = nil
        }
        for group in common.keys where !core.views.keys.contains(group) { common[group] = nil }
        items += messageItems(in: groups)
        // Entries are large, so their places are sorted.
        return items.indices.sorted { ActivityEntry.isBefore(items[$0].entry, items[$1].entry) }.map { items[$0] }
    }

    private func basis(of group: GroupID) -> ActivityBasis {
        ActivityBasis(
            context: core.contextEdition, emptied: core.views[group]?.emptied ?? 0, hour: hour, today: core.clock.today)
    }

    /// What a member did, made again if something has changed that it is made from.
    ///
    /// - Parameter told: what other groups have told of the same person.
    private func activity(
        of member: GroupActivity.Member, at place: MemberActivity.Place, in feed: ActivityFeed,
        _ guardian: SpoilerGuard, told: [MemberActivity]
    ) -> MemberActivity {
        var feed = feed
        if !told.isEmpty { feed.isTold = { result in told.contains { $0.names(result.key) } } }
        let changes = core.views[place.group]?.changes ?? []
        let basis = MemberActivity.Basis(
            group: basis(of: place.group), rewards: member.rewards, told: told.map(\.number))
        let me = core.identity.user
        func player(_ covered: [ScoreKey]) -> ActivityFeed.Player {
            let id = PlayerID(member.user.bytes.array)
            return ActivityFeed.Player(
                member: member, covered: covered, insights: core.insights(of: id, leavingOut: covered, in: place.group))
        }
        // Taken out, so that it is changed in place.
        if var known = made.removeValue(forKey: place), known.basis == basis {
            let news = changes.dropFirst(known.seen).filter { [member.user, me].contains($0.user) }
            if known.canFollow(news) {
                if !news.isEmpty {
                    let games = Set(news.map(\.key.game)).sorted()
                    let covered = guardian.covered(of: member.user, following: known.covered, in: games)
                    madeCount += 1
                    known.follow(news, next: madeCount, of: player(covered), in: feed)
                }
                known.seen = changes.count
                made[place] = known
                return known
            }
        }
        madeCount += 1
        let activity = MemberActivity(
            basis, seen: changes.count, number: madeCount, of: player(guardian.covered(of: member.user)), in: feed)
        made[place] = activity
        return activity
    }

    /// What members have in common, made again if the ledger or a result of a day that is over everywhere has changed.
    private func common(of group: GroupID, in feed: ActivityFeed) -> GroupActivity {
        let changes = core.views[group]?.changes ?? []
        let basis = basis(of: group)
        let lastFinal = PuzzleDay.lastFinal(at: core.clock.wallTime.seconds)
        if let known = common[group], known.basis == basis,
            !changes.dropFirst(known.seen).contains(where: { $0.day <= lastFinal })
        {
            common[group]?.seen = changes.count
            return known
        }
        let rewards = boards.eventCoins(in: group)
        let members = users(of: group).map { user in
            GroupActivity.Member(
                user: user, person: person(user, in: group), friends: boards.friendDays(of: user, in: [group]),
                rewards: rewards[PlayerID(user.bytes.array)] ?? .none)
        }
        let made = GroupActivity(
            basis: basis, seen: changes.count,
            entries: feed.entries(of: passages(of: group)) + eventEntries(of: group) + climb(in: group),
            members: members)
        common[group] = made
        return made
    }

    /// Nobody who is muted is heard of outside the feed. A result that decided a challenge is told once.
    private func item(_ entry: ActivityEntry, _ decided: Set<ResultName>, in group: GroupID) -> Item {
        var entry = entry
        if entry.notification != nil, let user = entry.user, core.isMuted(user, in: group) { entry.notification = nil }
        if entry.kind == .beaten, let name = entry.resultName, decided.contains(name) { entry.notification = nil }
        return Item(group: group, entry: entry)
    }

    private func feed(of group: GroupID) -> ActivityFeed {
        ActivityFeed(
            group: group, me: core.identity.user, today: core.clock.today, index: boards.index(of: group),
            talk: core.views[group]?.talk ?? GroupTalk(), game: { self.core.namedGame($0, in: group) },
            isCovered: core.spoilerGuard(in: group).covers, isTold: { _ in false })
    }

    func person(_ user: UserID, in group: GroupID) -> [UInt8] { boards.unionID(of: user, in: group).bytes }

    /// Nil for somebody whom this user does not hear: no member, or muted.
    private func person(_ user: UserID, heardIn group: GroupID) -> [UInt8]? {
        guard core.engine.state(of: group)?.role(of: user) != nil,
            !core.isMuted(user, in: group)
        else { return nil }
        return person(user, in: group)
    }

    /// The members who are on the group's boards.
    private func users(of group: GroupID) -> [UserID] {
        (core.engine.state(of: group)?.members ?? []).map(\.user).filter { user in
            user == core.identity.user || !(core.profile(of: user, in: group)?.isHidden ?? false)
        }
    }

    private func passages(of group: GroupID) -> [ActivityFeed.Passage] {
        guard let state = core.engine.state(of: group) else { return [] }
        let arrivals = state.members.map { member in
            ActivityFeed.Passage(
                kind: .joined, user: member.user, person: person(member.user, in: group), at: member.admittedAt,
                words: member.admitter == member.user ? "founded" : "")
        }
        return arrivals
            + state.removedUsers.compactMap { former in
                core.engine.origin(of: former.removedBy, in: group).map { origin in
                    ActivityFeed.Passage(
                        kind: former.hasLeft ? .left : .removed, user: former.user,
                        person: person(former.user, in: group), at: origin.time)
                }
            }
    }

    // MARK: Reports

    /// What many entries of a group say alike.
    private struct GroupWords {
        let group: GroupID
        let id: String
        let title: String
        let names: [UserID: String]
        let shownIDs: [UserID: String]

        init(_ group: GroupID, users: Set<UserID>, _ core: NodeCore) {
            (self.group, id, title) = (group, group.description, core.title(of: group))
            names = core.names(in: group)
            shownIDs = Dictionary(users.map { ($0, core.shownID(of: $0, in: group)) }) { first, _ in first }
        }
    }

    private func report(of entry: ActivityEntry, _ words: GroupWords, _ look: ActivityLook) -> FeedEntryReport {
        var report = FeedEntryReport(
            id: String(entry.id, radix: 16), kind: entry.kind.rawValue, group: words.id, title: words.title,
            user: entry.user.flatMap { words.shownIDs[$0] } ?? "",
            name: entry.user.map { words.names[$0] ?? "" } ?? words.title, me: entry.user == core.identity.user,
            at: Timestamp(seconds: entry.at).text, icon: entry.icon, text: "",
            fresh: look.isNew(entry, to: core.identity.user))
        report.covered = entry.isCovered
        report.count = entry.count
        if let result = entry.result, entry.kind != .results {
            (report.game, report.day) = (result.game.rawValue, result.day.description)
            report.puzzle = result.puzzle
        }
        report.text = text(of: entry, in: words.group)
        return report
    }

    /// A long comment is read on the page of its result.
    private static func said(_ entry: ActivityEntry, about game: String) -> String {
        let words = entry.words.count > 120 ? entry.words.prefix(119) + "…" : entry.words
        return entry.count == 1
            ? "about your \(game): “\(words)”" : "\(entry.count) things about your \(game), at last “\(words)”"
    }

    /// What stands behind the name: “reached level 5”.
    private func text(of entry: ActivityEntry, in group: GroupID) -> String {
        let game = entry.result.map { core.namedGame($0.game, in: group) }
        let name = game?.name ?? ""
        let label = entry.result.flatMap { result in game.map { Scoring.label(for: result, in: $0) } } ?? ""
        return switch entry.kind {
        case .result: entry.isCovered ? "played \(name), covered until you have" : "played \(name): \(label)"
        case .results: "posted \(entry.count) results"
        case .beaten: "beat your \(entry.words) in \(name) with \(label)"
        case .best: "set a personal best in \(name): \(label)"
        case .unlock: "reached \(entry.words)"
        case .milestone: "reached \(entry.words)"
        case .joined: entry.words.isEmpty ? "joined" : "founded the group"
        case .left: "left"
        case .removed: "was removed"
        case .event: "plays for \(entry.words)"
        case .eventEnding: "has \(entry.words)"
        case .climbed: "\(entry.words)"
        case .eventWon: "won the weekly event: \(entry.words)"
        case .champion: "\(entry.words)"
        case .reaction: "reacted to your \(name) with \(entry.words)"
        case .comment: "said \(Self.said(entry, about: name))"
        case .message: entry.count == 1 ? "wrote to you" : "wrote you \(entry.count) messages"
        case .challenge, .accepted, .declined, .outcome: entry.words
        }
    }
}
