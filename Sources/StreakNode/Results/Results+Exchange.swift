import NIOCore
import StreakEngine
import StreakGames
import StreakReplication
import StreakScores
import StreakStorage
import StreakWire

/// Results in files: exports, imports, exported chats.
extension Results {
    func export(
        format: String, game selector: String?, from: String?, to: String?, file: String?
    ) throws -> ExportReport {
        let game = try selector.map { try core.game($0) }
        let results = core.ownIndex.results(
            of: core.me, game: game?.id, from: try core.day(from) ?? .earliest, to: try core.day(to) ?? .latest)
        let bytes: [UInt8]
        switch format {
        case "csv": bytes = ResultExport.csv(results)
        case "json": bytes = ResultExport.json(results)
        default: throw NodeFailure.invalidSetting(name: "format", values: ["csv", "json"])
        }
        guard let file else {
            return ExportReport(
                format: format, count: results.count, content: String(decoding: bytes, as: UTF8.self), file: nil)
        }
        try Self.writeFile(bytes, to: file)
        return ExportReport(format: format, count: results.count, content: nil, file: file)
    }

    /// Reads a file; its size is checked first.
    private static func bytes(of source: ImportSource) throws -> [UInt8] {
        let limit = ResultImport.maximumFileSize
        switch source {
        case .text(let text):
            guard text.utf8.count <= limit else { throw NodeFailure.textTooLong(limit: limit) }
            return Array(text.utf8)
        case .file(let path):
            do {
                guard path.hasPrefix("/"), let bytes = try readFile(path, maximumSize: limit) else {
                    throw NodeFailure.importFailed(reason: "There is no file “\(path)”.")
                }
                return bytes
            } catch StorageError.fileTooLarge {
                throw NodeFailure.importFailed(reason: ImportFault.tooLarge.sentence)
            } catch StorageError.failed(let reason) {
                throw NodeFailure.importFailed(reason: "“\(path)” cannot be read: \(reason).")
            }
        }
    }

    func load(_ source: ImportSource, _ options: ImportOptions) async throws -> ImportReport {
        let reader = ResultImport(
            catalogue: Catalogue(games: Catalogue.standard.games + core.scoredCustomGames),
            now: core.clock.wallTime.seconds, dateOrder: try Argument.dateOrder(options.dates),
            game: try options.game.map { try core.game($0) })
        let index = core.ownIndex
        let me = core.me
        let bytes = try Self.bytes(of: source)
        let plan: ImportPlan
        do throws(ImportFault) {
            plan = try reader.plan(bytes) { index.score($0, of: me) }
        } catch {
            if case .ambiguousDates(let line, let element) = error {
                throw NodeFailure.ambiguousDates(line: line, element: element)
            }
            throw NodeFailure.importFailed(reason: error.sentence)
        }
        return try await carryOut(plan, options)
    }

    /// Writes the results that a plan accepts into the private group and all groups that share their games, in one
    /// transaction. Writes nothing if a line is refused and the request does not say to leave such lines out.
    private func carryOut(
        _ plan: ImportPlan, _ options: ImportOptions, unread: [ChatRefusal] = []
    ) async throws -> ImportReport {
        let replaced = options.replaces ? plan.conflicts.map(\.replacement) : []
        let refusedCount = plan.refusedCount + unread.count
        let isTaken = refusedCount == 0 || options.skipsBad
        let changes = changes(recording: plan.accepted, replacing: replaced)
        let published = options.isPreview || !isTaken ? [] : try await write(changes)
        let left = options.replaces ? [] : plan.conflicts
        let importable = plan.accepted.count + replaced.count
        return ImportReport(
            imported: isTaken ? importable : 0, importable: importable,
            skipped: plan.duplicates.count + left.count, replaced: isTaken ? replaced.count : 0,
            refused: plan.refused.map(line) + unread.map(line), refusedCount: refusedCount,
            conflicts: left.prefix(ResultImport.maximumRefusals).map(line), conflictCount: left.count,
            adjusted: plan.adjusted.map(line), adjustedCount: plan.adjustedCount, preview: options.isPreview,
            sample: (plan.accepted + replaced).prefix(20).map { core.resultReport($0) }, published: published)
    }

