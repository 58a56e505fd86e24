import StreakEngine
public import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakStorage
import StreakWire

/// This user's own results: pasted, typed, changed and withdrawn.
extension Results {
    // MARK: Pasting

    /// What `add` does with one pasted share.
    private enum Reading {
        case new(DailyScore, text: String)
        case replaced(DailyScore, text: String)
        case unchanged(DailyScore)
        case refused(RefusedText)
    }

    /// Reads all shares in a pasted text, and the parts that could not be read.
    private func read(
        _ text: String, date: String?, replacing: Bool
    ) throws -> (readings: [Reading], refused: [RefusedText]) {
        let day = try core.day(date)
        let reading = core.shareReader.read(text)
        var staged: [ScoreKey: DailyScore] = [:]
        var readings: [Reading] = []
        for share in reading.shares {
            let outcome = readShare(share, day: day, replacing: replacing, staged: staged)
            if case .new(let score, _) = outcome { staged[score.key] = score }
            if case .replaced(let score, _) = outcome { staged[score.key] = score }
            readings.append(outcome)
        }
        let unread = reading.refusals.map {
            RefusedText(text: $0.text, reason: $0.reason.word, message: $0.reason.sentence, recorded: nil)
        }
        return (readings, unread)
    }

    private func report(
        _ readings: [Reading], _ refused: [RefusedText], published: [String]
    ) -> AddReport {
        var report = AddReport(added: [], refused: refused, published: published)
        for reading in readings {
            switch reading {
            case .new(let score, _): report.added.append(core.resultReport(score))
            case .replaced(let score, _): report.added.append(core.resultReport(score, isReplaced: true))
            case .unchanged(let score): report.added.append(core.resultReport(score, isUnchanged: true))
            case .refused(let text): report.refused.append(text)
            }
        }
        return report
    }

    /// What `add` would do, without storing anything. Each result names the groups that would get it.
    func preview(_ text: String, date: String?) throws -> AddReport {
        let (readings, refused) = try read(text, date: date, replacing: false)
        var report = report(readings, refused, published: [])
        for index in report.added.indices where !report.added[index].unchanged {
            let groups = GameID(report.added[index].game).map { core.takers(of: $0) } ?? []
            report.added[index].groups = groups.map(\.description)
        }
        let going = Set(report.added.filter { !$0.unchanged }.flatMap(\.groups))
        report.published = core.memberGroups.map(\.description).filter(going.contains)
        return report
    }

    /// Reads share texts, and records new results. A different value for a recorded puzzle is refused as a conflict,
    /// unless `replacing`. A recorded result is published if `groups` names groups that lack it.
    func add(
        _ text: String, date: String?, replacing: Bool, groups: [String]?, sharingOnly: Bool
    ) async throws -> AddReport {
        let named = try chosenGroups(groups, sharingOnly: sharingOnly)
        func chosen(for game: GameID) -> [GroupID]? {
            guard sharingOnly, let named else { return named }
            return named.filter(core.takers(of: game).contains)
        }
        let (readings, refused) = try read(text, date: date, replacing: replacing)
        let changes = readings.compactMap { reading -> ResultChange? in
            switch reading {
            case .new(let score, _): change(recording: score, isNew: true, chosen: chosen(for: score.game))
            case .replaced(let score, _): change(recording: score, isNew: false, chosen: chosen(for: score.game))
            case .unchanged(let score): chosen(for: score.game).flatMap { change(publishing: score, in: $0) }
            case .refused: nil
            }
        }
        let confirmed = readings.compactMap { reading in
            if case .unchanged(let score) = reading { score.key } else { nil }
        }
        let published = try await write(changes, confirming: confirmed, keeping: texts(of: readings))
        return report(readings, refused, published: published)
    }

    private func readShare(
        _ share: Share, day: PuzzleDay?, replacing: Bool, staged: [ScoreKey: DailyScore]
    ) -> Reading {
        var score = score(of: share, on: day)
        guard score.day <= PuzzleDay.furthest(at: core.clock.wallTime.seconds) else {
            return .refused(
                RefusedText(
                    text: share.text, reason: "future",
                    message: "\(score.day) has not begun anywhere yet.", recorded: nil))
        }
        if let game = core.knownGame(score.game), !game.hasPuzzle(on: score.day) {
            return .refused(
                RefusedText(
                    text: share.text, reason: "impossibleDate",
                    message: "The first \(game.name) was on \(game.epoch?.day ?? score.day).", recorded: nil))
        }
        guard let earlier = staged[score.key] ?? core.ownIndex.score(score.key, of: core.me) else {
            return .new(score, text: share.text)
        }
        guard !score.agrees(with: earlier) else { return .unchanged(earlier) }
        if let game = core.knownGame(score.game), game.model == .highScore, !replacing {
            // The better value of a day stands.
            return Scoring.replaces(score, earlier, in: game) ? .replaced(score, text: share.text) : .unchanged(earlier)
        }
        guard replacing else {
            let recorded = core.resultReport(earlier)
            return .refused(
                RefusedText(
                    text: share.text, reason: "conflict",
                    message: "\(recorded.label) is recorded for this puzzle already.", recorded: recorded))
        }
        score.firstRecordedAt = earlier.firstRecordedAt
        score.isEdited = true
        return .replaced(score, text: share.text)
    }

