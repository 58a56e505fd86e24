import StreakGames
import StreakNode

// What templates show. Optional fields are sections that may be missing; everything else is text, escaped on the way out.

/// A person's picture: initials on a gradient that their user ID picks (product.md, A1).
struct AvatarView: Sendable, Equatable {
    /// Which of 24 gradients, 0…23.
    var tone: Int
    var initials: String

    init(user: String, name: String) {
        var hash: UInt32 = 2_166_136_261
        for byte in user.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        tone = Int((hash ^ hash >> 16) % 24)
        // First grapheme of the first and of the last word (product-rules 40).
        let words = name.split(whereSeparator: \.isWhitespace)
        let letters = words.count > 1 ? [words.first, words.last] : [words.first]
        initials = letters.compactMap { $0?.first.map(String.init) }.joined().uppercased()
    }
}

/// A link among several of which one is current.
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
        // Back quotes set commands apart in a terminal; a page has none.
        (code, message, hint) = (text.code, text.message, text.hint.filter { $0 != "`" })
    }

    init(code: String, message: String, hint: String) {
        (self.code, self.message, self.hint) = (code, message, hint)
    }
}

/// How the node is doing (product.md, H1).
struct StatusView: Sendable, Equatable {
    /// `live`, `syncing`, `local` or `offline`: a class name.
    var kind: String
    var label: String
    var detail: String
}

/// One of my results.
struct ResultView: Sendable, Equatable {
    var game: String
    var gameName: String
    var icon: String
    var day: String
    var dayText: String
    var puzzle: Int?
    var puzzleText: String?
    var label: String
    var points: String
    var completed: Bool
    var late: Bool
    var edited: Bool
    var boardHref: String
    var editHref: String

    init(_ result: ResultReport, icon: String?, group: String?) {
        game = result.game
        gameName = result.gameName
        self.icon = icon ?? "🧩"
        day = result.day
        dayText = PuzzleDay(result.day)?.longText ?? result.day
        puzzle = result.puzzle
        puzzleText = result.puzzle.map { "No. \(Self.grouped($0))" }
        label = result.label
        points = result.points == 1 ? "1 point" : "\(result.points) points"
        completed = result.completed
        late = result.late
        edited = result.edited
        boardHref =
            PageLink("/board").adding("group", group).adding("game", result.game).adding("range", "today")
            .adding("date", result.day).text
        editHref =
            PageLink("/record").adding("game", result.game).adding("date", result.day)
            .adding("score", result.score.map(String.init)).adding("time", result.seconds.map(Self.clock))
            .adding("failed", result.completed ? nil : "1").adding("edit", "1").text
    }

    /// “1,234”, as the puzzles print it.
    static func grouped(_ number: Int) -> String {
        var digits = Array(String(number.magnitude))
        var index = digits.count - 3
        while index > 0 {
            digits.insert(",", at: index)
            index -= 3
        }
        return (number < 0 ? "−" : "") + String(digits)
    }

    /// “0:42”, “12:05”.
    static func clock(_ seconds: Int) -> String {
        "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
    }
}

/// What became, or would become, of a pasted text.
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
    var published: String?
    var date: String?
    var nothing: Bool

    struct ResultLine: Sendable, Equatable {
        var icon: String
        var gameName: String
        var puzzleText: String?
        var label: String
        var dayText: String
        var note: String?
    }

    init(_ report: AddReport, isPreview: Bool, date: String?, icons: [String: String], titles: [String: String]) {
        self.isPreview = isPreview
        self.date = date
        added = report.added.map { result in
            ResultLine(
                icon: icons[result.game] ?? "🧩", gameName: result.gameName,
                puzzleText: result.puzzle.map { "No. \(ResultView.grouped($0))" }, label: result.label,
                dayText: PuzzleDay(result.day)?.weekdayText ?? result.day,
                note: result.unchanged ? "already recorded" : result.replaced ? "replaces your earlier result" : nil)
        }
        refused = report.refused.map { refusal in
            Refusal(
                text: refusal.text, message: refusal.message,
                conflict: refusal.recorded.map { "Recorded already: \($0.gameName), \($0.label)" },
                replaceable: refusal.reason == "conflict")
        }
        let names = report.published.map { titles[$0] ?? $0 }
        published = names.isEmpty ? nil : names.joined(separator: ", ")
        nothing = report.added.isEmpty && report.refused.isEmpty
    }
}

struct MemberView: Sendable, Equatable {
    var href: String
    var avatar: AvatarView
    var name: String
    var me: Bool
    /// Where a role is worth saying.
    var roleName: String?
    var online: Bool
    var presence: String
    var sync: String?
    var behind: Bool
    var code: String?
    var devicesText: String

    init(_ member: MemberReport, group: String, now: Int64) {
        href = PageLink("/player").adding("group", group).adding("user", member.user).text
        avatar = AvatarView(user: member.user, name: member.name)
        name = member.name
        me = member.me
        roleName = member.role == "member" ? nil : member.role
        online = member.online || member.me
        let via: [String: String] = ["lan": "on your network", "direct": "directly"]
        if member.me {
            presence = "This is you"
        } else if member.online {
            presence = member.via.map { "Online, \(via[$0] ?? "via \($0)")" } ?? "Online"
        } else if let seen = member.lastSeen.flatMap({ Timestamp($0) }) {
            presence = "Last seen \(seen.relativeText(to: now))"
        } else {
            presence = "Not seen yet"
        }
        behind = (member.behind ?? 0) > 0
        sync =
            member.me
            ? nil
            : member.behind.map { $0 == 0 ? "In sync" : "Behind by \($0) \($0 == 1 ? "record" : "records")" }
        code = member.code
        devicesText = member.devices == 1 ? "1 device" : "\(member.devices) devices"
    }
}

struct InviteView: Sendable, Equatable {
    var id: String
    var link: String
    var title: String
    var expires: String
    var expiresIn: String
    var usesText: String

    init(_ invite: InviteReport, now: Int64) {
        id = invite.id
        link = invite.link
        title = invite.title
        let instant = Timestamp(invite.expires)
        expires = instant?.dateText ?? invite.expires
        expiresIn = instant.map { "Expires \($0.relativeText(to: now))" } ?? "Expires \(invite.expires)"
        if let uses = invite.uses {
            let left = max(0, uses - invite.used)
            usesText = left == 1 ? "Good for one friend" : "Good for \(left) more friends"
        } else {
            usesText = "Good for any number of friends"
        }
    }
}
