import Hummingbird
import StreakGames
import StreakNode

/// The challenges of a group.
struct ChallengesView: Sendable {
    struct Section: Sendable {
        var id: String
        var title: String
        var lines: [ChallengeView]
        var hasLines: Bool
        var emptyText: String
    }

    struct Tally: Sendable {
        var avatar: AvatarView
        var name: String
        var me: Bool
        var href: String
        var won: Int
        var lost: Int
        var drawn: Int
    }

    var groupTitle: String
    var sections: [Section]
    var tallies: [Tally]
    var hasTallies: Bool
    var activityHref: String
}

/// One challenge.
struct ChallengeView: Sendable {
    struct Duel: Sendable {
        var name: String
        var text: String
        var mark: String
    }

    var id: String
    var avatar: AvatarView
    var headline: String
    var icon: String
    var gameName: String
    var puzzleText: String?
    /// “beat 3 guesses”; nil while it is covered.
    var target: String?
    var when: String
    var note: String?
    var duels: [Duel]
    var mayAccept: Bool
    var mayDecline: Bool
    var mayWithdraw: Bool
    var backHref: String?
    var hasActions: Bool
    var group: String
    var backTo: String
    /// For screen readers: what the buttons are about.
    var about: String
}

/// Whom this user can challenge with a result.
struct RivalsView: Sendable {
    var rivals: [ChallengeRival]
    /// The first day that a challenge can end on.
    var today: String

    init?(_ report: ChallengesReport, today: PuzzleDay) {
        guard !report.rivals.isEmpty else { return nil }
        (rivals, self.today) = (report.rivals, today.description)
    }
}

/// What of this user a member can be challenged to beat.
struct ChallengingView: Sendable {
    struct Offer: Sendable {
        var value: String
        var text: String
    }

    var href: String
    var tally: String
    var isOther: Bool
    var offers: [Offer]
    var hasOffers: Bool
    var first: String?
    /// The first day that a challenge can end on.
    var today: String
    var group: String
    var user: String
}

extension Site {
    func showChallenges(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        let report = try await node.call(ChallengeRequest.list(group: frame.group(visit.fields)))
        func section(_ id: String, _ title: String, _ all: [ChallengeReport], _ empty: String) -> ChallengesView.Section
        {
            ChallengesView.Section(
                id: id, title: title, lines: all.map { view(of: $0, report, visit) }, hasLines: !all.isEmpty,
                emptyText: empty)
        }
        let shown = ChallengesView(
            groupTitle: report.title,
            sections: [
                section("waiting", "Waiting for you", report.waiting, "Nobody waits for your answer."),
                section(
                    "open", "Open", report.open,
                    "None. Challenge a friend on your result’s page, or on theirs."),
                section("ended", "Ended", report.ended, "None during the last 30 days."),
            ],
            tallies: report.tallies.map { tally in
                ChallengesView.Tally(
                    avatar: AvatarView(user: tally.user, name: tally.name), name: tally.name, me: tally.me,
                    href: PageLink("/player").adding("group", report.group).adding("user", tally.user).text,
                    won: tally.won, lost: tally.lost, drawn: tally.drawn)
            }, hasTallies: !report.tallies.isEmpty,
            activityHref: PageLink("/activity").adding("group", report.group).text)
        return page(.activity, "challenges", title: "Challenges", shown, frame, visit)
    }

    private func view(of challenge: ChallengeReport, _ report: ChallengesReport, _ visit: Visit) -> ChallengeView {
        let whom = challenge.friend == nil ? "everybody" : challenge.toMe ? "you" : challenge.friendName ?? ""
        let isOver = challenge.state == "ended"
        // What waits for this user is said by its buttons.
        let answered = challenge.duels.filter { !$0.me || $0.accepted || $0.outcome != "open" }
        let duels = answered.map { duel(of: $0) }
        let back = challenge.mayGiveBack && challenge.state != "waiting"
        return ChallengeView(
            id: challenge.id, avatar: AvatarView(user: challenge.user, name: challenge.name),
            headline: challenge.me ? "You challenge \(whom)" : "\(challenge.name) challenges \(whom)",
            icon: challenge.icon, gameName: challenge.gameName,
            puzzleText: challenge.puzzle.map { "No. \(ResultView.grouped($0))" },
            target: challenge.target.map { "to beat \($0)" },
            when: isOver ? "until \(dayText(challenge.lastDay))" : Self.timeLeft(until: challenge.ends, at: now()),
            note: challenge.first == nil ? nil : "in return for another",
            duels: duels, mayAccept: challenge.mayAccept, mayDecline: challenge.mayDecline,
            mayWithdraw: challenge.mayWithdraw,
            backHref: back
                ? PageLink("/player").adding("group", report.group).adding("user", challenge.user)
                    .adding("first", challenge.id).text + "#challenge" : nil,
            hasActions: challenge.mayAccept || challenge.mayDecline || challenge.mayWithdraw || back,
            group: report.group, backTo: visit.back,
            about: "\(challenge.me ? "your challenge" : "the challenge of " + challenge.name) in \(challenge.gameName)")
    }