    /// The result in a share.
    func score(of share: Share, on day: PuzzleDay?) -> DailyScore {
        let game = core.knownGame(share.game)
        let isKeyed = share.puzzle != nil && share.puzzle.flatMap { game?.day(ofPuzzle: $0) } == nil
        let score = DailyScore(
            game: share.game, day: share.day ?? day ?? core.clock.today, puzzle: share.puzzle, isKeyedByPuzzle: isKeyed,
            score: share.score, maxAttempts: share.maxAttempts, isCompleted: share.isCompleted,
            seconds: share.seconds, hints: share.hints, isHardMode: share.isHardMode, gameName: game?.name,
            firstRecordedAt: core.clock.wallTime.seconds)
        return game?.model == .count ? score.log(numbered: share.puzzle.map(UInt16.init(truncatingIfNeeded:))) : score
    }

    /// Pasted texts are kept on this machine for reading again, and never published. One that is too long is not kept,
    /// since it is only a convenience.
    private func texts(of readings: [Reading]) -> [ShareText] {
        readings.compactMap { reading in
            switch reading {
            case .new(let score, let text), .replaced(let score, let text):
                guard text.utf8.count <= Store.maximumShareTextSize else { return nil }
                return ShareText(key: score.recordSubject.hexadecimal, text: text)
            case .unchanged, .refused: return nil
            }
        }
    }

    // MARK: By hand

    /// Records a typed result. A value replaces a recorded one as an edit. Of a high score, the better value of a day
    /// stands unless `replacing`. A habit gets another log.
    func record(
        _ selector: String, score: Int?, isCompleted: Bool, seconds: Int?, date: String?, groups: [String]?,
        replacing: Bool
    ) async throws -> AddReport {
        let chosen = try chosenGroups(groups)
        let game = try core.game(selector)
        let day = try core.day(date) ?? core.clock.today
        guard day <= PuzzleDay.furthest(at: core.clock.wallTime.seconds) else {
            throw NodeFailure.futureDate(day.description)
        }
        if let first = game.epoch?.day, !game.hasPuzzle(on: day) {
            throw NodeFailure.beforeFirstPuzzle(game: game.name, first: first.description)
        }
        var result = try entry(
            of: game, on: day, score: score ?? (game.model == .count && isCompleted ? 1 : nil),
            isCompleted: isCompleted, seconds: seconds)
        let earlier = core.ownIndex.score(result.key, of: core.me)
        if let earlier {
            let isBeaten = game.model == .highScore && !replacing && !Scoring.replaces(result, earlier, in: game)
            if result.isTold(by: earlier) || isBeaten {
                let news = chosen.flatMap { change(publishing: earlier, in: $0) }
                let published = try await write(news.map { [$0] } ?? [], confirming: [earlier.key])
                return AddReport(
                    added: [core.resultReport(earlier, isUnchanged: true)], refused: [], published: published)
            }
            if game.model != .highScore || replacing {
                result.firstRecordedAt = earlier.firstRecordedAt
                result.isEdited = true
            }
        }
        let published = try await write([change(recording: result, isNew: earlier == nil, chosen: chosen)])
        return AddReport(
            added: [core.resultReport(result, isReplaced: earlier != nil)], refused: [], published: published)
    }

