import ArgumentParser
import StreakNode

struct BoardCommand: QueryCommand {
    static let configuration = CommandConfiguration(
        commandName: "board", abstract: "Show the leaderboard: of a game, or of all games together.")

    @Option(help: "The group (else the active one).")
    var group: String?

    @Option(help: "The game: its name, ID or a unique beginning (else all).", completion: .games)
    var game: String?

    @Option(help: "\(OptionHelp.ranges).", completion: .ranges)
    var range: String?

    @Option(help: "The day shown, yyyy-MM-dd (else today).")
    var date: String?

    @Option(help: "points, streak, logs or coins.", completion: .metrics)
    var metric: String?

    @Flag(help: "Also show results of puzzles that you have not played yet.")
    var reveal = false

    @Option(help: "How many rows, at most 1000 (else 100).")
    var top: Int?

    @Option(help: "How many rows to skip.")
    var offset: Int?

    @Option(help: "Only players with this region.")
    var region: String?

    @Option(help: "all: everybody in all your groups, a person once.")
    var groups: GroupScope?

    @Flag(help: "Only players who are on your local network now.")
    var nearby = false

    @OptionGroup var shared: SharedOptions

    enum GroupScope: String, ExpressibleByArgument, CaseIterable {
        case all
    }

    static let tellsEndings = true

    func request() throws -> BoardRequest {
        if let top, !(1...1_000).contains(top) {
            throw CommandLineFailure.usage("`--top` takes a number from 1 to 1000.")
        }
        return BoardRequest(
            group: group, game: game, range: range, date: date, metric: metric, reveal: reveal,
            everyGroup: groups == .all, region: region, nearby: nearby, limit: top, offset: offset)
    }

    func lines(for report: BoardReport, style: OutputStyle) -> [String] {
        var lines = [report.heading(range: range ?? "today", style)]
        let mine = report.rows.contains(where: \.me) ? nil : report.mine
        guard !report.rows.isEmpty || mine.map({ $0.played > 0 }) ?? false else {
            let subject = report.gameName.map { "for \($0.printable)" } ?? "yet"
            return lines + ["No scores \(subject). Pick another day, or invite friends with `streakmesh invite`."]
        }
        var table = TextTable([.right, .left, .left, .left, .right, .left])
        for row in report.rows { table.add(row) }
        lines += style.lines(of: table)
        if let mine {
            var table = TextTable([.right, .left, .left, .left, .right, .left])
            table.add(mine)
            lines += (report.rows.isEmpty ? [] : ["…"]) + style.lines(of: table)
        }
        lines += report.footnotes.map { style.applying(.dim, to: $0) }
        return lines
    }
}

extension BoardReport {
    fileprivate func heading(range: String, _ style: OutputStyle) -> String {
        let parts = [gameName ?? "all games", period(range)] + (metric == "points" ? [] : [metric])
        return style.applying(.bold, to: title) + style.applying(.dim, to: " · " + parts.joined(separator: " · "))
    }

    /// The range's name and its days.
    func period(_ range: String) -> String {
        let days = from == to ? from : "\(from) to \(to)"
        let name: String? =
            switch range {
            case "today": from == today ? "today" : nil
            case "7d", "30d", "90d", "365d": "\(range.dropLast()) days"
            case "week", "month", "year": range
            case "all": "all time"
            default: nil
            }
        return (name.map { "\($0), " } ?? "") + days
    }

    fileprivate var footnotes: [String] {
        var notes: [String] = []
        if coveredCount > 0 {
            notes.append("\(coveredCount) covered until you have played; `--reveal` shows them.")
        }
        if let nextOffset { notes.append("\(listed - nextOffset) more: `--offset \(nextOffset)`") }
        if partial { notes.append("History is still arriving: this may change.") }
        return notes
    }
}

extension BoardRowReport {
    /// “=2” where others have the same rank; “–” without a rank.
    var rankLabel: String {
        rank.map { (tied ? "=" : "") + String($0) } ?? "–"
    }

    var deltaLabel: String {
        switch delta {
        case .new: "new"
        case .places(let places) where places > 0: "↑\(places)"
        case .places(let places) where places < 0: "↓\(places.magnitude)"
        case .places: "="
        case nil: ""
        }
    }

    /// Notes about a row, in addition to its value. A covered row shows nothing of what was played.
    var marks: String {
        [
            me ? "you" : nil, onlyMe ? "only you see this" : nil, covered ? nil : detail, late ? "late" : nil,
            edited ? "edited" : nil,
            played < of && !covered && detail == nil ? "played \(played) of \(of)" : nil,
        ]
        .compactMap(\.self).joined(separator: ", ")
    }
}

extension TextTable {
    fileprivate mutating func add(_ row: BoardRowReport) {
        let medal = row.covered ? "" : [1: "🥇", 2: "🥈", 3: "🥉"][row.rank ?? 0, default: ""]
        let delta: TextStyle =
            switch row.delta {
            case .places(let places): places > 0 ? .good : places < 0 ? .bad : .dim
            case .new, nil: .dim
            }
        addRow(
            Cell(row.rankLabel), Cell(medal), Cell(row.name, row.me ? .bold : .plain),
            Cell(row.deltaLabel, delta), Cell(row.covered ? "covered" : row.label, row.covered ? .dim : .plain),
            Cell(row.marks, .dim))
    }
}
