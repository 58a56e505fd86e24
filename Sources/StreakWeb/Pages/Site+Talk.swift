import Hummingbird
import StreakGames
import StreakNode

/// One result of a member, with reactions and comments.
struct TalkView: Sendable {
    struct Choice: Sendable {
        var emoji: String
        /// Nil for nobody.
        var count: Int?
        /// Who chose it, for pointers and screen readers.
        var who: String
        var mine: Bool
    }

    struct Line: Sendable {
        var id: String
        var avatar: AvatarView
        var user: String
        var name: String
        var me: Bool
        var text: String
        var when: String
        var edited: Bool
        var hidden: Bool
        /// What this viewer may do.
        var mayEdit: Bool
        var mayHide: Bool
        var mayShow: Bool
        var mayMute: Bool
    }

    var avatar: AvatarView
    var name: String
    var me: Bool
    var icon: String
    var gameName: String
    var puzzleText: String?
    var dayText: String
    var groupTitle: String
    var playerHref: String
    var boardHref: String
    /// Nil while the result is covered.
    var open: Open?
    /// For whom this user can challenge with it; nil if nobody.
    var rivals: RivalsView?
    var backTo: String
    /// What the forms send to name the result.
    var user: String
    var game: String
    var day: String
    var puzzle: Int?
    var group: String

    struct Open: Sendable {
        var label: String
        var late: Bool
        var edited: Bool
        var choices: [Choice]
        var mine: String?
        var lines: [Line]
        var earlierText: String?
        var mutedText: String?
        /// Whether nobody has said anything.
        var isSilent: Bool
    }
}

extension Site {
    /// Emojis that are offered at once; any other can be typed.
    private static let offered = ["👏", "🔥", "😮", "😂", "💪", "❤️"]

    private static func reference(_ fields: FormFields) -> ResultReference {
        ResultReference(
            user: fields["user"], game: fields.required("game"), date: fields["date"],
            puzzle: fields["puzzle"].flatMap { Int($0) }, group: fields["group"])
    }

    func showTalk(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        var reference = Self.reference(visit.fields)
        reference.group = frame.group(visit.fields)
        let report = try await node.call(TalkRequest.show(reference))
        let challenges = report.me ? try await node.call(ChallengeRequest.look(reference)) : nil
        let title = report.me ? "Your result" : "\(report.name)’s result"
        return page(.board, "talk", title: title, view(of: report, challenges, visit), frame, visit)
    }

    private func view(of report: TalkReport, _ challenges: ChallengesReport?, _ visit: Visit) -> TalkView {
        let day = PuzzleDay(report.day)
        return TalkView(
            avatar: AvatarView(user: report.user, name: report.name), name: report.name, me: report.me,
            icon: report.icon, gameName: report.gameName,
            puzzleText: report.shownPuzzle.map { "No. \(ResultView.grouped($0))" },
            dayText: day?.longText ?? report.day, groupTitle: report.title,
            playerHref: PageLink("/player").adding("group", report.group).adding("user", report.user).text,
            boardHref: PageLink("/board").adding("group", report.group).adding("game", report.game)
                .adding("range", "today").adding("date", report.day).text,
            open: report.covered ? nil : open(report), rivals: challenges.flatMap { RivalsView($0, today: today) },
            backTo: visit.back,
            user: report.user, game: report.game,
            day: report.day, puzzle: report.puzzle, group: report.group)
    }

    private func open(_ report: TalkReport) -> TalkView.Open {
        let chosen = report.reactions.map { reaction in
            TalkView.Choice(
                emoji: reaction.emoji, count: reaction.count, who: Self.who(reaction), mine: reaction.mine)
        }
        let others = Self.offered.filter { emoji in !report.reactions.contains { $0.emoji == emoji } }
        return TalkView.Open(
            label: report.label ?? "–", late: report.late, edited: report.edited,
            choices: chosen + others.map { TalkView.Choice(emoji: $0, count: nil, who: "nobody yet", mine: false) },
            mine: report.mine, lines: report.comments.map { line($0, mayHide: report.mayHide) },
            earlierText: report.earlier == 0
                ? nil : report.earlier == 1 ? "1 older comment" : "\(report.earlier) older comments",
            mutedText: report.mutedCount == 0
                ? nil
                : report.mutedCount == 1
                    ? "1 comment of somebody you have muted" : "\(report.mutedCount) comments of people you have muted",
            isSilent: report.comments.isEmpty)
    }

    private static func who(_ reaction: ReactionReport) -> String {
        let rest = reaction.count - reaction.names.count
        return (reaction.names + (rest > 0 ? ["\(rest) more"] : [])).joined(separator: ", ")
    }

    private func line(_ comment: CommentReport, mayHide: Bool) -> TalkView.Line {
        TalkView.Line(
            id: comment.id, avatar: AvatarView(user: comment.user, name: comment.name), user: comment.user,
            name: comment.name, me: comment.me, text: comment.text,
            when: Timestamp(comment.written)?.relativeText(to: now()) ?? comment.written, edited: comment.edited,
            hidden: comment.hidden, mayEdit: comment.me, mayHide: mayHide && !comment.hidden,
            mayShow: mayHide && comment.hidden, mayMute: !comment.me)
    }

    static let talkForms: [Form] = [
        Form("/react", { TalkRequest.react(reference($0), emoji: $0["emoji"]) }) {
            (report: TalkReport, _) in
            report.mine.map { "You reacted with \($0)." } ?? "Your reaction is taken back."
        },
        Form("/comment", { TalkRequest.comment(reference($0), text: $0.required("text")) }) { (_: TalkReport, _) in
            "Said."
        },
        Form(
            "/comment/edit",
            { TalkRequest.edit(comment: $0.required("id"), text: $0.required("text"), group: $0["group"]) }
        ) { (_: TalkReport, _) in "Changed." },
        Form("/comment/delete", { TalkRequest.delete(comment: $0.required("id"), group: $0["group"]) }) {
            (_: TalkReport, _) in "The comment is deleted."
        },
        Form(
            "/comment/hide",
            { TalkRequest.hide(comment: $0.required("id"), isHidden: !$0.isSet("show"), group: $0["group"]) }
        ) { (_: TalkReport, fields) in
            fields.isSet("show") ? "The comment is shown again." : "The comment is hidden from the group."
        },
        Form("/mute", { MuteRequest.mute(user: $0.required("user"), group: $0["group"]) }) { (_: MutedReport, _) in
            "You hear them no longer. They are not told."
        },
        Form("/unmute", { MuteRequest.unmute(user: $0.required("user"), group: $0["group"]) }) { (_: MutedReport, _) in
            "You hear them again."
        },
    ]
}
