import StreakGames
import StreakNode

/// Which board a page shows, as its URL says.
struct BoardSelection: Sendable, Equatable {
    var group: String?
    var game: String?
    /// A range as in `BoardRequest`. Always set on a rendered page.
    var range = "today"
    var date: String?
    var metric: String?
    var reveal = false
    /// All members of all this user's groups, each person once.
    var everyGroup = false
    /// Only players who are on this network now.
    var nearby = false
    /// Only players with this region.
    var region: String?
    /// How many rows are shown.
    var shown = WebLimit.boardRows
    /// How many rows come before the first shown one.
    var offset = 0

    init(group: String?, game: String? = nil, range: String = "today") {
        self.group = group
        self.game = game
        self.range = range
    }

    init(_ fields: FormFields) {
        group = fields["group"]
        game = fields["game"]
        date = fields["date"]
        metric = fields["metric"] == "points" ? nil : fields["metric"]
        reveal = fields.isSet("reveal")
        everyGroup = fields["scope"] == "all"
        nearby = fields["scope"] == "nearby"
        region = fields["region"]
        shown = min(max(fields.number("shown") ?? WebLimit.boardRows, WebLimit.boardRows), WebLimit.mostBoardRows)
        offset = min(max(fields.number("offset") ?? 0, 0), 1_000_000)
        if let from = fields["from"], let to = fields["to"] {
            range = "\(from)..\(to)"
        } else if let chosen = fields["range"] {
            range = chosen
        }
    }

    var request: BoardRequest {
        BoardRequest(
            group: group, game: game, range: range, date: date, metric: metric, reveal: reveal, everyGroup: everyGroup,
            region: region, nearby: nearby, limit: shown, offset: offset)
    }

    var href: String {
        PageLink("/board").adding("group", group).adding("game", game).adding("range", range).adding("date", date)
            .adding("metric", metric).adding("scope", scope).adding("region", region)
            .adding("reveal", reveal ? "1" : nil)
            .adding("shown", shown == WebLimit.boardRows ? nil : String(shown))
            .adding("offset", offset == 0 ? nil : String(offset)).text
    }

    /// As in the URL; nil for the group alone.
    var scope: String? { everyGroup ? "all" : nearby ? "nearby" : nil }

    /// The same selection with a change. Revealed and expanded parts do not carry over to another board.
    func with(_ change: (inout BoardSelection) -> Void) -> BoardSelection {
        var selection = self
        selection.reveal = false
        selection.shown = WebLimit.boardRows
        selection.offset = 0
        change(&selection)
        return selection
    }

    var isCustom: Bool { range.contains("..") }

    /// The days of a range `D..D`; else nil.
    var customDays: (first: PuzzleDay, last: PuzzleDay)? {
        let ends = range.split(separator: ".", omittingEmptySubsequences: true).compactMap { PuzzleDay(String($0)) }
        guard isCustom, ends.count == 2, ends[0] <= ends[1] else { return nil }
        return (ends[0], ends[1])
    }

    /// The shown day one step earlier or later; nil if the range has no steps.
    func day(steppingFrom day: PuzzleDay, by direction: Int) -> PuzzleDay? {
        switch range {
        case "today", "7d", "30d", "90d", "365d": day.adding(days: direction)
        case "week": day.adding(days: 7 * direction)
        case "month": day.adding(months: direction)
        case "year": day.adding(months: 12 * direction)
        default: nil
        }
    }

    /// The period in words.
    func periodText(from: String, to: String, today: PuzzleDay) -> String {
        guard let first = PuzzleDay(from), let last = PuzzleDay(to) else { return "" }
        switch range {
        case "today":
            if last == today { return "Today, \(last.weekdayText)" }
            if last == today.adding(days: -1) { return "Yesterday, \(last.weekdayText)" }
            return last.year == today.year ? last.weekdayText : "\(last.weekdayText) \(last.year)"
        case "week":
            return "Week \(first.isoWeek.week), \(Self.span(first, last, today: today))"
        case "month": return last.monthText
        case "year": return String(last.year)
        case "all": return "All time"
        default: return Self.span(first, last, today: today)
        }
    }

    private static func span(_ first: PuzzleDay, _ last: PuzzleDay, today: PuzzleDay) -> String {
        let withYear = first.year != last.year || last.year != today.year
        return withYear
            ? "\(first.shortText) \(first.year) – \(last.shortText) \(last.year)"
            : "\(first.shortText) – \(last.shortText)"
    }
}
