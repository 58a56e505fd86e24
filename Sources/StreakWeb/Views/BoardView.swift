import StreakGames
import StreakNode

/// One player's line on a board.
struct RowView: Sendable, Equatable {
    struct Delta: Sendable, Equatable {
        /// `up`, `down`, `same` or `new`: a class name.
        var kind: String
        var text: String
    }

    var user: String
    var href: String
    var avatar: AvatarView
    var name: String
    var me: Bool
    /// “1”, “=2”, or “–” without a rank.
    var rank: String
    /// `gold`, `silver`, `bronze`.
    var medal: String?
    /// 1, 2 or 3 on the podium.
    var place: Int
    var label: String
    var detail: String?
    var delta: Delta?
    var late: Bool
    var edited: Bool
    var covered: Bool
    /// Tags beside the name: an alias, a region, a row that nobody else sees.
    var marks: [String]
    /// The whole row, for screen readers.
    var sentence: String

    init(_ row: BoardRowReport, selection: BoardSelection, report: BoardReport) {
        user = row.user
        // On a board of one puzzle a row leads to that result, otherwise to its player.
        let isResult =
            selection.game != nil && selection.range == "today" && selection.scope == nil
            && (row.covered || row.rank != nil)
        href = isResult ? Self.result(row, report) : Self.player(row, selection, report)
        avatar = AvatarView(user: row.user, name: row.name)
        name = row.name
        me = row.me
        rank = row.rank.map { row.tied ? "=\($0)" : String($0) } ?? "–"
        place = row.rank ?? 0
        medal = row.rank.flatMap { [1: "gold", 2: "silver", 3: "bronze"][$0] }
        covered = row.covered
        label = row.covered ? "Covered" : row.label
        late = row.late && !row.covered
        edited = row.edited && !row.covered
        let isSingle = selection.range == "today" && selection.game != nil
        detail = isSingle || row.covered ? nil : row.detail ?? (row.of == 0 ? nil : "played \(row.played) of \(row.of)")
        delta = row.covered ? nil : row.delta.map(Self.delta)
        marks = [row.onlyMe ? "only you see this" : nil, row.anonymous ? "alias" : nil, row.region].compactMap(\.self)
        sentence = ""
        sentence = Self.sentence(row, self)
    }

    private static func player(_ row: BoardRowReport, _ selection: BoardSelection, _ report: BoardReport) -> String {
        PageLink("/player").adding("group", selection.group ?? report.group).adding("user", row.user)
            .adding("range", selection.range).adding("date", selection.date).text
    }

    private static func result(_ row: BoardRowReport, _ report: BoardReport) -> String {
        PageLink("/result").adding("group", report.group).adding("user", row.user).adding("game", report.game)
            .adding("date", report.from).text
    }

    private static func delta(_ delta: DeltaReport) -> Delta {
        switch delta {
        case .new: Delta(kind: "new", text: "new")
        case .places(0): Delta(kind: "same", text: "=")
        case .places(let places):
            Delta(kind: places > 0 ? "up" : "down", text: "\(places > 0 ? "↑" : "↓")\(places.magnitude)")
        }
    }

    private static func sentence(_ row: BoardRowReport, _ view: RowView) -> String {
        var parts: [String] = []
        if let rank = row.rank { parts.append(row.tied ? "Tied for rank \(rank)" : "Rank \(rank)") }
        parts.append(row.me ? "\(row.name), you" : row.name)
        parts.append(row.covered ? "result covered until you have played" : row.label)
        if let detail = view.detail { parts.append(detail) }
        switch row.covered ? nil : row.delta {
        case .new: parts.append("new on the board")
        case .places(0): parts.append("same rank as the day before")
        case .places(let places):
            let unit = places.magnitude == 1 ? "place" : "places"
            parts.append("\(places > 0 ? "up" : "down") \(places.magnitude) \(unit)")
        case nil: break
        }
        parts += view.marks
        if view.late { parts.append("posted later") }
        if view.edited { parts.append("edited") }
        return parts.joined(separator: ", ")
    }
}