    private func dayText(_ day: String) -> String { PuzzleDay(day)?.longText ?? day }

    private func duel(of duel: DuelReport) -> ChallengeView.Duel {
        let label = duel.label.map { " with \($0)" } ?? ""
        let have = duel.me ? "have" : "has"
        let (text, mark) =
            switch duel.outcome {
            case "won": ("\(have) beaten it\(label)", "🏆")
            case "lost": ("\(have) not beaten it\(label.isEmpty ? "" : ",\(label)")", "➖")
            case "drawn": ("drew\(label)", "🤝")
            case "expired": ("did not play in time", "⌛")
            case "declined": ("declined", "✋")
            case "playedBefore": ("had played before", "⏪")
            case "open": (duel.accepted ? "\(have) accepted" : "\(have) not answered yet", duel.accepted ? "👍" : "⏳")
            default: ("\(have) played, covered until you have", "🙈")
            }
        return ChallengeView.Duel(name: duel.me ? "You" : duel.name, text: text, mark: mark)
    }

    /// “2 hours left”.
    static func timeLeft(until end: String, at now: Int64) -> String {
        guard let end = Timestamp(end)?.seconds, end > now else { return "over" }
        let minutes = (end - now) / 60
        let (count, unit) =
            minutes >= 2_880 ? (minutes / 1_440, "day") : minutes >= 60 ? (minutes / 60, "hour") : (minutes, "minute")
        return count == 1 ? "1 \(unit) left" : "\(count) \(unit)s left"
    }

    // MARK: On a player's page

    func challenging(
        _ user: String, _ name: String, _ isOther: Bool, _ group: String, _ visit: Visit
    ) async throws -> ChallengingView {
        let report = try await node.call(ChallengeRequest.list(group: group, against: isOther ? user : nil))
        let tally = report.tallies.first { $0.user == user }
        return ChallengingView(
            href: PageLink("/challenges").adding("group", group).text,
            tally: tally.map { "Won \($0.won), lost \($0.lost), drawn \($0.drawn)" } ?? "None decided yet",
            isOther: isOther,
            offers: report.offers.map { offer in
                let day = offer.day == today.description ? "" : ", \(dayText(offer.day))"
                let puzzle = offer.puzzle.map { " No. \(ResultView.grouped($0))" } ?? ""
                return ChallengingView.Offer(
                    value: "\(offer.game)|\(offer.day)|\(offer.puzzle.map(String.init) ?? "")",
                    text: "\(offer.label) in \(offer.gameName)\(puzzle)\(day)")
            }, hasOffers: !report.offers.isEmpty, first: visit.fields["first"], today: today.description,
            group: group, user: user)
    }

    // MARK: Forms

    /// The challenger's result: named field by field, or by one field of a list.
    private static func challengeResult(_ fields: FormFields) -> ResultReference {
        let parts = fields["result"]?.split(separator: "|", omittingEmptySubsequences: false).map(String.init) ?? []
        guard parts.count == 3 else {
            return ResultReference(
                game: fields.required("game"), date: fields["date"], puzzle: fields["puzzle"].flatMap { Int($0) },
                group: fields["group"])
        }
        return ResultReference(game: parts[0], date: parts[1], puzzle: Int(parts[2]), group: fields["group"])
    }

    static let challengeForms: [Form] = [
        Form(
            "/challenge",
            {
                ChallengeRequest.make(
                    challengeResult($0), to: $0["to"], until: $0["until"], first: $0["first"])
            }
        ) { (_: ChallengesReport, _) in "They are challenged. See Challenges, under Activity." },
        Form(
            "/challenge/accept",
            { ChallengeRequest.answer(challenge: $0.required("id"), accepts: true, group: $0["group"]) }
        ) { (_: ChallengesReport, _) in "Accepted. Play, and record your result." },
        Form(
            "/challenge/decline",
            { ChallengeRequest.answer(challenge: $0.required("id"), accepts: false, group: $0["group"]) }
        ) { (_: ChallengesReport, _) in "Declined." },
        Form("/challenge/withdraw", { ChallengeRequest.withdraw(challenge: $0.required("id"), group: $0["group"]) }) {
            (_: ChallengesReport, _) in "The challenge is withdrawn."
        },
    ]
}
