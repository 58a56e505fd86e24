import ArgumentParser
import StreakGames
import StreakNode
import StreakWeb

struct ChallengeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "challenge", abstract: "Challenges to beat a result.",
        subcommands: [
            ChallengeListCommand.self, ChallengeMakeCommand.self, ChallengeAcceptCommand.self,
            ChallengeDeclineCommand.self, ChallengeCounterCommand.self, ChallengeWithdrawCommand.self,
        ])
}

/// Names a result of this user, and until when it may be beaten.
struct TargetOptions: ParsableArguments {
    @Argument(help: "The game: its name, ID or a unique beginning.", completion: .games)
    var game: String

    @Option(help: "The day of your result, yyyy-MM-dd (else the latest result).")
    var date: String?

    @Option(help: "The puzzle number, if you played several that day.")
    var puzzle: Int?

    @Option(help: "The last day, yyyy-MM-dd (else the result’s day, or today if that is over).")
    var until: String?

    @Option(help: "The group (else the active one).")
    var group: String?

    var reference: ResultReference { ResultReference(game: game, date: date, puzzle: puzzle, group: group) }
}

struct ChallengeListCommand: QueryCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show a group’s challenges, and who has won how many.")

    @Option(help: "The group (else the active one).")
    var group: String?

    @OptionGroup var shared: SharedOptions

    func request() -> ChallengeRequest { .list(group: group) }

    func lines(for report: ChallengesReport, style: OutputStyle) -> [String] { report.lines(style) }
}

struct ChallengeMakeCommand: QueryCommand {
    static let configuration = CommandConfiguration(
        commandName: "make", abstract: "Challenge a member, or the whole group, to beat a result of yours.")

    @OptionGroup var target: TargetOptions

    @Option(help: "Whom: a name, a friend code or an ID (else everybody who accepts).")
    var to: String?

    @OptionGroup var shared: SharedOptions

    func request() -> ChallengeRequest { .make(target.reference, to: to, until: target.until) }

    func lines(for report: ChallengesReport, style: OutputStyle) -> [String] { report.lines(style) }
}

struct ChallengeCounterCommand: QueryCommand {
    static let configuration = CommandConfiguration(
        commandName: "counter", abstract: "Challenge somebody back who has challenged you.")

    @Argument(help: "The challenge’s ID, or a unique beginning of it; `challenge list` shows them.")
    var challenge: String

    @OptionGroup var target: TargetOptions

    @Option(help: "Who has challenged you: a name, a friend code or an ID.")
    var to: String

    @OptionGroup var shared: SharedOptions

    func request() -> ChallengeRequest {
        .make(target.reference, to: to, until: target.until, first: challenge)
    }

    func lines(for report: ChallengesReport, style: OutputStyle) -> [String] { report.lines(style) }
}

/// Names a challenge.
struct ChallengeOptions: ParsableArguments {
    @Argument(help: "The challenge’s ID, or a unique beginning of it; `challenge list` shows them.")
    var challenge: String

    @Option(help: "The group (else the active one).")
    var group: String?
}

struct ChallengeAcceptCommand: QueryCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept", abstract: "Accept a challenge to you or to the group.")

    @OptionGroup var named: ChallengeOptions
    @OptionGroup var shared: SharedOptions

    func request() -> ChallengeRequest { .answer(challenge: named.challenge, accepts: true, group: named.group) }

    func lines(for report: ChallengesReport, style: OutputStyle) -> [String] { report.lines(style) }
}

struct ChallengeDeclineCommand: QueryCommand {
    static let configuration = CommandConfiguration(
        commandName: "decline", abstract: "Decline a challenge, before you have played.")

    @OptionGroup var named: ChallengeOptions
    @OptionGroup var shared: SharedOptions

    func request() -> ChallengeRequest { .answer(challenge: named.challenge, accepts: false, group: named.group) }

    func lines(for report: ChallengesReport, style: OutputStyle) -> [String] { report.lines(style) }
}

struct ChallengeWithdrawCommand: QueryCommand {
    static let configuration = CommandConfiguration(
        commandName: "withdraw", abstract: "Withdraw a challenge of yours, before anybody has met it.")

    @OptionGroup var named: ChallengeOptions
    @OptionGroup var shared: SharedOptions

    func request() -> ChallengeRequest { .withdraw(challenge: named.challenge, group: named.group) }

    func lines(for report: ChallengesReport, style: OutputStyle) -> [String] { report.lines(style) }
}

extension ChallengesReport {
    fileprivate func lines(_ style: OutputStyle) -> [String] {
        var lines: [String] = []
        for (heading, challenges) in [("Waiting for you", waiting), ("Open", open), ("Ended", ended)]
        where !challenges.isEmpty {
            lines.append(style.applying(.bold, to: heading))
            lines += challenges.flatMap { $0.lines(style) }
        }
        if lines.isEmpty { return ["There are no challenges in “\(title.printable)”."] }
        guard !tallies.isEmpty else { return lines }
        var table = TextTable([.left, .right, .right, .right])
        for tally in tallies {
            table.addRow(
                .init(tally.me ? "you" : tally.name, .bold), .init("\(tally.won) won"), .init("\(tally.lost) lost"),
                .init("\(tally.drawn) drawn"))
        }
        return lines + [style.applying(.bold, to: "Won and lost")] + style.lines(of: table)
    }
}

extension ChallengeReport {
    fileprivate func lines(_ style: OutputStyle) -> [String] {
        let whom = friend == nil ? "everybody" : toMe ? "you" : friendName?.printable ?? ""
        let number = puzzle.map { " #\($0.grouped)" } ?? ""
        let head = me ? "You challenge \(whom)" : "\(name.printable) challenges \(whom)"
        let aim = target.map { "beat \($0.printable)" } ?? "covered until you have played"
        let line =
            "  \(style.applying(.dim, to: String(id.prefix(8))))  \(icon.printable) \(head): \(aim) in "
            + "\(gameName.printable)\(number), until the end of \(lastDay)"
        return [line]
            + duels.map { duel in
                let label = duel.label.map { " with \($0.printable)" } ?? ""
                return "            \(duel.me ? "you" : duel.name.printable): \(duel.words)\(label)"
            }
    }
}

extension DuelReport {
    fileprivate var words: String {
        switch outcome {
        case "playedBefore": "had played before"
        case "open": accepted ? "accepted" : "not answered yet"
        case "": "played, covered until you have"
        default: outcome.printable
        }
    }
}