    /// A typed result. The limits for pasted shares apply.
    private func entry(
        of game: Game, on day: PuzzleDay, score: Int?, isCompleted: Bool, seconds: Int?
    ) throws -> DailyScore {
        let isTimed = game.model == .lowerTimeSeconds
        let value = isTimed ? seconds ?? score : score
        guard !isCompleted || value != nil else {
            throw NodeFailure.invalidScore(reason: "\(game.name) needs a \(isTimed ? "time" : "score")")
        }
        guard isCompleted || score == nil else {
            throw NodeFailure.invalidScore(reason: "an unsolved puzzle has no score")
        }
        let isSolved = isCompleted && !(value == 0 && game.isLostWithNothing)
        let result = DailyScore(
            game: game.id, day: day, puzzle: game.puzzle(on: day), score: isSolved ? value : nil,
            maxAttempts: game.maxAttempts, isCompleted: isSolved, seconds: isTimed ? value : seconds,
            hints: game.model == .lowerHints && isSolved ? value : nil, gameName: game.name,
            firstRecordedAt: core.clock.wallTime.seconds)
        switch ResultLimits.violation(by: result, in: game) {
        case nil: return game.model == .count ? result.log(numbered: nil) : result
        case .seconds: throw NodeFailure.invalidScore(reason: "a time is at most 99:59:59")
        case .completed: throw NodeFailure.invalidScore(reason: "\(game.name) is counted and cannot be lost")
        case .score where isTimed:
            throw NodeFailure.invalidScore(reason: "a time is from 0:01 to 99:59:59")
        case .score:
            let scores = game.scores()
            let most = scores.upperBound < Game.highestScore ? "to \(scores.upperBound)" : "upwards"
            throw NodeFailure.invalidScore(reason: "\(game.name) goes from \(scores.lowerBound) \(most)")
        case .some(let column): throw NodeFailure.invalidScore(reason: "\(game.name) has no such \(column.title)")
        }
    }

    func delete(_ selector: String, date: String, puzzle: Int?) async throws -> AddReport {
        // The user can change every result of theirs that a board shows, whatever the private group says.
        let indexes = [core.ownIndex] + core.memberGroups.compactMap { core.views[$0]?.index }
        let result = try ownResult(selector, date: date, puzzle: puzzle, in: indexes)
        let report = core.resultReport(result)
        let published = try await write([change(withdrawing: result.key)])
        return AddReport(added: [report], refused: [], published: published)
    }

    func publish(_ selector: String, date: String, puzzle: Int?, groups: [String]?) async throws -> AddReport {
        let chosen = try chosenGroups(groups)
        let result = try ownResult(selector, date: date, puzzle: puzzle, in: [core.ownIndex])
        let published = try await write(change(publishing: result, in: chosen).map { [$0] } ?? [])
        return AddReport(added: [core.resultReport(result, isUnchanged: true)], refused: [], published: published)
    }

    private func ownResult(
        _ selector: String, date: String, puzzle: Int?, in indexes: [ScoreIndex]
    ) throws -> DailyScore {
        let game = try core.game(selector)
        let day = try Argument.day(date)
        let me = core.me
        let matches = indexes.lazy.flatMap { $0.results(of: me, game: game.id, from: day, to: day) }
        guard let result = matches.first(where: { puzzle == nil || $0.puzzle == puzzle }) else {
            throw NodeFailure.noSuchResult(game: game.name, day: day.description)
        }
        return result
    }

    func results(game selector: String?, from: String?, to: String?) throws -> ResultsReport {
        let game = try selector.map(core.game)
        let results = core.ownIndex.results(
            of: core.me, game: game?.id, from: try core.day(from) ?? .earliest, to: try core.day(to) ?? .latest)
        return ResultsReport(
            results: results.map { core.resultReport($0) }.sorted { ($0.day, $1.game) > ($1.day, $0.game) })
    }
}

extension DailyScore {
    /// One log of a habit. Its number is random if nothing else distinguishes it from other logs.
    func log(numbered number: UInt16?) -> DailyScore {
        log(numbered: number ?? UInt16.random(in: .min ... .max))
    }
}

extension RefusalReason {
    /// Why nothing was recorded, in a sentence for the user.
    public var sentence: String {
        switch self {
        case .notRecognised:
            suggestion().map { "Not recognised. \($0)" } ?? "Not recognised as the share of any known game."
        case .impossibleScore(let game): "No \(name(game)) can end like this."
        case .unfinished(let game): "This \(name(game)) is not finished."
        case .missingScore(let game): "This \(name(game)) share shows no result."
        case .impossibleDate(let game): "The date of this \(name(game)) share does not exist."
        case .numberTooLarge(let game): "There is no \(name(game)) of this number."
        case .notTheDailyPuzzle(let game): "This is a bonus round of \(name(game)), not the daily puzzle."
        case .tooLong: "The text is longer than any share."
        case .empty: "The text is empty."
        }
    }

    private func name(_ game: GameID) -> String { Catalogue.standard[game]?.name ?? game.rawValue }
}