    private func line(_ refused: ImportPlan.Refused) -> RefusedLine {
        RefusedLine(
            line: refused.line, element: refused.element, reason: refused.reason.word,
            message: refused.reason.sentence)
    }

    private func line(_ unread: ChatRefusal) -> RefusedLine {
        RefusedLine(line: unread.line, reason: unread.refusal.reason.word, message: unread.refusal.reason.sentence)
    }

    private func line(_ adjusted: ImportPlan.Adjusted) -> RefusedLine {
        let result = core.resultReport(adjusted.result)
        let most = adjusted.result.maxAttempts.map { "\($0)" } ?? "none"
        return RefusedLine(
            line: adjusted.line, element: adjusted.element, reason: "maximum",
            message:
                "\(result.gameName) of \(result.day) is read with the game’s maximum, \(most), not \(adjusted.printed)."
        )
    }

    private func line(_ conflict: ImportPlan.Conflict) -> RefusedLine {
        let (old, new) = (core.resultReport(conflict.existing), core.resultReport(conflict.imported))
        return RefusedLine(
            line: conflict.line, element: conflict.element, reason: "conflict",
            message: "\(old.gameName) of \(old.day) is recorded as \(old.label), not \(new.label).")
    }

    // MARK: Chats

    private func chat(_ source: ImportSource, order: DateOrder? = nil) throws -> ChatLog {
        let bytes = try Self.bytes(of: source)
        let text: String
        do throws(ImportFault) {
            text = String(decoding: try FileText.utf8(bytes), as: UTF8.self)
            if TelegramChat.begins(text) { return try TelegramChat.log(text) }
        } catch {
            throw NodeFailure.importFailed(reason: error.sentence)
        }
        do throws(ChatLogFault) {
            return try ChatLog(text, today: core.clock.today, order: order)
        } catch {
            throw NodeFailure.importFailed(reason: error.sentence)
        }
    }

    func inspectChat(_ source: ImportSource) throws -> ChatReport {
        let log = try chat(source)
        var counts: [String: Int] = [:]
        for share in log.shares(with: core.shareReader).shares { counts[share.sender ?? "", default: 0] += 1 }
        return ChatReport(
            senders: log.senders.map {
                ChatReport.Sender(name: $0.name, messages: $0.messages, shares: counts[$0.name] ?? 0)
            })
    }

    /// The sender whose shares are meant. If several people write, the user has to say which one they are.
    private func sender(_ name: String?, in log: ChatLog) throws -> String? {
        let names = log.senders.map(\.name)
        guard let name else {
            guard names.count <= 1 else { throw NodeFailure.unknownSender(nil, candidates: names) }
            return nil
        }
        let matches = names.filter { $0 == name }
        let found = matches.isEmpty ? names.filter { $0.lowercased() == name.lowercased() } : matches
        guard let sender = found.first else { throw NodeFailure.unknownSender(name, candidates: names) }
        return sender
    }

    func loadChat(
        _ source: ImportSource, sender name: String?, _ options: ImportOptions
    ) async throws -> ImportReport {
        let log = try chat(source, order: try Argument.dateOrder(options.dates))
        let reading = log.shares(of: try sender(name, in: log), with: core.shareReader)
        if let line = reading.undecidedLine { throw NodeFailure.ambiguousDates(line: line) }
        var plan = ImportPlan()
        var positions: [ScoreKey: Int] = [:]
        let furthest = PuzzleDay.furthest(at: core.clock.wallTime.seconds)
        let index = core.ownIndex
        for found in reading.shares {
            let score = score(of: found.share, on: nil).logged(as: found)
            guard score.day <= furthest else {
                plan.refuse(.future(score.day), line: found.line)
                continue
            }
            guard core.knownGame(score.game)?.hasPuzzle(on: score.day) ?? true else {
                plan.refuse(.impossible(.date), line: found.line)
                continue
            }
            let position = positions[score.key]
            guard let earlier = position.map({ plan.accepted[$0] }) ?? index.score(score.key, of: core.me) else {
                positions[score.key] = plan.accepted.count
                plan.accepted.append(score)
                continue
            }
            if score.agrees(with: earlier) {
                plan.duplicates.append(found.line)
            } else {
                plan.conflicts.append(ImportPlan.Conflict(line: found.line, imported: score, existing: earlier))
            }
        }
        return try await carryOut(plan, options, unread: reading.refusals)
    }

