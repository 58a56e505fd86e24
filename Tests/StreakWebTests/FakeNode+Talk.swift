import Foundation

@testable import StreakNode

extension FakeNode {
    func answer(_ request: TalkRequest) throws -> TalkReport {
        guard scenario != .lonely, scenario != .removed else { throw NodeFailure.noGroup() }
        switch request {
        case .show(let result), .react(let result, _), .comment(let result, _):
            return talk(about: result.user ?? Self.user(1), result.game)
        case .edit, .delete, .hide: return talk(about: Self.user(0), "wordle")
        }
    }

    func answer(_ request: MessageRequest) throws -> MessagesReport {
        let isEmpty = scenario == .lonely || scenario == .removed || scenario == .silent
        var report = MessagesReport(friends: isEmpty ? [] : [correspondent(0, fresh: 1), correspondent(2)])
        switch request {
        case .list: return report
        case .show(let user), .look(let user), .write(let user, _):
            guard let index = (0..<7).first(where: { Self.user($0) == user }) else {
                throw NodeFailure.unknownFriend(user)
            }
            if index == 5 { throw NodeFailure.noPair(name: name(5)) }
            report.friend = correspondent(index, fresh: 1)
        case .edit, .delete: report.friend = correspondent(0)
        }
        guard !isEmpty else { return report }
        report.messages = (0..<6).map { message($0, fresh: $0 == 5) }
        (report.earlier, report.muted) = (scenario == .full ? 0 : 3, scenario == .hostile)
        return report
    }

    private func correspondent(_ index: Int, fresh: Int = 0) -> CorrespondentReport {
        CorrespondentReport(
            user: Self.user(index), name: name(index), online: index == 0, group: Self.group,
            last: index == 2 ? nil : message(5, fresh: fresh > 0), fresh: fresh)
    }

    private func message(_ index: Int, fresh: Bool) -> MessageReport {
        let texts = [
            "Did you see that last row?", "I did, and I still do not believe it.", "Again tomorrow?", "Of course 🙂",
            "Good. I was thinking of trying the long one, with a friend who plays only on Sundays and never loses.",
            "Ha.",
        ]
        return MessageReport(
            id: String(repeating: "3fa94c1\(index)", count: 4), me: index % 2 == 1 && !fresh,
            text: scenario == .hostile ? "\(Self.script)<b>" : texts[index], written: "2026-11-21T0\(index):12:00Z",
            edited: index == 1, fresh: fresh)
    }

    var feed: FeedReport {
        guard scenario != .lonely, scenario != .removed, scenario != .silent else {
            return FeedReport(group: nil, title: "All groups", entries: [], fresh: 0, total: 0)
        }
        let kinds = ["result", "results", "best", "unlock", "joined", "comment", "message"]
        let entries = kinds.enumerated().map { index, kind in
            var entry = FeedEntryReport(
                id: "3fa94c1\(index)", kind: kind, group: Self.group, title: title, user: Self.user(index),
                name: name(index), me: index == 1, at: "2026-11-21T0\(8 - index):12:00Z",
                icon: kind == "message" ? "✉️" : "🧩",
                text: scenario == .hostile ? "\(Self.script)<b>" : "played Wordle: 3 guesses", fresh: index == 0)
            if index < 3 { (entry.game, entry.day) = ("wordle", "2026-11-21") }
            entry.covered = index == 2
            return entry
        }
        return FeedReport(group: nil, title: "All groups", entries: entries, fresh: 1, total: 9)
    }

    private func talk(about user: String, _ game: String) -> TalkReport {
        // Strands has not been played yet.
        let isCovered = game == "strands" && user != Self.user(1)
        let index = (0..<7).first { Self.user($0) == user } ?? 0
        var report = TalkReport(
            group: Self.group, title: title, user: user, name: name(index), me: index == 1, game: game,
            gameName: game.capitalized, icon: "🧩", day: "2026-11-21", puzzle: 1_617, model: "lowerAttempts",
            covered: isCovered)
        guard !isCovered else { return report }
        report.label = "3 guesses"
        report.late = scenario == .full
        report.mine = "👏"
        report.mayHide = scenario != .outsider
        report.reactions = [
            ReactionReport(emoji: "👏", count: 3, names: [name(1), name(2), name(3)], mine: true),
            ReactionReport(emoji: "🔥", count: 1, names: [name(4)], mine: false),
        ]
        guard scenario != .silent else { return report }
        report.comments = [comment(0), comment(1, edited: true), comment(2, hidden: true)]
        (report.earlier, report.mutedCount) = (scenario == .hostile ? 7 : 1, scenario == .hostile ? 0 : 2)
        return report
    }

    private func comment(_ index: Int, edited: Bool = false, hidden: Bool = false) -> CommentReport {
        CommentReport(
            id: String(repeating: "3fa94c1\(index)", count: 4), user: Self.user(index), name: name(index),
            me: index == 1, text: scenario == .hostile ? "\(Self.script)<b>so close" : "How did you see that?",
            written: "2026-11-21T0\(index):12:00Z", edited: edited, hidden: hidden)
    }

    func challenges() throws -> ChallengesReport {
        guard scenario != .lonely, scenario != .removed else { throw NodeFailure.noGroup() }
        var report = ChallengesReport(
            group: Self.group, title: title, waiting: [], open: [], ended: [],
            tallies: [ChallengeTallyReport(user: Self.user(0), name: name(0), me: false, won: 2, lost: 1, drawn: 0)])
        guard scenario != .silent else { return report }
        report.waiting = [challenge(0, "waiting", outcome: "open")]
        report.open = [challenge(1, "open", outcome: "open"), challenge(2, "open", outcome: "")]
        report.ended = ["won", "lost", "drawn", "expired", "declined", "playedBefore"].map {
            challenge(3, "ended", outcome: $0)
        }
        report.offers = [
            ChallengeOffer(
                game: "wordle", gameName: "Wordle", icon: "🧩", day: "2026-11-21", puzzle: 1_617, label: "3 guesses")
        ]
        report.rivals = [ChallengeRival(user: Self.user(2), name: name(2))]
        return report
    }

    private func challenge(_ index: Int, _ state: String, outcome: String) -> ChallengeReport {
        let isHidden = outcome.isEmpty
        var report = ChallengeReport(
            id: String(repeating: "3fa94c1\(index)", count: 4), user: Self.user(index), name: name(index),
            me: index == 1, friend: index == 2 ? nil : Self.user(4), friendName: index == 2 ? nil : name(4),
            toMe: index == 0, game: "wordle", gameName: "Wordle", icon: "🧩", day: "2026-11-21", puzzle: 1_617,
            target: isHidden ? nil : "3 guesses", made: "2026-11-21T08:12:00Z", lastDay: "2026-11-21",
            ends: "2026-11-22T12:00:00Z", state: state,
            duels: [
                DuelReport(
                    user: Self.user(4), name: name(4), me: false, outcome: outcome, accepted: true,
                    label: outcome == "won" ? "2 guesses" : nil, covered: isHidden)
            ], first: index == 3 ? String(repeating: "3fa94c10", count: 4) : nil)
        (report.mayAccept, report.mayDecline) = (index == 0, index == 0)
        (report.mayWithdraw, report.mayGiveBack) = (index == 1, index == 3)
        return report
    }
}