/// A board with its surroundings.
struct BoardView: Sendable, Equatable {
    struct Pager: Sendable, Equatable {
        var prevHref: String?
        var nextHref: String?
        var todayHref: String?
        /// The shown day; nil for a custom range.
        var day: String?
        var today: String
    }

    struct You: Sendable, Equatable {
        var avatar: AvatarView
        var rank: String
        /// “of 5”; nil without a rank.
        var ranked: String?
        var label: String
        var note: String?
        var jumpHref: String?
    }

    var heading: String
    var icon: String
    var groupTitle: String
    var group: String
    var selectionGame: String
    var selectionRange: String
    var selectionMetric: String
    var period: String
    var pager: Pager?
    var games: [TabView]
    var previousGame: String
    var nextGame: String
    var ranges: [TabView]
    var moreRanges: [TabView]
    var metrics: [TabView]
    var from: String
    var to: String
    var isCustomised: Bool
    var podium: [RowView]
    var hasPodium: Bool
    var rows: [RowView]
    var hasRows: Bool
    var coveredRows: [RowView]
    var unranked: [RowView]
    var hasUnranked: Bool
    var moreHref: String?
    var moreText: String
    /// The first page, if this is a later one.
    var topHref: String?
    /// The page with this user's row, if this one does not have it.
    var aroundHref: String?
    /// This user's row, if it is on another page.
    var apart: [RowView]
    var scopes: [TabView]
    var regions: [TabView]
    var hasRegions: Bool
    var selectionScope: String
    var selectionRegion: String
    var championsHref: String
    var eventHref: String
    var you: You?
    var coveredText: String?
    var revealHref: String
    var hideHref: String?
    var partial: Bool
    var emptyText: String?
    var playHref: String?
    var rankedText: String
    var summary: String

    init(_ report: BoardReport, selection: BoardSelection, catalogue: GamesReport) {
        let today = PuzzleDay(report.today) ?? .earliest
        let game = (report.games + catalogue.games).first { $0.id == report.game }
        heading = report.gameName ?? game?.name ?? "All games"
        icon = game?.icon ?? "🏆"
        groupTitle = report.title
        group = selection.group ?? report.group
        selectionGame = selection.game ?? ""
        selectionRange = selection.range
        selectionMetric = selection.metric ?? ""
        period = selection.periodText(from: report.from, to: report.to, today: today)
        pager = Self.pager(report, selection, today: today)
        games = Self.games(report, selection, catalogue)
        let position = games.firstIndex { $0.current } ?? 0
        previousGame = games[(position + games.count - 1) % games.count].href
        nextGame = games[(position + 1) % games.count].href
        let named = [("today", "Day"), ("7d", "7 days"), ("week", "Week"), ("month", "Month"), ("all", "All time")]
        ranges = Self.ranges(named, selection)
        moreRanges = Self.ranges(
            [("30d", "30 days"), ("90d", "90 days"), ("365d", "365 days"), ("year", "Year")], selection)
        metrics = Self.metrics(report, selection)
        from = report.from
        to = report.to
        isCustomised =
            selection.metric != nil || selection.isCustom || selection.scope != nil || selection.region != nil
            || moreRanges.contains { $0.current }
        scopes = Self.scopes(selection)
        regions = Self.regions(report, selection)
        hasRegions = !regions.isEmpty
        (selectionScope, selectionRegion) = (selection.scope ?? "", selection.region ?? "")
        eventHref = PageLink("/event").adding("group", selection.group ?? report.group).text
        championsHref =
            PageLink("/champions").adding("group", selection.group ?? report.group).adding("game", report.game)
            .adding("period", selection.range == "month" ? "month" : nil).text
        let views = report.rows.map { RowView($0, selection: selection, report: report) }
        let ranked = zip(report.rows, views).filter { $0.0.rank != nil }
        let standing = selection.offset == 0 ? Set(report.podium) : []
        let medallists = ranked.prefix { standing.contains($0.0.user) }.map(\.1)
        hasPodium = medallists.count == 3
        podium = hasPodium ? medallists : []
        let visible = Array(ranked.map(\.1).dropFirst(podium.count))
        moreText = "\(min(WebLimit.boardRows, max(report.listed - (report.nextOffset ?? 0), 1))) more"
        moreHref = report.nextOffset.map { Self.more(selection, next: $0) }
        topHref = selection.offset > 0 ? selection.with { _ in }.href : nil
        aroundHref = nil
        apart = []
        if let mine = report.mine, mine.rank != nil, !(podium + visible).contains(where: \.me) {
            apart = [RowView(mine, selection: selection, report: report)]
            aroundHref = report.myPosition.map { position in
                selection.with { $0.offset = max(0, position - WebLimit.boardRows / 2) }.href
            }
        }
        rows = visible
        hasRows = !visible.isEmpty
        coveredRows = views.filter(\.covered)
        unranked = zip(report.rows, views).filter { $0.0.rank == nil && !$0.0.covered }.map(\.1)
        hasUnranked = !unranked.isEmpty
        you = Self.you(report, selection)
        coveredText = Self.coveredText(report.coveredCount)
        revealHref = selection.with { $0.reveal = true }.href
        hideHref = selection.reveal ? selection.with { _ in }.href : nil
        partial = report.partial
        emptyText =
            ranked.isEmpty && coveredRows.isEmpty
            ? "No scores for \(report.game == nil ? "any game" : heading). Pick a different date or invite friends to compare."
            : nil
        playHref = game?.webURL
        rankedText = Self.rankedText(report.ranked)
        summary = Self.summary(heading, period, selection.offset == 0 ? ranked.map(\.1) : [], report)
    }