    /// Writes a new file for the user.
    private static func writeFile(_ bytes: [UInt8], to path: String) throws {
        do {
            try writeNewFile(bytes, to: path)
        } catch StorageError.fileExists {
            throw NodeFailure.cannotWriteFile(reason: "it exists already")
        } catch StorageError.failed(let reason) {
            throw NodeFailure.cannotWriteFile(reason: reason)
        }
    }
}

extension ImportPlan {
    fileprivate mutating func refuse(_ reason: ImportRefusal, line: Int) {
        refusedCount += 1
        if refused.count < ResultImport.maximumRefusals { refused.append(Refused(line: line, reason: reason)) }
    }
}

extension DailyScore {
    /// A habit's log from a chat gets its number from its line, so that reading the chat again adds nothing.
    fileprivate func logged(as found: ChatShare) -> DailyScore {
        guard isKeyedByPuzzle, found.share.puzzle == nil else { return self }
        return log(numbered: UInt16(truncatingIfNeeded: found.line))
    }
}

extension ImportFault {
    /// Why a whole file was refused, in a sentence for the user.
    var sentence: String {
        switch self {
        case .tooLarge: "The file is larger than \(ResultImport.maximumFileSize >> 20) MiB."
        case .tooManyRows: "The file has more than \(ResultImport.maximumRows) rows."
        case .empty: "The file is empty."
        case .notUTF8:
            """
            The file is neither UTF-8 nor, with a byte order mark, UTF-16. Save it as UTF-8, in Excel as “CSV UTF-8”.
            """
        case .missingColumn(let column): "The file has no column “\(column.title)”."
        case .unclosedQuote(let line): "The quote that begins in line \(line) never ends."
        case .malformed(let line, let element):
            element.map { "Result \($0), in line \(line), is not JSON." } ?? "Line \(line) is not JSON."
        case .cutOff(let line, let element):
            "The file ends in the middle\(element.map { " of result \($0)" } ?? ""), in line \(line): a part is missing."
        case .noResults:
            """
            This is JSON, but not of results. These are an array of objects such as \
            {"game": "wordle", "date": "2026-11-21", "score": 3}, alone or as “results” of an object.
            """
        case .notAChat: "This is JSON, but no chat as Telegram exports it."
        case .unknownVersion: "The file is of a later version."
        case .ambiguousDates(let line, let element):
            "The date in \(element.map { "result \($0)" } ?? "line \(line)") could be day first or month first; say which."
        case .contradictoryDates(let dayFirst, let monthFirst, let areElements):
            areElements
                ? "Result \(dayFirst) writes its date day first, result \(monthFirst) month first."
                : "Line \(dayFirst) writes its date day first, line \(monthFirst) month first."
        }
    }
}

extension ImportRefusal {
    /// A stable word for programs.
    var word: String {
        switch self {
        case .tooLong: "tooLong"
        case .missing: "missing"
        case .unreadable: "unreadable"
        case .unknownGame: "unknownGame"
        case .impossible: "impossible"
        case .contradictory: "contradictory"
        case .future: "future"
        }
    }

    /// Why a row was refused, in a sentence for the user.
    var sentence: String {
        switch self {
        case .tooLong: "A cell is too long."
        case .missing(let column): "“\(column.title)” is missing."
        case .unreadable(let column, let text): "“\(text.prefix(40))” is no \(column.title)."
        case .unknownGame(let name, let nearest):
            "There is no game “\(name.prefix(40))”."
                + (nearest.flatMap { Catalogue.standard[$0] }.map { " Did you mean \($0.name)?" } ?? "")
        case .impossible(let column): "No result of this game has this \(column.title)."
        case .contradictory(let column): "“\(column.title)” does not fit the rest of the row."
        case .future(let day): "\(day) has not begun anywhere yet."
        }
    }
}

extension ChatLogFault {
    /// Why a text is not a chat, in a sentence for the user.
    var sentence: String {
        switch self {
        case .tooLong: "The file is larger than \(ChatLog.maximumSize >> 20) MiB."
        case .notAChat: "No line of this file begins a message."
        }
    }
}
