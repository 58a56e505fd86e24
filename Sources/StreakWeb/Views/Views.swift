import StreakGames
import StreakNode

// The values that templates show. Optional fields are sections that may be missing. Everything else is text, escaped on
// output.

/// A person's picture: initials on a gradient chosen by the user ID.
struct AvatarView: Sendable, Equatable {
    /// Which of 24 gradients, 0…23.
    var tone: Int
    var initials: String

    init(user: String, name: String) {
        var hash: UInt32 = 2_166_136_261
        for byte in user.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        tone = Int((hash ^ hash >> 16) % 24)
        // First grapheme of the first and of the last word.
        let words = name.split(whereSeparator: \.isWhitespace)
        let letters = words.count > 1 ? [words.first, words.last] : [words.first]
        initials = letters.compactMap { $0?.first.map(String.init) }.joined().uppercased()
    }
}

/// A link in a list with one current link.
struct TabView: Sendable, Equatable {
    var label: String
    var href: String
    var current: Bool
    var icon: String?
}

/// A choice in a list.
struct OptionView: Sendable, Equatable {
    var value: String
    var label: String
    var selected: Bool
}

struct FailureView: Sendable, Equatable {
    var code: String
    var message: String
    var hint: String

    init(_ failure: NodeFailure) {
        let text = FailureText.describe(failure)
        // Back quotes mark commands in a terminal; a page has none.
        (code, message) = (text.code, text.message)
        hint = FailureText.hintOnPage(for: failure, code: text.code) ?? text.hint.withoutCodeMarks
    }

    init(code: String, message: String, hint: String) {
        (self.code, self.message, self.hint) = (code, message, hint)
    }
}

/// The node's state.
struct StatusView: Sendable, Equatable {
    /// `live`, `syncing`, `local` or `offline`: a class name.
    var kind: String
    var label: String
    var detail: String
}

/// One of this user's results.
struct ResultView: Sendable, Equatable {
    var game: String
    var gameName: String
    var icon: String
    var day: String
    var dayText: String
    var puzzle: Int?
    var puzzleText: String?
    var label: String
    /// Nil if the label says the same.
    var points: String?
    var completed: Bool
    var late: Bool
    var edited: Bool
    /// Whether it is private, although this user is in groups.
    var kept: Bool
    /// Where it becomes a picture to send.
    var pictureHref: String
    /// Where it can be shared with more groups.
    var shareHref: String?
    var boardHref: String
    var editHref: String
    /// What friends say about it; nil where no group has it.
    var talkHref: String?

    /// - Parameters:
    ///   - group: the group whose board the result links to.
    ///   - groups: all groups of this user.
    init(_ result: ResultReport, icon: String?, group: String?, groups: [GroupReport]) {
        game = result.game
        gameName = result.gameName
        self.icon = icon ?? "🧩"
        day = result.day
        dayText = PuzzleDay(result.day)?.longText ?? result.day
        puzzle = result.puzzle
        puzzleText = result.shownPuzzle.map { "No. \(Self.grouped($0))" }
        label = result.label
        points = result.shownPoints.map { $0 == 1 ? "1 point" : "\($0.grouped) points" }
        completed = result.completed
        late = result.late
        edited = result.edited
        pictureHref =
            PictureChoice(.result).with { ($0.game, $0.date) = (result.game, result.day) }.href()
        let standing = Set(result.groups)
        kept = standing.isEmpty && groups.contains(where: \.isCurrent)
        let lacks = groups.contains { $0.isCurrent && $0.sharing && !standing.contains($0.id) }
        shareHref =
            lacks
            ? PageLink("/share").adding("game", result.game).adding("date", result.day)
                .adding("puzzle", result.puzzle.map(String.init)).text : nil
        boardHref =
            PageLink("/board").adding("group", group).adding("game", result.game).adding("range", "today")
            .adding("date", result.day).text
        talkHref = (result.groups.first { $0 == group } ?? result.groups.first).map { group in
            PageLink("/result").adding("group", group).adding("game", result.game).adding("date", result.day)
                .adding("puzzle", result.puzzle.map(String.init)).text
        }
        editHref =
            PageLink("/record").adding("game", result.game).adding("date", result.day)
            .adding("score", result.score.map(String.init)).adding("time", result.seconds.map(Self.clock))
            .adding("failed", result.completed ? nil : "1").adding("edit", "1").text
    }

    /// “1,234”, as the puzzles print it.
    static func grouped(_ number: Int) -> String { number.grouped }

    /// “0:42”, “12:05”.
    static func clock(_ seconds: Int) -> String {
        "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
    }
}

/// The outcome of a pasted text, or a preview of it.
struct OutcomeView: Sendable, Equatable {
    struct Refusal: Sendable, Equatable {
        var text: String
        var message: String
        var conflict: String?
        var replaceable: Bool
    }

    var isPreview: Bool
    var added: [ResultLine]
    var refused: [Refusal]
    /// The groups that have it.
    var published: String?
    /// Whether the user chose to share it with nobody.
    var kept: Bool
    var share: ShareView?
    var date: String?
    var nothing: Bool

    struct ResultLine: Sendable, Equatable {
        var icon: String
        var gameName: String
        var puzzleText: String?
        var label: String
        var dayText: String
        var note: String?
        /// The groups it would go to, in a preview.
        var goesTo: String?
    }

    init(
        _ report: AddReport, isPreview: Bool, date: String?, icons: [String: String],
        groups known: [GroupReport], choice: ShareChoice
    ) {
        self.isPreview = isPreview
        self.date = date
        share = ShareView(known, choice: choice)
        added = report.added.map { result in
            let groups = choice.groups(of: result)
            return ResultLine(
                icon: icons[result.game] ?? "🧩", gameName: result.gameName,
                puzzleText: result.shownPuzzle.map { "No. \(ResultView.grouped($0))" }, label: result.label,
                dayText: PuzzleDay(result.day)?.weekdayText ?? result.day,
                note: result.unchanged ? "already recorded" : result.replaced ? "replaces your earlier result" : nil,
                goesTo: isPreview ? Self.titles(of: groups, known) : nil)
        }
        refused = report.refused.map { refusal in
            Refusal(
                text: refusal.text, message: refusal.message,
                conflict: refusal.recorded.map { "Recorded already: \($0.gameName), \($0.label)" },
                replaceable: refusal.reason == "conflict")
        }
        // In a preview every result says where it goes.
        published = isPreview ? nil : Self.titles(of: report.published, known)
        let takers = isPreview ? report.added.flatMap { choice.groups(of: $0) } : report.published
        kept =
            takers.isEmpty && known.contains(where: \.isCurrent)
            && report.added.contains { !$0.unchanged }
        nothing = report.added.isEmpty && report.refused.isEmpty
    }

    /// The titles of groups, or nil where there are none.
    static func titles(of groups: [String], _ known: [GroupReport]) -> String? {
        let titles = groups.map { id in known.first { $0.id == id }?.title ?? id }
        return titles.isEmpty ? nil : titles.joined(separator: ", ")
    }
}

extension String {
    /// The text without the marks around commands, which terminals show.
    var withoutCodeMarks: String { filter { $0 != "`" } }
}