    private static func coveredText(_ count: Int) -> String? {
        count == 0 ? nil : count == 1 ? "1 result is covered" : "\(count) results are covered"
    }

    private static func rankedText(_ count: Int) -> String {
        count == 0 ? "Nobody is ranked yet" : count == 1 ? "1 player ranked" : "\(count) players ranked"
    }

    /// A hundred more rows on this page, or the next page if this one is full.
    private static func more(_ selection: BoardSelection, next: Int) -> String {
        selection.with {
            $0.reveal = selection.reveal
            let isFull = selection.shown >= WebLimit.mostBoardRows
            $0.shown = isFull ? WebLimit.boardRows : selection.shown + WebLimit.boardRows
            $0.offset = isFull ? next : selection.offset
        }.href
    }

    private static func metrics(_ report: BoardReport, _ selection: BoardSelection) -> [TabView] {
        [("points", "Points"), ("streak", "Streak"), ("logs", "Results"), ("coins", "Coins")].map { metric in
            TabView(
                label: metric.1,
                href: selection.with { $0.metric = metric.0 == "points" ? nil : metric.0 }.href,
                current: metric.0 == report.metric)
        }
    }

    private static func scopes(_ selection: BoardSelection) -> [TabView] {
        [(nil, "This group"), ("all", "All my groups"), ("nearby", "On this network")].map { scope in
            TabView(
                label: scope.1,
                href: selection.with {
                    $0.everyGroup = scope.0 == "all"
                    $0.nearby = scope.0 == "nearby"
                }.href, current: selection.scope == scope.0)
        }
    }

    /// “Everywhere” and every region that a player on the board has named; empty if nobody has.
    private static func regions(_ report: BoardReport, _ selection: BoardSelection) -> [TabView] {
        let known = Set(
            (report.rows + [report.mine].compactMap(\.self)).compactMap(\.region)
                + [selection.region].compactMap(\.self))
        guard !known.isEmpty else { return [] }
        return [
            TabView(
                label: "Everywhere", href: selection.with { $0.region = nil }.href, current: selection.region == nil)
        ]
            + known.sorted().prefix(24).map { region in
                TabView(
                    label: region, href: selection.with { $0.region = region }.href,
                    current: selection.region == region)
            }
    }

