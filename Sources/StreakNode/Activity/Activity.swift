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

    /// What was made last: of each member, of each group's past, and as a whole.
    private var made: [MemberActivity.Place: MemberActivity] = [:]
    private var past: [GroupID: PastActivity] = [:]
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
        var names: [GroupID: [UserID: String]] = [:]
        for group in Set(shown.map(\.group)).sorted() { names[group] = core.names(in: group) }
        return FeedReport(
            group: group?.description, title: group.map { core.title(of: $0) } ?? "All groups",
            entries: shown.map { report(of: $0, names[$0.group] ?? [:], look) },
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
            let past = past(of: group)
            var entries = feed.entries(of: passages(of: group)) + feed.talkEntries { self.person($0, heardIn: group) }
            entries += challengeEntries(in: group) + past.entries
            for user in users(of: group) {
                let person = person(user, in: group)
                let place = MemberActivity.Place(group: group, user: user, isAlone: isAlone)
                let activity = activity(
                    at: place, person, past.rewards[PlayerID(user.bytes.array)] ?? .none, told: told[person] ?? [])
                entries += activity.entries
                current.insert(place)
                if !isAlone { told[person, default: []].append(activity) }
            }
            let decided = Set(entries.filter { $0.notification == .answer && !$0.isCovered }.compactMap(\.resultName))
            items += entries.filter { isAlone || known.insert($0.id).inserted }.map { item($0, decided, in: group) }
        }
        let shown = Set(groups)
        made = made.filter { $0.key.isAlone != isAlone || !shown.contains($0.key.group) || current.contains($0.key) }
        past = past.filter { core.views[$0.key] != nil }
        items += messageItems(in: groups)
        return items.sorted { ActivityEntry.isBefore($0.entry, $1.entry) }
    }

    private func basis(of group: GroupID) -> ActivityBasis {
        ActivityBasis(
            context: core.contextEdition, emptied: core.views[group]?.emptied ?? 0, hour: hour, today: core.clock.today)
    }

    /// What a member did, made again if something has changed that it is made from.
    ///
    /// - Parameter told: what other groups have told of the same person.
    private func activity(
        at place: MemberActivity.Place, _ person: [UInt8], _ rewards: DatedCoins, told: [MemberActivity]
    ) -> MemberActivity {
        let changes = core.views[place.group]?.changes ?? []
        let basis = MemberActivity.Basis(group: basis(of: place.group), rewards: rewards, told: told.map(\.number))
        if let known = made[place], known.basis == basis,
            !changes.dropFirst(known.seen).contains(where: { known.depends(on: $0, me: core.identity.user) })
        {
            made[place]?.seen = changes.count
            return known
        }
        let feed = feed(of: place.group) { result in told.contains { $0.news.contains(result.key) } }
        let player = player(place.user, in: place.group, person, rewards)
        let news = feed.news(of: player)
        madeCount += 1
        let activity = MemberActivity(
            of: place.user, basis, seen: changes.count, number: madeCount, entries: feed.entries(of: player, news),
            news: news)
        made[place] = activity
        return activity
    }

    /// What follows from days that are over everywhere, made again if a result of one has changed.
    private func past(of group: GroupID) -> PastActivity {
        let changes = core.views[group]?.changes ?? []
        let basis = basis(of: group)
        let lastFinal = PuzzleDay.lastFinal(at: core.clock.wallTime.seconds)
        if let known = past[group], known.basis == basis,
            !changes.dropFirst(known.seen).contains(where: { $0.days.contains { $0 <= lastFinal } })
        {
            past[group]?.seen = changes.count
            return known
        }
        let made = PastActivity(
            basis: basis, seen: changes.count, entries: eventEntries(of: group) + climb(in: group),
            rewards: boards.eventCoins(in: group))
        past[group] = made
        return made
    }

    /// Nobody who is muted is heard of outside the feed. A result that decided a challenge is told once.
    private func item(_ entry: ActivityEntry, _ decided: Set<ResultName>, in group: GroupID) -> Item {
        var entry = entry
        if entry.notification != nil, let user = entry.user, core.isMuted(user, in: group) { entry.notification = nil }
        if entry.kind == .beaten, let name = entry.resultName, decided.contains(name) { entry.notification = nil }
        return Item(group: group, entry: entry)
    }

    private func feed(of group: GroupID, isTold: @escaping (DailyScore) -> Bool = { _ in false }) -> ActivityFeed {
        ActivityFeed(
            group: group, me: core.identity.user, today: core.clock.today, index: boards.index(of: group),
            talk: core.views[group]?.talk ?? GroupTalk(), game: { self.core.namedGame($0, in: group) },
            isCovered: core.spoilerGuard(in: group).covers, isTold: isTold)
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

    private func player(
        _ user: UserID, in group: GroupID, _ person: [UInt8], _ rewards: DatedCoins
    ) -> ActivityFeed.Player {
        ActivityFeed.Player(
            user: user, person: person, insights: boards.visibleInsights(of: user, in: group).insights,
            friends: boards.friendDays(of: user, in: [group]), rewards: rewards)
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

    private func report(of item: Item, _ names: [UserID: String], _ look: ActivityLook) -> FeedEntryReport {
        let (group, entry) = (item.group, item.entry)
        var report = FeedEntryReport(
            id: String(entry.id, radix: 16), kind: entry.kind.rawValue, group: group.description,
            title: core.title(of: group), user: entry.user.map { core.shownID(of: $0, in: group) } ?? "",
            name: entry.user.map { names[$0] ?? "" } ?? core.title(of: group),
            me: entry.user == core.identity.user, at: Timestamp(seconds: entry.at).text, icon: entry.icon,
            text: "", fresh: look.isNew(entry, to: core.identity.user))
        report.covered = entry.isCovered
        report.count = entry.count
        if let result = entry.result, entry.kind != .results {
            (report.game, report.day) = (result.game.rawValue, result.day.description)
            report.puzzle = result.puzzle
        }
        report.text = text(of: entry, in: group)
        return report
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
        case .comment: "said about your \(name): “\(entry.words)”"
        case .message: entry.count == 1 ? "wrote to you" : "wrote you \(entry.count) messages"
        case .challenge, .accepted, .declined, .outcome: entry.words
        }
    }
}
