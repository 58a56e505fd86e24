public import StreakGames

/// A picture of a result, a streak, a week or an achievement, to be sent to anybody.
///
/// It shows what its subject holds and nothing else. Names and titles may come from friends; they are bounded and
/// escaped.
public struct Picture: Hashable, Sendable {
    public enum Look: String, Sendable, Hashable, CaseIterable { case light, dark }

    /// The sizes that message services show whole: 1200 × 630 beside a link, 1080 × 1080 in a stream.
    public enum Shape: String, Sendable, Hashable, CaseIterable {
        case wide, square

        /// In pixels.
        public var width: Int {
            switch self {
            case .wide: 1_200
            case .square: 1_080
            }
        }

        public var height: Int {
            switch self {
            case .wide: 630
            case .square: 1_080
            }
        }
    }

    public enum Subject: Hashable, Sendable {
        case result(Result)
        case streak(Streak)
        case week(Week)
        case achievement(Unlock)

        /// `result`, `streak`, `week` or `achievement`.
        public var word: String {
            switch self {
            case .result: "result"
            case .streak: "streak"
            case .week: "week"
            case .achievement: "achievement"
            }
        }
    }

    /// The player's own result.
    public struct Result: Hashable, Sendable {
        public var game: String
        /// “#1,617”; nil for a game without numbers.
        public var number: String?
        public var day: PuzzleDay
        /// “3 guesses”, “0:42”, “X/6”.
        public var label: String
        public var occasion: ShareTemplate.Occasion
        public var grid: ShareGrid?
        /// The streak in the game; 0 or 1 is not shown.
        public var streak: Int
        public var cadence: Game.Cadence

        public init(
            game: String, number: String?, day: PuzzleDay, label: String, occasion: ShareTemplate.Occasion,
            grid: ShareGrid?, streak: Int, cadence: Game.Cadence
        ) {
            self.game = game
            self.number = number
            self.day = day
            self.label = label
            self.occasion = occasion
            self.grid = grid
            self.streak = streak
            self.cadence = cadence
        }
    }

    /// Days in a row.
    public struct Streak: Hashable, Sendable {
        /// Nil: with any game.
        public var game: String?
        public var count: Int
        public var longest: Int
        public var start: PuzzleDay?
        public var cadence: Game.Cadence
        public var days: [Day]

        public init(
            game: String?, count: Int, longest: Int, start: PuzzleDay?, cadence: Game.Cadence, days: [Day]
        ) {
            self.game = game
            self.count = count
            self.longest = longest
            self.start = start
            self.cadence = cadence
            self.days = days
        }
    }

    /// A day, and whether its player played.
    public struct Day: Hashable, Sendable {
        public var day: PuzzleDay
        public var isPlayed: Bool

        public init(_ day: PuzzleDay, isPlayed: Bool) { (self.day, self.isPlayed) = (day, isPlayed) }
    }

    /// The player's week, and the first three of a group.
    public struct Week: Hashable, Sendable {
        public var recap: WeeklyRecap
        /// Monday to Sunday.
        public var days: [Day]
        /// The group's title; nil shows no podium.
        public var group: String?
        public var podium: [GroupRecap.Place]

        public init(recap: WeeklyRecap, days: [Day], group: String?, podium: [GroupRecap.Place]) {
            self.recap = recap
            self.days = days
            self.group = group
            self.podium = podium
        }
    }

    /// A tier of an achievement.
    public typealias Unlock = TierUnlock

    /// Whose it is, by the name that the people shown in it know.
    public var player: String
    public var subject: Subject

    public init(of subject: Subject, player: String) {
        self.subject = subject
        self.player = ShareTemplate.bounded(player)
    }

    /// A few words: “Wordle: 3 guesses”.
    public var title: String {
        switch subject {
        case .result(let result): "\(ShareTemplate.bounded(result.game)): \(result.label)"
        case .streak(let streak): streak.headline
        case .week(let week): "Week \(week.recap.week.week) of \(week.recap.week.year)"
        case .achievement(let unlock): unlock.reached.title
        }
    }

    /// The picture in a sentence, for those who do not see it.
    public var description: String {
        switch subject {
        case .result(let result):
            let number = result.number.map { " \($0)" } ?? ""
            let streak = result.streak > 1 ? " \(result.cadence.inARow(result.streak))." : ""
            return "\(player), \(ShareTemplate.bounded(result.game))\(number) of \(BoardRange.date(result.day)): "
                + "\(result.label).\(streak)"
        case .streak(let streak): return "\(player): \(streak.headline)."
        case .week(let week):
            let places = week.podium.map { "\($0.rank). \(ShareTemplate.bounded($0.name))" }.joined(separator: ", ")
            let mine = "\(player): \(week.recap.played) played, \(Scoring.totalLabel(week.recap.points))."
            return places.isEmpty ? mine : "\(mine) \(ShareTemplate.bounded(week.group ?? "")): \(places)."
        case .achievement(let unlock):
            return "\(player) reached \(unlock.reached.title) on \(BoardRange.date(unlock.day))."
        }
    }

    /// A name for a file, without its ending: `streakmesh-wordle-2026-11-20`. Letters, digits and hyphens only.
    public var fileName: String {
        let words =
            switch subject {
            case .result(let result): [result.game, result.day.description]
            case .streak(let streak): [streak.game ?? "", "streak"]
            case .week(let week): ["week", week.recap.span.from.description]
            case .achievement(let unlock): [unlock.reached.text]
            }
        let text = (["streakmesh"] + words).joined(separator: "-").lowercased().unicodeScalars.map { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                ? Character(scalar) : "-"
        }
        return text.split(separator: "-").map { String($0) }.joined(separator: "-").prefix(80).description
    }
}

extension Picture.Streak {
    /// “41 days in a row in Wordle”
    public var headline: String {
        cadence.inARow(count) + (game.map { " in \(ShareTemplate.bounded($0))" } ?? "")
    }

    /// The headline as a text to send.
    public var text: String {
        let best = longest > count ? " My best is \(longest.grouped)." : ""
        return "🔥 \(headline)!\(best)\nCan you keep up?"
    }
}

extension Game.Cadence {
    /// “1 day in a row”, “12 weeks in a row”.
    func inARow(_ count: Int) -> String { "\(count.grouped) \(unit(count)) in a row" }

    func unit(_ count: Int) -> String {
        switch self {
        case .daily, .unlimited: count == 1 ? "day" : "days"
        case .weekly: count == 1 ? "week" : "weeks"
        }
    }
}