    private static func pager(_ report: BoardReport, _ selection: BoardSelection, today: PuzzleDay) -> Pager? {
        if let days = selection.customDays { return pager(days.first, days.last, selection, today: today) }
        guard selection.range != "all", !selection.isCustom else { return nil }
        let day = selection.date.flatMap { PuzzleDay($0) } ?? today
        func href(_ day: PuzzleDay?) -> String? {
            day.map { day in selection.with { $0.date = day == today ? nil : day.description }.href }
        }
        let next = selection.day(steppingFrom: day, by: 1).map { min($0, today) }
        return Pager(
            prevHref: href(selection.day(steppingFrom: day, by: -1)), nextHref: day < today ? href(next) : nil,
            todayHref: day < today ? href(today) : nil, day: day.description, today: today.description)
    }

    /// The same number of days before and after, up to today.
    private static func pager(
        _ first: PuzzleDay, _ last: PuzzleDay, _ selection: BoardSelection, today: PuzzleDay
    ) -> Pager {
        let length = first.days(until: last) + 1
        func href(_ first: PuzzleDay, _ last: PuzzleDay) -> String {
            selection.with { $0.range = "\(first)..\(last)" }.href
        }
        let later = min(last.adding(days: length), today)
        return Pager(
            prevHref: href(first.adding(days: -length), last.adding(days: -length)),
            nextHref: last < today ? href(later.adding(days: 1 - length), later) : nil, todayHref: nil, day: nil,
            today: today.description)
    }

    /// “All games”, then games played in the range, then favourites. The shown game is always included.
    private static func games(
        _ report: BoardReport, _ selection: BoardSelection, _ catalogue: GamesReport
    ) -> [TabView] {
        var listed = report.games
        var known = Set(listed.map(\.id))
        for game in catalogue.games where game.favourite || game.id == report.game {
            if known.insert(game.id).inserted { listed.append(game) }
        }
        let all = TabView(
            label: "All games", href: selection.with { $0.game = nil }.href, current: report.game == nil, icon: "🏆")
        return [all]
            + listed.map { game in
                TabView(
                    label: game.name, href: selection.with { $0.game = game.id }.href, current: game.id == report.game,
                    icon: game.icon)
            }
    }

    private static func ranges(_ named: [(String, String)], _ selection: BoardSelection) -> [TabView] {
        named.map { range in
            TabView(
                label: range.1, href: selection.with { $0.range = range.0 }.href, current: range.0 == selection.range)
        }
    }

    private static func you(_ report: BoardReport, _ selection: BoardSelection) -> You? {
        guard let mine = report.mine ?? report.rows.first(where: \.me) else { return nil }
        let view = RowView(mine, selection: selection, report: report)
        // A user who is hidden from the board has a value but no rank.
        let hasValue = mine.rank != nil || mine.played > 0
        return You(
            avatar: view.avatar, rank: view.rank, ranked: mine.rank.map { _ in "of \(report.ranked)" },
            label: hasValue ? mine.label : "No result yet",
            note: mine.onlyMe
                ? "only you see this"
                : mine.rank != nil ? nil : hasValue ? "not ranked here" : "Paste yours to be ranked",
            jumpHref: mine.rank == nil ? nil : "#me")
    }

    private static func summary(_ heading: String, _ period: String, _ ranked: [RowView], _ report: BoardReport)
        -> String
    {
        guard let leader = ranked.first else { return "\(heading), \(period): no scores" }
        let mine = report.mine?.rank.map { " You are number \($0) of \(report.ranked)." } ?? ""
        return "\(heading), \(period): \(leader.me ? "you lead" : "\(leader.name) leads") with \(leader.label).\(mine)"
    }
}

extension GameReport {
    /// The game's address, if it is an http or https one. A member may have defined the game, so `javascript:` must not
    /// pass.
    var webURL: String? {
        url.flatMap { $0.lowercased().hasPrefix("https://") || $0.lowercased().hasPrefix("http://") ? $0 : nil }
    }
}
